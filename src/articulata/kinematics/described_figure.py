"""A figure as a world holds it: the tables, postures and places that make the same tree again."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from articulata.geometry.mass import six_moments
from articulata.geometry.shapes import Mesh, Named, Placed, Shape, Union
from articulata.kinematics.figure import OWN_LIMITS, Figure, Landmark
from articulata.kinematics.joint import FIXED, UNKNOWN_MOTOR, Joint
from articulata.kinematics.link import Link, MeshFile, Part
from articulata.world.figures.derivation import pose_of_matrix
from articulata.world.figures.nodes import (
    ChainNode,
    EntryValue,
    FigureNode,
    Following,
    JointRow,
    LinkData,
    RouteNode,
    TableNode,
)
from articulata.world.language.syntax.grammar import RESERVED
from articulata.world.model import FeatureRef
from articulata.world.values import Pose, Vector3, vector_of

BASE = "root"
"""The table of the link that no joint moves."""
MOTOR = ("speed", "acceleration", "effort", "damping", "friction")


Reader: TypeAlias = Callable[[MeshFile], Mesh | None]


def described(
    figure: Figure, meshes: Reader | None = None, hulls: Reader | None = None
) -> FigureNode:
    """Return the node of a figure: plain tables of its joints, a run of joints to a table.

    Shapes are those that touch, else those that are seen, of meshes what ``hulls`` returns. Where
    ``meshes`` reads them, a link looks like what is seen of it, else like what touches.
    """
    root = _root_row(figure, meshes, hulls)
    chains: dict[str, ChainNode] = {BASE: TableNode(BASE, "plain", (root,))}
    rows: dict[int, list[JointRow]] = {}
    for number, joint in enumerate(figure.joints):
        rows[number] = _rows(joint, figure.links[joint.name], meshes, hulls)
    for run in _runs(figure):
        parent = figure.parents[run[0]]
        base = root.name if parent < 0 else rows[parent][-1].name
        name = f"to {figure.joints[run[-1]].name}"
        found = tuple(row for number in run for row in rows[number])
        chains[name] = TableNode(name, "plain", found, base)
    last = {joint.name: rows[k][-1].name for k, joint in enumerate(figure.joints)}
    for name, way in figure.chains.items():
        ends = FeatureRef("", way.first), FeatureRef("", last[way.last])
        chains[name if name not in chains else f"{name} chain"] = RouteNode(name, *ends)
    sets = {
        name: {joint: _ends(pair) for joint, pair in limits.items() if _bounded(pair)}
        for name, limits in figure.limit_sets.items()
        if name != OWN_LIMITS
    }
    x, y, z = (float(each) for each in figure.up)
    return FigureNode(
        "",
        identifier(figure.name or "figure"),
        MappingProxyType(chains),
        _entries({name: dict(values) for name, values in figure.postures.items()}),
        MappingProxyType({}),
        MappingProxyType(_marks(figure.sensors, last, root.name)),
        MappingProxyType(_marks(figure.landmarks, last, root.name)),
        MappingProxyType({}),
        _entries(sets),
        (x, y, z),
    )


def identifier(name: str) -> str:
    """Return ``name`` with what no name of a type may hold put right.

    >>> identifier("ur5e 2.0"), identifier("end")
    ('ur5e_2_0', 'end_')
    """
    made = re.sub(r"\W", "_", name, flags=re.ASCII)
    made = f"{made}_" if made in RESERVED else made
    return made if made.isidentifier() else f"figure_{made}"


def _entries(
    items: Mapping[str, Mapping[str, EntryValue]],
) -> Mapping[str, Mapping[str, EntryValue]]:
    return MappingProxyType({name: MappingProxyType(dict(each)) for name, each in items.items()})


def _runs(figure: Figure) -> list[list[int]]:
    """Return the joints in runs without a branch between them, parents first."""
    children: dict[int, list[int]] = {}
    for number, parent in enumerate(figure.parents):
        children.setdefault(parent, []).append(number)
    runs: list[list[int]] = []
    for number, parent in enumerate(figure.parents):
        if parent >= 0 and len(children[parent]) == 1:
            continue
        run = [number]
        while len(children.get(run[-1], ())) == 1:
            run.append(children[run[-1]][0])
        runs.append(run)
    return runs


def _root_row(figure: Figure, meshes: Reader | None, hulls: Reader | None) -> JointRow:
    taken = {joint.name for joint in figure.joints}
    name = figure.root.name or "base"
    while name in taken:
        name = f"{name} link"
    row = JointRow(name, "fixed", place=pose_of_matrix(figure.base))
    return replace(row, link=_link(figure.root, name, meshes, hulls))


def _rows(joint: Joint, link: Link, meshes: Reader | None, hulls: Reader | None) -> list[JointRow]:
    """Return the row of a joint, and one to the link's frame where that is elsewhere."""
    X_JL = joint.X_JL
    aside = bool(np.any(X_JL[:3, 3] != 0.0))
    turn = np.eye(4)
    turn[:3, :3] = X_JL[:3, :3]
    here = joint.X_PJ if aside else joint.X_PJ @ turn
    axis: Vector3 = (0.0, 0.0, 1.0) if aside else vector_of(turn[2, :3])
    data = _link(link, joint.link or link.name, meshes, hulls)
    if joint.kind == FIXED:
        return [JointRow(joint.name, FIXED, place=pose_of_matrix(joint.X_PJ @ X_JL), link=data)]
    mimic = joint.mimic
    motor = {
        name: value
        for name in MOTOR
        if (value := getattr(joint.motor, name)) != getattr(UNKNOWN_MOTOR, name)
    }
    if joint.motor.gear != 1.0:
        motor["gear"] = joint.motor.gear
    row = JointRow(
        joint.name,
        joint.kind,
        limits=joint.limits if _bounded(joint.limits) else None,
        place=pose_of_matrix(here),
        axis=axis,
        neutral=joint.neutral,
        follows=None if mimic is None else Following(mimic.joint, mimic.factor, mimic.offset),
        motor=MappingProxyType(motor),
    )
    if not aside:
        return [replace(row, link=data)]
    return [row, JointRow(f"{joint.name} end", FIXED, place=pose_of_matrix(X_JL), link=data)]


