"""A figure as a network carries it: where it is, what its joints are, how well it is heard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from articulata.geometry.arrays import Array

STANDING = "standing"
"""What a body does that nothing else is said of."""


@dataclass(frozen=True, slots=True)
class NetworkedLook:
    """What changes seldom of a networked figure.

    ``figure`` is it as a text has it ("person(1.75 m)"), "" where a sender does not say;
    ``stance`` is what the body does, ``weapon`` how one is carried ("slung", "deployed", "").
    """

    name: str = ""
    figure: str = ""
    stance: str = STANDING
    weapon: str = ""


class NetworkedPosture(NamedTuple):
    """A figure of ours at ``time`` (s), as it is to be sent.

    ``p_EB`` (3,) m and ``R_EB`` (3, 3) are its place and its axes (x ahead, y right, z down) in
    the geocentric frame E; ``angles`` rad are the values of ``joints``. ``doing`` is a motion of
    the figure's text, and since when (s before) it goes on, where that tells the angles as well.
    """

    time: float
    p_EB: Array
    R_EB: Array
    joints: tuple[str, ...]
    angles: Array
    doing: tuple[str, float] | None = None


@dataclass(frozen=True, slots=True)
class Reception:
    """How a figure is heard.

    ``rate`` in packets a second and ``bytes`` of them a second; ``loss`` is the share that did
    not come (NaN where packets are not numbered), ``age`` (s) that of the newest packet,
    ``latency`` (s) what it took plus what is waited on purpose, NaN where clocks cannot be
    compared. ``jump`` is by how much the newest packet corrected where the figure was shown: m,
    and rad at the worst joint.
    """

    rate: float
    bytes: float
    loss: float
    age: float
    latency: float
    jump: tuple[float, float]
