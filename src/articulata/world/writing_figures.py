"""The sections that make a composite a figure, as text."""

from __future__ import annotations

from articulata.world import wording
from articulata.world.figures import ChainNode, EntryValue, FigureNode, JointRow, TableNode

_CONVENTIONS = {"x-axis": "x_axis"}


def figure_sections(figure: FigureNode) -> list[str]:
    """Return the chains, postures, limits, sensors and landmarks of a figure."""
    lines = [_chain(figure, chain) for chain in figure.chains.values()]
    for name, entries in figure.postures.items():
        said = [f"{joint}: {_value(value)}" for joint, value in entries.items()]
        lines += [f"posture {_label(name)} {{", *said, "}"]
    for word, found in (
        ("limits", figure.limits),
        ("sensors", figure.sensors),
        ("landmarks", figure.landmarks),
    ):
        if found:
            said = [f"{name}: {_entry(figure, value)}" for name, value in found.items()]
            lines += [f"{word} {{", *said, "}"]
    return lines


def _label(name: str) -> str:
    return name if name.isidentifier() else f'"{name}"'


def _local(figure: FigureNode, id: str) -> str:
    return id[len(figure.id) + 1 :]


def _chain(figure: FigureNode, chain: ChainNode) -> str:
    if not isinstance(chain, TableNode):
        start, end = _local(figure, str(chain.start)), _local(figure, str(chain.end))
        return f"chain {_label(chain.name)}: from {start} to {end}"
    base = f" on {_local(figure, chain.base)}" if chain.base else ""
    word = _CONVENTIONS.get(chain.convention, chain.convention)
    rows = "\n".join(_row(row) for row in chain.rows)
    return f"chain {_label(chain.name)}: {word} table{base} {{\n{rows}\n}}"


def _row(row: JointRow) -> str:
    parts = [
        f"{word}: {wording.number(getattr(row, word))}" for word in ("theta", "d", "a", "alpha")
    ]
    if row.limits is not None:
        parts.append(f"limits: {wording.numbers(row.limits)}")
    parts += [f"{name}: {_value(value)}" for name, value in row.extra.items()]
    return f"{row.name}: {row.kind}({', '.join(parts)})"


def _entry(figure: FigureNode, value: EntryValue) -> str:
    """Return where a sensor or landmark is, or a plain value."""
    if isinstance(value, tuple) and value and isinstance(value[0], str):
        path = f"{_local(figure, str(value[0]))}.{value[1]}"
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
        return value if value.isidentifier() else f'"{value}"'
    return wording.number(float(value))
