"""Steps a second of robots that fall: the Manutec r3 of the library, two public arms and a tree.

The tree has the limbs of a person, a hinge a link, since MuJoCo refuses the library's person, whose
links within compound joints have no mass.

Everyone uses explicit Runge-Kutta 4 at the same step from the same start, without contacts, limits,
damping and friction. Ours is the whole of ``art.simulate`` with 20 frames; the peers only step.
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from importlib.metadata import files
from pathlib import Path
from types import MappingProxyType

import numpy as np

import articulata as art
from articulata.formats.urdf.urdf_writer import write_urdf
from benchmarks import peers_dynamics as peers
from benchmarks.harness import Case, Report

STEP, STEPS, FRAMES = 1e-3, 5000, 20
PUBLIC = {
    "UR5": "ur_description/urdf/ur5_robot.urdf",
    "xArm 7": "xarm_description/urdf/xarm7.urdf",
}
"""Files of the package example-robot-data."""

LIMBS = {"trunk": ("", 3), "neck": ("trunk3", 2), "l_arm": ("trunk3", 7), "r_arm": ("trunk3", 7),
         "l_leg": ("", 4), "r_leg": ("", 4)}  # fmt: skip
"""Of the tree's 27 joints: what each limb hangs on, and how many it has."""

SEEN = re.compile(r"<(visual|collision)>.*?</\1>", re.DOTALL)
MUJOCO = '<mujoco><compiler discardvisual="true" balanceinertia="true" boundmass="1e-9"/></mujoco>'


def world_of(text: str) -> art.World:
    """Return the world of a text, free of limits."""
    world = art.parse(text, allow=[Path("/")]).world()
    free = {id: replace(hinge, limits=()) for id, hinge in world.hinges.items()}
    return replace(world, hinges=MappingProxyType(free))


def mujoco_arm(urdf: str) -> peers.Peer:
    """Return a robot in MuJoCo."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(urdf.replace("</robot>", f"{MUJOCO}</robot>"))
    model.opt.timestep, model.opt.integrator = STEP, mujoco.mjtIntegrator.mjINT_RK4
    model.opt.disableflags = mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.dof_damping[:] = 0.0
    data = mujoco.MjData(model)
    return peers.Peer(
        lambda count: mujoco.mj_step(model, data, count),
        lambda: float("nan"),
        lambda: mujoco.mj_resetData(model, data),
    )


def enter(case: Case, world: art.World, urdf: str) -> None:
    """Enter ourselves and the peers."""
    import pinocchio

    end = STEP * STEPS
    case.time(
        "articulata",
        lambda: art.simulate(
            world,
            until=end,
            step=end / FRAMES,
            method=art.RK4(step=STEP),
            domains=("geometric", "kinematic", "dynamic"),
        ),
        count=STEPS,
        ours=True,
    )
    try:
        arm = mujoco_arm(urdf)
    except ValueError as error:
        case.missing("MuJoCo RK4", str(error))
    else:
        case.time("MuJoCo RK4", lambda: (arm.reset(), arm.advance(STEPS)), count=STEPS)
    tree = peers.pinocchio_tree(pinocchio.buildModelFromXML(urdf), STEP).peer
    case.time(
        "Pinocchio ABA, RK4 in Python", lambda: (tree.reset(), tree.advance(STEPS)), count=STEPS
    )


def plain(name: str) -> str:
    """Return the text of a public arm without what is seen of it, damping and friction."""
    found = next(f for f in files("example-robot-data") or () if str(f).endswith(name))
    text = SEEN.sub("", Path(str(found.locate())).read_text())
    return re.sub(r'(damping|friction)="[^"]*"', r'\1="0"', text)


def tree() -> str:
    """Return a tree of 27 hinges with masses and places drawn by chance, as URDF."""
    draw = np.random.default_rng(27)
    parts = ['<robot name="tree"><link name="root"/>']
    for limb, (base, count) in LIMBS.items():
        for n in range(1, count + 1):
            above, x = f"{limb}{n - 1}" if n > 1 else base or "root", draw.uniform(-1, 1, 3)
            m, (xx, yy, zz) = draw.uniform(0.5, 5.0), draw.uniform(0.01, 0.02, 3)
            axis = np.eye(3, dtype=int)[n % 3]
            parts.append(
                f'<link name="{limb}{n}"><inertial><origin xyz="0 0 {-0.1 - 0.05 * x[0]}"/>'
                f'<mass value="{m}"/><inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" '
                f'iyz="0"/></inertial></link><joint name="{limb}_{n}" type="continuous">'
                f'<parent link="{above}"/><child link="{limb}{n}"/>'
                f'<origin xyz="{0.1 * x[1]} {0.1 * x[2]} -0.2"/>'
                f'<axis xyz="{axis[0]} {axis[1]} {axis[2]}"/></joint>'
            )
    return "".join((*parts, "</robot>"))


def run(report: Report) -> None:
    with tempfile.TemporaryDirectory() as folder:
        r3 = write_urdf(art.figure("manutec_r3"), Path(folder)).text
        arms = {"Manutec r3": ("", "manutec_r3", SEEN.sub("", r3))}
        public = {title: plain(name) for title, name in PUBLIC.items()}
        for number, (title, text) in enumerate({**public, "tree of 27 joints": tree()}.items()):
            file = Path(folder, f"{number}.urdf")
            file.write_text(text)
            arms[title] = (f'import "{file}" as arm\n', "arm", file.read_text())
        for title, (head, kind, urdf) in arms.items():
            world = world_of(
                f"{head}world w {{ gravity: (0, 0, -9.81)\ncomponents {{ one: {kind} }}\n"
                "structure { place one by properties: (fixed) } }\n"
            )
            joints = len(world.hinges)
            with report.case(
                f"{title} falls, RK4",
                unit="steps/s",
                better="higher",
                note=f"{joints} joints, step {STEP:g} s, {STEPS} steps, {FRAMES} frames",
            ) as case:
                enter(case, world, urdf)
