"""The sections that make a composite a figure, as text."""

from __future__ import annotations

from articulata.world import wording
from articulata.world.figures.nodes import (
    UP,
    ChainNode,
    EntryValue,
    FigureNode,
    JointRow,
    LinkData,
    TableNode,
)
from articulata.world.language.syntax.grammar import is_bare
from articulata.world.model import FeatureRef
from articulata.world.values import NO_TURN, ZERO, Pose

_CONVENTIONS = {"x-axis": "x_axis"}


def figure_sections(figure: FigureNode) -> list[str]:
    """Return the chains, postures, limits, sensors and landmarks of a figure."""
    up = [] if figure.up == UP else [f"up: {wording.numbers(figure.up)}"]
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
    # A dotted name is the path of a hinge.
    return name if all(map(is_bare, name.split("."))) else f'"{name}"'


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
