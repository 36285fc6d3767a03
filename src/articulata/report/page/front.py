"""A front as one HTML file: its postures in their room, what each costs, and a slider.

As the page of a recording it holds everything, opens offline, and asks nobody for anything.
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from articulata.records.header import versions
from articulata.report.fronts import recording_of
from articulata.report.page.replay import Raw, data_of

if TYPE_CHECKING:
    from articulata.records.pose import Front

SCRIPTS = ("data.js", "camera.js", "arrows.js", "scene.js", "front.js")

MOST_IMAGE = 600
"""Dots of what else is attainable."""


def page(front: Front, title: str) -> str:
    """Return the page of a front; RecordingError where it was asked of a figure without a world."""
    import jinja2

    folder = files(__package__)
    environment = jinja2.Environment(
        autoescape=True, keep_trailing_newline=True, undefined=jinja2.StrictUndefined
    )
    template = environment.from_string(folder.joinpath("front.html").read_text("utf-8"))
    script = "\n".join(folder.joinpath(name).read_text("utf-8") for name in SCRIPTS)
    recording = recording_of(front)
    said = data_of(recording, (), list(range(len(front)))) | _front(front)
    return template.render(
        title=title,
        subtitle=front.summary(),
        targets="; ".join(front.targets),
        version=versions()["articulata"],
        recording=Raw(msgspec.json.encode(said).decode().replace("<", "\\u003c")),
        script=Raw(f'"use strict";\n{script}'),
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
