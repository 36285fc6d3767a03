"""Every kind of hinge against MuJoCo: through our backend, and by models written for it alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import articulata as art

mujoco = pytest.importorskip("mujoco")

PAIR = """
primitive arm {{
  geometry: cuboid(0.2, 1, 0.3) where {{ top: (0.05, 0.5, 0.02); low: (0, -0.5, 0) }}
  dynamics: (mass: 2, center: (0.02, 0.05, -0.03), inertia: (0.3, 0.2, 0.25))
}}
{more}
composite pair {{
  components {{ wall: fixed_point; a, b: arm }}
  structure {{
    join a to wall with ball matching (top, center)
    {joins}
    ignore a with b
  }}
}}
world w {{
  gravity: (0.5, -9.81, 1.5)
  components p: pair
  structure {{
    place p by p.a.top at (0, 0, 0) turned 20 deg about z turned 10 deg about x,
      velocity = ((0, 0, 0) (0.5, 1, -0.7))
  }}
}}
"""

HANGING = "join b to a with {} as h matching (top, low)"

EXACT = {
    "revolute": HANGING.format("pin(axis: (1, 2, 3))"),
    "prismatic": HANGING.format("slider(axis: (1, 2, 3))"),
    "cylindrical": HANGING.format("cylindrical(axis: (1, 2, 3))"),
    "universal": HANGING.format("universal(axis: z, second: x)"),
    "ball": HANGING.format("ball"),
    "planar": HANGING.format("planar(normal: (1, 2, 3))"),
    "weld": HANGING.format("weld"),
    "child first": "join a to b with pin(axis: (1, 2, 3)) as h matching (low, top)",
    "slider, child first": "join a to b with slider(axis: (1, 2, 3)) as h matching (low, top)",
    "universal, child first": "join a to b with universal(axis: z, second: x) as h"
    " matching (low, top)",
    "spring": HANGING.format("spring(stiffness: 50 N/m, length: 0.3 m, damping: 0.5 N*s/m)")
    + "\nplace b by b.center at (0.8, -0.4, 0.3)",
    "damper": HANGING.format("damper(damping: 2 N*s/m)") + "\nplace b by b.center at (1, 0, 0)",
    "torsion": HANGING.format("pin(axis: (1, 2, 3))")
    + "\nforce coil about h = -5 N*m/rad * angle - 0.3 N*m*s/rad * rate",
}


def differences(ours: art.Recording, theirs: art.Recording) -> dict[str, float]:
    names = ("geometric.pose", "dynamic.velocity", "dynamic.rate", "dynamic.coordinate")
    return {
        name: float(np.max(np.abs(ours.array(name) - theirs.array(name)), initial=0.0))
        for name in names
    }


LONG = ("torsion", "damper", "spring")


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=[pytest.mark.slow] * (kind in LONG)) for kind in EXACT],
)
def test_a_hinge_moves_as_in_mujoco(kind: str) -> None:
    world = art.parse(PAIR.format(joins=EXACT[kind], more="")).world("w")
    ours = art.simulate(world, until=1.0, step=0.05)
    theirs = art.simulate(world, until=1.0, step=0.05, method=art.MuJoCo(step=2.5e-4))
    assert np.max(np.abs(ours.array("geometric.pose")[-1] - ours.array("geometric.pose")[0])) > 0.1
    assert max(differences(ours, theirs).values()) <= 1e-9
    forces = ours.array("dynamic.hinge_force") - theirs.array("dynamic.hinge_force")
    assert np.max(np.abs(forces), initial=0.0) <= 1e-7


def test_a_screw_moves_as_in_mujoco() -> None:
    # MuJoCo ties travel and turn by a soft constraint, so that only places agree closely
    joins = HANGING.format("screw(lead: 0.3 m, axis: (1, 2, 3))")
    world = art.parse(PAIR.format(joins=joins, more="")).world("w")
    ours = art.simulate(world, until=1.0, step=0.05)
    theirs = art.simulate(world, until=1.0, step=0.05, method=art.MuJoCo(step=2.5e-4))
    assert max(differences(ours, theirs).values()) <= 1e-6


@pytest.mark.parametrize(
    ("joins", "more", "kind"),
    [
        (
            HANGING.format("point.on.surface(surface: plane((0, 0, 0), (1, 2, 3)))"),
            "",
            "point-on-surface",
        ),
        (
            HANGING.format("bead"),
            "hinge bead { point (0, 0, 0) of first on plane((0, 0, 0), x) of second\n"
            "  point (0, 0, 0) of first on plane((0, 0, 0), y) of second }",
            "bead",
        ),
    ],
)
def test_a_hinge_that_mujoco_lacks_is_refused_by_name(joins: str, more: str, kind: str) -> None:
    world = art.parse(PAIR.format(joins=joins, more=more)).world("w")
    assert np.ptp(art.simulate(world, until=0.1).series("energy.total")) <= 1e-9
    with pytest.raises(art.ModelError, match=rf"MuJoCo has no joint for .*h' \({kind}\)"):
        art.simulate(world, until=0.1, method=art.MuJoCo())


LIMITED = """
primitive bar {
  properties: (density: 1000)
  geometry: cuboid(5 cm, 1, 5 cm) where { top: (0, 0.5, 0); low: (0, -0.5, 0) }
  dynamics
}
world limited {
  gravity: (0, -9.81, 0)
  components { post: fixed_point; a, b: bar }
  structure {
    place post by post.center at (0, 0, 0)
    join a to post with pin(axis: z) as h matching (top, center) limits (-20 deg, 90 deg)
    join a to b with pin(axis: z) as k matching (low, top) limits (-10 deg, 60 deg)
    place a by a.low at (sin(60 deg) * 1 m, -cos(60 deg) * 1 m, 0)
  }
}
"""


def test_mujoco_keeps_the_limits_of_hinges() -> None:
    world = art.parse(LIMITED).world("limited")
    run = art.simulate(world, until=2.0, step=0.01, method=art.MuJoCo(step=5e-4))
    for hinge, low, high in (("h", -20, 90), ("k", -10, 60)):
        angle = np.degrees(run.series(f"{hinge}.angle"))
        assert low - 0.5 <= np.min(angle)
        assert np.max(angle) <= high + 0.5
    assert np.degrees(np.min(run.series("h.angle"))) < -19.5


def test_limits_stop_hinges_roughly_as_mujocos_soft_ones_do() -> None:
    """The same until the first strike; then MuJoCo's limits, which yield, throw back a little."""
    world = art.parse(LIMITED).world("limited")
    ours = art.simulate(world, until=0.9, step=0.01)
    theirs = art.simulate(world, until=0.9, step=0.01, method=art.MuJoCo(step=1e-4))
    hits = [event for event in ours.events if event.kind == "limit"]
    assert {event.who[0] for event in hits} == {"h", "k"}
    before = ours.times < hits[0].time
    for hinge in ("h", "k"):
        one, other = (np.degrees(run.series(f"{hinge}.angle")) for run in (ours, theirs))
        assert np.max(np.abs(one - other)[before]) < 0.01
        assert np.max(np.abs(one - other)) < 10.0
        assert np.max(np.abs(np.min(one) - np.min(other))) < 0.5


