"""Which of several words is meant by one that is none of them: the one ranking of candidates.

``words.csv`` holds what people write who come from other programs: rows with a word of ours and
what others call it, the first that is known where it stands, and rows without one, whose words
share a sense. Names are compared by their parts: ``maxVelocity`` means ``speed``, ``seat_height``
means ``high`` where ``wide``, ``deep`` and ``high`` are known.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

OTHER_WORDS: Final[dict[str, tuple[str, ...]]] = {}
"""Words of ours that a word of others means, the likest first."""

OURS: Final[set[str]] = set()
"""Words of ours that others have words for."""

SENSES: Final[dict[str, set[int]]] = {}
"""Numbers of the senses that a word has."""


def _read_words() -> None:
    with (Path(__file__).parent / "words.csv").open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file)):
            OURS.add(row["ours"])
            for each in row["theirs"].split():
                if row["ours"]:
                    OTHER_WORDS[each] = (*OTHER_WORDS.get(each, ()), row["ours"])
                else:
                    SENSES.setdefault(each, set()).add(number)


_read_words()

SIDES: Final = {"left": "l", "right": "r"}
_MINOR: Final = frozenset((
    "max", "maximum", "min", "minimum", "coefficient", "coeff", "constant", "of", "the", "value",
    "is", "number", "n", "total", "joint", "size", "factor", "limit", "per", "in",
))  # fmt: skip
"""Parts of a name that say little."""

LIKELY: Final = 1000
"""Among how many candidates a guess is looked for one by one."""

LONGEST: Final = 60
"""Characters of a word that a guess is made for; a longer one stands for no name."""

_CLEAR, _EVEN = 0.45, 0.02
"""How like a candidate is at least that is named, and what is as like as another."""


def other_word(word: str, known: Collection[str]) -> str:
    """Return the known word that a word of another program means, or ``""``."""
    lower = re.sub(r"(?<=[a-z\d])(?=[A-Z])", "_", word).lower()
    if lower != word and lower in known:
        return lower
    plain = lower.replace("_", "").removesuffix("joint")
    meant = OTHER_WORDS.get(lower) or OTHER_WORDS.get(plain, ())
    if found := next((each for each in meant if each in known), ""):
        return found
    if len(lower) < 2 or lower in known or lower in OURS:
        return ""  # a letter says too little, and a word of ours is meant as it is
    senses = SENSES.get(lower) or SENSES.get(plain) or set()
    alike = [each for each in known if senses and senses & SENSES.get(each, set())]
    return max(alike, key=lambda each: _relation(lower, each), default="")


def distance(a: str, b: str, most: int) -> int:
    """Return how many letters differ between ``a`` and ``b``, or ``most + 1`` when more do.

    A letter changed, added, left out, or two neighbours exchanged count one each (optimal string
    alignment).
    """
    if abs(len(a) - len(b)) > most:
        return most + 1
    before, previous, row = [0], [0], list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        before, previous, row = previous, row, [i] + [0] * len(b)
        for j, other in enumerate(b, 1):
            cost = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == b[j - 2] and a[i - 2] == other:
                cost = min(cost, before[j - 2] + 1)
            row[j] = cost
        if min(row) > most:
            return most + 1
    return row[-1]


def plausible(word: str, candidates: Iterable[str]) -> list[str]:
    """Return the candidates that are worth comparing with ``word``: all of them unless many.

    Of many, those that begin or end like it and are about as long; texts with thousands of names
    in one place would otherwise spend seconds on guesses.
    """
    all_of_them = list(candidates)
    if len(all_of_them) <= LIKELY or not word:
        return all_of_them
    first, last, length = word[0], word[-1], len(word)
    alike = [
        each for each in all_of_them
        if each and abs(len(each) - length) <= 3 and (each[0] == first or each[-1] == last)
    ]  # fmt: skip
    return alike[:LIKELY]


# ---- how like two words are


@cache
def _parts(name: str) -> tuple[str, ...]:
    """Return the words of a name, sides by their letters."""
    return tuple(SIDES.get(each, each) for each in _plain(name).split("_") if each)


def _plain(name: str) -> str:
    return re.sub(r"(?<=[a-z\d])(?=[A-Z])|[\s.\-]", "_", name.strip('"')).lower()


def _stem(word: str) -> str:
    ending = next((e for e in ("ing", "ed", "es", "s", "e") if word.endswith(e)), "")
    return word.removesuffix(ending) if len(word) > len(ending) + 2 else word


@lru_cache(20_000)
def _relation(word: str, candidate: str) -> float:
    """Return how like one word is to another, from 0 to 1: meant, of one sense, begun, misspelt."""
    if word == candidate:
        return 1.0
    if candidate in (meant := OTHER_WORDS.get(word, ())):
        return 0.98 - 0.01 * meant.index(candidate)
    if SENSES.get(word, set()) & SENSES.get(candidate, set()):
        return 0.89 if word[:3] == candidate[:3] else 0.86
    if min(len(word), len(candidate)) > 2 and _stem(word) == _stem(candidate):
        return 0.9
    most = 1 if len(word) <= 3 else 2 if len(word) <= 7 else 3
    cost = distance(word, candidate, most)
    known = 0.2 * (word in OTHER_WORDS or word in SENSES)  # it is spelt as it is meant
    longer = max(len(word), len(candidate))
    if cost <= most and (cost < 0.45 * longer or cost == 1 < longer):
        return 0.82 - 0.09 * cost - known
    short = min(len(word), len(candidate))
    if short > 2 and (candidate.startswith(word) or word.startswith(candidate)):
        return 0.5
    if short > 3 and (candidate.endswith(word) or word.endswith(candidate)):
        return 0.6  # the last part of a word says what it is: a washbasin is a basin
    return 0.0


def likeness(word: str, candidate: str) -> float:
    """Return how like a name is to another, from 0 to 1, as wholes or by their parts."""
    ours, theirs = _parts(word), _parts(candidate)
    whole = _relation(_plain(word), _plain(candidate))
    if "".join(ours) == "".join(theirs):
        return 1.0 if _plain(word) == _plain(candidate) else 0.99
    if len(ours) + len(theirs) < 3 or not ours or not theirs:
        return whole
    if {"l", "r"} <= {*ours} ^ {*theirs}:
        return 0.0  # of the other side
    head = 0.03 * (ours[-1] == theirs[-1])  # a wall cupboard is a cupboard
    return max(whole, _by_parts(ours, theirs) + head)


def _by_parts(ours: tuple[str, ...], theirs: tuple[str, ...]) -> float:
    """Return how much of two names is alike, where one of them is found whole in the other."""
    rows = [(_relation("_".join(ours[a:b]), "_".join(theirs[c:d])), {*range(a, b)}, {*range(c, d)})
            for a, b in _runs(ours) for c, d in _runs(theirs)]  # fmt: skip
    left, due, held = {*range(len(ours))}, {*range(len(theirs))}, 0.0
    for like, some, others in sorted(rows, key=lambda row: -row[0] - 0.01 * len(row[1] | row[2])):
        if like > 0.49 and some <= left and others <= due:
            held += like * (_weight(ours, some) + _weight(theirs, others))
            left -= some
            due -= others
    if any(ours[i] not in _MINOR for i in left) and any(theirs[i] not in _MINOR for i in due):
        return 0.0
    whole = _weight(ours, range(len(ours))) + _weight(theirs, range(len(theirs)))
    return 0.96 * held / whole


def _runs(parts: tuple[str, ...]) -> list[tuple[int, int]]:
    """Return from where to where up to three parts of a name stand side by side."""
    return [(i, i + n) for n in (1, 2, 3) for i in range(len(parts) - n + 1)]


def _weight(parts: tuple[str, ...], some: Iterable[int]) -> float:
    return sum(0.3 if parts[i] in _MINOR else 1.0 for i in some)


def ranked(word: str, candidates: Iterable[str]) -> list[tuple[float, str]]:
    """Return candidates with how like each is to ``word``, the likest first."""
    return list(_ranked(word, tuple(dict.fromkeys(candidates))))


@lru_cache(500)
def _ranked(word: str, candidates: tuple[str, ...]) -> tuple[tuple[float, str], ...]:
    if not word or len(word) > LONGEST:
        return tuple((0.0, each) for each in candidates)
    found = [(likeness(word, each), each) for each in plausible(word, candidates)]
    return tuple(sorted(found, key=lambda each: -each[0]))


def likest(word: str, candidates: Iterable[str]) -> list[str]:
    """Return the candidates that ``word`` most likely stands for, which are alike."""
    known = tuple(candidates)
    if meant := other_word(word, known):
        return [meant]
    found = ranked(word, known)
    best = found[0][0] if found else 0.0
    return [each for like, each in found if like > max(_CLEAR, best - _EVEN)]


def closest(word: str, candidates: Iterable[str]) -> str:
    """Return the candidate that ``word`` most likely stands for, or ``""``."""
    found = likest(word, candidates)
    if len(found) > 1:
        one, two = (set(_parts(each)) for each in found[:2])
        if one ^ two == {"l", "r"} or (len(_parts(word)) == 1 < len(one)):
            return ""  # it is a part of each of them
    return found[0] if found else ""


def in_one_word(text: str, candidates: Iterable[str]) -> str:
    """Return the candidate that several words of a text stand for, or ``""``."""
    found = ranked(re.sub(r"\W+", "_", text), candidates)
    return found[0][1] if found and found[0][0] > 0.7 and len(_parts(text)) > 1 else ""


def did_you_mean(word: str, candidates: Sequence[str], otherwise: str = "") -> str:
    """Return a suggestion for ``word``: the closest candidates, all of them, or to make one."""
    one = closest(word, candidates)
    if found := [one] if one else likest(word, candidates):
        return f"did you mean {listed([repr(each) for each in found], most=4)}?"
    return otherwise or (f"use {nearest(word, candidates)}" if candidates else "define it first")


def nearest(word: str, candidates: Sequence[str]) -> str:
    """Return candidates as a list to read: of many the five likest, and how many more there are."""
    many = list(dict.fromkeys(candidates))
    if len(many) < 12 or len(many) > LIKELY:
        return listed(many)
    first = [each for _, each in ranked(word, many)][:5]
    return f"{', '.join(first)}, or one of {len(many) - 5} more"


def listed(words: Sequence[str], last: str = "or", most: int = 12) -> str:
    """Return words as a list to read: ``a, b or c``."""
    unique = list(dict.fromkeys(words))
    if len(unique) > most:
        return ", ".join(unique[:most]) + " ..."
    if len(unique) <= 1:
        return "".join(unique)
    return f"{', '.join(unique[:-1])} {last} {unique[-1]}"
