"""Paths: the names by which texts, series, tables and the viewer's picker call things.

``component.<...>.feature[.x|.y|.z]`` or ``component.quantity[.x]``. A leading part may be left
out while the rest is unique: "rod2.w.z" for "links.rod2.w.z". A hinge may be named by its id, by
a body that moves on it (``p.rod[1].angle``) or by a feature it matches. There is one resolver,
this one; its index is made once for each version of a world.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from articulata.errors import NameNotFound
from articulata.world.language.meant_words import did_you_mean
from articulata.world.model import Force, Hinge, World

ReferenceKind: TypeAlias = Literal[
    "world", "component", "body", "feature", "hinge", "force", "drive", "coupling", "figure",
    "joint",
]  # fmt: skip

BODY_QUANTITIES = ("position", "v", "w", "a", "alpha", "orientation", "energy", "momentum")
POINT_QUANTITIES = ("v", "a")
HINGE_QUANTITIES = ("angle", "travel", "rate", "force", "moment", "coordinates")
FORCE_QUANTITIES = ("force", "distance", "speed", "saturation", "integral")
MOMENT_QUANTITIES = ("moment", "angle", "rate", "saturation", "integral")
COUPLING_QUANTITIES = ("torque", "force", "power")
WORLD_QUANTITIES = {
    "energy": (
        *("kinetic", "potential", "elastic", "total", "work", "dissipated"),
        *(f"dissipated.{cause}" for cause in ("impact", "friction", "damping", "joining")),
    ),
    "momentum": (),
    "angular_momentum": (),
    "time": (),
}
SCALARS = frozenset(
    {
        *("angle", "travel", "rate", "distance", "speed", "energy", "time", "saturation"),
        *("coordinates", "torque", "power", "integral"),
    }
)
IMPLICIT_FEATURES = ("center", "mass_center", "origin")
AXES = ("x", "y", "z")


@dataclass(frozen=True, slots=True)
class Reference:
    """What a path names: a node of ``kind`` with ``id``, and what of it.

    ``feature`` is a feature of a body or a joint of a figure, ``quantity`` one of the quantities
    above (for "energy" of the world, ``axis`` is its part), ``axis`` "x", "y" or "z".
    """

    kind: ReferenceKind
    id: str
    feature: str | None = None
    quantity: str | None = None
    axis: str | None = None

    def __str__(self) -> str:
        parts = (self.id, self.feature, self.quantity, self.axis)
        return ".".join(part for part in parts if part)


Node: TypeAlias = tuple[ReferenceKind, str]


class Index:
    """The names of a world: every id by each of its endings."""

    __slots__ = ("_moved", "_types", "endings", "exact", "owner")

    def __init__(self, world: World) -> None:
        self.owner = weakref.ref(world)
        self.exact: dict[str, Node] = {}
        self.endings: dict[str, list[Node]] = {}
        self._types: dict[str, list[Node]] | None = None
        self._moved: dict[str, list[str]] | None = None
        self._add("component", world.components)
        self._add("body", world.bodies)
        self._add("hinge", world.hinges)
        self._add("force", world.forces)
        self._add("drive", world.drives)
        self._add("coupling", world.couplings)
        self._add("figure", world.figures)

    def _add(self, kind: ReferenceKind, ids: Iterable[str]) -> None:
        exact, endings = self.exact, self.endings
        for id in ids:
            node = (kind, id)
            # A figure is also a component of the same id; the figure says more.
            exact[id] = node if kind != "drive" else exact.get(id, node)
            ending = id
            while True:
                endings.setdefault(ending, []).append(node)
                dot = ending.find(".")
                if dot < 0:
                    break
                ending = ending[dot + 1 :]

    @property
    def types(self) -> dict[str, list[Node]]:
        """Nodes by a path whose last name is the node's type, as the 1986 listings write."""
        if self._types is None:
            world = self.owner()
            assert world is not None
            self._types = {}
            named: list[tuple[ReferenceKind, str, str]] = [
                ("body", body.id, body.type) for body in world.bodies.values()
            ]
            named += [("component", each.id, each.type) for each in world.components.values()]
            for kind, id, type_name in named:
                owner = id.rpartition(".")[0]
                ending = f"{owner}.{type_name}" if owner else type_name
                while True:
                    self._types.setdefault(ending, []).append((kind, id))
                    dot = ending.find(".")
                    if dot < 0:
                        break
                    ending = ending[dot + 1 :]
        return self._types

    def hinges_moving(self, body: str) -> list[str]:
        """Return the ids of the hinges on which ``body`` is the one that moves."""
        if self._moved is None:
            world = self.owner()
            assert world is not None
            self._moved = {}
            for hinge in world.hinges.values():
                self._moved.setdefault(hinge.body_a, []).append(hinge.id)
        return self._moved.get(body, [])

    def nodes(self, name: str) -> list[Node]:
        """Return the nodes that ``name`` could mean; an exact id means itself alone."""
        exact = self.exact.get(name)
        if exact is not None:
            same = [node for node in self.endings[name] if node[1] == name]
            return sorted(same, key=lambda node: node != exact)
        return self.endings.get(name, [])


