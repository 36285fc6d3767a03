"""A request of a text as a question of pose: figure, room, targets, objectives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from articulata.analyses.pose.objectives import Objective
from articulata.analyses.pose.pose_scene import Scene, scene_of
from articulata.domains.comfort.body_angles import WorkConditions
from articulata.errors import NameNotFound, WorldError
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_to_matrix
from articulata.kinematics.assembly.assembling import assemble
from articulata.kinematics.assembly.demands import feature_frame
from articulata.kinematics.clash import Obstacle
from articulata.kinematics.inverse.targets import At, Gaze, Pointing, Target
from articulata.kinematics.statics import Load, Push
from articulata.kinematics.world_figure import figure_of, narrowed
from articulata.world.document import read
from articulata.world.edits.figure_edits import AddFigure
from articulata.world.edits.transaction import edited
from articulata.world.figures.nodes import upright_turn
from articulata.world.figures.shelf import shelf
from articulata.world.model import World
from articulata.world.paths import hint, resolve
from articulata.world.requests.choices import DISCOMFORTS, FigureChoice
from articulata.world.requests.pose import GRIPS, Aim, Placement, PoseQuestion
from articulata.world.requests.request import Request
from articulata.world.values import Pose, Vector3

_COMFORT = Aim("discomfort")
"""What a posture is chosen by where nothing is said."""

TOUCHING = 1e-6
"""m: things this near to each other touch."""


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What a request asks: ``scene`` and ``objectives``, how one posture is ``chosen``.

    ``motion`` is by which law and in how many s it is taken, None where nothing is said.

    ``world`` holds the figure as ``component``, and its room where there is one.
    """

    world: World
    component: str
    scene: Scene
    objectives: tuple[Objective, ...]
    choose: str | tuple[str, ...]
    motion: tuple[str, float] | None = None


def asked_of(request: Request) -> Asked:
    """Return what a request to pose asks; WorldError where it asks something else."""
    question = request.question
    if not isinstance(question, PoseQuestion):
        raise WorldError(
            f"this is a request to {request.kind}; a request to pose begins with 'pose NAME'"
        )
    if not (question.places or question.looks):
        raise WorldError(
            f"pose {request.name}: no part of the body is asked for; write such as "
            'place: "right hand" at (0.4, 1.2, 0.3)'
        )
    twice = {place.part for place in question.places} & {look.part for look in question.looks}
    if twice:
        raise WorldError(
            f"pose {request.name}: '{min(twice)}' has a place and looks at something; write "
            f"place: ... pointing DIRECTION, or leave one of them out"
        )
    world, component = _world(request, question.figure)
    figure = narrowed(figure_of(world, component), question.limits)
    node = world.figures[component]
    scene = scene_of(
        figure,
        {
            **{place.part: _target(world, place) for place in question.places},
            **{look.part: Gaze(_at(world, look.target), look.within) for look in question.looks},
        },
        start=node.values,
        moving=question.moving,
        loads=[Load(load.part, load.mass) for load in question.loads],
        pushes=[Push(push.part, push.force) for push in question.pushes],
        gravity=world.gravity if any(world.gravity) else None,
        room=_room(world, component),
        supports=question.supports,
        standing=bool(question.supports),
        floating=bool(question.supports) and not _is_fixed(world, component),
        margin=question.clear,
        lean=question.lean,
    )
    if question.clear is not None:
        scene = _without_contacts(scene)
    weights = {each.joint: each.weight for each in question.weights} or None
    work = _work(question.work)
    aims = tuple(_objective(aim, weights, work) for aim in question.aims or (_COMFORT,))
    if question.work and not any(aim.kind in ("rula", "reba") for aim in aims):
        raise WorldError(
            f"pose {request.name}: 'work' counts in rula and reba, and neither is asked for; "
            "write minimise: reba"
        )
    if weights and not any(aim.by_joint for aim in aims):
        raise WorldError(
            f"pose {request.name}: 'weigh' counts in discomfort and torque, and neither is asked "
            "for; write minimise: discomfort"
        )
    choose: str | tuple[str, ...] = question.choose
    if choose == "order":
        choose = tuple(f"{aim.kind} left" if aim.side == "left" else aim.kind for aim in aims)
    said = question.motion
    motion = None if said is None else (said.law, said.duration)
    return Asked(world, component, scene, aims, choose, motion)


