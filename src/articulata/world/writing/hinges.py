"""Hinges as words of the language: kind, options, and the rows of a user's hinge."""

from __future__ import annotations

from articulata.world import wording
from articulata.world.body_features import feature_of
from articulata.world.hinges import HINGE_KINDS, HingeKind
from articulata.world.model import Hinge, World
from articulata.world.turning import conjugate, multiply
from articulata.world.values import NO_TURN, ZERO, Pose, Quaternion


def hinge_words(hinge: Hinge, world: World) -> tuple[str, bool]:
    """Return what follows ``with``, and whether the name of a definition goes before it."""
    kind = hinge.kind
    options = _frame(hinge, world)
    if kind.name == "screw":
        lead = dict(kind.parameters).get("lead", 0.0)
        return _words("screw", [f"lead: {wording.number(lead)}", *options]), False
    if kind.name == "point-on-surface" and len(kind.rows) == 1 and kind.rows[0].point == ZERO:
        surface = wording.surface(kind.rows[0].surface)
        return _words("point.on.surface", [f"surface: {surface}", *options]), False
    if HINGE_KINDS.get(kind.name) == kind:
        return _words(kind.name, options), False
    return _words("", options), True


def _words(name: str, options: list[str]) -> str:
    return f"{name}({', '.join(options)})" if options else name


def _frame(hinge: Hinge, world: World) -> list[str]:
    """Return the option that turns the hinge's frame in the features it matches."""
    if len(hinge.matching) != 1:
        return []
    a, b = hinge.matching[0]
    X_AF = feature_of(world.bodies[a.body], a.feature).pose
    X_BF = feature_of(world.bodies[b.body], b.feature).pose
    for turn in (_turn(X_AF, hinge.frame_a), _turn(X_BF, hinge.frame_b)):
        if _turned(X_AF, turn) == hinge.frame_a and _turned(X_BF, turn) == hinge.frame_b:
            return [] if turn == NO_TURN else [f"frame: {wording.rotation(turn)}"]
    on_a, on_b = hinge.frame_a.orientation, hinge.frame_b.orientation
    return [f"frame: ({wording.rotation(on_a)}, {wording.rotation(on_b)})"]


def _turn(feature: Pose, hinge: Pose) -> Quaternion:
    if feature.orientation == NO_TURN:
        return hinge.orientation
    return multiply(conjugate(feature.orientation), hinge.orientation)


def _turned(feature: Pose, turn: Quaternion) -> Pose:
    return Pose(feature.position, multiply(feature.orientation, turn))


def own_hinge(kind: HingeKind) -> str:
    """Return the parameters and rows of a user's hinge, each number written out."""
    rows = [
        f"point {wording.numbers(row.point)} of first on {wording.surface(row.surface)} of second"
        for row in kind.rows
    ]
    return "\n".join(rows)
