"""A text in which a motion has other key frames: what is not changed stays as a person wrote it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from articulata.errors import WorldError
from articulata.world.document import Document
from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.grammar import is_bare


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
    time = f"{_number(key.time)} s"
    said: list[str] = []
    joints = {name: f"{_label(name)}: {_number(value)} deg" for name, value in key.joints.items()}
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


def _number(value: float) -> str:
    """Return a number to a thousandth, and no more."""
    shown = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if shown in ("-0", "") else shown


def _label(name: str) -> str:
    return name if is_bare(name) else f'"{name}"'
