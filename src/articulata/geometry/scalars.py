"""Numbers that a user gives: any Python or NumPy number, but no truth value, text or array."""

from __future__ import annotations

import math
from numbers import Integral, Real


def real(value: object) -> float | None:
    """Return a number as a float, None where ``value`` is none; one too large is infinite.

    >>> real(np.float32(0.5)), real(3), real(True), real("3")
    (0.5, 3.0, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value == abs(value) else -math.inf


def whole(value: object) -> int | None:
    """Return a whole number as an int, one written as 3.0 too; None where ``value`` is none.

    >>> whole(np.int64(3)), whole(3.0), whole(3.5), whole(True)
    (3, 3, None, None)
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, Integral):
        return int(value)
    number = real(value)
    return int(number) if number is not None and number.is_integer() else None


def finite(value: object) -> float | None:
    """Return a finite number as a float, None where ``value`` is none."""
    number = real(value)
    return number if number is not None and math.isfinite(number) else None
