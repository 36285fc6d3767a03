"""What moves while it is filmed: a target, what a camera is on; and what a free camera strikes."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import articulata as art
from articulata.analyses.film.free_pilot import FreePilot
from articulata.analyses.film.pilot import MARGIN, STATES
from articulata.analyses.film.takes import ticked
from articulata.domains.protocols import POSE, POSE_COLUMNS
from articulata.errors import ArticulataError
from articulata.kinematics.assembly.assembling import assemble
from articulata.records.header import Header
from articulata.records.recorder import Recorder
from articulata.records.recording import Recording
from articulata.records.state import Channel, Frame

TEXT = """
units: metre, degree
primitive block { properties: (fixed); geometry: cuboid(0.2, 0.2, 0.2) where { top: (0, 0.1, 0) } }
primitive cart { geometry: cuboid(0.2, 0.2, 0.2) where { lamp: (0, 0.1, 0) } }
world studio {
  gravity: (0, -9.81, 0)
  components { block: block; cart: cart; robot: camera_robot }
  structure {
    place block by block.center at (0, 1, -3)
    place cart by cart.center at (2, 40, -3), velocity = ((1, 0, 0) (0, 0, 0))
    place robot by robot.base at (0, 0, 0), u2 = 31, u3 = 74, u5 = 59
    place robot by properties: (fixed)
  }
}
film shot {
  world: studio
  camera: lens(35 mm) CAMERA
  view: lens(35 mm) on cart at (0, 1 m, 0)
  MORE
}
"""


def text(camera: str, more: str = "") -> str:
    return TEXT.replace("CAMERA", camera).replace("MORE", more)


@cache
def run() -> Recording:
    """A run of a second: the cart goes 1 m/s to the right, falls and turns."""
    world = assemble(art.parse(text("at (0, 0, 0)")).requests[0].elaborate())
    still = np.array([(*b.pose.position, *b.pose.orientation) for b in world.bodies.values()])
    number = list(world.bodies).index("cart")
    with Recorder(Header(world, step=0.01, until=1.0, method="by hand")) as recorder:
        recorder.layout([Channel(POSE, "m, 1", tuple(world.bodies), POSE_COLUMNS)])
        for t in np.arange(0.0, 1.005, 0.01).tolist():
            rows = still.copy()
            rows[number] = 2 + t, 40 - 4.905 * t * t, -3, np.cos(0.1 * t), 0, np.sin(0.1 * t), 0
            recorder.frame(Frame(t, {POSE: rows}))
    return recorder.recording()


def setting(camera: str, more: str = "", motion: Recording | None = None) -> art.Setting:
    return art.setting_of(art.parse(text(camera, more)).requests[0], motion)


def test_a_target_that_falls_is_looked_at_and_a_view_on_it_goes_along() -> None:
    made = setting("at (2, 38 m, 3 m)", "look: at cart.lamp roll relative", run())
    assert made.scenery is not None
    assert made.scenery.bodies == ("cart",)
    due = run().series("cart.lamp")
    for k in (0, 20, 50):
        t = float(run().times[k])
        place, velocity = made.sight(t)
        np.testing.assert_allclose(place, due[k], atol=1e-9)
        np.testing.assert_allclose(velocity, (1.0, -9.81 * t, 0.0), atol=0.1)
        X = made.views[0].view(None, None, 1.0, made.scenery, t)
        np.testing.assert_allclose(X[:3, 3], run().series("cart.center")[k] + (0, 1, 0), atol=1e-9)
    pilot = FreePilot(made)
    for k in range(1, 200):
        ticked(pilot, None, made, k * pilot.step)
    place = np.array(made.sight(199 * pilot.step)[0])
    to = (place - pilot.X_WC[:3, 3]) / np.linalg.norm(place - pilot.X_WC[:3, 3])
    assert -pilot.X_WC[:3, 2] @ to > 1 - 1e-4


def test_a_camera_on_what_moves_goes_along_and_is_steered_beside_it() -> None:
    made = setting("on cart.lamp at (0, 0, 1 m)", motion=run())
    pilot = FreePilot(made)
    ticked(pilot, None, made, 0.0)
    for k in range(1, 126):
        ticked(pilot, (0.0, 0.0, 1.0, 0.0, 0.0, 0.0), made, k * pilot.step)
    away = pilot.X_WC[:3, 3] - np.array(run().series("cart.lamp")[run().nearest(0.5)])
    c, s = np.cos(0.1), np.sin(0.1)  # the cart has turned by 0.1 rad
    np.testing.assert_allclose([c * away[0] - s * away[2], away[1]], 0.0, atol=1e-6)
    assert 1.1 < s * away[0] + c * away[2] < 1.5


def test_a_recording_that_moves_nothing_of_the_world_is_refused() -> None:
    other = art.parse(
        TEXT.replace("cart: cart", "wagon: cart")
        .replace("place cart by cart", "place wagon by wagon")
        .replace("on cart", "on wagon")
        .replace("CAMERA", "at (0,0,0)")
        .replace("MORE", "")
    )
    with pytest.raises(ArticulataError, match="moves no body of this world"):
        art.setting_of(other.requests[0], run())


def test_a_free_camera_with_a_body_stops_before_what_it_would_strike() -> None:
    made = setting("at (0, 1, 0)", "body: box(10 cm, 8 cm, 16 cm)")
    pilot = FreePilot(made)
    seen = []
    for _ in range(1500):
        tick = pilot.tick((0.0, 0.0, -1.0, 0.0, 0.0, 0.3))
        seen.append((STATES[tick.state], pilot.reason(tick.code)))
    # the block's front is at z = -2.9; the camera's is its nodal point
    assert pilot.X_WC[2, 3] == pytest.approx(-2.9 + MARGIN, abs=2e-3)
    assert seen[0][0] == "follows"
    assert seen[-1] == ("stopped", "clash: the camera would strike block")
    for _ in range(100):
        tick = pilot.tick((0.0, 0.0, 1.0, 0.0, 0.0, 0.0))
    assert STATES[tick.state] == "follows"
    assert FreePilot(setting("at (0, 1, 0)")).tick((0.0,) * 6).state == STATES.index("rests")


def test_a_link_that_few_joints_carry_holds_a_camera_that_no_robot_steers() -> None:
    made = setting("on robot.u3 at (0, 0, 0.1)")
    assert made.carrier is None
    assert "no robot carries it" in made.notes[0]
