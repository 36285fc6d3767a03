"""The words a text may use for shapes, hinges, functions, properties and quantities.

Together with ``grammar`` this is the one table that drives the parser's suggestions, the checker,
the printer, the documentation's tables and completion in an editor. A *kind* says what may stand
for an argument: a scalar quantity of ``units.QUANTITIES`` or one of ``KINDS``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

KINDS: dict[str, str] = {
    "any": "any value",
    "point": "a point, three lengths such as (0, 1 m, 0)",
    "direction": "a direction: x, y, z, -x, -y, -z or three numbers",
    "rotation": "a rotation such as euler(xyz, 10 deg, 20 deg, 0)",
    "shape": "a shape such as cuboid(1 m, 3 m, 1 m)",
    "polygon": "at least three corners, pairs of lengths such as ((0 0) (1 m 0) (0 1 m))",
    "surface": "a surface: plane, sphere, cylinder or helicoid",
    "material": "a material such as material(density: 7850 kg/m^3)",
    "color": "a colour by name or three numbers from 0 to 1",
    "gravity": "three accelerations such as (0, -9.81, 0)",
    "velocity": "a linear and an angular velocity, ((vx, vy, vz) (wx, wy, wz))",
    "moments": "moments of inertia: three, or six with the products xy, xz, yz",
    "limits": "a lowest and a highest value, (low, high)",
    "strength": "a force, or a force and a torque, (500 N, 20 N*m)",
    "text": 'a text in double quotes, such as "name"',
    "flag": "a flag, which takes no value",
    "joint": "the name of a joint",
    "link": "the name of a link",
    "integrator": "one of MuJoCo's integrators: euler, rk4, implicit or implicitfast",
    "choice": "yes or no",
}
"""Kinds of value that are not one scalar, in a user's words."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A parameter: its name, the kind of value it takes, and whether it may be left out."""

    name: str
    kind: str
    optional: bool = False
    many: bool = False
    words: tuple[str, ...] = ()
    """Words that say a value of it, in order or by its name."""


@dataclass(frozen=True, slots=True)
class Signature:
    """What may be written in the parentheses after a word, what it gives, and what it is."""

    name: str
    slots: tuple[Slot, ...]
    gives: str
    meaning: str
    example: str = ""

    def __str__(self) -> str:
        words = []
        for slot in self.slots:
            word = f"{slot.name}, ..." if slot.many else slot.name
            words.append(f"[{word}]" if slot.optional else word)
        return f"{self.name}({', '.join(words)})" if words else self.name

    @property
    def fewest(self) -> int:
        """The smallest number of arguments."""
        return sum(not slot.optional for slot in self.slots)

    @property
    def most(self) -> int:
        """The largest number of arguments; a parameter that repeats has no bound."""
        return 1_000_000 if any(slot.many for slot in self.slots) else len(self.slots)


def signature(text: str, gives: str, meaning: str, example: str = "") -> Signature:
    """Read ``name(slot kind, [optional kind], many kind...)``."""
    name, _, rest = text.partition("(")
    slots = []
    for word in filter(None, (each.strip() for each in rest.rstrip(")").split(","))):
        slot, kind = word.strip("[].").split()
        slots.append(Slot(slot, kind, optional="[" in word, many="..." in word))
    return Signature(name, tuple(slots), gives, meaning, example or text)


def _table(*rows: Signature) -> dict[str, Signature]:
    return {row.name: row for row in rows}


SHAPES: dict[str, Signature] = _table(
    signature("cuboid(x length, y length, z length)", "shape", "a box by its edges along x, y, z",
               "cuboid(1, 3, 1)"),
    signature("sphere(radius length)", "shape", "a ball", "sphere(5 cm)"),
    signature("cylinder(radius length, length length)", "shape",
              "a cylinder along z; turn it to lay it down", "cylinder(2 cm, 1 m)"),
    signature("capsule(radius length, length length)", "shape",
               "a cylinder along z with half balls on both ends; length is that of the cylinder",
               "capsule(4 cm, 30 cm)"),
    signature("cone(radius length, length length, [top_radius length])", "shape",
               "a cone along z, its point at the front; a frustum with a top radius",
               "cone(5 cm, 20 cm)"),
    signature("prism(sides count, radius length, length length)", "shape",
               "a right prism along z over a regular polygon; the radius reaches its corners",
               "prism(6, 1 cm, 10 cm)"),
    signature("extruded(points polygon, length length)", "shape",
               "a right prism along z over any simple polygon in the plane of x and y",
               "extruded(((0 0) (10 cm 0) (0 10 cm)), 2 cm)"),
    signature("mesh(file text, [scale any])", "shape",
               "the surface in an STL, OBJ, PLY or glTF file beside this one, in metres times "
               'scale; open ones only of what is `fixed`; "cup.stl#hull" names its convex hull',
               'mesh("cup.stl", 0.001)'),
    signature("union(parts shape...)", "shape", "everything that lies in any of the parts",
               "union(bar: cuboid(1, 1, 4), head: sphere(1) at (0, 0, 2))"),
    signature("difference(base shape, parts shape...)", "shape",
               "the first part without the others",
               "difference(block: cuboid(1, 3, 1), hole: cylinder(0.2, 2) at (0, 1, 0))"),
    signature("intersection(parts shape...)", "shape", "what lies in all of the parts",
               "intersection(ball: sphere(1), slab: cuboid(3, 1, 3))"),
)  # fmt: skip
"""Shapes; axial ones lie along z, the origin half-way up."""

