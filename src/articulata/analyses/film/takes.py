"""A flight, tick by tick: what is flown live, and what a recorded device flies again."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from articulata.analyses.film.free_pilot import FreePilot
from articulata.analyses.film.pilot import STATES, Tick
from articulata.analyses.film.steering import Steering
from articulata.geometry.arrays import Array
from articulata.kernels.chains.camera_control.carried_frames import CLASH, KIND
from articulata.records.camera_moves import OPTICS, CameraMove, CameraPath
from articulata.records.samples import DeviceReports

if TYPE_CHECKING:
    from articulata.analyses.film.film_question import Setting

REST = 3.0
"""s after the last report within which a flight that is flown again has come to rest."""

Span = tuple[int, int, str, str]
"""A run of equal frames: the first, the last, what became of them, and why."""


class Flier(Protocol):
    """What a device's reports move: an arm's pilot, or a camera that nothing carries."""

    steering: Steering
    step: float

    @property
    def q(self) -> Array:
        """Joint values (dof,)."""
        ...

    @property
    def X_WC(self) -> Array:
        """The camera's pose (4, 4)."""
        ...

    def reason(self, code: int) -> str:
        """Return why, for the code of the latest tick."""
        ...

    def tick(
        self,
        report: Sequence[float] | None = None,
        *,
        target: Sequence[float] | None = None,
        velocity: Sequence[float] = (0.0, 0.0, 0.0),
    ) -> Tick:
        """Move on by one step."""
        ...


class Take:
    """The ticks of a flight as they come, ``step`` s apart."""

    def __init__(self, step: float) -> None:
        self.step = step
        self._ticks: list[Tick] = []
        self._whys: list[str] = []
        self._said: list[tuple[float, Sequence[float]]] = []
        self._optics: list[tuple[float, float, float]] = []

    def __len__(self) -> int:
        return len(self._ticks)

    def __repr__(self) -> str:
        states = Counter(STATES[tick.state] for tick in self._ticks)
        told = ", ".join(f"{count} {word}" for word, count in states.most_common())
        return f"Take: {self.duration:.4g} s, {len(self)} ticks" + (f" ({told})" if told else "")

    def _repr_html_(self) -> str | None:
        """Return the camera's way as one piece of HTML; None, so the line, of less than 2 ticks."""
        if len(self) < 2:
            return None
        return f"<p><b>{escape(repr(self))}</b></p>{self.move(1.0 / self.step)._repr_html_()}"

    @property
    def duration(self) -> float:
        """From the first tick to the last, s."""
        return max(len(self._ticks) - 1, 0) * self.step

    @property
    def q(self) -> Array:
        """The joint values (n, dof)."""
        return np.array([tick.q for tick in self._ticks])

    @property
    def X_WC(self) -> Array:
        """The camera's poses (n, 4, 4)."""
        return np.array([tick.X_WC for tick in self._ticks])

    @property
    def words(self) -> list[tuple[str, str]]:
        """What became of each tick, and why."""
        return [
            (STATES[tick.state], why) for tick, why in zip(self._ticks, self._whys, strict=True)
        ]

    @property
    def reports(self) -> DeviceReports | None:
        """What the device has said, None where it has said nothing."""
        if not self._said:
            return None
        return DeviceReports(
            np.array([t for t, _ in self._said]),
            np.clip([report for _, report in self._said], -1.0, 1.0),
        )

    def note(
        self,
        flier: Flier,
        tick: Tick,
        report: Sequence[float] | None = None,
        *,
        optics: tuple[float, float, float] | None = None,
    ) -> None:
        """Take down a tick of ``flier``, and the ``report`` that it was made with.

        ``optics`` are focal length (m), distance of focus (m) and f-number, of all ticks or none.
        """
        if optics is not None:
            self._optics.append(optics)
        if report is not None:
            self._said.append((len(self._ticks) * self.step, report))
        same = bool(self._ticks) and self._ticks[-1].code == tick.code
        # what would be struck may change while the code is the same
        if same and tick.code // KIND != CLASH:
            self._whys.append(self._whys[-1])
        else:
            self._whys.append(flier.reason(tick.code))
        self._ticks.append(tick)

    def move(self, rate: float) -> CameraMove:
        """Return the camera's move at ``rate`` frames/s; a take has two ticks or more."""
        X, at = self.X_WC, self._instants(rate)
        if np.allclose(at / self.step, np.rint(at / self.step), atol=1e-6):
            frames = X[np.rint(at / self.step).astype(np.int64)]
        else:
            frames = self.path.at(at)
        optics: dict[str, Array] = {}
        if len(self._optics) == len(X):
            ticks = np.arange(len(X)) * self.step
            channels = zip(OPTICS, np.array(self._optics).T, strict=True)
            optics = {name: np.interp(at, ticks, channel) for name, channel in channels}
        return CameraMove(frames, rate, 0, optics)  # type: ignore[arg-type] # made a fraction there

    @property
    def path(self) -> CameraPath:
        """The curve that the camera went, tick by tick."""
        return CameraPath.through(np.arange(len(self)) * self.step, self.X_WC)

    def spans(self, rate: float, every: int = 1) -> list[Span]:
        """Return runs of frames at ``rate`` of which the same was said, looked at every so many.

        Of a wrist that was passed the greatest angle is said by which the view was off.
        """
        at = (self._instants(rate) / self.step + 0.5).astype(np.int64)[::every]
        words = self.words
        found = spans([words[k] for k in at.tolist()])
        told = []
        for first, last, word, why in found:
            off = max(t.off for t in self._ticks[at[first] : at[last] + 1])
            told.append((first, last, word, f"{why}, {_degrees(off)} off" if off > 0.0 else why))
        return told

    def _instants(self, rate: float) -> Array:
        return np.arange(int(self.duration * float(rate) + 1e-9) + 1) / float(rate)


