"""Worlds of the library written in other formats, and read again by others and by us."""

from __future__ import annotations

import shutil
from pathlib import Path

import mujoco
import numpy as np
import pytest
import trimesh

import articulata as art
from articulata.formats.scenes.foreign_scene import Scene, triangles_of
from articulata.formats.scenes.scene_files import scene_of
from articulata.geometry.shapes import HalfSpace
from articulata.sessions.converting import convert
from articulata.sessions.simulation import asked
from linkages_by_chance import linkage

LIBRARY = Path(art.__file__).parent / "world" / "library"
WORLDS = ("gallery/wrecking", "gallery/three_supports", "rooms/office", "rooms/lift")


def assembled(name: str) -> art.World:
    document = art.read(LIBRARY / f"{name}.art")
    return art.assemble(document.world(asked(document, "")))


def written(id: str) -> str:
    """Return what a body is called elsewhere."""
    return id.replace(".", "_").replace("[", "_").replace("]", "")


def corners(scene: Scene) -> dict[str, np.ndarray]:
    """Return the box about each thing of a scene in W, (2, 3) by its name."""
    found = {}
    for part in scene.parts:
        shape = part.look or part.shape
        if shape is not None:
            points = triangles_of(shape)[0] @ part.X_WP[:3, :3].T + part.X_WP[:3, 3]
            found[part.name] = np.array([points.min(axis=0), points.max(axis=0)])
    return found


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("ending", ["wrl", "x3d", "glb"])
def test_things_stand_where_they_stood(name: str, ending: str, tmp_path: Path) -> None:
    world = assembled(name)
    file = tmp_path / f"made.{ending}"
    lost = convert(LIBRARY / f"{name}.art", file)
    found = corners(scene_of(file))
    within = 1e-6 if ending == "glb" else 1e-12  # glTF has float32
    for id, body in world.bodies.items():
        if body.shape is None or isinstance(body.shape, HalfSpace):
            continue
        vertices, _ = triangles_of(body.look or body.shape)
        points = vertices @ body.pose.matrix()[:3, :3].T + body.pose.matrix()[:3, 3]
        called = written(id)
        low, high = found[called]
        assert low == pytest.approx(points.min(axis=0), abs=within), id
        assert high == pytest.approx(points.max(axis=0), abs=within), id
    assert ("hinge" in lost) == bool(world.hinges)
    assert art.check(file) == ()


@pytest.mark.filterwarnings("ignore::articulata.errors.FormatWarning")  # what is only seen
@pytest.mark.parametrize("name", ["gallery/governor", "gallery/planetary_gear", "gallery/clock"])
@pytest.mark.parametrize("ending", ["usda", "xml"])
def test_a_mechanism_comes_back_on_its_hinges(name: str, ending: str, tmp_path: Path) -> None:
    world, file = assembled(name), tmp_path / f"made.{ending}"
    lost = convert(LIBRARY / f"{name}.art", file)
    geared = any(len(each.terms) > 1 for each in world.couplings.values())
    assert ("gear" in lost) == (geared and ending == "usda")
    again = art.assemble(art.read(file).world())
    kinds = [sorted(each.kind.name for each in it.hinges.values()) for it in (world, again)]
    assert kinds[0] == kinds[1]
    there = {id.rpartition(".")[2]: body for id, body in again.bodies.items()}
    for id, body in world.bodies.items():
        if body.motion == "fixed":
            continue
        found = there[written(id)]
        boxes = []
        for it in (body, found):
            X = it.pose.matrix()
            boxes.append(triangles_of(it.look or it.shape)[0] @ X[:3, :3].T + X[:3, 3])
        for of in (np.min, np.max):
            assert of(boxes[1], axis=0) == pytest.approx(of(boxes[0], axis=0), abs=1e-6), id


