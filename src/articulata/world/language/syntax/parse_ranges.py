"""Parsing the numbers that a ``for`` counts: ``first..last``, or Python's ``range`` as that."""

from __future__ import annotations

from articulata.world.language.syntax.parse_expressions import arguments, expression
from articulata.world.language.syntax.reader import Reader
from articulata.world.language.syntax.tree import Binary, Expression, Number, Range


def range_(r: Reader) -> Range:
    """Parse ``first..last``."""
    first = r.i
    if r.words[first] == "range" and r.kinds[first + 1] == "(":
        return _python_range(r)
    outside, r.juxtapose = r.juxtapose, True
    low = expression(r)
    r.juxtapose = outside
    if r.kinds[r.i] == "..":
        r.i += 1
    elif r.words[r.i] == "to" or r.kinds[r.i] in (",", ":", "-", ";"):
        r.error_here("missing-sign", "'..' is due between first and last", "write 1..n")
        r.i += 1
    elif r.kinds[r.i] in ("name", "number", "(") and not r.new_line(r.i):
        if r.words[r.i - 1].endswith("."):  # "2.n": the number took the point
            end = r.end_before()
            r.findings.error(
                "missing-sign", (end - 1, end), "'..' is due between first and last", "write '..'"
            )
        else:
            r.error_before(
                "missing-sign", "'..' is missing between first and last", "add '..' here"
            )
    else:
        r.lost_before("missing-sign", "'..' and the last number are missing", "write 1..n")
    high = expression(r)
    return Range(low, high, r.span_from(first))


def _python_range(r: Reader) -> Range:
    """Read Python's ``range(first, end)``, which leaves its end out, and tell what it is here."""
    first = r.i
    r.i += 1
    given = [each.value for each in arguments(r)]
    span = r.span_from(first)
    low: Expression = given[0] if len(given) > 1 else Number(0.0, "", span)
    end = given[1] if len(given) > 1 else given[0] if given else Number(1.0, "", span)
    high: Expression = Binary("-", end, Number(1.0, "", span), span)
    last = f"{r.text[end.span[0] : end.span[1]]} - 1"
    if isinstance(end, Number):
        last = f"{end.value - 1:g}"
    elif isinstance(end, Binary) and end.operator == "+" and getattr(end.right, "value", 0) == 1.0:
        last = r.text[end.left.span[0] : end.left.span[1]]
    start = r.text[low.span[0] : low.span[1]] if len(given) > 1 else "0"
    advice = f"write {start}..{last}, both ends counted"
    if len(given) == 1:
        advice += f"; numbers of arrays begin with 1: 1..{r.text[end.span[0] : end.span[1]]}"
    r.findings.error("missing-sign", span, "numbers run from first..last", advice)
    return Range(low, high, span)
