"""Volumes and moments of union, intersection and difference add up, however the parts lie.

Each of the three solids has its own mesh and its own edges, so an error in one shows.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from articulata.errors import GeometryError
from articulata.geometry.poses import make_pose
from articulata.geometry.rotation import Rotation
from articulata.geometry.shapes import (
    Capsule,
    Cone,
    Cuboid,
    Cylinder,
    Difference,
    ExtrudedPolygon,
    Intersection,
    Placed,
    Prism,
    Shape,
    Sphere,
    Union,
)
from articulata.geometry.solid_mass import constructed_mass
from articulata.geometry.solids import mass_properties
from shares import shares

SHAPES: list[Shape] = [
    Cuboid(1, 2, 0.5), Sphere(0.6), Cylinder(0.4, 1), Capsule(0.3, 0.8), Cone(0.6, 1),
    Cone(0.6, 1, 0.2), Prism(5, 0.6, 0.7),
    ExtrudedPolygon([(0, 0), (1, 0), (1, 1), (0.5, 0.3), (0, 1)], 0.5),
]  # fmt: skip


def check(a: Shape, b: Shape) -> None:
    try:
        common = constructed_mass(Intersection([a, b]), 1.0)
        both, rest = constructed_mass(Union([a, b]), 1.0), constructed_mass(Difference(a, b), 1.0)
    except GeometryError:
        assume(False)  # one covers the other, or they do not meet
    one, other = mass_properties(a, 1.0), mass_properties(b, 1.0)
    # what is stated is relative to each solid; a sliver is small beside its parts
    solids = (common, both, rest)
    off = max(each.accuracy * each.mass for each in solids)
    assert off < 1e-9 * min(one.mass, other.mass)
    assert both.mass + common.mass == pytest.approx(one.mass + other.mass, rel=0, abs=2 * off)
    assert rest.mass + common.mass == pytest.approx(one.mass, rel=0, abs=2 * off)
    origin = np.zeros(3)
    left = both.inertia_about(origin) + common.inertia_about(origin)
    right = one.inertia_about(origin) + other.inertia_about(origin)
    turned = max(each.accuracy * np.trace(each.inertia_about(origin)) for each in solids)
    np.testing.assert_allclose(left, right, atol=2 * turned)


vectors = st.tuples(*[st.floats(-1, 1)] * 3)


@pytest.mark.parametrize("turn", [0.75, 0.765625])
def test_a_frustum_across_a_slab_adds_up(turn: float) -> None:
    # its flank leaves the slab along a conic section that bends sharply between two corners
    X = make_pose(Rotation.exp(3 * np.array([0, 0.59375, turn])))
    check(Cuboid(1, 2, 0.5), Placed(Cone(0.6, 1, 0.2), X))


@pytest.mark.parametrize("shape", [Cone(0.6, 1, 0.2), Cone(0.6, 1), Cylinder(0.4, 1)], ids=str)
@pytest.mark.parametrize(
    "tilt", [0.0, *(pytest.param(tilt, marks=pytest.mark.slow) for tilt in (3e-7, -1e-4))]
)
def test_a_flank_that_grazes_a_plane_adds_up(shape: Cone | Cylinder, tilt: float) -> None:
    # the line of the flank nearest to the plane is tilted about its middle, which lies in it
    radius, slope = shape.radius, 0.0
    if isinstance(shape, Cone):
        radius = 0.5 * (shape.radius + shape.top_radius)
        slope = float(np.arctan2(shape.radius - shape.top_radius, shape.length))
    R = Rotation.from_axis_angle((0, 0, 1), 0.7) @ Rotation.from_axis_angle(
        (1, 0, 0), np.pi / 2 + slope + tilt
    )
    middle = np.array([-0.12, 0.11, 0.25 - radius * np.cos(slope)])
    check(Cuboid(1, 2, 0.5), Placed(shape, make_pose(R, middle)))


@settings(max_examples=4)
@given(st.sampled_from(SHAPES), st.sampled_from(SHAPES), vectors, vectors)
def test_volumes_and_moments_add_up(
    a: Shape, b: Shape, turn: tuple[float, ...], move: tuple[float, ...]
) -> None:
    check(a, Placed(b, make_pose(Rotation.exp(3 * np.array(turn)), 0.5 * np.array(move))))


@pytest.mark.parametrize("seed", shares(range(20), slow=5))
def test_volumes_and_moments_add_up_at_length(seed: int) -> None:
    rng = np.random.default_rng(seed)
    checked = 0
    while checked < 20:
        a, b = (SHAPES[k] for k in rng.integers(0, len(SHAPES), 2))
        X = make_pose(Rotation.exp(rng.normal(size=3)), rng.normal(size=3) * 0.4)
        try:
            constructed_mass(Intersection([a, Placed(b, X)]), 1.0)
            constructed_mass(Difference(a, Placed(b, X)), 1.0)
        except GeometryError:
            continue
        check(a, Placed(b, X))
        checked += 1
