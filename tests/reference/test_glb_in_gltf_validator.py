"""Khronos' validator of glTF finds nothing wrong in exported worlds, recordings and camera moves.

`make test-slow` installs it from locks/gltf_validator; without it the test fails.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import articulata as art
from articulata.formats.gltf.gltf_writer import write_animation
from articulata.geometry.camera_motion import moved
from articulata.sessions.converting import convert
from articulata.world.world_files import LIBRARY
from random_worlds import random_text
from unit.formats.test_gltf_worlds import LIT

pytestmark = pytest.mark.slow

MODULES = Path(__file__).parents[2] / ".cache" / "gltf_validator" / "node_modules"
SCRIPT = """
const fs = require("fs"), validator = require("gltf-validator"), found = {};
(async () => {
  for (const file of process.argv.slice(1)) {
    const bytes = new Uint8Array(fs.readFileSync(file));
    const told = await validator.validateBytes(bytes, { maxIssues: 0 });
    found[file.split("/").pop()] = told.issues.messages;
  }
  console.log(JSON.stringify(found));
})();
"""
ERROR, WARNING, INFORMATION, HINT = range(4)


def complaints(files: list[Path]) -> dict[str, list[Any]]:
    """Return what the validator says about files, by their names."""
    if not (MODULES / "gltf-validator").is_dir():
        pytest.fail(f"gltf-validator is not in {MODULES}: `make test-slow` installs it")
    done = subprocess.run(
        ["node", "-e", SCRIPT, *map(str, files)],
        env={**os.environ, "NODE_PATH": str(MODULES)}, capture_output=True, check=True, text=True,
    )  # fmt: skip
    found: dict[str, list[Any]] = json.loads(done.stdout)
    return found


def test_the_validator_finds_what_is_wrong(tmp_path: Path) -> None:
    tree = {"asset": {"version": "2.0"}, "scene": 0, "nodes": [{"mesh": 1}]}
    (tmp_path / "bad.gltf").write_text(json.dumps(tree))
    said = complaints([tmp_path / "bad.gltf"])["bad.gltf"]
    assert [(each["severity"], each["pointer"]) for each in said if each["severity"] == ERROR] == [
        (ERROR, "/scene"),
        (ERROR, "/nodes/0/mesh"),
    ]


def test_exported_files_are_valid_gltf(tmp_path: Path) -> None:
    files = []
    for source in sorted([*LIBRARY.glob("gallery/*.art"), *LIBRARY.glob("rooms/*.art")]):
        files.append(tmp_path / f"{source.stem}.glb")
        convert(source, files[-1])
        document = art.read(source)
        if source.parent.name == "gallery" and not document.module.python:
            art.simulate(document.world(), until=0.1, step=0.05).save(tmp_path / "run.artrun")
            files.append(tmp_path / f"{source.stem}_moves.glb")
            convert(tmp_path / "run.artrun", files[-1])
    for seed in range(30):
        (tmp_path / "drawn.art").write_text(random_text(seed, 12))
        files.append(tmp_path / f"drawn_{seed}.glb")
        convert(tmp_path / "drawn.art", files[-1])
    (tmp_path / "lit.gltf").write_text(json.dumps(LIT))
    files.append(tmp_path / "lit.glb")
    convert(tmp_path / "lit.gltf", files[-1])
    t = np.arange(40) / 25
    X = moved(np.eye(4), np.random.default_rng(1).normal(size=(40, 6)), 0.2)
    zooms = {"camera": np.linspace(0.7, 0.3, 40)}
    files.append(tmp_path / "camera.gltf")
    files[-1].write_text(write_animation(t, {"camera": X}, {"camera": (0.7, 1.5)}, zooms=zooms))
    found = complaints(files)
    assert len(found) == len(files) > 90
    # it may say that a thing without a look has an empty node, and that it knows pointers in part
    said = {(each["severity"], each["code"]) for every in found.values() for each in every}
    assert said <= {(INFORMATION, "NODE_EMPTY"), (INFORMATION, "INCOMPLETE_EXTENSION_SUPPORT")}
