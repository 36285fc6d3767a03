"""The figure of a world: from what its text says to joints, links and places.

Joints of tables come first, in the order of the tables, then those of hinges.

Of the tables of a text every convention becomes the canonical form.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from articulata.errors import KinematicsError, NameNotFound, WorldError
from articulata.geometry.arrays import Array
from articulata.geometry.shapes import Placed
from articulata.kinematics.figure import Figure, Landmark, Run
from articulata.kinematics.hinge_joints import HingeTree, body_link, hinge_tree
from articulata.kinematics.joint import REVOLUTE, UNLIMITED, Joint, Mimic, Motor
from articulata.kinematics.link import Link, Part
from articulata.world.body_features import named_feature
from articulata.world.figures.link_weights import moments_matrix
from articulata.world.figures.nodes import (
    UP,
    EntryValue,
    FigureNode,
    JointRow,
    LinkData,
    RouteNode,
    TableNode,
)
from articulata.world.figures.trees import table_frames
from articulata.world.model import World
from articulata.world.paths import hint
from articulata.world.requests.choices import JointLimits
from articulata.world.requests.request import asked_at
from articulata.world.values import Pose


def table_joints(table: TableNode) -> tuple[Joint, ...]:
    """Return the joints of a table, in order; the first one stands on the table's base."""
    return tuple(
        Joint(
            row.name,
            row.kind,
            X_PJ,
            X_JL,
            row.limits or UNLIMITED,
            row.neutral,
            _mimic(row),
            row.link.name,
            Motor(**row.motor),
        )
        for row, (X_PJ, X_JL) in zip(table.rows, table_frames(table), strict=True)
    )


def row_link(row: JointRow) -> Link:
    """Return the link that a row's joint carries."""
    data = row.link
    parts = (_part(data),) if data.shape is not None else ()
    return Link(
        data.name or row.name,
        data.mass or 0.0,
        data.center,
        moments_matrix(data.inertia),
        parts,
        parts,
    )


def _mimic(row: JointRow) -> Mimic | None:
    found = row.follows
    return None if found is None else Mimic(found.joint, found.factor, found.offset)


def _part(data: LinkData) -> Part:
    shape = data.shape
    assert shape is not None
    if isinstance(shape, Placed):
        return Part(shape.shape, shape.X_PS, data.color)
    return Part(shape, np.eye(4), data.color)


def figure_of(
    world: World, name: str = "", *, about: str = "", unit: tuple[str, float] = ("m", 1.0)
) -> Figure:
    """Return the figure called ``name`` of a world, or its only one.

    ``about`` is a line about it, ``unit`` the unit of length of its source and its size in m.
    Raise NameNotFound when there is none, KinematicsError when it cannot move as a tree.
    """
    return _Making(world, _node(world, name)).figure(about, unit)


def narrowed(figure: Figure, limits: Iterable[JointLimits]) -> Figure:
    """Return the figure with the limits of a request, which lie within its own.

    Raise NameNotFound for what does not turn, WorldError for angles that it does not reach.
    """
    turning = {j.name: j.limits for j in figure.joints if j.kind == REVOLUTE}
    wanted = {}
    for each in limits:
        with asked_at(each.span):
            if each.joint not in figure.names or each.joint not in turning:
                known = [name for name in figure.names if name in turning]
                raise NameNotFound(
                    f"figure '{figure.name}' has no joint '{each.joint}' that turns"
                    f"{hint(each.joint, known)}"
                )
            low, high = turning[each.joint]
            if each.low < low - _NEAR or each.high > high + _NEAR:
                said = f"{np.degrees(low):.4g} to {np.degrees(high):.4g} deg"
                bare = max(abs(each.low), abs(each.high)) % 1.0 == 0.0 and (
                    low - _NEAR <= np.radians(each.low) <= np.radians(each.high) <= high + _NEAR
                )
                write = f"from {each.low:g} deg to {each.high:g} deg" if bare else "angles within"
                raise WorldError(f"'{each.joint}' moves from {said}; write {write}")
            wanted[each.joint] = (max(each.low, low), min(each.high, high))
    return figure.with_limits(wanted) if wanted else figure


_NEAR = 1e-3
"""rad. Limits so little beyond the figure's own are taken: messages tell these rounded."""


def _node(world: World, name: str) -> FigureNode:
    if not name and len(world.figures) == 1:
        return next(iter(world.figures.values()))
    node = world.figures.get(name)
    if node is None:
        near = difflib.get_close_matches(name, world.figures, 1)
        known = ", ".join(world.figures)
        hint = f"did you mean '{near[0]}'?" if near else f"there are {known or 'none'}"
        what = f"no figure '{name}'" if name else f"{len(world.figures)} figures; name one"
        raise NameNotFound(f"world '{world.name}' has {what}; {hint}")
    return node


