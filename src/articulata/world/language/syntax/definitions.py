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
    Call,
    Expression,
    Path,
    Range,
    Turn,
    node,
)

# ---- what every block shares


@node
class Parameter:
    """``name: quantity within (low, high) called (word, word) = default``.

    All but the name may be missing; ``called`` are words for the two bounds.
    """

    name: str
    quantity: str | None = None
    default: Expression | None = None
    within: Expression | None = None
    called: tuple[str, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)


@node
class Entry:
    """``path: value`` in a block of postures, limits, sensors or landmarks."""

    path: Path
    value: Expression
    span: Span = field(default=NOWHERE, compare=False)


# ---- primitives


@node
class Properties:
    """``properties: (density: 2.0, color: red)``; a flag such as ``gravity`` has no name."""

    fields: tuple[Argument, ...]
    span: Span = field(default=NOWHERE, compare=False)


@node
class Feature:
    """``[point | axis | frame | face] name: value`` of a shape; ``kind`` is None when unsaid."""

    kind: str | None
    name: str
    value: Expression
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)


@node
class Geometry:
    """``geometry: shape where { features }``; ``shape`` is None for ``none``."""

    shape: Expression | None
    features: tuple[Feature, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)


@node
class Dynamics:
    """``dynamics``: derive mass and inertia; the fields overrule: ``(mass: 2 kg)``."""

    fields: tuple[Argument, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)


@node
class Binding:
    """``force = controller at tip``: a quantity of the body follows a named controller."""

    quantity: str
    controller: Path
    at: Path | None = None
    span: Span = field(default=NOWHERE, compare=False)


@node
class Control:
    """``control: acceleration = f, torque = g``."""

    bindings: tuple[Binding, ...]
    span: Span = field(default=NOWHERE, compare=False)


@node
class Interference:
    """``interference: shape, shape``: levels added by the user, coarse to fine, or ``none``."""

    levels: tuple[Expression, ...]
    span: Span = field(default=NOWHERE, compare=False)


@node
class Primitive:
    """``primitive name(parameters) { sections }``."""

    name: str
    parameters: tuple[Parameter, ...] = ()
    properties: Properties | None = None
    geometry: Geometry | None = None
    dynamics: Dynamics | None = None
    control: Control | None = None
    interference: Interference | None = None
    look: Expression | None = None
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)
    complete: bool = field(default=True, compare=False)


# ---- components and structure


@node
class ComponentName:
    """``rod`` or, for an array, ``rod[1..n]``."""

    name: str
    range: Range | None = None
    span: Span = field(default=NOWHERE, compare=False)


@node
class Component:
    """``name, name: type(arguments) scaled factor``."""

    names: tuple[ComponentName, ...]
    type: Path
    arguments: tuple[Argument, ...] = ()
    scale: Expression | None = None
    span: Span = field(default=NOWHERE, compare=False)


@node
class Pair:
    """One pair of features brought together: of the first body, of the second."""

    first: Path
    second: Path
    span: Span = field(default=NOWHERE, compare=False)


