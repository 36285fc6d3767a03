"""200 body postures whose sheets are filled in from points of the body, and some by hand."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import articulata as art
from articulata.domains.comfort.figure_angles import Side, body_angles
from sheets import points_of, read, reba_sheet, rula_sheet

UP = np.array([0.0, 1.0, 0.0])


def about(axis: str, angle: float) -> np.ndarray:
    """Return the turn by ``angle`` rad about an axis."""
    c, s, k = np.cos(angle), np.sin(angle), "xyz".index(axis)
    i, j = (k + 1) % 3, (k + 2) % 3
    R = np.eye(3)
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -s, s
    return R


# what each family of postures may do beyond small turns of all joints, deg
FAMILIES: dict[str, dict[str, tuple[float, float]]] = {
    "overhead": {"shoulder_flexion": (80, 178), "shoulder_abduction": (-10, 40),
                 "elbow_flexion": (0, 110), "vc7_flexion": (-40, 5)},
    "sideways": {"shoulder_flexion": (-40, 40), "shoulder_abduction": (20, 170),
                 "shoulder_rotation": (-60, 60), "elbow_flexion": (0, 120)},
    "crossed": {"shoulder_flexion": (-20, 100), "shoulder_abduction": (-30, 20),
                "shoulder_rotation": (20, 70), "elbow_flexion": (40, 140)},
    "turned": {"vl3_rotation": (-22, 22), "vt6_rotation": (-22, 22), "vl3_flexion": (-12, 40),
               "vt6_flexion": (-12, 40), "vl3_lateral": (-17, 17), "vc7_rotation": (-60, 60),
               "shoulder_flexion": (-50, 90), "elbow_flexion": (0, 140)},
    "seated": {"hip_flexion": (70, 100), "knee_flexion": (60, 110), "vl3_flexion": (-12, 25),
               "vt6_flexion": (-10, 25), "shoulder_flexion": (-10, 80), "elbow_flexion": (20, 120)},
}  # fmt: skip


def postures() -> Iterator[tuple[str, art.Figure, np.ndarray, Side, art.WorkConditions]]:
    """Forty postures of each family: who stands anywhere, headed anywhere, at any work."""
    person = art.figure("person")
    rng = np.random.default_rng(2000)
    for family, wide in FAMILIES.items():
        for number in range(40):
            q = rng.uniform(np.radians(-12.0), np.radians(12.0), person.dof)
            for name, (low, high) in wide.items():
                for joint in (name, f"l_{name}", f"r_{name}"):
                    if joint in person.names:
                        q[person.names.index(joint)] = np.radians(rng.uniform(low, high))
            if family != "seated":
                knees = [person.names.index(f"{s}_knee_flexion") for s in "lr"]
                q[knees] = np.radians(rng.uniform(0.0, 90.0, 2))
            free = ("forearm", "elbow_pronation", "radiocarpal_flexion", "radiocarpal_deviation",
                    "sternoclavicular_elevation")  # fmt: skip
            wild = [k for k, name in enumerate(person.names) if name[2:] in free]
            q[wild] = rng.uniform(person.lower[wild], person.upper[wild])
            q = np.clip(q, person.lower, person.upper)
            # the pelvis leans and tilts as well, and heads anywhere
            X = np.eye(4)
            X[:3, :3] = (
                about("y", rng.uniform(-np.pi, np.pi))
                @ about("x", np.radians(rng.uniform(-15.0, 50.0 * (family == "turned") + 5.0)))
                @ about("z", np.radians(rng.uniform(-8.0, 8.0)))
            )
            X[:3, 3] = rng.uniform(-3.0, 3.0, 3)
            flags = rng.random(7) < 0.4
            work = art.WorkConditions(
                load=float(rng.choice([0.0, 1.0, 4.0, 7.0, 15.0])), static=bool(flags[0]),
                repeated=bool(flags[1]), shock=bool(flags[2]), unstable=bool(flags[3]),
                supported=bool(flags[4]), balanced=bool(flags[5]), seated=family == "seated",
                back_rest=bool(flags[6]) and family == "seated", grip=int(rng.integers(4)),
            )  # fmt: skip
            yield family, person.with_base(X), q, ("left", "right")[number % 2], work


def test_two_hundred_postures_score_as_the_sheets_say() -> None:
    seen: dict[str, set[int]] = {}
    count = 0
    for family, figure, q, side, work in postures():
        told = read(points_of(figure, q, side), UP)
        angles = body_angles(figure, q, side, UP)
        for scale, sheet in ((art.rula, rula_sheet), (art.reba, reba_sheet)):
            wanted = sheet(told, work)
            found = scale(angles, work)
            parts = {name: int(score) for name, score in found.parts.items()}
            assert parts | {"score": int(found.score)} == wanted, (family, side, told)
            for name, score in wanted.items():
                seen.setdefault(f"{scale.__name__} {name}", set()).add(score)
        count += 1
    assert count == 200
    # the table is worth something only where it reaches every step of the sheets
    assert seen["rula upper arm"] >= {1, 2, 3, 4, 5, 6}
    assert seen["rula lower arm"] == {1, 2, 3}
    assert seen["rula neck"] >= {1, 2, 3, 4}
    assert seen["rula trunk"] >= {1, 2, 3, 4, 5}
    assert seen["reba trunk"] == {1, 2, 3, 4, 5}
    assert seen["reba legs"] == {1, 2, 3, 4}


# joints (deg), the side that works, and steps of the sheets as filled in by hand
BY_HAND = {
    "arm straight out to the side, above level": (
        {"r_shoulder_abduction": 120},
        # above 90: 4, abducted +1; straight elbow 2, out to the side +1
        {"upper arm": 5, "lower arm": 3, "score": 4},
        {"upper arm": 5, "lower arm": 2, "score": 4},
    ),
    "arm straight out to the side, level": (
        {"r_shoulder_abduction": 89}, {"upper arm": 4, "lower arm": 3}, {"upper arm": 4},
    ),
    "hand over the other side of the belly": (
        {"r_shoulder_flexion": 20, "r_elbow_flexion": 90, "r_shoulder_rotation": 70},
        {"upper arm": 1, "lower arm": 2}, {"upper arm": 2, "lower arm": 1},
    ),
    "hand out to the side, elbow at the body": (
        {"r_elbow_flexion": 90, "r_shoulder_rotation": -60},
        {"upper arm": 1, "lower arm": 2}, {"upper arm": 2, "lower arm": 1},
    ),
    "arm drawn back": (
        {"r_shoulder_flexion": -40}, {"upper arm": 2, "lower arm": 2}, {"upper arm": 2},
    ),
    "both hands overhead": (
        {"r_shoulder_flexion": 170, "r_elbow_flexion": 20},
        {"upper arm": 4, "lower arm": 2}, {"upper arm": 4, "lower arm": 2},
    ),
    "shoulder shrugged": (
        {"r_sternoclavicular_elevation": 20, "r_shoulder_abduction": -20, "r_elbow_flexion": 80},
        {"upper arm": 2, "lower arm": 1}, {"upper arm": 2, "lower arm": 1},
    ),
    "bent over, a little to the side": (
        # 50 forward is 3; the lean of 12 to the side counts, however far the trunk is bent
        {"vl3_flexion": 30, "vt6_flexion": 20, "vt6_lateral": 13}, {"trunk": 4}, {"trunk": 4},
    ),
    "head a hair back": (
        # nobody holds the head at 0: within 5 degrees it is not "in extension"
        {"vc7_flexion": -2, "r_elbow_flexion": 80}, {"neck": 1, "score": 1}, {"neck": 1},
    ),
    "head back": ({"vc7_flexion": -15}, {"neck": 4}, {"neck": 2}),
    "head turned to the side": ({"vc7_rotation": 40}, {"neck": 2}, {"neck": 2}),
    "knees bent": ({"r_knee_flexion": 70, "l_knee_flexion": 20}, {"legs": 1}, {"legs": 3}),
}  # fmt: skip


@pytest.mark.parametrize("case", BY_HAND)
@pytest.mark.parametrize("heading", [0.0, 90.0, 200.0])
def test_sheets_filled_in_by_hand(case: str, heading: float) -> None:
    joints, rula, reba = BY_HAND[case]
    X = np.eye(4)
    X[:3, :3] = about("y", np.radians(heading))
    figure = art.figure("person").with_base(X)
    q = figure.vector({name: np.radians(value) for name, value in joints.items()})
    for scale, wanted in ((art.rula, rula), (art.reba, reba)):
        found = scale(body_angles(figure, q, "right", UP))
        parts = {name: int(score) for name, score in found.parts.items()}
        parts["score"] = int(found.score)
        assert {name: parts[name] for name in wanted} == wanted


def test_turning_the_person_about_the_vertical_changes_no_angle() -> None:
    for _, figure, q, side, _ in list(postures())[::5]:
        still = body_angles(figure, q, side, UP)
        for heading in (0.7, 2.1, -1.4):
            X = np.eye(4)
            X[:3, :3] = about("y", heading)
            turned = body_angles(figure.with_base(X @ figure.base), q, side, UP)
            for name in still.__dataclass_fields__:
                np.testing.assert_allclose(
                    getattr(turned, name), getattr(still, name), atol=1e-9, err_msg=name
                )


def test_an_arm_turned_the_same_way_by_other_joints_reads_the_same() -> None:
    # with the arm straight out, flexion and rotation turn about the same line
    person = art.figure("person")
    angle = np.radians(90.0)
    plain = person.vector({"r_shoulder_abduction": angle})
    other = {"r_shoulder_flexion": 0.5, "r_shoulder_abduction": angle, "r_shoulder_rotation": 0.5}
    if not np.allclose(
        person.landmark(person.vector(other), "right hand"), person.landmark(plain, "right hand")
    ):
        other["r_shoulder_rotation"] = -0.5
    same = person.vector(other)
    np.testing.assert_allclose(
        person.landmark(same, "right hand"), person.landmark(plain, "right hand"), atol=1e-12
    )
    assert art.reba(body_angles(person, same)).parts["upper arm"] == 4
    assert float(body_angles(person, same).shoulder_rotation) == pytest.approx(0.0, abs=1e-9)
