"""Figures that stand in a world: their links as bodies, upright, in the posture they are given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from articulata.errors import ArticulataError
from articulata.world.figures.derivation import Derived, derive, pose_of_matrix
from articulata.world.figures.nodes import EntryValue, FigureNode, JointRow
from articulata.world.figures.trees import check_value, link_poses, link_tree, value_advice
from articulata.world.language.elaboration.binding import Elaboration
from articulata.world.language.elaboration.evaluate import Scope, Turned, is_group
from articulata.world.language.elaboration.instances import (
    BodyInstance,
    BodyType,
    CompositeInstance,
)
from articulata.world.language.meant_words import did_you_mean
from articulata.world.language.syntax import tree as t
from articulata.world.model import Hinge
from articulata.world.single_frames import between, compose
from articulata.world.values import ZERO, Pose, Vector3


def take_in(
    instance: CompositeInstance, scope: Scope, item: t.Figure, up: Vector3 | None
) -> tuple[list[BodyInstance], list[Hinge]]:
    """Return bodies and hinges of a figure's tables, and turn the figure upright.

    A figure of bodies that does not say what is up stays as it is drawn; so does any without
    ``up``, a figure alone.
    """
    node = instance.figure
    if node is None or instance.broken:
        return [], []
    try:
        derived = derive(node)
    except ArticulataError as error:
        if up is None:
            return [], []  # kinematics will say what is wrong with it
        raise scope.fail(item, "wrong-kind", str(error)) from None
    if up is not None and any(node.up) and (derived.bodies or item.up is not None):
        instance.upright = Pose(ZERO, between(node.up, up))
    return _taken(instance, derived, scope)


def loosen(instance: CompositeInstance, elaboration: Elaboration) -> None:
    """Let a figure move by its masses: each joint is a hinge, also where axes meet in a point."""
    node, before = instance.figure, instance.derived
    if node is None or before is None or all(len(each) < 2 for each in node.joined.values()):
        return
    scope = elaborated(instance, next(iter(before.bodies))).type.scope
    for id in before.hinges:
        del elaboration.hinges[id], elaboration.ends[id]
        del instance.hinges[id[len(node.id) + 1 :]]
    for id in before.bodies:
        del instance.parts[id[len(node.id) + 1 :]]
    bodies, hinges = _taken(instance, derive(replace(node, loose=True)), scope)
    own = set(before.bodies)
    place = next(k for k, body in enumerate(elaboration.bodies) if body.id in own)
    elaboration.bodies[place : place + len(own)] = bodies
    enter(instance, elaboration, hinges)


def enter(instance: CompositeInstance, elaboration: Elaboration, hinges: list[Hinge]) -> None:
    """Let the hinges of a figure's tables be known."""
    for hinge in hinges:
        elaboration.hinges[hinge.id] = hinge
        a, b = (elaborated(instance, id) for id in (hinge.body_a, hinge.body_b))
        elaboration.ends[hinge.id] = a, b


def _taken(
    instance: CompositeInstance, derived: Derived, scope: Scope
) -> tuple[list[BodyInstance], list[Hinge]]:
    node = derived.node
    bodies: list[BodyInstance] = []
    for id, body in derived.bodies.items():
        local = id[len(node.id) + 1 :]
        kind = BodyType(
            body.type, body.shape, body.features, body.properties, None, "free", body.dynamic,
            (), scope, look=body.look,
        )  # fmt: skip
        made = BodyInstance(id, local, kind, instance.span, instance, derived=True, held=True)
        instance.parts[local] = made
        bodies.append(made)
    for id, hinge in derived.hinges.items():
        instance.hinges[id[len(node.id) + 1 :]] = hinge
    if bodies:
        instance.figure, instance.derived = derived.node, derived
    return bodies, list(derived.hinges.values())


def elaborated(instance: CompositeInstance, id: str) -> BodyInstance:
    """Return the instance of a derived body of a figure."""
    found = instance.parts[id[len(instance.id) + 1 :]]
    assert isinstance(found, BodyInstance)
    return found


def root_of_figure(instance: CompositeInstance) -> list[BodyInstance]:
    """Return the body of a figure that no joint moves."""
    assert instance.derived is not None
    return [elaborated(instance, next(iter(instance.derived.bodies)))]


# ---- what a placement says


def says_posture(
    scope: Scope,
    owner: CompositeInstance,
    clause: t.PlaceSet,
    target: CompositeInstance,
    factor: float,
) -> bool:
    """Take ``posture = name``, ``pose = ...`` or a joint's value; False where it is neither."""
    node = target.figure
    name = clause.path.simple
    if node is None or target.derived is None or not name:
        return False
    if name == "posture":
        _posture(scope, clause, target, node)
    elif name == "pose":
        target.exact, target.exact_in = pose_said(scope, clause, _OWN_FRAME), owner
    elif name in ("velocity", "position"):
        return False
    else:
        _joint(scope, clause, target, node, name, factor)
    return True


