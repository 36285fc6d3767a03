"""Elaboration: a ``world`` definition with arguments becomes a ``World``.

Composites are unfolded, expressions computed, paths looked up, joins turned into hinges with
frames on both bodies. Everything wrong is found in one pass: what cannot be made is noted once
and left out, and what depends on it is passed over in silence.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from articulata.world.language.diagnostics import Abandon, Full, span_of
from articulata.world.language.elaboration.binding import Elaboration, bind, bounds
from articulata.world.language.elaboration.evaluate import Scope, type_name
from articulata.world.language.elaboration.figure_sections import figure_node
from articulata.world.language.elaboration.function_calls import positive
from articulata.world.language.elaboration.instances import (
    BodyInstance,
    BodyType,
    Broken,
    CompositeInstance,
    Instance,
)
from articulata.world.language.elaboration.modules import FoundType, Module
from articulata.world.language.elaboration.primitive_parts import body_type
from articulata.world.language.elaboration.standing import enter, take_in
from articulata.world.language.elaboration.structure_statements import Builder
from articulata.world.language.syntax import tree as t
from articulata.world.model import Drive
from articulata.world.paths import hint
from articulata.world.values import ZERO, Pose, Vector3

MOST_BODIES = 200_000
"""Bodies and composites of one world; more is a slip of the pen, and would fill the memory."""
DEEPEST = 60
"""Composites within composites; deeper ones, made by a slip, could not be followed."""


# ---- components


def unfold(
    elaboration: Elaboration,
    item: t.Composite | t.Figure | t.World,
    module: Module,
    scope: Scope,
    instance: CompositeInstance,
    factor: float,
) -> None:
    """Make the parts of a composite, then join and place them."""
    elaboration.composites.append(instance)
    elaboration.stack.append(item)
    instance.broken = not item.complete
    for component in item.components:
        try:
            _components(elaboration, component, module, scope, instance, factor)
        except Abandon:
            for name in component.names:
                _break(instance, name)
    Builder(elaboration, module, scope, instance, factor).run(item.structure)
    if isinstance(item, t.Figure):
        instance.figure = figure_node(item, scope, instance, factor)
        bodies, hinges = take_in(instance, scope, item, elaboration.up)
        elaboration.bodies += bodies
        enter(instance, elaboration, hinges)
    elaboration.stack.pop()


def _break(instance: CompositeInstance, name: t.ComponentName) -> None:
    if name.range is not None:
        # How many there should be is not known either.
        instance.broken = True
    instance.parts.setdefault(name.name, Broken(name.name))


def _components(
    elaboration: Elaboration,
    component: t.Component,
    module: Module,
    scope: Scope,
    owner: CompositeInstance,
    factor: float,
) -> None:
    found = find_type(elaboration, module, scope, component.type)
    definition = found.definition
    if isinstance(definition, t.HingeType):
        raise scope.fail(
            component.type, "wrong-kind", f"'{component.type.text}' is a type of hinge"
        )
    if isinstance(definition, t.World):
        raise scope.fail(component.type, "wrong-kind", f"'{component.type.text}' is a world")
    if definition in elaboration.stack and any(each is definition for each in elaboration.stack):
        raise scope.fail(
            component.type, "cycle", f"'{definition.name}' would contain itself without end"
        )
    if len(elaboration.stack) > DEEPEST:
        raise scope.fail(
            component.type,
            "too-deep",
            f"'{component.names[0].name}' lies within more than {DEEPEST} composites",
            "take composites out of each other",
        )
    if component.scale is not None:
        factor = factor * positive(scope, component.scale, "number", "a scale")
    inner = bind(elaboration, definition, found.module, component.arguments, scope, component.type)
    span = span_of(scope.source, component.span)
    shared: BodyType | None = None
    if isinstance(definition, t.Primitive):
        shared = _shared_type(elaboration, definition, inner, factor)
    for name in component.names:
        for local in _names(scope, name, owner, elaboration):
            if local in owner.parts:
                raise scope.fail(name, "duplicate", f"component '{local}' is declared twice")
            _check_room(elaboration, component, scope)
            made: Instance
            if shared is not None:
                made = BodyInstance(owner.path_of(local), local, shared, span, owner)
                elaboration.bodies.append(made)
                _drives(elaboration, made)
                owner.parts[local] = made
            else:
                assert isinstance(definition, t.Composite | t.Figure)
                made = CompositeInstance(
                    owner.path_of(local), local, type_name(definition.name), span, owner
                )
                owner.parts[local] = made
                unfold(elaboration, definition, found.module, inner, made, factor)


def _check_room(elaboration: Elaboration, component: t.Component, scope: Scope) -> None:
    """Give the whole world up where one more body or composite would be too many."""
    if len(elaboration.bodies) + len(elaboration.composites) < MOST_BODIES:
        return
    with suppress(Abandon):
        scope.fail(
            component.type,
            "too-large",
            f"the world would have more than {MOST_BODIES:,} bodies and composites",
            "make fewer of what contains it",
        )
    raise Full


def _names(
    scope: Scope, name: t.ComponentName, owner: CompositeInstance, elaboration: Elaboration
) -> list[str]:
    """Return the local names that one entry declares: itself, or those of its array."""
    if name.range is None:
        if name.name in owner.arrays:
            raise scope.fail(name, "duplicate", f"component '{name.name}' is declared twice")
        return [name.name]
    low, high = bounds(scope, name.range)
    if high - low + 1 + len(elaboration.bodies) > MOST_BODIES:
        raise scope.fail(
            name.range,
            "too-large",
            f"'{name.name}' would have {high - low + 1} elements; a world holds at most "
            f"{MOST_BODIES} bodies",
        )
    if name.name in owner.parts:
        raise scope.fail(name, "duplicate", f"component '{name.name}' is declared twice")
    known = owner.arrays.get(name.name)
    if known is not None and low <= known[1]:
        raise scope.fail(
            name, "duplicate", f"'{name.name}[{low}]' is declared twice", f"begin at {known[1] + 1}"
        )
    owner.arrays[name.name] = (low if known is None else known[0], high)
    return [f"{name.name}[{index}]" for index in range(low, high + 1)]


def find_type(elaboration: Elaboration, module: Module, scope: Scope, path: t.Path) -> FoundType:
    """Return the definition of a type; note what is wrong when there is none."""
    found = module.definition(path, elaboration.prelude)
    if found is None:
        known = [*module.type_names(), *elaboration.prelude]
        raise scope.fail(
            path,
            "unknown-type",
            f"there is no type '{path.text}'",
            hint(path.text, known).lstrip("; "),
        )
    if path.names[0] in elaboration.prelude and found.definition is elaboration.prelude.get(
        path.names[0]
    ):
        return FoundType(found.definition, elaboration.prelude_module)
    return found


def _shared_type(
    elaboration: Elaboration,
    item: t.Primitive,
    scope: Scope,
    factor: float,
) -> BodyType:
    """Return a primitive's type; the same arguments make it once, wrong ones are noted once."""
    key: object = None
    try:
        key = (id(item), factor, tuple(scope.names.values()))
        if key in elaboration.types:
            known = elaboration.types[key]
            if known is None:
                raise Abandon
            return known
    except TypeError:
        key = object()
    elaboration.types[key] = None
    made = elaboration.types[key] = body_type(item, scope, factor)
    if not item.complete:
        raise Abandon
    return made


