"""Fronts of figures without a closed form: constrained Newton, against SLSQP and at random."""

import numpy as np
import pytest
from scipy.optimize import minimize

import articulata as art
from articulata.analyses.pose.constraints import residuals, residuals_and_jacobian, restored
from articulata.analyses.pose.judging import Judging
from articulata.analyses.pose.pose_question import PoseSearch
from articulata.analyses.pose.pose_scene import scene_of
from articulata.analyses.pose.starting import brought
from articulata.geometry.shapes import Cuboid
from posing import dominates, person
from shares import shares


def test_residuals_of_every_target_have_the_slopes_of_differences() -> None:
    figure, X = person()
    head = figure.landmark(figure.neutral, "skull_tip")[:3, 3]
    scene = scene_of(
        figure,
        {
            "right hand": X,
            "left hand": art.Pointing(X[:3, 3] + [0.4, 0, 0], (0.0, 1.0, 0.0)),
            "skull_tip": art.Gaze(head + np.array([0.0, 1.0, 2.0])),
            "r_elbow": X[:3, 3],
        },
    )
    x, there = brought(scene, scene.start[scene.columns][None])
    assert not there.any()  # four targets that contradict each other: slopes count anywhere
    x = x[0]
    _, J = residuals_and_jacobian(scene, x[None])
    step = 1e-6
    for column in range(len(x)):
        move = np.zeros(len(x))
        move[column] = step
        after, before = (residuals(scene, (x + s * move)[None])[0] for s in (1, -1))
        exact = J[0, :, column]
        # a pose's turn has this slope only where it is met: its rows are looked at below
        rows = [*range(3), *range(6, len(exact))]
        wanted = ((after - before) / (2 * step))[rows]
        close = np.abs(exact[rows] - wanted) < 2e-3 + 0.5 * np.abs(wanted)
        assert close[[0, 1, 2]].all()


def test_postures_come_back_to_their_targets_to_rounding() -> None:
    figure, X = person()
    head = figure.landmark(figure.neutral, "skull_tip")[:3, 3]
    scene = scene_of(
        figure, {"right hand": X, "skull_tip": art.Gaze(head + np.array([0.2, 2.0, 1.0]))}
    )
    x, there = brought(scene, scene.start[scene.columns][None])
    assert there.all()
    noise = np.random.default_rng(1).normal(0.0, 0.02, (50, x.shape[1]))
    back, good = restored(scene, np.clip(x + noise, scene.lower, scene.upper), rounds=8)
    assert good.mean() > 0.9
    assert np.abs(residuals(scene, back[good])).max() < 1e-9


def test_targets_in_another_order_are_those_of_their_places() -> None:
    figure, X = person()
    asked = {"right hand": X[:3, 3], "r_elbow": figure.landmark(figure.neutral, "r_elbow")[:3, 3]}
    scene = scene_of(figure, asked)
    x, _ = brought(scene, scene.start[scene.columns][None])
    here = residuals(scene, x)
    moved = scene.at({name: scene.targets[name] for name in reversed(asked)})
    np.testing.assert_array_equal(residuals(moved, x), here)


def slsqp(judging: Judging, start: np.ndarray) -> float:
    """Return the least of the first aim that SLSQP finds from a start, inf where it fails."""
    scene = judging.scene
    found = minimize(
        lambda x: float(judging.values(x[None])[0, 0]),
        start,
        jac=lambda x: judging.slopes(x[None])[0, 0],
        bounds=list(zip(scene.lower, scene.upper, strict=True)),
        constraints=[
            {
                "type": "ineq",
                "fun": lambda x: judging.conditions(x[None])[0][0],
                "jac": lambda x: judging.conditions(x[None])[1][0],
            },
            {
                "type": "eq",
                "fun": lambda x: residuals(scene, x[None])[0],
                "jac": lambda x: residuals_and_jacobian(scene, x[None])[1][0],
            },
        ],
        method="SLSQP",
        options={"maxiter": 300},
    )
    return float(found.fun) if found.success else np.inf


@pytest.mark.parametrize("kind", ["discomfort", "torque"])
def test_one_objective_is_no_worse_than_slsqp_finds_it(kind: str) -> None:
    figure, X = person()
    aims = [art.Objective(kind)]
    search = art.pose(figure, {"right hand": X[:3, 3]}, objectives=aims)
    front = search.final()
    scene = search.judging.scene
    rng = np.random.default_rng(2)
    starts, _ = brought(scene, rng.uniform(scene.lower, scene.upper, (4, len(scene.columns))))
    best = min(slsqp(search.judging, start) for start in starts)
    assert np.isfinite(best)
    assert front.values.min() <= best + 1e-4 * abs(best)


def test_no_random_posture_dominates_one_of_the_front() -> None:
    figure, X = person()
    search = art.pose(
        figure,
        {"right hand": art.Pointing(X[:3, 3], X[:3, 2])},
        moving="right arm",
        objectives=[art.Objective("discomfort"), art.Objective("torque")],
        points=60,
    )
    front = search.final()
    assert front.redundancy == 2
    assert len(front) > 30
    scene = search.judging.scene
    x, there = brought(scene, np.random.default_rng(0).uniform(scene.lower, scene.upper, (3000, 7)))
    values = search.judging.values(x[there])
    assert there.sum() > 1000
    for row in front.costs:
        assert not any(dominates(other + 1e-9, row) for other in values)


