"""What looks through the camera is set right where it looks elsewhere, or more widely."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from articulata.geometry.camera import Lens
from articulata.report.viewer import theatre as stages
from articulata.report.viewer.theatre import AGAIN, CAMERA, FilmStage


@pytest.mark.parametrize("astray", ["", "position", "look_at", "fov"])
def test_a_page_that_says_otherwise_is_told_again(
    monkeypatch: pytest.MonkeyPatch, astray: str
) -> None:
    lens = Lens()
    right = {
        "position": np.array([1.0, 2.0, 3.0]),
        "look_at": np.array([1.0, 2.0, 2.0]),
        "fov": lens.field_of_view[1],
    }
    camera = SimpleNamespace(**right, near=0.1, wxyz=np.array([0.0, 1.0, 0.0, 0.0]))
    client = SimpleNamespace(camera=camera)
    server: Any = SimpleNamespace(get_clients=lambda: {7: client})

    @contextmanager
    def at_once(_: object) -> Any:
        yield

    monkeypatch.setattr(stages, "Stage", lambda *_, **__: SimpleNamespace())
    monkeypatch.setattr(stages, "path_of", lambda *_: CAMERA)
    monkeypatch.setattr(stages, "at_once", at_once)
    stage = FilmStage(server)
    X = np.eye(4)
    X[:3, 3] = right["position"]
    asked = None, X, (1, 2, 3), lens, (X, lens)
    assert stage.draw(*asked)
    if astray:  # the page said so while it was told
        setattr(camera, astray, right[astray] * 1.5)
    told: list[str] = []
    through = stage._through
    monkeypatch.setattr(stage, "_through", lambda *given: (told.append("again"), through(*given)))
    for _ in range(AGAIN):
        assert not stage.draw(*asked)
    assert told == (["again"] if astray else [])
    assert camera.fov == pytest.approx(lens.field_of_view[1])
    np.testing.assert_allclose(camera.position, right["position"])
