"""The mover that lets MuJoCo carry a world through time, behind the dynamic protocol.

The state's own arrays (``mujoco.qpos``, ``mujoco.qvel``) are MuJoCo's joint coordinates; bodies,
energies, hinge coordinates and all else are those of the dynamic domain, so that the two can be
laid side by side. Loops and contacts are soft here: gaps are reported, not promised.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from articulata.domains.dynamic.body_wrenches import control_wrenches
from articulata.domains.dynamic.channels import booked, unsolved
from articulata.domains.dynamic.contact.laws import Contact
from articulata.domains.dynamic.contact.parting import parted
from articulata.domains.dynamic.couplings import COUPLING
from articulata.domains.dynamic.dynamic_domain import DynamicModel
from articulata.domains.dynamic.mechanism import (
    COORDINATE,
    FREE,
    ORIENTATION,
    POSITION,
    RATE,
    VELOCITY,
    motion_of,
)
from articulata.domains.dynamic.methods import MuJoCo
from articulata.domains.dynamic.mujoco.geoms import DEPTH, TOUCHED, Pair, Touching, told
from articulata.domains.dynamic.mujoco.mjspec import Scene, build_scene, load
from articulata.domains.dynamic.readings import CAUSES
from articulata.domains.dynamic.state_transfer import joined_after
from articulata.domains.protocols import Control, Model, Motion, Moved, Watch
from articulata.errors import SimulationError
from articulata.geometry.arrays import Array, IntArray
from articulata.records.events import Event
from articulata.records.state import Channel, State
from articulata.world.edits.transaction import Edit
from articulata.world.model import World

QPOS = "mujoco.qpos"
QVEL = "mujoco.qvel"

STANDS = 1e-9
"""Distance (m) of a body from where a state has it, beyond which joints count from elsewhere."""

SHARE = 1e-9
"""A step divides a cycle evenly; a remainder below this share of it is rounding."""

UNKNOWN = ("dynamic.multipliers", COUPLING)
"""Channels that MuJoCo's joints do not tell."""

_SOLVED = ("dynamic.acceleration", "dynamic.angular_acceleration", "dynamic.hinge_force")


