"""Arguments of worlds: those of a call from Python, and those that a request writes.

Arguments from Python are SI numbers; written ones are expressions, whose bare numbers are in the
units of the file and mean what the world uses them as. A word may say a bound of a parameter that
is ``called`` so.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from articulata.errors import WorldError
from articulata.geometry.scalars import real
from articulata.world.language.checking.calls import written_word
from articulata.world.language.diagnostics import Abandon
from articulata.world.language.elaboration.evaluate import SI, Quantity, Scales, Scope, Value, show
from articulata.world.language.elaboration.modules import Definition
from articulata.world.language.elaboration.primitive_parts import converted
from articulata.world.language.syntax import tree as t
from articulata.world.language.units import NONE, QUANTITIES, Dimension, describe
from articulata.world.paths import hint

SHORTEST, LONGEST = 1e-9, 1e9
"""Units of length (m) of a figure: less or more is a slip of the pen."""

Kinds = Callable[[Sequence[float]], Mapping[int, Dimension]]
"""Which quantity a world uses each of some bare arguments as."""


def bound_called(
    parameters: Sequence[t.Parameter], name: str | None, word: str
) -> tuple[t.Parameter, t.Expression] | None:
    """Return the parameter of which ``word`` is a bound, and that bound; None where there is none.

    An argument with a ``name`` is of the parameter of that name.
    """
    for each in parameters:
        if word in each.called and name in (None, each.name) and isinstance(each.within, t.Tuple):
            return each, each.within.items[each.called.index(word)]
    return None


def bound_said(
    caller: Scope, parameters: Sequence[t.Parameter], argument: t.Argument
) -> tuple[t.Parameter, t.Expression] | None:
    """Return the bound that a written argument says; a name that is defined is not such a word."""
    word = written_word(argument.value)
    if not word or word in caller.names or word in caller.outer:
        return None
    return bound_called(parameters, argument.name, word)


def bound(scope: Scope, parameter: t.Parameter, value: t.Expression) -> Value:
    """Return a bound as its parameter, in the ``scope`` of the definition."""
    return converted(scope, scope.evaluate(value), parameter.quantity, value)


def ordered(
    item: t.World | t.Figure, args: Sequence[object], named: Mapping[str, object], scope: Scope
) -> tuple[float, ...]:
    """Return a world's arguments in the order of its parameters; they are SI numbers or words."""
    owner = f"{kind_of(item)} '{item.name}'"
    values = by_name(item, args, named, scope)
    names = [parameter.name for parameter in item.parameters]
    given = [values[name] for name in names if name in values]
    for place, parameter in enumerate(item.parameters):
        if place < len(given) and parameter.name not in values:
            raise WorldError(f"{owner}: give '{parameter.name}' too; arguments after it are given")
    return tuple(given)


def by_name(
    item: t.World | t.Figure, args: Sequence[object], named: Mapping[str, object], scope: Scope
) -> dict[str, float]:
    """Return arguments, SI numbers or words, by the names of the parameters and in their order."""
    owner = f"{kind_of(item)} '{item.name}'"
    names = [parameter.name for parameter in item.parameters]
    if len(args) > len(names):
        raise WorldError(f"{owner} takes {len(names)} arguments, {len(args)} were given")
    values: dict[str, float] = {}
    words = [each for each in args if isinstance(each, str)]
    said = [bound_called(item.parameters, None, word) for word in words]
    places = [each for each in names if each not in {found[0].name for found in said if found}]
    numbers = [each for each in args if not isinstance(each, str)]
    given = [
        *((found[0].name if found else "", word) for word, found in zip(words, said, strict=True)),
        *zip(places, numbers, strict=False),
        *named.items(),
    ]
    for name, value in given:
        called = bound_called(item.parameters, name, value) if isinstance(value, str) else None
        if called is not None:
            value = scope.to_kind(bound(scope, *called), called[0].quantity or "number", item)
        elif isinstance(value, str):
            told = f" for '{name}'" if name in names else ""
            raise WorldError(f"{owner} takes numbers{_words(item, name)}, not {value!r}{told}")
        if name not in names:
            raise WorldError(f"{owner} has no parameter '{name}'{hint(name, names)}")
        if name in values:
            raise WorldError(f"{owner}: '{name}' is given twice")
        number = real(value)
        if number is None:
            raise WorldError(f"{owner}: '{name}' takes a number in SI units, not {value!r}")
        if not math.isfinite(number):
            raise WorldError(f"{owner}: '{name}' cannot be {number}")
        values[name] = number
    for parameter in item.parameters:
        if parameter.name not in values and parameter.default is None:
            method = "world" if isinstance(item, t.World) else "figure_world"
            raise WorldError(
                f"{owner} lacks a value for '{parameter.name}'; write "
                f'document.{method}("{item.name}", {", ".join(names)})'
            )
    return {name: values[name] for name in names if name in values}


def _words(item: t.World | t.Figure, name: str) -> str:
    """Return what words a definition takes beside numbers, for a parameter or, "", for all."""
    told = [each.called for each in item.parameters if each.called and name in ("", each.name)]
    words = [word for each in told for word in each]
    return f", and the words {', '.join(words)}" if words else ""


def kind_of(item: t.World | t.Figure) -> str:
    """Return what a definition is called in messages."""
    return "figure" if isinstance(item, t.Figure) else "world"


def check_unit(item: t.Figure, values: Mapping[str, float]) -> None:
    """Raise WorldError where a figure's ``unit`` (m) is no length it could be built with."""
    value = values.get("unit")
    if value is not None and not SHORTEST <= value <= LONGEST:
        raise WorldError(
            f"figure '{item.name}': 'unit' is the length of its unit and cannot be "
            f"{value:g} m; give one from {SHORTEST:g} to {LONGEST:g} m"
        )