@node
class Join:
    """``join A to B with hinge(options) as name matching (a, b) ...`` and what follows it.

    ``limits (lo, hi)`` bounds the hinge's coordinates, ``restitution e`` says how it comes back
    from a limit, ``breaks at F`` (or ``breaks at (F, M)``) what it bears, ``driven by f`` names a
    controller or is ``motor`` with its arguments in ``motor``. As an action it may be ``closing``:
    it moves the bodies until their features meet.
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
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)
    closing: bool = False
    restitution: Expression | None = None
    motor: tuple[Argument, ...] | None = None


@node
class PlaceAt:
    """``path at point turned ...`` of a place statement."""

    path: Path
    at: Expression
    turns: tuple[Turn, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)


@node
class PlaceSet:
    """``path = value`` of a place statement: ``velocity = ...``, ``p.rod[1].angle = start``."""

    path: Path
    value: Expression
    span: Span = field(default=NOWHERE, compare=False)


PlaceClause = PlaceAt | PlaceSet | Properties


@node
class Place:
    """``place target by clauses``."""

    target: Path
    clauses: tuple[PlaceClause, ...]
    span: Span = field(default=NOWHERE, compare=False)


@node
class Ignore:
    """``ignore a with b``: this pair is never tested for contact."""

    first: Path
    second: Path
    span: Span = field(default=NOWHERE, compare=False)


@node
class MaterialPair:
    """``contact A with B: (name: value, ...)``: what two materials, or types, do in touch."""

    first: Path
    second: Path
    fields: tuple[Argument, ...]
    span: Span = field(default=NOWHERE, compare=False)


@node
class Force:
    """``force name between a and b = value``, a tension: positive pulls together.

    The value may use ``distance``, ``speed`` (its rate) and ``time``.
    """

    name: str
    first: Path
    second: Path
    value: Expression
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)


@node
class Moment:
    """``force name about hinge = value``, a moment about a hinge's axis.

    A positive one turns the hinge's first body towards greater angles, the second the other way.
    The value may use ``angle``, ``rate`` and ``time``.
    """

    name: str
    hinge: Path
    value: Expression
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)


@node
class For:
    """``for name in first..last { statements }``."""

    name: str
    range: Range
    body: tuple[Statement, ...]
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)


@node
class Follows:
    """``target follows motion from start at point turned ...``: what a figure does, and where.

    ``drive`` is the servo of ``by servo(...)``, which moves its joints by moments.
    """

    target: Path
    motion: str
    start: Expression | None = None
    at: Expression | None = None
    turns: tuple[Turn, ...] = ()
    drive: Expression | None = None
    span: Span = field(default=NOWHERE, compare=False)
    motion_span: Span = field(default=NOWHERE, compare=False)


@node
class Gear:
    """``gear name between a - c and b = value``: b moves ``value`` times as fast as the sum."""

    name: str
    first: tuple[Addend, ...]
    second: tuple[Addend, ...]
    value: Expression
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)


Statement = Follows | Join | Place | Ignore | Force | Moment | Gear | For


@node
class Composite:
    """``composite name(parameters) { components ... structure ... }``."""

    name: str
    parameters: tuple[Parameter, ...] = ()
    components: tuple[Component, ...] = ()
    structure: tuple[Statement, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)
    complete: bool = field(default=True, compare=False)


@node
class World:
    """``world name(parameters) { gravity ... components ... structure ... }``."""

    name: str
    parameters: tuple[Parameter, ...] = ()
    gravity: Expression | None = None
    components: tuple[Component, ...] = ()
    structure: tuple[Statement, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)
    complete: bool = field(default=True, compare=False)


# ---- figures


@node
class Row:
    """One joint of a table: ``elbow: revolute(d: 0, a: 2, alpha: 0) at point turned ...``."""

    name: str
    joint: Call
    at: Expression | None = None
    turns: tuple[Turn, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)


@node
class Table:
    """``standard table on base at point turned ... { rows }``: a chain by its joints' places.

    ``base`` is a component, a joint of a table above, or missing for the figure's own frame.
    """

    convention: str
    base: Path | None
    rows: tuple[Row, ...]
    at: Expression | None = None
    turns: tuple[Turn, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)


@node
class Route:
    """``from trunk to hand.tip``: the hinges of the structure between two bodies."""

    start: Path
    end: Path
    span: Span = field(default=NOWHERE, compare=False)


@node
class Chain:
    """``chain name: route`` or ``chain name: table``; the name may be a string."""

    name: str
    course: Route | Table
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)


@node
class Posture:
    """``posture name { joint: value }``."""

    name: str
    entries: tuple[Entry, ...]
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)


@node
class LimitSet:
    """``limits name { joint: (low, high) }``: limits that a figure can be given by name."""

    name: str
    entries: tuple[Entry, ...]
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)


@node
class Key:
    """``0.6 s: standing, (elbow: 30 deg), pelvis at (0, 0.9, 0)``: one instant of a motion."""

    time: Expression
    posture: str | None = None
    joints: tuple[Entry, ...] = ()
    place: PlaceAt | None = None
    span: Span = field(default=NOWHERE, compare=False)
    posture_span: Span = field(default=NOWHERE, compare=False)


@node
class Motion:
    """``motion name { key frames; ease: smooth; repeat 3; blend: 0.3 s }``."""

    name: str
    keys: tuple[Key, ...]
    ease: str | None = None
    repeat: Expression | None = None
    blend: Expression | None = None
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)
    ease_span: Span = field(default=NOWHERE, compare=False)


@node
class Excerpt:
    """``figure name: whole without chain, ...``: what is left of a figure of the same text."""

    name: str
    whole: str
    without: tuple[Path, ...]
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)


@node
class Figure:
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
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)
    complete: bool = field(default=True, compare=False)
    motions: tuple[Motion, ...] = ()
    excerpt: Excerpt | None = None


# ---- new hinge types


@node
class HingeRow:
    """``point P of first on surface(...) of second``: the primitive hinge, one equation.

    Coordinates are in the frames of the matched features.
    """

    point: Expression
    point_of: str
    surface: Call
    surface_of: str
    span: Span = field(default=NOWHERE, compare=False)


@node
class HingeType:
    """``hinge name(parameters) { rows }``."""

    name: str
    parameters: tuple[Parameter, ...] = ()
    rows: tuple[HingeRow, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)
    complete: bool = field(default=True, compare=False)
