"""Messages of KUKA's Robot Sensor Interface, by which a robot's controller takes corrections.

Every 4 ms (or 12) the controller sends its state as XML in one UDP packet and wants an answer with
the same IPOC, its counter of milliseconds, before the next. The answer holds corrections of the
axes A1 to A6 in degrees, relative to where the axes were at the start, as the drivers of
ROS-Industrial configure it (``kuka_rsi_hw_interface``: elements AIPos, AK and IPOC).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree

from articulata.errors import ControllerError

AXES: Final = ("A1", "A2", "A3", "A4", "A5", "A6")
LONGEST: Final = 4096
"""Bytes of the longest packet that is read; a state has some hundred."""


@dataclass(frozen=True, slots=True)
class RsiState:
    """What the controller says: ``axes`` (6,) rad as they are, ``ipoc`` ms, packets it missed."""

    axes: tuple[float, ...]
    ipoc: int
    late: int = 0


def state_of(packet: bytes) -> RsiState:
    """Return the state in a packet; ControllerError says what is amiss."""
    if len(packet) > LONGEST or b"<!" in packet:
        raise ControllerError(f"sent {len(packet)} bytes that are no state of RSI")
    try:
        root = ElementTree.fromstring(packet)
        axes = root.find("AIPos")
        ipoc = root.findtext("IPOC")
        if root.tag != "Rob" or axes is None or ipoc is None:
            raise ValueError("a state is <Rob> with <AIPos> and <IPOC>")
        values = tuple(math.radians(float(axes.attrib[name])) for name in AXES)
        if not all(map(math.isfinite, values)):
            raise ValueError("an axis is no finite number")
        delay = root.find("Delay")
        late = 0 if delay is None else int(delay.attrib.get("D", "0"))
        return RsiState(values, int(ipoc), late)
    except (ElementTree.ParseError, ValueError, KeyError) as error:
        raise ControllerError(f"sent what is no state of RSI: {error}") from None


def correction(values: Sequence[float], ipoc: int) -> bytes:
    """Return the answer to a state: ``values`` (6,) rad from the start on, with its ``ipoc``."""
    axes = " ".join(
        f'{name}="{math.degrees(value):.6f}"' for name, value in zip(AXES, values, strict=True)
    )
    return f'<Sen Type="ImFree"><AK {axes}/><IPOC>{ipoc}</IPOC></Sen>'.encode()
