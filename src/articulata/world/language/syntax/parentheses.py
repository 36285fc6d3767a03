"""What stands between parentheses: whether commas do, and whether the closing one is there."""

from __future__ import annotations

from articulata.world.language.syntax.grammar import RESERVED
from articulata.world.language.syntax.reader import Lost, Reader

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


def never_closed(r: Reader, i: int, opening: int, begun: bool, no_comma: bool) -> bool:
    """Report a missing ')' where what follows cannot stand in parentheses."""
    kind = r.kinds[i]
    ends = kind in ENDS
    if not ends and no_comma and kind == "name" and r.new_line(i):
        ends = r.kinds[i + 1] in (":", "=", "{", "begin", "at") or r.kinds[i + 1] == "name"
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
    where = "" if line == r.source.position(r.end_before())[0] else f" of the '(' on line {line}"
    r.error_before("missing-sign", f"')' is missing{where}", "add ')' here")
    return True


def check_gaps(r: Reader, gaps: list[int], commas: int, call: bool) -> None:
    """Commas are all there or none: report the first that is missing among others."""
    i = gaps[0]
    named = call and any(r.kinds[gap + 1] == ":" for gap in gaps)
    if commas or named:
        end = r.starts[i - 1] + len(r.words[i - 1])
        r.findings.error(
            "missing-sign", (end, end + 1), f"',' is missing before '{r.words[i]}'", "add ',' here"
        )


def as_parentheses(r: Reader) -> None:
    """Report ``[1, 2]`` or ``{1, 2}`` and read it as ``(1, 2)``; what has names is given up."""
    i, level = r.i, 0
    told, advice = f"'{r.words[i]}' cannot begin a value", "values stand together in ( )"
    r.error_here("stray", told, advice)
    while True:
        kind = r.kinds[i]
        level += (kind in ("[", "{", "(")) - (kind in ("]", "}", ")"))
        if level == 0:
            break
        if kind in (":", ";", "eof", "begin", "end"):
            raise Lost
        i += 1
    r.kinds[r.i], r.kinds[i] = "(", ")"
