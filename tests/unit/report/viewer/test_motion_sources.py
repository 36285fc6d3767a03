from __future__ import annotations

from dataclasses import replace

import numpy as np

import articulata as art
from articulata.report.viewer.motion_sources import motion_of, up_of
from recorded import chain, swing


def test_a_recording_becomes_a_motion() -> None:
    recording = swing()
    motion = motion_of(recording)
    np.testing.assert_array_equal(motion.times, recording.times)
    assert [look.id for look in motion.looks][:2] == ["p.anchor", "p.rod[1]"]
    assert motion.series is not None
    values, unit = motion.series("p.rod[1].center")
    np.testing.assert_allclose(values, recording.series("p.rod[1].center"))
    assert unit == "m"


def test_everything_offered_for_plotting_can_be_plotted() -> None:
    motion = motion_of(swing())
    assert motion.plottable
    assert motion.series is not None
    for thing, quantities in motion.plottable.items():
        for quantity in quantities:
            path = quantity if thing == "world" else f"{thing}.{quantity}"
            values, _ = motion.series(path)
            assert len(values) == len(motion.times), path


def test_a_world_stands_still() -> None:
    motion = motion_of(chain())
    assert motion.poses.shape == (1, 4, 7)
    np.testing.assert_allclose(motion.poses[0, 1, :3], (0.0, 1.5, 0.0))


def test_up_is_against_gravity() -> None:
    assert up_of(replace(chain(), gravity=(0.0, 0.0, -1.62))) == (0.0, 0.0, 1.0)
    assert up_of(replace(chain(), gravity=(0.0, 0.0, 0.0))) == (0.0, 1.0, 0.0)


def test_what_has_no_shape_and_holds_nothing_is_not_drawn() -> None:
    """A doorway without a form is no ball; the anchor that a rod hangs from is one."""
    motion = motion_of(
        art.parse("""
primitive doorway { properties: (fixed); geometry: none }
primitive rod { properties: (density: 1000); geometry: cuboid(1 m, 1 cm, 1 cm); dynamics }
world w {
  components { door: doorway; anchor: fixed_point; rod: rod }
  structure { join rod to anchor with pin(axis: z) matching (center, center) }
}
""").world()
    )
    assert {look.id: look.hidden for look in motion.looks} == {
        "door": True, "anchor": False, "rod": False,
    }  # fmt: skip


def test_a_floor_at_the_bottom_throws_no_shadow_and_a_board_or_a_wall_does() -> None:
    text = """
    primitive slab(x: length, y: length, z: length) { geometry: cuboid(x, y, z) }
    world room {
      gravity: (0, 0, -9.81)
      components
        floor: slab(4, 5, 0.1)
        wall: slab(4, 0.1, 2.5)
        board: slab(1, 0.3, 0.02)
      structure {
        place floor by properties: (fixed)
        place wall by properties: (fixed)
        place board by properties: (fixed)
        place floor by floor.center at (0, 0, -0.05)
        place wall by wall.center at (0, 2.5, 1.25)
        place board by board.center at (0, 2, 1)
      }
    }
    """
    casts = {look.id: look.casts for look in motion_of(art.parse(text).world()).looks}
    assert casts == {"floor": False, "wall": True, "board": True}
