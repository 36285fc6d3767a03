"""People who stand: the floor bears the weight, the base moves, the balance is kept."""

import numpy as np
import pytest

import articulata as art
from articulata.analyses.pose import front_search
from articulata.analyses.pose.aims import bound
from articulata.analyses.pose.constraints import (
    bend_of_targets,
    residuals_and_jacobian,
    restored,
)
from articulata.analyses.pose.descending import Norm, descend
from articulata.analyses.pose.dominance import hypervolume
from articulata.analyses.pose.objective_measures import strengths
from articulata.analyses.pose.pose_question import judging_of
from articulata.analyses.pose.pose_scene import Scene, scene_of
from articulata.analyses.pose.pose_wording import binding
from articulata.analyses.pose.starting import brought, made_clear, spread_starts
from articulata.errors import KinematicsError
from articulata.kinematics.floating_base import BASE, with_floating_base

FEET = ("l_heel", "l_ball", "l_toe", "r_heel", "r_ball", "r_toe")
LOADS = (art.Load("r_grip", 5.0), art.Load("l_grip", 5.0))

LOWEST_OF_MANY = 193.06
"""N m: torque at the end of the best of 201 descents of torque alone, each from its own start."""

MISSED = 0.011
"""Share of the volume that fronts near the floor miss at most of what ten times the starts find."""


def lifting(
    person: art.Figure, height: float = 0.25, reach: float = 0.35
) -> dict[str, list[float]]:
    """Return places of the grips above the floor in front of the feet."""
    up = float(person.landmark(person.neutral, "r_heel")[1, 3]) + height
    return {"r_grip": [-0.15, up, reach], "l_grip": [0.15, up, reach]}


def near_the_floor(height: float, reach: float) -> art.PoseSearch:
    """Ask for the front of somebody who lifts 10 kg and looks ahead."""
    person = art.figure("person")
    grips = lifting(person, height, reach)
    ahead = art.Gaze([0.0, grips["r_grip"][1], 2.0])
    return art.pose(
        person, {**grips, "skull_tip": ahead}, loads=LOADS, supports=FEET, standing=True,
        floating=True, objectives=[art.Objective("discomfort"), art.Objective("torque")],
    )  # fmt: skip


def scene() -> Scene:
    person = art.figure("person")
    return scene_of(person, lifting(person), loads=LOADS, supports=FEET, standing=True,
                    floating=True)  # fmt: skip


def test_a_figure_afloat_is_the_same_figure_on_six_joints() -> None:
    person = art.figure("person")
    moved = with_floating_base(person)
    q = person.posture("seated")
    whole = np.concatenate([np.zeros(6), q])
    assert moved.names[:6] == BASE
    assert moved.mass == pytest.approx(person.mass)
    for name in ("right hand", "l_toe", "skull_tip", "seat"):
        np.testing.assert_allclose(
            moved.landmark(whole, name), person.landmark(q, name), atol=1e-12
        )
    whole[:3] = 0.1, 0.2, -0.3
    np.testing.assert_allclose(
        moved.landmark(whole, "navel")[:3, 3] - person.landmark(q, "navel")[:3, 3],
        [0.1, 0.2, -0.3], atol=1e-12,
    )  # fmt: skip


def test_supports_bear_the_weight_and_nothing_else_holds_the_base() -> None:
    judged = scene()
    rng = np.random.default_rng(1)
    q = judged.start + rng.normal(0.0, 0.05, (4, len(judged.start)))
    tau = judged.bearing.torques(q)
    weight = judged.statics.mass * 9.80665
    assert np.abs(tau[:, :6]).max() < 1e-5 * weight
    np.testing.assert_allclose(judged.bearing.shares(q).sum(axis=1), 1.0, atol=1e-9)
    aim = bound(art.Objective("torque"), judged)
    found = aim.slopes(q)
    for column in (3, 5, 12, 25, 36, 40):
        step = np.zeros(q.shape[1])
        step[column] = 1e-6
        slope = (aim.values(q + step) - aim.values(q - step)) / 2e-6
        np.testing.assert_allclose(found[:, column], slope, rtol=1e-4, atol=1e-4)


