"""All of a tick of a flight but the shapes: one call, from the twist that is wished to joints.

It eases the wish where joints have limits of jerk, moves the arm on, takes the tick again with less
acceleration where its torques are more than there are, and says whether the distances that were
looked up before still show that nothing is struck on the way to rest.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from articulata.kernels.array_types import Array
from articulata.kernels.chains.camera_control.attempted_ticks import ArmState
from articulata.kernels.chains.camera_control.braking_distances import Ways, clear_ahead
from articulata.kernels.chains.camera_control.carried_frames import (
    JERK,
    KIND,
    TORQUE,
    CarrierArm,
    Room,
)
from articulata.kernels.chains.camera_control.control_ticks import (
    FOLLOWS,
    RESTS,
    SLOWED,
    begin_anew,
    brake,
    tick,
)
from articulata.kernels.chains.dynamics.torque_limits import Weighed, strained, strength
from articulata.kernels.compile import kernel
from articulata.kernels.held import opened

TICK, INSTEAD, BRAKE, BEGIN, PARTS = 0, 1, 2, 3, 4
"""What is asked for: a tick; to have braked instead of the latest one; to brake; to want the pose
where the camera is; a tick in which the way or the turn may go on alone where both are blocked."""

RECOVERS: Final = 2.0
"""Share of the accelerations that comes back in a second."""

_ROUNDED: Final = 1.0 + 1e-6


class Eased(NamedTuple):
    """How wishes are eased: ``most`` (n,) a rate's change may differ from the last tick's.

    ``slow`` (n,) is what wishes are eased by, ``loose`` (n,) while a wrist turns after; ``work``
    (9, 6) is written.
    """

    most: Array
    slow: Array
    loose: Array
    work: Array


class Flight(NamedTuple):
    """A flight: the ``arm``, whose accelerations are ``strength`` (1,) of the ``full`` ones (n,).

    ``state`` and what it was before the latest tick, ``saved`` and, while two ticks are compared,
    ``hasty``. Where the arm's base is (4, 4), ``scale``, and where the camera is in W, ``shown``.
    The ``wish`` (6,) is in lengths of the arm.
    """

    arm: CarrierArm
    state: ArmState
    saved: ArmState
    hasty: ArmState
    room: Room
    base: Array
    scale: float
    shown: Array
    wish: Array
    full: Array
    strength: Array
    step: float
    grace: float
    margin: float
    eases: bool
    eased: Eased
    weighs: bool
    weighed: Weighed
    looks: bool
    ways: Ways


@kernel(counted=False)
def _copied(mine: Any, other: Any) -> None:
    """Write one state into another."""
    for j in range(len(mine.q)):
        mine.q[j] = other.q[j]
        mine.rates[j] = other.rates[j]
        mine.changes[j] = other.changes[j]
    for k in range(6):
        mine.twist[k] = other.twist[k]
        mine.before[k] = other.before[k]
    for r in range(3):
        for c in range(4):
            mine.X[r, c] = other.X[r, c]
    mine.branch[0], mine.branch[1] = other.branch[0], other.branch[1]
    mine.off[0] = other.off[0]


@kernel(counted=False)
def _strengthened(held: Any, strength: float) -> None:
    """Take this share of the accelerations from now on."""
    it = opened(held)
    if strength != it.strength[0]:
        it.strength[0] = strength
        for j in range(len(it.full)):
            it.arm.accelerations[j] = it.full[j] * strength


@kernel(counted=False)
def _strained(held: Any) -> tuple[int, int]:
    """Return the joint whose torque lacks most after a tick, and one that could hardly be held."""
    it = opened(held)
    return strained(it.weighed, it.state.q, it.state.rates, it.saved.rates, it.step)


@kernel(counted=False)
def _carried(held: Any, wish: Any, parts: bool) -> tuple[int, int, float]:
    """Take a tick towards ``wish`` (6,), with less acceleration where torques do not suffice.

    That comes back little by little. What an end of a joint asks for comes first. Where the arm
    could hardly be held, nothing is wished.
    """
    it = opened(held)
    arm, state, step = it.arm, it.state, it.step
    done, lacking, heavy = (0, 0, 0.0), -1, -1
    instead = False
    while True:  # once more where something could hardly be held
        done = tick(arm, state, wish, step, it.grace, it.room, it.eases, it.eased, parts)
        if not it.weighs:
            return done
        lacking, again = _strained(held)
        if instead or again < 0:
            break
        instead, heavy = True, again
        _copied(state, it.saved)
        wish[:] = 0.0
    if instead:
        done = SLOWED, TORQUE * KIND + heavy, 0.0
    if lacking < 0:
        _strengthened(held, min(1.0, it.strength[0] + RECOVERS * step))
        return done
    was, slow = it.saved, done
    share = strength(it.weighed, was.q, was.rates, it.full)
    if share < it.strength[0]:
        _copied(it.hasty, state)
        _copied(state, was)
        _strengthened(held, share)
        slow = tick(arm, state, wish, step, it.grace, it.room, it.eases, it.eased, parts)
        for j in range(len(state.q)):
            rest = state.q[j] + it.weighed.brakes[j] * abs(state.rates[j]) * state.rates[j]
            if rest > arm.upper[j] or rest < arm.lower[j]:
                _copied(state, it.hasty)
                return done
    if instead or slow[0] == RESTS:
        return done if instead else slow
    return (SLOWED if slow[0] == FOLLOWS else slow[0]), TORQUE * KIND + lacking, slow[2]


@kernel(counted=False)
def _shown(held: Any) -> None:
    """Write where the camera is in W."""
    it = opened(held)
    X, base = it.state.X, it.base
    for r in range(3):
        for c in range(4):
            total = base[r, 3] if c == 3 else 0.0
            for k in range(3):
                total += base[r, k] * (X[k, c] * it.scale if c == 3 else X[k, c])
            it.shown[r, c] = total


@kernel(counted=False)
def flown(held: Any, twist: Any, what: int) -> tuple[int, int, float, bool]:
    """Move a held ``Flight`` on by a tick towards ``twist`` (6,), m/s of W and rad/s.

    Return what became of it, the code of what binds, the share of the wish that the way ahead
    allows, and whether nothing that was not looked up can be struck on the way to rest.
    """
    it = opened(held)
    state = it.state
    if what == INSTEAD:
        _copied(state, it.saved)
    elif what != BEGIN:
        _copied(it.saved, state)
    done, clear = (0, 0, 0.0), True
    goes = what in (TICK, PARTS)
    if goes:
        wish = it.wish
        for k in range(6):
            wish[k] = twist[k] / it.scale if k < 3 else twist[k]
        done = _carried(held, wish, what == PARTS)
    elif what == BEGIN:
        begin_anew(it.arm, state, it.step, it.room)
    else:
        brake(it.arm, state, it.step, it.room)
    if what != BEGIN:
        for j in range(len(state.q)):
            state.changes[j] = state.rates[j] - it.saved.rates[j]
    _shown(held)
    code = done[1]
    word = done[0]
    if it.eases and what != BEGIN:
        worst = _ROUNDED
        for j in range(len(state.q)):
            over = abs(state.changes[j] - it.saved.changes[j]) / it.eased.most[j]
            if over > worst:
                worst = over
                if done[1] == 0:
                    code = JERK * KIND + j
                    word = SLOWED if done[0] == FOLLOWS else done[0]
    if goes and it.looks:
        clear = clear_ahead(state.q, state.rates, state.changes, it.step, it.margin, it.ways)
    return word, code, done[2], clear
