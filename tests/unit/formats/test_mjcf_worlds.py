"""Models of MuJoCo as worlds: they move as MuJoCo says, and what no hinge can do is refused."""

from __future__ import annotations

import math
import warnings
from contextlib import nullcontext
from pathlib import Path

import mujoco
import numpy as np
import pytest

import articulata as art
from articulata.errors import FormatError
from articulata.formats.mjcf.mjcf_scene import read_scene
from articulata.formats.mjcf.mjcf_writer import write_mjcf
from articulata.formats.scenes.scene_files import scene_of
from articulata.formats.scenes.scene_text import world_text
from articulata.formats.scenes.world_scene import scene_of_world
from articulata.sessions.converting import convert

ARM = """<mujoco model="arm">
  <option gravity="0 0.3 -9.81"><flag contact="disable"/></option>
  <worldbody>
    <camera name="front" pos="0 -3 1" xyaxes="1 0 0 0 0.3 1" fovy="50"/>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <geom name="wall" type="box" pos="0 2 1" size="2 .05 1" rgba="1 0 0 1"/>
    <body name="upper" pos="0 0 1.5" euler="0 30 0">
      <joint name="shoulder" axis="0 1 0" range="-120 120" damping="0.1" stiffness="2"
        springref="-20" ref="10"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.04" mass="1"/>
      <body name="lower" pos="0 0 -0.5">
        <joint name="slide" type="slide" axis="1 0 0.2"/>
        <geom type="box" pos="0 0 -0.2" size=".03 .04 .2" mass="0.7"/>
        <body name="cup" pos="0 0 -.4">
          <joint name="wx" axis="1 0 0"/><joint name="wy" axis="0 1 0"/>
          <geom type="cylinder" size=".05 .05" mass=".3" pos="0 .01 -.1"/>
          <body name="bob" pos="0.1 0 0"><joint name="swing" type="ball"/>
            <geom type="ellipsoid" size=".05 .06 .07" mass=".2" pos="0 0 -.1"/></body>
        </body>
      </body>
    </body>
    <body name="ball" pos="1 0 1"><freejoint/><geom size=".1" mass="0.5"/></body>
  </worldbody>
</mujoco>
"""


def opened(tmp_path: Path, text: str, lost: str = "") -> art.World:
    (tmp_path / "arm.xml").write_text(text)
    told = pytest.warns(art.FormatWarning, match=f"not taken over.*{lost}")
    with told if lost else nullcontext():
        document = art.read(tmp_path / "arm.xml")
    # a run refuses bodies that begin in each other, and check says so; MuJoCo pushes them apart
    assert [each for each in document.check() if "overlap by" not in each.message] == []
    return document.world()


def test_bodies_accelerate_as_mujoco_says(tmp_path: Path) -> None:
    world = opened(tmp_path, ARM)
    assert {name: hinge.kind.name for name, hinge in world.hinges.items()} == {
        "shoulder": "revolute", "slide": "prismatic", "wx": "universal", "swing": "ball.and.socket",
    }  # fmt: skip
    run = art.simulate(world, until=0.2, step=0.1)
    model = mujoco.MjModel.from_xml_string(ARM)
    model.opt.timestep, model.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    mujoco.mj_rnePostConstraint(model, data)
    names = ("upper", "lower", "cup", "bob", "ball")
    for name in names:
        theirs = np.zeros(6)
        number = model.body(name).id
        mujoco.mj_objectAcceleration(model, data, mujoco.mjtObj.mjOBJ_BODY, number, theirs, 0)
        assert run.series(f"{name}.alpha")[0] == pytest.approx(theirs[:3], abs=1e-9), name
        assert run.series(f"{name}.mass_center")[0] == pytest.approx(data.xipos[number], abs=1e-12)
    for _ in range(2000):
        mujoco.mj_step(model, data)
    for name in names:
        at = data.body(name).xipos
        assert run.series(f"{name}.mass_center")[-1] == pytest.approx(at, abs=1e-8), name


def test_limits_cameras_and_colours_are_taken(tmp_path: Path) -> None:
    world = opened(tmp_path, ARM)
    # as in the model, whose joint stands at its ref of 10 degrees at the start
    limits = np.radians([-120, 120])
    assert world.hinges["shoulder"].limits == (tuple(pytest.approx(each) for each in limits),)
    assert world.bodies["wall"].color == (1, 0, 0)
    assert world.gravity == (0, 0.3, -9.81)
    scene = scene_of(tmp_path / "arm.xml")
    (view,) = scene.views
    assert view.upwards == pytest.approx(np.radians(50))
    # up is turned from z by the same angle as the view from y
    assert view.X_WC[:3, 2] == pytest.approx(np.array([0, -1, 0.3]) / np.hypot(1, 0.3))
    assert not scene.lost


def test_files_beside_an_included_file_lie_in_the_folder(tmp_path: Path) -> None:
    (tmp_path / "parts" / "list").mkdir(parents=True)
    (tmp_path / "parts" / "tetra.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    (tmp_path / "parts" / "list" / "all.xml").write_text(
        '<mujoco><asset><mesh name="m" file="../tetra.obj"/></asset></mujoco>'
    )
    file = tmp_path / "main.xml"
    file.write_text(
        '<mujoco><include file="parts/list/all.xml"/>'
        '<worldbody><geom type="mesh" mesh="m"/></worldbody></mujoco>'
    )
    assert [each.name for each in scene_of(file).parts] == ["part"]


def test_what_is_welded_is_one_body(tmp_path: Path) -> None:
    text = ARM.replace(
        'pos="0 .01 -.1"/>', 'pos="0 .01 -.1"/><body name="lid"><geom size=".1" mass="2"/></body>'
    )
    world = opened(tmp_path, text, "without a joint")
    assert "lid" not in world.bodies
    assert world.bodies["cup"].properties["mass"] == pytest.approx(2.3)


