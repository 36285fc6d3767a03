"""Checking what makes a composite a figure: chains, tables, postures, limits, sensors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from articulata.geometry.easing import EASINGS, FLOWING
from articulata.world.language.checking.calls import argument_errors
from articulata.world.language.checking.kinds import Value
from articulata.world.language.checking.path_checks import follow
from articulata.world.language.checking.scopes import FORCE, GEAR, MOMENT, Type
from articulata.world.language.checking.structure_checks import Structure
from articulata.world.language.diagnostics import Findings
from articulata.world.language.meant_words import did_you_mean, other_word
from articulata.world.language.syntax import tree
from articulata.world.language.vocabulary import JOINTS

Scope = Mapping[str, Value]


def figure_parts(structure: Structure, node: tree.Figure, owner: Type, scope: Scope) -> None:
    """Check the chains, postures, limits, sensors and landmarks of a figure."""
    tables = [each.course for each in node.chains if isinstance(each.course, tree.Table)]
    rows = tuple(dict.fromkeys(row.name for table in tables for row in table.rows))
    hinges = (name for name, word in owner.hinges.items() if word not in (FORCE, MOMENT, GEAR))
    joints = dict.fromkeys((*hinges, *rows))
    if node.up is not None and getattr(node.up, "simple", "") != "none":
        structure.e.expect(node.up, "direction", scope, "for up")
    seen: dict[str, int] = {}
    seen_rows: dict[str, int] = {}
    for chain in node.chains:
        structure.findings.once(seen, chain.name, chain.name_span, "there is a chain '{}'")
        if isinstance(chain.course, tree.Route):
            for end in (chain.course.start, chain.course.end):
                if end.simple not in rows:
                    follow(structure.findings, end, owner)
        else:
            _table(structure, chain.course, owner, scope, rows, seen_rows)
    seen = {}
    for limits in node.limit_sets:
        structure.findings.once(
            seen, limits.name, limits.name_span, "there is a set of limits '{}'"
        )
        for entry in limits.entries:
            _joint(structure, entry.path, owner, tuple(joints))
            structure.e.expect(entry.value, "limits", scope, "for limits")
    seen = {}
    for posture in node.postures:
        structure.findings.once(seen, posture.name, posture.name_span, "there is a posture '{}'")
        for entry in posture.entries:
            _joint(structure, entry.path, owner, tuple(joints))
            structure.e.infer(entry.value, scope)
    for entry in node.limits:
        _joint(structure, entry.path, owner, tuple(joints))
        structure.e.expect(entry.value, "limits", scope, "for limits")
    motions(structure, node, tuple(joints), scope)
    for entry in (*node.sensors, *node.landmarks):
        value = entry.value
        inner = value.value if isinstance(value, tree.Placed) else value
        if _row_named(inner, rows) or _misread(structure.findings, inner):
            pass
        elif isinstance(inner, tree.Path):
            follow(structure.findings, inner, owner)
        else:
            text = structure.findings.source.text[slice(*inner.span)]
            said = re.fullmatch(r"([^\W\d][\w.]*)?\s*(\([^()]*\))", text) or ("", "", "")
            of = said[1] or next(reversed((*owner.components, *rows)), "trunk.top")
            structure.e.error(
                "wrong-kind", inner, "a component or feature is due here",
                f"write {entry.path.text}: {of} at {said[2] or '(0, 0, 2 cm)'}",
            )  # fmt: skip
        if isinstance(value, tree.Placed):
            if value.at is not None:
                structure.e.expect(value.at, "point", scope, "after 'at'")
            structure.e.turns(value.turns, scope)


def _row_named(value: tree.Expression, rows: tuple[str, ...]) -> bool:
    """Say whether a value names a joint of a table, as a word or in quotes."""
    if isinstance(value, tree.Text):
        return value.value in rows
    return isinstance(value, tree.Path) and value.simple in rows


def _misread(findings: Findings, value: tree.Expression) -> bool:
    """Say whether a value names in quotes what a misread line holds."""
    said = value.value if isinstance(value, tree.Text) else None
    lines = (findings.source.line(number) for number in findings.misread)
    return said is not None and any(said in line for line in lines)


def _place(
    structure: Structure, at: tree.Expression | None, turns: tuple[tree.Turn, ...], scope: Scope
) -> None:
    if at is not None:
        structure.e.expect(at, "point", scope, "after 'at'")
    structure.e.turns(turns, scope)


def _table(
    structure: Structure,
    table: tree.Table,
    owner: Type,
    scope: Scope,
    rows: tuple[str, ...],
    seen: dict[str, int],
) -> None:
    base = table.base
    if base is not None and base.simple in rows and base.simple not in seen:
        structure.findings.error(
            "before-definition", base.span,
            f"the table of joint '{base.simple}' comes further down",
            "put that table before this one",
        )  # fmt: skip
    elif base is not None and base.simple not in rows:
        follow(structure.findings, base, owner)
    _place(structure, table.at, table.turns, scope)
    for row in table.rows:
        structure.findings.once(seen, row.name, row.name_span, "there is a joint '{}'")
        name = row.joint.function.text
        known = JOINTS.get(name)
        if known is None:
            structure.e.error(
                "unknown-function", row.joint.function, f"there is no joint '{name}'",
                did_you_mean(name, tuple(JOINTS)),
            )  # fmt: skip
            continue
        by_four = table.convention in ("standard", "modified")
        out = ("axis",) if by_four else ("theta", "d", "a", "alpha")
        given = {each.name for each in row.joint.arguments}
        takes = tuple(each for each in known.slots
                      if None in given or each.name in given or each.name not in out)  # fmt: skip
        known, at = replace(known, slots=takes), row.joint.function.span
        for slot, argument in argument_errors(
            structure.findings, known, row.joint.arguments, at, f"'{name}'"
        ):
            if slot.kind == "joint":
                _leader(structure, argument.value, rows)
            elif slot.kind == "link":
                _link(structure, argument.value)
            else:
                structure.e.expect(argument.value, slot.kind, scope, f"for '{slot.name}'")
        for each in row.joint.arguments:
            if each.name in out:
                structure.findings.error(
                    "unknown-option", (each.span[0], each.span[0] + len(each.name or "")),
                    f"a row of a {table.convention} table has no '{each.name}'",
                    "it moves along or about z: remove it, or write a plain table" if by_four
                    else f"write at (x, y, z) turned ... behind '{name}(...)', or a standard table",
                )  # fmt: skip
        if (row.at is not None or row.turns) and by_four:
            structure.findings.error(
                "unknown-option", row.span,
                f"a row of a {table.convention} table has its place by theta, d, a and alpha",
                "remove 'at' and 'turned', or write a plain table",
            )  # fmt: skip
        _place(structure, row.at, row.turns, scope)


def _link(structure: Structure, value: tree.Expression) -> None:
    if not (isinstance(value, tree.Text) and value.value) and not getattr(value, "simple", ""):
        structure.e.error(
            "wrong-kind", value, "the name of a link is due here", 'write link: "forearm"'
        )


def _leader(structure: Structure, value: tree.Expression, rows: tuple[str, ...]) -> None:
    if _row_named(value, rows):
        return
    name = value.value if isinstance(value, tree.Text) else getattr(value, "simple", "")
    structure.e.error(
        "unknown-name", value, f"there is no joint '{name}' in a table of this figure",
        did_you_mean(name, rows, "write the name of a joint of a table"),
    )  # fmt: skip


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
        did_you_mean(
            first.name, joints, "" if joints else "name a hinge with 'as', or a row of a table"
        ),
    )  # fmt: skip


# ---- motions of figures: their key frames


EASES = (*EASINGS, FLOWING)
"""Words for how a motion goes from one key frame to the next."""


def motions(structure: Structure, node: tree.Figure, joints: tuple[str, ...], scope: Scope) -> None:
    """Check the motions of a figure."""
    # of a figure that could not be read whole nothing is said to be missing
    postures = tuple(each.name for each in node.postures) if node.complete else None
    seen: dict[str, int] = {}
    for motion in node.motions:
        structure.findings.once(seen, motion.name, motion.name_span, "there is a motion '{}'")
        if not motion.keys:
            structure.findings.error(
                "empty", motion.name_span, f"motion '{motion.name}' has no key frame",
                "write 0 s: posture",
            )  # fmt: skip
        if motion.ease is not None and motion.ease not in EASES:
            structure.findings.error(
                "unknown-word", motion.ease_span, f"a motion does not go on '{motion.ease}'",
                did_you_mean(motion.ease, EASES, f"there are {', '.join(EASES)}"),
            )  # fmt: skip
        often = getattr(motion.repeat, "simple", "")
        if other_word(often, ("always",)):
            told = f"'{often}' is no number"
            structure.e.error("unknown-word", motion.repeat, told, "did you mean 'always'?")
        elif motion.repeat is not None and often != "always":
            structure.e.expect(motion.repeat, "number", scope, "for how often it is repeated")
        if motion.blend is not None:
            structure.e.expect(motion.blend, "time", scope, "for how long it takes to begin")
        for key in motion.keys:
            _key(structure, key, joints, postures, scope)


def _key(
    structure: Structure,
    key: tree.Key,
    joints: tuple[str, ...],
    postures: tuple[str, ...] | None,
    scope: Scope,
) -> None:
    structure.e.expect(key.time, "time", scope, "for the time of a key frame")
    if key.posture is not None and postures is not None and key.posture not in postures:
        structure.findings.error(
            "unknown-name", key.posture_span, f"there is no posture '{key.posture}'",
            did_you_mean(key.posture, postures, f"write posture {key.posture} {{ joint: value }}"),
        )  # fmt: skip
    for entry in key.joints:
        if entry.path.text not in joints and postures is not None:
            structure.findings.error(
                "unknown-name", entry.path.span, f"there is no joint '{entry.path.text}'",
                did_you_mean(entry.path.text, joints, "write the name of a row of a table"),
            )  # fmt: skip
        structure.e.infer(entry.value, scope)
    if key.place is not None:
        structure.e.expect(key.place.at, "point", scope, "after 'at'")
        structure.e.turns(key.place.turns, scope)
