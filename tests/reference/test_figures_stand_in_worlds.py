"""Every figure of the library, and five public robots, in worlds: recorded, drawn, on a page."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import articulata as art
from articulata.errors import ModelError
from articulata.geometry.poses import inverse_pose
from articulata.kinematics.library import figures
from articulata.records.observed import BASE, JOINT
from articulata.records.recording import Recording
from articulata.report.page.recording_page import page
from articulata.report.viewer.motion_sources import motion_of
from articulata.report.viewer.stage import Stage
from articulata.world.figures.nodes import FigureNode, KeyFrame, MotionNode, Performance
from articulata.world.model import World
from articulata.world.values import Pose
from unit.formats.urdf.test_public_robots import ARMS, located

TURN = "quaternion(0.8, 0.36, 0, 0.48)"
KINEMATIC, FORCES = ("geometric", "kinematic"), ("geometric", "kinematic", "dynamic")


def posed(name: str, rng: np.random.Generator) -> tuple[World, np.ndarray]:
    """Return a figure in a world, posed within its limits, and another such posture."""
    text, allow, figure = "", [], None
    if name.endswith(".urdf"):
        file = located(name)
        allow, figure = [file.parent], art.read_urdf(file, roots=[file.parents[4]])
        text, name = f'import "{file}" as robot\n', "robot"
    figure = figure or art.figure(name)
    low = np.where(np.isfinite(figure.lower), figure.lower, -1.5)
    high = np.where(np.isfinite(figure.upper), figure.upper, 1.5)
    q, other = (low + rng.uniform(0.1, 0.9, figure.dof) * (high - low) for _ in range(2))
    said = "".join(f', "{j}" = {v!r}' for j, v in zip(figure.names, q.tolist(), strict=True))
    text += f"world room {{ components {{ one: {name} }}\nstructure {{\n"
    text += f"place one by pose = ((1, 2, 3), {TURN}){said}, properties: (fixed) }} }}\n"
    return art.parse(text, allow=allow).world(), other


def following(world: World, other: np.ndarray) -> World:
    """Return the world in which the figure goes to another posture and back."""
    node = world.figures["one"]
    names = art.figure(world, "one").names
    there = MappingProxyType(dict(zip(names, other.tolist(), strict=True)))
    frames = KeyFrame(0.0, node.values), KeyFrame(0.05, there), KeyFrame(0.1, node.values)
    motion = MotionNode("swing", frames)
    doing: FigureNode = replace(
        node,
        motions=MappingProxyType({"swing": motion}),
        follows=(Performance("swing", 0.0, Pose()),),
    )
    return replace(world, figures=MappingProxyType({"one": doing}))


def apart(recording: Recording) -> float:
    """Return by how much (m, 1) links differ from the poses of the recorded joint values."""
    world = recording.world
    figure, node = art.figure(world, "one"), world.figures["one"]
    labels = recording.channels["geometric.pose"].labels
    assert recording.channels[JOINT].labels == tuple(f"one.{name}" for name in figure.names)
    worst = 0.0
    for row, q, base in zip(
        recording.array("geometric.pose"),
        recording.array(JOINT),
        recording.array(BASE),
        strict=True,
    ):
        x, y, z, *quaternion = base[0].tolist()
        X_WF = Pose((x, y, z), tuple(quaternion)).matrix()
        poses = X_WF @ inverse_pose(figure.base) @ figure.poses(q)
        for id, joint in node.carriers.items():
            x, y, z, *quaternion = row[labels.index(id)].tolist()
            X_WB = Pose((x, y, z), tuple(quaternion)).matrix()
            wanted = poses[figure.index(joint)] if joint else X_WF
            worst = max(worst, float(np.abs(X_WB - wanted).max()))
    return worst


def seen(recording: Recording) -> None:
    """Draw it as the viewer does, and write its page."""
    import viser

    motion = motion_of(recording)
    drawn = {look.id for look in motion.looks if look.shape is not None}
    assert 2 * len(drawn) >= len(recording.world.figures["one"].carriers)
    server: Any = viser.ViserServer(host="127.0.0.1", port=0, verbose=False)
    try:
        stage = Stage(server)
        stage.show(motion)
        stage.draw(motion.poses[0], 0)
        assert 0.05 < stage.size < 100.0
    finally:
        server.stop()
    assert "one" in page(recording)


def check(name: str) -> None:
    world, other = posed(name, np.random.default_rng(len(name)))
    going = following(world, other)
    recording = art.simulate(going, until=0.1, step=0.02, domains=KINEMATIC)
    assert apart(recording) < 1e-12
    moved = recording.array(JOINT)
    if moved.shape[1]:  # a rifle has no joints
        assert np.abs(moved[0] - moved[-1]).max() < 1e-12 < np.abs(moved[0] - moved[2]).max()
    seen(recording)
    # among forces it follows its motion, or moves by its masses
    assert apart(art.simulate(going, until=0.1, step=0.02, domains=FORCES)) < 1e-10
    if world.figures["one"].guided:
        return
    world = replace(world, gravity=(0.0, -9.81, 0.0))
    _, *moving = world.figures["one"].carriers
    if all("mass" in world.bodies[id].properties for id in moving):
        falling = art.simulate(world, until=0.1, step=0.02, domains=FORCES)
        # joints that follow others do so among forces too
        assert apart(falling) < 1e-10
    else:
        with pytest.raises(ModelError, match="mass"):
            art.simulate(world, until=0.1, step=0.02, domains=FORCES)


@pytest.mark.parametrize("name", ["planar_4_2_1", "manutec_r3"])
def test_a_figure_in_a_world(name: str) -> None:
    check(name)


@pytest.mark.slow
@pytest.mark.filterwarnings("default::articulata.FormatWarning")  # some have only COLLADA meshes
@pytest.mark.parametrize("name", sorted({*figures(), *ARMS} - {"planar_4_2_1", "manutec_r3"}))
def test_every_figure_in_a_world(name: str) -> None:
    check(name)
