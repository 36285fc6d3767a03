"""The state of a world at one instant: named arrays with units, and what a run remembers.

A domain names its arrays with its own prefix ("dynamic.pose"), so that a state can carry, and a
recording can store, arrays of a domain that is not installed. What a run remembers from frame to
frame stands in a recording as plain values by parts, which belong to whoever remembers; a recording
does not look into them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from articulata.geometry.arrays import Array
from articulata.records.header import Header
from articulata.world.language.units import UNIT_NAMES, UNITS
from articulata.world.model import World

_GEOMETRIC = re.compile(r"(m|rad)(/s|/s\^2)?")


def in_units(names: Iterable[str], unit: str) -> tuple[str, float]:
    """Return in which unit people are shown what is in ``unit``, and how much of that it is.

    Lengths and angles, their rates and accelerations are shown in those that a text's ``units:``
    line has ``names`` of; all else stays in SI.

    >>> in_units(("millimetre", "degree"), "m/s^2"), in_units(("degree",), "N m")
    (('mm/s^2', 0.001), ('N m', 1.0))
    """
    found = _GEOMETRIC.fullmatch(unit)
    if found is None:
        return unit, 1.0
    for name in names:
        symbol = UNIT_NAMES.get(name, name)
        if symbol in UNITS and UNITS[symbol].dimension == UNITS[found[1]].dimension:
            return f"{symbol}{found[2] or ''}", UNITS[symbol].factor
    return unit, 1.0


def told_number(value: float, size: float) -> float:
    """Return a number (SI) in a unit of ``size``, in 15 digits where more tell rounding alone.

    >>> 0.07 / 0.01, told_number(0.07, 0.01)
    (7.000000000000001, 7.0)
    """
    short = float(f"{value / size:.15g}")
    rounded = size != 1.0 and math.isclose(short * size, value, rel_tol=1e-15)
    return short if rounded else value / size


@dataclass(frozen=True, slots=True)
class Channel:
    """What an array of a state or frame holds: its ``unit`` and the names along its rows.

    ``labels`` name the first axis ("links.rod2" ...), ``columns`` the second ("x", "y" ...).

    A channel of ``pairs`` tells what there is between two of its ``labels``, for those alone where
    there is something: the first two numbers of each row say which two, the columns follow. Readers
    of a recording find a row for each pair that was ever told of, "A on B".
    """

    name: str
    unit: str
    labels: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    pairs: bool = False


@dataclass(frozen=True, slots=True)
class State:
    """What domains need to go on from ``time`` (s), and nothing else.

    ``arrays`` maps a channel's name to its array; ``version`` is the world's version. ``memory`` is
    what else the integrator hands on to its next interval, such as active contacts and warm starts;
    None: the state is looked at anew.
    """

    time: float
    arrays: Mapping[str, Array]
    version: int = 0
    memory: Any = None


@dataclass(frozen=True, slots=True)
class Frame:
    """What was observed at ``time``: the state's arrays and derived channels beside them.

    A state's arrays are float64; derived channels may also hold counts and flags.
    """

    time: float
    arrays: Mapping[str, npt.NDArray[Any]]
    version: int = 0


RUN = "run"
"""Name of the part that says what has been told and dealt with."""


class Part(Protocol):
    """Something remembered: a value, never changed."""

    def plain(self) -> Mapping[str, Any]:
        """Return it as numbers, text, lists and arrays."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Remembered:
    """What a run remembered at a frame: ``parts`` by name, as they were recorded.

    They belong to the ``world`` of that frame and to what the ``header`` says of the run.
    """

    world: Callable[[], World]
    header: Header
    parts: Mapping[str, Any]

    @property
    def undone(self) -> Remembered:
        """The same where an edit of this instant is taken back: nothing asks for it again."""
        parts = {name: part for name, part in self.parts.items() if name != RUN}
        return replace(self, parts=parts)


def plain(value: Any) -> Any:
    """Return ``value`` with arrays as their type, shape and bytes."""
    if isinstance(value, np.ndarray):
        little = np.ascontiguousarray(value)
        return [little.dtype.newbyteorder("<").str, list(value.shape), little.tobytes()]
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


def array(value: Any, kind: str, *shape: int) -> npt.NDArray[Any]:
    """Return the array that ``plain`` has written, of ``kind`` "f" or "i".

    ValueError where its shape is another; -1 stands for any length.
    """
    text, sizes, data = value
    dtype = np.dtype(text)
    made = np.frombuffer(data, dtype).reshape(sizes)
    fits = len(shape) == made.ndim and all(
        want in (-1, size) for want, size in zip(shape, made.shape, strict=True)
    )
    if dtype.kind != kind or not fits:
        raise ValueError(f"an array of {text} {made.shape} stands where {kind} {shape} is needed")
    return made.astype(np.float64 if kind == "f" else np.int64)
