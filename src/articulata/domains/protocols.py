"""What a domain offers, and what the domains that ship with the product publish to each other.

A domain says what a world means in one respect. ``domains.assemble`` finds domains in the entry
point group ``articulata.domains``, orders them by ``requires`` and hands each the models it asked
for. This module holds protocols and values only: no code of any domain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

from articulata.geometry.arrays import Array
from articulata.kernels.contacts.pieces import Pieces as PieceArrays
from articulata.records.events import Event, Value
from articulata.records.state import Channel, Part, State
from articulata.world.edits.transaction import Edit
from articulata.world.model import World

POSE = "geometric.pose"
"""Channel of every body's pose ``X_WB``."""

POSE_COLUMNS = ("x", "y", "z", "qw", "qx", "qy", "qz")
"""Its columns: the body frame's origin in W (m) and its orientation, w first."""


@runtime_checkable
class Model(Protocol):
    """What one world means in one domain: a value; ``transfer`` makes a new one, the old stays."""

    @property
    def channels(self) -> tuple[Channel, ...]:
        """What this domain's part of a state holds."""
        return ()

    def start(self) -> Mapping[str, Array]:
        """Return this domain's arrays at the start."""
        return {}

    def transfer(
        self, edit: Edit, state: State, world: World, reads: Mapping[str, Model]
    ) -> tuple[Model, Mapping[str, Array]]:
        """Return the model of ``world``, today's after ``edit``, and its arrays of ``state`` then.

        ``reads`` holds the models of that world that the domain reads.
        """
        ...


@runtime_checkable
class Domain(Protocol):
    """A respect in which a world has a meaning; ``requires`` names the domains it reads.

    A domain may have ``wants`` as well: names of domains it reads where the world has them.
    """

    @property
    def name(self) -> str:
        """The name worlds use for it (``domains: (geometric, control)``)."""
        ...

    @property
    def requires(self) -> tuple[str, ...]:
        """Names of the domains whose models ``build`` reads."""
        ...

    def build(self, world: World, reads: Mapping[str, Model]) -> Model:
        """Return the model of ``world``; ``reads`` holds the models of ``requires``."""
        ...


@runtime_checkable
class GeometricModel(Model, Protocol):
    """Shapes, features and mass properties of every body, and where they are."""

    def mass_properties(self, body: str) -> Any:
        """Return ``geometry.solids.MassProperties`` of a body."""
        ...

    def center(self, body: str) -> Array:
        """Return ``p_BC_B``, the mass centre from the body's origin (m); zero without a mass."""
        ...


@runtime_checkable
class FigureModel(Model, Protocol):
    """What figures do as their motions say."""

    def guided_poses(self, times: Array) -> Mapping[str, Array]:
        """Return ``X_WB`` (t, 4, 4) of the bodies that move as motions say, at ``times`` (s)."""
        ...

    def next_break(self, time: float) -> float:
        """Return the next instant (s) after ``time`` at which a motion may have a corner."""
        ...


@dataclass(frozen=True, slots=True)
class Sensed:
    """What a controller may read: an immutable snapshot of the last completed cycle.

    ``value(path)`` resolves any quantity a recording's ``series`` knows ("links.rod2.w.z",
    "links.h23.angle", "links.h23.force") at ``time`` (s), the end of that cycle.
    """

    time: float
    value: Callable[[str], Array | float]


Controller: TypeAlias = Callable[[float, Sensed], Any]
"""``f(t, sensed) -> value``; ``t`` in s is the exact stage time."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the controllers gave for one instant, arrays over bodies, drives and coordinates.

    ``acceleration`` (bodies, 6) prescribed linear (at the body frame's origin) and angular
    acceleration in W; ``torque`` (bodies, 3) moments in W; ``push`` (force drives, 3) forces in W
    at the features of the world's drives of kind "force", in order; ``hinge`` (hinge coordinates,)
    generalised forces.
    """

    acceleration: Array
    torque: Array
    push: Array
    hinge: Array


Control: TypeAlias = Callable[[float], Inputs]
"""Inputs at an exact stage time within the running cycle."""


At: TypeAlias = Callable[[float], State]
"""The state at a share of the step under way, from 0 to 1."""

Watch: TypeAlias = Callable[[At, float], float]
"""Says at which share of a step, up to a last one, an interval is to end; above 1 for none."""


