"""A recording replayed in another process, under other circumstances, has the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

import articulata as art
from articulata.domains.dynamic.methods import Method
from articulata.records.recorder import Recorder
from mechanisms import four_bar

LINKAGE = Path(art.__file__).parent / "world" / "library" / "gallery" / "linkage.art"

REPLAY = """
import sys
import articulata as art
recording = art.load(sys.argv[1])
open(sys.argv[2], "wb").write(art.replay(recording).to_bytes())
"""


def in_another_process(arguments: list[str], **environment: str) -> None:
    subprocess.run(
        [sys.executable, *arguments], env={**os.environ, **environment}, check=True, timeout=900
    )


def recorded(folder: Path, until: str) -> Path:
    """The driven linkage of the gallery, simulated by a process of its own."""
    out = ["--out", str(folder), "--until", until, "--headless"]
    in_another_process(["-m", "articulata", "simulate", str(LINKAGE), *out])
    return folder / "run.artrun"


def same_again(file: Path, **environment: str) -> None:
    again = file.with_name("again.artrun")
    in_another_process(["-c", REPLAY, str(file), str(again)], **environment)
    assert again.read_bytes() == file.read_bytes()


def test_a_replay_in_another_process_has_the_same_bytes(tmp_path: Path) -> None:
    file = recorded(tmp_path, "3")
    same_again(file)
    saved = tmp_path / "saved.artrun"
    art.load(file).save(saved)
    assert saved.read_bytes() == file.read_bytes()
    many = {f"{name}_NUM_THREADS": "4" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
    same_again(saved, **many)


@pytest.mark.slow
def test_a_minute_replayed_with_kernels_compiled_anew_has_the_same_bytes(tmp_path: Path) -> None:
    file = recorded(tmp_path, "60")
    one = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMBA")}
    same_again(file, ARTICULATA_CACHE=str(tmp_path / "cache"), **one)
    same_again(file, ARTICULATA_CACHE=str(tmp_path / "cache"))


@pytest.mark.parametrize(
    "method", [art.DOP853(), pytest.param(art.RK4(1e-3), marks=pytest.mark.slow)], ids=str
)
def test_a_linkage_over_singular_positions_replays(method: Method, tmp_path: Path) -> None:
    file = tmp_path / "run.artrun"
    world = four_bar(0.3).world()
    art.simulate(world, until=1.5, step=0.02, method=method, record_to=file)
    same_again(file)


def test_a_replay_names_what_made_the_recording() -> None:
    run = art.simulate(four_bar(0.3).world(), until=0.1, step=0.05)
    assert "kernels" in run.header.versions
    versions = {**run.header.versions, "kernels": "another", "numpy": "0.1"}
    recorder = Recorder(replace(run.header, versions=MappingProxyType(versions)))
    with recorder:
        pass
    other = recorder.recording()
    again = art.replay(other)
    event = next(event for event in again.events if event.kind == "replay")
    assert "kernels another" in event.story
    assert "numpy 0.1" in event.story
    assert not [event for event in art.replay(run).events if event.kind == "replay"]
