"""OpenSim's files of numbers over time: a motion (``.mot``) of coordinates, storage (``.sto``).

A header of lines, "endheader", a line of names separated by tabs, then a line of numbers for each
instant. Source: OpenSim's user's guide, Storage (.sto) and Motion (.mot) files.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from articulata.errors import FormatError
from articulata.geometry.arrays import Array


def write_storage(
    name: str, times: Array, names: Sequence[str], values: Array, *, degrees: bool
) -> str:
    """Return a file of ``values`` (n, columns) at ``times`` (n,) s, called ``names``.

    ``degrees`` says that angles among them are in degrees rather than in radians.
    """
    if values.shape != (len(times), len(names)):
        raise FormatError(
            f"{len(times)} times and {len(names)} names do not belong to values of shape"
            f" {values.shape}"
        )
    if np.any(np.diff(times) <= 0.0):
        raise FormatError("times of a motion rise; leave out frames of the same instant")
    columns = [each.replace("\t", " ").replace(" ", "_") for each in names]
    lines = [
        name.replace("\n", " "),
        "version=1",
        f"nRows={len(times)}",
        f"nColumns={len(names) + 1}",
        f"inDegrees={'yes' if degrees else 'no'}",
        "endheader",
        "\t".join(("time", *columns)),
    ]
    for time, row in zip(times.tolist(), values.tolist(), strict=True):
        lines.append("\t".join(map(repr, (time, *row))))
    return "\n".join(lines) + "\n"
