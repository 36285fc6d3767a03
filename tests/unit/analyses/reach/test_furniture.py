"""Furniture before an object: it is pushed aside where it can stand, else taken away."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
import rooms
from articulata.analyses.reach.reach_question import study_of
from articulata.analyses.reach.study import Study
from articulata.analyses.reach.surroundings.furniture import (
    fits,
    movable,
    moved,
    pushed_aside,
    stays_hung,
    together,
)
from articulata.analyses.reach.surroundings.room import Room, room_of
from articulata.records.reach_verdicts import Verdict
from reach_checks import check_postures

TEXT = """
units: metre

primitive block(w: length, h: length, d: length) {{
  properties: (fixed)
  geometry: cuboid(w, h, d) where {{
    front: (0, 0.5*h + 0.01, 0.5*d - 0.02); rail: (0, 0, 0.5*d)
  }}
}}

world room {{
  gravity: (0, -9.81, 0)
  components {{
    floor: block({width}, 0.1, {depth}); cabinet: block({width}, 1.1, 0.4)
    chest: block(1.4, 0.6, 0.9)
  }}
  structure {{
    place floor by floor.center at (0, -0.05, {depth}/2)
    place cabinet by cabinet.center at (0, 0.55, 0.2)
    place chest by chest.center at ({x}, 0.3, 0.85)
  }}
}}

