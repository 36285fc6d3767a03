"""The tables of a figure as one tree of links, and where its links are for joint values.

F is the figure's own frame, J a joint's frame, L the frame of the link it carries, P that of the
link before. Metres and radians; a joint's value turns about or slides along z of J.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from articulata.errors import NameNotFound, WorldError
from articulata.geometry.arrays import Array
from articulata.geometry.joint_frames import (
    axis_frame,
    modified_frames,
    standard_frames,
    translation,
)
from articulata.world.figures.nodes import ChainNode, FigureNode, JointRow, TableNode
from articulata.world.language.meant_words import did_you_mean


def table_frames(table: TableNode) -> list[tuple[Array, Array]]:
    """Return ``X_PJ`` and ``X_JL`` of every row; the first stands on the table's base."""
    frames = [_row_frames(table.convention, row) for row in table.rows]
    if frames:
        X_PJ, X_JL = frames[0]
        frames[0] = table.place.matrix() @ X_PJ, X_JL
    return frames


def joint_motion(kind: str, value: float) -> Array:
    """Return the pose (4, 4) that a joint's value (rad, m) makes in its frame J."""
    if kind == "prismatic":
        return translation(0.0, 0.0, value)
    X = np.eye(4)
    c, s = np.cos(value), np.sin(value)
    X[:2, :2] = (c, -s), (s, c)
    return X


def _row_frames(convention: str, row: JointRow) -> tuple[Array, Array]:
    if convention in ("standard", "modified"):
        make = standard_frames if convention == "standard" else modified_frames
        return make(row.theta, row.d, row.a, row.alpha, slides=row.kind == "prismatic")
    place = row.place.matrix()
    if convention == "x-axis":
        C = axis_frame(np.array([1.0, 0.0, 0.0]))
        return C, C.T @ place
    C = axis_frame(np.array(row.axis))
    return place @ C, C.T


@dataclass(frozen=True, slots=True, eq=False)
class LinkTree:
    """Rows of all tables in order; ``parents`` number the row before each, -1 for F.

    ``before`` and ``after`` hold ``X_PJ`` and ``X_JL`` (4, 4) of each row.
    """

    rows: tuple[JointRow, ...]
    parents: tuple[int, ...]
    before: tuple[Array, ...]
    after: tuple[Array, ...]

    def children(self, number: int) -> list[int]:
        """Return the rows that stand on a row's link, -1 for F."""
        return [k for k, parent in enumerate(self.parents) if parent == number]


def link_tree(node: FigureNode) -> LinkTree | None:
    """Return the tree of a figure's tables; None where not all of it stands in tables."""
    known = _TREES.get(id(node.chains))
    if known is None or known[0] is not node.chains:
        while len(_TREES) >= MOST_KEPT:
            _TREES.pop(next(iter(_TREES)))
        known = _TREES[id(node.chains)] = node.chains, _made_tree(node)
    return known[1]


MOST_KEPT = 64
"""Trees that are kept, so that the versions of a world's figure share one."""
_TREES: dict[int, tuple[Mapping[str, ChainNode], LinkTree | None]] = {}


def _made_tree(node: FigureNode) -> LinkTree | None:
    rows: list[JointRow] = []
    parents: list[int] = []
    before: list[Array] = []
    after: list[Array] = []
    numbers: dict[str, int] = {}
    for table in node.chains.values():
        if not isinstance(table, TableNode):
            continue
        if table.base is not None and table.base not in numbers:
            return None
        parent = -1 if table.base is None else numbers[table.base]
        for row, (X_PJ, X_JL) in zip(table.rows, table_frames(table), strict=True):
            numbers[row.name] = len(rows)
            parents.append(parent)
            parent = len(rows)
            rows.append(row)
            before.append(X_PJ)
            after.append(X_JL)
    if not rows or node.hinges:
        return None
    return LinkTree(tuple(rows), tuple(parents), tuple(before), tuple(after))


