"""The arms of the inverse kinematics benchmark, in the forms that the peers read.

Every peer gets the same chain: a list of fixed (3, 4) poses, each followed by a turn about z,
and a tip. URDF and MJCF texts are made from it here, with links of no consequence.
"""

from __future__ import annotations

import math
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np


def roll_pitch_yaw(rotation: Any) -> tuple[float, float, float]:
    """Return fixed-axis x, y, z angles of a rotation matrix, as URDF wants them."""
    pitch = math.atan2(-rotation[2, 0], math.hypot(rotation[0, 0], rotation[1, 0]))
    if abs(rotation[2, 0]) > 1 - 1e-12:
        return math.atan2(-rotation[1, 2], rotation[1, 1]), pitch, 0.0
    return (
        math.atan2(rotation[2, 1], rotation[2, 2]),
        pitch,
        math.atan2(rotation[1, 0], rotation[0, 0]),
    )


def _origin(pose: Any) -> str:
    place = " ".join(f"{x:.17g}" for x in pose[:, 3])
    turn = " ".join(f"{x:.17g}" for x in roll_pitch_yaw(pose[:, :3]))
    return f'<origin xyz="{place}" rpy="{turn}"/>'


def urdf(chain: Any) -> str:
    """Return the chain as URDF, links ``base``, ``link1`` ... and ``tip``."""
    fixed, _, tip, low, high = chain
    inertia = (
        '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" '
        'ixy="0" ixz="0" iyz="0"/></inertial>'
    )
    parts = ['<link name="base"/>']
    before = "base"
    for i, pose in enumerate(fixed, 1):
        parts.append(f'<link name="link{i}">{inertia}</link>')
        parts.append(
            f'<joint name="joint{i}" type="revolute"><parent link="{before}"/>'
            f'<child link="link{i}"/>{_origin(pose)}<axis xyz="0 0 1"/>'
            f'<limit lower="{low[i - 1]:.17g}" upper="{high[i - 1]:.17g}" effort="100" '
            'velocity="1000"/></joint>'
        )
        before = f"link{i}"
    parts.append(f'<link name="tip">{inertia}</link>')
    parts.append(
        f'<joint name="hand" type="fixed"><parent link="{before}"/><child link="tip"/>'
        f"{_origin(tip)}</joint>"
    )
    return f'<?xml version="1.0"?><robot name="arm">{"".join(parts)}</robot>'


@contextmanager
def urdf_file(chain: Any) -> Iterator[Path]:
    """Write the chain to a folder of its own, for peers that read a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        path.write_text(urdf(chain))
        yield path


def mujoco_model(chain: Any) -> Any:
    """Return the chain as a MuJoCo model with a site ``tip``."""
    import mujoco

    fixed, _, tip, low, high = chain

    def frame(pose: Any) -> str:
        quaternion = np.empty(4)
        mujoco.mju_mat2Quat(quaternion, np.ascontiguousarray(pose[:, :3]).ravel())
        place = " ".join(f"{x:.17g}" for x in pose[:, 3])
        return f'pos="{place}" quat="{" ".join(f"{x:.17g}" for x in quaternion)}"'

    text = f'<site name="tip" {frame(tip)}/>'
    for i in reversed(range(len(fixed))):
        text = (
            f'<body {frame(fixed[i])}><joint type="hinge" axis="0 0 1" limited="true" '
            f'range="{low[i]:.17g} {high[i]:.17g}"/>'
            f'<geom size="0.01" contype="0" conaffinity="0"/>{text}</body>'
        )
    return mujoco.MjModel.from_xml_string(
        f'<mujoco><compiler angle="radian"/><worldbody>{text}</worldbody></mujoco>'
    )


def eaik_arm(chain: Any, frames: Any, tip_pose: Any) -> Any:
    """Return EAIK's robot; ``frames`` (6, 4, 4) and ``tip_pose`` (4, 4) at zero."""
    from eaik.IK_HP import HPRobot
    from eaik.pybindings import EAIK

    axes = frames[:, :3, 2].T
    origins = np.vstack([np.zeros(3), frames[:, :3, 3], tip_pose[:3, 3]])
    robot = HPRobot.__new__(HPRobot)
    offsets = np.diff(origins, axis=0).T
    robot._robot = EAIK.Robot(axes, offsets, tip_pose[:3, :3], [], True)
    return robot


def toolbox_arm(chain: Any) -> Any:
    """Return the Robotics Toolbox's elementary transform sequence."""
    import roboticstoolbox as rtb

    fixed, _, tip, low, high = chain
    sequence = rtb.ETS()
    for pose, a, b in zip(fixed, low, high, strict=True):
        sequence = sequence * rtb.ET.SE3(np.vstack([pose, [0, 0, 0, 1]])) * rtb.ET.Rz(qlim=[a, b])
    return sequence * rtb.ET.SE3(np.vstack([tip, [0, 0, 0, 1]]))


@contextmanager
def placo_solver(path: Path, tolerance: float) -> Iterator[Callable[[Any], float]]:
    """Give a function that brings the tip to points (m, 3) and returns the share it reached.

    placo lives in an environment of its own (``make bench`` makes it), so it is a child process
    that is asked through a pipe.
    """
    python = Path(".venv-placo/bin/python")
    if not python.exists():
        raise FileNotFoundError(f"{python} is missing; make bench makes it")
    program = Path(__file__).with_name("placo_peer.py")
    with subprocess.Popen(
        [python, program, path, str(tolerance)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        asked, answers = child.stdin, child.stdout

        def reach(targets: Any) -> float:
            asked.write(" ".join(map(repr, np.ravel(targets).tolist())) + "\n")
            asked.flush()
            return float(answers.readline())

        try:
            yield reach
        finally:
            asked.close()


def mink_solver(chain: Any, tolerance: float) -> Callable[[Any], bool]:
    """Return a function that brings the tip to a point with mink, from the middle posture."""
    import mink

    model = mujoco_model(chain)
    configuration = mink.Configuration(model)
    task = mink.FrameTask("tip", "site", position_cost=1.0, orientation_cost=0.0, lm_damping=1e-6)
    limits = [mink.ConfigurationLimit(model)]
    middle = 0.5 * (np.asarray(chain[3]) + np.asarray(chain[4]))

    def solve(target: Any) -> bool:
        configuration.update(middle)
        task.set_target(mink.SE3.from_translation(target))
        for _ in range(100):
            velocity = mink.solve_ik(configuration, [task], 0.1, "daqp", limits=limits)
            configuration.integrate_inplace(velocity, 0.1)
            if np.linalg.norm(task.compute_error(configuration)[:3]) <= tolerance:
                return True
        return False

    return solve


def floor_program(source: Path, folder: Path) -> Path | None:
    """Build a C or C++ program for this machine; None where there is no compiler for it."""
    compiler = shutil.which("g++" if source.suffix == ".cpp" else "gcc")
    if compiler is None or not source.exists():
        return None
    program = folder / source.stem
    flags = ["-O3", "-march=native", "-ffast-math", "-fopenmp-simd", "-w"]
    if source.suffix == ".cpp":
        flags = ["-O3", "-march=native", "-fpermissive", "-w"]
    subprocess.run([compiler, *flags, "-o", str(program), str(source), "-lm"], check=True)
    return program