def test_trimesh_reads_the_same_scene(tmp_path: Path) -> None:
    world = assembled("gallery/wrecking")
    convert(LIBRARY / "gallery/wrecking.art", tmp_path / "made.glb")
    theirs = trimesh.load(tmp_path / "made.glb")
    for id, body in world.bodies.items():
        if body.shape is None:
            continue
        X, geometry = theirs.graph[written(id)]
        assert pytest.approx(body.pose.matrix(), abs=1e-6) == X
        assert len(theirs.geometry[geometry].faces) == len(triangles_of(body.shape)[1])


def accelerations(file: Path, world: art.World) -> dict[str, np.ndarray]:
    """Return by what MuJoCo's own mass matrix accelerates the bodies of a model, (6,) in W.

    Its equalities hold exactly, as hinges do, by Gauss's principle.
    """
    model = mujoco.MjModel.from_xml_path(str(file))
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    given = data.qfrc_passive + data.qfrc_actuator - data.qfrc_bias
    free = np.linalg.solve(M, given)
    held = data.efc_J.reshape(-1, model.nv)[: data.ne]
    pull = np.linalg.solve(M, held.T)
    data.qacc[:] = free - pull @ np.linalg.lstsq(held @ pull, held @ free, rcond=1e-10)[0]
    mujoco.mj_rnePostConstraint(model, data)
    found = {}
    for id, body in world.bodies.items():
        if body.motion == "free":
            number, found[id] = model.body(written(id)).id, np.zeros(6)
            mujoco.mj_objectAcceleration(
                model, data, mujoco.mjtObj.mjOBJ_BODY, number, found[id], 0
            )
            assert data.xpos[number] == pytest.approx(body.pose.position, abs=1e-12)
    return found


@pytest.mark.parametrize("name", ["gallery/pendulum", "gallery/wrecking", "gallery/three_supports"])
def test_mujoco_moves_what_is_written_as_we_do(name: str, tmp_path: Path) -> None:
    world = assembled(name)
    convert(LIBRARY / f"{name}.art", tmp_path / "made.xml")
    run = art.simulate(world, until=0.001, step=0.001)
    for id, theirs in accelerations(tmp_path / "made.xml", world).items():
        assert run.series(f"{id}.alpha")[0] == pytest.approx(theirs[:3], abs=1e-9)


@pytest.mark.parametrize(
    "seed",
    [0, 3, 11, 13, 20, *(pytest.param(each, marks=pytest.mark.slow) for each in range(21, 50))],
)
def test_springs_gears_and_loops_by_chance_move_in_mujoco_as_here(
    seed: int, tmp_path: Path
) -> None:
    """Trees and loops of pins, balls and sliders with springs and dampers; and read again."""
    (tmp_path / "by_chance.art").write_text(linkage(seed).text())
    world = art.assemble(art.read(tmp_path / "by_chance.art").world())
    assert convert(tmp_path / "by_chance.art", tmp_path / "made.xml") == ""
    again = art.assemble(art.read(tmp_path / "made.xml").world())
    runs = [art.simulate(it, until=0.001, step=0.001) for it in (world, again)]
    assert sorted(each.kind.name for each in again.hinges.values()) == sorted(
        each.kind.name for each in world.hinges.values()
    )
    for id, theirs in accelerations(tmp_path / "made.xml", world).items():
        called = next(each for each in again.bodies if each.rpartition(".")[2] == id)
        for run, name in zip(runs, (id, called), strict=True):
            ours = run.series(f"{name}.alpha")[0]
            assert ours == pytest.approx(theirs[:3], rel=1e-9, abs=1e-9), id