def test_a_text_is_written_without_integrals_over_shapes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unions of many capsules take minutes, and their masses are given."""
    (tmp_path / "arm.xml").write_text(ARM)
    monkeypatch.setattr("articulata.formats.scenes.scene_text.centroid", None)
    assert "place" in world_text(read_scene(tmp_path / "arm.xml"))


def test_sites_are_features_of_their_bodies(tmp_path: Path) -> None:
    site = '<site name="{}" pos="0 0.02 -.1" euler="0 0 30"/>'
    text = ARM.replace('pos="0 .01 -.1"/>', f'pos="0 .01 -.1"/>{site.format("grip")}')
    text = text.replace("<worldbody>", f"<worldbody>{site.format('front')}{site.format('top')}")
    world = opened(tmp_path, text)
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    world = art.assemble(world)
    for id, name, site in (
        ("cup", "grip", "grip"), ("frame", "front_2", "front"), ("frame", "top_2", "top"),
    ):  # fmt: skip
        feature = world.bodies[id].features[name]
        X = world.bodies[id].pose.matrix() @ feature.pose.matrix()
        assert X[:3, 3] == pytest.approx(data.site(site).xpos, abs=1e-12)
        assert X[:3, :3].ravel() == pytest.approx(data.site(site).xmat, abs=1e-12)


STACKED = """<mujoco>
  <option gravity="1 0.4 -9.81"><flag contact="disable"/></option>
  <default><joint damping="0.03"/></default>
  <worldbody>
    <body name="tip" pos="0 0 1" euler="10 20 0">
      <joint name="lean" axis="1 0 0" stiffness="3" springref="20" range="-50 40"/>
      <joint name="nod" axis="0 1 0" pos="0 0 .2" stiffness="2" armature="0.01"/>
      <joint name="out" type="slide" axis="1 0 1"/>
      <geom type="box" size=".1 .05 .2" mass="1" pos="0 .02 -.1"/>
      <body name="float" pos=".1 0 0" gravcomp="1.5"><geom size=".1" mass="0.4"/></body>
      <body name="one" pos="0 0 -.3"><joint name="one" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 .1 0 -.3" size="0.02" mass="0.5"/>
        <body name="two" pos="0 0 -.3"><joint name="two" axis="0 1 0"/>
          <geom type="capsule" fromto="0 0 0 0 .1 -.3" size="0.02" mass="0.3"/></body></body>
    </body>
    <body name="boat" pos="1 0 1"><joint name="boat" type="free" armature="0.3" damping="0"/>
      <geom type="box" size=".1 .2 .3" mass="2" pos="0 .3 0"/></body>
  </worldbody>
  <tendon>
    <fixed name="bend" stiffness="7" springlength="0.3" damping="0.2">
      <joint joint="one" coef="1"/><joint joint="two" coef="-1"/></fixed>
    <fixed name="mixed" armature="0.05"><joint joint="lean" coef="2"/><joint joint="two" coef="2"/>
    </fixed>
  </tendon>
  <actuator>
    <general tendon="bend" biastype="affine" gainprm="0" biasprm="0.4 -5 -0.3" gear="2"
      forcerange="-35 35"/>
  </actuator>
</mujoco>
"""


def test_what_acts_along_several_joints_of_a_body_and_along_tendons_moves_it(
    tmp_path: Path,
) -> None:
    world = opened(tmp_path, STACKED, "without a joint")
    assert world.hinges["lean"].limits == (
        (pytest.approx(np.radians(-50)), pytest.approx(np.radians(40))),
    )
    run = art.simulate(world, until=0.05, step=0.05)
    model = mujoco.MjModel.from_xml_string(STACKED)
    model.opt.timestep, model.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(model)
    for _ in range(500):
        mujoco.mj_step(model, data)
    for name in ("tip", "one", "two", "boat"):
        at = data.body(name).xpos
        assert run.series(f"{name}.origin")[-1] == pytest.approx(at, abs=2e-8), name
    assert abs(data.joint("one").qpos[0]) > 1e-2


def test_a_joint_that_follows_along_a_curve_is_named(tmp_path: Path) -> None:
    file = tmp_path / "knee.xml"
    tie = '<joint name="roll" joint1="one" joint2="two" polycoef="0 1 0.5 0 0"/>'
    file.write_text(STACKED.replace("<actuator>", f"<equality>{tie}</equality><actuator>"))
    with pytest.raises(FormatError, match="equality 'roll' lets joint 'one' follow along a curve"):
        scene_of(file)


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("<asset><mesh name='a' file='../../a.stl'/></asset>", "outside the model's folder"),
        ("<compiler meshdir='/etc'/>", "outside the model's folder"),
        ("<include file='../a.xml'/>", "outside the model's folder"),
        ("<worldbody><replicate count='999999999'><geom/></replicate></worldbody>", "much"),
        ("<worldbody><replicate count='200'><replicate count='200'><geom size='1'/></replicate>"
         "</replicate></worldbody>", "copies"),
        ("<asset><texture type='2d' builtin='flat' width='99999' height='99999'/></asset>", "much"),
        ("<size memory='900G'/>", "much"),
        ("<worldbody><geom size='NaN'/></worldbody>", "size holds NaN"),
        ("<worldbody><body><geom size='-1'/></body></worldbody>", "MuJoCo cannot read it"),
    ],
)  # fmt: skip
def test_what_asks_for_too_much_is_refused(tmp_path: Path, inside: str, words: str) -> None:
    file = tmp_path / "bomb.xml"
    file.write_text(f"<mujoco>{inside}</mujoco>")
    with pytest.raises(FormatError, match=words):
        scene_of(file)


SERVED = """<mujoco>
  <option><flag contact="disable"/></option>
  <default>
    <joint armature="0.02"/>
  </default>
  <worldbody>
    <body name="upper" pos="0 0 1.5">
      <joint name="shoulder" axis="0 1 0" ref="40" range="-170 170"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.04" mass="1"/>
      <body name="ram" pos="0 0 -0.5" gravcomp="0.4">
        <joint name="slide" type="slide" axis="1 0 0" ref="0.3" stiffness="3" springref="0.1"
          damping="0.2" range="-1 1"/>
        <geom type="box" size=".03 .04 .2" mass="0.7"/>
        <body name="tool" pos="0 0 -.2">
          <joint name="turn" axis="0 0 1"/><geom type="box" size=".1 .02 .02" mass=".2"
            pos=".1 0 0"/>
        </body>
      </body>
    </body>
    <body name="block" pos="2 0 1"><freejoint/>
      <geom type="box" size=".1 .2 .3" mass="2" pos="0 .3 0"/></body>
  </worldbody>
  <actuator>
    <position name="hold" joint="shoulder" kp="6" kv="0.5" gear="2" forcerange="-3 3"/>
    <general joint="slide" biastype="affine" gainprm="0" biasprm="1 -20 -2" gear="-1.5"/>
    <motor joint="turn" gear="3" armature="0.01" damping="0.02"/>
    <velocity joint="turn" kv="0.4" ctrllimited="true" ctrlrange="0.5 2"/>
  </actuator>