def posture_named(scope: Scope, node: FigureNode, name: str, item: Any) -> Mapping[str, EntryValue]:
    """Return the values of a posture of a figure; ``item`` is to blame where it has none."""
    if name not in node.postures:
        message = f"figure '{node.type}' has no posture '{name}'"
        raise scope.fail(item, "unknown-name", message, did_you_mean(name, tuple(node.postures)))
    return node.postures[name]


def joint_named(
    scope: Scope, node: FigureNode, name: str, item: Any, known: tuple[str, ...]
) -> JointRow:
    """Return a joint of a figure; ``known`` are names that may have been meant."""
    if name not in node.rows:
        message = f"figure '{node.type}' has no joint '{name}'"
        raise scope.fail(item, "unknown-name", message, did_you_mean(name, known))
    return node.rows[name]


def _posture(scope: Scope, clause: t.PlaceSet, target: CompositeInstance, node: FigureNode) -> None:
    item = clause.value
    name = item.value if isinstance(item, t.Text) else getattr(item, "simple", "")
    for joint, value in posture_named(scope, node, name, item).items():
        assert isinstance(value, int | float)
        _set(scope, clause, target, node, joint, float(value))


def _joint(
    scope: Scope,
    clause: t.PlaceSet,
    target: CompositeInstance,
    node: FigureNode,
    name: str,
    factor: float,
) -> None:
    row = joint_named(scope, node, name, clause.path, (*node.rows, "posture"))
    sliding = row.kind == "prismatic"
    value = scope.number(clause.value, "length" if sliding else "angle")
    _set(scope, clause, target, node, name, factor * value if sliding else value)


def _set(
    scope: Scope,
    clause: t.PlaceSet,
    target: CompositeInstance,
    node: FigureNode,
    joint: str,
    value: float,
) -> None:
    try:
        check_value(node, joint, value)
    except ArticulataError as error:
        advice = value_advice(node, joint)
        raise scope.fail(clause.value, "out-of-range", str(error), advice) from None
    target.values[joint] = value


_OWN_FRAME = "a figure starts at a pose of its own frame"


def pose_said(scope: Scope, clause: t.PlaceSet, due: str) -> Pose:
    """Return ``pose = ((x, y, z), rotation)``; ``due`` tells what starts there."""
    value = scope.evaluate(clause.value)
    pair = is_group(value, 2)
    if not pair or not isinstance(value[1], Turned):
        raise scope.fail(
            clause.value,
            "wrong-kind",
            due,
            "write pose = ((0, 1, 0), quaternion(1, 0, 0, 0))",
        )
    return Pose(scope.to_vector(value[0], "length", clause.value), value[1].quaternion)


# ---- where its links are


def take_posture(composites: Iterable[CompositeInstance]) -> None:
    """Put the links of every figure where its joint values bring them, in its own frame."""
    for composite in composites:
        node = composite.figure
        if composite.derived is None or node is None:
            continue
        tree = link_tree(node)
        assert tree is not None
        poses = {
            row.name: X
            for row, X in zip(tree.rows, link_poses(tree, composite.values), strict=True)
        }
        for id, joint in node.carriers.items():
            if joint:
                elaborated(composite, id).pose = pose_of_matrix(poses[joint])


def stand(composite: CompositeInstance, frames: dict[int, Pose]) -> None:
    """Turn a composite upright in ``frames`` and tell its figure where it stands."""
    if composite.upright != Pose():
        frames[id(composite)] = compose(frames[id(composite)], composite.upright)
    if composite.derived is None or composite.figure is None:
        return
    if composite.exact is not None:
        frames[id(composite)] = _outwards(composite.exact_in, composite.exact, frames)
    composite.figure = replace(
        composite.figure,
        stand=frames[id(composite)],
        values=MappingProxyType(dict(composite.values)),
        follows=tuple(
            replace(each, frame=_outwards(said_in, each.frame, frames))
            for each, said_in in sorted(composite.performances, key=lambda each: each[0].start)
        ),
    )


def _outwards(owner: CompositeInstance | None, X_OF: Pose, frames: dict[int, Pose]) -> Pose:
    """Return ``X_WF`` of what is said in ``owner``."""
    X_WO = Pose() if owner is None else frames[id(owner)]
    still = Pose() == X_WO
    return X_OF if still else compose(X_WO, X_OF)
