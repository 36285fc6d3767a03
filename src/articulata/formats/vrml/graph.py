"""Nodes as VRML97 and X3D have them: values by field, names, prototypes and routes.

Values are ``str``, ``bool``, arrays (width,) or (n, width), a node or None, and lists of texts or
nodes. A node that is used twice (USE) is in the graph twice; the graph has no cycles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np

from articulata.errors import FormatError
from articulata.formats.vrml.node_table import WIDTHS, Field, event

Value: TypeAlias = Any
"""What a field holds; see the module."""

MOST_NODES: Final = 100_000
"""Nodes that a file may have with what its prototypes make, the files that it takes in included."""
MOST_DEPTH: Final = 100
"""Nodes inside nodes; a person's hand is some thirty deep."""


@dataclass(frozen=True, slots=True)
class Reference:
    """In the body of a prototype: what its field ``name`` holds (``IS``)."""

    name: str


@dataclass(slots=True, eq=False)
class Node:
    """One node. ``body`` is what an instance of a prototype is made of; ``place`` is for messages.

    ``spec`` are the fields of its type; ``name`` is its DEF. ``links`` say which fields of nodes in
    its body a field of an instance stands for (``IS``). ``unread``: it holds a node that is passed
    over.
    """

    type: str
    spec: Mapping[str, Field]
    place: str
    fields: dict[str, Value] = field(default_factory=dict)
    name: str = ""
    body: Node | None = None
    links: dict[str, list[tuple[Node, str]]] = field(default_factory=dict)
    unread: bool = False

    def get(self, name: str) -> Value:
        """Return the value of a field, its default where nothing is said."""
        value = self.fields.get(name)
        if value is None or isinstance(value, Reference):
            return default(self.spec[name]) if name in self.spec else None
        return value

    def children(self, *names: str) -> list[Node]:
        """Return the nodes in some fields, in order."""
        found: list[Node] = []
        for name in names:
            value = self.get(name)
            found += value if isinstance(value, list) else [value] if value is not None else []
        return found

    def error(self, words: str) -> FormatError:
        """Return the error that says ``words`` about this node."""
        return FormatError(f"{self.place}: {words}")

    def __str__(self) -> str:
        return f"{self.type} '{self.name}'" if self.name else self.type


@dataclass(frozen=True, slots=True)
class Route:
    """An event that goes from a field of a node to a field of another."""

    source: Node
    out: str
    target: Node
    into: str
    place: str = ""


def route(source: Node, out: str, target: Node, into: str, place: str) -> Route:
    """Return a route; ValueError in words where an event is not there or is of another type."""
    types = []
    for node, name, access in ((source, out, "eventOut"), (target, into, "eventIn")):
        found = event(node.spec, name, access)
        if found is None:
            raise ValueError(f"{node} has no {access} '{name}'{near(name, node.spec)}")
        types.append(found.type)
    if types[0] != types[1]:
        raise ValueError(
            f"'{out}' of {source} is {types[0]}, '{into}' of {target} takes {types[1]}; "
            "join events of one type"
        )
    return Route(source, out, target, into, place)


def unfit(outer: Field, inner: Field) -> str | None:
    """Return what a prototype's field lacks to stand for one in its body (``IS``), None for fit.

    ISO/IEC 14772-1, table 4.4: an exposedField within may stand for each access.
    """
    if outer.type != inner.type:
        return inner.type
    return inner.access if inner.access not in (outer.access, "exposedField") else None


def not_known(node: Node, name: str) -> bool:
    """Return whether a node has no field or event of this name whatsoever."""
    return not any(event(node.spec, name, access) for access in ("eventIn", "eventOut", "field"))


def near(word: str, *known: Mapping[str, object], alike: float = 0.6) -> str:
    """Return what may have been meant in place of ``word``, as the end of a message."""
    close = get_close_matches(word, [name for each in known for name in each], 1, alike)
    return f"; did you mean '{close[0]}'?" if close else ""


