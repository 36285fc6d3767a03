"""A map of reach as one HTML file: verdicts on objects, the map to look through, what was assumed.

Everything is in the file; its own policy forbids any request. The same map gives the same bytes.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import Any

import msgspec
import numpy as np

from articulata.records.reach_maps import ReachMap
from articulata.records.reach_shares import (
    ACCESSIBLE,
    NOT_FOUND,
    PROVED,
    SAID,
    SEEN,
    ShareMap,
    SurfaceReach,
)
from articulata.records.reach_verdicts import STRONG, ReachReason, Verdict, by_code, told_beside
from articulata.records.uses import Operation, Sighting, Use
from articulata.report.plots import picture
from articulata.report.reach_maps import layout_of, map_figure

KINDS = {ACCESSIBLE: "accessible", PROVED: "inaccessible"}
FIRST = 1.1
"""m. The height that is shown first."""

WHY = {
    ReachReason.REACHED: "a posture reaches it",
    ReachReason.GAVE_UP: "no place with a posture was found",
    ReachReason.BLOCKED: "all postures that were tried strike something",
    ReachReason.TOO_HIGH: "too high",
    ReachReason.TOO_LOW: "too low",
    ReachReason.TOO_FAR: "too far from every place on the floor",
    ReachReason.INSIDE: "within a body",
    ReachReason.NO_PLACE: "no free place on the floor",
    ReachReason.NO_WAY: "no way in from the door",
    ReachReason.SHUT_IN: "no hand gets into the hollow it is in",
    ReachReason.NOT_HELD: "no hand is held there in the direction that is asked for",
    ReachReason.TOO_HEAVY: "the load is too heavy to be held there",
}


TAPE = {
    "shoulder_height": "floor to shoulder",
    "elbow_height": "floor to elbow",
    "forearm_hand": "bent elbow to fingertip",
    "arm_reach": "wall to thumb, arm ahead",
    "knee_height": "sole to top of knee, sitting",
    "sitting_height": "seat to crown",
    "shoulder_width": "shoulders",
    "hip_width": "hips",
}
"""Measures that are taken with a tape, in words."""

CARRIED = (
    "held still by joints as strong as those of men in manual work (Stobbe 1982): an upper bound "
    "for most people"
)


WALL = re.compile(r"wall(_\d+)*")
"""Names of the walls of a drawn room, which need no label."""

SIDES = {"l": "left", "r": "right"}


def _label(name: str) -> str:
    """Return what a name is called on the map: nothing for a wall among others."""
    return "" if WALL.fullmatch(name) else name


def _plain(text: str) -> str:
    """Return a text with joints of the body in words: l_elbow_flexion is the left elbow's."""
    return re.sub(
        r"\b([lr])_([a-z_]+)", lambda of: f"{SIDES[of[1]]} {of[2].replace('_', ' ')}", text
    )


