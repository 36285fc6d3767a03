"""Objectives: their slopes against differences, and errors that say what is missing."""

import numpy as np
import pytest

import articulata as art
from articulata.analyses.pose.aims import MEASURES, bound
from articulata.analyses.pose.objectives import KINDS
from articulata.analyses.pose.pose_scene import scene_of
from articulata.errors import ArticulataError, KinematicsError, NameNotFound
from articulata.geometry.shapes import Cuboid
from posing import REACH, person

SMOOTH = [
    ("discomfort", {"form": "sum"}),
    ("discomfort", {"form": "square"}),
    ("discomfort", {"form": "range"}),
    ("discomfort", {"form": "barrier"}),
    ("displacement", {}),
    ("torque", {}),
    ("energy", {}),
    ("energy change", {}),
    ("dexterity", {}),
    ("dexterity", {"toward": (0.2, -0.4, 1.0)}),
    ("force", {"toward": (0.2, -0.4, 1.0)}),
    ("isotropy", {}),
    ("singularity", {}),
    ("clearance", {}),
]


@pytest.mark.parametrize(("kind", "more"), SMOOTH)
def test_slopes_are_those_of_differences(kind: str, more: dict[str, object]) -> None:
    figure, X = person()
    wall = np.eye(4)
    wall[:3, 3] = 0.0, 0.3, 1.2
    scene = scene_of(
        figure,
        {"right hand": X[:3, 3]},
        loads=[art.Load("right hand", 2.0)],
        room=[art.Obstacle("wall", Cuboid(2.0, 2.0, 0.1), wall)],
    )
    aim = bound(art.Objective(kind, **more), scene)  # type: ignore[arg-type] # rows of the table above
    assert aim.unit or kind == "discomfort"
    share = np.random.default_rng(5).uniform(0.2, 0.8, (6, figure.dof))
    q = np.tile(scene.start, (6, 1))
    q[:, scene.columns] = (figure.lower + share * (figure.upper - figure.lower))[:, scene.columns]
    assert np.isfinite(aim.values(q)).all()
    found = aim.slopes(q)
    step = 1e-6
    for column in scene.columns:
        more_q, less_q = q.copy(), q.copy()
        more_q[:, column] += step
        less_q[:, column] -= step
        slope = (aim.values(more_q) - aim.values(less_q)) / (2 * step)
        np.testing.assert_allclose(found[:, column], slope, rtol=2e-5, atol=2e-6)


def test_strength_is_the_largest_share_and_slopes_near_it() -> None:
    figure, X = person()
    strong = dict.fromkeys(figure.names, 200.0) | {"r_elbow_flexion": 20.0}
    scene = scene_of(figure, {"right hand": X}, moving="right arm",
                     loads=[art.Load("right hand", 10.0)])  # fmt: skip
    aim = bound(art.Objective("strength", by_joint=strong), scene)
    q = figure.vector({"r_elbow_flexion": np.pi / 2})[None]
    tau = scene.statics.torques(q)[0]
    share = np.abs(tau) / [strong[name] for name in figure.names]
    assert aim.values(q)[0] == pytest.approx(share.max(), rel=1e-12)
    assert figure.names[int(share.argmax())] == "r_elbow_flexion"
    column = figure.coordinate("r_elbow_flexion")
    assert abs(aim.slopes(q)[0, column]) < abs(aim.slopes(q + 0.5)[0, column])


def test_endurance_is_the_time_until_the_first_joint_tires() -> None:
    """Frey Law and Avin (2010): 17.98 f^-2.21 s for elbows, 14.86 f^-1.83 s for shoulders."""
    figure, X = person()
    strong = {"r_elbow_flexion": 20.0, "r_shoulder_flexion": 60.0}
    scene = scene_of(figure, {"right hand": X}, moving="right arm",
                     loads=[art.Load("right hand", 2.0)])  # fmt: skip
    aim = bound(art.Objective("endurance", by_joint=strong), scene)
    q = figure.vector({"r_elbow_flexion": np.pi / 2})[None]
    tau = np.abs(scene.statics.torques(q)[0])
    elbow, shoulder = (float(tau[figure.coordinate(name)]) / most for name, most in strong.items())
    assert elbow > 0.3
    assert shoulder > 0.1
    expected = 17.98 * elbow**-2.21
    assert 2.0 * expected < 14.86 * shoulder**-1.83
    assert aim.sign * aim.values(q)[0] == pytest.approx(expected, rel=1e-12)
    assert aim.tell is not None
    assert aim.tell(q) == [f"r_elbow_flexion tires first, after {expected:.0f} s"]
    step = 1e-6
    slopes = aim.slopes(q)[0]
    for name in strong:
        column = figure.coordinate(name)
        more, less = q.copy(), q.copy()
        more[0, column] += step
        less[0, column] -= step
        change = (aim.values(more) - aim.values(less))[0] / (2 * step)
        assert slopes[column] == pytest.approx(change, rel=0.05, abs=2.0), name
    weak = bound(art.Objective("endurance", by_joint={"r_elbow_flexion": 1.0}), scene)
    assert weak.values(q)[0] == 0.0
    assert weak.tell is not None
    assert weak.tell(q) == ["r_elbow_flexion tires at once"]


