"""A session of a networked exercise: our figures are sent, others are received and shown.

One loop does it all: it reads packets as they arrive and draws frames at a steady rate, until the
user ends it.
"""

from __future__ import annotations

import math
import secrets
import socket
import threading
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array
from articulata.network.dis.exercise import ARM_JOINTS, NECK_JOINTS, DisExercise, Thresholds
from articulata.network.dis.geocentric import GeodeticOrigin
from articulata.network.dis.human_parts import PARTS
from articulata.network.exercise_port import ExerciseAddress, ExercisePort
from articulata.network.pose_codec import bundled
from articulata.network.pose_exercise import BOUND, PoseExercise
from articulata.network.sealing import Sealing, key_of
from articulata.records.networked import NetworkedLook, Reception
from articulata.report.viewer.exercise_viewer import (
    ExerciseNews,
    ExerciseViewer,
    Placed,
    TakingPart,
)
from articulata.sessions.join.exercise_frames import USUAL, Body, Ground, body_of
from articulata.sessions.track.wish import Listener

PERIOD = 1.0 / 60.0
"""Seconds from one picture to the next."""

TOGETHER = 0.004
"""Seconds within which packets are taken in together."""

NEWS_PERIOD = 0.5
"""Seconds between two looks at how figures are heard."""

LISTENING = 0.5
"""Seconds for which others are heard before ours step aside."""

APART, CLOSE = 1.4, 0.8
"""m by which ours step aside at a time, and m from others within which they do not stand."""

JOINTS = {"arms": (*ARM_JOINTS, *NECK_JOINTS), "all": tuple(part.joint for part in PARTS)}
"""Which joints are sent of a person, by the words of the command."""

DIS, POSES = "dis", "poses"
"""What an exercise speaks: the standard, or figures in few bytes between programs of ours."""

DRAWN = 200
"""Figures of others that are drawn at most; more are heard and counted."""


class OurFigure(Protocol):
    """A figure that we send: its body, how it looks, and where it is at a time (s).

    ``X_W0`` (4, 4) moves it from where its text stands it.
    """

    look: NetworkedLook
    X_W0: Array

    @property
    def body(self) -> Body:
        """The figure made ready to be sent."""
        ...

    def at(self, now: float) -> tuple[Array, Array]:
        """Return joint values (dof,) and ``X_WF`` (4, 4)."""
        ...

    def doing(self, now: float) -> tuple[str, float] | None:
        """Return the motion of its text that it performs, and since when (s before)."""
        ...


@dataclass(frozen=True, slots=True)
class JoinWish:
    """Which exercise to join and how.

    ``joints`` is "arms" or "all", ``rate`` the packets a second of a figure at most, ``version``
    that of DIS. ``absolute`` stamps packets with the time of day, which only clocks that are kept
    alike make worth something. So many ``seconds`` it lasts, None leaves the end to the user.
    ``site`` None takes a number made of this machine's name. ``aside`` lets ours step aside where
    somebody stands already. ``protocol`` is DIS or POSES; of POSES ``bound`` (rad) is how far an
    angle may be beside what was meant, ``budget`` the bytes a second of a figure at most, and the
    file ``key`` holds the secret by which packets are sealed. Beyond ``near`` m from others figures
    are told coarser; ``packed`` packs the angles of DIS.
    """

    exercise: int = 1
    address: ExerciseAddress = field(default_factory=ExerciseAddress)
    origin: GeodeticOrigin = field(default_factory=GeodeticOrigin)
    version: int = 7
    joints: str = "arms"
    rate: float = 30.0
    absolute: bool = False
    seconds: float | None = None
    headless: bool = False
    port: int | None = None
    site: int | None = None
    aside: bool = False
    protocol: str = DIS
    bound: float = BOUND
    budget: float = math.inf
    key: Path | None = None
    near: float = math.inf
    packed: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.exercise <= 255:
            raise ArticulataError(f"--exercise is a number from 1 to 255, not {self.exercise}")
        if self.protocol not in (DIS, POSES):
            raise ArticulataError(f"--protocol is {DIS} or {POSES}, not {self.protocol!r}")
        if not math.radians(0.02) <= self.bound <= math.radians(5.0):
            raise ArticulataError(f"--bound is 0.02 to 5 deg, not {math.degrees(self.bound):g}")
        if not self.budget >= 200.0:
            raise ArticulataError(
                f"--budget is 200 bytes a second or more, of which a key frame takes half, not"
                f" {self.budget:g}"
            )
        if self.key is not None and self.protocol == DIS:
            raise ArticulataError(
                "--key seals poses: add --protocol poses; DIS has no protection of its own"
            )
        if not self.near > 0.0:
            raise ArticulataError(f"--near is a distance above 0 m, not {self.near:g}")
        if self.packed and self.protocol == POSES:
            raise ArticulataError("--packed packs the angles of DIS; poses are packed always")
        if self.version not in (5, 6, 7):
            raise ArticulataError(f"--version of DIS is 5, 6 or 7, not {self.version}")
        if not 1.0 <= self.rate <= 120.0:
            raise ArticulataError(f"--rate is 1 to 120 packets a second, not {self.rate:g}")
        if self.joints not in JOINTS:
            raise ArticulataError(f"--joints is {' or '.join(JOINTS)}, not {self.joints!r}")
        if self.seconds is not None and not self.seconds > 0.0:
            raise ArticulataError(f"--seconds is a number above 0, not {self.seconds:g}")


