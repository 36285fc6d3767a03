"""Pictures: what is drawn where, in which colour and light; strips with their log."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import recorded
from articulata.errors import RecordingError
from articulata.geometry.rotation import Rotation
from articulata.geometry.shapes import Cuboid, Cylinder, Sphere
from articulata.records.recording import Recording, load
from articulata.report.drawn_scene import scene_of
from articulata.report.drawn_surfaces import ball, surface_of
from articulata.report.picture import clearest_azimuth, fitted, picture, view_of
from articulata.report.plots import picture as saved
from articulata.report.raster import blank, fill
from articulata.report.strip import strip


@pytest.fixture(scope="module")
def swing() -> Recording:
    return recorded.swing(41)


@pytest.mark.parametrize("made", [ball(0.3), surface_of(Sphere(0.3)), surface_of(Cuboid(1, 2, 3))])
def test_surfaces_are_closed_and_face_outwards(made: object) -> None:
    a, b, c = (made.vertices[made.triangles[:, k]] for k in range(3))  # type: ignore[attr-defined]  # a Surface
    area = np.cross(b - a, c - a) / 2
    assert np.abs(area.sum(axis=0)).max() < 1e-12
    volume = np.einsum("ij,ij->", a, area) / 3
    assert volume > 0
    normals = made.normals[made.triangles].mean(axis=1)  # type: ignore[attr-defined]  # a Surface
    assert (np.einsum("ij,ij->i", normals, area) > 0).all()


def test_normals_are_smooth_on_round_faces_and_sharp_at_edges() -> None:
    made = surface_of(Cylinder(0.5, 2.0))
    radial = np.hypot(made.normals[:, 0], made.normals[:, 1])
    assert set(np.round(radial, 9)) == {0.0, 1.0}
    side = radial > 0.5
    assert np.abs(made.normals[side, :2] - made.vertices[side, :2] / 0.5).max() < 0.11
    box = surface_of(Cuboid(1, 1, 1))
    assert np.allclose(np.abs(box.normals).max(axis=1), 1.0)


def test_the_nearer_triangle_is_seen_whatever_the_order() -> None:
    points = np.array(
        [[0, 0, 2], [40, 0, 2], [0, 40, 2], [0, 0, 1], [40, 0, 1], [40, 40, 1]], float
    )
    triangles = np.array([[0, 1, 2], [3, 4, 5]])
    seen = []
    for order in ([0, 1], [1, 0]):
        buffers = blank(40, 40)
        fill(buffers, points, np.ones((6, 3)), triangles[order], np.array(order))
        seen.append(buffers.ident)
    assert np.array_equal(*seen)
    assert seen[0][5, 30] == 1
    assert seen[0][30, 5] == 0
    assert seen[0][39, 39] == 1
    assert seen[0][38, 37] == -1 or seen[0][38, 37] in (0, 1)
    covered = (seen[0] >= 0).sum()
    assert abs(covered - (800 + 400)) < 60


def test_a_body_is_drawn_in_its_colour_and_casts_a_shadow(swing: Recording) -> None:
    scene = scene_of(swing, [0, 16])
    view = view_of(scene)
    image = picture(scene, 1, view, 200).astype(int)
    red = (image[..., 0] > 90) & (image[..., 0] > 1.8 * image[..., 2])
    assert 200 < red.sum() < 0.2 * red.size
    ground = image[120:]
    darker = (ground.max(axis=2) < 215) & (np.ptp(ground, axis=2) < 25)
    assert darker.sum() > 30
    assert not np.array_equal(image, picture(scene, 0, view, 200))


def test_a_hinge_that_is_broken_is_not_drawn_any_more() -> None:
    file = Path(recorded.__file__).parent / "data" / "recordings" / "format_2.artrun"
    scene = scene_of(load(file))
    names = [joint.hinge for joint in scene.joints]
    assert names == ["upper", "lower"]
    assert scene.joined.tolist() == [[True, True]] * 3 + [[True, False]] * 2
    without = replace(scene, joints=scene.joints[:1], joined=scene.joined[:, :1])
    view = view_of(scene)
    for frame in range(5):
        alike = np.array_equal(picture(scene, frame, view, 60), picture(without, frame, view, 60))
        assert alike == (frame > 2)


def test_everything_is_inside_the_picture(swing: Recording) -> None:
    scene = scene_of(swing)
    for azimuth in (0.0, 0.9, 2.5):
        view = view_of(scene, 1.2, azimuth=azimuth)
        for frame in (0, 8, 24):
            image = picture(scene, frame, view, 120).astype(int)
            red = (image[..., 0] > 90) & (image[..., 0] > 1.8 * image[..., 2])
            rows, columns = np.nonzero(red)
            assert rows.min() > 0
            assert columns.min() > 0
            assert rows.max() < image.shape[0] - 1
            assert columns.max() < image.shape[1] - 1


def test_a_view_holds_what_is_long_and_near_and_nothing_else(swing: Recording) -> None:
    scene, random = scene_of(swing), np.random.default_rng(5)
    for _ in range(200):
        item = replace(scene.items[0], surface=0)
        spread = 10.0 ** random.uniform(-2.0, 2.0, 3)
        points = random.normal(size=(6, 3)) * spread
        long = replace(scene.surfaces[0], vertices=points)
        at = scene.poses[:1].copy()
        at[..., :3], at[..., 3:] = random.normal(size=3) * 10.0, (1.0, 0.0, 0.0, 0.0)
        alone = replace(
            scene, items=(item,), surfaces=(long,), poses=at, present=scene.present[:1],
            center=at[0, 0, :3], radius=float(np.abs(points).max()) * 2.0,
        )  # fmt: skip
        view = view_of(alone, azimuth=random.uniform(0.0, 6.0), elevation=random.uniform(-1.4, 1.4))
        low, high = points.min(axis=0), points.max(axis=0)
        corners = np.stack(np.meshgrid(*zip(low, high, strict=True)), axis=-1).reshape(-1, 3)
        seen = (corners + at[0, 0, :3] - view.target) @ view.axes.T
        slope = np.tan(0.25) * np.array([view.aspect, 1.0])
        filled = np.abs(seen[:, :2]) / (slope * (view.distance - seen[:, 2:]))
        assert (seen[:, 2] < view.distance).all()
        assert filled.max() <= 0.9 + 1e-9


def test_what_stands_before_a_thing_is_looked_past(swing: Recording) -> None:
    """A ball with a wall before it, on a random side: the eye comes from where none is."""
    whole, random = scene_of(swing), np.random.default_rng(9)
    small, wall = surface_of(Sphere(0.1)), surface_of(Cuboid(1.0, 1.0, 0.05))
    before, item = wall.vertices + np.array([0.0, 0.0, 0.3]), whole.items[0]
    items, numbers = (item, replace(item, surface=1)), np.array([0])
    axes = np.stack([np.cross(whole.up, whole.ahead), whole.up, whole.ahead])
    for turn in (0.42, *random.uniform(0.0, 6.28, 3)):
        away = Rotation.from_axis_angle((0.0, 1.0, 0.0), turn).apply(before)
        far = replace(wall, vertices=away @ axes)
        poses = np.zeros((1, *whole.poses.shape[1:]))
        poses[..., 3] = 1.0
        scene = replace(
            whole, items=items, surfaces=(small, far), poses=poses, present=whole.present[:1],
            joints=(), joined=whole.joined[:1, :0],
        )  # fmt: skip
        chosen = clearest_azimuth(scene, 0, numbers, np.zeros(3), 0.1)
        apart = np.angle(np.exp(1j * (chosen - turn)))
        assert abs(apart) > 0.8
        alone = replace(scene, items=items[:1])
        assert clearest_azimuth(alone, 0, numbers, np.zeros(3), 0.1) == 0.42


def test_a_panel_covers_nothing_and_the_rest_is_filled() -> None:
    """A page of 1280 by 800 with 272 points of panel: seen through a pinhole, side by side."""
    random = np.random.default_rng(8)
    for _ in range(200):
        points = random.normal(size=(8, 3)) * 10.0 ** random.uniform(-2.0, 2.0, 3)
        axes = np.linalg.qr(random.normal(size=(3, 3)))[0]
        slope = np.tan(np.radians(37.5))
        target, away = fitted(
            points, axes, slope * np.array([1.6, 1.0]), slope * np.array([0.68, 0])
        )
        seen = (points - target) @ axes.T
        across, upward = (400.0 * seen[:, :2] / (slope * (away - seen[:, 2:]))).T
        assert (seen[:, 2] < away).all()
        assert across.min() >= -0.9 * 640.0 - 1e-6
        assert across.max() <= 0.9 * (640.0 - 272.0) + 1e-6
        assert np.abs(upward).max() <= 0.9 * 400.0 + 1e-6
        sides = (across.max() - across.min()) / 1008.0, (upward.max() - upward.min()) / 800.0
        ahead = np.ptp(seen[:, 2])
        wide, high = np.ptp(seen[:, 0]), np.ptp(seen[:, 1])
        if max(wide, high) > 5.0 * ahead:  # flat before the eye: it fills one of both
            assert max(sides) > 0.8


def test_a_strip_has_its_snapshots_and_its_log(swing: Recording) -> None:
    figure = strip(swing, 0.0, 2.0, 3)
    assert len(figure.axes) == 3
    texts = [text.get_text() for text in figure.texts]
    assert [text for text in texts if len(text) < 10] == [
        f"{time:.3f} s" for time in (0.0, 1.0, 2.0)
    ]
    (log,) = [text for text in texts if len(text) > 50]
    assert "1.0000 s  p.rod[3].bottom hit p.anchor" in log
    assert "RK4" in log
    assert saved(figure, ".png") == saved(strip(swing, 0.0, 2.0, 3), ".png")


def test_a_strip_before_the_event_does_not_tell_of_it(swing: Recording) -> None:
    texts = [text.get_text() for text in strip(swing, 0.0, 0.5, 2).texts]
    assert any("no events" in text for text in texts)


@pytest.mark.parametrize(
    ("start", "end", "count"), [(1.0, 0.0, 3), (0.0, 1.0, 0), (0.0, float("nan"), 3), (0, 1, 61)]
)
def test_an_impossible_strip_is_refused(
    swing: Recording, start: float, end: float, count: int
) -> None:
    with pytest.raises(RecordingError, match="strip"):
        strip(swing, start, end, count)
