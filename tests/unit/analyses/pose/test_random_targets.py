"""Fronts of arms of seven joints at random targets: each posture checked, the peers beside them."""

import numpy as np
import numpy.typing as npt
import pytest
from benchmarks.published.evolution_peers import PeerFront, Pymoo, peer_front

import articulata as art
from articulata.analyses.pose.dominance import SAME, hypervolume, undominated
from crowding import Crowded
from posing import seven_joints
from shares import shares

Array = npt.NDArray[np.float64]

ARMS = ("seven", "person", "jack_1995", "leonardo")

ROUNDING = 1e-9
"""Share of what is attainable: at the end of a curve postures are known to some 1e-10 rad."""


def question(name: str, number: int) -> art.PoseSearch:
    """Return the question for the pose of an arm's hand in a random posture."""
    arm = seven_joints() if name == "seven" else art.figure(name)
    place, moving = ("tip", ()) if name == "seven" else ("right hand", "right arm")
    columns = arm.chain_coordinates(moving) if moving else np.arange(arm.dof)
    q = arm.neutral.copy()
    q[columns] = np.random.default_rng(number).uniform(arm.lower[columns], arm.upper[columns])
    second = art.Objective("torque") if arm.mass else art.Objective("dexterity", toward=(1, 0, 0))
    aims = [art.Objective("discomfort"), second]
    return art.pose(arm, {place: arm.landmark(q, place)}, moving=moving, objectives=aims)


def check(search: art.PoseSearch) -> art.Front:
    """Return the front, each of its postures rechecked: targets, limits, that none is dominated."""
    front, scene = search.final(), search.judging.scene
    assert front.found
    assert front.error.max() < 1e-6
    assert front.angle.max() < 1e-6
    assert (front.q >= scene.figure.lower - 1e-12).all()
    assert (front.q <= scene.figure.upper + 1e-12).all()
    assert undominated(front.costs).all()
    return front


def compared(front: art.Front, theirs: PeerFront) -> float:
    """Return the front's hypervolume over that of a peer on the same question, less rounding.

    The reference is beyond the worst of both by no more than that, so that fronts of a single
    posture are compared as well.
    """
    assert theirs.misses.max() < 1e-6
    attainable = np.ptp(front.image, axis=0)
    both = np.vstack([front.costs, theirs.values])
    # values that differ by less are those of one posture
    if (np.ptp(both, axis=0) < SAME * attainable).all():
        return 1.0
    known = ROUNDING * attainable
    reference = both.max(axis=0) + known
    return hypervolume(front.costs - known, reference) / hypervolume(theirs.values, reference)


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("name", ARMS)
def test_a_front_dominates_as_much_as_that_of_a_short_run_of_nsga2(name: str, number: int) -> None:
    search = question(name, number)
    theirs = peer_front(search.judging, Pymoo(individuals=40), generations=10)
    assert compared(check(search), theirs) >= 1.0


@pytest.mark.parametrize("block", shares(range(40), slow=1))
@pytest.mark.parametrize("name", ARMS)
def test_fronts_dominate_as_much_as_those_of_both_peers(
    name: str, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5 * block, 5 * block + 5):
        search = question(name, number)
        front = check(search)
        assert compared(front, peer_front(search.judging)) >= 1.0, number
        if number % 10 == 0:
            monkeypatch.setattr("pymoo.algorithms.moo.spea2._truncation_candidate", Crowded())
            assert compared(front, peer_front(search.judging, Pymoo("spea2"))) >= 1.0


@pytest.mark.parametrize("among", ["everywhere", "on a grid"])
def test_the_quick_choice_of_spea2_is_that_of_pymoo(among: str) -> None:
    from pymoo.algorithms.moo.spea2 import _truncation_candidate

    rng = np.random.default_rng(3)
    for count in (3, 17, 50):
        values = rng.uniform(0.0, 4.0, (count, 2))
        if among == "on a grid":  # many are equally near, some are the same
            values = values.round()
        distances = np.linalg.norm(values[:, None] - values[None], axis=2)
        np.fill_diagonal(distances, np.inf)
        quick, left = Crowded(), rng.permutation(count).tolist()
        while len(left) > 1:
            place = quick(distances, left)
            assert place == _truncation_candidate(distances, left)
            left = left[:place] + left[place + 1 :]
