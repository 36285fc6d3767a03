"""Where a margin rises through zero within a step, and from where on it may rise again.

A margin is looked at in a few places of a step; parabolas through them are followed to the peaks
and troughs between. The crossing itself is found by Brent's method. Shares of a step: 0 to 1.

Conditions as margins: numbers that are positive where the condition holds.

``a > b`` has the margin ``a - b``; ``and`` takes the smaller margin, ``or`` the larger, ``not``
turns the sign. So a condition becomes true where one continuous number rises through zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array
from articulata.world.requests.request import COMPARISONS, OptionValue

Read = Callable[[str], "Array | float"]
Worth = Callable[[OptionValue], float]
"""Says what one side of a comparison is worth."""


def margin(condition: OptionValue, worth: Worth) -> float:
    """Return by how much ``condition`` holds; ``worth`` gives the sides of its comparisons."""
    assert isinstance(condition, tuple)
    word = condition[0]
    if word == "and":
        return min(margin(each, worth) for each in condition[1:])
    if word == "or":
        return max(margin(each, worth) for each in condition[1:])
    if word == "not":
        return -margin(condition[1], worth)
    left, right = worth(condition[1]), worth(condition[2])
    return left - right if word in (">", ">=") else right - left


def terms(condition: OptionValue, worth: Worth) -> float:
    """Return how large the two sides are of the comparison that decides ``condition``."""
    assert isinstance(condition, tuple)
    word = condition[0]
    if word == "not":
        return terms(condition[1], worth)
    if word in ("and", "or"):
        pick = min if word == "and" else max
        return terms(pick(condition[1:], key=lambda each: margin(each, worth)), worth)
    return abs(worth(condition[1])) + abs(worth(condition[2]))


def ready(
    item: OptionValue, probe: Callable[[str], Callable[[Any], Array | float]]
) -> Callable[[Any], float]:
    """Return what tells the worth of one side of a comparison at a look, again and again.

    ``probe`` gives what reads a path from a look. Of a vector the length is meant.
    """
    if isinstance(item, str):
        read = probe(item)
        return lambda look: _length(read(look))
    if isinstance(item, tuple):
        of = _OPERATIONS[str(item[0])]
        parts = [ready(each, probe) for each in item[1:]]
        if len(parts) == 2:
            first, second = parts
            return lambda look: of(first(look), second(look))
        return lambda look: of(*(part(look) for part in parts))
    value = float(item)
    return lambda _: value


def _length(value: Array | float) -> float:
    if isinstance(value, float):
        return value
    return float(value) if np.ndim(value) == 0 else float(np.linalg.norm(value))


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
    "sign": lambda a: math.copysign(1.0, a) if a else 0.0,
    "tanh": math.tanh,
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


SAMPLES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Shares of a step at which margins are looked at; peaks between them are searched."""

PEAKS = 12
"""Parabolas laid through a peak before it is taken as known."""

NEARLY = 0.2
"""Share of what a margin varies by within a step below zero at which a peak is still searched."""

SPLITS = 6
"""Times a step is halved where its samples do not show how a margin runs."""

ROUGH = 0.1
"""Fourth difference of five samples, as a share of what they vary by, from which on they do not."""

PROBE = 0.6180339887498949
"""Share of a step at which the polynomial through its samples is tried, even to none of them."""

FLAT = 1e-9
"""Share of an interval by which a margin that is zero at its start is still zero if it is flat."""

NEVER = 2.0
"""What stands for a share that is not in the step."""

Margin = Callable[[float], float]


def closely(
    of: Margin, shares: list[float], values: list[float], periodic: bool, splits: int = SPLITS
) -> tuple[list[float], list[float]]:
    """Return samples between which a margin runs smoothly: more than five where it turns fast.

    ``values`` are those at five ``shares`` evenly apart. A condition may turn faster than what
    moves, as the sine of many times an angle does, and has corners where ``and`` changes its side.
    What is ``periodic`` may have turned whole rounds between samples that are all far below zero.
    """
    if not splits or _smooth(of, shares, values, periodic):
        return shares, values
    found: tuple[list[float], list[float]] = shares[:1], values[:1]
    for k in (0, 2):
        a, b, c = shares[k : k + 3]
        between = [a, 0.5 * (a + b), b, 0.5 * (b + c), c]
        known = [values[k], of(between[1]), values[k + 1], of(between[3]), values[k + 2]]
        x, y = closely(of, between, known, periodic, splits - 1)
        found = found[0] + x[1:], found[1] + y[1:]
    return found


def _smooth(of: Margin, shares: list[float], values: list[float], periodic: bool) -> bool:
    """Tell whether five samples show how a margin runs near zero."""
    spread = max(values) - min(values)
    if not periodic and min(abs(max(values)), abs(min(values))) > 2.0 * spread:
        return True  # far from zero
    v = values
    if abs(v[0] - 4.0 * v[1] + 6.0 * v[2] - 4.0 * v[3] + v[4]) > ROUGH * spread:
        return False
    if not spread:
        return True
    at = shares[0] + PROBE * (shares[4] - shares[0])
    return abs(_polynomial(shares, values, at) - of(at)) <= ROUGH * spread


