"""The library's figures against what their sources print.

Waldrop, Real-Time Articulation of the Upper Body for Simulated Humans in Virtual Environments,
NPS, 1995; Thomann, Design of Human-Like Posture Prediction, MIT, 2005; Otmani and Pruski 2009;
Li, 6 DOF Motion Control of a Robot-Driven Camera, Leoben, 2011.
"""

import math

import numpy as np
import pytest

from articulata.kinematics.chain import Chain
from articulata.kinematics.conventions import DH
from articulata.kinematics.figure import Figure
from articulata.kinematics.joint import PRISMATIC, REVOLUTE
from articulata.kinematics.joint_limits import Limited
from articulata.kinematics.leonardo_base import BaseLinkage
from articulata.kinematics.library import figure

SHOULDER = ("right shoulder azimuth", "right shoulder elevation")

# ---- 1995: the demonstration, appendix A (DEMO-JACK.CL) and its output, appendix B

DEMONSTRATION = [
    (
        (0.1, 0.5),
        (0.1, -1.0707964),
        [
            [0.47703037, 0.8731984, 0.09983342, 0],
            [0.047862723, 0.087612055, -0.9950042, 0],
            [-0.8775826, 0.4794255, 0, 0],
            [0, 0, 0, 1],
        ],
    ),
    (
        (0.2, 0.6),
        (0.3, -0.47079635),
        [
            [0.8514029, 0.43333697, 0.29552022, 0],
            [0.26336983, 0.13404681, -0.9553365, 0],
            [-0.45359614, 0.89120734, 0, 0],
            [0, 0, 0, 1],
        ],
    ),
    (
        (0.3, 0.7),
        (0.6, 0.22920364),
        [
            [0.8037511, -0.18751793, 0.5646425, 0],
            [0.54987574, -0.12828797, -0.8253356, 0],
            [0.22720206, 0.9738476, 0, 0],
            [0, 0, 0, 1],
        ],
    ),
]
SINGLE = 1e-7
"""What is printed was computed in single precision."""


def test_the_demonstration_of_1995() -> None:
    jack = figure("jack_1995")
    state = Limited.at(jack)
    assert state.flagged == ()
    for command, theta, H2 in DEMONSTRATION:
        state = state.by(dict(zip(SHOULDER, command, strict=True)))
        now = jack.named(state.q)
        assert [now[name] for name in SHOULDER] == pytest.approx(theta, abs=SINGLE)
        upper_arm = jack.landmark(state.q, "right shoulder elevation")
        np.testing.assert_allclose(upper_arm, H2, atol=SINGLE)
        # Equations 3.16 and 3.17: both angles come back from the matrix.
        assert math.atan2(upper_arm[0, 2], -upper_arm[1, 2]) == pytest.approx(now[SHOULDER[0]])
        assert math.atan2(upper_arm[2, 0], upper_arm[2, 1]) == pytest.approx(now[SHOULDER[1]])
        assert state.flagged == ()
    for command, theta in (((0.4, 0.8), (1.0, 1.0292037)), ((0.9, 0.9), (1.9, 1.9292037))):
        state = state.by(dict(zip(SHOULDER, command, strict=True)))
        now = jack.named(state.q)
        assert [now[name] for name in SHOULDER] == pytest.approx(theta, abs=SINGLE)
        assert state.flagged == ()
    # The last move would lead to (3.4, 3.4292): clamped to 180 and 160 degrees, both flags up.
    last = state.by(dict(zip(SHOULDER, (1.5, 1.5), strict=True)))
    now = jack.named(last.q)
    assert [now[name] for name in SHOULDER] == [math.radians(180), math.radians(160)]
    assert last.flagged == SHOULDER
    # A legal move of one link clears its flag alone.
    assert last.by({SHOULDER[0]: -0.5}).flagged == SHOULDER[1:]


def test_jacks_left_arm_mirrors_the_right_one() -> None:
    jack = figure("jack_1995")
    rng = np.random.default_rng(1995)
    arm = rng.uniform(jack.lower[:7], jack.upper[:7], (200, 7))
    q = np.hstack([arm, arm])
    for part in ("shoulder", "upper arm", "forearm", "hand"):
        right = jack.landmark(q, f"right {part}")[:, :3, 3]
        left = jack.landmark(q, f"left {part}")[:, :3, 3]
        np.testing.assert_allclose(left, right * [1, -1, 1] + [0, -2, 0], atol=1e-14)


