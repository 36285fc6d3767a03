"""Instances of types while a world is elaborated: bodies, composites, arrays, and paths to them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from articulata.errors import GeometryError
from articulata.world.body_features import named_feature
from articulata.world.language.diagnostics import Abandon
from articulata.world.language.elaboration.evaluate import Scope
from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.declared_names import numbered
from articulata.world.language.vocabulary import BUILT_IN_TYPES
from articulata.world.model import Feature, Hinge, Motion, Placement, PropertyValue
from articulata.world.paths import IMPLICIT_FEATURES
from articulata.world.values import Material, Pose, Span, Vector3

if TYPE_CHECKING:
    from articulata.geometry.shapes import Shape
    from articulata.world.figures.derivation import Derived
    from articulata.world.figures.nodes import FigureNode, Performance


@dataclass(frozen=True, slots=True, eq=False)
class BodyType:
    """A primitive with its parameters put in: what all its instances share."""

    name: str
    shape: Shape | None
    features: Mapping[str, Feature]
    properties: Mapping[str, PropertyValue]
    material: Material | None
    motion: Motion
    dynamic: bool
    bindings: tuple[t.Binding, ...]
    scope: Scope
    levels: tuple[Shape, ...] | None = ()
    geometry: t.Geometry | None = None
    look: Shape | None = None

    def feature(self, name: str) -> Feature | None:
        """Return a feature by its name, implicit ones and faces included, or None.

        Of a shape of which nothing is left, the centre cannot be told: that is noted.
        """
        try:
            return named_feature(self.shape, self.features, name, self.properties)
        except GeometryError as error:
            if self.geometry is None:
                raise
            raise self.scope.fail(self.geometry, "bad-shape", str(error)) from None


@dataclass(slots=True, eq=False)
class BodyInstance:
    """A body to be: its type, and what ``place`` statements say of it."""

    id: str
    name: str
    type: BodyType
    span: Span
    owner: CompositeInstance
    pose: Pose = field(default_factory=Pose)
    known: bool = False
    fixed: bool = False
    held: bool = False
    exact: Pose | None = None
    gravity: Vector3 | None = None
    velocity: tuple[Vector3, Vector3, Vector3] | None = None
    properties: dict[str, PropertyValue] | None = None
    material: Material | None = None
    derived: bool = False


@dataclass(slots=True, eq=False)
class Broken:
    """A component whose type could not be made; paths through it are passed over in silence."""

    name: str


@dataclass(slots=True, eq=False)
class Clause:
    """``path at point turned ...``: a feature that is put at a point of the composite's frame."""

    body: BodyInstance
    feature: Feature
    point: Vector3
    onto: tuple[BodyInstance, Feature] | None
    turn: tuple[float, float, float, float] | None
    target: Instance
    span: Span


@dataclass(slots=True, eq=False)
class CompositeInstance:
    """A composite to be: its parts by local name, its hinges by local name."""

    id: str
    name: str
    type: str
    span: Span
    owner: CompositeInstance | None
    parts: dict[str, Instance] = field(default_factory=dict)
    arrays: dict[str, tuple[int, int]] = field(default_factory=dict)
    hinges: dict[str, Hinge] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    said: list[Clause] = field(default_factory=list)
    clauses: list[Clause] = field(default_factory=list)
    placements: list[Placement] = field(default_factory=list)
    pose: Pose = field(default_factory=Pose)
    known: bool = False
    broken: bool = False
    lost: set[str] = field(default_factory=set)
    figure: FigureNode | None = None
    derived: Derived | None = None
    values: dict[str, float] = field(default_factory=dict)
    upright: Pose = field(default_factory=Pose)
    exact: Pose | None = None
    exact_in: CompositeInstance | None = None
    performances: list[tuple[Performance, CompositeInstance]] = field(default_factory=list)

    def path_of(self, name: str) -> str:
        """Return the id of what is called ``name`` in here."""
        return f"{self.id}.{name}" if self.id else name

    def bodies(self) -> list[BodyInstance]:
        """Return all bodies in here, in order."""
        found: list[BodyInstance] = []
        for part in self.parts.values():
            if isinstance(part, BodyInstance):
                found.append(part)
            elif isinstance(part, CompositeInstance):
                found += part.bodies()
        return found


Instance: TypeAlias = BodyInstance | CompositeInstance | Broken


@dataclass(frozen=True, slots=True, eq=False)
class RigidMotion:
    """A rigid motion of all bodies of ``target``: ``v`` at ``at`` and ``w``, in axes of a frame."""

    target: Instance
    v: Vector3
    w: Vector3
    at: Clause | None
    frame: CompositeInstance


