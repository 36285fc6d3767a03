"""Places, directions, poses and gazes as targets: what forward kinematics reaches is found."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.errors import KinematicsError
from articulata.kinematics.figure import Figure
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.inverse.targets import At, Gaze, Pointing, Target
from articulata.kinematics.joint import Joint
from articulata.kinematics.library import figure, figures

KINDS = ("place", "pose", "pointing", "gaze")
MOVING = sorted(name for name in figures() if figure(name).dof)


def drawn(one: Figure, count: int) -> np.ndarray:
    rng = np.random.default_rng(21)
    low = np.where(np.isfinite(one.lower), one.lower, -3.0)
    high = np.where(np.isfinite(one.upper), one.upper, 3.0)
    return rng.uniform(low, high, (count, one.dof))


def asked(kind: str, X: np.ndarray) -> Target:
    if kind == "place":
        return At(X[:, :3, 3])
    if kind == "pose":
        return At(X)
    if kind == "pointing":
        return Pointing(X[:, :3, 3], 3.0 * X[:, :3, 2])
    return Gaze(X[:, :3, 3] + 0.7 * X[:, :3, 2])


def off(kind: str, X: np.ndarray, here: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """By how much postures miss, m and rad: written without the code that is tested."""
    far = np.linalg.norm(here[:, :3, 3] - X[:, :3, 3], axis=1)
    if kind == "place":
        return far, np.zeros(len(X))
    if kind == "pose":
        R = np.swapaxes(X[:, :3, :3], 1, 2) @ here[:, :3, :3]
        cosine = np.clip((np.trace(R, axis1=1, axis2=2) - 1.0) / 2.0, -1.0, 1.0)
        sine = np.linalg.norm(R - np.swapaxes(R, 1, 2), axis=(1, 2)) / np.sqrt(8.0)
        return far, np.arctan2(sine, cosine)
    wanted = X[:, :3, 2]
    if kind == "gaze":
        wanted = X[:, :3, 3] + 0.7 * X[:, :3, 2] - here[:, :3, 3]
        wanted = wanted / np.linalg.norm(wanted, axis=1, keepdims=True)
        far = np.zeros(len(X))
    across = np.linalg.norm(np.cross(here[:, :3, 2], wanted), axis=1)
    return far, np.arctan2(across, (here[:, :3, 2] * wanted).sum(1))


def farthest_out(one: Figure) -> str:
    """The joint that most free coordinates carry."""
    J = one.mapping[0] != 0.0
    carried = np.zeros_like(J)
    for number, parent in enumerate(one.parents):
        carried[number] = J[number] | (carried[parent] if parent >= 0 else False)
    return one.joints[int(carried.sum(1).argmax())].name


@pytest.mark.parametrize(
    ("name", "count"),
    [
        *((name, 4) for name in ("hexapod", "human_upper_body", "leonardo")),
        *(pytest.param(name, 5000, marks=pytest.mark.slow) for name in MOVING),
    ],
)
def test_what_forward_kinematics_reaches_is_found(name: str, count: int) -> None:
    one = figure(name)
    place = farthest_out(one)
    X = one.landmark(drawn(one, count), place)
    for kind in KINDS:
        found = one.inverse({place: asked(kind, X)}, tolerance=1e-6, starts=400)
        missed = np.flatnonzero(~found.found)
        assert len(missed) == 0, (kind, len(missed))
        far, angle = off(kind, X, one.landmark(found.q, place))
        assert far.max() <= 1e-6
        assert angle.max() <= 1e-6 * (1.0 + 1e-6)
        np.testing.assert_allclose(found.angles[:, 0], angle, atol=1e-9)


@pytest.mark.parametrize(
    "name",
    [
        "human_upper_body",
        *(pytest.param(name, marks=pytest.mark.slow) for name in MOVING),
    ],
)
def test_a_direction_can_be_met_to_rounding(name: str) -> None:
    one = figure(name)
    place = farthest_out(one)
    X = one.landmark(drawn(one, 300 if name != "human_upper_body" else 20), place)
    wish = Pointing(X[:, :3, 3], X[:, :3, 2], within=1e-6, angle=1e-9)
    found = one.inverse({place: wish}, starts=400)
    assert found.found.all()
    assert off("pointing", X, one.landmark(found.q, place))[1].max() <= 1e-9


def test_several_kinds_at_once_with_tolerances_of_their_own() -> None:
    one = figure("human_upper_body")
    right, left = list(one.chains)[:2]
    q = drawn(one, 8)
    X, Y = one.landmark(q, right), one.landmark(q, left)
    wishes = {right: Pointing(X[:, :3, 3], X[:, :3, 2], angle=1e-3), left: At(Y, within=1e-5)}
    found = one.inverse(wishes, tolerance=1e-4, starts=40)
    assert found.found.all()
    assert found.errors[:, 1].max() <= 1e-5
    assert found[3].explain().startswith(f"'{right}' is met (")
    assert isinstance(found[3].targets[right], Pointing)


def test_a_gaze_in_the_opposite_direction_is_found_or_said_to_be_missed() -> None:
    turned = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
    back = np.linalg.inv(turned)
    # z of the second joint's link tilts; the first turns it about
    neck = Figure([Joint("turn"), Joint("tilt", X_PJ=turned, X_JL=back)], [-1, 0], name="neck")
    found = neck.inverse({"tilt": Gaze((0.0, 0.0, -5.0))})
    assert found.found
    np.testing.assert_allclose(neck.landmark(found.q, "tilt")[:3, 2], [0, 0, -1], atol=1e-3)
    stiff = neck.inverse({"turn": Gaze((0.0, 0.0, -5.0))})
    assert stiff.reason == Reason.GAVE_UP
    assert "180 deg off" in stiff.explain()


def test_bad_targets_are_answered_in_words() -> None:
    one = figure("human_upper_body")
    place = next(iter(one.chains))
    with pytest.raises(KinematicsError, match="not all zero"):
        Pointing((1, 2, 3), (0, 0, 0))
    with pytest.raises(KinematicsError, match="one batch"):
        Pointing(np.zeros((2, 3)), np.ones((3, 3)))
    with pytest.raises(KinematicsError, match="'angle' of a target"):
        Gaze((1, 2, 3), angle=-1.0)
    with pytest.raises(KinematicsError, match="a gaze is at points"):
        Gaze((1, 2))
    with pytest.raises(KinematicsError, match=f"target of '{place}' holds NaN"):
        one.inverse({place: Gaze((np.nan, 0, 0))})
    with pytest.raises(KinematicsError, match=r"places \(\*batch, 3\) or poses"):
        one.inverse({place: At(np.zeros((2, 2)))})