</mujoco>
"""


def test_what_actuators_do_without_a_command_moves_a_world_as_in_mujoco(tmp_path: Path) -> None:
    world = opened(tmp_path, SERVED, "motor")
    run = art.simulate(world, until=0.05, step=0.05)
    model = mujoco.MjModel.from_xml_string(SERVED)
    model.opt.timestep, model.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
    data = mujoco.MjData(model)
    for _ in range(500):
        mujoco.mj_step(model, data)
    for name in ("upper", "ram", "tool", "block"):
        at = data.body(name).xpos
        assert run.series(f"{name}.origin")[-1] == pytest.approx(at, abs=1e-8), name
    turned = data.joint("turn").qpos[0]
    assert abs(turned) > 1e-3
    assert run.series("turn.angle")[-1] == pytest.approx(turned, abs=1e-8)


GRIPPER = """<mujoco>
  <option gravity="0 0 0"/>
  <default><joint type="slide" axis="0 0 1" range="0 0.5" armature="0.3"/></default>
  <worldbody>
    <body name="left"><joint name="left" frictionloss="0.5"/><geom size=".01" mass="0.2"/></body>
    <body name="right" pos="0 1 0"><joint name="right" ref="0.2"/>
      <geom size=".01" mass="0.7"/></body>
  </worldbody>
  <tendon><fixed name="both"><joint joint="left" coef="0.5"/><joint joint="right" coef="1"/></fixed>
  </tendon>
  <equality><joint joint1="right" joint2="left" polycoef="0 2 0 0 0"/></equality>
  <actuator>
    <general tendon="both" biastype="affine" biasprm="{pull} -10 0" ctrlrange="0 255" gainprm="1"/>
  </actuator>
</mujoco>
"""


@pytest.mark.parametrize("pull", [2.25, 2.1])
def test_a_gripper_moves_by_its_tendon_and_sticks(tmp_path: Path, pull: float) -> None:
    run = art.simulate(opened(tmp_path, GRIPPER.format(pull=pull)), until=1e-3)
    # the tendon is 0.2 m long at first and moves 2.5 times as far as the left finger, the right 2
    force = 2.5 * (pull - 10 * 0.2) - 0.5
    inertia = 0.2 + 0.3 + 2**2 * (0.7 + 0.3)
    assert run.series("left.a.z")[0] == pytest.approx(max(force, 0.0) / inertia, abs=1e-12)
    assert run.series("right.a.z")[0] == pytest.approx(2 * max(force, 0.0) / inertia, abs=1e-12)


LOOP = """<mujoco>
  <option gravity="3 0 -9.81"><flag contact="disable"/></option>
  <default><geom type="capsule" size="0.02" mass="1"/><joint axis="0 1 0"/></default>
  <worldbody>
    <body name="crank"><joint name="a"/><geom fromto="0 0 0 0 0 1"/>
      <body name="rod" pos="0 0 1"><joint name="b"/><geom fromto="0 0 0 2 0 .5"/></body></body>
    <body name="rocker" pos="2 0 0"><joint name="c"/><geom fromto="0 0 0 0 0 1.5"/></body>
    <body name="lid" pos="4 0 0"><freejoint/><geom fromto="0 0 0 1 0 0"/></body>
  </worldbody>
  <equality><connect body1="rocker" body2="rod" anchor="0 0 1.5"/><weld body1="lid" body2="rocker"/>
    <weld body1="lid" body2="crank" active="false"/></equality>
</mujoco>
"""


def test_equalities_close_loops(tmp_path: Path) -> None:
    run = art.simulate(opened(tmp_path, LOOP, "equality"), until=1e-3)
    model = mujoco.MjModel.from_xml_string(LOOP)
    model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    # MuJoCo's rows are soft; held exactly they give the least change of what nothing holds
    held = data.efc_J.reshape(-1, model.nv)[: 3 + 6]
    M = np.zeros((model.nv, model.nv))
    for k, column in enumerate(np.eye(model.nv)):
        mujoco.mj_mulM(model, data, M[k], column)
    pull = np.linalg.solve(M, held.T)
    given = np.linalg.pinv(held @ pull) @ (held @ data.qacc_smooth)
    accelerations = data.qacc_smooth - pull @ given
    for joint, body in enumerate(("crank", "rod", "rocker")):
        found = float(run.series(f"{body}.alpha")[0][1])
        wanted = accelerations[joint] + (accelerations[0] if body == "rod" else 0.0)
        assert abs(wanted) > 0.1 or body == "rod"  # whose ends move alike at first
        assert found == pytest.approx(wanted, abs=1e-9), body


@pytest.mark.parametrize(
    "text",
    [SERVED, GRIPPER.format(pull=1), LOOP, STACKED],
    ids=["served", "tied", "loop", "stacked"],
)
def test_what_was_read_is_written(tmp_path: Path, text: str) -> None:
    (tmp_path / "one.xml").write_text(text)
    first = scene_of(tmp_path / "one.xml")
    (tmp_path / "one_again.xml").write_text(write_mjcf(first)[0])
    again = scene_of(tmp_path / "one_again.xml")
    # what is welded on is called after what carries it when it is read
    own = [[each for each in scene.parts if each.joint is None or each.joint.kind != "weld"]
           for scene in (first, again)]  # fmt: skip
    assert sum(each.mass or 0.0 for each in first.parts) == pytest.approx(
        sum(each.mass or 0.0 for each in again.parts)
    )
    for a, b in zip(*own, strict=True):
        assert (a.name, a.gravity) == (b.name, pytest.approx(b.gravity))
        if a.joint is None or b.joint is None:
            assert a.joint is b.joint
            continue
        assert (a.joint.friction, a.joint.rotor) == (b.joint.friction, b.joint.rotor)
        laws = [(w.stiffness, w.damping, w.constant + w.stiffness * w.rest, w.bounds)
                for w in a.joint.laws]  # fmt: skip
        for law, wanted in zip(b.joint.laws, laws, strict=True):
            assert law.bounds == pytest.approx(wanted[3])
            total = law.constant + law.stiffness * law.rest
            assert (law.stiffness, law.damping, total) == pytest.approx(wanted[:3])
    told = [[(t.kind, t.others, pytest.approx(t.ratio)) for t in scene.ties]
            for scene in (first, again)]  # fmt: skip
    assert told[0] == told[1]


KEYED = """<mujoco model="keyed">
  <option gravity="0 0 -9.81"><flag contact="disable"/></option>
  <worldbody>
    <body name="upper" pos="0 0 1.5" euler="0 30 0">
      <joint name="shoulder" axis="0 1 0" range="-120 120" stiffness="2" springref="20" ref="10"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.5" size="0.04" mass="1"/>
      <body name="lower" pos="0 0 -0.5">
        <joint name="slide" type="slide" axis="1 0 0.2" range="-1 1"/>
        <geom type="box" pos="0 0 -0.2" size=".03 .04 .2" mass="0.7"/>
        <body name="cup" pos="0 0 -.4">
          <joint name="wx" axis="1 0 0"/><joint name="wy" axis="0 1 0"/>
          <geom type="cylinder" size=".05 .05" mass=".3" pos="0 .01 -.1"/>
          <body name="bob" pos="0.1 0 0"><joint name="swing" type="ball"/>
            <geom type="box" size=".05 .06 .07" mass=".2" pos="0 0 -.1"/>
            <body name="tip" pos="0 0 -.2"><joint name="turn" damping="0.01"/>
              <joint name="poke" type="slide" axis="0 0 1" stiffness="1"/>
              <geom size=".03" mass=".1" pos=".05 0 0"/></body></body>
        </body>
      </body>
    </body>
    <body name="loose" pos="1 0 1"><freejoint/>
      <geom type="box" size=".1 .2 .3" pos="0.1 0 0" mass="0.5"/></body>
  </worldbody>
  <actuator><position name="hold" joint="shoulder" kp="6" kv="0.5"/></actuator>
  <keyframe>
    <key name="home" ctrl="0.4"
      qpos="0.6 0.1 0.2 -0.3 0.8 0 0.6 0 0.3 0.02 2 0.5 1 0.6 0.8 0 0"
      qvel="1.5 -0.4 0.7 0.9 0.3 -0.2 0.5 2 0.1 1 2 3 0.5 -0.6 0.7"/>
    <key name="other" time="1"/>
  </keyframe>
