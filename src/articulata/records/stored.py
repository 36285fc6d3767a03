"""Recorded quantities by name: whole channels, rows and single numbers.

An edit may change the rows of a channel or take it away: a row keeps its name through the whole
recording and is NaN where it is not there.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from articulata.errors import RecordingError
from articulata.geometry.arrays import Array
from articulata.records.observed import JOINT, AbsentError, Observed, Stretch, row
from articulata.records.state import Channel, in_units
from articulata.world.model import World


@dataclass(frozen=True, slots=True)
class Quantity:
    """A named quantity over time: ``values`` (n,) or (n, parts), their ``unit`` and part names.

    Where parts have different units, ``unit`` names both ("N, N m") and ``units`` each part's.
    """

    path: str
    values: Array
    unit: str
    parts: tuple[str, ...] = ()
    mixed: tuple[str, ...] = ()

    @property
    def units(self) -> tuple[str, ...]:
        """The unit of each column."""
        return self.mixed or (self.unit,) * len(self.names)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each column, as a table's header has it."""
        if self.values.ndim == 1:
            return (self.path,)
        return tuple(f"{self.path}.{part}" for part in self.parts)

    def shown_in(self, names: Iterable[str]) -> Quantity:
        """Return it as people are shown it whose text has ``units:`` of these ``names``."""
        known = {unit: in_units(names, unit) for unit in {*self.units, *self.unit.split(", ")}}
        sizes = np.array([known[unit][1] for unit in self.units])
        if (sizes == 1.0).all():
            return self
        return replace(
            self,
            values=self.values / (sizes if self.values.ndim > 1 else sizes[0]),
            unit=", ".join(known[unit][0] for unit in self.unit.split(", ")),
            mixed=tuple(known[unit][0] for unit in self.mixed),
        )


def several(paths: str | Sequence[str]) -> Sequence[str]:
    """Return paths as several: who wants one quantity gives its path alone."""
    return (paths,) if isinstance(paths, str) else paths


Read = Callable[[Stretch], Array]


def over(recording: Observed, read: Read, path: str) -> Array:
    """Return ``read`` over all segments; NaN where the node was not there."""
    if not recording.segments:
        raise RecordingError(f"'{path}' cannot be read: the recording has no frames")
    parts: list[Array | int] = []
    shape: tuple[int, ...] | None = None
    reason = ""
    for segment in recording.segments:
        try:
            values = np.ascontiguousarray(read(segment), np.float64)
            shape = values.shape[1:]
            parts.append(values)
        except AbsentError as absent:
            reason = str(absent)
            parts.append(len(segment.times))
    if shape is None:
        known = ", ".join(recording.channels) or "none"
        raise RecordingError(f"'{path}' was not recorded: {reason}; recorded channels: {known}")
    if any(not isinstance(part, int) and part.shape[1:] != shape for part in parts):
        raise RecordingError(
            f"'{path}' has another shape in some frames; read it from the segments"
        )
    return np.concatenate(
        [np.full((part, *shape), np.nan) if isinstance(part, int) else part for part in parts]
    )


def named(recording: Observed, path: str) -> Quantity | None:
    """Return a whole channel, or a row or number of one, named as it was recorded; else None."""
    for name, channel in recording.channels.items():
        if path == name:
            return _whole(recording, channel)
        if not path.startswith(f"{name}."):
            continue
        rest = path[len(name) + 1 :]
        # A label may hold dots, so the longest one that fits is taken.
        labels = [each for each in channel.labels if rest == each or rest.startswith(f"{each}.")]
        if not labels:
            continue
        label = max(labels, key=len)
        column = rest[len(label) + 1 :]
        if column and column not in channel.columns:
            continue
        found = over(recording, functools.partial(_row, channel=channel, label=label), path)
        parts = channel.columns if found.ndim == 2 else ()
        units = _mixed(recording, channel, parts or (label,))
        if column:
            number = channel.columns.index(column)
            return Quantity(path, found[:, number], units[number] if units else channel.unit)
        if units and not parts:
            return Quantity(path, found, units[0])
        return Quantity(path, found, channel.unit, parts, units)
    return None