def test_torques_bend_as_their_differences_tell_while_the_supports_stand_still() -> None:
    judged = scene()
    rng = np.random.default_rng(1)
    start = (judged.start + rng.normal(0.0, 0.1, judged.start.shape))[None, judged.columns]
    x, there = brought(judged, start)
    assert there.all()
    aim = bound(art.Objective("torque"), judged)
    assert aim.bends is not None
    slope = aim.slopes(judged.whole(x))[0, judged.columns]
    _, J = residuals_and_jacobian(judged, x)
    pressing = -np.linalg.lstsq(J[0].T, slope, rcond=None)[0]
    bend = aim.bends(judged.whole(x))[0] + bend_of_targets(judged, x, pressing[None])[0]
    # without limits, so that the way back to the targets has no kinks
    wide = judged.tree._replace(lower=judged.lower - 9.0, upper=judged.upper + 9.0)
    judged.__dict__["asked"] = judged.asked._replace(aim=judged.asked.aim._replace(tree=wide))
    free = np.linalg.svd(J[0])[2][np.linalg.matrix_rank(J[0], tol=1e-8) :]
    for t in free[:4]:
        near, _ = restored(judged, x + 1e-3 * np.array([[1.0], [0.0], [-1.0]]) * t, 12, 1e-12)
        after, here, before = aim.values(judged.whole(near))
        assert (after - 2.0 * here + before) / 1e-6 == pytest.approx(t @ bend @ t, rel=1e-4)


def test_who_lifts_bends_the_knees_when_torque_is_weighed() -> None:
    person = art.figure("person")
    bent = []
    for aims in (["discomfort"], ["torque"]):
        front = art.pose(
            person, lifting(person), objectives=[art.Objective(aim) for aim in aims], loads=LOADS,
            supports=FEET, standing=True, floating=True, points=1,
        ).final()  # fmt: skip
        assert front.found
        assert front.error.max() < 1e-9
        figure = with_floating_base(person)
        balance = art.Statics(figure, loads=LOADS).balance(front.q, FEET)
        assert balance.margin.min() >= -1e-6
        feet = figure.landmark(front.q[0], "l_toe") - figure.landmark(
            np.concatenate([np.zeros(6), person.neutral]), "l_toe"
        )
        assert np.abs(feet[:3, 3]).max() < 1e-9
        knees = [front.named()[f"{side}_knee_flexion"] for side in "lr"]
        bent.append(np.degrees(sum(knees)))
    assert bent[1] > bent[0] + 20.0
    weighed = scene_of(person, lifting(person), loads=LOADS, supports=FEET, floating=True)
    aim = bound(art.Objective("strength"), weighed)
    tau = weighed.bearing.torques(front.q)[0]
    names = weighed.figure.names
    # published, of weight times stature: 0.163 cos(1.258 (angle - 1.133)) toward extension, and
    # 0.087 cos(0.869 (angle - 0.522)) toward flexion; not less where the muscle is stretched
    knee = names.index("l_knee_flexion")
    angle, size = front.q[0, knee], person.mass * 9.80665 * 1.75
    extends, bends = ((0.163, 1.258, 1.133), (0.087, 0.869, 0.522))
    c1, c2, c3 = bends if tau[knee] > 0.0 else extends
    short = max(angle - c3, 0.0) if tau[knee] > 0.0 else min(angle - c3, 0.0)
    share = abs(tau[knee]) / (c1 * size * np.cos(c2 * short))
    assert strengths(None, weighed).at(front.q, tau[None] > 0.0)[0][0, knee] == pytest.approx(
        abs(tau[knee]) / share, rel=1e-3
    )
    assert aim.values(front.q)[0] >= share - 1e-12
    weak = bound(art.Objective("strength", by_joint={"l_knee_flexion": 1e-3}), weighed)
    assert weak.tell is not None
    assert weak.tell(front.q)[0].startswith("l_knee_flexion takes")
    assert weak.values(front.q)[0] == pytest.approx(abs(tau[knee]) / 1e-3)


def test_the_lowest_of_many_valleys_is_found_near_the_floor() -> None:
    front = near_the_floor(0.25, 0.35).final()
    assert front.costs[:, 1].min() < (1.0 + MISSED) * LOWEST_OF_MANY
    assert front.error.max() < 1e-9


