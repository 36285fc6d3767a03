"""The last step of elaboration: instances and hinges become the nodes of a ``World``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from articulata.world.language.elaboration.arranging import arrange, feature_point, velocity_at
from articulata.world.language.elaboration.binding import Elaboration
from articulata.world.language.elaboration.instances import (
    BodyInstance,
    Broken,
    Clause,
    CompositeInstance,
)
from articulata.world.language.elaboration.standing import stand, take_posture
from articulata.world.model import (
    Body,
    Component,
    FeatureRef,
    Hinge,
    Motion,
    Placement,
    PropertyValue,
    World,
)
from articulata.world.single_frames import add, compose, moved, tuple_scaled, turned
from articulata.world.values import ZERO, Pose, Span, Vector3

_STILL = Pose()


def finish(elaboration: Elaboration, root: CompositeInstance, gravity: Vector3) -> World:
    """Return the world of what was unfolded: poses, velocities, placements put together."""
    take_posture(elaboration.composites)
    arrange(elaboration.composites, elaboration.hinges, elaboration.ends, elaboration.coordinates)
    frames: dict[int, Pose] = {}
    for composite in elaboration.composites:  # outermost first
        X_WO = frames[id(composite.owner)] if composite.owner is not None else _STILL
        frames[id(composite)] = composite.pose if X_WO == _STILL else compose(X_WO, composite.pose)
        stand(composite, frames)
    poses: dict[str, Pose] = {}
    for body in elaboration.bodies:
        if body.exact is not None:
            poses[body.id] = body.exact
            continue
        X_WC = frames[id(body.owner)]
        poses[body.id] = body.pose if X_WC == _STILL else compose(X_WC, body.pose)
    velocities = _velocities(elaboration, frames, poses)
    held = _held(elaboration)
    bodies = {
        body.id: _body(body, poses[body.id], velocities.get(body.id), body.id in held)
        for body in elaboration.bodies
    }
    components = {
        each.id: Component(each.id, each.type, _children(each), each.span)
        for each in elaboration.composites
        if each is not root
    }
    figures = {each.id: each.figure for each in elaboration.composites if each.figure is not None}
    return World(
        root.name,
        MappingProxyType(bodies),
        MappingProxyType(elaboration.hinges),
        MappingProxyType(elaboration.forces),
        MappingProxyType(elaboration.drives),
        MappingProxyType(components),
        _placements(elaboration, root, bodies),
        gravity,
        frozenset(elaboration.ignored),
        imports_python=tuple(dict.fromkeys(elaboration.python)),
        span=root.span,
        figures=MappingProxyType(figures),
        couplings=MappingProxyType(elaboration.couplings),
    )


def _children(composite: CompositeInstance) -> tuple[str, ...]:
    return tuple(part.id for part in composite.parts.values() if not isinstance(part, Broken))


def _body(
    body: BodyInstance, pose: Pose, velocity: tuple[Vector3, Vector3] | None, placed: bool
) -> Body:
    kind = body.type
    properties: Mapping[str, PropertyValue] = kind.properties
    if body.properties:
        properties = MappingProxyType({**properties, **body.properties})
    v, w = velocity or (ZERO, ZERO)
    motion: Motion = "fixed" if body.fixed else kind.motion
    return Body(
        body.id,
        kind.name,
        kind.shape,
        kind.features,
        properties,
        pose,
        v,
        w,
        motion,
        placed or motion == "fixed",
        kind.dynamic,
        body.gravity,
        body.material or kind.material,
        body.span,
        kind.levels,
        kind.look,
    )


def _held(elaboration: Elaboration) -> set[str]:
    """Return the bodies whose whole pose a placement has said."""
    held = {body.id for body in elaboration.bodies if body.held}
    for composite in elaboration.composites:
        for clause in composite.said:
            body = clause.body
            if clause.turn is not None or body.type.motion == "prescribed":
                held.add(body.id)
    return held


# ---- velocities


def _velocities(
    elaboration: Elaboration, frames: Mapping[int, Pose], poses: Mapping[str, Pose]
) -> dict[str, tuple[Vector3, Vector3]]:
    """Return the velocity and rate of every body that moves at the start, in W."""
    found: dict[str, tuple[Vector3, Vector3]] = {}

    def give(id: str, v: Vector3, w: Vector3) -> None:
        old_v, old_w = found.get(id, (ZERO, ZERO))
        found[id] = (add(old_v, v), add(old_w, w))

    for motion in elaboration.motions:
        target = motion.target
        if isinstance(target, Broken):
            continue
        X_WO = frames[id(motion.frame)]
        v, w = turned(X_WO.orientation, motion.v), turned(X_WO.orientation, motion.w)
        reference = _reference(motion.at, target, frames, poses)
        bodies = [target] if isinstance(target, BodyInstance) else target.bodies()
        for body in bodies:
            if body.type.motion != "fixed" and not body.fixed:
                give(body.id, velocity_at(v, w, reference, poses[body.id].position), w)
    still = {body.id for body in elaboration.bodies if body.fixed or body.type.motion == "fixed"}
    for moved_id, v, w in _hinge_rates(elaboration.hinges, still, elaboration.rates, poses):
        give(moved_id, v, w)
    return found


def velocities_beside_rates(world: World) -> dict[str, tuple[Vector3, Vector3]]:
    """Return each body's velocity and rate at the start without what hinges' asked rates give it.

    It is what a text says of the bodies beside the rates, which reading adds.
    """
    rates = {
        name.rpartition(".")[0]: value
        for placement in world.placements
        for name, value in placement.rates
    }
    still = {id for id, body in world.bodies.items() if body.motion == "fixed"}
    poses = {id: body.pose for id, body in world.bodies.items()}
    given: dict[str, list[tuple[float, ...]]] = {}
    for id, v, w in _hinge_rates(world.hinges, still, rates, poses):
        given.setdefault(id, []).append((*v, *w))
    found = {}
    for id, body in world.bodies.items():
        whole, shares = (*body.velocity, *body.rate), given.get(id, [])
        a, b, c, d, e, f = (
            _beside(value, [each[k] for each in shares]) for k, value in enumerate(whole)
        )
        found[id] = ((a, b, c), (d, e, f))
    return found


def _beside(value: float, shares: list[float]) -> float:
    """Return the number to which adding all ``shares``, one after the other, gives ``value``."""
    found = 0.0
    for _ in range(4):  # the last digits may need another look
        whole = found
        for share in shares:  # as reading adds, without a compensated sum
            whole += share
        left = value - whole
        if left == 0.0:
            break
        found += left
    return found


def _reference(
    clause: Clause | None,
    target: BodyInstance | CompositeInstance,
    frames: Mapping[int, Pose],
    poses: Mapping[str, Pose],
) -> Vector3:
    """Return the point that a velocity is said of: the placed feature, else the target's origin."""
    if isinstance(target, BodyInstance) and target.exact is not None:
        return target.exact.position
    if clause is not None:
        return feature_point(clause)
    if isinstance(target, BodyInstance):
        feature = target.type.feature("center")
        assert feature is not None
        return moved(poses[target.id], feature.pose.position)
    return frames[id(target)].position


