"""Another posture for the same view: where this one ends, and how an arm is led there.

An arm with a closed form holds a camera in up to eight postures. Where the present one ends another
may go on; on the way there the camera leaves its place, so that nobody is led unasked.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from articulata.analyses.film.carrier import Carrier, Weights
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.geometry.camera_motion import moved
from articulata.kinematics.inverse.recognition import closed_form
from articulata.kinematics.inverse.spherical_wrist import WristForm

APART: Final = 0.05
"""rad by which another posture differs at least."""

_GOES_ON: Final = 0.2
"""Share of the wish with which a posture goes on, at least."""

_AHEAD: Final = (0.02, 0.1, 0.3)
"""s: instants at which it is looked whether a wish goes on."""

_SAMPLES: Final = 60

_FASTEST, _HASTIEST = 1.875, 5.7736
"""Greatest speed and acceleration of a polynomial of fifth degree from 0 to 1 in 1 s, at rest at
both ends; its greatest jerk is 60."""


@dataclass(frozen=True, slots=True, eq=False)
class OtherPosture:
    """A posture ``q`` (dof,) that holds the same view; ``label`` says which in words.

    ``share`` is how much of what is wished goes on from there.
    """

    q: Array
    label: str
    share: float


def other_postures(
    carrier: Carrier, q: Array, twist: Array | None = None
) -> tuple[OtherPosture, ...]:
    """Return the postures within limits that hold the view of ``q``, the nearest first.

    With ``twist`` (6,), m/s of the arm and rad/s, those alone from which a fifth of it or more goes
    on. None without a closed form of a spherical wrist.
    """
    form = closed_form(carrier.chain)
    if not isinstance(form, WristForm):
        return ()
    X = carrier.chain.tip(q)
    found = carrier.chain.all_inverse(X)
    made = []
    for k in range(len(found)):
        there = np.array(found.q[k])
        away = np.abs(there - q)
        if not found.within[k] or away.max() < APART:
            continue
        branch = int(found.branch[k])
        share = 1.0 if twist is None else _share(carrier, X, there, branch, twist)
        if share >= _GOES_ON:
            made.append((away.max(), OtherPosture(there, form.labels[branch], min(share, 1.0))))
    return tuple(each for _, each in sorted(made, key=lambda pair: pair[0]))


def _share(carrier: Carrier, X: Array, q: Array, branch: int, twist: Array) -> float:
    """Return how much of ``twist`` goes on from ``q`` for a while, by ends and speeds."""
    before, at, share = q, 0.0, 1.0
    for t in _AHEAD:
        ahead = carrier.chain.all_inverse(moved(X, twist[None], t)[0])
        rows = [k for k in range(len(ahead)) if int(ahead.branch[k]) == branch and ahead.within[k]]
        if not rows:
            return 0.0
        there = min((np.array(ahead.q[k]) for k in rows), key=lambda x: np.abs(x - before).max())
        fast = float((np.abs(there - before) / (t - at) / carrier.arm.speeds).max())
        share = min(share, 1.0 / max(fast, 1e-9))
        before, at = there, t
    return share


class PostureChange:
    """A led motion of ``carrier`` from ``start`` to ``end`` (dof,), all joints together.

    Straight between the two, within speeds, accelerations and torques. Raise KinematicsError that
    names what would be struck on the way.
    """

    def __init__(
        self, carrier: Carrier, start: Array, end: Array, step: float, margin: float
    ) -> None:
        self._start, self._way, self._step = start.copy(), end - start, step
        samples = start + np.linspace(0.0, 1.0, _SAMPLES)[:, None] * self._way
        if carrier.clash is not None:
            found = carrier.clash.clearances(carrier.posture(samples))
            k = int(np.argmin(found.distance))
            names = found.names(k)
            if float(found.distance[k]) <= margin and names is not None:
                raise KinematicsError(
                    f"on the way to the other posture {names[0]} would strike {names[1]}: fly "
                    "elsewhere first"
                )
        far = np.maximum(np.abs(self._way), 1e-12)
        strength = 1.0
        if carrier.statics is not None:
            weights, rest = Weights(carrier), np.zeros_like(start)
            full = carrier.arm.accelerations
            strength = 0.9 * min(weights.strength(q, rest, full) for q in samples[::6])
        slow = np.where(np.isinf(carrier.arm.accelerations), 10.0, carrier.arm.accelerations)
        fast = np.where(np.isinf(carrier.arm.speeds), 1.0, carrier.arm.speeds)
        self._most = float((fast / far).min()) * (1.0 - 1e-6)
        self._slow = strength * float((slow / far).min()) * (1.0 - 1e-6)
        self._gone = self._rate = self._time = 0.0
        jerks = np.asarray(carrier.jerks)
        # from rest to rest by the polynomial of fifth degree, where jerks are limited
        self._whole = 0.0
        if np.isfinite(jerks).any():
            hasty = float((far / jerks).max())
            least = (
                _FASTEST / self._most,
                (_HASTIEST / self._slow) ** 0.5,
                (60.0 * hasty) ** (1 / 3),
            )
            self._whole = 1.001 * max(least) + 2.0 * step

    @property
    def done(self) -> bool:
        """Whether it has come to its end, and rests."""
        return self._gone >= 1.0 and self._rate == 0.0

    def next(self) -> Array:
        """Return the joint values (dof,) of the next tick."""
        if self._whole:
            self._time = min(self._time + self._step, self._whole)
            s = self._time / self._whole
            self._gone = s * s * s * (10.0 + s * (6.0 * s - 15.0))
            if s == 1.0:
                self._gone, self._rate = 1.0, 0.0
            return np.asarray(self._start + self._gone * self._way)
        left, slow = max(1.0 - self._gone, 0.0), self._slow * self._step
        brake = max(math.sqrt(2.0 * self._slow * left) - 0.5 * slow, min(left / self._step, slow))
        self._rate = min(self._rate + slow, self._most, brake, left / self._step)
        self._gone += self._rate * self._step
        if left < 1e-12:
            self._gone, self._rate = 1.0, 0.0
        return np.asarray(self._start + self._gone * self._way)