@pytest.mark.slow
def test_few_of_many_descents_of_torque_end_lowest_near_the_floor() -> None:
    judging = near_the_floor(0.25, 0.35).judging
    x, there = brought(judging.scene, spread_starts(judging.scene, 201))
    x, clear = made_clear(judging, x[there])
    x = x[clear]
    values = judging.values(x)
    torque_alone = np.tile([0.0, 1.0], (len(x), 1))
    norm = Norm(values.min(axis=0), values.max(axis=0), torque_alone)
    for moved in descend(judging, x, norm, 200):
        values = moved.values
    lowest = values[:, 1].min()
    assert lowest == pytest.approx(LOWEST_OF_MANY, rel=5e-3)
    assert np.mean(values[:, 1] < 1.01 * lowest) < 0.2


@pytest.mark.slow
@pytest.mark.parametrize(("height", "reach"), [(0.15, 0.35), (0.2, 0.4), (0.25, 0.35), (0.3, 0.3)])
def test_fronts_near_the_floor_are_those_of_ten_times_the_starts(
    height: float, reach: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = near_the_floor(height, reach).final().costs
    monkeypatch.setattr(front_search, "STARTS", 800)
    monkeypatch.setattr(front_search, "ENDS", 40)
    many = near_the_floor(height, reach).final().costs
    worst = np.vstack([usual, many]).max(axis=0)
    assert hypervolume(usual, worst) > (1.0 - MISSED) * hypervolume(many, worst)


def test_the_answer_says_which_joint_is_nearest_its_strength() -> None:
    someone = art.figure("person")
    hand = {"right hand": someone.landmark(someone.posture("seated"), "right hand")}
    front = art.pose(
        someone, hand, moving="right arm", objectives=[art.Objective("strength")], points=4,
        loads=[art.Load("r_grip", 2.0)],
    ).final()  # fmt: skip
    share = f" takes {front.values[front.chosen, 0]:.0%} of its strength; "
    strained, _, tires = front.summary().partition(share)
    for joint in (strained.rpartition(" ")[2], tires.partition(" tires first, after ")[0]):
        assert joint in someone.names
    assert len(front.targets) == 1


def test_a_base_that_moves_needs_supports() -> None:
    person = art.figure("person")
    with pytest.raises(KinematicsError, match="supports"):
        art.pose(person, lifting(person), floating=True)
    with pytest.raises(KinematicsError, match="give it once"):
        art.pose(person, {"l_toe": [0, 0, 0]}, floating=True, supports=FEET)


def test_who_is_pushed_leans_against_it() -> None:
    person = art.figure("person")
    hand = person.landmark(person.neutral, "right hand")[:3, 3] + [0.0, 0.3, 0.35]
    moved = with_floating_base(person)
    centers = []
    for newtons in (-150.0, 150.0):
        push = art.Push("right hand", (0.0, 0.0, newtons))
        front = art.pose(
            person, {"right hand": hand}, supports=FEET, floating=True, standing=True,
            pushes=[push], points=1,
        ).final()  # fmt: skip
        (q,) = front.q
        statics = art.Statics(moved)
        ends = [float(moved.landmark(q, name)[2, 3]) for name in ("l_heel", "l_toe")]
        floor = np.mean([moved.landmark(q, name)[1, 3] for name in FEET])
        height = moved.landmark(q, "right hand")[1, 3] - floor
        center = float(statics.center(q)[2])
        weight = float(np.linalg.norm(statics.mass * statics.gravity))
        # weight and push do not turn her over toes or heels
        assert ends[0] - 1e-6 < center + newtons * height / weight < ends[1] + 1e-6
        centers.append(center)
    assert centers[0] > centers[1] + 0.1
    lifted = art.Push("right hand", (0.0, 2000.0, 0.0))
    with pytest.raises(KinematicsError, match="push less"):
        art.pose(
            person, {"right hand": hand}, supports=FEET, floating=True, standing=True,
            pushes=[lifted], points=1,
        ).final()  # fmt: skip


def test_hamstrings_keep_hips_of_straight_knees_from_bending() -> None:
    # 80 deg with the knee straight (Kendall), 120 from 90 deg of the knee on (AAOS)
    person = art.figure("person")
    front = art.pose(
        person, lifting(person, 0.1), objectives=[art.Objective("discomfort")], loads=LOADS,
        supports=FEET, standing=True, floating=True, points=1,
    ).final()  # fmt: skip
    bent = {name: float(np.degrees(value)) for name, value in front.named().items()}
    for side in "lr":
        knee, hip = bent[f"{side}_knee_flexion"], bent[f"{side}_hip_flexion"]
        assert hip <= 80.0 + 40.0 / 90.0 * min(knee, 90.0) + 1e-3
    assert "hamstrings of l_hip_flexion at its bound" in front.binds[0]


def test_a_trunk_leans_no_more_than_is_asked() -> None:
    person = art.figure("person")
    leaning = []
    for lean in (None, np.radians(50.0)):
        front = art.pose(
            person, lifting(person, 0.45), objectives=[art.Objective("discomfort")], loads=LOADS,
            supports=FEET, standing=True, floating=True, points=1, lean=lean,
        ).final()  # fmt: skip
        assert front.found
        up = with_floating_base(person).link_pose(front.q[0], "vt6_rotation")[1, 1]
        leaning.append(float(np.degrees(np.arccos(up))))
    assert leaning[0] > 60.0
    assert leaning[1] <= 50.0 + 1e-3
    with pytest.raises(KinematicsError, match="lean of the trunk is -1"):
        art.pose(person, lifting(person), supports=FEET, floating=True, lean=-1.0)
    with pytest.raises(KinematicsError, match="lean of a trunk is read from figures with H-Anim"):
        art.pose(art.figure("planar_4_2_1"), {"hand": [5.0, 3.0, 0.0]}, lean=1.0).final()


def test_a_bound_of_the_search_is_named_as_one() -> None:
    person = art.figure("person")
    hands = {"r_grip": [-0.2, -0.75, 0.25], "l_grip": [0.2, -0.75, 0.25]}
    judged = scene_of(person, hands, supports=FEET, floating=True)
    x = judged.start[None, judged.columns].copy()
    x[0, BASE.index("base turn x")] = np.pi / 2
    judging = judging_of(judged, [art.Objective("discomfort")])
    (said,) = binding(judging, x)
    assert "base turn x at its upper limit (a bound of the search, not of the body" in said


def test_two_conditions_of_one_name_are_told_once(monkeypatch: pytest.MonkeyPatch) -> None:
    person = art.figure("person")
    judged = scene_of(person, lifting(person), supports=FEET, floating=True, margin=0.0)
    judging = judging_of(judged, [art.Objective("discomfort")])
    x = judged.start[None, judged.columns]
    over, slopes = judging.conditions(x)
    monkeypatch.setattr(type(judging), "conditions", lambda *_: (np.zeros_like(over), slopes))
    assert len(judged.clashes) == 2
    (said,) = binding(judging, x)
    assert said.count("distance to itself at its bound") == 1


def test_flesh_gives_and_hands_do_not() -> None:
    person = art.figure("person")
    judged = scene_of(person, lifting(person), supports=FEET, floating=True, margin=0.0)
    (firm, none), (soft, gap) = judged.clashes
    assert (none, gap) == (0.0, -0.03)
    # thighs drawn to the belly press into it by less than 3 cm
    squat = judged.figure.vector({f"{s}_hip_flexion": np.radians(120.0) for s in "lr"})
    squat += judged.figure.vector({f"{s}_knee_flexion": np.radians(100.0) for s in "lr"})
    squat += judged.figure.vector({f"{s}_shoulder_abduction": np.radians(40.0) for s in "lr"})
    squat += judged.figure.vector({"vl3_flexion": np.radians(15.0)})
    names = soft.clearances(squat).names()
    assert names is not None
    assert {each.lstrip("lr_") for each in names} == {"abdomen", "thigh"}
    assert -0.03 < soft.distance(squat) < 0.0
    assert soft.free(squat, gap)
    # a hand is no flesh: the forearm in the belly, even by a little, is not clear
    q = judged.figure.vector({"r_elbow_flexion": 1.9, "r_shoulder_rotation": 1.2})
    touched = [firm.clearances(q).names(), float(firm.distance(q))]
    assert touched[1] < 0.0, touched
    assert not firm.free(q, none)
