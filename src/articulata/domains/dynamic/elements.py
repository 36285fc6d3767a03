"""Springs, dampers and other forces between features or about a hinge's axis.

Each is stated once, readably: its length (or angle) and speed, its tension (or moment), the
wrenches it puts on its two bodies, the energy it holds. A tension pulls the features together;
a moment acts on body A about the hinge's axis, the opposite on B. World axes, SI units.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise
from typing import Protocol

import numpy as np

from articulata.domains.dynamic.balanced_figures import BalanceTable, balance_tables
from articulata.domains.dynamic.bushings import bushing_of
from articulata.domains.dynamic.couplings import motors
from articulata.domains.dynamic.joint_damping import dampers
from articulata.domains.dynamic.mechanism import (
    Mechanism,
    Motion,
    memory_name,
    motion_of,
    start_arrays,
)
from articulata.errors import ModelError
from articulata.geometry.arrays import Array
from articulata.kinematics.assembly.demands import feature_frame
from articulata.kinematics.coordinates import Coordinates
from articulata.world.model import FeatureRef, Force
from articulata.world.program_stack import Affine, affine, depends_on_rate_or_time, run


class Element(Protocol):
    """A force between two bodies."""

    @property
    def force(self) -> Force:
        """The world's node."""
        ...

    @property
    def given(self) -> bool:
        """Whether its work comes from outside, as that of a motor does."""
        ...

    def stretch(self, motion: Motion) -> tuple[float, float]:
        """Return length or angle and its rate: m and m/s, or rad and rad/s."""
        ...

    def value(self, motion: Motion, time: float) -> float:
        """Return tension (N) or moment (N m)."""
        ...

    def add(self, motion: Motion, time: float, total: Array) -> None:
        """Add the wrenches to ``total`` (bodies, 6)."""
        ...

    def energy(self, motion: Motion) -> float:
        """Return the energy (J) held; zero for a law that holds none."""
        ...


def feature_point(parts: Mechanism, ref: FeatureRef) -> tuple[int, Array]:
    """Return a feature's body number and its place from the reference point, body axes (m)."""
    number = parts.index[ref.body]
    frame = feature_frame(parts.world.bodies[ref.body], ref.feature)
    return number, np.array(frame.position) - parts.center[number]


def cross(a: Array, b: Array) -> Array:
    """Return a x b; for two single vectors a tenth of what ``np.cross`` takes."""
    (x, y, z), (u, v, w) = a.tolist(), b.tolist()
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u])


@dataclass(frozen=True, slots=True)
class Pull:
    """A force along the line between two features."""

    force: Force
    a: int
    p_A: Array
    b: int
    p_B: Array
    law: Affine | None
    rest: float
    given: bool = False
    memory: int | None = None

    def _line(self, motion: Motion) -> tuple[Array, Array, Array]:
        c_A, c_B = motion.R[self.a] @ self.p_A, motion.R[self.b] @ self.p_B
        return motion.positions[self.a] + c_A - motion.positions[self.b] - c_B, c_A, c_B

    def stretch(self, motion: Motion) -> tuple[float, float]:
        """Return distance (m) and speed (m/s, positive when the features part)."""
        between, c_A, c_B = self._line(motion)
        length = float(np.linalg.norm(between))
        parting = motion.v[self.a] + cross(motion.w[self.a], c_A)
        parting = parting - motion.v[self.b] - cross(motion.w[self.b], c_B)
        return length, float(between @ parting) / length if length else 0.0

    def value(self, motion: Motion, time: float) -> float:
        """Return the tension (N)."""
        known = _remembered(motion, self.memory)
        return run(self.force, time, *self.stretch(motion), integral=known)

    def add(self, motion: Motion, time: float, total: Array) -> None:
        """Add the pull on both bodies."""
        self.draw(motion, self.value(motion, time), total)

    def draw(self, motion: Motion, tension: float, total: Array) -> None:
        """Add a tension on both bodies; features in one place have no line to pull along."""
        between, c_A, c_B = self._line(motion)
        length = float(np.linalg.norm(between))
        if length == 0.0:
            return
        pull = tension * between / length
        total[self.a] -= [*pull, *cross(c_A, pull)]
        total[self.b] += [*pull, *cross(c_B, pull)]

    def energy(self, motion: Motion) -> float:
        """Return the energy held, from the length without tension, or from the start's."""
        if self.given:
            return 0.0
        return _held(self.force, self.law, self.rest, self.stretch(motion)[0], 1.0)


