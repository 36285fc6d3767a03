"""What stands between parentheses: whether commas do, and whether the closing one is there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.declared_names import names_of
from articulata.world.language.syntax.grammar import RESERVED
from articulata.world.language.syntax.reader import Lost, Reader
from articulata.world.language.syntax.recovery import closing_of
from articulata.world.language.units import UNITS

ENDS = frozenset((";", "eof", "{", "}", "begin", "end", "where", "join", "place", "ignore",
                   "primitive", "composite", "world", "structure", "components", "import", "let",
                   "matching"))  # fmt: skip
"""Where parentheses cannot go on: the closing one is missing."""


def has_comma(r: Reader, opening: int) -> bool:
    """Say whether a comma stands directly in the parentheses opened at ``opening``."""
    known = r.commas.get(opening)
    if known is None:
        known = r.commas[opening] = _has_comma(r, opening)
    return known


def _has_comma(r: Reader, opening: int) -> bool:
    level = 0
    kinds = r.kinds
    i = opening
    while True:
        kind = kinds[i]
        if kind == "(" or kind == "[":
            level += 1
        elif kind == ")" or kind == "]":
            level -= 1
            if level <= 0:
                return False
        elif (kind == "," and level == 1) or kind in ENDS:
            return kind == ","
        i += 1


def never_closed(r: Reader, i: int, opening: int, items: Sequence[object], no_comma: bool) -> bool:
    """Report a missing ')' where what follows ``items`` cannot stand in parentheses."""
    begun = bool(items)
    kind = r.kinds[i]
    ends = kind in ENDS
    if not ends and no_comma and kind == "name" and r.new_line(i):
        ends = r.kinds[i + 1] in (":", "=", "{", "begin", "at") or r.kinds[i + 1] == "name"
        ends = ends and not (r.kinds[i + 1] == ":" and _closed_below(r, i, opening))
    if not ends and kind == "where":
        ends = True
    if not ends:
        return False
    if kind in RESERVED and begun and not no_comma:
        # "(a, end" : the word was meant as a value
        ends = r.new_line(i) or kind in ("end", "begin")
    if not begun:
        r.lost_before("missing-value", "a value and ')' are missing after '('", "add a value here")
    line, _ = r.source.position(r.starts[opening])
    last = getattr(items[-1], "value", items[-1]) if items else None
    if isinstance(last, t.Placed) and isinstance(last.value, t.Number):  # lens(28 mm at (0, 0, 1)
        at = last.value.span[1]
        r.findings.error("missing-sign", (at, at + 1), "')' is missing before 'at'", "add ')' here")
        return True
    where = "" if line == r.source.position(r.end_before())[0] else f" of the '(' on line {line}"
    r.error_before("missing-sign", f"')' is missing{where}", "add ')' here")
    return True


def _closed_below(r: Reader, i: int, opening: int) -> bool:
    """Say whether a ')' below token ``i`` closes what ``opening`` opens: a comma is missing."""
    end, closed = closing_of(r, opening)
    between = r.kinds[i:end]
    return closed and r.kinds[end] == ")" and ENDS.isdisjoint(between)


def check_gaps(r: Reader, gaps: list[int], commas: int, call: bool) -> None:
    """Commas are all there or none: report the first that is missing among others."""
    i = gaps[0]
    named = call and any(r.kinds[gap + 1] == ":" for gap in gaps)
    odd = r.words[i] in _GAPS or r.words[i - 1] in UNITS or _in_one_name(r, i)
    if odd and (commas or named or (call and r.words[i] in ("x", "by", "per"))):
        _odd_gap(r, i)
        return
    if commas or named:
        end = r.starts[i - 1] + len(r.words[i - 1])
        r.findings.error(
            "missing-sign", (end, end + 1), f"',' is missing before '{r.words[i]}'", "add ',' here"
        )


_GAPS = frozenset((*UNITS, *(f'"{unit}"' for unit in UNITS), "x", "by", "per"))
"""Words that stand where a comma is missing, and say something else."""


def _in_one_name(r: Reader, i: int) -> bool:
    """Say whether ``friction coefficient:`` or ``0.2.1`` stands here."""
    named = r.kinds[i - 1] == r.kinds[i] == "name" and r.kinds[i + 1] == ":"
    numbers = r.kinds[i - 1] == r.kinds[i] == "number"
    return (named and r.kinds[i - 2] in (",", "(")) or (numbers and r.words[i].startswith("."))


def _odd_gap(r: Reader, i: int) -> None:
    """Report what was written between two values in place of a comma, or of a sign."""
    word, before = r.words[i], r.words[i - 1]
    told, advice = f"'{word}' cannot stand here", f"remove '{word}'"
    if word == "per":
        told, advice = "units are divided by '/'", f"write {before}/{r.words[i + 1]}"
    elif word in ("x", "by"):
        told, advice = f"',' stands between values, not '{word}'", "write ','"
    elif r.kinds[i] == "number" and before in UNITS and r.kinds[i - 2] != "number":
        told, advice = "a unit stands after its number", f"write {word} {before}"
    elif word.startswith("."):
        told, advice = "a number has one decimal point", f"write {before}"
    elif r.kinds[i - 1] == "number":
        told, advice = "a unit stands without quotes", f"write {before} {word.strip(chr(34))}"
    elif before in UNITS and word in UNITS:
        told, advice = "units are joined by * or /", f"write {before}*{word}"
    elif word in UNITS:
        told, advice = "a unit stands right after a number", f"write * 1 {word}"
    elif before in UNITS and r.kinds[i - 2] == "number" and len(word) == 1:
        told, advice = "'*' stands between two factors", f"write '*' before '{word}'"
    elif r.kinds[i + 1] == ":" and r.kinds[i - 2] in (",", "("):
        told, advice = "a name is one word", f"write {before}:"
    else:
        end = r.spans[i - 1][1]
        r.findings.error("missing-sign", (end, end + 1), f"',' is missing before '{word}'",
                         "add ',' here")  # fmt: skip
        return
    r.findings.error("missing-sign", r.token_span(i), told, advice)


def as_parentheses(r: Reader) -> None:
    """Report ``[1, 2]`` or ``{1, 2}`` and read it as ``(1, 2)``; what has names is given up."""
    i, end = r.i, closing_of(r, r.i)[0]
    inner = r.kinds[i + 1 : end]
    shown = " ".join(r.text[r.spans[i][1] : r.starts[end]].split())[:60]
    told, advice = f"'{r.words[i]}' cannot begin a value", "values stand together in ( )"
    whole = r.kinds[i - 1] == "(" and r.kinds[end + 1] == ")" and r.kinds[i - 2] == "name"
    if whole:
        advice += f": remove '{r.words[i]}' and '{r.words[end]}'"
    elif ":" in inner:
        advice = f"named values stand in ( ) after what takes them: material({shown})"
    elif r.words[end + 1] == ".":
        advice = f"write what is numbered before it: name[{shown}]"
    elif r.kinds[end] != "eof":
        advice += f": write ({shown})"
    r.error_here("stray", told, advice)
    if not _NOT_IN_LISTS.isdisjoint(inner) or r.kinds[end] == "eof":
        raise Lost
    r.kinds[i], r.kinds[end] = "(", ")"


_NOT_IN_LISTS = frozenset((":", ";", "begin", "end"))


def as_call(r: Reader) -> None:
    """Report ``name[a, b]`` or ``name{a: b}`` after a name here, and read it as ``name(...)``."""
    i = r.i
    if r.starts[i] != r.end_before():
        return
    before = r.words[i - 1]
    told = "the number of a component stands in [ ]"
    if r.kinds[i] == "number" and r.words[i][0] == "." and before in names_of(r).arrays:
        span = r.starts[i - 1], r.spans[i][1]
        r.findings.error("stray", span, told, f"write {before}[{r.words[i].strip('.')}]")
        raise Lost
    numbered = r.kinds[i : i + 3] == ["(", "number", ")"] and before in names_of(r).arrays
    if numbered and r.kinds[i - 2] != ":":  # behind ':' it is a type
        shown = f"{r.words[i - 1]}[{r.words[i + 1]}]"
        r.error_here("stray", told, f"write {shown}")
        r.kinds[i], r.kinds[i + 2] = "[", "]"
    if r.kinds[i] not in ("[", "{"):
        return
    end, closed = closing_of(r, i)
    inner = r.kinds[i + 1 : end]
    if r.kinds[i] == "[":
        named = r.kinds[i + 1] == "name" and r.kinds[i + 2] == ":" and end > i + 4
        called = "," in inner or named or (inner == ["number", "name"])
    else:
        called = r.kinds[i - 2] in _BEFORE_CALLS
    called = called and RESERVED.isdisjoint(inner)
    if not closed or not called or any(r.new_line(each) for each in range(i, end + 1)):
        return
    shown = f"{r.words[i - 1]}({r.text[r.spans[i][1] : r.starts[end]]})"
    told = f"what '{r.words[i - 1]}' takes stands in ( )"
    if r.kinds[i + 1] == "number" and r.kinds[end + 1] == "." and inner[1:2] == [","]:
        told = "one number stands in [ ], or a run of them"
        shown = f"{r.words[i - 1]}[{r.words[i + 1]}..{r.words[end - 1]}]"
    r.error_here("stray", told, f"write {shown[:80]}")
    r.kinds[i], r.kinds[end] = "(", ")"


_BEFORE_CALLS = frozenset((":", ",", "(", "=", "with", "on", "by"))


def run_with_minus(r: Reader, low: t.Expression) -> t.Expression | t.Range:
    """Report ``[1-3]``, and return the run that it means; other values as they are."""
    if not isinstance(low, t.Binary) or low.operator != "-":
        return low
    ends = low.left, low.right
    if not all(isinstance(each, t.Number) and not each.unit for each in ends):
        return low
    first, last = (r.text[slice(*each.span)] for each in ends)
    if float(first) >= float(last):
        return low
    told = "a run goes from first..last"
    r.findings.error("stray", low.span, told, f"write {first}..{last}")
    return t.Range(*ends, span=low.span)


def goes_on(r: Reader, i: int) -> bool:
    """Say whether what stands after token ``i`` goes on to a ')' of the same line."""
    level = 0
    while not r.new_line(i + 1) and r.kinds[i + 1] not in ("eof", "{", "}"):
        i += 1
        level += (r.kinds[i] == "(") - (r.kinds[i] == ")")
        if level < 0:
            return True
    return False


def names_argument(r: Reader, i: int) -> bool:
    """Say whether ``name value`` is an argument that lacks its ``:``; the others have names."""
    kinds = r.kinds
    if kinds[i] != "name" or kinds[i + 2] not in (",", ")") or r.words[i + 1] == "turned":
        return False
    if kinds[i - 1] == ",":
        before = i - 2
        while kinds[before] in ("name", "number", "-", ".", "text"):
            before -= 1
        return kinds[before] == ":"
    return kinds[i - 1] == "(" and kinds[i + 2] == "," and kinds[i + 4] == ":"


def nameless(r: Reader, opening: int) -> str:
    """Return what stands in the parentheses at ``opening``, without names before the values."""
    end = closing_of(r, opening)[0]
    text = " ".join(r.text[r.starts[opening] : r.spans[end][1]].split())[:60]
    return re.sub(r"\w+\s*[:=]\s*", "", text)
