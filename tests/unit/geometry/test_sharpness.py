"""Depth of field against discs on the sensor by the equation of the thin lens."""

from __future__ import annotations

import math

import pytest

from articulata.errors import GeometryError
from articulata.geometry.camera import CIRCLE, Lens, sharp_range


def disc(f: float, focus: float, iris: float, at: float) -> float:
    """The diameter on the sensor of a point at a distance, by 1/f = 1/g + 1/b."""
    film, image = 1 / (1 / f - 1 / focus), 1 / (1 / f - 1 / at)
    return f / iris * abs(image - film) / image


@pytest.mark.parametrize(
    ("f", "focus", "iris"), [(0.05, 2.0, 2.8), (0.024, 1.0, 5.6), (0.1, 8.0, 4.0)]
)
def test_its_ends_are_where_the_disc_is_the_circle(f: float, focus: float, iris: float) -> None:
    lens = Lens(f)
    near, far = sharp_range(lens, focus, iris)
    circle = CIRCLE * math.hypot(*lens.sensor)
    assert near < focus < far
    assert disc(f, focus, iris, near) == pytest.approx(circle, rel=1e-9)
    assert disc(f, focus, iris, far) == pytest.approx(circle, rel=1e-9)


def test_at_the_hyperfocal_distance_all_behind_half_of_it_is_sharp() -> None:
    near, far = sharp_range(Lens(0.02), math.inf, 8.0)
    assert far == math.inf
    half, all_behind = sharp_range(Lens(0.02), near * 1.000001, 8.0)
    assert all_behind == math.inf
    assert half == pytest.approx(near / 2, rel=0.01)


def test_what_no_lens_does_is_refused() -> None:
    with pytest.raises(GeometryError, match="focuses farther"):
        sharp_range(Lens(0.05), 0.05, 4.0)
    with pytest.raises(GeometryError, match="f-number"):
        sharp_range(Lens(0.05), 1.0, 0.0)