_FACES = ("right", "left", "top", "bottom", "front", "back")
_EDGES = tuple(
    "_".join(filter(None, each))
    for each in product(("", "top", "bottom"), ("", "left", "right"), ("", "front", "back"))
    if sum(map(bool, each)) > 1
)
_AXIAL = ("wall", "front", "back", "axis")
SHAPE_FEATURES: dict[str, tuple[str, ...]] = {
    "cuboid": (*_FACES, "origin", *_EDGES),
    "sphere": ("surface", "origin"),
    "cylinder": (*_AXIAL, "front_rim", "back_rim", "origin"),
    "capsule": (*_AXIAL, "front_center", "back_center", "origin"),
    "cone": (*_AXIAL, "apex", "front_rim", "back_rim", "origin"),
}
"""Features that a shape has without being told (``articulata.geometry.named_features``)."""

SURFACES: dict[str, Signature] = _table(
    signature("plane(point point, normal direction)", "surface", "a plane through a point",
               "plane((0, 0, 0), z)"),
    signature("sphere(center point, radius length)", "surface", "a sphere",
               "sphere((0, 0, 0), 10 cm)"),
    signature("cylinder(point point, axis direction, radius length)", "surface",
               "a cylinder about the line through a point", "cylinder((0, 0, 0), z, 10 cm)"),
    signature("helicoid(lead length)", "surface",
               "the helicoid about z that rises by lead a turn", "helicoid(2 mm)"),
)  # fmt: skip
"""Surfaces a point can be kept on in a hinge definition."""


@dataclass(frozen=True, slots=True)
class HingeWord:
    """A built-in hinge: options, how many pairs are matched, and the coordinates left free."""

    signature: Signature
    pairs: tuple[int, int]
    coordinates: tuple[str, ...]


def _hinge(text: str, pairs: tuple[int, int], coordinates: str, meaning: str) -> HingeWord:
    name = text.partition("(")[0]
    return HingeWord(signature(text, "hinge", meaning, name), pairs, tuple(coordinates.split()))


HINGES: dict[str, HingeWord] = {
    word.signature.name: word
    for word in (
        _hinge("pin([axis direction], [frame any])", (1, 2), "angle", "turns about one axis"),
        _hinge("revolute([axis direction], [frame any])", (1, 2), "angle", "the same as pin"),
        _hinge("ball.and.socket([frame any])", (1, 1), "", "turns any way about one point"),
        _hinge("ball([frame any])", (1, 1), "", "the same as ball.and.socket"),
        _hinge("prismatic([axis direction], [frame any])", (1, 2), "travel",
               "slides along one axis"),
        _hinge("slider([axis direction], [frame any])", (1, 2), "travel", "the same as prismatic"),
        _hinge("cylindrical([axis direction], [frame any])", (1, 2), "angle travel",
               "turns about and slides along one axis"),
        _hinge("universal([axis direction], [second direction], [frame any])", (1, 2), "",
               "two crossed axes, the first on the body that joins, the second on the other"),
        _hinge("constant.velocity([axis direction], [frame any])", (1, 2), "",
               "two shafts at any angle that turn alike; the axis is that of both when straight"),
        _hinge("planar([normal direction], [frame any])", (1, 3), "",
               "slides and turns in a plane"),
        _hinge("screw(lead length, [axis direction], [frame any])", (1, 2), "angle",
               "turns about an axis and travels along it by lead a turn"),
        _hinge("weld([frame any])", (1, 3), "", "no motion at all"),
        _hinge("point.on.surface(surface surface, [frame any])", (1, 1), "",
               "the primitive hinge: a point stays on a surface"),
        _hinge("spring(stiffness stiffness, [length length], [damping damping])", (1, 1), "",
               "pulls two points to a length"),
        _hinge("damper(damping damping)", (1, 1), "", "resists the speed of two points"),
    )
}  # fmt: skip
"""Hinges by the words that may follow ``with``."""

