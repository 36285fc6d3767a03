"""Cameras: pictures by hand, round trips, and what happens at the edges."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.errors import GeometryError
from articulata.geometry.camera import Camera, Lens, look_at
from articulata.geometry.poses import check_pose
from articulata.geometry.solid_mass import mass_properties


def test_a_lens_sees_what_its_angles_say() -> None:
    across, upwards = Lens(0.035).field_of_view
    # the angles of a 35 mm lens on 35 mm film, as its data sheets print them: 54.4 and 37.8 deg
    np.testing.assert_allclose(np.degrees([across, upwards]), [54.43, 37.85], atol=0.01)
    camera = Camera(Lens(0.018, sensor=(0.036, 0.036)))
    X_WC = np.eye(4)
    points = [(0, 0, -2), (2, 0, -2), (0, 2, -2), (1, -1, -2), (2.1, 0, -2), (0, 0, 2), (1, 0, 0)]
    place = camera.project(points, X_WC)
    np.testing.assert_allclose(place[:5], [(0, 0), (1, 0), (0, 1), (0.5, -0.5), (1.05, 0)])
    assert np.isnan(place[5:]).all()
    assert camera.sees(points, X_WC).tolist() == [True, True, True, True, False, False, False]


def test_rays_and_pictures_are_each_others_inverse() -> None:
    rng = np.random.default_rng(1)
    camera = Camera(Lens(0.05), look_at((0.1, 0.2, 0.3), (1, 1, 1)))
    X_WC = camera.view(look_at((3, 2, 1), (0, 0, 0)))
    places = rng.uniform(-1.0, 1.0, (100, 2))
    rays = camera.directions(places)
    np.testing.assert_allclose(np.linalg.norm(rays, axis=1), 1.0, atol=1e-15)
    far = X_WC[:3, 3] + rng.uniform(0.1, 50.0, (100, 1)) * (rays @ X_WC[:3, :3].T)
    np.testing.assert_allclose(camera.project(far, X_WC), places, atol=1e-12)
    np.testing.assert_allclose(camera.carrier(X_WC) @ camera.X_LC, X_WC, atol=1e-12)


def test_the_nodal_point_stands_in_front_of_the_mount() -> None:
    camera = Camera(Lens(0.035, nodal=0.08))
    np.testing.assert_allclose(camera.view(np.eye(4))[:3, 3], [0.0, 0.0, -0.08])
    # turning the view about the nodal point leaves it where it is
    place = np.array([1.0, 2.0, 3.0])
    carriers = camera.carrier(look_at(place, place + np.eye(3)))
    np.testing.assert_allclose(camera.view(carriers)[:, :3, 3], np.tile(place, (3, 1)), atol=1e-15)


def test_looking_keeps_the_picture_level_and_is_defined_upwards_too() -> None:
    rng = np.random.default_rng(2)
    eyes, targets = rng.normal(size=(50, 3)), rng.normal(size=(50, 3))
    X = look_at(eyes, targets)
    check_pose(X)
    view = (targets - eyes) / np.linalg.norm(targets - eyes, axis=1, keepdims=True)
    np.testing.assert_allclose(-X[:, :3, 2], view, atol=1e-12)
    np.testing.assert_allclose(X[:, 1, 0], 0.0, atol=1e-12)  # x is level
    assert (X[:, 1, 1] > 0.0).all()  # y is up
    for target in ((0, 5, 0), (0, -5, 0)):
        check_pose(look_at((0, 0, 0), target))
    with pytest.raises(GeometryError, match="another point than its own"):
        look_at((1, 2, 3), (1, 2, 3))


def test_the_seen_space_is_a_solid_of_the_seen_points() -> None:
    camera = Camera(Lens(0.018, sensor=(0.036, 0.018)))
    space = camera.frustum(1.0, 3.0)
    # a pyramid of base 6 x 3 and height 3 without its tip of a third of that size
    assert mass_properties(space, 1.0).mass == pytest.approx(
        6 * 3 * 3 / 3 * (1 - 1 / 27), abs=1e-12
    )
    with pytest.raises(GeometryError, match="0 < near < far"):
        camera.frustum(0.0, 1.0)


def test_bad_lenses_are_refused() -> None:
    with pytest.raises(GeometryError, match="focal length in m, more than 0; not 0"):
        Lens(0.0)
    with pytest.raises(GeometryError, match="a width and a height"):
        Lens(0.05, sensor=(0.036, -0.024))
    with pytest.raises(GeometryError, match="finite distance"):
        Lens(0.05, nodal=np.inf)
    with pytest.raises(GeometryError, match="a mount is a pose"):
        Camera(Lens(), np.eye(3))
    with pytest.raises(GeometryError, match="holds NaN or inf"):
        Camera().project([np.nan, 0.0, -1.0], np.eye(4))
    with pytest.raises(GeometryError, match="a camera sees places"):
        Camera().sees([0.0, 0.0, -1.0], np.eye(3))
    with pytest.raises(GeometryError, match="'up' is a direction"):
        look_at((0, 0, 0), (0, 0, 1), up=(0, np.nan, 0))
