"""What is true, and what each package answers: creep, bounce apex, cradle, four-bar gap.

See ``benchmarks.answers`` for the questions. Values are absolute errors or gaps; nothing is timed.
"""

from __future__ import annotations

import importlib
from types import ModuleType

import numpy as np

from benchmarks.answers import ours
from benchmarks.answers.scene import CRADLE
from benchmarks.harness import Case, Report

PEERS = ("in_mujoco", "in_pybullet", "in_exudyn", "in_drake")
IN_A_ROW = np.eye(CRADLE)[-1]
"""Speeds of a cradle of steel balls after the first has struck with 1 m/s."""


def peers(case: Case) -> list[ModuleType]:
    """Return the peers that are installed; the others are named as absent."""
    found = []
    for name in PEERS:
        try:
            found.append(importlib.import_module(f"benchmarks.answers.{name}"))
        except ImportError as error:
            case.missing(name.removeprefix("in_"), str(error))
    return found


def speeds(values: list[float]) -> str:
    """Return five speeds as words."""
    return "(" + ", ".join(f"{value:.3g}" for value in np.round(values, 3) + 0.0) + ") m/s"


def run(report: Report) -> None:
    with report.case(
        "creep of a block below the angle of friction (25 degrees, 0.5)",
        unit="m/s",
        better="lower",
        target=0.0,
        note="mean speed in the third second at a step of 1 ms; true: 0",
    ) as case:
        value, note = ours.creep()
        case.number(ours.NAME, value, ours=True, note=note)
        for peer in peers(case):
            value, note = peer.creep()
            case.number(peer.NAME, value, note=note)
            if hasattr(peer, "creep_tuned"):
                value, note = peer.creep_tuned()
                case.number(f"{peer.NAME}, tuned", value, note=note)
    with report.case(
        "fifth apex of a ball with restitution 1",
        unit="share off",
        better="lower",
        target=1e-9,
        note="how far the fifth apex is from the first height, as a share; 1: it has come to rest",
    ) as case:
        value, note = ours.apex()
        case.number(ours.NAME, abs(value - 1.0), ours=True, note=note)
        for peer in peers(case):
            value, note = peer.apex()
            case.number(peer.NAME, abs(value - 1.0), note=note)
    with report.case(
        "cradle of five balls: the last leaves with the whole speed",
        unit="m/s off",
        better="lower",
        target=1e-12,
        note="largest error of the five speeds against (0, 0, 0, 0, 1), which pairs colliding one "
        "after the other give",
    ) as case:
        for law in ("sequential", "Newton"):
            values, note = ours.cradle(law)
            case.number(
                f"articulata, {law}",
                float(np.max(np.abs(values - IN_A_ROW))),
                ours=law == "sequential",
                note=speeds(values),
            )
        for peer in peers(case):
            values, note = peer.cradle()
            off = float(np.max(np.abs(np.array(values) - IN_A_ROW)))
            case.number(peer.NAME, off, note=f"{speeds(values)}; {note}")
    with report.case(
        "gap of a four-bar linkage's joints over ten seconds",
        unit="m",
        better="lower",
        target=1e-10,
        note="the largest distance of the two sides of a joint at a step of 1 ms",
    ) as case:
        value, note = ours.loop()
        case.number(ours.NAME, value, ours=True, note=note)
        for peer in peers(case):
            value, note = peer.loop()
            case.number(peer.NAME, value, note=note)
