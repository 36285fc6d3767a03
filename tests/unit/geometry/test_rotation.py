"""Rotations against SciPy, against 50 digits, and at their singularities."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest
from scipy.spatial.transform import Rotation as SciPyRotation

from articulata.errors import GeometryError
from articulata.geometry.euler import EXTRINSIC, INTRINSIC, ORDERS
from articulata.geometry.rotation import Rotation

SMALL = [0.0, 1e-300, 1e-160, 1e-100, 1e-20, 1e-12, 1e-8, 1e-4]
NEAR_PI = [1e-15, 1e-12, 1e-8, 1e-4]


def random_rotations(count: int, seed: int = 0) -> Rotation:
    return Rotation(np.random.default_rng(seed).normal(size=(count, 4)))


def test_there_are_twelve_intrinsic_and_twelve_extrinsic_sequences() -> None:
    assert len(set(INTRINSIC)) == len(set(EXTRINSIC)) == 12
    assert len(set(ORDERS)) == 24


def test_a_rotation_has_one_quaternion_with_w_not_negative() -> None:
    q = np.array([0.1, -0.2, 0.3, 0.4])
    np.testing.assert_array_equal(Rotation(q).q, Rotation(-q).q)
    half = Rotation(np.array([[0.0, -1.0, 2.0, 3.0], [0.0, 0.0, -1.0, 2.0], [0.0, 0.0, 0.0, -4.0]]))
    assert np.all(half.q[:, 0] == 0)
    assert half.q[0, 1] > 0
    assert half.q[1, 2] > 0
    assert half.q[2, 3] == 1.0
    assert not np.any(np.signbit(half.q[:, 0]))


def test_matrices_quaternions_and_vectors_agree_with_scipy() -> None:
    R = random_rotations(2000)
    theirs = SciPyRotation.from_quat(R.q, scalar_first=True)
    np.testing.assert_allclose(R.to_matrix(), theirs.as_matrix(), atol=2e-15)
    np.testing.assert_allclose(R.to_rotation_vector(), theirs.as_rotvec(), atol=1e-14)
    p = np.random.default_rng(1).normal(size=(2000, 3))
    np.testing.assert_allclose(R.apply(p), theirs.apply(p), atol=5e-15)
    back = Rotation.from_matrix(theirs.as_matrix())
    assert R.distance(back).max() < 2e-15


@pytest.mark.parametrize("order", ORDERS)
def test_euler_angles_agree_with_scipy(order: str) -> None:
    angles = np.random.default_rng(2).uniform(-3, 3, (500, 3))
    ours, theirs = Rotation.from_euler(order, angles), SciPyRotation.from_euler(order, angles)
    np.testing.assert_allclose(ours.to_matrix(), theirs.as_matrix(), atol=5e-15)
    found = ours.to_euler(order)
    np.testing.assert_allclose(found.angles, theirs.as_euler(order), atol=1e-11)
    assert not found.singular.any()
    assert found.order == order


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("off", [0.0, 1e-16, 1e-15, 1e-14, 3e-14, 1e-12, 1e-9, 5e-8, 1e-6, 1e-3])
def test_euler_angles_give_the_rotation_back_at_and_near_gimbal_lock(
    order: str, off: float
) -> None:
    proper = order[0] == order[2]
    angles = np.random.default_rng(3).uniform(-3, 3, (100, 3))
    for lock, inward in ((0.0, 1), (np.pi, -1)) if proper else ((-np.pi / 2, 1), (np.pi / 2, -1)):
        angles[:, 1] = lock + inward * off
        R = Rotation.from_euler(order, angles)
        found = R.to_euler(order)
        assert found.singular.all() == (off < 1e-7)
        # within 4e-14 rad the third angle is 0, at the price of what the middle one is off
        at_lock = off <= 3e-14
        price = off if at_lock else 0.0
        assert R.distance(Rotation.from_euler(order, found.angles)).max() < 2e-14 + price
        if at_lock:
            assert np.all(found.angles[:, 2] == 0)
        assert np.all(np.isfinite(found.angles))
        assert np.all((found.angles > -np.pi) & (found.angles <= np.pi))


@pytest.mark.parametrize("order", ORDERS)
def test_the_third_angle_is_0_at_lock_after_turns_and_products(order: str) -> None:
    rng = np.random.default_rng(4)
    angles = rng.uniform(-3, 3, (200, 3))
    proper = order[0] == order[2]
    angles[:, 1] = rng.choice([0.0, np.pi] if proper else [-0.5 * np.pi, 0.5 * np.pi], 200)
    turned = Rotation.from_euler(order, angles + 2.0 * np.pi * rng.integers(-20, 21, (200, 3)))
    carried = Rotation.from_euler(order, angles)
    for _ in range(100):
        by = Rotation.from_euler("xyz", rng.uniform(-3, 3, (200, 3)))
        carried = by.inverse() @ (by @ carried)
    for R in (turned, carried, Rotation.from_matrix(turned.to_matrix())):
        found = R.to_euler(order)
        assert found.singular.all()
        assert np.all(found.angles[:, 2] == 0)
        assert R.distance(Rotation.from_euler(order, found.angles)).max() < 5e-14


def test_tracker_angles_are_azimuth_elevation_roll_about_z_y_x() -> None:
    a, e, r = 0.4, -0.7, 1.9
    R = Rotation.from_azimuth_elevation_roll(a, e, r)
    # Polhemus, 3SPACE user's manual: the direction cosine matrix of azimuth, elevation, roll
    ca, sa, ce, se, cr, sr = np.cos(a), np.sin(a), np.cos(e), np.sin(e), np.cos(r), np.sin(r)
    expected = [
        [ca * ce, ca * se * sr - sa * cr, ca * se * cr + sa * sr],
        [sa * ce, ca * cr + sa * se * sr, sa * se * cr - ca * sr],
        [-se, ce * sr, ce * cr],
    ]
    np.testing.assert_allclose(R.to_matrix(), expected, atol=1e-15)
    np.testing.assert_allclose(R.to_azimuth_elevation_roll().angles, [a, e, r], atol=1e-15)
    straight_up = Rotation.from_azimuth_elevation_roll(0.3, np.pi / 2, 0.1)
    found = straight_up.to_azimuth_elevation_roll()
    assert found.singular
    np.testing.assert_allclose(found.angles, [0.2, np.pi / 2, 0.0], atol=1e-14)


@pytest.mark.parametrize("angle", [*SMALL, 1.0, 3.0, *(np.pi - d for d in NEAR_PI), np.pi])
def test_exponential_and_logarithm_against_fifty_digits(angle: float) -> None:
    axis = np.array([2.0, -3.0, 6.0]) / 7.0
    w = axis * angle
    R = Rotation.exp(w)
    with mp.workdps(50):
        exact = [mp.mpf(float(x)) for x in w]
        # scaled, for the squares of the smallest angles underflow even here
        length = mp.sqrt(sum(x * x for x in exact))
        sine = mp.sin(length / 2) / length if length else mp.mpf("0.5")
        q = [mp.cos(length / 2), *(sine * x for x in exact)]
        for ours, theirs in zip(R.q, q, strict=True):
            assert abs(mp.mpf(float(ours)) - theirs) <= 3e-16
        for ours, theirs in zip(R.q[1:], q[1:], strict=True):
            assert abs(mp.mpf(float(ours)) - theirs) <= 5e-16 * abs(theirs)
    back = R.log()
    if angle < np.pi:
        np.testing.assert_allclose(back, w, rtol=1e-15, atol=1e-15 if angle > 3.1 else 0)
    else:
        np.testing.assert_allclose(np.abs(back), np.abs(w), rtol=1e-15)


@pytest.mark.parametrize("angle", [*SMALL, *(np.pi - d for d in NEAR_PI)])
def test_distance_keeps_small_angles_and_angles_near_pi(angle: float) -> None:
    R = random_rotations(50)
    S = R @ Rotation.from_axis_angle((1.0, 2.0, -2.0), angle)
    error = np.abs(R.distance(S) - angle)
    assert error.max() < 1e-15


def test_axis_and_angle_are_defined_and_flagged_where_the_axis_is_not() -> None:
    none = Rotation.identity().to_axis_angle()
    assert none.singular
    assert none.angle == 0
    np.testing.assert_array_equal(none.axis, [0, 0, 1])
    half = Rotation.from_axis_angle((0, -1, 0), np.pi).to_axis_angle()
    assert half.singular
    np.testing.assert_allclose(np.abs(half.axis), [0, 1, 0], atol=1e-15)
    tiny = Rotation.from_axis_angle((3, 4, 0), 1e-200).to_axis_angle()
    assert not tiny.singular
    assert tiny.angle == pytest.approx(1e-200, rel=1e-14)
    np.testing.assert_allclose(tiny.axis, [0.6, 0.8, 0], atol=1e-15)


def test_slerp_goes_the_short_way_at_a_constant_rate() -> None:
    A = Rotation.from_axis_angle((0, 0, 1), 0.2)
    B = Rotation(-Rotation.from_axis_angle((0, 0, 1), 1.2).q)
    t = np.linspace(0, 1, 11)
    path = A.slerp(B, t)
    np.testing.assert_allclose(path.log()[:, 2], 0.2 + t, atol=1e-15)
    assert A.slerp(B, 0.0).distance(A) < 1e-15
    assert A.slerp(B, 1.0).distance(B) < 1e-15


def test_slerp_between_rotations_half_a_turn_apart_is_a_half_turn_about_one_axis() -> None:
    A = random_rotations(1)[0]
    B = A @ Rotation(np.array([0.0, 0.0, 1.0, 0.0]))
    path = A.slerp(B, np.linspace(0, 1, 9))
    steps = path[:-1].distance(path[1:])
    np.testing.assert_allclose(steps, np.pi / 8, atol=1e-14)
    np.testing.assert_allclose(
        A.slerp(B, 0.5).q, (A @ Rotation.from_axis_angle((0, 1, 0), np.pi / 2)).q, atol=1e-15
    )


def test_mean_of_rotations() -> None:
    R = Rotation.exp(np.array([[0.1, 0, 0], [-0.1, 0, 0], [0, 0.2, 0], [0, -0.2, 0]]))
    assert R.mean().distance(Rotation.identity()) < 1e-15
    many = random_rotations(40, seed=5)
    weights = np.random.default_rng(6).uniform(0.1, 1, 40)
    theirs = SciPyRotation.from_quat(many.q, scalar_first=True).mean(weights)
    assert many.mean(weights).distance(Rotation.from_matrix(theirs.as_matrix())) < 1e-13
    with pytest.raises(GeometryError, match="balance each other"):
        Rotation(np.array([[1.0, 0, 0, 0], [0, 1.0, 0, 0]])).mean()
    with pytest.raises(GeometryError, match="empty batch"):
        Rotation.identity((0,)).mean()


def test_batches_broadcast_and_index() -> None:
    R = Rotation(np.random.default_rng(0).normal(size=(5, 1, 4)))
    S = Rotation(np.random.default_rng(1).normal(size=(3, 4)))
    assert (R @ S).shape == (5, 3)
    assert R.apply(np.ones((5, 7, 3))).shape == (5, 7, 3)
    assert R.slerp(S, 0.5).shape == (5, 3)
    assert R[2].shape == (1,)
    assert S[1:].shape == (2,)
    assert S[np.array([True, False, True])].shape == (2,)
    assert (R @ S)[..., 0].shape == (5,)
    assert [r.shape for r in S] == [(), (), ()]
    np.testing.assert_array_equal(Rotation.stack(list(S)).q, S.q)
    assert Rotation.identity((0, 3)).to_euler("XYZ").angles.shape == (0, 3, 3)
    assert len(S) == 3
    with pytest.raises(TypeError, match="no length"):
        len(S[0])
    with pytest.raises(TypeError, match="cannot be indexed"):
        S[0][0]


def test_a_rotation_cannot_be_written() -> None:
    R = Rotation.identity()
    with pytest.raises(ValueError, match="read-only"):
        R.q[0] = 2.0
    R.to_quaternion()[0] = 2.0
    assert R.q[0] == 1.0


def test_a_matrix_that_is_none_is_refused_with_what_to_do() -> None:
    skew = np.eye(3)
    skew[0, 1] = 1e-5
    with pytest.raises(GeometryError, match=r"differs from 1 by 1e-05.*nearest=True"):
        Rotation.from_matrix(skew)
    assert Rotation.from_matrix(skew, tolerance=1e-4).distance(Rotation.identity()) < 1e-5
    near = Rotation.from_matrix(skew, nearest=True)
    np.testing.assert_allclose(near.log(), [0, 0, -0.5e-5], atol=1e-12)
    with pytest.raises(GeometryError, match="reflection"):
        Rotation.from_matrix(np.diag([1.0, 1.0, -1.0]))
    with pytest.raises(GeometryError, match="no single rotation"):
        Rotation.from_matrix(np.zeros((3, 3)), nearest=True)
    with pytest.raises(GeometryError, match="no single rotation"):
        Rotation.from_matrix(-np.eye(3), nearest=True)


def test_the_nearest_rotation_is_the_nearest() -> None:
    rng = np.random.default_rng(9)
    for _ in range(20):
        M = rng.normal(size=(3, 3))
        R = Rotation.from_matrix(M, nearest=True)
        best = np.linalg.norm(M - R.to_matrix())
        around = R @ Rotation.exp(rng.normal(size=(200, 3)) * 0.05)
        assert np.all(np.linalg.norm(M - around.to_matrix(), axis=(1, 2)) >= best - 1e-12)
        theirs, _ = SciPyRotation.align_vectors(M.T, np.eye(3))
        assert R.distance(Rotation.from_matrix(theirs.as_matrix())) < 1e-7


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Rotation(np.zeros(4)), "no rotation"),
        (lambda: Rotation(np.array([np.nan, 0, 0, 1])), "NaN or infinity"),
        (
            lambda: Rotation.from_quaternion(np.zeros(3)),
            r"needs 4 numbers; the shape given is \(3,\)",
        ),
        (lambda: Rotation.from_matrix(np.eye(4)), "needs 3 x 3 numbers"),
        (lambda: Rotation.from_matrix(np.full((3, 3), np.inf)), "NaN or infinity"),
        (lambda: Rotation.from_rotation_vector("abc"), "must be numbers"),
        (lambda: Rotation.from_axis_angle((0, 0, 0), 1.0), "no direction"),
        (lambda: Rotation.from_axis_angle(np.ones((2, 3)), np.ones(3)), "do not broadcast"),
        (lambda: Rotation.from_euler("xYz", (0, 0, 0)), "no Euler sequence 'xYz'"),
        (lambda: Rotation.from_euler("xxy", (0, 0, 0)), "no two neighbours equal"),
        (lambda: Rotation.from_euler("xyz", (0, 0)), "needs 3 numbers"),
        (lambda: Rotation.identity().to_euler("abc"), "no Euler sequence"),
        (lambda: Rotation.identity().apply((1, 2)), "needs 3 numbers"),
        (lambda: Rotation.identity((2,)) @ Rotation.identity((3,)), "do not broadcast"),
        (lambda: Rotation.identity((2,)).apply(np.ones((3, 3))), "do not broadcast"),
        (lambda: Rotation.identity((2,)).mean([1.0]), "needs 2 weights"),
        (lambda: Rotation.identity((2,)).mean([-1.0, 2.0]), "weights >= 0"),
        (lambda: Rotation.identity((2,)).slerp(Rotation.identity(), np.ones(3)), "broadcast"),
        (
            lambda: Rotation.from_azimuth_elevation_roll(np.ones(2), np.ones(3), 0.0),
            "must broadcast",
        ),
    ],
)
def test_what_is_no_rotation_is_refused(make: object, message: str) -> None:
    with pytest.raises(GeometryError, match=message):
        make()  # type: ignore[operator] # a lambda that makes the value


def test_huge_and_tiny_quaternions_and_axes_are_normalised() -> None:
    for scale in (1e-300, 1e-170, 1e170, 1e300):
        np.testing.assert_allclose(Rotation(scale * np.array([1, 1, 1, 1.0])).q, 0.5, rtol=1e-15)
        R = Rotation.from_axis_angle(scale * np.array([0, 3, 4.0]), 1.0)
        np.testing.assert_allclose(R.log(), [0, 0.6, 0.8], rtol=1e-15, atol=0)
