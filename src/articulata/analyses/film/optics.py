"""Zoom, focus and iris of a camera that is flown: what is wished comes through smoothly."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from articulata.errors import GeometryError
from articulata.geometry.camera import Lens, sharp_range

ZOOM: Final = (0.4, 5.0)
"""A zoom's shortest and longest focal length as shares of that of the text's lens."""

IRIS: Final = (1.0, 32.0)
FARTHEST: Final = 1e4
"""m: what is in focus at this is so at any distance."""

_FOCUS, _IRIS = 3.0, 4.0
_TIME: Final = 0.25
"""s in which a wish comes through to 63 %."""


class Optics:
    """A lens over time: ``wish`` sets what is wanted, ``step`` moves on towards it.

    Focus follows what is looked at where there is such, until a distance is set.
    """

    def __init__(self, lens: Lens, away: float | None = None) -> None:
        self._first = lens
        self.lens, self.iris = lens, _IRIS
        self.follow = away is not None
        self.focus = self._sharp(_FOCUS if away is None else away)
        self._wanted = {"focal": lens.focal_length, "focus": self.focus, "iris": self.iris}

    @property
    def now(self) -> tuple[float, float, float]:
        """Focal length (m), distance of focus (m), f-number."""
        return self.lens.focal_length, self.focus, self.iris

    @property
    def range(self) -> tuple[float, float]:
        """The nearest and the farthest focal length, m."""
        return ZOOM[0] * self._first.focal_length, ZOOM[1] * self._first.focal_length

    def wish(self, what: str, to: float) -> None:
        """Want a "focal" length (m), a distance of "focus" (m; 0 follows) or an "iris"."""
        if not math.isfinite(to):
            raise GeometryError(f"{what} is a finite number, not {to}")
        if what == "focal":
            low, high = self.range
            if not low - 1e-9 <= to <= high + 1e-9:
                raise GeometryError(
                    f"this lens zooms from {1e3 * low:.3g} to {1e3 * high:.3g} mm, not to "
                    f"{1e3 * to:.3g} mm"
                )
            self._wanted[what] = min(max(to, low), high)
        elif what == "focus":
            self.follow = to == 0.0
            if not self.follow:
                self._wanted[what] = self._sharp(to)
        elif what == "iris":
            if not IRIS[0] <= to <= IRIS[1]:
                raise GeometryError(f"an iris is from f/{IRIS[0]:g} to f/{IRIS[1]:g}, not f/{to:g}")
            self._wanted[what] = to

    def step(self, seconds: float, away: float | None) -> tuple[float, float, float]:
        """Move on by ``seconds``; ``away`` (m) is the distance of what is looked at, if any."""
        if self.follow and away is not None:
            self._wanted["focus"] = self._sharp(away)
        part = 1.0 - math.exp(-seconds / _TIME)
        focal, focus, iris = (
            # lens and eye go by ratios, not by differences
            _toward(now, self._wanted[what], part)
            for what, now in zip(("focal", "focus", "iris"), self.now, strict=True)
        )
        if focal != self.lens.focal_length:
            self.lens = replace(self.lens, focal_length=focal)
        self.focus, self.iris = focus, iris
        return self.now

    def sharp(self) -> tuple[float, float]:
        """Return the nearest and the farthest distance (m) that look sharp now."""
        return sharp_range(self.lens, max(self.focus, 1.01 * self.lens.focal_length), self.iris)

    def _sharp(self, distance: float) -> float:
        """Return a distance that a lens can focus at."""
        return min(max(distance, 2.0 * self._first.focal_length * ZOOM[1]), FARTHEST)


def _toward(now: float, wanted: float, part: float) -> float:
    if abs(now - wanted) <= 1e-6 * wanted:
        return wanted
    return now * math.pow(wanted / now, part)
