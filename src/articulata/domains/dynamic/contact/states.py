"""The active set: which contacts stay closed, stick, slip or separate, by complementarity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
from articulata.domains.dynamic.contact.paradox import Jam, jam, yielding
from articulata.domains.dynamic.contact.resistance import broken_loose, coefficients
from articulata.domains.dynamic.contact.touches import Touch
from articulata.domains.protocols import Control
from articulata.geometry.arrays import Array, IntArray
from articulata.kernels.multibody.contact.memory import FRICTIONLESS, HELD, SLIP, STICK
from articulata.kernels.multibody.contact.rows import SPEED_N, TANGENT_1, TANGENT_2

UNSOLVED = 1e-6
"""Share of the largest acceleration by which bodies may still be drawn into each other."""

CREEPING = 1e-5
"""Speed (m/s) below which what slides is taken to rest where no forces obey the law otherwise: its
friction would stop it at once, within 1e-6 s."""

JAMMED = 1e-2
"""Share of a sliding contact's mobility below which its force is on the way to infinity."""


def decide(
    forces: Forces, touches: Sequence[Touch], state: Array, time: float, control: Control
) -> Closed | Jam:
    """Return which of the touches stay closed, and how, by complementarity; or what jams."""
    made = _decided(forces, touches, state, time, control)
    # friction that is given ends where nothing presses any more
    while (
        forces.friction is not None
        and isinstance(made, Closed)
        and forces.friction.ended(touches, made.touches)
    ):
        made = _decided(forces, touches, state, time, control)
    return made


def _decided(
    forces: Forces, touches: Sequence[Touch], state: Array, time: float, control: Control
) -> Closed | Jam:
    touches = forces.movable(touches, state, time, control)
    if not touches:
        return forces.none_closed()
    rows, W, b = forces.problem(touches, state, time, control)
    u, given = rows.place[:, SPEED_N : SPEED_N + 3], forces.friction is not None
    near = u[:, 0] <= AT_REST
    pull = b[:, 0]
    while True:
        near |= u[:, 0] <= -0.5 * BRIEF * pull
        if not np.any(near):
            return forces.none_closed()
        if np.all(near):
            trial = _tried(W, b, u, touches, given)
            break
        keep = (3 * np.flatnonzero(near)[:, None] + np.arange(3)).ravel()
        there = [touch for touch, is_near in zip(touches, near.tolist(), strict=True) if is_near]
        trial = _tried(W[np.ix_(keep, keep)], b[near], u[near], there, given)
        # forces of some may pull others together that seemed to part
        pull = b[:, 0] + W[::3, keep] @ trial.p.ravel()
        if not np.any(~near & (u[:, 0] <= -0.5 * BRIEF * pull)):
            break
    found = trial.jams(time)
    if found is not None:
        return found
    closed = ~(trial.a[:, 0] > UNDECIDED * trial.largest)
    modes, direction = trial.states()
    number = np.flatnonzero(near)[closed]
    t1 = rows.place[number, TANGENT_1 : TANGENT_1 + 3]
    t2 = rows.place[number, TANGENT_2 : TANGENT_2 + 3]
    slips = direction[closed, 0, None] * t1 + direction[closed, 1, None] * t2
    held = [touches[k] for k in number.tolist()]
    made = forces.closed(held, modes[closed].tolist(), slips)
    made.rows.base[:] = trial.p[closed]
    if forces.friction is not None:
        made.rows.friction[:] = 0.0
        rough = np.array([touch.surface.rough for touch in held], dtype=bool)
        made.rows.mode[:] = np.where(rough, HELD, FRICTIONLESS)
        made.rows.held[:] = forces.friction.world(held)
    return made