FUNCTIONS: dict[str, Signature] = _table(
    signature("sin(angle angle)", "number", "sine"),
    signature("cos(angle angle)", "number", "cosine"),
    signature("tan(angle angle)", "number", "tangent"),
    signature("asin(value number)", "angle", "arc sine"),
    signature("acos(value number)", "angle", "arc cosine"),
    signature("atan(value number)", "angle", "arc tangent"),
    signature("atan2(y any, x any)", "angle", "the angle of a point seen from the x axis"),
    signature("sqrt(value any)", "sqrt", "square root"),
    signature("abs(value any)", "same", "value without its sign"),
    signature("min(values any...)", "same", "the smallest"),
    signature("max(values any...)", "same", "the largest"),
    signature("clamp(value any, low any, high any)", "same", "value, held between two bounds",
               "clamp(50 N*m * (1 - angle), -20 N*m, 20 N*m)"),
    signature("ramp(value any, start any, end any)", "number",
               "0 up to start, 1 from end on, smooth in between", "ramp(time, 1 s, 2 s)"),
    signature("servo(target any, stiffness any, [damping any], [limit any], [speed any], "
               "[feed any], [integral any])", "any",
               "in a force: drives its angle or distance to a target with a feed, up to its limit",
               "servo(30 deg, 200 N*m, 20 N*m*s, 50 N*m)"),
    signature("actuator(signal any, gain any, [damping any], [limit any])", "any",
               "in a force: gain times signal less damping times rate, up to its limit",
               "actuator(sin(time / (1 s)), 5 N*m, 0.2 N*m*s, 4 N*m)"),
    signature("bushing(along any, about any, [damping any], [twist_damping any])", "any",
               "alone in a force: springs and dampers along and about three axes"),
    signature("floor(value number)", "number", "the next whole number below"),
    signature("exp(value number)", "number", "exponential function"),
    signature("log(value number)", "number", "natural logarithm"),
    signature("given(parameter any)", "any", "whether a parameter has an argument",
               "choose(given(percentile), 2 m, 1 m)"),
    signature("choose(condition any, yes any, no any)", "any", "one of two values; the other is "
               "not computed", "choose(a > 1 m, a, 1 m)"),
    signature("interpolate(x number, points any...)", "any", "on the lines between points (x, y), "
               "at the ends the nearest", "interpolate(age, (6, 1.16 m), (8, 1.28 m))"),
    signature("spline(x any, points any...)", "any", "smooth through points (x, y): cubic, C2"),
    signature("expect(value any, condition any, message any, [shown any], [also any])", "any",
               "value where a condition holds; else an error, with what is shown in place of {}",
               'expect(a, a < b, "a is {}, b is {}; make b larger", a, b)'),
    signature("norm(vector any)", "length_of", "the length of a vector"),
    signature("cross(a any, b any)", "any", "the vector product"),
    signature("dot(a any, b any)", "any", "the scalar product"),
    signature("material([density density], [friction number], [restitution number], "
               "[color color])", "material", "what a body is made of", "material(color: red)"),
    signature("rotation(axis direction, angle angle)", "rotation", "a turn about an axis",
               "rotation(z, 90 deg)"),
    signature("euler(order any, first angle, second angle, third angle)", "rotation",
               "three turns in the order named: xyz, zyx, zxz ...", "euler(zyx, 90 deg, 0, 9 deg)"),
    signature("quaternion(w number, x number, y number, z number)", "rotation",
               "a quaternion, w first", "quaternion(1, 0, 0, 0)"),
)  # fmt: skip
"""Functions in expressions."""

METHODS: dict[str, Signature] = _table(
    signature("dop853([relative number], [absolute number])", "method",
               "order 8 with steps of its own choice, exact events; the usual one",
               "dop853(relative: 1e-8)"),
    signature("rk4([step time])", "method", "the classical method of order 4, exact events",
               "rk4(step: 1 ms)"),
    signature("symplectic([step time])", "method", "bounded energy errors over long runs",
               "symplectic(step: 1 ms)"),
    signature("realtime([step time])", "method", "known cost a step; gaps as springs close them",
               "realtime(step: 1 ms)"),
    signature("euler1986()", "method", "the method of the 1986 program"),
    signature("stepping([step time], [iterations count], [tolerance number])", "method",
               "many contacts at once, in steps of fixed length", "stepping(step: 2 ms)"),
    signature("mujoco([step time], [integrator integrator], [contacts choice])", "method",
               "the same world in MuJoCo", "mujoco(integrator: implicitfast, contacts: no)"),
)  # fmt: skip
"""Ways through time, with the names of their options in Python."""

