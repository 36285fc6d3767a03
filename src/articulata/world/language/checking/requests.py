"""Checking requests: their world and arguments, their clauses, and what is to happen on events."""

from __future__ import annotations

from collections.abc import Mapping

from articulata.world.language.checking.calls import argument_errors
from articulata.world.language.checking.kinds import Value
from articulata.world.language.checking.paths import Found, follow
from articulata.world.language.checking.patterns import Fit, fit, word_of
from articulata.world.language.checking.reactions import Reactions
from articulata.world.language.checking.scopes import Type, joins
from articulata.world.language.checking.structure import Structure
from articulata.world.language.diagnostics import closest, did_you_mean, listed
from articulata.world.language.syntax import tree
from articulata.world.language.syntax.grammar import (
    DEVICES,
    DOMAINS,
    NEEDED,
    REQUESTS,
    ClauseWord,
)
from articulata.world.language.units import QUANTITIES, UNIT_NAMES, UNITS
from articulata.world.language.vocabulary import KINDS, METHODS, WORLD_QUANTITIES

Scope = Mapping[str, Value]

_NOTHING: Scope = {}


class Requests:
    """Checks the requests of one file."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.e = structure.e
        self.findings = structure.findings
        self.library = structure.library
        self.figure: tree.Figure | None = None
        self.reactions = Reactions(structure, self._path)

    def request(self, node: tree.Request) -> None:
        """Check one request."""
        world = self._world(node)
        self.figure = self._figure_of(node)
        self.reactions.announce(node.reactions)
        self._clauses(node, world)
        self.reactions.check(node.reactions, world)

    # ---- the world it is about

    def _world(self, node: tree.Request) -> Type | None:
        """Return the world a request names, after checking the arguments it is given."""
        kind = self._world_named(node.name)
        if kind is not None:
            self._arguments(kind, node.arguments, node.name_span)
            return kind
        if node.kind in ("simulate", "reach"):
            worlds = self.library.world_names()
            guess = closest(node.name, worlds)
            if guess or not self.library.trusting:
                self.findings.error(
                    "unknown-world", node.name_span, f"there is no world '{node.name}'",
                    did_you_mean(node.name, worlds, f"define it: world {node.name} {{ ... }}"),
                )  # fmt: skip
        elif node.arguments:
            self.findings.error(
                "unknown-world", node.name_span,
                f"'{node.name}' is not a world and takes no arguments",
                did_you_mean(node.name, self.library.world_names(), "remove the arguments"),
            )  # fmt: skip
        clause = node.clause("world")
        if clause and clause.items:
            return self._world_of(clause.items[0].parts[0])
        return None

    def _world_named(self, name: str) -> Type | None:
        kind = self.library.type(tree.Path((tree.Part(name),)))
        return kind if kind is not None and kind.kind == "world" else None

    def _arguments(
        self, kind: Type, arguments: tuple[tree.Argument, ...], at: tuple[int, int]
    ) -> None:
        for slot, argument in argument_errors(
            self.findings, kind.signature, arguments, at, f"world '{kind.name}'"
        ):
            self.e.expect(argument.value, slot.kind, _NOTHING, f"for '{slot.name}'")

    def _world_of(self, node: tree.Expression) -> Type | None:
        """Return the world that ``name`` or ``name(arguments)`` means."""
        path = node.function if isinstance(node, tree.Call) else node
        if not isinstance(path, tree.Path):
            return None
        kind = self._world_named(path.text)
        if kind is None:
            worlds = self.library.world_names()
            if closest(path.text, worlds) or not self.library.trusting:
                self.e.error(
                    "unknown-world", path, f"there is no world '{path.text}'",
                    did_you_mean(path.text, worlds, f"define it: world {path.text} {{ ... }}"),
                )  # fmt: skip
            return None
        arguments = node.arguments if isinstance(node, tree.Call) else ()
        self._arguments(kind, arguments, path.span)
        return kind

    # ---- clauses

    def _clauses(self, node: tree.Request, world: Type | None) -> None:
        known = REQUESTS[node.kind]
        seen: dict[str, int] = {}
        for clause in node.clauses:
            if clause.name in seen:
                line, _ = self.findings.source.position(seen[clause.name])
                self.findings.error(
                    "duplicate", clause.name_span,
                    f"'{clause.name}' stands here already, on line {line}",
                    f"put both into one '{clause.name}:'",
                )  # fmt: skip
            seen.setdefault(clause.name, clause.span[0])
            word = known.get(clause.name)
            if word is not None:
                self._items(clause, word, world)
        if node.complete:
            for name in NEEDED[node.kind]:
                if name not in seen:
                    self.findings.error(
                        "missing-clause", node.name_span,
                        f"'{node.kind} {node.name}' lacks '{name}:', {known[name].meaning}",
                        f"add {name}: {_shown(known[name].patterns)}",
                    )  # fmt: skip

    def _items(self, clause: tree.Clause, word: ClauseWord, world: Type | None) -> None:
        if len(clause.items) > 1 and not word.several:
            first, second = clause.items[0], clause.items[1]
            hint = "remove the others"
            if word.patterns[0] in ("<domains>", "<times>"):
                text = self.findings.source.text
                shown = text[first.span[0] : clause.items[-1].span[1]]
                hint = f"write ({shown[:60]})"
            self.findings.error(
                "wrong-count", second.span, f"'{clause.name}:' takes one entry", hint
            )
            return
        for item in clause.items:
            found = fit(item, word.patterns)
            if found.ok and found.words[:1] == ("monitor",) and len(found.values) == 2:
                self._between(found, world)
            elif found.ok:
                for kind, value in found.values:
                    self._value(kind, value, world)
            else:
                self._misfit(item, found, clause, word)

    def _misfit(self, item: tree.Item, found: Fit, clause: tree.Clause, word: ClauseWord) -> None:
        """Report the part of an item that fits no pattern."""
        words = tuple(each for each in found.expected if not each.startswith("<"))
        words = tuple(each for each in words if each != "the end")
        kinds = tuple(each.strip("<>") for each in found.expected if each.startswith("<"))
        forms = _shown(word.patterns if found.reached == 0 else (found.pattern,))
        if found.reached >= len(item.parts):
            end = item.span[1]
            due = " or ".join([f"'{each}'" for each in words] + [_kind(each) for each in kinds])
            self.findings.error(
                "missing-value", (end, end + 1), f"{due} is missing", f"write {forms}"
            )
            return
        part = item.parts[found.reached]
        before = item.parts[found.reached - 1] if found.reached else None
        here = word_of(part)
        if (
            isinstance(before, tree.Number)
            and here
            and not before.unit
            and not closest(here, words)
        ):
            guess = _unit_guess(here)
            if guess:
                self.e.error("unknown-unit", part, f"'{here}' is not a unit", guess)
                return
        if here and words:
            self.e.error(
                "unknown-word", part, f"'{here}' is not known in '{clause.name}:'",
                did_you_mean(here, words, f"write {forms}"),
            )  # fmt: skip
            return
        if isinstance(part, tree.Call) and words:
            name = part.function.text
            self.e.error(
                "unknown-word", part, f"'{name}(...)' is not known in '{clause.name}:'",
                did_you_mean(name, words, f"write {forms}"),
            )  # fmt: skip
            return
        if found.expected == ("the end",):
            self.e.error(
                "stray", part, f"nothing can follow here in '{clause.name}:'", "put ',' before it"
            )
            return
        due = " or ".join([f"'{each}'" for each in words] + [_kind(each) for each in kinds])
        at = item if len(item.parts) == 1 else part
        self.e.error("wrong-kind", at, f"{due or 'nothing'} is due here", f"write {forms}")

    def _value(self, kind: str, node: tree.Expression, world: Type | None) -> None:
        """Check one value of an item."""
        if kind in QUANTITIES or kind in ("point", "direction"):
            if kind == "point" and isinstance(node, tree.Path):
                self._path(node, world)
                return
            self.e.expect(node, kind, _NOTHING)
        elif kind == "times":
            self._times(node)
        elif kind == "domains":
            self._domains(node)
        elif kind == "method":
            self._method(node)
        elif kind == "path" and isinstance(node, tree.Path):
            self._path(node, world)
        elif kind == "device":
            self._device(node)
        elif kind == "figure" and isinstance(node, tree.Path):
            self._figure(node, world)
        elif kind == "joint":
            self._joint(node, self.figure)

    def _between(self, found: Fit, world: Type | None) -> None:
        """Check two ends of a measure: points of a distance, bodies that press on each other."""
        word = found.words[1]
        for _, value in found.values:
            assert isinstance(value, tree.Path)
            end = self._path(value, world)
            if end is None or end.kind == "unknown":
                continue
            if word == "to" and end.kind != "feature":
                self.e.error(
                    "wrong-kind", value, f"'{value.text}' is a {end.kind}, not a point",
                    "name features: monitor a.center to b.center",
                )  # fmt: skip
            elif word != "to" and end.kind != "component":
                self.e.error(
                    "wrong-kind", value, f"'{value.text}' is a {end.kind}, not a body",
                    f"name bodies: monitor ball {word} floor",
                )  # fmt: skip

    def _times(self, node: tree.Expression) -> None:
        assert isinstance(node, tree.Tuple)
        if not self.e.several(node, ("time", "time"), _NOTHING, "in 'time:'", "(step, end)"):
            return
        if len(node.items) != 2:
            return
        for item in node.items:
            if isinstance(item, tree.Number) and item.value <= 0:
                self.e.error(
                    "wrong-kind", item, "a step and an end are longer than nothing",
                    "write (0.05 s, 60 s)",
                )  # fmt: skip
            elif isinstance(item, tree.Unary) and item.operator == "-":
                self.e.error("wrong-kind", item, "time does not run backwards", "remove '-'")

    def _domains(self, node: tree.Expression) -> None:
        items = node.items if isinstance(node, tree.Tuple) else (node,)
        for item in items:
            name = word_of(item)
            if name in DOMAINS:
                continue
            guess = closest(name, DOMAINS)
            if guess or not name:
                self.e.error(
                    "unknown-name", item, f"there is no domain '{name or 'like this'}'",
                    f"did you mean '{guess}'?" if guess else f"domains are {', '.join(DOMAINS)}",
                )  # fmt: skip

    def _method(self, node: tree.Expression) -> None:
        path = node.function if isinstance(node, tree.Call) else node
        name = word_of(path)
        made = METHODS.get(name.lower())
        if made is not None:
            arguments = node.arguments if isinstance(node, tree.Call) else ()
            for slot, argument in argument_errors(
                self.findings, made, arguments, path.span, f"method '{made.name}'"
            ):
                self.e.expect(argument.value, slot.kind, _NOTHING, f"for '{slot.name}'")
        else:
            self.e.error(
                "unknown-name", path, f"there is no method '{name or 'like this'}'",
                did_you_mean(name, [each.upper() for each in METHODS])
                if name.isupper() else did_you_mean(name, tuple(METHODS)),
            )  # fmt: skip

    def _device(self, node: tree.Expression) -> None:
        name = word_of(node)
        if name not in DEVICES:
            self.e.error(
                "unknown-name", node, f"there is no device '{name or 'like this'}'",
                did_you_mean(name, DEVICES),
            )  # fmt: skip

    def _figure(self, node: tree.Path, world: Type | None) -> None:
        """Check a figure's name as far as it is known: figures of a library are not."""
        if world is not None and node.simple in world.components:
            return
        if self.library.type(node) is not None or self.library.trusts(node):
            return
        figures = [n for n, each in self.library.own.items() if isinstance(each, tree.Figure)]
        figures += world.components if world is not None else ()
        guess = closest(node.text, figures)
        if guess:
            self.e.error(
                "unknown-name", node, f"there is no figure '{node.text}'",
                f"did you mean '{guess}'?",
            )  # fmt: skip

    def _joint(self, node: tree.Expression, figure: tree.Figure | None) -> None:
        """Check the name of a part of the body where it resembles one that the figure has.

        Others may be names that every body has, such as those of stations.
        """
        if figure is None or not figure.complete:
            return
        name = node.value if isinstance(node, tree.Text) else word_of(node)
        parts = [part.name for each in figure.components for part in each.names]
        places = [each.path.text for each in (*figure.landmarks, *figure.sensors)]
        hinges = [each.name for each in joins(figure.structure) if each.name]
        known = (*(each.name for each in figure.chains), *places, *parts, *hinges)
        guess = closest(name, known) if name and name not in known else ""
        if guess:
            self.e.error(
                "unknown-name", node, f"figure '{figure.name}' has no part '{name}'",
                f"did you mean '{guess}'?",
            )  # fmt: skip

    def _figure_of(self, node: tree.Request) -> tree.Figure | None:
        """Return the figure a request is about when it stands in this file."""
        clause = node.clause("figure")
        name = word_of(clause.items[0].parts[0]) if clause and clause.items else ""
        found = self.library.own.get(name)
        return found if isinstance(found, tree.Figure) else None

    def _path(self, node: tree.Path, world: Type | None) -> Found | None:
        """Return what a path leads to; None where nothing is known of it."""
        if world is None or (node.simple and node.simple in WORLD_QUANTITIES):
            return None
        if node.parts[0].name in self.reactions.added:
            return None
        return follow(self.findings, node, world, quantities=True)


