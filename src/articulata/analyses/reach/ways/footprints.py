"""How a person moves about: on foot, with a walker, in a wheelchair. Lengths in m.

The base point is the floor's point below the middle between the hips. A device takes room in parts
between two heights each. Who stands moves about in a circle, and takes less room where she stands.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from articulata.analyses.reach.ways.device_parts import (
    CLEAR,
    TURNS,
    DevicePart,
    Limb,
    Member,
    box,
    disc,
    rim,
)
from articulata.analyses.reach.ways.stances import Build, usual_build
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.geometry.joint_frames import translation
from articulata.geometry.shapes import Capsule, Cuboid, Cylinder, Shape
from articulata.world.requests.ways_to_move import POWER_SEAT, Means, OnFoot, Walker, Wheelchair

FINE_CORNERS = 256
"""Corners of the polygon within a circle that a rule asks for."""

RISER = 0.18
"""m. The highest riser of stairs: 2010 ADA Standards, 504.2. Who walks steps over what is lower."""


FRAME = (-0.25, 0.6, 0.7)
"""Of a walker's circle: how far its frame is behind and ahead of the hips, and to either side."""

BAR = 0.015
"""m. The radius of its tubes."""


@dataclass(frozen=True)
class Footprint(ABC):
    """The room that a person with a way to move takes, and what an arm may strike of it."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What it is called."""

    @property
    @abstractmethod
    def turns(self) -> bool:
        """Whether the room it takes depends on where it is turned."""

    @abstractmethod
    def parts(self, hips: float) -> tuple[DevicePart, ...]:
        """Return the room it takes with the hips at height ``hips``."""

    def limbs(self, hips: float) -> tuple[Limb, ...]:
        """Return what takes room where a person stands; nothing: the same as on the way."""
        del hips
        return ()

    def core(self, hips: float) -> tuple[Member, ...]:
        """Return what takes room however a person with limbs stands."""
        del hips
        return ()

    def worn_by(self, build: Build) -> Footprint:
        """Return it for somebody of other measures."""
        del build
        return self

    @abstractmethod
    def shapes(self, hips: float, *, legs: bool) -> Sequence[tuple[Shape, Array]]:
        """Return what an arm may strike of it, with poses in the base frame.

        With ``legs`` the figure has its own; without them they are among the shapes.
        """

    @property
    def size(self) -> str:
        """How large it is, in words."""
        return self.name

    @property
    def seat(self) -> float | None:
        """Height of the seat; None where the person stands."""
        return None

    @property
    def step(self) -> float:
        """What is lower than this above the floor is passed over on the way, m."""
        return CLEAR


def _positive(footprint: Any, *names: str) -> None:
    for name in names:
        value = getattr(footprint, name)
        if not (np.isfinite(value) and value > 0.0):
            raise KinematicsError(
                f"the {name} of {type(footprint).__name__} is a positive length, m, not {value}"
            )


@dataclass(frozen=True)
class Upright(Footprint):
    """Who stands: walks in a circle of ``radius`` m; legs by ``build``, the usual one for None."""

    radius: float = 0.25
    build: Build | None = None

    @property
    def turns(self) -> bool:
        """A circle takes the same room wherever it is turned."""
        return False

    def limbs(self, hips: float) -> tuple[Limb, ...]:
        """Return legs and pelvis."""
        return (self.build or usual_build(hips)).limbs

    def core(self, hips: float) -> tuple[Member, ...]:
        """Return what of legs and pelvis is there however feet are set."""
        return (self.build or usual_build(hips)).core

    def worn_by(self, build: Build) -> Footprint:
        """Return it for somebody of other measures."""
        return replace(self, build=build)


@dataclass(frozen=True)
class StandingFootprint(Upright):
    """On foot: from the feet to the hips."""

    def __post_init__(self) -> None:
        _positive(self, "radius")

    @property
    def name(self) -> str:
        """What it is called."""
        return "on foot"

    @property
    def size(self) -> str:
        """How large it is, in words."""
        return f"ways {200 * self.radius:.3g} cm wide, and room for legs and pelvis to stand"

    @property
    def step(self) -> float:
        """Who walks steps over what is lower, and stands beside it."""
        return RISER

    def parts(self, hips: float) -> tuple[DevicePart, ...]:
        """Return one disc from the floor to the hips."""
        return (DevicePart(disc(self.radius), CLEAR, hips),)

    def shapes(self, hips: float, *, legs: bool) -> Sequence[tuple[Shape, Array]]:
        """Return the legs as one column."""
        return () if legs else _legs(hips)


