"""Evolutions beside the exact front, generation by generation."""

import numpy as np
import pytest
from benchmarks.published.evolution_peers import Pymoo, peer_front

import articulata as art
from articulata.errors import RecordingError
from articulata.report.plots import distance
from posing import person


def arm() -> art.PoseSearch:
    figure, X = person()
    aims = [art.Objective("discomfort"), art.Objective("torque")]
    return art.pose(figure, {"right hand": X}, moving="right arm", objectives=aims, points=40)


def planar() -> art.PoseSearch:
    X = np.eye(4)
    X[:2, 3] = 5.7, 3.6
    aims = [art.Objective("discomfort", form="sum")]
    return art.pose(art.figure("planar_4_2_1"), {"hand": X}, objectives=aims)


def test_the_distance_from_the_exact_front_is_that_of_its_postures_to_the_nearest() -> None:
    front = arm().final()
    assert distance(front, front.costs) == 0.0
    size = np.ptp(front.image, axis=0)
    assert distance(front, front.costs + 0.1 * size) < 0.1 * np.sqrt(2.0)
    alone = front.costs[:1]
    away = np.linalg.norm((front.costs - alone) / size, axis=1).mean()
    assert distance(front, alone) == pytest.approx(away)
    assert np.isnan(distance(front, front.costs[:0]))
    # of isolated postures the better one alone is the front
    both = planar().final()
    assert distance(both, both.costs[[both.chosen]]) == 0.0


def test_algorithms_come_nearer_and_are_drawn_beside_each_other() -> None:
    search = arm()
    exact = search.final()
    runs = {
        name: peer_front(search.judging, Pymoo(name, individuals=24), generations=8)
        for name in ("nsga2", "spea2")
    }
    for run in runs.values():
        far = [distance(exact, values) for values in run.fronts]
        assert len(run.miss) == len(far) == 8
        assert far[-1] < 0.5 * far[0]
        np.testing.assert_array_equal(run.miss, 0.0)  # individuals are places on the exact curves
    left, right = art.plot_convergence(exact, runs).axes
    assert [line.get_label() for line in right.lines] == ["nsga2", "spea2"]
    assert [len(line.get_xdata()) for line in left.lines] == [8, 8]


def test_the_thesiss_algorithm_is_followed_as_well() -> None:
    search = planar()
    run = search.evolved(generations=40)
    peer = peer_front(search.judging, Pymoo(individuals=60), generations=40)
    assert len(run.fronts) == len(run.miss) == len(peer.miss) == 40
    within = [len(values) > 0 for values in run.fronts]
    assert within == (run.miss <= 0.01).tolist()
    assert peer.miss[-1] < 0.2 * peer.miss[0]
    least = min(values.min() for values in run.fronts if len(values))
    assert least == pytest.approx(search.final().costs.min(), rel=0.02)
    missed = art.pose(art.figure("planar_4_2_1"), {"hand": [50.0, 0.0, 0.0]}).final()
    with pytest.raises(RecordingError, match="no front to come near to"):
        art.plot_convergence(missed, {"SPEA": run})