</mujoco>
"""
BODIES = ("upper", "lower", "cup", "bob", "tip", "loose")


def at_key(text: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    return model, data


def twist(model: mujoco.MjModel, data: mujoco.MjData, name: str) -> np.ndarray:
    found = np.zeros(6)
    kind = mujoco.mjtObj.mjOBJ_BODY
    mujoco.mj_objectVelocity(model, data, kind, model.body(name).id, found, 0)
    return found


def test_a_model_starts_as_its_first_key_frame_says(tmp_path: Path) -> None:
    with pytest.warns(art.FormatWarning, match="first, 'home'"):
        world = opened(tmp_path, KEYED)
    assert scene_of(tmp_path / "arm.xml").notes == ["It starts as in the key frame 'home'."]
    model, data = at_key(KEYED)
    run = art.simulate(world, until=0.2, step=0.1)
    for name in BODIES:
        due = twist(model, data, name)
        at = data.body(name).xipos
        assert run.series(f"{name}.mass_center")[0] == pytest.approx(at, abs=1e-9), name
        assert run.series(f"{name}.w")[0] == pytest.approx(due[:3], abs=1e-9), name
        assert run.series(f"{name}.v")[0] == pytest.approx(due[3:], abs=1e-9), name
    model.opt.timestep, model.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
    for _ in range(2000):  # the servo holds what the key frame commands
        mujoco.mj_step(model, data)
    for name in BODIES:
        at = data.body(name).xipos
        assert run.series(f"{name}.mass_center")[-1] == pytest.approx(at, abs=1e-6), name
    limits = np.radians([-120, 120])  # joints count as in the model
    assert world.hinges["shoulder"].limits == (tuple(pytest.approx(each) for each in limits),)


def test_what_moves_at_the_start_is_written_as_a_key_frame(tmp_path: Path) -> None:
    plain = KEYED.replace(' damping="0.01"', "").replace(' stiffness="1"', "")  # no light links
    with pytest.warns(art.FormatWarning):
        world = opened(tmp_path, plain)
    model, data = at_key(plain)
    for scene in (scene_of(tmp_path / "arm.xml"), scene_of_world(world, lambda body: body.color)):
        written, lost = write_mjcf(scene)
        again, start = at_key(written)
        assert again.key(0).name == "start"
        assert not any(each.startswith("motion") for each in lost)
        for name in BODIES:
            assert start.body(name).xpos == pytest.approx(data.body(name).xpos, abs=1e-9), name
            assert start.body(name).xmat == pytest.approx(data.body(name).xmat, abs=1e-9), name
            due = twist(model, data, name)
            assert twist(again, start, name) == pytest.approx(due, abs=1e-9), name


PAIR = """<mujoco><compiler angle="radian" autolimits="true"/><worldbody>
  <body name="a"><joint name="j" {j}/><geom size=".1" pos="1 0 0" mass="1"/></body>
  <body name="b"><joint name="k" {k}/><geom size=".1" pos="1 0 0" mass="1"/></body>
</worldbody><equality>{tie}</equality><keyframe><key qpos="0.1 {b}"/></keyframe></mujoco>"""


@pytest.mark.parametrize(
    ("given", "due"),
    [
        ({"tie": '<weld body1="a" body2="b"/>', "b": 0.2}, (0.15, 0.15)),
        # k = -2 j is open by 0.5: nearest along (2, 1)
        ({"tie": '<joint joint1="k" joint2="j" polycoef="0 -2 0 0 0"/>', "b": 0.3}, (-0.1, 0.2)),
        ({"tie": "", "b": 0.2, "j": 'range="-1 0.05"'}, (0.05, 0.2)),
    ],
)
def test_a_key_frame_that_does_not_hold_is_moved_as_little_as_it_takes(
    tmp_path: Path, given: dict[str, object], due: tuple[float, float]
) -> None:
    text = PAIR.format(**{"j": "", "k": "", **given})
    world = opened(tmp_path, text, lost="key frame '0' as it is .moved by 0.[0-9]+ rad")
    for name, angle in zip("ab", due, strict=True):
        _, x, y, z = world.bodies[name].pose.orientation
        assert (x, y, z) == pytest.approx((0.0, 0.0, math.sin(angle / 2)), abs=1e-9), name


def test_a_key_frame_that_nothing_lets_hold_is_left_out(tmp_path: Path) -> None:
    tie = '<joint joint1="k" joint2="j" polycoef="0 1 0 0 0"/>'
    text = PAIR.format(tie=tie, b=0.1, j='range="0.5 1"', k='range="-1 0.2"')
    world = opened(tmp_path, text, lost="key frame '0' .it opens equalities")
    assert world.bodies["a"].pose.orientation == (1.0, 0.0, 0.0, 0.0)


TURNED = """primitive bar { properties: (density: 1000); geometry: sphere(10 cm); dynamics }
primitive nail { properties: (fixed); geometry: sphere(1 cm) }

