"""A strip: N snapshots of a motion side by side in one picture, with the log beside them.

So did the 1986 report show a figure rising from a seat (Hoffmann & Hopcroft 1986, Figure 4.1):
the replay's dialogue on the left, the snapshots on the right. All are seen by one camera.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import numpy as np

from articulata.errors import RecordingError
from articulata.report.drawn_scene import scene_of
from articulata.report.picture import View, picture, view_of
from articulata.report.plots import dissipated, drawing
from articulata.world.document import call_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from articulata.records.recording import Recording

MOST = 60
"""Snapshots in one strip; more would each be a stamp."""

WIDE_INCHES, TALL_INCHES, PANEL_INCHES = 12.0, 7.0, 3.4
"""Room for the snapshots, and the height beyond which one of them does not grow."""

CAPTION_INCHES = 0.28
GAP_INCHES = 0.05
LOG_INCHES = 3.2
LOG_COLUMNS = 48
DOTS = 150


def strip(
    recording: Recording,
    start: float,
    end: float,
    count: int,
    *,
    view: View | None = None,
    log: bool = True,
) -> Figure:
    """Return ``count`` snapshots from ``start`` to ``end`` (s), with the ``log`` beside them."""
    _check(start, end, count)
    from matplotlib.figure import Figure

    instants = np.linspace(start, end, count) if count > 1 else np.array([start])
    frames = [recording.nearest(float(instant)) for instant in instants]
    scene = scene_of(recording, frames)
    seen = view_of(scene) if view is None else view
    across, tall = _layout(count, seen.aspect)
    rows = -(-count // across)
    wide = tall * seen.aspect
    beside = LOG_INCHES if log else 0.0
    width = beside + across * (wide + GAP_INCHES)
    height = rows * (tall + CAPTION_INCHES) + GAP_INCHES
    with drawing():
        figure = Figure(figsize=(width, height), dpi=DOTS)
        for number, frame in enumerate(frames):
            row, column = divmod(number, across)
            box = (
                (beside + column * (wide + GAP_INCHES)) / width,
                1 - (GAP_INCHES + row * (tall + CAPTION_INCHES) + tall) / height,
                wide / width,
                tall / height,
            )
            axis = figure.add_axes(box)
            axis.set_axis_off()
            axis.imshow(
                picture(scene, number, seen, round(tall * DOTS)),
                interpolation="nearest",
                aspect="auto",
            )
            figure.text(
                box[0] + box[2] / 2,
                box[1] - 0.06 / height,
                f"{recording.times[frame]:.3f} s",
                ha="center",
                va="top",
                color="#3b4654",
            )
        if log:
            figure.text(
                0.12 / width,
                1 - 0.12 / height,
                _log(recording, start, end, frames, int((height - 0.3) / 0.132)),
                family="DejaVu Sans Mono",
                fontsize=7.0,
                linespacing=1.35,
                va="top",
                color="#1d2430",
            )
    return figure


def _layout(count: int, aspect: float) -> tuple[int, float]:
    """Return how many snapshots stand in a row, and how tall each is in inches.

    One row wherever that does not make them small; wide scenes take several.
    """

    def tall(across: int) -> float:
        rows = -(-count // across)
        return min(
            PANEL_INCHES,
            WIDE_INCHES / across / aspect,
            TALL_INCHES / rows - CAPTION_INCHES,
        )

    best = max(range(1, count + 1), key=lambda across: (tall(across), across))
    chosen = count if tall(count) > 0.75 * tall(best) else best
    return chosen, max(tall(chosen), 0.5)


def _check(start: float, end: float, count: int) -> None:
    if not (np.isfinite(start) and np.isfinite(end)) or end < start:
        raise RecordingError(
            f"a strip from {start} s to {end} s is not possible; give a start and a later end in s"
        )
    if not 1 <= count <= MOST:
        raise RecordingError(f"a strip of {count} snapshots is not possible; give 1 to {MOST}")


def _log(recording: Recording, start: float, end: float, frames: list[int], lines: int) -> str:
    """Return the dialogue of the replay: what is shown, and what happened meanwhile."""
    world, header = recording.world, recording.header
    text = [call_of(world), ""]
    if header.method:
        text.append(f"method      {header.method}")
    text += [
        f"from        {start:g} s",
        f"to          {end:g} s",
        f"snapshots   {len(frames)}",
        f"bodies      {len(world.bodies)}, hinges {len(world.hinges)}",
    ]
    energies = recording.channels.get("dynamic.energy")
    if energies is not None and "total" in (energies.labels or energies.columns):
        total = recording.series("energy.total")[[frames[0], frames[-1]]]
        text.append(f"energy      {total[0]:.6g} J to {total[1]:.6g} J")
    text += [f"dissipated  {lost:.6g} J by {by}" for by, lost in dissipated(recording).items()]
    text.append("")
    events = [event for event in recording.events if start <= event.time <= end]
    if not events:
        text.append("no events")
    for event in events:
        story = event.story or f"{event.kind} {', '.join(event.who)}"
        text += textwrap.wrap(
            f"{event.time:9.4f} s  {story}",
            LOG_COLUMNS,
            subsequent_indent=" " * 13,
            # A feature's name is not torn; there is room beside the column for a few letters.
            break_long_words=False,
            break_on_hyphens=False,
        )
    if len(text) > lines:
        rest = len(events) - sum(
            line[:1] == " " and line[11:12] == "s" for line in text[: lines - 1]
        )
        text = [*text[: lines - 1], f"and more; {len(events)} events in all" if rest else ""]
    return "\n".join(line.rstrip() for line in text).rstrip()
