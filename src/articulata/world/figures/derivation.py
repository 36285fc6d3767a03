"""Bodies and hinges of a figure that stands in a world, derived from its tables.

Links that do not move against each other form one body. Each joint between two bodies gives a
hinge; joints whose axes meet in a point give one together. A text holds only the figure: these
bodies and hinges are never written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.mass import six_moments
from articulata.geometry.poses import inverse_pose
from articulata.geometry.shapes import Named, Placed, Union
from articulata.world.figures.link_weights import (
    Weight,
    give_rings,
    link_weight,
    shared_out,
    together,
)
from articulata.world.figures.nodes import EntryValue, FigureNode, JointRow
from articulata.world.figures.trees import LinkTree, limits_of_joint, link_poses, link_tree
from articulata.world.hinges import (
    BALL,
    PRISMATIC,
    REVOLUTE,
    UNIVERSAL,
    HingeKind,
    Plane,
    PointOnSurface,
    Z,
)
from articulata.world.model import Body, Feature, FeatureRef, Hinge, PropertyValue
from articulata.world.single_frames import compose, from_axes
from articulata.world.values import Pose, vector_of

if TYPE_CHECKING:
    from articulata.geometry.shapes import Shape

ROOT = "base"
"""What the body is called that no joint moves, where no link of it has a name.

