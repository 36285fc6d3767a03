"""What people do with things of a room beside touching them: operate them, and see them.

Places are in W, metres; angles in rad.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array
from articulata.records.reach_shares import ACCESSIBLE, LABELS, SAID, SEEN, array, plain


class Stop(IntEnum):
    """What ends an operation before the thing is open."""

    NOTHING = 0
    HANDLE = 1
    """The hand does not come to the handle where it stands at first."""
    LEAF = 2
    """What moves strikes what stands about it, whoever moves it."""
    ARM = 3
    BODY = 4
    DEVICE = 5
    REACH = 6
    """The handle goes beyond the arms, or they cannot follow it smoothly."""


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """Whether a person moves a thing by its handle, from where it stands to the end of its hinge.

    ``opened`` is the share of the way that was gone, or that is free where the thing strikes
    something whoever moves it. ``values`` (n,) of the hinge (rad or m) with
    postures ``q`` (n, dof), whose first three values are the base, and ``poses`` (n, bodies, 7) of
    ``bodies`` in W: the way as far as it went. Where it did not go on, ``stop`` says what kind of
    thing strikes ``obstacle``; ``words_before`` are those of the verdict on a handle that is not
    reached. ``walked`` (m) is how far the base moved.
    """

    object: str
    mobility: str
    hinge: str
    label: int
    opened: float
    start: float
    end: float
    turns: bool
    stop: Stop = Stop.NOTHING
    obstacle: str = ""
    words_before: str = ""
    hand: str = ""
    walked: float = 0.0
    bodies: tuple[str, ...] = ()
    values: Array | None = None
    q: Array | None = None
    poses: Array | None = None

    @property
    def accessible(self) -> bool:
        """Whether postures prove that the thing is moved all the way."""
        return self.label == ACCESSIBLE

    def at(self, share: float) -> tuple[Array | None, dict[str, Array]]:
        """Return the posture (dof,) and the poses (7,) of ``bodies`` at a share of the way gone.

        None and no poses where there is no way.
        """
        if self.q is None or self.poses is None:
            return None, {}
        row = round(share * (len(self.q) - 1))
        return self.q[row], dict(zip(self.bodies, self.poses[row], strict=True))

    def __str__(self) -> str:
        """Say it in a line."""
        return f"operate {self.object}, {self.mobility}: {self.words}"

    @property
    def words(self) -> str:
        """The verdict without who and what."""
        if self.accessible:
            where = "from one place" if self.walked < 0.01 else f"moving {self.walked:.1f} m along"
            return f"operated with the {self.hand} hand {where}"
        if self.stop == Stop.HANDLE:
            return f"the handle is {self.words_before}"
        moving = self.bodies[0] if self.bodies else self.object
        what = {
            Stop.LEAF: f"'{moving}' strikes '{self.obstacle}'",
            Stop.ARM: f"the arm strikes '{self.obstacle}'",
            Stop.BODY: f"the body strikes '{self.obstacle}'",
            Stop.DEVICE: f"{_device(self.mobility)} has no room beside '{self.obstacle}'",
            Stop.REACH: "the arm does not follow the handle",
        }.get(self.stop, "the search came to its end")
        if self.obstacle in self.bodies and self.stop != Stop.LEAF:
            who = {Stop.ARM: "the arm", Stop.BODY: "the body"}
            what = f"'{self.obstacle}' strikes {who.get(self.stop, _device(self.mobility))}"
        far = how_far(self.opened, self.end - self.start, self.turns)
        return f"{SAID[self.label]}: it goes {far}, then {what}"

    def row(self) -> dict[str, str]:
        """Return it as a row of a table, all values as text."""
        return {
            "object": self.object,
            "mobility": self.mobility,
            "hinge": self.hinge,
            "verdict": LABELS[self.label],
            "opened": f"{self.opened:.3f}",
            "stop": self.stop.name.lower() if self.stop else "",
            "obstacle": self.obstacle,
            "hand": self.hand,
            "walked_m": f"{self.walked:.3f}" if self.accessible else "",
            "words": self.words,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """Whether a person sees a thing from where she may be.

    Of ``places`` that were looked from ``seen`` see it. ``eye`` (3,) and ``point`` (3,) in W are
    of the nearest place that does, with posture ``q`` (dof,). Where none does, ``obstacle`` hides
    it from most; "" where all places are too far.
    """

    object: str
    mobility: str
    label: int
    places: int
    seen: int
    point: Array
    within: float = float("inf")
    obstacle: str = ""
    eye: Array | None = None
    q: Array | None = None

    @property
    def accessible(self) -> bool:
        """Whether a line of sight proves that it is seen."""
        return self.label == ACCESSIBLE

    def __str__(self) -> str:
        """Say it in a line."""
        return f"see {self.object}, {self.mobility}: {self.words}"

    @property
    def words(self) -> str:
        """The verdict without who and what."""
        near = f" within {self.within:g} m" if np.isfinite(self.within) else ""
        if self.accessible and self.eye is not None:
            away = float(np.linalg.norm(self.eye - self.point))
            share = _percent(self.seen, self.places)
            return f"seen{near} from {share} of the places, from {away:.2f} m at best"
        label = SEEN[self.label]
        if not self.places:
            return f"{label}: there is no place to look from"
        if not self.obstacle:
            return f"{label}: no place is{near}"
        return f"{label}: '{self.obstacle}' hides it from every place{near}"

    def row(self) -> dict[str, str]:
        """Return it as a row of a table, all values as text."""
        return {
            "object": self.object,
            "mobility": self.mobility,
            "verdict": LABELS[self.label],
            "places": str(self.places),
            "seen": str(self.seen),
            "obstacle": self.obstacle,
            "words": self.words,
        }


Use = Operation | Sighting


def plain_use(use: Use) -> dict[str, Any]:
    """Return a use as JSON holds it; a distance that is infinite is left out."""
    return {k: each for k, each in plain(use).items() if (k, each) != ("within", None)}


def operation(said: Mapping[str, Any]) -> Operation:
    """Return the operation that plain data say."""
    arrays = {name: array(said.get(name)) for name in ("values", "q", "poses")}
    stop, bodies = Stop(said["stop"]), tuple(said["bodies"])
    return Operation(**{**said, **arrays, "stop": stop, "bodies": bodies})


def sighting(said: Mapping[str, Any]) -> Sighting:
    """Return the sighting that plain data say."""
    return Sighting(**{**said, **{name: array(said.get(name)) for name in ("point", "eye", "q")}})


def how_far(share: float, whole: float, turns: bool) -> str:
    """Say a share of the way of a hinge, ``whole`` rad or m, in words."""
    unit, size = ("deg", 180.0 / np.pi) if turns else ("cm", 100.0)
    whole = abs(whole) * size
    gone = share * whole
    # what is missing at the end is not rounded away
    told = f"{gone:.0f}" if whole - gone >= 1.0 else f"{np.floor(10.0 * gone) / 10.0:.1f}"
    return f"{told} of {whole:.3g} {unit}"


def _percent(count: int, whole: int) -> str:
    """Say a share; what is neither none nor all is not rounded to it."""
    if count <= 0.005 * whole:
        return "less than 1%" if count else "0%"
    if 0 < whole - count <= 0.005 * whole:
        return "more than 99%"
    return f"{count / whole:.0%}"


def _device(mobility: str) -> str:
    """Return what takes the room: the device, or who walks without one."""
    if mobility.endswith("on foot"):
        return "the person"
    return "the walker" if mobility.endswith("with walker") else f"the {mobility}"
