"""Checking what makes a composite a figure: chains, tables, postures, limits, sensors."""

from __future__ import annotations

from collections.abc import Mapping

from articulata.world.language.checking.calls import argument_errors
from articulata.world.language.checking.kinds import Value
from articulata.world.language.checking.paths import follow
from articulata.world.language.checking.scopes import Type
from articulata.world.language.checking.structure import Structure
from articulata.world.language.diagnostics import did_you_mean
from articulata.world.language.syntax import tree
from articulata.world.language.vocabulary import JOINTS

Scope = Mapping[str, Value]


def figure_parts(structure: Structure, node: tree.Figure, owner: Type, scope: Scope) -> None:
    """Check the chains, postures, limits, sensors and landmarks of a figure."""
    joints = dict.fromkeys(owner.hinges)
    seen: dict[str, int] = {}
    for chain in node.chains:
        _once(structure, seen, chain.name, chain.name_span, "a chain")
        if isinstance(chain.course, tree.Route):
            follow(structure.findings, chain.course.start, owner)
            follow(structure.findings, chain.course.end, owner)
        else:
            _table(structure, chain.course, owner, scope)
            joints.update(dict.fromkeys(row.name for row in chain.course.rows))
    seen = {}
    for posture in node.postures:
        _once(structure, seen, posture.name, posture.name_span, "a posture")
        for entry in posture.entries:
            _joint(structure, entry.path, owner, tuple(joints))
            structure.e.infer(entry.value, scope)
    for entry in node.limits:
        _joint(structure, entry.path, owner, tuple(joints))
        structure.e.expect(entry.value, "limits", scope, "for limits")
    for entry in (*node.sensors, *node.landmarks):
        value = entry.value
        inner = value.value if isinstance(value, tree.Placed) else value
        if isinstance(inner, tree.Path):
            follow(structure.findings, inner, owner)
        else:
            structure.e.error(
                "wrong-kind", inner, "a component or feature is due here",
                f"write {entry.path.text}: trunk.top at (0, 0, 2 cm)",
            )  # fmt: skip
        if isinstance(value, tree.Placed):
            if value.at is not None:
                structure.e.expect(value.at, "point", scope, "after 'at'")
            structure.e.turns(value.turns, scope)


def _once(
    structure: Structure, seen: dict[str, int], name: str, span: tuple[int, int], what: str
) -> None:
    if name in seen:
        line, _ = structure.findings.source.position(seen[name])
        structure.findings.error(
            "duplicate", span, f"there is {what} '{name}' already, on line {line}",
            f"write another name, such as '{name}_2'",
        )  # fmt: skip
    seen.setdefault(name, span[0])


def _table(structure: Structure, table: tree.Table, owner: Type, scope: Scope) -> None:
    if table.base is not None:
        follow(structure.findings, table.base, owner)
    seen: dict[str, int] = {}
    for row in table.rows:
        _once(structure, seen, row.name, row.name_span, "a joint")
        name = row.joint.function.text
        known = JOINTS.get(name)
        if known is None:
            structure.e.error(
                "unknown-function", row.joint.function, f"there is no joint '{name}'",
                did_you_mean(name, tuple(JOINTS)),
            )  # fmt: skip
            continue
        for slot, argument in argument_errors(
            structure.findings, known, row.joint.arguments, row.joint.function.span, f"'{name}'"
        ):
            structure.e.expect(argument.value, slot.kind, scope, f"for '{slot.name}'")


def _joint(structure: Structure, path: tree.Path, owner: Type, joints: tuple[str, ...]) -> None:
    """Check the name of a joint: a named hinge, a row of a table, or a path to one."""
    first = path.parts[0]
    if first.name in joints or owner.open:
        return
    if first.name in owner.components and len(path.parts) > 1:
        follow(structure.findings, path, owner, quantities=True)
        return
    structure.findings.error(
        "unknown-name", first.span, f"there is no joint '{first.name}'",
        did_you_mean(first.name, joints, "name a hinge with 'as', or a row of a table"),
    )  # fmt: skip
