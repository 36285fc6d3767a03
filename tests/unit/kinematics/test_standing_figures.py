"""Figures that stand in a world move their bodies, and what is welded to these, in any posture."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.geometry.poses import inverse_pose
from articulata.kinematics.assembly.assembling import assemble
from articulata.kinematics.standing_figures import standing
from articulata.world.document import parse
from articulata.world.model import World

ROOM = """
units: degree
primitive cup { geometry: cylinder(4 cm, 9 cm); dynamics: (mass: 0.3 kg) }
primitive post { geometry: cuboid(0.1, 1, 0.1); properties: (fixed) }
world kitchen {
  gravity: (0, -9.81, 0)
  components { anna: human_upper_body; robot: manutec_r3; cup, spoon: cup; post: post }
  structure {
    place anna by anna.base at (1, 0.9, 2) turned 90 about y, r_elbow_flexion = 80
    place robot by properties: (fixed)
    join cup to anna."right hand" with weld
    join spoon to cup with weld matching (front, back)
    join post to robot.base with weld matching (center, center)
    ignore cup with anna
  }
}
"""


@pytest.fixture(scope="module")
def room() -> World:
    return assemble(parse(ROOM).world("kitchen"))


@pytest.mark.parametrize("name", ["hexapod", "human_upper_body", "leonardo", "manutec_r3"])
def test_at_the_start_every_body_is_where_the_world_has_it(name: str) -> None:
    text = f"world w {{ gravity: (0, -9.81, 0); components {{ one: {name} }} }}"
    world = assemble(parse(text).world("w"))
    for each in standing(world):
        poses = each.bodies(each.start)
        assert set(poses) == {id for id in world.bodies if id.startswith("one.")}
        for body, X_WB in poses.items():
            assert pytest.approx(world.bodies[body].pose.matrix(), abs=1e-12) == X_WB


def test_what_is_welded_to_a_hand_follows_it(room: World) -> None:
    anna, robot = standing(room)
    assert {"cup", "spoon"} <= set(anna.carried)
    assert "post" not in robot.carried  # what is fixed does not follow
    rng = np.random.default_rng(7)
    q = rng.uniform(anna.figure.lower, anna.figure.upper)
    before, after = anna.bodies(anna.start), anna.bodies(q)
    hand = next(b for b in anna.carried if anna.carried[b][0] == anna.carried["cup"][0])
    held = inverse_pose(before[hand]) @ before["cup"]
    assert inverse_pose(after[hand]) @ after["cup"] == pytest.approx(held, abs=1e-12)
    apart = inverse_pose(before["cup"]) @ before["spoon"]
    assert inverse_pose(after["cup"]) @ after["spoon"] == pytest.approx(apart, abs=1e-12)
    assert np.abs(after["cup"] - before["cup"]).max() > 0.05
