"""Requests of a text: clauses with SI values, rules with their actions as data."""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from articulata.world.language.elaboration.contacting import contact_choices
from articulata.world.language.elaboration.evaluate import Scope, Turned, Value
from articulata.world.language.elaboration.findings import Abandon, span_of
from articulata.world.language.elaboration.quantities import Quantity
from articulata.world.language.elaboration.shapes import PutValue
from articulata.world.language.syntax import tree as t
from articulata.world.requests import Action, OptionValue, Report, Request, Rule


def request_of(scope: Scope, item: t.Request, arguments: tuple[float, ...]) -> Request:
    """Return a request; what is wrong in one clause does not hide the next."""
    step = until = None
    method: str | None = None
    domains: tuple[str, ...] | None = None
    reports: list[Report] = []
    options: dict[str, OptionValue] = {}
    for clause in item.clauses:
        try:
            if clause.name == "time" and item.kind == "simulate":
                step, until = _times(scope, clause)
            elif clause.name == "report" and item.kind == "simulate":
                reports += [report for each in clause.items for report in _report(scope, each)]
            elif clause.name == "domains":
                domains = _words(clause)
            elif clause.name == "method":
                method = _words(clause)[0] if _words(clause) else None
            elif clause.name == "contact":
                options["contact"] = contact_choices(scope, clause)
            else:
                options[clause.name] = _options(scope, clause)
        except Abandon:
            continue
    rules: list[Rule] = []
    for reaction in item.reactions:
        try:
            rules.append(_rule(scope, reaction))
        except Abandon:
            continue
    return Request(
        item.kind,  # type: ignore[arg-type] # one of the parser's five words
        item.name,
        arguments,
        step,
        until,
        method,
        domains,
        tuple(reports),
        tuple(rules),
        MappingProxyType(options),
        span_of(scope.source, item.span),
    )


def _times(scope: Scope, clause: t.Clause) -> tuple[float, float]:
    """Return step and end: ``(0.05 s, 60 s)``."""
    parts = [part for each in clause.items for part in each.parts]
    values: list[t.Expression] = []
    for part in parts:
        values += part.items if isinstance(part, t.Tuple) else (part,)
    if len(values) != 2:
        raise scope.fail(
            clause, "wrong-count", "time takes the step and the end", "write (0.05 s, 60 s)"
        )
    step, until = (scope.number(value, "time") for value in values)
    if step <= 0:
        raise scope.fail(
            values[0], "not-positive", f"the step must be greater than 0, not {step:g} s"
        )
    if until <= 0:
        raise scope.fail(
            values[1], "not-positive", f"the end must be greater than 0, not {until:g} s"
        )
    if step > until:
        raise scope.fail(
            values[0],
            "wrong-order",
            f"the step, {step:g} s, is longer than the whole, {until:g} s",
            "write (step, end)",
        )
    return step, until


def _words(clause: t.Clause) -> tuple[str, ...]:
    """Return the bare words of a clause: ``(geometric, control)``."""
    found: list[str] = []
    for each in clause.items:
        for part in each.parts:
            items = part.items if isinstance(part, t.Tuple) else (part,)
            found += [item.text for item in items if isinstance(item, t.Path)]
            found += [item.value for item in items if isinstance(item, t.Text)]
    return tuple(found)


def path_text(scope: Scope, path: t.Path) -> str:
    """Return a path with its indices computed: ``p.rod[3].top``."""
    names: list[str] = []
    for part in path.parts:
        if part.index is None:
            names.append(part.name)
        elif isinstance(part.index, t.Range):
            low = scope.whole(part.index.first, "an index")
            high = scope.whole(part.index.last, "an index")
            names.append(f"{part.name}[{low}..{high}]")
        else:
            names.append(f"{part.name}[{scope.whole(part.index, 'an index')}]")
    return ".".join(names)


def _report(scope: Scope, item: t.Item) -> list[Report]:
    parts = item.parts
    span = span_of(scope.source, item.span)
    word = parts[0].text if isinstance(parts[0], t.Path) else ""
    rest = list(parts[1:])
    joiner = rest[0].text if rest and isinstance(rest[0], t.Path) else ""
    if word == "animation":
        every = None
        if joiner == "every" and len(rest) == 2:
            every = _interval(scope, rest[1])
        return [Report(word, every, None, None, span)]
    if word == "snapshots" and len(rest) == 1:
        count = scope.whole(rest[0], "a number of snapshots")
        if count < 1:
            raise scope.fail(rest[0], "not-positive", f"{count} snapshots cannot be drawn")
        return [Report(word, None, count, None, span)]
    if word == "equations" and joiner == "at" and len(rest) == 2:
        return [Report(word, scope.number(rest[1], "time"), None, None, span)]
    if word == "forces" and joiner == "of" and len(rest) == 2 and isinstance(rest[1], t.Path):
        return [Report(word, None, None, path_text(scope, rest[1]), span)]
    if word == "monitor" and len(rest) == 1 and isinstance(rest[0], t.Path):
        return [Report(word, None, None, path_text(scope, rest[0]), span)]
    if word in ("events", "impulses") and not rest:
        return [Report(word, None, None, None, span)]
    raise scope.fail(
        item,
        "unknown-word",
        f"this report cannot be made: '{word}'",
        "write animation every 20 ms, snapshots 5, events, impulses, monitor PATH, "
        "forces of PATH or equations at 1.5 s",
    )


