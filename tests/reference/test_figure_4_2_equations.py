"""Figure 4.2 of Hoffmann & Hopcroft, Purdue CSD-TR-635 (1986): one instant of a linkage."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.domains.dynamic.equations import Equations, equations_of
from articulata.domains.dynamic.mechanism import mechanism
from articulata.domains.geometric import GeometricDomain
from articulata.domains.protocols import Inputs
from section_6 import INSTANT, PRINTED, instant_motion, section_6


@pytest.fixture(scope="module")
def equations() -> Equations:
    world = section_6(inertia=(2.5, 0.5, 2.5), arm=1.5)
    parts = mechanism(world, GeometricDomain().build(world, {}))
    acceleration = np.zeros((4, 6))
    acceleration[0, 0] = PRINTED["x1"]
    inputs = Inputs(acceleration, np.zeros((4, 3)), np.zeros((0, 3)), np.zeros(0))
    return equations_of(parts, (), instant_motion(), inputs, INSTANT)


def test_the_system_is_that_of_the_figure(equations: Equations) -> None:
    assert equations.shape == (33, 33)
    assert equations.rank == 33
    assert equations.nonzeros == 103
    assert np.linalg.cond(equations.A) == pytest.approx(157, abs=0.5)


def test_unknowns_carry_the_printed_names(equations: Equations) -> None:
    motions = [f"{letter}{n}" for n in "1234" for letter in ("x", "y", "z", "wx", "wy", "w")]
    forces = [f"f{axis}{n}" for n in "123" for axis in "xyz"]
    assert list(equations.names) == motions + forces


# Rows as printed, corrected where the scan is known to be wrong; terms in the order of unknowns.
ROWS = {
    "h12 fx": "1.0 x1 + -1.0 x2 + 1.3945346 w2 = 0.99121547",
    "h12 fy": "1.0 y1 + -1.0 y2 + 0.55251634 w2 = -2.50179",
    "h12 fz": "1.0 z1 + -1.0 z2 + -1.3945346 wx2 + -0.55251634 wy2 = 0.0",
    "h23 fx": "1.0 x2 + 1.3945346 w2 + -1.0 x3 + 1.0121584 w3 = 1.7311553",
    "h23 fy": "1.0 y2 + 0.55251634 w2 + -1.0 y3 + 1.1070387 w3 = -3.1783202",
    "h34 fx": "1.0 x3 + 1.0121584 w3 + -1.0 x4 + 0.37435663 w4 = 4.841973",
    "h34 fy": "1.0 y3 + 1.1070387 w3 + -1.0 y4 + 1.452535 w4 = -1.7337244",
    "rod1 given x": "1.0 x1 = 9.8647375",
    "rod2 force x": "6.0 x2 + 1.0 fx1 + -1.0 fx2 = 0.0",
    "rod2 force y": "6.0 y2 + 1.0 fy1 + -1.0 fy2 = -58.86",
    "rod2 moment x": "2.2286463 wx2 + 0.6848917 wy2 + 1.3945346 fz1 + 1.3945346 fz2 = 0.0",
    "rod3 moment x": "1.410635 wx3 + 0.9959987 wy3 + 1.0121584 fz2 + 1.0121584 fz3 = 0.0",
    "rod4 moment z": "2.5000012 w4 + -0.37435663 fx3 + -1.452535 fy3 = 0.0",
}


@pytest.mark.parametrize("name", ROWS)
def test_rows_read_as_printed(equations: Equations, name: str) -> None:
    def parsed(text: str) -> tuple[list[str], list[float]]:
        left, right = text.split(" = ")
        terms = [term.split(" ") for term in left.split(" + ")]
        return [term[1] for term in terms], [*(float(term[0]) for term in terms), float(right)]

    row = [n.removeprefix("links.") for n in equations.row_names].index(name)
    names, numbers = parsed(equations.row_text(row))
    printed_names, printed = parsed(ROWS[name])
    assert names == printed_names
    # The state is known to seven digits; the figure was computed in single precision.
    assert numbers == pytest.approx(printed, abs=1e-5)


def test_the_solution_is_the_printed_one(equations: Equations) -> None:
    for name, value in PRINTED.items():
        tolerance = 2.5e-4 if name.startswith("f") else 2e-5
        assert equations.solution[name] == pytest.approx(value, abs=tolerance)
    assert equations.residual < 1e-12


def test_text_and_latex_hold_every_row(equations: Equations) -> None:
    assert len(str(equations).splitlines()) == 33
    latex = equations.latex()
    assert latex.count("&=") == 33
    assert r"6.0\,\ddot x_{2} + 1.0\,f_{x,1} - 1.0\,f_{x,2} &= 0.0" in latex
    assert (equations.sparse().toarray() == equations.A).all()