def test_motors_friction_and_bounded_springs_are_written_for_mujoco(tmp_path: Path) -> None:
    (tmp_path / "driven.art").write_text("""
primitive arm { geometry: cuboid(0.4 m, 0.05 m, 0.05 m); dynamics: (mass: 2 kg) }
world driven {
  gravity: (0, -9.81, 0)
  components { base: fixed_point; a: arm; b: arm; c: arm }
  structure {
    join a to base with pin(axis: z) as turns matching (left, center) driven by
      motor(torque: 3 N*m, no_load: 60 rpm, gear: 2) friction 0.25 N*m
    join b to base with pin(axis: y) as swings matching (left, center)
    force wound about swings =
      clamp(2 N*m - 5 N*m/rad * angle - 0.5 N*m*s/rad * rate, -1 N*m, 1.5 N*m)
    join c to base with pin(axis: x) as spun matching (left, center) driven by
      motor(speed: 60 rpm)
    force bent between b.right and a.right = 3 N/m^2 * distance * distance
    place a by turns.angle = 20 deg
    place base by center at (0, 0, 0)
  }
}
""")
    lost = convert(tmp_path / "driven.art", tmp_path / "driven.xml")
    assert lost == (
        "not taken over: force bent (no linear spring, damper or servo), "
        "motor spun (it keeps a speed whatever that takes: give it a limit)"
    )
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "driven.xml"))
    assert model.dof_frictionloss[model.joint("turns").dofadr] == 0.25
    given = {model.actuator(k).name: model.actuator(k) for k in range(model.nu)}
    assert len(given) == 2
    wound, motor = given.pop("wound"), next(iter(given.values()))
    assert motor.biasprm[:3] == pytest.approx([0.0, 0.0, -2 * 2 * 3 / (2 * np.pi)])
    assert wound.biasprm[:3] == pytest.approx([0.0, -5.0, -0.5])
    told = model.key("start").ctrl  # a moment, and where it is 0
    assert told[[motor.id, wound.id]] == pytest.approx([6.0, 0.4])
    assert wound.forcerange == pytest.approx([-1.0, 1.5])


def test_controllers_and_servos_take_commands_in_mujoco(tmp_path: Path) -> None:
    (tmp_path / "told.art").write_text("""
primitive arm { geometry: cuboid(0.4 m, 0.05 m, 0.05 m); dynamics: (mass: 2 kg) }
world told {
  gravity: (0, 0, 0)
  components { base: fixed_point; a: arm; b: arm; c: arm; d: arm; e: arm }
  structure {
    join a to base with pin(axis: z) as shoulder matching (left, center) driven by push
    join d to base with pin(axis: z) as free matching (left, center)
    force aims about free = servo(20 deg, 3 N*m, 0.2 N*m*s)
    join e to base with pin(axis: z) as wound matching (left, center)
    force winds about wound = -2 N*m/rad * (angle - 40 deg)
    join b to base with pin(axis: y) as held matching (left, center)
    force servo about held = servo(30 deg, 5 N*m, 0.5 N*m*s, limit: 4 N*m)
    join c to base with slider(axis: x) as slides matching (left, center) driven by push
    place a by shoulder.angle = 20 deg
    place base by center at (0, 0, 0)
  }
}
""")
    assert convert(tmp_path / "told.art", tmp_path / "told.xml") == ""
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "told.xml"))
    data = mujoco.MjData(model)
    joints = [model.joint(name).dofadr[0] for name in ("shoulder", "slides", "held")]
    names = [model.actuator(k).name for k in range(model.nu)]
    pushed = [k for k, name in enumerate(names) if name not in ("servo", "aims")]
    assert [model.joint(each).stiffness[0] for each in ("free", "wound")] == [0.0, 2.0]
    mujoco.mj_resetDataKeyframe(model, data, 0)
    assert data.ctrl[names.index("aims")] == pytest.approx(np.radians(20.0))
    data.ctrl[pushed] = [1.5, 2.5]
    data.ctrl[names.index("servo")] = data.ctrl[names.index("aims")] = 0.1  # their targets
    data.qvel[model.joint("free").dofadr[0]] = 0.4
    mujoco.mj_forward(model, data)
    assert data.qfrc_actuator[joints] == pytest.approx([1.5, 2.5, 5.0 * 0.1])
    aimed = data.qfrc_actuator[model.joint("free").dofadr[0]]
    assert aimed == pytest.approx(3.0 * 0.1 - 0.2 * 0.4)
    assert "2 x control" in convert(tmp_path / "told.art", tmp_path / "told.glb")