def test_what_mujoco_does_not_do_with_hinges_is_said() -> None:
    run = art.simulate(art.parse(LIMITED).world("limited"), until=0.1, method=art.MuJoCo())
    (event,) = (event for event in run.events if event.kind == "backend")
    loop = LIMITED.replace(
        "place a by a.low",
        "join b to post with pin(axis: z) as z matching (low, center) limits (-9, 9)\n"
        "    place a by a.low",
    )
    loop = loop.replace("limits (-20 deg, 90 deg)", "")
    loop = loop.replace("matching (low, top) limits (-10 deg, 60 deg)", "matching (low, top)")
    run = art.simulate(art.parse(loop).world("limited"), until=0.1, method=art.MuJoCo())
    (event,) = (event for event in run.events if event.kind == "backend")
    assert "Limits of hinges that close loops are not held: z." in event.story


# ---- models for MuJoCo alone: two arms on a ball, the second on each of MuJoCo's own joints

ARM = (
    '<inertial mass="2" pos="0.02 0.05 -0.03" fullinertia="0.3 0.2 0.25 0 0 0"/>'
    '<geom type="box" size="0.1 0.5 0.15" mass="0" contype="0" conaffinity="0"/>'
)

MJCF = """
<mujoco>
  <option timestep="2.5e-4" integrator="RK4" gravity="0.5 -9.81 1.5" jacobian="dense"/>
  <compiler angle="radian" balanceinertia="false"/>
  <worldbody>
    <body name="a" pos="-0.05 -0.5 -0.02">
      {arm}<joint name="root" type="ball" pos="0.05 0.5 0.02"/>
      <body name="b" pos="-0.05 -1 -0.02">{arm}{joints}</body>
    </body>
  </worldbody>
</mujoco>
"""

AT = 'pos="0.05 0.5 0.02"'
OWN = {
    "pin(axis: (1, 2, 3))": f'<joint type="hinge" axis="1 2 3" {AT}/>',
    "slider(axis: (1, 2, 3))": f'<joint type="slide" axis="1 2 3" {AT}/>',
    "cylindrical(axis: (1, 2, 3))": f'<joint type="slide" axis="1 2 3" {AT}/>'
    f'<joint type="hinge" axis="1 2 3" {AT}/>',
    "universal(axis: z, second: x)": f'<joint type="hinge" axis="1 0 0" {AT}/>'
    f'<joint type="hinge" axis="0 0 1" {AT}/>',
    "ball": f'<joint type="ball" {AT}/>',
    "planar(normal: z)": f'<joint type="slide" axis="1 0 0" {AT}/>'
    f'<joint type="slide" axis="0 1 0" {AT}/><joint type="hinge" axis="0 0 1" {AT}/>',
    "weld": "",
}


@pytest.mark.parametrize("hinge", OWN)
def test_a_hinge_moves_as_in_a_model_of_mujocos_own(hinge: str) -> None:
    text = PAIR.format(joins=HANGING.format(hinge), more="").replace(
        " turned 20 deg about z turned 10 deg about x", ""
    )
    ours = art.simulate(art.parse(text).world("w"), until=1.0, step=0.05)
    model: Any = mujoco.MjModel.from_xml_string(MJCF.format(arm=ARM, joints=OWN[hinge]))
    data: Any = mujoco.MjData(model)
    data.qvel[:3] = (0.5, 1.0, -0.7)
    for number in range(len(ours.times)):
        if number:
            mujoco.mj_step(model, data, nstep=200)
        mujoco.mj_kinematics(model, data)
        for name in ("a", "b"):
            pose = ours.array("geometric.pose")[number, list(ours.world.bodies).index(f"p.{name}")]
            assert pose[:3] == pytest.approx(data.body(name).xpos, abs=1e-9)
            apart = abs(float(np.dot(pose[3:], data.body(name).xquat)))
            assert apart == pytest.approx(1.0, abs=1e-12)
