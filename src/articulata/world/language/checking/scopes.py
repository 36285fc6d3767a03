"""Names and what they stand for: the types of a file and its imports, and paths into them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath

from articulata.world.language.syntax import tree
from articulata.world.language.vocabulary import (
    BUILT_IN_TYPES,
    HINGES,
    SHAPE_FEATURES,
    HingeWord,
    Signature,
    Slot,
)

Definition = tree.Primitive | tree.Composite | tree.Figure | tree.World


FIGURE = "figure"
"""What stands before the name of a figure of the library among files that are imported."""

_NUMBER = re.compile(r"\d+$")


@dataclass(slots=True)
class Type:
    """A type of component: its parameters, features, components, named hinges and forces.

    ``open`` says that not everything in it is known, so that nothing can be said to be missing.
    """

    name: str
    kind: str
    signature: Signature
    library: Library
    features: tuple[str, ...] = ()
    shapes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    components: dict[str, tree.Component] = field(default_factory=dict)
    ranges: dict[str, tree.Range | None] = field(default_factory=dict)
    hinges: dict[str, str] = field(default_factory=dict)
    open: bool = False
    numbered: bool = False
    """Whether joins of array elements are named after their numbers."""
    linked: bool = False
    """Whether bodies and hinges follow from tables of joints; elaboration knows their names."""
    _typed: list[tuple[str, Type | None]] | None = field(default=None, repr=False)
    _by_type: dict[str, list[str]] | None = field(default=None, repr=False)

    @property
    def arrays(self) -> tuple[str, ...]:
        """Its components that have numbers."""
        return tuple(name for name, each in self.ranges.items() if each is not None)

    @property
    def unsure(self) -> bool:
        """Whether one of its components may have joints that were not understood."""
        return self.open or any(
            each is None or (each.open and each.kind == "figure") for _, each in self.typed
        )

    def type_of(self, component: str) -> Type | None:
        """Return the type of one of the components, or None when it is not known."""
        return self.library.type(self.components[component].type)

    @property
    def typed(self) -> list[tuple[str, Type | None]]:
        """Its components with their types, None where those are not known."""
        if self._typed is None:
            self._typed = [(name, self.type_of(name)) for name in self.components]
        return self._typed

    @property
    def by_type(self) -> dict[str, list[str]]:
        """Its components by the last name of their types."""
        if self._by_type is None:
            self._by_type = {}
            for name, each in self.components.items():
                self._by_type.setdefault(each.type.parts[-1].name, []).append(name)
        return self._by_type


def signature(name: str, parameters: tuple[tree.Parameter, ...]) -> Signature:
    """Return the signature that declared parameters make."""
    slots = tuple(
        Slot(each.name, each.quantity or "any", each.default is not None, words=each.called)
        for each in parameters
    )
    return Signature(name, slots, "type", "")


class Library:
    """The definitions of one file and of what it imports.

    ``imports`` gives the trees of imported files by the name in the import; without them the
    names they bring are taken on trust.
    """

    def __init__(self, file: tree.File, imports: Mapping[str, tree.File] | None = None) -> None:
        self.own: dict[str, Definition] = {}
        self.hinges: dict[str, tree.HingeType] = {}
        self.lets: dict[str, tree.Let] = {}
        self.named: dict[str, Library | None] = {}
        self.merged: list[Library] = []
        self.controllers: dict[str, frozenset[str] | None] = {}
        """What imported files of controllers define, by their names; None where it is open."""
        self.trusting = not file.complete
        self._types: dict[str, Type] = {}
        self.figures = {
            key.removeprefix(f"{FIGURE} "): tree_of
            for key, tree_of in (imports or {}).items()
            if key.startswith(f"{FIGURE} ")
        }
        """Files of the library's figures that are spoken of, by their names."""
        for item in file.items:
            match item:
                case tree.Primitive() | tree.Composite() | tree.Figure() | tree.World():
                    self.own.setdefault(item.name, item)
                case tree.HingeType():
                    self.hinges.setdefault(item.name, item)
                case tree.Let():
                    self.lets.setdefault(item.name, item)
                case tree.Import() if item.file.endswith(".py"):
                    defined = (imports or {}).get(item.file)
                    self.controllers[item.name or PurePath(item.file).stem] = (
                        None
                        if defined is None
                        else frozenset(x.name for x in defined.items if isinstance(x, tree.Let))
                    )
                case tree.Import():
                    self._import(item, imports)

    def _import(self, item: tree.Import, imports: Mapping[str, tree.File] | None) -> None:
        known = imports.get(item.file) if imports else None
        # an imported file's own imports are checked with that file, not with this one
        library = Library(known) if known is not None else None
        if item.name:
            self.named[item.name] = library
        elif library is not None:
            self.merged.append(library)
        else:
            self.trusting = True

    def type_names(self) -> tuple[str, ...]:
        """Return the names of all types that a component may have."""
        own = [name for name, each in self.own.items() if not isinstance(each, tree.World)]
        merged = [name for library in self.merged for name in library.type_names()]
        named = [
            f"{prefix}.{name}"
            for prefix, library in self.named.items()
            if library is not None
            for name in library.type_names()
        ]
        return (*own, *merged, *BUILT_IN_TYPES, *named)

    def hinge_names(self) -> tuple[str, ...]:
        """Return the names of all types of hinge."""
        merged = [name for library in self.merged for name in library.hinge_names()]
        return tuple(dict.fromkeys((*self.hinges, *merged, *HINGES)))

    def world_names(self) -> tuple[str, ...]:
        """Return the names of all worlds."""
        own = [name for name, each in self.own.items() if isinstance(each, tree.World)]
        return (*own, *(name for library in self.merged for name in library.world_names()))

    def trusts(self, path: tree.Path) -> bool:
        """Say whether ``path`` leads into a file that was not read."""
        first = path.parts[0].name
        if first in self.named:
            library = self.named[first]
            return library is None or library.trusting
        return self.trusting

    def type(self, path: tree.Path) -> Type | None:
        """Return the type that ``path`` names, or None."""
        names = path.names
        if len(names) == 2 and names[0] in self.named:
            library = self.named[names[0]]
            return library._by_name(names[1]) if library else None
        library = self.named.get(names[0])
        if len(names) == 1 and library is not None and names[0] not in self.own:
            only = tree.only_type(list(library.own.values()))
            if only is not None:
                return library._by_name(only.name)
        return self._by_name(names[0]) if len(names) == 1 else None

    def _by_name(self, name: str) -> Type | None:
        if name in self._types:
            return self._types[name]
        found: Type | None = None
        if name in self.own:
            found = self.describe(self.own[name])
        elif name in BUILT_IN_TYPES:
            given, features = BUILT_IN_TYPES[name]
            found = Type(name, "built in", given, self, ("center", *features))
        else:
            found = next(
                (each for each in (one._by_name(name) for one in self.merged) if each), None
            )
        if found is None and name in self.figures:
            found = Library(self.figures[name])._by_name(name)
        if found is not None:
            self._types[name] = found
        return found

    def hinge(self, path: tree.Path) -> HingeWord | tree.HingeType | None:
        """Return the type of hinge that ``path`` names, or None."""
        name = path.text
        if name in self.hinges:
            return self.hinges[name]
        if name in HINGES:
            return HINGES[name]
        if len(path.parts) == 2 and path.parts[0].name in self.named:
            library = self.named[path.parts[0].name]
            return library.hinges.get(path.parts[1].name) if library else None
        return next((one.hinges[name] for one in self.merged if name in one.hinges), None)

    def describe(self, node: Definition) -> Type:
        """Return what is known of a definition without its arguments."""
        given = signature(node.name, node.parameters)
        if isinstance(node, tree.Primitive):
            features, shapes, is_open = _features(node)
            return Type(node.name, "primitive", given, self, features, shapes,
                        open=is_open or not node.complete)  # fmt: skip
        found = Type(node.name, type(node).__name__.lower(), given, self, ("center",),
                     open=not node.complete)  # fmt: skip
        if isinstance(node, tree.Figure):
            found.linked = any(isinstance(each.course, tree.Table) for each in node.chains)
        for component in node.components:
            for each in component.names:
                found.components.setdefault(each.name, component)
                if each.name in found.ranges and None in (each.range, found.ranges[each.name]):
                    found.open = True  # one of them was meant to have another name
                before = found.ranges.setdefault(each.name, each.range)
                if before is not None and each.range is not None and before is not each.range:
                    found.ranges[each.name] = tree.Range(before.first, each.range.last)
        for join in joins(node.structure):
            named = (each.value for each in join.options if each.name in ("name", "id"))
            misplaced = next((each.simple for each in named if isinstance(each, tree.Path)), "")
            if join.name or misplaced:
                found.hinges.setdefault(join.name or misplaced, join.hinge.text)
                continue
            ends = (join.second.parts[-1], join.first.parts[-1])
            if any(part.index is not None for part in ends):
                found.numbered = True
                continue
            base, moved = (_NUMBER.search(part.name) for part in ends)
            if base is not None and moved is not None:
                prefix = {"spring": "spring", "damper": "damper"}.get(join.hinge.text, "h")
                gap = "_" if len(base[0]) > 1 or len(moved[0]) > 1 else ""
                found.hinges.setdefault(f"{prefix}{base[0]}{gap}{moved[0]}", join.hinge.text)
            else:
                words = [ends[1].name, ends[0].name]
                if join.hinge.text in ("spring", "damper"):
                    words.insert(0, join.hinge.text)
                found.hinges.setdefault("_".join(words), join.hinge.text)
        for name, kind in _forces(node.structure):
            found.hinges.setdefault(name, kind)
        return found


