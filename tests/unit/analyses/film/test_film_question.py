"""What a request to film describes."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pytest

import articulata as art
from articulata.errors import ArticulataError, KinematicsError, WorldError

ROOMS = files("articulata.world.library") / "rooms"


@pytest.mark.parametrize("room", ["museum", "inspection_cell"])
def test_the_rooms_that_ship_stand_ready(room: str) -> None:
    file = ROOMS / f"{room}.art"
    document = art.parse(file.read_text("utf-8"), str(file))
    assert not document.check()
    setting = art.setting_of(document.requests[0])
    carrier = setting.carrier
    assert carrier is not None
    np.testing.assert_allclose(carrier.view(setting.q), setting.X_WC, atol=1e-12)
    assert setting.target is not None
    view = np.asarray(setting.target) - setting.X_WC[:3, 3]
    assert view @ -setting.X_WC[:3, 2] > 0.95 * np.linalg.norm(view)  # it sees what it looks at
    assert setting.X_WC[1, 1] > 0.6  # upright
    assert carrier.clash is not None
    assert float(carrier.clash.distance(setting.rest)) > 0.0
    pilot = art.Pilot(carrier, setting.q, steering=setting.steering, shaping=setting.shaping)
    for _ in range(200):
        tick = pilot.tick((0.3, 0.0, -0.3, 0.0, 0.0, 0.0), target=setting.target)
    assert tick.state in (0, 1)


TEXT = """
units: metre, degree
primitive block { properties: (fixed); geometry: cuboid(0.2, 0.2, 0.2) where { top: (0, 0.1, 0) } }
world studio {
  gravity: (0, -9.81, 0)
  components { block: block; robot: camera_robot }
  structure {
    place block by block.center at (0, 1, -3)
    place robot by robot.base at (0, 0, 0), u2 = 31, u3 = 74, u5 = 59
    place robot by properties: (fixed)
  }
}
film shot { world: studio; camera: CAMERA; MORE }
"""


def setting(camera: str, more: str = "mode: fly") -> object:
    text = TEXT.replace("CAMERA", camera).replace("MORE", more)
    return art.setting_of(art.parse(text).requests[0])


def test_a_camera_without_a_robot_flies_free() -> None:
    found = setting("lens(35 mm) at (0, 1, 3)", "look: at block.top roll locked")
    assert found.carrier is None  # type: ignore[attr-defined]
    assert found.X_WC[:3, 3].tolist() == [0, 1, 3]  # type: ignore[attr-defined]
    assert found.target == pytest.approx((0, 1.1, -3))  # type: ignore[attr-defined]
    assert found.steering.roll == "locked"  # type: ignore[attr-defined]


def test_modes_limits_and_scale_are_taken_over() -> None:
    found = setting(
        "lens(35 mm) on robot.flange",
        "mode: helicopter, rotation only, dominant axis; limits: robot; scale: 2\n"
        "  proposed: limits(2 rad/s, 10 rad/s^2, torque: 900 N*m, jerk: 300 rad/s^3); "
        "frames: 29.97",
    )
    assert found.steering.mode == "helicopter"  # type: ignore[attr-defined]
    assert found.shaping.lock == "translation"  # type: ignore[attr-defined]
    assert found.shaping.dominant  # type: ignore[attr-defined]
    assert found.carrier.scale == 2.0  # type: ignore[attr-defined]
    assert found.carrier.proposed  # type: ignore[attr-defined]
    assert found.carrier.speeds.tolist() == [2.0] * 6  # type: ignore[attr-defined]
    assert found.carrier.efforts.tolist() == [900.0] * 6  # type: ignore[attr-defined]
    assert found.carrier.jerks.tolist() == [300.0] * 6  # type: ignore[attr-defined]
    assert found.question.frames == 29.97  # type: ignore[attr-defined]
    assert found.carrier.clash is not None  # type: ignore[attr-defined]
    alone = "limits: robot; proposed: limits(acceleration: 9 rad/s^2)"
    found = setting("lens(35 mm) on robot.flange", alone)
    assert found.carrier.accelerations.tolist() == [9.0] * 6  # type: ignore[attr-defined]
    assert np.isinf(found.carrier.speeds).all()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("camera", "more", "says"),
    [
        ("lens(0 mm) at (0, 1, 3)", "mode: fly", "focal length"),
        ("lens(35 mm) at (0, 1.1, -3)", "look: at block.top", r":13:1: .* inside the camera"),
        ("lens(35 mm) on robot.flange", "limits: block", "name a figure"),
        ("lens(35 mm) at (0, 1, 3)", "mode: fly, object", "contradict"),
        ("lens(35 mm) at (0, 1, 3)", "mode: rotation only, translation only", "leave nothing"),
        ("lens(35 mm) on robot.flange",
         "proposed: limits(speed: 0 rad/s, acceleration: 1 rad/s^2)", "greater than 0"),
        ("lens(35 mm) on robot.flange", "proposed: limits()", "no limit is proposed"),
        ("lens(35 mm) on robot.flange",
         "proposed: limits(2 rad/s, 9 rad/s^2, jerk: 0 rad/s^3)", "jerk is greater than 0"),
        ("lens(35 mm) on robot.flange", "body: box(0 cm, 1 cm, 1 cm)", "width of a camera"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_told(camera: str, more: str, says: str) -> None:
    with pytest.raises(ArticulataError, match=says):
        setting(camera, more)


def test_film_judges_a_move_and_says_what_it_lacks() -> None:
    request = art.parse(
        TEXT.replace("CAMERA", "lens(35 mm) on robot.flange").replace("MORE", "limits: robot")
    ).requests[0]
    with pytest.raises(KinematicsError, match="load_move"):
        art.film(request)
    found = art.setting_of(request)
    frames = np.tile(found.X_WC, (3, 1, 1))
    verdict = art.film(request, move=art.CameraMove(frames, 25))  # type: ignore[arg-type]
    assert verdict.follows
    free = art.parse(
        TEXT.replace("CAMERA", "lens(35 mm) at (0, 1, 3)").replace("MORE", "mode: fly")
    )
    with pytest.raises(WorldError, match="no robot"):
        art.film(free.requests[0])


def test_what_touches_from_the_start_is_told_in_one_sentence() -> None:
    text = (ROOMS / "museum.art").read_text("utf-8")
    notes = art.setting_of(art.parse(text, "museum").requests[0]).notes
    touching = [note for note in notes if "touches" in note]
    assert touching == [
        "u1 touches base and ground at the start, as what a robot stands on or holds does: "
        "collisions between these are not looked for"
    ]
