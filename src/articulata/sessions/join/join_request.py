"""From what a command says to a session of an exercise.

Figures of ours are scripted ones, which perform motions, and live persons; in a formation each
stands behind or beside the one who leads it.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from articulata.analyses.track.carrying import BODIES
from articulata.domains.kinematic.kinematic_domain import kinematic_model
from articulata.errors import ArticulataError, NameNotFound
from articulata.geometry.arrays import Array, Float64
from articulata.geometry.quaternion import q_to_matrix
from articulata.geometry.rotation import Rotation
from articulata.network.dis.geocentric import GeodeticOrigin
from articulata.records.networked import STANDING, NetworkedLook
from articulata.records.tracking import Latency, TrackedPosture
from articulata.report.viewer.panels.track_panel import TrackNews
from articulata.sessions.join.exercise_frames import USUAL, Body, body_of
from articulata.sessions.join.join_session import JoinResult, JoinSession, JoinWish, OurFigure
from articulata.sessions.track.track_options import Asked
from articulata.sessions.track.track_request import track_asked
from articulata.sessions.track.wish import Listener
from articulata.world.figures.nodes import Performance
from articulata.world.paths import hint

_STANCE_OF = {motion: stance for stance, motion in BODIES.items()}

PAUSE = 1.0
"""Seconds between two motions of a script."""


class Scripted:
    """A figure that performs motions of its text in turn, from ``X_W0`` (4, 4) on.

    ``X_W0`` moves the figure from where a text stands it. ``perform`` changes what it does.
    """

    def __init__(
        self, name: str, figure: str, body: Body, X_W0: Array, motions: Sequence[str], now: float
    ) -> None:
        self.body, self.X_W0 = body, X_W0
        self.look = NetworkedLook(name, figure, STANDING)
        self._lock = threading.Lock()
        self._plan: tuple[tuple[str, float, float], ...] = ()
        performer = kinematic_model(body.follower.world).performers[body.follower.who]
        self._begin = replace(performer, node=replace(performer.node, follows=()), _kept={})
        self._performer = self._begin
        self._whole = 0.0
        self.perform(motions or ("stand",), now, repeated=bool(motions))

    @property
    def offered(self) -> tuple[str, ...]:
        """The motions that it knows."""
        return tuple(self._begin.node.motions)

    def perform(self, motions: Sequence[str], now: float, *, repeated: bool = False) -> None:
        """Do what motions say from ``now`` (s) on, one after the other, or again and again."""
        known = self._begin.node.motions
        plan, begin = [], now
        for motion in motions:
            if motion not in known:
                if motion == "stand":
                    continue
                name = self.body.figure.name
                raise NameNotFound(
                    f"figure '{name}' has no motion '{motion}'{hint(motion, list(known))}"
                )
            plan.append((motion, begin, known[motion].frames[-1].time))
            begin += known[motion].frames[-1].time + PAUSE
        follows = tuple(Performance(motion, start) for motion, start, _ in plan)
        with self._lock:
            self._plan, self._whole = tuple(plan), begin - now if repeated and plan else 0.0
            # what went on before is blended from
            node = self._performer.node
            kept = tuple(each for each in node.follows if each.start <= now)[-1:]
            self._performer = replace(
                self._begin, node=replace(node, follows=(*kept, *follows)), _kept={}
            )

    def at(self, now: float) -> tuple[Array, Array]:
        """Return joint values (dof,) and ``X_WF`` (4, 4) at ``now`` (s)."""
        with self._lock:
            performer, plan, whole = self._performer, self._plan, self._whole
        doing = [motion for motion, begin, _ in plan if begin <= now]
        if whole and plan and now >= plan[0][1] + whole and not self._cyclic(plan):
            begun = plan[0][1] + whole * ((now - plan[0][1]) // whole)
            self.perform([motion for motion, _, _ in plan], begun, repeated=True)
            return self.at(now)
        stance = _STANCE_OF.get(doing[-1], STANDING) if doing else STANDING
        if stance != self.look.stance:
            self.look = replace(self.look, stance=stance)
        q, X_WF = performer.at(now)
        return q, self.X_W0 @ X_WF

    def doing(self, now: float) -> tuple[str, float] | None:
        """Return the motion that it performs, and since when (s before ``now``)."""
        with self._lock:
            begun = [(motion, now - begin) for motion, begin, _ in self._plan if begin <= now]
        return begun[-1] if begun else None

    def _cyclic(self, plan: Sequence[tuple[str, float, float]]) -> bool:
        """Return whether what it does goes on by itself: one motion that repeats or holds."""
        return len(plan) == 1 and plan[0][0] in _STANCE_OF


class Live:
    """A person who is tracked: the newest posture, from another thread."""

    def __init__(self, name: str, figure: str, body: Body, X_W0: Array) -> None:
        self.body, self.X_W0 = body, X_W0
        self.look = NetworkedLook(name, figure, STANDING)
        self._newest: TrackedPosture | None = None

    def follow(self, posture: TrackedPosture) -> None:
        """Take a posture up."""
        self._newest = posture

    def at(self, now: float) -> tuple[Array, Array]:
        """Return joint values (dof,) and ``X_WF`` (4, 4) as they are."""
        newest, X_WF = self._newest, np.eye(4)
        if newest is None:
            return self.body.tracked.rest, self.X_W0
        X_WF[:3, :3], X_WF[:3, 3] = q_to_matrix(newest.q_WF), newest.p_WF
        return newest.q, self.X_W0 @ X_WF

    def doing(self, now: float) -> None:
        """Return nothing: what a person does is not in a text."""


SPACING = 2.0
"""m from one person to the next unless somebody says otherwise."""

FORMATIONS = ("line", "column", "wedge", "vee", "echelon_left", "echelon_right")


def formation(name: str, count: int, spacing: float = SPACING) -> Float64[Array, "n 2"]:
    """Return how far ahead and to the left (m) of the leader ``count`` people stand, him first.

    >>> formation("wedge", 3, 1.0).tolist()
    [[0.0, 0.0], [-1.0, 1.0], [-1.0, -1.0]]
    """
    if name not in FORMATIONS:
        raise ArticulataError(f"--formation {name!r}: formations are {', '.join(FORMATIONS)}")
    if not (0.3 <= spacing <= 100.0):
        raise ArticulataError(f"people stand 0.3 to 100 m apart in a formation, not {spacing:g}")
    # the first to the left of the leader, the second to his right, and so on outward
    rank = (np.arange(count) + 1) // 2
    side = np.where(np.arange(count) % 2 == 1, 1.0, -1.0)
    behind = np.arange(count, dtype=float)
    ahead, left = {
        "line": (0.0 * behind, side * rank),
        "column": (-behind, 0.0 * behind),
        "wedge": (-1.0 * rank, side * rank),
        "vee": (1.0 * rank, side * rank),
        "echelon_left": (-behind, behind),
        "echelon_right": (-behind, -behind),
    }[name]
    return spacing * np.stack([ahead, left], axis=1) + 0.0


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