def written(
    scope: Scope, item: t.World, given: Sequence[t.Argument], kinds: Kinds
) -> tuple[float, ...]:
    """Return arguments as SI numbers, each as the quantity the world uses it as.

    What is left out before the last of them is the default; what is wrong is noted.
    """
    return tuple(each.value for each in measured(scope, item, given, kinds))


def measured(
    scope: Scope, item: t.World, given: Sequence[t.Argument], kinds: Kinds
) -> tuple[Quantity, ...]:
    """Return such arguments with their dimensions, None where nothing tells which."""
    names = [parameter.name for parameter in item.parameters]
    if not given:
        return ()
    try:
        found = _by_name(scope, item, given)
        last = max(names.index(name) for name in found)
        values = _with_defaults(scope, item, found, last, given[0])
        uses: Mapping[int, Dimension] = {}
        if scope.scales is not SI or any(each.dimension is not None for each in values):
            uses = kinds([each.value for each in values])
        return tuple(
            _si(scope, value, QUANTITIES.get(parameter.quantity or "", uses.get(place)), given[0])
            for place, (value, parameter) in enumerate(zip(values, item.parameters, strict=False))
        )
    except Abandon:
        return ()


def matched(
    scope: Scope, item: Definition, given: Sequence[t.Argument]
) -> Iterator[tuple[t.Parameter, t.Argument, t.Expression | None]]:
    """Yield each written argument with its parameter, and the bound that it says (None: none)."""
    parameters = {each.name: each for each in item.parameters}
    taken: set[str] = set()
    for argument in given:
        called = bound_said(scope, item.parameters, argument)
        left = (each for each in parameters if each not in taken)
        name = called[0].name if called else argument.name or next(left, "")
        if not name:
            takes = f"{len(parameters)} values" if parameters else "no values"
            raise scope.fail(argument, "wrong-count", f"'{item.name}' takes {takes}")
        if name not in parameters:
            about = hint(name, parameters).lstrip("; ")
            raise scope.fail(
                argument, "unknown-option", f"'{item.name}' has no parameter '{name}'", about
            )
        if name in taken:
            raise scope.fail(argument, "duplicate", f"'{name}' is given twice")
        taken.add(name)
        yield parameters[name], argument, called[1] if called else None


def default(
    scope: Scope, caller: Scope, item: Definition, parameter: t.Parameter, place: Any
) -> Value:
    """Return what a parameter is where it is given nothing; ``place`` is to blame for none."""
    if parameter.default is None:
        raise caller.fail(
            place,
            "wrong-count",
            f"'{item.name}' lacks a value for '{parameter.name}'",
            f"write {item.name}({', '.join(each.name for each in item.parameters)})",
        )
    value = scope.evaluate(parameter.default)
    return converted(scope, value, parameter.quantity, parameter.default)


def _by_name(scope: Scope, item: t.World, given: Sequence[t.Argument]) -> dict[str, Quantity]:
    """Return the arguments by their parameters' names."""
    found: dict[str, Quantity] = {}
    for parameter, argument, said in matched(scope, item, given):
        value = scope.evaluate(said or argument.value)
        if not isinstance(value, Quantity):
            wanted = f"a number is due for '{parameter.name}', not {show(value)}"
            raise scope.fail(argument, "wrong-kind", wanted)
        found[parameter.name] = value
    return found


def _with_defaults(
    scope: Scope, item: t.World, found: Mapping[str, Quantity], last: int, place: t.Argument
) -> list[Quantity]:
    """Return the arguments in order up to the one at ``last``."""
    values: list[Quantity] = []
    inner = scope.inner({})
    for parameter in item.parameters[: last + 1]:
        value = found.get(parameter.name)
        if value is None:
            value = default(inner, scope, item, parameter, place)
            if not isinstance(value, Quantity):
                raise Abandon
        inner.names[parameter.name] = value
        values.append(value)
    return values


def _si(scope: Scope, value: Quantity, due: Dimension | None, item: t.Argument) -> Quantity:
    """Return a value as the quantity it is used as; None where nothing tells which."""
    if due is None and value.dimension is not None:
        return value
    return scope.to_dimension(value, due or NONE, item)


def settled(
    scope: Scope, item: t.World, used: Mapping[int, Collection[Dimension]]
) -> dict[int, Dimension]:
    """Return which quantity each bare argument of a world is; of two it cannot be both."""
    kinds: dict[int, Dimension] = {}
    for place, found in used.items():
        if len({scope.scales.of(each) for each in found}) > 1:
            one, other = sorted(found)[:2]
            parameter = item.parameters[place]
            raise scope.fail(
                parameter,
                "ambiguous-unit",
                f"'{parameter.name}' is used as {describe(one)} and as {describe(other)}",
                f"say which it is: {parameter.name}: angle, or another quantity",
            )
        kinds[place] = next(iter(found))
    return kinds


def argument_values(
    item: t.World, given: Sequence[float], scales: Scales, kinds: Mapping[int, Dimension]
) -> list[Quantity]:
    """Return SI arguments as what the text would read: bare numbers in the file's units."""
    values = []
    for place, value in enumerate(given):
        quantity = item.parameters[place].quantity if place < len(item.parameters) else None
        if quantity is not None and quantity in QUANTITIES and quantity not in ("number", "count"):
            values.append(Quantity(float(value), QUANTITIES[quantity]))
            continue
        scale = scales.of(kinds[place]) if place in kinds and scales is not SI else 1.0
        values.append(Quantity(float(value) / scale, argument=place))
    return values
