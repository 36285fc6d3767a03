"""What is the matter with devices and sensors, told once however long it lasts, and its end."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from articulata.records.samples import DeviceReport
from articulata.records.tracking import SILENT, SensorHealth

_NUMBERS = re.compile("[0-9]+")


class Troubles:
    """Tells ``say`` what is new."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._known: dict[str, str] = {}

    def of_devices(self, reports: Iterable[DeviceReport]) -> None:
        """Tell what is the matter with devices."""
        for report in reports:
            self._tell(report.name, report.trouble, f"{report.name}: it is heard again")
            self._tell(f"{report.name}, beside", report.notice)

    def of_sensors(self, sensors: Iterable[SensorHealth]) -> None:
        """Tell which sensors are silent while their device is heard."""
        for each in sensors:
            who = f"station {each.station} ({each.role})"
            silent = f"{who} is silent; see that its sensor is plugged in. The others go on"
            self._tell(who, silent if each.state == SILENT else "", f"{who} is heard again")

    def _tell(self, who: str, trouble: str, well: str = "") -> None:
        before = self._known.get(who, "")
        self._known[who] = trouble
        # for how many seconds it has lasted is no news
        if _NUMBERS.sub("", trouble) != _NUMBERS.sub("", before) and (story := trouble or well):
            self._say(story)
