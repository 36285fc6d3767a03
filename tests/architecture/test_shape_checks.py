"""The shapes in annotations are checked while the tests run, and cost nothing otherwise."""

from __future__ import annotations

import contextlib
import importlib
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from jaxtyping import TypeCheckError

PLANTED = '''
"""A module with shapes, as the package writes them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from articulata.geometry.arrays import Array, Float64

if TYPE_CHECKING:
    from articulata.errors import Diagnostic


@dataclass(frozen=True, slots=True)
class Ball:
    center: Float64[Array, "3"]
    weights: Float64[Array, "count"] = field(default_factory=lambda: np.ones(2))

    def moved(
        self, by: Float64[Array, "3"], *, why: Float64[Array, ""] | Diagnostic | None = None
    ) -> Ball:
        return Ball(self.center + by, self.weights)

    @classmethod
    def first(cls, centers: Float64[Array, "count 3"]) -> Ball:
        return cls(centers[0])

    @property
    def shadow(self) -> Float64[Array, "2"]:
        return self.center


def link_poses(
    q: Float64[Array, "*batch dof"], a: Float64[Array, "dof"]
) -> Float64[Array, "*batch dof 4 4"]:
    return np.zeros((*q.shape, 4, 4)) if a[0] == 0 else np.zeros((4, 4))


def middle(points: tuple[Float64[Array, "3"], ...]) -> Float64[Array, "3"]:
    return np.mean(points, axis=0)
'''  # fmt: skip


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    import articulata

    (tmp_path / "planted.py").write_text(PLANTED)
    monkeypatch.setattr(articulata, "__path__", [*articulata.__path__, str(tmp_path)])
    module = importlib.import_module("articulata.planted")
    monkeypatch.delitem(sys.modules, "articulata.planted")
    return module


def test_right_shapes_pass(planted: ModuleType) -> None:
    ball = planted.Ball(np.zeros(3)).moved(np.ones(3))
    assert planted.Ball.first(np.ones((2, 3))).center.shape == (3,)
    assert ball.weights.shape == (2,)
    assert planted.link_poses(np.zeros((5, 2)), np.zeros(2)).shape == (5, 2, 4, 4)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda m: m.Ball(np.zeros(4)),
        lambda m: m.Ball(np.zeros(3)).moved(np.zeros((1, 3))),
        lambda m: m.Ball.first(np.zeros(3)),
        lambda m: m.Ball(np.zeros(3)).shadow,
        lambda m: m.link_poses(np.zeros((5, 2)), np.zeros(3)),
        lambda m: m.link_poses(np.zeros((5, 2), dtype=np.float32), np.zeros(2)),
        lambda m: m.link_poses([0.0, 0.0], np.zeros(2)),
        lambda m: m.link_poses(np.zeros((5, 2)), np.ones(2)),
    ],
    ids=["field", "method", "class method", "property", "one name, two lengths", "float32", "list",
         "result"],
)  # fmt: skip
def test_a_wrong_shape_raises(planted: ModuleType, wrong: object) -> None:
    with pytest.raises(TypeCheckError):
        wrong(planted)  # type: ignore[operator] # a lambda over the planted module


def test_what_has_passed_hides_nothing_that_has_not(planted: ModuleType) -> None:
    q, zeros, ones = np.zeros((5, 2)), np.zeros(2), np.ones(2)
    for _ in range(2):
        planted.link_poses(q, zeros)
        with pytest.raises(TypeCheckError):
            planted.link_poses(q, ones)  # arguments alike, another result
        with pytest.raises(TypeCheckError):
            planted.link_poses(q, np.zeros(3))
    for _ in range(20):
        assert planted.middle((np.zeros(3), np.ones(3))).shape == (3,)
    # of a row of any length one item is looked at, chosen by chance: never hidden, found soon
    found = 0
    for _ in range(100):
        with contextlib.suppress(TypeCheckError):
            planted.middle((np.zeros(3), np.zeros(3, np.float32)))
            continue
        found += 1
    assert found > 0


def test_a_running_program_checks_nothing() -> None:
    script = (
        "import sys, articulata.geometry.arrays as arrays;"
        "assert arrays.Float64[arrays.Array, '*batch 3'] is arrays.Array;"
        "assert not {'jaxtyping', 'beartype'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=60)