def next_rise(
    of: Margin, shares: list[float], values: list[float], low: float, armed: bool
) -> tuple[float, float]:
    """Return at which share a margin rises through zero, and from which share on it could.

    ``values`` are those at ``shares``. What is not ``armed`` has to be below ``low`` after the
    first share before it can rise anew. ``NEVER`` stands for what does not happen.
    """
    since = shares[0] if armed else _below(of, shares, values, low)
    if since > shares[0]:
        later = [k for k, share in enumerate(shares) if share > since]
        shares = [since, *(shares[k] for k in later)]
        values = [of(since), *(values[k] for k in later)]
    return (NEVER if since > 1.0 else _rise(of, shares, values)), since


def _below(of: Margin, shares: list[float], values: list[float], low: float) -> float:
    """Return a share at which a margin is below ``low``, the first that is seen."""

    def under(share: float) -> float:
        return low - of(share)

    depths = [low - value for value in values]
    first = next((k for k, depth in enumerate(depths) if k and depth > 0.0), None)
    trough = _between_samples(under, shares, depths, first)
    if trough is not None:
        return trough
    return NEVER if first is None else shares[first]


def sampled(of: Margin, shares: list[float], start: float, sparsely: bool) -> list[float]:
    """Return margins at ``shares``, the first of which has ``start``.

    Where they may be taken ``sparsely`` only every other one is, if these are below zero by more
    than they differ: a parabola through them rises above them by an eighth of that at most.
    """
    if sparsely:
        few = [start, *(of(share) for share in shares[2::2])]
        if 2.0 * max(few) < min(few):
            return few
        return [start, of(shares[1]), few[1], of(shares[3]), few[2]]
    return [start, *(of(share) for share in shares[1:])]


def _rise(of: Margin, shares: list[float], values: list[float]) -> float:
    """Return the first share at which a margin rises through zero; above 1 for none."""
    positive = next((k for k, value in enumerate(values) if value > 0.0), None)
    if positive == 0:
        return shares[0]
    top = _between_samples(of, shares, values, positive)
    if top is not None:
        return _root(of, max(share for share in shares if share < top), top)
    return NEVER if positive is None else _root(of, shares[positive - 1], shares[positive])


def _between_samples(
    of: Margin, shares: list[float], values: list[float], positive: int | None
) -> float | None:
    """Return a share of a peak above zero before the first sample that is ``positive``, if any."""
    last = len(values) - 1 if positive is None else positive
    for k in range(1, last):
        top = _peak(of, shares[k - 1 : k + 2], values[k - 1 : k + 2], max(values) - min(values))
        if top is not None:
            return top
    return None


def _peak(of: Margin, shares: list[float], values: list[float], spread: float) -> float | None:
    """Return a share at which a peak near three samples is above zero, if there is one."""
    x, y = list(shares), list(values)
    for _ in range(PEAKS):
        top = _vertex(x, y)
        if top is None or not x[0] < top < x[2] or min(abs(top - each) for each in x) < 1e-9:
            return None
        if _polynomial(x, y, top) < -NEARLY * spread:
            return None
        value = of(top)
        if value > 0.0:
            return top
        place = 1 if top < x[1] else 2
        x.insert(place, top)
        y.insert(place, value)
        best = min(max(int(np.argmax(y)), 1), 2)
        x, y = x[best - 1 : best + 2], y[best - 1 : best + 2]
    return None


def _vertex(x: list[float], y: list[float]) -> float | None:
    """Return where the parabola through three points is highest; None where it has no peak."""
    a, b = x[1] - x[0], x[1] - x[2]
    p, q = a * (y[1] - y[2]), b * (y[1] - y[0])
    if not p - q > 0.0:
        return None
    return x[1] - 0.5 * (a * p - b * q) / (p - q)


def _polynomial(x: list[float], y: list[float], at: float) -> float:
    """Return the value at ``at`` of the polynomial through points (Lagrange's form)."""
    total = 0.0
    for k, share in enumerate(y):
        for n, other in enumerate(x):
            if n != k:
                share *= (at - other) / (x[k] - other)
        total += share
    return total


def _root(of: Margin, low: float, high: float) -> float:
    """Return where a margin rises through zero, on the side where it is positive."""
    from scipy.optimize import brentq

    first = of(low)
    if first > 0.0:
        return low
    # what stays zero for a while, as a slack rope's tension, has no one root
    if first == 0.0 and of(low + FLAT * (high - low)) <= 0.0:
        low += FLAT * (high - low)
        while low < (middle := 0.5 * (low + high)) < high:
            low, high = (low, middle) if of(middle) > 0.0 else (middle, high)
        return high
    found = float(brentq(of, low, high, xtol=1e-16, rtol=4.0 * np.finfo(float).eps))
    step = 1e-15 * max(abs(found), 1e-3)
    while of(found) <= 0.0 and found + step < high:
        found, step = found + step, 2.0 * step
    return min(found, high)