@dataclass(frozen=True, slots=True, eq=False)
class _Trial:
    """Touches that do not part, as the law has them: accelerations ``a`` and forces ``p`` (k, 3).

    ``largest`` is the share of the largest acceleration that decisions are measured by.
    """

    touches: Sequence[Touch]
    W: Array
    mu: Array
    mode: IntArray
    along: Array
    a: Array
    p: Array
    largest: float

    @property
    def solved(self) -> bool:
        """Whether the forces keep the bodies out of each other."""
        return not np.any(self.a[:, 0] < -UNSOLVED / DOUBT * self.largest)

    def jams(self, time: float) -> Jam | None:
        """Return the jam where no forces keep the bodies out of each other."""
        if self.solved:
            return None
        pairs = np.array([touch.pair for touch in self.touches])
        share = yielding(self.W, self.mu, self.mode == SLIP, self.along, pairs)
        surfaces = [touch.surface for touch in self.touches]
        return jam(share, self.mu, surfaces, pairs.tolist(), time, 0.0)

    def states(self) -> tuple[IntArray, Array]:
        """Return how each touch goes on if it stays closed (k,), and directions of slip (k, 2)."""
        drift, slides = np.hypot(self.a[:, 1], self.a[:, 2]), self.mode == SLIP
        loose = ~slides & ~(drift <= STUCK * self.largest) & (self.mu != 0.0)
        modes = np.where(slides | loose, SLIP, STICK)
        modes[self.mu == 0.0] = FRICTIONLESS
        direction = np.where((modes == SLIP)[:, None], self.along, 0.0)
        # what creeps and is not held goes on the way it does
        starts = loose & ~np.any(self.along, axis=1)
        direction[starts] = self.a[starts, 1:] / drift[starts, None]
        return modes, direction


def _tried(W: Array, b: Array, u: Array, touches: Sequence[Touch], given: bool) -> _Trial:
    """Return how touches of velocities ``u`` (k, 3) go on; ``given``: friction is no unknown."""
    speed = np.hypot(u[:, 1], u[:, 2])
    mu = np.zeros(len(touches)) if given else coefficients(touches, speed)
    mode = np.where((mu > 0) & (speed > SLIDING), SLIP, STICK).astype(np.int64)
    along = np.where((mode == SLIP)[:, None], u[:, 1:] / np.maximum(speed, 1e-300)[:, None], 0)
    largest = DOUBT * max(1.0, float(np.max(np.abs(b))))
    a, loosened, p = broken_loose(W, b, mu, mode, along, touches, STUCK * largest)
    made = _Trial(touches, W, loosened, mode, along, a, p, largest)
    creeps = (mode == SLIP) & (speed < CREEPING)
    if made.solved or not np.any(creeps):
        return made
    at_rest = np.where(creeps, STICK, mode)
    a, loosened, p = broken_loose(W, b, mu, at_rest, along, touches, STUCK * largest)
    other = _Trial(touches, W, loosened, at_rest, along, a, p, largest)
    return other if other.solved else made


def jammed(forces: Forces, now: Closed, state: Array, time: float, control: Control) -> Jam | None:
    """Return the jam of a sliding contact whose force grows without bound, None for none."""
    sliding = now.rows.mode == SLIP
    if forces.friction is not None or not np.any(sliding):
        return None
    rows, W, _ = forces.problem(now.touches, state, time, control)
    axes = [rows.place[:, t : t + 3] for t in (TANGENT_1, TANGENT_2)]
    along = np.stack([np.einsum("ki,ki->k", now.rows.slip, axis) for axis in axes], axis=1)
    surfaces = [touch.surface for touch in now.touches]
    pairs = np.array([touch.pair for touch in now.touches])
    share = yielding(W, now.rows.friction, sliding, along, pairs)
    return jam(share, now.rows.friction, surfaces, pairs.tolist(), time, JAMMED)


# ---- what was decided last, for whoever asks once more
#
# Right after an edit the same state is looked at for the frame that is recorded, for the conditions
# that may hold by now and for the way on: what touches there and presses is one and the same.


class Decisions:
    """Decides which contacts stay closed; the last answer is kept.

    Where controls act, or friction is given by a rule that remembers, it is asked anew.
    """

    def __init__(self, forces: Forces) -> None:
        self._forces = forces
        self._keeping = forces.friction is None and not forces.engine.parts.drives
        self._asked: tuple[float, Array, tuple[tuple[int, ...], ...]] | None = None
        self._made: Closed | Jam | None = None
        self._plan: object = None

    def at(
        self, touches: Sequence[Touch], state: Array, time: float, control: Control
    ) -> Closed | Jam:
        """Return which of the touches stay closed at ``state``, and how, or what jams."""
        if not self._keeping:
            return decide(self._forces, touches, state, time, control)
        keys = tuple(touch.key for touch in touches)
        made = self._made if self._is_known(keys, state, time) else None
        if made is None:
            made = decide(self._forces, touches, state, time, control)
            self._asked, self._made = (time, state.copy(), keys), made
            self._plan = self._forces.shared
        # forces are solved for in what is handed out
        return made.copied() if isinstance(made, Closed) else made

    def _is_known(self, keys: tuple[tuple[int, ...], ...], state: Array, time: float) -> bool:
        if self._asked is None or self._plan is not self._forces.shared:
            return False
        then, there, before = self._asked
        return then == time and before == keys and np.array_equal(there, state)
