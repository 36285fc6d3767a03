"""Files of a document: their definitions, values, units and imports, looked up by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from articulata.world.language.diagnostics import Abandon, Notes
from articulata.world.language.elaboration import arithmetic
from articulata.world.language.elaboration.evaluate import (
    POISON,
    SI,
    Evaluator,
    Scales,
    Scope,
    Value,
    rebased,
    scales_of,
)
from articulata.world.language.elaboration.function_calls import call
from articulata.world.language.elaboration.shape_calls import placed_value, shape_of_call
from articulata.world.language.source import Source
from articulata.world.language.syntax import tree as t
from articulata.world.language.vocabulary import SHAPES

# ---- what gives the value of each kind of expression: one evaluator for all that a file says


def _call(scope: Scope, item: Any) -> Value:
    return shape_of_call(scope, item) if item.function.text in SHAPES else call(scope, item)


EVALUATORS: dict[type, Evaluator] = {
    t.Number: arithmetic.number,
    t.Text: arithmetic.text,
    t.Path: arithmetic.named,
    t.Tuple: arithmetic.group,
    t.Unary: arithmetic.unary,
    t.Binary: arithmetic.binary,
    t.Call: _call,
    t.Placed: placed_value,
}


Definition: TypeAlias = t.Primitive | t.Composite | t.Figure | t.HingeType | t.World


@dataclass(eq=False)
class Module:
    """One file: what it defines and what it imports by which name.

    An import without a name takes in a file whole: it is in ``merged``. ``trusting`` says that
    one of those could not be read, so that any name might be its.

    ``definitions`` holds types and hinge types, ``worlds`` worlds. ``broken`` names imports that
    could not be read: whatever is looked up in them is passed over in silence, because the
    import itself has been reported. ``figures`` are those of the library that are spoken of.
    ``find`` finds files that expressions name.
    """

    file: t.File
    source: Source
    scales: Scales = SI
    definitions: dict[str, Definition] = field(default_factory=dict)
    worlds: dict[str, t.World] = field(default_factory=dict)
    requests: list[t.Request] = field(default_factory=list)
    imports: dict[str, Module] = field(default_factory=dict)
    merged: list[Module] = field(default_factory=list)
    figures: dict[str, Module] = field(default_factory=dict)
    python: list[tuple[str, str | None]] = field(default_factory=list)
    trusting: bool = False
    broken: set[str] = field(default_factory=set)
    values: dict[str, Value] = field(default_factory=dict)
    find: Callable[[str], Path | tuple[str, str, str]] | None = None

    @cached_property
    def pairs(self) -> tuple[t.MaterialPair, ...]:
        """What the file says of materials in touch; every world of it asks."""
        return tuple(item for item in self.file.items if isinstance(item, t.MaterialPair))

    def scope(self, notes: Notes, names: dict[str, Value] | None = None) -> Scope:
        """Return a scope for expressions written in this file."""
        return Scope(
            self.source,
            self.scales,
            notes,
            EVALUATORS,
            names or {},
            self.values,
            {},
            self.value_at,
            find=self.find,
        )

    def value_at(self, path: t.Path) -> Value | None:
        """Return the value that ``alias.name`` stands for, or None; it keeps its unit."""
        if len(path.parts) != 2 or path.parts[0].index is not None:
            return None
        alias, name = path.names
        if alias in self.broken:
            raise Abandon
        module = self.imports.get(alias)
        if module is None:
            return None
        value = module.values.get(name)
        if value is POISON:
            raise Abandon
        return rebased(value, module.scales, self.scales)

    def definition(self, path: t.Path, prelude: Mapping[str, Definition]) -> FoundType | None:
        """Return the definition of a type ``name`` or ``alias.name``, or None."""
        names = path.names
        if len(names) == 1:
            own = self.own_definition(names[0])
            if own is not None:
                return own
            if names[0] in self.imports:
                return self.imports[names[0]].only_type()
            built_in = prelude.get(names[0])
            if built_in is None and names[0] in self.figures:
                return self.figures[names[0]].own_definition(names[0])
            if built_in is None and self.trusting:
                raise Abandon
            return None if built_in is None else FoundType(built_in, self)
        if names[0] in self.broken:
            raise Abandon
        module = self.imports.get(names[0])
        if module is None or len(names) != 2:
            return None
        return module.own_definition(names[1])

    def only_type(self) -> FoundType | None:
        """Return what a file is there for, whose name may be left out; see ``t.only_type``."""
        found = t.only_type([*self.definitions.values(), *self.worlds.values()])
        return None if found is None else FoundType(found, self)

    def own_definition(self, name: str) -> FoundType | None:
        """Return what this file, or one it takes in whole, defines under a name."""
        found = self.definitions.get(name)
        if found is not None:
            return FoundType(found, self)
        return next((each for m in self.merged if (each := m.own_definition(name))), None)

    def own_world(self, name: str) -> tuple[t.World, Module] | None:
        """Return a world of this file, or of one it takes in whole, and its file."""
        found = self.worlds.get(name)
        if found is not None:
            return found, self
        return next((each for m in self.merged if (each := m.own_world(name))), None)

    def type_names(self) -> list[str]:
        """Return the names of all types that can be used in this file."""
        names = list(self.definitions)
        for module in self.merged:
            names += module.type_names()
        for alias, module in self.imports.items():
            names += [f"{alias}.{name}" for name in module.definitions]
        return names


@dataclass(frozen=True, slots=True)
class FoundType:
    """A definition and the file it stands in."""

    definition: Definition
    module: Module


def module_of(file: t.File) -> Module:
    """Return a file's definitions by name and the values of its ``let`` lines."""
    module = Module(file, file.source)
    for item in file.items:
        if isinstance(item, t.Units):
            module.scales = scales_of(item.names)
    for item in file.items:
        if isinstance(item, t.World):
            module.worlds.setdefault(item.name, item)
        elif isinstance(item, t.Request):
            module.requests.append(item)
        elif isinstance(item, t.Primitive | t.Composite | t.Figure | t.HingeType):
            module.definitions.setdefault(item.name, item)
    return module


def evaluate_lets(module: Module, notes: Notes) -> None:
    """Evaluate the ``let`` lines of a file in order; imports must be in place."""
    scope = module.scope(notes)
    module.values.update(dict.fromkeys(module.file.lost, POISON))
    for other in module.merged:
        for name, value in other.values.items():
            module.values.setdefault(name, rebased(value, other.scales, module.scales))
    for item in module.file.items:
        if not isinstance(item, t.Let):
            continue
        try:
            value = scope.evaluate(item.value)
            named = getattr(value, "name", None) == ""
            if named and hasattr(value, "density"):
                from dataclasses import replace

                value = replace(value, name=item.name)
        except Abandon:
            value = POISON
        module.values[item.name] = value
