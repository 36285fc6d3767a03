"""Requests of a text: clauses with SI values, rules with their actions as data."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from types import MappingProxyType

from articulata.world.language.diagnostics import Abandon, span_of
from articulata.world.language.elaboration.evaluate import Scope
from articulata.world.language.elaboration.event_rules import rule_of
from articulata.world.language.elaboration.expression_data import Made
from articulata.world.language.elaboration.request_values import (
    Settle,
    Taken,
    check_steps,
    fields_of,
    question_of,
    world_asked,
)
from articulata.world.language.syntax import tree as t
from articulata.world.requests.request import Request, Rule

_STEPS = ("step", "every", "settle", "quiet", "steps")
"""Words before what must not go too often into the whole."""


def request_of(
    scope: Scope,
    item: t.Request,
    arguments: tuple[float, ...],
    made: Made = lambda: None,
    components: Collection[str] = (),
    taken: Taken = lambda path: (),
    settle: Settle | None = None,
) -> Request:
    """Return a request; what is wrong in one clause does not hide the next.

    ``made`` gives the world that it is about; it is asked only where a condition needs to know.
    ``components`` are the names of what stands in that world, ``taken`` tells what a figure takes,
    ``settle`` what the world's parameters are given.
    """
    rules: list[Rule] = []
    for reaction in item.reactions:
        with suppress(Abandon):
            rules.append(rule_of(scope, reaction, made))
    if item.kind != "simulate":
        fields = fields_of(scope, item, made, components, taken, settle)
        return Request(
            item.kind,  # type: ignore[arg-type] # one of the parser's six words
            world_asked(item)[0],
            arguments,
            rules=tuple(rules),
            span=span_of(scope.source, item.span),
            name=item.name,
            question=question_of(scope, item, fields),
        )
    fields = fields_of(scope, item)
    step, until = fields.pop("times", (None, None))
    for clause in filter(None, map(item.clause, ("method", "contact"))):
        said = fields.get(clause.name, ())
        choices = (said,) if clause.name == "method" else said
        steps = [value for each in choices for word, value in each[1:] if word in _STEPS]
        if steps and until is not None:
            with suppress(Abandon):
                check_steps(scope, clause.items[0], until, steps[0])
    return Request(
        "simulate",
        item.name,
        arguments,
        step,
        until,
        fields.get("method", (None,))[0],
        fields.pop("domains", None),
        fields.pop("reports", ()),
        tuple(rules),
        MappingProxyType(fields),
        span_of(scope.source, item.span),
        name=item.name,
    )