Where it has one this is its feature at the figure's own frame.
"""
LINK = "link"
"""The type of derived bodies; ``<joint>_link`` is the name of one whose row names no link."""


@dataclass(frozen=True, slots=True, eq=False)
class Derived:
    """The bodies and hinges of a figure by their ids, and the figure that knows of them.

    ``marks`` lead from the names of landmarks, sensors and links to features of these bodies.
    """

    node: FigureNode
    bodies: Mapping[str, Body]
    hinges: Mapping[str, Hinge]
    marks: Mapping[str, FeatureRef]


def derive(node: FigureNode) -> Derived:
    """Return what a figure is made of, standing at ``node.stand`` with ``node.values``.

    Nothing is derived from a figure that is made of bodies of its own.
    """
    tree = link_tree(node)
    if tree is None:
        return Derived(node, MappingProxyType({}), MappingProxyType({}), MappingProxyType({}))
    groups = groups_of(node, tree)
    names = _names(node, tree, groups)
    places = [pose_of_matrix(X) for X in link_poses(tree, node.values)]
    marks = _marks(node, tree, groups, names)
    weights = _weights(tree, groups, loose=node.loose)
    bodies: dict[str, Body] = {}
    hinges: dict[str, Hinge] = {}
    joined: dict[str, tuple[str, ...]] = {}
    for group, name, weight in zip(groups, names, weights, strict=True):
        id = f"{node.id}.{name}"
        X_FB = Pose() if group.leader < 0 else places[group.leader]
        bodies[id] = _body(node, tree, group, id, compose(node.stand, X_FB), marks, weight)
        if group.joints:
            hinge = _hinge(node, tree, group, groups, names, {*names, *marks})
            hinges[hinge.id] = hinge
            joined[hinge.id] = tuple(tree.rows[k].name for k in group.joints)
    carriers = {
        f"{node.id}.{name}": "" if group.leader < 0 else tree.rows[group.leader].name
        for group, name in zip(groups, names, strict=True)
    }
    made = replace(node, carriers=MappingProxyType(carriers), joined=MappingProxyType(joined))
    return Derived(made, MappingProxyType(bodies), MappingProxyType(hinges), marks)


def pose_of_matrix(X: Array) -> Pose:
    """Return a (4, 4) pose as position and quaternion."""
    x, y, z, p = (vector_of(column) for column in X[:3].T)
    return Pose(p, from_axes(x, y, z))


# ---- names


def _names(node: FigureNode, tree: LinkTree, groups: tuple[Group, ...]) -> list[str]:
    """Return a name for each group: that of its first named link, else one after its joint."""
    taken = {name for name, row in node.rows.items() if row.kind != "fixed"}
    names = []
    for group in groups:
        said = [tree.rows[k].link.name for k in group.links]
        plain = ROOT if not group.joints else f"{tree.rows[group.leader].name}_{LINK}"
        wanted = next((each for each in said if each), plain)
        name, number = wanted, 1
        while name in taken:
            name = f"{wanted}_{LINK}" if number == 1 else f"{wanted}_{LINK}_{number}"
            number += 1
        taken.add(name)
        names.append(name)
    return names


def hinge_name(joints: tuple[str, ...]) -> str:
    """Return what a hinge of several joints is called: the words their names begin with.

    A side alone, "l", says too little: it is called after the first of them then.

    >>> hinge_name(("r_wrist_flexion", "r_wrist_deviation")), hinge_name(("turn", "tilt"))
    ('r_wrist', 'turn_joint')
    """
    if len(joints) == 1:
        return joints[0]
    words = [name.replace("_", " ").split(" ") for name in joints]
    shared = 0
    while all(len(each) > shared + 1 and each[shared] == words[0][shared] for each in words):
        shared += 1
    length = len(" ".join(words[0][:shared]))
    return joints[0][:length] if length > 1 else f"{joints[0]}_joint"


def _marks(
    node: FigureNode, tree: LinkTree, groups: tuple[Group, ...], names: list[str]
) -> Mapping[str, FeatureRef]:
    """Return the body and feature that each landmark, sensor and named link stands for."""
    found: dict[str, FeatureRef] = {}
    owner = {k: name for group, name in zip(groups, names, strict=True) for k in group.links}
    numbers = {row.name: k for k, row in enumerate(tree.rows)}
    for name, value in (*node.sensors.items(), *node.landmarks.items()):
        number = numbers.get(str(value[1]), -1) if isinstance(value, tuple) else -1
        if number in owner:
            found[name] = FeatureRef(f"{node.id}.{owner[number]}", name)
    for number, row in enumerate(tree.rows):
        link = row.link.name or (row.name if row.kind == "fixed" else "")
        if link and number in owner and link not in found and link != owner[number]:
            found[link] = FeatureRef(f"{node.id}.{owner[number]}", link)
    if names[0] != ROOT and ROOT not in found:
        found[ROOT] = FeatureRef(f"{node.id}.{names[0]}", ROOT)
    return MappingProxyType(found)


# ---- bodies


def _body(
    node: FigureNode,
    tree: LinkTree,
    group: Group,
    id: str,
    pose: Pose,
    marks: Mapping[str, FeatureRef],
    whole: Weight | None,
) -> Body:
    properties: dict[str, PropertyValue] = {}
    if whole is not None:
        properties["mass"] = whole.mass
        properties["mass_center"] = vector_of(whole.center)
        if np.any(whole.inertia):
            properties["inertia"] = six_moments(whole.inertia)
    color = next((c for k in group.links if (c := tree.rows[k].link.color) is not None), None)
    if color is not None:
        properties["color"] = color
    features = {}
    places = {**node.sensors, **node.landmarks}
    for name, ref in marks.items():
        if ref.body == id:
            X = _mark_pose(tree, group, name, places.get(name))
            features[name] = Feature(name, "frame", pose_of_matrix(X))
    return Body(
        id,
        LINK,
        _shape(tree, group, {k: tree.rows[k].link.shape for k in group.links}),
        MappingProxyType(features),
        MappingProxyType(properties),
        pose,
        placed=True,
        dynamic=whole is not None,
        span=node.span,
        look=_look(tree, group),
    )


def _weights(tree: LinkTree, groups: tuple[Group, ...], *, loose: bool) -> list[Weight | None]:
    """Return what each group weighs, None where nothing is known of it."""
    weights: list[Weight | None] = []
    hinges: list[tuple[int, Array | None] | None] = []
    points: list[Array] = []
    for group in groups:
        found = [link_weight(tree.rows[k].link, X_GL) for k, X_GL in group.links.items()]
        known = [each for each in found if each is not None]
        weights.append(together(known) if known else None)
        points.append(np.zeros((2, 3)))
        if len(group.joints) != 1:
            hinges.append(None)
            continue
        X_BJ, X_JL = _joint_frames(tree, group, groups)
        points[-1] = np.array([inverse_pose(X_JL)[:3, 3], X_BJ[:3, 3]])
        slides = tree.rows[group.joints[0]].kind == "prismatic"
        axes = np.array([X_JL[2, :3], X_BJ[:3, 2]])  # z of J in the body and in its parent
        hinges.append((group.parent, None if slides else axes))
    if loose:
        give_rings(weights, hinges, points)
    shared_out(weights, hinges)
    return weights


def _mark_pose(tree: LinkTree, group: Group, name: str, value: EntryValue | None) -> Array:
    """Return ``X_GP`` of a landmark or sensor, or ``X_GL`` of a link."""
    if not isinstance(value, tuple):
        links = (tree.rows[k] for k in group.links)
        if name == ROOT and all(name not in (row.link.name, row.name) for row in links):
            return np.eye(4)
        number = next(k for k in group.links if name in (tree.rows[k].link.name, tree.rows[k].name))
        return group.links[number]
    number = next(k for k in group.links if tree.rows[k].name == value[1])
    if len(value) < 4:
        return group.links[number]
    put = Pose(value[2], value[3]).matrix()  # type: ignore[arg-type] # as the elaboration writes them
    return np.asarray(group.links[number] @ put)


def _look(tree: LinkTree, group: Group) -> Shape | None:
    """Return what is drawn of a group whose rows say it; other links of it show their shapes."""
    links = {k: tree.rows[k].link for k in group.links}
    if all(link.look is None for link in links.values()):
        return None
    return _shape(tree, group, {k: link.look or link.shape for k, link in links.items()})


def _shape(tree: LinkTree, group: Group, shapes: Mapping[int, Shape | None]) -> Shape | None:
    found = []
    for number, X_GL in group.links.items():
        shape = shapes[number]
        if shape is None:
            continue
        if isinstance(shape, Placed):
            X_GL, shape = X_GL @ shape.X_PS, shape.shape
        found.append((tree.rows[number], shape, X_GL))
    if len(found) == 1:
        _, shape, X = found[0]
        return shape if np.array_equal(X, np.eye(4)) else Placed(shape, X)
    if not found:
        return None
    return Union(
        Named(_part_name(row, k), Placed(shape, X)) for k, (row, shape, X) in enumerate(found, 1)
    )


def _part_name(row: JointRow, number: int) -> str:
    name = row.link.name or row.name
    return name if name.isidentifier() else f"part{number}"


# ---- hinges


def _hinge(
    node: FigureNode,
    tree: LinkTree,
    group: Group,
    groups: tuple[Group, ...],
    names: list[str],
    taken: set[str],
) -> Hinge:
    first, last = group.joints[0], group.joints[-1]
    X_BJ, X_JL = _joint_frames(tree, group, groups)
    kind, X_JH = _kind(tree, group)
    row = tree.rows[first]
    limits = limits_of_joint(node, row.name) if len(group.joints) == 1 else None
    joints = tuple(tree.rows[k].name for k in group.joints)
    name = hinge_name(joints)
    if len(joints) > 1 and name in taken:
        name = f"{name}_joint"
    me = f"{node.id}.{names[groups.index(group)]}"
    return Hinge(
        f"{node.id}.{name}",
        kind,
        me,
        f"{node.id}.{names[group.parent]}",
        (),
        pose_of_matrix(inverse_pose(X_JL) @ X_JH),
        pose_of_matrix(X_BJ @ X_JH),
        () if limits is None else (limits,),
        span=tree.rows[last].span,
    )


def _joint_frames(tree: LinkTree, group: Group, groups: tuple[Group, ...]) -> tuple[Array, Array]:
    """Return the first joint's frame in the parent group, and the outer link in it at zero."""
    first = group.joints[0]
    before = tree.parents[first]
    X_GP = np.eye(4) if before < 0 else groups[group.parent].links[before]
    X_JL = np.eye(4)
    for number in group.joints:
        X_JL = X_JL @ (np.eye(4) if number == first else tree.before[number]) @ tree.after[number]
    return X_GP @ tree.before[first], X_JL


