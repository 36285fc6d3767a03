"""Requests to reach, pose, track and film: their texts as typed values in SI, and back."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest

from articulata.errors import WorldError
from articulata.geometry.camera import Lens
from articulata.sessions.given_files import request_in
from articulata.world.document import Document, parse, read
from articulata.world.requests.choices import DeviceChoice, FigureChoice, JointWeight, Tolerance
from articulata.world.requests.film import CameraChoice, FilmQuestion, Look
from articulata.world.requests.pose import (
    Aim,
    Carried,
    MotionChoice,
    Placement,
    PoseQuestion,
    Pushed,
    Regard,
)
from articulata.world.requests.questions import Question
from articulata.world.requests.reach import (
    Aligned,
    Comfort,
    Grid,
    Person,
    Population,
    ReachQuestion,
    Watched,
)
from articulata.world.requests.track import OneEuro, Outlet, Station, TrackQuestion
from articulata.world.requests.ways_to_move import OnFoot, Walker, Wheelchair
from articulata.world.values import Pose

HOME = """
units: centimetre, degree
let high = (0, 150, 0)
primitive box {
  geometry: difference(outer: cuboid(60, 60, 60), inside: cuboid(50, 50, 50)) where {
    front: (0, 0, 30)
    handle: (0, 20, 30)
  }
}
figure arm(unit: length = 30) {
  chain reach: standard table {
    shoulder: revolute(a: unit, limits: (-90, 90))
    elbow: revolute(a: unit, limits: (0, 140))
  }
  landmarks { "right hand": elbow }
}
world kitchen(wide: length = 400) {
  components { room, tap, door, oven: box; shelf[1..3]: box; anna: arm; robot: arm }
  structure { place room by room.center at (0, 0, 0) }
}
"""


def document(text: str) -> Document:
    found = parse(HOME + text)
    assert [each for each in found.check(starts=False) if each.severity == "error"] == []
    again = parse(found.text)
    assert again.text == found.text
    assert [each.question for each in again.requests] == [e.question for e in found.requests]
    return found


def question(text: str) -> Question:
    (request,) = document(text).requests
    assert request.question is not None
    return request.question


def test_files_are_looked_for_beside_the_text_that_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms, away = tmp_path / "rooms", tmp_path / "away"
    rooms.mkdir()
    away.mkdir()
    text = rooms / "home.art"
    text.write_text(
        HOME + 'reach kitchen { person: 9 people from "staff.csv"; rules: ada_2010, "own.csv" }'
    )
    monkeypatch.chdir(away)

    def named(path: Path) -> tuple[str, ...]:
        asked = request_in(read(path), "reach").question
        assert isinstance(asked, ReachQuestion)
        drawn = asked.people[0].figure
        assert isinstance(drawn, Population)
        return (str(drawn.file), *asked.rules)

    (away / "staff.csv").touch()
    (away / "own.csv").touch()
    assert named(text) == ("staff.csv", "ada_2010", "own.csv")
    (rooms / "staff.csv").touch()
    (rooms / "own.csv").touch()
    assert named(text) == (str(rooms / "staff.csv"), "ada_2010", str(rooms / "own.csv"))
    near = Path("../rooms/home.art")
    assert named(near) == ("../rooms/staff.csv", "ada_2010", "../rooms/own.csv")
    monkeypatch.chdir(rooms)
    assert named(Path("home.art")) == ("staff.csv", "ada_2010", "own.csv")


def test_a_request_to_reach() -> None:
    asked = question(
        "reach kitchen {\n"
        "  person: anna on wheelchair(width: 75, length: 125 cm, seat: 50)\n"
        "  hands: left; points: grid 5 in room.inside, high, tap.front\n"
        "  objects: tap, oven.handle, shelf[1..3].front; approach: from door\n"
        "  touch: grip; load: 2 kg; comfort: best of 4 by sum; weigh: elbow by 3, shoulder by 0\n"
        '  rules: ada_2010, "mine.csv"; report: map, table; seed: 7\n}'
    )
    assert asked == ReachQuestion(
        (Person(FigureChoice("anna", (), True), Wheelchair(0.75, 1.25, 0.5)),),
        ("left",),
        (Grid(0.05, "room.inside"), (0.0, 1.5, 0.0), "tap.front"),
        ("tap", "oven.handle", "shelf[1].front", "shelf[2].front", "shelf[3].front"),
        "door",
        Comfort(4, "sum"),
        (JointWeight("elbow", 3.0), JointWeight("shoulder", 0.0)),
        ("ada_2010", "mine.csv"),
        ("map", "table"),
        7,
        touch="grip",
        load=2.0,
    )


@pytest.mark.parametrize(
    ("said", "means"),
    [
        ("arm", OnFoot()),
        ("arm on foot", OnFoot()),
        ("arm with walker(radius: 40)", Walker(0.4)),
        ("arm with walker", Walker()),
        ("arm on foot with walker(30)", Walker(0.3)),
        ("arm on wheelchair", Wheelchair()),
        ("arm on power_chair", Wheelchair(seat=0.539, power=True)),
    ],
)
def test_how_a_person_moves(said: str, means: object) -> None:
    asked = question(f"reach kitchen {{ person: {said} }}")
    assert isinstance(asked, ReachQuestion)
    assert asked.person == Person(FigureChoice("arm"), means)  # type: ignore[arg-type] # one of three


def test_a_request_to_pose() -> None:
    found = document(
        "pose reach_up {\n"
        "  figure: arm(unit: 15 cm); world: kitchen(300)\n"
        '  place: "right hand" at tap pointing -x within (1 mm, 2), elbow at (50, 2*60, 1 m) '
        "within 2, shoulder at high turned 90 about z turned 90 about -x\n"
        "  look: at tap, elbow at (0, 2*60, 1 m) within 2\n"
        '  load: 10 kg in "right hand"; minimise: 3 discomfort, torque, energy\n'
        '  push: 50 N at "right hand" toward (0, 0, -2), 5 N at elbow toward x\n'
        "  weigh: elbow by 3, shoulder by 0\n"
        "  maximise: dexterity toward (0, 0, 2); choose: weights\n"
        "  motion: minimum_jerk in 2 s; report: front\n}"
    )
    (request,) = found.requests
    half = math.sqrt(0.5)
    assert (request.name, request.world, request.arguments) == ("reach_up", "kitchen", (3.0,))
    asked = request.question
    assert isinstance(asked, PoseQuestion)
    assert asked.figure == FigureChoice("arm", (("unit", 0.15),))
    assert asked.figure.named == {"unit": 0.15}
    assert asked.places[0] == Placement(
        "right hand", "tap", None, (-1.0, 0.0, 0.0), Tolerance(0.001, math.radians(2))
    )
    assert asked.places[1] == Placement("elbow", (0.5, 1.2, 1.0), within=Tolerance(0.02))
    assert asked.places[2].target == (0.0, 1.5, 0.0)
    # first about z, then about -x, which does not move: q = q_x q_z
    assert asked.places[2].orientation == pytest.approx((0.5, -0.5, 0.5, 0.5), abs=half * 1e-15)
    assert asked.looks == (
        Regard("tap"),
        Regard((0.0, 1.2, 1.0), "elbow", math.radians(2)),
    )
    assert asked.loads == (Carried(10.0, "right hand"),)
    assert asked.pushes == (Pushed("right hand", (0.0, 0.0, -50.0)), Pushed("elbow", (5.0, 0, 0)))
    assert asked.weights == (JointWeight("elbow", 3.0), JointWeight("shoulder", 0.0))
    assert asked.aims == (
        Aim("discomfort", 3.0), Aim("torque"), Aim("energy"),
        Aim("dexterity", 1.0, True, (0.0, 0.0, 1.0)),
    )  # fmt: skip
    assert (asked.choose, asked.motion) == ("weights", MotionChoice("minimum_jerk", 2.0))
    assert asked.reports == ("front",)
    assert request.elaborate().name == "kitchen"


def test_a_request_to_track() -> None:
    asked = question(
        'track me {\n  figure: arm; from: fastrak "/dev/ttyUSB0", udp 6001, "took.csv"\n'
        "  stations: 1 skull, 2 r_upper_arm; calibrate: t_pose\n"
        "  filter: one_euro(0.5 Hz, beta: 15)\n"
        '  body: walking; to: viewer, file "me.artrun", vmc 39539\n}'
    )
    assert asked == TrackQuestion(
        FigureChoice("arm"),
        (DeviceChoice("fastrak", "/dev/ttyUSB0"), DeviceChoice("udp", 6001),
         DeviceChoice("file", "took.csv")),
        (Station(1, "skull"), Station(2, "r_upper_arm")),
        "t_pose",
        OneEuro(0.5, 15.0),
        "walking",
        (Outlet("viewer"), Outlet("file", "me.artrun"), Outlet("vmc", 39539)),
    )  # fmt: skip


def test_a_filter_may_be_none() -> None:
    asked = question("track me { figure: arm; filter: none }")
    assert isinstance(asked, TrackQuestion)
    assert asked.filter is None


def test_a_request_to_film() -> None:
    asked = question(
        "film fly_by {\n"
        "  world: kitchen; camera: lens(35 mm) on robot.elbow at (0, 0, 8) turned 90 about y\n"
        "  scale: 2000; from: spacemouse; mode: fly, lock horizon\n"
        "  look: at tap.center roll locked; limits: robot; report: verdict, animation\n}"
    )
    assert isinstance(asked, FilmQuestion)
    mount = asked.camera.X_LM
    half = math.sqrt(0.5)
    assert mount.position == (0.0, 0.0, 0.08)
    assert mount.orientation == pytest.approx((half, 0.0, half, 0.0))
    assert asked == FilmQuestion(
        CameraChoice(Lens(0.035), "robot.elbow", mount),
        2000.0,
        (DeviceChoice("spacemouse"),),
        ("fly", "lock horizon"),
        Look("tap.center", "locked"),
        ("robot",),
        ("verdict", "animation"),
    )


def test_a_camera_may_stand_on_nothing() -> None:
    asked = question("film tour { camera: lens(focal: 50 mm, nodal: 2) at high }")
    assert isinstance(asked, FilmQuestion)
    assert asked.camera == CameraChoice(Lens(0.05, nodal=0.02), None, Pose((0.0, 1.5, 0.0)))


@pytest.mark.parametrize(
    ("clause", "message"),
    [
        ("points: grid -5 in room.inside", "the spacing of a grid is greater than 0, not -0.05 m"),
        ("person: arm on wheelchair(seat: 0)", "the seat of a wheelchair is greater than 0"),
        ("person: arm on wheelchair with walker", "who sits on a wheelchair has no walker"),
        ("comfort: best of 0", "a number of postures is greater than 0, not 0"),
        ("objects: tap, tap", "'objects:' says this twice"),
        ("objects: shelf[3..1]", "this range names 0 things"),
        ("person: arm on wheelchair(68 m)", "the width of a wheelchair lies between 0.3 and 1.5 m"),
        ("person: arm with walker(1 mm)", "the radius of a walker lies between 0.1 and 1.5 m"),
        ("points: grid 5 in tap.center", "'tap.center' is a point and holds no grid"),
        ("person: anna(unit: 3)", "'anna' stands in the world and takes no arguments here"),
    ],
)
def test_what_cannot_be_meant_has_its_place(clause: str, message: str) -> None:
    person = "" if clause.startswith("person") else "person: anna; "
    text = f"{HOME}reach kitchen {{ {person}\n  {clause}\n}}"
    (found,) = parse(text).check()
    assert found.message.startswith(message)
    assert (found.line, bool(found.suggestion)) == (text.count("\n"), True)
    with pytest.raises(WorldError, match=r":\d+:\d+: "):
        assert parse(text).requests


def test_what_has_no_shape_holds_no_grid() -> None:
    home = HOME.replace("tap, door, oven: box", "tap, door, oven: box; hook: fixed_point")
    (found,) = parse(f"{home}reach kitchen {{ person: anna; points: grid 5 in hook }}").check()
    assert found.message == "'hook' has no shape and holds no grid"


@pytest.mark.parametrize(
    ("text", "message", "advice"),
    [
        ("track me { figure: arm; from: udp 70000 }", "a port is a number from 1 to", "write"),
        (
            "film up { camera: lens(50 m) at high }",
            "the focal length of a lens lies between 0.0005 and 20 m, not 50 m",
            "did you mean 50 mm?",
        ),
        (
            "simulate kitchen { world:",
            "'simulate' has no clause 'world'",
            "name the world in front of the clauses: simulate kitchen { ... }",
        ),
        ("track me { figure: arm; to: vmc 0 }", "a port is a number from 1 to", "write"),
        (
            "film up { camera: lens(9 mm) at tap; scale: 2000 mm }",
            "a plain number is due here",
            "write a number: 2000",
        ),
    ],
)
def test_ports_and_plain_numbers(text: str, message: str, advice: str) -> None:
    found = [
        each for each in parse(HOME + text).check(starts=False) if each.message.startswith(message)
    ]
    assert len(found) == 1
    assert found[0].suggestion == advice or advice == "write"


def test_a_request_without_a_world_names_no_places() -> None:
    (found,) = parse(f"{HOME}pose up {{ figure: arm\n  place: elbow at tap }}").check()
    assert found.message == "no world is named in which 'tap' could be"
    assert found.suggestion == "add world: NAME"


def test_a_request_about_no_world_elaborates_none() -> None:
    (request,) = document("track me { figure: arm }").requests
    assert request.world == ""
    with pytest.raises(WorldError, match="track me is about no world"):
        request.elaborate()


def test_requests_are_chosen_by_their_name_or_world() -> None:
    text = (
        "reach kitchen { person: anna }\n"
        "pose up { figure: arm; world: kitchen }\n"
        "pose down { figure: arm }\n"
    )
    found = document(text)
    assert request_in(found, "pose").name == "up"
    assert request_in(found, "pose", "down").name == "down"
    assert request_in(found, "reach", "kitchen(500)").arguments == (5.0,)
    with pytest.raises(WorldError, match=r"no request to pose is about 'dwon'; did you mean"):
        request_in(found, "pose", "dwon")
    with pytest.raises(WorldError, match="there is no request to film; add such as film NAME"):
        request_in(found, "film")


def test_a_part_of_the_body_carries_one_station() -> None:
    text = "track t { figure: person\n from: emulator\n stations: 1 skull, 2 skull, 1 r_hand\n}"
    found = parse(text).check()
    assert [(each.line, each.column) for each in found] == [(3, 21), (3, 30)]
    assert "two of 'stations:' sit on 'skull'" in found[0].message
    assert "another part" in found[0].suggestion


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (
            lambda: Wheelchair(width=68),
            "width of a wheelchair lies .* not 68 m; did you mean 68 cm",
        ),
        (lambda: Wheelchair(length=0.2), "length of a wheelchair lies between 0.5 and 2.5 m"),
        (lambda: Wheelchair(seat=math.nan), "seat of a wheelchair is greater than 0, not nan"),
        (lambda: Walker(10.0), "radius of a walker lies between 0.1 and 1.5 m, not 10 m"),
        (lambda: Walker("40 cm"), "a number of metres, not '40 cm'; give for instance 0.5"),  # type: ignore[arg-type] # as somebody may write it
        (lambda: Watched("clock", -1.0), "'clock' is watched from within more than 0 m, not -1.0"),
        (lambda: Watched("clock", "2 m"), "not '2 m'; give a number of metres, such as 2.0"),  # type: ignore[arg-type] # the same
        (lambda: Population(2.5), "a population has 1 to 10000 people, not 2.5"),  # type: ignore[arg-type] # the same
    ],
)
def test_values_made_in_python_are_refused(made: Callable[[], object], said: str) -> None:
    with pytest.raises(WorldError, match=said):
        made()


@pytest.mark.parametrize(
    ("clause", "made"),
    [
        ("person: arm on wheelchair(width: 68 m)", lambda: Wheelchair(width=68.0)),
        ("person: arm with walker(10 m)", lambda: Walker(10.0)),
        ("person: 0 people", lambda: Population(0)),
        ("person: 5 men of 1.8 m to 1.7 m", lambda: Population(5, "men", None, 1.8, 1.7)),
        ("watch: tap within 0 m", lambda: Watched("tap", 0.0)),
        ("objects: tap palm pointing x finger pointing x",
         lambda: Aligned("tap", palm=(1.0, 0.0, 0.0), finger=(1.0, 0.0, 0.0))),
    ],
)  # fmt: skip
def test_a_value_is_refused_in_the_same_words_in_a_text_and_in_python(
    clause: str, made: Callable[[], object]
) -> None:
    person = "" if clause.startswith("person") else "person: anna; "
    (found,) = parse(f"{HOME}reach kitchen {{ {person}{clause} }}").check()
    with pytest.raises(WorldError) as told:
        made()
    assert str(told.value) == f"{found.message}; {found.suggestion}"
