"""Seven angles from three orientations: exact, on the right branch, calm in the singular cone."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.analyses.track.arms import TrackedArm, arms_from, tracked_arm
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.geometry.rotation import Rotation
from articulata.kinematics.figure import Figure
from articulata.kinematics.joint_limits import Limited
from articulata.kinematics.library import figure

FIGURES = ("person", "human_upper_body", "jack_1995", "jack")
POSTURES = 25_000
"""By figure and arm: 200,000 in all."""


def orientations(body: Figure, arm: TrackedArm, angles: Array) -> tuple[Array, ...]:
    """What sensors on the arm see (n, 3, 3) at its ``angles`` (n, 7)."""
    q = np.tile(body.neutral, (len(angles), 1))
    q[:, arm.columns] = angles
    X = body.poses(q)[:, :, :3, :3]
    root = np.broadcast_to(body.base[:3, :3], (len(q), 3, 3)) if arm.root < 0 else X[:, arm.root]
    return (root, *(X[:, link] for link in arm.links))


def apart(a: Array, b: Array) -> Array:
    """How far angles are apart, whole turns aside."""
    return np.abs((a - b + np.pi) % (2.0 * np.pi) - np.pi)


def turned(q: Rotation, by: float, rng: np.random.Generator) -> Array:
    return (q @ Rotation.exp(rng.normal(0.0, by, (*q.shape, 3)))).to_matrix()


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("side", ["right arm", "left arm"])
def test_random_postures_come_back(name: str, side: str) -> None:
    body = figure(name)
    arm = tracked_arm(body, side)
    rng = np.random.default_rng(7)
    low, high = arm.limits[:, 0], arm.limits[:, 1]
    angles = low + (high - low) * rng.random((POSTURES, 7))
    root, upper, forearm, hand = orientations(body, arm, angles)
    found = arms_from(arm, root, upper, forearm, hand)
    again = orientations(body, arm, found.q)
    # everywhere, in the singular cone as well, the hand and all else are where they were
    for measured, solved in zip((upper, forearm, hand), again[1:], strict=True):
        assert np.abs(measured - solved).max() < 1e-9
    assert np.abs(found.left).max() < 1e-12
    away = np.abs(np.sin(angles[:, 1] + arm.offsets[1])) > 0.02
    far = apart(found.q, angles).max(axis=1)
    first, second, third = angles[:, 0], angles[:, 1], angles[:, 2]
    other = np.stack([first + np.pi, -second - 2.0 * arm.offsets[1], third + np.pi], axis=1)
    both_fit = _within(other, arm) & (far > 1e-6)
    # two shoulders within the limits would both be answers; no library figure has such
    assert np.all(far[away & ~both_fit] < 1e-12)
    assert not both_fit.any()


def _within(shoulders: Array, arm: TrackedArm) -> Array:
    wrapped = arm.limits[:3, 2] + (shoulders - arm.limits[:3, 2] + np.pi) % (2 * np.pi) - np.pi
    inside = (wrapped >= arm.limits[:3, 0] - 1e-9) & (wrapped <= arm.limits[:3, 1] + 1e-9)
    return np.asarray(inside.all(axis=1))


def test_what_was_before_decides_between_two_shoulders() -> None:
    body = figure("jack_1995")
    arm = tracked_arm(body, "right arm")
    rng = np.random.default_rng(1)
    low, high = arm.limits[:, 0], arm.limits[:, 1]
    for _ in range(200):
        angles = low + (high - low) * rng.random(7)
        if abs(np.sin(angles[1])) < 0.2:
            continue
        seen = orientations(body, arm, angles[None])
        found = arms_from(arm, *(part[0] for part in seen), before=angles + 0.05)
        assert apart(found.q, angles).max() < 1e-12


def test_the_script_of_1995() -> None:
    """Six moves of the first two links; the third passes the arm that hangs: theta 2 is above 0."""
    body = figure("jack_1995")
    arm = tracked_arm(body, "right arm")
    printed = [
        [[0.47703037, 0.8731984, 0.09983342], [0.047862723, 0.087612055, -0.9950042],
         [-0.8775826, 0.4794255, 0.0]],
        [[0.8514029, 0.43333697, 0.29552022], [0.26336983, 0.13404681, -0.9553365],
         [-0.45359614, 0.89120734, 0.0]],
        [[0.8037511, -0.18751793, 0.5646425], [0.54987574, -0.12828797, -0.8253356],
         [0.22720206, 0.9738476, 0.0]],
    ]  # fmt: skip
    told = [(0.1, -1.0707964), (0.3, -0.47079635), (0.6, 0.22920364), (1.0, 1.0292), (1.9, 1.9292)]
    told.append((np.pi, 2.7925))
    state, before = Limited.at(body), None
    first, second = "right shoulder azimuth", "right shoulder elevation"
    moves = [(0.1, 0.5), (0.2, 0.6), (0.3, 0.7), (0.4, 0.8), (0.9, 0.9), (1.5, 1.5)]
    for number, (azimuth, elevation) in enumerate(moves):
        now = body.named(state.q)
        state = state.to({first: now[first] + azimuth, second: now[second] + elevation})
        q = state.q
        if number < len(printed):
            H = body.poses(q)[body.index(second), :3, :3]
            np.testing.assert_allclose(H, printed[number], atol=2e-7)
        seen = orientations(body, arm, q[None, arm.columns])
        found = arms_from(arm, *(part[0] for part in seen), before=before)
        np.testing.assert_allclose(found.q, q[arm.columns], atol=1e-12)
        np.testing.assert_allclose(found.q[:2], told[number], atol=5e-5)
        before = found.q
    # the last move is cut short at both limits, and says so
    assert state.flagged == (first, second)


def test_noise_beside_the_body_swings_no_shoulder() -> None:
    """An arm that hangs is singular: the first angle stays, the hand stays where it is measured."""
    body = figure("person")
    arm = tracked_arm(body, "right arm")
    rng = np.random.default_rng(5)
    angles = np.zeros(7)
    angles[1], angles[3] = np.pi / 2 - np.radians(1.0), 0.7  # the singular direction of a person
    exact = [Rotation.from_matrix(part[0]) for part in orientations(body, arm, angles[None])]
    before, alone, held, errors = angles, [], [], []
    for _ in range(300):
        noisy = [turned(part, np.radians(0.15), rng) for part in exact[1:]]
        root = exact[0].to_matrix()
        alone.append(arms_from(arm, root, *noisy).q[0])
        found = arms_from(arm, root, *noisy, before=before)
        held.append(found.q[0])
        before = found.q
        solved = orientations(body, arm, found.q[None])[3][0]
        errors.append(np.abs(solved - noisy[2]).max())
    assert np.degrees(np.std(alone)) > 5.0
    assert np.std(held) < 0.3 * np.std(alone)
    assert max(errors) < 1e-9


def test_a_way_through_the_cone_brings_the_hand_along() -> None:
    body = figure("person")
    arm = tracked_arm(body, "left arm")
    before = None
    for share in np.linspace(0.0, 1.0, 200):
        angles = np.array((0.9 * share, 1.2 + 0.6 * share, 0.4 * share, 0.5, 0.2, -0.3, 0.1))
        seen = orientations(body, arm, angles[None])
        found = arms_from(arm, *(part[0] for part in seen), before=before)
        before = found.q
        solved = orientations(body, arm, found.q[None])
        assert np.abs(solved[3] - seen[3]).max() < 1e-9
        upper = Rotation.from_matrix(solved[1][0]).distance(Rotation.from_matrix(seen[1][0]))
        assert upper < np.radians(1.0)
    assert apart(found.q, angles).max() < 0.02


def test_what_is_left_tells_how_sensors_sit() -> None:
    body = figure("person")
    arm = tracked_arm(body, "right arm")
    angles = np.array((0.5, 0.4, 0.1, 1.0, 0.2, 0.1, 0.0))
    root, upper, forearm, hand = (part[0] for part in orientations(body, arm, angles[None]))
    slipped = Rotation.from_axis_angle((0.0, 0.0, 1.0), 0.1).to_matrix()
    found = arms_from(arm, root, upper, forearm @ slipped, hand)
    assert 0.05 < np.abs(found.left).max() < 0.11


def test_arms_that_have_no_closed_form_are_told_why() -> None:
    with pytest.raises(KinematicsError, match="seven that turn"):
        tracked_arm(figure("planar_4_2_1"), next(iter(figure("planar_4_2_1").chains)))
    leonardo = figure("leonardo")
    with pytest.raises(KinematicsError, match=r"right angles|seven that turn"):
        tracked_arm(leonardo, next(name for name in leonardo.chains if "arm" in name))
