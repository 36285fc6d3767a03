"""A camera flown in the browser: the session between the page, the pilot and the recorded move.

One thread asks for the newest report, ticks, draws and says what is; nobody else touches the state.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from articulata.analyses.film.pilot import STATES, STEP, Pilot, Tick
from articulata.analyses.film.question import Setting
from articulata.analyses.film.shaping import LOCKS, Shaper
from articulata.analyses.film.steering import MODES
from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array
from articulata.geometry.camera_motion import ROLLS, moved
from articulata.records.film import VERDICTS, CameraMove, CameraPath
from articulata.report.viewer.film.stage import FilmStage
from articulata.report.viewer.film.theatre import Theatre
from articulata.report.viewer.sources import motion_of
from articulata.sessions.film.results import Filmed, filmed

PERIOD: Final = 1.0 / 60.0
MOST: Final = 0.1
"""s: time that a slow machine has lost beyond this is not flown after."""

COLORS: Final = {
    "follows": (46, 158, 91), "rests": (90, 105, 125), "slowed": (224, 168, 0),
    "passes": (123, 97, 209), "brakes": (232, 112, 42), "stopped": (208, 58, 47),
}  # fmt: skip
"""The colour of the picture's edges by what the camera does."""


class FreePilot:
    """A camera that nothing carries: it is where it is wanted."""

    def __init__(self, setting: Setting) -> None:
        self.steering, self._shaper = setting.steering, Shaper(setting.shaping)
        self.X_WC, self.q, self.step = setting.X_WC.copy(), np.zeros(0), STEP

    @property
    def shaping(self) -> Any:
        """How reports become rates."""
        return self._shaper.shaping

    @shaping.setter
    def shaping(self, shaping: Any) -> None:
        self._shaper.shaping = shaping

    def reason(self, code: int) -> str:
        """Return why: nothing is in the way."""
        return ""

    def tick(self, report: Any = None, *, target: Any = None) -> Tick:
        """Move on by one step."""
        rates = self._shaper.rates_of(report, self.step)
        twist = self.steering.twist(rates, self.X_WC, self.step, target=target)
        self.X_WC = moved(self.X_WC, twist[None], self.step)[0]
        return Tick(0 if any(rates) else 4, 0, 1.0, self.q, self.X_WC)


