"""What the panel of reach says: verdicts in lines, what colours mean, what is still sought."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from html import escape
from typing import Final

import numpy as np

from articulata.geometry.arrays import Array
from articulata.records.reach_maps import ReachMap
from articulata.records.reach_shares import ACCESSIBLE, NOT_FOUND, PROVED, SAID, SurfaceReach
from articulata.records.reach_verdicts import ReachReason, Verdict
from articulata.records.uses import Use
from articulata.report.reach_document import WHY
from articulata.report.reach_maps import COLORS, share_colors

OPERATED, SEEN, SURFACES, REMEDIES = "operated", "seen", "surfaces", "remedies"
"""Names of answers that may be coming, beside those for one of the people."""

MARKS: Final = {ACCESSIBLE: "✓", PROVED: "✗", NOT_FOUND: "?"}
BEFORE: Final = "of before anything was moved"
INKS: Final = {
    ACCESSIBLE: "light-dark(#0067a8, #63b8ff)",
    PROVED: "light-dark(#c2410c, #ff9663)",
    NOT_FOUND: "light-dark(#8a6100, #f2c94c)",
}
"""The colours of the cloud, to be read on white and on the dark panel."""

PARTLY: Final = "◐"
"""The mark of a surface of which a part is reached."""

SHORT: Final = ("reached with the ", "operated with the ", "seen ")
"""What the mark says already."""


def verdicts_of(who: str) -> str:
    """Return the name of the answer that holds somebody's verdicts."""
    return f"verdicts of {who}"


def cloud_of(who: str) -> str:
    """Return the name of the answer that holds somebody's cloud."""
    return f"cloud of {who}"


def answers(reached: ReachMap) -> frozenset[str]:
    """Return the names of all answers that are sought anew when a thing has been moved."""
    found = {verdicts_of(each) for each in {each.mobility for each in reached.verdicts}}
    found |= {cloud_of(each) for each in reached.parts if len(reached.points)}
    found |= {OPERATED} if reached.operations else set()
    found |= {SEEN} if reached.sightings else set()
    return frozenset(found | ({SURFACES} if reached.surfaces else set()))


def searching(coming: Collection[str]) -> str:
    """Return the line that tells what is still sought, "" where nothing is."""
    if not coming:
        return ""
    named = {name.partition(" of ")[0] for name in coming}
    known = {
        "verdicts": "verdicts", REMEDIES: "remedies", SURFACES: "surfaces",
        OPERATED: "what is operated", SEEN: "what is seen",
    }  # fmt: skip
    said = [word for name, word in known.items() if name in named]
    clouds = sum(name.startswith(cloud_of("")) for name in coming)
    said += [f"{clouds} cloud{'s' if clouds > 1 else ''} of points"] if clouds else []
    pale = " Pale is of before the move." if named != {REMEDIES} else ""
    return _block(
        f"<b>Searching</b>: {', '.join(said)}.{pale}",
        "background:light-dark(#fff3d6, #40341a);border-left:3px solid #e2b24a;padding:3px 6px",
    )


def table(reached: ReachMap, who: str, coming: Collection[str]) -> str:
    """Return a line for each verdict on what somebody reaches, operates and sees.

    Those that ``coming`` answers replace are pale.
    """
    return _block("".join(_lines(reached, who, coming)), "padding:0")


def _lines(reached: ReachMap, who: str, coming: Collection[str]) -> Iterator[str]:
    groups: list[tuple[str, str, tuple[Verdict | Use | SurfaceReach, ...]]] = [
        ("", verdicts_of(who), reached.verdicts),
        ("surface of ", SURFACES, reached.surfaces),
        ("operate ", OPERATED, reached.operations),
        ("see ", SEEN, reached.sightings),
    ]
    for verb, answer, found in groups:
        pale = ";opacity:0.4" if answer in coming else ""
        for each in found:
            if each.mobility == who:
                words = each.words
                for known in SHORT if each.accessible else ():
                    words = words.removeprefix(known)
                yield (
                    f'<div style="padding-left:16px;text-indent:-16px{pale}">'
                    f'<b style="color:{INKS[each.label]};display:inline-block;width:16px;'
                    f'text-indent:0">{_mark(each)}</b>{verb}<b>{escape(each.object)}</b> '
                    f'<span style="color:light-dark(#5b6470, #a5afbb)">{escape(words)}</span></div>'
                )


def _mark(each: Verdict | Use | SurfaceReach) -> str:
    partly = isinstance(each, SurfaceReach) and 0.0 < each.reached < 1.0
    return PARTLY if partly else MARKS[each.label]


def legend(*, shares: bool, changed: bool) -> str:
    """Return what the colours of the cloud mean: labels of one person, or shares of people.

    Shares are not found again where the room is ``changed``.
    """
    if shares:
        ends = [_css(color) for color in share_colors(np.linspace(0.0, 1.0, 5))]
        return _block(
            f'nobody <span style="display:inline-block;width:90px;height:9px;'
            f'background:linear-gradient(90deg,{",".join(ends)})"></span> everybody'
            + (f"<br>{BEFORE}" if changed else "")
        )
    said = {label: SAID[label] for label in (ACCESSIBLE, NOT_FOUND, PROVED)}
    return _block(
        " ".join(
            f'<span style="white-space:nowrap;margin-right:4px"><span style="display:inline-block;'
            f'width:9px;height:9px;border-radius:5px;background:{_css(COLORS[label])}"></span> '
            f"{word}</span>"
            for label, word in said.items()
        )
    )


def point_lines(reached: ReachMap, number: int, *, changed: bool) -> Iterator[str]:
    """Give lines that tell who reaches point ``number`` of a map, and why others do not.

    Shares are not found again where the room is ``changed``.
    """
    x, y, z = reached.points[number]
    yield f"**Point** ({x:.2f}, {y:.2f}, {z:.2f}) m"
    for name, part in reached.parts.items():
        label = int(part.label[number])
        why = ""  # what was not found is proved by nothing
        if label == PROVED:
            why = f": {WHY[ReachReason(int(part.reason[number]))]}"
        elif label == ACCESSIBLE:
            why = f", {reached.hands[int(part.hand[number])]} hand"
        yield f"- {name}: {SAID[label]}{why}"
    for crowd in reached.share_maps:
        said = f"- {crowd.count} {crowd.people}: {crowd.reached[number]:.0%} reach it"
        yield said + (f" ({BEFORE})" if changed else "")


def named_heights(heights: Array) -> dict[str, float]:
    """Return heights (n,), m, by name: in whole centimetres, or millimetres where they need it."""
    digits = 2 if (np.abs(heights - heights.round(2)) < 5e-4).all() else 3
    return {f"{z:.{digits}f} m": z for z in heights.tolist()}


def _block(inner: str, style: str = "") -> str:
    return f'<div style="font-size:12px;line-height:1.35;margin:2px 10px 6px;{style}">{inner}</div>'


def _css(color: object) -> str:
    red, green, blue = np.asarray(color).tolist()
    return f"rgb({red},{green},{blue})"
