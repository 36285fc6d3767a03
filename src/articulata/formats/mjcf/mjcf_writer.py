"""A scene as MJCF: bodies in the tree of their joints, masses and inertias to 15 digits.

``qpos0`` is where the scene stands; joints of one freedom keep their values there. What moves at
the start does so in the key frame ``start``. What touches without being seen is in group 3, as
MuJoCo's viewer has it. Where MuJoCo is installed it compiles what was written.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.util import find_spec
from typing import Final, TypeAlias
from xml.sax.saxutils import quoteattr

import numpy as np

from articulata.errors import FormatError
from articulata.formats.mjcf.compiled_parts import CLOSE, KEPT, Y_TO_Z
from articulata.formats.mjcf.written_parts import own_names, stacks, twists, weighed, with_rotors
from articulata.formats.scenes.foreign_scene import (
    HULL,
    STARTS,
    Scene,
    SceneJoint,
    SceneLaw,
    ScenePart,
    SceneTie,
    triangles_of,
)
from articulata.formats.scenes.world_laws import CONTROL
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_from_matrix
from articulata.geometry.shapes import (
    Capsule,
    Cuboid,
    Cylinder,
    HalfSpace,
    Mesh,
    Named,
    Placed,
    Shape,
    Sphere,
    Union,
)

SLIDES: Final = {"slider": (2,), "cylindrical": (2,), "planar": (0, 1)}
TURNS: Final = {"pin": (2,), "cylindrical": (2,), "planar": (2,), "universal": (0, 2)}
"""Axes of a joint's frame along and about which the child moves, from the parent on."""

ARM: Final = 0.1
"""m, how far apart the two points are that hold an axis."""

HARD: Final = (0.9999, 0.9999, 0.001)
"""How much of a deviation MuJoCo takes back, the most that it allows (solimp)."""

BESIDE: Final = 1e-9
"""m/s and rad/s, of 1 or the speed: what a hinge does not let move so fast is not told of."""

NOUGHT: Final = 1e-15
"""Of the greatest of some numbers, of a pose in m: what rounding leaves of 0."""

Attribute: TypeAlias = "str | float | Iterable[float] | Array"


def write_mjcf(scene: Scene) -> tuple[str, Counter[str]]:
    """Return a scene as MJCF, and what is lost. FormatError where MuJoCo cannot hold it."""
    bare, tendons = with_rotors(scene)
    writer = _Writer(bare, [wheel for _, wheel, _ in tendons])
    for part in writer.children.get("", ()):
        writer.body(part, "    ")
    writer.marks("    ", "", np.eye(4))
    for view in scene.views:
        X = view.X_WC
        writer.add("    ", "camera", name=view.name, fovy=np.degrees(view.upwards), **_place(X))
    lines = [f"<mujoco model={quoteattr(scene.name)}>", '  <compiler angle="radian"/>']
    option: dict[str, Attribute] = {"gravity": scene.gravity}
    option |= {"integrator": "implicitfast"} if writer.damped else {}
    lines.append(_element("  ", "option", option))
    writer.springs()
    writer.commands()
    for each in tendons:
        writer.tendon(*each)
    ties = writer.ties()
    for tag, inside in (
        ("asset", writer.assets), ("worldbody", writer.lines), ("contact", writer.excluded()),
        ("tendon", writer.tendons), ("equality", ties), ("actuator", writer.actuators),
    ):  # fmt: skip
        if inside:
            lines += [f"  <{tag}>", *inside, f"  </{tag}>"]
    if any(writer.qvel) or any(writer.ctrl):
        said: dict[str, Attribute] = {"name": "start", "qpos": writer.qpos, "qvel": writer.qvel}
        said |= {"ctrl": writer.ctrl} if writer.ctrl else {}
        lines += ["  <keyframe>", _element("    ", "key", said), "  </keyframe>"]
    text = "\n".join([*lines, "</mujoco>"]) + "\n"
    if find_spec("mujoco") is not None:
        import mujoco

        try:
            mujoco.MjModel.from_xml_string(text)
        except ValueError as error:
            raise FormatError(f"MuJoCo cannot hold '{scene.name}': {error}") from error
    return text, +writer.lost