def _remembered(motion: Motion, memory: int | None) -> float:
    """Return the integral (N, N m) that an element keeps in row ``memory``."""
    return 0.0 if memory is None else float(motion.v[memory, 0])


@dataclass(frozen=True, slots=True)
class Rope:
    """A rope through several features, without weight and rubbing: one tension in all its parts."""

    force: Force
    points: tuple[tuple[int, Array], ...]
    rest: float
    given: bool = False

    def _parts(self) -> Iterator[Pull]:
        for (a, p_A), (b, p_B) in pairwise(self.points):
            yield Pull(self.force, a, p_A, b, p_B, None, 0.0)

    def stretch(self, motion: Motion) -> tuple[float, float]:
        """Return the whole length (m) and its rate (m/s)."""
        both = np.sum([part.stretch(motion) for part in self._parts()], axis=0)
        return float(both[0]), float(both[1])

    def value(self, motion: Motion, time: float) -> float:
        """Return the tension (N)."""
        return run(self.force, time, *self.stretch(motion))

    def add(self, motion: Motion, time: float, total: Array) -> None:
        """Add the pulls along all parts."""
        tension = self.value(motion, time)
        for part in self._parts():
            part.draw(motion, tension, total)

    def energy(self, motion: Motion) -> float:
        """Return the energy held, from the start's length."""
        return _held(self.force, None, self.rest, self.stretch(motion)[0], 1.0)


@lru_cache(maxsize=2)
def _turns(of: Coordinates, motion: Motion) -> tuple[Array, Array]:
    """Return all coordinates and their rates, computed once for all that act at one instant."""
    if motion.turned is not None and motion.rates is not None:
        return motion.turned, motion.rates
    angles = of.values(motion.positions, motion.R, motion.turned)
    return angles, of.rates(motion.positions, motion.R, motion.v, motion.w)


@dataclass(frozen=True, slots=True)
class Twist:
    """A moment about a hinge's axis."""

    force: Force
    parts: Mechanism
    coordinate: int
    law: Affine | None
    rest: float
    given: bool = False
    memory: int | None = None
    balance: BalanceTable | None = None

    def stretch(self, motion: Motion) -> tuple[float, float]:
        """Return angle (rad) and rate (rad/s)."""
        angles, rates = _turns(self.parts.coordinates, motion)
        return float(angles[self.coordinate]), float(rates[self.coordinate])

    def value(self, motion: Motion, time: float) -> float:
        """Return the moment on body A (N m)."""
        known, force = _remembered(motion, self.memory), self.force
        if self.balance is not None:
            force = self.balance.bounded(force, motion)
        return run(force, time, *self.stretch(motion), integral=known)

    def add(self, motion: Motion, time: float, total: Array) -> None:
        """Add the moment on A and its opposite on B."""
        moment, of = self.value(motion, time), self.parts.coordinates
        if moment == 0.0:  # as that of a damper at rest
            return
        a, b = int(of.body_a[self.coordinate]), int(of.body_b[self.coordinate])
        about = moment * (motion.R[b] @ of.R_B[self.coordinate, :, 2])
        for body, sign in ((a, 1.0), (b, -1.0)):
            if body < len(total):
                total[body, 3:] += sign * about

    def energy(self, motion: Motion) -> float:
        """Return the energy held, from the angle without moment, or from zero."""
        if self.given:
            return 0.0
        return _held(self.force, self.law, self.rest, self.stretch(motion)[0], -1.0)