WORDS: dict[str, tuple[str, ...]] = {
    "integrator": ("euler", "rk4", "implicit", "implicitfast"),
    "choice": ("yes", "no"),
}
"""Kinds of value that are one of a few words."""

CONSTANTS: dict[str, str] = {"pi": "number", "x": "direction", "y": "direction", "z": "direction"}
"""Names that always mean something, with their kind; a parameter of the same name hides them."""

EULER_ORDERS: tuple[str, ...] = tuple(
    a + b + c for a in "xyz" for b in "xyz" for c in "xyz" if a != b and b != c
)
"""Orders of three turns; capitals turn about the moving axes."""

COLORS: tuple[str, ...] = (
    "red", "green", "blue", "yellow", "orange", "purple", "pink", "brown", "black", "white",
    "grey", "gray", "silver", "gold", "cyan", "magenta", "olive", "teal", "navy", "maroon",
    "beige", "turquoise", "violet", "steel", "wood",
)  # fmt: skip
"""Colours by name."""

PROPERTIES: dict[str, str] = {
    "material": "material",
    "density": "density",
    "color": "color",
    "friction": "number",
    "restitution": "number",
}
"""Properties of a primitive, with the kind of value each takes."""

PAIR_FIELDS: dict[str, str] = {
    "friction": "number",
    "static_friction": "number",
    "restitution": "number",
    "stiffness": "stiffness",
    "shear_stiffness": "stiffness",
}
"""What ``contact A with B`` may say, with the kind of value each takes."""

PAIR_MEANINGS: dict[str, str] = {
    "friction": "Coulomb's coefficient while sliding; may be an expression of `speed`",
    "static_friction": "the coefficient at rest, not smaller than that of sliding",
    "restitution": "Newton's coefficient, from 0 to 1; may be an expression of `speed` of approach",
    "stiffness": "of a contact point along its normal: shares loads that equilibrium leaves open",
    "shear_stiffness": "the same across the normal; as stiffness where it is not given",
}
"""What each of them is."""

PAIR_FUNCTIONS: tuple[str, ...] = ("friction", "restitution")
"""Those that may depend on ``speed``: of sliding, and of approach."""

FIXED, LOOSE = "fixed", "loose"
"""Properties without a value: a body that never moves, a figure that moves by its masses."""

PLACE_PROPERTIES = {"gravity": "gravity", FIXED: "flag", "placed": "flag", LOOSE: "flag"}
"""Properties of what is placed: pulled by gravity, never moving, kept there by assembly, limp."""

DYNAMICS_FIELDS: dict[str, str] = {"mass": "mass", "center": "point", "inertia": "moments"}
"""What may be given instead of being derived from the geometry."""

CONTROLS: dict[str, str] = {
    "acceleration": "prescribes how the body moves",
    "force": "a force at its centre, or at a feature",
    "torque": "a torque on the body",
}
"""Quantities of a primitive that a controller may give."""

BODY_QUANTITIES: dict[str, str] = {
    "position": "where its centre is",
    "orientation": "its quaternion, w first",
    "v": "velocity of its centre",
    "w": "angular velocity",
    "a": "acceleration of its centre",
    "alpha": "angular acceleration",
    "angle": "the angle of the hinge that joins it",
    "travel": "the travel of the hinge that joins it",
    "rate": "how fast that angle or travel changes",
    "energy": "its kinetic and potential energy",
    "momentum": "its linear momentum",
}
"""Quantities of a body, for reports, conditions and placing."""

HINGE_QUANTITIES: dict[str, str] = {
    "angle": "how far it is turned",
    "travel": "how far it has slid",
    "rate": "how fast its coordinate changes",
    "force": "the force it bears",
    "moment": "the moment it bears",
    "coordinates": "all its coordinates",
}
"""Quantities of a hinge that has a name."""

FORCE_QUANTITIES: dict[str, str] = {
    "force": "its tension",
    "distance": "how far its features are apart",
    "speed": "how fast they part",
    "saturation": "its share of its limit: 1 or -1 where it can do no more",
}
"""Quantities of a spring, a damper or a force between two features."""

MOMENT_QUANTITIES: dict[str, str] = {
    "moment": "its moment",
    "angle": "how far its hinge is turned",
    "rate": "how fast that angle changes",
    "saturation": "its share of its limit: 1 or -1 where it can do no more",
}
"""Quantities of a force about a hinge."""

