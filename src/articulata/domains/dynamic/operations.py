"""Programs of forces as the kernels run them."""

from __future__ import annotations

import numpy as np

from articulata.kernels.multibody import programs
from articulata.world.model import BALANCE_HIGH, BALANCE_LOW, Program

OPERATIONS = {
    "time": programs.TIME,
    "distance": programs.LENGTH,
    "angle": programs.LENGTH,
    "speed": programs.SPEED,
    "rate": programs.SPEED,
    "add": programs.ADD,
    "sub": programs.SUBTRACT,
    "mul": programs.MULTIPLY,
    "div": programs.DIVIDE,
    "pow": programs.POWER,
    "neg": programs.NEGATE,
    "abs": programs.ABS,
    "sqrt": programs.SQRT,
    "exp": programs.EXP,
    "log": programs.LOG,
    "sin": programs.SIN,
    "cos": programs.COS,
    "tan": programs.TAN,
    "asin": programs.ASIN,
    "acos": programs.ACOS,
    "atan": programs.ATAN,
    "atan2": programs.ATAN2,
    "min": programs.MINIMUM,
    "max": programs.MAXIMUM,
    "sign": programs.SIGN,
    "floor": programs.FLOOR,
    "tanh": programs.TANH,
    "integral": programs.INTEGRAL,
}
"""Operations of ``world.model.Program`` as the kernels number them; "push" is a constant."""


def kernel_program(program: Program, bound: int | None = None) -> tuple[tuple[int, float], ...]:
    """Return a program as the kernels run it; ``bound`` is the first of two signals it reads."""
    made = []
    for name, value in program:
        if name in (BALANCE_LOW, BALANCE_HIGH):
            high = name == BALANCE_HIGH
            free = (programs.CONSTANT, np.inf if high else -np.inf)
            made.append(free if bound is None else (programs.SIGNAL, float(bound + high)))
        else:
            made.append((OPERATIONS.get(name, programs.CONSTANT), value))
    return tuple(made)
