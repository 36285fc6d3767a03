"""Forces of closed contacts, by point, by pair of bodies and by body."""

from __future__ import annotations

import numpy as np

from articulata.domains.dynamic.contact.closed import Closed
from articulata.domains.dynamic.contact.stops import stop_wrenches
from articulata.domains.dynamic.mechanism import Mechanism, motion_of
from articulata.domains.dynamic.packing import unpack
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.multibody.contact.memory import Contacts
from articulata.kernels.multibody.contact.rows import (
    KIND,
    NORMAL,
    PIECES,
    POINT,
    TANGENT_1,
    TANGENT_2,
)


def channels(now: Closed, state: Array, pairs: IntArray, room: int) -> tuple[Array, ...]:
    """Return wrenches, forces of ``pairs`` of bodies, and ``room`` points with their forces."""
    wrenches = contact_wrenches(now.rows, state)
    return (wrenches, pair_forces(now, pairs), *points_of(now.rows, room))


def at_limits(now: Closed, parts: Mechanism, state: Array) -> Array:
    """Return (hinges, 6): what their limits do to bodies A about the hinges' points, in W."""
    stops = [touch.stop for touch in now.touches]
    if not any(stops):
        return np.zeros((len(parts.hinges), 6))
    arms = parts.hinge_arms(motion_of(unpack(state)))
    return stop_wrenches(stops, now.rows.place, now.rows.force[:, 0], arms)


def contact_wrenches(rows: Contacts, state: Array) -> Array:
    """Return the wrench (n, 6) of all contacts on each body about its reference point, in W."""
    result, positions = np.zeros((len(state) + 1, 6)), state[:, :3]
    force = forces_in_world(rows)
    for side, sign in ((1, 1.0), (2, -1.0)):
        body = rows.table[:, side]
        arm = rows.place[:, POINT : POINT + 3] - positions[body]
        wrench = sign * np.concatenate([force, crossed(arm, force)], axis=1)
        np.add.at(result, body, wrench)
    return result[:-1]


def pair_forces(now: Closed, pairs: IntArray) -> Array:
    """Return a row for each of ``pairs`` (p, 2) of bodies that press on each other, in W (N)."""
    met = [k for k, touch in enumerate(now.touches) if touch.stop is None]
    ends = np.array([(now.touches[k].a, now.touches[k].b) for k in met], np.int64).reshape(-1, 2)
    return between(pairs, ends, forces_in_world(now.rows)[met])


def between(pairs: IntArray, ends: IntArray, forces: Array) -> Array:
    """Return the sums of ``forces`` (k, 3) for each of ``pairs`` (p, 2) of bodies that has any.

    Each force acts on the first of the two bodies in ``ends`` (k, 2); those of others are left out.
    A row is the numbers of both bodies, then the sum; pairs keep their order.
    """
    if not len(ends) or not len(pairs):
        return np.zeros((0, 5))
    n = int(max(pairs.max(), ends.max())) + 1
    codes = pairs[:, 0] * n + pairs[:, 1]
    met = np.concatenate([ends[:, 0] * n + ends[:, 1], ends[:, 1] * n + ends[:, 0]])
    places = np.flatnonzero(np.isin(codes, met))
    number = {code: row for row, code in enumerate(codes[places].tolist())}
    result = np.zeros((len(places), 5))
    result[:, :2] = pairs[places]
    for (a, b), force in zip(ends.tolist(), forces, strict=True):
        if a * n + b in number:
            result[number[a * n + b], 2:] += force
        elif b * n + a in number:
            result[number[b * n + a], 2:] -= force
    return result[np.any(result[:, 2:] != 0.0, axis=1)]


def crossed(a: Array, b: Array) -> Array:
    """Return the products (k, 3) of vectors (k, 3); ``np.cross`` is made for more than a few."""
    x, y, z = a.T
    u, v, w = b.T
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=1)


def points_of(rows: Contacts, room: int) -> tuple[Array, Array]:
    """Return where contacts press (room, 3) m and the forces there on the bodies A (room, 3) N.

    Both in W. The strongest are taken where there are more; rows without a contact are NaN.
    """
    points, forces = np.full((room, 3), np.nan), np.full((room, 3), np.nan)
    force = forces_in_world(rows)
    chosen = np.flatnonzero(rows.table[:, KIND] <= PIECES)
    if len(chosen) > room:
        size = np.linalg.norm(force[chosen], axis=1)
        # rounding must not choose between mirrored points
        by = np.round(size / max(float(np.max(size)), 1e-300), 6)
        order = chosen[np.argsort(-by, kind="stable")]
        chosen = np.sort(order[:room])
    points[: len(chosen)] = rows.place[chosen, POINT : POINT + 3]
    forces[: len(chosen)] = force[chosen]
    return points, forces


def forces_in_world(rows: Contacts) -> Array:
    """Return the forces (k, 3) on the bodies A in W; zero for the limits of hinges."""
    axes = [rows.place[:, k : k + 3] for k in (NORMAL, TANGENT_1, TANGENT_2)]
    return np.asarray(sum(rows.force[:, t, None] * axis for t, axis in enumerate(axes)))
