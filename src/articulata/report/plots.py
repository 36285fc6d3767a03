"""Plots of a recording over time: one panel a unit, events marked, the same bytes every time.

Where nobody has said which quantities are worth showing, some are usual. Evolutions are plotted as
they come nearer from generation to generation, beside the exact answer. Of many runs each is a line
coloured by what was varied.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from articulata.errors import NameNotFound, RecordingError
from articulata.geometry.arrays import Array, Float64
from articulata.records.stored import several
from articulata.report.recording_tables import quantities_of
from articulata.world.unfit_arguments import not_taken

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from matplotlib.figure import Figure as Drawing

    from articulata.records.posture_fronts import Front
    from articulata.records.recording import Recording
    from articulata.records.stored import Quantity
    from articulata.records.variations import Variations

MOST_NODES = 12
"""Bodies and hinges beyond this number are left to those who ask for them by name."""


ENERGIES = ("total", "kinetic", "potential", "elastic", "work", "dissipated")
"""Parts of the energy in the order of interest; what was dissipated follows by its causes."""


def energies(recording: Recording) -> tuple[str, ...]:
    """Return the paths of total, kinetic, potential energy, and of what else is not always zero.

    What was dissipated stands alone where it has one cause only.
    """
    channel = recording.channels.get("dynamic.energy")
    known = () if channel is None else channel.labels
    found = []
    for part in ENERGIES:
        if part in known:
            values = recording.series(f"energy.{part}")
            usual = part in ("total", "kinetic", "potential")
            if np.isfinite(values).any() and (usual or np.nanmax(np.abs(values)) > 0):
                found.append(f"energy.{part}")
    causes = dissipated(recording)
    return (*found, *(f"energy.dissipated.{cause}" for cause in causes if len(causes) > 1))


def dissipated(recording: Recording) -> dict[str, float]:
    """Return what was dissipated until the end, J, by its causes; only those that took anything."""
    channel = recording.channels.get("dynamic.energy")
    known = () if channel is None else channel.labels
    found = {}
    for part in known:
        whole, _, cause = part.partition(".")
        if whole == "dissipated" and cause:
            values = recording.series(f"energy.{part}")
            if np.isfinite(values).any() and np.nanmax(np.abs(values)) > 0:
                found[cause] = float(values[np.isfinite(values)][-1])
    return found


def without_idle_causes(quantity: Quantity, recording: Recording) -> Quantity:
    """Return the channel of energies without causes of dissipation that took nothing."""
    if quantity.path != "dynamic.energy":
        return quantity
    causes = dissipated(recording)
    kept = [
        k
        for k, part in enumerate(quantity.parts)
        if not part.startswith("dissipated.")
        or (len(causes) > 1 and part.partition(".")[2] in causes)
    ]
    parts = tuple(quantity.parts[k] for k in kept)
    return replace(quantity, values=quantity.values[:, kept], parts=parts)


def default_paths(recording: Recording) -> tuple[str, ...]:
    """Return paths for plots: energy, ways and turns of bodies, loads of hinges, motors and gears.

    A figure is told by the values of its joints, where they are recorded, not by its limbs.
    """
    world, channels = recording.world, recording.channels
    limbs: set[str] = set()
    joined: set[str] = set()
    if "kinematic.coordinate" in channels:
        limbs.update(id for node in world.figures.values() for id in node.carriers)
        joined.update(id for node in world.figures.values() for id in node.joined)
    paths: list[str] = []
    if "dynamic.energy" in channels:
        paths.append("dynamic.energy")
    free = [body for body in world.bodies.values() if body.motion != "fixed"]
    moving = [body.id for body in free if body.id not in limbs][:MOST_NODES]
    hinges = [hinge for hinge in world.hinges.values() if hinge.id not in joined][:MOST_NODES]
    if "geometric.pose" in channels:
        paths += [f"{body}.center" for body in moving]
    if "dynamic.velocity" in channels:
        paths += [f"{body}.v" for body in moving]
    if "dynamic.rate" in channels:
        paths += [f"{body}.w" for body in moving]
    if "dynamic.coordinate" in channels:
        paths += [f"{hinge.id}.{name}" for hinge in hinges for name in hinge.kind.coordinates]
    if "dynamic.hinge_force" in channels:
        paths += [f"{hinge.id}.force" for hinge in hinges]
    if "dynamic.coupling" in channels:
        for each in list(world.couplings.values())[:MOST_NODES]:
            slides = each.terms[-1][0].endswith(".travel")
            paths += [f"{each.id}.{'force' if slides else 'torque'}", f"{each.id}.power"]
    standard = ("dynamic.", "geometric.")
    paths += [name for name in channels if not name.startswith(standard)]
    return tuple(paths)


INKS = ("#1f6feb", "#d9480f", "#2b8a3e", "#ae4bc8", "#0c8599", "#d6336c", "#a67817", "#7d858d")
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


def plot(recording: Recording, paths: str | Sequence[str] | None = None) -> Figure:
    """Return a figure of ``paths`` over time; quantities of one unit, the text's, share a panel.

    None takes the energies, or what the recording has instead.
    """
    from matplotlib.figure import Figure

    from articulata.records.recording import Recording

    if not isinstance(recording, Recording):
        raise not_taken("plot", "a recording", recording)
    chosen = default_paths(recording)[:1] if paths is None else several(paths)
    quantities = [
        without_idle_causes(recording.quantity(each).shown_in(recording.world.units), recording)
        for path in chosen
        for each in quantities_of(recording, path)
    ]
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


class Generations(Protocol):
    """An evolution that was followed over g generations."""

    @property
    def miss(self) -> Float64[Array, "g"]:
        """What the best individual is off its targets, m and rad."""

    @property
    def fronts(self) -> Sequence[Array]:
        """The values (m, k) of the individuals of each generation that meet their targets."""


def plot_convergence(exact: Front, runs: Mapping[str, Generations]) -> Drawing:
    """Return a drawing of how ``runs``, by their names, come near the ``exact`` front.

    Left what the best individual is off its targets, right how far a posture of the exact front is
    on the mean from the nearest individual, in shares of what is attainable (the inverted
    generational distance). Runs are ``Evolution`` and what the benchmarks' ``peer_front`` returns.
    """
    from matplotlib.figure import Figure as Drawing

    if not exact.found:
        raise RecordingError(f"there is no front to come near to. {exact.reason}")
    with drawing():
        figure = Drawing(figsize=(9.0, 3.6), layout="constrained")
        left, right = figure.subplots(1, 2)
        for number, (name, run) in enumerate(runs.items()):
            color = INKS[number % len(INKS)]
            generation = np.arange(1, len(run.miss) + 1)
            left.plot(generation, np.maximum(run.miss, _LEAST), color=color, label=name)
            far = [distance(exact, values) for values in run.fronts]
            right.plot(generation, np.maximum(far, _LEAST), color=color, label=name)
        left.set(yscale="log", xlabel="generation", ylabel="off its target (m, rad)")
        right.set(yscale="log", xlabel="generation", ylabel="off the exact front (share)")
        for axis in (left, right):
            axis.grid(visible=True)
            axis.legend(fontsize=7)
    return figure


_LEAST = 1e-9
"""Less is drawn as this: a scale of powers has no 0."""


def distance(exact: Front, values: Float64[Array, "m k"]) -> float:
    """Return how far a posture of the exact front is from the nearest of ``values``, on the mean.

    In shares of what is attainable; NaN where there are no values.
    """
    if not len(values):
        return float("nan")
    attainable = np.ptp(exact.image, axis=0)
    unit = np.where(attainable > 0.0, attainable, 1.0)
    apart = (exact.costs[~exact.dominated, None] - values) / unit
    return float(np.linalg.norm(apart, axis=2).min(axis=1).mean())


FAINT = 40
"""Lines beyond this number are drawn thinner, so that those below can be seen."""


def plot_family(found: Variations, path: str, by: str = "") -> Figure:
    """Return a drawing of ``path`` over time, a line a run, coloured ``by`` a parameter or measure.

    ``by`` is the first parameter where nothing is said; lengths and angles are in the units of the
    text. Raises NameNotFound for a path that no
    ``plot:`` asked for, and for what is no column.
    """
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure

    if path not in found.lines:
        known = ", ".join(found.lines) or "nothing"
        raise NameNotFound(f"'{path}' was not kept over time, {known} was; add plot: {path}")
    found, name = found.shown(), by or found.parameters[0]
    shades, units = found.column(name), (*found.parameter_units, *found.measure_units)
    unit = units[(*found.parameters, *found.measures).index(name)]
    seen = shades[np.isfinite(shades)]
    scale = Normalize(*((seen.min(), seen.max()) if len(seen) else (0.0, 1.0)))
    with drawing():
        figure = Figure(figsize=(8.0, 4.0), layout="constrained")
        axis = figure.subplots()
        width = 1.3 if len(shades) <= FAINT else 0.6
        for line, shade in zip(found.lines[path], shades, strict=True):
            if line is not None and np.isfinite(shade):
                axis.plot(*line, color=colormaps["viridis"](scale(shade)), linewidth=width)
        label = f"{name} ({unit})" if unit else name
        figure.colorbar(ScalarMappable(scale, "viridis"), ax=axis, label=label)
        axis.set_xlabel("time (s)")
        unit = found.line_units.get(path, "")
        axis.set_ylabel(f"{path} ({unit})" if unit else path)
        axis.grid(visible=True)
        axis.margins(x=0.01)
    return figure


def plot_fits(curves: Sequence[tuple[str, str, Array]]) -> Figure:
    """Return a drawing of curves by name and unit: times, measured, simulated, residual (n, 4)."""
    from matplotlib.figure import Figure

    with drawing():
        figure = Figure(figsize=(8.0, 4.2 * len(curves)), layout="constrained")
        ratios = [2.4, 1.0] * len(curves)
        axes = figure.subplots(2 * len(curves), 1, height_ratios=ratios, squeeze=False)[:, 0]
        for above, below, (name, unit, values) in zip(axes[::2], axes[1::2], curves, strict=True):
            times, measured, simulated, left = values.T
            above.plot(times, measured, ".", color="#9aa6b5", markersize=3.0, label="measured")
            above.plot(times, simulated, color=INKS[0], label="simulated")
            above.set_ylabel(f"{name} ({unit})" if unit else name)
            above.legend(fontsize=8)
            below.plot(times, left, ".", color=INKS[1], markersize=3.0)
            below.set_ylabel("residual")
            below.axhline(0.0, color="#9aa6b5", linewidth=0.9)
            below.set_xlabel("time (s)")
            for axis in (above, below):
                axis.grid(visible=True)
                axis.margins(x=0.01)
        figure.align_ylabels(axes)
    return figure
