"""Worlds of the library, written in other formats and read back: names, places, masses, colours."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import mujoco
import numpy as np
import pytest

import articulata as art
from articulata.formats.mjcf.mjcf_writer import write_mjcf
from articulata.formats.scenes.foreign_scene import Scene, SceneJoint, ScenePart
from articulata.formats.scenes.scene_files import scene_of
from articulata.formats.scenes.world_scene import scene_of_world
from articulata.report.colors import screen_color
from articulata.sessions.converting import convert
from articulata.sessions.film.film_files import FilmAsked, film_file
from articulata.sessions.simulation import asked

LIBRARY = Path(art.__file__).parent / "world" / "library"
EVERY = sorted(file for folder in ("gallery", "rooms") for file in (LIBRARY / folder).glob("*.art"))
SOME = ("coasting", "inspection_cell", "kitchen", "universal_shaft")
PHYSICS = (".usda", ".xml")
WORLDS = [
    pytest.param(each, id=each.stem, marks=[] if each.stem in SOME else [pytest.mark.slow])
    for each in EVERY
]


def comes_back(part: ScenePart, ending: str) -> bool:
    """Tell whether a part is to be found again by its name."""
    if ending not in PHYSICS or (part.mass is None and ending == ".usda"):
        return (part.shape or part.look) is not None
    bare = part.mass is None and part.joint is None and part.shape is part.look is None
    welded = part.joint is not None and part.joint.kind == "weld"
    carried = ending == ".xml" and welded  # MuJoCo's bodies without a joint are one
    return not carried and not bare


@pytest.mark.parametrize("ending", [".wrl", ".x3d", ".glb", ".xml", ".usda"])
@pytest.mark.parametrize("file", WORLDS)
def test_things_keep_their_names_and_places(file: Path, ending: str, tmp_path: Path) -> None:
    document = art.read(file)
    world = art.assemble(document.world(asked(document, "")))
    scene = scene_of_world(world, screen_color)
    there = tmp_path / f"{file.stem}{ending}"
    convert(file, there)
    back = scene_of(there)
    carried = (id for each in world.figures.values() for id in each.carriers)
    people = {re.sub(r"\W+", "_", id) for id in carried}
    out = {"frame"} | (people if back.figures else set())  # a word of ours; persons as humanoids
    found = {part.name: part for part in back.parts}
    within = 2e-6 if ending == ".glb" else 1e-9  # float32
    compared = 0
    for part in scene.parts:
        again = found.get(part.name)
        if again is None:
            assert part.name in out or not comes_back(part, ending), part.name
            continue
        compared += 1
        assert np.abs(again.X_WP - part.X_WP).max() < within, part.name
        if part.color is not None and (part.shape or part.look) is not None:
            np.testing.assert_allclose(again.color, part.color, atol=0.5 / 255)
        hung = any(e.joint and e.joint.kind == "weld" and e.joint.parent == part.name
                   for e in scene.parts)  # fmt: skip
        if ending in PHYSICS and part.mass is not None and not (ending == ".xml" and hung):
            assert again.mass == pytest.approx(part.mass, rel=1e-9)
    assert compared > 0


def test_links_that_mujoco_cannot_move_are_given_what_it_needs() -> None:
    turned = SceneJoint("turns", "pin", np.eye(4))
    parts = [
        ScenePart("bare", np.eye(4), joint=turned),
        ScenePart("odd", np.eye(4), mass=2.0, inertia=(0.1, 1.0, 0.2, 0.0, 0.0, 0.0)),
        ScenePart("flat", np.eye(4), mass=2.0, inertia=(0.1, 0.3, 0.2, 0.0, 0.0, 0.0)),
    ]
    text, lost = write_mjcf(Scene("made", "made.art", parts))
    model = mujoco.MjModel.from_xml_string(text)
    assert lost == Counter({
        "link without mass (written with 1 g that nothing pulls)": 1,
        "moments of inertia that no body has (the smaller two are raised)": 1,
    })  # fmt: skip
    assert model.body("bare").mass == pytest.approx(1e-3)
    assert model.body_gravcomp[model.body("bare").id] == 1.0
    assert sorted(model.body("odd").inertia) == pytest.approx([0.45, 0.55, 1.0], rel=1e-9)
    assert sorted(model.body("flat").inertia) == pytest.approx([0.1, 0.2, 0.3], rel=1e-9)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    assert data.qacc[model.joint("turns").dofadr[0]] == pytest.approx(0.0, abs=1e-12)


def test_still_bodies_of_mujoco_are_parts_where_their_geoms_are_alike(tmp_path: Path) -> None:
    file = tmp_path / "room.xml"
    file.write_text(
        '<mujoco><worldbody><body name="table" pos="1 2 3"><geom size=".4 .4 .1" type="box"/>'
        '<geom type="box" size=".1 .1 .3" pos="0 0 -.4"/></body>'
        '<body name="shelf" pos="3 0 0"><geom name="board" size=".1"/><geom size=".2"/></body>'
        '<body name="lamp" pos="5 0 0"><geom size=".1" rgba="1 0 0 1"/><geom size=".2"/></body>'
        "</worldbody></mujoco>"
    )
    found = {part.name: part for part in scene_of(file).parts}
    assert set(found) == {"table", "board", "shelf", "lamp", "lamp_2"}
    np.testing.assert_allclose(found["table"].X_WP[:3, 3], (1.0, 2.0, 3.0))
    solid = found["table"].shape
    assert [each.shape.X_PS[2, 3] if hasattr(each.shape, "X_PS") else 0.0
            for each in solid.parts] == pytest.approx([0.0, -0.4])  # fmt: skip


FILMED = """
primitive ball { properties: (color: red); geometry: sphere(10 cm) }
world set { components { b: ball } structure { place b by b.center at (0, 1, 0) } }
"""
FILM = """import "set.art"
film fly { world: set; camera: lens(35 mm) at (0, 1 m, 4 m); from: "keys.csv"; report: animation }
"""


class Quiet:
    """Hears what a film has to say."""

    def say(self, text: str) -> None: ...


@pytest.mark.parametrize("ending", [".glb", ".wrl"])
def test_a_recorded_film_keeps_its_camera(tmp_path: Path, ending: str) -> None:
    (tmp_path / "set.art").write_text(FILMED)
    (tmp_path / "fly.art").write_text(FILM)
    keys = "time,x,y,z,look_x,look_y,look_z\n0,0,1,4,0,1,0\n1,2,1,4,2,1,0\n"
    (tmp_path / "keys.csv").write_text(keys)
    convert(tmp_path / "fly.art", tmp_path / f"set{ending}")  # its world is imported
    assert "b" in {part.name for part in scene_of(tmp_path / f"set{ending}").parts}
    film_file(FilmAsked(tmp_path / "fly.art", out=tmp_path / "out"), Quiet())
    convert(tmp_path / "out" / "run.artrun", tmp_path / f"run{ending}")
    (view,) = scene_of(tmp_path / f"run{ending}").views
    assert view.upwards == pytest.approx(2.0 * np.arctan(12.0 / 35.0), abs=1e-6)
    places = view.motion.poses[:, :3, 3]
    np.testing.assert_allclose(places.min(axis=0), (0.0, 1.0, 4.0), atol=1e-5)
    np.testing.assert_allclose(places.max(axis=0), (2.0, 1.0, 4.0), atol=1e-5)


def test_what_never_touches_here_never_touches_elsewhere(tmp_path: Path) -> None:
    crank = LIBRARY / "gallery" / "slider_crank.art"
    convert(crank, tmp_path / "crank.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "crank.xml"))
    named = {
        frozenset(model.body(int(end)).name for end in (each >> 16, each & 0xFFFF))
        for each in model.exclude_signature
    }
    # crank and piston are of one mechanism, no neighbours; MuJoCo lets neighbours pass by itself
    assert frozenset(("e_crank", "e_head")) in named
    assert frozenset(("e_crank", "e_rod")) not in named
    assert ("e_crank", "e_head") in scene_of(tmp_path / "crank.xml").ignored


def test_exclusions_with_what_stands_still_are_read(tmp_path: Path) -> None:
    file = tmp_path / "arm.xml"
    file.write_text(
        '<mujoco><worldbody><body name="base"><geom size=".1"/></body>'
        '<body name="arm"><joint axis="0 1 0"/><geom size=".1" pos=".15 0 0"/></body></worldbody>'
        '<contact><exclude body1="base" body2="arm"/></contact></mujoco>'
    )
    assert scene_of(file).ignored == [("base", "arm")]


def test_a_folder_that_is_not_there_is_made(tmp_path: Path) -> None:
    museum = LIBRARY / "rooms" / "museum.art"
    convert(museum, tmp_path / "museum.glb")
    convert(tmp_path / "museum.glb", tmp_path / "new" / "museum.art")
    assert (tmp_path / "new" / "museum_meshes").is_dir()


def test_a_robot_by_itself_keeps_its_names_and_exclusions(tmp_path: Path) -> None:
    link = (
        '<link name="{0}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
        'ixz="0" iyz="0"/></inertial><collision><origin xyz="{1} 0 0"/><geometry><box '
        'size=".4 .1 .1"/></geometry></collision></link>'
    )
    joint = (
        '<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/><origin '
        'xyz=".1 0 0"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="5" velocity="2"/>'
        "</joint>"
    )
    links = "".join(link.format(name, 0.1) for name in ("foot", "shin", "thigh"))
    joints = joint.format("ankle", "foot", "shin") + joint.format("knee", "shin", "thigh")
    (tmp_path / "leg.urdf").write_text(f'<robot name="leg">{links}{joints}</robot>')
    convert(tmp_path / "leg.urdf", tmp_path / "leg.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "leg.xml"))
    assert [model.joint(k).name for k in range(model.njnt)] == ["ankle", "knee"]
    assert {model.body(k).name for k in range(1, model.nbody)} == {"foot", "shin", "thigh"}
    named = {
        frozenset(model.body(int(end)).name for end in (each >> 16, each & 0xFFFF))
        for each in model.exclude_signature
    }
    assert frozenset(("foot", "thigh")) in named  # they overlap as the robot stands
