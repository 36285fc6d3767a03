"""The T of 304.3.2: which of its ends may lie below what hangs, and how much of it."""

from __future__ import annotations

import pytest

from articulata.analyses.reach.ways.footprints import bare_ts
from articulata.geometry.arrays import Array


@pytest.mark.parametrize(
    ("width", "arm", "below", "stem"),
    [
        (1.525, 0.915, 0.635, (-0.7625 + 0.61, 0.7625)),
        (1.8, 0.8, 1.0, (0.1, 0.9)),  # the end is longer than half the square
        (1.8, 0.8, 0.3, (-0.6, 0.9)),
    ],
)
def test_one_end_is_low_and_the_rest_clear_to_the_head(
    width: float, arm: float, below: float, stem: tuple[float, float]
) -> None:
    half, side = 0.5 * width, min(0.5 * (width - arm), below)
    base, right, left = bare_ts(0.685, width, arm, below, 2.03)
    for each in (base, right, left):
        assert each.tops == (2.03, 2.03, 0.685)
    bar = (half - arm, half)
    whole = (-half, half)
    assert spans(base.outlines[0]) == (pytest.approx(stem), pytest.approx((-0.5 * arm, 0.5 * arm)))
    assert spans(base.outlines[1]) == (pytest.approx(bar), pytest.approx(whole))
    assert spans(right.outlines[1]) == (pytest.approx(bar), pytest.approx((side - half, half)))
    assert spans(left.outlines[1]) == (pytest.approx(bar), pytest.approx((-half, half - side)))


def spans(corners: Array) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return from where to where corners (k, 2) go along x and along y, m."""
    (x0, y0), (x1, y1) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    return (x0, x1), (y0, y1)
