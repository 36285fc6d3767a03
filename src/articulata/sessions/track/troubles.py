"""What is the matter with devices and sensors, told once however long it lasts, and its end."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable

from articulata.records.samples import DeviceReport
from articulata.records.tracking import SILENT, SensorHealth

_NUMBERS = re.compile("[0-9]+")

GRACE = 1.0
"""Seconds for which a sensor that is not yet heard must count as silent until that is told: at the
beginning, and when a device is heard again, its sensors come one after another."""


class Troubles:
    """Tells ``say`` what is new."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._known: dict[str, str] = {}
        self._silent: dict[int, float] = {}
        self._heard: set[int] = set()

    def of_devices(self, reports: Iterable[DeviceReport]) -> None:
        """Tell what is the matter with devices."""
        for report in reports:
            if report.trouble:
                self._silent.clear()
                self._heard.clear()
            self._tell(report.name, report.trouble, f"{report.name}: it is heard again")
            self._tell(f"{report.name}, beside", report.notice)

    def of_sensors(self, sensors: Iterable[SensorHealth], now: float) -> None:
        """Tell which sensors are silent at ``now`` (s) while their device is heard."""
        for each in sensors:
            who = f"station {each.station} ({each.role})"
            if each.state != SILENT:
                self._silent.pop(each.station, None)
                self._heard.add(each.station)
                self._tell(who, "", f"{who} is heard again")
                continue
            since = self._silent.setdefault(each.station, now)
            if each.station not in self._heard and now - since < GRACE:
                continue
            check, held = "see that its sensor is plugged in", ""
            if math.isinf(each.age):
                check += f", and that its number is {each.station}"
            else:
                held = f"The {each.role} is held beside what carries it; "
            others = "the others go on" if held else "The others go on"
            self._tell(who, f"{who} is silent; {check}. {held}{others}")

    def _tell(self, who: str, trouble: str, well: str = "") -> None:
        before = self._known.get(who, "")
        self._known[who] = trouble
        # for how many seconds it has lasted is no news
        if _NUMBERS.sub("", trouble) != _NUMBERS.sub("", before) and (story := trouble or well):
            self._say(story)