def not_read(node: str, name: str, spec: Mapping[str, object]) -> str:
    """Return how a field is told that its node does not have: X3D may have new ones."""
    return f"{node}.{name} (a field that is not read{near(name, spec, alike=0.8)})"


@dataclass(slots=True, eq=False)
class Prototype:
    """PROTO: its fields, what they hold where nothing is given, and its body."""

    name: str
    spec: dict[str, Field]
    defaults: dict[str, Value]
    nodes: list[Node] = field(default_factory=list)
    routes: list[Route] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Graph:
    """A file: its nodes, routes and prototypes; ``lost`` counts what was passed over, in words.

    ``size`` is the length of a unit in m.
    """

    nodes: list[Node] = field(default_factory=list)
    routes: list[Route] = field(default_factory=list)
    prototypes: dict[str, Prototype] = field(default_factory=dict)
    lost: Counter[str] = field(default_factory=Counter)
    size: float = 1.0


@dataclass(slots=True)
class Names:
    """What is called how in a file, or in the body of a prototype; nothing is seen from outside.

    ``passed`` are the names in nodes that were passed over. In a ``script`` nodes may be named that
    it is in.
    """

    prototypes: dict[str, Prototype]
    nodes: dict[str, Node] = field(default_factory=dict)
    passed: set[str] = field(default_factory=set)
    fields: Mapping[str, Field] | None = None
    open: tuple[str, ...] = ()
    script: bool = False

    def inside(self, made: Prototype) -> Names:
        """Return the names in the body of a prototype."""
        return Names(dict(self.prototypes), fields=made.spec, open=(*self.open, made.name))


@dataclass(slots=True)
class Budget:
    """How many nodes may still be made."""

    left: int = MOST_NODES

    def take(self, place: str) -> None:
        """Count one more node."""
        self.left -= 1
        if self.left < 0:
            raise FormatError(
                f"{place}: the file comes to more than {MOST_NODES} nodes; give one with fewer"
            )


@cache
def default(spec: Field) -> Value:
    """Return what a field holds where nothing is said."""
    kind = spec.kind
    if kind == "Node":
        return [] if spec.several else None
    if kind == "String":
        words = [each.strip('"') for each in spec.default.split(",") if each]
        return words if spec.several else "".join(words)
    if kind == "Bool":
        return [] if spec.several else spec.default == "TRUE"
    width = WIDTHS[kind]
    found = np.array([float(each) for each in spec.default.split(",") if each])
    if spec.several:
        return found.reshape(-1, max(width, 1))
    return found if len(found) else np.zeros(width)


def instance(
    prototype: Prototype,
    given: dict[str, Value],
    place: str,
    budget: Budget,
    routes: list[Route],
) -> Node:
    """Return an instance of a prototype with some of its fields ``given``; add its ``routes``."""
    values = {**prototype.defaults, **given}
    made: dict[int, Node] = {}
    budget.take(place)
    whole = Node(prototype.name, prototype.spec, place, values)

    def copied(value: Value) -> Value:
        if isinstance(value, Reference):
            return values.get(value.name)
        if isinstance(value, list):
            return [copied(each) for each in value]
        if not isinstance(value, Node):
            return value
        known = made.get(id(value))
        if known is None:
            budget.take(place)
            known = made[id(value)] = Node(value.type, value.spec, place, {}, value.name)
            known.unread = value.unread
            for name, each in value.fields.items():
                if isinstance(each, Reference):
                    whole.links.setdefault(each.name, []).append((known, name))
                if (content := copied(each)) is not None:
                    known.fields[name] = content
            known.body = copied(value.body)
            for name, ends in value.links.items():
                known.links[name] = [(copied(node), inner) for node, inner in ends]
        return known

    bodies = [copied(each) for each in prototype.nodes]
    for each in prototype.routes:
        budget.take(place)
        ends = copied(each.source), each.out, copied(each.target), each.into
        routes.append(Route(*ends, each.place))
    whole.body = bodies[0] if bodies else None
    return whole
