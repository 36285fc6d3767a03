"""One tick from a device's report to joint commands: a camera flown on an arm.

A pilot holds where camera and arm are and is asked once each ``step`` s. It has no clock.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from articulata.analyses.film.carrier import Carrier
from articulata.analyses.film.posture_changes import (
    OtherPosture,
    PostureChange,
    other_postures,
)
from articulata.analyses.film.reasons import kind_of, margins, reason
from articulata.analyses.film.rigging import Rig
from articulata.analyses.film.shaping import Shaper, Shaping
from articulata.analyses.film.steering import Steering
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64
from articulata.kernels.chains.camera_control.carried_frames import (
    ACCELERATION,
    CHANGING,
    CLASH,
    KIND,
    SINGULAR,
    SPEED,
    TOO_FAR,
    WRIST,
)
from articulata.kernels.chains.camera_control.control_ticks import (
    BRAKES,
    FOLLOWS,
    PASSES,
    RESTS,
    SLOWED,
)
from articulata.kernels.chains.camera_control.flight_ticks import BEGIN, BRAKE, INSTEAD, PARTS, TICK
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.posture_probes import ClashProbe

STOPPED: Final = 5
"""Something is wanted and nothing of it is possible: the camera stands, or is coming to rest."""

CHANGES: Final = 6
"""The arm is led to another posture that holds the same view."""

STATES: Final = ("follows", "slowed", "passes", "brakes", "rests", "stopped", "changes")
"""What a tick may be, by number: the camera moves as wanted; on the same way, but slower; its
nodal point does while a wrist in line turns after; it brakes off the way; nothing is wanted."""

STEP: Final = 0.004
"""s between two ticks, the usual cycle of a robot's controller."""

_SLOW: Final = 0.05
"""Share of the wish, of the arm's size, and sine, below which something is near."""

_FAR: Final = 0.2
"""Share of the arm's size beyond which distances are not told from each other."""

GRACE: Final = math.radians(3.0)
MARGIN: Final = 5e-3


class Tick(NamedTuple):
    """What one tick gave: ``state`` is a number into ``STATES``, ``code`` why, ``share`` how much.

    ``q`` (dof,) and ``X_WC`` (4, 4), where the nodal point is and the camera is wanted to look, are
    the caller's own. ``off`` (rad) is by how much it looks elsewhere: 0 but in a wrist's pass.
    """

    state: int
    code: int
    share: float
    q: Array
    X_WC: Array
    off: float = 0.0