def _bounded(limits: tuple[float, float]) -> bool:
    return all(math.isfinite(each) for each in limits)


def _ends(limits: tuple[float, float]) -> EntryValue:
    return (float(limits[0]), float(limits[1]))


def _link(link: Link, name: str, meshes: Reader | None, hulls: Reader | None) -> LinkData:
    form = link_form(link, hulls)
    look = _shape(_shapes(link.visuals, meshes) or _shapes(link.collisions, meshes))
    moments = six_moments(link.inertia)
    colors = (part.color for part in (*link.visuals, *link.collisions))
    return LinkData(
        link.mass or None,
        link.center,
        moments if link.mass and any(moments) else (),
        form,
        # a world knows no transparency
        next((color[:3] for color in colors if color is not None), None),
        name,
        look if look != form else None,
    )


def link_form(link: Link, hulls: Reader | None = None) -> Shape | None:
    """Return a link's shape: what touches, else what is drawn; None where nothing remains.

    Of meshes in files it is what ``hulls`` returns; without it they are left out.
    """
    return _shape(_shapes(link.collisions, hulls) or _shapes(link.visuals, hulls))


def _shapes(parts: Iterable[Part], meshes: Reader | None) -> list[Shape]:
    """Return the shapes of parts where they stand; ``meshes`` reads those in files."""
    found: list[Shape] = []
    for part in parts:
        shape: Shape | None = None
        if not isinstance(part.shape, MeshFile):
            shape = part.shape
        elif meshes is not None:
            shape = meshes(part.shape)
        if shape is not None:
            still = (np.eye(4) == part.X_LS).all()
            found.append(shape if still else Placed(shape, part.X_LS))
    return found


def _shape(placed: list[Shape]) -> Shape | None:
    if len(placed) < 2:
        return placed[0] if placed else None
    return Union(Named(f"part{number}", each) for number, each in enumerate(placed, 1))


def _marks(
    marks: Mapping[str, Landmark], last: Mapping[str, str], root: str
) -> dict[str, EntryValue]:
    found: dict[str, EntryValue] = {}
    for name, mark in marks.items():
        pose: Pose = pose_of_matrix(mark.X_LP)
        owner = last[mark.joint] if mark.joint else root
        found[name] = ("", owner, pose.position, pose.orientation)
    return found
