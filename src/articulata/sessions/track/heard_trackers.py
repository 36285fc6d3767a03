"""Which trackers are there: they are heard for some seconds, and named with how they turned."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from articulata.devices.known_devices import slimevr
from articulata.errors import ArticulataError

ASKING = 8.0
"""Seconds for which trackers are heard: they look for a server once a second."""


def which_trackers(
    port: str | None, say: Callable[[str], None], seconds: float | None = None
) -> ArticulataError:
    """Return what has to be said before trackers can be followed: where each of them sits.

    Whoever turns one meanwhile finds it by how far it turned.
    """
    lasting = min(seconds or ASKING, ASKING)
    with slimevr(port) as device:
        say(
            f"it is not said which tracker sits where: for {lasting:g} s trackers are heard, the"
            " one that turns farthest is told first"
        )
        end = time.monotonic() + lasting
        while (left := end - time.monotonic()) > 0.0:
            device.read(min(left, 0.2))
        heard = sorted(device.sensors.items(), key=lambda each: -each[1].turned)
        report = device.report()
    if not heard:
        return ArticulataError(f"{report.trouble} ({report.told})")
    lines = "; ".join(
        f"{name} ({each.rate:.0f} a second, turned by {math.degrees(each.turned):.0f} deg)"
        for name, each in heard
    )
    return ArticulataError(
        f"trackers that were heard: {lines}. Say where they sit, as in --stations"
        f' "{heard[0][0]} r_upper_arm, ..."'
    )
