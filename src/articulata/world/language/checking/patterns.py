"""Patterns of a request's items: ``animation [every <time>]``, and how an item fits them.

``fit`` tells which pattern an item follows and gives the values that stand for ``<kind>``, or
says which part does not fit. The checker and whoever carries a request out use the same answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

from articulata.world.language.meant_words import closest
from articulata.world.language.syntax import tree
from articulata.world.language.syntax.habits import unit_meant
from articulata.world.language.units import QUANTITIES, alike, parse_unit
from articulata.world.language.vocabulary import KINDS
from articulata.world.requests.questions import FORMS


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a pattern: a word, or a value of a kind."""

    word: str = ""
    kind: str = ""

    @property
    def shown(self) -> str:
        """The word, or the kind in angle brackets."""
        return self.word or f"<{self.kind}>"


@dataclass(frozen=True, slots=True)
class Group:
    """Steps that stand together; ``optional``: none of them need stand, ``many``: often."""

    steps: tuple[Step, ...]
    optional: bool = False
    many: bool = False


@dataclass(frozen=True, slots=True)
class Value:
    """A value of an item: its kind, the word before it (or ""), and where it stands."""

    kind: str
    after: str
    node: tree.Expression


@dataclass(frozen=True, slots=True)
class Fit:
    """How an item fits a pattern: its words and values, or where it goes wrong.

    ``reached`` counts the parts that fit. When something is wrong ``expected`` are the words or
    kinds (in angle brackets) that could stand at part ``reached``.
    """

    pattern: str
    values: tuple[Value, ...] = ()
    words: tuple[str, ...] = ()
    reached: int = 0
    expected: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the item follows the pattern."""
        return not self.expected


LINKS = frozenset(("at", "by", "for", "from", "in", "of", "on", "to", "with"))
"""Words between values: one of them was written by intention, and stands for no value."""

_GROUP = re.compile(r"\[([^\]]*)\](\.\.\.)?|([^\[\]]+)")


@lru_cache(maxsize=256)
def groups(pattern: str) -> tuple[Group, ...]:
    """Return the groups of a pattern."""
    found = []
    for inner, many, plain in _GROUP.findall(pattern):
        words = (inner or plain).split()
        steps = tuple(
            Step(kind=word[1:-1]) if word.startswith("<") else Step(word=word) for word in words
        )
        if steps:
            found.append(Group(steps, bool(inner), bool(many)))
    return tuple(found)


def word_of(node: tree.Expression) -> str:
    """Return the word that a part of an item is, or ``""`` for a value."""
    return node.simple if isinstance(node, tree.Path) else ""


class ItemKind(NamedTuple):
    """A kind of value in an item: how one is written, what it is called, and its nodes."""

    example: str
    words: str = ""
    nodes: tuple[type, ...] = (tree.Path, tree.Call)


_COMPUTED = (tree.Path, tree.Call, tree.Tuple, tree.Unary, tree.Binary, tree.Placed)
ITEM_KINDS: dict[str, ItemKind] = {
    "times": ItemKind("(0.05 s, 60 s)", "a step and an end", (tree.Tuple,)),
    "domains": ItemKind("(geometric, dynamic)", "a list of domains", (tree.Tuple, tree.Path)),
    "time": ItemKind("20 ms"),
    "length": ItemKind("5 cm"),
    "mass": ItemKind("10 kg"),
    "angle": ItemKind("90 deg", "an angle"),
    "count": ItemKind("6", "a whole number"),
    "number": ItemKind("2"),
    "path": ItemKind("p.rod.top", "a path", (tree.Path,)),
    "paths": ItemKind("shelf[1..3].front", "a path", (tree.Path,)),
    "target": ItemKind("tap", "a place", _COMPUTED),
    "text": ItemKind('"file"', "", (tree.Text,)),
    "method": ItemKind("rk4"),
    "world": ItemKind("kitchen(1)"),
    "figure": ItemKind("person"),
    "device": ItemKind("emulator", "", (tree.Path,)),
    "port": ItemKind('"/dev/ttyUSB0"', "", (tree.Text, tree.Number)),
    "part": ItemKind('"right hand"', "a part of the body", (tree.Path, tree.Text)),
    "joint": ItemKind("r_elbow_flexion", "", (tree.Path, tree.Text)),
    "force": ItemKind("5 N"),
    "parameter": ItemKind("length", "a parameter of the world", (tree.Path,)),
    "value": ItemKind("0.5 m", "a value", (tree.Number, *_COMPUTED[:2], *_COMPUTED[3:5])),
    "bound": ItemKind("5 N", "a value", (tree.Number, *_COMPUTED[:2], *_COMPUTED[3:5])),
    "values": ItemKind("(0.5 m, 1 m)", "values in parentheses", (tree.Tuple,)),
    "point": ItemKind("(0, 1 m, 0)", "", (tree.Tuple, tree.Path)),
    "direction": ItemKind("x", "", _COMPUTED),
    "tolerance": ItemKind("(1 mm, 2 deg)", "", (*_COMPUTED, tree.Number)),
    **{kind: ItemKind(next(reversed(each.values())).signature.example)
       for kind, each in FORMS.items()},
    "aid": ItemKind(next(reversed(FORMS["aid"].values())).signature.example, "a walker"),
    "mount": ItemKind("wheelchair(width: 70 cm)", "what she is on"),
}  # fmt: skip
"""Kinds of value in the patterns of clauses, besides quantities that no example shows."""


def kind_words(kind: str) -> str:
    """Return what a kind of value is called in messages."""
    return KINDS.get(kind) or (kind in ITEM_KINDS and ITEM_KINDS[kind].words) or f"a {kind}"


def could_be(node: tree.Expression, kind: str) -> bool:
    """Say whether a part of an item has the form of a value of ``kind``."""
    dotted = isinstance(node, tree.Path) and not word_of(node)
    if kind in QUANTITIES:
        several = isinstance(node, tree.Path) and len(node.parts) > 1
        return not isinstance(node, tree.Text | tree.Tuple) and not several
    return isinstance(node, ITEM_KINDS[kind].nodes) and not (kind == "point" and dotted)


def called(found: Fit, rest: str, before: str) -> str:
    """Return ``person(1.7 m)`` for ``person 1.7 m``, "" where the word takes no values.

    ``rest`` is what stands behind what fits, ``before``. It may belong in the parentheses there.
    """
    if not found.values or found.values[-1].kind not in ITEM_KINDS:
        return ""
    last = found.values[-1]
    named = re.fullmatch(r"(?:with |and )?([^\W\d]\w*)(?: ?[:=])? ([-\d(].*)", rest)
    if isinstance(last.node, tree.Call) and named and before.endswith(")"):
        return f"{before[:-1]}, {named[1]}: {named[2]})"
    rest = f"{named[1]}: {named[2]}" if named and rest.startswith("with ") else rest
    word, nodes = word_of(last.node), ITEM_KINDS[last.kind].nodes
    return f"{word}({rest})" if word and tree.Call in nodes else ""


def fit(item: tree.Item, patterns: tuple[str, ...]) -> Fit:
    """Return how ``item`` fits the pattern it fits best."""
    fits = [_Fitting(item.parts, pattern).result() for pattern in patterns]
    best = max(fits, key=lambda each: (each.ok, each.reached))
    if best.ok:
        return best
    misspelt = [found for each in fits if (found := _misspelt(item, each)) is not None]
    if misspelt:
        at = max(each.reached for each in misspelt)
        meant = {each.expected[0]: each for each in misspelt if each.reached == at}
        return meant[closest(word_of(item.parts[at]), tuple(meant))]
    expected = tuple(
        dict.fromkeys(
            word for each in fits if each.reached == best.reached for word in each.expected
        )
    )
    return Fit(best.pattern, best.values, best.words, best.reached, expected)


def _misspelt(item: tree.Item, found: Fit) -> Fit | None:
    """Return where an item would fit with one word spelt as it is due there; None: it would not."""
    if found.reached >= len(item.parts):
        return None
    part = item.parts[found.reached]
    words = [each for each in found.expected if not each.startswith("<") and each != "the end"]
    meant = "" if word_of(part) in LINKS else closest(word_of(part), words)
    if not meant:
        return None
    right = tree.Path((tree.Part(meant),), span=part.span)
    parts = (*item.parts[: found.reached], right, *item.parts[found.reached + 1 :])
    if not _Fitting(parts, found.pattern).result().ok:
        return None
    return Fit(found.pattern, found.values, found.words, found.reached, (meant,))


def one_change(
    item: tree.Item,
    patterns: tuple[str, ...],
    words: tuple[str, ...],
    may_be: Callable[[Value], bool] = lambda value: True,
) -> tuple[tree.Expression, str, tuple[tree.Expression, ...]] | None:
    """Return the part to change, how, and the parts then, where one change makes ``item`` fit.

    A word of two is split at its '_', one of ``words`` is added, one that is none is left out, the
    first is another word, one is another word of the clause, two or three parts stand in another
    order, or each value of a group has the words. ``may_be`` says of each value then whether it may
    be one.
    """
    parts = item.parts

    def suits(found: Fit) -> bool:
        return suits_all(found) and all(map(may_be, found.values))

    known = {s.word for p in patterns for g in groups(p) for s in g.steps if s.word}
    orders = list(permutations(parts)) if 1 < len(parts) < 4 else []
    right = [then for then in orders if suits(fit(tree.Item(then, span=item.span), patterns))]
    if right and all((word_of(each) or "?") in {"?", *known} for each in parts):
        return parts[0], "order", right[0]
    for i, part in enumerate(parts):
        here, before, after = word_of(part), parts[:i], parts[i + 1 :]
        inner = part.items if isinstance(part, tree.Tuple) else ()
        each = [(*before, one, *after) for one in inner]
        if each and all(suits(fit(tree.Item(then, span=item.span), patterns)) for then in each):
            return part, "each", tuple(one for then in each for one in (*then, _said(",")))[:-1]
        ways: list[tuple[str, tuple[tree.Expression, ...]]] = []
        if "_" in here:
            ways.append(("split", (*before, *map(_said, here.split("_")), *after)))
        if here and i:
            ways += [("add", (*before, _said(word), part, *after)) for word in words]
        again = bool(after) and here == word_of(after[0])  # the second one is too much
        if here and before + after and not again and (here in LINKS or not closest(here, words)):
            ways.append(("remove", before + after))
        fits = [fit(tree.Item(then, span=item.span), patterns) for _, then in ways]
        good = [n for n, each in enumerate(fits) if suits(each)]
        if good:  # rather where the word stands for itself
            return part, *ways[min(good, key=lambda n: here not in fits[n].words)]
    meant = [(_said(word), *parts[1:]) for word in sorted(known)]
    instead = [then for then in meant if suits(fit(tree.Item(then, span=item.span), patterns))]
    if len(instead) == 1 and len(parts) > 1 and (word_of(parts[0]) or "?") not in {"?", *known}:
        return parts[0], "instead", instead[0]
    others = [
        (part, (*parts[:i], _said(word), *parts[i + 1 :]))
        for i, part in enumerate(parts) if word_of(part) in known
        for word in sorted(known - {word_of(part)})
    ]  # fmt: skip
    fitting = [each for each in others if suits(fit(tree.Item(each[1], span=item.span), patterns))]
    if len(fitting) == 1:
        return fitting[0][0], "other", fitting[0][1]
    return (parts[0], "order", right[0]) if right else None


def suits_all(found: Fit) -> bool:
    """Say whether an item follows a pattern with numbers of the dimensions that are due."""
    return found.ok and all(
        not isinstance(each.node, tree.Number) or not each.node.unit
        or each.kind not in QUANTITIES
        or alike(parse_unit(each.node.unit).dimension, QUANTITIES[each.kind])
        for each in found.values
    )  # fmt: skip


def _said(word: str) -> tree.Path:
    return tree.Path((tree.Part(word),), span=(0, 0))


def begun(
    items: tuple[tree.Item, ...], patterns: tuple[str, ...], may_be: Callable[[Value], bool]
) -> dict[tree.Item, str]:
    """Return the items that fit no pattern, with the one word that lacks before each of them."""
    lacks = [each for each in items if not fit(each, patterns).ok]
    for word in sorted({each.partition(" ")[0] for each in patterns if each[0] not in "<["}):
        fits = [fit(tree.Item((_said(word), *each.parts)), patterns) for each in lacks]
        if all(suits_all(each) and all(map(may_be, each.values)) for each in fits):
            return dict.fromkeys(lacks, word)
    return {}


def takes_more(
    item: tree.Item, found: Fit, patterns: tuple[str, ...], known: Callable[[Value], bool]
) -> bool:
    """Say whether what fits of an item, and what is left of it, would be items of their own."""
    parts = item.parts[: found.reached], item.parts[found.reached :]
    fits = [fit(tree.Item(each, span=item.span), patterns) for each in parts]
    return all(each.ok and all(map(known, each.values)) for each in fits)


def first_word(pattern: str) -> str:
    """Return the first word of a pattern that is not left out."""
    return re.sub(r"\[[^]]*\] *", "", pattern).partition(" ")[0]


def shortest(patterns: tuple[str, ...]) -> str:
    """Return the first pattern without what may be left out."""
    return re.sub(r" ?\[[^]]*\](\.\.\.)?", "", patterns[0])


def unit_guess(word: str, kind: str = "") -> str:
    """Return a suggestion for a word that was meant as a unit of ``kind``, "" for none."""
    guess = unit_meant(word)
    if guess and kind in QUANTITIES and not alike(parse_unit(guess).dimension, QUANTITIES[kind]):
        return ""
    return f"did you mean '{guess}'?" if guess else ""


class _Fitting:
    """How the parts of an item fit one pattern, from the first on."""

    def __init__(self, parts: tuple[tree.Expression, ...], pattern: str) -> None:
        self.parts = parts
        self.pattern = pattern
        self.i = 0
        self.words: list[str] = []
        self.values: list[Value] = []
        self.passed: list[str] = []  # what could have stood here besides
        self.due: tuple[str, ...] = ()

    def result(self) -> Fit:
        """Return the fit."""
        waiting = list(groups(self.pattern))
        while waiting and not self.due:
            if not waiting[0].optional:
                self._take(waiting.pop(0))
                continue
            # neighbours that may be left out stand in any order
            run = next((n for n, each in enumerate(waiting) if not each.optional), len(waiting))
            after = waiting[run].steps[0] if run < len(waiting) else None
            begun = next(
                (each for each in waiting[:run] if self._begins(each.steps[0], after)), None
            )
            if begun is None:
                self.passed += [each.steps[0].shown for each in waiting[:run]]
                del waiting[:run]
                continue
            if not begun.many:
                waiting.remove(begun)
            self._take(begun)
        if not self.due and self.i < len(self.parts):
            self.due = (*self.passed, "the end")
        return Fit(self.pattern, tuple(self.values), tuple(self.words), self.i, self.due)

    def _begins(self, step: Step, after: Step | None) -> bool:
        """Say whether an optional group begins here; ``after`` is what must follow it."""
        if not self._matches(step):
            return False
        if step.word or not word_of(self.parts[self.i]):
            return True
        # a name that is a value: what is due after it has to follow
        return after is not None and word_of(self.parts[self.i]) != after.word and (
            self.i + 1 < len(self.parts) and word_of(self.parts[self.i + 1]) == after.word
        )  # fmt: skip

    def _matches(self, step: Step) -> bool:
        if self.i >= len(self.parts):
            return False
        part = self.parts[self.i]
        if step.word or word_of(part) in LINKS:
            return word_of(part) == step.word
        return could_be(part, step.kind)

    def _stands_for_later(self, step: Step, left: int) -> bool:
        """Say whether a word is no number, because too few parts would be left for what follows."""
        named = step.kind in QUANTITIES and bool(word_of(self.parts[self.i]))
        return named and len(self.parts) - self.i < left

    def _take(self, group: Group) -> None:
        for number, step in enumerate(group.steps):
            left = len(group.steps) - number
            if not self._matches(step) or self._stands_for_later(step, left):
                self.due = (*self.passed, step.shown)
                return
            if step.kind:
                # a value belongs to the word right before it
                before = word_of(self.parts[self.i - 1]) if self.i else ""
                after = before if before and before == (self.words or [""])[-1] else ""
                self.values.append(Value(step.kind, after, self.parts[self.i]))
            else:
                self.words.append(step.word)
            self.i += 1
            self.passed = []
