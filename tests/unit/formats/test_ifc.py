"""A building in IFC, written here by hand, stands as it says; hostile files get a message."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import articulata as art
from articulata.analyses.reach.reach_question import study_of
from articulata.formats.rooms.raised_outlines import box_of
from articulata.formats.scenes.scene_files import scene_of
from articulata.sessions.command_fields import ReachAsked
from articulata.sessions.reach.answering import request_of

pytestmark = pytest.mark.slow


class Step:
    """Lines of a STEP file (ISO 10303-21), numbered as they come."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._numbers: Iterator[int] = itertools.count(1)

    def __call__(self, text: str) -> str:
        number = f"#{next(self._numbers)}"
        self.lines.append(f"{number}={text};")
        return number

    def place(self, x: float, y: float, z: float) -> str:
        return self(
            f"IFCAXIS2PLACEMENT3D({self(f'IFCCARTESIANPOINT(({x:.1f},{y:.1f},{z:.1f}))')},$,$)"
        )

    def box(self, low: tuple[float, ...], high: tuple[float, ...]) -> str:
        """A box in mm by its corners."""
        x, y, z = (b - a for a, b in zip(low, high, strict=True))
        middle = self(f"IFCCARTESIANPOINT(({x / 2:.1f},{y / 2:.1f}))")
        flat = self(f"IFCAXIS2PLACEMENT2D({middle},$)")
        profile = self(f"IFCRECTANGLEPROFILEDEF(.AREA.,$,{flat},{x:.1f},{y:.1f})")
        up = self("IFCDIRECTION((0.,0.,1.))")
        return self(f"IFCEXTRUDEDAREASOLID({profile},{self.place(*low)},{up},{z:.1f})")

    def ring(self, low: tuple[float, float], high: tuple[float, float], wide: float) -> str:
        """A frame in mm between x, z of two corners, ``wide``, from y = 30 to 70."""

        def line(x0: float, z0: float, x1: float, z1: float) -> str:
            corners = [(x0, z0), (x1, z0), (x1, z1), (x0, z1), (x0, z0)]
            points = [self(f"IFCCARTESIANPOINT(({x:.1f},{z:.1f}))") for x, z in corners]
            return self(f"IFCPOLYLINE(({','.join(points)}))")

        inner = line(low[0] + wide, low[1] + wide, high[0] - wide, high[1] - wide)
        profile = self(f"IFCARBITRARYPROFILEDEFWITHVOIDS(.AREA.,$,{line(*low, *high)},({inner}))")
        back, right = self("IFCDIRECTION((0.,-1.,0.))"), self("IFCDIRECTION((1.,0.,0.))")
        place = self(
            f"IFCAXIS2PLACEMENT3D({self('IFCCARTESIANPOINT((0.,70.,0.))')},{back},{right})"
        )
        up = self("IFCDIRECTION((0.,0.,1.))")
        return self(f"IFCEXTRUDEDAREASOLID({profile},{place},{up},40.)")


LEAF = ((65, 30, 5), (935, 70, 2035))


