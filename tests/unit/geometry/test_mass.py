"""Mass properties: welding, scaling, moving, density."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.geometry.poses import make_pose
from articulata.geometry.rotation import Rotation
from articulata.geometry.shapes import Cuboid, Cylinder, Difference, Placed, Sphere
from articulata.geometry.solids import combine, mass_properties


def test_two_halves_of_two_densities_weld_into_one_body() -> None:
    iron = mass_properties(Placed(Cuboid(1, 1, 1), make_pose(None, (-0.5, 0, 0))), 8.0)
    wood = mass_properties(Placed(Cuboid(1, 1, 1), make_pose(None, (0.5, 0, 0))), 2.0)
    both = combine([iron, wood])
    assert both.mass == 10
    assert both.volume == 2
    np.testing.assert_allclose(both.center, [-0.3, 0, 0], atol=1e-15)
    # own inertia 10 * 1/6; steiner: 8 * 0.2^2 + 2 * 0.8^2
    np.testing.assert_allclose(np.diag(both.inertia), [10 / 6, 10 / 6 + 1.6, 10 / 6 + 1.6])


def test_welding_halves_of_one_density_is_the_whole() -> None:
    whole = mass_properties(Cuboid(2, 1, 3), 5.0)
    halves = [
        mass_properties(Placed(Cuboid(1, 1, 3), make_pose(None, (x, 0, 0))), 5.0)
        for x in (-0.5, 0.5)
    ]
    both = combine(halves)
    np.testing.assert_allclose(both.inertia, whole.inertia, rtol=1e-15)


def test_a_difference_is_the_base_less_the_tool() -> None:
    tool = Placed(Sphere(0.3), make_pose(None, (0.1, 0.2, 0.0)))
    left = mass_properties(Difference(Cuboid(2, 2, 2), tool), 3.0)
    back = combine([left, mass_properties(tool, 3.0)])
    whole = mass_properties(Cuboid(2, 2, 2), 3.0)
    assert back.mass == pytest.approx(whole.mass, rel=1e-13)
    np.testing.assert_allclose(back.center, 0, atol=1e-13)
    np.testing.assert_allclose(back.inertia, whole.inertia, atol=1e-12)


def test_moving_a_description_and_asking_about_a_point() -> None:
    body = mass_properties(Cylinder(0.5, 2), 3.0)
    X = make_pose(Rotation.exp((0.3, -0.2, 0.9)), (1.0, 2.0, 3.0))
    moved = body.transformed(X)
    R = X[:3, :3]
    np.testing.assert_allclose(moved.inertia, R @ body.inertia @ R.T, atol=1e-14)
    np.testing.assert_allclose(moved.center, X[:3, 3], atol=1e-15)
    about = body.inertia_about((0, 0, 1))
    np.testing.assert_allclose(np.diag(about - body.inertia), [body.mass, body.mass, 0], atol=1e-14)
    back = moved.transformed(np.linalg.inv(X))
    np.testing.assert_allclose(back.inertia, body.inertia, atol=1e-13)


def test_inertia_grows_with_density_and_with_mass() -> None:
    light, heavy = mass_properties(Sphere(1), 1.0), mass_properties(Sphere(1), 4.0)
    np.testing.assert_allclose(heavy.inertia, 4 * light.inertia, rtol=1e-15)
    np.testing.assert_allclose(light.with_mass(heavy.mass).inertia, heavy.inertia, rtol=1e-15)


def test_principal_axes_are_right_handed_and_diagonal() -> None:
    body = mass_properties(Placed(Cuboid(1, 2, 3), make_pose(Rotation.exp((1, 2, 3)))), 2.0)
    moments, axes = body.principal()
    np.testing.assert_allclose(axes.T @ body.inertia @ axes, np.diag(moments), atol=1e-13)
    np.testing.assert_allclose(moments, [5.0, 10.0, 13.0], rtol=1e-14)
    assert np.linalg.det(axes) == pytest.approx(1)


def test_results_are_kept_and_cannot_be_written() -> None:
    one = mass_properties(Cuboid(1, 2, 3), 2.0)
    assert mass_properties(Cuboid(1.0, 2.0, 3.0), 2.0) is one
    with pytest.raises(ValueError, match="read-only"):
        one.inertia[0, 0] = 0