def _held(force: Force, law: Affine | None, rest: float, length: float, sign: float) -> float:
    """Return the work done against a force from ``rest`` to ``length``."""
    if law is not None:
        if law.stiffness == 0.0:
            return sign * law.constant * (length - rest)
        beyond = length + law.constant / law.stiffness
        return sign * 0.5 * law.stiffness * beyond * beyond  # a power would raise OverflowError
    if depends_on_rate_or_time(force):
        return 0.0
    return sign * work_against(force, rest, length)


def by_program(element: Element) -> bool:
    """Tell whether an element is no spring and no damper: its law is a program of its own."""
    law: Affine | None = getattr(element, "law", None)
    constant = law is not None and not law.stiffness and law.constant != 0.0
    return law is None or (constant and isinstance(element, Pull))


def acts_at_rest(element: Element) -> bool:
    """Tell whether an element may act on what stands still, as a damper never does."""
    law: Affine | None = getattr(element, "law", None)
    return law is None or law.constant != 0.0 or law.stiffness != 0.0


def elements_kept(
    before: tuple[Mechanism, tuple[Element, ...]] | None, parts: Mechanism
) -> tuple[Element, ...] | None:
    """Return the elements that a mechanism had ``before`` an edit, None where they are others.

    They stay where the edit leaves forces, features, mass centres and places as they were.
    """
    if before is None:
        return None
    one, elements = before
    if one.world.forces is not parts.world.forces or one.index != parts.index:
        return None
    if one.world.couplings is not parts.world.couplings:
        return None
    pulls = all(isinstance(element, Pull) for element in elements)
    if not pulls or not np.array_equal(one.center, parts.center):
        return None
    then, now = one.world.bodies.values(), parts.world.bodies.values()
    stays = all(
        a is b or (a.pose == b.pose and a.features is b.features)
        for a, b in zip(then, now, strict=True)
    )
    return elements if stays else None


def elements_of(parts: Mechanism) -> tuple[Element, ...]:
    """Return the force elements of a world; energies count from the lengths at its start."""
    if not parts.world.forces:
        return tuple(_along_hinges(parts))
    made: list[Element] = []
    kept = balance_tables(parts)
    start = motion_of(start_arrays(parts))
    for force in parts.world.forces.values():
        law = affine(force)
        if force.kind == "bushing":
            made.append(bushing_of(parts, force))
        elif force.kind == "between":
            assert force.features is not None
            points = tuple(feature_point(parts, ref) for ref in force.features)
            if len(points) > 2:
                rope = Rope(force, points, 0.0)
                made.append(replace(rope, rest=rope.stretch(start)[0]))
                continue
            (a, p_A), (b, p_B) = points
            pull = Pull(force, a, p_A, b, p_B, law, 0.0)
            rest, memory = pull.stretch(start)[0], parts.index.get(memory_name(force))
            made.append(Pull(force, a, p_A, b, p_B, law, rest, memory=memory))
        else:
            label = f"{force.hinge}.angle"
            if label not in parts.coordinates.labels:
                raise ModelError(
                    f"{force.span}: '{force.id}' twists the hinge '{force.hinge}', which has no "
                    "angle; use a pin, a cylindrical hinge or a screw"
                )
            place, memory = (
                parts.coordinates.labels.index(label),
                parts.index.get(memory_name(force)),
            )
            table = kept.get(force.id)
            made.append(Twist(force, parts, place, law, 0.0, memory=memory, balance=table))
    return (*made, *_along_hinges(parts))


def _along_hinges(parts: Mechanism) -> list[Element]:
    """Return what the joints of figures are damped by, and motors that give a torque or force."""
    made: list[Element] = []
    damping, driving = dampers(parts.world), motors(parts.world)
    for force in (*damping, *driving):
        assert force.hinge is not None
        law, given = affine(force), force in driving
        if force.kind == "torsion":
            number = parts.coordinates.labels.index(f"{force.hinge}.angle")
            made.append(Twist(force, parts, number, law, 0.0, given))
        else:
            made.append(Pull(force, *ends_of_slide(parts, force.hinge), law, 0.0, given))
    return made


