"""What the clauses of requests say, as typed values in SI."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import product
from typing import Any, TypeAlias

from articulata.errors import ArticulataError, NameNotFound
from articulata.world.body_features import shape_features
from articulata.world.language.checking.calls import written_word
from articulata.world.language.checking.patterns import Value, fit, word_of
from articulata.world.language.diagnostics import Abandon, span_of
from articulata.world.language.elaboration.actuation import bound
from articulata.world.language.elaboration.arguments import bound_said
from articulata.world.language.elaboration.evaluate import SI, Quantity, Scope
from articulata.world.language.elaboration.expression_data import Made, path_text
from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.grammar import REQUESTS
from articulata.world.language.units import NONE, QUANTITIES, symbol
from articulata.world.language.vocabulary import METHODS, WORDS
from articulata.world.model import World
from articulata.world.paths import IMPLICIT_FEATURES, resolve
from articulata.world.requests.choices import DeviceChoice, FigureChoice, tolerance
from articulata.world.requests.clauses import Clause, Said, Unfit
from articulata.world.requests.questions import FORMS, QUESTIONS, Question
from articulata.world.requests.request import MOST_ITERATIONS, MOST_STEPS, OptionValue
from articulata.world.requests.vary import Amount

Taken: TypeAlias = Callable[[t.Path], Sequence[t.Parameter]]
"""Tells what a figure that a request names takes in parentheses."""

Settle: TypeAlias = Callable[[str, t.Expression], Amount]
"""Tells what a value is that a parameter of the world is given."""

LARGEST_ARRAY = 100_000
"""How many things one path with ranges may name."""


def fields_of(
    scope: Scope,
    item: t.Request,
    made: Made = lambda: None,
    components: Collection[str] = (),
    taken: Taken = lambda path: (),
    settle: Settle | None = None,
) -> dict[str, Any]:
    """Return what the clauses of a request say by its question's fields.

    ``made`` gives the world that it is about, in which paths have to lead somewhere;
    ``components`` are the names of what stands in it, ``taken`` tells what a figure takes,
    ``settle`` what a parameter is given. What is wrong in one clause does not hide the next.
    """
    table = REQUESTS[item.kind]
    fields: dict[str, Any] = {}
    for clause in item.clauses:
        known = table.get(clause.name)
        if known is None or not known.field:
            continue
        values = _Clause(scope, known, made, components, taken, settle).values(clause)
        if values and known.several:
            fields[known.field] = tuple(values)
        elif values:
            fields[known.field] = values[0]
    return fields


def question_of(scope: Scope, item: t.Request, fields: Mapping[str, Any]) -> Question | None:
    """Return what a request asks; None where a clause that it needs says nothing to be meant."""
    if any(each.needed and each.field not in fields for each in REQUESTS[item.kind].values()):
        return None
    try:
        return QUESTIONS[item.kind](**fields)
    except Unfit as wrong:  # what one clause says does not go with another
        scope.fail(item.clause(wrong.word) or item, wrong.code, wrong.told, wrong.advice)
        return None


def world_asked(item: t.Request) -> tuple[str, tuple[t.Argument, ...]]:
    """Return the world that a request names after its first word or in ``world:``."""
    clause = item.clause("world")
    if clause is None or not clause.items:
        return item.name, item.arguments
    node = clause.items[0].parts[0]
    if isinstance(node, t.Call):
        return node.function.text, node.arguments
    return (node.text, ()) if isinstance(node, t.Path) else ("", ())


class _Clause:
    """Reads the items of one clause."""

    def __init__(
        self, scope: Scope, clause: Clause, made: Made, components: Collection[str], taken: Taken,
        settle: Settle | None,
    ) -> None:  # fmt: skip
        self.scope = scope
        self.clause = clause
        self.made = made
        self.components = components
        self.taken = taken
        self.settle = settle
        self.parameter = ""
        """The parameter that the values of an item are given to."""

    def values(self, node: t.Clause) -> list[Any]:
        """Return what the items say; one that cannot be meant is noted and left out."""
        found: list[Any] = []
        keys: list[Any] = []
        for item in node.items:
            with suppress(Abandon):
                for value in self._item(item):
                    key = self.clause.key(value)
                    if self.clause.several and key in keys:
                        raise self.scope.fail(
                            item, "duplicate", f"'{node.name}:' says this twice",
                            "remove one of them, or write another for it",
                        )  # fmt: skip
                    for other in found:
                        if told := self.clause.clash(other, value):
                            raise self.scope.fail(item, "duplicate", *told)
                    keys.append(key)
                    found.append(value)
        return found

    def _item(self, item: t.Item) -> Iterator[Any]:
        fitting = fit(item, self.clause.patterns)
        if not fitting.ok:
            raise self.scope.unmeant(item)
        span = span_of(self.scope.source, item.span)
        # a path with a range stands for several things
        choices = [self._choices(each) for each in fitting.values]
        for values in product(*choices):
            after = [each.after for each in fitting.values]
            said = Said(fitting.words, tuple(zip(after, values, strict=True)), span)
            if "grid" in fitting.words:
                self._spanning(said.get("in"), fitting.values[-1].node)
            try:
                yield self.clause.read(said)
            except Unfit as wrong:
                place: Any = next(
                    (each.node for each in fitting.values if each.after == wrong.word), item
                )
                raise self._unfit(place, wrong) from wrong

    def _unfit(self, place: Any, wrong: Unfit) -> Abandon:
        return self.scope.fail(place, wrong.code, wrong.told, wrong.advice)

    def _choices(self, value: Value) -> Sequence[Any]:
        if value.kind == "paths" and isinstance(value.node, t.Path):
            return [self._found(each, value.node) for each in _paths(self.scope, value.node)]
        return (self._value(value.kind, value.node, value.after),)

    def _value(self, kind: str, node: t.Expression, after: str = "") -> Any:
        scope = self.scope
        if kind == "count":
            return scope.whole(node, f"what follows '{after}'" if after else "this")
        if kind in QUANTITIES:
            return scope.number(node, kind)
        if kind in FORMS:
            return self._form(kind, node)
        match kind:
            case "times":
                return self._times(node)
            case "domains":
                return tuple(map(word_of, node.items if isinstance(node, t.Tuple) else (node,)))
            case "method":
                return self._method(node)
            case "point":
                return scope.vector(node, "length")
            case "direction":
                return scope.direction(node)
            case "target":
                return self._target(node)
            case "tolerance":
                return self._tolerance(node)
            case "figure":
                return self._figure(node)
            case "parameter":
                self.parameter = word_of(node)
                return self.parameter
            case "value":
                return self._given(node)
            case "bound":
                return self._bound(node)
            case "values":
                return tuple(map(self._given, node.items if isinstance(node, t.Tuple) else (node,)))
            case "device" if isinstance(node, t.Path):
                return DeviceChoice(node.text)
            case "port" if not isinstance(node, t.Text):
                return scope.whole(node, "a port")
        if isinstance(node, t.Text):
            return node.value
        if isinstance(node, t.Path):
            path = path_text(scope, node)
            return self._found(path, node) if kind == "path" else path
        raise self.scope.unmeant(node)

    def _given(self, node: t.Expression) -> Amount:
        """Return what the parameter of the item is given."""
        assert self.settle is not None
        return self.settle(self.parameter, node)

    def _bound(self, node: t.Expression) -> Amount:
        """Return a number in SI of whatever dimension it says."""
        value = self.scope.evaluate(node)
        if not isinstance(value, Quantity):
            raise self.scope.fail(node, "wrong-kind", "a number is due here")
        if value.dimension is None and value.value and self.scope.scales is not SI:
            raise self.scope.fail(
                node, "ambiguous-unit", "this number needs its unit here", "write such as 5 N"
            )
        due = NONE if value.dimension is None else value.dimension
        return Amount(self.scope.to_dimension(value, due, node).value, symbol(due))

    def _times(self, node: t.Expression) -> tuple[float, float]:
        """Return step and end, ``(0.05 s, 60 s)``."""
        if not isinstance(node, t.Tuple) or len(node.items) != 2:
            raise self.scope.unmeant(node)
        first, last = node.items
        step, until = self.scope.number(first, "time"), self.scope.number(last, "time")
        for value, what, at in ((step, "step", first), (until, "end", last)):
            if value <= 0:
                told = f"the {what} must be greater than 0, not {value:g} s"
                raise self.scope.fail(at, "not-positive", told, "write (0.05 s, 60 s)")
        if step > until:
            told = f"the step, {step:g} s, is longer than the whole, {until:g} s"
            shown = [self.scope.source.text[slice(*each.span)] for each in (last, first)]
            raise self.scope.fail(
                first, "wrong-order", told, f"write the step first: ({', '.join(shown)})"
            )
        check_steps(self.scope, first, until, step)
        return step, until

    def _method(self, node: t.Expression) -> tuple[OptionValue, ...]:
        """Return a method's name and pairs of its options, ("stepping", ("step", 0.002))."""
        call = _called(node)
        made = METHODS.get(call.function.text.lower())
        if made is None:
            raise self.scope.unmeant(node)
        kinds = {slot.name: slot.kind for slot in made.slots}
        given = bound(self.scope, call, made).items()
        return (made.name, *((name, self._setting(name, kinds[name], at)) for name, at in given))

    def _setting(self, name: str, kind: str, node: t.Expression) -> OptionValue:
        """Return the value of a method's option."""
        if kind in WORDS:
            word = word_of(node).lower()
            if word not in WORDS[kind]:
                told = f"{name} is one of {', '.join(WORDS[kind])}"
                raise self.scope.fail(node, "unknown-word", told)
            return word == "yes" if kind == "choice" else word
        counted = kind == "count"
        value = self.scope.whole(node, name) if counted else self.scope.number(node, kind)
        if value <= 0.0:
            told = f"{name} must be greater than 0, not {value:g}"
            raise self.scope.fail(node, "not-positive", told)
        if kind == "time" and value >= 0.5 and isinstance(node, t.Number) and not node.unit:
            told = f"a {name} of {value:g} s is longer than most of what moves takes"
            self.scope.warn(node, "out-of-scale", told, f"write {node.value:g} ms")
        if counted and value > MOST_ITERATIONS:
            told = f"{name} lies from 1 to {MOST_ITERATIONS:,}, not at {value:g}"
            raise self.scope.fail(node, "too-large", told)
        return float(value)

    def _target(self, node: t.Expression) -> Any:
        if isinstance(node, t.Path) and not (node.simple and self.scope.name(node.simple)):
            return self._found(path_text(self.scope, node), node)
        return self.scope.vector(node, "length")

    def _found(self, path: str, node: t.Path) -> str:
        """Return a path that leads somewhere in the request's world."""
        world = self.made()
        if world is None or leads(world, path):
            return path
        names = path.split(".")
        wrong = next(
            (n for n in range(1, len(names)) if not leads(world, ".".join(names[:n]))), len(names)
        )
        try:
            resolve(world, ".".join(names[:wrong]))
        except NameNotFound as error:
            message, _, advice = str(error).partition("; ")
            place = node.parts[wrong - 1] if len(node.parts) == len(names) else node
            raise self.scope.fail(
                place, "unknown-component", message, advice or "name what stands in the world"
            ) from error
        return path

    def _spanning(self, path: str, node: t.Expression) -> None:
        """Refuse a point where something is due that has points in it."""
        world = self.made()
        bodies = {} if world is None else world.bodies
        body, _, name = (path, "", "") if path in bodies else path.rpartition(".")
        if body not in bodies:
            return
        feature = bodies[body].features.get(name)
        if name in IMPLICIT_FEATURES or (feature is not None and feature.kind == "point"):
            what, instead = "is a point", body
        elif bodies[body].shape is None:
            what, instead = "has no shape", "floor"
        else:
            return
        raise self.scope.fail(
            node, "wrong-kind", f"'{path}' {what} and holds no grid",
            f"name what the grid is in: grid 5 cm in {instead}",
        )  # fmt: skip

    def _tolerance(self, node: t.Expression) -> Any:
        parts = node.items if isinstance(node, t.Tuple) else (node,)
        if len(parts) > 2:
            raise self.scope.unmeant(node)
        position = self.scope.number(parts[0], "length")
        angle = self.scope.number(parts[1], "angle") if len(parts) == 2 else None
        try:
            return tolerance(position, angle)
        except Unfit as wrong:
            raise self._unfit(node, wrong) from wrong

    def _form(self, kind: str, node: t.Expression) -> Any:
        call = _called(node)
        form = FORMS[kind].get(call.function.text)
        if form is None:
            raise self.scope.unmeant(node)
        places = bound(self.scope, call, form.signature)
        kinds = {slot.name: slot.kind for slot in form.signature.slots}
        given = {name: self.scope.number(at, kinds[name]) for name, at in places.items()}
        try:
            return form.make(**given)
        except Unfit as wrong:
            raise self._unfit(places.get(wrong.word, node), wrong) from wrong

    def _figure(self, node: t.Expression) -> FigureChoice:
        path = node.function if isinstance(node, t.Call) else node
        assert isinstance(path, t.Path)
        component = path.parts[0].name in self.components
        arguments = node.arguments if isinstance(node, t.Call) else ()
        if component and isinstance(node, t.Call):
            raise self.scope.fail(
                node, "wrong-count",
                f"'{path.text}' stands in the world and takes no arguments here",
                f"write {path.text}",
            )  # fmt: skip
        parameters = self.taken(path) if arguments else ()
        said = [bound_said(self.scope, parameters, each) for each in arguments]
        taken = {each.name for each in arguments} | {found[0].name for found in said if found}
        left = (each for each in parameters if each.name not in taken)
        given: list[tuple[str, float | str]] = []
        for each, found in zip(arguments, said, strict=True):
            if found is not None:
                given.append((found[0].name, written_word(each.value)))
                continue
            named = next((one for one in parameters if one.name == each.name), None)
            parameter = named if each.name else next(left, None)
            given.append((each.name or "", self._argument(each.value, parameter)))
        return FigureChoice(path_text(self.scope, path), tuple(given), component)

    def _argument(self, node: t.Expression, parameter: t.Parameter | None) -> float | str:
        """Return an argument of a figure in SI; a bare number is what its ``parameter`` is."""
        if isinstance(node, t.Text):
            return node.value
        if isinstance(node, t.Path) and node.simple and self.scope.name(node.simple) is None:
            return node.simple
        value = self.scope.evaluate(node)
        if not isinstance(value, Quantity):
            raise self.scope.fail(node, "wrong-kind", "a number or a word is due here")
        kind = None if parameter is None else parameter.quantity
        if value.dimension is None and kind in QUANTITIES:
            return self.scope.to_kind(value, kind, node)
        bare = value.dimension is None and value.value != 0.0 and not _plain(parameter)
        if bare and self.scope.scales is not SI:
            raise self.scope.fail(
                node, "ambiguous-unit", "this number needs its unit here", "write such as 1.75 m"
            )
        due = NONE if value.dimension is None else value.dimension
        return self.scope.to_dimension(value, due, node).value


