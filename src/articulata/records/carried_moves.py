"""Camera moves as an arm carries them: joint values at even instants."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from articulata.geometry.arrays import Array
from articulata.records.data_frames import OF_POSES, Labelled, Tabular, Variable, poses


@dataclass(frozen=True, slots=True, eq=False)
class CarriedMove(Tabular):
    """A move as an arm carries it: joint values (m, dof) at ``times`` (m,) s, evenly.

    ``path_times`` (m,) s is where on the move each instant is: slower where it rises by less than
    the time. ``X_WC`` (m, 4, 4) is where the camera is.
    """

    joints: tuple[str, ...]
    times: Array
    q: Array
    path_times: Array
    X_WC: Array

    def __repr__(self) -> str:
        return (
            f"CarriedMove: {len(self.times)} instants, {self.times[-1]:.4g} s, "
            f"{len(self.joints)} joints"
        )

    def _labelled(self) -> Labelled:
        by = ("time", "joint")
        return Labelled(
            "time",
            {"time": self.times, "joint": self.joints, **OF_POSES},
            {
                "path_time": Variable(("time",), self.path_times, "s"),
                "q": Variable(by, self.q, "rad, m", self.joints),
                "rate": Variable(by, self.rates, "rad/s, m/s"),
                **poses("time", self.X_WC),
            },
        )

    @property
    def rates(self) -> Array:
        """Rates of the joints (m, dof): 0 at both ends."""
        rates = self._spline(1)
        rates[[0, -1]] = 0.0  # the spline's own are 1e-19, and a controller may ask for nothing
        return rates

    @property
    def accelerations(self) -> Array:
        """Accelerations of the joints (m, dof)."""
        return self._spline(2)

    def _spline(self, order: int) -> Array:
        """Return a derivative of the cubic spline through ``q`` that rests at both ends.

        Controllers that interpolate by cubics between joint values and rates, or by quintics
        between these and accelerations, go on this spline.
        """
        from scipy.interpolate import CubicSpline

        if len(self.times) < 2:
            return np.zeros_like(self.q)
        spline = CubicSpline(self.times, self.q, bc_type="clamped")
        return np.asarray(spline(self.times, order))

    @property
    def slowest(self) -> float:
        """The least share of the move's own speed, where it is neither started nor ended."""
        if len(self.times) < 3:
            return 1.0
        share = np.diff(self.path_times) / np.diff(self.times)
        ends = int(0.1 * len(share))
        return float(share[ends : len(share) - ends].min())