world two {
  components { a: bar; b: nail }
  structure {
    place b by b.center at (0, 0, 1)
    join a to b with pin(axis: z) as h matching (center, center) limits (-0.5, 1)
    place a by h.angle = 0.4
  }
}
"""


def written_again(text: str, folder: Path, way: str) -> str:
    """Return a model written as MJCF: at once, or from the text of its world."""
    (folder / "one.xml").write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", art.FormatWarning)
        if way == "scene":
            return write_mjcf(scene_of(folder / "one.xml"))[0]
        world = art.assemble(art.read(folder / "one.xml").world())
    return write_mjcf(scene_of_world(world, lambda body: body.color))[0]


def in_motion(text: str) -> tuple[mujoco.MjModel, mujoco.MjData]:
    """Return a model where it starts, with its energy and accelerations."""
    model = mujoco.MjModel.from_xml_string(text)
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = mujoco.MjData(model)
    if model.nkey:
        mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    mujoco.mj_rnePostConstraint(model, data)
    return model, data


def over_joints(random: np.random.Generator) -> str:
    """Return a model by chance with springs, dampers and servos along sums of its joints."""
    count, chain = int(random.integers(2, 6)), bool(random.integers(2))
    bodies, ends, tendons, servos = "", "", "", ""
    for k in range(count):
        axis, at = (" ".join(map(str, random.normal(size=3))) for _ in range(2))
        more = f'stiffness="{random.uniform(0, 3)}" ref="{random.uniform(-20, 20)}"'
        bodies += f'<body name="b{k}" pos="{at}"><joint name="j{k}" axis="{axis}" {more}/>'
        bodies += f'<geom type="box" size=".1 .2 .15" pos="{at}" mass="{random.uniform(0.5, 2)}"/>'
        bodies, ends = (bodies, f"{ends}</body>") if chain else (f"{bodies}</body>", "")
    for k in range(3):
        size = int(random.integers(2, min(count, 4) + 1))
        said = f'stiffness="{random.uniform(1, 9)}" damping="{random.uniform(0, 1)}" '
        said += f'springlength="{random.normal()}" limited="true" range="-99 99"'
        said += f' armature="{random.uniform(0, 0.3)}"' if chain else ""
        over = "".join(
            f'<joint joint="j{joint}" coef="{random.choice([-0.7, 0.7])}"/>'
            for joint in random.choice(count, size, replace=False)
        )
        tendons += f'<fixed name="t{k}" {said}>{over}</fixed>'
        bias = f"{random.normal()} {-random.uniform(0, 5)} {-random.uniform(0, 1)}"
        servos += (
            f'<general tendon="t{k}" biastype="affine" gainprm="0" biasprm="{bias}" gear="1.5"'
        )
        servos += ' forcerange="-2 3"/>'
    place, speed = (" ".join(map(str, random.uniform(-1, 1, count))) for _ in range(2))
    return f"""<mujoco><option gravity="1 2 -9"/>
      <default><geom contype="0" conaffinity="0"/></default><worldbody>{bodies}{ends}</worldbody>
      <tendon>{tendons}</tendon><actuator>{servos}</actuator>
      <keyframe><key qpos="{place}" qvel="{speed}"/></keyframe></mujoco>"""


@pytest.mark.parametrize("seed", range(4))
def test_tendons_over_joints_are_written_as_tendons(tmp_path: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    text = over_joints(random)
    model, data = in_motion(text)
    one = data.qpos.copy()
    run = art.simulate(opened(tmp_path, text), until=1e-3, step=1e-3)
    for k in range(model.nbody - 1):
        theirs = np.zeros(6)
        body = model.body(f"b{k}").id
        mujoco.mj_objectAcceleration(model, data, mujoco.mjtObj.mjOBJ_BODY, body, theirs, 0)
        assert run.series(f"b{k}.alpha")[0] == pytest.approx(theirs[:3], rel=1e-9, abs=1e-8)
    first = written_again(text, tmp_path, "text")
    for again in (written_again(text, tmp_path, "scene"), first):
        other, there = in_motion(again)
        assert (other.nbody, other.ntendon, other.nu) == (model.nbody, 3, model.nu)
        assert not other.neq
        two = there.qpos.copy()
        for _ in range(20):
            moved, rates = random.normal(size=(2, model.nv))
            for m, d, start in ((model, data, one), (other, there, two)):
                at = [int(m.joint(f"j{k}").dofadr[0]) for k in range(m.nv)]
                d.qpos[at] = start[at] + moved
                d.qvel[at] = rates
                mujoco.mj_forward(m, d)
            found = [there.joint(f"j{k}").qacc[0] for k in range(model.nv)]
            wanted = [data.joint(f"j{k}").qacc[0] for k in range(model.nv)]
            assert found == pytest.approx(wanted, rel=1e-9, abs=1e-8)
    assert written_again(first, tmp_path, "text").count("<fixed") == 3


BALLS = """<mujoco><option gravity="1 2 -9"/><default><geom contype="0" conaffinity="0"/></default>
  <worldbody><body name="one" pos="0 0 2"><joint type="ball" stiffness="3"/>
    <geom type="box" size=".1 .2 .3" pos=".1 .2 -.3"/>
    <body name="two" pos="0 .1 -.6" euler="10 20 30"><joint type="ball" stiffness="2" damping=".4"/>
      <geom type="box" size=".1 .2 .3" pos=".2 0 -.3"/></body></body></worldbody>
  <keyframe><key qvel="1 2 -3 2 1 0.5"/></keyframe></mujoco>"""


def test_springs_of_balls_are_taken(tmp_path: Path) -> None:
    model, data = in_motion(BALLS)
    damped = "damping of a ball .the same while"
    run = art.simulate(opened(tmp_path, BALLS, damped), until=0.3, step=0.1)
    for name in ("one", "two"):
        theirs, body = np.zeros(6), model.body(name).id
        mujoco.mj_objectAcceleration(model, data, mujoco.mjtObj.mjOBJ_BODY, body, theirs, 0)
        assert run.series(f"{name}.alpha")[0] == pytest.approx(theirs[:3], abs=1e-9), name
    model.opt.timestep, model.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
    for _ in range(3000):
        mujoco.mj_step(model, data)
    for name in ("one", "two"):
        at = data.body(name).xipos
        # it turns by 0.5 rad
        assert run.series(f"{name}.mass_center")[-1] == pytest.approx(at, abs=1e-5), name
    undamped = BALLS.replace(' damping=".4"', "")
    still = art.simulate(opened(tmp_path, undamped), until=0.3, step=0.1)
    far = still.series("two.mass_center")[-1] - data.body("two").xipos
    assert np.abs(far).max() > 5e-4
    assert write_mjcf(scene_of(tmp_path / "arm.xml"))[1] == {}
    for way in ("scene", "text"):
        again, _ = in_motion(written_again(BALLS, tmp_path, way))
        assert again.jnt_stiffness.tolist() == [3, 2]
        assert again.dof_damping.tolist() == [0, 0, 0, 0.4, 0.4, 0.4]
    turned = BALLS.replace("<key ", '<key qpos="1 0 0 0 .6 .8 0 0" ')
    opened(tmp_path, turned, "spring of a ball")


@pytest.mark.parametrize("name", ["about", "between", "from", "hinge", "joint", "link", "of", "on"])
def test_names_that_are_words_of_texts_are_read(tmp_path: Path, name: str) -> None:
    body = '<body name="b{0}" pos="{0} 0 0"><joint name="j{0}"/><geom size=".1"/>'
    body += '<site name="s{0}"/></body>'
    text = f"""<mujoco><worldbody>{body.format(0)}{body.format(1)}</worldbody>
      <tendon><spatial name="NAME" stiffness="1"><site site="s0"/><site site="s1"/></spatial>
      </tendon><equality><joint name="NAME" joint1="j0" joint2="j1"/></equality></mujoco>"""
    world = opened(tmp_path, text.replace("NAME", name))
    assert list(world.forces) == [f"{name}_tendon"]
    assert list(world.couplings) == [f"{name}_equality"]


def test_a_wheel_that_is_felt_stays_where_tendons_do_not_couple(tmp_path: Path) -> None:
    """MuJoCo adds the inertia of a tendon over two branches to each joint, but not between them."""
    text = over_joints(np.random.default_rng(2))
    text = text.replace("springlength", 'armature="1" springlength')
    (tmp_path / "one.xml").write_text(text)
    scene = scene_of(tmp_path / "one.xml")
    assert scene.lost["tendon's armature over branches (it couples them, not so in MuJoCo)"] == 3
    model, data = in_motion(write_mjcf(scene)[0])
    assert model.neq == 3
    run = art.simulate(opened(tmp_path, text, "armature over branches"), until=1e-3, step=1e-3)
    for k in range(len(scene.parts) - 3):  # the wheels start as fast as their joints turn them
        theirs, body = np.zeros(6), model.body(f"b{k}").id
        mujoco.mj_objectAcceleration(model, data, mujoco.mjtObj.mjOBJ_BODY, body, theirs, 0)
        assert run.series(f"b{k}.alpha")[0] == pytest.approx(theirs[:3], rel=2e-3, abs=0.02)


@pytest.mark.parametrize("way", ["scene", "text"])
@pytest.mark.parametrize("text", [SERVED, KEYED, ARM], ids=["served", "keyed", "arm"])
def test_what_is_written_accelerates_and_stores_energy_as_what_was_read(
    tmp_path: Path, text: str, way: str
) -> None:
    """Several sprung joints of one body, springs along slides and rotors are what they were."""
    model, data = in_motion(text)
    again, other = in_motion(written_again(text, tmp_path, way))
    assert again.nv == model.nv
    assert other.energy == pytest.approx(data.energy, abs=1e-9)
    for number in range(1, model.nbody):
        name, theirs, ours = model.body(number).name, np.zeros(6), np.zeros(6)
        for m, d, found in ((model, data, theirs), (again, other, ours)):
            body = m.body(name).id
            mujoco.mj_objectAcceleration(m, d, mujoco.mjtObj.mjOBJ_BODY, body, found, 0)
        assert other.body(name).xpos == pytest.approx(data.body(name).xpos, abs=1e-12), name
        assert other.body(name).xmat == pytest.approx(data.body(name).xmat, abs=1e-12), name
        assert ours == pytest.approx(theirs, abs=1e-9), name


@pytest.mark.parametrize("text", [SERVED, KEYED, ARM], ids=["served", "keyed", "arm"])
def test_joints_keep_their_values_where_a_model_starts(tmp_path: Path, text: str) -> None:
    model, data = in_motion(text)
    again, start = in_motion(written_again(text, tmp_path, "scene"))
    still = mujoco.MjData(again)
    mujoco.mj_resetData(again, still)
    mujoco.mj_kinematics(again, still)
    kept = 0
    for number in range(model.njnt):
        name, kind = model.joint(number).name, int(model.jnt_type[number])
        if kind in (2, 3) and name not in ("wx", "wy"):  # a hinge or slide; those two are one hinge
            assert start.joint(name).qpos == pytest.approx(data.joint(name).qpos, abs=1e-12), name
            low, high = model.joint(name).range
            if model.jnt_limited[number]:
                assert again.joint(name).range == pytest.approx([low, high], abs=1e-12), name
            kept += abs(float(data.joint(name).qpos[0])) > 1e-3
    assert kept
    for number in range(1, model.nbody):
        name = model.body(number).name
        assert still.body(name).xpos == pytest.approx(data.body(name).xpos, abs=1e-12), name


def test_joints_of_a_text_keep_their_values(tmp_path: Path) -> None:
    (tmp_path / "two.art").write_text(TURNED)
    convert(tmp_path / "two.art", tmp_path / "two.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "two.xml"))
    assert model.joint("h").qpos0 == pytest.approx([0.4], abs=1e-9)
    assert model.joint("h").range == pytest.approx([-0.5, 1.0], abs=1e-9)


def test_a_key_frame_is_chosen_by_its_name(tmp_path: Path) -> None:
    other = '<key name="other" qpos="-0.6 0.1 0.2 0.3 1 0 0 0 0 0 2 0.5 1 1 0 0 0"/><key/>'
    text = KEYED.replace('<key name="other" time="1"/>', other)
    (tmp_path / "arm.xml").write_text(text)
    lost = convert(tmp_path / "arm.xml", tmp_path / "other.xml", key="other")
    assert "it starts as in 'other'; --key takes 'home', '2'" in lost
    model = mujoco.MjModel.from_xml_string(text)
    data, again = mujoco.MjData(model), mujoco.MjModel.from_xml_path(str(tmp_path / "other.xml"))
    mujoco.mj_resetDataKeyframe(model, data, 1)
    start = mujoco.MjData(again)
    for each in ((model, data), (again, start)):
        mujoco.mj_forward(*each)
    for name in BODIES:
        assert start.body(name).xpos == pytest.approx(data.body(name).xpos, abs=1e-12), name
        assert start.body(name).xmat == pytest.approx(data.body(name).xmat, abs=1e-12), name
    with pytest.raises(FormatError, match="no key frame 'hom'; it has 'home', 'other', '2'"):
        convert(tmp_path / "arm.xml", tmp_path / "other.xml", key="hom")


def test_a_camera_without_perspective_is_named(tmp_path: Path) -> None:
    text = ARM.replace('fovy="50"', 'fovy="2" projection="orthographic"')
    model = mujoco.MjModel.from_xml_string(text)
    assert model.cam_projection[0] == mujoco.mjtProjection.mjPROJ_ORTHOGRAPHIC
    opened(tmp_path, text, "camera without perspective")
    assert not scene_of(tmp_path / "arm.xml").views


FINGERS = """<robot name="gripper">
  <link name="base"/>
  <link name="left"><inertial><mass value="0.2"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4"
    ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="right"><inertial><mass value="0.1"/><inertia ixx="1e-4" iyy="1e-4" izz="1e-4"
    ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="l" type="prismatic"><parent link="base"/><child link="left"/><axis xyz="0 0 1"/>
    <limit lower="-9" upper="9" effort="1" velocity="1"/><dynamics damping="0.5"
    friction="0.2"/></joint>
  <joint name="r" type="prismatic"><parent link="base"/><child link="right"/><axis xyz="0 0 1"/>
    <limit lower="-9" upper="9" effort="1" velocity="1"/>
    <mimic joint="l" multiplier="-0.5"/></joint>