def test_a_model_of_mujoco_comes_back_with_masses_limits_and_springs(tmp_path: Path) -> None:
    text = """<mujoco><worldbody><body name="arm" pos="0 0 1" euler="0 40 10">
      <joint name="j" axis="0 1 0.5" pos=".1 0 0" range="-20 50" stiffness="3" springref="10"
        damping=".2"/>
      <inertial mass="1.25" pos=".1 .2 .3" fullinertia=".4 .5 .6 .01 .02 .03"/>
      <geom type="capsule" size=".1 .2" rgba="1 0 0 1"/></body></worldbody></mujoco>"""
    (tmp_path / "arm.xml").write_text(text)
    assert convert(tmp_path / "arm.xml", tmp_path / "again.xml") == ""
    one, other = (
        mujoco.MjModel.from_xml_path(str(tmp_path / name)) for name in ("arm.xml", "again.xml")
    )
    for what in (
        "body_mass", "body_inertia", "body_ipos", "jnt_range", "jnt_axis", "jnt_pos",
        "jnt_stiffness", "qpos_spring", "dof_damping", "geom_size", "geom_rgba", "geom_pos",
    ):  # fmt: skip
        assert getattr(other, what) == pytest.approx(getattr(one, what), abs=1e-7), what


def test_a_foreign_world_becomes_a_text_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "hall.wrl").write_text(
        "#VRML V2.0 utf8\nDEF Roof Transform { translation 0 3 0 children Shape { geometry "
        "IndexedFaceSet { coord Coordinate { point [0 0 0, 1 0 0, 0 0 1] } coordIndex [0 2 1] } } }"
        "DEF Eye Viewpoint { position 1 2 3 }"
    )
    (tmp_path / "out").mkdir()
    convert(tmp_path / "hall.wrl", tmp_path / "out/hall.art")
    (tmp_path / "hall.wrl").unlink()
    document = art.read(tmp_path / "out/hall.art")
    world = document.world()
    assert world.bodies["Roof"].pose.position == (0, 3, 0)
    assert world.bodies["Roof"].shape.vertices == pytest.approx(
        np.array([[0, 0, 0], [1, 0, 0], [0, 0, 1]])
    )
    convert(tmp_path / "out/hall.art", tmp_path / "out/hall.x3d")
    (view,) = scene_of(tmp_path / "out/hall.x3d").views
    assert tuple(view.X_WC[:3, 3]) == (1, 2, 3)


def test_a_robot_becomes_a_text_that_can_be_moved_with_its_meshes(tmp_path: Path) -> None:
    tetra = "v 0 0 0\nv {0} 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    (tmp_path / "far" / "arm").mkdir(parents=True)
    (tmp_path / "far" / "arm" / "part.obj").write_text(tetra.format(2))
    (tmp_path / "home" / "meshes").mkdir(parents=True)
    (tmp_path / "home" / "meshes" / "part.obj").write_text(tetra.format(3))
    part = '<geometry><mesh filename="{}" scale="0.1 0.1 0.1"/></geometry>'
    (tmp_path / "home" / "arm.urdf").write_text(
        f'<robot name="arm"><link name="foot"><visual>{part.format("meshes/part.obj")}</visual>'
        f'</link><link name="limb"><visual>{part.format("../far/arm/part.obj")}</visual></link>'
        '<joint name="turn" type="continuous"><parent link="foot"/><child link="limb"/></joint>'
        "</robot>"
    )
    world = art.read(tmp_path / "home" / "arm.urdf").world()
    (tmp_path / "home" / "cell.art").write_text(
        'import "arm.urdf" as arm\nworld cell { components { robot: arm } }\n'
    )
    for source, name in (("arm.urdf", "arm.art"), ("cell.art", "out.art")):
        convert(tmp_path / "home" / source, tmp_path / "home" / name)
        assert str(tmp_path) not in (tmp_path / "home" / name).read_text()
    (tmp_path / "home").rename(tmp_path / "moved")
    shutil.rmtree(tmp_path / "far")
    for name in ("arm.art", "out.art"):
        again = art.read(tmp_path / "moved" / name).world()
        assert {*again.bodies} == {*world.bodies} == {"robot.foot", "robot.limb"}
        for id, far in (("robot.foot", 0.3), ("robot.limb", 0.2)):
            corner = again.bodies[id].shape.vertices.max(axis=0)
            assert corner == pytest.approx(np.array([far, 0.1, 0.1]))
        assert "meshes/part.obj#hull" in (tmp_path / "moved" / name).read_text()


