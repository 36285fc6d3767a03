"""Six turning joints of any geometry: every posture, none twice, whatever the axes do."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.unit.kinematics.arms import P, drawn, puma

from articulata.errors import KinematicsError
from articulata.kinematics.chain import Chain
from articulata.kinematics.conventions import DH
from articulata.kinematics.inverse.closed_form import Degenerate
from articulata.kinematics.inverse.nearest_branch import MeetingAxes, ParallelAxes, SixJoints
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.inverse.six_joints import SixJointsForm
from articulata.kinematics.joint import Joint

# a, alpha, d of standard tables, m
ARMS = {
    # Universal Robots, DH parameters for calculations of kinematics and dynamics: UR5
    "three parallel axes": [
        (0.0, P, 0.089159),
        (-0.425, 0.0, 0.0),
        (-0.39225, 0.0, 0.0),
        (0.0, P, 0.10915),
        (0.0, -P, 0.09465),
        (0.0, 0.0, 0.0823),
    ],
    # Universal Robots, as above: UR10e
    "three parallel axes, longer": [
        (0.0, P, 0.1807),
        (-0.6127, 0.0, 0.0),
        (-0.57155, 0.0, 0.0),
        (0.0, P, 0.17415),
        (0.0, -P, 0.11985),
        (0.0, 0.0, 0.11655),
    ],
    # Abbes & Poisson, Geometric approach for inverse kinematics of the FANUC CRX, Robotics 2024
    "wrist with an offset": [
        (0.0, -P, 0.0),
        (0.54, math.pi, 0.0),
        (0.0, -P, 0.0),
        (0.0, P, -0.54),
        (0.0, -P, 0.15),
        (0.0, math.pi, -0.16),
    ],
    # Kinova, user guide of the Jaco with six joints (60 degree wrist)
    "wrist of 60 degrees": [
        (0.0, P, 0.2755),
        (0.41, math.pi, 0.0),
        (0.0, P, -0.0098),
        (0.0, math.pi / 3.0, -0.2501),
        (0.0, math.pi / 3.0, -0.0856),
        (0.0, math.pi, -0.2028),
    ],
    # UFACTORY, user manual of the xArm6, kinematics
    "wrist beside its forearm": [
        (0.0, -P, 0.267),
        (0.28949, 0.0, 0.0),
        (0.0775, -P, 0.0),
        (0.0, P, 0.3425),
        (0.076, -P, 0.0),
        (0.0, 0.0, 0.097),
    ],
}


def _arm(rows: Any, **more: Any) -> Chain:
    return Chain.standard_dh([DH(a=a, alpha=alpha, d=d) for a, alpha, d in rows], **more)


def _any(rng: np.random.Generator) -> Chain:
    rows = [(rng.uniform(0.1, 0.5), rng.uniform(-3, 3), rng.uniform(-0.3, 0.3)) for _ in range(6)]
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    base = np.eye(4)
    base[:3, :3], base[:3, 3] = turn * np.sign(np.linalg.det(turn)), rng.normal(size=3)
    return _arm(rows, base=base, end=np.linalg.inv(base))


def _missed(chain: Chain, q: Any, odd: float = 1e-3) -> int:
    """Return how many of the postures are not among the answers, which are true and differ.

    Where the number of answers cannot be, each of them says that one may be missing.
    """
    turns = np.array([joint.kind != "prismatic" for joint in chain.joints])
    X_WT = chain.tip(q)
    found = chain.all_inverse(X_WT)
    there = ~np.isnan(found.q[:, :, 0])
    assert (np.isfinite(found.q) == there[:, :, None]).all()
    poses = np.broadcast_to(X_WT[:, None], (*there.shape, 4, 4))[there]
    np.testing.assert_allclose(chain.tip(found.q[there]), poses, rtol=0.0, atol=1e-9)
    apart = np.abs(_between(found.q[:, :, None], found.q[:, None], turns)).max(axis=3)
    slots = np.arange(apart.shape[1])
    apart[:, slots, slots] = np.inf
    assert np.nanmin(apart) > 1e-8
    count = there.sum(axis=1)
    assert np.mean(count % 2 == 1) <= odd
    assert ((found.degenerate & Degenerate.UNSURE) != 0)[there & (count % 2 == 1)[:, None]].all()
    off = np.abs(_between(found.q, q[:, None], turns)).max(axis=2)
    off = np.nan_to_num(off, nan=np.inf).min(axis=1)
    return int(np.sum(off > 1e-5))


def _between(a: Any, b: Any, turns: Any) -> Any:
    return np.where(turns, _turn(a - b), a - b)


def _turn(angle: Any) -> Any:
    return angle - math.tau * np.round(angle / math.tau)


@pytest.mark.parametrize("name", ARMS)
def test_the_posture_is_among_the_answers(name: str) -> None:
    chain = _arm(ARMS[name])
    structure = name[:19] if name.startswith("three parallel") else "six turning joints"
    assert chain.all_inverse(np.eye(4)).structure == structure
    assert _missed(chain, np.random.default_rng(0).uniform(-math.pi, math.pi, (150, 6))) == 0


def test_no_posture_is_lost_where_roots_share_an_angle() -> None:
    chain = _arm(ARMS["wrist with an offset"])
    # numbers of postures are multiples of four; these were two less with one split
    q = np.random.default_rng(4).uniform(-math.pi, math.pi, (2600, 6))[2400:]
    assert _missed(chain, q) == 0
    count = (~np.isnan(chain.all_inverse(chain.tip(q)).q[:, :, 0])).sum(axis=1)
    assert not (count % 4).any()


def _with_a_slide(k: int, rng: np.random.Generator) -> Chain:
    """Return an arm whose joint ``k`` slides, all else at random."""
    rows = [
        DH(
            a=rng.uniform(0.1, 0.5),
            alpha=rng.uniform(-3, 3),
            d=rng.uniform(-0.3, 0.3),
            kind="prismatic" if i == k else "revolute",
            limits=(-0.5, 0.8) if i == k else (-math.inf, math.inf),
        )
        for i in range(6)
    ]
    return Chain.standard_dh(rows)


def _slid(chain: Chain, rng: np.random.Generator, count: int) -> Any:
    low, high = np.maximum(chain.lower, -math.pi), np.minimum(chain.upper, math.pi)
    return rng.uniform(low, high, (count, 6))


@pytest.mark.parametrize("k", [0, 3])
def test_any_joint_may_slide(k: int) -> None:
    rng = np.random.default_rng(30 + k)
    chain = _with_a_slide(k, rng)
    q = _slid(chain, rng, 40)
    assert chain.all_inverse(chain.tip(q[0])).structure == "five turning joints and a slide"
    assert _missed(chain, q) == 0
    near = chain.inverse(chain.tip(q), start=q, method=SixJoints())
    assert near.found.all()
    np.testing.assert_allclose(near.q, q, atol=1e-6)


def test_a_chain_says_its_structure_and_why_it_is_no_quicker_one() -> None:
    quick = _arm(ARMS["three parallel axes"]).closed_form()
    assert (quick.name, quick.branches, quick.reason) == (
        "three parallel axes",
        "8 branches, named",
        "",
    )
    beside = _arm(ARMS["wrist beside its forearm"]).closed_form()
    assert beside.name == "six turning joints"
    assert "miss it by 76 mm" in beside.reason
    rows = [list(row) for row in ARMS["three parallel axes"]]
    rows[4][0] = 0.05
    assert "'joint2', 'joint3', 'joint4' are parallel" in _arm(rows).closed_form().reason
    none = _arm(ARMS["three parallel axes"][:4]).closed_form()
    assert not none.name
    assert str(none).startswith("This chain has 4 joints that move")


def _sliding(kinds: str, rng: np.random.Generator, meeting: int = 0) -> Chain:
    """Return an arm of turning (R) and sliding (P) joints, all else at random.

    The axes of joint ``meeting`` and its neighbours meet.
    """
    rows = [[rng.uniform(0.1, 0.5), rng.uniform(-3, 3), rng.uniform(-0.3, 0.3)] for _ in range(6)]
    if meeting:
        rows[meeting - 2][0] = rows[meeting - 1][0] = rows[meeting - 1][2] = 0.0
    joints = []
    for (a, alpha, d), kind in zip(rows, kinds, strict=True):
        joint = DH(a=a, alpha=alpha, d=d)
        if kind == "P":
            joint = replace(
                joint, kind="prismatic", limits=(-0.5, 0.8), theta=rng.uniform(-3.0, 3.0)
            )
        joints.append(joint)
    return Chain.standard_dh(joints)


@pytest.mark.parametrize(
    ("kinds", "meeting", "structure"),
    [
        ("RRPRRR", 5, "three meeting axes and a slide"),
        ("PRRRRR", 4, "three meeting axes and a slide"),
        ("PRPRRR", 0, "four turning joints and two slides"),
    ],
)
def test_slides_are_answered_beside_wrists_and_each_other(
    kinds: str, meeting: int, structure: str
) -> None:
    rng = np.random.default_rng(len(kinds) + meeting)
    chain = _sliding(kinds, rng, meeting)
    assert chain.closed_form().name == structure
    assert _missed(chain, _slid(chain, rng, 30)) == 0


def test_arms_that_slide_as_robots_do() -> None:
    wrist = [DH(alpha=-P), DH(alpha=P), DH(d=0.1)]
    slide = DH(kind="prismatic", limits=(0.1, 1.0))
    across = DH(kind="prismatic", limits=(0.1, 1.0), alpha=P, theta=P)
    arms = {
        # Stanford arm: Scheinman, Design of a computer controlled manipulator, 1969
        "three meeting axes and a slide": [DH(alpha=-P, d=0.4), DH(alpha=P, d=0.15), slide, *wrist],
        "four turning joints and two slides": [DH(d=0.3), across, slide, *wrist],
        "three turning joints and three slides": [across, across, slide, *wrist],
    }
    for structure, rows in arms.items():
        chain = Chain.standard_dh(rows)
        form = chain.closed_form()
        assert (form.name, form.reason) == (structure, "")
        q = _slid(chain, np.random.default_rng(1), 15)
        assert _missed(chain, q) == 0
        near = chain.inverse(chain.tip(q), start=q, method=SixJoints())
        np.testing.assert_allclose(near.q, q, atol=1e-6)
        some = chain.all_inverse(np.array([np.full((4, 4), np.nan), chain.tip(q[0])]))
        assert some.reason.tolist() == [Reason.NOT_A_NUMBER, Reason.MET]
        assert not len(chain.all_inverse(np.zeros((0, 4, 4))).q)


def test_slides_without_six_freedoms_are_refused() -> None:
    slide = DH(kind="prismatic", limits=(0.1, 1.0))
    scara = Chain.standard_dh([DH(a=0.3), DH(a=0.2), slide, DH()])
    with pytest.raises(KinematicsError, match="This chain has 4 joints that move"):
        scara.all_inverse(np.eye(4))
    twice = Chain.standard_dh([DH(alpha=P, a=0.1), slide, slide, DH(alpha=P), DH(alpha=P), DH()])
    with pytest.raises(KinematicsError, match="singular in every posture"):
        twice.all_inverse(np.eye(4))


def _meeting(first: int, rng: np.random.Generator) -> Chain:
    """Return an arm in which joint ``first`` and the two behind it meet, all else at random."""
    rows = [[rng.uniform(0.1, 0.5), rng.uniform(-3, 3), rng.uniform(-0.3, 0.3)] for _ in range(6)]
    rows[first - 1][0] = rows[first][0] = rows[first][2] = 0.0
    return _arm(rows)


@pytest.mark.parametrize("first", [1, 2, 3, 4])
def test_three_axes_may_meet_anywhere(first: int) -> None:
    rng = np.random.default_rng(20 + first)
    chain = _meeting(first, rng)
    q = rng.uniform(-math.pi, math.pi, (300, 6))
    assert chain.all_inverse(chain.tip(q[0])).structure == "three meeting axes"
    assert _missed(chain, q) == 0
    near = chain.inverse(chain.tip(q), start=q, method=MeetingAxes())
    np.testing.assert_allclose(near.q, q, atol=1e-6)


def test_a_pose_that_curves_of_postures_meet_says_so() -> None:
    chain = _arm(ARMS["wrist beside its forearm"])
    # axis 6 lies in axis 1, but for a turn: they share one angle
    q = np.array([0.3, -0.4, 1.97258335, 0.0, -1.57258335, 0.2])
    turn = math.hypot(*chain.tip(q)[:2, 2])
    assert turn < 1e-7
    X_WT = chain.tip(q)
    X_WT[:2, 3], X_WT[:2, 2], X_WT[2, :2] = 0.0, 0.0, 0.0
    X_WT[:3, :3] = _nearest_rotation(X_WT[:3, :3])
    every = chain.all_inverse(X_WT)
    assert (every.degenerate & Degenerate.SINGULAR).all()
    assert every.explain().endswith("are singular, perhaps samples of a curve of postures")
    poses = np.tile(X_WT, (len(every), 1, 1))
    np.testing.assert_allclose(chain.tip(every.q), poses, rtol=0.0, atol=1e-9)
    assert len(every) >= 4
    for first in (0.3, 1.1, -2.0):
        start = np.array([first, *q[1:5], q[5] + first - 0.3])
        near = chain.inverse(X_WT, start=start, tolerance=1e-6)
        assert near.found
        np.testing.assert_allclose(near.q, start, atol=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("first", [1, 2, 3, 4])
def test_two_hundred_arms_with_three_axes_that_meet(first: int) -> None:
    rng = np.random.default_rng(10 + first)
    missed = 0
    for _ in range(200):
        missed += _missed(_meeting(first, rng), rng.uniform(-math.pi, math.pi, (200, 6)))
    assert missed == 0


def test_arms_of_no_structure_have_up_to_sixteen_postures() -> None:
    rng = np.random.default_rng(1)
    for _ in range(5):
        assert _missed(_any(rng), rng.uniform(-math.pi, math.pi, (40, 6))) == 0
    # Manseur & Doty, A robot manipulator with 16 real inverse kinematic solution sets, IJRR 1989
    rows = [
        (0.3, P, 0.0),
        (1.0, math.radians(1.0), 0.0),
        (0.0, P, 0.2),
        (1.5, math.radians(1.0), 0.0),
        (0.0, P, 0.0),
        (0.0, 0.0, 0.0),
    ]
    pose = np.eye(4)
    pose[:3, :3] = [[-0.760117, -0.641689, 0.102262], [0.133333, 0.0, 0.991071], [0, 0, 0]]
    pose[2, :3] = np.cross(pose[0, :3], pose[1, :3])
    pose[:3, :3] = _nearest_rotation(pose[:3, :3])
    pose[:3, 3] = -1.140175, 0.0, 0.0
    found = _arm(rows).all_inverse(pose)
    np.testing.assert_allclose(
        _arm(rows).tip(found.q), np.tile(pose, (len(found), 1, 1)), atol=1e-9
    )
    assert len(found) == 16


def _nearest_rotation(R: Any) -> Any:
    U, _, V = np.linalg.svd(R)
    return U @ V


def _parallel() -> Chain:
    """Three parallel axes of which one points back, no right angles, offsets everywhere."""
    rows = [(0.1, 1.1, 0.2), (0.4, math.pi, 0.03), (-0.3, 0.0, 0.05)]
    rows += [(0.07, 0.8, 0.1), (0.0, -1.3, 0.09), (0.05, 0.3, 0.08)]
    return _arm(rows)


@pytest.mark.parametrize("make", [puma, _parallel])
def test_elimination_agrees_with_closed_forms(make: Any) -> None:
    chain = make()
    q = drawn(chain, np.random.default_rng(2), 60)
    X_WT = chain.tip(q)
    exact = chain.all_inverse(X_WT)
    found = SixJointsForm(chain).branches(X_WT).q
    for wrist, general in zip(exact.q, found, strict=True):
        wanted, given = wrist[~np.isnan(wrist[:, 0])], general[~np.isnan(general[:, 0])]
        assert len(wanted) == len(given)
        off = np.abs(_turn(wanted[:, None] - given[None])).max(axis=2).min(axis=1)
        assert off.max() < 1e-6


def test_limits_starts_and_paths_are_kept() -> None:
    rows = ARMS["three parallel axes"]
    limited = [DH(a=a, alpha=alpha, d=d, limits=(-2.0, 2.0)) for a, alpha, d in rows]
    chain = Chain.standard_dh(limited)
    q = drawn(chain, np.random.default_rng(3), 40)
    found = chain.all_inverse(chain.tip(q))
    inside = ((found.q >= -2.0) & (found.q <= 2.0)).all(axis=2)
    np.testing.assert_array_equal(found.within, inside)
    assert found.within.any(axis=1).all()
    near = chain.inverse(chain.tip(q), start=q, method=ParallelAxes())
    assert near.found.all()
    np.testing.assert_allclose(near.q, q, atol=1e-6)
    free = _arm(rows)
    share = np.linspace(0.0, 1.0, 60)[:, None]
    ends = np.array([[0.2, -1.2, 1.4, -0.4, 1.0, 0.3], [1.4, -0.7, 0.8, 0.5, 0.6, 1.3]])
    along = (1.0 - share) * ends[0] + share * ends[1]
    path = free.follow(free.tip(along), start=along[0])
    assert path.found.all()
    np.testing.assert_allclose(path.q, along, atol=1e-7)
    assert not len(path.switches)


def test_poses_without_posture_and_arms_without_freedom_are_told() -> None:
    chain = _arm(ARMS["wrist with an offset"])
    far = np.eye(4)
    far[:3, 3] = 5.0, 0.0, 0.0
    assert not len(chain.all_inverse(far))
    assert "no branch found" in chain.all_inverse(far).explain()
    assert chain.inverse(far).reason == Reason.TOO_FAR
    q = np.full(6, 0.4)
    assert chain.inverse(chain.tip(q), start=q, method=SixJoints()).found
    parallel = _arm(ARMS["three parallel axes"])
    assert parallel.all_inverse(far).reason == Reason.TOO_FAR
    straight = parallel.all_inverse(parallel.tip([0.1, -1.0, 1.2, 0.3, 0.0, 0.2]))
    assert (straight.degenerate & Degenerate.WRIST).any()
    some = chain.all_inverse(np.array([np.full((4, 4), np.nan), chain.tip(np.full(6, 0.4))]))
    assert some.reason.tolist() == [Reason.NOT_A_NUMBER, Reason.MET]
    flat = [DH(a=0.2 + 0.1 * i, alpha=P if i > 3 else 0.0) for i in range(6)]
    for odd in (Chain.standard_dh(flat), Chain([Joint(f"j{i}") for i in range(6)])):
        with pytest.raises(KinematicsError, match="singular in every posture"):
            odd.all_inverse(np.eye(4))


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
def test_twenty_thousand_postures_of_each_arm(name: str) -> None:
    q = np.random.default_rng(4).uniform(-math.pi, math.pi, (20_000, 6))
    assert _missed(_arm(ARMS[name]), q) == 0


def _any_parallel(rng: np.random.Generator) -> Chain:
    """Return an arm with axes 2 to 4 parallel and 5 and 6 meeting, all else at random."""
    rows = [[rng.uniform(0.1, 0.5), rng.uniform(-3, 3), rng.uniform(-0.3, 0.3)] for _ in range(6)]
    rows[1][1], rows[2][1] = rng.choice([0.0, math.pi], 2)
    rows[4][0] = 0.0
    return _arm(rows)


def _parallel_anywhere(rng: np.random.Generator) -> Chain:
    """Return an arm with three parallel axes anywhere, all else at random."""
    rows = [[rng.uniform(0.1, 0.5), rng.uniform(-3, 3), rng.uniform(-0.3, 0.3)] for _ in range(6)]
    k = rng.integers(0, 4)
    rows[k][1] = rows[k + 1][1] = 0.0
    return _arm(rows)


def _two_pairs(rng: np.random.Generator) -> Chain:
    """Return an arm with two pairs of axes that meet or are parallel, all else at random."""
    rows = [[rng.uniform(0.1, 0.5), rng.uniform(-3, 3), rng.uniform(-0.3, 0.3)] for _ in range(6)]
    for k in rng.choice(5, 2, replace=False):
        rows[k][rng.integers(0, 2)] = 0.0
    return _arm(rows)


@pytest.mark.slow
@pytest.mark.parametrize("make", [_any_parallel, _parallel_anywhere, _two_pairs])
def test_two_hundred_arms_of_each_class(make: Any) -> None:
    rng = np.random.default_rng(6)
    assert sum(_missed(make(rng), rng.uniform(-P * 2, P * 2, (100, 6))) for _ in range(200)) == 0


@pytest.mark.slow
def test_a_hundred_arms_with_a_slide() -> None:
    rng = np.random.default_rng(7)
    missed = 0
    for i in range(100):
        chain = _with_a_slide(i % 6, rng)
        missed += _missed(chain, _slid(chain, rng, 100), odd=0.01)
    assert missed == 0


@pytest.mark.slow
@pytest.mark.parametrize("slides", [1, 2, 3])
def test_two_hundred_arms_with_slides_and_wrists(slides: int) -> None:
    rng = np.random.default_rng(40 + slides)
    missed = 0
    for _ in range(200):
        places = rng.choice(3 if slides == 1 else 6, slides, replace=False)
        kinds = "".join("P" if i in places else "R" for i in range(6))
        chain = _sliding(kinds, rng, 5 if slides == 1 else 0)
        missed += _missed(chain, _slid(chain, rng, 100), odd=0.01)
    assert missed == 0


@pytest.mark.slow
def test_two_hundred_arms_of_no_structure() -> None:
    rng = np.random.default_rng(5)
    missed = sum(_missed(_any(rng), rng.uniform(-math.pi, math.pi, (100, 6))) for _ in range(200))
    assert missed <= 1
