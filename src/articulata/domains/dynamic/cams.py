"""Cams: what a law of an angle gives, its slope, and the slope of that, as programs.

A program is differentiated step by step as it is run: each entry of the stack is the program of a
value with that of its derivative, empty where it is zero. The rules are those of calculus.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from articulata.errors import ModelError
from articulata.world.model import Program
from articulata.world.program_stack import LENGTHS, value_of


@dataclass(frozen=True, slots=True)
class Cam:
    """A law (m or rad of rad) with its first two derivatives."""

    law: Program
    slope: Program
    bend: Program

    def __call__(self, angle: float) -> tuple[float, float]:
        """Return slope and slope of the slope at an angle (rad)."""
        return value_of(self.slope, "a cam", length=angle), value_of(
            self.bend, "a cam", length=angle
        )

    def value(self, angle: float) -> float:
        """Return what the law gives at an angle (rad), in m or rad."""
        return value_of(self.law, "a cam", length=angle)


@cache
def cam_of(law: Program) -> Cam:
    """Return a law with its derivatives."""
    slope = derivative(law)
    return Cam(law, slope, derivative(slope))


def _op(name: str, *operands: Program) -> Program:
    return (*(step for each in operands for step in each), (name, 0.0))


def _number(value: float) -> Program:
    return (("push", value),)


def _sum(name: str, one: Program, other: Program) -> Program:
    if one and other:
        return _op(name, one, other)
    return one or (_op("neg", other) if other and name == "sub" else other)


def _times(factor: Program, slope: Program) -> Program:
    return _op("mul", factor, slope) if slope else ()


def derivative(program: Program) -> Program:
    """Return the program of the derivative by the angle; ModelError where it has none."""
    stack: list[tuple[Program, Program]] = []
    for step in program:
        name = step[0]
        if name == "push":
            stack.append(((step,), ()))
        elif name in LENGTHS:
            stack.append(((step,), _number(1.0)))
        elif name in _TWO:
            (a, da), (b, db) = stack[-2:]
            stack[-2:] = [(_op(name, a, b), _of_two(name, a, da, b, db))]
        elif name in _ONE:
            a, da = stack[-1]
            stack[-1] = (_op(name, a), _times(_ONE[name](a), da) if name not in _FLAT else ())
        else:
            raise ModelError(f"a cam's law of an angle cannot use '{name}'")
    return stack[-1][1] or _number(0.0)


def _of_two(name: str, a: Program, da: Program, b: Program, db: Program) -> Program:
    """Return the derivative of an operation on two programs."""
    if name in ("add", "sub"):
        return _sum(name, da, db)
    if name == "mul":
        return _sum("add", _times(b, da), _times(a, db))
    if name == "pow":
        if db:
            raise ModelError("a cam's law cannot have its angle in an exponent; use exp")
        return _times(_op("mul", b, _op("pow", a, _op("sub", b, _number(1.0)))), da)
    if name in ("min", "max"):
        # 1 or -1, and 1 where both are alike: what holds from there on as the first grows
        side = _op("sign", _op("add", _op("sign", _op("sub", a, b)), _number(0.5)))
        both, apart = _sum("add", da, db), _times(side, _sum("sub", da, db))
        return _times(_number(0.5), _sum("add" if name == "max" else "sub", both, apart))
    top = _sum("sub", _times(b, da), _times(a, db))
    square = _op("mul", b, b)
    if name == "atan2":
        square = _op("add", square, _op("mul", a, a))
    return _op("div", top, square) if top else ()


def _cosine(a: Program) -> Program:
    return _op("sqrt", _op("sub", _number(1.0), _op("mul", a, a)))


def _squared(name: str, sign: str, a: Program) -> Program:
    of = _op(name, a) if name else a
    return _op(sign, _number(1.0), _op("mul", of, of))


_ONE: dict[str, Callable[[Program], Program]] = {
    "neg": lambda a: _number(-1.0),
    "abs": lambda a: _op("sign", a),
    "sqrt": lambda a: _op("div", _number(0.5), _op("sqrt", a)),
    "exp": lambda a: _op("exp", a),
    "log": lambda a: _op("div", _number(1.0), a),
    "sin": lambda a: _op("cos", a),
    "cos": lambda a: _op("neg", _op("sin", a)),
    "tan": lambda a: _squared("tan", "add", a),
    "asin": lambda a: _op("div", _number(1.0), _cosine(a)),
    "acos": lambda a: _op("div", _number(-1.0), _cosine(a)),
    "atan": lambda a: _op("div", _number(1.0), _squared("", "add", a)),
    "tanh": lambda a: _squared("tanh", "sub", a),
    "sign": lambda a: (),
    "floor": lambda a: (),
}
"""Derivative of each function of one value, as a program of that value."""

_FLAT = ("sign", "floor")
_TWO = ("add", "sub", "mul", "div", "pow", "atan2", "min", "max")
