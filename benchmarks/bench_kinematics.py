"""Inverse kinematics beside the peers: one thread, one run, the same targets for everyone.

Targets come from forward kinematics of postures drawn within limits. The floors are C and C++
programs of the reference material, built where there is a compiler.
"""

from __future__ import annotations

import math
import os
import re
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from tests.unit.kernels.chains import (
    camera_robot,
    from_standard_dh,
    link_poses,
    random_postures,
    tip_poses,
    torso_to_hand,
)
from tests.unit.kinematics.arms import chain_of

from articulata.kernels.chains.closed_forms.general_6r import prepare_general, solve_all
from articulata.kernels.chains.closed_forms.parallel_axes_6r import prepare_parallel, solve_parallel
from articulata.kernels.chains.closed_forms.spherical_wrist_6r import prepare_wrist, solve_wrist
from articulata.kernels.chains.iterative_solvers.tip_targets import POSE_STARTS, prepare, solve
from articulata.kernels.chains.self_motion.swivel_srs import prepare_swivel, solve_families
from articulata.kinematics.chain import Chain
from articulata.kinematics.conventions import DH
from articulata.kinematics.inverse.nearest_branch import SphericalWrist
from benchmarks import peers_kinematics as peers
from benchmarks.harness import Case, Report

POSITION = 0.5e-3  # m: near enough for the reach of a person
TIGHT = 1e-6  # m and rad: near enough for a robot


def seven() -> Any:
    """Return a 7-joint arm: lengths and limits of the KUKA LBR iiwa 7 data sheet."""
    quarter = 0.5 * math.pi
    alpha = [-quarter, quarter, quarter, -quarter, -quarter, quarter, 0]
    d = [0.34, 0, 0.4, 0, 0.4, 0, 0.126]
    fixed, tip = from_standard_dh([(0, d[i], alpha[i], 0) for i in range(7)])
    limit = np.radians([170.0, 120, 170, 120, 170, 120, 175])
    return fixed, np.zeros(7, np.int64), tip, -limit, limit


Entry = tuple[Callable[[], object], float, str]
"""A peer's work, how many targets it does, and a note."""


def enter(case: Case, who: str, build: Callable[[], Entry]) -> None:
    """Enter a peer that may not be installed; ``build`` returns its work, its count, a note."""
    try:
        function, count, note = build()
    except Exception as error:  # a peer that cannot take part is named with its reason
        case.missing(who, f"{type(error).__name__}: {error}".splitlines()[0][:120])
        return
    case.time(who, function, count=count, note=note)


def floor(case: Case, name: str, pattern: str, scale: float, *arguments: str) -> None:
    """Enter a floor program's own figure, in seconds."""
    source = Path(os.environ.get("ARTICULATA_MATERIAL", "../shared"), "prototypes", name)
    with tempfile.TemporaryDirectory() as folder:
        program = peers.floor_program(source, Path(folder))
        if program is None:
            case.missing(f"floor {name}", "no compiler or no reference material")
            return
        (Path(folder) / "d").mkdir()
        done = subprocess.run(
            [str(program), *arguments], cwd=folder, capture_output=True, text=True, check=True
        )
        figure = re.search(pattern, done.stdout)
        assert figure is not None
        case.number(f"floor {name}", float(figure[1]) * scale, note="C, this machine")


