"""The requests of a file: their worlds, arguments, clauses and rules as values in SI."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import Protocol

from articulata.world.figures.shelf import shelf
from articulata.world.language.checking.patterns import word_of
from articulata.world.language.checking.requested_figures import shelved
from articulata.world.language.diagnostics import Abandon, Notes, span_of
from articulata.world.language.elaboration.arguments import measured, settled
from articulata.world.language.elaboration.evaluate import Quantity, Scope
from articulata.world.language.elaboration.event_rules import made_by, unmeasured, unread
from articulata.world.language.elaboration.modules import Module
from articulata.world.language.elaboration.request_values import world_asked
from articulata.world.language.elaboration.requesting import request_of
from articulata.world.language.source import Span
from articulata.world.language.syntax import tree as t
from articulata.world.language.units import NONE, Dimension, symbol
from articulata.world.model import World
from articulata.world.requests.request import Request, Rule
from articulata.world.requests.vary import Amount, VaryQuestion
from articulata.world.unfolding import Arguments, unfolded
from articulata.world.unlikely_bodies import Doubt, out_of_scale, still, tipped, written_number


class Elaborate(Protocol):
    """Makes a world of its definition and arguments."""

    def __call__(self, item: t.World, arguments: Arguments, notes: Notes) -> World | None:
        """Return the world; what is wrong is noted."""
        ...


@dataclass(frozen=True, slots=True)
class RequestReader:
    """Reads the requests of ``module``; ``elaborate`` makes its worlds."""

    module: Module
    elaborate: Elaborate
    worlds: dict[tuple[str, tuple[float, ...]], World | None] = field(default_factory=dict)
    """Worlds that requests have asked for, by name and arguments."""

    def arguments(self, name: str, given: Sequence[t.Argument], scope: Scope) -> tuple[float, ...]:
        """Return written arguments of a world in SI, each as the quantity it uses it as."""
        return tuple(each.value for each in self._measured(name, given, scope).values())

    def _measured(
        self, name: str, given: Sequence[t.Argument], scope: Scope
    ) -> dict[str, Quantity]:
        """Return written arguments of a world by their parameters, with their dimensions."""
        found = self.module.own_world(name)
        assert found is not None
        kinds = partial(self.kinds, name, scope)
        names = [each.name for each in found[0].parameters]
        return dict(zip(names, measured(scope, found[0], given, kinds), strict=False))

    def kinds(self, name: str, scope: Scope, values: Sequence[float]) -> Mapping[int, Dimension]:
        """Return the dimensions of a world's arguments (SI) by their numbers, as its text has them.

        A bare parameter has the dimension of what it is used for.
        """
        found = self.module.own_world(name)
        assert found is not None
        return settled(scope, found[0], unfolded(found[1], found[0], values, Notes(), {})[1])

    def request(self, item: t.Request, notes: Notes) -> Request:
        """Return a request with its world's arguments and its rules."""
        arguments = self._given(item, notes)
        made = self._read(item, arguments, cache(partial(self._world, item, arguments)), notes)
        return replace(made, rules=self._rules(made, item, notes))

    def check(self, item: t.Request, world: World | None, notes: Notes, right: bool) -> None:
        """Note what is wrong with a request about ``world``; ``right``: nothing else is so far."""
        made = self._read(
            item,
            (),
            (lambda: world)
            if item.kind == "simulate"
            else cache(partial(self._world, item, self._given(item, Notes()))),
            notes,
        )
        if item.kind == "simulate" and right and not notes.errors:
            self._rules(replace(made, arguments=self._given(item, Notes())), item, notes)
            if world is not None:
                unmeasured(self.module.scope(notes), made.reports, item.clause("report"), world)
                unread(self.module.scope(notes), made.rules, item.reactions, world)
                if made.domains is None or "dynamic" in made.domains:
                    for each in still(world, self.module.definitions):
                        self.warn(each, "still", each.type.name_span, notes)

    def doubt(self, world: World, notes: Notes) -> None:
        """Warn of bodies longer than any sense, at the number, and of joins that tip a body."""
        source, told = self.module.source, {hinge.span: words for hinge, *words in tipped(world)}
        for item in t.walk(self.module.file) if told else ():
            if isinstance(item, t.Join) and (words := told.get(span_of(source, item.span))):
                notes.add(source, item.span, "tipped", words[0], words[1], "warning")
        for each in out_of_scale(world, self.module.definitions):
            said = written_number(self.module.file, each.length, self.module.scales.length)
            self.warn(
                each, "out-of-scale", each.type.name_span if said is None else said.span, notes
            )

    def warn(self, doubt: Doubt, code: str, span: Span, notes: Notes) -> None:
        """Note what is doubtful of the bodies of a type."""
        notes.add(self.module.source, span, code, doubt.message, doubt.advice, "warning")

    def _read(
        self,
        item: t.Request,
        arguments: tuple[float, ...],
        made: Callable[[], World | None],
        notes: Notes,
    ) -> Request:
        world = self._own(world_asked(item)[0])
        names = [name.name for each in world.components for name in each.names] if world else ()
        scope, settle = self.module.scope(notes), None
        if item.kind == "vary":
            settle = partial(self._settled, item, scope)
        request = request_of(scope, item, arguments, made, names, self._taken, settle)
        if isinstance(request.question, VaryQuestion):
            given = (self.module.source.text[slice(*each.span)] for each in item.arguments)
            asked = replace(request.question, given=", ".join(given))
            request = replace(request, question=asked)
        # a pose or a film may be about no world: what stands after the word is its own name then
        own = world is None and item.clause("world") is None and item.kind in ("pose", "film")
        return replace(request, world="") if own or item.kind == "track" else request

    def _settled(self, item: t.Request, scope: Scope, name: str, node: t.Expression) -> Amount:
        """Return a value that a request gives a parameter of its world, in SI with its unit."""
        if self.module.own_world(item.name) is None:  # which is told of the request
            raise Abandon
        others = (each for each in _with_first_values(item) if each.name != name)
        own = t.Argument(name, node, span=node.span)
        notes = Notes()
        values = self._measured(item.name, [*others, own], self.module.scope(notes))
        if name in values:
            return Amount(values[name].value, symbol(values[name].dimension or NONE))
        for wrong in notes.items:
            scope.fail(node, wrong.code, wrong.message, wrong.suggestion)
        raise Abandon

    def _taken(self, path: t.Path) -> tuple[t.Parameter, ...]:
        """Return what a figure takes that a request names, of the text or of the library."""
        found = self.module.definition(path, {})
        if found is not None:
            return found.definition.parameters
        kind = shelved(path.simple)[1] if path.simple in shelf() else None
        return () if kind is None else kind.library.own[kind.name].parameters

    def _own(self, name: str) -> t.World | None:
        found = self.module.own_world(name)
        return None if found is None else found[0]

    def _given(self, item: t.Request, notes: Notes) -> tuple[float, ...]:
        """Return the arguments of a request's world in SI where they can be understood."""
        name, arguments = world_asked(item)
        if item.kind == "vary":
            arguments = _with_first_values(item)
        if not arguments or self._own(name) is None:
            return ()
        return self.arguments(name, arguments, self.module.scope(notes))

    def _world(self, item: t.Request, arguments: tuple[float, ...]) -> World | None:
        """Return the world of a request; what is wrong with it is found elsewhere."""
        name = world_asked(item)[0]
        world = self._own(name)
        if (name, arguments) not in self.worlds and world is not None:
            self.worlds[name, arguments] = self.elaborate(world, arguments, Notes())
        return self.worlds.get((name, arguments))

    def _rules(self, made: Request, item: t.Request, notes: Notes) -> tuple[Rule, ...]:
        """Return the clauses of a request with what their joins and adds make."""
        world = self._own(item.name)
        if world is None or len(made.rules) != len(item.reactions):
            return made.rules

        def elaborate(other: t.World) -> World | None:
            return self.elaborate(other, made.arguments, notes)

        rules: list[Rule] = []
        for rule, reaction in zip(made.rules, item.reactions, strict=True):
            with suppress(Abandon):
                rules.append(made_by(rule, reaction, world, elaborate))
        return tuple(rules)


def _with_first_values(item: t.Request) -> tuple[t.Argument, ...]:
    """Return the arguments of a request's world with the first value of each that it varies."""
    clause = item.clause("parameters")
    given = {each.name for each in item.arguments}
    first = []
    for entry in () if clause is None else clause.items:
        node = entry.parts[2] if len(entry.parts) > 2 else None
        value = node.items[0] if isinstance(node, t.Tuple) and node.items else node
        name = word_of(entry.parts[0])
        if value is not None and name not in given and not isinstance(value, t.Tuple):
            first.append(t.Argument(name, value, span=value.span))
    return (*item.arguments, *first)
