"""Statically indeterminate contact forces: which of the possible ones are taken."""

from __future__ import annotations

import numpy as np

from articulata.domains.dynamic.contact.closed import STUCK, UNDECIDED, Closed, Forces
from articulata.domains.dynamic.contact.coulomb import coulomb
from articulata.domains.dynamic.contact.resistance import roots_of_stiffness
from articulata.domains.protocols import Control
from articulata.geometry.arrays import Array
from articulata.kernels.multibody.contact.memory import SLIP, STICK, UNKNOWN, Contacts
from articulata.kernels.multibody.contact.rows import SPEED_N, TANGENT_1, TANGENT_2


def _with_given(forces: Forces, now: Closed, force: Array) -> Array:
    """Return forces (k, 3) with the friction that is given."""
    if forces.friction is None:
        return force
    return force + forces.friction.given(now.touches, now.rows)


def shortest(forces: Forces, now: Closed, state: Array, time: float, control: Control) -> bool:
    """Give contacts the shortest forces that have their motion; tell whether these were sought.

    They are those of contact areas that yield a little, in the limit of rigid bodies (restoring
    forces, section 4.4 of the 1986 report): springs share a load so that the energy they
    store, the sum of F^2 / 2k, is least; k is the stiffness of the two materials. Where these
    forces would pull, those that Coulomb's law finds stay.
    """
    from scipy.linalg import solve_triangular

    sticks = now.rows.mode == STICK
    chosen = int(now.rows.known[0]) != UNKNOWN
    if not len(now.touches) or np.any(now.rows.mode == SLIP) or not chosen:
        return False
    _, W, b = forces.problem(now.touches, state, time, control)
    held = np.stack([np.ones_like(sticks), sticks, sticks], axis=1).ravel()
    force = np.zeros(len(held))
    root = roots_of_stiffness(now.touches)[held]
    picked = now.rows.picked[: now.rows.known[0]] @ (3, 1)
    # the shortest solution of dependent rows is a combination of independent columns
    scaled = roots_of_stiffness(now.touches)[picked]
    Q, R = np.linalg.qr(root[:, None] * W[np.ix_(held, picked)] * scaled)
    force[held] = root * (Q @ solve_triangular(R, -scaled * b.ravel()[picked], trans="T"))
    shortest = force.reshape(-1, 3)
    if np.all(shortest[:, 0] >= 0.0):
        now.rows.force[:] = _with_given(forces, now, shortest)
    else:
        mode = np.zeros(len(sticks), np.int64)
        found = coulomb(W, b, now.rows.friction, mode)
        now.rows.force[:] = _with_given(forces, now, found)
    return True


def other_forces(forces: Forces, now: Closed, state: Array, time: float, control: Control) -> bool:
    """Tell whether some forces of the same motion obey the laws; they are then kept.

    Asked where those nearest to the forces of before do not.
    """
    speed = np.einsum("ki,ki->k", now.rows.slip, _tangential(now.rows))
    if np.any((now.rows.mode == SLIP) & (speed < -1e-12)):
        return False
    rows, W, b = forces.problem(now.touches, state, time, control)
    mode = np.where(now.rows.mode == SLIP, SLIP, STICK).astype(np.int64)
    along = np.stack(
        [
            np.einsum("ki,ki->k", now.rows.slip, rows.place[:, t : t + 3])
            for t in (TANGENT_1, TANGENT_2)
        ],
        axis=1,
    )
    p = coulomb(W, b, now.rows.friction, mode, along)
    a = b + (W @ p.ravel()).reshape(-1, 3)
    scale = UNDECIDED * max(1.0, float(np.max(np.abs(b))))
    resting = np.where((now.rows.mode == STICK)[:, None], np.abs(a[:, 1:]), 0.0)
    lifted, moved = float(np.max(np.abs(a[:, 0]))), float(np.max(resting))
    if lifted > scale or moved > scale * STUCK / UNDECIDED:
        return False
    now.rows.force[:] = _with_given(forces, now, p)
    now.rows.base[:] = p
    return True


def _tangential(rows: Contacts) -> Array:
    """Return the tangential velocities (k, 3) in W of the contacts evaluated last."""
    one, two = rows.place[:, SPEED_N + 1, None], rows.place[:, SPEED_N + 2, None]
    return np.asarray(
        one * rows.place[:, TANGENT_1 : TANGENT_1 + 3]
        + two * rows.place[:, TANGENT_2 : TANGENT_2 + 3]
    )
