"""A model of MuJoCo as a scene: bodies where a key frame has them, on hinges of ours.

MuJoCo itself reads and compiles the file, so that defaults, includes and inertias are its own. What
is welded to a body is part of it. A body's joints become one hinge, or links between.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from articulata.errors import FormatError, MissingExtra
from articulata.formats.mjcf.bounds_of_models import check_files
from articulata.formats.mjcf.compiled_parts import (
    BETWEEN,
    FREE,
    HINGE,
    SLIDE,
    Y_TO_Z,
    ZERO,
    arms_of,
    ball_laws,
    drives,
    in_line,
    joint_laws,
    length_at_first,
    named_laws,
    one_hinge,
    pinned,
    spring_ends,
    spring_law,
    start_at_key,
    straight,
    tendon_drives,
    tendon_laws,
    through_gears,
    twist_of,
    weight_of,
)
from articulata.formats.mjcf.geoms import (
    Form,
    are_one,
    color_of,
    excluded,
    form_of,
    never_meeting,
    shape_of,
    touches,
)
from articulata.formats.scenes.foreign_scene import (
    LIGHT,
    ROTOR,
    Scene,
    SceneJoint,
    SceneLaw,
    ScenePart,
    SceneSpring,
    SceneTie,
    SceneView,
)
from articulata.geometry.arrays import Array
from articulata.geometry.joint_frames import axis_frame
from articulata.geometry.mass import six_moments
from articulata.geometry.poses import make_pose
from articulata.geometry.quaternion import q_to_matrix
from articulata.geometry.shapes import HalfSpace
from articulata.kinematics.described_figure import identifier
from articulata.world.figures.link_weights import Weight

KINDS: Final = {SLIDE: "slider", HINGE: "pin"}
LIGHTEST: Final = 2e-15
"""kg and kg m^2. MuJoCo takes no lighter body."""
MET: Final = 1e-6
"""m and parts of one by which an equality may be open at the start."""


def load() -> Any:
    """Return the module ``mujoco``; MissingExtra where it is not installed."""
    try:
        import mujoco
    except ImportError:
        raise MissingExtra(
            "a model of MuJoCo (MJCF) is read by the package mujoco, which is not installed; "
            "install it with: pip install 'articulata[mujoco]'"
        ) from None
    return mujoco


def read_scene(path: Path, key: str = "") -> Scene:
    """Return the scene of an MJCF file as in the key frame ``key``, else as in its first.

    FormatError for what MuJoCo or our hinges cannot hold.
    """
    mujoco = load()
    check_files(path)
    try:
        model = mujoco.MjSpec.from_file(str(path)).compile()
    except ValueError as error:
        raise FormatError(f"{path}: MuJoCo cannot read it: {error}") from error
    return _Reading(mujoco, model, path, key).scene()


class _Reading:
    """Goes through a compiled model where it starts."""

    def __init__(self, mujoco: Any, model: Any, path: Path, key: str) -> None:
        self.model = model
        self.path = path
        self.mujoco = mujoco
        self.data = mujoco.MjData(model)
        self.found = Scene(identifier(path.stem), path.name)
        start_at_key(mujoco, model, self.data, self.found, key)
        mujoco.mj_kinematics(model, self.data)
        mujoco.mj_comPos(model, self.data)
        mujoco.mj_camlight(model, self.data)
        model.qpos0[:] = self.data.qpos  # all counts from where it starts
        self.names: dict[int, str] = {0: ""}
        self.still = defaultdict[int, list[str]](list)
        self.twists: dict[str, Array] = {"": np.zeros(6)}
        self.joints: dict[int, str] = {}
        self.solids: dict[str, list[int]] = {}
        self.driven = drives(model, self.data.ctrl)
        self.drawn = tendon_drives(model, self.driven, self.data.ctrl)
        held = model.eq_type == mujoco.mjtEq.mjEQ_JOINT
        self.held = {int(e) for e in (*model.eq_obj1id[held], *model.eq_obj2id[held])}
        for number in range(model.ntendon):
            self.held |= set(arms_of(model, number))

    def scene(self) -> Scene:
        """Return all that is in it."""
        model, scene = self.model, self.found
        falls = not model.opt.disableflags & self.mujoco.mjtDisableBit.mjDSBL_GRAVITY
        x, y, z = (float(each) for each in falls * model.opt.gravity)
        scene.gravity = (x, y, z)
        groups: dict[int, list[int]] = defaultdict(list)
        for body in range(model.nbody):
            groups[int(model.body_weldid[body])].append(body)
        for group, bodies in groups.items():
            if group == 0:
                for body in bodies:
                    self._still(body)
            else:
                self._moving(group, bodies)
        for number in range(model.ncam):
            self._camera(number)
        for number in range(model.nsite):
            self._site(number)
        for number in range(model.ntendon):
            self._tendon(number)
        for number in range(model.neq):
            self._tie(number)
        scene.ties = pinned(scene.ties)
        scene.ignored += excluded(model, self.names, self.still)
        scene.ignored += never_meeting(model, self.solids, scene)
        self._count_lost()
        return scene

    def _count_lost(self) -> None:
        model, lost = self.model, self.found.lost
        others = self.driven.count(None) - sum(map(len, self.drawn.values()))
        for words, count in (
            ("actuator", others), ("sensor", model.nsensor),
            ("light", model.nlight), ("texture", model.ntex), ("flexible body", model.nflex),
            ("air or water", model.opt.density or model.opt.viscosity),
            ("pair of shapes that meet in their own way", model.npair),
            (ZERO, sum(bool(e.joint and e.joint.ref != e.joint.zero) for e in self.found.parts)),
        ):  # fmt: skip
            if count:
                lost[words] += int(count)

    # ---- bodies

    def _name(self, kind: str, number: int, otherwise: str) -> str:
        name = getattr(self.model, kind)(number).name
        name = f"{name}_{kind}" if name in BETWEEN and kind in ("tendon", "equality") else name
        return self.found.unique(identifier(name) if name else otherwise)

    def _pose(self, body: int) -> Array:
        return make_pose(self.data.xmat[body].reshape(3, 3), self.data.xpos[body])

    def _geoms(self, body: int) -> range:
        first = int(self.model.body_geomadr[body])
        return range(first, first + int(self.model.body_geomnum[body]))

    def _still(self, body: int) -> None:
        """Take a body that nothing moves: as a part, or each of its geoms where they differ."""
        called = self.model.body(body).name if body else "part"
        geoms = self._geoms(body)
        if body and called and are_one(self.model, geoms):
            name, X_WP = self._name("body", body, "body"), self._pose(body)
            form = self._form(list(geoms), name, X_WP)
            self.found.parts.append(ScenePart(name, X_WP, form.shape, form.look, form.color))
            self.still[body].append(name)
            return
        for geom in geoms:
            name = self._name("geom", geom, identifier(called or "part"))
            X = make_pose(self.data.geom_xmat[geom].reshape(3, 3), self.data.geom_xpos[geom])
            shape = shape_of(self.model, geom, name, self.found)
            if isinstance(shape, HalfSpace):
                X = X @ Y_TO_Z
            if shape is None:
                continue
            part = ScenePart(name, X, shape, color=color_of(self.model, geom))
            self.solids[name] = [geom]
            if not touches(self.model, geom):
                part = ScenePart(name, X, None, shape, color_of(self.model, geom))
            self.found.parts.append(part)
            self.still[body].append(name)

    def _form(self, geoms: list[int], name: str, X_WP: Array) -> Form:
        form = form_of(self.model, self.data, geoms, name, X_WP, self.found)
        self.solids[name] = form.touching
        return form

    def _moving(self, group: int, bodies: list[int]) -> None:
        name = self._name("body", group, "body")
        self.names[group] = name
        X_WP = self._pose(group)
        back = np.array(np.linalg.inv(X_WP), np.float64)
        form = self._form([each for body in bodies for each in self._geoms(body)], name, X_WP)
        if len(bodies) > 1:
            self.found.lost["body without a joint (part of what carries it)"] += len(bodies) - 1
        borne = self.model.body_gravcomp
        own = [each for each in bodies if borne[each] == borne[group] or not self._heavy([each])]
        weight = weight_of(self.model, self.data, own if self._heavy(own) else bodies, back)
        if weight.mass <= 0.0:
            raise FormatError(f"{self.path}: body '{name}' moves and has no mass")
        part = self._massive(name, X_WP, weight, float(borne[group]))
        part = replace(part, shape=form.shape, look=form.look, color=form.color)
        joint = self._joint(group, part)
        self.found.parts.append(replace(part, joint=joint, twist=self._twist(name)))
        if not self._heavy(own):
            own = bodies
        for share in sorted({float(borne[each]) for each in bodies if each not in own}):
            called = self.found.unique(f"{name}_borne")
            those = [each for each in bodies if each not in own and borne[each] == share]
            more = self._massive(called, X_WP, weight_of(self.model, self.data, those, back), share)
            moves = self._twist(name)
            self.found.parts.append(replace(more, joint=self._welded(part), twist=moves))

    def _heavy(self, bodies: list[int]) -> bool:
        return float(self.model.body_mass[bodies].sum()) > 0.0

    def _massive(self, name: str, X_WP: Array, weight: Weight, borne: float) -> ScenePart:
        """Return a part without a form, of whose weight the share ``borne`` is compensated."""
        gravity = None
        if borne:
            gx, gy, gz = ((1.0 - borne) * each for each in self.found.gravity)
            gravity = (gx, gy, gz)
        x, y, z = weight.center.tolist()
        J = six_moments(weight.inertia)
        return ScenePart(name, X_WP, mass=weight.mass, center=(x, y, z), inertia=J, gravity=gravity)

    def _welded(self, part: ScenePart) -> SceneJoint:
        return SceneJoint(self.found.unique(f"{part.name}_weld"), "weld", part.X_WP, part.name)

    # ---- joints

    def _joint(self, body: int, part: ScenePart) -> SceneJoint | None:
        """Return the hinge that a body's joints make up; None where it is free.

        Where no hinge has their freedoms, or something acts along one of them, each but the last
        moves a link of its own, too light to be felt.
        """
        model, data = self.model, self.data
        first = int(model.body_jntadr[body])
        joints = list(range(first, first + int(model.body_jntnum[body])))
        kinds = [int(model.jnt_type[each]) for each in joints]
        parent = self.names[int(model.body_weldid[model.body_parentid[body]])]
        self.twists[part.name] = self.twists[parent].copy()
        if kinds == [FREE]:
            self.twists[part.name] += twist_of(model, data, joints)
            self._free(first, part)
            return None
        axes, places = data.xaxis[joints], data.xanchor[joints]
        kind, z, x = one_hinge(kinds, axes, places)
        acting = [what for each in joints for what in self._acting(each)]
        if not kind or (acting and len(joints) > 1):
            return self._by_links(joints, part, parent)
        X = make_pose(axis_frame(z)[:3, :3], places[-1])
        if x is not None:
            X[:3, :3] = np.column_stack([x, np.cross(z, x), z])
        called = self._name("jnt", joints[0], f"{part.name}_joint")
        if kind in ("pin", "slider"):
            return self._single(joints[0], called, kind, X, parent)
        self.twists[part.name] += twist_of(model, data, joints)
        if len(joints) > 1:  # nothing acts along them
            return SceneJoint(called, kind, X, parent)
        laws = named_laws(self.found, called, ball_laws(model, joints[0], acting, self.found.lost))
        return SceneJoint(called, kind, X, parent, laws=laws)

    def _twist(self, name: str) -> Array | None:
        return self.twists[name].copy() if self.twists[name].any() else None

    def _free(self, joint: int, part: ScenePart) -> None:
        """Take what acts on a free body: its rotor is a mass that nothing pulls."""
        lost = set(self._acting(joint))
        if "rotor" in lost:
            lost.discard("rotor")
            a = float(self.model.dof_armature[self.model.jnt_dofadr[joint]])
            name = self.found.unique(f"{part.name}_rotor")
            rotor = self._massive(name, part.X_WP, Weight(a, np.zeros(3), a * np.eye(3)), 1.0)
            held, moves = self._welded(part), self._twist(part.name)
            self.found.parts.append(replace(rotor, joint=held, twist=moves))
        for what in sorted(lost):
            self.found.lost[f"{what} of a free body"] += 1

    def _acting(self, joint: int) -> list[str]:
        """Return what acts along a joint or ends its motion."""
        model, dof = self.model, int(self.model.jnt_dofadr[joint])
        given = (
            ("limits", model.jnt_limited[joint]), ("spring", model.jnt_stiffness[joint]),
            ("damping", model.dof_damping[dof]), ("rotor", model.dof_armature[dof]),
            ("dry friction", model.dof_frictionloss[dof]), ("tie", joint in self.held),
            ("actuator", any(each.joint == joint for each in self.driven if each)),
        )  # fmt: skip
        return [what for what, there in given if there]

    def _by_links(self, joints: list[int], part: ScenePart, parent: str) -> SceneJoint:
        """Return the last of several joints of a body; the others move links before it."""
        model, data, scene, on = self.model, self.data, self.found, parent
        assert part.mass is not None
        for joint in joints:
            kind = KINDS.get(int(model.jnt_type[joint]), "ball")
            X = make_pose(axis_frame(data.xaxis[joint])[:3, :3], data.xanchor[joint])
            called = self._name("jnt", joint, f"{part.name}_joint")
            if kind == "ball":
                laws = ball_laws(model, joint, self._acting(joint), scene.lost)
                held = SceneJoint(called, kind, X, on, laws=named_laws(self.found, called, laws))
                self.twists[part.name] += twist_of(model, data, [joint])
            else:
                held = self._single(joint, called, kind, X, on)
            if joint == joints[-1]:
                break
            on = scene.unique(f"{part.name}_link")
            weight = Weight(
                LIGHT * part.mass,
                np.array(part.center),
                LIGHT * np.eye(3) * np.mean(part.inertia[:3]),
            )
            link = self._massive(on, part.X_WP, weight, 0.0)
            scene.parts.append(replace(link, joint=held, twist=self._twist(part.name)))
        if parent:  # neighbours never touch, and now they are none
            scene.ignored.append((part.name, parent))
        return held

    def _single(self, joint: int, called: str, kind: str, X: Array, parent: str) -> SceneJoint:
        """Return a pin or slider with all that acts along it."""
        model, at = self.model, int(self.model.jnt_dofadr[joint])
        zero = float(model.qpos0[model.jnt_qposadr[joint]])
        rotor = float(model.dof_armature[at])
        rotor += through_gears(model, "armature", joint, self.driven)
        if rotor:
            called = self._with_rotor(called)
        limits = None
        if model.jnt_limited[joint]:
            low, high = (float(each) - zero for each in model.jnt_range[joint])
            limits = (low, high)
        self.joints[joint] = called
        laws = named_laws(
            self.found, called, joint_laws(model, joint, self.driven, self.found.lost)
        )
        friction = float(model.dof_frictionloss[at])
        rate = float(self.data.qvel[at])
        return SceneJoint(called, kind, X, parent, limits, laws, friction, rotor, rate, zero)

    def _tendon(self, tendon: int) -> None:
        """Take a tendon over joints as a wheel that turns by its length, geared to their sum.

        One between two places is a spring.
        """
        model, scene, lost = self.model, self.found, Counter[str]()
        if (ends := spring_ends(model, tendon)) is not None:
            name, (a, b) = self._name("tendon", tendon, "spring"), ends
            one, other = (self.names[int(model.body_weldid[model.site_bodyid[e]])] for e in ends)
            p, r = (np.array(self.data.site_xpos[each]) for each in (a, b))
            scene.springs.append(SceneSpring(name, one, other, p, r, *spring_law(model, tendon)))
            return
        laws = tendon_laws(model, tendon, self.drawn[tendon], lost)
        arms = arms_of(model, tendon)
        own = [float(getattr(model, f"tendon_{e}")[tendon]) for e in ("frictionloss", "armature")]
        limited = bool(model.tendon_limited[tendon])
        scene.lost += lost
        if not (laws or any(own) or limited):
            return
        if not self._alike(arms):
            scene.lost["tendon"] += 1
            return
        called, limits = self._name("tendon", tendon, "tendon"), None
        if limited:
            zero = length_at_first(model, arms)
            low, high = (float(each) - zero for each in model.tendon_range[tendon])
            limits = (low, high)
        if own[1] and not in_line(model, arms):
            scene.lost["tendon's armature over branches (it couples them, not so in MuJoCo)"] += 1
        J = max(own[1], LIGHTEST, LIGHT / float(model.tendon_invweight0[tendon]))
        rate = sum(arm * float(self.data.qvel[model.jnt_dofadr[e]]) for e, arm in arms.items())
        wheel = self._wheel(called, J, named_laws(self.found, called, laws), own[0], limits, rate)
        self._geared(f"{called}_gear", arms, wheel, 1.0)

    def _geared(self, name: str, arms: dict[int, float], wheel: str, ratio: float) -> None:
        """Tie a joint to the sum of others."""
        (first, arm), *more = ((self.joints[joint], arm) for joint, arm in arms.items())
        others = tuple((joint, 1 if each == arm else -1) for joint, each in more)
        name = self.found.unique(name)
        tie = SceneTie(name, "gear", first, wheel, ratio=arm * ratio, others=others)
        self.found.ties.append(tie)

    def _alike(self, arms: dict[int, float]) -> bool:
        """Return whether a gear can hold the sum of some joints."""
        kinds = {int(self.model.jnt_type[joint]) for joint in arms}
        sizes = {abs(arm) for arm in arms.values()}
        return len(kinds) == len(sizes) == 1 and arms.keys() <= self.joints.keys()

    def _wheel(
        self, called: str, J: float, laws: tuple[SceneLaw, ...] = (), friction: float = 0.0,
        limits: tuple[float, float] | None = None, rate: float = 0.0,
    ) -> str:  # fmt: skip
        """Add a wheel at the origin that nothing pulls, and return the name of its pin."""
        pin = SceneJoint(called, "pin", np.eye(4), "", limits, laws, friction, rate=rate)
        name, weight = self.found.unique(f"{called}_wheel"), Weight(J, np.zeros(3), J * np.eye(3))
        self.found.parts.append(replace(self._massive(name, np.eye(4), weight, 0.0), joint=pin))
        return called

    def _with_rotor(self, called: str) -> str:
        """Return the name of a joint after which its rotor can be called, and keep those names."""
        names = self.found.names
        while names.keys() & (taken := {f"{called}_{word}" for word in ROTOR}):
            called = self.found.unique(f"{called}_2")
        names.update(dict.fromkeys(taken, 1))
        return called

    def _tie(self, number: int) -> None:
        """Take an equality that holds where the model stands."""
        model, data, types = self.model, self.data, self.mujoco.mjtEq
        kind, given = int(model.eq_type[number]), model.eq_data[number]
        a, b = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
        name = self._name("equality", number, "tie")
        if not model.eq_active0[number]:
            pass
        elif kind == types.mjEQ_JOINT and {a, b} <= set(self.joints) and straight(model, number):
            # MuJoCo moves the first by the second
            tie = SceneTie(name, "gear", self.joints[b], self.joints[a], ratio=float(given[1]))
            self.found.ties.append(tie)
            return
        elif kind == types.mjEQ_JOINT and given[2:5].any():
            raise FormatError(
                f"{self.path}: the equality '{name}' lets joint '{model.joint(a).name}' follow "
                "along a curve, which no gear here does. Make it straight (polycoef a b 0 0 0), "
                "or inactive"
            )
        elif kind == types.mjEQ_TENDON and b < 0 and not given[:5].any():
            arms = arms_of(model, a)
            last, arm = arms.popitem() if arms else (-1, 0.0)
            if last in self.joints and self._alike(arms):
                self._geared(name, arms, self.joints[last], -1.0 / arm)
                return
        elif kind in (types.mjEQ_CONNECT, types.mjEQ_WELD):
            ends, weld = (a, b), kind == types.mjEQ_WELD
            if model.eq_objtype[number] == self.mujoco.mjtObj.mjOBJ_SITE:
                X, Y = (make_pose(data.site_xmat[each].reshape(3, 3), data.site_xpos[each])
                        for each in ends)  # fmt: skip
                a, b = (int(model.site_bodyid[each]) for each in ends)
            elif weld:
                X = self._pose(a) @ make_pose(q_to_matrix(given[6:10]), given[3:6])
                Y = self._pose(b)
            else:
                X, Y = (self._pose(each) @ make_pose(np.eye(3), p)
                        for each, p in zip(ends, (given[:3], given[3:6]), strict=True))  # fmt: skip
                Y = make_pose(X[:3, :3], Y[:3, 3])
            if np.allclose(X, Y, rtol=0.0, atol=MET):
                first, second = (self.names[int(model.body_weldid[each])] for each in (a, b))
                if first != second:
                    tie = SceneTie(name, "weld" if weld else "ball", first, second, X)
                    self.found.ties.append(tie)
                return
        self.found.lost["equality"] += 1

    # ---- shapes and cameras

    def _site(self, number: int) -> None:
        model, data = self.model, self.data
        if name := model.site(number).name:
            X = make_pose(data.site_xmat[number].reshape(3, 3), data.site_xpos[number])
            owner = self.names[int(model.body_weldid[model.site_bodyid[number]])]
            self.found.mark(owner, identifier(name), X)

    def _camera(self, number: int) -> None:
        model, data = self.model, self.data
        flat = bool(getattr(model, "cam_projection", np.zeros(model.ncam))[number])
        if flat or int(model.body_weldid[model.cam_bodyid[number]]):
            self.found.lost["camera without perspective" if flat else "camera on what moves"] += 1
            return
        X = make_pose(data.cam_xmat[number].reshape(3, 3), data.cam_xpos[number])
        upwards = float(np.clip(np.radians(model.cam_fovy[number]), 0.02, 3.0))
        self.found.views.append(SceneView(self._name("camera", number, "view"), X, upwards))
