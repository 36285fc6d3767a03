"""Which links of a figure make up one body, and which joints between two bodies one hinge.

Links that fixed joints join are one body. Where two or three axes of turning meet in a point and
nothing hangs between them, their joints are one hinge, as in a shoulder.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from articulata.geometry.arrays import Array
from articulata.world.figures.nodes import FigureNode
from articulata.world.figures.trees import LinkTree

MEETING = 1e-9
"""How far (m) axes may pass each other and still meet in a point."""


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A body to be: ``links`` with their poses ``X_GL`` in it.

    ``joints`` are the rows between it and the group ``parent``, none for the first group, whose
    frame is F; the frame of any other is that of its first link. ``point`` (3,) is where several
    axes meet, in the frame of the first joint.
    """

    links: dict[int, Array]
    joints: tuple[int, ...] = ()
    parent: int = -1
    point: Array | None = None

    @property
    def leader(self) -> int:
        """The number of the link whose frame is the group's, -1 for F."""
        return next(iter(self.links)) if self.joints else -1


def groups_of(node: FigureNode, tree: LinkTree) -> tuple[Group, ...]:
    """Return the groups of a figure's links, the one that no joint moves first."""
    named = {str(value[1]) for value in _places(node) if isinstance(value, tuple)}
    groups = [Group({})]
    of: dict[int, int] = {-1: 0}
    pose: dict[int, Array] = {-1: np.eye(4)}
    taken: set[int] = set()
    for number, row in enumerate(tree.rows):
        parent = tree.parents[number]
        if number in taken:
            continue
        if row.kind == "fixed":
            of[number] = of[parent]
            pose[number] = pose[parent] @ tree.before[number] @ tree.after[number]
            groups[of[number]].links[number] = pose[number]
            continue
        run, point = _run(tree, number, named)
        taken.update(run)
        last = run[-1]
        of[last], pose[last] = len(groups), np.eye(4)
        groups.append(Group({last: np.eye(4)}, run, of[parent], point))
    return tuple(groups)


def _places(node: FigureNode) -> list[object]:
    return [*node.landmarks.values(), *node.sensors.values()]


def _run(tree: LinkTree, first: int, named: set[str]) -> tuple[tuple[int, ...], Array | None]:
    """Return the joints from ``first`` on that make one hinge, and where their axes meet."""
    run = [first]
    X = np.eye(4)  # the frame of the last joint in that of the first
    point: Array | None = None
    while len(run) < 3 and _is_bare(tree, run[-1], named):
        (after,) = tree.children(run[-1])
        if tree.rows[after].kind != "revolute":
            break
        X = X @ tree.after[run[-1]] @ tree.before[after]
        met = _meeting(X, point)
        if met is None:
            break
        point = met
        run.append(after)
    return tuple(run), point


def _is_bare(tree: LinkTree, number: int, named: set[str]) -> bool:
    """Tell whether a link has neither mass, shape nor name, and carries one joint alone."""
    row = tree.rows[number]
    link = row.link
    return (
        row.kind == "revolute"
        and link.mass is None
        and link.shape is None
        and not link.name
        and row.name not in named
        and len(tree.children(number)) == 1
    )


def _meeting(X: Array, point: Array | None) -> Array | None:
    """Return where the z axis of a frame ``X`` meets z of the first frame, or passes ``point``."""
    a, p = X[:3, 2], X[:3, 3]
    if point is not None:
        return point if np.linalg.norm(np.cross(point - p, a)) <= MEETING else None
    sine = float(np.hypot(a[0], a[1]))
    if sine < 1e-6:
        return None  # parallel axes meet nowhere, or everywhere
    s = -(a[0] * p[0] + a[1] * p[1]) / sine**2
    at = p + s * a
    return np.array([0.0, 0.0, at[2]]) if np.hypot(at[0], at[1]) <= MEETING else None
