"""How a magnetic tracker and its line err: noise, metal, lost and damaged bytes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_exp, q_from_matrix, q_multiply


@dataclass(frozen=True, slots=True)
class Field:
    """How the transmitter's field errs.

    ``noise`` (rad) and ``place_noise`` (m), rms by axis, hold up to ``reach`` (m) and grow with the
    fourth power of the range beyond it (Nixon, McCallum, Fright and Price, The Effects of Metals
    and Interfering Fields on Electromagnetic Trackers, Presence 7, 1998). ``metal`` are places (m
    in T) of metal, with the angle (rad) by which it bends readings at 0.3 m from it.
    """

    noise: float = 0.0
    place_noise: float = 0.0
    reach: float = 0.76
    metal: tuple[tuple[tuple[float, float, float], float], ...] = ()

    def measured(self, X_TS: Array, rng: np.random.Generator) -> tuple[Array, Array]:
        """Return quaternion and place as they are measured."""
        q, p = q_from_matrix(X_TS[:3, :3]), X_TS[:3, 3]
        w = np.zeros(3)
        far = max(1.0, float(np.linalg.norm(p)) / self.reach) ** 4
        if self.noise > 0.0:
            w += rng.normal(0.0, self.noise * min(far, 100.0), 3)
        for place, angle in self.metal:
            way = p - np.asarray(place)
            length = max(float(np.linalg.norm(way)), 0.05)
            # eddy currents fall with the third power of the distance, about a fixed line
            w += min(angle * (0.3 / length) ** 3, 0.5) * np.cross(way / length, (0.0, 0.6, 0.8))
        if self.place_noise > 0.0:
            p = p + rng.normal(0.0, self.place_noise * min(far, 100.0), 3)
        if w.any():
            q = q_multiply(q, q_exp(w))
        return q, p


EXACT = Field()


@dataclass(slots=True)
class Damage:
    """Shares of bytes that a bad line flips, drops and doubles."""

    flipped: float = 0.0
    dropped: float = 0.0
    doubled: float = 0.0

    def __call__(self, data: bytes, rng: np.random.Generator) -> bytes:
        """Return the bytes that arrive."""
        share = self.flipped + self.dropped + self.doubled
        if share <= 0.0 or not data:
            return data
        out = bytearray()
        for byte, chance in zip(data, rng.random(len(data)), strict=True):
            if chance < self.flipped:
                out.append(byte ^ (1 << int(rng.integers(8))))
            elif chance < self.flipped + self.dropped:
                continue
            elif chance < share:
                out += bytes((byte, byte))
            else:
                out.append(byte)
        return bytes(out)
