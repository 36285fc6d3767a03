"""Shoulders as the ISB counts them: known postures, both sides, and where they fail."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.analyses.track.isb import isb_shoulders
from articulata.geometry.rotation import Rotation
from tracked import body_of


@pytest.mark.parametrize("name", ["person", "human_upper_body"])
def test_known_postures(name: str) -> None:
    body = body_of(name)
    postures = {
        # to the side, ahead: plane, elevation, axial rotation in deg
        (0.0, 60.0, 0.0): (0.0, -60.0, 0.0),
        (80.0, 0.0, 0.0): (90.0, -80.0, -90.0),
        (0.0, 60.0, 30.0): (0.0, -60.0, 30.0),
    }
    for (flexion, abduction, rotation), told in postures.items():
        values = {
            f"{side}_shoulder_{joint}": np.radians(angle)
            for side in "lr"
            for joint, angle in (
                ("flexion", flexion), ("abduction", abduction), ("rotation", rotation),
            )
        }  # fmt: skip
        found = isb_shoulders(body, body.figure.vector(values, body.rest))
        for shoulder in found.values():
            angles = np.degrees([shoulder.plane, shoulder.elevation, shoulder.axial])
            np.testing.assert_allclose(angles, told, atol=1e-9)
            assert not shoulder.singular


def test_an_arm_that_hangs_is_singular_and_flagged() -> None:
    body = body_of()
    found = isb_shoulders(body, np.stack([body.rest, body.posture("t_pose")]))
    assert found["r"].singular.tolist() == [True, False]
    np.testing.assert_allclose(found["l"].elevation, (0.0, -np.pi / 2), atol=1e-9)


@pytest.mark.parametrize("turned", [-60.0, 25.0, 100.0])
def test_a_hanging_arm_has_axial_rotation_alone(turned: float) -> None:
    body = body_of()
    values = {f"{side}_shoulder_rotation": np.radians(turned) for side in "lr"}
    for shoulder in isb_shoulders(body, body.figure.vector(values, body.rest)).values():
        assert shoulder.singular
        angles = np.degrees([shoulder.plane, shoulder.elevation, shoulder.axial])
        np.testing.assert_allclose(angles, (0.0, 0.0, turned), atol=1e-6)


def test_other_conventions_give_the_same_shoulders() -> None:
    """The arm of 1995 in the posture of a person has the person's angles."""
    from articulata.analyses.track.arms import arms_from

    person, jack = body_of(), body_of("jack_1995")
    rng = np.random.default_rng(4)
    for _ in range(20):
        flexion, abduction, rotation = rng.uniform(0.2, 1.0, 3)
        q = person.figure.vector(
            {
                "r_shoulder_flexion": flexion,
                "r_shoulder_abduction": abduction,
                "r_shoulder_rotation": rotation,
            },
            person.rest,
        )
        # the same turn against the trunk, axis by axis: F of each
        turns = []
        for body in (person, jack):
            right = np.cross(body.forward, body.up)
            turns.append(np.stack([body.forward, body.up, right], axis=1))
        arm, other = person.arms.each[0], jack.arms.each[0]
        X, hangs = (person.figure.poses(each)[:, :3, :3] for each in (q, person.rest))
        seen = []
        for link, there in zip(arm.links, other.links, strict=True):
            turned = turns[1] @ turns[0].T @ X[link] @ hangs[link].T @ turns[0] @ turns[1].T
            seen.append(turned @ jack.figure.poses(jack.rest)[there, :3, :3])
        base = jack.figure.base[:3, :3]
        at = jack.rest.copy()
        at[other.columns] = arms_from(other, base, *seen).q
        mine, theirs = isb_shoulders(person, q)["r"], isb_shoulders(jack, at)["r"]
        one, two = (
            Rotation.from_euler("YXY", (s.plane, s.elevation, s.axial)) for s in (mine, theirs)
        )
        assert one.distance(two) < 1e-9
