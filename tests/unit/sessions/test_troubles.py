"""Troubles of devices and sensors are told once, and so is their end."""

from __future__ import annotations

from articulata.records.samples import DeviceReport
from articulata.records.tracking import GOOD, SILENT, SensorHealth
from articulata.sessions.track.troubles import Troubles


def test_each_trouble_is_told_once_and_its_end() -> None:
    told: list[str] = []
    troubles = Troubles(told.append)
    for seconds in (1, 2, 3):
        troubles.of_devices([DeviceReport("left", trouble=f"nothing has come for {seconds} s")])
    troubles.of_devices([DeviceReport("left", notice="a second one sends as well")])
    troubles.of_devices([DeviceReport("left", notice="a second one sends as well")])
    for state in (GOOD, SILENT, SILENT, GOOD):
        troubles.of_sensors([SensorHealth(3, "r_forearm", 30.0, 0.0, 0.0, state)])
    assert told == [
        "nothing has come for 1 s",
        "left: it is heard again",
        "a second one sends as well",
        "station 3 (r_forearm) is silent; see that its sensor is plugged in. The others go on",
        "station 3 (r_forearm) is heard again",
    ]
