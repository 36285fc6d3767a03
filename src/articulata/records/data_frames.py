"""Records as tables of pandas and xarray: one description, two libraries.

Both are extras (``articulata[notebook]``) and are imported when they are asked for. Units stand in
``attrs["units"]``: of a DataFrame by column, of a variable of a Dataset as its own, which is what
the CF conventions do.
"""

from __future__ import annotations

import importlib
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from articulata.errors import MissingExtra
from articulata.geometry.quaternion import q_from_matrix
from articulata.records.stored import several
from articulata.world.shown import Shown

if TYPE_CHECKING:
    from articulata.records.recording import Recording

AXES: Final = ("x", "y", "z")
QUATERNION: Final = ("qw", "qx", "qy", "qz")
OF_POSES: Final = {"axis": AXES, "quaternion": QUATERNION}
"""Labels of the dims of ``poses``."""


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """``values`` over named ``dims``, the first of which is the index, with their ``unit``.

    ``columns`` are the names that the values of a row have in a flat table, ``units`` theirs; ()
    makes them of the variable's name and its dims' labels, and of its unit. ``meanings`` are the
    words for values 0, 1, 2 ...; any other has none.
    """

    dims: tuple[str, ...]
    values: npt.NDArray[Any]
    unit: str = ""
    columns: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    meanings: tuple[str, ...] = ()

    @property
    def about(self) -> dict[str, Any]:
        """What is said of it in a dataset, by the names of the CF conventions."""
        said: dict[str, Any] = {}
        if self.unit or self.units:
            said["units"] = self.unit or list(self.units)
        if self.meanings:
            said["flag_values"] = np.arange(len(self.meanings), dtype=np.int8)
            said["flag_meanings"] = " ".join(each.replace(" ", "_") for each in self.meanings)
        return said


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """Variables by name over one ``index``; ``labels`` are those of every dim, by its name."""

    index: str
    labels: Mapping[str, Sequence[Any] | npt.NDArray[Any]]
    variables: Mapping[str, Variable]
    about: Mapping[str, str] = field(default_factory=dict)


class Tabular(Shown):
    """A record that is a table of pandas or of xarray when it is asked."""

    __slots__ = ()

    def _labelled(self) -> Labelled:
        """Return what the table holds; each kind of record says it of its own."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """Return a ``pandas.DataFrame``: ``attrs["units"]`` maps its columns to their units.

        Raises MissingExtra where pandas is not installed.
        """
        return data_frame(self._labelled())

    def to_xarray(self) -> Any:
        """Return an ``xarray.Dataset``: each variable has its unit in ``attrs["units"]``.

        Raises MissingExtra where xarray is not installed.
        """
        return dataset(self._labelled())


def data_frame(table: Labelled) -> Any:
    """Return a table as a ``pandas.DataFrame``, a column for each number of a row."""
    pandas = library("pandas")
    columns: dict[str, Any] = {}
    units: dict[str, str] = {}
    for name, each in table.variables.items():
        flat = each.values.reshape(len(each.values), math.prod(each.values.shape[1:]))
        names = each.columns or _names(name, [table.labels[dim] for dim in each.dims[1:]])
        for number, short in enumerate(names):
            column = f"{name}.{short}" if short in columns else short  # a joint may be named x
            columns[column] = flat[:, number]
            units[column] = each.units[number] if each.units else each.unit
    index = pandas.Index(table.labels[table.index], name=table.index)
    made = pandas.DataFrame(columns, index=index)
    made.attrs = {**table.about, "units": units}
    return made


def dataset(table: Labelled) -> Any:
    """Return a table as an ``xarray.Dataset``."""
    variables = {
        name: (each.dims, each.values, each.about) for name, each in table.variables.items()
    }
    labels = {name: (name, np.asarray(each)) for name, each in table.labels.items()}
    return library("xarray").Dataset(variables, labels, dict(table.about))


def over_time(recording: Recording, paths: str | Sequence[str] | None) -> Labelled:
    """Return quantities of a recording over its times, every channel where no ``paths`` are given.

    A channel keeps its rows and columns as dims: bodies, hinges, axes.
    """
    world = recording.world
    known = {AXES: "axis", tuple(world.hinges): "hinge", tuple(world.bodies): "body"}
    labels: dict[str, Any] = {"time": recording.times}
    variables = {}
    for path in recording.channels if paths is None else several(paths):
        found = recording.quantity(path)
        values, dims = found.values, ["time"]
        if values.ndim == 2:
            axes = _axes(recording, path, found.parts)
            values = values.reshape(len(values), *map(len, axes))
            for number, axis in enumerate(axes):
                own = f"{path.replace('.', '_')}_{'column' if number else 'row'}"
                dims.append(known.setdefault(axis, own))
                labels[dims[-1]] = axis
        variables[path] = Variable(tuple(dims), values, found.unit, found.names, found.units)
    return Labelled("time", labels, variables, {"world": world.name})


def _axes(recording: Recording, path: str, parts: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Return the labels of rows and columns of what ``path`` names, or of its parts."""
    channel = recording.channels.get(path)
    if channel is None or not (channel.labels and channel.columns):
        return (parts,)
    named = tuple(f"{a}.{b}" for a, b in itertools.product(channel.labels, channel.columns))
    return (channel.labels, channel.columns) if named == parts else (parts,)


def poses(index: str, X: npt.NDArray[Any]) -> dict[str, Variable]:
    """Return poses ``X`` (n, 4, 4) as variables: places and quaternions, w first."""
    return {
        "position": Variable((index, "axis"), X[:, :3, 3], "m"),
        "orientation": Variable((index, "quaternion"), q_from_matrix(X[:, :3, :3]), "1"),
    }


def library(name: str) -> Any:
    """Return the module ``name``; MissingExtra where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtra(
            f"tables of {name} need the package {name}; install it with: "
            "pip install 'articulata[notebook]'"
        ) from None


def _names(name: str, labels: Sequence[Any]) -> list[str]:
    """Return the names of a variable's numbers in a row: its own, then the labels."""
    return [".".join((name, *map(str, each))) for each in itertools.product(*labels)]
