"""Another place of a body, written into its text."""

from __future__ import annotations

import pytest

import articulata as art
from articulata.world.text_changes import placing, replaced

TEXT = """primitive box { geometry: cuboid(1 m, 1 m, 1 m) }
world room {
  components { a: box; b[1..2]: box; c: box }
  structure {
    place a by a.center at (50 cm, 0, 0)  # stays
    for i in 1..2 { place b[i] by b[i].center at (0, i * 2 m, 0) turned 90 deg about y }
    place c by pose = ((0, 0, 9 m), rotation((0, 0, 1), 0))
  }
}
"""


def moved(body: str, by: float) -> tuple[art.Document, art.World]:
    document = art.parse(TEXT)
    world = document.world("room")
    pose = world.bodies[body].pose
    x, y, z = pose.position
    return document, world.edit([art.Place(body, art.Pose((x, y + by, z), pose.orientation))])


@pytest.mark.parametrize("body", ["a", "b[1]", "b[2]"])
def test_the_text_gives_the_world_that_was_moved(body: str) -> None:
    document, world = moved(body, 0.25)
    text = replaced(document, TEXT, "room", body, world)
    again = art.parse(text).world("room")
    assert again.bodies[body].pose.position == pytest.approx(world.bodies[body].pose.position)
    for other in ("a", "b[1]", "b[2]", "c"):
        assert again.bodies[other].pose.orientation == pytest.approx(
            world.bodies[other].pose.orientation
        )
    assert "# stays" in text


def test_what_is_placed_in_another_way_is_refused() -> None:
    document, world = moved("c", 1.0)
    with pytest.raises(art.WorldError, match="places 'c' at a point"):
        replaced(document, TEXT, "room", "c", world)


@pytest.mark.parametrize(
    "turned",
    ["", " turned -90 deg about y", " turned 33 deg about z", " turned 40 deg about (1, 2, 3)"],
)
def test_a_statement_that_moves_a_body_keeps_its_turn(turned: str) -> None:
    old = "place a by a.center at (50 cm, 0, 0)"
    text = TEXT.replace(old, old + turned)
    before = art.parse(text).world("room")
    line = placing(before, "a", (0.0, -0.25, 0.0))
    after = art.parse(text.replace(old + turned, line)).world("room").bodies["a"].pose
    assert after.position == pytest.approx((0.5, -0.25, 0.0))
    assert after.orientation == pytest.approx(before.bodies["a"].pose.orientation)
    assert turned.strip() in line or "quaternion" in line