def _element(indent: str, tag: str, attributes: Mapping[str, Attribute], end: str = "/>") -> str:
    words = [f"{name}={quoteattr(_words(value))}" for name, value in attributes.items()]
    return f"{indent}<{' '.join([tag, *words])}{end}"


def _words(value: Attribute) -> str:
    if isinstance(value, str):
        return value
    found = np.asarray(value, float).reshape(-1)
    least = NOUGHT * float(np.abs(found).max(initial=0.0))
    return " ".join("0" if abs(each) <= least else f"{each:.15g}" for each in found.tolist())


def _place(X: Array) -> dict[str, Attribute]:
    return {"pos": _point(X[:3, 3]), "quat": q_from_matrix(X[:3, :3])}


def _point(p: Array) -> Array:
    return np.where(np.abs(p) <= NOUGHT, 0.0, p)


class _Writer:
    """Collects the lines of a model, children within their parents."""

    def __init__(self, scene: Scene, wheels: list[SceneJoint]) -> None:
        self.scene = scene
        self.lost = Counter({word: n for word, n in scene.lost.items() if word not in KEPT})
        self.names = own_names(scene, wheels)
        self.lines: list[str] = []
        self.assets: list[str] = []
        self.actuators: list[str] = []
        self.ctrl: list[float] = []
        self.damped = False
        self.tendons: list[str] = []
        self.written: set[str] = set()
        self.twists = twists(scene.parts)
        self.qpos: list[float] = []
        self.qvel: list[float] = []
        self.sites: dict[str, list[tuple[str, Array]]] = {}
        for each in scene.springs:
            ends = ((each.first, each.p_first), (each.second, each.p_second))
            for number, (owner, point) in enumerate(ends, 1):
                self.sites.setdefault(owner, []).append((f"{each.name}/{number}", point))
        self.stacks = stacks(scene)
        links = {each.name for stack in self.stacks.values() for each in stack}
        self.children: dict[str, list[ScenePart]] = {}
        for part in scene.parts:
            joint = [*self.stacks.get(part.name, ()), part][0].joint
            if part.name not in links:
                self.children.setdefault(joint.parent if joint else "", []).append(part)

    def add(self, indent: str, tag: str, **attributes: Attribute) -> None:
        self.lines.append(_element(indent, tag, attributes))

    def excluded(self) -> list[str]:
        """Return the pairs that never touch."""
        bodies = self.names["body"]
        return [
            _element("    ", "exclude", {"body1": bodies[a], "body2": bodies[b]})
            for a, b in self.scene.ignored
            if {a, b} <= self.written
        ]

    def body(self, part: ScenePart, indent: str, above: Array | None = None) -> None:
        """Add a body with all that hangs on it; ``above`` is the pose of what carries it."""
        part = weighed(part, self.lost)
        X = part.X_WP if above is None else np.linalg.inv(above) @ part.X_WP
        self.written.add(part.name)
        called = self.names["body"][part.name]
        said: dict[str, Attribute] = {"name": called, **_place(X)}
        if part.gravity is not None:
            g = np.array(self.scene.gravity)
            share = float(g @ part.gravity) / max(float(g @ g), 1e-300)
            said["gravcomp"] = 1.0 - share
            if np.abs(share * g - part.gravity).max() > CLOSE:
                self.lost["gravity of a single body (but for the world's direction)"] += 1
        self.lines.append(_element(indent, "body", said, ">"))
        inner = f"{indent}  "
        if part.motion is not None:
            self.lost["motion (it stands as at the start)"] += 1
        if part.mass is not None:
            self.add(inner, "inertial", pos=part.center, mass=part.mass, fullinertia=part.inertia)
            if part.joint is None:
                self.add(inner, "freejoint", name=f"{called}/free")
                X, twist = part.X_WP, self.twists[part.name]
                v, w = twist[3:] + np.cross(twist[:3], X[:3, 3]), X[:3, :3].T @ twist[:3]
                self.qpos += [*X[:3, 3], *q_from_matrix(X[:3, :3])]
                self.qvel += [*v, *w]
        for each in (*self.stacks.get(part.name, ()), part):
            if each.joint is not None:
                self._joint(inner, each.joint, each)
        for shape, touches in ((part.shape, True), (part.look, False)):
            if shape is not None:
                looks: dict[str, Attribute] = {"rgba": [*(part.color or (0.5, 0.5, 0.5)), 1.0]}
                if not touches:
                    looks |= {"contype": "0", "conaffinity": "0", "mass": "0"}
                elif part.look is not None:
                    looks["group"] = "3"
                if part.mass is None:
                    looks["mass"] = "0"
                self._geoms(inner, shape, np.eye(4), part, looks)
        self.marks(inner, part.name, part.X_WP)
        for child in self.children.get(part.name, ()):
            self.body(child, inner, part.X_WP)
        self.lines.append(f"{indent}</body>")

    def marks(self, indent: str, owner: str, X: Array) -> None:
        """Add the ends of springs on a body that stands at ``X``."""
        for name, point in self.sites.get(owner, ()):
            self.add(indent, "site", name=name, pos=X[:3, :3].T @ (point - X[:3, 3]))

    def springs(self) -> None:
        """Add the springs between points as tendons."""
        for each in self.scene.springs:
            said: dict[str, Attribute] = {"name": self.names["tendon"][each.name]}
            said["stiffness"] = each.stiffness
            said |= {"damping": each.damping, "springlength": each.rest}
            ends = [_element("      ", "site", {"site": f"{each.name}/{n}"}) for n in (1, 2)]
            self.tendons += [_element("    ", "spatial", said, ">"), *ends, "    </spatial>"]

    def tendon(self, tie: SceneTie, wheel: SceneJoint, armature: float) -> None:
        """Add a wheel that several joints turn as a tendon over them, as long as it has turned."""
        refs = {e.joint.name: e.joint.ref for e in self.scene.parts if e.joint is not None}
        arms = {tie.first: tie.ratio} | {name: sign * tie.ratio for name, sign in tie.others}
        zero = sum(arm * refs[name] for name, arm in arms.items())
        called = self.names["tendon"][wheel.name]
        said: dict[str, Attribute] = {"name": called, "armature": armature + wheel.rotor}
        said["frictionloss"] = wheel.friction
        if wheel.limits is not None and all(map(math.isfinite, wheel.limits)):
            said |= {"limited": "true", "range": np.add(wheel.limits, zero)}
        said |= self._laws(wheel, zero, "tendon", "springlength")
        self._over(said, arms.items())

    def _over(self, said: dict[str, Attribute], arms: Iterable[tuple[str, float]]) -> None:
        """Add a tendon over joints."""
        joints = self.names["joint"]
        over = [_element("      ", "joint", {"joint": joints[e], "coef": arm}) for e, arm in arms]
        self.tendons += [_element("    ", "fixed", said, ">"), *over, "    </fixed>"]

    def _laws(self, joint: SceneJoint, zero: float, kind: str, rest: str) -> dict[str, Attribute]:
        """Return the spring of a joint or tendon that is at ``zero``; its actuators are added."""
        said: dict[str, Attribute] = {}
        for law in (replace(each, rest=each.rest + zero) for each in joint.laws):
            if law.constant or law.bounds is not None or law.gain or said:
                self._actuator(law, kind, self.names[kind][joint.name])
            else:
                said = {"stiffness": law.stiffness, rest: law.rest} if law.stiffness else {}
                said["damping"] = law.damping
        return said

    def _effort(self, joint: SceneJoint) -> dict[str, Attribute]:
        """Return the most that drives a joint, where none of its actuators alone gives more."""
        most = joint.effort
        driving = [each for each in joint.laws if each.constant or each.gain or each.bounds]
        bounds = [max(map(abs, each.bounds or (math.inf,))) for each in driving]
        if not most:
            return {}
        if sum(bounds) > most * (1.0 + CLOSE):
            self.lost[f"effort of joint {joint.name} (what drives it may give more)"] += 1
            return {}
        return {"actuatorfrcrange": [-most, most]}

    def _joint(self, indent: str, joint: SceneJoint, part: ScenePart) -> None:
        X = np.linalg.inv(part.X_WP) @ joint.X_WJ
        ways = [("slide", axis) for axis in SLIDES.get(joint.kind, ())]
        ways += [("hinge", axis) for axis in TURNS.get(joint.kind, ())]
        if joint.kind == "ball":
            ways = [("ball", 2)]
        self._start(joint, part, ways)
        for number, (kind, axis) in enumerate(ways):
            said: dict[str, Attribute] = {"pos": _point(X[:3, 3])}
            if kind != "ball":
                said["axis"] = X[:3, axis]
            if joint.limits is not None and all(map(math.isfinite, joint.limits)):
                said |= {"limited": "true", "range": np.add(joint.limits, joint.ref)}
            if joint.friction or joint.rotor:
                said |= {"frictionloss": joint.friction, "armature": joint.rotor}
            if joint.ref:
                said["ref"] = joint.ref
            said |= self._laws(joint, joint.ref, "joint", "springref") | self._effort(joint)
            name = self.names["joint"][joint.name]
            name = name if len(ways) == 1 else f"{name}/{number}"
            self.add(indent, "joint", name=name, type=kind, **said)

    def _start(self, joint: SceneJoint, part: ScenePart, ways: list[tuple[str, int]]) -> None:
        """Add where the joint's coordinates are at the start, and how fast they change."""
        at, moves = joint.X_WJ[:3, 3], self.twists[part.name] - self.twists.get(joint.parent, 0.0)
        turns = ways
        axes = part.X_WP[:3, :3] if joint.kind == "ball" else joint.X_WJ[:3, :3]
        if joint.kind == "ball":
            turns = [("hinge", axis) for axis in range(3)]
        columns = [
            [*np.zeros(3), *axes[:, k]]
            if kind == "slide"
            else [*axes[:, k], *np.cross(at, axes[:, k])]
            for kind, k in turns
        ]
        J = np.reshape(np.array(columns, float), (-1, 6)).T
        rates = np.linalg.lstsq(J, moves, rcond=None)[0]
        if np.abs(moves - J @ rates).max() > BESIDE * max(1.0, float(np.abs(moves).max())):
            self.lost[f"{STARTS} against its hinge"] += 1
        self.qpos += [1.0, 0.0, 0.0, 0.0] if joint.kind == "ball" else [joint.ref] * len(ways)
        self.qvel += rates.tolist()

    def _actuator(self, law: SceneLaw, kind: str, along: str) -> None:
        gain = law.gain or law.stiffness or 1.0
        zero = law.constant + law.stiffness * law.rest
        command = zero / gain if law.command is None else law.command
        at = 0.0 if law.command is None else zero - gain * command
        said: dict[str, Attribute] = {"name": self.names["actuator"][law.name], kind: along}
        tag = "general"
        if abs(at) <= CLOSE * gain and law.stiffness == gain:
            tag = "position"
            said |= {"kp": gain} | ({"kv": law.damping} if law.damping else {})
        elif abs(at) <= CLOSE * gain and not law.stiffness and law.damping == gain:
            tag, said["kv"] = "velocity", gain
        elif gain == 1.0 and not (at or law.stiffness or law.damping):
            tag = "motor"
        else:
            said |= {"gainprm": gain, "biastype": "affine"}
            said["biasprm"] = [at, -law.stiffness, -law.damping]
        if law.bounds is not None:
            said |= {"forcelimited": "true", "forcerange": law.bounds}
        if law.span is not None:
            said |= {"ctrllimited": "true", "ctrlrange": law.span}
        self.ctrl.append(command)
        self.actuators.append(_element("    ", tag, said))
        self.damped |= law.damping > 0.0

    def commands(self) -> None:
        """Add motors for the joints whose moments or forces controllers ask for."""
        for name, driven in self.scene.commanded.items():
            if (joint := self.names["joint"].get(driven)) is not None:
                said = {"name": self.names["actuator"][name], "joint": joint}
                self.actuators.append(_element("    ", "motor", said))
                self.ctrl.append(0.0)
                self.lost.subtract([CONTROL])

    def ties(self) -> list[str]:
        """Return what holds parts or joints together besides the tree."""
        parts = {each.name: each.X_WP for each in self.scene.parts}
        joints, bodies, found = self.names["joint"], {"": "world", **self.names["body"]}, []
        for each in self.scene.ties:
            name = self.names["equality"][each.name]
            said: dict[str, Attribute] = {"name": name, "solimp": HARD}
            if each.others:  # a tendon over all of them keeps its length
                ends = [(each.first, 1.0), *each.others, (each.second, -1.0 / each.ratio)]
                self._over({"name": each.name}, ends)
                said |= {"tendon1": each.name, "polycoef": np.zeros(5)}
            elif each.kind == "gear":
                said |= {"joint1": joints[each.second], "joint2": joints[each.first]}
                said["polycoef"] = [0.0, each.ratio, 0.0, 0.0, 0.0]
            else:
                one, other = (each.first, each.second) if each.first else (each.second, each.first)
                if each.kind == "slider":
                    self.lost["slider that closes a loop"] += 1
                    continue
                X = np.linalg.inv(parts.get(one, np.eye(4))) @ each.X_WJ
                said |= {"body1": bodies[one], "body2": bodies[other]}
                if each.kind == "pin":  # two points of its axis
                    end = {**said, "name": f"{name}/2", "anchor": X[:3, 3] + ARM * X[:3, 2]}
                    found.append(_element("    ", "connect", end))
                said |= {} if each.kind == "weld" else {"anchor": X[:3, 3]}
            tag = {"gear": "joint", "weld": "weld"}.get(each.kind, "connect")
            tag = "tendon" if each.others else tag
            found.append(_element("    ", tag, said))
        return found

    def _geoms(
        self, indent: str, shape: Shape, X: Array, part: ScenePart, looks: dict[str, Attribute]
    ) -> None:  # fmt: skip
        if isinstance(shape, Named):
            self._geoms(indent, shape.shape, X, part, looks)
            return
        if isinstance(shape, Placed):
            self._geoms(indent, shape.shape, X @ shape.X_PS, part, looks)
            return
        if isinstance(shape, Union):
            for each in shape.parts:
                self._geoms(indent, each, X, part, looks)
            return
        said: dict[str, Attribute]
        match shape:
            case Cuboid(x, y, z):
                said = {"type": "box", "size": [x / 2, y / 2, z / 2]}
            case Sphere(radius):
                said = {"type": "sphere", "size": radius}
            case Cylinder(radius, length):
                said = {"type": "cylinder", "size": [radius, length / 2]}
            case Capsule(radius, length):
                said = {"type": "capsule", "size": [radius, length / 2]}
            case HalfSpace():
                X = X @ Y_TO_Z.T
                said = {"type": "plane", "size": [0, 0, 1]}
            case _:
                said = {"type": "mesh", "mesh": self._mesh(shape, part)}
                hull = isinstance(shape, Mesh) and shape.file.endswith(HULL)
                if "contype" not in looks and not hull:
                    self.lost["dents of a mesh that touches (its hull does)"] += 1
        self.add(indent, "geom", **said, **_place(X), **looks)

    def _mesh(self, shape: Shape, part: ScenePart) -> str:
        vertices, faces = triangles_of(shape)
        name = f"{part.name}/{len(self.assets)}"
        index = " ".join(map(str, faces.reshape(-1).tolist()))
        said: dict[str, Attribute] = {"name": name, "vertex": vertices, "face": index}
        self.assets.append(_element("    ", "mesh", {**said, "inertia": "shell"}))
        return name