class _Raw(str):
    """Data that is escaped already."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


def document(reached: ReachMap, beside: Sequence[str] = ()) -> str:
    """Return the page of a map; ``beside`` says in lines how it differs from another variant."""
    import jinja2

    environment = jinja2.Environment(
        autoescape=True, keep_trailing_newline=True, undefined=jinja2.StrictUndefined
    )
    template = environment.from_string(
        files(__package__).joinpath("reach_document.html").read_text("utf-8")
    )
    ways = list(reached.parts) or list(dict.fromkeys(v.mobility for v in reached.verdicts))
    data = _map(reached)
    return template.render(
        title=f"Reach: {reached.world}",
        subtitle=_subtitle(reached),
        ways=ways,
        rows=list(_rows(reached, ways)),
        changes=list(_changes(reached)),
        beside=beside,
        scored=any("rula" in each.scores for each in reached.verdicts),
        totals=[_total(reached, way) for way in ways],
        uses=[
            (title, list(_used(uses, ways)))
            for title, uses in (
                ("Operated", reached.operations),
                ("Seen", reached.sightings),
                ("Surfaces", reached.surfaces),
            )
            if uses
        ],
        notes=[_plain(each) for each in reached.notes],
        shares=[
            *((s.object, f"{s.count} {s.people}", s.words) for s in reached.shares),
            *(
                (f"surface of {s.object}", f"{s.count} {s.people}", s.words)
                for s in reached.surface_shares
            ),
        ],
        share_maps=[
            {"words": str(each), "picture": _picture(reached, each)} for each in reached.share_maps
        ],
        findings=reached.findings,
        codes=list(by_code(reached.findings)),
        map=None
        if data is None
        else _Raw(msgspec.json.encode(data).decode().replace("<", "\\u003c")),
        assumed=[(name, _plain(value)) for name, value in _assumed(reached)],
    )


def _subtitle(reached: ReachMap) -> str:
    count = len(reached.points)
    about = (
        f"{_in_words(reached.person, measured=False)}; {_counted(len(reached.objects), 'object')}"
    )
    apart = f", {reached.step * 100:g} cm apart" if count > 1 else ""
    return about + (f"; {_counted(count, 'point')}{apart}" if count else "")


def _in_words(text: str, measured: bool = True) -> str:
    """Return a text with each ``person(...)`` of it in words, with or without a tape's measures."""

    def said(found: re.Match[str]) -> str:
        parts = [each.partition(": ") for each in found[1].split(", ")]
        tape = [f"{TAPE[name]} {value}" for name, _, value in parts if name in TAPE]
        plain = [f"{name} {value}".strip() for name, _, value in parts if name not in TAPE]
        plain.sort(key=lambda each: each not in ("woman", "man"))
        return ", ".join(plain) + (f"; measured: {', '.join(tape)}" if measured and tape else "")

    return re.sub(r"\bperson\(([^()]*)\)", said, text)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _changes(reached: ReachMap) -> Iterator[tuple[str, str, str]]:
    """Yield what is to be changed or told, for whom or by which rule, and what to write for it."""
    found: dict[tuple[str, str], list[str]] = {}
    for each in reached.verdicts:
        if each.remedy is not None:
            key = (str(each.remedy), each.remedy.write)
            found.setdefault(key, []).append(f"{each.object}, {each.mobility}")
    for finding in reached.findings:
        if finding.met:
            continue
        asked, _, write = finding.words.removeprefix(f"{finding.section}: ").partition("; write ")
        key = (f"'{finding.object}': {'' if finding.told else 'tell '}{asked}", write)
        found.setdefault(key, []).append(f"{finding.rules} {finding.section}")
    for (change, write), whom in found.items():
        yield _plain(change), "; ".join(whom), write


def _rows(reached: ReachMap, ways: list[str]) -> Iterator[dict[str, Any]]:
    for name in reached.objects:
        cells = [reached.verdict(name, way) for way in ways]
        held = cells[0].aligned if cells else None
        degrees = "" if held is None else f" within {np.degrees(held.within):.0f} deg"
        height = (cells[0].point - reached.X_WG[:3, 3]) @ reached.X_WG[:3, 2]
        yield {
            "object": name,
            "height": f"{told_beside(float(height))} m above the floor",
            "held": "" if held is None else f"{held}{degrees}",
            "cells": [_cell(each) for each in cells],
        }


def _used(uses: Sequence[Use | SurfaceReach], ways: list[str]) -> Iterator[dict[str, Any]]:
    found = {(each.object, each.mobility): each for each in uses}
    for name in dict.fromkeys(each.object for each in uses):
        yield {"object": name, "cells": [_cell(found[name, way]) for way in ways]}


def _total(reached: ReachMap, way: str) -> str:
    mine = [each.accessible for each in reached.verdicts if each.mobility == way]
    words = f"{sum(mine)} of {_counted(len(mine), 'object')} reached"
    strained = sum(each.strained for each in reached.verdicts if each.mobility == way)
    words += f", {strained} of them {STRONG}" if strained else ""
    part = reached.parts.get(way)
    if part is None or not len(part.label):
        return words
    shares = f"{part.share(ACCESSIBLE):.1%} reached, {part.share(NOT_FOUND):.1%} not found"
    return f"{words}; of the points {shares}"


