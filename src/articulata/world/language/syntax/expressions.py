"""The syntax tree of expressions, and what every node of the tree is.

Every node ends in ``span``, the start and end offset in the source; nodes built in Python
stand at ``NOWHERE``. Two nodes are equal when they say the same, wherever they stand.

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
class Number:
    """A number and its unit as written: ``1.5 m``, ``90deg``, ``2``; unit ``""`` when bare."""

    value: float
    unit: str = ""
    span: Span = field(default=NOWHERE, compare=False)


@node
class Text:
    """A string between double quotes, without them."""

    value: str
    span: Span = field(default=NOWHERE, compare=False)


@node
class Part:
    """One step of a path: a name and, for a component of an array, its index or range."""

    name: str
    index: Expression | Range | None = None
    span: Span = field(default=NOWHERE, compare=False)


@node
class Path:
    """A name or a dotted path: ``n``, ``rod[i-1].top``, ``ball.and.socket``."""

    parts: tuple[Part, ...]
    span: Span = field(default=NOWHERE, compare=False)

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
class Addend:
    """A hinge in a sum of them: ``sign`` is 1 or -1."""

    path: Path
    sign: int = 1
    span: Span = field(default=NOWHERE, compare=False)


@node
class Argument:
    """A value in parentheses, with its name when it has one: ``axis: z``, ``3``, ``gravity``."""

    name: str | None
    value: Expression
    span: Span = field(default=NOWHERE, compare=False)


@node
class Call:
    """A function, shape or type with its arguments: ``cuboid(1, 3, 1)``."""

    function: Path
    arguments: tuple[Argument, ...]
    span: Span = field(default=NOWHERE, compare=False)


@node
class Tuple:
    """Two or more values in parentheses; commas between them are optional."""

    items: tuple[Expression, ...]
    span: Span = field(default=NOWHERE, compare=False)


@node
class Unary:
    """``-x``, ``+x`` or ``not x``."""

    operator: str
    operand: Expression
    span: Span = field(default=NOWHERE, compare=False)


@node
class Binary:
    """Two operands: ``+ - * / ^``, ``< <= > >= == !=``, ``and``, ``or``."""

    operator: str
    left: Expression
    right: Expression
    span: Span = field(default=NOWHERE, compare=False)


@node
class Turn:
    """``turned ANGLE about AXIS``, or ``turned ROTATION`` when there is no axis."""

    angle: Expression
    axis: Expression | None = None
    span: Span = field(default=NOWHERE, compare=False)


@node
class Placed:
    """Something put elsewhere: ``cylinder(0.1, 2) at (0, 1, 0) turned 90 deg about x``.

    The turns are about the thing's own centre, along fixed axes, in the order written; then
    the centre is put at ``at``.
    """

    value: Expression
    at: Expression | None = None
    turns: tuple[Turn, ...] = ()
    span: Span = field(default=NOWHERE, compare=False)


Expression = Number | Text | Path | Call | Tuple | Unary | Binary | Placed


@node
class Range:
    """``first..last``, both included."""

    first: Expression
    last: Expression
    span: Span = field(default=NOWHERE, compare=False)


@cache
def _compared(kind: type) -> tuple[str, ...]:
    """Return the fields of a kind of node that say something, all but the span."""
    return tuple(slot.name for slot in fields(kind) if slot.compare)


def children(item: object) -> Iterator[object]:
    """Yield the nodes directly below ``item``, in the order of its fields."""
    for name in _compared(type(item)):  # type: ignore[arg-type] # classes do have a hash
        value = getattr(item, name)
        if isinstance(value, tuple):
            yield from (each for each in value if hasattr(each, "span"))
        elif hasattr(value, "span"):
            yield value


def walk(item: object) -> Iterator[object]:
    """Yield ``item`` and every node below it, outermost first."""
    stack = [item]
    while stack:
        top = stack.pop()
        yield top
        stack.extend(reversed(list(children(top))))