def test_jack_sits_as_the_listing_draws_him() -> None:
    jack = figure("jack_1995", unit=0.5)
    q = jack.neutral
    drawn = {"neck": (0, -1, -1.25), "hips": (0, -1, 2.75), "right foot": (3, 0, 5.75)}
    for name, point in drawn.items():
        np.testing.assert_allclose(jack.landmark(q, name)[:3, 3], 0.5 * np.array(point))
    # Figure 7: the arms point forward, 2 + 2 + 1 units.
    np.testing.assert_allclose(jack.landmark(q, "right hand")[:3, 3], [2.5, 0, 0], atol=1e-15)


def test_jack_has_39_degrees_of_freedom_in_17_joints() -> None:
    jack = figure("jack")
    assert jack.dof == 39
    whole = {"spine", "right arm", "left arm", "right leg", "left leg"}
    joints = [name for name in jack.chains if name not in whole]
    assert len(joints) == 17
    assert sum(jack.chain(name).dof for name in joints) == 39
    seated, drawn = jack.posture("seated"), figure("jack_1995")
    for foot in ("right foot", "left foot"):
        there = drawn.landmark(drawn.neutral, foot)[:3, 3]
        here = jack.landmark(seated, foot)[:3, 3]
        np.testing.assert_allclose(here + np.array([0, -1, 2.75]), there, atol=1e-14)


# ---- 2005: the planar example and Leonardo


def test_the_planar_example_of_2005() -> None:
    arm = figure("planar_4_2_1").chain("arm")
    assert arm.upper == pytest.approx([math.pi / 3] * 3)
    # The wrist at (4.7, 3.6) closes the triangle of 4 and 2 in two ways: cos q2 = 15.05 / 16.
    bend = math.acos(15.05 / 16)
    exact = []
    for q2 in (-bend, bend):
        q1 = math.atan2(3.6, 4.7) - math.atan2(2 * math.sin(q2), 4 + 2 * math.cos(q2))
        exact.append((q1, q2, -q1 - q2))
    assert exact[0] == pytest.approx((0.768561, -0.346329, -0.422232), abs=5e-7)
    assert exact[1] == pytest.approx((0.538711, 0.346329, -0.885040), abs=5e-7)
    tips = arm.tip(exact)
    np.testing.assert_allclose(tips[:, :3, 3], [[5.7, 3.6, 0]] * 2, atol=1e-12)
    np.testing.assert_allclose(tips[:, :3, 0], [[1, 0, 0]] * 2, atol=1e-12)
    # The printed answer, good to two digits, misses by 0.027.
    printed = arm.tip([0.78, -0.39, -0.39])[:2, 3]
    assert math.dist(printed, (5.7, 3.6)) == pytest.approx(0.027, abs=5e-4)


ROWS = [
    # name, alpha, a, theta, d, kind: Makeleo, right side; the linkage's lengths for crank and rod
    ("base rotate", 90, 0, 0, -159, REVOLUTE),
    ("base motor", 0, 152, 0, 0, REVOLUTE),
    ("rod", 0, 276, 0, 0, REVOLUTE),
    ("ball y", 90, 0, 0, 0, REVOLUTE),
    ("ball z", 90, 0, 0, 0, REVOLUTE),
    ("ball x", 90, 0, 0, 113.6, REVOLUTE),
    ("rotate base", 90, 0, 0, 87.74, REVOLUTE),
    ("waist front/back", 90, 0, 0, 0, REVOLUTE),
    ("waist left/right", 90, 70, 0, 0, REVOLUTE),
    ("shrug", 90, 0, 90, 0, PRISMATIC),
    ("shoulder rotate", -90, 0, 0, 15.3, REVOLUTE),
    ("shoulder in/out", 90, 4.2, 0, 0, REVOLUTE),
    ("upper arm rotate", 90, 0, 0, -107.2, REVOLUTE),
    ("elbow", 90, 0, 0, 0, REVOLUTE),
    ("forearm rotate", 90, 0, 0, 75.3, REVOLUTE),
    ("wrist in/out", 90, 38.1, 0, 0, REVOLUTE),
]


