"""Checking the values in a request's items: names, quantities, figures, words with arguments."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from articulata.world.language.checking.calls import argument_errors
from articulata.world.language.checking.kinds import FILE_ENDS, Value
from articulata.world.language.checking.path_checks import Found, some_place
from articulata.world.language.checking.patterns import ITEM_KINDS, Fit, word_of
from articulata.world.language.checking.requested_figures import (
    figure_names,
    figure_type,
    joint_names,
    part_names,
    upright,
)
from articulata.world.language.checking.scopes import Type
from articulata.world.language.checking.structure_checks import Structure
from articulata.world.language.filled_forms import filled
from articulata.world.language.meant_words import OURS, closest, did_you_mean, listed, other_word
from articulata.world.language.syntax import tree
from articulata.world.language.syntax.grammar import DOMAINS, is_bare
from articulata.world.language.units import QUANTITIES
from articulata.world.language.vocabulary import METHODS, WORLD_QUANTITIES, Slot
from articulata.world.requests.choices import DEVICES, SEGMENTS
from articulata.world.requests.questions import FORMS
from articulata.world.requests.reach import HANDS

_NOTHING: Mapping[str, Value] = {}


class ItemValues:
    """Checks values by their kinds; ``follow`` leads along a path of the request's world."""

    def __init__(
        self, structure: Structure, follow: Callable[[tree.Path, Type | None], Found | None]
    ) -> None:
        self.e = structure.e
        self.findings = structure.findings
        self.library = structure.library
        self._follow = follow
        self.figure: Type | None = None
        """The figure that the request is about, as far as it is known."""
        self.trusting = False
        """Whether it names a world that is not known, so that anybody may stand in it."""
        self.worldless = False
        """Whether the request names no world, so that no path leads anywhere."""
        self._slot: Slot | None = None
        self.question = ""
        """What kind of request it is."""
        self.varied: Type | None = None
        """The world whose parameters are varied."""
        self.people: tuple[str, ...] = ()
        """The components of the world that reach."""

    def check(self, kind: str, node: tree.Expression, world: Type | None) -> None:
        """Check one value of an item."""
        name = word_of(node)
        if kind in QUANTITIES and world and name in world.components and name not in self.e.lets:
            advice = f"write a {kind}, such as {ITEM_KINDS[kind].example}"
            told = f"'{name}' is a component; a {kind} is due"
            self.e.error("wrong-kind", node, told, advice if kind in ITEM_KINDS else "")
        elif kind == "direction" and name not in self.e.lets and (axis := upright(name, world)):
            self.e.error("unknown-name", node, f"'{name}' is not a direction", f"write {axis}")
        elif kind in QUANTITIES or kind == "direction":
            self.e.expect(node, kind, _NOTHING)
        elif kind in FORMS:
            self._form(kind, node)
        elif kind == "times":
            self._times(node)
        elif kind == "domains":
            self._domains(node)
        elif kind == "method":
            self._method(node)
        elif kind in ("point", "target"):
            self._target(node, world)
        elif kind in ("path", "paths") and isinstance(node, tree.Path):
            if kind == "path":
                self._one(node)
            self._path(node, world)
        elif kind == "tolerance":
            self._tolerance(node)
        elif kind == "device":
            self._device(node)
        elif kind == "figure":
            self._figure(node, world)
        elif kind == "part":
            self._part(node)
        elif kind == "joint":
            self._joint(node)
        elif kind == "parameter":
            self._parameter(node)
        elif kind == "bound":
            self.e.infer(node, _NOTHING)
        elif kind in ("value", "values"):
            for each in node.items if isinstance(node, tree.Tuple) else (node,):
                self._amount(each)

    # ---- parameters that are varied

    def lacking(self, world: Type, node: tree.Request) -> Type:
        """Return a request's world as one whose varied parameters may be left out; remember it."""
        self.varied = world if node.kind == "vary" else None
        clause = node.clause("parameters") if node.kind == "vary" else None
        varied = {word_of(item.parts[0]) for item in clause.items} if clause else set()
        # a name that the world lacks may stand for any of its parameters
        mistaken = not varied <= {each.name for each in world.signature.slots}
        slots = tuple(
            replace(each, optional=True) if mistaken or each.name in varied else each
            for each in world.signature.slots
        )
        return replace(world, signature=replace(world.signature, slots=slots))

    def _parameter(self, node: tree.Expression) -> None:
        """Check the name of a parameter, and remember what kind of value it takes."""
        self._slot, name = None, word_of(node)
        slots = {} if self.varied is None else {s.name: s for s in self.varied.signature.slots}
        if name in slots:
            self._slot = slots[name]
        elif self.varied is not None:
            none = "" if slots else f"write world {self.varied.name}({name} = 1 m)"
            self.e.error(
                "unknown-name", node, f"world '{self.varied.name}' has no parameter '{name}'",
                did_you_mean(name, tuple(slots), none),
            )  # fmt: skip

    def _amount(self, node: tree.Expression) -> None:
        if self._slot is not None and self._slot.kind in QUANTITIES:
            self.e.expect(node, self._slot.kind, _NOTHING, f"for '{self._slot.name}'")
        else:
            self.e.infer(node, _NOTHING)

    # ---- what an entry may have meant

    def known(self, kind: str, name: str, world: Type | None) -> bool | None:
        """Return whether ``name`` is a value of ``kind``; None where nothing is known of it."""
        names: tuple[str, ...] = ()
        if kind in FORMS:
            names = tuple(FORMS[kind])
        elif kind == "device":
            names = DEVICES.get(self.question, ())
        elif kind == "part" and (names := part_names(self.figure)):
            names = (*names, *(SEGMENTS if self.question == "track" else ()))
        elif kind == "joint":
            names = joint_names(self.figure)
        elif kind == "figure":
            names = figure_names(self.library, world)
        elif kind == "world":
            names = self.library.world_names()
        elif kind in ("path", "paths", "target") and world is not None and not world.open:
            names = (*world.components, *world.hinges, *self.e.lets, *WORLD_QUANTITIES)
            name = re.split(r"[.\[]", name, maxsplit=1)[0]
        return name in names if names else None

    def names(self, said: str, forms: Sequence[str], world: Type | None) -> bool:
        """Say whether a word is the name of something that forms of a clause may hold."""
        kinds = re.findall(r"<(\w+)>", " ".join(forms))
        return said in self.e.lets or any(self.known(each, said, world) for each in kinds)

    def form(self, forms: tuple[str, ...], entry: str, world: Type | None, more: str = "") -> str:
        """Return forms filled with what an entry holds; examples are of the request's world."""
        examples = {kind: each.example for kind, each in ITEM_KINDS.items()}
        parts = part_names(self.figure)
        if parts and examples["part"].strip('"') not in parts:
            examples["part"] = parts[0] if parts[0].isidentifier() else f'"{parts[0]}"'
        joints, worlds = joint_names(self.figure), self.library.world_names()
        examples["joint"] = next(iter(joints), examples["joint"])
        examples["world"] = next(iter(worlds), examples["world"])
        examples["device"] = DEVICES.get(self.question, ("",))[0]
        if world is not None and world.components:
            place = some_place(world)
            examples.update(path=place, paths=place, target=place)
            kinds = {name: world.type_of(name) for name in world.components}
            people = (name for name, kind in kinds.items() if kind and kind.kind == "figure")
            examples["figure"] = next(people, examples["figure"])
        return filled(
            forms, entry, examples, lambda kind, name: self.known(kind, name, world), more
        )

    def quoted(self, entry: str, forms: tuple[str, ...]) -> str:
        """Return an entry with quotes around names of the figure that hold blanks; "" for none.

        ``forms`` are those of its clause, which may take no such name.
        """
        if not any(kind in form for form in forms for kind in ("<part>", "<joint>", "<target>")):
            return ""
        names = [each for each in part_names(self.figure) if " " in each]
        names.sort(key=len, reverse=True)
        one = "|".join(map(re.escape, names))
        shown = re.sub(rf'(?<!["\w])(?:{one})(?!["\w])', r'"\g<0>"', entry) if names else entry
        return shown if shown != entry else ""

    def file(self, item: tree.Item, forms: tuple[str, ...]) -> bool:
        """Report a file's name without quotes where a text may stand; return whether one is."""
        for part in item.parts if "<text>" in " ".join(forms) else ():
            if isinstance(part, tree.Path) and len(part.parts) > 1 and (
                part.parts[-1].name.lower() in FILE_ENDS):  # fmt: skip
                told = "a file's name stands between double quotes"
                self.e.error("missing-sign", part, told, f'write "{part.text}"')
                return True
        return False

    def joined(self, entry: str, forms: tuple[str, ...]) -> str:
        """Return an entry with names that were written in parts; "" for none.

        They are those of the figure, and words of ``forms``, those of its clause.
        """
        words = {*re.findall(r"\w+", " ".join(forms))}
        words.update(name for kind in words & FORMS.keys() for name in FORMS[kind])
        names = {*part_names(self.figure), *joint_names(self.figure), *words}
        shown = entry
        for name in sorted((each for each in names if "_" in each), key=len, reverse=True):
            apart = r"(?<![\w-])" + name.replace("_", r"[\s-]") + r"(?![\w-])"
            shown = re.sub(apart, name, shown)
        side = re.search(r"(?<![\w-])(left|right)[\s_-](\w+)(?![\w-])", shown)
        for name in joint_names(self.figure) if side else ():
            if side and {side[1][0], side[2]} <= set(name.split("_")):
                return f"{shown[: side.start()]}{name}{shown[side.end() :]}"
        return shown if shown != entry else ""

    # ---- places

    def _one(self, node: tree.Path) -> None:
        """Report a range where one thing is due; each then has an entry of its own."""
        for part in node.parts:
            if isinstance(part.index, tree.Range):
                ends = (part.index.first, part.index.last)
                shown = [f"{part.name}[{self.e.shown(each)}]" for each in ends]
                told = f"one '{part.name}' is due here, not a range"
                self.e.error(
                    "wrong-index", part, told, f"give each an entry: {' ... '.join(shown)}"
                )

    def _path(self, node: tree.Path, world: Type | None) -> None:
        if self.worldless and node.simple not in WORLD_QUANTITIES:
            self.e.error(
                "unknown-world", node, f"no world is named in which '{node.text}' could be",
                "add world: NAME",
            )  # fmt: skip
            self.worldless = False  # once is enough
        if node.parts[0].name in self.people:
            self.e.error(
                "wrong-kind", node, f"'{node.parts[0].name}' is who reaches, not what is reached",
                "name another thing",
            )  # fmt: skip
            return
        self._follow(node, world)

    def _target(self, node: tree.Expression, world: Type | None) -> None:
        if isinstance(node, tree.Path) and node.simple not in self.e.lets:
            self._path(node, world)
            return
        self.e.expect(node, "point", _NOTHING)

    def _tolerance(self, node: tree.Expression) -> None:
        if not isinstance(node, tree.Tuple):
            given = self.e.infer(node, _NOTHING)
            if given.dimension == QUANTITIES["angle"] and isinstance(node, tree.Number):
                told = "a tolerance of place is due first after 'within'"
                self.e.error("wrong-dimension", node, told, f"write (1 mm, {self.e.shown(node)})")
                return
            self.e.expect(node, "length", _NOTHING, "after 'within'")
            return
        self.e.several(node, ("length", "angle"), _NOTHING, "after 'within'", "(1 mm, 2 deg)")

    def between(self, found: Fit, world: Type | None) -> None:
        """Check two ends of a measure: points of a distance, bodies that press on each other."""
        word = found.words[1]
        for each in found.values:
            value = each.node
            assert isinstance(value, tree.Path)
            end = self._follow(value, world)
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

    def limits(self, found: Fit, world: Type | None) -> None:
        """Check that what limits are asked of has joints."""
        for each in found.values:
            node = each.node
            name = node.simple if isinstance(node, tree.Path) else ""
            kind = world.type_of(name) if world is not None and name in world.components else None
            if kind is not None and kind.kind == "primitive":
                self.e.error(
                    "wrong-kind", node, f"'{name}' is one body and has no joints with limits",
                    "name a figure of the world",
                )  # fmt: skip

    # ---- words

    def of_others(self, kind: str, name: str, entry: str) -> str:
        """Return what stands for a word with arguments of another program, "" for none."""
        known = FORMS.get(kind, {})
        meant = other_word(name, known) or (closest(name, known) if name in OURS else "")
        # bare numbers are of its own, such as the order of a filter
        entry = re.sub(r"(?<![\w.])[\d.]+(?=\s*[,)])", "", entry)
        return filled((FORMS[kind][meant].signature.example,), entry) if meant else ""

    def _form(self, kind: str, node: tree.Expression) -> None:
        """Check a word with arguments, such as ``lens(35 mm)``."""
        path = node.function if isinstance(node, tree.Call) else node
        name = path.text if isinstance(path, tree.Path) else ""
        form = FORMS[kind].get(name)
        if form is None:
            examples = [each.signature.example for each in FORMS[kind].values()]
            if kind == "mount":
                examples = [
                    *(f"on {each}" for each in examples),
                    *map("with {}".format, FORMS["aid"]),
                ]
            entry = self.findings.source.text[slice(*node.span)]
            meant = self.of_others(kind, name, entry)
            shown = meant or filled(examples, entry)
            self.e.error(
                "unknown-word", path, f"'{name or 'this'}' is no {kind}",
                f"write {shown}" if meant
                else did_you_mean(name, tuple(FORMS[kind]), f"write {shown}"),
            )  # fmt: skip
            return
        arguments = node.arguments if isinstance(node, tree.Call) else ()
        self.e.arguments(form.signature, arguments, path.span, f"'{name}'", _NOTHING)

    def _times(self, node: tree.Expression) -> None:
        assert isinstance(node, tree.Tuple)
        self.e.several(node, ("time", "time"), _NOTHING, "in 'time:'", "(step, end)")
        for item in node.items if len(node.items) == 2 else ():
            if isinstance(item, tree.Number) and item.value <= 0:
                first, end = item is node.items[0], self.e.shown(node.items[1])
                self.e.error(
                    "wrong-kind", item, "a step and an end are longer than nothing",
                    f"write (10 ms, {end if first and end.strip('0. s') else '60 s'})",
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
            self.e.arguments(made, arguments, path.span, f"method '{made.name}'", _NOTHING)
        else:
            self.e.error(
                "unknown-name", path, f"there is no method '{name or 'like this'}'",
                did_you_mean(name, tuple(METHODS)),
            )  # fmt: skip

    def _device(self, node: tree.Expression) -> None:
        name, known = word_of(node), DEVICES.get(self.question, ())
        if name not in known:
            other = next((each for each, names in DEVICES.items() if name in names), "")
            self.e.error(
                "unknown-name", node,
                f"'{name}' is a device of {other}, not of {self.question}" if other
                else f"there is no device '{name or 'like this'}'",
                f"use {listed(known)}" if other else did_you_mean(name, known),
            )  # fmt: skip

    # ---- figures

    def _figure(self, node: tree.Expression, world: Type | None) -> None:
        """Check a figure's name and what it is given."""
        path = node.function if isinstance(node, tree.Call) else node
        if not isinstance(path, tree.Path):
            return
        kind = figure_type(self.library, path, world)
        known = figure_names(self.library, world)
        if kind is None:
            unheard = path.parts[0].name not in known and not self.library.trusts(path)
            if unheard and (not self.trusting or closest(path.text, known)):
                advice = did_you_mean(path.text, known, f"define it: figure {path.text} {{ ... }}")
                if other_word(path.text, known) and isinstance(node, tree.Call):
                    said = self.findings.source.text[path.span[1] : node.span[1]]
                    named = f"({path.text}: {said[1:]}" if path.text == "percentile" else said
                    advice = f"write {other_word(path.text, known)}{named}"
                told = f"there is no figure '{path.text}'"
                self.e.error("unknown-name", path, told, advice)
            return
        if kind.kind not in ("figure", "composite"):
            self.e.error(
                "wrong-kind", path, f"'{path.text}' is a {kind.kind}, not a figure",
                "name a figure",
            )  # fmt: skip
        elif isinstance(node, tree.Call) and (world is None or path.simple not in world.components):
            for slot, argument in argument_errors(
                self.findings, kind.signature, node.arguments, path.span, f"figure '{path.text}'",
                self.e.lets,
            ):  # fmt: skip
                if slot.kind in QUANTITIES:
                    self.e.expect(argument.value, slot.kind, _NOTHING, f"for '{slot.name}'")
        if self.question == "reach":
            known = part_names(kind)
            if known and not any(mark in known for each in HANDS.values() for mark in each):
                self.e.error(
                    "wrong-kind", path, f"'{path.text}' has no hand to reach with",
                    "name a person, or give it a landmark \"right hand\"; whether a robot comes "
                    f"there pose tells: pose NAME {{ figure: {path.text}; place: END at PLACE }}",
                )  # fmt: skip

    def _part(self, node: tree.Expression) -> None:
        """Check the name of a part of a figure whose parts are known.

        A station may also sit on a part that every body has, whatever the figure calls its own.
        """
        known = part_names(self.figure)
        name = node.value if isinstance(node, tree.Text) else word_of(node)
        every = SEGMENTS if self.question == "track" else ()
        if not known or not name or name in known or name in every or self.figure is None:
            return
        self.e.error(
            "unknown-name", node, f"figure '{self.figure.name}' has no part '{name}'",
            _named_so(name, (*known, *every)),
        )  # fmt: skip

    def _joint(self, node: tree.Expression) -> None:
        """Check the name of a joint of a figure whose joints are known."""
        known = joint_names(self.figure)
        name = node.value if isinstance(node, tree.Text) else word_of(node)
        if not known or not name or name in known or self.figure is None:
            return
        self.e.error(
            "unknown-name", node, f"figure '{self.figure.name}' has no joint '{name}'",
            _named_so(name, known),
        )  # fmt: skip


def _named_so(name: str, known: Sequence[str]) -> str:
    """Return a suggestion for a name, in quotes where the one that is meant holds blanks."""
    parts = ("heel", "ball", "toe") if name == "feet" else (name.removesuffix("s"),)
    both = [f"{side}_{part}" for side in "lr" for part in parts]
    if name not in parts and {*both} <= {*known}:  # feet, hands: those of both sides
        return f"write {', '.join(both)}"
    guess = closest(name, known)
    return f'write "{guess}"' if guess and not is_bare(guess) else did_you_mean(name, known)