@dataclass(frozen=True)
class MujocoModel(Motion):
    """A dynamic model moved by MuJoCo: state in; accelerations and forces out; advance by dt."""

    inner: DynamicModel
    method: MuJoCo
    contact: Contact | None = None

    @property
    def world(self) -> World:
        """The world that moves."""
        return self.inner.world

    @cached_property
    def scene(self) -> Scene:
        """The compiled model and what its numbers mean."""
        return self._scene_at(self.inner.start())

    def _scene_at(self, arrays: Mapping[str, Array]) -> Scene:
        method = self.method
        touching = self.contact if method.contacts else None
        return build_scene(self.inner.parts, dict(arrays), method.step, method.integrator, touching)

    @cached_property
    def _touching(self) -> Touching:
        possible = self.method.contacts and self.contact is not None
        return Touching(self.scene.model, self.scene.body, possible)

    @cached_property
    def _data(self) -> Any:
        return load().MjData(self.scene.model)

    @cached_property
    def _turned(self) -> Array:
        """Hinge angles from which force elements count on through whole turns."""
        return np.zeros(len(self.inner.parts.coordinates))

    @property
    def channels(self) -> tuple[Channel, ...]:
        """MuJoCo's coordinates and the dynamic domain's channels, but for what rows alone tell."""
        kept = (c for c in self.inner.channels if c.name not in UNKNOWN)
        bodies = self.inner.parts.bodies
        own = [Channel(QPOS, "m, rad"), Channel(QVEL, "m/s, rad/s")]
        if self._touching.possible:
            own += [Channel(TOUCHED, "s", bodies), Channel(DEPTH, "m", bodies)]
        return (*own, *kept)

    def start(self) -> Mapping[str, Array]:
        """Return the state at the start; joint rates are those nearest to the bodies' own."""
        return self._begun(dict(self.inner.start()))

    def _begun(self, arrays: dict[str, Array]) -> dict[str, Array]:
        """Return ``arrays`` of a state where all joints count from zero with MuJoCo's own."""
        mujoco = load()
        model, data = self.scene.model, self._data
        mujoco.mj_resetData(model, data)
        mujoco.mj_forward(model, data)
        rows, wanted = [], []
        for number, body in enumerate(self.scene.body):
            J_v, J_w = np.zeros((3, model.nv)), np.zeros((3, model.nv))
            mujoco.mj_jacBodyCom(model, data, J_v, J_w, int(body))
            rows += [J_v, J_w]
            wanted += [arrays[VELOCITY][number], arrays[RATE][number]]
        qvel = np.zeros(0)
        if model.nv:
            qvel = np.linalg.lstsq(np.concatenate(rows), np.concatenate(wanted), rcond=None)[0]
        arrays[QPOS], arrays[QVEL] = data.qpos.copy(), qvel
        if self._touching.possible:
            arrays.update(self._touching.begin())
            self._touching.look(data, 0.0, arrays[TOUCHED], arrays[DEPTH])
        return arrays

    def start_events(self) -> tuple[Event, ...]:
        """Return what the dynamic domain says of the start, and what MuJoCo only approximates."""
        found = list(self.inner.start_events())
        story = (
            f"MuJoCo {load().__version__} moves this world in steps of {self.method.step:g} s "
            f"({self.method.integrator}); loops and contacts are soft."
        )
        if self.scene.hulls:
            story += f" For contact these bodies are their convex hulls: {self._hulls()}."
        limited = [hinge.id for hinge, _ in self.scene.loops if hinge.limits]
        if limited:
            story += f" Limits of hinges that close loops are not held: {', '.join(limited)}."
        found.append(Event(0.0, "backend", self.scene.hulls, story=story))
        return tuple(found)

    def _hulls(self) -> str:
        return ", ".join(self.scene.hulls)

    @property
    def touching(self) -> bool:
        """Whether bodies may touch, so that ``leg`` is to be asked instead of ``advance``."""
        return self._looks

    def stride(self, state: State) -> float:
        """Return the step of MuJoCo, s."""
        return self.method.step

    def parted(self, edit: Edit, state: State) -> tuple[Edit, ...]:
        """Return what keeps bodies from contact that hinges which ``edit`` ends leave in others."""
        contact = self.contact if self._looks else None
        return parted(self.inner.parts, contact, self.inner.interference, edit, state)

    def leg(
        self, state: State, until: float, control: Control, watch: Watch | None = None
    ) -> tuple[State, tuple[Event, ...]]:
        """Return the state at ``until`` (s), or at the end of the step in which a pair met or left.

        ``watch`` is shown the motion within each step, ``at(share)``, and says at which share up
        to ``last`` the way is to end; above 1 for none.
        """
        if watch is None:
            return self._gone(state, until, control, stop=True)
        while True:
            rest = until - state.time
            h = rest / max(1, int(np.ceil(rest / self.method.step - SHARE)))
            begin, end = state, until if h == rest else state.time + h

            def at(share: float, begin: State = begin, h: float = h) -> State:
                return begin if share <= 0.0 else self.advance(begin, share * h, control)

            share = watch(at, 1.0)
            if share <= 1.0:
                end = begin.time + share * h
            state, events = self._gone(begin, end, control, stop=True)
            if events or share <= 1.0 or state.time >= until:
                return state, events

    def after(self, models: Mapping[str, Model], before: State, state: State, edit: Edit) -> Moved:
        """Return how the world goes on after ``edit``.

        MuJoCo's model is made anew where the bodies are; what it kept of its last step is gone.
        """
        inner = cast("DynamicModel", models["dynamic"])
        state, values = joined_after(self.inner, before, inner, state, edit)
        after = MujocoModel(inner, self.method, self.contact)
        vars(after)["scene"] = after._scene_at(state.arrays)
        arrays = after._begun(dict(state.arrays))
        for number, name in enumerate(inner.parts.bodies):
            if after._looks and self._looks and name in self.inner.parts.index:
                for channel in (TOUCHED, DEPTH):
                    there = state.arrays.get(channel)
                    if there is not None:
                        arrays[channel][number] = there[self.inner.parts.index[name]]
        note = " MuJoCo's model is made anew where the bodies are."
        return Moved(after, State(state.time, arrays, state.version), values, note)

    def observe(self, state: State) -> dict[str, Array]:
        """Return what ``state`` alone tells."""
        return self.inner.observer.observe(state)

    def before(self, state: State) -> dict[str, Array]:
        """Return what can be sensed before anything was solved."""
        found = {**self.observe(state), **unsolved(self.inner.parts, None)}
        return {name: values for name, values in found.items() if name not in UNKNOWN}

    def solve(self, state: State, control: Control) -> dict[str, Array]:
        """Return accelerations and hinge forces at ``state``, and all that it tells alone."""
        mujoco = load()
        model, data = self.scene.model, self._data
        self._put(state)
        mujoco.mj_fwdPosition(model, data)
        mujoco.mj_fwdVelocity(model, data)
        self._push(state.time, control)
        mujoco.mj_forward(model, data)
        mujoco.mj_rnePostConstraint(model, data)
        n = len(self.scene.body)
        linear, angular = np.zeros((n, 3)), np.zeros((n, 3))
        both = np.zeros(6)
        for number, body in enumerate(self.scene.body):
            if self.inner.parts.kind[number] == FREE:
                kind = mujoco.mjtObj.mjOBJ_BODY
                mujoco.mj_objectAcceleration(model, data, kind, int(body), both, 0)
                # MuJoCo's is what an accelerometer feels
                linear[number] = both[3:] + self.world.gravity
                angular[number] = both[:3]
        found = (linear, angular, self._hinge_forces())
        return {**self.observe(state), **dict(zip(_SOLVED, found, strict=True))}

    def advance(self, state: State, dt: float, control: Control) -> State:
        """Return the state ``dt`` seconds later."""
        return self._gone(state, state.time + dt, control, stop=False)[0]

    def _gone(
        self, state: State, until: float, control: Control, stop: bool
    ) -> tuple[State, tuple[Event, ...]]:
        """Return the state at ``until``, or where two bodies have met or left where to ``stop``."""
        mujoco = load()
        self._put(state)
        model, data = self.scene.model, self._data
        dt = until - state.time
        steps = max(1, round(dt / self.method.step))
        model.opt.timestep = dt / steps
        touches = {name: state.arrays[name].copy() for name in (TOUCHED, DEPTH) if self._looks}
        known: frozenset[Pair] = frozenset()
        met: frozenset[Pair] = frozenset()
        done = steps
        if self._looks:
            touches[DEPTH][:] = 0.0
            mujoco.mj_fwdPosition(model, data)
            # what touches at the very start is told at the end of the first step
            known = met = self._touching.pairs(data) if state.time > 0.0 else frozenset()
        if not self._pushed and not self._looks:
            mujoco.mj_step(model, data, nstep=steps)
        else:
            for number in range(steps):
                self._one_of(state.time + number * dt / steps, control)
                if not self._looks:
                    continue
                # what MuJoCo keeps are the contacts at the step's beginning
                time = state.time + number * dt / steps
                self._touching.look(data, time, touches[TOUCHED], touches[DEPTH])
                if stop and number + 1 < steps:
                    met = self._touching.pairs(data)
                    if met != known:
                        done = number + 1
                        break
        time = until if done == steps else state.time + done * dt / steps
        if not (np.all(np.isfinite(data.qpos)) and np.all(np.isfinite(data.qvel))):
            raise SimulationError(
                f"MuJoCo's state stopped being numbers before t = {time:.9g} s; take a "
                f"smaller step than {self.method.step:g} s"
            )
        mujoco.mj_forward(model, data)
        if self._looks:
            self._touching.look(data, time, touches[TOUCHED], touches[DEPTH])
            met = self._touching.pairs(data)
        arrays = {**state.arrays, **self._bodies(), **touches}
        arrays[QPOS], arrays[QVEL] = data.qpos.copy(), data.qvel.copy()
        # MuJoCo's own integrals are not asked for
        working = self.inner.engine.working
        if working or self._takes or known or met or self._touched(touches, state):
            work = np.nan if working else 0.0
            arrays |= booked(state.arrays, work, np.full(len(CAUSES), np.nan))
        after = State(time, arrays, state.version)
        arrays[COORDINATE] = self.inner.observer.followed(state, arrays, time - state.time)
        return after, told(self.inner.parts, known, met, time)

    @cached_property
    def _pushed(self) -> bool:
        """Whether anything acts that MuJoCo does not compute by itself."""
        parts = self.inner.parts
        own_gravity = parts.gravity[parts.kind == FREE] != self.world.gravity
        return bool(self.inner.elements or self.world.drives or np.any(own_gravity))

    @cached_property
    def _takes(self) -> bool:
        """Whether soft loops or limits of hinges may take energy at any time."""
        limited = any(hinge.limits for hinge in self.world.hinges.values())
        return limited or bool(self.scene.loops)

    def _touched(self, touches: Mapping[str, Array], before: State) -> bool:
        """Tell whether anything has touched since ``before``."""
        same = not self._looks or np.array_equal(
            touches[TOUCHED], before.arrays[TOUCHED], equal_nan=True
        )
        return not same

    @property
    def _looks(self) -> bool:
        return self._touching.possible

    def _one_of(self, time: float, control: Control) -> None:
        """Take one of the steps of a cycle."""
        if not self._pushed:
            load().mj_step(self.scene.model, self._data)
        elif self.method.integrator == "RK4":
            self._runge_kutta(time, control)
        else:
            self._one_step(time, control)

    def _one_step(self, time: float, control: Control) -> None:
        """Take one of MuJoCo's steps, what acts held constant over it."""
        mujoco = load()
        mujoco.mj_forward(self.scene.model, self._data)
        self._push(time, control)
        mujoco.mj_step(self.scene.model, self._data)

    def _runge_kutta(self, time: float, control: Control) -> None:
        """Take one step of MuJoCo's own method of order 4, what acts asked anew at each stage."""
        mujoco = load()
        model, data = self.scene.model, self._data
        h = float(model.opt.timestep)
        q0, v0 = data.qpos.copy(), data.qvel.copy()
        speeds, accelerations = np.zeros((4, model.nv)), np.zeros((4, model.nv))
        for stage, share in enumerate((0.0, 0.5, 0.5, 1.0)):
            travelled = share * h * speeds[stage - 1]
            if stage:
                data.qpos[:] = q0
                mujoco.mj_integratePos(model, data.qpos, travelled, 1.0)
                data.qvel[:] = v0 + share * h * accelerations[stage - 1]
            mujoco.mj_fwdPosition(model, data)
            mujoco.mj_fwdVelocity(model, data)
            self._push(time + share * h, control)
            mujoco.mj_forward(model, data)
            speeds[stage] = self._from_start(travelled, data.qvel)
            accelerations[stage] = data.qacc
        weights = np.array([1.0, 2.0, 2.0, 1.0]) / 6.0
        data.qpos[:] = q0
        mujoco.mj_integratePos(model, data.qpos, weights @ speeds, h)
        data.qvel[:] = v0 + h * (weights @ accelerations)
        data.time = time + h

    @cached_property
    def _balls(self) -> IntArray:
        """First velocity of each joint that turns freely."""
        mujoco = load()
        model = self.scene.model
        kinds, first = model.jnt_type, model.jnt_dofadr
        free = first[kinds == int(mujoco.mjtJoint.mjJNT_FREE)] + 3
        return np.concatenate([free, first[kinds == int(mujoco.mjtJoint.mjJNT_BALL)]])

    def _from_start(self, travelled: Array, qvel: Array) -> Array:
        """Return ``qvel`` as the rate of the turn ``travelled`` since the step's beginning.

        Turns do not commute: where the rate in the turned axes is w, that of the turn u itself is
        w + u x w / 2 + u x (u x w) / 12 + ...; without it the method were of order 2 (Munthe-Kaas,
        BIT Numerical Mathematics 38 (1998) 92).
        """
        rate = qvel.copy()
        for first in self._balls:
            u, w = travelled[first : first + 3], qvel[first : first + 3]
            across = np.cross(u, w)
            rate[first : first + 3] = w + across / 2.0 + np.cross(u, across) / 12.0
        return rate

    def _put(self, state: State) -> None:
        """Bring MuJoCo to ``state``."""
        mujoco = load()
        data = self._data
        self._turned[:] = state.arrays[COORDINATE]
        mujoco.mj_resetData(self.scene.model, data)
        data.qpos[:], data.qvel[:] = state.arrays[QPOS], state.arrays[QVEL]
        data.time = state.time
        mujoco.mj_kinematics(self.scene.model, data)
        if np.max(np.abs(self._bodies()[POSITION] - state.arrays[POSITION]), initial=0.0) > STANDS:
            self._stand(state)

    def _stand(self, state: State) -> None:
        """Let joints count from where ``state`` has the bodies: one of a run that was edited."""
        for name in ("scene", "_data", "_touching"):
            vars(self).pop(name, None)
        vars(self)["scene"] = self._scene_at(state.arrays)
        begun = self._begun(dict(state.arrays))
        self._data.qpos[:], self._data.qvel[:] = begun[QPOS], begun[QVEL]
        self._data.time = state.time

    def _push(self, time: float, control: Control) -> None:
        """Hand springs, dampers, controls and gravities of their own to MuJoCo."""
        parts = self.inner.parts
        if not self._pushed:
            return
        motion = motion_of({**self._bodies(), COORDINATE: self._turned})
        total = control_wrenches(parts, motion, control(time))
        for element in self.inner.elements:
            element.add(motion, time, total)
        total[:, :3] += parts.mass[:, None] * (parts.gravity - np.array(self.world.gravity))
        total[parts.kind != FREE] = 0.0
        self._data.xfrc_applied[:] = 0.0
        self._data.xfrc_applied[self.scene.body] = total

    def _bodies(self) -> dict[str, Array]:
        """Return places and velocities of the bodies as MuJoCo has them."""
        mujoco = load()
        model, data = self.scene.model, self._data
        parts, body = self.inner.parts, self.scene.body
        free = parts.kind == FREE
        arrays = {
            POSITION: data.xpos[body]
            + np.einsum("nij,nj->ni", data.xmat[body].reshape(-1, 3, 3), parts.center[:-1]),
            ORIENTATION: data.xquat[body].copy(),
            VELOCITY: np.zeros((len(body), 3)),
            RATE: np.zeros((len(body), 3)),
        }
        both = np.zeros(6)
        for number in np.flatnonzero(free):
            kind = mujoco.mjtObj.mjOBJ_BODY
            mujoco.mj_objectVelocity(model, data, kind, int(body[number]), both, 0)
            arrays[VELOCITY][number], arrays[RATE][number] = both[3:], both[:3]
        return arrays

    def _hinge_forces(self) -> Array:
        """Return (hinges, 6): force and moment on body A about its hinge point."""
        data, parts = self._data, self.inner.parts
        result = np.zeros((len(parts.hinges), 6))
        place = {hinge.id: number for number, hinge in enumerate(parts.hinges)}
        for child, hinge in self.scene.hinge_of.items():
            wrench = self._between(int(self.scene.body[child]), self._point(hinge))
            sign = 1.0 if parts.index[hinge.body_a] == child else -1.0
            result[place[hinge.id]] = sign * wrench
        for hinge, rows in self.scene.loops:
            for row in rows:
                mine = np.flatnonzero((data.efc_id == row) & (data.efc_type == 0))
                force = data.efc_force[mine]
                result[place[hinge.id], :3] += force[:3]
                if len(force) == 6:
                    result[place[hinge.id], 3:] += force[3:]
                elif row != rows[0]:
                    arm = data.xmat[self._number(hinge)].reshape(3, 3) @ (
                        self.scene.model.eq_data[row][:3] - np.array(hinge.frame_a.position)
                    )
                    result[place[hinge.id], 3:] += np.cross(arm, force[:3])
        return result

    def _number(self, hinge: Any) -> int:
        return int(self.scene.body[self.inner.parts.index[hinge.body_a]])

    def _point(self, hinge: Any) -> Array:
        """Return the hinge point of body A in W."""
        body = self._number(hinge)
        X, R = self._data.xpos[body], self._data.xmat[body].reshape(3, 3)
        return np.asarray(X + R @ np.array(hinge.frame_a.position))

    def _between(self, body: int, point: Array) -> Array:
        """Return force and moment about ``point`` that a body gets from its parent."""
        model, data = self.scene.model, self._data
        moment, force = data.cfrc_int[body, :3], data.cfrc_int[body, 3:]
        about = data.subtree_com[model.body_rootid[body]]
        return np.concatenate([force, moment + np.cross(about - point, force)])