def makeleo(*, left: bool) -> Chain:
    """Return one of the source's two long chains; the left one has other signs and base."""
    rows = [list(row) for row in ROWS]
    base = np.eye(4)
    if left:
        rows[1][2], rows[2][2], rows[5][4] = -152, -276, -108.7
        base[0, 3] = 0.645 - 0.120
    return Chain.standard_dh(
        [
            DH(
                name=name,
                alpha=math.radians(alpha),
                a=a / 1e3,
                theta=math.radians(theta),
                d=d / 1e3,
                kind=kind,
            )
            for name, alpha, a, theta, d, kind in rows  # type: ignore[misc, has-type] # rows of mixed kinds
        ],
        base=base,
    )


@pytest.mark.parametrize("motors", [(0.0, 0.0, 0.0), (0.3, -0.2, 0.4), (-0.4, 0.1, -0.3)])
def test_leonardo_is_the_sources_two_chains_on_one_plate(motors: tuple[float, ...]) -> None:
    leonardo = figure("leonardo")
    base = BaseLinkage().forward(motors)
    body, front, side = 0.1, 0.15, -0.08
    arms = {"right": np.array([0.09, -1.2, 3.6, -0.3, -0.5, 0.4, 1.4])}
    arms["left"] = np.array([0.095, -1.9, 3.5, -0.6, 0.7, -0.2, 1.2])
    names = [row[0] for row in ROWS[9:]]
    q = leonardo.vector(
        BaseLinkage().plate(motors)
        | {
            "rotate base": body,
            "waist front/back": math.pi / 2 + front,
            "waist left/right": math.pi / 2 + side,
        }
        | {f"{arm} {n}": v for arm in arms for n, v in zip(names, arms[arm], strict=True)}
    )
    # qRb and qLb1 of MotorDriveBaseFK; the left chain sees the waist from behind.
    half = math.pi / 2
    right = [0, motors[0], base.theta1, base.pi1, half, 0, body, half + front, half + side]
    left = [0, motors[1], base.theta2, base.pi2, half, 0, math.pi + body, half - front, half - side]
    hands = {
        "right": makeleo(left=False).tip([*right, *arms["right"]]),
        "left": makeleo(left=True).tip([*left, *arms["left"]]),
    }
    for arm, hand in hands.items():
        np.testing.assert_allclose(leonardo.landmark(q, f"{arm} hand"), hand, atol=1e-12)


def test_what_the_simplified_arm_misses() -> None:
    """Section 6.2.2 names the offset of 4.2 mm and the shrug that the earlier model leaves out."""
    arm, simple = figure("leonardo_arm"), figure("leonardo_simplified_arm")
    rng = np.random.default_rng(2005)
    q = rng.uniform(arm.lower, arm.upper, (20_000, 7))
    error = _apart(arm, q, simple, q[:, 1:])
    # Never more than offset and shrug together; the shrug moves by 7.5 mm at most.
    assert error.max() <= 4.2e-3 + 7.5e-3
    assert error.max() >= 11e-3
    q[:, 0] = 0.09032
    assert _apart(arm, q, simple, q[:, 1:]) == pytest.approx(4.2e-3, abs=1e-12)


def _apart(one: Figure, q: np.ndarray, other: Figure, p: np.ndarray) -> np.ndarray:
    a, b = one.landmark(q, "right hand"), other.landmark(p, "right hand")
    return np.linalg.norm(a[:, :3, 3] - b[:, :3, 3], axis=1)


# ---- 2009: the T-pose of table 3


def test_the_T_pose_of_2009() -> None:
    person = figure("otmani_2009")
    T = person.posture("T")
    assert (T == 0).all()
    landmarks = {
        "shoulder": (-20, 35, 0),
        "elbow": (-50, 35, 0),
        "wrist": (-80, 35, 0),
        "right hand": (-100, 35, 0),
    }
    for name, point in landmarks.items():
        there = person.landmark(T, name)[:3, 3]
        np.testing.assert_allclose(there, np.array(point) / 100, atol=1e-12)
    assert person.chain("torso to hand").dof == 21
    assert person.chain("seat to hand").dof == 22


