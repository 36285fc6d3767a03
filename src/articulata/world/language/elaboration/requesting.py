"""Requests of a text: clauses with SI values, rules with their actions as data."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from itertools import pairwise
from types import MappingProxyType

from articulata.world.language.checking.patterns import fit
from articulata.world.language.diagnostics import Abandon, span_of
from articulata.world.language.elaboration.evaluate import Scope
from articulata.world.language.elaboration.event_rules import rule_of
from articulata.world.language.elaboration.expression_data import Made, option_value, path_text
from articulata.world.language.elaboration.request_values import Taken, question_of, world_asked
from articulata.world.language.syntax import tree as t
from articulata.world.language.vocabulary import METHODS, WORDS
from articulata.world.requests.request import (
    MOST_ITERATIONS,
    MOST_STEPS,
    OptionValue,
    Report,
    Request,
    Rule,
)
from articulata.world.requests.simulate import FRICTION_RULES, IMPACT_LAWS, SIMULATE


def request_of(
    scope: Scope,
    item: t.Request,
    arguments: tuple[float, ...],
    made: Made = lambda: None,
    components: Collection[str] = (),
    taken: Taken = lambda path: (),
) -> Request:
    """Return a request; what is wrong in one clause does not hide the next.

    ``made`` gives the world that it is about; it is asked only where a condition needs to know.
    ``components`` are the names of what stands in that world, ``taken`` tells what a figure takes.
    """
    rules: list[Rule] = []
    for reaction in item.reactions:
        with suppress(Abandon):
            rules.append(rule_of(scope, reaction, made))
    if item.kind != "simulate":
        return Request(
            item.kind,  # type: ignore[arg-type] # one of the parser's five words
            world_asked(item)[0],
            arguments,
            rules=tuple(rules),
            span=span_of(scope.source, item.span),
            name=item.name,
            question=question_of(scope, item, made, components, taken),
        )
    step = until = None
    method: str | None = None
    domains: tuple[str, ...] | None = None
    reports: list[Report] = []
    options: dict[str, OptionValue] = {}
    for clause in item.clauses:
        with suppress(Abandon):
            if clause.name == "time":
                step, until = _times(scope, clause)
            elif clause.name == "report":
                reports += [_report(scope, each) for each in clause.items]
            elif clause.name == "domains":
                domains = _words(clause)
            elif clause.name == "method":
                chosen = method_choices(scope, clause)
                method, options["method"] = str(chosen[0]), chosen
            elif clause.name == "contact":
                options["contact"] = contact_choices(scope, clause)
            else:
                options[clause.name] = _options(scope, clause)
    _check_steps(scope, item, until, options)
    return Request(
        "simulate",
        item.name,
        arguments,
        step,
        until,
        method,
        domains,
        tuple(reports),
        tuple(rules),
        MappingProxyType(options),
        span_of(scope.source, item.span),
        name=item.name,
    )


def _times(scope: Scope, clause: t.Clause) -> tuple[float, float]:
    """Return step and end: ``(0.05 s, 60 s)``."""
    parts = [part for each in clause.items for part in each.parts]
    values: list[t.Expression] = []
    for part in parts:
        values += part.items if isinstance(part, t.Tuple) else (part,)
    if len(values) != 2:
        raise scope.fail(
            clause, "wrong-count", "time takes the step and the end", "write (0.05 s, 60 s)"
        )
    step, until = (scope.number(value, "time") for value in values)
    if step <= 0:
        raise scope.fail(
            values[0], "not-positive", f"the step must be greater than 0, not {step:g} s"
        )
    if until <= 0:
        raise scope.fail(
            values[1], "not-positive", f"the end must be greater than 0, not {until:g} s"
        )
    if step > until:
        raise scope.fail(
            values[0],
            "wrong-order",
            f"the step, {step:g} s, is longer than the whole, {until:g} s",
            "write (step, end)",
        )
    if until > MOST_STEPS * step:
        raise scope.fail(
            values[0],
            "too-large",
            f"{until:g} s in steps of {step:g} s are more than {MOST_STEPS:,} steps",
            "make the step longer or the end earlier",
        )
    return step, until


def _check_steps(
    scope: Scope, item: t.Request, until: float | None, options: Mapping[str, OptionValue]
) -> None:
    """Note a step of a method or of a rule of friction that goes too rarely into the whole."""
    for name in ("method", "contact"):
        clause, said = item.clause(name), options.get(name)
        step = _step_in(said)
        if until is None or clause is None or step is None or until <= MOST_STEPS * step:
            continue
        with suppress(Abandon):
            scope.fail(
                clause.items[0],
                "too-large",
                f"{until:g} s in steps of {step:g} s are more than {MOST_STEPS:,} steps",
                "make the step longer or the end earlier",
            )


def _step_in(said: OptionValue | None) -> float | None:
    """Return the length (s) of a step among the choices of ``method:`` or ``contact:``."""
    if not isinstance(said, tuple):
        return None
    for name, value in pairwise(said):
        if name in ("step", "time") and isinstance(value, float):
            return value
    found = (_step_in(each) for each in said if isinstance(each, tuple))
    return next((each for each in found if each is not None), None)


def _words(clause: t.Clause) -> tuple[str, ...]:
    """Return the bare words of a clause: ``(geometric, control)``."""
    found: list[str] = []
    for each in clause.items:
        for part in each.parts:
            items = part.items if isinstance(part, t.Tuple) else (part,)
            found += [item.text for item in items if isinstance(item, t.Path)]
            found += [item.value for item in items if isinstance(item, t.Text)]
    return tuple(found)


def _report(scope: Scope, item: t.Item) -> Report:
    found = fit(item, SIMULATE["report"].patterns)
    if not found.ok:
        raise scope.fail(
            item,
            "unknown-word",
            "this report cannot be made",
            f"write {', '.join(SIMULATE['report'].patterns)}",
        )
    kind, paths = found.words[0], []
    every, count = None, None
    for value in found.values:
        if value.kind == "path" and isinstance(value.node, t.Path):
            paths.append(path_text(scope, value.node))
        elif value.kind == "count":
            count = scope.whole(value.node, "a number of snapshots")
            if count < 1:
                message = f"{count} snapshots cannot be drawn"
                raise scope.fail(value.node, "not-positive", message)
        else:
            every = scope.number(value.node, "time")
            if every <= 0 and kind == "animation":
                message = f"an interval must be greater than 0, not {every:g} s"
                raise scope.fail(value.node, "not-positive", message)
    path = f" {found.words[-1]} ".join(paths) or None
    return Report(kind, every, count, path, span_of(scope.source, item.span))


def _options(scope: Scope, clause: t.Clause) -> OptionValue:
    """Return a clause as data: one item alone, or a tuple of items."""
    items = tuple(_item(scope, each) for each in clause.items)
    return items[0] if len(items) == 1 else items


def _item(scope: Scope, item: t.Item) -> OptionValue:
    parts = tuple(option_value(scope, part) for part in item.parts)
    return parts[0] if len(parts) == 1 else parts


# ---- ``contact:`` and ``method:`` of a request: how bodies collide, rub and move, as data
#
# Each choice is a word and the values after it by their kinds: ``("lagged", "time", 0.01)``,
# ``("iterated", "count", 5.0)``, ``("poisson",)``. A method is its name and pairs of its options'
# names and values: ``("stepping", ("step", 0.002))``. Times are in s.


MOST_ROUNDS = 1000


def contact_choices(scope: Scope, clause: t.Clause) -> tuple[OptionValue, ...]:
    """Return the choices of a clause, each said once."""
    found: list[OptionValue] = []
    said: dict[str, str] = {}
    for item in clause.items:
        choice = _choice(scope, item)
        word = str(choice[0])
        about = "a law of impact" if word in IMPACT_LAWS else f"'{word}'"
        about = "a rule of friction" if word in FRICTION_RULES else about
        if about in said:
            raise scope.fail(
                item,
                "duplicate",
                f"{about} is chosen already: '{said[about]}'",
                "remove one of them",
            )
        said[about] = word
        found.append(choice)
    return tuple(found)


def _choice(scope: Scope, item: t.Item) -> tuple[OptionValue, ...]:
    patterns = SIMULATE["contact"].patterns
    fitting = fit(item, patterns)
    if not fitting.ok:
        raise scope.fail(
            item,
            "unknown-word",
            "this says nothing of contact",
            f"write {', '.join(patterns)}",
        )
    word = fitting.words[0]
    values: list[OptionValue] = [word]
    for each in fitting.values:
        values += [each.kind, _value(scope, word, each.kind, each.node)]
    return tuple(values)


def _value(scope: Scope, word: str, kind: str, node: t.Expression) -> float:
    if kind == "count":
        count = scope.whole(node, "a number of rounds")
        if not 1 <= count <= MOST_ROUNDS:
            raise scope.fail(
                node, "out-of-range", f"rounds lie from 1 to {MOST_ROUNDS}, not at {count}"
            )
        return float(count)
    value = scope.number(node, kind)
    if kind == "time" and value <= 0.0:
        raise scope.fail(node, "not-positive", f"a time must be greater than 0, not {value:g} s")
    if value < 0.0:
        raise scope.fail(node, "negative", f"{word} must not be negative, as {value:g} is")
    if word == "restitution" and value > 1.0:
        raise scope.fail(
            node,
            "out-of-range",
            f"a coefficient of restitution lies from 0 to 1, not at {value:g}",
        )
    return value


def method_choices(scope: Scope, clause: t.Clause) -> tuple[OptionValue, ...]:
    """Return the method of a clause and the options it is given."""
    node = clause.items[0].parts[0]
    path = node.function if isinstance(node, t.Call) else node
    made = METHODS.get(path.text.lower()) if isinstance(path, t.Path) else None
    if made is None:
        raise scope.fail(node, "unknown-name", "this is no method", f"write {', '.join(METHODS)}")
    given: dict[str, OptionValue] = {}
    slots = {slot.name: slot for slot in made.slots}
    for argument in node.arguments if isinstance(node, t.Call) else ():
        left = (name for name in slots if name not in given)
        name = argument.name or next(left, "")
        if name not in slots:
            raise scope.fail(argument, "unknown-option", f"method '{made.name}' takes no '{name}'")
        given[name] = _setting(scope, name, slots[name].kind, argument.value)
    return (made.name, *given.items())


def _setting(scope: Scope, name: str, kind: str, node: t.Expression) -> OptionValue:
    """Return the value of a method's option."""
    if kind in WORDS:
        word = node.simple.lower() if isinstance(node, t.Path) else ""
        if word not in WORDS[kind]:
            raise scope.fail(node, "unknown-word", f"{name} is one of {', '.join(WORDS[kind])}")
        return word == "yes" if kind == "choice" else word
    value = float(scope.whole(node, name)) if kind == "count" else scope.number(node, kind)
    if value <= 0.0:
        raise scope.fail(node, "not-positive", f"{name} must be greater than 0, not {value:g}")
    if kind == "count" and value > MOST_ITERATIONS:
        raise scope.fail(
            node, "too-large", f"{name} lies from 1 to {MOST_ITERATIONS:,}, not at {value:g}"
        )
    return value
