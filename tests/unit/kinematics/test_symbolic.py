"""Closed forms against numeric kinematics; their text, LaTeX and Python."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.mathtext import MathTextParser

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.kinematics.chain import Chain
from articulata.kinematics.conventions import DH, rotation_x, rotation_z, translation
from articulata.kinematics.joint import FIXED, Joint, JointKind, Mimic
from articulata.kinematics.library import figure
from articulata.kinematics.symbolic.symbolic import Symbolic

QUARTER = math.pi / 2
PUMA = (
    DH(name="waist", alpha=-QUARTER),
    DH(name="shoulder", a=0.4318, d=0.1491),
    DH(name="elbow", a=-0.0203, alpha=QUARTER),
    DH(name="roll", d=0.4331, alpha=-QUARTER),
    DH(name="pitch", alpha=QUARTER),
    DH(name="yaw", d=0.0563),
)


def module(symbolic: Symbolic) -> dict[str, Callable[[Any], Array]]:
    """The Python form, imported where nothing of ours is in sight."""
    scope: dict[str, Any] = {"__name__": "closed_form"}
    exec(compile(symbolic.python, "closed_form.py", "exec"), scope)
    return scope


def text_values(symbolic: Symbolic, q: Array) -> dict[str, float]:
    """The values of all lines of the text form, read as it stands."""
    lines = symbolic.text.splitlines()
    words = [m[1] for m in (re.match(r"# (\w+)(?: \(.*\))?: (?:rad|m)$", x) for x in lines) if m]
    scope: dict[str, Any] = dict(zip(words, q.tolist(), strict=True))
    scope |= {"cos": math.cos, "sin": math.sin}
    for line in lines:
        if line and not line.startswith("#"):
            name, _, right = line.partition(" = ")
            assert name not in scope
            scope[name] = eval(right, {}, dict(scope))
    return scope


def random_pose(rng: np.random.Generator) -> Array:
    """Any pose, or one with axes along each other's, as arms have them."""
    turns = rng.uniform(-3, 3, 3) if rng.random() < 0.4 else rng.integers(-2, 3, 3) * QUARTER
    if rng.random() < 0.4:
        turns[1] = rng.choice([0.0, math.pi])
    shift = translation(*np.where(rng.random(3) < 0.5, 0.0, rng.uniform(-1, 1, 3)))
    return rotation_z(turns[0]) @ rotation_x(turns[1]) @ rotation_z(turns[2]) @ shift


def random_chain(seed: int) -> Chain:
    rng = np.random.default_rng(seed)
    joints: list[Joint] = []
    for number in range(int(rng.integers(1, 10))):
        kinds: tuple[JointKind, ...] = ("revolute", "revolute", "revolute", "prismatic", "fixed")
        kind = kinds[rng.integers(len(kinds))]
        leaders = [j for j in joints if j.kind != FIXED]
        mimic = None
        if leaders and kind != FIXED and rng.random() < 0.25:
            leader = leaders[rng.integers(len(leaders))]
            factor = rng.choice([1.0, -1.0, rng.uniform(-2, 2)])
            mimic = Mimic(leader.name, factor, rng.choice([0.0, rng.uniform(-1, 1)]))
        poses = random_pose(rng), random_pose(rng)
        joints.append(Joint(f"j{number}", kind, *poses, mimic=mimic))
    return Chain(joints, base=random_pose(rng), end=random_pose(rng))


@pytest.mark.parametrize(
    "seed",
    [*range(40), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(40, 200))],
)
def test_python_form_is_the_numeric_kinematics(seed: int) -> None:
    chain = random_chain(seed)
    scope = module(chain.symbolic())
    q = np.random.default_rng(seed).uniform(-3, 3, (5, 2, chain.dof))
    np.testing.assert_allclose(scope["tip"](q), chain.tip(q), atol=1e-12, rtol=0)
    np.testing.assert_allclose(scope["jacobian"](q), chain.jacobian(q), atol=1e-12, rtol=0)
    np.testing.assert_allclose(scope["tip"](q[0, 0]), chain.tip(q[0, 0]), atol=1e-12, rtol=0)


@pytest.mark.parametrize("seed", range(0, 200, 7))
def test_text_form_is_the_numeric_kinematics(seed: int) -> None:
    chain = random_chain(seed)
    q = np.random.default_rng(seed).uniform(-3, 3, chain.dof)
    found = text_values(chain.symbolic(), q)
    X, J = chain.tip(q), chain.jacobian(q)
    for r in range(3):
        row = [found[f"r{r + 1}{c}"] for c in (1, 2, 3)] + [found[f"p{'xyz'[r]}"]]
        np.testing.assert_allclose(row, X[r], atol=1e-12)
    for r in range(6):
        for c in range(chain.dof):
            assert found[f"J{r + 1}{c + 1}"] == pytest.approx(J[r, c], abs=1e-12)


