"""Figures of a text: chains by table or route, postures, limits, sensors, landmarks."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

from articulata.world.figures import (
    ChainNode,
    EntryValue,
    FigureNode,
    JointRow,
    RouteNode,
    TableNode,
)
from articulata.world.language.elaboration.evaluate import Scope, Turned, Value
from articulata.world.language.elaboration.findings import Abandon, span_of
from articulata.world.language.elaboration.instances import (
    CompositeInstance,
    locate_body,
    locate_feature,
)
from articulata.world.language.elaboration.quantities import Quantity, type_name
from articulata.world.language.elaboration.shapes import PutValue
from articulata.world.language.syntax import tree as t
from articulata.world.model import FeatureRef

CONVENTIONS = {"standard": "standard", "modified": "modified", "x_axis": "x-axis"}
ANGLES = ("theta", "alpha")
LENGTHS = ("d", "a")


def figure_node(
    item: t.Figure, scope: Scope, instance: CompositeInstance, factor: float
) -> FigureNode:
    """Return the figure of an instance; what is wrong in one entry does not hide the next."""
    chains: dict[str, ChainNode] = {}
    for chain in item.chains:
        try:
            if chain.name in chains:
                raise scope.fail(chain, "duplicate", f"chain '{chain.name}' is defined twice")
            chains[chain.name] = _chain(scope, chain, instance, factor)
        except Abandon:
            continue
    kinds = {
        row.name: row.kind
        for chain in chains.values()
        if isinstance(chain, TableNode)
        for row in chain.rows
    }
    hinges: dict[str, str] = {}
    _hinges(instance, "", hinges, kinds)
    postures: dict[str, Mapping[str, EntryValue]] = {}
    for posture in item.postures:
        postures[posture.name] = _entries(scope, posture.entries, instance, kinds)
    return FigureNode(
        instance.id,
        type_name(item.name),
        MappingProxyType(chains),
        MappingProxyType(postures),
        _entries(scope, item.limits, instance, kinds, limits=True),
        _entries(scope, item.sensors, instance, None),
        _entries(scope, item.landmarks, instance, None),
        MappingProxyType(hinges),
        instance.span,
    )


def _hinges(
    instance: CompositeInstance, prefix: str, found: dict[str, str], kinds: dict[str, Any]
) -> None:
    """Name the hinges of a figure by their path within it, and note which slide."""
    for name, hinge in instance.hinges.items():
        found[prefix + name] = hinge.id
        sliding = hinge.kind.coordinates == ("travel",)
        kinds[prefix + name] = "prismatic" if sliding else "revolute"
    for part in instance.parts.values():
        if isinstance(part, CompositeInstance):
            _hinges(part, f"{prefix}{part.name}.", found, kinds)


def _chain(scope: Scope, item: t.Chain, instance: CompositeInstance, factor: float) -> ChainNode:
    course = item.course
    span = span_of(scope.source, item.span)
    if isinstance(course, t.Route):
        ends = []
        for path in (course.start, course.end):
            body, feature = locate_feature(scope, instance, path)
            ends.append(FeatureRef(body.id, feature.name))
        return RouteNode(item.name, ends[0], ends[1], span)
    base = None
    if course.base is not None:
        base = locate_body(scope, instance, course.base).id
    rows: list[JointRow] = []
    failed = False
    for row in course.rows:
        try:
            if any(row.name == other.name for other in rows):
                raise scope.fail(row, "duplicate", f"joint '{row.name}' is defined twice")
            rows.append(_row(scope, row, factor))
        except Abandon:
            failed = True
    if failed:
        raise Abandon
    return TableNode(item.name, CONVENTIONS[course.convention], tuple(rows), base, span)


def _row(scope: Scope, item: t.Row, factor: float) -> JointRow:
    call = item.joint
    kind = call.function.text
    if kind not in ("revolute", "prismatic", "fixed"):
        raise scope.fail(
            call.function,
            "unknown-word",
            f"'{kind}' is no joint of a table",
            "write revolute(...), prismatic(...) or fixed(...)",
        )
    numbers: dict[str, float] = {}
    limits: tuple[float, float] | None = None
    extra: dict[str, EntryValue] = {}
    names = ("theta", "d", "a", "alpha")
    place = 0
    for argument in call.arguments:
        name = argument.name
        if name is None:
            if place >= len(names):
                raise scope.fail(argument, "wrong-count", "a row takes theta, d, a and alpha")
            name = names[place]
            place += 1
        if name in ANGLES:
            numbers[name] = scope.number(argument.value, "angle")
        elif name in LENGTHS:
            numbers[name] = factor * scope.number(argument.value, "length")
        elif name == "limits":
            limits = _pair(scope, argument.value, kind, factor)
        else:
            extra[name] = _data(scope, scope.evaluate(argument.value), argument.value)
    return JointRow(
        item.name,
        kind,  # type: ignore[arg-type] # one of three words, as tested above
        numbers.get("theta", 0.0),
        numbers.get("d", 0.0),
        numbers.get("a", 0.0),
        numbers.get("alpha", 0.0),
        limits,
        MappingProxyType(extra),
        span_of(scope.source, item.span),
    )


def _pair(scope: Scope, item: t.Expression, kind: str, factor: float = 1.0) -> tuple[float, float]:
    value = scope.evaluate(item)
    if isinstance(value, Quantity) or not isinstance(value, tuple) or len(value) != 2:
        raise scope.fail(item, "wrong-count", "limits are a pair", "write (low, high)")
    quantity = "length" if kind == "prismatic" else "angle"
    times = factor if kind == "prismatic" else 1.0
    low, high = (times * scope.to_kind(each, quantity, item) for each in value)
    if low > high:
        raise scope.fail(
            item,
            "wrong-order",
            f"the lower limit {low:g} is greater than the upper limit {high:g}",
            "write (low, high)",
        )
    return (low, high)


def _entries(
    scope: Scope,
    items: tuple[t.Entry, ...],
    instance: CompositeInstance,
    kinds: Mapping[str, str] | None,
    *,
    limits: bool = False,
) -> Mapping[str, EntryValue]:
    """Return entries as data; with ``kinds`` their names must be joints."""
    found: dict[str, EntryValue] = {}
    for item in items:
        try:
            name = item.path.text
            if name in found:
                raise scope.fail(item, "duplicate", f"'{name}' is said twice")
            if kinds is None:
                found[name] = _place(scope, item.value, instance)
                continue
            if name not in kinds:
                if instance.broken:
                    raise Abandon
                close = get_close_matches(name, kinds, 1, 0.6)
                raise scope.fail(
                    item.path,
                    "unknown-name",
                    f"figure '{instance.type}' has no joint '{name}'",
                    f"did you mean '{close[0]}'?" if close else "",
                )
            if limits:
                found[name] = _pair(scope, item.value, kinds[name])
            else:
                quantity = "length" if kinds[name] == "prismatic" else "angle"
                found[name] = scope.number(item.value, quantity)
        except Abandon:
            continue
    return MappingProxyType(found)


def _place(scope: Scope, item: t.Expression, instance: CompositeInstance) -> EntryValue:
    """Return where a sensor or landmark is: a body and feature, a point in it, a turn."""
    if isinstance(item, t.Placed) and isinstance(item.value, t.Path):
        body, feature = locate_feature(scope, instance, item.value)
        from articulata.world.language.elaboration.shapes import turn_of

        at = (0.0, 0.0, 0.0) if item.at is None else scope.vector(item.at, "length")
        return (body.id, feature.name, at, turn_of(scope, item.turns))
    if isinstance(item, t.Path):
        body, feature = locate_feature(scope, instance, item)
        return (body.id, feature.name)
    return _data(scope, scope.evaluate(item), item)


def _data(scope: Scope, value: Value, item: Any) -> EntryValue:
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
    raise scope.fail(item, "wrong-kind", "this value cannot stand here")
