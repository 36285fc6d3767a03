"""Forms of what may be written, filled with what a faulty entry holds.

A form is an example or a pattern: ``<kind>`` and each number are places for a value, ``[...]`` may
be left out, ``[...]...`` may stand several times, all else is a word. ``filled`` takes the numbers,
names, texts and groups of an entry, puts each where its dimension or kind fits, and shows the form
that holds the most of the entry's words first. What the entry lacks is taken from examples.

>>> filled(("<mass> in <part>",), "1.5 kg at r_grip")
'1.5 kg in r_grip'
>>> filled(("grid <length> in <path>", "<target>"), "50 cm in floor")
'grid 50 cm in floor'
>>> filled(("breaks at 500 N",), "breaks 20 N")
'breaks at 20 N'
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from articulata.world.language.meant_words import listed, other_word
from articulata.world.language.units import (
    QUANTITIES,
    Dimension,
    alike,
    parse_unit,
    restated,
)
from articulata.world.language.vocabulary import Signature, Slot

Knows = Callable[[str, str], bool | None]
"""Whether a text is a value of a kind; None where nothing is known of it."""

_NUMBER = r"\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?:[ \t]?[A-Za-z]\w*(?:[*/^]-?\w+)*)?"
_SLOT = re.compile(rf"<(?P<kind>\w+)>|(?<![\w.\[])(?P<example>{_NUMBER})(?!\w|\.\.)|(?P<word>\w+)")
_GROUP = re.compile(r"(?<![\w>\])])\[(?P<inner>[^\]]*)\](?P<many>\.\.\.)? *")
_TOKEN = re.compile(
    rf"""(?P<text>"[^"\n]*"?)|(?P<number>(?<![\w)])-?{_NUMBER})
    |(?P<path>[^\W\d]\w*(?:\[[^\]\n]*\])?(?:\.[^\W\d]\w*(?:\[[^\]\n]*\])?)*)|(?P<sign>[-+*/^])
    |(?P<group>\()|[^\s]""",
    re.VERBOSE,
)
_FITS: Mapping[str, Mapping[str, int]] = MappingProxyType({
    "path": {"path": 3, "word": 2}, "paths": {"path": 3, "word": 2},
    "target": {"path": 3, "word": 2, "group": 2}, "point": {"group": 3, "path": 1},
    "direction": {"axis": 3, "group": 2}, "times": {"group": 3},
    "tolerance": {"group": 3, "number": 3},
    "part": {"text": 3, "word": 2}, "joint": {"text": 3, "word": 2},
    "text": {"text": 3}, "port": {"text": 3}, "figure": {"call": 2, "word": 2},
    "lens": {"call": 3}, "parameter": {"word": 3}, "value": {"number": 3, "value": 2},
    "bound": {"number": 3, "value": 2},
    "values": {"group": 3},
    "body": {"body": 3, "word": 2}, "feature": {"feature": 3},
    "world": {"call": 2, "word": 2}, "device": {"word": 2},
})  # fmt: skip
"""How well an atom of a form stands for a kind that is no quantity."""

_PLACE = re.compile(r"(?P<before>[-+*/^] ?)?\{(?P<name>\w+)\}(?P<after>(?= ?[-+*/^]))?")


def put_in(form: str, values: Mapping[str, str]) -> str:
    """Return ``form`` with ``values`` in its places, "" where one of them is not given.

    What is more than one term stands in parentheses beside an operator.

    >>> put_in("2*{0} + exp({0}) + {1}^2", {"0": "a + b", "1": "3 m"})
    '2*(a + b) + exp(a + b) + (3 m)^2'
    """

    def placed(place: re.Match[str]) -> str:
        shown = values[place["name"]]
        held, raised = atoms(shown), form[place.end() : place.end() + 1] == "^"
        many = len(held) > 1 or any(each.form == "value" for each in held)
        signed = shown[:1] in "+-" and (place["before"] is not None or raised)
        bound = place["before"] is not None or place["after"] is not None
        if (many and bound) or signed or (raised and any(each.dimension for each in held)):
            shown = f"({shown})"
        return f"{place['before'] or ''}{shown}"

    given = all(place["name"] in values for place in _PLACE.finditer(form))
    return _PLACE.sub(placed, form) if given else ""


_BETWEEN = frozenset(("at", "in", "on", "of", "to", "from", "by", "with", "about", "toward", "and",
                      "as", "into", "within", "every", "for", "is"))  # fmt: skip
"""Words that stand between values and are none."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A value, word or group of an entry; ``inner`` are those in its parentheses."""

    text: str
    form: str
    dimension: Dimension | None = None
    inner: tuple[Atom, ...] = ()


def atoms(entry: str) -> tuple[Atom, ...]:
    """Return what an entry holds, in order; sums and products are one value."""
    found: list[Atom] = []
    at, joined, sign = 0, "", ""
    while (token := _TOKEN.search(entry, at)) is not None:
        at, atom = token.end(), None
        if token["sign"]:
            own = (
                token["sign"] == "-"
                and entry[token.start() - 1 :][:1] in " ("
                and entry[at:][:1] != " "
            )
            sign, joined = ("-", "") if own or not found else ("", token["sign"])
            continue
        if token["text"]:
            atom = Atom(token["text"], "text")
        elif token["number"]:
            atom, length = _number(token["number"])
            at = token.start() + length
        elif token["path"]:
            word = token["path"]
            called = entry[at : at + 1] == "("
            form = "axis" if word in ("x", "y", "z") else "word" if word.isidentifier() else "path"
            body, _, feature = word.rpartition(".")
            parts = (Atom(body, "body"), Atom(feature, "feature")) if body else ()
            atom = Atom(word, form, None, parts)
            if called:
                inner, at = _group(entry, at)
                atom = Atom(f"{word}{inner}", "call", None, atoms(inner[1:-1]))
        elif token["group"]:
            inner, at = _group(entry, token.start())
            atom = Atom(inner, "group", None, atoms(inner[1:-1]))
        if atom is not None and sign:
            atom = replace(atom, text=f"-{atom.text}")
        sign = ""
        if atom is None:
            joined = ""
        elif joined:
            before = found.pop()
            found.append(Atom(f"{before.text} {joined} {atom.text}", "value"))
            joined = ""
        else:
            found.append(atom)
    return tuple(found)


def _number(text: str) -> tuple[Atom, int]:
    """Return a number with its unit, and how long it is: a word behind it may be none."""
    value, unit = re.fullmatch(r"(-?[\d.]+(?:[eE][-+]?\d+)?)[ \t]?(.*)", text).groups()  # type: ignore[union-attr] # as it was found
    if not unit:
        return Atom(text, "number"), len(text)
    try:
        return Atom(text, "number", parse_unit(unit).dimension), len(text)
    except KeyError:
        return Atom(value, "number"), len(value)


def _group(entry: str, start: int) -> tuple[str, int]:
    """Return what stands in the parentheses that open at ``start``, with them, and their end."""
    depth = 0
    for i in range(start, len(entry)):
        depth += (entry[i] == "(") - (entry[i] == ")")
        if depth == 0:
            return entry[start : i + 1], i + 1
    return f"{entry[start:]})", len(entry)


def _meant(found: tuple[Atom, ...], words: frozenset[str], knows: Knows) -> list[Atom]:
    """Return what an entry holds with words of other programs as those of the forms.

    Three angles after a word for a turn are turns about x, y and z.
    """
    result: list[Atom] = []
    for atom in found:
        name = atom.text.partition("(")[0]
        meant = "" if name in words or knows("path", name) else other_word(name, words)
        turned = result and result[-1].text == "turned" and atom.form == "group"
        inner = atom.inner if meant == "turned" or turned else ()
        if len(inner) == 3 and all(each.form == "number" for each in inner):
            if turned:
                del result[-1]
            unit = "rad" if max(abs(float(each.text.split()[0])) for each in inner) < 7 else "deg"
            for angle, axis in zip(inner, "xyz", strict=True):
                if float(angle.text.split()[0]):
                    shown = angle.text if angle.dimension else f"{angle.text} {unit}"
                    result += atoms(f"turned {shown} about {axis}")
        elif meant and atom.form == "call":
            result += atoms(f"{meant} {atom.text[len(name) :]}")
        else:
            result.append(Atom(meant, "word") if meant and atom.form == "word" else atom)
    return result


@dataclass(slots=True)
class _Filling:
    """One form while it is filled: atoms that are left, and how well it suits them.

    ``words`` are those of all forms, which are no values.
    """

    left: list[Atom]
    words: frozenset[str]
    examples: Mapping[str, str]
    knows: Knows
    counts: bool = False
    """Whether the form takes plain numbers, so that those have no units of the file."""
    kinds: frozenset[str] = frozenset()
    """Quantities that the form has places for: a number of one of them is none of another."""
    score: int = 0
    lacks: int = 0

    def whole(self, form: str) -> str:
        """Return the form filled."""
        done, at = "", 0
        claimed = frozenset(
            slot["kind"] for group in _GROUP.finditer(form) if self.called(group["inner"])
            for slot in _SLOT.finditer(group["inner"]) if slot["kind"]
        )  # fmt: skip
        for group in _GROUP.finditer(form):
            done += self.plain(form[at : group.start()])
            at = group.end()
            while self.called(group["inner"]) or self.begun(group["inner"], claimed):
                done = f"{done.rstrip()} {self.plain(group['inner'])} ".lstrip()
                if not group["many"]:
                    break
        done += self.plain(form[at:])
        self.score -= sum(atom.text not in self.words for atom in self.left)
        return done.strip()

    def called(self, group: str) -> bool:
        """Say whether the entry holds the word with which a group begins."""
        slot = _SLOT.search(group)
        word = slot["word"] if slot else None
        return bool(word) and any(each.text == word for each in self.left)

    def begun(self, group: str, claimed: frozenset[str]) -> bool:
        """Say whether the entry holds what a group takes, and no other group is called for it."""
        slots = [*_SLOT.finditer(group)]
        kinds = [each["kind"] for each in slots if each["kind"]]
        if slots and slots[0]["word"] and claimed.intersection(kinds):
            return False
        return bool(kinds) and all(
            any(self.rank(kind, atom) > 2 for atom in self.left) for kind in kinds
        )

    def plain(self, form: str) -> str:
        """Fill a form without what may be left out."""
        return _SLOT.sub(self.slot, form)

    def slot(self, slot: re.Match[str]) -> str:
        """Return what stands for one place of a form."""
        if slot["word"]:
            held = next((atom for atom in self.left if atom.text == slot[0]), None)
            self.score += 3 if held else -1
            if held:
                self.left.remove(held)
            return slot[0]
        kind = slot["kind"] or ""
        example = self.examples.get(kind, f"<{kind}>")
        if slot["example"]:
            shown, length = _number(slot["example"])
            kind = next((k for k, each in QUANTITIES.items() if each == shown.dimension), "number")
            example, after = shown.text, slot["example"][length:]
            return f"{self.value(kind, example)}{after}"
        return self.value(kind, example)

    def value(self, kind: str, example: str) -> str:
        """Return the value of the entry that stands for ``kind`` best, else the example."""
        if kind == "times":
            self.pair(example)
        points = kind in QUANTITIES  # no number of a point is a quantity of its own
        inner = [each for atom in self.left for each in atom.inner
                 if not (points and atom.form == "group" and len(atom.inner) == 3)]  # fmt: skip
        best = max((*self.left, *inner), key=lambda atom: self.rank(kind, atom), default=None)
        rank = self.rank(kind, best) if best is not None else 0
        if best is None or rank == 0:
            self.score -= 1
            count, self.lacks = len(self.left), self.lacks + 1
            shown = self.plain(example) if example.endswith(")") and example[0] != "(" else example
            self.lacks -= len(self.left) < count
            return shown
        self.score += rank
        self.take(best)
        if kind in QUANTITIES and best.dimension is not None:
            return restated(best.text, kind)
        return (
            best.text.strip('"').removesuffix(".art") if kind in ("world", "figure") else best.text
        )

    def pair(self, example: str) -> None:
        """Make a step and an end of the one time that is given, or of two that stand apart."""
        inner = (each for atom in self.left for each in (atom, *atom.inner))
        given = [atom for atom in inner if atom.dimension == QUANTITIES["time"]]
        if len(given) == 2:
            step, end = sorted((each.text for each in given), key=_seconds)
            for each in given:
                self.take(each)
            self.left += atoms(f"({step}, {end})")
        if len(given) == 1:
            usual = example if example.startswith("(") else "(10 ms, 10 s)"
            step, end = (each.text for each in atoms(usual)[0].inner)
            self.take(given[0])
            short = _seconds(given[0].text) <= _seconds(step)
            shown = f"({given[0].text}, {end})" if short else f"({step}, {given[0].text})"
            self.left += atoms(shown)

    def take(self, atom: Atom) -> None:
        """Use an atom up, with what it holds or what holds it."""
        for i, each in enumerate(self.left):
            if each is atom:
                del self.left[i]
                return
            if any(inner is atom for inner in each.inner):
                self.left[i : i + 1] = [inner for inner in each.inner if inner is not atom]
                return

    def rank(self, kind: str, atom: Atom) -> int:
        """Return how well an atom stands for a kind, 0 for not at all."""
        if atom.text in self.words:
            return 0
        if kind in QUANTITIES:
            if atom.form != "number":
                return int(atom.form == "value")
            if atom.dimension is None:
                return 1 if self.counts and kind not in ("number", "count") else 3
            due = QUANTITIES[kind]
            inverse = kind == "time" and atom.dimension == QUANTITIES["frequency"]
            if inverse or alike(atom.dimension, due):
                return 3
            elsewhere = any(alike(atom.dimension, QUANTITIES[each]) for each in self.kinds - {kind})
            return int(not elsewhere and restated(atom.text, kind) != atom.text)
        told = self.knows(kind, atom.text.partition("(")[0].strip('"').removesuffix(".art"))
        if told is not None and atom.form not in ("number", "group"):
            return 4 if told else 0
        if (
            atom.form == "group"
            and kind != "values"
            and len(atom.inner) != (2 if kind in ("times", "tolerance") else 3)
        ):
            return 0
        return _FITS.get(kind, {}).get(atom.form, 0)


def _seconds(text: str) -> float:
    value, unit = re.fullmatch(r"([-\d.]+(?:[eE][-+]?\d+)?) *(.*)", text).groups()  # type: ignore[union-attr] # a number with its unit
    return float(value) * parse_unit(unit).factor


def filled(
    forms: Sequence[str],
    entry: str,
    examples: Mapping[str, str] = MappingProxyType({}),
    knows: Knows = lambda kind, text: None,
    more: str = "",
    whole: bool = False,
) -> str:
    """Return forms filled with what ``entry`` holds, those that suit it best first.

    One that holds all of it stands alone. ``examples`` show kinds that the entry holds no value of,
    ``knows`` tells names apart, ``more`` is what stands beside the entry and may belong to it.
    ``whole``: "" where nothing but an example would stand somewhere.
    """
    shown = _filled(forms, entry, examples, knows, more, whole)
    opened = _CALL.sub(r"\1 \2", entry)
    if shown == entry and opened != entry:  # it is no call
        shown = _filled(forms, opened, examples, knows, more, whole)
    return shown


_CALL = re.compile(r"^(\w+)\((?:\w+[ \t]*[:=][ \t]*)?([^()]*)\)$")
"""A word with one value in parentheses, which a clause has without them."""


_RANGE = re.compile(
    r"(?<![\w.-])(-?\d+(?:\.\d+)?)( ?[a-zA-Z]\w*)?(?:-| - | ?\.\.\.? ?|:)"
    r"(-?\d[\d.]*)( ?[a-zA-Z]\w*)?"
)


_LESS = r"<=?|\b(?:is )?(?:(?:less|smaller|lower) than|at most|under|up to)\b"
_MORE = r">=?|\b(?:is )?(?:(?:more|greater|larger|higher) than|at least|over)\b"


def _both_ends(found: re.Match[str]) -> str:
    """Return two ends of a range, each with its unit."""
    low, unit, high, other = found.groups(default="")
    return f"{low}{unit or other} to {high}{other or unit}"


def _filled(
    forms: Sequence[str], entry: str, examples: Mapping[str, str], knows: Knows, more: str,
    whole: bool,
) -> str:  # fmt: skip
    begun = entry.partition(" ")[0]
    forms = [each for each in forms if each.partition(" ")[0] == begun] or forms
    found = []
    words = _BETWEEN.union(m["word"] for f in forms for m in _SLOT.finditer(f) if m["word"])
    if any("> to <" in each for each in forms):
        entry = _RANGE.sub(_both_ends, entry)
    if "below" in words:
        entry = re.sub(_LESS, " below ", re.sub(_MORE, " above ", entry))
    entry = re.sub(rf"\b({'|'.join(words - _BETWEEN) or '(?!)'})\(([\w.\[\]]+)\)", r"\1 \2", entry)
    for form in forms:
        counts = "<number>" in form or "<count>" in form
        for text in (entry, more) if more else (entry,):
            kinds = QUANTITIES.keys() & set(re.findall(r"<(\w+)>", form))
            filling = _Filling(_meant(atoms(text), words, knows), words, examples, knows, counts,
                               frozenset(kinds))  # fmt: skip
            shown = filling.whole(form)
            if not filling.lacks:
                break
        alone = not any(atom.text not in words for atom in filling.left)
        found.append((filling.score, alone and not filling.lacks, shown))
    if whole and not any(each[1] for each in found):
        return ""
    found.sort(key=lambda each: -each[0])
    if found[0][1] or (len(found) > 1 and found[0][0] > max(0, found[1][0] + 1)):
        return found[0][2]
    return listed([shown for _, _, shown in found], most=4)


def usual(given: Signature, slot: Slot) -> str:
    """Return the value of a parameter in the example of a signature, "" where it shows none."""
    values = given.example.partition("(")[2].rstrip(")").split(", ")
    named = dict(each.split(": ", 1) for each in values if ": " in each)
    place = given.slots.index(slot)
    plain = place < len(values) and ": " not in values[place]
    return named.get(slot.name, values[place] if plain else "")
