"""Reading worlds: lines a second, and a world of a thousand bodies until it is ready."""

from __future__ import annotations

import mujoco

import articulata as art
from articulata.world.language.syntax.parse import parse
from benchmarks import texts
from benchmarks.harness import Case, Report

CHAINS, BODIES = 10, 100


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

    world = texts.chains(CHAINS, BODIES)
    ready = art.parse(world).world("hanging")
    assert len(ready.bodies) == CHAINS * (BODIES + 1)  # with the anchors
    with report.case(
        "a world of 1000 bodies, ready",
        unit="s",
        better="lower",
        target=0.25,
        note="ten chains of 100, text to checked and assembled; the peers: text to compiled model",
    ) as case:
        case.time("articulata", lambda: art.parse(world).world("hanging"), ours=True)
        chains = texts.mujoco_chains(CHAINS, BODIES)
        case.time("MuJoCo MjModel", lambda: mujoco.MjModel.from_xml_string(chains))
        _drake(case, texts.urdf_chain(BODIES))


def _drake(case: Case, urdf: str) -> None:
    try:
        from pydrake.multibody.parsing import Parser
        from pydrake.multibody.plant import MultibodyPlant
    except ImportError as error:
        case.missing("Drake MultibodyPlant", str(error))
        return

    def load() -> object:
        plant = MultibodyPlant(0.0)
        for k in range(CHAINS):
            Parser(plant, str(k)).AddModelsFromString(urdf, "urdf")
        plant.Finalize()
        return plant

    case.time("Drake MultibodyPlant", load)
