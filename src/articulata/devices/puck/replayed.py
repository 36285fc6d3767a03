"""A recorded puck: its reports come again when they came."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import cast

from articulata.devices.puck.hid_reports import Six
from articulata.records.device_reports import DeviceReports


class ReplayedPuck:
    """Says ``reports`` again from the first ``read`` on; ``clock`` gives s, ``sleep`` waits."""

    def __init__(
        self,
        name: str,
        reports: DeviceReports,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name, self.matter, self.fault = name, "", ""
        self._reports, self._clock, self._sleep = reports, clock, sleep
        self._begun: float | None = None
        self._said = 0

    def read(self, timeout: float) -> Six | None:
        """Return the newest report that is due, None after ``timeout`` s without one."""
        now = self._clock()
        if self._begun is None:
            self._begun = now
        if self._said == len(self._reports.times):
            self.matter = f"{self.name}: all that was recorded has been played"
            self._sleep(timeout)
            return None
        wait = self._begun + float(self._reports.times[self._said]) - now
        self._sleep(min(max(wait, 0.0), timeout))
        if wait > timeout:
            return None
        self._said = max(self._reports.known(self._clock() - self._begun), self._said + 1)
        return cast(Six, tuple(self._reports.axes[self._said - 1].tolist()))

    def close(self) -> None:
        """Let it go."""
