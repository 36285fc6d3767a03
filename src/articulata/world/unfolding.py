"""Worlds of a file: elaborated with arguments from Python or with those a text writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from articulata.world.figures.nodes import upward
from articulata.world.language.diagnostics import Abandon, Full, Notes
from articulata.world.language.elaboration.arguments import argument_values, settled
from articulata.world.language.elaboration.binding import Elaboration, bind
from articulata.world.language.elaboration.elaborate import gravity_of, root_of, unfold
from articulata.world.language.elaboration.evaluate import SI, Value
from articulata.world.language.elaboration.finishing import finish
from articulata.world.language.elaboration.modules import Module
from articulata.world.language.elaboration.pair_statements import pairs_of
from articulata.world.language.syntax import tree as t
from articulata.world.language.units import Dimension
from articulata.world.model import World
from articulata.world.world_files import prelude

Arguments = Sequence[float] | Sequence[t.Argument]
"""SI numbers, or expressions of a text."""

Used = Mapping[int, set[Dimension]]
"""For each bare argument, the quantities it was used as."""


def elaborated(
    module: Module,
    item: t.World,
    arguments: Arguments,
    notes: Notes,
    asked: t.Request | None = None,
    *,
    standing: bool = True,
) -> tuple[World | None, Used]:
    """Return the world and as which quantities its bare arguments were used.

    ``asked`` is the request whose arguments these are: what they lack is said there.
    ``standing``: figures stand upright, their links as bodies.
    """
    written = bool(arguments) and isinstance(arguments[0], t.Argument)
    if written or not arguments or module.scales is SI:
        return unfolded(module, item, arguments, notes, {}, asked, standing=standing)
    # A first turn finds out which quantity each argument is, so that SI values can be
    # read in the units of the file.
    _, used = unfolded(module, item, arguments, Notes(), {}, standing=standing)
    try:
        kinds = settled(module.scope(notes), item, used)
    except Abandon:
        return None, used
    return unfolded(module, item, arguments, notes, kinds, standing=standing)


def unfolded(
    module: Module,
    item: t.World,
    arguments: Arguments,
    notes: Notes,
    kinds: Mapping[int, Dimension],
    asked: t.Request | None = None,
    *,
    standing: bool = True,
) -> tuple[World | None, Used]:
    """Return the world as ``elaborated`` does, its bare arguments of the ``kinds`` given."""
    prelude_module, types = prelude()
    elaboration = Elaboration(notes, types, prelude_module)
    elaboration.python += [file for file, _ in module.python]
    caller = elaboration.scope(module, {})
    if arguments and not isinstance(arguments[0], t.Argument):
        given: tuple[t.Argument, ...] = tuple(
            t.Argument(item.parameters[place].name, t.Path((t.Part(f"argument {place}"),)))
            for place in range(len(arguments))
        )
        values: list[Value] = list(
            argument_values(item, arguments, module.scales, kinds)  # type: ignore[arg-type] # numbers, as tested above
        )
        caller.names.update({f"argument {n}": value for n, value in enumerate(values)})
    else:
        given = tuple(arguments)  # type: ignore[arg-type] # nodes, as tested above
    root = root_of(item, module.source)
    try:
        place = item if asked is None else asked.name_span
        scope = bind(elaboration, item, module, given, caller, place)
    except (Abandon, Full):
        return None, {}
    gravity = (0.0, 0.0, 0.0)
    try:
        gravity = gravity_of(scope, item)
    except Abandon:
        root.broken = True
    try:
        elaboration.up = upward(gravity) if standing else None
        unfold(elaboration, item, module, scope, root, 1.0)
        pairs = pairs_of(module, types, notes)
        if notes.errors:
            return None, elaboration.used
        world = replace(finish(elaboration, root, gravity), pairs=pairs)
    except Full:
        return None, elaboration.used
    numbers: tuple[float, ...] = ()
    if arguments and not isinstance(arguments[0], t.Argument):
        numbers = tuple(float(each) for each in arguments)  # type: ignore[arg-type] # as above
    return replace(world, arguments=numbers), elaboration.used
