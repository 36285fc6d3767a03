"""Collisions at closed and at new contacts: how an impact changes the velocities."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from articulata.domains.dynamic.contact.closed import AT_REST, Closed, Forces
from articulata.domains.dynamic.contact.coulomb import coulomb
from articulata.domains.dynamic.contact.laws import APPROACH, Collision, ImpactLaw, impulses
from articulata.domains.dynamic.contact.pair_laws import Surface
from articulata.domains.dynamic.contact.resistance import coefficients
from articulata.domains.dynamic.contact.touches import Touch
from articulata.domains.protocols import Control
from articulata.geometry.arrays import Array, BoolArray
from articulata.kernels.multibody.contact import contact_solution as kernels
from articulata.kernels.multibody.contact.rows import SPEED_N

HALVINGS = 60
"""Steps at most by which the restitution is found that makes no energy: to rounding."""

ROUNDING = 1e-12
"""Share of what an impact takes below which a gain is rounding."""

MISSED = 1e-6
"""Share of the speed of approach that impulses may leave before they count as not found."""


@dataclass(frozen=True, slots=True, eq=False)
class Impact:
    """What an impact did: touches, impulses (k, 3), speeds along normals before and after (k,).

    ``work`` (J) is what moves prescribed bodies did against the impulses. ``kept`` is the share of
    what the surfaces' restitution would give that was given: less than 1 where all of it would
    have made energy.
    """

    touches: tuple[Touch, ...]
    place: Array
    impulse: Array
    before: Array
    after: Array
    restitution: Array
    multipliers: Array
    remaining: Array
    work: float
    kept: float = 1.0


def collide(
    forces: Forces,
    touches: Sequence[Touch],
    held: Closed,
    weary: AbstractSet[int],
    state: Array,
    time: float,
    control: Control,
) -> Impact | None:
    """Change the velocities of ``state`` by an impact; None where nothing approaches.

    ``held`` are the contacts closed until now, whose forces tell how the bodies are pulled
    together; ``weary`` are pairs that do not bounce any more.
    """
    touches = forces.movable(touches, state, time, control)
    if not touches or forces.approach(touches, state) >= -APPROACH:
        return None
    rows, W, free = forces.problem(touches, state, time, control)
    u = rows.place[:, SPEED_N : SPEED_N + 3].copy()
    given = np.array(
        [
            0.0 if touch.pair in weary else touch.surface.bounce(max(0.0, -speed))
            for touch, speed in zip(touches, u[:, 0].tolist(), strict=True)
        ]
    )
    slip = held.rows.slip.copy()
    out, _ = forces.accelerations(held, state, time, control)
    held.rows.slip[:] = slip
    pull = forces.along(rows, state, out)
    mu = coefficients(touches, np.hypot(u[:, 1], u[:, 2]))
    if forces.friction is not None:
        mu[:] = 0.0  # the report's collisions are without friction (section 4.3)
    remaining = settling(touches, -given * u[:, 0], -pull[:, 0], forces.contact.settle)
    tired = np.array([touch.pair in weary for touch in touches])
    ends = (remaining > 0.0) | tired
    bounce = tuple(
        _dead if end else touch.surface.bounce
        for touch, end in zip(touches, ends.tolist(), strict=True)
    )
    first = dict[tuple[int, int], int]()
    bodies = [forces.around.bodies(touch.pair) for touch in touches]
    pair = np.array([first.setdefault(each, k) for k, each in enumerate(bodies)], np.int64)
    p, kept = without_gain(forces.contact.impact, Collision(W, u, bounce, mu, pair))
    p = parted(W, u, p)
    p = _stopped(W, u, p, np.minimum(pull, free)[:, 0], tired, forces.contact.settle)
    # the factor at hand is that of this state
    done = kernels.apply_impulses(forces.engine.arrays, forces.engine.work, rows, p, state)
    after = u + (W @ p.ravel()).reshape(-1, 3)
    return Impact(
        tuple(touches),
        rows.place.copy(),
        p,
        u[:, 0].copy(),
        after[:, 0],
        kept * given,
        forces.engine.multipliers,
        remaining,
        done,
        kept,
    )


def without_gain(law: ImpactLaw, collision: Collision) -> tuple[Array, float]:
    """Return impulses (k, 3) that make no energy, and the share of restitution they give.

    With friction, or between contacts that strike at once, the surfaces' own restitution may give
    more than the impact takes (Kane's paradox: Kane & Levinson, Dynamics, 1985); then it is as
    much less as makes the energy stay. Without any, friction and normals only take.
    """
    p = impulses(law, collision)
    most = _gain(collision, p)
    if not most > ROUNDING:
        return p, 1.0
    low, high, p = 0.0, 1.0, impulses(law, _weaker(collision, 0.0))
    least = _gain(collision, p)
    if least > ROUNDING:
        return np.zeros_like(p), 0.0
    for step in range(HALVINGS):
        if least >= -ROUNDING:
            break
        # the gain is nearly a parabola: between its ends, every third time in the middle
        part = -least / (most - least) if step % 3 < 2 else 0.5
        share = low + min(0.999, max(0.001, part)) * (high - low)
        tried = impulses(law, _weaker(collision, share))
        gain = _gain(collision, tried)
        if gain > ROUNDING:
            high, most = share, gain
        else:
            low, least, p = share, gain, tried
    return p, low


def parted(W: Array, u: Array, p: Array) -> Array:
    """Return impulses (k, 3) after which nothing approaches that can be helped.

    Where a law with friction was not solved, blows along the normals alone finish the impact:
    they always can, but for bodies that are squeezed, and only take energy.
    """
    after = u + (W @ p.ravel()).reshape(-1, 3)
    if float(np.min(after[:, 0])) >= -MISSED * float(np.max(np.abs(u[:, 0]))):
        return p
    return p + coulomb(W, after, np.zeros(len(p)))


def _gain(collision: Collision, p: Array) -> float:
    """Return the energy that impulses give the bodies, as a share of what passes through them.

    It is half the sum of impulse times the speeds before and after.
    """
    u = collision.u.ravel()
    twice = p.ravel() * (2.0 * u + collision.W @ p.ravel())
    passed = float(np.abs(p.ravel() * u).sum())
    return float(twice.sum()) / passed if passed > 0.0 else 0.0


def _weaker(collision: Collision, share: float) -> Collision:
    """Return a collision with a share of its restitution."""
    bounce = tuple(partial(_share_of, each, share) for each in collision.bounce)
    return replace(collision, bounce=bounce)


def _share_of(bounce: Callable[[float], float], share: float, speed: float) -> float:
    return share * bounce(speed)


def _stopped(W: Array, u: Array, p: Array, pull: Array, tired: BoolArray, settle: float) -> Array:
    """Return impulses after which pairs that do not bounce any more stay together.

    Sharp features that strike by turns throw each other up by ever so little, without end;
    those that would be back within the time of a settling series stop at once. Velocities move
    the nearest way in the mass metric, so that energy is lost by it, never gained.
    """
    after = u[:, 0] + (W @ p.ravel()).reshape(-1, 3)[:, 0]
    back = tired & (after > 0.0) & (2.0 * after < -pull * settle)
    if not np.any(back & (after > AT_REST)):
        return p
    held = 3 * np.flatnonzero(back | (np.abs(after) <= AT_REST))
    p = p.copy()
    stop = np.linalg.lstsq(W[np.ix_(held, held)], -after[held // 3], rcond=1e-11)[0]
    p[held // 3, 0] += stop
    return p


def _dead(speed: float) -> float:
    """Return the restitution of surfaces that bounce no more."""
    return 0.0


# ---- bounces to come: how long infinitely many of them last together
#
# A bounce that begins at speed u under a steady pull a lasts 2 u / a. With a constant restitution e
# the speeds are a geometric series, 2 u / (a (1 - e)) in all; with restitution as a function of the
# speed of approach the bounces are added one by one until they are too slow to count.


MOST = 10000
"""Bounces that are added one by one; a longer series is not summed."""


def settling(touches: Sequence[Touch], leaving: Array, pull: Array, limit: float) -> Array:
    """Return how long the bounces to come last (k,), 0 where that is not less than ``limit`` (s).

    ``leaving`` (k,) are the speeds after the impact (m/s), ``pull`` (k,) the accelerations that
    bring the bodies together again (m/s^2).
    """
    found = np.zeros(len(touches))
    for k, touch in enumerate(touches):
        if pull[k] > 0.0 and leaving[k] > 0.0:
            lasting = series(touch.surface, float(leaving[k]), float(pull[k]), limit)
            found[k] = lasting if lasting < limit else 0.0
    return found


def series(surface: Surface, leaving: float, pull: float, limit: float = math.inf) -> float:
    """Return how long all bounces last (s) that begin at ``leaving``; inf when beyond ``limit``."""
    law = surface.restitution
    if not isinstance(law, tuple):
        return 2.0 * leaving / (pull * (1.0 - law)) if law < 1.0 else math.inf
    total, speed = 0.0, leaving
    for _ in range(MOST):
        total += 2.0 * speed / pull
        if total >= limit:
            return math.inf
        speed *= surface.bounce(speed)
        if speed <= APPROACH:
            return total
    return math.inf
