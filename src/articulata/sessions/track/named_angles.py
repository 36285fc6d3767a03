"""Joint angles of a take in the names of others: OpenSim's full-body model, or the ISB's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from articulata.analyses.track.body import tracked_body
from articulata.analyses.track.isb import isb_angles
from articulata.analyses.track.rajagopal import rajagopal_angles
from articulata.errors import FormatError
from articulata.formats import csv
from articulata.formats.opensim import write_storage
from articulata.geometry.arrays import Array, BoolArray
from articulata.geometry.quaternion import q_conjugate, q_multiply
from articulata.kinematics.world_figure import figure_of
from articulata.records.files import write_whole
from articulata.records.recording import Recording
from articulata.records.rows import BASE, JOINT

OPENSIM, ISB = "opensim", "isb"
SINGULAR = "_singular"
"""How names of what is no angle end: 1 where outer angles cannot be told apart, else 0."""


def export_angles(recording: Recording, to: Path, who: Sequence[str] | None, names: str) -> None:
    """Write a recording's angles as ``.mot`` (deg), ``.sto`` (rad) or ``.csv`` (deg).

    ``who`` chooses among its figures, ``names`` is OPENSIM or ISB.
    """
    if names not in (OPENSIM, ISB):
        raise FormatError(f"--angles is {OPENSIM} or {ISB}, not {names!r}")
    suffix = to.suffix.lower()
    if suffix not in (".mot", ".sto", ".csv"):
        raise FormatError(f"--angles are written as .mot, .sto or .csv, not as '{to.suffix}'")
    if JOINT not in recording.channels or not len(recording.times):
        raise FormatError("angles are written of a recording with figures; this one has none")
    bases = list(recording.channels[BASE].labels)
    known = [
        name
        for name in bases
        if name in {x.partition(".")[0] for x in recording.channels[JOINT].labels}
    ]
    chosen = list(who or known)
    if strange := [name for name in chosen if name not in known]:
        raise FormatError(
            f"the recording has no figure '{strange[0]}'; its figures are {', '.join(known)}"
        )
    # of two frames at one instant the later holds
    last = np.append(np.diff(recording.times) > 0.0, True)
    columns: dict[str, Array] = {}
    for name in chosen:
        before = f"{name}." if len(chosen) > 1 else ""
        found = _angles(recording, name, last, names)
        columns |= {f"{before}{key}": value for key, value in found.items()}
    if suffix != ".sto":
        columns = {k: v if k.endswith(SINGULAR) else np.degrees(v) for k, v in columns.items()}
    values, times = np.stack(list(columns.values()), axis=1), recording.times[last]
    if suffix == ".csv":
        units = ("s", *("" if name.endswith(SINGULAR) else "deg" for name in columns))
        text = csv.write(csv.Columns(("time", *columns), units, np.column_stack((times, values))))
    else:
        text = write_storage(
            ", ".join(chosen), times, list(columns), values, degrees=suffix == ".mot"
        )
    write_whole(to, text.encode())


def _angles(recording: Recording, name: str, last: BoolArray, names: str) -> dict[str, Array]:
    body = tracked_body(figure_of(recording.world, name))
    labels = list(recording.channels[JOINT].labels)
    columns = [labels.index(f"{name}.{joint}") for joint in body.figure.names]
    q = np.array(recording.array(JOINT))[last][:, columns]
    if names == ISB:
        return isb_angles(body, q)
    row = list(recording.channels[BASE].labels).index(name)
    stood = recording.world.figures[name].stand.orientation
    q_WF = np.array(recording.array(BASE))[last, row, 3:]
    return rajagopal_angles(body, q, q_multiply(q_conjugate(np.array(stood)), q_WF))
