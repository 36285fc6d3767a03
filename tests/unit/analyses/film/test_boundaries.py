"""Surfaces on which an arm's wrist ends, by the thesis's closed form."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from articulata.analyses.film.boundaries import boundaries
from camera_arms import arm_2011, wrist_2011


def test_points_of_the_outer_boundary_are_as_far_as_the_stretched_elbow() -> None:
    found = boundaries(arm_2011())
    assert set(found) == {"outer boundary", "inner boundary", "dead zone"}
    points, triangles = found["outer boundary"]
    assert triangles.max() == len(points) - 1
    # Li 2011, (4.27): from the circle on which the second joint goes about the first axis, x
    x, across = points[:, 0], np.hypot(points[:, 1], points[:, 2])
    depth = np.sqrt(np.maximum(across**2 - 0.156**2, 0.0))  # 0 where the surface ends
    stretched = 1.781 + np.hypot(0.3063, 1.456)
    np.testing.assert_allclose(np.hypot(depth - 0.8048, x - 1.012), stretched, atol=1e-7)
    # postures with a stretched elbow are on it
    u3 = -np.arctan2(0.3063, 1.456)
    for u2 in (0.2, -0.6):
        wrist = wrist_2011(np.array([0.0, u2, u3, 0.0, 0.0, 0.0]))
        assert np.linalg.norm(points - wrist, axis=1).min() < 0.3
        assert np.hypot(wrist[2] - 0.8048, wrist[0] - 1.012) == pytest.approx(stretched)


def test_the_dead_zone_is_156_mm_wide_and_goes_with_the_scale() -> None:
    figure = art.figure("camera_robot")
    for scale in (1.0, 2.0):
        points, _ = boundaries(art.Carrier(figure, "flange", scale=scale))["dead zone"]
        np.testing.assert_allclose(np.hypot(points[:, 1], points[:, 2]), 0.156 * scale, atol=1e-9)


def seven(ends: float = np.inf) -> art.Figure:
    rows = [(0.34, -1), (0.0, 1), (0.4, 1), (0.0, -1), (0.4, -1), (0.0, 1), (0.126, 0)]
    joints = [
        art.DH(name=f"a{k}", d=d, alpha=s * np.pi / 2, limits=(-ends, ends))
        for k, (d, s) in enumerate(rows)
    ]
    chain = art.Chain.standard_dh(joints)
    return art.Figure(
        chain.joints, range(-1, 6), name="seven", landmarks={"tip": art.Landmark("a6")}
    )


def test_without_a_spherical_wrist_the_nodal_point_has_an_outer_boundary() -> None:
    # shoulder at 0.34 m, elbow, wrist and tip in one line: a ball about the shoulder
    found = boundaries(art.Carrier(seven(), "tip", scale=2.0))
    assert set(found) == {"outer boundary"}
    points, triangles = found["outer boundary"]
    far = np.linalg.norm(points - (0.0, 0.0, 0.68), axis=1)
    np.testing.assert_allclose(far, 2.0 * 0.926, atol=1e-5)
    assert len(triangles) > 1000


def test_no_posture_within_ends_brings_the_nodal_point_beyond() -> None:
    carrier = art.Carrier(seven(1.2), "tip")
    points, triangles = boundaries(carrier)["outer boundary"]
    a, b, c = (points[triangles[:, k]] for k in range(3))
    outward = np.cross(b - a, c - a)
    outward *= np.sign(np.einsum("ki,ki->k", outward, a - points.mean(axis=0)))[:, None]
    outward /= np.linalg.norm(outward, axis=1)[:, None]
    q = np.random.default_rng(2).uniform(-1.2, 1.2, (3000, 7))
    over = np.einsum("ki,nki->nk", outward, carrier.view(q)[:, None, :3, 3] - a)
    assert over.max() < 5e-3  # between two directions the hull is flat
    assert np.linalg.norm(points - (0.0, 0.0, 0.34), axis=1).max() < 0.926 + 1e-9
    assert np.linalg.norm(points - (0.0, 0.0, 0.34), axis=1).min() < 0.9  # ends tell