def building(
    *, far: float = 0.0, rooms: bool = False, operation: str = "SINGLE_SWING_LEFT",
    leaves: Iterable[tuple[tuple[float, ...], tuple[float, ...]]] = (LEAF,), glass: bool = False,
    cellar: bool = False,
) -> str:  # fmt: skip
    """A wall of 4 x 0.2 x 2.5 m, and a door of 1 x 2.1 m at its end: two jambs, a head, a leaf.

    With ``rooms`` a bath of 3 x 2 m with the sink, and a hall of 2 x 2 m beside it, and below all
    the wall of a foundation; as a ``cellar`` that has a door, a floor and a boiler. ``leaves`` are
    boxes in mm; with ``glass`` the leaf is 870 mm wide, a pane within a ring of 100 mm.
    """
    step = Step()
    unit = step("IFCSIUNIT(*,.LENGTHUNIT.,.MILLI.,.METRE.)")
    units = step(f"IFCUNITASSIGNMENT(({unit}))")
    origin = step.place(far, 0.0, 0.0)
    context = step(f"IFCGEOMETRICREPRESENTATIONCONTEXT($,'Model',3,1.E-5,{step.place(0, 0, 0)},$)")
    project = step(f"IFCPROJECT('0000000000000000000001',$,'P',$,$,$,$,({context}),{units})")
    placed = step(f"IFCLOCALPLACEMENT($,{origin})")
    storey = step(
        f"IFCBUILDINGSTOREY('0000000000000000000002',$,'Ground',$,$,{placed},$,$,.ELEMENT.,0.)"
    )
    step(f"IFCRELAGGREGATES('0000000000000000000003',$,$,$,{project},({storey}))")

    def product(head: str, tail: str, at: tuple[float, ...], *solids: str) -> str:
        body = step(f"IFCSHAPEREPRESENTATION({context},'Body','SweptSolid',({','.join(solids)}))")
        shape = step(f"IFCPRODUCTDEFINITIONSHAPE($,$,({body}))")
        where = step(f"IFCLOCALPLACEMENT({placed},{step.place(*at)})")
        return step(f"{head},$,$,{where},{shape},$,{tail})")

    wall = product(
        "IFCWALL('0000000000000000000004',$,'North wall'", ".STANDARD.",
        (0.0, 0.0, 0.0), step.box((0, 0, 0), (4000, 200, 2500)),
    )  # fmt: skip
    slab = product(
        "IFCSLAB('0000000000000000000007',$,'Floor'", ".FLOOR.",
        (0.0, 0.0, -200.0), step.box((0, 0, 0), (5000, 4000, 200)),
    )  # fmt: skip
    sink = product(
        "IFCSANITARYTERMINAL('0000000000000000000008',$,'Sink'", ".WASHHANDBASIN.",
        (1000.0, 300.0, 700.0), step.box((0, 0, 0), (500, 400, 150)),
    )  # fmt: skip
    door = product(
        "IFCDOOR('0000000000000000000005',$,'Front door'",
        f"2100.,1000.,.DOOR.,.{operation}.,$",
        (4000.0, 50.0, 0.0),
        step.box((0, 0, 0), (60, 100, 2100)),
        step.box((940, 0, 0), (1000, 100, 2100)),
        step.box((60, 0, 2040), (940, 100, 2100)),
        *([step.ring((65, 5), (935, 2035), 100), step.box((165, 47, 105), (835, 53, 1935))]
          if glass else [step.box(*each) for each in leaves]),
    )  # fmt: skip
    spaces = [
        product(
            f"IFCSPACE('000000000000000000000{guid}',$,'{name}'", ".ELEMENT.,.INTERNAL.,$",
            (x, 200.0, 0.0), step.box((0, 0, 0), (wide, 2000, 2500)),
        )
        for guid, name, x, wide in (("A", "Bath", 0.0, 3000), ("B", "Hall", 3000.0, 2000)) * rooms
    ]  # fmt: skip
    things = f"{wall},{slab},{sink},{door}"
    if rooms:
        things = f"{wall},{slab},{door}"
        inside = "IFCRELCONTAINEDINSPATIALSTRUCTURE('000000000000000000000C',$,$,$"
        step(f"{inside},({sink}),{spaces[0]})")
        deep = product(
            "IFCWALL('000000000000000000000D',$,'Foundation'", ".STANDARD.",
            (0.0, 0.0, -1500.0), step.box((0, 0, 0), (4000, 200, 1300)),
        )  # fmt: skip
        pit = step(
            f"IFCBUILDINGSTOREY('000000000000000000000E',$,'Pit',$,$,{placed},$,$,.ELEMENT.,-1500.)"
        )
        step(f"IFCRELAGGREGATES('000000000000000000000F',$,$,$,{project},({pit}))")
        step(f"IFCRELAGGREGATES('000000000000000000000G',$,$,$,{storey},({','.join(spaces)}))")
        if cellar:
            deep += "," + product(
                "IFCDOOR('000000000000000000000I',$,'Low door'",
                "1200.,1000.,$,$,$",
                (4000.0, 50.0, -1500.0),
                step.box((0, 0, 0), (60, 100, 1200)),
            )
            deep += "," + product(
                "IFCSLAB('000000000000000000000J',$,'Low floor'",
                ".FLOOR.",
                (0.0, 0.0, -1700.0),
                step.box((0, 0, 0), (5000, 4000, 200)),
            )
            deep += "," + product(
                "IFCSANITARYTERMINAL('000000000000000000000K',$,'Boiler'", ".USERDEFINED.",
                (1000.0, 300.0, -1500.0), step.box((0, 0, 0), (500, 400, 900)),
            )  # fmt: skip
        step(f"{inside.replace('0C', '0H')},({deep}),{pit})")
    step(f"IFCRELCONTAINEDINSPATIALSTRUCTURE('0000000000000000000006',$,$,$,({things}),{storey})")
    head = (
        "ISO-10303-21;\nHEADER;\nFILE_DESCRIPTION(('ViewDefinition [x]'),'2;1');\n"
        "FILE_NAME('','',(''),(''),'','','');\nFILE_SCHEMA(('IFC4'));\nENDSEC;\nDATA;\n"
    )
    return head + "\n".join(step.lines) + "\nENDSEC;\nEND-ISO-10303-21;\n"


