"""A request of a text: the world it is about, what it asks, and what is done on events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from articulata.errors import ArticulataError, WorldError
from articulata.world.values import NOWHERE, Span

if TYPE_CHECKING:
    from articulata.world.edits.transaction import Edit
    from articulata.world.model import World
    from articulata.world.requests.questions import Question

RequestKind: TypeAlias = Literal["simulate", "vary", "reach", "pose", "track", "film"]
OptionValue: TypeAlias = float | str | bool | tuple["OptionValue", ...]


@dataclass(frozen=True, slots=True)
class Report:
    """One entry of ``report:``.

    ``kind`` is "animation", "snapshots", "impulses", "peaks", "forces", "monitor", "events" or
    "equations"; ``every`` its interval or instant in s, ``count`` a number of snapshots,
    ``path`` what it is about.
    """

    kind: str
    every: float | None = None
    count: int | None = None
    path: str | None = None
    span: Span = field(default=NOWHERE, compare=False)


MOST_STEPS = 100_000_000
"""Steps beyond which a run is refused: it could neither be stored nor waited for."""

MOST_ITERATIONS = 1_000_000
"""Rounds over the contacts of one step beyond which nobody could wait for it."""

COMPARISONS = ("<", "<=", ">", ">=")
"""What a condition compares by; that a quantity equals another is true at no whole instant."""


@dataclass(frozen=True, slots=True)
class Action:
    """One action of an ``on`` clause: a verb ("break", "remove", "add" ...) and its operands.

    ``edits`` are what it does where that does not depend on the instant: the hinge of a join, the
    bodies of what is added.
    """

    verb: str
    operands: tuple[OptionValue, ...]
    span: Span = field(default=NOWHERE, compare=False)
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """``on EVENT: actions``: the event's kind, what it is about, and what is then done.

    The operands of a "condition" are a comparison ``(">", left, right)`` or ``("and", ...)``,
    ``("or", ...)``, ``("not", ...)`` of such; a side is a number in SI units, a path, or a tuple
    of an operator and its operands. ``given`` is a condition that an event has to meet besides
    ("impact" with "impulse" above 3 N s), None where there is none.
    """

    event: str
    operands: tuple[OptionValue, ...]
    actions: tuple[Action, ...]
    span: Span = field(default=NOWHERE, compare=False)
    given: OptionValue | None = None


@contextmanager
def asked_at(span: Span) -> Iterator[None]:
    """Say where a text asks for what fails within, unless the error tells a place itself."""
    try:
        yield
    except ArticulataError as error:
        if not span.line or (isinstance(error, WorldError) and error.diagnostics):
            raise
        raise type(error)(f"{span}: {error}") from error


class Elaborates(Protocol):
    """What a request's world comes from: a document."""

    @property
    def figures(self) -> tuple[str, ...]:
        """The names of its figures."""
        ...

    def world(self, name: Request, /) -> World:
        """Return the world of a request."""
        ...

    def figure_world(self, name: str = "", *args: float | str, **named: float | str) -> World:
        """Return a world that holds a figure alone."""
        ...


@dataclass(frozen=True, slots=True)
class Request:
    """A question put to a world named ``world`` with ``arguments`` (SI values).

    ``step`` (s) is the control cycle and output interval, ``until`` (s) the end. ``domains`` None
    means all that the world needs. ``options`` holds what else a request to simulate says, by its
    keyword. ``question`` is what another request asks, in SI; ``name`` stands after the request's
    first word, and is the world's name where no ``world:`` is said.
    """

    kind: RequestKind
    world: str
    arguments: tuple[float, ...] = ()
    step: float | None = None
    until: float | None = None
    method: str | None = None
    domains: tuple[str, ...] | None = None
    reports: tuple[Report, ...] = ()
    rules: tuple[Rule, ...] = ()
    options: Mapping[str, OptionValue] | None = None
    span: Span = field(default=NOWHERE, compare=False)
    document: Elaborates | None = field(default=None, compare=False, repr=False)
    name: str = ""
    question: Question | None = None

    def elaborate(self) -> World:
        """Return the world that this request is about; raise WorldError when there is none."""
        if not self.world:
            raise WorldError(f"{self.kind} {self.name} is about no world; write world: NAME in it")
        if self.document is None:
            raise WorldError(
                f"this request for '{self.world}' belongs to no document; take it from "
                "document.requests, or give the world itself"
            )
        return self.document.world(self)
