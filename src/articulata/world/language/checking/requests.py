"""Checking requests: their world and arguments, their clauses, and what is to happen on events."""

from __future__ import annotations

import re
from collections.abc import Mapping

from articulata.world.figures.shelf import import_of
from articulata.world.language.checking.clause_values import meant_value, said_for_a_value, takes
from articulata.world.language.checking.item_values import ItemValues
from articulata.world.language.checking.kinds import Value
from articulata.world.language.checking.path_checks import Found, check_indices, follow
from articulata.world.language.checking.patterns import (
    ITEM_KINDS,
    Fit,
    begun,
    called,
    first_word,
    fit,
    kind_words,
    one_change,
    shortest,
    suits_all,
    takes_more,
    unit_guess,
    word_of,
)
from articulata.world.language.checking.patterns import Value as PatternValue
from articulata.world.language.checking.reaction_checks import Reactions
from articulata.world.language.checking.requested_figures import figure_type, people_of, upright
from articulata.world.language.checking.scopes import Type
from articulata.world.language.checking.structure_checks import Structure
from articulata.world.language.meant_words import (
    closest,
    did_you_mean,
    in_one_word,
    listed,
    other_word,
)
from articulata.world.language.syntax import tree
from articulata.world.language.syntax.grammar import COMMANDS, ENTRIES, REQUESTS
from articulata.world.language.units import QUANTITIES
from articulata.world.language.vocabulary import WORLD_QUANTITIES
from articulata.world.requests.clauses import Clause

Scope = Mapping[str, Value]

_NOTHING: Scope = {}


