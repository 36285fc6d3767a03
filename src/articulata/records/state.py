"""The state of a world at one instant: named arrays with units.

A domain names its arrays with its own prefix ("dynamic.pose"), so that a state can carry, and a
recording can store, arrays of a domain that is not installed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from articulata.geometry.arrays import Array


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