class Pilot:
    """Flies the camera of ``carrier`` from posture ``q`` (dof,) on, which keeps the limits.

    ``steering`` may be set anew at any time: what it changes comes through within the limits.
    ``grace`` (rad) is by how much the view may be off while a wrist in line is passed, ``margin``
    (m of W) how far everything stays from what it may strike.
    """

    def __init__(
        self,
        carrier: Carrier,
        q: npt.ArrayLike,
        *,
        step: float = STEP,
        shaping: Shaping | None = None,
        steering: Steering | None = None,
        grace: float = GRACE,
        margin: float = MARGIN,
    ) -> None:
        if not (math.isfinite(step) and step > 0.0):
            raise KinematicsError(f"a tick's step is a time in s, more than 0; not {step}")
        self.carrier, self.step = carrier, float(step)
        self.steering = Steering() if steering is None else steering
        self._shaper = Shaper(Shaping() if shaping is None else shaping)
        self._margin = float(margin) / carrier.scale
        self._rig = Rig(
            carrier, self._start(q), step=self.step, grace=float(grace), margin=self._margin
        )
        flight = self._rig.flight
        self._arm, self._state, self._view = flight.arm, flight.state, flight.shown
        self._change: PostureChange | None = None
        self._wish = np.zeros(6)
        self.time = 0.0
        self._far = max(_FAR * self._arm.size, 4.0 * self._margin)
        self._rig.ask(self._wish, BEGIN)

    # ---- what is known

    @property
    def q(self) -> Float64[Array, "dof"]:
        """The joint values that are commanded, rad and m."""
        return self._state.q.copy()

    @property
    def rates(self) -> Float64[Array, "dof"]:
        """Their rates."""
        return self._state.rates.copy()

    @property
    def X_WC(self) -> Float64[Array, "4 4"]:
        """Where the camera is wanted: that is where its nodal point is."""
        return self._view.copy()

    @property
    def twist(self) -> Float64[Array, "6"]:
        """How the camera is wanted to move now (6,), in its own axes, m/s of the arm and rad/s."""
        return self._state.twist.copy()

    @property
    def branch(self) -> int:
        """The branch of the closed form that the arm is on."""
        return int(self._state.branch[0])

    @property
    def shaping(self) -> Shaping:
        """How reports become rates; it may be set anew."""
        return self._shaper.shaping

    @shaping.setter
    def shaping(self, shaping: Shaping) -> None:
        self._shaper.shaping = shaping

    def kind(self, code: int) -> str:
        """Return the kind of a tick's code in a word or two."""
        return kind_of(self.carrier, code, self._state.X, self.branch)

    def reason(self, code: int) -> str:
        """Return why, for the code of the latest tick."""
        if code // KIND == CLASH:
            return self._struck
        return reason(self.carrier, code, self._state.X, self.branch)

    # ---- what is done

    def tick(
        self,
        report: Sequence[float] | None = None,
        *,
        target: Sequence[float] | None = None,
        velocity: Sequence[float] = (0.0, 0.0, 0.0),
    ) -> Tick:
        """Move on by one step with the newest ``report`` (6,), None where nothing new has come.

        ``target`` (3,) in W is what is looked at or gone about, ``velocity`` (3,) its own.
        """
        rates = self._shaper.rates_of(report, self.step)
        X = self._view
        steering = self.steering
        if any(rates) or steering.look:
            wanted = steering.twist(rates, X, self.step, target=target, velocity=velocity)
        else:
            wanted = np.zeros(6)
        return self.go(wanted, parts=steering.look)

    def go(self, twist: Float64[Array, "6"], *, parts: bool = False) -> Tick:
        """Move on by one step with a twist of the camera, m/s and rad/s of W in the axes of C.

        ``parts``: where it is blocked, its way or else its turn may go on alone, as where the turn
        keeps a target in view.
        """
        if self._change is not None:
            return self._led(self._change)
        self._wish = twist
        state, code, share, clear = self._rig.ask(twist, PARTS if parts else TICK)
        if not (clear or self._safe()):
            self._rig.ask(twist, INSTEAD)
            state, code, share = BRAKES, CLASH * KIND, 0.0
        self.time += self.step
        if share < _SLOW and code // KIND in (SPEED, ACCELERATION):
            code = self._cause(code)
        if state in (SLOWED, BRAKES) and share < 1e-3:
            state = STOPPED
        off = float(self._state.off[0]) if state == PASSES else 0.0
        return Tick(state, code, share, self._state.q.copy(), self._view.copy(), off)

    def other_postures(self) -> tuple[OtherPosture, ...]:
        """Return the postures from which what is wished now would go on, the nearest first."""
        wish = self._wish.copy() if self._wish.any() else None
        if wish is not None:
            wish[:3] /= self.carrier.scale
        return other_postures(self.carrier, self._state.q, wish)

    def change(self, to: npt.ArrayLike) -> None:
        """Lead the arm, which rests, to posture ``to`` (dof,) that holds the same view.

        Ticks are ``CHANGES`` until it is there; wishes count again then. KinematicsError says what
        it would strike on the way, or that it does not rest.
        """
        q = np.array(to, float)
        if q.shape != self._state.q.shape or not np.isfinite(q).all():
            raise KinematicsError(f"a posture is {len(self._state.q)} finite values, not {to!r}")
        if np.abs(self._state.rates).max() > 1e-9:
            raise KinematicsError("the arm still moves; let it come to rest first")
        if ((q < self._arm.lower) | (q > self._arm.upper)).any():
            raise KinematicsError("the other posture is outside the limits of a joint")
        self._change = PostureChange(self.carrier, self._state.q, q, self.step, self._margin)

    def _led(self, change: PostureChange) -> Tick:
        state, q = self._state, change.next()
        rates = (q - state.q) / self.step
        state.changes[:] = rates - state.rates
        state.rates[:], state.q[:] = rates, q
        self._rig.ask(self._wish, BEGIN)
        if change.done:
            self._change = None
        self.time += self.step
        return Tick(CHANGES, CHANGING * KIND, 0.0, q.copy(), self.X_WC)

    def stop(self) -> Tick:
        """Brake as hard as the limits allow, off the way if need be."""
        self._rig.ask(self._wish, BRAKE)
        self.time += self.step
        return Tick(BRAKES, 0, 0.0, self._state.q.copy(), self.X_WC)

    # ---- inside

    def _start(self, q: npt.ArrayLike) -> Array:
        carrier, arm = self.carrier, self.carrier.arm
        start = np.array(q, float)
        if start.shape != (carrier.chain.dof,) or not np.isfinite(start).all():
            raise KinematicsError(
                f"a start is a posture of {carrier.chain.dof} finite values "
                f"({', '.join(carrier.chain.names)}), not {start.shape}"
            )
        over = np.maximum(arm.lower - start, start - arm.upper)
        if over.max() > 1e-9:
            name = carrier.chain.names[int(np.argmax(over))]
            raise KinematicsError(f"the start is outside the limits of joint '{name}'")
        return np.asarray(np.clip(start, arm.lower, arm.upper))

    def _cause(self, code: int) -> int:
        """Return what makes a joint so fast that hardly a motion is left: an end of the arm."""
        found = margins(self.carrier, self._state.X, self.branch)
        if found is None:
            return SINGULAR * KIND
        if min(found.outer, found.inner, found.dead) < _SLOW * self._arm.size:
            return TOO_FAR * KIND
        joint = code % KIND
        return WRIST * KIND if joint >= 3 and abs(math.sin(self._state.q[4])) < _SLOW else code

    def _safe(self) -> bool:
        """Return whether the arm, braking from now on, strikes nothing.

        Of the postures of its way to rest the distance is looked up where what was looked up
        before, less what anything can have moved since, does not suffice.
        """
        ways, probe = self._rig.flight.ways, self._probe
        was: float | None = None
        left = ways.left.tolist()
        for k in range(len(left)):
            if left[k] > self._margin:
                continue
            found = probe.distance(ways.postures[k], self._far)
            ways.places[k], ways.distances[k] = ways.postures[k], found
            ways.stood[k] = probe.links
            if found > self._margin:
                left = [
                    max(a, found - b) for a, b in zip(left, ways.between[k].tolist(), strict=True)
                ]
                continue
            names = probe.names
            if was is None:
                was = probe.distance(self._rig.flight.saved.q, self._far)
            # what is too near already may go away
            if was <= self._margin + 1e-3 and found >= was:
                continue
            if names is not None:
                self._struck = f"clash: {names[0]} would strike {names[1]}"
            return False
        return True

    _struck = "clash"

    @cached_property
    def _probe(self) -> ClashProbe:
        clash = self.carrier.clash
        assert clash is not None
        return ClashProbe(clash, self.carrier.coordinates, self.carrier.figure.neutral)