reach room {{
  person: human_upper_body on wheelchair
  objects: cabinet.front
}}
"""


def asked(width: float = 4.0, depth: float = 4.0, x: float = 0.1) -> tuple[Study, Verdict]:
    text = TEXT.format(width=width, depth=depth, x=x)
    study, objects, _ = study_of(art.parse(text).requests[0])
    return study, study.verdicts(objects)[0]


def test_a_chest_before_a_cabinet_is_pushed_as_little_as_needed() -> None:
    _, verdict = asked(x=0.0)
    assert not verdict.accessible
    remedy = verdict.remedy
    assert remedy is not None
    assert (remedy.kind, remedy.what, remedy.axis) == ("push", "chest", "x")
    assert str(remedy) == f"push 'chest' by {remedy.by * 100:.0f} cm along x"
    study, mended = asked(x=remedy.by)
    assert mended.accessible
    assert mended.q is not None
    case = study.case(mended.mobility)
    hands = np.array([case.envelope.hands.index(mended.hand)])
    worst = check_postures(case, case.room.into(mended.point)[None], mended.q[None], hands)
    assert worst["shut"] == 0
    assert worst["deep"] < 2e-3
    _, less = asked(x=remedy.by - 0.1)
    assert not less.accessible


def test_a_chest_that_stands_nowhere_else_is_to_be_taken_away() -> None:
    _, verdict = asked(width=1.5, depth=1.7, x=0.0)
    assert not verdict.accessible
    assert verdict.remedy is not None
    assert (verdict.remedy.kind, verdict.remedy.what) == ("remove", "chest")
    assert str(verdict.remedy) == "move 'chest' away"


@pytest.mark.slow
def test_a_shelf_is_not_lowered_into_what_stands_beneath_it() -> None:
    text = rooms.TEXT.format(shelf=1.65)
    plain = study_of(art.parse(text).requests[0])[0]
    way = "manual wheelchair"
    (lowered,) = plain.verdicts(["shelf.front"], who=[way])
    assert lowered.remedy is not None
    assert lowered.remedy.kind == "lower"
    # a box beneath the shelf, so high that the lowered shelf would come into it
    high = 1.63 - 0.9 - lowered.remedy.by + 0.04
    text = text.replace("door: fixed_point", f"door: fixed_point; box: block(1.2, {high}, 0.05)")
    place = f"place box by box.center at (-0.6, {0.9 + high / 2}, 0.05)"
    text = text.replace("place door", f"{place}\n    place door", 1)
    full = study_of(art.parse(text).requests[0])[0]
    (other,) = full.verdicts(["shelf.front"], who=[way])
    assert not other.accessible
    under = lowered.remedy.by + high
    assert other.remedy is None or other.remedy.kind != "lower" or other.remedy.by > under


def test_what_stands_on_furniture_and_what_is_joined_to_it_goes_along() -> None:
    text = TEXT.format(width=4.0, depth=4.0, x=0.0)
    text = text.replace(
        "chest: block(1.4, 0.6, 0.9)",
        "chest: block(1.4, 0.6, 0.9); tv: block(0.8, 0.5, 0.1); drawer: block(0.4, 0.2, 0.1)",
    ).replace(
        "  }}\n}}\n\nreach".format(),
        "    place tv by tv.center at (0, 0.85, 0.85)\n"
        "    place drawer by drawer.center at (0, 0.3, 1.25)\n"
        "    join drawer to chest with slider(axis: z) as rail"
        " matching (rail, rail) limits (0, 30 cm)\n"
        "  }\n}\n\nreach",
    )
    study, objects, _ = study_of(art.parse(text).requests[0])
    assert set(together(study.room, "chest")) == {"chest", "tv", "drawer"}
    (verdict,) = study.verdicts(objects)
    assert verdict.remedy is not None
    assert verdict.remedy.kind == "push"
    away = np.array([0.0, 0.0, 0.0])
    away["xyz".index(verdict.remedy.axis[-1])] = verdict.remedy.by
    away *= -1.0 if verdict.remedy.axis.startswith("-") else 1.0
    world = moved(study.room, "chest", away)
    assert world is not None
    for name in ("chest", "tv", "drawer"):
        shift = np.subtract(
            world.bodies[name].pose.position, study.world.bodies[name].pose.position
        )
        np.testing.assert_allclose(shift, away, atol=1e-9)


def test_what_only_touches_stays_and_nothing_is_pushed_off_what_it_stands_on() -> None:
    text = TEXT.format(width=4.0, depth=4.0, x=0.2)
    text = text.replace(
        "chest: block(1.4, 0.6, 0.9)",
        "chest: block(1.4, 0.6, 0.9); lamp: block(0.3, 0.6, 0.3); tv: block(0.4, 0.5, 0.1)\n"
        "    wall: block(0.1, 2.4, 4); leaf: block(0.8, 2, 0.05)",
    ).replace(
        "  }\n}\n\nreach",
        "    place lamp by lamp.center at (-0.65, 0.3, 0.85)\n"
        "    place tv by tv.center at (0.2, 0.85, 0.85)\n"
        "    place wall by wall.center at (2.05, 1.2, 2)\n"
        "    place leaf by leaf.center at (2.05, 1, 3.975)\n"
        "    join leaf to wall with revolute(axis: y) as hinge matching (rail, rail)\n"
        "  }\n}\n\nreach",
    )
    room = study_of(art.parse(text).requests[0])[0].room
    assert together(room, "chest") == ("chest", "tv")
    assert together(room, "lamp") == ("lamp",)
    along = np.array([1.0, 0.0, 0.0])
    assert fits(room, "tv", 0.3 * along)
    assert not fits(room, "tv", 0.8 * along)
    assert fits(room, "chest", 0.8 * along)
    assert moved(room, "leaf", -0.3 * along) is None


def test_only_what_stands_and_is_lower_than_a_room_is_pushed() -> None:
    text = TEXT.format(width=4.0, depth=4.0, x=0.2)
    text = text.replace(
        "chest: block(1.4, 0.6, 0.9)",
        "chest: block(1.4, 0.6, 0.9); tv: block(0.4, 0.5, 0.1); shelf: block(1, 0.02, 0.3)\n"
        "    beam: block(3, 0.2, 0.3); pillar: block(0.4, 2.4, 0.4); post: block(0.4, 2, 0.4)",
    ).replace(
        "  }\n}\n\nreach",
        "    place tv by tv.center at (0.2, 0.85, 0.85)\n"
        "    place shelf by shelf.center at (0, 1.5, 0.15)\n"
        "    place beam by beam.center at (0, 2.1, 2)\n"
        "    place pillar by pillar.center at (-1.5, 1.2, 2)\n"
        "    place post by post.center at (1.5, 1, 2)\n"
        "  }\n}\n\nreach",
    )
    room = study_of(art.parse(text).requests[0])[0].room
    assert not {"shelf", "beam", "pillar", "post"} & {*room.walls()}
    pushed = {
        name: pushed_aside(room, name, lambda _: True, "") is not None
        for name in ("chest", "tv", "post", "shelf", "beam", "pillar")
    }
    assert [name for name, is_pushed in pushed.items() if is_pushed] == ["chest", "tv", "post"]


def test_what_an_object_goes_along_with_is_not_taken_away_for_it() -> None:
    text = TEXT.format(width=4.0, depth=4.0, x=0.2)
    text = text.replace(
        "chest: block(1.4, 0.6, 0.9)",
        "chest: block(1.4, 0.6, 0.9); drawer: block(0.4, 0.2, 0.1); tv: block(0.4, 0.5, 0.1)",
    ).replace(
        "  }\n}\n\nreach",
        "    place drawer by drawer.center at (0.2, 0.3, 1.25)\n"
        "    place tv by tv.center at (0.2, 0.85, 0.85)\n"
        "    join drawer to chest with slider(axis: z) as rail matching (rail, rail)\n"
        "  }\n}\n\nreach",
    )
    room = study_of(art.parse(text).requests[0])[0].room
    near: dict[str, tuple[str, ...]] = {"drawer": (), "tv": ("cabinet",)}
    for name, others in near.items():
        p = room.point(f"{name}.front")
        assert movable(room, "chest", name, p) == others
        assert movable(room, "", name, p) == others
    assert movable(room, "chest", "cabinet", room.point("cabinet.front")) == ("chest",)


LEANING = """
units: metre

