"""Which argument goes to which parameter, and what does not fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import replace
from itertools import permutations, takewhile

from articulata.world.language.diagnostics import Findings
from articulata.world.language.filled_forms import put_in
from articulata.world.language.meant_words import closest, did_you_mean, listed, other_word
from articulata.world.language.other_words import ARGUMENTS, EDGES, FUNCTIONS, SHAPES_OF_OTHERS
from articulata.world.language.source import Span
from articulata.world.language.syntax.habits import decimal_comma
from articulata.world.language.syntax.tree import (
    Argument,
    Binary,
    Call,
    Expression,
    Number,
    Path,
    Text,
    Tuple,
    Unary,
)
from articulata.world.language.units import QUANTITIES, UNITS, Dimension, parse_unit
from articulata.world.language.vocabulary import COLORS, CONSTANTS, Signature, Slot


def argument_errors(
    findings: Findings,
    signature: Signature,
    arguments: tuple[Argument, ...],
    at: Span,
    label: str,
    known: Collection[str] = (),
) -> list[tuple[Slot, Argument]]:
    """Return each argument with its parameter; report those that have none, and what is missing.

    ``at`` is where a missing argument is reported, ``label`` names what takes the arguments. A word
    for a value of a parameter is one where ``known``, the names that are defined, does not hold it.
    """
    arguments = _with_names(findings, {slot.name for slot in signature.slots}, arguments, known)
    if (
        _exchanged(findings, signature, arguments, label, known)
        or _ungrouped(findings, signature, arguments)
        or _in_parentheses(findings, signature, arguments)
    ):
        return []
    matching = _Matching(findings, signature, arguments, label, known)
    for before, argument in zip((None, *arguments), arguments, strict=False):
        if (
            before is not None
            and argument.name is None
            and (
                before.name is not None
                or _unlike(signature, arguments, argument)
                or _nothing_before_a_unit(before.value, argument.value)
            )
            and decimal_comma_between(findings, before.value, argument.value)
        ):
            continue
        matching.take(argument)
    matching.count(at)
    return [each for each in matching.matched if id(each[1]) not in matching.worded]


def _exchanged(
    findings: Findings, signature: Signature, arguments: tuple[Argument, ...], label: str,
    known: Collection[str],
) -> bool:  # fmt: skip
    """Report plain values without names that fit in another order alone; say if they do."""
    given = [each for each in arguments if each.name is None]
    slots = [s for s in signature.slots if s.name not in {each.name for each in arguments}]
    values = [each.value for each in given if _kinds_of(each.value, known)]
    if arguments and decimal_comma(findings.source.text, *_whole(arguments)):
        return False
    if not 1 < len(given) == len(values) <= min(len(slots), _MOST_TRIED):
        return False

    def fits(order: tuple[Expression, ...]) -> bool:
        return all(
            slot.kind in _kinds_of(each, known)
            or (slot.kind not in QUANTITIES and slot.kind not in ("color", "direction"))
            for each, slot in zip(order, slots, strict=False)
        )

    right = [order for order in permutations(values) if fits(order)]
    if tuple(values) in right or len(right) != 1:
        return False
    shown = ", ".join(findings.source.text[slice(*each.span)] for each in right[0])
    names = listed([slot.name for slot in slots[: len(given)]], "and")
    span = (given[0].span[0], given[-1].span[1])
    told = f"{label} takes {names}, in this order"
    findings.error("wrong-order", span, told, f"write {shown}")
    return True


def _ungrouped(findings: Findings, signature: Signature, arguments: tuple[Argument, ...]) -> bool:
    """Report points that stand side by side where one list of them is due; say if some do."""
    kinds = {slot.name: slot.kind for slot in signature.slots}
    for k, (first, own) in enumerate(zip(arguments, kinds, strict=False)):
        kind = kinds.get(first.name or own, "")
        if kind != "polygon" and not (first.name and kind in ("any", "limits")):
            continue
        if isinstance(first.value, Tuple) and not isinstance(first.value.items[0], Tuple):
            rest = takewhile(lambda each: each.name is None and isinstance(each.value, Tuple),
                             arguments[k + 1 :])  # fmt: skip
            span = (first.span[0], max((each.span[1] for each in rest), default=0))
            shown = findings.source.text[slice(first.value.span[0], span[1])]
            if shown:
                head, told = f"{first.name}: " * bool(first.name), first.name or own
                findings.error("missing-sign", span, f"what '{told}' holds stands in one ( )",
                               f"write {head}({shown})")  # fmt: skip
                return True
    return False


def _in_parentheses(
    findings: Findings, signature: Signature, arguments: tuple[Argument, ...]
) -> bool:
    """Report values of several parameters that stand in parentheses of their own."""
    value = arguments[0].value if len(arguments) == 1 else None
    kinds = {slot.kind for slot in signature.slots}
    if not isinstance(value, Tuple) or not kinds <= QUANTITIES.keys() or (
        not 1 < signature.fewest <= len(value.items) <= signature.most):  # fmt: skip
        return False
    shown = ", ".join(findings.source.text[slice(*each.span)] for each in value.items)
    told = "values stand side by side, without ( ) of their own"
    findings.error("wrong-kind", arguments[0].span, told, f"write {shown}")
    return True


_MOST_TRIED = 5


def _kinds_of(value: Expression, known: Collection[str]) -> Collection[str]:
    """Return the kinds that a number or a word of the language may be of, none for others."""
    if isinstance(value, Number):
        if not value.unit:
            return ("number", "count")
        due = parse_unit(value.unit).dimension
        return [kind for kind, each in QUANTITIES.items() if each == due]
    word = "" if isinstance(value, Text) or written_word(value) in known else written_word(value)
    return ("color",) if word in COLORS else ("direction",) if word in ("x", "y", "z") else ()


class _Matching:
    """Arguments of one call with their parameters, one after the other."""

    def __init__(
        self,
        findings: Findings,
        signature: Signature,
        arguments: tuple[Argument, ...],
        label: str,
        known: Collection[str],
    ) -> None:
        self.findings, self.signature, self.arguments = findings, signature, arguments
        self.label, self.known = label, known
        self.slots = {slot.name: slot for slot in signature.slots}
        self.matched: list[tuple[Slot, Argument]] = []
        self.worded: set[int] = set()  # arguments that say a bound by its word
        self._taken: set[str] = set()
        self._extra: list[Argument] = []
        self._misnamed = False

    def take(self, argument: Argument) -> None:
        """Match one argument, or report why none of the parameters is its."""
        word = written_word(argument.value)
        slot = None if word in self.known else _slot_of(self.signature, argument.name, word)
        if slot is not None:
            self.worded.add(id(argument))
        elif word and _misses(self.findings, self.signature, argument, word, self.known):
            return
        elif argument.name is not None:
            slot = self.slots.get(argument.name)
            if slot is None:
                self._unknown(argument, argument.name)
                return
        else:
            free = (each for each in self.signature.slots if each.name not in self._taken)
            slot = next(free, None)
            if slot is None:
                self._extra.append(argument)
                return
        if slot.name in self._taken and not slot.many:
            span = (argument.span[0], argument.span[0] + len(argument.name or " "))
            told = f"'{slot.name}' is given twice"
            untaken = [s.name for s in self.signature.slots if s.name not in self._taken]
            first = next((each for owner, each in self.matched if owner is slot), None)
            if first is None:
                return  # given by a name that was told
            named = {each.name for each in self.arguments}
            left = next((each for each in untaken if each not in named), "")
            shown = self.findings.source.text[slice(*first.value.span)]
            by_place = not first.name and id(first) not in self.worded
            advice = f"write {left}: {shown} for the first" if left and by_place else ""
            if left and argument.name and first.name and self.slots[left].kind == slot.kind:
                advice = f"write {left}: {self.findings.source.text[slice(*argument.value.span)]}"
            self.findings.error("duplicate", span, told, advice or "remove one of them")
            return
        self.matched.append((slot, argument))
        if not slot.many:
            self._taken.add(slot.name)

    def _unknown(self, argument: Argument, name: str) -> None:
        """Report a name that no parameter has; the one that was meant is given all the same."""
        self._misnamed = True
        names = tuple(self.slots)
        if name == "name":
            names = ()  # a thing is named elsewhere
        fits = self._fitting(argument.value) if names else []
        given = {*self._taken, *(each.name for each in self.arguments)}
        left = [each for each in names if each not in given]
        others = {closest(each.name or "", left) for each in self.arguments
                  if each is not argument and each.name not in self.slots}  # fmt: skip
        edges = EDGES.get(name.lower(), "") if "z" in left else ""
        guess = closest(name, fits) or next((e for e in edges if e in fits), closest(name, left))
        fits = [each for each in fits if each not in others] or fits
        by_place = "" if guess or not fits else fits[0]
        guess = guess or by_place or closest(name, names)
        span = (argument.span[0], argument.span[0] + len(name))
        if name in ARGUMENTS and "radius" in self.slots:
            shown = self.findings.source.text[slice(*argument.value.span)]
            told = f"{self.label} takes no '{name}'"
            advice = "write " + put_in(ARGUMENTS[name], {"0": shown})
            self.findings.error("unknown-option", argument.span, told, advice)
            self._taken.add("radius")
            return
        if name in ("axis", "direction", "along", "dir") and "radius" in self.slots and not guess:
            told = f"{self.label} takes no '{name}'"
            advice = "its axis is z: write turned 90 deg about y after it, or x, to lay it down"
            self.findings.error("unknown-option", span, told, advice)
            return
        if guess == "limits" and (ends := self._ends()):
            told = f"{self.label} takes no '{name}'"
            self.findings.error("unknown-option", span, told, f"write limits: ({ends})")
            self._taken.add(guess)
            return
        shown = self.findings.source.text[slice(*argument.value.span)]
        span = argument.span if by_place else span
        taken, before = self.matched[-1] if self.matched else (None, argument)
        if by_place and taken and taken.name == closest(name, names) and not before.name:
            here = self.findings.source.text[slice(*before.span)]
            by_place, span = f"{by_place}: {here}, {taken.name}", (before.span[0], argument.span[1])
        left = [] if _dimension(argument.value) and not fits else left
        self.findings.error(
            "unknown-option", span, f"{self.label} takes no '{name}'",
            f"write {guess}: {shown} {name}" if name in UNITS and guess and shown.isdecimal()
            else f"write {by_place}: {shown}" if by_place
            else f"did you mean '{guess}'?" if guess
            else _instead(tuple(left)) if names
            else "remove it; a hinge is named after it: as its_name",
        )  # fmt: skip
        if other_word(name, self.slots):
            self._taken.add(guess)  # a value of another program is of another kind
        elif guess and guess not in self._taken:
            self._taken.add(guess)
            self.matched.append((self.slots[guess], argument))

    def _fitting(self, value: Expression) -> list[str]:
        """Return the parameters that are left and take such a value."""
        named = {*self._taken, *(each.name for each in self.arguments)}
        return [slot.name for slot in self.slots.values()
                if slot.name not in named and _takes(slot, value)]  # fmt: skip

    def _ends(self) -> str:
        """Return the two values of bounds that are named one by one, "" where one lacks."""
        text = self.findings.source.text
        given = {each.name: text[slice(*each.value.span)] for each in self.arguments}
        pairs = (("lower", "upper"), ("min", "max"), ("low", "high"), ("minimum", "maximum"))
        return next((f"{given[a]}, {given[b]}" for a, b in pairs if {a, b} <= set(given)), "")

    def count(self, at: Span) -> None:
        """Report arguments beyond the last parameter, or parameters that are given none."""
        signature, arguments, extra = self.signature, self.arguments, self._extra
        given = {slot.name for slot, _ in self.matched}
        missing = [
            slot.name for slot in signature.slots if not slot.optional and slot.name not in given
        ]
        decimal = decimal_comma(self.findings.source.text, *_whole(arguments)) if extra else None
        if decimal is not None:
            self.findings.error(decimal.code, decimal.span, decimal.message, decimal.suggestion)
        elif extra and extra[0] in arguments[:-1]:
            pass  # stands for a value that is missing, which the parser has said
        elif extra:
            self.findings.error(
                "wrong-count", extra[0].span,
                f"{self.label} takes {_count(signature)}, {len(arguments)} are given",
                f"remove what is too much: write {signature}" if signature.slots
                else "remove the parentheses",
            )  # fmt: skip
        elif missing and not self._misnamed:
            told = f"{self.label} lacks {_these(missing)}"
            self.findings.error("wrong-count", at, told, f"write {self._filled(missing)}")
            # which of the others is missing is not known
            self.matched = [each for each in self.matched if each[1].name]

    def _filled(self, missing: list[str]) -> str:
        """Return the call with what is given, and the names of parameters in place of the rest."""
        text = self.findings.source.text
        if not self.matched:
            return str(self.signature)
        given = [text[slice(*each.span)] for _, each in self.matched]
        named = any(each.name for _, each in self.matched)
        rest = [f"{each}: {self._example(each)}" if named else each for each in missing]
        return f"{self.signature.name}({', '.join((*given, *rest))})"

    def _example(self, name: str) -> str:
        kind = self.slots[name].kind
        return {"length": "10 cm", "angle": "90 deg", "count": "3"}.get(kind, "...")


def _takes(slot: Slot, value: Expression) -> bool:
    """Say whether a value can be no other than one of the kind that a parameter takes."""
    if dimension := _dimension(value):
        return QUANTITIES.get(slot.kind) == dimension
    return slot.kind == "color" and written_word(value) in COLORS


def _dimension(value: Expression) -> Dimension | None:
    """Return the dimension of what is computed from numbers with units; None: it is not known."""
    match value:
        case Number() if value.unit:
            return parse_unit(value.unit).dimension
        case Unary():
            return _dimension(value.operand)
        case Binary(operator="+" | "-"):
            return _dimension(value.left) or _dimension(value.right)
        case Binary(operator="*", left=Number() as left) if not left.unit:
            return _dimension(value.right)
        case Binary(operator="*" | "/", right=Number() as right) if not right.unit:
            return _dimension(value.left)
    return None


def _slot_of(signature: Signature, name: str | None, word: str) -> Slot | None:
    """Return the parameter of which ``word`` says a value; a ``name`` has to be its own."""
    return next((s for s in signature.slots if word in s.words and name in (None, s.name)), None)


def _misses(
    findings: Findings, signature: Signature, argument: Argument, word: str, known: Collection[str]
) -> bool:
    """Report a word that says no value where some words do; return whether it does."""
    slots = [s for s in signature.slots if s.words and argument.name in (None, s.name)]
    words = [each for slot in slots for each in slot.words]
    if "_" in word and not closest(word, words):
        return False  # a name that is not defined
    taken = word in known or word in CONSTANTS or word in COLORS or closest(word, tuple(known))
    if not words or (taken and argument.name is None):
        return False
    slot = slots[0]
    findings.error(
        "unknown-word", argument.value.span, f"'{word}' says no value of '{slot.name}'",
        did_you_mean(word, words, f"write {' or '.join(slot.words)}"),
    )  # fmt: skip
    return True


def written_word(value: Expression) -> str:
    """Return the word that a value is, bare or in quotes; "" for other values."""
    if isinstance(value, Text):
        return value.value
    return value.simple if isinstance(value, Path) else ""


def _unlike(signature: Signature, arguments: tuple[Argument, ...], argument: Argument) -> bool:
    """Say whether a number has a unit that its parameter cannot take."""
    place = arguments.index(argument)
    value = argument.value
    if place >= len(signature.slots) or not isinstance(value, Number) or not value.unit:
        return False
    due = QUANTITIES.get(signature.slots[place].kind)
    return due is not None and parse_unit(value.unit).dimension != due


def _with_names(
    findings: Findings,
    slots: Collection[str],
    arguments: tuple[Argument, ...],
    known: Collection[str],
) -> tuple[Argument, ...]:
    """Return arguments in which ``name value`` is one; that its ':' is missing is told."""
    kept: list[Argument] = []
    for argument in arguments:
        word = written_word(kept[-1].value) if kept and kept[-1].name is None else ""
        between = findings.source.text[kept[-1].span[1] : argument.span[0]] if kept else ""
        if word in slots and word not in known and argument.name is None and not between.strip():
            name = kept.pop()
            end = name.span[1]
            findings.error(
                "missing-sign", (end, end + 1), f"':' is missing after '{word}'", "add ':' here"
            )
            argument = replace(argument, name=word, span=(name.span[0], argument.span[1]))
        elif (meant := ARGUMENTS.get(word)) and "radius" in slots and not between.strip():
            name, shown = kept.pop(), findings.source.text[slice(*argument.span)]
            told = f"there is no '{word}' here"
            findings.error(
                "unknown-option", name.span, told, "write " + put_in(meant, {"0": shown})
            )
            argument = replace(argument, name="radius")
        elif between == " " and argument.name is None and kept[-1].name is None and (
            here := written_word(argument.value)) in slots and here not in known:  # fmt: skip
            value = kept.pop()
            shown = findings.source.text[slice(*value.span)]
            told = "a parameter's name stands before its value"
            findings.error("missing-sign", value.span, told, f"write {here}: {shown}")
            argument = replace(value, name=here, span=(value.span[0], argument.span[1]))
        kept.append(argument)
    return tuple(kept)


def _nothing_before_a_unit(before: Expression, here: Expression) -> bool:
    """Return whether a bare 0 stands before a number with a unit, as in ``0,4 m``."""
    return (
        isinstance(before, Number)
        and not before.value
        and isinstance(here, Number)
        and bool(here.unit)
    )


def decimal_comma_between(findings: Findings, before: Expression, here: Expression) -> bool:
    """Report ``2,5`` where ``2.5`` was meant; say whether it was."""
    if not (isinstance(before, Number) and isinstance(here, Number)) or before.unit:
        return False
    found = decimal_comma(findings.source.text, before.span[0], here.span[1])
    if found is not None and before.span[1] + 1 == here.span[0]:
        findings.error(found.code, found.span, found.message, found.suggestion)
        return True
    return False


def _whole(arguments: tuple[Argument, ...]) -> Span:
    """Return from where to where arguments stand."""
    return (arguments[0].span[0], arguments[-1].span[1]) if arguments else (0, 0)


def _these(names: list[str]) -> str:
    quoted = [f"'{name}'" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _count(signature: Signature) -> str:
    few, many = signature.fewest, signature.most
    if many == 0:
        return "no arguments"
    if few == many:
        return f"{few} argument{'s' if few > 1 else ''}"
    return (
        f"{few} to {many} arguments" if few else f"at most {many} argument{'s' if many > 1 else ''}"
    )


def _instead(names: tuple[str, ...]) -> str:
    """Return what to do with an argument of a name that resembles none of ``names``."""
    return f"remove it, or use {listed(names)}" if names else "remove it"


def other_shape(node: Call, name: str, text: Callable[[Expression], str]) -> str:
    """Return what stands for a shape of other programs (``SHAPES_OF_OTHERS``), "" for nothing.

    Values that are not given are the usual ones.
    """
    edges = name in ("box", "block", "brick") and not any(each.name for each in node.arguments)
    if edges and len(node.arguments) == 3:
        return ""  # another word for a shape of ours, with its values
    slots, _, form = SHAPES_OF_OTHERS.get(name, "").partition(" -> ")
    usual = dict(each.split("=") for each in slots.split())
    given: dict[str, str] = {}
    alone = node.arguments[0].value if len(node.arguments) == 1 else None
    items = alone.items if isinstance(alone, Tuple) else ()
    for each in [Argument(None, item) for item in items] or node.arguments:
        shown, name = text(each.value), (each.name or "").lower()
        if "dia" in name or name in ("d", "od", "id"):
            shown, name = put_in("{0}/2", {"0": shown}), name.replace("diameter", "") or "radius"
        left = [slot for slot in usual if slot not in given]
        slot = (closest(name.strip("_"), left) if name else "") or (left[0] if left else "")
        if not slot:
            return ""
        given[slot] = shown
    for slot, value in usual.items():
        given.setdefault(slot, put_in(value.replace("~", " "), given))
    return put_in(form, given)


def other_value(node: Call, name: str, text: str) -> str:
    """Return what stands for a call of a function of other programs, "" for none."""
    each = [text[slice(*argument.span)] for argument in node.arguments]
    form = FUNCTIONS.get(name, "")
    if each and not each[0].strip("-").replace(".", "").isdigit():
        form = form.replace("{0} deg", "{0}")  # only a number takes a unit
    held = {"all": ", ".join(each), "sum": " + ".join(each), "count": str(len(each))}
    shown = put_in(form, {**held, **{str(i): value for i, value in enumerate(each)}})
    beside = re.search(r"[-*/^] ?$", text[: node.span[0]])
    beside = beside or re.match(r" ?[*/^]", text[node.span[1] :])
    return f"({shown})" if beside and not re.fullmatch(r"|\w*\([^()]*\)", form) else shown
