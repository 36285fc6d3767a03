"""Pose: fronts of arms, chains and whole people, beside NSGA-II and SPEA2 of pymoo."""

from __future__ import annotations

import time
from functools import partial

import numpy as np

import articulata as art
from articulata.analyses.pose.dominance import hypervolume
from articulata.analyses.pose.pose_question import PoseSearch
from articulata.geometry.arrays import Array
from benchmarks.harness import Report
from benchmarks.published.evolution_peers import Pymoo, peer_front

TARGETS = 3
"""Targets of each arm; the slow tests take 200."""


def chain_of(joints: int) -> art.Figure:
    """Return a chain of equal links whose axes turn by a right angle from joint to joint."""
    made, links = [], {}
    for k in range(joints):
        X = np.eye(4)
        X[:3, :3] = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
        X[0, 3] = 0.1
        made.append(art.Joint(f"j{k}", X_PJ=X, limits=(-1.2, 1.2)))
        links[f"j{k}"] = art.Link(f"j{k}", mass=0.3, center=(0.05, 0.0, 0.0))
    return art.Figure(
        made,
        [-1, *range(joints - 1)],
        name="chain",
        links=links,
        landmarks={"tip": art.Landmark(made[-1].name)},
    )


def chain() -> PoseSearch:
    """Return the question of a 21-joint chain: its tip at a place, two objectives."""
    figure = chain_of(21)
    q = np.random.default_rng(1).uniform(-0.5, 0.5, 21)
    aims = [art.Objective("discomfort"), art.Objective("torque")]
    return art.pose(figure, {"tip": figure.landmark(q, "tip")[:3, 3]}, objectives=aims)


def lifter(person: art.Figure) -> PoseSearch:
    """Return the question of a person who stands, looks ahead and holds 10 kg in both hands."""
    floor = float(person.landmark(person.neutral, "r_heel")[1, 3])
    feet = ["l_heel", "l_ball", "l_toe", "r_heel", "r_ball", "r_toe"]
    grips = {"r_grip": [-0.15, floor + 0.5, 0.35], "l_grip": [0.15, floor + 0.5, 0.35]}
    return art.pose(
        person,
        {**grips, "skull_tip": art.Gaze([0.0, floor + 0.5, 2.0])},
        objectives=[art.Objective("discomfort"), art.Objective("torque")],
        supports=feet,
        floating=True,
        standing=True,
        loads=[art.Load("r_grip", 5.0), art.Load("l_grip", 5.0)],
    )


def seven_joints() -> dict[str, tuple[art.Figure, str, str]]:
    """Return arms of seven joints: the figure, its tip, what moves."""
    return {
        "a person's right arm": (art.figure("person"), "right hand", "right arm"),
        "jack_1995": (art.figure("jack_1995"), "right hand", "right arm"),
        "Leonardo's right arm": (art.figure("leonardo"), "right hand", "right arm"),
    }


def asked(figure: art.Figure, place: str, moving: str, X: Array) -> PoseSearch:
    """Return the question for a pose of an arm's hand."""
    kinds = ("discomfort", "torque" if figure.mass else "dexterity")
    aims = [art.Objective(kind) for kind in kinds]
    return art.pose(figure, {place: X}, moving=moving, objectives=aims)


def arms(report: Report) -> None:
    for name, (figure, place, moving) in seven_joints().items():
        rng = np.random.default_rng(0)
        columns = figure.chain_coordinates(moving)
        ours, theirs, better = [], {"nsga2": [], "spea2": []}, True
        for _ in range(TARGETS):
            q = figure.neutral.copy()
            q[columns] = rng.uniform(figure.lower[columns], figure.upper[columns])
            X = figure.landmark(q, place)
            asked(figure, place, moving, X).final()
            begin = time.process_time()
            search = asked(figure, place, moving, X)
            front = search.final()
            ours.append(time.process_time() - begin)
            for algorithm in ("nsga2", "spea2"):
                begin = time.process_time()
                peer = peer_front(search.judging, Pymoo(algorithm))
                theirs[algorithm].append(time.process_time() - begin)
                worst = np.vstack([front.costs, peer.values]).max(axis=0) + 1e-9
                volumes = hypervolume(front.costs, worst), hypervolume(peer.values, worst)
                better &= volumes[0] >= volumes[1]
        note = f"{TARGETS} poses, processor time, 300 postures; peers 200 x 200 on our objectives; "
        note += "hypervolume at least theirs" if better else "HYPERVOLUME BELOW THEIRS"
        with report.case(f"front of {name}", unit="s", better="lower", note=note) as case:
            case.number("articulata", float(np.median(ours)), ours=True)
            for algorithm, seconds in theirs.items():
                case.number(f"pymoo {algorithm}", float(np.median(seconds)))


def trees(report: Report) -> None:
    person = art.figure("person")
    for name, ask, target in (
        ("21-joint chain", chain, 0.1),
        ("whole person, two hands, gaze, supports, 10 kg", partial(lifter, person), 0.3),
    ):
        front = ask().final()
        with report.case(
            f"front of a {name}",
            unit="s",
            better="lower",
            target=target,
            note=f"{len(front)} postures, off {front.error.max():.1g} m",
        ) as case:
            case.time("articulata", lambda ask=ask: ask().final(), ours=True)


def planar(report: Report) -> None:
    arm = art.figure("planar_4_2_1")
    X = np.eye(4)
    X[:3, 3] = 5.7, 3.6, 0.0
    aims = [art.Objective("discomfort", form="sum")]
    search = art.pose(arm, {"hand": X}, objectives=aims)
    with report.case(
        "both postures of the planar example", unit="s", better="lower", target=100e-6
    ) as case:
        case.time("articulata, prepared", lambda: search.every(X), ours=True)
        case.time(
            "articulata, whole call",
            lambda: art.pose(arm, {"hand": X}, objectives=aims).final().ranked("discomfort"),
            note="both postures ranked",
        )


def live(report: Report) -> None:
    person = art.figure("human_upper_body")
    q = person.vector({"r_shoulder_flexion": 0.8, "r_elbow_flexion": 1.2})
    hand = person.landmark(q, "right hand")[:3, 3]
    aims = [art.Objective("discomfort"), art.Objective("torque")]
    follower = art.pose(
        person, {"right hand": hand}, moving="trunk and right arm", objectives=aims, points=10
    ).follower()
    count = [0]

    def step() -> None:
        t = 0.005 * count[0]
        count[0] += 1
        away = 0.05 * np.array([np.sin(t), np.sin(1.3 * t), 1.0 - np.cos(t)])
        follower.to({"right hand": hand + away}, 0.005)

    with report.case(
        "postures of a hand that is followed", unit="postures/s", better="higher", target=200.0
    ) as case:
        case.time("articulata", step, ours=True)


def run(report: Report) -> None:
    planar(report)
    trees(report)
    live(report)
    arms(report)
