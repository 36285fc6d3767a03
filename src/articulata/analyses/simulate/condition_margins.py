"""Conditions as margins: numbers that are positive where the condition holds.

``a > b`` has the margin ``a - b``; ``and`` takes the smaller margin, ``or`` the larger, ``not``
turns the sign. So a condition becomes true where one continuous number rises through zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np

from articulata.geometry.arrays import Array
from articulata.world.requests.request import COMPARISONS, OptionValue

Read = Callable[[str], "Array | float"]


def margin(condition: OptionValue, read: Read) -> float:
    """Return by how much ``condition`` holds; ``read`` gives the quantities by their paths."""
    assert isinstance(condition, tuple)
    word = condition[0]
    if word == "and":
        return min(margin(each, read) for each in condition[1:])
    if word == "or":
        return max(margin(each, read) for each in condition[1:])
    if word == "not":
        return -margin(condition[1], read)
    left, right = (number(each, read) for each in condition[1:])
    return left - right if word in (">", ">=") else right - left


def terms(condition: OptionValue, read: Read) -> float:
    """Return how large the two sides are of the comparison that decides ``condition``."""
    assert isinstance(condition, tuple)
    word = condition[0]
    if word == "not":
        return terms(condition[1], read)
    if word in ("and", "or"):
        pick = min if word == "and" else max
        return terms(pick(condition[1:], key=lambda each: margin(each, read)), read)
    return sum(abs(number(each, read)) for each in condition[1:])


def number(item: OptionValue, read: Read) -> float:
    """Return what one side of a comparison is worth; of a vector its length is meant."""
    if isinstance(item, str):
        value = read(item)
        return float(value) if np.ndim(value) == 0 else float(np.linalg.norm(value))
    if isinstance(item, tuple):
        values = [number(each, read) for each in item[1:]]
        return _OPERATIONS[str(item[0])](*values)
    return float(item)


def _over(a: float, b: float) -> float:
    return a / b if b != 0.0 else math.copysign(math.inf, a)


_OPERATIONS: dict[str, Callable[..., float]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": _over,
    "^": lambda a, b: float(a**b),
    "neg": lambda a: -a,
    "abs": abs,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": lambda a: math.asin(min(1.0, max(-1.0, a))),
    "acos": lambda a: math.acos(min(1.0, max(-1.0, a))),
    "atan": math.atan,
    "atan2": math.atan2,
    "sqrt": lambda a: math.sqrt(max(0.0, a)),
    "exp": lambda a: math.exp(min(a, 700.0)),
    "log": lambda a: math.log(a) if a > 0.0 else -math.inf,
    "floor": lambda a: float(math.floor(a)),
    "min": min,
    "max": max,
}


@cache
def periodic(condition: OptionValue) -> bool:
    """Tell whether a condition may turn faster than what it reads, as a sine does."""
    if not isinstance(condition, tuple):
        return False
    return condition[0] in ("sin", "cos", "tan") or any(map(periodic, condition[1:]))


def paths(condition: OptionValue) -> Iterator[str]:
    """Yield the paths of the quantities that a condition reads, each as often as it stands."""
    if isinstance(condition, str):
        yield condition
    elif isinstance(condition, tuple):
        for each in condition[1:]:
            yield from paths(each)


def show(condition: OptionValue) -> str:
    """Return a condition in words, numbers in SI units."""
    if isinstance(condition, str):
        return condition
    if not isinstance(condition, tuple):
        return f"{float(condition):.6g}"
    word, *rest = condition
    shown = [show(each) for each in rest]
    if word in ("and", "or", *COMPARISONS, "+", "-", "*", "/", "^"):
        return f" {word} ".join(shown)
    return f"not {shown[0]}" if word == "not" else f"{word}({', '.join(shown)})"
