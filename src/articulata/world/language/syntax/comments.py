"""Where comments belong, so that they survive printing.

A comment after something on its line trails it; a comment on a line of its own leads what comes
next in the same block, or closes the block when nothing does.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field

from articulata.world.language.source import Span
from articulata.world.language.syntax import tree

_BLOCKS = (
    tree.Primitive, tree.Composite, tree.World, tree.Figure, tree.HingeType, tree.Request,
    tree.For, tree.Geometry, tree.Posture, tree.Motion, tree.LimitSet, tree.Chain, tree.On,
)  # fmt: skip
_LINES = (
    tree.Import, tree.Units, tree.Let, tree.MaterialPair, tree.Properties, tree.Dynamics,
    tree.Control, tree.Interference, tree.Feature, tree.Component, tree.Join, tree.Place,
    tree.Ignore, tree.Force, tree.Moment, tree.Gear, tree.HingeRow, tree.Row, tree.Entry,
    tree.Clause, tree.Break, tree.Remove, tree.Set, tree.Add, tree.Heed, tree.Stop, tree.Key,
    tree.Follows, tree.Driven,
)  # fmt: skip


@dataclass(slots=True)
class Attached:
    """Comments by the span of what they belong to."""

    leading: dict[Span, list[str]] = field(default_factory=dict)
    trailing: dict[Span, str] = field(default_factory=dict)
    closing: dict[Span, list[str]] = field(default_factory=dict)


def _anchors(file: tree.File) -> list[tuple[Span, bool]]:
    """Return what is printed on lines of its own, in the order of the text; True for blocks."""
    found: list[tuple[Span, bool]] = []
    for node in tree.walk(file):
        if isinstance(node, tree.World) and node.gravity is not None:
            found.append((node.gravity.span, False))
        if isinstance(node, tree.Place | tree.Add):
            found.append((node.span, False))
        elif isinstance(node, _BLOCKS):
            found.append((node.span, True))
        elif isinstance(node, _LINES):
            found.append((node.span, False))
    return sorted(set(found), key=lambda each: (each[0][0], -each[0][1]))


def attach(file: tree.File) -> Attached:
    """Decide for every comment of ``file`` what it belongs to."""
    result = Attached()
    if not file.comments:
        return result
    anchors = _anchors(file)
    starts = [span[0] for span, _ in anchors]
    text = file.source.text
    ends = sorted((span[1], -span[0]) for span, _ in anchors)
    whole = (0, len(text))
    for comment in file.comments:
        start, end = comment.span
        before = bisect_left(ends, (start + 1, -whole[1] - 1)) - 1
        if before >= 0 and not _has_line_end(text, ends[before][0], start):
            # of several that end here the outermost was printed last: it starts first
            stop = ends[before][0]
            first = min(-begin for finish, begin in ends if finish == stop)
            result.trailing.setdefault((first, stop), "")
            known = result.trailing[(first, stop)]
            result.trailing[(first, stop)] = f"{known} {comment.text}".strip()
            continue
        parent, is_block = whole, True
        for span, block in anchors[: bisect_left(starts, start)]:
            if span[0] < start and end <= span[1] and span[0] >= parent[0]:
                parent, is_block = span, block
        if not is_block:
            result.leading.setdefault(parent, []).append(comment.text)
            continue
        following = bisect_left(starts, end)
        if following < len(anchors) and anchors[following][0][0] < parent[1]:
            result.leading.setdefault(anchors[following][0], []).append(comment.text)
        else:
            result.closing.setdefault(parent, []).append(comment.text)
    return result


def _has_line_end(text: str, start: int, end: int) -> bool:
    between = text[start:end]
    return "\n" in between or "\r" in between