def _cell(verdict: Verdict | Use | SurfaceReach) -> dict[str, str]:
    label = (SEEN if isinstance(verdict, Sighting) else SAID)[verdict.label]
    if isinstance(verdict, SurfaceReach):
        share, _, rest = verdict.words.partition(" of ")
        kind = KINDS.get(verdict.label, "unfound")
        return {"kind": kind, "label": share, "words": f"of {rest}" if rest else ""}
    words = _plain(verdict.words.removeprefix(label).lstrip(":, "))
    if isinstance(verdict, Verdict) and verdict.strained:
        label, words = f"{label}, {STRONG}", words.replace(f"{STRONG}: ", "")
    if isinstance(verdict, Operation) and verdict.accessible:
        label, words = "operated", words.removeprefix("operated ")
    return {
        "kind": KINDS.get(verdict.label, "unfound"),
        "label": label,
        "words": words,
        "scores": verdict.scales if isinstance(verdict, Verdict) else "",
    }


def _map(reached: ReachMap) -> Mapping[str, Any] | None:
    layout = layout_of(reached)
    if layout is None:
        return None

    def packed(values: Any) -> str:
        return base64.b64encode(
            layout.levels(np.asarray(values, float), 255.0).astype(np.uint8).tobytes()
        ).decode()

    return {
        "rows": layout.shape[0],
        "columns": layout.shape[1],
        "heights": layout.heights.round(4).tolist(),
        "first": layout.nearest(FIRST),
        "labels": [packed(part.label) for part in reached.parts.values()],
        "reasons": [packed(part.reason) for part in reached.parts.values()],
        "names": list(SAID),
        "low": layout.low.round(4).tolist(),
        "step": layout.step,
        "plan": [
            [o.corners.round(4).tolist(), o.low, o.high, _label(o.name)] for o in reached.plan
        ],
        "why": [WHY[reason] for reason in ReachReason],
    }


def _picture(reached: ReachMap, shown: ShareMap) -> str:
    """Return the slices of a population's map as a picture in a page's address."""
    figure = map_figure(replace(reached, parts={}, share_maps=(shown,)))
    return "data:image/png;base64," + base64.b64encode(picture(figure, ".png")).decode()


def _assumed(reached: ReachMap) -> Iterator[tuple[str, str]]:
    said = reached.settings
    yield "who", _in_words(reached.person)
    for each in said.get("people", ()):
        yield "population", each
    for way, text in said.get("mobility", {}).items():
        hips, lean = said["hips"][way], np.degrees(said["lean"][way])
        floor = reached.parts[way].stand if way in reached.parts else 0.0
        stand = (
            f"; there is room for it on {floor:.2f} m² on average over its turns" if floor else ""
        )
        hands, ill = said.get("hands", {}).get(way, ()), said.get("conditions", {}).get(way, ())
        able = [*(f"the {each} hand alone" for each in hands if len(hands) == 1), *ill]
        bends = f"hips at {100 * hips:.0f} cm; leans forward by up to {lean:.0f} deg{stand}"
        yield way, "; ".join([text, bends, *able])
    touches = list(dict.fromkeys(said.get("touch", {}).values())) or ["fingertip"]
    within = f"within {said.get('tolerance', 0.0) * 1000:g} mm of the point"
    yield " or ".join(touches), f"{within}; the last 10 mm of the hand give way"
    for way, load in said.get("load", {}).items():
        if load:
            yield f"load, {way}", f"{load:g} kg; {CARRIED}"
    for way, comfort in said.get("comfort", {}).items():
        if comfort != "range":
            yield f"comfort, {way}", comfort
    yield "limits", "of the figure's joints, one by one, and a cone for the raised upper arm"