def test_a_wall_and_an_open_door(tmp_path: Path) -> None:
    file = tmp_path / "house.ifc"
    file.write_text(building())
    scene = scene_of(file)
    wall, slab, sink, door = scene.parts
    assert (wall.name, door.name) == ("North_wall", "Front_door")
    assert (scene.floor, scene.wanted) == (slab.name, [sink.name])
    assert wall.X_WP[:3, 3] == pytest.approx([2.0, 0.1, 0.0], abs=1e-9)
    corners = np.array(scene.surfaces["North_wall"].vertices)
    assert np.ptp(corners, axis=0) == pytest.approx([4.0, 0.2, 2.5], abs=1e-9)
    # the leaf is gone, so that the way between the jambs is free
    frame = np.array(scene.surfaces["Front_door"].vertices) + door.X_WP[:3, 3]
    inside = (frame[:, 0] > 4.0601) & (frame[:, 0] < 4.9399) & (frame[:, 2] < 2.0399)
    assert not inside.any()
    assert np.ptp(frame, axis=0) == pytest.approx([1.0, 0.1, 2.1], abs=1e-9)
    assert dict(scene.lost) == {"leaf of a door (it stands open, 0.87 m clear, hinged left)": 1}


@pytest.mark.parametrize(
    ("made", "said"),
    [
        # two leaves of 0.43 m, side by side
        ({"leaves": (((65, 30, 5), (495, 70, 2035)), ((505, 30, 5), (935, 70, 2035))),
          "operation": "DOUBLE_DOOR_SINGLE_SWING"},
         "leaves of a double door (they stand open, 0.86 m clear)"),
        # only the one at the hinges turns
        ({"leaves": (((65, 30, 5), (395, 70, 2035)), ((405, 30, 5), (935, 70, 2035))),
          "operation": "SINGLE_SWING_RIGHT"},
         "leaf of a door (it stands open, 0.53 m clear, hinged right)"),
        # panels that slide lie behind each other
        ({"leaves": (((65, 10, 5), (495, 40, 2035)), ((480, 60, 5), (935, 90, 2035))),
          "operation": "DOUBLE_DOOR_SLIDING"},
         "way through a door (no leaf that swings was found: it stays closed)"),
        ({"operation": "REVOLVING"},
         "way through a door (no leaf that swings was found: it stays closed)"),
        ({"leaves": (((65, 30, 5), (105, 900, 2035)),)},
         "leaf of a door (it stands open as it is drawn)"),
        ({"glass": True}, "leaf of a door (it stands open, 0.87 m clear, hinged left)"),
    ],
)  # fmt: skip
def test_doors_of_other_makes(made: dict[str, Any], said: str, tmp_path: Path) -> None:
    file = tmp_path / "house.ifc"
    file.write_text(building(**made))
    scene = scene_of(file)
    assert dict(scene.lost) == {said: 1}
    frame = np.array(scene.surfaces["Front_door"].vertices) + scene.parts[-1].X_WP[:3, 3]
    free = 4.5 if "RIGHT" in made.get("operation", "") else 4.2
    inside = (frame[:, 0] > free) & (frame[:, 0] < 4.9399) & (frame[:, 2] < 2.0399)
    assert inside.any() == ("closed" in said)


def test_a_file_of_2003_is_read_as_the_next_schema(tmp_path: Path) -> None:
    file = tmp_path / "old.ifc"
    text = building().replace("FILE_SCHEMA(('IFC4'))", "FILE_SCHEMA (('IFC2X_FINAL'))")
    text = text.replace("IFCSANITARYTERMINAL", "IFCFLOWTERMINAL").replace(",.WASHHANDBASIN.", "")
    text = text.replace(",.DOOR.,.SINGLE_SWING_LEFT.,$", "").replace(",.STANDARD.", "")
    file.write_text(text)
    scene = scene_of(file)
    assert dict(scene.lost) == {"leaf of a door (it stands open, 0.87 m clear)": 1}
    assert [each.name for each in scene.parts] == ["North_wall", "Floor", "Sink", "Front_door"]


