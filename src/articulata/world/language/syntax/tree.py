"""The syntax tree of a world's text: what was written, before anything is looked up.

Requests and the file itself are defined here; definitions come from ``definitions`` and
expressions from ``expressions``, and all can be had from here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from articulata.world.language.source import Source, Span
from articulata.world.language.syntax.definitions import *
from articulata.world.language.syntax.expressions import *

# ---- requests


@node
class Item(Node):
    """Values and words side by side: ``animation every 20 ms``, ``grid 5 cm in room``."""

    parts: tuple[Expression, ...]


@node
class Clause(Named):
    """``name: item, item`` of a request; the grammar's table says which items are legal."""

    name: str
    items: tuple[Item, ...]


@node
class Break(Node):
    """``break hinge``."""

    target: Path


@node
class Remove(Node):
    """``remove component``."""

    target: Path


@node
class Set(Node):
    """``set path = value``."""

    target: Path
    value: Expression


@node
class Add(Node):
    """``add name: type(arguments) by clauses``; the clauses are those of ``place``."""

    component: Component
    clauses: tuple[PlaceClause, ...] = ()


@node
class Heed(Node):
    """``heed A with B``: this pair is tested for contact again."""

    first: Path
    second: Path


@node
class Start(Node):
    """``start anna.wave``: a figure begins a motion."""

    target: Path


@node
class Stop(Node):
    """``stop``: the run ends here."""


Action = Break | Remove | Set | Add | Start | Stop | Join | Place | Ignore | Heed | MaterialPair


@node
class On(Node):
    """``on event: action`` or ``on event { actions }``.

    The event is a call such as ``contact(a, b)``, ``break h``, ``time 2 s`` or a condition; a
    call may go on ``with`` a condition.
    """

    event: Item
    actions: tuple[Action, ...]


@node
class Request(Block):
    """``simulate name(arguments) { clauses }`` and its sisters; ``kind`` is the first word."""

    kind: str
    name: str
    arguments: tuple[Argument, ...] = ()
    clauses: tuple[Clause, ...] = ()
    reactions: tuple[On, ...] = ()

    def clause(self, name: str) -> Clause | None:
        """Return the clause called ``name``, or None."""
        return next((clause for clause in self.clauses if clause.name == name), None)


# ---- files


@node
class Import(Node):
    """``import "file" as name``; a file that ends in ``.py`` holds controllers."""

    file: str
    name: str | None = None


@node
class Units(Node):
    """``units: metre, kilogram, second, degree``: what bare numbers mean."""

    names: tuple[str, ...]
    name_spans: tuple[Span, ...] = field(default=(), compare=False)


@node
class Let(Named):
    """``let name = value``."""

    name: str
    value: Expression


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
class Comment(Node):
    """A comment with its mark, ``-- why`` or ``# why``."""

    text: str


@node
class File(Node):
    """A whole text: its items in order, its comments, and the source they stand in."""

    items: tuple[FileItem, ...]
    comments: tuple[Comment, ...] = field(default=(), compare=False)
    source: Source = field(default_factory=lambda: Source(""), compare=False)
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