LONGEST = 5e-3
"""Way (s) that is looked at as one step where nothing else divides the motion."""


@dataclass(frozen=True, slots=True)
class Moved:
    """What goes on after an edit: the ``motion`` and its ``state``, and what the edit did to them.

    ``values`` are for the event of the edit, ``note`` for its story.
    """

    motion: Motion
    state: State
    values: Mapping[str, Value]
    note: str = ""


class Motion(Protocol):
    """What carries a world through time: event-driven, in steps, by MuJoCo, or as it is told.

    What stands here is so of a motion on which nothing happens on the way and that needs no memory.
    """

    @property
    def world(self) -> World:
        """The world that moves."""
        ...

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The state's arrays, and what ``solve`` derives from them."""
        ...

    @property
    def touching(self) -> bool:
        """Whether something may happen on the way of itself: ``leg`` may end before its end."""
        return False

    @property
    def stops(self) -> bool:
        """Whether limits of hinges stop the motion, which is an event then."""
        return False

    @property
    def bears(self) -> bool:
        """Whether hinges bear forces: ``borne`` and ``in_steps`` may be asked."""
        return True

    @property
    def driven_pairs(self) -> tuple[tuple[str, str], ...]:
        """Bodies that may meet and of which none gives way."""
        return ()

    def start(self) -> Mapping[str, Array]:
        """Return the arrays at the start."""
        ...

    def start_events(self) -> tuple[Event, ...]:
        """Return what is told of the start."""
        return ()

    def before(self, state: State) -> Mapping[str, Array]:
        """Return what can be sensed before anything was solved."""
        return {}

    def solve(self, state: State, control: Control) -> Mapping[str, Array]:
        """Return derived channels at ``state``: accelerations, hinge forces, energies."""
        ...

    def observe(self, state: State) -> Mapping[str, Array]:
        """Return what ``state`` alone tells, without solving."""
        ...

    def placed(self, state: State) -> Mapping[str, Array]:
        """Return what of ``observe`` is found at once: poses, rates of hinges."""
        return {}

    def borne(self, state: State, control: Control) -> Array:
        """Return what the hinges bear at ``state``, (hinges, 6), as ``solve`` gives it."""
        return self.solve(state, control)["dynamic.hinge_force"]

    def told(self, events: Sequence[Event], state: State) -> tuple[Event, ...]:
        """Return ``events`` with what is so at ``state`` where they do not say it."""
        return tuple(events)

    def stride(self, state: State) -> float:
        """Return how far (s) it goes at once from ``state``."""
        return LONGEST

    def in_steps(self, state: State) -> bool:
        """Tell whether forces at ``state`` are those of a step."""
        return False

    def advance(self, state: State, dt: float, control: Control) -> State:
        """Return the state ``dt`` seconds later."""
        ...

    def within(self, state: State, dt: float, control: Control) -> At:
        """Return the states within the next ``dt`` seconds, each by a step of its own."""
        known = {0.0: state}

        def at(share: float) -> State:
            if share not in known:
                known[share] = self.advance(state, share * dt, control)
            return known[share]

        return at

    def leg(
        self, state: State, until: float, control: Control, watch: Watch | None = None
    ) -> tuple[State, tuple[Event, ...]]:
        """Return the state at ``until`` (s), or at the first event on the way with the events.

        ``watch`` is shown the motion within each step, ``at(share)``, and says at which share up
        to ``last`` the interval is to end; above 1 for none.
        """
        return self.advance(state, until - state.time, control), ()

    def parted(self, edit: Edit, state: State) -> tuple[Edit, ...]:
        """Return what keeps bodies from contact that hinges which ``edit`` ends leave in others."""
        return ()

    def after(self, models: Mapping[str, Model], before: State, state: State, edit: Edit) -> Moved:
        """Return how ``models`` move, those after ``edit``: ``before`` was carried to ``state``."""
        ...

    def remembered(self, state: State) -> Mapping[str, Part]:
        """Return what is remembered beside ``state``, to be recorded by parts."""
        return {}

    def recalled(self, parts: Mapping[str, Any]) -> Any:
        """Return the memory of a state of which ``parts`` were recorded; ValueError for others."""
        return None