def check_steps(scope: Scope, item: Any, until: float, step: float) -> None:
    """Fail where steps of so many s go too often into the whole; at ``item`` they are said."""
    if until > MOST_STEPS * step:
        raise scope.fail(
            item,
            "too-large",
            f"{until:g} s in steps of {step:g} s are more than {MOST_STEPS:,} steps",
            "make the step longer or the end earlier",
        )


def _called(node: t.Expression) -> t.Call:
    """Return a word with arguments; one that stands alone has none."""
    if isinstance(node, t.Call):
        return node
    assert isinstance(node, t.Path)
    return t.Call(node, (), span=node.span)


def _plain(parameter: t.Parameter | None) -> bool:
    """Tell whether what a parameter is where nothing is given is a number without a unit."""
    nodes = [] if parameter is None or parameter.default is None else t.walk(parameter.default)
    numbers = [each for each in nodes if isinstance(each, t.Number)]
    return bool(numbers) and not any(each.unit for each in numbers)


def leads(world: World, path: str) -> bool:
    """Tell whether a path leads to a thing of a world, a place on it, or a part of its shape."""
    try:
        resolve(world, path)
    except NameNotFound:
        return path in world.components or _on_shape(world, path)
    return True


def _on_shape(world: World, path: str) -> bool:
    """Tell whether a path names a face of a body's shape, or a part of it: ``room.inside``."""
    names = path.split(".")
    for cut in range(1, len(names)):
        body = world.bodies.get(".".join(names[:cut]))
        if body is not None:
            rest = ".".join(names[cut:])
            try:
                known = shape_features(body.shape)
            except ArticulataError:
                return True  # a shape that cannot be made is told of where it stands
            return rest in known or any(each.startswith(f"{rest}.") for each in known)
    return False


def _paths(scope: Scope, path: t.Path) -> list[str]:
    """Return the paths that one with ranges stands for: ``shelf[1..3].front``."""
    steps: list[list[str]] = []
    count = 1
    for part in path.parts:
        if not isinstance(part.index, t.Range):
            steps.append([path_text(scope, t.Path((part,)))])
            continue
        low = scope.whole(part.index.first, "an index")
        high = scope.whole(part.index.last, "an index")
        count *= max(0, high - low + 1)
        if not 0 < count <= LARGEST_ARRAY:
            raise scope.fail(
                part, "wrong-index", f"this range names {count} things",
                "write first..last, the smaller one first",
            )  # fmt: skip
        steps.append([f"{part.name}[{n}]" for n in range(low, high + 1)])
    return [".".join(each) for each in product(*steps)]