def six_joints(report: Report) -> None:
    chain = camera_robot()
    q = np.random.default_rng(0).uniform(-math.pi, math.pi, (20000, 6))
    targets = tip_poses(chain, q)
    arm = prepare_wrist(*chain)
    zero = np.zeros((1, 6))
    frames, at_zero = link_poses(chain, zero)[0], tip_poses(chain, zero)[0]
    for some in (targets[:2000], targets):
        name = f"six joints, all branches, {len(some)} poses"
        with report.case(name, unit="s", better="lower") as case:
            case.time(
                "articulata",
                partial(solve_wrist, arm, some, threads=1),
                count=len(some),
                ours=True,
            )

            def eaik(some: Any = some) -> Entry:
                robot = peers.eaik_arm(chain, frames, at_zero)
                return lambda: robot.IK_batched(some, 1), len(some), "IK_batched, 1 worker"

            enter(case, "EAIK", eaik)
            if some is targets:
                floor(case, "wrist6r_simd_floor.c", r"([\d.]+) ns/pose", 1e-9)
    with report.case("six joints, one pose", unit="s", better="lower") as case:
        one = targets[:1]
        robot, pose = chain_of(chain), one[0].copy()
        case.time("articulata, all_inverse", lambda: robot.all_inverse(pose), ours=True)
        case.time("articulata, all_inverse, postures", lambda: robot.all_inverse(pose).q, ours=True)
        nearest, start = SphericalWrist(), q[0].copy()
        case.time(
            "articulata, inverse, the nearest",
            lambda: robot.inverse(pose, start, method=nearest),
            ours=True,
        )

        def eaik_one() -> Entry:
            robot = peers.eaik_arm(chain, frames, at_zero)
            return lambda: robot.IK(one[0]), 1, "IK"

        def eaik_postures() -> Entry:
            robot = peers.eaik_arm(chain, frames, at_zero)
            return lambda: robot.IK(one[0]).Q, 1, "IK, Q"

        enter(case, "EAIK", eaik_one)
        enter(case, "EAIK, postures", eaik_postures)


def six_joints_elsewhere(report: Report) -> None:
    """Arms without a spherical wrist: three parallel axes, and no structure at all."""
    rng = np.random.default_rng(0)
    quarter = 0.5 * math.pi
    parallel = [(0.0, quarter, 0.089159), (-0.425, 0.0, 0.0), (-0.39225, 0.0, 0.0)]
    parallel += [(0.0, quarter, 0.10915), (0.0, -quarter, 0.09465), (0.0, 0.0, 0.0823)]
    free = [(rng.uniform(0.1, 0.5), rng.uniform(-3, 3), rng.uniform(-0.3, 0.3)) for _ in range(6)]
    for name, rows in (("three parallel axes", parallel), ("axes of any direction", free)):
        robot = Chain.standard_dh([DH(a=a, alpha=alpha, d=d) for a, alpha, d in rows])
        ready = robot.prepared
        chain = (ready.fixed, ready.kinds, ready.tip, ready.lower, ready.upper)
        targets = tip_poses(chain, rng.uniform(-math.pi, math.pi, (2000, 6)))
        zero = np.zeros((1, 6))
        frames, at_zero = link_poses(chain, zero)[0], tip_poses(chain, zero)[0]
        one, few = targets[0].copy(), targets[:20]
        wide = (*chain[:3], np.full(6, -math.pi), np.full(6, math.pi))
        with report.case(f"six joints, {name}, all branches", unit="s", better="lower") as case:
            if name == "three parallel axes":
                arm = prepare_parallel(*chain)
                work = partial(solve_parallel, arm, targets, threads=1)

                def eaik(
                    chain: Any = chain, frames: Any = frames, tip: Any = at_zero, X: Any = targets
                ) -> Entry:
                    peer = peers.eaik_arm(chain, frames, tip)
                    return lambda: peer.IK_batched(X, 1), len(X), "IK_batched, 1 worker"

                enter(case, "EAIK", eaik)
            else:
                general = prepare_general(*chain[:3])
                work = partial(solve_all, general, targets, threads=1)
            case.time("articulata", work, count=len(targets), ours=True)
            case.time("articulata, one pose", partial(robot.all_inverse, one), ours=True)

            def ssik(wide: Any = wide, few: Any = few) -> Entry:
                import ssik

                with peers.urdf_file(wide) as path:
                    peer = ssik.Manipulator.from_urdf(path, base="base", ee="tip")
                return lambda: [peer.solve(t) for t in few], len(few), "solve"

            enter(case, "ssik", ssik)