@runtime_checkable
class EvolvingModel(Model, Protocol):
    """A domain whose own state changes while bodies move: a current, a temperature."""

    def evolve(self, before: State, after: State) -> Mapping[str, Array]:
        """Return this domain's arrays at ``after``'s time.

        ``before`` is the whole state at the start of the cycle; ``after`` already holds the
        moved bodies, and this domain's arrays as they were.
        """
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Contact:
    """Where two bodies touch or are about to: two named features and what they have in common.

    ``normal`` (3,) is the unit normal in W, from B to A. ``points`` (k, 3) m in W lie midway
    between the features, ``gaps`` (k,) m are the distances there along the normal (negative:
    overlap) and ``gap`` is the least of them. ``polygon`` (k, 3) is the common part of two faces,
    counterclockwise about the normal, None where features meet in points or a line. ``key`` tells
    feature pairs apart: equal keys are the same features of the same parts of the same bodies.
    """

    body_A: str
    body_B: str
    feature_A: str
    feature_B: str
    points: Array
    normal: Array
    gap: float
    gaps: Array
    polygon: Array | None
    key: tuple[int, ...]


@runtime_checkable
class Gap(Protocol):
    """The distance of two features as a smooth function of where their bodies are.

    It goes on where the features end: a corner beside a face still has a height over its plane.
    Poses (n, 7) are rows of the channel ``POSE``, velocities (n, 6) those of the bodies' origins
    and their angular velocities, both in W.
    """

    def value(self, poses: Array) -> float:
        """Return the gap (m), negative where the features overlap."""
        ...

    def rate(self, poses: Array, velocities: Array) -> float:
        """Return how fast the gap grows (m/s)."""
        ...


@dataclass(frozen=True, slots=True)
class FirstContact:
    """The first touch on a way: when (s), which bodies, and how far apart they still are (m)."""

    time: float
    body_A: str
    body_B: str
    gap: float


class Pieces(Protocol):
    """The convex pieces of all bodies: ``arrays`` for the kernels, and their features' names."""

    @property
    def arrays(self) -> PieceArrays:
        """The pieces in their bodies' axes."""
        ...

    @property
    def of_body(self) -> Sequence[Sequence[int]]:
        """The numbers of each body's pieces."""
        ...

    def name(self, piece: int, kind: int, index: int) -> str:
        """Return the name of a feature by its kind and number as the kernels give them."""
        ...


@runtime_checkable
class InterferenceModel(Model, Protocol):
    """Which bodies may touch, how far apart they are, and where they touch.

    Poses (n, 7) are rows of the channel ``POSE``, in the order of the world's bodies.
    """

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs of bodies that are tested."""
        ...

    @property
    def pieces(self) -> Pieces:
        """The convex pieces that stand for the bodies."""
        ...

    @property
    def untested(self) -> tuple[str, ...]:
        """Bodies that have a shape which is not tested."""
        ...

    def near(self, poses: Array, margin: float) -> tuple[tuple[str, str], ...]:
        """Return the tested pairs whose boxes are at most ``margin`` (m) apart."""
        ...

    def separation(self, poses: Array, body_A: str, body_B: str) -> float:
        """Return the distance (m); negative: the depth of the overlap."""
        ...

    def contacts(
        self, poses: Array, margin: float = 1e-9, pair: tuple[str, str] | None = None
    ) -> tuple[Contact, ...]:
        """Return where bodies (or the bodies of one pair) are at most ``margin`` (m) apart."""
        ...

    def gap(self, contact: Contact) -> Gap:
        """Return the distance of a contact's features as a function of poses."""
        ...

    def first_contact(
        self,
        motion: Callable[[float], Array],
        span: tuple[float, float],
        bounds: Array,
        pairs: Sequence[tuple[str, str]] | None = None,
    ) -> FirstContact | None:
        """Return the first instant in ``span`` (s) at which two bodies touch, or None.

        ``motion(t)`` gives the poses; ``bounds`` (n, 2) are the largest speed of each body's
        origin (m/s) and its largest angular speed (rad/s) within the span.
        """
        ...


class ControlModel(Model, Protocol):
    """Named controllers bound to functions."""

    def control(
        self, sensed: Sensed, state: State, log: Callable[[str, float, Sequence[float]], None]
    ) -> Control:
        """Return the inputs of the cycle that starts at ``state``; ``log`` receives outputs."""
        ...
