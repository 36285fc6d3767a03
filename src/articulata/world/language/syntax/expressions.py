"""The syntax tree of expressions, what every node of the tree is, and how operators bind.

Every node has ``span``, the start and end offset in the source; nodes built in Python stand at
``NOWHERE``. Two nodes are equal when they say the same, wherever they stand.

Nodes are frozen for the type checker. They are not frozen at run time, because that doubles
the time a parse takes; nothing in the package changes one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cache
from typing import TypeVar, dataclass_transform

from articulata.world.language.source import NOWHERE, Span

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def node(cls: type[_T]) -> type[_T]:
    """Make ``cls`` a node: slots, equality and hash by content."""
    return dataclass(slots=True, unsafe_hash=True)(cls)


@node
class Node:
    """What every node has: where it stands, which does not count when nodes are compared."""

    span: Span = field(default=NOWHERE, compare=False, kw_only=True)


@node
class Named(Node):
    """A node with a name of its own, and where that stands."""

    name_span: Span = field(default=NOWHERE, compare=False, kw_only=True)


@node
class Block(Named):
    """A named block; it is not ``complete`` where an error was found in it."""

    complete: bool = field(default=True, compare=False, kw_only=True)


@node
class Number(Node):
    """A number and its unit as written: ``1.5 m``, ``90deg``, ``2``; unit ``""`` when bare."""

    value: float
    unit: str = ""


@node
class Text(Node):
    """A string between double quotes, without them."""

    value: str


@node
class Part(Node):
    """One step of a path: a name and, for a component of an array, its index or range."""

    name: str
    index: Expression | Range | None = None


@node
class Path(Node):
    """A name or a dotted path: ``n``, ``rod[i-1].top``, ``ball.and.socket``."""

    parts: tuple[Part, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The names along the path, without indices."""
        return tuple(part.name for part in self.parts)

    @property
    def text(self) -> str:
        """The names joined by dots, without indices."""
        return ".".join(part.name for part in self.parts)

    @property
    def simple(self) -> str:
        """The name when the path is one bare name, otherwise ``""``."""
        first = self.parts[0]
        return first.name if len(self.parts) == 1 and first.index is None else ""


@node
class Addend(Node):
    """A hinge in a sum of them: ``sign`` is 1 or -1."""

    path: Path
    sign: int = 1


@node
class Argument(Node):
    """A value in parentheses, with its name when it has one: ``axis: z``, ``3``, ``gravity``."""

    name: str | None
    value: Expression


@node
class Call(Node):
    """A function, shape or type with its arguments: ``cuboid(1, 3, 1)``."""

    function: Path
    arguments: tuple[Argument, ...]


@node
class Tuple(Node):
    """Two or more values in parentheses; commas between them are optional."""

    items: tuple[Expression, ...]


@node
class Unary(Node):
    """``-x``, ``+x`` or ``not x``."""

    operator: str
    operand: Expression


@node
class Binary(Node):
    """Two operands: ``+ - * / ^``, ``< <= > >= == !=``, ``and``, ``or``."""

    operator: str
    left: Expression
    right: Expression


@node
class Turn(Node):
    """``turned ANGLE about AXIS``, or ``turned ROTATION`` when there is no axis."""

    angle: Expression
    axis: Expression | None = None


@node
class Placed(Node):
    """Something put elsewhere: ``cylinder(0.1, 2) at (0, 1, 0) turned 90 deg about x``.

    The turns are about the thing's own centre, along fixed axes, in the order written; then
    the centre is put at ``at``.
    """

    value: Expression
    at: Expression | None = None
    turns: tuple[Turn, ...] = ()


Expression = Number | Text | Path | Call | Tuple | Unary | Binary | Placed


@node
class Range(Node):
    """``first..last``, both included."""

    first: Expression
    last: Expression


_PLAIN = frozenset(("str", "str | None", "float", "int", "bool", "tuple[str, ...]"))
"""Annotations of fields that hold no nodes."""


@cache
def _held(kind: type) -> tuple[str, ...]:
    """Return the fields of a kind of node that may hold nodes, the last first."""
    held = (each for each in fields(kind) if each.compare and each.type not in _PLAIN)
    return tuple(each.name for each in held)[::-1]


def children(item: object) -> Iterator[object]:
    """Yield the nodes directly below ``item``, in the order of its fields."""
    below: list[object] = []
    _put_below(item, below)
    yield from reversed(below)


def _put_below(item: object, stack: list[object]) -> None:
    """Put the nodes directly below ``item`` on a stack, the first on top."""
    for name in _held(type(item)):  # type: ignore[arg-type] # classes do have a hash
        value = getattr(item, name)
        if isinstance(value, tuple):
            stack += [each for each in reversed(value) if isinstance(each, Node)]
        elif isinstance(value, Node):
            stack.append(value)


def walk(item: object) -> Iterator[object]:
    """Yield ``item`` and every node below it, outermost first."""
    stack = [item]
    while stack:
        top = stack.pop()
        yield top
        _put_below(top, stack)


# ---- operators, and how tightly they bind

BINDING = {
    "or": 1, "and": 2,
    "<": 4, "<=": 4, ">": 4, ">=": 4, "==": 4, "!=": 4,
    "+": 10, "-": 10, "*": 20, "/": 20, "^": 30,
}  # fmt: skip
"""How tightly each operator binds; ``^`` groups to the right, the others to the left."""
EQUALITIES = ("==", "!=")
"""Operators that are read so that it can be said that there are none."""
NO_EQUALITY = "there is no '{}': two quantities are equal at an instant at most"
NEARNESS = "write < or >, or how near they come: abs(a - b) < 1 mm"
NOT_BINDING = 3
SIGN_BINDING = 25