def _hinge_rates(
    hinges: Mapping[str, Hinge],
    still: set[str],
    rates: Mapping[str, float],
    poses: Mapping[str, Pose],
) -> Iterator[tuple[str, Vector3, Vector3]]:
    """Yield what each hinge's rate gives its moving body and all that hangs on it: id, v and w."""
    if not rates:
        return
    ways: dict[str, list[tuple[str, str]]] = {}
    for hinge in hinges.values():
        ways.setdefault(hinge.body_a, []).append((hinge.body_b, hinge.id))
        ways.setdefault(hinge.body_b, []).append((hinge.body_a, hinge.id))
    for hinge_id, rate in rates.items():
        hinge = hinges[hinge_id]
        v, w, reference = _twist(hinge, rate, poses)
        carried = [hinge.body_a]
        seen = {hinge.body_a, hinge.body_b} | still
        if hinge.body_a in still:
            continue
        for here in carried:
            for there, by in ways.get(here, ()):
                if there not in seen and by != hinge_id:
                    seen.add(there)
                    carried.append(there)
        for id in carried:
            yield id, velocity_at(v, w, reference, poses[id].position), w


def _twist(
    hinge: Hinge, rate: float, poses: Mapping[str, Pose]
) -> tuple[Vector3, Vector3, Vector3]:
    """Return velocity, rate and reference point that a hinge's first coordinate gives."""
    X_WH = compose(poses[hinge.body_b], hinge.frame_b)
    axis = turned(X_WH.orientation, (0.0, 0.0, 1.0))
    along = tuple_scaled(axis, rate)
    if hinge.kind.coordinates[0] == "travel":
        return along, ZERO, X_WH.position
    lead = dict(hinge.kind.parameters).get("lead", 0.0) if hinge.kind.name == "screw" else 0.0
    return tuple_scaled(axis, rate * lead / 6.283185307179586), along, X_WH.position


# ---- placements


def _placements(
    elaboration: Elaboration, root: CompositeInstance, bodies: Mapping[str, Body]
) -> tuple[Placement, ...]:
    """Return what the world's own ``place`` statements ask, one for each thing placed."""
    grouped: dict[str, list[Clause]] = {}
    for clause in root.said:
        assert not isinstance(clause.target, Broken)
        if isinstance(clause.target, CompositeInstance) and clause.target.derived is not None:
            continue  # a figure stands where it is put, its links are held there
        grouped.setdefault(clause.target.id, []).append(clause)
    placements: list[Placement] = []
    for component, clauses in grouped.items():
        points = []
        placed_frames = []
        span: Span = clauses[0].span
        for clause in clauses:
            ref = FeatureRef(clause.body.id, clause.feature.name)
            point = clause.point
            if clause.onto is not None:
                other, feature = clause.onto
                point = moved(bodies[other.id].pose, feature.pose.position)
            if clause.turn is None:
                points.append((ref, point))
            else:
                X_WF = compose(bodies[ref.body].pose, clause.feature.pose)
                placed_frames.append((ref, replace(X_WF, position=point)))
        placements.append(Placement(component, tuple(points), tuple(placed_frames), (), span))
    wanted = tuple(
        (_coordinate_name(elaboration.hinges, name), value)
        for name, value in elaboration.coordinates.items()
    )
    rates = tuple(
        (f"{name}.{elaboration.hinges[name].kind.coordinates[0]}", value)
        for name, value in elaboration.rates.items()
    )
    if wanted or rates:
        placements.append(Placement("", (), (), wanted, root.span, rates))
    return tuple(placements)


def _coordinate_name(hinges: Mapping[str, Hinge], name: str) -> str:
    """Return "hinge" for the only coordinate of a hinge, else "hinge.coordinate"."""
    id = name.rpartition(".")[0]
    return id if len(hinges[id].kind.coordinates) == 1 else name
