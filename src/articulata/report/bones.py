"""Bodies as they are drawn: the links of a figure that says few shapes are bones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from articulata.errors import RecordingError
from articulata.geometry.shapes import Placed, Shape, Union
from articulata.records.codec import Unknown
from articulata.world.model import Body, World


def drawn_bodies(world: World) -> Mapping[str, Body]:
    """Return the bodies of a world by their ids; most links without a shape: they get bones.

    They are drawn only: nothing touches them. RecordingError for shapes of another version.
    """
    for each in world.bodies.values():
        held: object = each.shape  # what a file holds may be of no class that types know
        if isinstance(held, Unknown):
            kind = held.name.rpartition(":")[2]
            raise RecordingError(
                f"'{each.id}' has a shape, '{kind}', which this version of articulata does not "
                "know; open the recording with the one that wrote it"
            )
    bare = [
        node.id
        for node in world.figures.values()
        if 2 * sum(_shapeless(world, body) for body in node.carriers) > len(node.carriers)
    ]
    if not bare:
        return world.bodies
    # Imported here: most worlds have no figure that is drawn by its bones.
    from articulata.kinematics.link import MeshFile
    from articulata.kinematics.skeleton import bones
    from articulata.kinematics.standing import standing

    found = dict(world.bodies)
    for figure in standing(world):
        if figure.id not in bare:
            continue
        made = bones(figure.figure, figure.start)
        for body, joint in world.figures[figure.id].carriers.items():
            parts: list[Shape] = [
                Placed(part.shape, part.X_LS)
                for part in made.get(joint, ())
                if not isinstance(part.shape, MeshFile)
            ]
            if parts and body in found and found[body].shape is None:
                shape = parts[0] if len(parts) == 1 else Union(parts)
                found[body] = replace(found[body], shape=shape)
    return found


def _shapeless(world: World, body: str) -> bool:
    return body not in world.bodies or world.bodies[body].shape is None