def _kind(tree: LinkTree, group: Group) -> tuple[HingeKind, Array]:
    """Return the kind of a group's hinge and its frame ``X_JH`` in that of the first joint."""
    joints = group.joints
    X = np.eye(4)
    if len(joints) == 1:
        return (REVOLUTE if tree.rows[joints[0]].kind == "revolute" else PRISMATIC), X
    assert group.point is not None
    X[:3, 3] = group.point
    if len(joints) == 3:
        return BALL, X
    # x of H along the first axis as far as it is square to the second, z along the second.
    z = (tree.after[joints[0]] @ tree.before[joints[1]])[:3, 2]
    first = np.array([0.0, 0.0, 1.0])
    cosine = float(first @ z)
    x = first - cosine * z
    x /= np.linalg.norm(x)
    X[:3, 0], X[:3, 1], X[:3, 2] = x, np.cross(z, x), z
    if abs(cosine) <= 1e-12:
        return UNIVERSAL, X
    return oblique(cosine), X


def oblique(cosine: float) -> HingeKind:
    """Return the universal hinge whose axes meet at an angle of which ``cosine`` is the cosine.

    The second axis, z of H on the outer body, keeps its angle with the first, on the inner one.
    """
    sine = float(np.sqrt(1.0 - cosine**2))
    axis = (sine, 0.0, cosine)
    at = (cosine * sine, 0.0, cosine * cosine)
    row = PointOnSurface(Z, Plane(axis, at))
    return HingeKind("universal", (*BALL.rows, row), (), (("cosine", cosine),))


# ---- which links of a figure make up one body, and which joints between two bodies one hinge
#
# Links that fixed joints join are one body. Where two or three axes of turning meet in a point and
# nothing hangs between them, their joints are one hinge, as in a shoulder.


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
        run, point = ((number,), None) if node.loose else _run(tree, number, named)
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