def _interval(scope: Scope, item: t.Expression) -> float:
    value = scope.number(item, "time")
    if value <= 0:
        raise scope.fail(
            item, "not-positive", f"an interval must be greater than 0, not {value:g} s"
        )
    return value


def _options(scope: Scope, clause: t.Clause) -> OptionValue:
    """Return a clause as data: one item alone, or a tuple of items."""
    items = tuple(_item(scope, each) for each in clause.items)
    return items[0] if len(items) == 1 else items


def _item(scope: Scope, item: t.Item) -> OptionValue:
    parts = tuple(option_value(scope, part) for part in item.parts)
    return parts[0] if len(parts) == 1 else parts


def option_value(scope: Scope, item: t.Expression) -> OptionValue:
    """Return an expression as data: SI numbers, words and paths as text, tuples."""
    if isinstance(item, t.Path):
        value = scope.name(item.simple) if item.simple else None
        return path_text(scope, item) if value is None else _data(scope, value, item)
    if isinstance(item, t.Tuple):
        return tuple(option_value(scope, each) for each in item.items)
    if isinstance(item, t.Call):
        arguments = tuple(option_value(scope, each.value) for each in item.arguments)
        return (item.function.text, *arguments)
    return _data(scope, scope.evaluate(item), item)


def _data(scope: Scope, value: Value, item: Any) -> OptionValue:
    if isinstance(value, Quantity):
        return value.value
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Turned):
        return value.quaternion
    if isinstance(value, PutValue):
        return (_data(scope, value.value, item), value.turn)
    if isinstance(value, tuple):
        return tuple(_data(scope, each, item) for each in value)
    raise scope.fail(item, "wrong-kind", "this value cannot stand in a request")


# ---- rules


def _rule(scope: Scope, item: t.On) -> Rule:
    kind, operands = _event(scope, item.event)
    actions = tuple(_action(scope, each) for each in item.actions)
    return Rule(kind, operands, actions, span_of(scope.source, item.span))


_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def _event(scope: Scope, item: t.Item) -> tuple[str, tuple[OptionValue, ...]]:
    """Return an event's kind and what it is about."""
    first = item.parts[0]
    rest = item.parts[1:]
    if isinstance(first, t.Call):
        return first.function.text, tuple(
            option_value(scope, argument.value) for argument in first.arguments
        )
    if isinstance(first, t.Path) and first.simple in ("break", "settled", "time") and rest:
        if first.simple == "time":
            return "time", (scope.number(rest[0], "time"),)
        return first.simple, tuple(option_value(scope, each) for each in rest)
    if isinstance(first, t.Binary) and first.operator in _COMPARISONS and not rest:
        return "condition", (
            first.operator,
            _side(scope, first.left, first.right),
            _side(scope, first.right, first.left),
        )
    raise scope.fail(
        item,
        "unknown-word",
        "this is no event",
        "write contact(a, b), separation(a, b), break h, settled(a), time 2 s or a comparison",
    )


_KINDS = {"angle": "angle", "travel": "length", "rate": "rate", "v": "speed", "w": "rate",
          "time": "time", "force": "force", "moment": "torque", "torque": "torque",
          "a": "acceleration", "energy": "energy", "distance": "length"}  # fmt: skip


def _side(scope: Scope, item: t.Expression, other: t.Expression) -> OptionValue:
    """Return one side of a comparison: a path, or a number in SI as the other side's quantity."""
    if isinstance(item, t.Path) and (not item.simple or scope.name(item.simple) is None):
        return path_text(scope, item)
    value = scope.evaluate(item)
    kind = None
    if isinstance(other, t.Path):
        names = [name for name in other.names if name not in ("x", "y", "z")]
        kind = _KINDS.get(names[-1] if names else "")
        if kind is None and isinstance(value, Quantity) and value.dimension is None:
            kind = "length"
    if kind is not None and isinstance(value, Quantity):
        return scope.to_kind(value, kind, item)
    return _data(scope, value, item)


def _action(scope: Scope, item: t.Action) -> Action:
    """Return an action as data; what makes new parts keeps its canonical text."""
    span = span_of(scope.source, item.span)
    if isinstance(item, t.Break):
        return Action("break", (path_text(scope, item.target),), span)
    if isinstance(item, t.Remove):
        return Action("remove", (path_text(scope, item.target),), span)
    if isinstance(item, t.Set):
        return Action("set", (path_text(scope, item.target), option_value(scope, item.value)), span)
    if isinstance(item, t.Stop):
        return Action("stop", (), span)
    verb = {t.Add: "add", t.Join: "join", t.Place: "place"}[type(item)]
    start, end = item.span
    words = scope.source.text[max(0, start) : max(0, end)].split()
    return Action(verb, (" ".join(words),), span)