@pytest.mark.parametrize(
    ("joint", "moves", "axis", "sign"),
    [
        # + lateral bends to the right (-x), + flexion bends forward (z), + rotation turns to the
        # left: the right arm comes forward.
        ("q1", "shoulder", 0, -1),
        ("q2", "shoulder", 2, 1),
        ("q3", "right hand", 2, 1),
        ("q5", "shoulder", 2, 1),
        ("q9", "right hand", 2, 1),
        ("q12", "right hand", 2, 1),
        ("q13", "shoulder", 1, 1),
        ("q14", "shoulder", 2, -1),
        ("q15", "right hand", 1, 1),
        ("q16", "right hand", 2, -1),
        ("q18", "right hand", 2, -1),
        ("q20", "right hand", 1, 1),
        ("q21", "right hand", 2, -1),
    ],
)
def test_signs_of_2009(joint: str, moves: str, axis: int, sign: int) -> None:
    person = figure("otmani_2009")
    T = person.posture("T")
    turned = person.vector({joint: math.radians(20)}, T)
    step = person.landmark(turned, moves) - person.landmark(T, moves)
    assert sign * step[axis, 3] > 0.01


# ---- 2011: the camera robot


def closed_form(u: np.ndarray) -> np.ndarray:
    """Return the wrist centre (n, 3), m: Li 2011, (4.27)."""
    a1, d1, a2, a3, d4 = 804.8, 1012.0, 1781.0, 306.3, 1456.0
    u1, u2, u23 = u[:, 0], u[:, 1], u[:, 1] + u[:, 2]
    P = a1 - a2 * np.sin(u2) - a3 * np.cos(u23) - d4 * np.sin(u23)
    x = d1 + a2 * np.cos(u2) - a3 * np.sin(u23) + d4 * np.cos(u23)
    y = -156 * np.cos(u1) - P * np.sin(u1)
    z = -156 * np.sin(u1) + P * np.cos(u1)
    return np.column_stack([x, y, z]) / 1e3


def test_the_camera_robot_of_2011() -> None:
    robot = figure("camera_robot")
    home = robot.landmark(robot.posture("home"), "flange")
    np.testing.assert_allclose(home[:3, 3] * 1e3, [4249, -156, 498.5], atol=1e-9)
    np.testing.assert_allclose(home[:3, :3], np.diag([-1, -1, 1]), atol=1e-12)
    rng = np.random.default_rng(2011)
    u = rng.uniform(-math.pi, math.pi, (1000, 6))
    centre = robot.landmark(u, "wrist centre")[:, :3, 3]
    np.testing.assert_allclose(centre, closed_form(u), atol=1e-12)
    # The last three axes meet in one point: the flange is where the wrist's centre is.
    np.testing.assert_allclose(robot.landmark(u, "flange")[:, :3, 3], centre, atol=1e-12)
    # The first axis (x) is never nearer than 156 mm.
    assert np.hypot(centre[:, 1], centre[:, 2]).min() >= 0.156 - 1e-12


# ---- the others


def test_the_manutec_r3_weighs_what_is_published() -> None:
    robot = figure("manutec_r3")
    assert robot.mass == pytest.approx(1 + 56.5 + 26.4 + 28.7 + 5.2 + 0.5 + 15)
    zero = np.zeros(6)
    # Upright: 0.351 + 0.324 + 0.65 + 0.414 + 0.186 + 0.125 high, 0.3 - 0.155 out.
    np.testing.assert_allclose(robot.landmark(zero, "flange")[:3, 3], [0, 2.05, 0.145], atol=1e-15)
    start = robot.posture("reference start")
    assert np.degrees(start) == pytest.approx([-60, 20, 90, 0, -110, 0])
    assert [joint.motor.gear for joint in robot.joints[:6]] == [-105, 210, 60, -99, 79.2, -99]