def _work(said: tuple[str, ...]) -> WorkConditions:
    """Return how the work is by the words of a text."""
    grips = [f"grip {word}" for word in GRIPS]
    return WorkConditions(
        static="static" in said,
        repeated="repeated" in said,
        shock="shock" in said,
        unstable="unstable" in said,
        supported="arm_support" in said,
        seated="seated" in said,
        back_rest="back_rest" in said,
        balanced="uneven_feet" not in said,
        grip=next((grips.index(word) for word in said if word in grips), 0),
    )


def _objective(aim: Aim, weights: Mapping[str, float] | None, work: WorkConditions) -> Objective:
    """Return what an aim of a text is, with the weights by joint where these count."""
    return Objective(
        aim.name.replace("_", " "),
        aim.weight,
        maximise=aim.highest,
        toward=aim.toward,
        form=aim.sort if aim.sort in DISCOMFORTS else "",
        by_joint=weights if aim.name in ("discomfort", "torque") else None,
        side="left" if aim.sort == "left" else "right",
        work=work,
    )


def _is_fixed(world: World, component: str) -> bool:
    root = world.bodies.get(next(iter(world.figures[component].carriers), ""))
    return root is not None and root.motion == "fixed"


def _world(request: Request, choice: FigureChoice) -> tuple[World, str]:
    """Return the world with the figure in it, assembled, and the figure's component."""
    room = assemble(request.elaborate()) if request.world else None
    if choice.component:
        if room is None or choice.name not in room.figures:
            known = () if room is None else tuple(room.figures)
            raise NameNotFound(
                f"pose {request.name}: there is no figure '{choice.name}'{hint(choice.name, known)}"
            )
        return room, choice.name
    alone = _alone(request, choice)
    node = next(iter(alone.figures.values()))
    if room is None:
        return assemble(alone), node.id
    stand = Pose(orientation=upright_turn(node, room.gravity))
    return edited(room, [AddFigure(replace(node, stand=stand))]), node.id


def _alone(request: Request, choice: FigureChoice) -> World:
    document = request.document
    if document is None or choice.name not in document.figures:
        found = shelf().get(choice.name)
        if found is None:
            known = [*shelf(), *(document.figures if document is not None else ())]
            raise NameNotFound(
                f"pose {request.name}: there is no figure '{choice.name}'{hint(choice.name, known)}"
            )
        document = read(found[0])
    return document.figure_world(choice.name, *choice.positional, **choice.named)


def _target(world: World, place: Placement) -> Target:
    within, angle = place.within.position, place.within.angle
    point = _at(world, place.target)
    if place.pointing is not None:
        return Pointing(point, place.pointing, within, angle)
    if place.orientation is not None:
        X = np.eye(4)
        X[:3, :3] = q_to_matrix(np.array(place.orientation))
        X[:3, 3] = point
        return At(X, within, angle)
    return At(point, within)


def _at(world: World, target: str | Vector3) -> Array:
    """Return where a target is in W: a point, a feature, or a body's centre."""
    return _point(world, target) if isinstance(target, str) else np.array(target)


def _point(world: World, path: str) -> Array:
    """Return where a feature, or a body's centre, is in W."""
    found = resolve(world, path)
    body = world.bodies.get(found.id)
    if body is None or found.kind not in ("body", "feature"):
        raise NameNotFound(f"'{path}' is no place of the world; name a body or a feature")
    name = found.feature if found.kind == "feature" and found.feature else "center"
    X = body.pose.matrix() @ feature_frame(body, name).matrix()
    return np.asarray(X[:3, 3])


def _room(world: World, component: str) -> list[Obstacle]:
    """Return what stands about a figure: every body that is not its own and not joined to it."""
    mine = set(world.figures[component].carriers)
    for hinge in world.hinges.values():
        ends = {hinge.body_a, hinge.body_b}
        if ends & mine and hinge.kind.name == "weld":
            mine |= ends
    return [
        Obstacle(id, body.shape, body.pose.matrix())
        for id, body in world.bodies.items()
        if id not in mine and body.shape is not None
    ]


def _without_contacts(scene: Scene) -> Scene:
    """Return the scene with pairs that touch from the start left out: what somebody stands on."""
    exempt: list[tuple[str, str]] = []
    for _ in range(64):
        trial = replace(scene, exempt=tuple(exempt))
        touching = [
            names
            for clash, margin in trial.clashes
            if (found := clash.clearances(scene.start)).distance <= margin + TOUCHING
            and (names := found.names()) is not None
        ]
        if not touching:
            break
        exempt += touching
    return replace(scene, exempt=tuple(exempt))
