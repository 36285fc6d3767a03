"""Files of a document: their definitions, values, units and imports, looked up by name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from articulata.world.language import tree as t
from articulata.world.language.evaluate import POISON, Scope, Value
from articulata.world.language.findings import Abandon, Notes
from articulata.world.language.quantities import SI, Scales, scales_of
from articulata.world.language.source import Source

Definition: TypeAlias = t.Primitive | t.Composite | t.Figure | t.HingeType | t.World


@dataclass(slots=True, eq=False)
class Module:
    """One file: what it defines and what it imports by which name.

    ``definitions`` holds types and hinge types, ``worlds`` worlds. ``broken`` names imports that
    could not be read: whatever is looked up in them is passed over in silence, because the
    import itself has been reported.
    """

    file: t.File
    source: Source
    scales: Scales = SI
    definitions: dict[str, Definition] = field(default_factory=dict)
    worlds: dict[str, t.World] = field(default_factory=dict)
    requests: list[t.Request] = field(default_factory=list)
    imports: dict[str, Module] = field(default_factory=dict)
    python: list[tuple[str, str | None]] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    values: dict[str, Value] = field(default_factory=dict)

    def scope(self, notes: Notes, names: dict[str, Value] | None = None) -> Scope:
        """Return a scope for expressions written in this file."""
        return Scope(self.source, self.scales, notes, names or {}, self.values, {}, self.value_at)

    def value_at(self, path: t.Path) -> Value | None:
        """Return the value that ``alias.name`` stands for, or None."""
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
        return value

    def definition(self, path: t.Path, prelude: Mapping[str, Definition]) -> FoundType | None:
        """Return the definition of a type ``name`` or ``alias.name``, or None."""
        names = path.names
        if len(names) == 1:
            found = self.definitions.get(names[0])
            if found is not None:
                return FoundType(found, self)
            built_in = prelude.get(names[0])
            return None if built_in is None else FoundType(built_in, self)
        if names[0] in self.broken:
            raise Abandon
        module = self.imports.get(names[0])
        if module is None or len(names) != 2:
            return None
        found = module.definitions.get(names[1])
        return None if found is None else FoundType(found, module)

    def type_names(self) -> list[str]:
        """Return the names of all types that can be used in this file."""
        names = list(self.definitions)
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
        module.values.setdefault(item.name, value)