WORLD_QUANTITIES: dict[str, str] = {
    "energy": "kinetic and potential energy of everything",
    "momentum": "linear momentum of everything",
    "angular_momentum": "angular momentum of everything about the origin",
    "time": "time since the start",
}
"""Quantities of the whole world."""

EVENT_QUANTITIES: dict[str, str] = {
    "impulse": "impulse",
    "speed": "speed",
    "angular_impulse": "angular_impulse",
    "rate": "rate",
    "force": "force",
    "moment": "torque",
}
"""What a clause may ask of an event after ``with``, and the kind of each."""

MEASURED: dict[str, str] = {
    "angle": "angle",
    "travel": "length",
    "rate": "rate",
    "v": "speed",
    "w": "rate",
    "a": "acceleration",
    "alpha": "angular_acceleration",
    "position": "length",
    "distance": "length",
    "speed": "speed",
    "force": "force",
    "moment": "torque",
    "torque": "torque",
    "power": "power",
    "saturation": "number",
    "energy": "energy",
    "momentum": "impulse",
    "angular_momentum": "angular_impulse",
    "time": "time",
}
"""The kind of each quantity of a body, a hinge, a force or the world that a condition may read.

The rate of what slides is a speed; whatever else a path names is a coordinate, a length.
"""

CONDITION_FUNCTIONS: tuple[str, ...] = (
    "abs", "min", "max", "clamp", "ramp", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan",
    "atan2", "exp", "log", "floor",
)  # fmt: skip
"""Functions of quantities in a condition."""

SETTABLE: dict[str, str] = {
    "v": "speed",
    "w": "rate",
    "gravity": "gravity",
    "density": "density",
    "friction": "number",
    "restitution": "number",
    "material": "material",
    "color": "color",
    "strength": "strength",
}
"""What ``set`` may change during a run: of a body, a hinge (strength) or the world (gravity)."""

AXES: tuple[str, ...] = ("x", "y", "z")
"""Components of a vector, as the last step of a path."""

BUILT_IN_TYPES: dict[str, tuple[Signature, tuple[str, ...]]] = {
    "ground": (
        Signature("ground", (), "type", "the half space below y = 0, which never moves"),
        ("top", "surface", "origin"),
    ),
    "fixed_point": (
        Signature("fixed_point", (), "type", "a point that never moves"),
        (),
    ),
}
"""Types that need no definition, with their features besides ``center``."""

_DH = "[theta angle], [d length], [a length], [alpha angle]"
_MOVING = (
    "[axis direction], [limits limits], [neutral any], [mimic joint], [factor number], "
    "[offset any], [speed any], [acceleration any], [effort any], [gear number], "
    "[damping any], [friction any]"
)
_LINK = (
    "[link link], [mass mass], [center point], [inertia moments], "
    "[shape shape], [look shape], [color color]"
)
JOINTS: dict[str, Signature] = _table(
    signature(f"revolute({_DH}, {_MOVING}, {_LINK})",
               "joint", "turns about its axis; theta is added to its coordinate",
               "revolute(d: 0, a: 2, alpha: 0, limits: (-90 deg, 90 deg))"),
    signature(f"prismatic({_DH}, {_MOVING}, {_LINK})",
               "joint", "slides along its axis; d is added to its coordinate",
               "prismatic(theta: 0, a: 0, alpha: 0, limits: (0, 1 m))"),
    signature(f"fixed({_DH}, {_LINK})", "joint", "does not move",
               "fixed(d: 10 cm)"),
)  # fmt: skip
"""Joints of a chain's table."""

CONVENTIONS: dict[str, str] = {
    "standard": "Rz(theta) Tz(d) Tx(a) Rx(alpha)",
    "modified": "Rx(alpha) Tx(a) Rz(theta) Tz(d), a and alpha of the link before (Craig)",
    "x_axis": "about x, then 'at ... turned ...' to the next, as in the camera robot's thesis",
    "plain": "'at ... turned ...' from the link before, then about an axis; links stay parallel",
}
"""Conventions of a chain's table."""


def measured_kind(names: tuple[str, ...], words: Mapping[str, str] | None = None) -> str:
    """Return the kind of quantity that a path names; a coordinate of a place is a length.

    >>> measured_kind(("p", "rod", "v", "x")), measured_kind(("p", "rod", "top", "y"))
    ('speed', 'length')
    """
    if len(names) == 1 and words and names[0] in words:
        return words[names[0]]
    if "orientation" in names[1:]:
        return "number"
    at = len(names) - (2 if names[-1] in AXES and len(names) > 1 else 1)
    if names[0] == "energy":
        return "energy"
    if at == 0 and names[0] not in WORLD_QUANTITIES:
        return "length"
    return MEASURED.get(names[at], "length")