def joint_values(rows: Mapping[str, JointRow], given: Mapping[str, float]) -> dict[str, float]:
    """Return the value (rad, m) of every joint: given ones, neutral ones, those that follow."""
    found: dict[str, float] = {}

    def value(name: str, way: tuple[str, ...]) -> float:
        if name in found:
            return found[name]
        row = rows[name]
        follows = row.follows
        if follows is None:
            made = 0.0 if row.kind == "fixed" else given.get(name, row.neutral)
        elif follows.joint in way or follows.joint not in rows:
            raise WorldError(
                f"{row.span}: joint '{name}' follows '{follows.joint}', which "
                + ("follows it in turn" if follows.joint in way else "is no joint of its figure")
            )
        else:
            made = follows.factor * value(follows.joint, (*way, name)) + follows.offset
        found[name] = made
        return made

    for name in rows:
        value(name, (name,))
    return found


def link_poses(tree: LinkTree, given: Mapping[str, float]) -> list[Array]:
    """Return ``X_FL`` (4, 4) of every link for joint values by name; the others are neutral."""
    values = joint_values({row.name: row for row in tree.rows}, given)
    poses: list[Array] = []
    for row, parent, X_PJ, X_JL in zip(
        tree.rows, tree.parents, tree.before, tree.after, strict=True
    ):
        X_FP = np.eye(4) if parent < 0 else poses[parent]
        poses.append(X_FP @ X_PJ @ joint_motion(row.kind, values[row.name]) @ X_JL)
    return poses


def free_joints(node: FigureNode) -> tuple[str, ...]:
    """Return the joints of the tables that take a value: neither fixed nor following another."""
    return tuple(
        name for name, row in node.rows.items() if row.kind != "fixed" and row.follows is None
    )


def limits_of_joint(node: FigureNode, name: str) -> tuple[float, float] | None:
    """Return the limits (rad, m) of a joint: the figure's own, else its row's; None for none."""
    said = node.limits.get(name)
    if isinstance(said, tuple) and len(said) == 2:
        low, high = said
        if isinstance(low, int | float) and isinstance(high, int | float):
            return (float(low), float(high))
    return node.rows[name].limits


def check_value(node: FigureNode, name: str, value: float) -> None:
    """Raise where a joint of a figure does not exist, takes no value, or not this one."""
    row = node.rows.get(name)
    if row is None:
        told = did_you_mean(name, free_joints(node))
        raise NameNotFound(f"figure '{node.type}' has no joint '{name}'; {told}")
    if row.kind == "fixed" or row.follows is not None:
        why = "is fixed" if row.follows is None else f"follows '{row.follows.joint}'"
        raise WorldError(f"joint '{name}' of figure '{node.type}' {why}; it takes no value")
    limits = limits_of_joint(node, name)
    # A limit and a value may come from two units of the same angle.
    slack = 1e-12 * (1.0 + abs(value))
    if limits is not None and not limits[0] - slack <= value <= limits[1] + slack:
        low, high = (_shown(row.kind, each) for each in limits)
        raise WorldError(
            f"joint '{name}' of figure '{node.type}' goes from {low} to {high}; "
            f"{_shown(row.kind, value)} lies beyond"
        )


def value_advice(node: FigureNode, name: str) -> str:
    """Return what to write in place of a value that a joint does not take, "" for no joint."""
    row = node.rows.get(name)
    if row is None:
        return ""
    if row.follows is not None:
        return f"give '{row.follows.joint}' a value"
    if row.kind == "fixed":
        return f"take '{name}' out"
    low, high = limits_of_joint(node, name) or (0.0, 0.0)
    return f"write a value from {_shown(row.kind, low)} to {_shown(row.kind, high)}"


def _shown(kind: str, value: float) -> str:
    return f"{value:g} m" if kind == "prismatic" else f"{np.degrees(value):g} deg"
