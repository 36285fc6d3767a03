"""Models of MuJoCo as worlds: they move as MuJoCo says, and what no hinge can do is refused."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np
import pytest

import articulata as art
from articulata.errors import FormatError
from articulata.formats.scenes.scene_files import scene_of

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


def opened(tmp_path: Path, text: str) -> art.World:
    (tmp_path / "arm.xml").write_text(text)
    with pytest.warns(art.FormatWarning, match="not taken over"):
        document = art.read(tmp_path / "arm.xml")
    assert document.check() == ()
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
    # they count from where the joint stands at the start, at its ref of 10 degrees
    assert world.hinges["shoulder"].limits == (
        (pytest.approx(np.radians(-130)), pytest.approx(np.radians(110))),
    )
    assert world.bodies["wall"].color == (1, 0, 0)
    assert world.gravity == (0, 0.3, -9.81)
    scene = scene_of(tmp_path / "arm.xml")
    (view,) = scene.views
    assert view.upwards == pytest.approx(np.radians(50))
    # up is turned from z by the same angle as the view from y
    assert view.X_WC[:3, 2] == pytest.approx(np.array([0, -1, 0.3]) / np.hypot(1, 0.3))
    assert scene.lost == {"mesh that touches (it is only seen)": 1}


def test_what_is_welded_is_one_body(tmp_path: Path) -> None:
    text = ARM.replace(
        'pos="0 .01 -.1"/>', 'pos="0 .01 -.1"/><body name="lid"><geom size=".1" mass="2"/></body>'
    )
    world = opened(tmp_path, text)
    assert "lid" not in world.bodies
    assert world.bodies["cup"].properties["mass"] == pytest.approx(2.3)


@pytest.mark.parametrize(
    ("joints", "words"),
    [
        ('<joint axis="1 0 0"/><joint axis="0 1 0" pos="0 0 1"/>', "body 'upper' moves by"),
        ('<joint axis="1 0 0"/><joint type="slide" axis="0 1 0"/>', "no hinge here has these"),
    ],
)
def test_joints_that_no_hinge_has_are_named(tmp_path: Path, joints: str, words: str) -> None:
    file = tmp_path / "odd.xml"
    body = f"<body name='upper'>{joints}<geom size='.1'/></body>"
    file.write_text(f"<mujoco><worldbody>{body}</worldbody></mujoco>")
    with pytest.raises(FormatError, match=words):
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
