"""The rhythm of shoulder blade and arm: where the arm goes, collarbone and shoulder blade follow.

People do not move them by themselves when they reach. J.H. de Groot and R. Brand, A
three-dimensional regression model of the shoulder rhythm, Clinical Biomechanics 16 (2001) 735-743,
measured ten people in 23 positions of the arm: the collarbone's elevation and protraction are
linear in the angle by which the arm is raised and in the plane in which it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64

QUARTER: Final = 0.5 * math.pi
STEPS: Final = 6
"""Steps of Newton's method; the rule moves so little that five reach rounding."""
SIDES: Final = ("l", "r")
LED: Final = ("sternoclavicular_elevation", "sternoclavicular_protraction")
LEADING: Final = ("shoulder_flexion", "shoulder_abduction")


@dataclass(frozen=True, slots=True)
class ShoulderRhythm:
    """How far the collarbone is raised and drawn back, rad for each rad of the upper arm.

    ``raising`` and ``retraction`` are for each rad by which the arm is raised from hanging, and for
    each rad by which the plane in which it is raised is turned from the side to the front, as
    published. The angles are taken by the direction of the upper arm in the chest's frame, a
    quarter turn times one plus its part upwards, and a quarter turn times its part forwards: they
    are those of the paper where the arm hangs, where it is level to the side and to the front, and
    nothing jumps where the arm is straight up or down and is in no plane.
    """

    raising: tuple[float, float] = (0.123, -0.046)
    retraction: tuple[float, float] = (0.242, -0.120)

    def collarbone(
        self, flexion: Array, abduction: Array
    ) -> tuple[Float64[Array, "*batch 2"], Float64[Array, "*batch 2 2"]]:
        """Return elevation and protraction of a collarbone, rad, and their derivatives.

        ``flexion`` and ``abduction`` (*batch,) are those of the shoulder, from the collarbone on;
        the last axis of the derivatives is for these two.
        """
        sf, cf, sa, ca = np.sin(flexion), np.cos(flexion), np.sin(abduction), np.cos(abduction)
        # the upper arm from the collarbone: aside, up, ahead
        d = np.stack([sa, -ca * cf, ca * sf])
        led = np.zeros((2, *np.shape(flexion)))
        for _ in range(STEPS):
            seen, slopes, _ = self._seen(led, d)
            wanted, matrix = self._rule(seen, slopes)
            led = led - _solved(matrix, led - wanted)
        seen, slopes, along = self._seen(led, d)
        _, matrix = self._rule(seen, slopes)
        moved = np.stack([[0.0 * sf, ca * sf, ca * cf], [ca, sa * cf, -sa * sf]])
        # of the parts up and ahead, by flexion and abduction
        turned = np.einsum("kd...,cd...->kc...", along, moved)
        slope = self._weighted(turned)
        rows = [_solved(matrix, slope[:, c]) for c in range(2)]
        return np.moveaxis(led, 0, -1), np.moveaxis(np.stack(rows, 1), (0, 1), (-2, -1))

    def _seen(self, led: Array, d: Array) -> tuple[Array, Array, Array]:
        """Return the arm's parts up and ahead in the chest's frame, and their slopes.

        By the two angles of the collarbone (2, 2, ...) and by the direction (2, 3, ...).
        """
        e, p = led
        x, y, z = d
        se, ce, sp, cp = np.sin(e), np.cos(e), np.sin(p), np.cos(p)
        aside, ahead = x * cp - z * sp, x * sp + z * cp
        nothing = np.zeros_like(e)
        slopes = np.stack(
            [
                np.stack([aside * ce - y * se, -ahead * se]),
                np.stack([nothing, aside]),
            ]
        )
        along = np.stack(
            [np.stack([cp * se, ce, -sp * se]), np.stack([sp, nothing, cp])],
        )
        return np.stack([aside * se + y * ce, ahead]), slopes, along

    def _rule(self, seen: Array, slopes: Array) -> tuple[Array, Array]:
        """Return the collarbone's angles for an arm, and the matrix of Newton's method."""
        up, ahead = seen
        wanted = self._weighted(np.stack([1.0 + up, ahead]))
        matrix = -self._weighted(slopes)
        matrix[0, 0] += 1.0
        matrix[1, 1] += 1.0
        return wanted, matrix

    def _weighted(self, parts: Array) -> Array:
        """Return elevation and protraction (2, ...) for parts up and ahead (2, ...)."""
        (raised, raised_ahead), (back, back_ahead) = self.raising, self.retraction
        return np.stack(
            [
                QUARTER * (raised * parts[0] + raised_ahead * parts[1]),
                -QUARTER * (back * parts[0] + back_ahead * parts[1]),
            ]
        )


@dataclass(frozen=True, slots=True)
class LedJoints:
    """The joints of a tree that a rhythm leads: for each side the two led and the two leading."""

    rhythm: ShoulderRhythm
    sides: tuple[tuple[tuple[int, int], tuple[int, int]], ...]

    @property
    def led(self) -> frozenset[int]:
        """The numbers of the joints that have no value of their own."""
        return frozenset(number for led, _ in self.sides for number in led)

    @property
    def touched(self) -> frozenset[int]:
        """The numbers of the joints that lead or are led."""
        return frozenset(number for side in self.sides for pair in side for number in pair)

    def fill(self, values: Array) -> None:
        """Write what the led joints take into joint values (n, joints)."""
        for led, leading in self.sides:
            found, _ = self.rhythm.collarbone(*values[:, leading].T)
            values[:, led] = found

    def gather(self, by_joint: Array, values: Array) -> Array:
        """Return Jacobians (n, 6, joints) whose leading columns hold what the led ones add."""
        gathered = by_joint.copy()
        for led, leading in self.sides:
            _, slopes = self.rhythm.collarbone(*values[:, leading].T)
            gathered[:, :, leading] += by_joint[:, :, led] @ slopes
        return gathered


def led_joints(rhythm: ShoulderRhythm, numbers: Mapping[str, int], name: str) -> LedJoints:
    """Return what a rhythm leads among the joints called ``numbers``, by their H-Anim names."""
    sides = []
    for side in SIDES:
        names = [f"{side}_{each}" for each in (*LED, *LEADING)]
        missing = [each for each in names if each not in numbers]
        if missing:
            raise KinematicsError(
                f"'{name}' has no joint '{missing[0]}'; the rhythm of the shoulder is for figures "
                "with the joints of 'person' and 'human_upper_body'"
            )
        a, b, c, d = (numbers[each] for each in names)
        sides.append(((a, b), (c, d)))
    return LedJoints(rhythm, tuple(sides))


def _solved(matrix: Array, right: Sequence[Array] | Array) -> Array:
    """Return the solutions (2, ...) of systems (2, 2, ...)."""
    (a, b), (c, d) = matrix
    one, other = right
    return np.asarray(np.stack([d * one - b * other, a * other - c * one]) / (a * d - b * c))
