"""Reading worlds: lines a second, and a world of a thousand bodies until it is ready."""

from __future__ import annotations

import mujoco

from articulata.world.language.parse import parse
from benchmarks import texts
from benchmarks.harness import Report


def run(report: Report) -> None:
    text = texts.library(60)
    _, diagnostics = parse(text)
    assert not diagnostics, diagnostics[0]
    xml = texts.mujoco_library(60)
    with report.case(
        "world language: parse",
        unit="lines/s",
        better="higher",
        target=50_000,
        note="text to syntax tree with positions; MuJoCo: XML to MjSpec, one element a line",
    ) as case:
        case.time("articulata", lambda: parse(text), count=text.count("\n"), ours=True)
        case.time("MuJoCo MjSpec", lambda: mujoco.MjSpec.from_string(xml), count=xml.count("\n"))
