"""Every figure that stands in a world can be seen: links without shapes are drawn as bones."""

from __future__ import annotations

import pytest

from articulata.geometry.shapes import Capsule, Placed, Union
from articulata.kinematics.library import figures
from articulata.report.bones import drawn_bodies
from articulata.report.viewer.motion_sources import motion_of
from articulata.world.document import parse


@pytest.mark.parametrize("name", sorted(figures()))
def test_every_figure_of_the_library_is_seen(name: str) -> None:
    world = parse(f"world w {{ components {{ one: {name} }} }}").world("w")
    drawn = drawn_bodies(world)
    assert list(drawn) == list(world.bodies)
    shapes = [body.shape for body in drawn.values() if body.shape is not None]
    assert len(shapes) >= min(2, len(world.bodies))
    for id, body in world.bodies.items():
        assert body.shape is None or drawn[id] is body
    assert [look.shape for look in motion_of(world).looks if look.shape] == shapes


def test_bones_of_joints_that_share_a_hinge_are_drawn() -> None:
    world = parse("world w { components { one: leonardo } }").world("w")
    drawn = drawn_bodies(world)
    # from the shoulder to the elbow, whose joint has no body of its own
    shape = drawn["one.right shoulder in/out_link"].shape
    parts = shape.parts if isinstance(shape, Union) else (shape,)
    bones = [part.shape for part in parts if isinstance(part, Placed)]
    lengths = [bone.length for bone in bones if isinstance(bone, Capsule)]
    assert max(lengths) == pytest.approx(0.1072)
