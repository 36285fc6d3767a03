"""First poses: what is placed stands where it is said, the rest hangs from it by its hinges.

Each composite is arranged in its own frame C from the inside out, its parts as rigid wholes; then
poses are put together from the outside in. Chains and trees come out assembled; loops are closed
by ``articulata.kinematics.assembly.demands``, for which this is the start.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from articulata.world.language.elaboration.instances import (
    BodyInstance,
    Broken,
    Clause,
    CompositeInstance,
    Instance,
)
from articulata.world.model import Hinge
from articulata.world.single_frames import (
    about,
    add,
    between,
    compose,
    cross,
    direction,
    inverse,
    length,
    moved,
    subtract,
    turned,
)
from articulata.world.values import NO_TURN, ZERO, Pose, Vector3

Ends = Mapping[str, tuple[BodyInstance, BodyInstance]]
Part = BodyInstance | CompositeInstance


def arrange(
    composites: list[CompositeInstance],
    hinges: Mapping[str, Hinge],
    ends: Ends,
    coordinates: Mapping[str, float],
) -> None:
    """Give every part its pose in its composite's frame; ``composites`` come outermost first."""
    for composite in composites:
        for clause in composite.said:
            _assign(clause, composite)
    for composite in reversed(composites):
        _arrange_one(composite, hinges, ends, coordinates)


def _assign(clause: Clause, composite: CompositeInstance) -> None:
    """Hand a clause to the composite whose part it moves.

    What a statement places deep inside is placed in the frame of the statement's composite, as
    long as nothing says where the composites on the way are.
    """
    target = clause.target
    assert not isinstance(target, Broken)
    way: list[CompositeInstance] = []
    owner = target.owner
    while owner is not None and owner is not composite:
        way.append(owner)
        owner = owner.owner
    for each in way:
        above = each.owner
        assert above is not None
        if any(other.target is each for other in above.clauses):
            return
    for each in way:
        each.known = True
    assert target.owner is not None
    target.owner.clauses.append(clause)


def pose_in(part: BodyInstance | CompositeInstance, top: CompositeInstance | None) -> Pose:
    """Return the pose of a part in the frame of the composite ``top`` (None: in W)."""
    X = part.pose
    owner = part.owner
    while owner is not None and owner is not top:
        for X_outer in (owner.upright, owner.pose):
            X = compose(X_outer, X) if X_outer != _STILL else X
        owner = owner.owner
    return X


_STILL = Pose()


def _arrange_one(
    composite: CompositeInstance,
    hinges: Mapping[str, Hinge],
    ends: Ends,
    coordinates: Mapping[str, float],
) -> None:
    known: dict[int, Part] = {}
    by_part: dict[int, list[Clause]] = {}
    parts: dict[int, Part] = {}
    for clause in composite.clauses:
        part = _part_of(composite, clause.body)
        by_part.setdefault(id(part), []).append(clause)
        parts[id(part)] = part
    for key, clauses in by_part.items():
        _put(parts[key], clauses, composite)
        known[key] = parts[key]
    for each in composite.parts.values():
        fixed = (
            each.fixed or each.type.motion == "fixed" or each.derived
            if isinstance(each, BodyInstance)
            else isinstance(each, CompositeInstance) and (each.known or each.exact is not None)
        )
        if fixed and id(each) not in known:
            known[id(each)] = each  # type: ignore[assignment] # not broken, as tested above
    _hang(composite, known, hinges, ends, coordinates)


def _part_of(composite: CompositeInstance, body: BodyInstance) -> Part:
    """Return the part of ``composite`` that holds a body."""
    part: Part = body
    while part.owner is not composite:
        assert part.owner is not None
        part = part.owner
    return part


def _put(part: Part, clauses: list[Clause], composite: CompositeInstance) -> None:
    """Put a part so that its first clause is met, and turn it by what the others say."""
    for clause in clauses:
        if clause.onto is not None:
            support, feature = clause.onto
            X_CO = compose(pose_in(support, composite), feature.pose)
            clause.point = X_CO.position
    first = clauses[0]
    X_PF = compose(_within(first.body, part), first.feature.pose)
    turn = first.turn
    if turn is None:
        turn = NO_TURN
        other = next((each for each in clauses[1:] if each.turn is None), None)
        turned_by = next((each.turn for each in clauses[1:] if each.turn is not None), None)
        if turned_by is not None:
            turn = turned_by
        elif other is not None:
            # Two points: the smallest turn that brings their line where it is wanted.
            X_PG = compose(_within(other.body, part), other.feature.pose)
            now = subtract(X_PG.position, X_PF.position)
            wanted = subtract(other.point, first.point)
            if length(now) > 0 and length(wanted) > 0:
                turn = between(direction(now), direction(wanted))
    part.pose = Pose(subtract(first.point, turned(turn, X_PF.position)), turn)