class Requests:
    """Checks the requests of one file."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.e = structure.e
        self.findings = structure.findings
        self.library = structure.library
        self.reactions = Reactions(structure, self._path)
        self.values = ItemValues(structure, self._path)
        self._missing: set[str] = set()

    def request(self, node: tree.Request) -> None:
        """Check one request."""
        world = self._world(node)
        self.values.question = node.kind
        self.values.figure = self._figure_of(node, world)
        self.values.people = people_of(node, world)
        self.values.trusting = world is None and (
            node.kind == "reach" or node.clause("world") is not None
        )
        self.values.worldless = node.kind in ("pose", "film") and world is None and (
            node.complete and node.clause("world") is None
        )  # fmt: skip
        self.reactions.announce(node.reactions)
        self._clauses(node, world)
        self.reactions.check(node.reactions, world)

    # ---- the world it is about

    def _world(self, node: tree.Request) -> Type | None:
        """Return the world a request names, after checking the arguments it is given."""
        kind = self._world_named(node.name)
        if kind is not None:
            self._arguments(self.values.lacking(kind, node), node.arguments, node.name_span)
            return kind
        if node.kind in ("simulate", "vary", "reach"):
            self._no_world(node.name, node.name_span)
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

    def _no_world(self, name: str, at: tuple[int, int]) -> None:
        """Report a world that there is not, once in a file."""
        worlds = self.library.world_names()
        if name in self._missing or (self.library.trusting and not closest(name, worlds)):
            return
        self._missing.add(name)
        known = f"name {listed(worlds, most=4)}, or " if worlds else ""
        known += f"import the file that defines it, or write world {name} {{ ... }}"
        kind = self.library.type(tree.Path((tree.Part(name),)))
        told = f"'{name}' is a {kind.kind}, no world" if kind else f"there is no world '{name}'"
        known = f"write world w {{ components {{ it: {name} }} }}, and w here" if kind else known
        kinds = [each for world in worlds if (each := self._world_named(world))]
        held = [each.name for each in kinds if name in {*each.components, *each.by_type}]
        if held or (kind and worlds):
            known = f"write {listed(held or worlds, most=4)}"
        known = known if held or kind else did_you_mean(name, worlds, known)
        advice = import_of(name, world=True) or known
        self.findings.error("unknown-world", at, told, advice)

    def _world_named(self, name: str) -> Type | None:
        kind = self.library.type(tree.Path((tree.Part(name),)))
        return kind if kind is not None and kind.kind == "world" else None

    def _arguments(
        self, kind: Type, arguments: tuple[tree.Argument, ...], at: tuple[int, int]
    ) -> None:
        self.e.arguments(kind.signature, arguments, at, f"world '{kind.name}'", _NOTHING)

    def _world_of(self, node: tree.Expression) -> Type | None:
        """Return the world that ``name`` or ``name(arguments)`` means."""
        path = node.function if isinstance(node, tree.Call) else node
        if not isinstance(path, tree.Path):
            return None
        kind = self._world_named(path.text)
        if kind is None:
            self._no_world(path.text, path.span)
            return None
        arguments = node.arguments if isinstance(node, tree.Call) else ()
        self._arguments(kind, arguments, path.span)
        return kind

    # ---- clauses

    def _clauses(self, node: tree.Request, world: Type | None) -> None:
        known = REQUESTS[node.kind]
        seen: dict[str, int] = {}
        for clause in node.clauses:
            word = known.get(clause.name)
            once = word is not None and not word.several
            meant = other_word(clause.name, known.keys() - seen.keys()) if once else ""
            self.findings.once(
                seen, clause.name, clause.name_span, "'{}' stands here",
                f"write {meant}: instead, or remove one of them" if meant
                else "remove one of them" if once else f"put both into one '{clause.name}:'",
            )  # fmt: skip
            if word is not None:
                self._items(clause, word, world, known)
            else:
                self._other_clause(clause, node, world)
        if node.complete:
            doubtful = self.findings.doubtful
            there = {*seen, *doubtful, *(other_word(each, known) for each in doubtful)}
            for name, word in known.items():
                if word.needed and name not in there:
                    self.findings.error(
                        "missing-clause", node.name_span,
                        f"'{node.kind} {node.name}' lacks '{name}:', {word.meaning}",
                        "add " + meant_value(name, word, "", self.values.form(
                            (shortest(word.patterns),), "", world)).removeprefix("write "),
                    )  # fmt: skip

    def _other_clause(self, clause: tree.Clause, node: tree.Request, world: Type | None) -> None:
        """Tell which clause was meant where the entries of an unknown one fit no other."""
        known = REQUESTS[node.kind]
        if clause.name in (*ENTRIES, "on") or other_word(clause.name, known):
            return

        def suits(word: Clause) -> bool:
            fits = [fit(each, word.patterns) for each in clause.items]
            return (word.several or len(fits) == 1) and all(
                suits_all(found) and all(self._could_be(each, world) for each in found.values)
                for found in fits
            )

        meant = [name for name, word in known.items() if node.clause(name) is None and suits(word)]
        if len(meant) == 1:
            told = f"'{node.kind}' has no clause '{clause.name}'"
            self.findings.instead(
                "unknown-section", clause.name_span, told, f"did you mean '{meant[0]}'?"
            )

    def _could_be(self, value: PatternValue, world: Type | None) -> bool:
        """Say whether a value may be one of its kind, as far as names are known."""
        text = self.findings.source.text[slice(*value.node.span)]
        shown = word_of(value.node) or text.partition("(")[0].strip('" ')
        if value.kind in QUANTITIES and word_of(value.node):
            return shown in self.e.lets
        return not shown or self.values.known(value.kind, shown, world) is not False

    def _items(
        self, clause: tree.Clause, word: Clause, world: Type | None, known: Mapping[str, Clause]
    ) -> None:
        said = said_for_a_value(clause, word)
        if said is not None and not (said and self.values.names(said, word.patterns, world)):
            at = clause.items[0].span if said else (clause.span[1], clause.span[1] + 1)
            told = f"'{clause.name}:' takes {takes(word)}{f', not {said}' if said else ''}"
            example = self.values.form((shortest(word.patterns),), "", world)
            advice = meant_value(clause.name, word, said, example)
            self.findings.error("wrong-kind" if said else "missing-value", at, told, advice)
            return
        if len(clause.items) > 1 and not word.several:
            second, text = clause.items[1], self.findings.source.text
            entry = text[clause.items[0].span[0] : clause.items[-1].span[1]]
            meant = dict(word.together).get(entry) or self.values.form(word.patterns, entry, world)
            hint = f"write one, such as {meant}"
            if word.patterns[0] in ("<domains>", "<times>"):
                hint = f"write ({re.sub('[a-z_]+ *[:=]? *(?=[0-9])', '', entry)[:60]})"
            self.findings.error(
                "wrong-count", second.span, f"'{clause.name}:' takes one entry", hint
            )
            return
        fits = [fit(item, word.patterns) for item in clause.items]
        for item, found in zip(clause.items, fits, strict=True):
            if self.values.file(item, word.patterns):
                continue
            if found.ok and self._swapped(item, found, world):
                continue
            if found.ok and found.words[:1] == ("monitor",) and len(found.values) == 2:
                self.values.between(found, world)
            elif found.ok:
                for each in found.values:
                    self.values.check(each.kind, each.node, world)
                if clause.name == "limits":
                    self.values.limits(found, world)
            elif shown := self.values.quoted(self.e.shown(item), word.patterns):
                told = "a name with blanks stands between double quotes"
                self.e.error("missing-sign", item, told, f"write {shown}")
            elif shown := self.values.joined(self.e.shown(item), word.patterns):
                self.e.error("missing-name", item, "a name is one word", f"write {shown}")
            elif not self._elsewhere(item, clause, word, known):
                shown = self._forms(item, clause, fits, word, world)
                self._misfit(item, found, clause, word, shown, world)

    def _forms(
        self, item: tree.Item, clause: tree.Clause, fits: list[Fit], word: Clause,
        world: Type | None,
    ) -> str:  # fmt: skip
        """Return what an item may have meant, with the words of those beside it that fit none."""
        text = self.findings.source.text
        others = [text[slice(*each.span)] for each, found in zip(clause.items, fits, strict=True)
                  if each is item or not found.ok]  # fmt: skip
        entry = text[slice(*item.span)]
        return self.values.form(word.patterns, entry, world, " ".join(others))

    def _swapped(self, item: tree.Item, found: Fit, world: Type | None) -> bool:
        """Report two names of which each is known where the other stands; say if so."""
        text = self.findings.source.text
        for each in found.values:
            for other in found.values:
                one, two = (text[slice(*v.node.span)] for v in (each, other))
                here = self.values.known(each.kind, one.strip('"'), world)
                there = self.values.known(each.kind, two.strip('"'), world)
                if here is not False or not there:
                    continue
                if self.values.known(other.kind, one.strip('"'), world) is False:
                    continue
                spans = {v.node.span: shown for v, shown in ((each, two), (other, one))}
                shown, at = "", item.span[0]
                for span in sorted(spans):
                    shown, at = f"{shown}{text[at : span[0]]}{spans[span]}", span[1]
                self.e.error(
                    "wrong-order", each.node, f"'{one}' and '{two}' stand the other way round",
                    f"write {shown}{text[at : item.span[1]]}",
                )  # fmt: skip
                return True
        return False

    def _misfit(
        self, item: tree.Item, found: Fit, clause: tree.Clause, word: Clause, forms: str,
        world: Type | None,
    ) -> None:  # fmt: skip
        """Report the part of an item that fits no pattern, by the first cause that explains it."""
        words = tuple(each for each in found.expected if each[0] != "<" and each != "the end")
        kinds = tuple(each.strip("<>") for each in found.expected if each.startswith("<"))
        due = " or ".join([f"'{each}'" for each in words] + [kind_words(each) for each in kinds])
        if found.reached >= len(item.parts):
            end = item.span[1]
            sums = item.parts[-1]
            if words and isinstance(sums, tree.Binary) and sums.operator in "+*":
                shown = self.findings.source.text[slice(*sums.span)]
                shown = re.sub(r"(\w+)\s*\*\s*([\d.]+)", r"\2*\1", shown)
                shown = re.sub(r"\s*\*\s*", " ", re.sub(r"\s*\+\s*", ", ", shown))
                self.e.error("stray", sums, "entries stand side by side, without such signs",
                             f"write {shown}")  # fmt: skip
                return
            if not self.e.decimal((sums.span[0], end + 9)):
                told = f"{due} is missing"
                self.findings.error("missing-value", (end, end + 1), told, f"write {forms}")
            return
        part, entry = item.parts[found.reached], self.findings.source.text[slice(*item.span)]
        if whole := in_one_word(entry, words):
            self.e.error("unknown-word", item, "a word of several stands in one", f"write {whole}")
            return
        if (
            (isinstance(part, tree.Number) and self.e.decimal((clause.span[0], item.span[1])))
            or self._no_unit(item, found, words)
            or (isinstance(part, tree.Text) and self.findings.source.text[part.span[0]] != '"')
            or self._sign_missing(item, found, word, words, world)
            or self._said_twice(item, found, clause, words)
            or self._once_changed(item, clause, word, words, world)
            or self._unknown_word(part, clause, words, forms)
        ):
            return
        if found.expected == ("the end",):
            self._beyond(item, found, clause, world)
            return
        if isinstance(part, tree.Text) and words and set(part.value.split(", ")) <= set(words):
            forms = part.value
        if "count" in kinds and found.reached == 0:  # each entry has a number in front
            number = clause.items.index(item) + 1
            counted = tree.Item((tree.Number(float(number)), *item.parts), span=item.span)
            if fit(counted, word.patterns).ok:
                forms = f"{number} {entry}"
        at = part if item.parts[1:] else item
        self.e.error("wrong-kind", at, f"{due or 'nothing'} is due here", f"write {forms}")

    def _beyond(self, item: tree.Item, found: Fit, clause: tree.Clause, world: Type | None) -> None:
        """Report what stands behind all that an item may say."""
        part, entry = item.parts[found.reached], self.e.shown(item)
        told = self.findings.count
        for each in found.values:
            if word_of(each.node) and not self._could_be(each, world):
                self.values.check(each.kind, each.node, world)
        if self.findings.count > told:
            return
        said = word_of(found.values[0].node) if found.values else ""
        if said and (meant := self.values.of_others(found.values[0].kind, said, entry)):
            self.e.error("unknown-word", item, f"'{said}' is not known here", f"write {meant}")
            return
        text, (start, end) = self.findings.source.text, item.span
        word = REQUESTS[self.values.question][clause.name]
        apart = word.several and takes_more(item, found, word.patterns, lambda each: True)
        rest, before = text[part.span[0] : end], text[start : part.span[0]].rstrip()
        meant = called(found, rest, before) or ("" if apart else before)
        advice = f"write {meant}" if meant else "put ',' before it"
        self.e.error("stray", part, f"nothing can follow here in '{clause.name}:'", advice)

    def _no_unit(self, item: tree.Item, found: Fit, words: tuple[str, ...]) -> bool:
        """Report a word behind a number that is no unit; return whether it is one."""
        part = item.parts[found.reached]
        before = item.parts[found.reached - 1] if found.reached else None
        here = word_of(part)
        if not isinstance(before, tree.Number) or before.unit or not here or closest(here, words):
            return False
        kind = found.values[-1].kind if found.values else ""
        guess = unit_guess(here, kind)
        if not guess and found.expected == ("the end",):
            bare = kind in ("number", "count")
            example = ITEM_KINDS[kind].example if kind in ITEM_KINDS else "2 s"
            guess = "remove it" if bare else f"write a unit, as in {example}"
        if guess:
            self.e.error("unknown-unit", part, f"'{here}' is not a unit", guess)
        return bool(guess)

    def _sign_missing(
        self, item: tree.Item, found: Fit, word: Clause, words: tuple[str, ...],
        world: Type | None,
    ) -> bool:  # fmt: skip
        """Report a comma that is missing before another entry; return whether it is."""
        part = item.parts[found.reached]
        before = item.parts[found.reached - 1] if found.reached else None
        here = word_of(part)
        if before is None or not word.several or closest(here, words):
            return False
        if not takes_more(item, found, word.patterns, lambda each: self._could_be(each, world)):
            return False
        end = before.span[1]
        both = f', or write "{word_of(before)} {here}" for one name'
        self.findings.error(
            "missing-sign", (end, end + 1), f"',' is missing before '{here or 'what follows'}'",
            "add ',' here" + (both if here and word_of(before) else ""),
        )  # fmt: skip
        return True

    def _said_twice(
        self, item: tree.Item, found: Fit, clause: tree.Clause, words: tuple[str, ...]
    ) -> bool:
        """Report a word that stands before as well; return whether it does."""
        part = item.parts[found.reached]
        here = word_of(part)
        if not here or not words or here not in map(word_of, item.parts[: found.reached]):
            return False
        self.e.error(
            "duplicate", part, f"'{here}' is said twice in '{clause.name}:'", "remove one of them"
        )
        return True

    def _elsewhere(
        self, item: tree.Item, clause: tree.Clause, word: Clause, known: Mapping[str, Clause]
    ) -> bool:
        """Report an item that another clause takes by its first word; return whether one does."""
        here = next(filter(None, map(word_of, item.parts)), "")
        if any(here in each.split() for each in word.patterns):
            return False
        for name, other in known.items():
            taken = tuple(each for each in other.patterns if here and here == first_word(each))
            opposite = here and any(f"dis{here}" in each.split() for each in other.patterns)
            if opposite or (taken and fit(item, taken).ok):
                told = f"'{here}' is not known in '{clause.name}:'"
                under = f"write it under '{name}:', as {name}: {self.e.shown(item)}"
                advice = f"write {name}: dis{here}" if opposite else under
                self.e.error("unknown-word", item, told, advice)
                return True
        return False

    def _unknown_word(
        self, part: tree.Expression, clause: tree.Clause, words: tuple[str, ...], forms: str
    ) -> bool:
        """Report a word, or a call, where another word is due; return whether it is one."""
        here = word_of(part)
        call = part.function.text if isinstance(part, tree.Call) else ""
        if not words or not (here or call):
            return False
        if here in ("both", "all"):
            forms = ", ".join(words)
        said = f"'{here}'" if here else f"'{call}(...)'"
        self.e.error(
            "unknown-word", part, f"{said} is not known in '{clause.name}:'",
            COMMANDS.get(here) or (f"write {forms}" if other_word(here or call, words) else "")
            or did_you_mean(here or call, words, f"write {forms}"),
        )  # fmt: skip
        return True

    def _once_changed(
        self, item: tree.Item, clause: tree.Clause, word: Clause, words: tuple[str, ...],
        world: Type | None,
    ) -> bool:  # fmt: skip
        """Report an item that one change makes right; return whether there is one."""
        text = self.findings.source.text
        for part in item.parts:
            if not isinstance(part, tree.Call):
                continue
            call = part.function.simple
            if call and re.search(rf"(?<!<)\b{call}\b(?!>)", " ".join(word.patterns)):
                given = text[part.function.span[1] : part.span[1]]
                shown = f"{call} {given.strip('() ')}"
                forms = tuple(each for each in word.patterns if each.startswith(call))
                self.e.error(
                    "stray", part, f"no parentheses stand after '{call}' in '{clause.name}:'",
                    f"write {self.values.form(forms or word.patterns, shown, None)}",
                )  # fmt: skip
                return True
        begins = word.several and begun(
            clause.items, word.patterns, lambda each: self._could_be(each, world)
        )
        if begins and len(clause.items) > 1:
            shown = ", ".join(f"{begins.get(each, '')} {self.e.shown(each)}".strip()
                              for each in clause.items)  # fmt: skip
            told = f"a word is missing before '{self.e.shown(item)}' in '{clause.name}:'"
            self.e.error("missing-word", item, told, f"write {shown}")
            return True
        change = one_change(item, word.patterns, words, lambda each: self._could_be(each, world))
        if change is None or (change[1] == "each" and not word.several):
            return False
        part, what, parts = change
        shown = " ".join(text[slice(*each.span)] or word_of(each) for each in parts)
        shown, here = shown.replace(" ,", ","), text[slice(*part.span)]
        if axis := upright(here, world):
            shown = re.sub(rf"\b{here}\b", axis, shown)
        said = {
            "add": f"a word is missing before '{here}' in '{clause.name}:'",
            "other": f"'{here}' does not fit here in '{clause.name}:'",
            "each": "entries stand side by side, each with its words",
            "order": f"the words of '{clause.name}:' stand in another order",
        }.get(what, f"'{here}' is not known in '{clause.name}:'")
        if what == "order" and len(clause.items) > 1:  # of all that stand in it
            every = [one_change(each, word.patterns, words) for each in clause.items]
            if all(each and each[1] == "order" for each in every):
                whole = ((text[slice(*one.span)] for one in each[2]) for each in every if each)
                shown = ", ".join(map(" ".join, whole))
        advice = f"remove it: write {shown}" if what == "remove" else f"write {shown}"
        self.e.error("missing-word" if what == "add" else "unknown-word", part, said, advice)
        return True

    def _path(self, node: tree.Path, world: Type | None) -> Found | None:
        """Return what a path leads to; None where nothing is known of it."""
        if world is None or (node.simple and node.simple in WORLD_QUANTITIES):
            return None
        if node.parts[0].name in self.reactions.added:
            return None
        if check_indices(self.findings, node, self.e.lets, ()):
            return None
        return follow(self.findings, node, world, quantities=True)

    def _figure_of(self, node: tree.Request, world: Type | None) -> Type | None:
        """Return what is known of the figure a request is about."""
        clause = node.clause("figure") or node.clause("person")
        value = clause.items[0].parts[0] if clause and clause.items else None
        path = value.function if isinstance(value, tree.Call) else value
        return figure_type(self.library, path, world) if isinstance(path, tree.Path) else None
