"""What a jam does: an impulse without a collision that stops the sliding.

Where friction drives a sliding contact into the other body no force obeys Coulomb's law, but an
impulse does: pressed together without having approached, the contact is slowed by mu times the
pressure until it sticks, and pressed on until nothing approaches any more (P. Lecornu, Comptes
Rendus 140 (1905) 847; F. Genot & B. Brogliato, European Journal of Mechanics A 18 (1999) 653).
Rigid bodies cannot tell how long it takes, only what is left: the contact is at rest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from articulata.domains.dynamic.contact.closed import AT_REST, SLIDING, Forces
from articulata.domains.dynamic.contact.collisions import Impact
from articulata.domains.dynamic.contact.coulomb import holding
from articulata.domains.dynamic.contact.paradox import Jam
from articulata.domains.dynamic.contact.resistance import coefficients
from articulata.domains.dynamic.contact.touches import Touch
from articulata.domains.protocols import Control
from articulata.geometry.arrays import Array
from articulata.kernels.multibody.contact import solve as kernels
from articulata.kernels.multibody.contact.memory import SLIP, STICK
from articulata.kernels.multibody.contact.rows import SPEED_N

NEARLY = 1.02
"""Friction beside the true one by which a contact that is on its way to a jam is held already."""

STOPPED = 1e-9
"""Share of the sliding speed that may be left."""


def stop_sliding(
    forces: Forces,
    touches: Sequence[Touch],
    jam: Jam,
    state: Array,
    time: float,
    control: Control,
) -> Impact | None:
    """Change the velocities of ``state`` so that what jams is at rest; None where no impulse can.

    Contacts of other bodies slide on, with friction, or bear what comes.
    """
    touches = forces.movable(touches, state, time, control)
    if not touches:
        return None
    rows, W, _ = forces.problem(touches, state, time, control)
    u = rows.place[:, SPEED_N : SPEED_N + 3].copy()
    speed = np.hypot(u[:, 1], u[:, 2])
    mu = coefficients(touches, speed)
    own = np.array([touch.pair in jam.pairs for touch in touches]) & (u[:, 0] <= AT_REST)
    mu[own] *= NEARLY
    mode = np.where(~own & (mu > 0.0) & (speed > SLIDING), SLIP, STICK).astype(np.int64)
    along = np.where((mode == SLIP)[:, None], u[:, 1:] / np.maximum(speed, 1e-300)[:, None], 0)
    p = holding(W, u, mu, mode, along)
    if p is None:
        return None
    after = u + (W @ p.ravel()).reshape(-1, 3)
    pressed = own & (p[:, 0] > 0.0)
    left = np.abs(after[pressed]).max(initial=0.0)
    if not np.any(pressed) or left > STOPPED * float(np.max(speed)):
        return None
    engine, none = forces.engine, np.zeros(len(touches))
    done = kernels.apply_impulses(engine.arrays, engine.work, rows, p, state)
    return Impact(
        tuple(touches),
        rows.place.copy(),
        p,
        u[:, 0].copy(),
        after[:, 0],
        none,
        engine.work.multiplier.copy() * engine.scale,
        none,
        done,
    )
