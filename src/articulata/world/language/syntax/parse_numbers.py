"""Parsing numbers and the units after them."""

from __future__ import annotations

import math

from articulata.world.language.syntax.parentheses import has_comma
from articulata.world.language.syntax.reader import Reader
from articulata.world.language.syntax.tree import Number
from articulata.world.language.units import HIGHEST_EXPONENT, UNITS, powered


def number(r: Reader) -> Number:
    """Parse a number and the unit that follows it; within a unit there are no blanks."""
    i = r.i
    word = r.words[i]
    value = float(word)
    j = i + 1
    if value == math.inf:
        r.error_here(
            "too-large", f"{word[:30]} is larger than any number that can be computed with",
            "write a smaller number",
        )  # fmt: skip
        value = 0.0
    kinds, words = r.kinds, r.words
    if kinds[j] != "name" and kinds[j] != "in":
        r.i = j
        return Number(value, "", span=r.spans[i])
    if kinds[j] != "name" or words[j] not in UNITS or r.new_line(j):
        r.i = j
        if (kinds[j] == "name" or kinds[j] == "in") and not r.new_line(j):
            _no_unit(r, j)
        return Number(value, "", span=r.spans[i])
    unit, j = _unit(r, j)
    r.i = j
    return Number(value, unit, span=(r.starts[i], r.spans[j - 1][1]))


_AFTER_NUMBERS = frozenset(("turned", "about", "scaled", "as", "limits", "breaks", "driven", "of",
                            "restitution", "friction", "on", "toward", "pointing",
                            "every"))  # fmt: skip


def _no_unit(r: Reader, j: int) -> None:
    """Report the word after a number when it can only have been meant as a unit, and pass it."""
    kinds = r.kinds
    if r.words[j] in _AFTER_NUMBERS or kinds[j + 1] in (":", "=", ".", "[", "("):
        return
    if r.list_at >= 0:
        if not has_comma(r, r.list_at):
            return
    elif r.juxtapose:
        return
    r.unknown_unit(j)
    end = r.starts[j] + len(r.words[j])
    j += 1
    while kinds[j] in ("^", "*", "/") and r.starts[j] == end and kinds[j + 1] in ("name", "number"):
        end = r.starts[j + 1] + len(r.words[j + 1])
        j += 2
    r.i = j


def _unit(r: Reader, j: int) -> tuple[str, int]:
    """Read the unit at token ``j``; return it and the token after it."""
    kinds, words, starts = r.kinds, r.words, r.starts
    unit = words[j]
    end = starts[j] + len(unit)
    j += 1
    while kinds[j] in ("^", "*", "/") and starts[j] == end:
        following, k = words[j + 1], j + 1
        if kinds[j] == "^":
            if words[k] == "-":
                k += 1
                following = "-" + words[k]
            if (
                kinds[k] != "number"
                or not words[k].isdigit()
                or int(words[k][:4]) > HIGHEST_EXPONENT
            ):
                r.findings.error(
                    "unknown-unit", (starts[k], starts[k] + max(1, len(words[k]))),
                    f"a unit's power is a whole number up to {HIGHEST_EXPONENT}",
                    "write m^2 or m^3",
                )  # fmt: skip
                following = "1"
        elif kinds[k] != "name" or following not in UNITS or starts[k] != end + 1:
            if kinds[k] == "name" and starts[k] == end + 1 and (meant := powered(following)):
                r.findings.error(
                    "unknown-unit", r.token_span(k), f"'{following}' is not a unit",
                    f"write {unit}{kinds[j]}{meant}",
                )  # fmt: skip
                unit += kinds[j] + meant
                j = k + 1
            break
        elif kinds[k + 1] == "(" and starts[k + 1] == starts[k] + len(following):
            break  # a function called like a unit: 2 N*min(a, b)
        unit += kinds[j] + following
        end = starts[k] + len(words[k])
        j = k + 1
    return unit, j
