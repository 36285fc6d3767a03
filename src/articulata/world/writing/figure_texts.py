"""The sections that make a composite a figure, as text."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from articulata.errors import WorldError
from articulata.world import wording
from articulata.world.figures.derivation import derive
from articulata.world.figures.nodes import (
    UP,
    ChainNode,
    EntryValue,
    FigureNode,
    JointRow,
    KeyFrame,
    LinkData,
    MotionNode,
    TableNode,
)
from articulata.world.language.syntax.grammar import is_bare
from articulata.world.model import Body, FeatureRef, World
from articulata.world.values import NO_TURN, ZERO, Pose

_CONVENTIONS = {"x-axis": "x_axis"}


def figure_sections(figure: FigureNode) -> list[str]:
    """Return the chains, postures, limits, sensors and landmarks of a figure."""
    up = (
        []
        if figure.up == UP
        else [f"up: {wording.numbers(figure.up) if any(figure.up) else 'none'}"]
    )
    lines = up + [_chain(figure, chain) for chain in figure.chains.values()]
    for name, entries in figure.postures.items():
        said = [f"{label(joint)}: {_value(value)}" for joint, value in entries.items()]
        lines += [f"posture {label(name)} {{", *said, "}"]
    for word, found in (
        ("limits", figure.limits),
        ("sensors", figure.sensors),
        ("landmarks", figure.landmarks),
    ):
        if found:
            said = [f"{label(name)}: {_entry(figure, value)}" for name, value in found.items()]
            lines += [f"{word} {{", *said, "}"]
    for name, entries in figure.limit_sets.items():
        said = [f"{label(joint)}: {_value(value)}" for joint, value in entries.items()]
        lines += [f"limits {label(name)} {{", *said, "}"]
    return lines


def label(name: str) -> str:
    """Return a name as it stands in a text: in quotes where it must."""
    # A dotted name is the path of a hinge; "units:" would begin an item of the file.
    bare = all(map(is_bare, name.split("."))) and name != "units"
    return name if bare else f'"{name}"'


def quoted(path: str) -> str:
    """Return a dotted path with quotes about the names that need them, indices left alone."""
    return ".".join(
        name if is_bare(name.partition("[")[0]) else f'"{name}"' for name in path.split(".")
    )


def _local(figure: FigureNode, id: str) -> str:
    return id[len(figure.id) + 1 :]


def _end(figure: FigureNode, ref: FeatureRef) -> str:
    return _local(figure, str(ref)) if ref.body else label(ref.feature)


def _chain(figure: FigureNode, chain: ChainNode) -> str:
    if not isinstance(chain, TableNode):
        start, end = _end(figure, chain.start), _end(figure, chain.end)
        return f"chain {label(chain.name)}: from {start} to {end}"
    base = ""
    if chain.base is not None:
        inside = chain.base.startswith(f"{figure.id}.")
        base = f" on {_local(figure, chain.base) if inside else label(chain.base)}"
    word = _CONVENTIONS.get(chain.convention, chain.convention)
    rows = "\n".join(_row(row) for row in chain.rows)
    return f"chain {label(chain.name)}: {word} table{base}{_place(chain.place)} {{\n{rows}\n}}"


def _place(pose: Pose) -> str:
    at = f" at {wording.numbers(pose.position)}" if pose.position != ZERO else ""
    turned = f" turned {wording.rotation(pose.orientation)}" if pose.orientation != NO_TURN else ""
    return at + turned


def _row(row: JointRow) -> str:
    words = ("theta", "d", "a", "alpha")
    parts = [f"{word}: {wording.number(value)}" for word in words if (value := getattr(row, word))]
    if row.axis != (0.0, 0.0, 1.0):
        parts.append(f"axis: {wording.numbers(row.axis)}")
    if row.limits is not None:
        parts.append(f"limits: {wording.numbers(row.limits)}")
    if row.neutral:
        parts.append(f"neutral: {wording.number(row.neutral)}")
    if row.follows is not None:
        parts.append(f'mimic: "{row.follows.joint}"')
        parts.append(f"factor: {wording.number(row.follows.factor)}")
        parts.append(f"offset: {wording.number(row.follows.offset)}")
    parts += [f"{name}: {wording.number(value)}" for name, value in row.motor.items()]
    parts += _link(row.link)
    return f"{label(row.name)}: {row.kind}({', '.join(parts)}){_place(row.place)}"


def _link(link: LinkData) -> list[str]:
    parts = [f'link: "{link.name}"'] if link.name else []
    if link.mass is not None:
        parts.append(f"mass: {wording.number(link.mass)}")
    if link.center != ZERO:
        parts.append(f"center: {wording.numbers(link.center)}")
    if link.inertia:
        parts.append(f"inertia: {wording.numbers(link.inertia)}")
    if link.shape is not None:
        parts.append(f"shape: {wording.shape(link.shape)}")
    if link.look is not None:
        parts.append(f"look: {wording.shape(link.look)}")
    if link.color is not None:
        parts.append(f"color: {wording.color(link.color)}")
    return parts


def _entry(figure: FigureNode, value: EntryValue) -> str:
    """Return where a sensor or landmark is, or a plain value."""
    if isinstance(value, tuple) and value and isinstance(value[0], str):
        owner, feature = str(value[0]), str(value[1])
        path = f"{_local(figure, owner)}.{feature}" if owner else label(feature)
        if len(value) == 4:
            at, turn = value[2], value[3]
            return f"{path} at {_value(at)} turned {_quaternion(turn)}"
        return path
    return _value(value)


def _quaternion(value: EntryValue) -> str:
    return f"quaternion{_value(value)}"


def _value(value: EntryValue) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(_value(each) for each in value)})"
    if isinstance(value, str):
        return value if is_bare(value) else f'"{value}"'
    return wording.number(float(value))


# ---- motions of figures as text, in seconds, metres and radians


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


# ---- figures that stand in a world, as text: where, in which posture, and what was overridden
#
# Their links' bodies and hinges follow from the figure and are not written.


def derived_ids(world: World) -> frozenset[str]:
    """Return the ids of all bodies and hinges that follow from figures."""
    return frozenset(id for node in world.figures.values() for id in (*node.carriers, *node.joined))


def standing(node: FigureNode) -> str:
    """Return the statement that puts a figure where it stands, in its posture."""
    p, q = node.stand.position, node.stand.orientation
    clauses = [f"pose = ({wording.numbers(p)}, {wording.rotation(q)})"]
    clauses += [f"{label(name)} = {wording.number(value)}" for name, value in node.values.items()]
    clauses += ["properties: (loose)"] if node.loose else []
    return f"place {node.id} by {', '.join(clauses)}"


def overridden(world: World) -> Iterable[tuple[Body, Body]]:
    """Yield the bodies of figures that are not as they follow, each after the one that does.

    Raise WorldError where a figure has lost a part of itself, which no text can say.
    """
    for node in world.figures.values():
        if not node.carriers:
            continue
        derived = derive(node)
        for id, hinge in derived.hinges.items():
            if world.hinges.get(id) != hinge:
                raise WorldError(
                    f"figure '{node.id}' cannot be written as text: its joint '{id}' was changed; "
                    "undo this edit, or remove the figure"
                )
        for id, plain in derived.bodies.items():
            body = world.bodies.get(id)
            if body is None or replace(
                body, pose=plain.pose, velocity=plain.velocity, rate=plain.rate,
                motion=plain.motion, gravity=plain.gravity, placed=plain.placed,
                properties=plain.properties, material=plain.material,
            ) != plain:  # fmt: skip
                raise WorldError(
                    f"figure '{node.id}' cannot be written as text: its part '{id}' was changed; "
                    "undo this edit, or remove the figure"
                )
            if body != plain:
                yield plain, body
