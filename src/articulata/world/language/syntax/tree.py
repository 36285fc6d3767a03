"""The syntax tree of a world's text: what was written, before anything is looked up.

Requests and the file itself are defined here; definitions come from ``definitions`` and
expressions from ``expressions``, and all can be had from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from articulata.world.language.source import NOWHERE, Source, Span
from articulata.world.language.syntax.definitions import (
    Binding,
    Chain,
    Component,
    ComponentName,
    Composite,
    Control,
    Dynamics,
    Entry,
    Excerpt,
    Feature,
    Figure,
    Follows,
    For,
    Force,
    Gear,
    Geometry,
    HingeRow,
    HingeType,
    Ignore,
    Interference,
    Join,
    Key,
    LimitSet,
    MaterialPair,
    Moment,
    Motion,
    Pair,
    Parameter,
    Place,
    PlaceAt,
    PlaceClause,
    PlaceSet,
    Posture,
    Primitive,
    Properties,
    Route,
    Row,
    Statement,
    Table,
    World,
)
from articulata.world.language.syntax.expressions import (
    Addend,
    Argument,
    Binary,
    Call,
    Expression,
    Number,
    Part,
    Path,
    Placed,
    Range,
    Text,
    Tuple,
    Turn,
    Unary,
    children,
    node,
    walk,
)

__all__ = [
    "NOWHERE",
    "Action",
    "Add",
    "Addend",
    "Argument",
    "Binary",
    "Binding",
    "Break",
    "Call",
    "Chain",
    "Clause",
    "Comment",
    "Component",
    "ComponentName",
    "Composite",
    "Control",
    "Dynamics",
    "Entry",
    "Excerpt",
    "Expression",
    "Feature",
    "Figure",
    "File",
    "FileItem",
    "Follows",
    "For",
    "Force",
    "Gear",
    "Geometry",
    "HingeRow",
    "HingeType",
    "Ignore",
    "Import",
    "Interference",
    "Item",
    "Join",
    "Key",
    "Let",
    "LimitSet",
    "MaterialPair",
    "Moment",
    "Motion",
    "Number",
    "On",
    "Pair",
    "Parameter",
    "Part",
    "Path",
    "Place",
    "PlaceAt",
    "PlaceClause",
    "PlaceSet",
    "Placed",
    "Posture",
    "Primitive",
    "Properties",
    "Range",
    "Remove",
    "Request",
    "Route",
    "Row",
    "Set",
    "Source",
    "Span",
    "Start",
    "Statement",
    "Stop",
    "Table",
    "Text",
    "Tuple",
    "Turn",
    "Unary",
    "Units",
    "World",
    "children",
    "node",
    "walk",
]

# ---- requests


@node
class Item:
    """Values and words side by side: ``animation every 20 ms``, ``grid 5 cm in room``."""

    parts: tuple[Expression, ...]
    span: Span = field(default=NOWHERE, compare=False)


@node
class Clause:
    """``name: item, item`` of a request; the grammar's table says which items are legal."""

    name: str
    items: tuple[Item, ...]
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)


@node
class Break:
    """``break hinge``."""

    target: Path
    span: Span = field(default=NOWHERE, compare=False)


@node
class Remove:
    """``remove component``."""

    target: Path
    span: Span = field(default=NOWHERE, compare=False)


@node
class Set:
    """``set path = value``."""

    target: Path
    value: Expression
    span: Span = field(default=NOWHERE, compare=False)


@node
class Add:
    """``add name: type(arguments) by clauses``; the clauses are those of ``place``."""

    component: Component
    clauses: tuple[PlaceClause, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)


@node
class Heed:
    """``heed A with B``: this pair is tested for contact again."""

    first: Path
    second: Path
    span: Span = field(default=NOWHERE, compare=False)


@node
class Start:
    """``start anna.wave``: a figure begins a motion."""

    target: Path
    span: Span = field(default=NOWHERE, compare=False)


@node
class Stop:
    """``stop``: the run ends here."""

    span: Span = field(default=NOWHERE, compare=False)


Action = Break | Remove | Set | Add | Start | Stop | Join | Place | Ignore | Heed | MaterialPair


@node
class On:
    """``on event: action`` or ``on event { actions }``.

    The event is a call such as ``contact(a, b)``, ``break h``, ``time 2 s`` or a condition; a
    call may go on ``with`` a condition.
    """

    event: Item
    actions: tuple[Action, ...]
    span: Span = field(default=NOWHERE, compare=False)


@node
class Request:
    """``simulate name(arguments) { clauses }`` and its sisters; ``kind`` is the first word."""

    kind: str
    name: str
    arguments: tuple[Argument, ...] = ()
    clauses: tuple[Clause, ...] = ()
    reactions: tuple[On, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)
    complete: bool = field(default=True, compare=False)

    def clause(self, name: str) -> Clause | None:
        """Return the clause called ``name``, or None."""
        return next((clause for clause in self.clauses if clause.name == name), None)


# ---- files


@node
class Import:
    """``import "file" as name``; a file that ends in ``.py`` holds controllers."""

    file: str
    name: str | None = None
    span: Span = field(default=NOWHERE, compare=False)


@node
class Units:
    """``units: metre, kilogram, second, degree``: what bare numbers mean."""

    names: tuple[str, ...]
    span: Span = field(default=NOWHERE, compare=False)
    name_spans: tuple[Span, ...] = field(default=(), compare=False)


@node
class Let:
    """``let name = value``."""

    name: str
    value: Expression
    span: Span = field(default=NOWHERE, compare=False)
    name_span: Span = field(default=NOWHERE, compare=False)


FileItem = (
    Import
    | Units
    | Let
    | MaterialPair
    | Primitive
    | Composite
    | Figure
    | HingeType
    | World
    | Request
)


@node
class Comment:
    """A comment with its mark, ``-- why`` or ``# why``."""

    text: str
    span: Span = field(default=NOWHERE, compare=False)


@node
class File:
    """A whole text: its items in order, its comments, and the source they stand in."""

    items: tuple[FileItem, ...]
    comments: tuple[Comment, ...] = field(default=(), compare=False)
    source: Source = field(default_factory=lambda: Source(""), compare=False)
    span: Span = field(default=NOWHERE, compare=False)
    complete: bool = field(default=True, compare=False)
    lost: tuple[str, ...] = field(default=(), compare=False)
    """Names of values whose lines could not be read: they are not missed elsewhere."""


def only_type(items: Sequence[FileItem]) -> Composite | Figure | None:
    """Return what a file is there for: its only composite, else a figure that stands alone.

    A file with a world in it is there for that.
    """
    items = [each for each in items if not isinstance(each, HingeType)]
    if any(isinstance(each, World) for each in items):
        return None
    composites = [each for each in items if isinstance(each, Composite)]
    if len(composites) == 1:
        return composites[0]
    return items[0] if len(items) == 1 and isinstance(items[0], Figure) else None