def test_a_person_has_the_masses_of_de_leva() -> None:
    person = figure("human_upper_body", weight=73.0)
    # Trunk 43.46 %, head 6.94 %, twice upper arm 2.71 %, forearm 1.62 %, hand 0.61 %.
    parts = 43.46 + 6.94 + 2 * (2.71 + 1.62 + 0.61)
    assert person.mass == pytest.approx(73.0 * parts / 100)
    light = figure("human_upper_body", height=1.6, weight=60.0)
    assert light.mass == pytest.approx(60.0 * parts / 100)
    arm = person.links["l_shoulder_rotation"]
    length = -person.joints[person.index("l_elbow_flexion")].X_PJ[1, 3]
    assert math.sqrt(arm.inertia[2, 2] / arm.mass) == pytest.approx(0.285 * length)
    assert arm.center[1] == pytest.approx(-0.5772 * length)
    assert person.center_of_mass(person.neutral)[0] == pytest.approx(0.0, abs=1e-15)


def test_a_persons_arms_mirror_each_other() -> None:
    person = figure("human_upper_body")
    rng = np.random.default_rng(1)
    values = rng.uniform(-0.6, 0.9, (9,))
    left = [name for name in person.names if name.startswith("l_")]
    q = person.vector(
        dict(zip(left, values, strict=True))
        | {"r" + n[1:]: v for n, v in zip(left, values, strict=True)}
    )
    for name in ("elbow", "wrist", "middle_distal_tip"):
        mirrored = person.landmark(q, f"l_{name}")[:3, 3] * [-1, 1, 1]
        np.testing.assert_allclose(person.landmark(q, f"r_{name}")[:3, 3], mirrored, atol=1e-14)
    forward = person.landmark(person.vector({"l_shoulder_flexion": 1.5}), "left hand")
    assert forward[2, 3] > 0.5
    aside = person.landmark(person.vector({"l_shoulder_abduction": 1.5}), "left hand")
    assert aside[0, 3] > 0.7


def test_the_walker_stands_on_six_legs() -> None:
    walker = figure("hexapod")
    feet = np.array([walker.landmark(walker.neutral, f"foot tip {i}")[:3, 3] for i in range(1, 7)])
    assert np.ptp(feet[:, 2]) < 1e-12
    assert np.ptp(np.linalg.norm(feet[:, :2], axis=1)) < 1e-12
    lifted = walker.posture("tripod")
    high = [walker.landmark(lifted, f"foot tip {i}")[2, 3] for i in range(1, 7)]
    assert [z > feet[0, 2] + 0.05 for z in high] == [True, False] * 3


@pytest.mark.parametrize(
    ("name", "up"),
    [
        # from the frames that the sources give their figures
        ("jack", (0, 0, -1)),  # Waldrop 1995: z down
        ("jack_1995", (0, 0, -1)),
        ("camera_robot", (1, 0, 0)),  # Li 2011: x is the height
        ("manutec_r3", (0, 1, 0)),  # Modelica Standard Library: world y up
        ("otmani_2009", (0, 1, 0)),
        ("human_upper_body", (0, 1, 0)),  # H-Anim
        ("leonardo", (0, 0, 1)),  # Thomann 2005
    ],
)
def test_figures_know_which_way_is_up(name: str, up: tuple[float, ...]) -> None:
    np.testing.assert_array_equal(figure(name).up, up)


def test_the_upper_body_is_a_part_of_the_person() -> None:
    measures = {"height": 1.62, "weight": 58.0, "sex": 1.0, "handlength": 0.19}
    whole, part = figure("person", **measures), figure("human_upper_body", **measures)
    legs = [name for name in whole.names if name.split("_")[1] in ("hip", "knee", "talocrural")]
    assert [name for name in whole.names if name not in legs] == list(part.names)
    q = np.random.default_rng(5).uniform(part.lower, part.upper, (20, part.dof))
    everything = np.zeros((20, whole.dof))
    everything[:, [whole.coordinate(name) for name in part.names]] = q
    assert set(part.landmarks) < set(whole.landmarks)
    for name in part.landmarks:
        same = whole.landmark(everything, name)
        np.testing.assert_array_equal(part.landmark(q, name), same)
    for name, link in part.links.items():
        assert whole.links[name].mass == link.mass
        np.testing.assert_array_equal(whole.links[name].inertia, link.inertia)