class _Making:
    """Joints gathered from the tables and hinges of one figure."""

    def __init__(self, world: World, node: FigureNode) -> None:
        self.world = world
        self.node = node
        self.joints: list[Joint] = []
        self.parents: list[int] = []
        self.links: dict[str, Link] = {}
        self.hinged = self._hinged()
        self.base = node.stand.matrix() if self.hinged is None else self.hinged.X_WR
        if self.hinged is not None:
            self.joints += self.hinged.joints
            self.parents += self.hinged.parents
            self.links.update(self.hinged.links)
        for chain in node.chains.values():
            if isinstance(chain, TableNode):
                self._table(chain)
        if not self.joints:
            raise KinematicsError(
                f"{node.span}: figure '{node.type}' has no joints; give it a table, or hinges"
            )

    def figure(self, about: str, unit: tuple[str, float]) -> Figure:
        """Return the figure."""
        node = self.node
        limits = {name: _pair(value) for name, value in node.limits.items()}
        known = {joint.name for joint in self.joints}
        for name in limits:
            self._joint(name, known)
        joints = [replace(j, limits=limits.get(j.name, j.limits)) for j in self.joints]
        root = self.hinged.root if self.hinged is not None else None
        return Figure(
            joints,
            self.parents,
            base=self.base,
            name=node.type,
            root=None if root is None else body_link(root, node.id),
            links=self.links,
            chains={chain.name: self._run(chain) for chain in node.chains.values()},
            postures={
                name: {joint: _number(value) for joint, value in posture.items()}
                for name, posture in node.postures.items()
            },
            limit_sets={
                name: {joint: _pair(value) for joint, value in limits.items()}
                for name, limits in node.limit_sets.items()
            },
            landmarks={name: self._mark(value) for name, value in node.landmarks.items()},
            sensors={name: self._mark(value) for name, value in node.sensors.items()},
            about=about,
            unit=unit[0],
            unit_size=unit[1],
            up=node.up if any(node.up) else UP,
            measures=node.measures,
        )

    def _joint(self, name: str, known: set[str]) -> None:
        if name not in known:
            raise KinematicsError(
                f"{self.node.span}: '{name}' of figure '{self.node.type}' is not one joint; a "
                f"hinge with several is spoken of by each: {', '.join(sorted(known))}"
            )

    def _hinged(self) -> HingeTree | None:
        node, world = self.node, self.world
        inside = f"{node.id}."
        bodies = {
            id: body
            for id, body in world.bodies.items()
            if id.startswith(inside) and id not in node.carriers
        }
        if not bodies:
            return None
        names = {id: name for name, id in node.hinges.items()}
        hinges = {id: world.hinges[id] for id in names if id in world.hinges}
        return hinge_tree(bodies, hinges, names, node.id)

    def _number(self, name: str) -> int:
        return next(i for i, joint in enumerate(self.joints) if joint.name == name)

    def _table(self, chain: TableNode) -> None:
        if not chain.rows:
            raise KinematicsError(f"{chain.span}: the table of chain '{chain.name}' has no rows")
        made = table_joints(chain)
        parent = -1
        if chain.base is not None:
            if self.hinged is not None and chain.base in self.hinged.carriers:
                parent = self.hinged.carriers[chain.base]
            else:
                parent = self._number(chain.base)
        elif self.hinged is not None:
            # The figure's own frame is that of the world it stands in, the root is a body in it.
            X_RW = np.linalg.inv(self.base)
            made = (replace(made[0], X_PJ=X_RW @ made[0].X_PJ), *made[1:])
        for number, (joint, row) in enumerate(zip(made, chain.rows, strict=True)):
            self.parents.append(parent if number == 0 else len(self.joints) - 1)
            self.joints.append(joint)
            self.links[joint.name] = row_link(row)

    def _run(self, chain: TableNode | RouteNode) -> Run:
        if isinstance(chain, TableNode):
            return Run(chain.rows[0].name, chain.rows[-1].name)
        start, end = chain.start, chain.end
        if not start.body:
            return Run(start.feature, end.feature)
        assert self.hinged is not None
        first, last = self.hinged.carriers[start.body], self.hinged.carriers[end.body]
        number = last
        while number >= 0 and self.parents[number] != first:
            number = self.parents[number]
        if number < 0:
            raise KinematicsError(
                f"{chain.span}: chain '{chain.name}' runs from '{start.body}' to '{end.body}', "
                f"but the latter is not carried by the former; start at "
                f"'{self.hinged.root.id}' or nearer to it"
            )
        X_LT = self._feature(end.body, end.feature).matrix()
        return Run(self.joints[number].name, self.joints[last].name, X_LT)

    def _feature(self, body: str, feature: str) -> Pose:
        one = self.world.bodies[body]
        found = named_feature(one.shape, one.features, feature, one.properties)
        if found is None:
            raise NameNotFound(f"'{body}' has no feature '{feature}'")
        return found.pose

    def _mark(self, value: EntryValue) -> Landmark:
        assert isinstance(value, tuple)
        owner, name = str(value[0]), str(value[1])
        X: Array = np.eye(4)
        if len(value) == 4:
            X = Pose(_tuple(value[2]), _tuple(value[3])).matrix()
        if not owner:
            return Landmark(name, X)
        assert self.hinged is not None
        carrier = self.hinged.carriers[owner]
        X_BP = self._feature(owner, name).matrix() @ X
        return Landmark(self.joints[carrier].name if carrier >= 0 else "", X_BP)


def _tuple(value: EntryValue) -> Any:
    assert isinstance(value, tuple)
    return value


def _number(value: EntryValue) -> float:
    assert isinstance(value, int | float)
    return float(value)


def _pair(value: EntryValue) -> tuple[float, float]:
    assert isinstance(value, tuple)
    low, high = value
    return (_number(low), _number(high))
