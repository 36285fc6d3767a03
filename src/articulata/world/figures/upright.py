"""Which way is up in a world, and how a figure is turned to stand in it."""

from __future__ import annotations

from articulata.world.figures.nodes import FigureNode
from articulata.world.single_frames import between
from articulata.world.values import NO_TURN, Quaternion, Vector3

UPWARD: Vector3 = (0.0, 1.0, 0.0)
"""What is up in a world without gravity."""


def upward(gravity: Vector3) -> Vector3:
    """Return the direction that is up in a world: against gravity, y where there is none."""
    size = sum(each * each for each in gravity) ** 0.5
    if size == 0.0:
        return UPWARD
    x, y, z = (0.0 - each / size for each in gravity)
    return (x, y, z)


def upright_turn(node: FigureNode, gravity: Vector3) -> Quaternion:
    """Return the turn of a figure's frame by which its up, if it has one, is that of the world."""
    return between(node.up, upward(gravity)) if any(node.up) else NO_TURN
