"""Force programs in the readable form: a postfix list run with a Python stack.

The names are those of ``world.model.Program``; the compiled form is made in
``kernels.multibody.programs``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from articulata.errors import ModelError
from articulata.world.model import BALANCE_HIGH, BALANCE_LOW, Force, Program

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
CORNERS = ("min", "max", "abs", "sign", "floor")
"""Operations that are not smooth where their side changes."""

LENGTHS = ("distance", "angle")
SPEEDS = ("speed", "rate")


def run(
    force: Force,
    time: float,
    length: float,
    speed: float,
    sides: list[float] | None = None,
    integral: float = 0.0,
) -> float:
    """Return the tension (N) or moment (N m) of ``force``; see ``value_of`` for ``sides``."""
    what = f"{force.span}: force '{force.id}'"
    return value_of(force.program, what, time, length, speed, sides, integral)


def value_of(
    program: Program,
    what: str,
    time: float = 0.0,
    length: float = 0.0,
    speed: float = 0.0,
    sides: list[float] | None = None,
    integral: float = 0.0,
) -> float:
    """Return the value of a program; ``what`` names it in a message.

    ``sides`` is given the side on which each operation with a corner or a jump is taken.
    """
    stack: list[float] = []
    for name, value in program:
        if name == "push":
            stack.append(value)
        elif name == "time":
            stack.append(time)
        elif name in LENGTHS:
            stack.append(length)
        elif name in SPEEDS:
            stack.append(speed)
        elif name == "integral":
            stack.append(integral)
        elif name in _ONE:
            if sides is not None and name in CORNERS:
                sides.append(_ONE["floor" if name == "floor" else "sign"](stack[-1]))
            stack.append(_ONE[name](stack.pop()))
        elif name in _TWO:
            second = stack.pop()
            if sides is not None and name in CORNERS:
                sides.append(_ONE["sign"](stack[-1] - second))
            stack.append(_TWO[name](stack.pop(), second))
        else:
            raise ModelError(f"{what} uses '{name}', which is not known")
    (result,) = stack
    return float(result)


@dataclass(frozen=True, slots=True)
class Affine:
    """A tension ``constant + stiffness * length + damping * speed``."""

    constant: float
    stiffness: float = 0.0
    damping: float = 0.0

    @property
    def known(self) -> bool:
        """Whether it is only a number."""
        return self.stiffness == 0.0 and self.damping == 0.0

    def scaled(self, factor: float) -> Affine:
        """Return this times a number."""
        return Affine(self.constant * factor, self.stiffness * factor, self.damping * factor)

    def plus(self, other: Affine) -> Affine:
        """Return the sum."""
        return Affine(
            self.constant + other.constant,
            self.stiffness + other.stiffness,
            self.damping + other.damping,
        )


def affine(force: Force) -> Affine | None:
    """Return the linear spring and damper that ``force`` is, or None where it is another law."""
    stack: list[Affine] = []
    for name, value in force.program:
        if name == "push":
            stack.append(Affine(value))
        elif name in LENGTHS:
            stack.append(Affine(0.0, 1.0))
        elif name in SPEEDS:
            stack.append(Affine(0.0, 0.0, 1.0))
        elif name == "neg":
            stack.append(stack.pop().scaled(-1.0))
        elif name in ("add", "sub", "mul", "div"):
            second = stack.pop()
            combined = _combined(name, stack.pop(), second)
            if combined is None:
                return None
            stack.append(combined)
        elif name in _TWO and stack[-1].known and stack[-2].known:
            top = stack.pop().constant
            stack.append(Affine(_TWO[name](stack.pop().constant, top)))
        elif name in _ONE and stack[-1].known:
            stack.append(Affine(_ONE[name](stack.pop().constant)))
        else:
            return None
    return stack[0] if len(stack) == 1 else None


def _combined(name: str, first: Affine, second: Affine) -> Affine | None:
    if name == "add":
        return first.plus(second)
    if name == "sub":
        return first.plus(second.scaled(-1.0))
    if name == "div":
        return first.scaled(1.0 / second.constant) if second.known and second.constant else None
    if second.known:
        return first.scaled(second.constant)
    return second.scaled(first.constant) if first.known else None


def depends_on_rate_or_time(force: Force) -> bool:
    """Return whether the force's law knows more than the length or angle."""
    known = ("time", "integral", BALANCE_LOW, BALANCE_HIGH, *SPEEDS)
    return any(name in known for name, _ in force.program)