@dataclass(frozen=True, slots=True)
class JoinResult:
    """What passed: packets each way, and everybody who was heard, by name and number."""

    sent: int
    heard: int
    others: tuple[str, ...]


@dataclass(slots=True, eq=False)
class _Other:
    """Somebody who is heard: the look that he is shown by, since when (s) he does what he does."""

    look: NetworkedLook
    body: Body
    since: float
    bytes: float = 0.0
    rate: float = 0.0


class JoinSession:
    """Takes part in an exercise with figures of ``ours``; ``run`` returns when it ends."""

    def __init__(
        self,
        wish: JoinWish,
        ours: Sequence[OurFigure],
        listener: Listener,
        *,
        viewer: Callable[..., Any] = ExerciseViewer,
    ) -> None:
        self.wish, self.ours = wish, tuple(ours)
        self._listener, self._make_viewer = listener, viewer
        self._bodies: dict[str, Body] = {}
        first = self.ours[0].body if self.ours else self._body(USUAL)
        self.ground = Ground.at(wish.origin, np.asarray(first.figure.up))
        site = zlib.crc32(socket.gethostname().encode()) % 65533 + 1
        self.site = wish.site or site
        self.application = secrets.randbelow(65533) + 1
        who, joints = (wish.exercise, self.site, self.application), JOINTS[wish.joints]
        self.exercise: DisExercise | PoseExercise
        if wish.protocol == POSES:
            self.exercise = PoseExercise(
                *who,
                joints=joints,
                rate=wish.rate,
                bound=wish.bound,
                budget=wish.budget,
                near=wish.near,
            )
        else:
            limits = Thresholds(rate=wish.rate)
            self.exercise = DisExercise(
                *who,
                version=wish.version,
                joints=joints,
                thresholds=limits,
                absolute=wish.absolute,
                packed=wish.packed,
                near=wish.near,
            )
        self.sealing = None if wish.key is None else Sealing(key_of(wish.key))
        self.port = ExercisePort(wish.address, self.sealing)
        self.viewer: Any = None
        self.notice = ""
        self.announced: dict[int, float] = {}
        self._others: dict[Any, _Other] = {}
        self._met: dict[str, None] = {}
        self._tints: dict[Any, int] = {}
        self._wishes: list[tuple[str, object]] = []
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._told = (0.0, 0, 0, 0, 0)
        self._troubles: set[str] = set()

    def ask(self, name: str, value: object = None) -> None:
        """Leave a wish: "perform" with a motion, "end"; from any thread."""
        with self._lock:
            self._wishes.append((name, value))

    # ---- the session

    def run(self) -> JoinResult:
        """Take part until the session ends."""
        with ExitStack() as open_things:
            open_things.enter_context(self.port)
            if not self.wish.headless:
                self.viewer = open_things.enter_context(self._viewer())
                self._listener.say(f"open {self.viewer.address} (Ctrl-C ends it)")
            begun = time.monotonic()
            end = math.inf if self.wish.seconds is None else begun + self.wish.seconds
            try:
                if self.wish.aside:
                    self._step_aside(begun + LISTENING)
                self._show_ours(time.monotonic())
                due = time.monotonic()
                while time.monotonic() < end and not self._closing.is_set():
                    due = max(due + PERIOD, time.monotonic())
                    self._hear_until(due)
                    self._picture(time.monotonic())
            except KeyboardInterrupt:
                pass
            finally:
                for packet in self.exercise.leave(self._clock(time.monotonic())):
                    self.port.send(packet)
        return JoinResult(self.port.traffic.sent, self.exercise.heard, tuple(self._met))

    def _viewer(self) -> Any:
        motions: dict[str, None] = {}
        for each in self.ours:
            motions.update(dict.fromkeys(getattr(each, "offered", ())))
        return self._make_viewer(
            self.ground.up,
            self.ask,
            motions=tuple(motions),
            port=self.wish.port,
            ours=("ours", 1) if self.ours else None,
        )

    def _show_ours(self, now: float) -> None:
        if self.viewer is None:
            return
        for number, each in enumerate(self.ours, 1):
            placed = Placed(*each.at(now))
            self.viewer.show(("ours", number), each.body.figure, placed, name=each.look.name)

    def _step_aside(self, due: float) -> None:
        """Hear others until ``due`` (s), and move ours to the left until they stand free."""
        self._send_ours(time.monotonic())  # who hears of us tells us at once who is there
        self._hear_until(due)
        if not self.ours:
            return
        others = [placed.X_WF[:3, 3] for placed in self._shown(due).values()]
        body = self.ours[0].body.tracked
        left = np.cross(body.up, body.forward)
        stand = [each.at(due)[1][:3, 3] for each in self.ours]
        for number in range(len(others) + 1):
            moved = number * APART * left
            if all(np.linalg.norm(p + moved - o) >= CLOSE for p in stand for o in others):
                for each in self.ours:
                    each.X_W0 = each.X_W0.copy()
                    each.X_W0[:3, 3] += moved
                return

    def _hear_until(self, due: float) -> None:
        """Hear others until a picture is due; at least once."""
        while True:
            left = max(due - time.monotonic(), 0.0)
            # many packets cost little more than one
            self.exercise.hear(self.port.hear(left, min(left, TOGETHER)))
            if left == 0.0:
                return

    def _picture(self, now: float) -> None:
        """Grant wishes, send ours, show everybody."""
        with self._lock:
            wishes, self._wishes = self._wishes, []
        for name, value in wishes:
            self._grant(name, value, now)
        drawn = self._send_ours(now)
        drawn.update(self._shown(now))
        if self.viewer is not None:
            self.viewer.draw(drawn)
        if now - self._told[0] > NEWS_PERIOD:
            self._tell(now)

    def _send_ours(self, now: float) -> dict[Any, Placed]:
        """Send what others do not know of ours; return where ours are."""
        drawn: dict[Any, Placed] = {}
        clock = self._clock(now)
        packets: list[bytes] = []
        for number, each in enumerate(self.ours, 1):
            q, X_WF = each.at(now)
            posture = each.body.sent(self.ground, now, q, X_WF)
            if self.wish.protocol == POSES:
                doing = each.body.told(each.doing(now), q, self.wish.bound)
                posture = posture._replace(doing=doing)
            if told := self.exercise.announce(number, each.look, posture, clock):
                packets += told
                self.announced[number] = now
            drawn["ours", number] = Placed(q, X_WF)
        for packet in packets if self.wish.protocol == DIS else bundled(packets):
            self.port.send(packet)
        return drawn

    def _clock(self, now: float) -> float:
        return time.time() if self.wish.absolute else now

    def _grant(self, name: str, value: object, now: float) -> None:
        if name == "end":
            self._closing.set()
        elif name == "perform":
            for each in self.ours:
                perform = getattr(each, "perform", None)
                if perform is not None:
                    try:
                        perform((str(value),), now)
                    except ArticulataError as error:
                        self._listener.say(str(error))
                        return

    # ---- others

    def _body(self, figure: str) -> Body:
        """Return the body that stands for a figure; one that is not known is a person's."""
        if figure not in self._bodies:
            try:
                self._bodies[figure] = body_of(figure or USUAL)
            except ArticulataError as error:
                self._listener.say(f"figure {figure!r} is shown as a {USUAL}: {error}")
                self._bodies[figure] = body_of(USUAL)
        return self._bodies[figure]

    def _shown(self, now: float) -> dict[Any, Placed]:
        """Return others as they are now; those that came are shown, those that left are not."""
        looks = self.exercise.looks
        for key in [key for key in self._others if key not in looks]:
            other = self._others.pop(key)
            self._listener.say(f"{other.look.name or key} has left")
            if self.viewer is not None:
                self.viewer.drop(key)
        shown = self.exercise.figures.at(now)
        keys = {row: key for key, row in self.exercise.figures.keys.items()}
        alike: dict[tuple[Body, str], list[tuple[int, Any, float]]] = {}
        come: list[Any] = []
        for n, row in enumerate(shown.rows[:DRAWN].tolist()):
            key = keys[row]
            look, known = looks.get(key), self._others.get(key)
            if look is None:
                continue
            if known is None or known.look is not look:
                was = known and (known.look.name, known.look.figure)
                if was != (look.name, look.figure):
                    come.append(key)
                known = self._others[key] = self._looking(known, look, now)
            stance, begun = look.stance, known.since
            if isinstance(self.exercise, PoseExercise):
                doing = self.exercise.doing(key, now)
                if doing is not None and np.isnan(shown.q[n]).all():
                    stance, begun = known.body.motions.get(doing[0], stance), now - doing[1]
            alike.setdefault((known.body, stance), []).append((n, key, begun))
        found: dict[Any, Placed] = {}
        for (body, stance), figures in alike.items():
            chosen = [n for n, _, _ in figures]
            since = now - np.array([begun for _, _, begun in figures])
            q, X_WF = body.heard(
                self.ground, stance, since, shown.q[chosen], shown.p_EB[chosen], shown.R_EB[chosen]
            )
            keyed = [key for _, key, _ in figures]
            found.update(zip(keyed, map(Placed, q, X_WF), strict=True))
        for key in come:
            self._come(key, looks[key], self._others[key].body, found[key])
        return found

    def _looking(self, known: _Other | None, look: NetworkedLook, now: float) -> _Other:
        """Return somebody as he looks now; what he does begins anew where it changed."""
        if known is None or known.look.figure != look.figure:
            return _Other(look, self._body(look.figure), now)
        if known.look.stance != look.stance:
            known.since = now
        known.look = look
        return known

    def _come(self, key: Any, look: NetworkedLook, body: Body, placed: Placed) -> None:
        self._met[f"{look.name} ({key})" if look.name else str(key)] = None
        self._listener.say(f"{look.name or key} has joined, from {key[0]}:{key[1]}")
        if self.viewer is not None:
            tint = self._tints.setdefault(key[:2], len(self._tints) + 1)
            self.viewer.show(key, body.figure, placed, name=look.name or str(key), tint=tint)

    # ---- news

    def _tell(self, now: float) -> None:
        traffic, (before, *counts) = self.port.traffic, self._told
        passed = (traffic.sent, traffic.sent_bytes, traffic.heard, traffic.heard_bytes)
        elapsed = max(now - before, 1e-3)
        rates = [(new - old) / elapsed for new, old in zip(passed, counts, strict=True)]
        self._told = (now, *passed)
        troubles = self._look_for_trouble()
        if self.viewer is None:
            return
        figures = [TakingPart(each.look, "here", None) for each in self.ours]
        for key, other in self._others.items():
            sender = f"{key[0]}:{key[1]}"
            figures.append(TakingPart(other.look, sender, self._reception(key, other, now)))
        address = self.wish.address
        self.viewer.tell(
            ExerciseNews(
                f"{self._spoken}, exercise {self.wish.exercise} at "
                f"{', '.join(address.hosts)} port {address.port} by {address.interface}",
                figures, (rates[0], rates[1]), (rates[2], rates[3]), troubles, self.notice,
            )
        )  # fmt: skip
        if self.viewer.failure is not None and "picture" not in self._troubles:
            self._troubles.add("picture")
            self._listener.say(f"the picture stands still: {self.viewer.failure}")

    @property
    def _spoken(self) -> str:
        if self.wish.protocol == POSES:
            sealed = "" if self.sealing is None else ", sealed"
            return f"Figures to {math.degrees(self.wish.bound):g} deg{sealed}"
        return f"DIS {self.wish.version}"

    def _reception(self, key: Any, other: _Other, now: float) -> Reception:
        figures = self.exercise.figures
        rate, loss, age, delay = figures.reception(key, now)
        size = figures.bytes_of(key)
        other.rate, other.bytes = (size - other.bytes) / NEWS_PERIOD, size
        numbered = self.wish.protocol == POSES
        return Reception(
            rate, other.rate, loss if numbered else math.nan, age, age + delay, figures.jump(key)
        )

    def _look_for_trouble(self) -> list[str]:
        """Return what is the matter in words; what is new is said once."""
        exercise, traffic = self.exercise, self.port.traffic
        found = {}
        if traffic.refused:
            found["refused"] = f"packets cannot leave to {traffic.refused}"
        if exercise.damaged:
            why, count = exercise.damaged.most_common(1)[0]
            found["damaged"] = f"{sum(exercise.damaged.values())} damaged packets ({why}: {count})"
        if traffic.left_out:
            who, count = traffic.left_out.most_common(1)[0]
            found["flood"] = f"{who} floods the exercise: {count} of its packets were left out"
        if self.sealing is not None and self.sealing.refused:
            why, count = self.sealing.refused.most_common(1)[0]
            total = sum(self.sealing.refused.values())
            found["sealing"] = f"{total} packets are not believed ({why}: {count})"
        if exercise.figures.refused:
            found["many"] = "more figures than can be held: the newest are left out"
        if isinstance(exercise, PoseExercise) and exercise.strangers:
            found["strangers"] = (
                f"{exercise.strangers} packets of figures from other addresses than theirs are left"
                " out"
            )
        if exercise.others:
            found["others"] = "entities that are no humans are heard, and not shown"
        for word, text in found.items():
            if word not in self._troubles:
                self._troubles.add(word)
                self._listener.say(text)
        return list(found.values())