def _drives(elaboration: Elaboration, body: BodyInstance) -> None:
    for binding in body.type.bindings:
        name = binding.controller.parts[-1].name
        target = body.id
        kind = binding.quantity
        if kind == "force":
            feature = binding.at.text if binding.at is not None else "center"
            if body.type.feature(feature) is None:
                scope = body.type.scope
                scope.fail(
                    binding.at or binding,
                    "unknown-feature",
                    f"'{body.type.name}' has no feature '{feature}'",
                    hint(feature, body.type.features).lstrip("; "),
                )
                continue
            target = f"{body.id}.{feature}"
        id = f"{target}.{kind}" if binding.at is not None else f"{body.id}.{kind}"
        span = span_of(body.type.scope.source, binding.span)
        elaboration.drives[id] = Drive(id, kind, target, name, span)  # type: ignore[arg-type] # the parser's words


# ---- the world itself


def gravity_of(scope: Scope, item: t.World) -> Vector3:
    """Return the world's gravity, in m/s^2; none when it says nothing."""
    if item.gravity is None:
        return ZERO
    return scope.vector(item.gravity, "acceleration")


def root_of(item: t.World, source: Any) -> CompositeInstance:
    """Return the instance of the world itself, whose id is empty."""
    return CompositeInstance(
        "", item.name, item.name, span_of(source, item.span), None, pose=Pose()
    )