def _row(segment: Stretch, channel: Channel, label: str) -> Array:
    """Return a row of a channel; a pair that is not told of where pairs are has zeros."""
    told = channel.pairs and channel.name in segment.channels
    if told and segment.row(channel.name, label) is None:
        return np.zeros((len(segment.times), len(channel.columns)))
    return row(segment, channel.name, label)


def _whole(recording: Observed, channel: Channel) -> Quantity:
    """Return all numbers of ``channel``, each under its name over all segments."""
    parts: list[tuple[tuple[str, ...], Array]] = []
    for segment in recording.segments:
        here = segment.channels.get(channel.name)
        if here is None:
            parts.append(((), np.zeros((len(segment.times), 0))))
            continue
        values = np.asarray(segment.array(channel.name), np.float64)
        values = values.reshape(len(values), -1)
        parts.append((_flat_names(here.labels, here.columns, values.shape[1]), values))
    names = tuple(dict.fromkeys(name for known, _ in parts for name in known))
    if all(known == names for known, _ in parts):
        values = np.concatenate([values for _, values in parts])
        return Quantity(
            channel.name, values, channel.unit, names, _mixed(recording, channel, names)
        )
    place = {name: number for number, name in enumerate(names)}
    found, start = np.full((len(recording.times), len(names)), np.nan), 0
    for segment, (known, values) in zip(recording.segments, parts, strict=True):
        stop = start + len(values)
        if channel.pairs and channel.name in segment.channels:
            found[start:stop] = 0.0
        found[start:stop, [place[name] for name in known]] = values
        start = stop
    return Quantity(channel.name, found, channel.unit, names, _mixed(recording, channel, names))


_FIRST = frozenset(["x", "y", "z", "vx", "vy", "vz", "fx", "fy", "fz", "ax", "ay", "az", "angle"])
_SECOND = frozenset(
    [
        "qw",
        "qx",
        "qy",
        "qz",
        "wx",
        "wy",
        "wz",
        "mx",
        "my",
        "mz",
        "alx",
        "aly",
        "alz",
        "lx",
        "ly",
        "lz",
        "travel",
    ]
)
"""Endings of names that take the first or second unit of a channel with two: "N, N m"."""


def _mixed(recording: Observed, channel: Channel, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the unit of each of ``names`` where the channel has two units, else nothing."""
    if channel.name == JOINT:
        return tuple(_of_joint(recording.world, name) for name in names)
    return units_by_endings(channel.unit, names)


def _of_joint(world: World, label: str) -> str:
    """Return the unit of "figure.joint": "m" where it slides."""
    figure, _, joint = label.partition(".")
    node = world.figures.get(figure)
    row = None if node is None else node.rows.get(joint)
    hinge = None if node is None else world.hinges.get(node.hinges.get(joint, ""))
    slides = row.kind == "prismatic" if row else hinge and "travel" in hinge.kind.coordinates
    return "m" if slides else "rad"


def units_by_endings(unit: str, names: Sequence[str]) -> tuple[str, ...]:
    """Return the unit of each of ``names`` where ``unit`` is two, "rad, m", else nothing."""
    first, comma, second = unit.partition(", ")
    if not comma:
        return ()
    endings = [name.rpartition(".")[2] for name in names]
    return tuple(
        first if ending in _FIRST else second if ending in _SECOND else unit for ending in endings
    )


def _flat_names(labels: tuple[str, ...], columns: tuple[str, ...], width: int) -> tuple[str, ...]:
    """Return a name for each of ``width`` numbers of a frame."""
    if labels and columns and len(labels) * len(columns) == width:
        return tuple(f"{label}.{column}" for label in labels for column in columns)
    for names in (labels, columns):
        if len(names) == width:
            return names
    return tuple(str(number) for number in range(width))
