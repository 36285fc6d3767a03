"""Layers on a real server: shown by name, changed in place, taken away; panels and their wishes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from articulata.report.viewer.layers import (
    ArrowsLayer,
    Labels,
    Layer,
    Layers,
    Lines,
    Points,
    Slice,
    Surface,
    View,
)
from articulata.report.viewer.panels.board import Desk
from articulata.report.viewer.server import Viewer
from articulata.report.viewer.serving import serve, stop


@pytest.fixture(scope="module")
def scene() -> Iterator[Any]:
    server, _ = serve("127.0.0.1", None)
    yield server.scene
    stop(server)


def _pose(x: float) -> np.ndarray[Any, Any]:
    X = np.eye(4)
    X[0, 3] = x
    return X


def _image(value: int) -> np.ndarray[Any, Any]:
    return np.full((4, 6, 3), value, np.uint8)


PAIRS: list[tuple[Layer, Layer]] = [
    (Points("it", np.zeros((3, 3))), Points("it", np.ones((3, 3)), (200, 0, 0), 0.1)),
    (Lines("it", np.zeros((2, 2, 3))), Lines("it", np.ones((2, 2, 3)), (200, 0, 0))),
    (ArrowsLayer("it", np.zeros((2, 2, 3))), ArrowsLayer("it", np.ones((2, 2, 3)))),
    (Labels("it", ("a", "b"), np.zeros((2, 3))), Labels("it", ("a", "c"), np.ones((2, 3)))),
    (Slice("it", _image(0), _pose(0.0), 0.6), Slice("it", _image(9), _pose(1.0), 0.6)),
    (
        Surface("it", np.eye(3), np.array([[0, 1, 2]])),
        Surface("it", 2 * np.eye(3), np.array([[0, 2, 1]]), (200, 0, 0), 0.5),
    ),
    (View("it", _pose(0.0), 0.7, 1.5), View("it", _pose(1.0), 0.8, 1.5, image=_image(3))),
]


def _nodes(layers: Layers) -> list[Any]:
    return [node for _, node in layers._shown["it"]]


def test_what_a_layer_says_is_what_the_scene_has_after_a_change(scene: Any) -> None:
    layers = Layers(scene)
    layers.show(Lines("it", np.zeros((2, 2, 3))))
    layers.show(Lines("it", np.ones((2, 2, 3)), (200, 0, 0), 5.0))
    (lines,) = _nodes(layers)
    assert lines.thickness == 5.0
    assert (lines.points == 1.0).all()
    assert lines.colors.reshape(-1, 3).tolist() == [[200, 0, 0]] * 4
    layers.show(ArrowsLayer("it", np.zeros((1, 2, 3))))
    layers.show(ArrowsLayer("it", np.zeros((1, 2, 3)), width=0.04))
    (arrows,) = _nodes(layers)
    assert (arrows.shaft_radius, arrows.head_length) == pytest.approx((0.02, 0.14))


@pytest.mark.parametrize(("before", "after"), PAIRS, ids=lambda each: type(each).__name__)
def test_a_layer_of_the_same_kind_is_changed_in_place(
    scene: Any, before: Layer, after: Layer
) -> None:
    layers = Layers(scene)
    layers.show(before)
    before_nodes = _nodes(layers)
    layers.show(after)
    assert [*map(id, _nodes(layers))] == [*map(id, before_nodes)]
    assert layers.names == ("it",)
    layers.hide("it")
    assert not layers.names


def test_a_layer_of_other_numbers_or_kind_is_built_anew(scene: Any) -> None:
    layers = Layers(scene)
    layers.show(Points("it", np.zeros((3, 3))))
    (node,) = _nodes(layers)
    layers.show(Points("it", np.zeros((5, 3))))
    assert _nodes(layers)[0] is not node
    layers.show(Lines("it", np.zeros((5, 2, 3))))
    assert type(_nodes(layers)[0]).__name__ == "LineSegmentsHandle"
    layers.show(Lines("it", np.zeros((0, 2, 3))))  # nothing to draw is no error
    assert layers.names == ("it",)


def test_layers_are_cleared_by_how_their_names_begin(scene: Any) -> None:
    layers = Layers(scene)
    for name in ("reach map", "reach hand", "film path"):
        layers.show(Points(name, np.zeros((1, 3))))
    layers.clear("reach")
    assert layers.names == ("film path",)


def test_a_picture_in_the_scene_is_read_from_the_front(scene: Any) -> None:
    layers = Layers(scene)
    layers.show(Slice("it", _image(0), np.eye(4), 0.6))
    (node,) = _nodes(layers)
    assert (node.render_width, node.render_height) == pytest.approx((0.6, 0.4))
    # viser draws y down and looks along z: half a turn about x
    assert np.abs(node.wxyz) == pytest.approx((0.0, 1.0, 0.0, 0.0))


class _Reach:
    """A panel that remembers what it was asked."""

    title = "Reach"

    def __init__(self) -> None:
        self.asked: list[tuple[str, object]] = []
        self.desk: Desk | None = None

    def build(self, desk: Desk) -> None:
        self.desk = desk
        desk.layers.show(Points("reach map", np.zeros((1, 3))))

    def grant(self, name: str, value: object) -> None:
        self.asked.append((name, value))


def _until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 10.0
    while not true():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_panel_is_built_and_granted_its_wishes() -> None:
    panel = _Reach()
    with Viewer() as viewer:
        viewer.attach(panel)
        _until(lambda: panel.desk is not None)
        assert panel.desk is not None
        panel.desk.wish("height", 1.2)
        viewer.wish("Reach", "person", "anna")
        viewer.wish("Pose", "nobody", "listens")
        viewer.layer(Lines("beside", np.zeros((1, 2, 3))))
        _until(lambda: len(panel.asked) == 2)
        assert sorted(panel.asked) == [("height", 1.2), ("person", "anna")]
        layers = panel.desk.layers
        _until(lambda: layers.names == ("reach map", "beside"))
        viewer.hide("beside")
        _until(lambda: layers.names == ("reach map",))
        viewer.check()
