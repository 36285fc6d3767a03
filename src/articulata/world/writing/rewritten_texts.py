"""A text in which one thing is written anew: where something stands, or a motion's key frames.

What a person has written (layout, comments, the other clauses) stays as it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from articulata.errors import WorldError
from articulata.world.document import Document
from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.grammar import is_bare
from articulata.world.values import NO_TURN, Quaternion, Vector3

STILL = 1e-9
"""A turn (rad) below this is none."""


def with_posture(
    document: Document,
    world: str,
    figure: str,
    values: Mapping[str, tuple[float, str]],
) -> str:
    """Return a document's text with a figure of a world placed in other joint values.

    ``values`` are those that are not neutral, each with its unit, "deg" or "mm"; a posture and
    other joint values that were written go.
    """
    said = [f"{_label(name)} = {_number(value)} {unit}" for name, (value, unit) in values.items()]

    def stays(clause: t.PlaceClause) -> bool:
        """Say whether a clause speaks of something else than the posture."""
        if not isinstance(clause, t.PlaceSet):
            return True
        return clause.path.text in ("pose", "velocity", "properties")

    return _written(document, world, figure, stays, said)


def with_place(
    document: Document,
    world: str,
    component: str,
    feature: str,
    point: Vector3,
    orientation: Quaternion,
) -> str:
    """Return a document's text with a feature of a component at a point (m), turned so."""
    at = ", ".join(f"{_number(each)} m" for each in point)
    said = [f"{feature} at ({at}){_turned(orientation)}"]

    def stays(clause: t.PlaceClause) -> bool:
        """Say whether a clause speaks of something else than the place."""
        if isinstance(clause, t.PlaceAt):
            return False
        return not (isinstance(clause, t.PlaceSet) and clause.path.text == "pose")

    return _written(document, world, component, stays, said, leading=True)


def _written(
    document: Document,
    world: str,
    component: str,
    stays: Callable[[t.PlaceClause], bool],
    said: list[str],
    *,
    leading: bool = False,
) -> str:
    """Return the text with the clauses of a component that ``stays`` keeps, and ``said``.

    What is ``leading`` stands first, other things after the place.
    """
    text = document.tree.source.text
    item = document.module.worlds.get(world)
    if item is None or item not in document.tree.items:
        raise WorldError(f"world '{world}' does not stand in {document.tree.source.file} itself")
    statements = [
        each
        for each in item.structure
        if isinstance(each, t.Place) and each.target.text == component
    ]
    if any(part.index for each in statements for part in each.target.parts):
        raise WorldError(f"'{component}' is one of several; write its place by hand")
    if len(statements) > 1:
        raise WorldError(
            f"'{component}' is placed by {len(statements)} statements; put them into one, or write "
            "its place by hand"
        )
    if statements:
        (place,) = statements
        kept = [text[each.span[0] : each.span[1]] for each in place.clauses if stays(each)]
        # its properties stand last, as people write them
        kept.sort(key=lambda each: each.startswith("properties"))
        before = 1 if _is_place(kept) and not leading else 0
        clauses = ", ".join([*kept[:before], *said, *kept[before:]])
        if not clauses:
            return text[: place.span[0]].rstrip() + text[place.span[1] :]
        return f"{text[: place.span[0]]}place {component} by {clauses}{text[place.span[1] :]}"
    if not said:
        return text
    return _inserted(text, item, f"place {component} by {', '.join(said)}")


def _is_place(kept: list[str]) -> bool:
    return bool(kept) and not kept[0].startswith("properties")


def _inserted(text: str, item: t.World, statement: str) -> str:
    """Return the text with a statement at the end of the world's structure."""
    if item.structure:
        last = item.structure[-1].span
        start = text.rfind("\n", 0, last[0]) + 1
        head = text[start : last[0]]
        indent = head[: len(head) - len(head.lstrip())] if head.strip() == "" else "    "
        return f"{text[: last[1]]}\n{indent}{statement}{text[last[1] :]}"
    end = max(text.rfind("}", 0, item.span[1]), text.rfind("end", 0, item.span[1]))
    return f"{text[:end].rstrip()}\n  structure {{\n    {statement}\n  }}\n{text[end:]}"


