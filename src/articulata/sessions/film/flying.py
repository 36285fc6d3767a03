"""A camera flown in the browser: the session between the page, the pilot and the recorded move.

One thread asks for the newest report, ticks, draws and says what is; nobody else touches the state.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from articulata.analyses.film.boundaries import boundaries
from articulata.analyses.film.film_question import Setting
from articulata.analyses.film.free_pilot import FreePilot
from articulata.analyses.film.optics import Optics
from articulata.analyses.film.pilot import STATES, STEP, STOPPED, Pilot, Tick, start_at
from articulata.analyses.film.posture_changes import OtherPosture, other_postures
from articulata.analyses.film.reasons import stays
from articulata.analyses.film.steering import NEAREST, led_to
from articulata.analyses.film.takes import Span, Take, ticked
from articulata.errors import ArticulataError, KinematicsError, WorldError
from articulata.geometry.arrays import Array
from articulata.geometry.camera import Lens
from articulata.records.camera_moves import OPTICS, VERDICTS, CameraMove, CameraPath
from articulata.report.viewer.motion_sources import motion_of
from articulata.report.viewer.serving import look_from
from articulata.report.viewer.theatre import FilmStage, Theatre
from articulata.sessions.film.page_state import outcome, page_state, set_by_page
from articulata.sessions.film.results import Filmed, filmed, moving
from articulata.sessions.film.robot_loop import FollowedFlight

PERIOD: Final = 1.0 / 60.0
SLOWEST: Final = 1.0 / 25.0
"""s between two states that are drawn: where the page draws fast, and at most."""

MOST: Final = 0.1
"""s: time that a slow machine has lost beyond this is not flown after."""

COLORS: Final = {
    "follows": (46, 158, 91), "rests": (90, 105, 125), "slowed": (224, 168, 0),
    "passes": (123, 97, 209), "brakes": (232, 112, 42), "stopped": (208, 58, 47),
    "changes": (31, 111, 235),
}  # fmt: skip
"""The colour of the picture's edges by what the camera does."""


_BEHIND: Final = np.array((0.0, 0.05, 0.17))
"""Where the third person stands behind the camera: shares of the scene's size, in its axes."""
_WIDE: Final = Lens(0.024)


RESTING: Final = 1e-9
"""rad/s, m/s: an arm that is as slow rests."""

LEAPS: Final = ("play", "seek", "carry", "home", "fly")
"""Deeds that show the camera elsewhere: not while a robot follows."""

RECORDED: Final = "recorded"
"""What is said of a move that nobody has judged."""