@dataclass(frozen=True)
class WalkerFootprint(Upright):
    """With a walker: a circle of ``radius`` m about the person; ``height`` of its grips.

    Its frame is open behind: two sides, and a bar across the front.
    """

    radius: float = 0.40
    height: float = 0.85

    def __post_init__(self) -> None:
        _positive(self, "radius", "height")

    @property
    def name(self) -> str:
        """What it is called."""
        return "with walker"

    @property
    def size(self) -> str:
        """How large it is, in words."""
        high = f"its grips {100 * self.height:.3g} cm high"
        return f"a circle of radius {100 * self.radius:.3g} cm, {high}"

    def parts(self, hips: float) -> tuple[DevicePart, ...]:
        """Return one disc from the floor to the grips."""
        return (DevicePart(disc(self.radius), CLEAR, max(self.height, hips)),)

    def limbs(self, hips: float) -> tuple[Limb, ...]:
        """Return legs, pelvis and the frame."""
        rear, front, half = (share * self.radius for share in FRAME)
        sides = tuple(
            DevicePart(box(rear, front, BAR, y), CLEAR, self.height) for y in (half, -half)
        )
        low, high = self.crossbar - BAR, self.crossbar + BAR
        across = DevicePart(box(front - BAR, front + BAR, half), low, high)
        return (*super().limbs(hips), ((Member((*sides, across)),),))

    def core(self, hips: float) -> tuple[Member, ...]:
        """Return what is there however feet are set: of the frame its four legs."""
        rear, front, half = (share * self.radius for share in FRAME)
        leg = DevicePart(rim(BAR), CLEAR, self.height)
        return (
            *super().core(hips),
            *(
                Member((leg,), (x, y), round=True, sway=float(np.hypot(x, y)) * np.pi / TURNS)
                for x in (rear, front)
                for y in (half, -half)
            ),
        )

    @property
    def crossbar(self) -> float:
        """How high the bar across the front is, m."""
        return 0.6 * self.height

    def shapes(self, hips: float, *, legs: bool) -> Sequence[tuple[Shape, Array]]:
        """Return the legs and the bar across the front."""
        across = np.eye(4)
        across[:3, :3] = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]
        across[:3, 3] = FRAME[1] * self.radius, 0.0, self.crossbar
        return (*(() if legs else _legs(hips)), (Capsule(BAR, 1.0 * self.radius), across))


def _legs(hips: float) -> Sequence[tuple[Shape, Array]]:
    top = 0.88 * hips
    return ((Cylinder(0.15, top - CLEAR), translation(0.0, 0.0, 0.5 * (top + CLEAR))),)


@dataclass(frozen=True)
class ChairFootprint(Footprint):
    """In a wheelchair: ``width`` and ``length`` with its user, and the height of its ``seat``.

    Usual occupied chairs are 700 mm by 1200 mm. The hips are ``behind`` m ahead of its rear end,
    footrests and toes at its front end. Below the thighs and above the feet there is room for
    the front of a table: heights of armrests, thighs and feet follow the seat (proposals).
    """

    width: float = 0.70
    length: float = 1.20
    seat_height: float = 0.496
    behind: float = 0.40
    kind: str = field(default="manual wheelchair")

    def __post_init__(self) -> None:
        _positive(self, "width", "length", "seat_height", "behind")
        if self.behind + 0.3 > self.length:
            raise KinematicsError(
                f"a wheelchair of length {self.length:g} m leaves no room ahead of hips that are "
                f"{self.behind:g} m from its rear end; give a greater length"
            )

    @property
    def name(self) -> str:
        """What it is called."""
        return self.kind

    @property
    def size(self) -> str:
        """How large it is, in words."""
        width, length, seat, behind = (
            f"{100 * each:.3g} cm"
            for each in (self.width, self.length, self.seat_height, self.behind)
        )
        return f"{width} wide and {length} long, its seat {seat} high, hips {behind} from its rear"

    @property
    def turns(self) -> bool:
        """A rectangle takes other room when it is turned."""
        return True

    @property
    def seat(self) -> float | None:
        """Height of the seat."""
        return self.seat_height

    @property
    def ahead(self) -> float:
        """How far the front end is ahead of the hips."""
        return self.length - self.behind

    def _boxes(self) -> tuple[tuple[float, float, float, float, float], ...]:
        """Return boxes: rear and front x, width, low and high z.

        Chair, thighs, shins, castors with feet. They overlap, so that what each covers at every
        turn of an interval leaves no gap between them.
        """
        seat, w = self.seat_height, self.width
        knee = min(0.60, self.ahead - 0.05)
        return (
            (-self.behind, 0.22, w, CLEAR, seat + 0.20),
            (-0.10, knee, min(0.42, w), seat - 0.06, seat + 0.15),
            (knee - 0.25, knee, min(0.42, w), CLEAR, seat + 0.12),
            (0.0, self.ahead, min(0.46, w), CLEAR, 0.25),
        )

    def parts(self, hips: float) -> tuple[DevicePart, ...]:
        """Return chair, thighs, shins and feet."""
        del hips
        return tuple(
            DevicePart(box(a, b, 0.5 * w), low, high) for a, b, w, low, high in self._boxes()
        )

    def shapes(self, hips: float, *, legs: bool) -> Sequence[tuple[Shape, Array]]:
        """Return thighs, shins, feet, wheels and the back of the chair."""
        del hips
        chair, *own = self._boxes()
        found: list[tuple[Shape, Array]] = [
            (Cuboid(b - a, w, high - low), translation((a + b) / 2, 0.0, (low + high) / 2))
            for a, b, w, low, high in (() if legs else own)
        ]
        a, b, w, low, high = chair
        side = 0.5 * (w - 0.44)
        if side > 0.02:
            wheel = Cuboid(b - a - 0.1, side, high - 0.05 - low)
            across, rise = 0.5 * (w - side), (low + high - 0.05) / 2
            found += [(wheel, translation((a + b) / 2, y, rise)) for y in (-across, across)]
        return found