_EXAMPLES = {
    "<times>": "(0.05 s, 60 s)", "<domains>": "(geometric, dynamic)", "<time>": "20 ms",
    "<length>": "5 cm", "<count>": "6", "<number>": "2", "<path>": "p.rod.top",
    "<text>": '"file"', "<method>": "rk4", "<world>": "kitchen(1)", "<figure>": "jack",
    "<device>": "emulator", "<name>": "name", "<joint>": '"right hand"',
    "<point>": "(0, 1 m, 0)", "<direction>": "x",
}  # fmt: skip


def _shown(patterns: tuple[str, ...]) -> str:
    """Return patterns as a user would write them."""
    text = listed(patterns)
    for kind, example in _EXAMPLES.items():
        text = text.replace(kind, example)
    return text


def _kind(kind: str) -> str:
    if kind in KINDS:
        return KINDS[kind]
    words = {
        "times": "a step and an end", "domains": "a list of domains", "path": "a path",
        "name": "a name", "device": "a device", "joint": "a part of the body",
        "figure": "a figure", "world": "a world", "method": "a method", "count": "a whole number",
    }  # fmt: skip
    return words.get(kind, f"a {kind}")


def _unit_guess(word: str) -> str:
    guess = closest(word, (*UNITS, *UNIT_NAMES))
    return f"did you mean '{UNIT_NAMES.get(guess, guess)}'?" if guess else ""