FORCE, MOMENT, GEAR = "a force", "a moment", "a gear"
"""What stands in ``Type.hinges`` for forces and gears, beside the words of hinges."""


def _forces(statements: tuple[tree.Statement, ...]) -> Iterator[tuple[str, str]]:
    """Yield the names of forces and gears and what each is."""
    for each in statements:
        if isinstance(each, tree.Force):
            yield each.name, FORCE
        elif isinstance(each, tree.Moment):
            yield each.name, MOMENT
        elif isinstance(each, tree.Gear):
            yield each.name, GEAR
        elif isinstance(each, tree.For):
            yield from _forces(each.body)


def joins(statements: tuple[tree.Statement, ...]) -> Iterator[tree.Join]:
    """Yield every join, those in ``for`` blocks too."""
    for each in statements:
        if isinstance(each, tree.Join):
            yield each
        elif isinstance(each, tree.For):
            yield from joins(each.body)


def _features(node: tree.Primitive) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]], bool]:
    """Return a primitive's features, its named parts with theirs, and whether there are more."""
    if node.geometry is None:
        return ("center", "mass_center"), {}, False
    named = tuple(feature.name for feature in node.geometry.features)
    implied, shapes, is_open = shape_features(node.geometry.shape)
    twice = len(set(named)) < len(named)  # one of them was meant to have another name
    return (*named, "center", "mass_center", *implied), shapes, is_open or twice


def shape_features(
    shape: tree.Expression | None,
) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]], bool]:
    """Return the faces a shape has by itself, its named parts, and whether there may be more."""
    if shape is None:
        return (), {}, False
    if isinstance(shape, tree.Placed):
        return shape_features(shape.value)
    if not isinstance(shape, tree.Call):
        return (), {}, True
    name = shape.function.text
    if name in SHAPE_FEATURES:
        return SHAPE_FEATURES[name], {}, False
    if name not in ("union", "difference", "intersection"):
        return (), {}, True
    shapes: dict[str, tuple[str, ...]] = {}
    is_open = False
    for argument in shape.arguments:
        faces, inner, inner_open = shape_features(argument.value)
        is_open = is_open or inner_open or not argument.name
        if argument.name:
            shapes[argument.name] = ("center", *faces)
        shapes.update(inner)
    return (), shapes, is_open
