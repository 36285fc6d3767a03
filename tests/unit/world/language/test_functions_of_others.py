"""What stands for functions of other programs has their values, whatever their arguments are."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable

import numpy as np
import pytest

import articulata as art
from articulata.world.language.filled_forms import put_in

VALUES: dict[str, Callable[..., float]] = {
    "pow": math.pow, "square": lambda a: a**2,
    "sum": lambda *each: sum(each), "mean": lambda *each: statistics.fmean(each),
    "mod": lambda a, b: a % b, "round": lambda a: math.floor(a + 0.5), "ceil": math.ceil,
    "hypot": math.hypot, "sec": lambda a: 1 / math.cos(a), "cot": lambda a: 1 / math.tan(a),
    "cbrt": math.cbrt, "sinh": math.sinh, "cosh": math.cosh, "tanh": math.tanh,
    "log10": math.log10, "log2": math.log2, "lerp": lambda a, b, t: a + t * (b - a),
    "saturate": lambda a: min(max(a, 0), 1), "sign": lambda a: math.copysign(1, a),
}  # fmt: skip
COUNTS = {"pow": 2, "sum": 3, "mean": 3, "mod": 2, "hypot": 2, "lerp": 3}
FACTORS = ("{}", "2*{}", "{}*3", "1/{}", "7 - {}", "{}/3", "-{}", "{} + 1", "{}^2")
"""What a call may stand in."""


def mended(value: str) -> float:
    """Return a value that names a function which is none, by the advice for it."""
    text = f"figure arm(v: number = {value}) {{\n  chain a: plain table {{\n"
    text += "    shoulder: revolute(axis: z)\n  }\n}\n"
    for each in sorted(art.parse(text).check(), key=lambda each: -each.column):
        assert each.suggestion.startswith("write "), each
        right = each.suggestion.removeprefix("write ")
        text = f"{text[: each.column - 1]}{right}{text[each.end_column - 1 :]}"
    return art.figure(art.parse(text), "arm").measures["v"]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("name", VALUES)
def test_the_value_is_that_of_the_function(name: str, seed: int) -> None:
    random = np.random.default_rng([seed, len(name), ord(name[0])])
    terms = random.uniform(0.1, 0.9, (COUNTS.get(name, 1), 2)).round(2)
    signs = random.choice(("+", "-", "*"), len(terms))
    if seed == 0 and name in ("sinh", "cosh", "round", "ceil", "square", "lerp"):
        shown = [f"-{a}" for a, _ in terms]
    else:
        shown = [f"{a + 1:.2f} {sign} {b}" for (a, b), sign in zip(terms, signs, strict=True)]
    arguments = [eval(each) for each in shown]  # sums of plain numbers
    around = FACTORS[int(random.integers(len(FACTORS) - 3 * (name == "sum")))]
    call = f"{name}({', '.join(shown)})"
    value = mended(around.format(call))
    due = eval(around.replace("^", "**").format(f"({VALUES[name](*arguments)!r})"))  # a form above
    assert value == pytest.approx(due, rel=1e-9)


@pytest.mark.parametrize("name", ["radians", "sind", "cosd"])
def test_angles_of_plain_numbers(name: str) -> None:
    known = {"radians": math.sin, "sind": lambda a: math.sin(a), "cosd": math.cos}[name]
    call = "sin(radians(20 + 17))" if name == "radians" else f"{name}(37)"
    assert mended(call) == pytest.approx(known(math.radians(37)))


@pytest.mark.parametrize(
    ("form", "value", "due"),
    [
        ("exp({0})", "a + b", "exp(a + b)"),
        ("clamp({0}, 0, 1)", "-a", "clamp(-a, 0, 1)"),
        ("-{0} * rate", "k", "-k * rate"),
        ("-{0} * rate", "k + 5 N*m*s", "-(k + 5 N*m*s) * rate"),
        ("radius: {0}/2", "8 cm - wall", "radius: (8 cm - wall)/2"),
        ("{0}^2", "norm(a - b)", "norm(a - b)^2"),
        ("{0}^2", "3 m", "(3 m)^2"),
        ("{0} - {1}", "a", ""),
    ],
)  # fmt: skip
def test_only_what_is_no_single_term_gets_parentheses(form: str, value: str, due: str) -> None:
    assert put_in(form, {"0": value}) == put_in(form, {"value": value, "0": value}) == due


@pytest.mark.parametrize(
    ("wrong", "advice"),
    [
        ("ellipsoid(3 cm, 2 cm, 1 cm)", "the nearest is sphere(3 cm)"),
        ("pyramid(3 cm + 1 cm, 2 cm)", "the nearest is cone((3 cm + 1 cm)/2, 2 cm)"),
        ("torus(9 cm + 1 cm, 2 cm)", "write difference(outer: cylinder((9 cm + 1 cm) + 2 cm, 2 * "
         "2 cm), bore: cylinder((9 cm + 1 cm) - 2 cm, 2.2 * 2 cm))"),
    ],
)  # fmt: skip
def test_a_shape_that_is_only_near_is_told_as_such(wrong: str, advice: str) -> None:
    text = f"primitive stone {{ properties: (fixed); geometry: {wrong} }}\n"
    (told,) = art.parse(text).check()
    assert told.suggestion == advice
