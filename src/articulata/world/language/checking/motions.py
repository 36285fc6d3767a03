"""Checking motions of figures: their key frames, and statements of who follows them."""

from __future__ import annotations

from collections.abc import Mapping

from articulata.geometry.easing import EASINGS, FLOWING
from articulata.world.language.checking.kinds import Value
from articulata.world.language.checking.paths import follow
from articulata.world.language.checking.scopes import Type
from articulata.world.language.checking.structure import Structure
from articulata.world.language.diagnostics import did_you_mean
from articulata.world.language.syntax import tree

Scope = Mapping[str, Value]
EASES = (*EASINGS, FLOWING)
"""Words for how a motion goes from one key frame to the next."""


def motions(structure: Structure, node: tree.Figure, joints: tuple[str, ...], scope: Scope) -> None:
    """Check the motions of a figure."""
    postures = tuple(each.name for each in node.postures)
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
        if motion.repeat is not None and getattr(motion.repeat, "simple", "") != "always":
            structure.e.expect(motion.repeat, "number", scope, "for how often it is repeated")
        if motion.blend is not None:
            structure.e.expect(motion.blend, "time", scope, "for how long it takes to begin")
        for key in motion.keys:
            _key(structure, key, joints, postures, scope)


def _key(
    structure: Structure,
    key: tree.Key,
    joints: tuple[str, ...],
    postures: tuple[str, ...],
    scope: Scope,
) -> None:
    structure.e.expect(key.time, "time", scope, "for the time of a key frame")
    if key.posture is not None and key.posture not in postures:
        structure.findings.error(
            "unknown-name", key.posture_span, f"there is no posture '{key.posture}'",
            did_you_mean(key.posture, postures, f"write posture {key.posture} {{ joint: value }}"),
        )  # fmt: skip
    for entry in key.joints:
        if entry.path.text not in joints:
            structure.findings.error(
                "unknown-name", entry.path.span, f"there is no joint '{entry.path.text}'",
                did_you_mean(entry.path.text, joints, "write the name of a row of a table"),
            )  # fmt: skip
        structure.e.infer(entry.value, scope)
    if key.place is not None:
        structure.e.expect(key.place.at, "point", scope, "after 'at'")
        structure.e.turns(key.place.turns, scope)


def follows(structure: Structure, node: tree.Follows, owner: Type, scope: Scope) -> None:
    """Check that a figure follows a motion at a time and a place."""
    found = follow(structure.findings, node.target, owner)
    if found.type is not None and not found.type.linked and found.kind == "component":
        structure.e.error(
            "wrong-kind", node.target, f"'{node.target.text}' is no figure with a table of joints",
            "name a figure",
        )  # fmt: skip
    if node.start is not None:
        structure.e.expect(node.start, "time", scope, "after 'from'")
    if node.at is not None:
        structure.e.expect(node.at, "point", scope, "after 'at'")
    structure.e.turns(node.turns, scope)
    if node.drive is not None:
        structure.servo(node.drive, scope)