def ends_of_slide(parts: Mechanism, hinge: str) -> tuple[int, Array, int, Array]:
    """Return bodies and points (m, from their reference points) between which a slider parts.

    Both lie on its axis, the one on B so far back that the point on A never comes to it: their
    distance grows exactly as the slider's travel does.
    """
    of = parts.coordinates
    number = of.labels.index(f"{hinge}.travel")
    limits = [abs(end) for low_high in parts.world.hinges[hinge].limits for end in low_high]
    far = 10.0 + 2.0 * max((end for end in limits if np.isfinite(end)), default=1e3)
    back = of.p_B[number] - far * of.R_B[number][:, 2]
    return int(of.body_a[number]), of.p_A[number], int(of.body_b[number]), back


# ---- the energy that a force holds: the work done against it along its length or angle
#
# A law may have corners and jumps, as ``max(distance - 0.3 m, 0 N)`` has one. They are where a
# minimum, a maximum, an absolute value, a sign or a whole number changes its side; between them the
# law is smooth, and Gauss' rule is halved until it agrees with its halves.


LOOKS = 32
"""Parts of the way in which corners are looked for; two within one of them may be missed."""

HALVINGS = 60
"""Halvings that find a corner to rounding."""

DEEPEST = 12
"""Times a smooth part is halved at most."""

CLOSE = 1e-14
"""Share of the work by which a part and its two halves may differ."""


@lru_cache(maxsize=256)
def work_against(force: Force, begin: float, end: float) -> float:
    """Return the integral of ``force`` from ``begin`` to ``end``, lengths (m) or angles (rad).

    The force is taken at rest at time zero. N m, that is J. Answers are kept for the next question.
    """
    places = [begin, *_corners(force, begin, end), end]
    total = 0.0
    for a, b in pairwise(places):
        whole = _gauss(force, a, b)
        total += _refined(force, a, b, whole, abs(total) + abs(whole), DEEPEST)
    return total


def _corners(force: Force, begin: float, end: float) -> list[float]:
    """Return where on the way the law has corners or jumps, in order."""
    if begin == end or not _sides(force, begin):
        return []
    found: list[float] = []
    places = np.linspace(begin, end, LOOKS + 1).tolist()
    for a, b in pairwise(places):
        low, high = a, b
        side, other = _sides(force, a), _sides(force, b)
        if side == other:
            continue
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            if _sides(force, middle) == side:
                low = middle
            else:
                high = middle
        found.append(high)
    return found


def _sides(force: Force, length: float) -> tuple[float, ...]:
    """Return on which sides the law's corners a length lies."""
    sides: list[float] = []
    run(force, 0.0, length, 0.0, sides)
    return tuple(sides)


def _refined(force: Force, a: float, b: float, whole: float, size: float, halvings: int) -> float:
    """Return the integral from ``a`` to ``b``, which Gauss' rule says is ``whole``."""
    middle = 0.5 * (a + b)
    halves = _gauss(force, a, middle), _gauss(force, middle, b)
    both = sum(halves)
    if not halvings or not abs(both - whole) > CLOSE * max(size, abs(both)):
        return both
    return _refined(force, a, middle, halves[0], size, halvings - 1) + _refined(
        force, middle, b, halves[1], size, halvings - 1
    )


def _gauss(force: Force, a: float, b: float) -> float:
    """Return the integral from ``a`` to ``b`` by Gauss' rule."""
    nodes, weights = _rule()
    values = [run(force, 0.0, x, 0.0) for x in (0.5 * (b - a) * (nodes + 1.0) + a).tolist()]
    return 0.5 * (b - a) * float(weights @ values)


@cache
def _rule() -> tuple[Array, Array]:
    nodes, weights = np.polynomial.legendre.leggauss(20)
    return nodes, weights
