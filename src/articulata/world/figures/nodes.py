"""Figures as a world holds them: named chains, postures, limits, landmarks; and what is up there.

A chain is a table of Denavit-Hartenberg parameters or a route along hinges of the world. What
these mean for motion is ``articulata.kinematics``' business. SI units and radians.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from articulata.world.model import FeatureRef
from articulata.world.single_frames import between
from articulata.world.values import NO_TURN, NOWHERE, ZERO, Pose, Quaternion, Span, Vector3

if TYPE_CHECKING:
    from articulata.geometry.shapes import Shape


_HERE: Final = Pose()
_Z: Final[Vector3] = (0.0, 0.0, 1.0)

UP: Final[Vector3] = _Z
"""What is up for a figure that does not say it."""

EntryValue: TypeAlias = float | str | bool | tuple["EntryValue", ...]
JointKind: TypeAlias = Literal["revolute", "prismatic", "fixed"]


BALANCE: Final = {"ankle": ("ankle", "talocrural"), "hip": ("hip",)}
"""Strategies of balance (F. B. Horak and L. M. Nashner 1986), and what names of their joints hold.
"""


def balancing(strategy: str, joint: str) -> bool:
    """Tell whether a strategy of balance moves a joint, by its name."""
    return any(word in joint.rpartition(".")[2].lower() for word in BALANCE[strategy])


@dataclass(frozen=True, slots=True)
class Following:
    """A joint that follows ``joint``: ``factor`` times its value plus ``offset`` (rad or m)."""

    joint: str
    factor: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class LinkData:
    """What a row says of its link: ``mass`` (kg), ``center`` (m) and ``shape`` in its frame.

    ``look`` is drawn in place of the shape. ``inertia`` (kg m^2) about the centre of mass: three
    moments, or six with the products xy, xz, yz. ``name`` is what the link is called, "" where the
    row does not say it.
    """

    mass: float | None = None
    center: Vector3 = ZERO
    inertia: tuple[float, ...] = ()
    shape: Shape | None = None
    color: str | tuple[float, ...] | None = None
    name: str = ""
    look: Shape | None = None


@dataclass(frozen=True, slots=True)
class JointRow:
    """One row of a chain's table: ``theta`` and ``alpha`` in rad, ``d``, ``a`` in m.

    The joint's coordinate is added to ``theta`` (revolute) or ``d`` (prismatic). ``place`` is the
    fixed pose of a row of a plain or x-axis table, ``axis`` the unit axis of a plain one.
    ``motor`` holds what is said of "speed", "acceleration", "effort" and "gear", in SI.
    """

    name: str
    kind: JointKind
    theta: float = 0.0
    d: float = 0.0
    a: float = 0.0
    alpha: float = 0.0
    limits: tuple[float, float] | None = None
    place: Pose = _HERE
    axis: Vector3 = _Z
    neutral: float = 0.0
    follows: Following | None = None
    motor: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    link: LinkData = LinkData()
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class TableNode:
    """A chain by its table. ``convention`` is "standard", "modified", "x-axis" or "plain".

    ``base`` is the id of the body it stands on, or the name of a joint of a table whose link it
    stands on, None for the figure's own frame; ``place`` is its pose there.
    """

    name: str
    convention: str
    rows: tuple[JointRow, ...]
    base: str | None = None
    place: Pose = _HERE
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class RouteNode:
    """A chain along the hinges of the world between two features of bodies.

    Between two joints of tables ``body`` is empty and ``feature`` the name of the joint.
    """

    name: str
    start: FeatureRef
    end: FeatureRef
    span: Span = field(default=NOWHERE, compare=False)


ChainNode: TypeAlias = TableNode | RouteNode


@dataclass(frozen=True, slots=True)
class KeyFrame:
    """What a motion says of one instant, ``time`` (s) after its start.

    ``values`` are joint values (rad, m), all of them where it is a posture; other joints stay as in
    the key frame before. ``mark`` names the landmark, sensor, link or joint that stands
    at ``point`` (m) while the upright figure is turned by ``turn``; "" where nothing is said.
    """

    time: float
    values: Mapping[str, float]
    mark: str = ""
    point: Vector3 = ZERO
    turn: Quaternion = NO_TURN
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class MotionNode:
    """A motion of a figure: key frames in rising order of time.

    ``ease`` is "smooth", "linear" or "flowing"; ``repeat`` how often it goes (infinity: always);
    ``blend`` (s) how long it takes to come from the posture it finds.
    """

    name: str
    frames: tuple[KeyFrame, ...]
    ease: str = "smooth"
    repeat: float = 1.0
    blend: float = 0.3
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Performance:
    """A figure follows ``motion`` from ``start`` (s) on; its points are those of ``frame`` in W."""

    motion: str
    start: float
    frame: Pose = _HERE


@dataclass(frozen=True, slots=True)
class FigureNode:
    """A figure of a world. Joint names are those of its tables' rows and of its hinges.

    ``postures`` map a posture's name to joint values, ``limits`` a joint's name to (low, high),
    ``limit_sets`` the name of a set to such limits. ``sensors`` and ``landmarks`` map a name to
    what the text says of it: a body (or "" for a joint of a table) and a feature (or the joint),
    and where it is put from there. ``hinges`` map the name a joint has within the figure to the
    id of the hinge. ``up`` is the direction that is up where the figure is
    shown, ``ZERO`` where none is.
    ``stand`` is ``X_WF``, the pose of the figure's own frame in the world it was placed in, and
    ``values`` are the joint values (rad, m) it starts with. ``carriers`` name the joint that
    carries each body derived from the tables ("" for the body that no joint moves), whose frame
    is that of the joint's link; ``joined`` the joints that make up each derived hinge.
    ``motions`` are what it can do, ``follows`` what it does from when on; the latest start counts.
    ``measures`` are its parameters, given or not, in SI units. ``loose``: it moves by its masses
    where axes meet in a point, too; each of its joints is a hinge.
    """

    id: str
    type: str
    chains: Mapping[str, ChainNode]
    postures: Mapping[str, Mapping[str, EntryValue]]
    limits: Mapping[str, EntryValue]
    sensors: Mapping[str, EntryValue]
    landmarks: Mapping[str, EntryValue]
    hinges: Mapping[str, str]
    limit_sets: Mapping[str, Mapping[str, EntryValue]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    up: Vector3 = UP
    span: Span = field(default=NOWHERE, compare=False)
    stand: Pose = _HERE
    values: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))
    carriers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    joined: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    motions: Mapping[str, MotionNode] = field(default_factory=lambda: MappingProxyType({}))
    follows: tuple[Performance, ...] = ()
    measures: Mapping[str, float] = field(
        default_factory=lambda: MappingProxyType({}), compare=False
    )
    loose: bool = False
    _rows: dict[str, JointRow] | None = field(init=False, default=None, repr=False, compare=False)

    @property
    def guided(self) -> bool:
        """Whether it moves as its motion says where other bodies move by forces.

        It does when it follows a motion, and when several of its joint axes meet in a point.
        """
        meeting = any(len(joints) > 1 for joints in self.joined.values())
        return bool(self.carriers) and (bool(self.follows) or meeting)

    def moved(self, hinges: Container[str]) -> Iterator[tuple[str, JointRow]]:
        """Yield hinge and row of each joint that forces move, of those among ``hinges``."""
        if not self.guided:
            for hinge, joints in self.joined.items():
                if hinge in hinges and len(joints) == 1:
                    yield hinge, self.rows[joints[0]]

    @property
    def rows(self) -> dict[str, JointRow]:
        """The rows of its tables by name, in order; put together once, not to be changed."""
        if self._rows is None:
            found = {
                row.name: row
                for chain in self.chains.values()
                if isinstance(chain, TableNode)
                for row in chain.rows
            }
            object.__setattr__(self, "_rows", found)
        assert self._rows is not None
        return self._rows

    @property
    def joints(self) -> tuple[str, ...]:
        """The names of all joints: table rows in order, then hinges."""
        return tuple(dict.fromkeys([*self.rows, *self.hinges]))


UPWARD: Vector3 = (0.0, 1.0, 0.0)
"""What is up in a world without gravity."""


def upward(gravity: Vector3) -> Vector3:
    """Return the direction that is up in a world: against gravity, y where there is none."""
    size = sum(each * each for each in gravity) ** 0.5
    if size == 0.0:
        return UPWARD
    x, y, z = (0.0 - each / size for each in gravity)
    return (x, y, z)


def upright_turn(node: FigureNode, gravity: Vector3) -> Quaternion:
    """Return the turn of a figure's frame by which its up, if it has one, is that of the world."""
    return between(node.up, upward(gravity)) if any(node.up) else NO_TURN
