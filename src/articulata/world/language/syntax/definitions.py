"""The syntax tree of definitions: primitives, composites, worlds, figures and hinge types.

``complete`` is false on a block in which an error was found, so that later checks do not
complain about what could not be read; it does not count when nodes are compared.
"""

from __future__ import annotations

from dataclasses import field

from articulata.world.language.source import NOWHERE, Span
from articulata.world.language.syntax.expressions import (
    Addend,
    Argument,
    Block,
    Call,
    Expression,
    Named,
    Node,
    Path,
    Range,
    Turn,
    node,
)

# ---- what every block shares


@node
class Parameter(Named):
    """``name: quantity within (low, high) called (word, word) = default``.

    All but the name may be missing; ``called`` are words for the two bounds.
    """

    name: str
    quantity: str | None = None
    default: Expression | None = None
    within: Expression | None = None
    called: tuple[str, ...] = ()


@node
class Entry(Node):
    """``path: value`` in a block of postures, limits, sensors or landmarks."""

    path: Path
    value: Expression


# ---- primitives


@node
class Properties(Node):
    """``properties: (density: 2.0, color: red)``; a flag such as ``gravity`` has no name."""

    fields: tuple[Argument, ...]


@node
class Feature(Named):
    """``[point | axis | frame | face] name: value`` of a shape; ``kind`` is None when unsaid."""

    kind: str | None
    name: str
    value: Expression


@node
class Geometry(Node):
    """``geometry: shape where { features }``; ``shape`` is None for ``none``."""

    shape: Expression | None
    features: tuple[Feature, ...] = ()


@node
class Dynamics(Node):
    """``dynamics``: derive mass and inertia; the fields overrule: ``(mass: 2 kg)``."""

    fields: tuple[Argument, ...] = ()


@node
class Binding(Node):
    """``force = controller at tip``: a quantity of the body follows a named controller."""

    quantity: str
    controller: Path
    at: Path | None = None


@node
class Control(Node):
    """``control: acceleration = f, torque = g``."""

    bindings: tuple[Binding, ...]


@node
class Interference(Node):
    """``interference: shape, shape``: levels added by the user, coarse to fine, or ``none``."""

    levels: tuple[Expression, ...]


@node
class Primitive(Block):
    """``primitive name(parameters) { sections }``."""

    name: str
    parameters: tuple[Parameter, ...] = ()
    properties: Properties | None = None
    geometry: Geometry | None = None
    dynamics: Dynamics | None = None
    control: Control | None = None
    interference: Interference | None = None
    look: Expression | None = None


# ---- components and structure


@node
class ComponentName(Node):
    """``rod`` or, for an array, ``rod[1..n]``."""

    name: str
    range: Range | None = None


@node
class Component(Node):
    """``name, name: type(arguments) scaled factor``."""

    names: tuple[ComponentName, ...]
    type: Path
    arguments: tuple[Argument, ...] = ()
    scale: Expression | None = None


@node
class Pair(Node):
    """One pair of features brought together: of the first body, of the second."""

    first: Path
    second: Path


@node
class Join(Named):
    """``join A to B with hinge(options) as name matching (a, b) ...`` and what follows it.

    ``limits (lo, hi)`` bounds the hinge's coordinates, ``restitution e`` says how it comes back
    from a limit, ``breaks at F`` (or ``breaks at (F, M)``) what it bears, ``driven by f`` names a
    controller or is ``motor`` with its arguments in ``motor``; ``friction`` says what resists its
    coordinate. As an action it may be ``closing``: it moves the bodies until their features meet.
    """

    first: Path
    second: Path
    hinge: Path
    options: tuple[Argument, ...] = ()
    name: str | None = None
    matching: tuple[Pair, ...] = ()
    limits: Expression | None = None
    strength: Expression | None = None
    driver: Path | None = None
    closing: bool = False
    restitution: Expression | None = None
    motor: tuple[Argument, ...] | None = None
    friction: Call | None = None


@node
class PlaceAt(Node):
    """``path at point turned ...`` of a place statement."""

    path: Path
    at: Expression
    turns: tuple[Turn, ...] = ()


@node
class PlaceSet(Node):
    """``path = value`` of a place statement: ``velocity = ...``, ``p.rod[1].angle = start``."""

    path: Path
    value: Expression


PlaceClause = PlaceAt | PlaceSet | Properties


@node
class Place(Node):
    """``place target by clauses``."""

    target: Path
    clauses: tuple[PlaceClause, ...]


@node
class Ignore(Node):
    """``ignore a with b``: this pair is never tested for contact."""

    first: Path
    second: Path


@node
class MaterialPair(Node):
    """``contact A with B: (name: value, ...)``: what two materials, or types, do in touch."""

    first: Path
    second: Path
    fields: tuple[Argument, ...]


@node
class Force(Named):
    """``force name between a and b = value``, a tension: positive pulls together.

    The value may use ``distance``, ``speed`` (its rate) and ``time``. With ``further`` features it
    is the tension of a rope through all of them. What it reads as ``integral`` is the integral of
    ``integrating``, from zero.
    """

    name: str
    first: Path
    second: Path
    value: Expression
    further: tuple[Path, ...] = ()
    integrating: Expression | None = None


