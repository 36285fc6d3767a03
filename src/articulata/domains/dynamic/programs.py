"""Force programs in the readable form: a postfix list run with a Python stack.

The names are those of ``world.model.Program``; the compiled form is made in ``kernels.programs``.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from articulata.errors import ModelError
from articulata.world.model import Force

_TWO: dict[str, Callable[[float, float], float]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b if b else math.copysign(math.inf, a) if a else math.nan,
    "pow": lambda a, b: a**b,
    "atan2": math.atan2,
    "min": min,
    "max": max,
}
_ONE: dict[str, Callable[[float], float]] = {
    "neg": lambda a: -a,
    "abs": abs,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "sign": lambda a: float((a > 0) - (a < 0)),
    "floor": math.floor,
    "tanh": math.tanh,
}
LENGTHS = ("distance", "angle")
SPEEDS = ("speed", "rate")


def run(force: Force, time: float, length: float, speed: float) -> float:
    """Return the tension (N) or moment (N m) of ``force``."""
    stack: list[float] = []
    for name, value in force.program:
        if name == "push":
            stack.append(value)
        elif name == "time":
            stack.append(time)
        elif name in LENGTHS:
            stack.append(length)
        elif name in SPEEDS:
            stack.append(speed)
        elif name in _ONE:
            stack.append(_ONE[name](stack.pop()))
        elif name in _TWO:
            second = stack.pop()
            stack.append(_TWO[name](stack.pop(), second))
        else:
            raise ModelError(f"{force.span}: force '{force.id}' uses '{name}', which is not known")
    (result,) = stack
    return float(result)
