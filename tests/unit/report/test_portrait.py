"""Pictures of figures."""

import numpy as np
import pytest

from articulata.errors import KinematicsError
from articulata.kinematics.library import figure
from articulata.report.portrait import SIDES, portrait


def test_a_portrait_shows_the_posture() -> None:
    walker = figure("hexapod")
    standing = portrait(walker, height=80, up=(0, 0, 1), front=(0, -1, 0))
    assert standing.shape[0] == 80
    assert standing.dtype == np.uint8
    again = portrait(walker, walker.neutral, height=80, up=(0, 0, 1), front=(0, -1, 0))
    np.testing.assert_array_equal(standing, again)
    lifted = portrait(walker, walker.posture("tripod"), height=80, up=(0, 0, 1), front=(0, -1, 0))
    assert lifted.shape != standing.shape or (lifted != standing).any()


def test_left_and_right_are_told_apart() -> None:
    person = figure("human_upper_body")
    image = portrait(person, height=120).astype(int)
    blue = (image[..., 2] - image[..., 0] > 40).nonzero()[1]
    red = (image[..., 0] - image[..., 2] > 60).nonzero()[1]
    assert len(blue) > 50
    assert len(red) > 50
    # Seen from the front, the person's left is on the viewer's right.
    assert blue.mean() > red.mean()
    assert SIDES["left"][2] > SIDES["left"][0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"q": [0.0, 1.0]}, "one posture of 18 values"),
        ({"up": (0, 0, 0)}, "'up' is a direction"),
        ({"front": (0, float("nan"), 0)}, "'front' is a direction"),
        ({"up": (0, 0, 1), "front": (0, 0, 2)}, "must not point along"),
    ],
)
def test_what_cannot_be_drawn_says_so(given: dict[str, object], message: str) -> None:
    with pytest.raises(KinematicsError, match=message):
        portrait(figure("hexapod"), **given)  # type: ignore[arg-type] # wrong on purpose
