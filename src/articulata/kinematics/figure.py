"""A figure: a tree of joints with names for what people speak of.

Named chains, postures, sets of limits and landmarks; links with masses and shapes. ``q`` is the
vector of free coordinates of the tree, rad and m. A figure does not change: what differs is a new
figure.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError, NameNotFound
from articulata.geometry.arrays import Array, Float64, IntArray
from articulata.kinematics.chain import Chain
from articulata.kinematics.joint import FIXED, Joint
from articulata.kinematics.joint_tree import PlacedTree
from articulata.kinematics.link import Link
from articulata.kinematics.rhythm import LED, SIDES, ShoulderRhythm
from articulata.world.shown import Shown

if TYPE_CHECKING:
    from articulata.kinematics.inverse.method import Progress
    from articulata.kinematics.inverse.several_targets import FigurePostures
    from articulata.kinematics.inverse.targets import Target

OWN_LIMITS: Final = ""
"""The name of the limits that the joints were given themselves."""

Limits = Mapping[str, tuple[float, float]]


_PUBLISHED: Final = ShoulderRhythm()

_TOLD: Final = 24
"""How many names an error lists."""


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """A named chain: from the joint ``first`` to the joint ``last``; ``end`` is ``X_LT``."""

    first: str
    last: str
    end: Array = field(default_factory=lambda: np.eye(4), repr=False)


@dataclass(frozen=True, slots=True, eq=False)
class Landmark:
    """A named place: at ``X_LP`` (4, 4) in the link that ``joint`` carries, "" for the root."""

    joint: str
    X_LP: Array = field(default_factory=lambda: np.eye(4))


def runs_to(
    joints: Sequence[Joint], parents: Sequence[int], ends: Mapping[str, int]
) -> dict[str, Run]:
    """Return the chains from the root to joints, by their names in ``ends``; what moves counts."""
    found = {}
    for name, last in ends.items():
        first, number, moves = last, last, False
        while number >= 0:
            first, moves = number, moves or joints[number].kind != FIXED
            number = parents[number]
        if moves:
            found[name] = Run(joints[first].name, joints[last].name)
    return found


class Figure(PlacedTree, Shown):
    """Joints with parents, as ``Tree`` has them, and names for what they make up.

    ``links`` maps a joint's name to the link it carries, ``root`` is the link that stands still.
    ``chains`` maps a name to a ``Run``, ``postures`` to joint values, ``limit_sets`` to limits by
    joint, ``landmarks`` to a ``Landmark``, and so do ``sensors``, where trackers sit; angles in
    rad, lengths in m. ``unit`` is the unit of length the figure's source writes in and
    ``unit_size`` its length in m. ``up`` (3,) is the direction that is up where the figure is
    shown, in W. ``about`` is a line for a list. ``measures`` maps the parameters that it was made
    by to their values, in SI units. With a ``rhythm`` its collarbones follow its arms.
    """

    def __init__(
        self,
        joints: Iterable[Joint],
        parents: Sequence[int],
        *,
        base: npt.ArrayLike | None = None,
        name: str = "",
        root: Link | None = None,
        links: Mapping[str, Link] | None = None,
        chains: Mapping[str, Run] | None = None,
        postures: Mapping[str, Mapping[str, float]] | None = None,
        limit_sets: Mapping[str, Limits] | None = None,
        landmarks: Mapping[str, Landmark] | None = None,
        sensors: Mapping[str, Landmark] | None = None,
        unit: str = "m",
        unit_size: float = 1.0,
        up: npt.ArrayLike = (0.0, 0.0, 1.0),
        about: str = "",
        measures: Mapping[str, float] | None = None,
        rhythm: ShoulderRhythm | None = None,
    ) -> None:
        super().__init__(joints, parents, base=base, name=name, rhythm=rhythm)
        self.base.flags.writeable = False
        self.root = root if root is not None else Link("base")
        given = dict(links or {})
        self.links: Mapping[str, Link] = MappingProxyType(
            {each.name: given.get(each.name, _bare(each)) for each in self.joints}
        )
        for each in given:
            self.index(each)
        self.chains: Mapping[str, Run] = MappingProxyType(dict(chains or {}))
        self.postures: Mapping[str, Mapping[str, float]] = MappingProxyType(
            {each: MappingProxyType(dict(values)) for each, values in (postures or {}).items()}
        )
        own: Limits = {joint.name: joint.limits for joint in self.joints}
        self.limit_sets: Mapping[str, Limits] = MappingProxyType(
            {
                each: MappingProxyType(dict(limits))
                for each, limits in {OWN_LIMITS: own, **(limit_sets or {})}.items()
            }
        )
        self.landmarks: Mapping[str, Landmark] = MappingProxyType(dict(landmarks or {}))
        self.sensors: Mapping[str, Landmark] = MappingProxyType(dict(sensors or {}))
        self.unit = unit
        self.unit_size = float(unit_size)
        self.up: Array = _direction(up)
        self.about = about
        self.measures: Mapping[str, float] = MappingProxyType(dict(measures or {}))
        self._names_exist()
        self._sealed = True

    def __setattr__(self, name: str, value: Any) -> None:
        if "_sealed" in self.__dict__:
            raise AttributeError(f"a figure does not change; '{name}' cannot be set")
        super().__setattr__(name, value)

    # ---- joint values and names

    def vector(
        self, values: Mapping[str, float], start: npt.ArrayLike | None = None
    ) -> Float64[Array, "dof"]:
        """Return the posture (dof,) with joint ``values`` by name; the others as in ``start``.

        Without ``start`` the others are neutral. Rad and m.
        """
        q = np.array(self.neutral if start is None else start, float)
        if q.shape != (self.dof,):
            raise KinematicsError(
                f"the start of a posture of '{self.name}' has {self.dof} values, not {q.shape}"
            )
        for name, value in values.items():
            q[self.coordinate(name)] = _finite(value, f"joint '{name}' of '{self.name}'")
        return q

    def named(self, q: npt.ArrayLike) -> dict[str, float]:
        """Return a posture (dof,) as joint values by name, in the tree's order."""
        given = np.asarray(q, float)
        if given.shape != (self.dof,):
            raise KinematicsError(
                f"a posture of '{self.name}' has {self.dof} values; this has shape {given.shape}"
            )
        return {name: float(value) for name, value in zip(self.names, given, strict=True)}

    def coordinate(self, joint: str) -> int:
        """Return the place in ``q`` of a free joint."""
        number = self.index(_name(joint, "a joint"))
        found = self._columns_of.get(number)
        if found is None:
            one = self.joints[number]
            why = "is fixed" if one.mimic is None else f"follows '{one.mimic.joint}'"
            if self.led is not None and number in self.led.led:
                why = "follows the arm"
            raise KinematicsError(f"joint '{joint}' of '{self.name}' {why}; it takes no value")
        return found

    def posture(self, name: str) -> Float64[Array, "dof"]:
        """Return the named posture (dof,); joints it does not speak of are neutral."""
        return self.vector(self._look_up(self.postures, name, "posture"))

    # ---- limits

    def with_limits(self, limits: str | Limits) -> Figure:
        """Return the figure with a named set of limits, or with limits by joint name.

        A joint that the set leaves out keeps the limits it has.
        """
        wanted: Limits
        if isinstance(limits, str):
            wanted = self._look_up(self.limit_sets, limits, "set of limits")
        else:
            wanted = _pairs(limits)
        for name in wanted:
            self.index(name)
        joints = [replace(j, limits=wanted.get(j.name, j.limits)) for j in self.joints]
        return self._like(joints)

    def with_rhythm(self, rhythm: ShoulderRhythm | None = _PUBLISHED) -> Figure:
        """Return the figure whose collarbones follow its arms, ``None`` for one without that.

        They have no value of their own then; ``values(q)`` tells those of all joints.
        """
        names = {joint.name for joint in self.joints}
        led = {f"{side}_{each}" for side in SIDES for each in LED} & names
        postures = self.postures
        if rhythm is not None:
            postures = {
                name: {joint: value for joint, value in values.items() if joint not in led}
                for name, values in postures.items()
            }
        return self._like(self.joints, rhythm=rhythm, postures=postures)

    # ---- chains

    def chain(self, name: str, *, at: npt.ArrayLike | None = None) -> Chain:
        """Return a named chain. It stands where its parent is in posture ``at`` (dof,).

        Without ``at`` the rest of the figure is in the neutral posture.
        """
        if at is not None:
            return self._chain_at(name, np.asarray(at, float))
        made = self._made_chains.get(name)
        if made is None:
            made = self._made_chains[name] = self._chain_at(name, self.neutral)
        return made

    def path(self, chain: str) -> tuple[int, ...]:
        """Return the numbers of the joints of a named chain, from its base to its tip."""
        run = self._look_up(self.chains, chain, "chain")
        first, number = self.index(run.first), self.index(run.last)
        found = [number]
        while number != first:
            number = self.parents[number]
            if number < 0:
                raise KinematicsError(
                    f"chain '{chain}' of '{self.name}': joint '{run.first}' does not carry "
                    f"'{run.last}'"
                )
            found.append(number)
        return tuple(reversed(found))

    def chain_coordinates(self, chain: str) -> IntArray:
        """Return the places in the figure's ``q`` of the coordinates of a chain's ``q``."""
        found = [self._columns_of[i] for i in self.path(chain) if i in self._columns_of]
        return np.array(found, np.int64)

    # ---- places

    def place(self, name: str) -> tuple[int, Float64[Array, "4 4"]]:
        """Return where a landmark, a sensor, a chain's tip, a link or a joint's link is.

        The first of these that is called ``name`` is meant. Returned are the number of the joint
        whose link it is on, -1 for the root, and ``X_LP``.
        """
        _name(name, "a place")
        mark = self.landmarks.get(name) or self.sensors.get(name)
        if mark is not None:
            return (self.index(mark.joint) if mark.joint else -1), mark.X_LP
        run = self.chains.get(name)
        if run is not None:
            return self.index(run.last), run.end
        number = self._links.get(name, self._numbers.get(name))
        if number is not None:
            return number, np.eye(4)
        raise self._missing(
            {**self.landmarks, **self.sensors, **self.chains, **self._numbers, **self._links},
            name,
            "place",
        )

    # ---- inverse kinematics

    def inverse(
        self,
        targets: Mapping[str, npt.ArrayLike | Target],
        start: npt.ArrayLike | None = None,
        tolerance: float = 0.5e-3,
        *,
        angle_tolerance: float | None = None,
        starts: int = 12,
        progress: Progress | None = None,
    ) -> FigurePostures:
        """Return postures that bring places of the figure to ``targets``, all at once.

        ``targets`` maps names that ``place`` knows (landmarks, chain tips, links) to places
        (*batch, 3), poses X_WP (*batch, 4, 4) or targets (``At``, ``Pointing``, ``Gaze``) with
        tolerances of their own, all of one batch. ``start`` (dof,) or
        (*batch, dof), the neutral posture where none is given, is tried first, then postures
        spread within the limits, ``starts`` in all. Tolerances in m and rad (the same number
        where none is given). Targets in conflict get the posture that makes the squares of
        what is left least.
        """
        from articulata.kinematics.inverse.rhythmic import rhythmic_inverse
        from articulata.kinematics.inverse.several_targets import FigureQuestion, figure_inverse

        asked = FigureQuestion(targets, start, tolerance, angle_tolerance, starts, progress)
        if self.rhythm is not None:
            return rhythmic_inverse(self, self.with_rhythm(None), asked)
        return figure_inverse(self, asked)

    ik = inverse
    """Inverse kinematics, by the name that many look for."""

    # ---- masses

    @property
    def mass(self) -> float:
        """The mass of all links, kg."""
        return self.root.mass + sum(link.mass for link in self.links.values())

    def center_of_mass(self, q: npt.ArrayLike) -> Float64[Array, "*batch 3"]:
        """Return the centre of mass in W for postures ``q`` (*batch, dof), m."""
        if self.mass == 0.0:
            raise KinematicsError(f"figure '{self.name}' has no masses")
        poses = self.poses(q)
        m = np.array([link.mass for link in self.links.values()])
        p_L = np.array([[*link.center, 1.0] for link in self.links.values()])
        moved = np.einsum("...lij,lj,l->...i", poses, p_L, m)[..., :3]
        still = self.root.mass * (self.base @ [*self.root.center, 1.0])[:3]
        return np.asarray((moved + still) / self.mass)

    # ---- inside

    @cached_property
    def _made_chains(self) -> dict[str, Chain]:
        """Chains in the neutral posture: what inverse kinematics prepares stays with a chain."""
        return {}

    def _chain_at(self, name: str, q: Array) -> Chain:
        run = self._look_up(self.chains, name, "chain")
        numbers = self.path(name)
        if self.led is not None and not self.led.touched.isdisjoint(numbers):
            raise KinematicsError(
                f"the collarbones of '{self.name}' follow its arms: chain '{name}' does not move "
                "alone; ask the whole figure, or figure.with_rhythm(None)"
            )
        values = self.values(q)[0][0]
        parent = self.parents[numbers[0]]
        base = self.base if parent < 0 else self.poses(q)[parent]
        inside = {self.joints[i].name for i in numbers}
        joints = []
        for number in numbers:
            joint = self.joints[number]
            if joint.mimic is not None and joint.mimic.joint not in inside:
                joint = _stopped(joint, float(values[number]))
            joints.append(joint)
        return Chain(joints, base=base, end=run.end, name=name)

    @property
    def _columns_of(self) -> dict[int, int]:
        return {number: column for column, number in enumerate(self.free)}

    @property
    def _links(self) -> dict[str, int]:
        named: dict[str, int] = {}
        for number, joint in enumerate(self.joints):
            named.setdefault(self.links[joint.name].name, number)
        if self.root.name and self.root.name not in self._numbers:
            named.setdefault(self.root.name, -1)
        return named

    def _look_up(self, table: Mapping[str, Any], name: str, what: str) -> Any:
        found = table.get(_name(name, f"a {what}"))
        if found is None:
            raise self._missing(table, name, what)
        return found

    def _missing(self, table: Mapping[str, Any], name: str, what: str) -> NameNotFound:
        near = difflib.get_close_matches(name, table, 1)
        if near:
            hint = f"did you mean '{near[0]}'?"
        else:
            known = [each for each in table if each]
            more = f" and {len(known) - _TOLD} more" if len(known) > _TOLD else ""
            hint = f"it has {', '.join(known[:_TOLD])}{more}" if known else "it has none"
        return NameNotFound(f"figure '{self.name}' has no {what} '{name}'; {hint}")

    def with_base(self, X_WB: npt.ArrayLike) -> Figure:
        """Return the figure with its base at a pose (4, 4)."""
        return self._like(self.joints, base=X_WB)

    def _like(self, joints: Iterable[Joint], **changed: Any) -> Figure:
        kept: dict[str, Any] = {
            "base": self.base,
            "name": self.name,
            "root": self.root,
            "links": self.links,
            "chains": self.chains,
            "postures": self.postures,
            "limit_sets": self.limit_sets,
            "landmarks": self.landmarks,
            "sensors": self.sensors,
            "unit": self.unit,
            "unit_size": self.unit_size,
            "up": self.up,
            "about": self.about,
            "measures": self.measures,
            "rhythm": self.rhythm,
        }
        return Figure(joints, self.parents, **(kept | changed))

    def _names_exist(self) -> None:
        for name in self.chains:
            self.path(name)
        for mark in (*self.landmarks.values(), *self.sensors.values()):
            if mark.joint:
                self.index(mark.joint)
        for values in self.postures.values():
            for joint in values:
                self.coordinate(joint)
        for limits in self.limit_sets.values():
            for joint, (low, high) in limits.items():
                self.index(joint)
                if not low <= high:
                    raise KinematicsError(
                        f"joint '{joint}' of '{self.name}' has limits ({low:g}, {high:g}); give "
                        "the lower one first, and numbers that are not NaN"
                    )