def fly(
    flier: Flier,
    reports: DeviceReports,
    *,
    setting: Setting | None = None,
    rest: float = REST,
    progress: Any = None,
) -> Take:
    """Return what ``flier`` makes of recorded ``reports``: each tick takes the newest one.

    The flight ends when nothing more is said and the camera rests, at most ``rest`` s after the
    last report. Of ``setting`` is what is looked at, and what the camera is on.
    """
    step = flier.step
    take = Take(step)
    last = math.ceil(reports.duration / step)
    most = last + math.ceil(rest / step)
    seen = 0
    for k in range(most + 1):
        known = reports.known(k * step + 1e-9)
        report = tuple(reports.axes[known - 1].tolist()) if known > seen else None
        seen = known
        tick = ticked(flier, report, setting, (k + 1) * step)
        take.note(flier, tick, report)
        if progress is not None and k % 250 == 0:
            progress(k, most)
        if k > last and STATES[tick.state] == "rests":
            break
    return take


def ticked(flier: Flier, report: Sequence[float] | None, setting: Setting | None, t: float) -> Tick:
    """Return a tick of ``flier`` while what moves in its ``setting`` is where it is at ``t`` s."""
    if setting is None:
        return flier.tick(report)
    if isinstance(flier, FreePilot):
        flier.ride(setting.stand(t))
    target, velocity = setting.sight(t)
    return flier.tick(report, target=target, velocity=velocity)


def spans(rows: Sequence[tuple[str, str]]) -> list[Span]:
    """Return runs of equal rows: first, last, word, why."""
    found: list[Span] = []
    for k, (word, why) in enumerate(rows):
        if found and found[-1][2:] == (word, why):
            found[-1] = (found[-1][0], k, word, why)
        else:
            found.append((k, k, word, why))
    return found


def _degrees(angle: float) -> str:
    return f"{math.degrees(angle):.2g} deg"
