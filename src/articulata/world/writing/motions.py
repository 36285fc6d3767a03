"""Motions of figures as text, in seconds, metres and radians."""

from __future__ import annotations

import math

from articulata.world import wording
from articulata.world.figures.nodes import FigureNode, KeyFrame, MotionNode
from articulata.world.values import NO_TURN, ZERO
from articulata.world.writing.figures import label, quoted


def motion_lines(motion: MotionNode) -> list[str]:
    """Return the lines of a motion."""
    lines = [f"motion {label(motion.name)} {{"]
    lines += [_key(frame) for frame in motion.frames]
    if motion.ease != "smooth":
        lines.append(f"ease: {motion.ease}")
    if motion.repeat != 1.0:
        many = "always" if math.isinf(motion.repeat) else wording.number(motion.repeat)
        lines.append(f"repeat {many}")
    if motion.blend != 0.3:
        lines.append(f"blend: {wording.number(motion.blend)}")
    return [*lines, "}"]


def _key(frame: KeyFrame) -> str:
    said = []
    if frame.values:
        items = frame.values.items()
        shown = (f"{label(name)}: {wording.number(value)}" for name, value in items)
        said.append(f"({', '.join(shown)})")
    if frame.mark:
        turn = f" turned {wording.rotation(frame.turn)}" if frame.turn != NO_TURN else ""
        said.append(f"{label(frame.mark)} at {wording.numbers(frame.point)}{turn}")
    return f"{wording.number(frame.time)}: {', '.join(said) or '()'}"


def followed(node: FigureNode) -> list[str]:
    """Return the statements of what a figure follows."""
    lines = []
    for each in node.follows:
        at = f" at {wording.numbers(each.frame.position)}" if each.frame.position != ZERO else ""
        turn = each.frame.orientation
        turned = f" turned {wording.rotation(turn)}" if turn != NO_TURN else ""
        start = wording.number(each.start)
        lines.append(f"{quoted(node.id)} follows {label(each.motion)} from {start}{at}{turned}")
    return lines
