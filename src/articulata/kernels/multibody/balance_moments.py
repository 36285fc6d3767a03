"""The moments by which a figure keeps its balance: bounds for what drives its ankles and hips.

The extrapolated centre of mass X = x + v/w0 with w0^2 = g/l, l the height of the mass centre over
the ankles (A. L. Hof et al., *J. Biomechanics* 38 (2005) 1), moves away from the centre of pressure
u: X' = w0 (X - u). Balance asks for u = X + (Y - r), r the middle of the soles, by which x comes
back as one that is damped critically. Ankles give what of that lies within the soles, the moment
M g (u - a). Where X comes near their ends hips turn the trunk the way it falls: the rate T of its
angular momentum L moves X as if u were T/(M g) farther on (J. Pratt et al., *Humanoids* 2006: the
capture point with a flywheel). When it stops X is at Y = X + w0 L/(M g), so that X is brought back
the farther the faster the trunk turns. Before that what drives hips is free. L is that of the
bodies' masses, as points, about the mass centre. World axes, SI.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.rows import place, turned
from articulata.kernels.space_vectors import Vector, cross, dot, flipped, minus, unit

FIRST, LEGS, ABOVE, BODIES, UP, STRENGTH, LEG = 0, 1, 2, 3, 4, 7, 8
"""Columns of a table: the first signal, numbers of legs, of bodies above the hips and of all, the
vertical (3), gravity (m/s^2), and where records of legs begin; pairs of body and mass are last."""
FOOT, NORMAL, HEEL, TOE, ANKLE, HIP, LEG_WIDTH = 0, 1, 4, 7, 10, 18, 26
"""Columns of a leg: the foot, its sole's normal and ends in its axes; two joints."""
AXIS, POINT, SIDE = 1, 4, 7
"""Columns of a joint after its body B: axis and point there; 1 where body A is beneath it, else -1.
Of a leg without a hip that is 0."""
SIGNALS = 4
"""Signals of a leg: least and greatest moment at the ankle, and at the hip."""

FLAT, WIDER = 0.2, 10.0
"""Lean of a sole (rad) up to which it bears on all its length, and how fast bounds widen beyond."""
NEAR, HURRY, BRAKING = 0.8, 5.0, 0.5
"""Share of the way from the middle to the ends of the soles from which on hips turn the trunk; how
many times as much as X is beyond T/(M g) is; and the share of Y - X by which it begins earlier."""
FREE = 1e6
"""How far (m) bounds are apart where nobody stands."""


@kernel(counted=False)
def center_of_mass(table: Array, state: Array, count: int) -> tuple[float, Vector, Vector]:
    """Return mass, place and velocity of the mass centre of the first ``count`` bodies."""
    at = LEG + LEG_WIDTH * int(table[LEGS])
    mass = c0 = c1 = c2 = v0 = v1 = v2 = 0.0
    for k in range(count):
        i, m = int(table[at + 2 * k]), table[at + 2 * k + 1]
        mass += m
        c0, c1, c2 = c0 + m * state[i, 0], c1 + m * state[i, 1], c2 + m * state[i, 2]
        v0, v1, v2 = v0 + m * state[i, 7], v1 + m * state[i, 8], v2 + m * state[i, 9]
    by = 1.0 / max(mass, 1e-300)
    return mass, (c0 * by, c1 * by, c2 * by), (v0 * by, v1 * by, v2 * by)


@kernel(counted=False)
def angular_momentum(table: Array, state: Array, c: Vector, v: Vector) -> Vector:
    """Return the angular momentum of all bodies as points about the mass centre c, moving at v."""
    at = LEG + LEG_WIDTH * int(table[LEGS])
    x = y = z = 0.0
    for k in range(int(table[BODIES])):
        i, m = int(table[at + 2 * k]), table[at + 2 * k + 1]
        arm = minus((state[i, 0], state[i, 1], state[i, 2]), c)
        L = cross(arm, minus((state[i, 7], state[i, 8], state[i, 9]), v))
        x, y, z = x + m * L[0], y + m * L[1], z + m * L[2]
    return x, y, z


@kernel(counted=False)
def world_point(table: Array, state: Array, scratch: Array, body: int, at: int) -> Vector:
    """Return where a point of a body is whose place in its axes begins at ``at``."""
    p, c = place(state, body), turned(scratch, body, table[at], table[at + 1], table[at + 2])
    return p[0] + c[0], p[1] + c[1], p[2] + c[2]


@kernel(counted=False)
def weight_share(table: Array, state: Array, scratch: Array, leg: int, c: Vector) -> float:
    """Return the share of the weight on a leg: of two by where c is between them, else the same."""
    legs = int(table[LEGS])
    if legs != 2:
        return 1.0 / legs
    n = table[UP], table[UP + 1], table[UP + 2]
    at = LEG + LEG_WIDTH * (1 - leg) + ANKLE
    other = world_point(table, state, scratch, int(table[at]), at + POINT)
    at = LEG + LEG_WIDTH * leg + ANKLE
    between = cross(n, minus(world_point(table, state, scratch, int(table[at]), at + POINT), other))
    way = dot(between, cross(n, minus(c, other)))
    return min(1.0, max(0.0, way / max(dot(between, between), 1e-12)))