primitive block(w: length, h: length, d: length) { properties: (fixed); geometry: cuboid(w, h, d) }
primitive globe { properties: (fixed); geometry: sphere(0.4) }

world room {
  gravity: (0, -9.81, 0)
  components { floor: block(6, 0.1, 6); chest: block(0.4, 0.4, 0.4); THING }
  structure {
    place floor by floor.center at (0, -0.05, 0)
    place chest by chest.center at (CHEST, 0.2, 0)
    PLACE
  }
}
"""


def leaning(thing: str, place: str, chest: float) -> Room:
    text = LEANING.replace("THING", thing).replace("PLACE", place).replace("CHEST", str(chest))
    return room_of(art.parse(text).world())


def test_a_chest_goes_beneath_a_globe_but_not_into_it() -> None:
    # its lowest point is 0.3 m above the floor; 0.4 m up it is 0.26 m wide to each side
    room = leaning("lamp: globe", "place lamp by lamp.center at (0, 0.7, 0)", 0.9)
    gap = np.sqrt(0.4**2 - 0.3**2)
    assert fits(room, "chest", np.array([gap + 0.2 - 0.9 + 0.01, 0.0, 0.0]))
    assert not fits(room, "chest", np.array([gap + 0.2 - 0.9 - 0.01, 0.0, 0.0]))


def test_a_chest_beneath_a_leaning_board_is_not_pushed_into_it() -> None:
    # 2 m long, 45 deg: from the floor at x = 0.7 up to 1.4 m at x = -0.7
    room = leaning(
        "board: block(2, 0.02, 1)",
        "place board by board.center at (0, 0.72, 0) turned -45 deg about z",
        -0.4,
    )
    assert fits(room, "chest", np.array([0.3, 0.0, 0.0]))
    assert not fits(room, "chest", np.array([0.6, 0.0, 0.0]))
    assert fits(room, "chest", np.array([-1.0, 0.0, 0.0]))


def test_what_stands_on_furniture_at_a_wall_is_pushed_along_the_wall() -> None:
    text = TEXT.format(width=4.0, depth=4.0, x=0.2)
    text = text.replace(
        "chest: block(1.4, 0.6, 0.9)",
        "chest: block(1.4, 0.6, 0.9); wall: block(4, 2.4, 0.1)\n"
        "    mirror: block(0.6, 0.8, 0.02); lamp: block(0.1, 0.4, 0.1)",
    ).replace(
        "  }\n}\n\nreach",
        "    place wall by wall.center at (0, 1.2, -0.05)\n"
        "    place mirror by mirror.center at (-1, 1.5, 0.01)\n"
        "    place lamp by lamp.center at (1, 1.3, 0.15)\n"
        "  }\n}\n\nreach",
    )
    room = study_of(art.parse(text).requests[0])[0].room

    def pushed(name: str, axis: str) -> bool:
        before = room.world.bodies[name].pose.position["xyz".index(axis)]

        def moved_along(again: Room) -> bool:
            return again.world.bodies[name].pose.position["xyz".index(axis)] != before

        return pushed_aside(room, name, moved_along, "") is not None

    assert room.walls() == ("wall",)
    assert pushed("mirror", "x")
    assert not pushed("mirror", "z")
    assert pushed("lamp", "z")


@pytest.mark.slow
def test_a_shelf_on_a_wall_is_not_brought_off_it() -> None:
    text = rooms.TEXT.format(shelf=1.2)
    text = text.replace("counter: block(1.2, 0.9, 0.6)", "counter: block(1.5, 0.9, 1)")
    text = text.replace(
        "counter.center at (-0.6, 0.45, 0.3)", "counter.center at (-0.45, 0.45, 0.5)"
    )
    study = study_of(art.parse(text).requests[0])[0]
    along, off = np.array([-0.05, 0.0, 0.0]), np.array([0.0, 0.0, 0.05])
    assert not stays_hung(study.room, "shelf", off)
    assert stays_hung(study.room, "counter", off)
    assert stays_hung(study.room, "shelf", along)
    (verdict,) = study.verdicts(["shelf.front"], who=["manual wheelchair"])
    assert verdict.remedy is not None
    assert (verdict.remedy.kind, verdict.remedy.what) == ("push", "counter")


def test_pillars_and_what_is_joined_to_walls_are_not_taken_away() -> None:
    text = TEXT.format(width=4.0, depth=4.0, x=0.2)
    text = text.replace(
        "chest: block(1.4, 0.6, 0.9)",
        "chest: block(1.4, 0.6, 0.9); pillar: block(0.4, 2.4, 0.4); wall: block(0.1, 2.4, 4)\n"
        "    leaf: block(0.8, 2, 0.05)",
    ).replace(
        "  }\n}\n\nreach",
        "    place pillar by pillar.center at (-0.8, 1.2, 0.8)\n"
        "    place wall by wall.center at (2.05, 1.2, 2)\n"
        "    place leaf by leaf.center at (1.6, 1, 1)\n"
        "    join leaf to wall with revolute(axis: y) as hinge matching (rail, rail)\n"
        "  }\n}\n\nreach",
    )
    room = study_of(art.parse(text).requests[0])[0].room
    p = room.point("cabinet.front")
    assert movable(room, "chest", "cabinet", p) == ("chest",)
    assert movable(room, "pillar", "cabinet", p) == ("chest",)
    assert movable(room, "leaf", "cabinet", p) == ("chest",)


def test_what_hangs_on_a_board_is_not_brought_off_it() -> None:
    room = leaning(
        "board: block(2, 1, 0.03); saw: block(0.3, 0.1, 0.03)",
        "place board by board.center at (0, 1.5, -2)\n"
        "    place saw by saw.center at (0, 1.5, -1.97)",
        2.0,
    )
    assert not stays_hung(room, "saw", np.array([0.0, 0.0, 0.05]))
    assert stays_hung(room, "saw", np.array([0.3, 0.0, 0.0]))
    assert stays_hung(room, "chest", np.array([0.0, 0.0, 0.05]))


def test_an_object_without_a_shape_is_lowered() -> None:
    text = (
        TEXT.format(width=4.0, depth=4.0, x=1.2)
        .replace("chest: block", "mark: fixed_point; chest: block")
        .replace("place chest", "place mark by mark.center at (0, 2.4, 0.5)\n    place chest")
        .replace("objects: cabinet.front", "objects: mark.center")
    )
    study, objects, _ = study_of(art.parse(text).requests[0])
    (verdict,) = study.verdicts(objects)
    remedy = verdict.remedy
    assert remedy is not None
    assert (remedy.kind, remedy.what) == ("lower", "mark")


def test_what_stands_is_not_raised_into_the_air() -> None:
    # lean: 0 deg and hands that stay above the hips: what is low is out of reach
    low = (
        TEXT.format(width=4.0, depth=4.0, x=0.0)
        .replace("chest: block(1.4, 0.6, 0.9)", "chest: block(0.3, 0.06, 0.3)")
        .replace("on wheelchair", "on foot\n  lean: 0 deg")
        .replace("objects: cabinet.front", "objects: chest.front")
    )
    standing = low.replace("(0.0, 0.3, 0.85)", "(0, 0.03, 1.2)")
    hung = low.replace("(0.0, 0.3, 0.85)", "(0, 0.13, 1.2)")
    for text, kind in ((standing, None), (hung, "raise")):
        study, objects, _ = study_of(art.parse(text).requests[0])
        (verdict,) = study.verdicts(objects)
        assert not verdict.accessible
        assert (None if verdict.remedy is None else verdict.remedy.kind) == kind


BIN = """
primitive bin {{
  properties: (fixed)
  geometry: difference(cylinder(0.15, 0.4), cylinder(0.13, 0.5)) where {{ foot: (0, 0, -0.2) }}
}}
world room"""


def test_a_bin_with_a_round_hollow_is_furniture_too() -> None:
    text = rooms.TEXT.replace("world room", BIN, 1)
    text = text.replace("door: fixed_point", "bin: bin; door: fixed_point").replace(
        "place door", "place bin by bin.foot at (0.6, 0, 0.5) turned -90 deg about x\n place door"
    )
    room = study_of(art.parse(text.format(shelf=1.4)).requests[0])[0].room
    assert any(solid.body == "bin" and not len(solid.inner) for solid in room.solids)
    assert movable(room, "", "shelf", room.into(np.array([0.6, 1.0, 0.5])))[0] == "bin"
