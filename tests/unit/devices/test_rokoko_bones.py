"""A suit of Rokoko: frames of its JSON made by hand drive the stations as bones are turned."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Turn

from articulata.devices.known_devices import makers
from articulata.devices.orientation.motion_suits import BONE_OF, RokokoBones
from articulata.devices.orientation.sensor_readings import NoReading
from articulata.records.tracking import STATIONS
from articulata.sessions.track.sample_sources import opened
from articulata.world.requests.choices import DeviceChoice
from mutations import COUNTS, mutated

IN_T = {
    "head": (0.0, 0.0, 1.0, 0.0), "chest": (0.0, 0.0, 1.0, 0.0),
    **{f"right{part}": (0.5, -0.5, 0.5, 0.5) for part in ("UpperArm", "LowerArm", "Hand")},
    **{f"left{part}": (-0.5, -0.5, 0.5, -0.5) for part in ("UpperArm", "LowerArm", "Hand")},
}  # fmt: skip
"""x, y, z, w, as Rokoko's plugin for Unity has them (Actor.cs, SmartsuitTPose)."""


def frame(turns: Mapping[str, Turn], *, time: float = 3.0, name: str = "anna") -> bytes:
    """A frame of JSON v3 whose bones are turned so, in Unity's axes, since the T posture."""
    body = {}
    for bone, before in IN_T.items():
        q = (turns.get(bone, Turn.identity()) * Turn.from_quat(before)).as_quat()
        body[bone] = {
            "position": {"x": 0.1, "y": 1.2, "z": 0.0},
            "rotation": dict(zip("xyzw", map(float, q), strict=True)),
        }
    actor = {"name": name, "color": [1, 2, 3], "meta": {"hasBody": True}, "body": body}
    scene = {"timestamp": time, "actors": [actor], "props": []}
    return json.dumps({"version": 3, "fps": 60, "scene": scene}).encode()


def test_bones_of_the_t_posture_are_at_zero_and_turn_as_the_room_sees_them() -> None:
    device = RokokoBones(0)
    found = device.said(frame({}), 1.0)
    assert found is not None
    assert sorted(each.station for each in found) == sorted(STATIONS)
    for each in found:
        assert abs(each.q[0]) == pytest.approx(1.0)
    # Unity's axes are left-handed, x right, y up, z ahead. A right arm that is lowered goes from
    # right to down: in its axes by -90 deg about z; in ours (ahead, right, down) by 90 about ahead
    lowered = frame({BONE_OF["r_upper_arm"]: Turn.from_rotvec((0.0, 0.0, -math.pi / 2))}, time=3.1)
    (arm,) = (each for each in device.said(lowered, 1.1) or () if each.station == 2)
    w, *v = arm.q
    assert abs(w) == pytest.approx(math.sqrt(0.5))
    down = Turn.from_quat((*v, w)).apply((0.0, 1.0, 0.0))
    np.testing.assert_allclose(down, (0.0, 0.0, 1.0), atol=1e-12)
    # one that points ahead: by -90 deg about y there; ahead is x of ours
    ahead = frame({BONE_OF["l_upper_arm"]: Turn.from_rotvec((0.0, math.pi / 2, 0.0))}, time=3.2)
    (arm,) = (each for each in device.said(ahead, 1.2) or () if each.station == 6)
    w, *v = arm.q
    np.testing.assert_allclose(
        Turn.from_quat((*v, w)).apply((0.0, -1.0, 0.0)), (1.0, 0.0, 0.0), atol=1e-12
    )
    with pytest.raises(NoReading, match="another actor"):
        device.said(frame({}, name="ben"), 1.3)
    assert device.said(b'{"scene": {"actors": []}}', 1.4) is None
    assert opened((DeviceChoice("rokoko"),)).bones
    assert makers()["rokoko"](None).name == "rokoko 14043"


@pytest.mark.parametrize("count", COUNTS)
def test_mutated_packets_end_in_samples_or_in_counts(count: int) -> None:
    device, samples = RokokoBones(0), 0
    for number, data in enumerate(mutated([frame({})], count)):
        for sample in device.take(data, ("127.0.0.1", 50000), 0.01 * number):
            assert abs(math.hypot(*sample.q) - 1.0) < 1e-9
            samples += 1
    assert samples > 0.02 * count
    assert len(device.report().damaged) <= 5