@dataclass(frozen=True, eq=False)
class BareRoom(Footprint):
    """Room that is to be clear up to ``height``, whoever is in it.

    ``outlines`` are convex, corners (k, 2) in the base frame; a ``round`` one takes the same room
    wherever it is turned. Where ``tops`` are told each outline is clear up to its own.
    """

    height: float
    outlines: tuple[Array, ...]
    round: bool = False
    tops: tuple[float, ...] = ()

    @property
    def name(self) -> str:
        """What it is called."""
        return "clear floor"

    @property
    def turns(self) -> bool:
        """All but what is round takes other room when it is turned."""
        return not self.round

    def parts(self, hips: float) -> tuple[DevicePart, ...]:
        """Return the outlines, from the floor to the height."""
        del hips
        tops = self.tops or (self.height,) * len(self.outlines)
        return tuple(
            DevicePart(each, CLEAR, top) for each, top in zip(self.outlines, tops, strict=True)
        )

    def shapes(self, hips: float, *, legs: bool) -> Sequence[tuple[Shape, Array]]:
        """Nothing stands in it."""
        del hips, legs
        return ()


def bare_disc(height: float, radius: float) -> BareRoom:
    """Return a circle of ``radius`` m: the polygon within it, 0.1 mm narrower at most."""
    turns = np.arange(FINE_CORNERS) * (2.0 * np.pi / FINE_CORNERS)
    rim = radius * np.stack([np.cos(turns), np.sin(turns)], axis=1)
    return BareRoom(height, (rim,), round=True)


def bare_rectangle(height: float, width: float, length: float) -> BareRoom:
    """Return a rectangle ``width`` m across and ``length`` m ahead; its base is the middle."""
    return BareRoom(height, (box(-0.5 * length, 0.5 * length, 0.5 * width),))


def bare_steps(width: float, length: float, steps: Sequence[tuple[float, float]]) -> BareRoom:
    """Return a rectangle ``width`` m across and ``length`` m ahead that is less high to its front.

    Each of ``steps`` is how far from its front end it is clear, and up to which height.
    """
    half = 0.5 * length
    outlines = tuple(box(-half, half - away, 0.5 * width) for away, _ in steps)
    tops = tuple(top for _, top in steps)
    return BareRoom(max(tops), outlines, tops=tops)


def bare_ts(
    height: float, width: float, arm: float, below: float, head: float
) -> tuple[BareRoom, ...]:
    """Return Ts in a square ``width`` m wide, bar and stem ``arm`` m wide: to back into.

    One end of each, of the stem or of an arm, is clear up to ``height`` alone, ``below`` m of it at
    most; the rest is clear up to ``head``.
    """
    half = 0.5 * width
    stem, side = min(width - arm, below), min(half - 0.5 * arm, below)
    inner = box(half - arm, half, half)
    spine = box(-half, half, 0.5 * arm)
    high = max(height, head)
    ends = (
        ((_cut(spine, 0, -half + stem, -1), inner), spine),
        ((spine, _cut(inner, 1, -half + side, -1)), inner),
        ((spine, _cut(inner, 1, half - side, 1)), inner),
    )
    return tuple(
        BareRoom(height, (*clear, whole), tops=(high, high, height)) for clear, whole in ends
    )


def _cut(corners: Array, axis: int, at: float, side: int) -> Array:
    """Return a rectangle (4, 2) without what is below ``at`` (``side`` -1), or above it (1)."""
    found = corners.copy()
    bound = np.maximum if side < 0 else np.minimum
    found[:, axis] = bound(corners[:, axis], at)
    return found


USUAL: tuple[Means, ...] = (
    OnFoot(),
    Walker(),
    Wheelchair(),
    Wheelchair(seat=POWER_SEAT, power=True),
)
"""What is asked about where nothing is said."""


def footprint_of(means: Means) -> Footprint:
    """Return the room that a person with ``means`` to move takes."""
    if isinstance(means, Walker):
        return WalkerFootprint(means.radius)
    if isinstance(means, Wheelchair):
        kind = "powered wheelchair" if means.power else "manual wheelchair"
        return ChairFootprint(means.width, means.length, means.seat, kind=kind)
    return StandingFootprint()