def test_what_is_lost_is_counted_for_each_writing_alone(tmp_path: Path) -> None:
    (tmp_path / "hall.wrl").write_text("#VRML V2.0 utf8\nShape { geometry Box {} } PointLight {}")
    for _ in range(2):
        assert convert(tmp_path / "hall.wrl", tmp_path / "hall.glb").count("PointLight") == 1
        lost = convert(tmp_path / "hall.wrl", tmp_path / "hall2.x3d")
        assert lost == "not taken over: PointLight"


@pytest.mark.parametrize(
    ("name", "beside"),
    [("kitchen", ""), ("linkage", "linkage.py"), ("museum", "museum_flight.json")],
)
def test_a_world_that_ships_is_copied_with_what_it_asks(
    tmp_path: Path, name: str, beside: str
) -> None:
    assert convert(Path(name), tmp_path / "mine.art") == ""
    copied = art.read(tmp_path / "mine.art")
    assert not copied.check()
    asked = [type(each.question) for each in copied.requests]
    assert asked == [type(each.question) for each in art.read(name).requests]
    assert asked
    assert {each.name for each in tmp_path.iterdir()} == {"mine.art", *filter(None, [beside])}


@pytest.mark.parametrize(
    ("name", "kind", "point"),
    [("furniture.oven", "oven", "dial"), ("kitchen.oven", "oven_unit", "hob")],
)
def test_a_piece_that_ships_is_copied_to_be_changed(
    tmp_path: Path, name: str, kind: str, point: str
) -> None:
    assert convert(Path(name), tmp_path / "mine.art") == ""
    text = (tmp_path / "mine.art").read_text("utf-8").replace("30 cm", "31 cm")
    room = f'import "furniture.art"\n{text}\nworld one {{ components {{ o: {kind} }} }}'
    assert point in art.parse(room).world().bodies["o"].features
    assert "# an oven in a tall cupboard" in text or kind == "oven_unit"
    with pytest.raises(
        art.ArticulataError, match=r"'ovn' in kitchen; did you mean 'kitchen\.oven'"
    ):
        convert(Path("kitchen.ovn"), tmp_path / "mine.art")
    with pytest.raises(art.ArticulataError, match=r"did you mean 'furniture\.rail'"):
        convert(Path("furniture.grab_bar"), tmp_path / "mine.art")
    convert(Path("furniture"), tmp_path / "all.art")
    assert {"oven", "rail", "basin"} <= set(art.read(tmp_path / "all.art").module.type_names())


def test_what_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(art.FormatError, match=r"cannot be written as '\.fbx'; give \.wrl, \.x3d"):
        convert(LIBRARY / "rooms/office.art", tmp_path / "office.fbx")
    for name, told in (
        ("office.gltf", r"did you mean 'office\.glb'\?"),
        ("office.wrll", r"did you mean 'office\.wrl'\?"),
        ("office", "'office', which has no ending; give"),
        ("office.html", r"'\.html' holds what a run gives .*run\.artrun office\.html"),
    ):
        with pytest.raises(art.FormatError, match=told):
            convert(LIBRARY / "rooms/office.art", tmp_path / name)
    with pytest.raises(art.FormatError, match="URDF holds one robot, and 0 figures"):
        convert(LIBRARY / "rooms/office.art", tmp_path / "office.urdf")
    arm = "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"
    (tmp_path / "arm.xml").write_text(arm)
    with pytest.raises(art.FormatError, match="0 figures stand here; a robot of MJCF is read"):
        convert(tmp_path / "arm.xml", tmp_path / "arm.urdf")
