"""The viewer of figures without a browser: wishes in, pictures out."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

from articulata.errors import ArticulataError
from articulata.formats.urdf.urdf_figure import read_urdf
from articulata.report.viewer.figures.viewer import FigureViewer
from unit.report.viewer.test_figures import DESK, puma


def until(viewer: FigureViewer, holds: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        if viewer.failure is not None:
            raise viewer.failure
        assert time.monotonic() < end
        time.sleep(0.01)


def test_every_wish_ends_in_a_picture() -> None:
    with FigureViewer() as viewer:
        viewer.show(puma())
        until(viewer, lambda: viewer.pictures > 0)
        assert viewer.scene is not None
        X = viewer.scene.targets["hand"].copy()
        X[:3, 3] += -0.05, 0.05, -0.05
        wishes = [
            ("posture", "ready"),
            ("joint:waist", 0.3),
            ("target:hand", X),
            ("released", "hand"),
            ("branches", "in place"),
            ("branches", "side by side"),
            ("take", 1),
            ("frames", True),
            ("names", True),
            ("turned", True),
            ("target:hand", X),
            ("up", "-y"),
            ("fit", True),
            ("hold:hand", False),
            ("say", "a word"),
        ]
        for name, value in wishes:
            drawn = viewer.pictures
            viewer.wish(name, value)
            until(viewer, lambda drawn=drawn: viewer.pictures > drawn)  # type: ignore[misc]
        assert viewer.scene.targets == {}
        viewer.show(read_urdf(DESK))
        # what was wished of the figure before is passed over
        for name, value in (("joint:waist", 0.3), ("hold:hand", True), ("posture", "ready")):
            viewer.wish(name, value)
        until(viewer, lambda: viewer.scene is not None and viewer.scene.figure.dof == 5)
        drawn = viewer.pictures
        viewer.wish("fit", True)
        until(viewer, lambda: viewer.pictures > drawn)


def test_moves_are_taken_back_one_after_another() -> None:
    with FigureViewer() as viewer:
        viewer.show(puma())
        until(viewer, lambda: viewer.pictures > 0)
        assert viewer.scene is not None
        X = viewer.scene.targets["hand"].copy()
        X[:3, 3] += -0.05, 0.05, -0.05
        seen = [viewer.scene.q.copy()]
        wishes = (("joint:waist", 0.3), ("joint:waist", 0.4), ("target:hand", X), ("released", 0))
        for name, value in (*wishes, ("back", True), ("back", True), ("back", True)):
            drawn = viewer.pictures
            viewer.wish(name, value)
            until(viewer, lambda drawn=drawn: viewer.pictures > drawn)  # type: ignore[misc]
            seen.append(viewer.scene.q.copy())
        start, _, slid, dragged, _, first, second, third = seen
        assert np.abs(dragged - slid).max() > 1e-3
        np.testing.assert_array_equal(first, slid)
        np.testing.assert_array_equal(second, start)  # both moves of the slider are one
        np.testing.assert_array_equal(third, start)  # nothing is left to be taken back


def test_a_port_that_cannot_be_had_is_refused() -> None:
    with FigureViewer() as viewer:
        taken = int(viewer.address.rpartition(":")[2])
        for port in (taken, 99_999, -1):
            with pytest.raises(ArticulataError, match=f"port {port} on 127.0.0.1 is taken"):
                FigureViewer(port=port)


def test_the_newest_of_many_drags_is_answered() -> None:
    with FigureViewer() as viewer:
        viewer.show(puma())
        until(viewer, lambda: viewer.pictures > 0)
        assert viewer.scene is not None
        X = viewer.scene.targets["hand"].copy()
        before = viewer.pictures
        for step in range(500):
            X[:3, 3] = 0.4, -0.15, 0.7 + 0.0005 * step
            viewer.wish("target:hand", X.copy())
        until(viewer, lambda: np.array_equal(viewer.scene.targets["hand"][:3, 3], X[:3, 3]))  # type: ignore[union-attr]
        until(viewer, lambda: viewer.pictures > before)
        assert viewer.pictures - before < 500
        tip = viewer.scene.figure.landmark(viewer.scene.q, "hand")[:3, 3]
        np.testing.assert_allclose(tip, X[:3, 3], atol=3e-3)
