"""Which contacts stay closed, and which of them stick, slip or part: by complementarity."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from articulata.domains.dynamic.contact.closed import (
    AT_REST,
    BRIEF,
    DOUBT,
    SLIDING,
    STUCK,
    UNDECIDED,
    Closed,
    Forces,
)
from articulata.domains.dynamic.contact.paradox import jam, yielding
from articulata.domains.dynamic.contact.resistance import broken_loose, coefficients
from articulata.domains.dynamic.contact.touches import Touch
from articulata.domains.protocols import Control
from articulata.errors import SimulationError
from articulata.geometry.arrays import Array
from articulata.kernels.multibody.contact.memory import FRICTIONLESS, HELD, SLIP, STICK
from articulata.kernels.multibody.contact.rows import SPEED_N, TANGENT_1, TANGENT_2

UNSOLVED = 1e-6
"""Share of the largest acceleration by which bodies may still be drawn into each other."""

JAMMED = 1e-2
"""Share of a sliding contact's mobility below which its force is on the way to infinity."""


def decide(
    forces: Forces, touches: Sequence[Touch], state: Array, time: float, control: Control
) -> Closed:
    """Return which of the touches stay closed, and how: by complementarity."""
    made = _decided(forces, touches, state, time, control)
    # friction that is given ends where nothing presses any more
    while forces.friction is not None and forces.friction.ended(touches, made.touches):
        made = _decided(forces, touches, state, time, control)
    return made


def _decided(
    forces: Forces, touches: Sequence[Touch], state: Array, time: float, control: Control
) -> Closed:
    touches = forces.movable(touches, state, time, control)
    if not touches:
        return forces.none_closed()
    rows, W, b = forces.problem(touches, state, time, control)
    u = rows.place[:, SPEED_N : SPEED_N + 3]
    stay = np.flatnonzero(u[:, 0] <= np.maximum(AT_REST, -0.5 * BRIEF * b[:, 0]))
    if not len(stay):
        return forces.none_closed()
    keep = (3 * stay[:, None] + np.arange(3)).ravel()
    W, b, u = W[np.ix_(keep, keep)], b[stay], u[stay]
    there = [touches[k] for k in stay.tolist()]
    speed = np.hypot(u[:, 1], u[:, 2])
    mu = coefficients(there, speed)
    if forces.friction is not None:
        mu[:] = 0.0
    mode = np.where((mu > 0) & (speed > SLIDING), SLIP, STICK).astype(np.int64)
    along = np.where((mode == SLIP)[:, None], u[:, 1:] / np.maximum(speed, 1e-300)[:, None], 0)
    largest = DOUBT * max(1.0, float(np.max(np.abs(b))))
    a, mu, p = broken_loose(W, b, mu, mode, along, there, STUCK * largest)
    if np.any(a[:, 0] < -UNSOLVED * max(1.0, float(np.max(np.abs(b))))):
        surfaces = [touch.surface for touch in there]
        share = yielding(W, mu, mode == SLIP, along, np.array([touch.pair for touch in there]))
        found = jam(share, mu, surfaces, time, 0.0)
        if found is not None:
            raise found
    modes, slips, held, pressed = [], [], [], []
    for i, k in enumerate(stay.tolist()):
        if a[i, 0] > UNDECIDED * largest:
            continue
        state_of, direction = _mode(mu[i], mode[i], along[i], a[i], STUCK * largest)
        held.append(touches[k])
        modes.append(state_of)
        t1 = rows.place[k, TANGENT_1 : TANGENT_1 + 3]
        t2 = rows.place[k, TANGENT_2 : TANGENT_2 + 3]
        slips.append(direction[0] * t1 + direction[1] * t2)
        pressed.append(p[i])
    made = forces.closed(held, modes, np.array(slips).reshape(-1, 3))
    made.rows.base[:] = np.array(pressed).reshape(-1, 3)
    if forces.friction is not None:
        made.rows.friction[:] = 0.0
        rough = np.array([touch.surface.rough for touch in held], dtype=bool)
        made.rows.mode[:] = np.where(rough, HELD, FRICTIONLESS)
        made.rows.held[:] = forces.friction.world(held)
    return made


def jammed(
    forces: Forces, now: Closed, state: Array, time: float, control: Control
) -> SimulationError | None:
    """Return the error of a sliding contact whose force grows without bound, None for none."""
    sliding = now.rows.mode == SLIP
    if forces.friction is not None or not np.any(sliding):
        return None
    rows, W, _ = forces.problem(now.touches, state, time, control)
    axes = [rows.place[:, t : t + 3] for t in (TANGENT_1, TANGENT_2)]
    along = np.stack([np.einsum("ki,ki->k", now.rows.slip, axis) for axis in axes], axis=1)
    surfaces = [touch.surface for touch in now.touches]
    share = yielding(
        W, now.rows.friction, sliding, along, np.array([touch.pair for touch in now.touches])
    )
    return jam(share, now.rows.friction, surfaces, time, JAMMED)


def _mode(mu: float, mode: int, along: Array, a: Array, limit: float) -> tuple[int, Array]:
    """Return a contact's state from its acceleration (k, 3), and its slip direction."""
    if mu == 0.0:
        return FRICTIONLESS, np.zeros(2)
    if mode == SLIP:
        return SLIP, along
    drift = float(np.hypot(a[1], a[2]))
    if drift <= limit:
        return STICK, np.zeros(2)
    return SLIP, a[1:] / drift