_INDEXES: dict[int, tuple[weakref.ref[World], Index]] = {}


def index_of(world: World) -> Index:
    """Return the index of ``world``, made once and dropped with it."""
    key = id(world)
    held = _INDEXES.get(key)
    if held is not None and held[0]() is world:
        return held[1]
    index = Index(world)
    _INDEXES[key] = (weakref.ref(world, lambda _: _INDEXES.pop(key, None)), index)
    return index


def resolve(world: World, path: str) -> Reference:
    """Return what ``path`` names in ``world``; raise NameNotFound when nothing or several."""
    names = path.strip().replace('"', "").split(".")
    if names[0] in WORLD_QUANTITIES and names[0] not in index_of(world).endings:
        return _world_quantity(world, path, names)
    index = index_of(world)
    for look_up in (index.nodes, lambda name: index.types.get(name, [])):
        found = _search(world, index, names, look_up)
        if len(found) == 1:
            return found[0]
        if found:
            listed = ", ".join(sorted(str(each) for each in found)[:8])
            raise NameNotFound(
                f"'{path}' names {len(found)} things in world '{world.name}': {listed}; "
                "write more of the path"
            )
    raise NameNotFound(_not_found(world, index, path, names))


def known(world: World, path: str) -> Reference | None:
    """Return what ``path`` names in ``world``, None where that is nothing or several things.

    As ``resolve``, for whom a name that is not there is an answer: nothing similar is looked for.
    """
    names, index = path.strip().split("."), index_of(world)
    if names[0] in WORLD_QUANTITIES and names[0] not in index.endings:
        parts = (*WORLD_QUANTITIES[names[0]], *(AXES if names[0].endswith("momentum") else ()))
        there = len(names) == 1 or ".".join(names[1:]) in parts
        return _world_quantity(world, path, names) if there else None
    for look_up in (index.nodes, lambda name: index.types.get(name, [])):
        found = _search(world, index, names, look_up)
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _search(
    world: World, index: Index, names: list[str], look_up: Callable[[str], list[Node]]
) -> list[Reference]:
    """Return the readings of ``names`` with the longest leading part that is a node."""
    for cut in range(len(names), 0, -1):
        readings: dict[Reference, None] = {}
        for node in look_up(".".join(names[:cut])):
            reading = _read(world, index, node, names[cut:])
            if reading is not None:
                readings[reading] = None
        if readings:
            found = list(readings)
            # A component and its figure share an id; the figure comes first and is meant.
            return found[:1] if len({each.id for each in found}) == 1 else found
    return []


def _read(world: World, index: Index, node: Node, rest: list[str]) -> Reference | None:
    """Return the reading of ``rest`` as something of ``node``, or None."""
    kind, id = node
    if not rest:
        return Reference(kind, id)
    if kind == "component" and id in world.figures:
        kind = "figure"  # which was named by its type
    if kind == "body":
        return _read_body(world, index, id, rest)
    if kind == "hinge":
        coordinates = world.hinges[id].kind.coordinates
        return _quantity(kind, id, None, rest, (*HINGE_QUANTITIES, *coordinates))
    if kind == "force":
        return _quantity(kind, id, None, rest, quantities_of_force(world.forces[id]))
    if kind == "coupling":
        return _quantity(kind, id, None, rest, COUPLING_QUANTITIES)
    if kind == "figure":
        mark = _read_mark(world, id, rest)
        if mark is not None:
            return mark
    if kind == "figure" and rest[0] in world.figures[id].joints:
        if len(rest) == 1:
            return Reference("joint", id, rest[0])
        return _quantity("joint", id, rest[0], rest[1:], HINGE_QUANTITIES)
    return None