</robot>
"""


def test_a_robot_keeps_damping_friction_and_joints_that_follow(tmp_path: Path) -> None:
    """Falling on: (m1 + m2 / 4) a = -(m1 - m2 / 2) g + 0.2, by hand; half of it, back, follows."""
    (tmp_path / "gripper.urdf").write_text(FINGERS)
    world = art.assemble(art.read(tmp_path / "gripper.urdf").world())
    scene = scene_of_world(world, lambda body: body.color)
    model = mujoco.MjModel.from_xml_string(write_mjcf(scene)[0])
    slide = model.joint("l").dofadr[0]
    assert model.dof_damping[slide] == 0.5
    assert model.dof_frictionloss[slide] == 0.2
    model.opt.timestep, data = 1e-3, mujoco.MjData(model)
    for _ in range(500):
        mujoco.mj_step(model, data)
    fallen, risen = data.joint("l").qpos[0], data.joint("r").qpos[0]
    assert risen == pytest.approx(-0.5 * fallen, rel=1e-2)
    m, force = 0.2 + 0.1 / 4, -(0.2 - 0.1 / 2) * 9.81 + 0.2
    k, t = 0.5 / m, 0.5
    assert fallen == pytest.approx(force / 0.5 * (t - (1 - np.exp(-k * t)) / k), rel=1e-2)


COMMANDED = """<mujoco><option gravity="0 0 -9.81"/><worldbody>
  <body pos="0 0 1"><joint name="a" axis="0 1 0" ref="20"/><geom size=".1" mass="1" pos=".2 0 0"/>
    <body pos=".3 0 0"><joint name="b" axis="0 1 0"/><geom size=".1" mass=".5" pos=".1 0 .1"/>
      <body pos="0 0 .2"><joint name="c" type="slide" axis="1 0 0"/><geom size=".1" mass=".3"/>
  </body></body></body></worldbody>
  <tendon><fixed name="t"><joint joint="a" coef="1"/><joint joint="b" coef="-1"/></fixed></tendon>
  <actuator><position name="p" joint="a" kp="20" kv="1" ctrlrange="-1 1" forcerange="-9 9"/>
    <motor name="m" joint="b" gear="3" ctrlrange="-2 2"/>
    <velocity name="v" joint="c" kv="4"/><motor name="u" tendon="t" gear="0.5"/></actuator>
  <keyframe><key qpos="0.6 0.2 0.1" ctrl="0.3 0 0.1 0"/></keyframe></mujoco>"""


def test_actuators_of_written_models_take_the_same_commands(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(COMMANDED)
    assert convert(tmp_path / "arm.xml", tmp_path / "again.xml") == ""
    models = [mujoco.MjModel.from_xml_path(str(tmp_path / f"{e}.xml")) for e in ("arm", "again")]
    states = [mujoco.MjData(model) for model in models]
    for model, data in zip(models, states, strict=True):
        mujoco.mj_resetDataKeyframe(model, data, 0)
        assert data.ctrl.tolist() == [0.3, 0.0, 0.1, 0.0]
    assert models[1].actuator_ctrlrange.tolist() == models[0].actuator_ctrlrange.tolist()
    random = np.random.default_rng(7)
    for _ in range(20):
        q, v, u = random.uniform(-1.0, 1.0, (3, 4))
        for model, data in zip(models, states, strict=True):
            data.qpos[:], data.qvel[:], data.ctrl[:] = q[:3], v[:3], u
            mujoco.mj_forward(model, data)
        assert states[1].qacc == pytest.approx(states[0].qacc, rel=1e-9)
    with pytest.warns(art.FormatWarning, match="2 x motor"):
        assert art.read(tmp_path / "again.xml").check() == ()


NAMED = """<mujoco><worldbody>
  <body name="hip"><joint name="hip" axis="0 1 0" armature=".01"/><geom size=".1" mass="1"/>
    <body name="shin"><joint name="knee" axis="0 1 0"/><geom name="knee" size=".1" mass=".5"/>
      <body name="knee"><joint name="shin" type="slide"/><geom size=".1" mass=".3"/></body>
  </body></body></worldbody>
  <equality><joint name="hip" joint1="shin" joint2="knee" polycoef="0 .3 0 0 0"/></equality>
  <tendon><fixed name="knee"><joint joint="hip" coef="1"/><joint joint="knee" coef="1"/></fixed>
  </tendon>
  <actuator><position name="hip" joint="hip" kp="9" kv="1"/><motor name="drive" joint="hip"/>
    <velocity name="shin" joint="knee" kv="2"/><position name="knee" tendon="knee" kp="4"/>
  </actuator></mujoco>"""


def test_names_of_models_stay_by_their_kinds(tmp_path: Path) -> None:
    (tmp_path / "leg.xml").write_text(NAMED)
    text, lost = write_mjcf(scene := scene_of(tmp_path / "leg.xml"))
    assert scene.lost["motor (without a command it gives nothing)"] == 1
    assert not lost
    models = [mujoco.MjModel.from_xml_string(each) for each in (NAMED, text)]
    kinds = {
        "body": "nbody",
        "jnt": "njnt",
        "actuator": "nu",
        "equality": "neq",
        "tendon": "ntendon",
    }
    for kind, count in kinds.items():
        named = [{getattr(m, kind)(k).name for k in range(getattr(m, count))} for m in models]
        assert named[1] == named[0], kind


def test_servos_stay_actuators_by_way_of_a_text(tmp_path: Path) -> None:
    (tmp_path / "leg.xml").write_text(NAMED.replace('knee" tendon', 'pull" tendon'))
    convert(tmp_path / "leg.xml", tmp_path / "leg.art")
    convert(tmp_path / "leg.art", tmp_path / "again.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "again.xml"))
    for name, kp, kv in (("hip_drive", 9, 1), ("pull", 4, 0)):
        assert model.actuator(name).gainprm[0] == pytest.approx(kp)
        assert model.actuator(name).biasprm[1:3] == pytest.approx([-kp, -kv])
    assert not model.jnt_stiffness.any()


def test_values_of_joints_are_the_models_by_way_of_a_text(tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(COMMANDED.replace('ref="20"', 'ref="20" range="-40 80"'))
    convert(tmp_path / "arm.xml", tmp_path / "arm.art")
    convert(tmp_path / "arm.art", tmp_path / "again.xml")
    one, again = (
        mujoco.MjModel.from_xml_path(str(tmp_path / f"{e}.xml")) for e in ("arm", "again")
    )
    assert again.key("start").qpos == pytest.approx([0.6, 0.2, 0.1])
    assert again.jnt_range[0] == pytest.approx(one.jnt_range[0])
    assert again.key("start").ctrl[0] == pytest.approx(0.3)
    states = [mujoco.MjData(model) for model in (one, again)]
    for model, data in zip((one, again), states, strict=True):
        data.qpos[:] = [-0.2, 0.5, 0.05]
        data.ctrl[0] = 0.1
        mujoco.mj_forward(model, data)
    assert states[1].xpos[1:] == pytest.approx(states[0].xpos[1:], abs=1e-12)
    assert states[1].qfrc_actuator[0] == pytest.approx(states[0].qfrc_actuator[0])


MASKED = """<mujoco>{flag}<worldbody>
  <geom name="floor" type="plane" size="1 1 .1" contype="2"/>
  <body name="a" pos="0 0 .05"><freejoint/><geom size=".1" conaffinity="2"/></body>
  <body name="b" pos=".1 0 .05"><freejoint/><geom size=".1" conaffinity="2"/></body>
  <body name="c" pos="0 .1 .05"><freejoint/><geom size=".1"/></body></worldbody></mujoco>"""


def met(text: str) -> set[frozenset[str]]:
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    owners = [model.body(each).name.replace("world", "floor") for each in model.geom_bodyid]
    return {frozenset(owners[each] for each in contact.geom) for contact in data.contact}


@pytest.mark.parametrize("way", ["scene", "text"])
def test_what_passes_through_each_other_in_mujoco_does_here(tmp_path: Path, way: str) -> None:
    text = MASKED.format(flag="")
    due = {frozenset(each.split()) for each in ("a floor", "b floor", "c floor", "a c", "b c")}
    assert met(text) == due
    assert met(written_again(text, tmp_path, way)) == due
    assert opened(tmp_path, text).ignored == {frozenset(("a", "b"))}
    off = MASKED.format(flag='<option><flag contact="disable"/></option>')
    assert met(written_again(off, tmp_path, way)) == set()
    assert opened(tmp_path, off).bodies["a"].shape is None


SERVOED = """
units: degree
figure arm {
  chain a: plain table {
    base: fixed(mass: 5 kg)
    robot_shoulder: revolute(axis: y, limits: (-150, 150), effort: 150 N*m, speed: 180 deg/s,
      mass: 4 kg, center: (0, 0, 0.2), inertia: (0.05, 0.05, 0.01))
    elbow: revolute(axis: y, effort: 4 N*m, damping: 0.5 N*m*s/rad, mass: 2 kg,
      center: (0, 0, 0.2), inertia: (0.03, 0.03, 0.005)) at (0, 0, 0.3)
    roll: revolute(axis: z, effort: 10 N*m, mass: 0.5 kg,
      center: (0, 0, 0.1), inertia: (0.3, 0.3, 0.5)) at (0, 0, 0.2)
    flap: revolute(axis: y, effort: 10 N*m, mass: 0.5 kg,
      center: (0, 0, 0.1), inertia: (0.003, 0.003, 0.0005)) at (0, 0, 0.2)
  }
}
world cell {
  gravity: (0, 0, -9.81)
  components { robot: arm }
  structure {
    place robot by properties: (fixed), robot_shoulder = 10, elbow = 20
    force hold about robot.robot_shoulder = servo(40 deg, 50 N*m, 4 N*m*s)
    force lift about robot.elbow = servo(20 deg + 3 deg * ramp(time, 0 s, 1 s), 30 N*m, 2 N*m*s)
    robot.roll driven by motor(speed: 60 rpm, limit: 3 N*m)
    robot.flap driven by motor(torque: 12 N*m)
  }
}
"""


def test_servos_motors_and_efforts_of_a_robot_are_actuators(tmp_path: Path) -> None:
    (tmp_path / "cell.art").write_text(SERVOED)
    lost = convert(tmp_path / "cell.art", tmp_path / "cell.xml")
    for told in (
        "target in time of servo lift (ctrl", "greatest speed of joint robot.robot_shoulder",
        "effort of joint robot_flap (what drives it may give more)", "speed of motor robot.roll",
    ):  # fmt: skip
        assert told in lost
    text = (tmp_path / "cell.xml").read_text()
    assert '<inertial pos="0 0 0.2" mass="4" fullinertia="0.05 0.05 0.01 0 0 0"/>' in text
    model = mujoco.MjModel.from_xml_string(text)
    joints = ("robot_shoulder", "robot_elbow", "robot_roll", "robot_flap")  # the first not doubled
    efforts = [model.jnt_actfrcrange[model.joint(name).id, 1] for name in joints]
    assert efforts == [150.0, 4.0, 10.0, 0.0]
    run = art.simulate(art.read(tmp_path / "cell.art").world(), until=0.02, step=0.01)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    at = math.radians(20), math.radians(3)  # the target that is lost is given as a command
    for k, time in enumerate(run.times):
        for name in joints:
            path = f"robot.{name if name == joints[0] else name[6:]}"
            data.joint(name).qpos[0] = run.series(f"{path}.angle")[k]
            data.joint(name).qvel[0] = run.series(f"{path}.rate")[k]
        data.actuator("lift").ctrl[0] = at[0] + at[1] * (10 * time**3 - 15 * time**4 + 6 * time**5)
        mujoco.mj_forward(model, data)
        for theirs, ours in (("hold", "hold.moment"), ("lift", "lift.moment")):
            due = run.series(ours)[k]
            assert data.actuator(theirs).force[0] == pytest.approx(due, rel=1e-9, abs=1e-9), ours
        for name, due in (("roll", 3.0), ("flap", 12.0)):
            assert run.series(f"robot.{name}.motor.torque")[k] == pytest.approx(due)
            assert data.actuator(f"robot_{name}_motor").force[0] == pytest.approx(due)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    data.actuator("robot_flap_motor").ctrl[0] = 0.0
    for _ in range(1000):  # the stiff motor keeps its speed and does not shake
        mujoco.mj_step(model, data)
    assert data.joint("robot_roll").qvel[0] == pytest.approx(2.0 * math.pi, rel=0.011)
