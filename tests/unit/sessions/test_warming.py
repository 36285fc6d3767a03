"""Warming brings every kernel of its part: what users ask later compiles nothing more."""

from __future__ import annotations

import importlib
import os
import pkgutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import articulata.kernels.chains as room
from articulata.errors import NameNotFound
from articulata.kernels.compile import Kernel
from articulata.sessions.warming import PARTS, named, warm

ASKED = """
import numpy as np
from tests.unit.kinematics.arms import camera, drawn, person, puma, seven
from tests.unit.kinematics.test_figure_inverse import person as figure
from tests.unit.sessions.test_warming import compiled
from articulata.kinematics.inverse.areas import PolygonArea
from articulata.kinematics.inverse.descent import Descent
from articulata.kinematics.inverse.jacobians import DampedLeastSquares, ExtendedJacobian, Pull
from articulata.sessions.warming import warm

assert list(warm(["inverse"]))
before = compiled()
assert sum(before.values()) > 15
rng = np.random.default_rng(0)
q = drawn(person(), rng, 300)
places = person().tip(q)[:, :3, 3]
person().inverse(places.reshape(3, 100, 3), start=q.reshape(3, 100, 21))
person().inverse(places, method=Descent(starts=3, seed=2), progress=print)
person().inverse(places[::3], start=q[0])
person().inverse(PolygonArea(places[0], [[0, 0], [1, 0], [0, 1]]))
for chain in (seven(), puma(), camera()):
    X_WT = chain.tip(drawn(chain, rng, 60))
    X_WT[::7, :3, 3] *= 3.0
    chain.inverse(X_WT)
    chain.inverse(X_WT[1])
    chain.all_inverse(X_WT)
    chain.all_inverse(X_WT[1])
    chain.follow(X_WT[:5])
for method in (
    DampedLeastSquares(steps=2, task=Pull(0.1)),
    ExtendedJacobian(steps=2),
):
    person().inverse(places[:3], start=q[:3], method=method)
far = seven().tip(np.zeros(7))
far[:3, 3] *= 9.0
for start in (None, np.zeros(7)):
    seven().inverse(far, start=start, method=Descent(starts=4))
    person().inverse(places[0], start=None if start is None else q[0], method=Descent(starts=1))
seven().inverse(seven().tip(np.zeros(7)), method=DampedLeastSquares(steps=2))
figure().inverse({"right hand": places[:3], "left hand": np.tile(np.eye(4), (3, 1, 1))})
print("more:", sorted(name for name, n in compiled().items() if n != before.get(name)))
"""


def compiled() -> dict[str, int]:
    """Return for how many signatures each kernel of chains was compiled or loaded."""
    found = {}
    for part in pkgutil.walk_packages(room.__path__, room.__name__ + "."):
        if part.ispkg or ".graphics." in part.name:
            continue
        for name, value in vars(importlib.import_module(part.name)).items():
            if isinstance(value, Kernel) and "_entry" in vars(value):
                found[name] = len(value._entry.nopython_signatures)
    return found


def test_after_warming_nothing_of_chains_is_compiled() -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASKED],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        env=_environment(),
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "more: []"


def _environment() -> dict[str, str]:

    root = Path(__file__).parents[3]
    return os.environ | {"PYTHONPATH": f"{root}{os.pathsep}{root / 'tests'}"}


def test_parts_are_named() -> None:
    assert named(()) == tuple(PARTS)
    assert named(["inverse"]) == ("inverse",)
    with pytest.raises(NameNotFound, match=", ".join(PARTS)):
        list(warm(["everything"]))


def test_who_simulates_does_not_wait_for_chains(monkeypatch: Any) -> None:
    asked: list[str] = []
    monkeypatch.setattr(
        "articulata.sessions.warming._ask", lambda part, name: asked.append(f"{part}: {name}")
    )
    assert list(warm(["simulate"])) == list(PARTS["simulate"])
    assert not [each for each in asked if each.startswith("inverse")]
    assert len(list(warm())) == sum(map(len, PARTS.values()))