def start_at(carrier: Carrier, X_WC: npt.ArrayLike, near: npt.ArrayLike | None = None) -> Array:
    """Return the posture (dof,) within limits that holds the camera at ``X_WC`` (4, 4).

    Of all branches the one nearest to ``near``, the neutral posture where None is given. Raise
    KinematicsError that says why there is none.
    """
    chain = carrier.chain
    X = carrier.in_base(X_WC)
    wished = chain.neutral if near is None else np.asarray(near, float)
    try:
        found = chain.all_inverse(X)
    except KinematicsError:
        best = chain.inverse(X, start=wished, tolerance=1e-9)
        if not bool(np.all(best.found)):
            raise KinematicsError(
                f"'{carrier.figure.name}' cannot hold the camera there: {best.explain()}"
            ) from None
        return np.asarray(best.q, float).reshape(-1)
    q = found.q[found.within]
    if not len(q):
        raise KinematicsError(
            f"'{carrier.figure.name}' cannot hold the camera there: {found.explain()}"
            + ("" if int(found.reason) == Reason.LIMITS else "; move the start nearer to the robot")
        )
    return np.array(q[int(np.argmin(np.abs(q - wished).max(axis=1)))])


__all__ = ["FOLLOWS", "PASSES", "RESTS", "STATES", "STOPPED", "Pilot", "Tick", "start_at"]
