"""``contact A with B: (...)`` of a file and its imports, as values of pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from articulata.world.contact_pairs import MaterialPair, SpeedLaw
from articulata.world.language.diagnostics import Abandon, Notes, span_of
from articulata.world.language.elaboration.evaluate import Scope, type_name
from articulata.world.language.elaboration.expression_data import program_of
from articulata.world.language.elaboration.function_calls import (
    not_negative,
    positive,
    restitution_of,
)
from articulata.world.language.elaboration.modules import Definition, Module
from articulata.world.language.meant_words import did_you_mean
from articulata.world.language.syntax import tree as t
from articulata.world.language.vocabulary import PAIR_FIELDS
from articulata.world.values import Material


def pairs_of(
    module: Module, prelude: Mapping[str, Definition], notes: Notes
) -> tuple[MaterialPair, ...]:
    """Return the pairs of a file and of all it imports; what the file itself says counts."""
    found: dict[frozenset[str], MaterialPair] = {}
    _collect(module, prelude, notes, found, set())
    return tuple(found.values())


def _collect(
    module: Module,
    prelude: Mapping[str, Definition],
    notes: Notes,
    found: dict[frozenset[str], MaterialPair],
    seen: set[int],
) -> None:
    if id(module) in seen:
        return
    seen.add(id(module))
    said: set[frozenset[str]] = set()
    scope = module.scope(notes)

    def type_named(path: t.Path) -> str | None:
        found = module.definition(path, prelude)
        if found is not None and isinstance(found.definition, t.Primitive):
            return type_name(found.definition.name)
        return "ground" if path.simple == "ground" else None

    for item in module.pairs:
        try:
            pair = pair_of(scope, item, type_named)
            if pair.key in said:
                raise scope.fail(
                    item,
                    "duplicate",
                    f"{pair.first} with {pair.second} is said already",
                    "put both into one contact",
                )
        except Abandon:
            continue
        said.add(pair.key)
        found.setdefault(pair.key, pair)
    for other in (*module.merged, *module.imports.values()):
        _collect(other, prelude, notes, found, seen)


TypeNamed: TypeAlias = Callable[[t.Path], str | None]
"""Gives the name of the type of one body that a path names, or None."""


def pair_of(scope: Scope, item: t.MaterialPair, type_named: TypeNamed) -> MaterialPair:
    """Return one contact as a value."""
    first, second = (_called(scope, each, type_named) for each in (item.first, item.second))
    given: dict[str, Any] = {}
    for field in item.fields:
        name = field.name
        if name is None or name not in PAIR_FIELDS:
            raise scope.fail(
                field,
                "unknown-option",
                f"a contact says nothing of '{name or 'a value without a name'}'",
                did_you_mean(name or "", tuple(PAIR_FIELDS)),
            )
        if name == "friction":
            given[name] = _law(scope, field.value)
        elif name == "restitution":
            given[name] = _law(scope, field.value, restitution=True)
        elif name == "static_friction":
            given[name] = not_negative(
                scope, field.value, "number", "a coefficient of static friction"
            )
        elif name == "stiffness":
            given[name] = positive(scope, field.value, "stiffness", "a stiffness")
        else:
            given[name] = positive(scope, field.value, "stiffness", "a shear stiffness")
    resting, sliding = given.get("static_friction"), given.get("friction")
    if resting is not None and isinstance(sliding, float) and resting < sliding:
        raise scope.fail(
            item,
            "wrong-order",
            f"static_friction {resting:g} is smaller than friction {sliding:g}: a body at rest "
            "would be held less than one that slides",
            "give a static_friction that is not smaller than friction",
        )
    return MaterialPair(first, second, **given, span=span_of(scope.source, item.span))


def _called(scope: Scope, path: t.Path, type_named: TypeNamed) -> str:
    """Return by which name bodies are called: that of a material, or of a type of body."""
    value = scope.name(path.simple) if path.simple else None
    if value is None and scope.look_up is not None:
        value = scope.look_up(path)
    if isinstance(value, Material):
        if value.name:
            return value.name
        raise scope.fail(
            path, "wrong-kind", "this material has no name", "name it: let steel = material(...)"
        )
    if value is not None:
        advice = "write let steel = material(...), or the name of a primitive"
        raise scope.unlike(path, "a material or a type is", value, advice)
    found = type_named(path)
    if found is not None:
        return found
    what = f"there is no material or type of one body '{path.text}'"
    raise scope.fail(
        path, "unknown-name", what, "write let steel = material(...), or the name of a primitive"
    )


def _law(scope: Scope, item: t.Expression, *, restitution: bool = False) -> SpeedLaw:
    """Return a number, or the program of an expression of ``speed``."""
    program = program_of(scope, item, "number")
    if len(program) > 1 or program[0][0] != "push":
        return program
    if restitution:
        return restitution_of(scope, item)
    return not_negative(scope, item, "number", "a coefficient of friction")