def test_endurance_of_a_robot_is_not_known() -> None:
    arm = art.Figure([art.Joint("shoulder_pan_joint"), art.Joint("elbow_joint")], [-1, 0])
    scene = scene_of(arm, {"elbow_joint": [0.0, 0.0, 0.0]}, loads=[art.Load("elbow_joint", 1.0)])
    with pytest.raises(KinematicsError, match="has a known endurance"):
        bound(art.Objective("endurance", by_joint={"elbow_joint": 5.0}), scene)


def test_dexterity_is_the_radius_of_the_ellipsoid() -> None:
    figure, X = person()
    scene = scene_of(figure, {"right hand": X}, moving="right arm")
    u = np.array([0.6, 0.0, 0.8])
    aim = bound(art.Objective("dexterity", toward=(0.6, 0.0, 0.8)), scene)
    q = figure.vector({"r_elbow_flexion": 1.0, "r_shoulder_flexion": 0.4})
    J = figure.landmark_jacobian(q, "right hand")[:3, scene.columns]
    # the fastest motion along u of joints with a speed of 1: the ellipsoid's radius
    size = 1.0 / np.linalg.norm(np.linalg.pinv(J) @ u)
    assert aim.sign * aim.values(q[None])[0] == pytest.approx(size, rel=1e-9)


@pytest.mark.parametrize(
    ("objectives", "words"),
    [
        ([], "at least one"),
        ([("discomfort", {"weight": 0.0})], "weights of all objectives are 0"),
        ([("discomfort", {}), ("discomfort", {})], "given twice"),
        ([("strength", {"by_joint": {"r_elbow_flexion": 0.0}})], "more than 0"),
        ([("balance", {})], "supports"),
        ([("force", {})], "toward"),
        ([("discomfort", {"form": "cube"})], "comes as"),
    ],
)
def test_what_is_missing_is_said(objectives: list[tuple[str, dict[str, object]]],
                                 words: str) -> None:  # fmt: skip
    figure, X = person()
    made = [art.Objective(kind, **more) for kind, more in objectives]  # type: ignore[arg-type] # rows above
    with pytest.raises(KinematicsError, match=words):
        art.pose(figure, {"right hand": X}, moving="right arm", objectives=made)


def test_an_unknown_kind_is_refused_with_those_there_are() -> None:
    with pytest.raises(NameNotFound, match="torque"):
        art.Objective("beauty")


def test_every_kind_has_a_source_and_a_measure() -> None:
    assert KINDS.keys() == MEASURES.keys()
    assert all(kind.source for kind in KINDS.values())


def test_a_function_of_ones_own_counts_and_its_nan_is_an_error() -> None:
    figure, X = person()
    own = art.Objective("elbow height", of=lambda q: figure.landmark(q, "r_elbow")[:, 1, 3],
                        unit="m")  # fmt: skip
    X = figure.landmark(figure.vector(REACH), "right arm")
    front = art.pose(figure, {"right arm": X}, moving="right arm", objectives=[own]).final()
    assert front.aims[0].unit == "m"
    q = figure.chain("right arm").all_inverse(X).families[0].samples(500)
    whole = np.tile(figure.neutral, (500, 1))
    whole[:, figure.chain_coordinates("right arm")] = q
    assert front.values.min() <= figure.landmark(whole, "r_elbow")[:, 1, 3].min() + 1e-12
    broken = art.Objective("broken", of=lambda q: np.full(len(q), np.nan))
    with pytest.raises(ArticulataError, match="NaN"):
        art.pose(figure, {"right hand": X}, moving="right arm", objectives=[broken]).final()


def test_sources_tell_where_weights_and_strengths_are_from() -> None:
    figure, X = person()

    def source(kind: str, by_joint: dict[str, float] | None = None) -> str:
        aim = art.Objective(kind, by_joint=by_joint)
        search = art.pose(figure, {"right hand": X}, moving="right arm", objectives=[aim])
        return search.judging.labels[0].source

    assert source("discomfort").endswith("shoulder and elbow weigh 2, a proposal")
    assert source("torque") == "Thomann 2005, 4.1.4; holding, by statics"
    for kind in ("discomfort", "torque"):
        assert source(kind, {"r_elbow_flexion": 3.0}).endswith("weights given by joint")
    assert "Stobbe 1982" in source("strength")
    assert "given by joint" in source("strength", {"r_elbow_flexion": 30.0})
