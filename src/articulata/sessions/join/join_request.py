"""From what a command says to a session of an exercise."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array
from articulata.geometry.rotation import Rotation
from articulata.network.dis.geocentric import GeodeticOrigin
from articulata.records.tracking import Latency, TrackedPosture
from articulata.report.viewer.panels.track import TrackNews
from articulata.sessions.join.formation import SPACING, formation
from articulata.sessions.join.frames import USUAL, Body, body_of
from articulata.sessions.join.ours import Live, Scripted
from articulata.sessions.join.session import JoinResult, JoinSession, JoinWish, OurFigure
from articulata.sessions.track.track_request import Asked, track_asked
from articulata.sessions.track.wish import Listener

MOST = 160
"""Scripted figures of one process at most."""


@dataclass(frozen=True, slots=True)
class JoinAsked:
    """What somebody asks for: the exercise, and who takes part in it.

    ``count`` figures called ``name`` perform ``motions`` in a ``formation`` around ``place``
    (m ahead and to the left of the origin), and face ``heading`` (rad, to the left). With
    ``source`` the first is a live person (as ``articulata track --from`` has it), whose take is
    written to ``out``. Nobody takes part with a count of 0: the exercise is watched.
    """

    wish: JoinWish = field(default_factory=JoinWish)
    name: str = ""
    figure: str = "person(1.75 m)"
    motions: tuple[str, ...] = ()
    count: int = 1
    formation: str = "line"
    spacing: float = SPACING
    place: tuple[float, float] = (0.0, 0.0)
    heading: float = 0.0
    source: str = ""
    calibrate: str | None = None
    stations: tuple[str, ...] = ()
    body: str | None = None
    out: Path = Path("out/join")


def join_asked(asked: JoinAsked, listener: Listener) -> JoinResult:
    """Join as asked until the session ends."""
    with joining(asked, listener) as session:
        return session.run()


@contextmanager
def joining(asked: JoinAsked, listener: Listener) -> Iterator[JoinSession]:
    """Give the session that is asked for, while the sensors of a live person are read."""
    if not 0 <= asked.count <= MOST:
        raise ArticulataError(f"--count is 0 to {MOST} figures, not {asked.count}")
    if asked.source and not asked.count:
        raise ArticulataError("a live person is a figure: give --count 1 or more, or no --from")
    ours = _ours(asked)
    session = JoinSession(asked.wish, ours, listener)
    with ExitStack() as beside:
        if asked.source:
            live = ours[0]
            assert isinstance(live, Live)
            beside.enter_context(_Tracking(asked, live, session, listener))
        yield session


def _ours(asked: JoinAsked) -> list[OurFigure]:
    """Return our figures, where they stand."""
    figure = asked.figure or USUAL
    places = formation(asked.formation, max(asked.count, 1), asked.spacing)[: asked.count]
    found: list[OurFigure] = []
    # figures that are alike share what is computed of them
    body = body_of(figure)
    for number, (ahead, left) in enumerate(places.tolist()):
        name = asked.name or "figure"
        if asked.count > 1:
            name = f"{name} {number + 1}"
        X_W0 = _stand(body, asked, ahead, left)
        if asked.source and number == 0:
            found.append(Live(name, figure, body, X_W0))
        else:
            found.append(Scripted(name, figure, body, X_W0, asked.motions, time.monotonic()))
    return found


def _stand(body: Body, asked: JoinAsked, ahead: float, left: float) -> Array:
    """Return ``X_W0`` (4, 4): the formation's place of somebody, turned and moved as asked."""
    forward, up = body.tracked.forward, body.tracked.up
    sideways = np.cross(up, forward)
    X = np.eye(4)
    X[:3, :3] = Rotation.from_axis_angle(up, asked.heading).to_matrix()
    X[:3, 3] = X[:3, :3] @ (ahead * forward + left * sideways)
    X[:3, 3] += asked.place[0] * forward + asked.place[1] * sideways
    return X


class _Tracking:
    """A live person beside the session: sensors are read in a thread of their own."""

    def __init__(
        self, asked: JoinAsked, live: Live, session: JoinSession, listener: Listener
    ) -> None:
        self._live, self._session, self._listener = live, session, listener
        self._tracked: Any = None
        wanted = Asked(
            sources=(asked.source,),
            figures=(asked.figure,),
            stations=asked.stations,
            calibrate=asked.calibrate,
            perform=",".join(asked.motions) or None,
            body=asked.body,
            out=asked.out,
            seconds=asked.wish.seconds,
        )
        self._thread = threading.Thread(
            target=self._run, args=(wanted,), name="tracking", daemon=True
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._tracked is not None:
            self._tracked("end", None)
        self._thread.join(timeout=10.0)

    def _run(self, wanted: Asked) -> None:
        try:
            track_asked(wanted, self._listener, viewer=self._view)
        except ArticulataError as error:
            self._listener.say(str(error))
            self._session.notice = str(error)
            self._session.ask("end")

    # ---- what a tracking session asks of its viewer

    def _view(self, figure: object, q: object, ask: Any, **_: object) -> _Shown:
        self._tracked = ask
        return _Shown(self._live, self._session)


class _Shown:
    """Stands where a tracking session has its viewer: hands postures and news on."""

    def __init__(self, live: Live, session: JoinSession) -> None:
        self._live, self._session = live, session
        self.address = "the page of the exercise"
        self.failure: BaseException | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def follow(self, posture: TrackedPosture, arrival: float, person: int = 0) -> None:
        """Let the figure take a posture up."""
        self._live.follow(posture)

    def tell(self, news: TrackNews) -> None:
        """Show what the wearer is to do, and let others know what his body does."""
        self._session.notice = news.notice
        weapon = news.weapon[0] if news.weapon is not None else ""
        stance = news.body or self._live.look.stance
        if (stance, weapon) != (self._live.look.stance, self._live.look.weapon):
            self._live.look = replace(self._live.look, stance=stance, weapon=weapon)

    def scripts(self, motions: object, said: str) -> None:
        """Nothing is edited here."""

    def latency(self) -> Latency | None:
        """Not measured here: the exercise's picture is made at an even pace."""
        return None


def origin_of(text: str) -> GeodeticOrigin:
    """Return a place on the earth written as "48.1, 11.5, 520": degrees, degrees and metres."""
    numbers = numbers_of(text, "--origin", "48.1, 11.5, 520", (2, 3))
    latitude, longitude = math.radians(numbers[0]), math.radians(numbers[1])
    return GeodeticOrigin(latitude, longitude, numbers[2] if len(numbers) > 2 else 0.0)


def numbers_of(text: str, option: str, example: str, counts: tuple[int, ...]) -> list[float]:
    """Return numbers written with commas between them, as many as ``counts`` allows."""
    try:
        found = [float(part) for part in text.split(",")]
    except ValueError:
        found = []
    if len(found) not in counts or not all(map(math.isfinite, found)):
        raise ArticulataError(
            f"{option} {text!r}: give {' or '.join(map(str, counts))} numbers with commas between,"
            f' as in "{example}"'
        )
    return found
