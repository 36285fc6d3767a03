"""A front as one HTML file: its postures in their room, what each costs, and a slider.

As the page of a recording it holds everything, opens offline, and asks nobody for anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from articulata.report.fronts import recording_of
from articulata.report.page.replay import data_of
from articulata.report.page.sheet import sheet

if TYPE_CHECKING:
    from articulata.records.pose import Front

MOST_IMAGE = 600
"""Dots of what else is attainable."""


def page(front: Front, title: str) -> str:
    """Return the page of a front; RecordingError where it was asked of a figure without a world."""
    shown = data_of(recording_of(front), (), list(range(len(front))))
    return sheet(
        "front.html",
        ("front.js",),
        shown | _front(front),
        title=title,
        subtitle=front.summary(),
        targets="; ".join(front.targets),
    )


def _front(front: Front) -> dict[str, object]:
    moved = np.flatnonzero(np.ptp(np.vstack([front.q, front.start]), axis=0) > 1e-9)
    scale = np.where([unit == "m" for unit in front.units], 100.0, 180.0 / np.pi)
    return {
        "aims": [
            {"name": aim.name, "unit": "" if aim.unit == "1" else aim.unit, "high": aim.high,
             "source": aim.source}
            for aim in front.aims
        ],
        "values": front.values.tolist(),
        "utopia": front.utopia.tolist(),
        "image": front.image[:: max(1, len(front.image) // MOST_IMAGE)].tolist(),
        "labels": list(front.labels),
        "binds": list(front.binds),
        "knee": front.knee,
        "chosen": front.chosen,
        "coordinates": [
            {"name": front.names[i], "unit": "cm" if front.units[i] == "m" else "deg",
             "values": (front.q[:, i] * scale[i]).round(2).tolist()}
            for i in moved
        ],
    }  # fmt: skip
