"""How tightly operators bind; parser and printer read it here."""

from __future__ import annotations

BINDING = {
    "or": 1, "and": 2,
    "<": 4, "<=": 4, ">": 4, ">=": 4, "==": 4, "!=": 4,
    "+": 10, "-": 10, "*": 20, "/": 20, "^": 30,
}  # fmt: skip
"""How tightly each operator binds; ``^`` groups to the right, the others to the left."""
EQUALITIES = ("==", "!=")
"""Operators that are read so that it can be said that there are none."""
NO_EQUALITY = "there is no '{}': two quantities are equal at an instant at most"
NEARNESS = "write < or >, or how near they come: abs(a - b) < 1 mm"
NOT_BINDING = 3
SIGN_BINDING = 25