class Flight:
    """Flies ``setting`` in ``theatre`` until it is closed; ``keep`` is what Export calls.

    ``move`` is a recorded one to begin with: the camera starts at its first frame, where the robot
    can hold it there.
    """

    def __init__(
        self,
        setting: Setting,
        theatre: Theatre,
        *,
        move: CameraMove | None = None,
        keep: Callable[[Filmed, Take | None], list[Path]] | None = None,
    ) -> None:
        self.setting, self.theatre, self._keep = setting, theatre, keep
        self._first = None if move is None else move.X_WC[0]
        self.time = self.scene = 0.0
        self.pilot: Pilot | FreePilot = self._begun()
        self.made: Filmed | None = None
        self.move = move
        self.optics = Optics(setting.camera.lens, self._away(setting.X_WC))
        self.eye = 0
        self.message = "; ".join(setting.notes)
        self.doing = "flying"
        self.follow_view, self.share = False, 1.0
        self._left, self._period = 0.0, PERIOD
        self.led = False
        self.offer: OtherPosture | None = None
        self.served: Callable[[], str] = lambda: ""
        self._lock = threading.RLock()
        self._tick: Tick | None = None
        self.take: Take | None = None
        self.spans: list[Span] = []
        self._path: CameraPath | None = None
        self._closing = threading.Event()
        self.failure: BaseException | None = None
        self.pictures = 0
        self._thread = threading.Thread(target=self._run, name="flight", daemon=True)

    def start(self) -> None:
        """Put up the scene and begin."""
        self._show(self.theatre.stage)
        self.pilot.tick()  # what has to be compiled is compiled before anybody flies
        self.pilot = self._begun()
        if self.move is not None:
            self.take_up(self.move)
        self._thread.start()

    def close(self) -> None:
        """End the flight."""
        self._closing.set()
        self._thread.join(timeout=5)

    def wait(self) -> None:
        """Return when the flight is closed from elsewhere or the user presses Ctrl-C."""
        try:
            while not self._closing.wait(0.2):
                if self.failure is not None:
                    raise self.failure
        except KeyboardInterrupt:
            self.close()

    def lead(self) -> FollowedFlight:
        """Return what a robot's controller asks: it leads the flight from now on.

        The flight goes on by the robot's questions alone, and waits where there are none.
        """
        if not isinstance(self.pilot, Pilot):
            raise WorldError("no robot carries this camera: there is no controller that follows")

        def tick() -> Array:
            with self._lock:
                self._fly()
                return self.pilot.q

        with self._lock:
            self.doing, self.led = "flying", True
        return FollowedFlight(tick, self.pilot.q, STEP)

    def tell(self, text: str) -> None:
        """Show a message in the page."""
        self.message = text

    # ---- the loop

    def _run(self) -> None:
        before = time.monotonic()
        try:
            while not self._closing.is_set():
                due = before + self._period
                wishes = self.theatre.wishes.take(max(due - time.monotonic(), 0.0))
                with self._lock:
                    for name, value in wishes.items():
                        self._grant(name, value)
                now = time.monotonic()
                if now - before < self._period:
                    continue
                with self._lock:
                    self._go(min(now - before, MOST))
                before = now
                self._draw()
        except BaseException as failure:
            self.failure = failure
            self.theatre.fail(failure)

    def _grant(self, name: str, value: Any) -> None:
        kind, _, what = name.partition(":")
        try:
            if kind == "report":
                self._report = value
            elif kind == "set":
                set_by_page(self, what, value)
            elif self.led and what in LEAPS:
                self.message = "a robot follows this flight, and does not leap: fly there"
            elif what in self._deeds:
                self._deeds[what](self, value)
        except ArticulataError as error:
            self.message = str(error)

    _report: tuple[float, ...] | None = None

    def _go(self, seconds: float) -> None:
        if self.doing in ("flying", "recording"):
            if self.led:
                return
            self._left += seconds
            while self._left >= STEP:
                self._left -= STEP
                self._fly()
        elif self.doing in ("playing", "carrying"):
            self.time += seconds * (self.share if self.doing == "carrying" else 1.0)
            if self.time >= self._length:
                self.time, self.doing = self._length, "standing"

    def _fly(self) -> None:
        report, self._report = self._report, None
        self.scene += STEP
        goal = self.theatre.stage.main_view() if self.follow_view else None
        if goal is None:
            tick = ticked(self.pilot, report, self.setting, self.scene)
        else:
            shaping = self.pilot.shaping
            there = led_to(self.pilot.X_WC, goal, speed=shaping.speed, turn=shaping.turn)
            tick = self.pilot.go(there)
        self._tick = tick
        away = self._away(tick.X_WC)
        inside = max(self.setting.question.body or (NEAREST,))
        if away is not None and away < inside and self.pilot.steering.look:
            self.message = "what is looked at is inside the camera: it keeps its view"
        optics = self.optics.step(STEP, away)
        if self.doing == "recording":
            assert self.take is not None
            self.take.note(self.pilot, tick, report, optics=optics)
            self.time = self.take.duration

    # ---- deeds

    def _begun(self) -> Pilot | FreePilot:
        setting, first = self.setting, self._first
        if setting.carrier is None:
            free = FreePilot(setting)
            free.X_WC = free.X_WC if first is None else first.copy()
            return free
        q = setting.q
        if first is not None:
            with suppress(KinematicsError):
                q = start_at(setting.carrier, first, q)
        return Pilot(setting.carrier, q, steering=setting.steering, shaping=setting.shaping)

    def _record(self, _: Any) -> None:
        if self.doing == "recording":
            self._end_recording()
            return
        self._fly_on(None)
        self.doing, self.take, self.time, self.scene = "recording", Take(STEP), 0.0, 0.0
        self.made, self.move, self.spans, self.message = None, None, [], ""

    def _end_recording(self) -> None:
        self.doing = "flying"
        take = self.take
        if take is None or len(take) < 2:
            self.message = "nothing was recorded"
            return
        rate = self.setting.question.frames
        move = take.move(rate)
        self.message = f"recorded {len(move.X_WC)} frames, {move.duration:.1f} s"
        self.take_up(move, take)

    def take_up(self, move: CameraMove, take: Take | None = None) -> None:
        """Show ``move``, not judged yet; ``take`` is the flight that it was recorded of."""
        self._path = CameraPath.through(move.times, move.X_WC)
        self.spans = [(0, len(move.X_WC) - 1, RECORDED, "not judged yet")]
        if take is not None:
            self.spans = take.spans(float(move.rate))
        self.made, self.take, self.time = None, take, 0.0
        self.move = move  # last: whoever sees it sees the rest

    def _judge(self, _: Any) -> None:
        if self.move is None or self.setting.carrier is None:
            return
        self.made = filmed(self.setting, self.move, self.take)
        verdict = self.made.verdict
        assert verdict is not None
        self.spans = [(a, b, VERDICTS[state], why) for a, b, state, why in verdict.spans()]
        self.message = outcome(self.made, self.spans)

    def _carry(self, _: Any) -> None:
        if self.made is None:
            self._judge(None)
        if self.made is not None and self.made.carried is not None:
            self.doing, self.time = "carrying", 0.0

    def _play(self, _: Any) -> None:
        if self.doing == "playing":
            self.doing = "standing"
        elif self.move is not None:
            if self.time >= self._length or self.doing != "standing":
                self.time = 0.0
            self.doing = "playing"

    def _seek(self, to: Any) -> None:
        if self.move is None or not isinstance(to, int | float):
            return
        if self.doing != "carrying":
            self.doing = "standing"
        self.time = min(max(float(to), 0.0), self._length)

    def _fly_on(self, _: Any) -> None:
        """Fly from where the camera is shown, where the robot can begin there."""
        if self.doing in ("flying", "recording"):
            return
        if isinstance(self.pilot, Pilot) and self.setting.carrier is not None:
            q = self._shown_q()
            if q is not None:
                steering, shaping = self.pilot.steering, self.pilot.shaping
                self.pilot = Pilot(self.setting.carrier, q, steering=steering, shaping=shaping)
        elif isinstance(self.pilot, FreePilot):
            self.pilot.X_WC = self._shown()[1]
        self.doing, self._left = "flying", 0.0

    def _home(self, _: Any) -> None:
        steering, shaping = self.pilot.steering, self.pilot.shaping
        self.pilot = self._begun()
        self.pilot.steering, self.pilot.shaping = steering, shaping
        self.doing, self._left, self._tick = "flying", 0.0, None

    def _export(self, _: Any) -> None:
        if self.move is None:
            self.message = "record a move first"
            return
        if self._keep is None:
            self.message = "there is no folder to export to"
            return
        if self.made is None:
            self.made = filmed(self.setting, self.move, self.take)
        paths = self._keep(self.made, self.take)
        self.message = f"{len(paths)} files are in {paths[0].parent}"

    def _posture(self, _: Any) -> None:
        """Lead the arm to the posture that is offered, else to the nearest that holds the view."""
        pilot = self.pilot
        if not isinstance(pilot, Pilot) or self.doing not in ("flying", "recording"):
            return
        found = self.offer or next(iter(other_postures(pilot.carrier, pilot.q)), None)
        if found is None:
            self.message = "no other posture of the arm holds this view"
            return
        pilot.change(found.q)
        self.offer, self.message = None, f"the arm changes to {found.label}"

    _deeds: Final[dict[str, Callable[..., None]]] = {
        "record": _record, "judge": _judge, "carry": _carry, "play": _play, "seek": _seek,
        "fly": _fly_on, "home": _home, "export": _export,
        "posture": _posture,
    }  # fmt: skip

    def draw_less(self, pictures: float) -> None:
        """Send no more than a page draws: so many ``pictures`` a second."""
        self._period = min(max(PERIOD, 0.6 / max(pictures, 1.0)), SLOWEST)

    # ---- what is shown

    def _away(self, X_WC: Array) -> float | None:
        target = self.setting.sight(self.scene)[0]
        return None if target is None else math.dist(target, X_WC[:3, 3].tolist())

    def aimed(self, X_WC: Array) -> float | None:
        """Return by what angle (rad) the camera looks beside what it is to look at."""
        target, away = self.setting.sight(self._scene_time)[0], self._away(X_WC)
        if target is None or away is None or away < NEAREST:
            return None
        to = X_WC[:3, :3].T @ (np.asarray(target) - X_WC[:3, 3])
        return math.atan2(math.hypot(to[0], to[1]), -to[2])

    @property
    def _scene_time(self) -> float:
        """Return the time of what moves meanwhile, s: of a move that is shown, its own."""
        return self.scene if self.doing in ("flying", "recording") else self.path_time()

    @property
    def eyes(self) -> list[str]:
        """Whose pictures can be chosen."""
        return ["the camera", "third person", *(view.name for view in self.setting.views)]

    def _eye(self, posture: Array | None, X_WC: Array, lens: Lens) -> tuple[Array, Lens]:
        """Return whose picture is shown: a pose and its lens."""
        if self.eye == 0:
            return X_WC, lens
        if self.eye == 1:
            behind = X_WC.copy()
            behind[:3, 3] += X_WC[:3, :3] @ (_BEHIND * self.theatre.stage.size)
            return behind, _WIDE
        view = self.setting.views[self.eye - 2]
        carrier = self.setting.carrier
        figure = None if carrier is None else carrier.figure
        scale, scenery = self.setting.question.scale, self.setting.scenery
        return view.view(figure, posture, scale, scenery, self._scene_time), view.camera.lens

    def shown_optics(self) -> tuple[float, float, float]:
        """Return focal length (m), distance of focus (m) and f-number that are shown."""
        move, now = self.move, self.optics.now
        if self.doing in ("flying", "recording") or move is None:
            return now
        at, known = self.path_time(), move.optics
        focal, focus, iris = (
            float(np.interp(at, move.times, known[name])) if name in known else value
            for name, value in zip(OPTICS, now, strict=True)
        )
        return focal, focus, iris

    def path_time(self) -> float:
        """Return where on the move the time line stands, s."""
        carried = None if self.made is None else self.made.carried
        if self.doing == "carrying" and carried is not None:
            return float(np.interp(self.time, carried.times, carried.path_times))
        return self.time

    @property
    def _length(self) -> float:
        if self.doing == "carrying" and self.made is not None and self.made.carried is not None:
            return float(self.made.carried.times[-1])
        return 0.0 if self.move is None else self.move.duration

    def _shown_q(self) -> Array | None:
        """Return the joint values that are shown while a move is, None where there are none."""
        made = self.made
        if made is None or made.carried is None:
            return None
        carried = made.carried
        at = self.time if self.doing == "carrying" else self._carried_time()
        k = min(int(at / (carried.times[1] - carried.times[0])), len(carried.times) - 1)
        return np.asarray(carried.q[k])

    def _carried_time(self) -> float:
        made = self.made
        assert made is not None
        assert made.carried is not None
        return float(np.interp(self.time, made.carried.path_times, made.carried.times))

    def _shown(self) -> tuple[Array | None, Array]:
        setting = self.setting
        if self.doing in ("flying", "recording"):
            q, X = self.pilot.q, self.pilot.X_WC
        else:
            found = self._shown_q()
            q = self.pilot.q if found is None else found
            assert self._path is not None
            X = self._path.at(self.time)[0]
            if self.doing == "carrying" and setting.carrier is not None:
                X = setting.carrier.view(q)
        if setting.carrier is None:
            return None, X
        return setting.carrier.posture(q, setting.rest), X

    def _show(self, stage: FilmStage) -> None:
        setting = self.setting
        motion = motion_of(setting.world)
        if setting.scenery is not None:
            motion = moving(motion, setting.scenery)
        mine: set[str] = set()
        if setting.carrier is not None:
            mine = set(setting.world.figures[setting.robot].carriers)
        kept = [k for k, look in enumerate(motion.looks) if look.id not in mine]
        still = replace(
            motion, looks=tuple(motion.looks[k] for k in kept), poses=motion.poses[:, kept]
        )
        figure = None if setting.carrier is None else setting.carrier.figure
        question = setting.question
        stage.show(still, figure, question.scale, question.camera.lens, question.body)
        if setting.carrier is not None:
            stage.bound(boundaries(setting.carrier))
        look_from(self.theatre.server, *stage.look_on(), still.up, now=False)

    def _look_for_postures(self) -> None:
        """Offer the nearest posture from which a wish goes on that has come to an end."""
        tick, pilot = self._tick, self.pilot
        flying = self.doing in ("flying", "recording")
        stopped = tick is not None and tick.state == STOPPED and stays(tick.code)
        if not (flying and stopped and isinstance(pilot, Pilot)):
            self.offer = None
        elif self.offer is None and np.abs(pilot.rates).max() <= RESTING:
            self.offer = next(iter(pilot.other_postures()), None)

    def _draw(self) -> None:
        with self._lock:
            self._look_for_postures()
            posture, X_WC = self._shown()
            word, why = self._said()
            state = page_state(self, word, why, X_WC)
        focal = self.shown_optics()[0]
        lens = replace(self.setting.camera.lens, focal_length=focal)
        color, eye = COLORS.get(word, (120, 120, 120)), self._eye(posture, X_WC, lens)
        self.pictures += self.theatre.stage.draw(posture, X_WC, color, lens, eye, self._scene_time)
        self.theatre.say({**state, "pictures": self.pictures})

    def _said(self) -> tuple[str, str]:
        tick = self._tick
        if self.doing in ("flying", "recording"):
            if tick is None:
                return "rests", ""
            return STATES[tick.state], self.pilot.reason(tick.code)
        if self.move is None:
            return "rests", ""
        k = min(round(self.path_time() * float(self.move.rate)), len(self.move.X_WC) - 1)
        return next(((word, why) for a, b, word, why in self.spans if a <= k <= b), (RECORDED, ""))
