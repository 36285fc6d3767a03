"""Questions that have no answer: what is said, and how near the nearest posture comes."""

import numpy as np
import numpy.typing as npt
import pytest
from benchmarks.published.evolution_peers import peer_front

import articulata as art
from articulata.errors import KinematicsError, NameNotFound, RecordingError
from posing import person


def test_what_is_just_out_of_reach_is_met_within_its_tolerance() -> None:
    figure, X = person()
    far = X[:3, 3] + [0.0, 0.0, 0.6]
    exact = art.pose(figure, {"right hand": far}, moving="right arm", points=4).final()
    assert not exact.found
    short = float(exact.error[0])
    assert f"{1000 * short:.3g} mm" in exact.reason
    near = art.At(far, short + 0.01)
    front = art.pose(figure, {"right hand": near}, moving="right arm", points=4).final()
    assert front.found
    assert short - 1e-6 < front.error.min() <= front.error.max() <= short + 0.01


def test_limits_that_no_posture_keeps_are_told() -> None:
    figure, X = person()
    stiff = figure.with_limits({"r_elbow_flexion": (0.0, 0.05)})
    front = art.pose(stiff, {"right hand": X}, moving="right arm").final()
    assert not front.found
    assert front.reason.startswith("No posture meets the targets. The nearest posture is")
    assert front.error[0] > 0.01
    with pytest.raises(KinematicsError, match="lower one first"):
        art.Joint("elbow", limits=(0.5, -0.5))


def test_supports_that_cannot_hold_are_told_with_how_far_the_weight_is_beside_them() -> None:
    someone = art.figure("person")
    hand = someone.landmark(someone.neutral, "right hand")[:3, 3] + [0.0, 0.1, 0.1]
    asked = {"right hand": hand}
    front = art.pose(
        someone, asked, moving="right arm", supports=("l_toe", "r_toe"), standing=True, points=4
    ).final()
    assert not front.found
    assert "outside its supports (l_toe, r_toe)" in front.reason
    assert front.error[0] < 1e-6
    margin = art.Statics(someone).balance(front.q, ("l_toe", "r_toe")).margin[0]
    assert f"{-1000 * margin:.3g} mm" in front.reason


def test_supports_without_an_area_are_told() -> None:
    someone = art.figure("person")
    hand = {"right hand": someone.landmark(someone.neutral, "right hand")[:3, 3] + [0.0, 0.1, 0.1]}
    one = art.pose(
        someone, hand, supports=["l_toe"], standing=True, floating=True, points=4
    ).final()
    assert not one.found
    assert "is over its supports (l_toe), but these enclose no area" in one.reason
    two = art.pose(
        someone, hand, moving="right arm", supports=("l_toe", "r_toe"), standing=True, points=4
    ).final()
    assert "mm outside its supports (l_toe, r_toe), which enclose no area" in two.reason


def test_an_objective_that_excludes_postures_is_kept_to_and_nan_is_an_error() -> None:
    figure, X = person()
    elbow = figure.names.index("r_elbow_flexion")

    def ask(of: object) -> art.Front:
        mine = art.Objective("mine", of=of, unit="1")  # type: ignore[arg-type] # made below
        aims = [art.Objective("discomfort"), mine]
        hand = {"right hand": X[:3, 3]}
        return art.pose(figure, hand, moving="right arm", objectives=aims, points=12).final()

    bent = ask(lambda q: np.where(q[:, elbow] > 1.2, np.inf, q[:, elbow]))
    assert bent.found
    assert bent.q[:, elbow].max() <= 1.2
    none = ask(lambda q: np.full(len(q), np.inf))
    assert not none.found
    assert "'mine' is inf" in none.reason
    with pytest.raises(KinematicsError, match=r"not a number.*'r_elbow_flexion': \d\.\d+"):
        ask(lambda q: np.where(q[:, elbow] > 0.5, np.nan, 0.0))


def test_targets_that_are_none_are_told() -> None:
    arm = art.figure("planar_4_2_1")
    skewed = np.eye(4)
    skewed[0, 1] = 0.5
    for given, said in (
        ([np.nan, 1.0, 0.0], "NaN"),
        ([0.0, 0.0, np.inf], "infinite"),
        ([1e308, 1e308, 0.0], r"beyond 1e\+100"),
        ([[5.0, 3.0, 0.0], [5.0, 3.1, 0.0]], "2 targets at once"),
        (skewed, "the target of 'hand' is no pose"),
    ):
        with pytest.raises(KinematicsError, match=said):
            art.pose(arm, {"hand": given})


def test_what_makes_no_sense_is_told_before_the_search() -> None:
    figure, X = person()
    hand = {"right hand": X[:3, 3]}
    eye = figure.landmark(figure.neutral, "eyes")[:3, 3]
    with pytest.raises(KinematicsError, match="where 'eyes' itself is"):
        art.pose(figure, {"eyes": art.Gaze(eye)})
    for carried in ({"loads": [art.Load("third hand", 3.0)]}, {"pushes": [PUSH]}):
        with pytest.raises(NameNotFound, match="no place 'third hand'"):
            art.pose(figure, hand, **carried)  # type: ignore[arg-type] # each has its own type
    for kind in ("discomfort", "torque"):
        none = art.Objective(kind, by_joint=dict.fromkeys(figure.names, 0.0))
        with pytest.raises(KinematicsError, match=f"weights of {kind} are 0 for all joints"):
            art.pose(figure, hand, objectives=[none])
    with pytest.raises(KinematicsError, match="'discomfort' is no objective"):
        art.pose(figure, hand, objectives=["discomfort"])  # type: ignore[list-item] # wrong
    with pytest.raises(KinematicsError, match=r"not 2\.5"):
        art.pose(figure, hand, points=2.5)  # type: ignore[arg-type] # wrong
    with pytest.raises(KinematicsError, match="at least one generation"):
        peer_front(art.pose(figure, hand).judging, generations=0)


PUSH = art.Push("third hand", (1.0, 0.0, 0.0))


def test_functions_of_ones_own_return_numbers_and_keep_their_postures() -> None:
    figure, X = person()

    def ask(of: object) -> art.Front:
        mine = art.Objective("mine", of=of)  # type: ignore[arg-type] # made below
        aims = [mine, art.Objective("discomfort")]
        hand = {"right hand": X[:3, 3]}
        return art.pose(figure, hand, moving="right arm", objectives=aims, points=3).final()

    for wrong in (lambda q: ["a"] * len(q), lambda q: q[:, 0] + 1j):
        with pytest.raises(KinematicsError, match="returns real numbers"):
            ask(wrong)

    def spoiling(q: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        found = q.sum(axis=1)
        q[...] = 0.0
        return np.asarray(found)

    assert ask(spoiling).q.tobytes() == ask(lambda q: q.sum(axis=1)).q.tobytes()


def test_an_order_of_importance_names_aims() -> None:
    figure, X = person()
    front = art.pose(figure, {"right hand": X}, moving="right arm", points=4).final()
    with pytest.raises(RecordingError, match="at least one aim"):
        front.by_order(())