def _name(given: object, what: str) -> str:
    if not isinstance(given, str):
        raise NameNotFound(f"{what} is called by its name, a text, not {given!r}")
    return given


def _direction(given: npt.ArrayLike) -> Array:
    up = np.array(given, float)
    size = float(np.linalg.norm(up)) if up.shape == (3,) else 0.0
    if not 0.0 < size < np.inf:
        raise KinematicsError(f"up is a direction of three numbers, not all zero; not {given!r}")
    up /= size
    up.flags.writeable = False
    return up


def _finite(value: object, what: str) -> float:
    if isinstance(value, int | float | np.number) and np.isfinite(value):
        return float(value)
    raise KinematicsError(f"{what} takes a finite number in rad or m, not {value!r}")


def _pairs(limits: object) -> Limits:
    if isinstance(limits, Mapping) and all(
        isinstance(each, str) and np.shape(pair) == (2,) for each, pair in limits.items()
    ):
        return {each: (float(low), float(high)) for each, (low, high) in limits.items()}
    raise KinematicsError(
        f"limits are the name of a set, or (low, high) by the name of a joint, not {limits!r}"
    )


def _bare(joint: Joint) -> Link:
    return Link(joint.link or joint.name)


def _stopped(joint: Joint, value: float) -> Joint:
    """Return ``joint`` held at ``value``: its leader is elsewhere in the figure."""
    motion = np.eye(4)
    if joint.kind == "prismatic":
        motion[2, 3] = value
    else:
        c, s = np.cos(value), np.sin(value)
        motion[:2, :2] = (c, -s), (s, c)
    return replace(joint, kind=FIXED, X_PJ=joint.X_PJ @ motion, mimic=None)