def _within(body: BodyInstance, part: Part) -> Pose:
    """Return the pose of a body in the frame of the part that holds it."""
    if body is part:
        return _STILL
    assert isinstance(part, CompositeInstance)
    X = pose_in(body, part)
    return compose(part.upright, X) if part.upright != _STILL else X


def _hang(
    composite: CompositeInstance,
    known: dict[int, Part],
    hinges: Mapping[str, Hinge],
    ends: Ends,
    coordinates: Mapping[str, float],
) -> None:
    """Place what is not placed by its hinges, outwards from what is."""
    ways: dict[int, list[tuple[Hinge, bool, Part]]] = {}
    for hinge in composite.hinges.values():
        a, b = ends[hinge.id]
        part_a, part_b = _part_of(composite, a), _part_of(composite, b)
        if part_a is part_b:
            continue
        ways.setdefault(id(part_a), []).append((hinge, False, part_b))
        ways.setdefault(id(part_b), []).append((hinge, True, part_a))
    queue: deque[Part] = deque(known.values())
    waiting: deque[Instance] = deque(composite.parts.values())
    while True:
        while queue:
            here = queue.popleft()
            for hinge, from_b, there in ways.get(id(here), ()):
                if id(there) in known:
                    continue
                there.pose = _hung(hinge, ends, coordinates, here, there, from_b=from_b)
                known[id(there)] = there
                queue.append(there)
        # Nothing is left to hang: the next loose part stays at the origin and carries its own.
        while waiting and (isinstance(waiting[0], Broken) or id(waiting[0]) in known):
            waiting.popleft()
        if not waiting:
            return
        loose = waiting.popleft()
        assert not isinstance(loose, Broken)
        known[id(loose)] = loose
        queue.append(loose)


def _hung(
    hinge: Hinge,
    ends: Ends,
    coordinates: Mapping[str, float],
    here: Part,
    there: Part,
    *,
    from_b: bool,
) -> Pose:
    """Return the pose of ``there`` that closes a hinge at its coordinates."""
    a, b = ends[hinge.id]
    X_hA = compose(_within(a, there if from_b else here), hinge.frame_a)
    X_hB = compose(_within(b, here if from_b else there), hinge.frame_b)
    X_BA = coordinate_pose(hinge, coordinates)  # the frame on A in the frame on B
    if from_b:
        X_CH = (
            compose(compose(here.pose, X_hB), X_BA) if X_BA != _STILL else compose(here.pose, X_hB)
        )
        return compose(X_CH, inverse(X_hA))
    X_CH = compose(compose(here.pose, X_hA), inverse(X_BA))
    return compose(X_CH, inverse(X_hB))


def coordinate_pose(hinge: Hinge, coordinates: Mapping[str, float]) -> Pose:
    """Return the pose of the hinge's frame on A in its frame on B at given coordinates."""
    angle = travel = 0.0
    for name in hinge.kind.coordinates:
        value = coordinates.get(f"{hinge.id}.{name}", 0.0)
        if name == "travel":
            travel = value
        elif name == "angle":
            angle = value
    for name, lead in hinge.kind.parameters:
        if name == "lead" and hinge.kind.name == "screw":
            travel = lead * angle / 6.283185307179586
    if angle == 0.0 and travel == 0.0:
        return _STILL
    return Pose((0.0, 0.0, travel), about((0.0, 0.0, 1.0), angle))


def velocity_at(v: Vector3, w: Vector3, reference: Vector3, point: Vector3) -> Vector3:
    """Return the velocity of ``point`` in a rigid motion: ``v`` at ``reference`` and ``w``."""
    if w == ZERO:
        return v
    return add(v, cross(w, subtract(point, reference)))


def feature_point(clause: Clause) -> Vector3:
    """Return where the feature of a clause is in W."""
    return moved(pose_in(clause.body, None), clause.feature.pose.position)