def _turned(orientation: Quaternion) -> str:
    w, *axis = orientation
    size = math.sqrt(sum(each * each for each in axis))
    angle = 2.0 * math.atan2(size, w)
    if orientation == NO_TURN or size < STILL / 2:
        return ""
    shown = ", ".join(_number(each / size) for each in axis)
    for letter, unit in (("x", (1, 0, 0)), ("y", (0, 1, 0)), ("z", (0, 0, 1))):
        along = sum(a * b for a, b in zip(axis, unit, strict=True)) / size
        if abs(abs(along) - 1.0) < STILL:
            turn = _number(math.degrees(math.copysign(angle, along)))
            return f" turned {turn} deg about {letter}"
    return f" turned {_number(math.degrees(angle))} deg about ({shown})"


@dataclass(frozen=True, slots=True)
class WrittenKey:
    """A key frame as it is to be written: at ``time`` (s), after ``source``, a key of the text.

    ``joints`` are values in degrees that replace those of the source; None as source begins anew.
    """

    time: float
    source: int | None = None
    joints: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({}))


def motion_of(document: Document, figure: str, motion: str) -> t.Motion:
    """Return a motion of a figure as it is written; raise where the text itself has none."""
    items = [each for each in document.tree.items if isinstance(each, t.Figure)]
    item = next((each for each in items if each.name == figure), None)
    if item is None:
        raise WorldError(f"figure '{figure}' does not stand in {document.tree.source.file} itself")
    for each in item.motions:
        if each.name == motion:
            return each
    raise WorldError(f"figure '{figure}' has no motion '{motion}' in {document.tree.source.file}")


def with_keys(document: Document, figure: str, motion: str, keys: Sequence[WrittenKey]) -> str:
    """Return a document's text in which a motion of a figure has these key frames."""
    written = motion_of(document, figure, motion)
    text = document.tree.source.text
    first, last = written.keys[0].span[0], written.keys[-1].span[1]
    line = text.rfind("\n", 0, first) + 1
    head = text[line:first]
    # on lines of their own, as deep as the first stands; else behind each other
    between = f"\n{head}" if head.strip() == "" and line else "; "
    made, before = text[:first], -1
    for number, each in enumerate(sorted(keys, key=lambda key: key.time)):
        if number and each.source is not None and before == each.source - 1 >= 0:
            # comments between two that stay are left
            made += text[written.keys[before].span[1] : written.keys[before + 1].span[0]]
        elif number:
            made += between
        made += _key(text, written, each)
        before = -1 if each.source is None else each.source
    return made + text[last:]


def _key(text: str, written: t.Motion, key: WrittenKey) -> str:
    time = f"{_number(key.time, 3)} s"
    said: list[str] = []
    joints = {
        name: f"{_label(name)}: {_number(value, 3)} deg" for name, value in key.joints.items()
    }
    if key.source is not None:
        source = written.keys[key.source]
        if not joints:
            # as it was, but for its time
            return time + text[source.time.span[1] : source.span[1]]
        if source.posture is not None:
            said.append(_label(source.posture))
        own = {each.path.text: text[each.span[0] : each.span[1]] for each in source.joints}
        joints = own | joints
    said.append(f"({', '.join(joints.values())})")
    if key.source is not None and (place := written.keys[key.source].place) is not None:
        said.append(text[place.span[0] : place.span[1]])
    return f"{time}: {', '.join(said)}"


def _number(value: float, places: int = 4) -> str:
    """Return a number to a tenth of a millimetre or so, and no more."""
    shown = f"{value:.{places}f}".rstrip("0").rstrip(".")
    return "0" if shown in ("-0", "") else shown


def _label(name: str) -> str:
    return name if is_bare(name) else f'"{name}"'