def locate(scope: Scope, start: CompositeInstance, path: t.Path) -> tuple[Instance | Hinge, int]:
    """Return the node that a path leads to and how many of its parts that took.

    A leading name must be a component (or hinge) of ``start``; what is wrong is noted.
    """
    node: Instance | Hinge = start
    parts = path.parts
    for place, part in enumerate(parts):
        if not isinstance(node, CompositeInstance):
            return node, place
        found = _child(scope, node, part, path)
        if found is None:
            marked = _marked(node, part)
            if marked is not None:
                return marked, place
            if place:
                return node, place
            found = _inside(scope, node, part, path)
        node = found
        if isinstance(node, Broken):
            raise Abandon
    return node, len(parts)


def _marked(node: CompositeInstance, part: t.Part) -> BodyInstance | None:
    """Return the body of a figure that has the landmark, sensor or link called as ``part``."""
    if node.derived is None or part.index is not None:
        return None
    ref = node.derived.marks.get(part.name)
    found = None if ref is None else node.parts.get(ref.body[len(node.id) + 1 :])
    return found if isinstance(found, BodyInstance) else None


def _child(
    scope: Scope, node: CompositeInstance, part: t.Part, path: t.Path
) -> Instance | Hinge | None:
    name = part.name
    if part.index is None:
        found = node.parts.get(name)
        if found is not None:
            return found
        hinge = node.hinges.get(name)
        if hinge is not None:
            return hinge
        if name in node.arrays:
            low, high = node.arrays[name]
            raise scope.fail(
                part if part.span[0] >= 0 else path,
                "wrong-index",
                f"'{name}' is an array of {max(0, high - low + 1)}",
                f"write {name}[{low}]",
            )
        return _by_type(scope, node, part, path)
    bounds = node.arrays.get(name)
    if bounds is None:
        if isinstance(node.parts.get(name), Broken):
            raise Abandon
        if name in node.parts:
            raise scope.fail(path, "wrong-index", f"'{name}' is no array", f"write {name} alone")
        return None
    if isinstance(part.index, t.Range):
        first, last = (
            scope.whole(each, "an index") for each in (part.index.first, part.index.last)
        )
        raise scope.fail(
            path,
            "wrong-index",
            f"one of '{name}' is due here, not a range",
            f"repeat this: for i in {first}..{last} {{ ... {name}[i] ... }}",
        )
    index = scope.whole(part.index, "an index")
    found = node.parts.get(f"{name}[{index}]")
    if found is None:
        low, high = bounds
        if node.broken:
            raise Abandon
        raise scope.fail(
            part.index,
            "wrong-index",
            f"'{name}[{index}]' does not exist; '{name}' goes from {low} to {high}",
            _other_run(part.index, index, low, high),
        )
    return found


def _other_run(index: t.Expression, value: int, low: int, high: int) -> str:
    """Return where a loop with ``[i-1]`` begins, or ends, so that all are there; "" for others."""
    less = 0
    if isinstance(index, t.Binary) and isinstance(index.right, t.Number):
        less = {"-": 1, "+": -1}.get(index.operator, 0) * int(index.right.value)
        index = index.left if less else index
    if not isinstance(index, t.Path):
        return ""
    if value < low:
        return f"begin with {low + less}: for {index.text} in {low + less}.."
    return f"end with {high + less}: for {index.text} in {low + max(less, 0)}..{high + less}"


def _by_type(scope: Scope, node: CompositeInstance, part: t.Part, path: t.Path) -> Instance | None:
    """Return the only part of a type, as the 1986 listings name it, with a warning."""
    named = [
        each
        for each in node.parts.values()
        if not isinstance(each, Broken) and _type_name(each) == part.name
    ]
    if not named:
        return None
    if len(named) > 1:
        listed = ", ".join(each.name for each in named[:6])
        raise scope.fail(
            path,
            "ambiguous-name",
            f"'{part.name}' is the type of {len(named)} components",
            f"write one of {listed}",
        )
    scope.warn(
        part if part.span[0] >= 0 else path,
        "by-type",
        f"'{part.name}' is a type; its only component here is '{named[0].name}'",
        f"write {named[0].name}",
    )
    return named[0]


def _inside(scope: Scope, node: CompositeInstance, part: t.Part, path: t.Path) -> Instance | Hinge:
    """Return the only thing further inside that a shortened path can mean."""
    key = part.name
    if part.index is not None and not isinstance(part.index, t.Range):
        key = f"{key}[{scope.whole(part.index, 'an index')}]"
    found: list[tuple[str, Instance | Hinge]] = []
    waiting = [each for each in node.parts.values() if isinstance(each, CompositeInstance)]
    for each in waiting:
        if key in each.parts:
            found.append((each.path_of(key), each.parts[key]))
        elif key in each.hinges:
            found.append((each.path_of(key), each.hinges[key]))
        waiting += [more for more in each.parts.values() if isinstance(more, CompositeInstance)]
    if len(found) == 1:
        return found[0][1]
    if found:
        listed = ", ".join(where for where, _ in found[:6])
        raise scope.fail(
            path,
            "ambiguous-name",
            f"'{key}' could be any of {len(found)} things",
            f"write one of {listed}",
        )
    raise _unknown(scope, node, part, path)


