"""Plots of a recording over time: one panel a unit, events marked, the same bytes every time."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from articulata.report.default_quantities import default_paths, without_idle_causes
from articulata.world.taken import not_taken

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from articulata.records.recording import Recording
    from articulata.records.stored import Quantity

INKS = ("#1f6feb", "#d9480f", "#2b8a3e", "#9c36b5", "#0b7285", "#a61e4d", "#866118", "#495057")
EVENT = "#c2410c"
MOST_EVENTS = 200
"""Marks beyond this number would be a wall; the log has them all."""


@contextmanager
def drawing() -> Iterator[None]:
    """Draw with settings of our own, whatever the user's matplotlib is set to."""
    import matplotlib as mpl

    own = {
        **mpl.rcParamsDefault,
        "font.size": 9.0,
        "font.family": ["DejaVu Sans"],
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.edgecolor": "#9aa6b5",
        "axes.labelcolor": "#3b4654",
        "xtick.color": "#5b6675",
        "ytick.color": "#5b6675",
        "grid.color": "#e3e7ec",
        "lines.linewidth": 1.3,
        "legend.frameon": False,
        "svg.hashsalt": "articulata",
        "svg.fonttype": "path",
        "savefig.dpi": 150.0,
    }
    own.pop("backend", None)
    with mpl.rc_context(own):
        yield


def plot(recording: Recording, paths: Sequence[str] | None = None) -> Figure:
    """Return a figure of ``paths`` over time; quantities of one unit share a panel.

    None takes the energies, or what the recording has instead.
    """
    from matplotlib.figure import Figure

    from articulata.records.recording import Recording

    if not isinstance(recording, Recording):
        raise not_taken("plot", "a recording", recording)
    chosen = default_paths(recording)[:1] if paths is None else paths
    quantities = [without_idle_causes(recording.quantity(path), recording) for path in chosen]
    panels = _panels([each for each in quantities if each.names])
    with drawing():
        figure = Figure(figsize=(8.0, 1.0 + 2.1 * max(1, len(panels))), layout="constrained")
        axes = figure.subplots(max(1, len(panels)), 1, sharex=True, squeeze=False)[:, 0]
        for axis, panel in zip(axes, panels, strict=False):
            _draw(axis, recording, panel)
        axes[-1].set_xlabel("time (s)")
    return figure


def _panels(quantities: Sequence[Quantity]) -> list[list[Quantity]]:
    """Put quantities of one unit together, vectors apart where lines would be too many."""
    panels: list[list[Quantity]] = []
    for quantity in quantities:
        for panel in panels:
            lines = sum(len(each.names) for each in panel) + len(quantity.names)
            if panel[0].unit == quantity.unit and lines <= len(INKS):
                panel.append(quantity)
                break
        else:
            panels.append([quantity])
    return panels


def _draw(axis: Any, recording: Recording, panel: list[Quantity]) -> None:
    lines = [
        (name, column)
        for quantity in panel
        for name, column in zip(
            quantity.names,
            quantity.values.reshape(len(recording.times), -1).T,
            strict=True,
        )
    ]
    for number, (name, column) in enumerate(lines):
        axis.plot(recording.times, column, color=INKS[number % len(INKS)], label=name)
    events = np.array([event.time for event in recording.events[:MOST_EVENTS]])
    for time in np.unique(events):
        axis.axvline(time, color=EVENT, linewidth=0.9, linestyle=(0, (3, 3)), alpha=0.7, zorder=1.5)
    axis.set_ylabel(panel[0].unit or "1")
    axis.grid(visible=True)
    axis.margins(x=0.01)
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8, handlelength=1.2)


def picture(figure: Figure, suffix: str) -> bytes:
    """Return ``figure`` as the bytes of a file: ".png", ".svg" or ".pdf", without a time stamp."""
    kind = suffix.lstrip(".").lower()
    stamps: dict[str, dict[str, None]] = {
        "png": {"Software": None},
        "svg": {"Date": None, "Creator": None},
        "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    }
    out = io.BytesIO()
    with drawing():
        figure.savefig(out, format=kind, metadata=stamps[kind])
    return out.getvalue()


PICTURES = (".png", ".svg", ".pdf")


def is_picture(path: Path) -> bool:
    """Return whether ``path`` has a suffix that ``picture`` writes."""
    return path.suffix.lower() in PICTURES