class Flight:
    """Flies ``setting`` in ``theatre`` until it is closed; ``keep`` is what Export calls.

    ``move`` is a recorded one to begin with.
    """

    def __init__(
        self,
        setting: Setting,
        theatre: Theatre,
        *,
        move: CameraMove | None = None,
        keep: Callable[[Filmed], list[Path]] | None = None,
    ) -> None:
        self.setting, self.theatre, self._keep = setting, theatre, keep
        self.pilot: Pilot | FreePilot = self._begun()
        self.made: Filmed | None = None
        self.move = move
        self.message = "; ".join(setting.notes)
        self.doing = "flying"
        self.time = 0.0
        self._left = 0.0
        self._tick: Tick | None = None
        self._reports = 0
        self._taken: list[tuple[Array, int, int]] = []
        self._words: dict[int, str] = {}
        self._spans: list[tuple[int, int, str, str]] = []
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
            self._take_up(self.move)
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

    def tell(self, text: str) -> None:
        """Show a message in the page."""
        self.message = text

    # ---- the loop

    def _run(self) -> None:
        before = time.monotonic()
        try:
            while not self._closing.is_set():
                wishes = self.theatre.wishes.take(max(before + PERIOD - time.monotonic(), 0.0))
                for name, value in wishes.items():
                    self._grant(name, value)
                now = time.monotonic()
                if now - before < PERIOD:
                    continue
                self._go(min(now - before, MOST))
                before = now
                self._draw()
        except BaseException as failure:
            self.failure = failure

    def _grant(self, name: str, value: Any) -> None:
        kind, _, what = name.partition(":")
        try:
            if kind == "report":
                self._report = value
            elif kind == "set":
                self._set(what, value)
            elif what in self._deeds:
                self._deeds[what](self, value)
        except ArticulataError as error:
            self.message = str(error)

    _report: tuple[float, ...] | None = None

    def _go(self, seconds: float) -> None:
        if self.doing in ("flying", "recording"):
            self._left += seconds
            while self._left >= STEP:
                self._left -= STEP
                self._fly()
        elif self.doing in ("playing", "carrying"):
            self.time = self.time + seconds
            if self.time >= self._length:
                self.time, self.doing = self._length, "standing"

    def _fly(self) -> None:
        report, self._report = self._report, None
        if report is not None and self.doing == "flying" and self._taken:
            self._taken = []
        target = self.setting.target
        tick = self._tick = self.pilot.tick(report, target=target)
        if self.doing == "recording":
            self._taken.append((tick.X_WC, tick.state, tick.code))
            if tick.code not in self._words:
                self._words[tick.code] = self.pilot.reason(tick.code)
            self.time = (len(self._taken) - 1) * STEP

    # ---- deeds

    def _begun(self) -> Pilot | FreePilot:
        setting = self.setting
        if setting.carrier is None:
            return FreePilot(setting)
        return Pilot(setting.carrier, setting.q, steering=setting.steering, shaping=setting.shaping)

    def _record(self, _: Any) -> None:
        if self.doing == "recording":
            self._end_recording()
            return
        self._fly_on(None)
        self.doing, self._taken, self.time = "recording", [], 0.0
        self._words.clear()
        self.made, self.move, self._spans, self.message = None, None, [], ""

    def _end_recording(self) -> None:
        self.doing = "flying"
        if len(self._taken) < 2:
            self.message = "nothing was recorded"
            return
        X = np.stack([each[0] for each in self._taken])
        rate = self.setting.question.frames
        count = int((len(X) - 1) * STEP * rate) + 1
        at = np.arange(count) / rate
        if np.allclose(at / STEP, np.rint(at / STEP), atol=1e-6):
            frames = X[np.rint(at / STEP).astype(np.int64)]
        else:
            frames = CameraPath.through(np.arange(len(X)) * STEP, X).at(at)
        states = [self._taken[int(t / STEP + 0.5)] for t in at]
        self._take_up(CameraMove(frames, rate))  # type: ignore[arg-type] # made a fraction there
        self._spans = _spans([(STATES[s], self._words.get(c, "")) for _, s, c in states])
        self.message = f"recorded {count} frames, {self.move.duration:.1f} s" if self.move else ""

    def _take_up(self, move: CameraMove) -> None:
        self.move, self.made, self.time = move, None, 0.0
        self._path = CameraPath.through(move.times, move.X_WC)
        self._spans = [(0, len(move.X_WC) - 1, "rests", "not judged yet")]

    def _judge(self, _: Any) -> None:
        if self.move is None or self.setting.carrier is None:
            return
        self.made = filmed(self.setting, self.move)
        verdict = self.made.verdict
        assert verdict is not None
        self._spans = [(a, b, VERDICTS[state], why) for a, b, state, why in verdict.spans()]
        good = sum(b - a + 1 for a, b, word, _ in self._spans if word == VERDICTS[0])
        slow = self.made.carried
        if slow is None:
            more = f"The robot cannot: {self.made.why}"
        elif slow.times[-1] <= 1.02 * self.move.duration:
            more = "The robot carries it as it is"
        else:
            more = f"Slowed it lasts {slow.times[-1]:.1f} s instead of {self.move.duration:.1f} s"
        self.message = f"{good} of {len(verdict.state)} frames follow. {more}"

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
            self.made = filmed(self.setting, self.move)
        paths = self._keep(self.made)
        self.message = f"{len(paths)} files are in {paths[0].parent}"

    _deeds: Final[dict[str, Callable[..., None]]] = {
        "record": _record, "judge": _judge, "carry": _carry, "play": _play, "seek": _seek,
        "fly": _fly_on, "home": _home, "export": _export,
    }  # fmt: skip

    def _set(self, what: str, to: Any) -> None:
        steering, shaping = self.pilot.steering, self.pilot.shaping
        if what == "mode" and to in MODES:
            self.pilot.steering = replace(steering, mode=to)
        elif what == "roll" and to in ROLLS:
            self.pilot.steering = replace(steering, roll=to)
        elif what == "look" and isinstance(to, bool):
            self.pilot.steering = replace(steering, look=to)
        elif what == "horizon" and isinstance(to, bool):
            self.pilot.steering = replace(steering, horizon=to)
        elif what == "hold" and isinstance(to, bool):
            self.pilot.steering = replace(steering, hold=to)
        elif what == "dominant" and isinstance(to, bool):
            self.pilot.shaping = replace(shaping, dominant=to)
        elif what == "lock" and to in LOCKS:
            self.pilot.shaping = replace(shaping, lock=to)

    # ---- what is shown

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
        place, target = stage.look_on()
        server = self.theatre.server
        server.initial_camera.position = tuple(place)
        server.initial_camera.look_at = tuple(target)
        server.initial_camera.up = still.up

    def _draw(self) -> None:
        posture, X_WC = self._shown()
        word, why = self._said()
        self.theatre.stage.draw(posture, X_WC, COLORS.get(word, (120, 120, 120)))
        with contextlib.suppress(RuntimeError):  # the server may be closing
            self.theatre.server.flush()
        self.theatre.say(self._state(word, why))
        self.pictures += 1

    def _said(self) -> tuple[str, str]:
        tick = self._tick
        if self.doing in ("flying", "recording"):
            if tick is None:
                return "rests", ""
            return STATES[tick.state], self.pilot.reason(tick.code)
        if self.move is None:
            return "rests", ""
        at = self.time
        if self.doing == "carrying" and self.made is not None and self.made.carried is not None:
            carried = self.made.carried
            at = float(np.interp(self.time, carried.times, carried.path_times))
        k = min(round(at * float(self.move.rate)), len(self.move.X_WC) - 1)
        return next(((word, why) for a, b, word, why in self._spans if a <= k <= b), ("rests", ""))

    def _state(self, word: str, why: str) -> dict[str, Any]:
        steering, shaping = self.pilot.steering, self.pilot.shaping
        move = self.move
        spans, frames, duration, at = self._spans, 0, 0.0, self.time
        if self.doing == "recording":
            rows = [(STATES[s], self._words.get(c, "")) for _, s, c in self._taken[::10]]
            spans, frames, duration = _spans(rows), len(rows), self.time
        elif move is not None:
            frames, duration = len(move.X_WC), move.duration
            if self.doing == "carrying" and self.made is not None and self.made.carried is not None:
                carried = self.made.carried
                at = float(np.interp(self.time, carried.times, carried.path_times))
        rate = float(self.setting.question.frames if move is None else move.rate)
        frame = (0 if move is None else move.first) + round(at * rate)
        clock = f"{self.time:.2f} s, frame {frame} at {rate:g}/s" if duration else ""
        return {
            "state": word, "why": why, "message": self.message, "doing": self.doing,
            "clock": clock, "time": at, "duration": duration, "frames": frames,
            "first": 0 if move is None else move.first, "spans": spans,
            "mode": steering.mode, "roll": steering.roll, "look": steering.look,
            "horizon": steering.horizon, "hold": steering.hold, "dominant": shaping.dominant,
            "lock": shaping.lock, "target": self.setting.target is not None,
            "robot": self.setting.carrier is not None,
            "q": [round(x, 6) for x in self.pilot.q.tolist()], "pictures": self.pictures,
        }  # fmt: skip


def _spans(rows: list[tuple[str, str]]) -> list[tuple[int, int, str, str]]:
    """Return runs of equal rows: first, last, word, why."""
    found: list[tuple[int, int, str, str]] = []
    for k, (word, why) in enumerate(rows):
        if found and found[-1][2:] == (word, why):
            found[-1] = (found[-1][0], k, word, why)
        else:
            found.append((k, k, word, why))
    return found