def _type_name(item: Instance) -> str:
    if isinstance(item, BodyInstance):
        return item.type.name
    return item.type if isinstance(item, CompositeInstance) else ""


def _unknown(scope: Scope, node: CompositeInstance, part: t.Part, path: t.Path) -> Abandon:
    if node.broken or part.name in node.lost:
        return Abandon()
    known = [*node.parts, *node.arrays, *node.hinges]
    wrong, message = (
        part if part.span[0] >= 0 else path,
        f"there is no component '{part.name}' here",
    )
    if of_array := numbered(part.name, node.arrays):
        raise scope.fail(wrong, "unknown-component", message, f"write {of_array}")
    if part.name in BUILT_IN_TYPES:
        how = f"declare it: components {{ {part.name}: {part.name} }}"
        raise scope.fail(wrong, "unknown-component", message, how)
    return scope.unknown(wrong, "unknown-component", message, part.name, known)


def locate_body(scope: Scope, start: CompositeInstance, path: t.Path) -> BodyInstance:
    """Return the body that a whole path names."""
    node, used = locate(scope, start, path)
    if used < len(path.parts):
        raise _no_part(scope, node, path, used)
    if isinstance(node, BodyInstance):
        return node
    what = "a hinge" if isinstance(node, Hinge) else "a composite"
    raise scope.fail(path, "wrong-kind", f"'{path.text}' is {what}, not a body")


def _no_part(scope: Scope, node: Instance | Hinge, path: t.Path, used: int) -> Abandon:
    name = ".".join(part.name for part in path.parts[used:])
    wrong = path.parts[used] if path.parts[used].span[0] >= 0 else path
    if isinstance(node, CompositeInstance):
        if node.broken:
            return Abandon()
        known = [*node.parts, *node.arrays, *node.hinges]
        if node.derived is not None:
            known += [f'"{each}"' if " " in each else each for each in node.derived.marks]
        message = f"'{node.name or 'this world'}' has no component '{name}'"
        return scope.unknown(wrong, "unknown-component", message, name, known)
    if isinstance(node, BodyInstance):
        if node.type.feature(name) is not None:
            raise scope.fail(
                path,
                "wrong-kind",
                f"'{path.text}' is a feature, where a body is due",
                f"name '{node.name}', and its features in 'matching'",
            )
        known = [*node.type.features, *IMPLICIT_FEATURES]
        message = f"body '{node.name}' has no feature '{name}'"
        return scope.unknown(wrong, "unknown-feature", message, name, known)
    return scope.fail(path, "unknown-name", f"'{path.text}' leads nowhere")


def locate_feature(
    scope: Scope, start: CompositeInstance, path: t.Path, near: Instance | None = None
) -> tuple[BodyInstance, Feature]:
    """Return a body and one of its features; a body alone means its centre.

    The path begins at ``near`` (a body's feature, a part of a composite) or at ``start``.
    """
    if isinstance(near, BodyInstance):
        feature = near.type.feature(path.text)
        if feature is not None:
            return near, feature
    elif isinstance(near, CompositeInstance) and _begins(near, path):
        node, used = locate(scope, near, path)
        return _feature_at(scope, node, path, used)
    if near is not None and not _begins(start, path):
        if isinstance(near, BodyInstance):
            raise _no_part(scope, near, path, 0)
        if isinstance(near, CompositeInstance):
            raise _no_part(scope, near, path, 0)
    node, used = locate(scope, start, path)
    return _feature_at(scope, node, path, used)


def _begins(node: CompositeInstance, path: t.Path) -> bool:
    first = path.parts[0].name
    if first in node.parts or first in node.arrays:
        return True
    return any(_type_name(each) == first for each in node.parts.values())


def _feature_at(
    scope: Scope, node: Instance | Hinge, path: t.Path, used: int
) -> tuple[BodyInstance, Feature]:
    if isinstance(node, BodyInstance):
        # A link is spoken of by its frame, any other body by its middle.
        whole = "origin" if node.derived else "center"
        name = ".".join(part.name for part in path.parts[used:]) or whole
        feature = node.type.feature(name)
        if feature is not None:
            return node, feature
    if isinstance(node, CompositeInstance) and used == len(path.parts):
        only = node.bodies()
        if len(only) == 1:
            return only[0], only[0].type.feature("center")  # type: ignore[return-value] # always is
        raise scope.fail(
            path,
            "wrong-kind",
            f"'{path.text}' is a composite of {len(only)} bodies",
            "name a feature of one of its bodies",
        )
    if isinstance(node, Hinge):
        raise scope.fail(
            path,
            "wrong-kind",
            f"'{path.text}' is a hinge, where a feature is due",
            "name a feature of one of the bodies that it joins",
        )
    raise _no_part(scope, node, path, used)
