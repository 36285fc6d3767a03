"""Bones of links without a shape."""

import numpy as np
import pytest

from articulata.geometry.shapes import Capsule, Cuboid, Sphere
from articulata.kinematics.conventions import translation
from articulata.kinematics.figure import Figure, Landmark
from articulata.kinematics.joint import PRISMATIC, Joint
from articulata.kinematics.library import figure, figures
from articulata.kinematics.link import Link, Part
from articulata.kinematics.skeleton import bones, size_of


def ends(part: Part) -> np.ndarray:
    assert isinstance(part.shape, Capsule)
    half = 0.5 * part.shape.length * part.X_LS[:3, 2]
    return np.array([part.X_LS[:3, 3] - half, part.X_LS[:3, 3] + half])


def test_bones_lead_from_joint_to_joint_and_to_landmarks() -> None:
    box = Part(Cuboid(1.0, 1.0, 1.0))
    arm = Figure(
        [
            Joint("a", X_PJ=translation(1.0, 0.0, 0.0), X_JL=translation(0.0, 2.0, 0.0)),
            Joint("b"),
            Joint("c", PRISMATIC, X_PJ=translation(0.0, 0.0, 3.0), neutral=0.5),
            Joint("d", X_PJ=translation(0.0, 0.0, 1.0)),
        ],
        [-1, 0, 1, 2],
        links={"d": Link("d", visuals=(box,))},
        landmarks={"tip": Landmark("b", translation(0.0, 4.0, 0.0))},
    )
    found = bones(arm)
    np.testing.assert_allclose(ends(found[""][0]), [[0, 0, 0], [1, 0, 0]], atol=1e-15)
    # Link a: its frame is 2 m on, its joint at (0, -2, 0) of it.
    np.testing.assert_allclose(ends(found["a"][0]), [[0, -2, 0], [0, 0, 0]], atol=1e-15)
    to_tip, to_c = found["b"]
    np.testing.assert_allclose(ends(to_tip), [[0, 0, 0], [0, 4, 0]], atol=1e-15)
    np.testing.assert_allclose(ends(to_c), [[0, 0, 0], [0, 0, 3]], atol=1e-15)
    # The slide is drawn out by its value: back to where link b holds it, and on to joint d.
    on, back = found["c"]
    np.testing.assert_allclose(ends(on), [[0, 0, 0], [0, 0, 1]], atol=1e-15)
    np.testing.assert_allclose(ends(back), [[0, 0, 0], [0, 0, -0.5]], atol=1e-15)
    assert ends(bones(arm, [0, 0, 0.25, 0])["c"][1])[1, 2] == pytest.approx(-0.25)
    assert found["d"] == (box,)
    assert size_of(arm) == pytest.approx(6.0)


def test_a_joint_that_carries_nothing_is_a_ball() -> None:
    one = Figure([Joint("a"), Joint("b")], [-1, 0])
    found = bones(one)
    assert found[""] == ()
    assert isinstance(found["a"][0].shape, Sphere)


@pytest.mark.parametrize("name", sorted(figures()))
def test_every_figure_of_the_library_is_seen(name: str) -> None:
    one = figure(name)
    assert sum(len(parts) for parts in bones(one).values()) >= min(3, len(one.joints))
