"""Functions that are given a file's name, a text or a document say what they take, or read it."""

from __future__ import annotations

from pathlib import Path

import pytest
import trimesh

import articulata as art
from articulata.geometry.shapes import Mesh
from articulata.report.viewer.figures.viewer import FigureViewer
from articulata.report.viewer.server import Viewer
from articulata.sessions.given_files import surface_alone

TEXT = "world w { components a: fixed_point }\nsimulate w { time: (10 ms, 0.1 s) }\n"


@pytest.fixture
def room(tmp_path: Path) -> Path:
    file = tmp_path / "room.art"
    file.write_text(TEXT)
    return file


def test_view_reads_the_file_of_a_world_a_figure_and_a_document(room: Path) -> None:
    robot = room.with_name("arm.urdf")
    robot.write_text("<robot name='a'><link name='b'/></robot>")
    figure = room.with_name("doll.art")
    figure.write_text("figure doll { chain a: plain table { t: revolute(axis: z) } }\n")
    for source, kind in (
        (room, Viewer),
        (str(room), Viewer),
        (art.parse(TEXT), Viewer),
        (robot, FigureViewer),
        (figure, FigureViewer),
    ):
        with art.view(source, wait=False) as viewer:
            assert isinstance(viewer, kind)
    with pytest.raises(art.WorldError, match=r"nothere\.art: cannot be read"):
        art.view(room.with_name("nothere.art"), wait=False)


@pytest.mark.parametrize(
    "name", ["room.art", "nothere.art", "some/arm.urdf", "C:/walk.bvh", "my room.art"]
)
def test_parse_of_a_name_leads_to_read(name: str) -> None:
    with pytest.raises(art.WorldError, match=r"this is the name of a file; read it: art\.read"):
        art.parse(name)
    with pytest.raises(art.WorldError, match=r"read it: art\.read"):
        art.parse(Path(name))  # type: ignore[arg-type]


def test_read_of_a_text_leads_to_parse(room: Path) -> None:
    with pytest.raises(art.WorldError, match=r"give it to art\.parse"):
        art.read(TEXT)
    with pytest.raises(art.WorldError, match="this is the name of a file"):
        art.parse(str(room))
    assert art.parse("let half = 1 / 2").check() == ()
    assert art.parse("").check() == ()


def test_other_functions_say_how_a_file_becomes_what_they_take(room: Path) -> None:
    read = rf'read the file first: art\.read\("{room.as_posix()}"\)\.world\(\)'
    for function in (art.assemble, lambda file: art.simulate(file, until=1.0)):
        with pytest.raises(art.ArticulataError, match=read):
            function(str(room))
    with pytest.raises(art.ArticulataError, match=r"not Document; give document\.world"):
        art.simulate(art.read(room), until=1.0)  # type: ignore[arg-type]
    with pytest.raises(art.ArticulataError, match="plot takes a recording, not World; simulate"):
        art.plot(art.read(room).world())  # type: ignore[arg-type]
    with pytest.raises(
        art.ArticulataError, match="export takes a recording, a figure or a trajectory"
    ):
        art.export(str(room), room.with_suffix(".html"))  # type: ignore[arg-type]
    with pytest.raises(art.NameNotFound, match=r"art\.read_urdf"):
        art.figure(_robot(room))
    with pytest.raises(art.ArticulataError, match=r"art\.read\(.*arm\.urdf\"\)\.world\(\)"):
        art.simulate(_robot(room), until=1.0)  # type: ignore[arg-type]
    model = room.with_name("arm.xml")
    model.write_text("<mujoco/>")
    for file in (model, str(model)):
        with pytest.raises(art.NameNotFound, match=r"MuJoCo \(MJCF\); art\.read\(.*xml'\)\.world"):
            art.figure(file)


@pytest.mark.parametrize(
    "wrong", ["room.art", Path("room.art"), None, 3, object(), art.parse(TEXT)]
)
def test_reach_film_and_portrait_tell_what_they_take(wrong: object) -> None:
    for function, due in (
        (art.reach, "reach takes a world or a request, not"),
        (art.film, "film takes a request to film"),
        (art.portrait, "portrait takes a figure"),
    ):
        with pytest.raises(art.ArticulataError, match=due):
            function(wrong)  # type: ignore[operator] # what is tested


@pytest.mark.parametrize("ending", ["obj", "stl", "ply", "off"])
def test_a_surface_is_shown_as_a_world_of_its_own(ending: str, tmp_path: Path) -> None:
    file = tmp_path / f"part.{ending}"
    trimesh.creation.box((0.3, 0.2, 0.1)).export(file)
    document = surface_alone(file)
    assert document is not None
    (body,) = document.world().bodies.values()
    assert isinstance(body.shape, Mesh)
    spans = body.shape.vertices.max(axis=0) - body.shape.vertices.min(axis=0)
    assert spans == pytest.approx([0.3, 0.2, 0.1], abs=1e-6)
    (tmp_path / "room.art").write_text(TEXT)
    assert surface_alone(tmp_path / "room.art") is None


def _robot(room: Path) -> str:
    file = room.with_name("arm.urdf")
    file.write_text("<robot name='a'/>")
    return str(file)
