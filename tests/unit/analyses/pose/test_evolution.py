"""Evolution: SPEA on islands as the thesis ran it."""

import numpy as np
import pytest
from benchmarks.published.evolution_peers import Pymoo

import articulata as art
from articulata.errors import KinematicsError


def planar(place: tuple[float, float] = (5.7, 3.6)) -> art.PoseSearch:
    X = np.eye(4)
    X[:2, 3] = place
    aims = [art.Objective("discomfort", form="sum")]
    return art.pose(art.figure("planar_4_2_1"), {"hand": X}, objectives=aims)


def test_sixty_generations_come_within_one_percent_of_the_reach() -> None:
    search = planar()
    exact = search.final().q
    better = 0
    for seed in range(5):
        found = search.evolved(seed=seed)
        assert found.miss[-1] < 0.07
        assert (np.diff(np.minimum.accumulate(found.miss)) <= 0.0).all()
        assert found.order.shape == (60, 5)
        away = np.abs(exact - found.posture).max(axis=1)
        assert away.min() < 0.1
        better += int(away.argmin() == 0)
    # the thesis tells of one run, which found the better one; here most do
    assert better >= 3


def test_the_same_seed_is_the_same_evolution_and_a_start_is_carried_over() -> None:
    search = planar()
    one, two = search.evolved(seed=3, generations=8), search.evolved(seed=3, generations=8)
    np.testing.assert_array_equal(one.variables, two.variables)
    begun = search.evolved(seed=3, generations=2, start=search.final().q)
    assert begun.miss[-1] < 1e-9
    # the target moves a little: its population is carried over
    settled = search.evolved(seed=1)
    moved = planar((5.6, 3.7))
    after = moved.evolved(seed=1, generations=3, start=settled)
    assert after.miss[-1] < 0.2 * moved.evolved(seed=1, generations=3).miss[-1]
    X = search.judging.scene.figure.landmark(search.final().posture, "hand")[:3, 3]
    other = art.pose(art.figure("jack_1995"), {"right hand": X}, moving="right arm")
    with pytest.raises(KinematicsError, match="cannot be carried over"):
        other.evolved(start=settled)


def test_the_exact_answer_is_drawn_beside_the_six_panels() -> None:
    search = planar()
    run = search.evolved(generations=3)
    panels = art.plot_evolution(run, search.final()).axes
    assert len(panels) == 6
    exact = search.final().posture
    levels = [line.get_ydata()[0] for line in panels[1].lines if len(line.get_xdata()) == 2]
    np.testing.assert_allclose(levels, exact)
    assert any(np.array_equal(line.get_ydata(), exact) for line in panels[3].lines)


def test_without_comfort_and_for_the_worst() -> None:
    search = planar()
    alone = search.evolved(art.StrengthPareto(aims=False), seed=1)
    rough = art.StrengthPareto(worst=True, goal=0.05)
    worst = [search.evolved(rough, seed=s).posture for s in range(6)]
    exact = search.final().q
    other = sum(np.abs(exact - q).max(axis=1).argmin() == 1 for q in worst)
    assert alone.miss[-1] < 0.07
    assert other >= 2
    with pytest.raises(KinematicsError, match="islands"):
        art.StrengthPareto(individuals=10, islands=5)


def test_an_unknown_algorithm_is_refused() -> None:
    with pytest.raises(KinematicsError, match="nsga2"):
        Pymoo("genetic")  # type: ignore[arg-type] # what a user may give