@node
class Moment(Named):
    """``force name about hinge = value``, a moment about a hinge's axis.

    A positive one turns the hinge's first body towards greater angles, the second the other way.
    The value may use ``angle``, ``rate`` and ``time``, and ``integral`` as that of a force.
    """

    name: str
    hinge: Path
    value: Expression
    integrating: Expression | None = None


@node
class For(Named):
    """``for name in first..last { statements }``."""

    name: str
    range: Range
    body: tuple[Statement, ...]


@node
class Follows(Node):
    """``target follows motion from start at point turned ...``: what a figure does, and where.

    ``drive`` is the servo of ``by servo(...)``, which moves its joints by moments, ``balance`` what
    keeps it upright.
    """

    target: Path
    motion: str
    start: Expression | None = None
    at: Expression | None = None
    turns: tuple[Turn, ...] = ()
    drive: Expression | None = None
    balance: Expression | None = None
    motion_span: Span = field(default=NOWHERE, compare=False)


@node
class Driven(Node):
    """``hinge driven by motor(...)``, or by a controller: a joint that stands in no join here."""

    hinge: Path
    driver: Path
    motor: tuple[Argument, ...] | None = None


@node
class Gear(Named):
    """``gear name between a - c and b = value``: b moves ``value`` times as fast as the sum.

    A ``cam`` has one hinge on each side: b moves as ``value``, a law of a's ``angle``, changes.
    """

    name: str
    first: tuple[Addend, ...]
    second: tuple[Addend, ...]
    value: Expression
    cam: bool = False


Statement = Follows | Driven | Join | Place | Ignore | Force | Moment | Gear | For


@node
class Composite(Block):
    """``composite name(parameters) { components ... structure ... }``."""

    name: str
    parameters: tuple[Parameter, ...] = ()
    components: tuple[Component, ...] = ()
    structure: tuple[Statement, ...] = ()


@node
class World(Block):
    """``world name(parameters) { gravity ... components ... structure ... }``."""

    name: str
    parameters: tuple[Parameter, ...] = ()
    gravity: Expression | None = None
    components: tuple[Component, ...] = ()
    structure: tuple[Statement, ...] = ()


# ---- figures


@node
class Row(Named):
    """One joint of a table: ``elbow: revolute(d: 0, a: 2, alpha: 0) at point turned ...``."""

    name: str
    joint: Call
    at: Expression | None = None
    turns: tuple[Turn, ...] = ()


@node
class Table(Node):
    """``standard table on base at point turned ... { rows }``: a chain by its joints' places.

    ``base`` is a component, a joint of a table above, or missing for the figure's own frame.
    """

    convention: str
    base: Path | None
    rows: tuple[Row, ...]
    at: Expression | None = None
    turns: tuple[Turn, ...] = ()


@node
class Route(Node):
    """``from trunk to hand.tip``: the hinges of the structure between two bodies."""

    start: Path
    end: Path


@node
class Chain(Named):
    """``chain name: route`` or ``chain name: table``; the name may be a string."""

    name: str
    course: Route | Table


@node
class Posture(Named):
    """``posture name { joint: value }``."""

    name: str
    entries: tuple[Entry, ...]


@node
class LimitSet(Named):
    """``limits name { joint: (low, high) }``: limits that a figure can be given by name."""

    name: str
    entries: tuple[Entry, ...]


@node
class Key(Node):
    """``0.6 s: standing, (elbow: 30 deg), pelvis at (0, 0.9, 0)``: one instant of a motion."""

    time: Expression
    posture: str | None = None
    joints: tuple[Entry, ...] = ()
    place: PlaceAt | None = None
    posture_span: Span = field(default=NOWHERE, compare=False)


@node
class Motion(Named):
    """``motion name { key frames; ease: smooth; repeat 3; blend: 0.3 s }``."""

    name: str
    keys: tuple[Key, ...]
    ease: str | None = None
    repeat: Expression | None = None
    blend: Expression | None = None
    ease_span: Span = field(default=NOWHERE, compare=False)


@node
class Excerpt(Named):
    """``figure name: whole without chain, ...``: what is left of a figure of the same text."""

    name: str
    whole: str
    without: tuple[Path, ...]


@node
class Figure(Block):
    """``figure name(parameters) { ... }``: a composite with what makes it a figure.

    ``excerpt`` says of which figure it is part; the other fields hold what is left of that.
    """

    name: str
    parameters: tuple[Parameter, ...] = ()
    components: tuple[Component, ...] = ()
    structure: tuple[Statement, ...] = ()
    chains: tuple[Chain, ...] = ()
    postures: tuple[Posture, ...] = ()
    limits: tuple[Entry, ...] = ()
    sensors: tuple[Entry, ...] = ()
    landmarks: tuple[Entry, ...] = ()
    limit_sets: tuple[LimitSet, ...] = ()
    up: Expression | None = None
    motions: tuple[Motion, ...] = ()
    excerpt: Excerpt | None = None


# ---- new hinge types


@node
class HingeRow(Node):
    """``point P of first on surface(...) of second``: the primitive hinge, one equation.

    Coordinates are in the frames of the matched features.
    """

    point: Expression
    point_of: str
    surface: Call
    surface_of: str


@node
class HingeType(Block):
    """``hinge name(parameters) { rows }``."""

    name: str
    parameters: tuple[Parameter, ...] = ()
    rows: tuple[HingeRow, ...] = ()
