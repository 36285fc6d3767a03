"""Parsing ``contact A with B: (...)``, in a file and as an action."""

from __future__ import annotations

from articulata.world.language.syntax.parse_expressions import arguments, path
from articulata.world.language.syntax.reader import Reader
from articulata.world.language.syntax.tree import MaterialPair


def contact(r: Reader) -> MaterialPair:
    """Parse ``contact A with B: (name: value, ...)``."""
    first = r.i
    r.i += 1
    one = path(r, "of a material after 'contact'")
    r.word("with", "in this contact", "contact steel with rubber: (friction: 0.8)")
    other = path(r, "of a material after 'with'")
    r.sign(":", "after the two materials")
    if r.kinds[r.i] != "(":
        r.lost_before(
            "missing-value", "what holds between the two is missing",
            "write (friction: 0.8, restitution: 0.2)",
        )  # fmt: skip
    return MaterialPair(one, other, arguments(r), r.span_from(first))
