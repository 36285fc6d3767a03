"""Force programs: a user's expression as a short postfix program run inside the kernels.

A program is a list of ``(opcode, value)``; the value matters for ``CONSTANT`` (the number) and
``SIGNAL`` (the index of an input). For a ``LINE`` force ``LENGTH`` and ``SPEED`` are the
distance of the two points and its rate; for an ``AXIS`` force the angle and its rate. ``INTEGRAL``
is what the element remembers.
"""

from __future__ import annotations

import math

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel

CONSTANT, TIME, LENGTH, SPEED, SIGNAL = 0, 1, 2, 3, 4
ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER = 5, 6, 7, 8, 9
NEGATE, ABS, SQRT, EXP, LOG = 10, 11, 12, 13, 14
SIN, COS, TAN, ASIN, ACOS, ATAN, ATAN2 = 15, 16, 17, 18, 19, 20, 21
MINIMUM, MAXIMUM, SIGN, FLOOR, TANH = 22, 23, 24, 25, 26
LESS, LESS_EQUAL, EQUAL, NOT, AND, OR = 27, 28, 29, 30, 31, 32
SELECT = 33
"""Three operands (condition, then, otherwise), lowest first on the stack."""
INTEGRAL = 34

ARITY: tuple[int, ...] = (0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2)
ARITY += (2, 2, 1, 1, 1, 2, 2, 2, 1, 2, 2, 3, 0)

STACK = 64
"""Operands that a program may hold at once. Behind them stands what its element remembers."""


@kernel(counted=False)
def run_program(
    code: IntArray,
    start: int,
    end: int,
    constants: Array,
    stack: Array,
    time: float,
    length: float,
    speed: float,
    signal: Array,
) -> float:
    """Return the value of the program ``code[start:end]``, checked beforehand."""
    top = 0
    for at in range(start, end):
        op, value = code[at, 0], constants[code[at, 1]]
        if op <= SIGNAL or op == INTEGRAL:
            if op == CONSTANT:
                x = value
            elif op == TIME:
                x = time
            elif op == LENGTH:
                x = length
            elif op == SPEED:
                x = speed
            elif op == SIGNAL:
                x = signal[int(value)]
            else:
                x = stack[STACK]
            stack[top] = x
            top += 1
            continue
        if op == SELECT:
            top -= 2
            stack[top - 1] = stack[top] if stack[top - 1] != 0.0 else stack[top + 1]
            continue
        x = stack[top - 1]
        if op == NEGATE:
            x = -x
        elif op == ABS:
            x = abs(x)
        elif op == SQRT:
            x = math.sqrt(x)
        elif op == EXP:
            x = math.exp(x)
        elif op == LOG:
            x = math.log(x)
        elif op == SIN:
            x = math.sin(x)
        elif op == COS:
            x = math.cos(x)
        elif op == TAN:
            x = math.tan(x)
        elif op == ASIN:
            x = math.asin(x)
        elif op == ACOS:
            x = math.acos(x)
        elif op == ATAN:
            x = math.atan(x)
        elif op == SIGN:
            x = 1.0 if x > 0.0 else (-1.0 if x < 0.0 else x)  # a NaN stays one
        elif op == FLOOR:
            x = float(math.floor(x))
        elif op == TANH:
            x = math.tanh(x)
        elif op == NOT:
            x = 1.0 if x == 0.0 else 0.0
        else:
            top -= 1
            x = binary(op, stack[top - 1], x)
        stack[top - 1] = x
    return stack[0]


@kernel(counted=False)
def binary(op: int, a: float, b: float) -> float:
    """Return a op b."""
    if op == ADD:
        return a + b
    if op == SUBTRACT:
        return a - b
    if op == MULTIPLY:
        return a * b
    if op == DIVIDE:
        return a / b
    if op == POWER:
        return a**b
    if op == ATAN2:
        return math.atan2(a, b)
    if op == MINIMUM:
        return a if a < b or a != a else b
    if op == MAXIMUM:
        return a if a > b or a != a else b
    if op == LESS:
        return 1.0 if a < b else 0.0
    if op == LESS_EQUAL:
        return 1.0 if a <= b else 0.0
    if op == EQUAL:
        return 1.0 if a == b else 0.0
    if op == AND:
        return 1.0 if a != 0.0 and b != 0.0 else 0.0
    return 1.0 if a != 0.0 or b != 0.0 else 0.0