def test_one_room_of_a_building_stands_alone(tmp_path: Path) -> None:
    file = tmp_path / "house.ifc"
    file.write_text(building(rooms=True))
    whole = scene_of(file)
    assert list(whole.rooms) == ["Bath", "Hall"]
    # what stands in a room belongs to its storey, and nobody walks on a foundation
    assert (whole.floor, whole.wanted) == ("Ground_Floor", ["Ground_Sink"])
    bath, hall = scene_of(file, room="Bath"), scene_of(file, room="hall")
    assert [each.name for each in bath.parts] == ["Ground_North_wall", "Ground_Sink", "floor"]
    assert [each.name for each in hall.parts] == ["Ground_North_wall", "Ground_Front_door", "floor"]
    assert (bath.floor, bath.wanted, hall.wanted) == ("floor", ["Ground_Sink"], [])
    low, high = box_of(hall.parts[-1])
    assert np.array([low, high]) == pytest.approx(
        np.array([[3.0, 0.2, -0.1], [5.0, 2.2, 0.0]]), abs=2e-3
    )
    with pytest.raises(art.FormatError, match="no room 'Kitchen'; its rooms are 'Bath', 'Hall'"):
        scene_of(file, room="Kitchen")


def test_people_stand_above_the_cellar_or_where_they_are_asked_to(tmp_path: Path) -> None:
    file = tmp_path / "house.ifc"
    file.write_text(building(rooms=True, cellar=True))
    found = scene_of(file)
    assert (found.floor, found.wanted) == ("Ground_Floor", ["Ground_Sink"])
    others = "(nobody is asked to reach it; reach --storey takes 'Pit')"
    assert (
        found.lost[f"thing of another storey than 'Ground' {others}"] == 3
    )  # a door without a frame is gone
    low = scene_of(file, storey="pit")
    assert (low.floor, low.wanted) == ("Pit_Low_floor", ["Pit_Boiler"])
    with pytest.raises(art.FormatError, match="there is no storey 'Attic'; its storeys are 'Gro"):
        scene_of(file, storey="Attic")
    asked = ReachAsked(file, storey="Pit", headless=True, out=tmp_path)
    with pytest.warns(art.FormatWarning, match="than 'Pit'"):
        assert request_of(asked)[1].objects == ("Pit_Boiler.uppermost",)


def test_it_is_a_world_of_a_text(tmp_path: Path) -> None:
    (tmp_path / "house.ifc").write_text(building())
    text = 'import "house.ifc" as house\nworld w { components h: house }'
    with pytest.warns(art.FormatWarning, match="stands open"):
        world = art.assemble(art.parse(text, folder=tmp_path).world("w"))
    assert "h.North_wall" in world.bodies


def test_a_person_is_asked_for_the_sink(tmp_path: Path) -> None:
    file = tmp_path / "house.ifc"
    file.write_text(building())
    with pytest.warns(art.FormatWarning, match="stands open"):
        document = art.read(file)
    (request,) = [each for each in document.requests if each.kind == "reach"]
    study, things, _ = study_of(request)
    (verdict,) = study.verdicts(things, who=study.names[:1])
    assert verdict.object == "Sink.uppermost"
    assert verdict.q is not None


def test_a_building_far_away_is_moved_to_the_origin(tmp_path: Path) -> None:
    file = tmp_path / "far.ifc"
    file.write_text(building(far=5.0e9))
    scene = scene_of(file)
    assert scene.parts[0].X_WP[:3, 3] == pytest.approx([2.0, 0.1, 0.0], abs=1e-3)
    assert "place on earth (moved by -(5000000, 0, 0) m)" in scene.lost


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (building()[:900], "is the file whole"),
        (building().replace("IFCPRODUCTDEFINITIONSHAPE", "IFCNOTHING"), "IfcOpenShell|no product"),
        ("ISO-10303-21;\nHEADER;\nFILE_SCHEMA(('IFC4'));\n\0\0", "IfcOpenShell cannot read it"),
    ],
)
def test_hostile_files_get_a_message(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.ifc"
    file.write_text(text)
    with pytest.raises(art.FormatError, match=said):
        scene_of(file)
