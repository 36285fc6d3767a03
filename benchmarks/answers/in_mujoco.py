"""MuJoCo's answers: its default integrator (Euler, implicit in damping) and solver."""

from __future__ import annotations

import mujoco
import numpy as np

from benchmarks.answers.scene import (
    BALL,
    BALL_MASS,
    BAR,
    BAR_MASS,
    BLOCK,
    BLOCK_MASS,
    CRADLE,
    DROP,
    FRICTION,
    GRAVITY,
    STEP,
    THICKNESS,
    TURN_SECONDS,
    fifth_apex,
    tilted,
)

NAME = "MuJoCo"
STIFF = "-100000 0"
"""solref as stiffness and damping: the documented way to an elastic contact."""


def _made(
    inside: str, gravity: tuple[float, float, float], options: str = ""
) -> tuple[mujoco.MjModel, mujoco.MjData]:
    x, y, z = gravity
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option timestep="{STEP}" gravity="{x} {y} {z}" {options}/>{inside}</mujoco>'
    )
    return model, mujoco.MjData(model)


def _steps(model: mujoco.MjModel, data: mujoco.MjData, seconds: float) -> None:
    mujoco.mj_step(model, data, round(seconds / STEP))


def _creep(options: str) -> float:
    model, data = _made(
        f'<worldbody><geom type="plane" size="9 9 1" friction="{FRICTION} 0 0"/>'
        f'<body pos="0 0 {BLOCK / 2}"><freejoint/>'
        f'<geom type="box" size="{BLOCK / 2} {BLOCK / 2} {BLOCK / 2}" mass="{BLOCK_MASS}" '
        f'friction="{FRICTION} 0 0"/></body></worldbody>',
        tilted(),
        options,
    )
    _steps(model, data, 2.0)
    before = data.qpos[:3].copy()
    _steps(model, data, 1.0)
    return float(np.linalg.norm(data.qpos[:3] - before))


def creep() -> tuple[float, str]:
    """Return the block's mean speed (m/s) in the third second, as MuJoCo starts."""
    return _creep(""), "default settings"


def creep_tuned() -> tuple[float, str]:
    """Return the same with its advice against creep: elliptic cones, impratio 10."""
    return _creep('cone="elliptic" impratio="10"'), "elliptic cones, impratio 10"


def apex() -> tuple[float, str]:
    """Return the fifth apex as a share of the first."""
    model, data = _made(
        f'<worldbody><geom type="plane" size="9 9 1" solref="{STIFF}" condim="1"/>'
        f'<body pos="0 0 {BALL + DROP}"><freejoint/><geom type="sphere" size="{BALL}" '
        f'mass="{BALL_MASS}" solref="{STIFF}" condim="1"/></body></worldbody>',
        (0.0, 0.0, -GRAVITY),
    )
    heights = []
    for _ in range(round(5.2 / STEP)):
        mujoco.mj_step(model, data)
        heights.append(float(data.qpos[2]) - BALL)
    deepest = -min(heights)
    note = f"solref {STIFF}; goes {1e3 * deepest:.0f} mm into the ground"
    return fifth_apex(heights) / DROP, note


def cradle() -> tuple[list[float], str]:
    """Return the five speeds (m/s) after the impact."""
    bodies = "".join(
        f'<body pos="{2 * BALL * k - (0.05 if k == 0 else 0.0)} 0 0"><joint type="slide" '
        f'axis="1 0 0"/><geom type="sphere" size="{BALL}" mass="{BALL_MASS}" solref="{STIFF}" '
        'condim="1"/></body>'
        for k in range(CRADLE)
    )
    model, data = _made(f"<worldbody>{bodies}</worldbody>", (0.0, 0.0, 0.0))
    data.qvel[0] = 1.0
    _steps(model, data, 0.2)
    return data.qvel.tolist(), f"solref {STIFF}"


def loop() -> tuple[float, str]:
    """Return the largest gap (m) of the loop's closing joint; the others cannot open."""
    half = THICKNESS / 2
    bar = (
        f'<geom type="box" pos="{BAR / 2} 0 0" size="{BAR / 2} {half} {half}" mass="{BAR_MASS}" '
        'contype="0" conaffinity="0"/>'
    )
    pin = '<joint type="hinge" axis="0 1 0"/>'
    model, data = _made(
        f"<worldbody><body>{pin}"
        # the first bar stands up along z
        f'<geom type="box" pos="0 0 {BAR / 2}" size="{half} {half} {BAR / 2}" mass="{BAR_MASS}" '
        f'contype="0" conaffinity="0"/><body pos="0 0 {BAR}">{pin}{bar}'
        f'<body pos="{BAR} 0 0">{pin}<geom type="box" pos="0 0 {-BAR / 2}" '
        f'size="{half} {half} {BAR / 2}" mass="{BAR_MASS}" contype="0" conaffinity="0"/>'
        f'<site name="end" pos="0 0 {-BAR}"/></body></body></body>'
        f'<site name="ground" pos="{BAR} 0 0"/></worldbody>'
        '<equality><connect site1="end" site2="ground"/></equality>',
        (0.0, 0.0, -GRAVITY),
    )
    data.qvel[:] = [1.0 / BAR, -1.0 / BAR, 1.0 / BAR]
    worst = 0.0
    for _ in range(round(TURN_SECONDS / STEP)):
        mujoco.mj_step(model, data)
        worst = max(worst, float(np.linalg.norm(data.site_xpos[0] - data.site_xpos[1])))
    return worst, "equality of two sites, default settings"
