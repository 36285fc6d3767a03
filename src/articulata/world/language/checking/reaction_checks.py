"""Checking ``on`` clauses: the event they wait for, its condition, and what is done then.

What may stand in a condition is what recordings can be asked for, so that a clause that passes
here means something in every run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from articulata.world.language.checking.kinds import ANY, Value, of_quantity
from articulata.world.language.checking.pair_checks import Pairs
from articulata.world.language.checking.path_checks import Found, some_place
from articulata.world.language.checking.patterns import word_of
from articulata.world.language.checking.scopes import Type
from articulata.world.language.checking.structure_checks import Structure
from articulata.world.language.meant_words import did_you_mean, listed, other_word
from articulata.world.language.syntax import tree
from articulata.world.language.syntax.expressions import EQUALITIES
from articulata.world.language.syntax.grammar import EVENTS
from articulata.world.language.units import typical_unit
from articulata.world.language.vocabulary import (
    CONDITION_FUNCTIONS,
    CONSTANTS,
    EVENT_QUANTITIES,
    SETTABLE,
    WORLD_QUANTITIES,
    measured_kind,
)

_NOTHING: Mapping[str, Value] = {}

CALLS = {"contact": 2, "impact": 2, "separation": 2, "stick": 2, "slip": 2, "settled": 1}
"""Events written as calls, and how many things each is about."""

WORDS = {
    word: ("the hinge", f"{word} p.h1") for word in ("break", "limit", "saturation", "regulation")
}
"""Events written as a word before a hinge: what is due, and an example."""

STRUCK = {word: kind for word, kind in EVENT_QUANTITIES.items() if word not in ("force", "moment")}
"""What may be asked of events that are about no hinge."""

_ASKED = re.compile(
    rf"(?P<event>(?:{'|'.join(CALLS)})\s*\([^()]*\)|(?:{'|'.join(WORDS)})\s+[\w.\[\]]+)\s+(?:and|if|when)\s+"
    rf"(?P<what>(?:{'|'.join(EVENT_QUANTITIES)})\b[^.].*)"
)
"""An event, and after 'and' what is asked of it."""

COMPARISONS = ("<", ">", "<=", ">=")
JOINED = ("and", "or")


class Reactions:
    """Checks the ``on`` clauses of requests."""

    def __init__(
        self, structure: Structure, follow: Callable[[tree.Path, Type | None], Found | None]
    ) -> None:
        self.structure = structure
        self.e = structure.e
        self.findings = structure.findings
        self._follow = follow
        self.added: frozenset[str] = frozenset()
        """Names of the components and hinges that the clauses of this request add."""

    def announce(self, nodes: tuple[tree.On, ...]) -> None:
        """Take note of what the clauses of a request add: anything in it may name that."""
        actions = [action for node in nodes for action in node.actions]
        parts = [each.component for each in actions if isinstance(each, tree.Add)]
        joined = [each.name for each in actions if isinstance(each, tree.Join) and each.name]
        self.added = frozenset((*joined, *(name.name for each in parts for name in each.names)))

    def check(self, nodes: tuple[tree.On, ...], world: Type | None) -> None:
        """Check the clauses of one request, which ``announce`` was told of."""
        for node in nodes:
            self._event(node.event, world)
            names: dict[str, int] = {}
            for action in node.actions:
                self._action(action, world, names)

    # ---- events

    def _event(self, item: tree.Item, world: Type | None) -> None:
        first = item.parts[0]
        asked = _ASKED.match(self.findings.source.text[slice(*item.span)])
        if asked is not None:
            self.e.error(
                "wrong-kind", item, "what is asked of an event stands after 'with'",
                f"write {asked['event']} with {asked['what']}",
            )  # fmt: skip
            return
        if isinstance(first, tree.Call) and (first.function.text not in CONDITION_FUNCTIONS):
            self._call(first, world)
            self._given(item, 1, world, STRUCK)
        elif isinstance(first, tree.Binary | tree.Unary | tree.Call):
            self._condition(first, world)
            self._nothing_after(item, 1)
        elif word_of(first) == "time":
            if len(item.parts) < 2:
                self._lacks(item, "the instant", "time 2 s")
            else:
                self.e.expect(item.parts[1], "time", _NOTHING, "after 'time'")
                self._nothing_after(item, 2)
        elif word_of(first) in WORDS:
            what, form = WORDS[word_of(first)]
            if len(item.parts) < 2:
                self._lacks(item, what, form)
            elif isinstance(item.parts[1], tree.Path):
                self._follow(item.parts[1], world)
                self._given(item, 2, world)
        else:
            name = word_of(first)
            forms = [each.form for each in EVENTS.values()]
            about = [self.e.shown(each) for each in item.parts[1:]
                     if word_of(each) not in ("and", "with", "between", "of", "on")]  # fmt: skip
            form = f"{name}({', '.join(about)})" if name in CALLS and about else ""
            meant = other_word(about[0], tuple(CALLS)) if len(about) > 1 else ""
            form = f"{meant}({name}, {about[1]})" if meant else form
            self.e.error(
                "unknown-word", first, f"{f'{name!r}' if name else 'this'} is not an event",
                f"write {form or EVENTS[name].form}" if form or name in EVENTS
                else did_you_mean(name, tuple(EVENTS), f"write {listed(forms)}"),
            )  # fmt: skip

    def _lacks(self, item: tree.Item, what: str, form: str) -> None:
        end = item.span[1]
        self.findings.error("missing-value", (end, end + 1), f"{what} is missing", f"write {form}")

    def _nothing_after(self, item: tree.Item, place: int) -> None:
        if len(item.parts) > place:
            self.e.error(
                "stray", item.parts[place], "nothing can follow the event here",
                "join conditions by 'and'; write ':' and the action",
            )  # fmt: skip

    def _call(self, node: tree.Call, world: Type | None) -> None:
        name = node.function.text
        if name not in CALLS:
            self.e.error(
                "unknown-word", node.function, f"'{name}' is not an event",
                did_you_mean(name, tuple(CALLS), f"events are {listed(tuple(EVENTS), 'and')}"),
            )  # fmt: skip
            return
        form = EVENTS[name].form.partition(" [")[0]
        first = node.arguments[0].value if node.arguments else None
        if isinstance(first, tree.Binary) and first.operator == "and":
            self.e.error(
                "missing-sign", first, "',' stands between what an event is about, not 'and'",
                f"write ',': {form}",
            )  # fmt: skip
            return
        if len(node.arguments) != CALLS[name]:
            self.e.error(
                "wrong-count", node.function,
                f"'{name}' is about {CALLS[name]}, {len(node.arguments)} are given",
                f"write {form}",
            )  # fmt: skip
        for argument in node.arguments:
            if isinstance(argument.value, tree.Path):
                self._follow(argument.value, world)
            else:
                self.e.error(
                    "wrong-kind", argument, "a component or feature is due here", f"write {form}"
                )

    def _given(
        self,
        item: tree.Item,
        place: int,
        world: Type | None,
        words: Mapping[str, str] = EVENT_QUANTITIES,
    ) -> None:
        """Check what follows an event: nothing, or ``with`` and a condition."""
        if len(item.parts) <= place:
            return
        word = item.parts[place]
        if word_of(word) != "with":
            self._nothing_after(item, place)
        elif len(item.parts) <= place + 1:
            self._lacks(item, "the condition", "with impulse > 3 N*s")
        else:
            condition = item.parts[place + 1]
            self._condition(condition, world, words)
            self._nothing_after(item, place + 2)

    # ---- conditions

    def _condition(
        self,
        node: tree.Expression,
        world: Type | None,
        words: Mapping[str, str] = _NOTHING,  # type: ignore[assignment] # an empty mapping
    ) -> None:
        """Check a condition: comparisons, joined by ``and``, ``or``, ``not``."""
        if isinstance(node, tree.Binary) and node.operator in JOINED:
            self._condition(node.left, world, words)
            self._condition(node.right, world, words)
        elif isinstance(node, tree.Unary) and node.operator == "not":
            self._condition(node.operand, world, words)
        elif isinstance(node, tree.Binary) and node.operator in COMPARISONS:
            self._comparison(node, world, words)
        elif isinstance(node, tree.Binary) and node.operator in EQUALITIES:
            self.e.no_equality(node)
        else:
            path = node if isinstance(node, tree.Path) else None
            if path is None and world is not None and world.hinges:
                path = tree.Path((tree.Part(next(iter(world.hinges))), tree.Part("angle")))
            elif path is None and world is not None and world.components:
                parts = (*some_place(world).split("."), "center")[:2]
                path = tree.Path((*map(tree.Part, parts), tree.Part("y")))
            shown = path.text if path is not None else "p.rod[1].angle"
            if path is node:
                shown = self.findings.source.text[slice(*node.span)]
            names = tuple(re.sub(r"\[.*?\]", "", shown).split("."))
            unit = typical_unit(measured_kind(names, words))
            self.e.error(
                "wrong-kind", node, "a condition compares two values",
                f"write {shown} > {90 if unit == 'deg' else 1} {unit}".rstrip(),
            )  # fmt: skip

    def _comparison(self, node: tree.Binary, world: Type | None, words: Mapping[str, str]) -> None:
        """Check a comparison: numbers and quantities of the world, of one dimension."""
        self.e.measured = lambda path: self._measured(path, world, words)
        try:
            self.e.infer(node, _NOTHING)
        finally:
            self.e.measured = None

    def _measured(
        self, node: tree.Path, world: Type | None, words: Mapping[str, str]
    ) -> Value | None:
        """Return the kind of quantity that a path names, None where it names a value."""
        first = node.parts[0].name
        if node.simple and (first in self.e.lets or (first in CONSTANTS and first not in words)):
            return None
        if first in self.e.library.named and len(node.parts) == 2:
            return None
        if words and node.simple in EVENT_QUANTITIES and node.simple not in words:
            self.e.error(
                "unknown-name", node, f"this event has no '{node.text}'; a hinge that breaks has",
                f"write {listed(tuple(words), 'or')}",
            )  # fmt: skip
            return ANY
        if not self._quantity(node, world, words):
            return ANY
        kind = measured_kind(node.names, words)
        # what slides has a rate of another dimension, which is known where the world is
        return ANY if kind == "rate" and node.simple not in words else of_quantity(kind)

    def _quantity(self, node: tree.Path, world: Type | None, words: Mapping[str, str]) -> bool:
        """Check that a path names a quantity; return whether nothing speaks against it."""
        if node.simple in words or node.simple in WORLD_QUANTITIES or world is None:
            return True
        found = self._follow(node, world)
        if found is None or found.kind == "unknown":
            return found is None
        last = node.parts[-1].name
        if found.kind == "feature":
            self.e.error(
                "wrong-kind", node, f"'{node.text}' is a place, which has three coordinates",
                f"write {node.text}.y, or the one that is meant",
            )  # fmt: skip
        elif found.kind != "quantity":
            self.e.error(
                "wrong-kind", node, f"'{node.text}' is a {found.kind}, not a quantity",
                f"write {node.text}.{'angle' if found.kind == 'hinge' else 'v'}",
            )  # fmt: skip
        elif last in ("orientation", "coordinates", "position"):
            meant = {"orientation": "angle", "coordinates": "angle", "position": "center.y"}[last]
            self.e.error(
                "wrong-kind", node.parts[-1], f"'{last}' is not one number",
                f"write {'.'.join(part.name for part in node.parts[:-1])}.{meant}",
            )  # fmt: skip
        else:
            return True
        return False

    # ---- actions

    def _action(self, node: tree.Action, world: Type | None, names: dict[str, int]) -> None:
        match node:
            case tree.Break() | tree.Remove():
                self._taken(node, world)
            case tree.Set():
                self._set(node, world)
            case tree.Add():
                self._adds(node)
            case tree.Join():
                if world is not None and not self._names_added(node):
                    self.structure.statements((node,), world, _NOTHING, names)
            case tree.Place():
                self._placed(node, world, names)
            case tree.Ignore() | tree.Heed():
                for path in (node.first, node.second):
                    self._follow(path, world)
            case tree.MaterialPair():
                Pairs(self.e, self.findings).pair(node)
            case tree.Start():
                before = node.target.parts[:-1]
                if before:
                    self._follow(tree.Path(before, span=node.target.span), world)
            case tree.Stop():
                pass

    def _names_added(self, node: tree.Join | tree.Place) -> bool:
        ends = (node.first, node.second) if isinstance(node, tree.Join) else (node.target,)
        return any(path.parts[0].name in self.added for path in ends)

    def _taken(self, node: tree.Break | tree.Remove, world: Type | None) -> None:
        found = self._follow(node.target, world)
        held = ("feature", "quantity", "hinge", "force", "moment")
        if isinstance(node, tree.Break) and found and found.kind == "component":
            shown = self.findings.source.text[slice(*node.target.span)]
            self.e.error(
                "wrong-kind", node.target, "only hinges break, and this is none",
                f"name a hinge, or write remove {shown}",
            )  # fmt: skip
        if isinstance(node, tree.Remove) and found and found.kind in held:
            self.e.error(
                "wrong-kind", node.target, f"only components are removed, not a {found.kind}",
                f"write break {node.target.text}"
                if found.kind in ("hinge", "force", "moment") else "name the component",
            )  # fmt: skip

    def _set(self, node: tree.Set, world: Type | None) -> None:
        """Check ``set path = value``: what a body, a hinge or the world lets be set."""
        last = node.target.parts[-1]
        kind = SETTABLE.get(last.name)
        if kind is None:
            if last.name in ("x", "y", "z") and len(node.target.parts) > 1:
                self._component(node)
                return
            placed = last.name in ("center", "origin", "position", "place", "pose", "at")
            body = ".".join(part.name for part in node.target.parts[:-1])
            self.e.error(
                "unknown-name", last, f"'{last.name}' cannot be set during a run",
                f"write place {body} by {body}.center at {self.e.shown(node.value)}"
                if placed and body else did_you_mean(last.name, tuple(SETTABLE)),
            )  # fmt: skip
            return
        owner = node.target.parts[:-1]
        if owner and world is not None:
            self._follow(tree.Path(owner, span=node.target.span), world)
        elif not owner and last.name != "gravity":
            self.e.error(
                "wrong-kind", last, f"'{last.name}' of what is to be set?",
                f"write set ball.{last.name} = ...",
            )  # fmt: skip
        if last.name in ("v", "w"):
            self.e.several_of(node.value, kind, _NOTHING)
        elif kind == "strength":
            self.e.infer(node.value, _NOTHING)
        else:
            self.e.expect(node.value, kind, _NOTHING, f"for '{last.name}'")

    def _component(self, node: tree.Set) -> None:
        """Report ``set gravity.y = -1``, which sets one of three values."""
        whole, axis = node.target.text.rsplit(".", 1)
        same = "0" if whole == "gravity" else f"{whole}.{{}}"
        values = [self.e.shown(node.value) if each == axis else same.format(each) for each in "xyz"]
        self.e.error("unknown-name", node.target.parts[-1], f"'{whole}' is set as a whole",
                     f"write set {whole} = ({', '.join(values)})")  # fmt: skip

    def _adds(self, node: tree.Add) -> None:
        self.structure.component_type(node.component, _NOTHING)
        for clause in node.clauses:
            if isinstance(clause, tree.PlaceAt):
                self.e.expect(clause.at, "point", _NOTHING, "after 'at'")
                self.e.turns(clause.turns, _NOTHING)

    def _placed(self, node: tree.Place, world: Type | None, names: dict[str, int]) -> None:
        if world is not None and not self._names_added(node):
            self.structure.statements((node,), world, _NOTHING, names)
        for clause in node.clauses:
            turned = isinstance(clause, tree.PlaceAt) and clause.turns
            if not isinstance(clause, tree.PlaceAt) or turned:
                self.e.error(
                    "wrong-kind", clause, "during a run a component is placed by one point",
                    "write place A by A.center at (0, 1, 0); set A.v = (0, 0, 0) for its velocity",
                )  # fmt: skip
