"""Camera moves as an arm carries them: joint values at even instants, and controllers' replays."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array
from articulata.records.data_frames import OF_POSES, Labelled, Tabular, Variable, poses


@dataclass(frozen=True, slots=True, eq=False)
class CarriedMove(Tabular):
    """A move as an arm carries it: joint values (m, dof) at ``times`` (m,) s, evenly.

    ``path_times`` (m,) s is where on the move each instant is: slower where it rises by less than
    the time. ``X_WC`` (m, 4, 4) is where the camera is. ``units`` (rad, m) are those of the joints.
    """

    joints: tuple[str, ...]
    times: Array
    q: Array
    path_times: Array
    X_WC: Array
    units: tuple[str, ...] = ()

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
                "q": Variable(by, self.q, "rad, m", self.joints, self.units),
                "rate": Variable(
                    by, self.rates, "rad/s, m/s", units=tuple(f"{each}/s" for each in self.units)
                ),
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


TOLERANCE = 1e-9
"""Share by which rounding may pass a limit."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A trajectory as a controller replays it by ``scheme``: linear, cubic or quintic.

    ``speed`` and ``acceleration`` are the greatest shares of limits, 0 where none is known and inf
    where a speed jumps; ``joints`` name whose they are, "" where none is known. ``beyond`` is how
    far outside its ends a joint comes, rad or m, 0 where none does. ``jump`` is the share of
    acceleration that the jumps of speed would take over the time between two points.
    """

    scheme: str
    speed: float
    acceleration: float
    joints: tuple[str, str]
    beyond: float = 0.0
    jump: float = 0.0

    @property
    def keeps(self) -> bool:
        """Whether ends, speeds and accelerations are kept."""
        return self.beyond == 0.0 and max(self.speed, self.acceleration) <= 1.0 + TOLERANCE

    def __str__(self) -> str:
        told = []
        if self.beyond > 0.0:
            told.append(f"leaves the ends of a joint by {self.beyond:.3g} (rad, m)")
        if self.speed > 1.0 + TOLERANCE:
            told.append(f"passes the speed of {self.joints[0]}: {self.speed:.4g} times its limit")
        if math.isinf(self.acceleration):
            told.append(
                "keeps no limit of acceleration: speeds jump at each point (over the time between "
                f"two points that is {self.jump:.3g} of the limit)"
            )
        elif self.acceleration > 1.0 + TOLERANCE:
            share = f"{self.acceleration:.4g} times its limit"
            told.append(f"passes the acceleration of {self.joints[1]}: {share}")
        if not told:
            told = [self._kept()]
        return f"{self.scheme} interpolation {'; '.join(told)}"

    def _kept(self) -> str:
        shares = {"speed": self.speed, "acceleration": self.acceleration}
        limited = {what for what, joint in zip(shares, self.joints, strict=True) if joint}
        known = [f"{shares[what]:.3g} of those of {what}" for what in shares if what in limited]
        lacking = [what for what in shares if what not in limited]
        return (
            "keeps all limits"
            + f": at most {' and '.join(known)}" * bool(known)
            + f"; no limit of {' or '.join(lacking)} is known" * bool(lacking)
        )

    def plain(self) -> dict[str, Any]:
        """Return it as JSON takes it; an infinite share is null."""
        made = asdict(self) | {"joints": list(self.joints), "keeps": self.keeps}
        return {key: None if each == math.inf else each for key, each in made.items()}


def replayed_of(plain: Mapping[str, Any]) -> Replayed:
    """Return what ``Replayed.plain`` made ``plain`` of."""
    share = plain["acceleration"]
    return Replayed(
        plain["scheme"],
        plain["speed"],
        math.inf if share is None else share,
        (plain["joints"][0], plain["joints"][1]),
        plain["beyond"],
        plain["jump"],
    )