@kernel(counted=False)
def stance(
    table: Array, state: Array, scratch: Array, leg: int, c: Vector, v: Vector, L: Vector
) -> tuple[Vector, float, float, float, float, float, float, float]:
    """Return how the mass centre at c (m), moving at v (m/s), is over a foot.

    The way ahead; from the ankle along it the middle of the sole; from there X and the places of u
    that heel and toes can give; Y - X for L over the weight (s m); by how much of T/(M g) what heel
    and toes can give is farther back; by how much bounds are wider.
    """
    at = LEG + LEG_WIDTH * leg
    foot, shank = int(table[at + FOOT]), int(table[at + ANKLE])
    n = table[UP], table[UP + 1], table[UP + 2]
    k = at + ANKLE + AXIS
    d, _ = unit(cross(n, turned(scratch, shank, table[k], table[k + 1], table[k + 2])))
    a = world_point(table, state, scratch, shank, at + ANKLE + POINT)
    heel = minus(world_point(table, state, scratch, foot, at + HEEL), a)
    toe = minus(world_point(table, state, scratch, foot, at + TOE), a)
    if dot(d, toe) < dot(d, heel):
        d = flipped(d)
    back, front = dot(d, heel), dot(d, toe)
    middle, size = 0.5 * (back + front), front - back
    high, x = dot(n, minus(c, a)), dot(d, minus(c, a))
    if high <= 0.0:
        return d, middle, 0.0, 0.0, 0.0, 0.0, 0.0, FREE
    w0 = math.sqrt(table[STRENGTH] / high)
    far = x + dot(d, v) / w0
    # the soles are lower than the ankles, about which M g (u - a) is taken
    low = -0.5 * (dot(n, heel) + dot(n, toe)) / high
    back, front = (back + low * x) / (1.0 + low), (front + low * x) / (1.0 + low)
    k = at + NORMAL
    flat = dot(n, turned(scratch, foot, table[k], table[k + 1], table[k + 2]))
    lean = math.sqrt(max(0.0, 1.0 - flat * flat)) if flat > 0.0 else FREE
    wider = high * max(0.0, lean - FLAT) + max(0.0, max(back - far, far - front) - size)
    later = -w0 * dot(L, cross(d, n))
    lower = low / (1.0 + low)
    return d, middle, far - middle, back - middle, front - middle, later, lower, WIDER * wider


@kernel(counted=False)
def bound_moments(table: Array, state: Array, scratch: Array, signal: Array) -> None:
    """Fill the signals by which a figure keeps its balance at a state (n, 13), N m.

    ``scratch`` (n, 9 or more) begins with the bodies' rotations.
    """
    legs, first = int(table[LEGS]), int(table[FIRST])
    mass, c, v = center_of_mass(table, state, int(table[BODIES]))
    above, trunk, _ = center_of_mass(table, state, int(table[ABOVE]))
    far = back = front = later = wider = 0.0
    weight, n = mass * table[STRENGTH], (table[UP], table[UP + 1], table[UP + 2])
    x, y, z = angular_momentum(table, state, c, v)
    L = x / weight, y / weight, z / weight
    for leg in range(legs):
        part = weight_share(table, state, scratch, leg, c)
        _, _, X, heel, toe, lag, _, more = stance(table, state, scratch, leg, c, v, L)
        far, back, front = far + part * X, back + part * heel, front + part * toe
        later, wider = later + part * lag, max(wider, more)
    ahead_by = HURRY * (far + BRAKING * max(later, 0.0) - NEAR * front)
    behind_by = HURRY * (far + BRAKING * min(later, 0.0) - NEAR * back)
    for leg in range(legs):
        d, middle, _, heel, toe, _, lower, _ = stance(table, state, scratch, leg, c, v, L)
        turning = table[LEG + LEG_WIDTH * leg + HIP + SIDE] != 0.0
        less = lower * (max(ahead_by, 0.0) + min(behind_by, 0.0)) if turning else 0.0
        ahead = cross(d, n)
        for joint in range(2):
            at = LEG + LEG_WIDTH * leg + (HIP if joint else ANKLE)
            body, k = int(table[at]), at + AXIS
            e = turned(scratch, body, table[k], table[k + 1], table[k + 2])
            if joint == 0:
                u = middle + min(max(2.0 * far + later, heel - less), toe - less)
                part = weight_share(table, state, scratch, leg, c) * weight * dot(e, ahead)
                least = greatest = part * u
            else:
                arm = minus(trunk, world_point(table, state, scratch, body, at + POINT))
                held = above * table[STRENGTH] * dot(e, cross(arm, n))
                turn = weight * dot(e, ahead)
                least, greatest = (held - turn * ahead_by) / legs, (held - turn * behind_by) / legs
            slot, side = first + SIGNALS * leg + 2 * joint, -table[at + SIDE]
            signal[slot] = min(side * least, side * greatest) - weight * wider
            signal[slot + 1] = max(side * least, side * greatest) + weight * wider