@pytest.mark.parametrize(
    "seed", [98, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(0, 200, 7))]
)
def test_latex_form_says_what_the_text_says(seed: int) -> None:
    symbolic = random_chain(seed).symbolic()
    blocks = re.findall(r"\\begin\{aligned\}\n(.*?)\n\\end\{aligned\}", symbolic.latex, re.DOTALL)
    equations = [line for block in blocks for line in block.split(" \\\\\n")]
    plain = [
        re.sub(r"\\left|\\right|\\mathrm|[{}_&\\]", "", line).replace(" , ", "*").replace("  ", " ")
        for line in equations
    ]
    text = [x.replace("_", "") for x in symbolic.text.splitlines() if x and x[0] != "#"]
    assert [x.replace("-", "m") for x in plain] == [x.replace("-", "m") for x in text]
    parser = MathTextParser("path")
    for line in equations:
        parser.parse(f"${line.replace('&', '')}$")


def test_parallel_axes_give_sums_of_angles() -> None:
    text = Chain.standard_dh([DH(a=4.0), DH(a=2.0), DH(a=1.0)], name="4-2-1").symbolic().text
    assert "px = 4*c1 + 2*c12 + c123\n" in text
    assert "py = 4*s1 + 2*s12 + s123\n" in text
    assert "J11 = -py\n" in text
    assert "J12 = -2*s12 - s123\n" in text


def test_axes_that_point_against_each_other_give_differences() -> None:
    text = Chain.standard_dh([DH(a=1.0, alpha=math.pi), DH(a=1.0)]).symbolic().text
    assert "px = c1 + c1m2\n" in text
    assert "c1m2 = cos(joint1 - joint2)\n" in text


def test_puma_reads_as_in_a_textbook() -> None:
    # Paul and Zhang 1986, with the forearm's sines and cosines of shoulder plus elbow.
    text = Chain.standard_dh(PUMA, name="puma").symbolic().text
    assert "c23 = cos(shoulder + elbow)" in text
    assert "r33 = c23*c5 - s23*c4*s5\n" in text
    assert "J61 = 1\n" in text
    assert "J43 = -s1\n" in text
    assert max(len(line) for line in text.splitlines()) < 90


def test_camera_robot_comes_out_as_printed() -> None:
    # Li 2011, chapter 4: x = d1 + a2 cos u2 - a3 sin(u2 + u3) + d4 cos(u2 + u3) and
    # z = -156 sin u1 + P cos u1 with P = a1 - a2 sin u2 - a3 cos(u2 + u3) - d4 sin(u2 + u3).
    text = figure("camera_robot").chain("arm").symbolic().text
    assert "px = 1.012 + 1.781*c2 + 1.456*c23 - 0.3063*s23\n" in text
    P = "0.8048 - 1.781*s2 - 1.456*s23 - 0.3063*c23"
    assert f"pz = c1*({P}) - 0.156*s1\n" in text


def test_common_subexpressions_keep_the_python_form_short() -> None:
    lines = Chain.standard_dh(PUMA).symbolic().python.splitlines()
    multiplications = sum(line.count("*") for line in lines if "=" in line)
    assert multiplications < 150


def test_closed_form_of_any_six_joints_stays_short() -> None:
    rng = np.random.default_rng(1)
    rows = [
        DH(theta=t, d=d, a=a, alpha=alpha) for t, d, a, alpha in rng.uniform(-3, 3, (6, 4)).tolist()
    ]
    symbolic = Chain.standard_dh(rows).symbolic()
    assert len(symbolic.text) + len(symbolic.latex) + len(symbolic.python) < 60_000


def test_names_become_identifiers_each_once() -> None:
    joints = [Joint(n) for n in ("left arm.1", "left arm 1", "c1", "lambda", "2nd", "Ellbogen_ö")]
    symbolic = Chain(joints).symbolic()
    q = np.linspace(-1, 1, 6)
    np.testing.assert_allclose(module(symbolic)["tip"](q), Chain(joints).tip(q), atol=1e-12)
    assert "# left_arm_1 (left arm.1): rad\n" in symbolic.text
    assert "# q_c1 (c1): rad\n" in symbolic.text
    assert symbolic.names == tuple(joint.name for joint in joints)


def test_more_than_nine_coordinates_keep_their_numbers_apart() -> None:
    chain = Chain.standard_dh([DH(a=1.0)] * 12)
    symbolic = chain.symbolic()
    assert "c1_2_3_4_5_6_7_8_9_10_11_12" in symbolic.text
    q = np.linspace(-1, 1, 12)
    np.testing.assert_allclose(module(symbolic)["jacobian"](q), chain.jacobian(q), atol=1e-12)


def test_rounded_quarter_turns_are_mended_on_demand() -> None:
    rounded = [DH(alpha=1.5708, a=1.0), DH(a=1.0)]
    assert "e-06" in Chain.standard_dh(rounded).symbolic().text
    mended = Chain.standard_dh(rounded).symbolic(tolerance=1e-5)
    assert "e-06" not in mended.text
    exact = Chain.standard_dh([DH(alpha=QUARTER, a=1.0), DH(a=1.0)])
    q = np.array([0.3, -0.4])
    np.testing.assert_allclose(module(mended)["tip"](q), exact.tip(q), atol=1e-12)


def test_wrong_tolerance_and_wrong_posture_are_refused() -> None:
    chain = Chain.standard_dh(PUMA)
    for tolerance in (-1.0, math.nan, 0.5):
        with pytest.raises(KinematicsError, match="tolerance"):
            chain.symbolic(tolerance=tolerance)
    with pytest.raises(ValueError, match="a posture has 6 values"):
        module(chain.symbolic())["tip"](np.zeros(5))