def _read_mark(world: World, id: str, rest: list[str]) -> Reference | None:
    """Return the reading of ``rest`` as a landmark, sensor or link of a figure, or None."""
    for body in world.figures[id].carriers:
        one = world.bodies.get(body)
        if one is None or rest[0] not in one.features:
            continue
        if len(rest) == 1:
            return Reference("feature", body, rest[0])
        if rest[1] in AXES and len(rest) == 2:
            return Reference("feature", body, rest[0], None, rest[1])
        return _quantity("feature", body, rest[0], rest[1:], POINT_QUANTITIES)
    return None


def quantities_of_force(force: Force) -> tuple[str, ...]:
    """Return what can be asked of a force: of one about a hinge, its moment."""
    return FORCE_QUANTITIES if force.features is not None else MOMENT_QUANTITIES


def _read_body(world: World, index: Index, id: str, rest: list[str]) -> Reference | None:
    features = world.bodies[id].features
    # A constructed solid's features have dotted names: "block.top".
    for cut in range(len(rest), 0, -1):
        feature = ".".join(rest[:cut])
        if feature in features or feature in IMPLICIT_FEATURES:
            tail = rest[cut:]
            if not tail:
                return Reference("feature", id, feature)
            if tail[0] in AXES and len(tail) == 1:
                return Reference("feature", id, feature, None, tail[0])
            return _quantity("feature", id, feature, tail, POINT_QUANTITIES)
    if rest[0] in HINGE_QUANTITIES:
        hinges = index.hinges_moving(id)
        if len(hinges) == 1:
            return _quantity("hinge", hinges[0], None, rest, HINGE_QUANTITIES)
        return None
    return _quantity("body", id, None, rest, BODY_QUANTITIES)


def _quantity(
    kind: ReferenceKind, id: str, feature: str | None, rest: list[str], allowed: Iterable[str]
) -> Reference | None:
    if rest[0] not in allowed:
        return None
    if len(rest) == 1:
        return Reference(kind, id, feature, rest[0])
    if len(rest) == 2 and rest[1] in AXES and rest[0] not in SCALARS:
        return Reference(kind, id, feature, rest[0], rest[1])
    return None


def _world_quantity(world: World, path: str, names: list[str]) -> Reference:
    parts = (*WORLD_QUANTITIES[names[0]], *(AXES if names[0].endswith("momentum") else ()))
    if len(names) == 1:
        return Reference("world", "", None, names[0])
    wrong = ".".join(names[1:])
    if wrong in parts:
        return Reference("world", "", None, names[0], wrong)
    raise NameNotFound(
        f"'{names[0]}' of a world has no part '{wrong}' in '{path}'{hint(wrong, parts)}"
    )


def hint(wrong: str, allowed: Iterable[str], path: str = "", own: int = 0) -> str:
    """Return "; did you mean 'x'?", or a list of what is allowed, or nothing.

    ``path`` is where the name stands; the ``own`` names that come first are listed alone.
    """
    options = list(dict.fromkeys(allowed))
    name, _, number = wrong.partition("[")
    held = [each for each in options if re.fullmatch(rf"{re.escape(name)}\[\d+\]", each)]
    if held and re.fullmatch(r"\d+\]", number):  # the nearest of an array
        numbers = [int(each[len(name) + 1 : -1]) for each in held]
        low, high = min(numbers), max(numbers)
        asked = f"{name}[{high if int(number[:-1]) > high else low}]"
        return f": '{name}' goes from {low} to {high}; write {path.replace(wrong, asked) or asked}"
    close = did_you_mean(wrong, options, " ").strip()
    if close:
        return f"; {close}"
    if not options:
        return ""
    options = options[:own] or options
    more = "" if len(options) <= 12 else f" and {len(options) - 12} more"
    return f"; there are {', '.join(options[:12])}{more}"


