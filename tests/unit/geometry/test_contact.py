"""Whether solids meet, by both backends, and with which faces."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.errors import GeometryError
from articulata.geometry.convex import gap_between, pieces_of
from articulata.geometry.parts import parts_of
from articulata.geometry.poses import make_pose
from articulata.geometry.rotation import Rotation
from articulata.geometry.shapes import (
    Capsule,
    Cone,
    Cuboid,
    Cylinder,
    Difference,
    ExtrudedPolygon,
    HalfSpace,
    Intersection,
    Named,
    Placed,
    Prism,
    Shape,
    Sphere,
    Union,
)
from articulata.geometry.solids import ClosedForm, ConstructedSolids, kernel_for, mass_properties

PRIMITIVES: list[Shape] = [
    Cuboid(1, 2, 0.5), Sphere(0.6), Cylinder(0.4, 1), Capsule(0.3, 0.8), Cone(0.6, 1),
    Cone(0.6, 1, 0.2), Prism(5, 0.6, 0.7),
    ExtrudedPolygon([(0, 0), (1, 0), (1, 1), (0.5, 0.3), (0, 1)], 0.5),
]  # fmt: skip


def at(shape: Shape, *p: float) -> Placed:
    return Placed(shape, make_pose(None, p))


def distance(a: Shape, b: Shape) -> float:
    (one,), (other,) = parts_of(a), parts_of(b)
    return min(gap_between(p, q).distance for p in pieces_of(one) for q in pieces_of(other))


def test_both_backends_agree_on_what_meets() -> None:
    rng = np.random.default_rng(0)
    meeting = 0
    for _ in range(120):
        a, b = (PRIMITIVES[k] for k in rng.integers(0, len(PRIMITIVES), 2))
        X = make_pose(Rotation.exp(rng.normal(size=3)), rng.normal(size=3) * 0.7)
        exact = ClosedForm().intersects(a, Placed(b, X))
        assert exact == ConstructedSolids().intersects(a, Placed(b, X))
        meeting += exact
    assert 30 < meeting < 100


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (Sphere(1), at(Sphere(0.5), 3, 4, 0), 3.5),
        (Cuboid(1, 1, 1), at(Sphere(0.5), 3.5, 4.5, 0), 4.5),
        (Cuboid(2, 2, 2), at(Cuboid(2, 2, 2), 3, 0, 0), 1.0),
        (Cuboid(2, 2, 2), at(Cuboid(2, 2, 2), 2 + 3, 2 + 4, 0), 5.0),
        (Capsule(0.5, 2), at(Capsule(0.25, 1), 3, 0, 0.7), 2.25),
        (Cylinder(1, 2), at(Sphere(0.5), 4, 0, 5), 4.5),
        (Cone(1, 2), at(Sphere(0.5), 0, 0, 3), 1.5),
        (Prism(4, np.sqrt(2), 2), at(Cuboid(2, 2, 2), 4, 0, 0), 3 - np.sqrt(2)),
        (Sphere(1), at(Sphere(1), 0.5, 0, 0), 0.0),
    ],
)
def test_distances_between_primitives(a: Shape, b: Shape, expected: float) -> None:
    assert distance(a, b) == pytest.approx(expected, abs=1e-9)
    assert distance(b, a) == pytest.approx(expected, abs=1e-9)


def test_solids_that_only_touch_share_a_point() -> None:
    kernel = ClosedForm()
    assert kernel.intersects(Sphere(1), at(Sphere(1), 2, 0, 0))
    assert kernel.intersects(Cuboid(1, 1, 1), at(Cuboid(1, 1, 1), 1, 0.3, 0.2))
    assert not kernel.intersects(Cuboid(1, 1, 1), at(Cuboid(1, 1, 1), 1 + 1e-6, 0, 0))


def test_half_spaces() -> None:
    kernel = ClosedForm()
    assert kernel.intersects(HalfSpace(), at(Sphere(1), 5, 0.9, 5))
    assert not kernel.intersects(at(Sphere(1), 5, 1.1, 5), HalfSpace())
    assert kernel.intersects(HalfSpace(), at(HalfSpace(), 0, -3, 0))
    upside_down = Placed(HalfSpace(), make_pose(Rotation.exp((np.pi, 0, 0)), (0, 1, 0)))
    assert not kernel.intersects(HalfSpace(), upside_down)
    assert ConstructedSolids().intersects(HalfSpace(), at(Sphere(1), 5, 0.9, 5))


def test_the_faces_that_meet_are_named() -> None:
    drilled = Difference(
        Named("block", Cuboid(1, 3, 1)), Named("hole", at(Cylinder(0.15, 2), 0, 1, 0))
    )
    kernel = kernel_for(drilled)
    assert kernel.contact_features(drilled, at(Sphere(0.2), 0, 1.1, 0)) == (
        ("hole.wall", "surface"),
    )
    corner = at(Cuboid(0.2, 0.2, 0.2), 0.5, 1.5, 0)
    pairs = kernel.contact_features(drilled, corner)
    assert {a for a, _ in pairs} == {"block.top", "block.right"}
    assert ("block.top", "left") in pairs
    assert kernel.contact_features(drilled, at(Sphere(0.2), 5, 5, 5)) == ()
    assert not kernel.intersects(drilled, at(Sphere(0.14), 0, 1, 0))
    assert kernel.intersects(drilled, at(Sphere(0.16), 0, 1, 0))


def test_the_backend_fits_the_shape() -> None:
    assert isinstance(kernel_for(Named("a", at(Sphere(1), 1, 2, 3))), ClosedForm)
    assert isinstance(kernel_for(Union([Sphere(1)])), ConstructedSolids)
    with pytest.raises(GeometryError, match="only primitives have a convex distance"):
        ClosedForm().intersects(Union([Sphere(1)]), Sphere(1))


def test_a_common_part_that_coarse_facets_miss_is_found() -> None:
    depth = 1e-3
    lens = Intersection([Sphere(1), at(Sphere(1), 1.2, 1.6 - 0.625 * depth, 0)])
    gap = 2 - np.hypot(1.2, 1.6 - 0.625 * depth)
    # a lens of two caps of height gap / 2 each
    expected = 2 * np.pi * (gap / 2) ** 2 * (1 - gap / 6)
    assert mass_properties(lens, 1.0).volume == pytest.approx(expected, rel=1e-6)
