"""Troubles of devices and sensors are told once, and so is their end."""

from __future__ import annotations

from math import inf

from articulata.records.samples import DeviceReport
from articulata.records.tracking import GOOD, SILENT, SensorHealth
from articulata.sessions.track.news import Troubles


def test_each_trouble_is_told_once_and_its_end() -> None:
    told: list[str] = []
    troubles = Troubles(told.append)
    for seconds in (1, 2, 3):
        troubles.of_devices([DeviceReport("left", trouble=f"nothing has come for {seconds} s")])
    troubles.of_devices([DeviceReport("left", notice="a second one sends as well")])
    troubles.of_devices([DeviceReport("left", notice="a second one sends as well")])
    for now, state in enumerate((GOOD, SILENT, SILENT, SILENT, GOOD)):
        troubles.of_sensors([SensorHealth(3, "r_forearm", 30.0, 0.0, 0.0, state)], float(now))
    assert told == [
        "nothing has come for 1 s",
        "left: it is heard again",
        "a second one sends as well",
        "station 3 (r_forearm) is silent; see that its sensor is plugged in. The r_forearm is held"
        " beside what carries it; the others go on",
        "station 3 (r_forearm) is heard again",
    ]


def test_a_sensor_that_was_heard_is_told_as_soon_as_it_is_silent() -> None:
    """Two seconds of silence are told: one passes until it counts as silent."""
    told: list[str] = []
    troubles = Troubles(told.append)
    troubles.of_sensors([SensorHealth(3, "r_forearm", 30.0, 0.0, 0.0, GOOD)], 0.0)
    troubles.of_sensors([SensorHealth(3, "r_forearm", 0.0, 1.1, 0.0, SILENT)], 1.1)
    assert len(told) == 1
    troubles.of_sensors([SensorHealth(3, "r_forearm", 30.0, 0.0, 0.0, GOOD)], 2.0)
    assert told[1] == "station 3 (r_forearm) is heard again"


def test_who_has_only_just_begun_is_not_silent() -> None:
    """At the beginning, and after a plug is back, sensors are heard one after another."""
    told: list[str] = []
    troubles = Troubles(told.append)
    unheard = SensorHealth(9, "r_forearm", 0.0, inf, 0.0, SILENT)
    for now in (0.0, 0.5, 0.9):
        troubles.of_sensors([unheard], now)
    troubles.of_devices([DeviceReport("left", trouble="left is gone")])
    troubles.of_devices([DeviceReport("left")])
    troubles.of_sensors([unheard], 1.2)
    assert told == ["left is gone", "left: it is heard again"]
    troubles.of_sensors([unheard], 2.3)
    assert told[2] == (
        "station 9 (r_forearm) is silent; see that its sensor is plugged in, and that its number"
        " is 9. The others go on"
    )