def seven_joints(report: Report) -> None:
    chain = seven()
    targets = tip_poses(chain, random_postures(chain, np.random.default_rng(0), 5000))
    solver = prepare(*chain, POSE_STARTS)
    answer = solve(solver, targets, TIGHT, TIGHT)
    found = np.mean((answer.distance <= TIGHT) & (answer.angle <= TIGHT))
    few = targets[:300]
    with report.case("seven joints to 1e-6 within limits", unit="s", better="lower") as case:
        case.time(
            "articulata",
            lambda: solve(solver, targets, TIGHT, TIGHT, threads=1),
            count=len(targets),
            ours=True,
            note=f"found {found:.2%}",
        )

        def toolbox() -> Entry:
            sequence = peers.toolbox_arm(chain)

            def work() -> list[Any]:
                return [sequence.ik_LM(t, k=0.1, tol=1e-12, joint_limits=True) for t in few]

            return work, len(few), f"ik_LM k=0.1, found {np.mean([a.success for a in work()]):.2%}"

        enter(case, "Robotics Toolbox", toolbox)

        def tracik() -> Entry:
            import pytracik

            from benchmarks.peers_kinematics import urdf

            solve_type = pytracik.SolveType.Speed
            robot = pytracik.TRAC_IK("base", "tip", urdf(chain), 0.05, TIGHT, solve_type)
            start = np.zeros(7)

            def quaternion(t: Any) -> Any:
                import mujoco

                out = np.empty(4)
                mujoco.mju_mat2Quat(out, np.ascontiguousarray(t[:3, :3]).ravel())
                return out

            goals = [(*t[:3, 3], *np.roll(quaternion(t), -1)) for t in few]
            return lambda: [pytracik.ik(robot, start, *g) for g in goals], len(few), "Speed"

        enter(case, "pytracik", tracik)
    arm = prepare_swivel(*chain)
    with report.case("seven joints, all swivel families", unit="s", better="lower") as case:
        many = targets[:1000]
        case.time(
            "articulata", lambda: solve_families(arm, many, threads=1), count=len(many), ours=True
        )

        def ssik() -> Entry:
            import ssik

            with peers.urdf_file(chain) as path:
                robot = ssik.Manipulator.from_urdf(path, base="base", ee="tip")
            sample = targets[:20]
            return lambda: [robot.solve(t) for t in sample], len(sample), "solve, with limits"

        enter(case, "ssik", ssik)


def twenty_one_joints(report: Report) -> None:
    chain = torso_to_hand()
    targets = tip_poses(chain, random_postures(chain, np.random.default_rng(0), 20000))[:, :3, 3]
    solver = prepare(*chain)
    found = np.mean(solve(solver, targets, POSITION).distance <= POSITION)
    few = targets[:40]
    with (
        ExitStack() as held,
        report.case("21 joints to 0.5 mm within limits", unit="s", better="lower") as case,
        peers.urdf_file(chain) as path,
    ):
        case.time(
            "articulata",
            lambda: solve(solver, targets, POSITION, threads=1),
            count=len(targets),
            ours=True,
            note=f"found {found:.2%}",
        )

        def placo() -> Entry:
            reach = held.enter_context(peers.placo_solver(path, POSITION))
            return lambda: reach(few), len(few), f"found {reach(few):.0%}"

        enter(case, "placo", placo)

        def mink() -> Entry:
            reach = peers.mink_solver(chain, POSITION)
            share = np.mean([reach(t) for t in few[:10]])
            return lambda: [reach(t) for t in few[:10]], 10, f"found {share:.0%}"

        enter(case, "mink", mink)
        with tempfile.NamedTemporaryFile(suffix=".bin") as problem:
            fixed, _, tip, low, high = chain
            poses = np.tile(np.eye(3, 4), (len(targets), 1, 1))
            poses[:, :, 3] = targets
            middle = np.tile(0.5 * (low + high), (len(targets), 1))
            for part in (np.array([21.0, len(targets)]), fixed, tip, low, high, poses, middle):
                problem.write(np.ascontiguousarray(part, np.float64).tobytes())
            problem.flush()
            floor(case, "lm_simd_floor.cpp", r"([\d.]+) us/solve", 1e-6, problem.name)
    one = targets[:1]
    with report.case("21 joints, one target", unit="s", better="lower", target=50e-6) as case:
        person, place = chain_of(chain), one[0].copy()
        case.time("articulata, inverse", lambda: person.inverse(place), ours=True)
        case.time("articulata, the kernel alone", lambda: solve(solver, one, POSITION), ours=True)


def run(report: Report) -> None:
    six_joints(report)
    six_joints_elsewhere(report)
    seven_joints(report)
    twenty_one_joints(report)
