"""Requests: the questions a text puts to a world (``simulate``, ``reach``, ``pose`` ...)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from articulata.world.values import NOWHERE, Span

RequestKind: TypeAlias = Literal["simulate", "reach", "pose", "track", "film"]
OptionValue: TypeAlias = float | str | bool | tuple["OptionValue", ...]


@dataclass(frozen=True, slots=True)
class Report:
    """One entry of ``report:``.

    ``kind`` is "animation", "snapshots", "impulses", "forces", "monitor", "events" or
    "equations"; ``every`` its interval or instant in s, ``count`` a number of snapshots,
    ``path`` what it is about.
    """

    kind: str
    every: float | None = None
    count: int | None = None
    path: str | None = None
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Action:
    """One action of an ``on`` clause: a verb ("break", "remove", "add" ...) and its operands."""

    verb: str
    operands: tuple[OptionValue, ...]
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Rule:
    """``on EVENT: actions``: the event's kind, what it is about, and what is then done."""

    event: str
    operands: tuple[OptionValue, ...]
    actions: tuple[Action, ...]
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Request:
    """A question put to a world named ``world`` with ``arguments`` (SI values).

    ``step`` (s) is the control cycle and output interval, ``until`` (s) the end. ``domains`` None
    means all that the world needs. ``options`` holds what else the block says, by its keyword.
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
    span: Span = NOWHERE