def _not_found(world: World, index: Index, path: str, names: list[str]) -> str:
    """Say how far the path leads and what could stand in place of the name that is wrong."""
    for cut in range(len(names) - 1, 0, -1):
        nodes = index.nodes(".".join(names[:cut])) or index.types.get(".".join(names[:cut]), [])
        if not nodes:
            continue
        kind, id = nodes[0]
        wrong = names[cut]
        if kind == "figure":
            node = world.figures[id]
            known = (*node.joints, *node.landmarks)
            return f"figure '{id}' has no joint or landmark '{wrong}'{hint(wrong, known)}"
        if kind == "body":
            return _no_such_in_body(world, index, id, names[cut:], path)
        if kind == "hinge":
            known = (*HINGE_QUANTITIES, *world.hinges[id].kind.coordinates)
            return f"hinge '{id}' has no quantity '{wrong}' in '{path}'{hint(wrong, known)}"
        if kind == "coupling":
            return f"'{id}' has no quantity '{wrong}' in '{path}'{hint(wrong, COUPLING_QUANTITIES)}"
        if kind == "force":
            known = quantities_of_force(world.forces[id])
            return f"force '{id}' has no quantity '{wrong}' in '{path}'{hint(wrong, known)}"
        within = [name[len(id) + 1 :] for name in index.exact if name.startswith(f"{id}.")]
        return f"'{id}' has no part '{wrong}' in '{path}'{hint(wrong, within, path)}"
    endings = [ending for ending in index.endings if ending.count(".") <= names[0].count(".")]
    whole = [each for each in (*world.components, *world.bodies) if "." not in each]
    where = f" in '{path}'" if len(names) > 1 else ""
    owners = [f"{id}.{path}" for id, each in world.hinges.items() if path in _told(each)]
    if owners:
        more = f" and {len(owners) - 3} more" if len(owners) > 3 else ""
        return f"'{path}' of which hinge? there are {', '.join(owners[:3])}{more}"
    owners = [f"{id}.{path}" for id, each in world.figures.items()
              if names[0] in each.joints or names[0] in each.landmarks]  # fmt: skip
    if owners:
        return f"'{path}' is a part of a figure; write {' or '.join(owners[:3])}"
    known = (*whole, *endings, *WORLD_QUANTITIES)
    return f"world '{world.name}' has no '{names[0]}'{where}{hint(names[0], known, path)}"


def _told(hinge: Hinge) -> tuple[str, ...]:
    """Return what a hinge of its own tells: its coordinates and loads."""
    return (*hinge.kind.coordinates, "rate", "force", "moment")


def _no_such_in_body(world: World, index: Index, id: str, rest: list[str], path: str) -> str:
    wrong = rest[0]
    if wrong in HINGE_QUANTITIES:
        hinges = index.hinges_moving(id)
        if not hinges:
            return f"'{path}': body '{id}' moves on no hinge, so it has no '{wrong}'"
        listed = ", ".join(f"{hinge}.{wrong}" for hinge in hinges)
        return f"'{path}': body '{id}' moves on {len(hinges)} hinges; write one of {listed}"
    features = world.bodies[id].features
    for cut in range(len(rest) - 1, 0, -1):
        feature = ".".join(rest[:cut])
        if feature in features or feature in IMPLICIT_FEATURES:
            asked = hint(rest[cut], (*POINT_QUANTITIES, *AXES))
            return f"'{id}.{feature}' has no quantity '{rest[cut]}'{asked}"
    known = (*features, "center", *BODY_QUANTITIES)
    meant = hint(wrong, known, path, len(features))
    return f"body '{id}' has no feature or quantity '{wrong}'{meant}"


def resolve_body(world: World, path: str) -> str:
    """Return the id of the body that ``path`` names."""
    if path in world.bodies:
        return path
    found = resolve(world, path)
    if found.kind == "body" and found.quantity is None:
        return found.id
    raise NameNotFound(f"'{path}' names a {found.kind}, not a body")


def resolve_hinge(world: World, path: str) -> str:
    """Return the id of the hinge that ``path`` names: by id, or by a feature it matches."""
    if path in world.hinges:
        return path
    found = resolve(world, path)
    if found.kind == "hinge" and found.quantity is None:
        return found.id
    if found.kind == "feature" and found.quantity is None and found.axis is None:
        met = [
            hinge.id
            for hinge in world.hinges.values()
            if any(
                ref.body == found.id and ref.feature == found.feature
                for pair in hinge.matching
                for ref in pair
            )
        ]
        if len(met) == 1:
            return met[0]
        if met:
            raise NameNotFound(f"'{path}' is matched by {len(met)} hinges: {', '.join(met)}")
        raise NameNotFound(f"no hinge matches '{path}'{hint(path, world.hinges)}")
    raise NameNotFound(f"'{path}' names a {found.kind}, not a hinge")
