"""The same worlds moved by MuJoCo: agreement where both are exact, stated differences elsewhere."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import articulata as art
from articulata.world import library

GALLERY = Path(next(iter(library.__path__))) / "gallery"

LOOP = """
primitive bar(length: length) {
  geometry: cuboid(0.04, length, 0.04) where { top: (0, length/2, 0); bottom: (0, -length/2, 0) }
  dynamics: (mass: 1, inertia: (1/12, 1/600, 1/12))
}
world loop {
  gravity: (0, -9.81, 0)
  components
    left, right: fixed_point
    crank: bar(0.5)
    coupler: bar(1.2)
    rocker: bar(0.9)
  structure {
    place left by left.center at (0, 0, 0)
    place right by right.center at (1, 0, 0)
    join crank to left with pin(axis: z) matching (bottom, center)
    join coupler to crank with pin(axis: z) as knee matching (bottom, top)
    join rocker to right with pin(axis: z) matching (bottom, center)
    join coupler to rocker with pin(axis: z) as elbow matching (top, top)
    place crank by crank.top at (0.3, 0.4, 0)
  }
}
"""

BLOCK = """
let wood = material(density: 600, friction: {friction}, restitution: {bounce})
primitive block {{
  properties: (material: wood)
  geometry: {shape} where {{ middle: (0, 0, 0) }}
  dynamics
}}
primitive table {{
  properties: (material: wood)
  geometry: half_space where {{ middle: (0, 0, 0) }}
}}
world sliding {{
  gravity: (0, -9.81, 0)
  components
    floor: table
    b: block
  structure {{
    place floor by floor.middle at (0, 0, 0)
    place b by b.middle at (0, {height}, 0), velocity = (({speed}, 0, 0) (0, 0, 0))
  }}
}}
"""


def gallery(name: str) -> Any:
    return art.read(GALLERY / f"{name}.art").requests[0].elaborate()


def differences(world: Any, until: float, step: float, **options: Any) -> dict[str, float]:
    """Return the largest difference of each channel, in shares of its own size (or of 1)."""
    ours = art.simulate(world, until=until, step=0.02)
    theirs = art.simulate(world, until=until, step=0.02, method=art.MuJoCo(step=step, **options))
    found = {}
    for name in ("geometric.pose", "dynamic.velocity", "dynamic.rate", "dynamic.hinge_force"):
        a, b = ours.array(name), theirs.array(name)
        assert a.shape == b.shape
        size = max(1.0, float(np.max(np.abs(a))))
        found[name] = float(np.max(np.abs(a - b))) / size
        found["first " + name] = float(np.max(np.abs(a[0] - b[0]))) / size
    return found


@pytest.mark.parametrize(
    ("name", "step", "within"),
    [
        ("pendulum", 1e-3, 1e-8),
        ("drilled_block", 1e-3, 1e-10),
        ("spring_mass", 1e-3, 1e-8),
        pytest.param("chain", 2.5e-4, 1e-5, marks=pytest.mark.slow),
        ("heavy_top", 2.5e-4, 1e-5),
    ],
)
def test_trees_move_alike(name: str, step: float, within: float) -> None:
    found = differences(gallery(name), 0.5, step)
    assert max(found.values()) < within, found
    assert found["first dynamic.hinge_force"] < 1e-8, found


def test_a_soft_loop_stays_near_the_exact_one() -> None:
    world = art.parse(LOOP).world("loop")
    found = differences(world, 0.5, 1e-3)
    assert found["geometric.pose"] < 2e-4, found
    assert found["dynamic.velocity"] < 2e-3, found
    assert found["first dynamic.hinge_force"] < 2e-2, found


def test_a_screw_is_tied_to_its_lead() -> None:
    ours = art.simulate(gallery("screw"), until=0.5, step=0.02)
    theirs = art.simulate(gallery("screw"), until=0.5, step=0.02, method=art.MuJoCo())
    a, b = ours.series("ring.center"), theirs.series("ring.center")
    assert np.max(np.abs(a - b)) < 1e-4


def test_contact_friction_and_rest() -> None:
    text = BLOCK.format(
        friction=0.4, bounce=0.0, shape="cuboid(0.4, 0.2, 0.4)", height=0.1, speed=2.0
    )
    world = art.parse(text).world("sliding")
    run = art.simulate(world, until=1.0, step=0.01, method=art.MuJoCo(step=5e-4))
    x = run.series("b.center")
    # v^2 / (2 mu g), and at rest from v / (mu g) on
    assert x[-1, 0] == pytest.approx(2.0**2 / (2 * 0.4 * 9.81), rel=0.02)
    assert abs(x[-1, 1] - 0.1) < 1e-3
    free = art.simulate(world, until=1.0, step=0.01, method=art.MuJoCo(contacts=False))
    assert free.series("b.center")[-1, 1] == pytest.approx(0.1 - 0.5 * 9.81, abs=1e-6)


def test_restitution_comes_back_roughly() -> None:
    text = BLOCK.format(friction=0.0, bounce=0.8, shape="sphere(0.1)", height=1.1, speed=0.0)
    world = art.parse(text).world("sliding")
    run = art.simulate(world, until=0.85, step=0.005, method=art.MuJoCo(step=2e-4))
    apex = np.max(run.series("b.center")[100:, 1]) - 0.1
    assert 0.5 < apex < 0.75  # 0.64 by Newton's law; the contact is a damped spring


def test_what_stands_in_for_a_shape_is_said() -> None:
    text = BLOCK.format(
        friction=0.0, bounce=0.0, shape="cone(0.2, 0.4, 0.1)", height=3.0, speed=0.0
    )
    run = art.simulate(art.parse(text).world("sliding"), until=0.1, method=art.MuJoCo())
    event = next(event for event in run.events if event.kind == "backend")
    assert event.who == ("b",)
    assert "convex hulls: b" in event.story


def test_the_text_can_choose_it_and_a_replay_gives_the_same_bytes(tmp_path: Path) -> None:
    text = BLOCK.format(
        friction=0.4, bounce=0.2, shape="cuboid(0.4, 0.2, 0.4)", height=0.3, speed=1.0
    )
    request = "simulate sliding { time: (10 ms, 0.4 s); method: mujoco }\n"
    run = art.simulate(art.parse(text + request).requests[0])
    assert run.header.method == "MuJoCo"
    run.save(tmp_path / "a.artrun")
    again = art.replay(art.load(tmp_path / "a.artrun"))
    again.save(tmp_path / "b.artrun")
    assert (tmp_path / "a.artrun").read_bytes() == (tmp_path / "b.artrun").read_bytes()


def test_what_it_cannot_hold_is_refused_by_name() -> None:
    world = gallery("linkage")
    still = {
        drive.controller: lambda t, sensed: ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
        for drive in world.drives.values()
    }
    with pytest.raises(art.ModelError, match="is prescribed, which MuJoCo cannot hold"):
        art.simulate(world, until=0.1, controllers=still, method=art.MuJoCo())
    with pytest.raises(art.ModelError, match="no integrator 'rk5'"):
        art.MuJoCo(integrator="rk5")  # type: ignore[arg-type]
    with pytest.raises(art.ModelError, match="step"):
        art.MuJoCo(step=math.nan)


def test_without_the_package_the_message_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['mujoco'] = None\n"
        "import articulata as art\n"
        f"world = art.read({str(GALLERY / 'pendulum.art')!r}).requests[0].elaborate()\n"
        "try:\n"
        "    art.simulate(world, until=0.1, method=art.MuJoCo())\n"
        "except art.MissingExtra as error:\n"
        "    print(error)\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=True
    )
    assert "pip install 'articulata[mujoco]'" in result.stdout


SLIDING = """
let steel = material(density: 1000, friction: 0.9)
contact steel with ground: (friction: 0.2, static_friction: 0.3)
primitive block { properties: (material: steel); geometry: cuboid(20 cm, 10 cm, 20 cm); dynamics }
world sliding {
  gravity: (0, -9.81, 0)
  components { floor: ground; b: block }
  structure { place b by b.center at (0, 5 cm, 0), velocity = ((1, 0, 0) (0, 0, 0)) }
}
"""


def test_friction_of_two_materials_holds_in_mujoco_too() -> None:
    pytest.importorskip("mujoco")
    world = art.parse(SLIDING).world("sliding")
    recording = art.simulate(world, until=0.4, step=0.1, method=art.MuJoCo())
    assert recording.series("b.v.x")[-1] == pytest.approx(1.0 - 0.2 * 9.81 * 0.4, abs=0.02)