def test_the_room_is_kept_clear_of() -> None:
    figure, X = person()
    wall = np.eye(4)
    elbow = figure.landmark(figure.vector({"r_shoulder_flexion": 0.8, "r_elbow_flexion": 1.2,
                                           "r_shoulder_rotation": 0.2}), "r_elbow")  # fmt: skip
    wall[:3, 3] = elbow[:3, 3] + [-0.10, -0.05, 0.0]
    room = [art.Obstacle("wall", Cuboid(0.1, 0.2, 0.2), wall)]
    aims = [art.Objective("discomfort"), art.Objective("torque")]
    free = art.pose(figure, {"right hand": X}, moving="right arm", objectives=aims).final()
    kept = art.pose(
        figure, {"right hand": X}, moving="right arm", objectives=aims, room=room, clear=0.02
    ).final()
    clash = art.Clash(figure, room, own=False)
    assert kept.found
    assert clash.distance(kept.q).min() > 0.02
    assert clash.distance(free.q).min() < 0.02
    whole = art.pose(figure, {"right hand": X[:3, 3]}, objectives=aims, room=room, clear=0.02,
                     points=20).final()  # fmt: skip
    assert clash.distance(whole.q).min() > 0.02
    assert whole.error.max() < 1e-6


def test_what_cannot_be_is_told_with_the_nearest_posture() -> None:
    figure, X = person()
    far = art.pose(figure, {"right hand": [0.0, 0.5, 5.0]}).final()
    assert not far.found
    assert "too far" in far.reason
    assert far.q.shape == (1, figure.dof)
    inside = np.eye(4)
    inside[:3, 3] = X[:3, 3]
    room = [art.Obstacle("block", Cuboid(0.3, 0.3, 0.3), inside)]
    hit = art.pose(figure, {"right hand": X}, moving="right arm", room=room, clear=0.0).final()
    assert not hit.found
    assert "block" in hit.reason
    assert hit.error.max() < 1e-6


def test_threads_do_not_change_a_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    figure, X = person()
    aims = [art.Objective("discomfort"), art.Objective("torque")]
    fronts = []
    for threads in ("1", "3", "3"):
        monkeypatch.setenv("ARTICULATA_THREADS", threads)
        front = art.pose(figure, {"right hand": X[:3, 3]}, objectives=aims, points=80).final()
        fronts.append(front.q.tobytes() + front.values.tobytes())
    assert fronts[0] == fronts[1] == fronts[2]


def chain() -> PoseSearch:
    """Ask for the tip of 21 equal links at a place; axes turn by a right angle from one to next."""
    turned = np.array([[1.0, 0, 0, 0.1], [0, 0, -1, 0], [0, 1, 0, 0], [0, 0, 0, 1]])
    joints = [art.Joint(f"j{k}", X_PJ=turned, limits=(-1.2, 1.2)) for k in range(21)]
    links = {each.name: art.Link(each.name, mass=0.3, center=(0.05, 0, 0)) for each in joints}
    figure = art.Figure(joints, [-1, *range(20)], links=links,
                        landmarks={"tip": art.Landmark("j20")})  # fmt: skip
    q = np.random.default_rng(1).uniform(-0.5, 0.5, 21)
    aims = [art.Objective("discomfort"), art.Objective("torque")]
    return art.pose(figure, {"tip": figure.landmark(q, "tip")[:3, 3]}, objectives=aims)


def beaten_by(front: np.ndarray, values: np.ndarray) -> float:
    """Return by how much values (m, 2) dominate a front at most, as a share of its spread.

    Of both values the smaller gain; negative where none dominates.
    """
    span = np.ptp(front, axis=0)
    front = front[np.argsort(front[:, 0])] / span
    most = -np.inf
    for v in np.array_split(values / span, max(1, len(values) // 20_000)):
        gain = np.minimum(front[None, :, 0] - v[:, None, 0], front[None, :, 1] - v[:, None, 1])
        most = max(most, float(gain.max()))
    return most


def test_a_front_of_a_chain_is_dense_and_nothing_near_it_is_better() -> None:
    search = chain()
    front, scene = search.final(), search.judging.scene
    assert len(front) == 300
    assert front.error.max() < 1e-9
    x = np.tile(front.q, (10, 1)) + np.random.default_rng(3).normal(0.0, 0.02, (3000, 21))
    near, there = restored(scene, np.clip(x, scene.lower, scene.upper))
    assert there.sum() > 2900
    assert beaten_by(front.costs, search.judging.values(near[there])) < 2e-4
    gaps = np.abs(np.diff(front.costs[np.argsort(front.costs[:, 0])], axis=0))
    assert (gaps / np.ptp(front.costs, axis=0)).max() < 0.05


@pytest.mark.parametrize("count", shares([200_000, 1_000_000], slow=1))
def test_feasible_postures_dominate_no_posture_of_a_chain(count: int) -> None:
    search = chain()
    front, scene = search.final(), search.judging.scene
    rng = np.random.default_rng(8)
    seen = 0
    while seen < count:
        x, there = restored(scene, rng.uniform(scene.lower, scene.upper, (20_000, 21)), rounds=20)
        seen += int(there.sum())
        assert beaten_by(front.costs, search.judging.values(x[there])) < 0.0
    for size in (0.3, 0.1, 0.03, 0.01):
        noise = rng.normal(0.0, size, (30_000, 21))
        x = np.clip(np.tile(front.q, (100, 1)) + noise, scene.lower, scene.upper)
        x, there = restored(scene, x)
        assert beaten_by(front.costs, search.judging.values(x[there])) < 1e-3
