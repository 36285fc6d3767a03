"""Figures of a text: chains by table or route, postures, limits, sensors, landmarks."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from articulata.world.figures.nodes import (
    UP,
    ChainNode,
    EntryValue,
    FigureNode,
    RouteNode,
)
from articulata.world.language.diagnostics import Abandon, span_of
from articulata.world.language.elaboration.evaluate import Quantity, Scope, type_name
from articulata.world.language.elaboration.expression_data import data_of
from articulata.world.language.elaboration.instances import CompositeInstance, locate_feature
from articulata.world.language.elaboration.joint_tables import pair, place_of, table_node
from articulata.world.language.elaboration.motion_statements import motion_nodes
from articulata.world.language.meant_words import did_you_mean
from articulata.world.language.syntax import tree as t
from articulata.world.model import FeatureRef
from articulata.world.values import ZERO, Vector3


def figure_node(
    item: t.Figure, scope: Scope, instance: CompositeInstance, factor: float
) -> FigureNode:
    """Return the figure of an instance; what is wrong in one entry does not hide the next."""
    chains: dict[str, ChainNode] = {}
    kinds: dict[str, str] = {}
    for chain in item.chains:
        with suppress(Abandon):
            if chain.name in chains:
                raise scope.fail(chain, "duplicate", f"chain '{chain.name}' is defined twice")
            if isinstance(chain.course, t.Table):
                made = table_node(scope, chain, chain.course, instance, factor, kinds)
                kinds.update({row.name: row.kind for row in made.rows})
                chains[chain.name] = made
            else:
                chains[chain.name] = _route(scope, chain, chain.course, instance, kinds)
    rows = tuple(kinds)
    hinges: dict[str, str] = {}
    _hinges(instance, "", hinges, kinds)
    postures: dict[str, Mapping[str, EntryValue]] = {}
    for posture in item.postures:
        postures[posture.name] = _entries(scope, posture.entries, instance, kinds, factor=factor)
    limit_sets: dict[str, Mapping[str, EntryValue]] = {}
    for named in item.limit_sets:
        limit_sets[named.name] = _entries(
            scope, named.entries, instance, kinds, limits=True, factor=factor
        )
    _apart(scope, item)
    node = FigureNode(
        instance.id,
        type_name(item.name),
        MappingProxyType(chains),
        MappingProxyType(postures),
        _entries(scope, item.limits, instance, kinds, limits=True, factor=factor),
        _entries(scope, item.sensors, instance, None, rows=rows, factor=factor),
        _entries(scope, item.landmarks, instance, None, rows=rows, factor=factor),
        MappingProxyType(hinges),
        MappingProxyType(limit_sets),
        _up(scope, item.up),
        instance.span,
    )
    values = {each.name: scope.names.get(each.name) for each in item.parameters}
    measures = {
        name: value.value
        for name, value in values.items()
        if isinstance(value, Quantity) and value.term is None
    }
    return replace(
        node,
        motions=motion_nodes(item, scope, node, factor),
        measures=MappingProxyType(measures),
    )


def _up(scope: Scope, given: t.Expression | None) -> Vector3:
    """Return what is up for a figure, ``ZERO`` for none."""
    if given is None:
        return UP
    return ZERO if getattr(given, "simple", "") == "none" else scope.direction(given)


def _apart(scope: Scope, item: t.Figure) -> None:
    """Note sensors that are called like a landmark, or sit where another sits."""
    marks = {each.path.text for each in item.landmarks}
    seats: dict[t.Expression, str] = {}
    for sensor in item.sensors:
        name = sensor.path.text
        with suppress(Abandon):
            if name in marks:
                raise scope.fail(
                    sensor.path, "duplicate", f"'{name}' is a landmark too", "rename one of them"
                )
            if sensor.value in seats and name not in seats.values():
                raise scope.fail(
                    sensor.value,
                    "duplicate",
                    f"'{name}' sits where '{seats[sensor.value]}' does",
                    "put it elsewhere with 'at', or remove one of them",
                )
        seats.setdefault(sensor.value, name)


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


def _route(
    scope: Scope,
    item: t.Chain,
    course: t.Route,
    instance: CompositeInstance,
    joints: Mapping[str, str],
) -> RouteNode:
    ends = []
    for path in (course.start, course.end):
        if path.simple in joints and path.simple not in instance.parts:
            ends.append(FeatureRef("", path.simple))
        else:
            body, feature = locate_feature(scope, instance, path)
            ends.append(FeatureRef(body.id, feature.name))
    if bool(ends[0].body) != bool(ends[1].body):
        raise scope.fail(
            course, "wrong-kind", "a chain runs between two joints of tables, or two components"
        )
    return RouteNode(item.name, ends[0], ends[1], span_of(scope.source, item.span))


def _entries(
    scope: Scope,
    items: tuple[t.Entry, ...],
    instance: CompositeInstance,
    kinds: Mapping[str, str] | None,
    *,
    limits: bool = False,
    rows: tuple[str, ...] = (),
    factor: float = 1.0,
) -> Mapping[str, EntryValue]:
    """Return entries as data; with ``kinds`` their names must be joints."""
    found: dict[str, EntryValue] = {}
    for item in items:
        with suppress(Abandon):
            name = item.path.text
            if name in found:
                raise scope.fail(item, "duplicate", f"'{name}' is said twice")
            if kinds is None:
                found[name] = _place(scope, item.value, instance, rows, factor)
                continue
            if name not in kinds:
                if instance.broken:
                    raise Abandon
                message = f"figure '{instance.type}' has no joint '{name}'"
                raise scope.fail(item.path, "unknown-name", message, did_you_mean(name, [*kinds]))
            if limits:
                found[name] = pair(scope, item.value, kinds[name], factor)
            else:
                sliding = kinds[name] == "prismatic"
                value = scope.number(item.value, "length" if sliding else "angle")
                found[name] = factor * value if sliding else value
    return MappingProxyType(found)


def _place(
    scope: Scope,
    item: t.Expression,
    instance: CompositeInstance,
    rows: tuple[str, ...],
    factor: float,
) -> EntryValue:
    """Return where a sensor or landmark is: body and feature, or "" and joint; point and turn."""
    inner = item.value if isinstance(item, t.Placed) else item
    name = inner.value if isinstance(inner, t.Text) else getattr(inner, "simple", "")
    if name in rows and name not in instance.parts:
        owner, feature = "", name
    elif isinstance(inner, t.Path):
        body, found = locate_feature(scope, instance, inner)
        owner, feature = body.id, found.name
    else:
        return data_of(scope, scope.evaluate(item), item)
    if not isinstance(item, t.Placed):
        return (owner, feature)
    pose = place_of(scope, item.at, item.turns, factor)
    return (owner, feature, pose.position, pose.orientation)
