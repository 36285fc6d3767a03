"""Rotations are a group, whatever the batch; conversions go there and back."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from articulata.geometry.euler import ORDERS
from articulata.geometry.poses import exp_twist, inverse_pose, log_pose, make_pose, pose_distance
from articulata.geometry.rotation import Rotation

TOLERANCE = 1e-14
shapes = array_shapes(min_dims=0, max_dims=3, max_side=4)
axes = st.tuples(*[st.floats(-1, 1) for _ in range(3)]).filter(lambda a: max(map(abs, a)) > 1e-3)
# near the identity and near a half turn as often as anywhere else
angles = st.one_of(
    st.floats(0, np.pi),
    st.floats(0, 1e-6),
    st.floats(0, 1e-6).map(lambda d: np.pi - d),
    st.sampled_from([0.0, 1e-300, 1e-16, np.pi / 2, np.pi]),
)


@st.composite
def rotations(draw: st.DrawFn, shape: tuple[int, ...] | None = None) -> Rotation:
    batch = draw(shapes) if shape is None else shape
    count = int(np.prod(batch))
    pairs = draw(st.lists(st.tuples(axes, angles), min_size=count, max_size=count))
    q = np.array([Rotation.from_axis_angle(a, t).q for a, t in pairs]).reshape(*batch, 4)
    return Rotation(q)


@st.composite
def triples(draw: st.DrawFn) -> tuple[Rotation, Rotation, Rotation]:
    batch = draw(shapes)
    return draw(rotations(batch)), draw(rotations(batch)), draw(rotations(()))


def near(A: Rotation, B: Rotation, tolerance: float = TOLERANCE) -> bool:
    return bool(np.all(A.distance(B) <= tolerance))


@given(triples())
def test_composition_is_associative_with_identity_and_inverse(
    three: tuple[Rotation, Rotation, Rotation],
) -> None:
    A, B, C = three
    assert near((A @ B) @ C, A @ (B @ C))
    assert near(A @ Rotation.identity(), A)
    assert near(A @ A.inverse(), Rotation.identity(A.shape))
    assert near((A @ B).inverse(), B.inverse() @ A.inverse())
    assert (A @ C).shape == A.shape
    np.testing.assert_allclose((A @ C).to_matrix(), A.to_matrix() @ C.to_matrix(), atol=TOLERANCE)


@given(rotations())
def test_every_representation_gives_the_rotation_back(R: Rotation) -> None:
    assert near(Rotation.from_matrix(R.to_matrix()), R)
    assert near(Rotation.exp(R.log()), R)
    found = R.to_axis_angle()
    assert near(Rotation.from_axis_angle(found.axis, found.angle), R)
    assert np.all(R.q[..., 0] >= 0)
    np.testing.assert_allclose(np.linalg.norm(R.q, axis=-1), 1, atol=4e-16)


@given(rotations(), st.sampled_from(ORDERS))
def test_every_euler_sequence_gives_the_rotation_back(R: Rotation, order: str) -> None:
    found = R.to_euler(order)
    assert found.angles.shape == (*R.shape, 3)
    assert found.singular.shape == R.shape
    assert near(Rotation.from_euler(order, found.angles), R, 3e-14)


@given(triples(), st.floats(0, 1))
def test_slerp_divides_the_distance(three: tuple[Rotation, Rotation, Rotation], t: float) -> None:
    A, B, _ = three
    middle = A.slerp(B, t)
    whole = A.distance(B)
    np.testing.assert_allclose(A.distance(middle), t * whole, atol=TOLERANCE)
    np.testing.assert_allclose(middle.distance(B), (1 - t) * whole, atol=TOLERANCE)


@given(triples())
def test_distance_is_a_metric_that_rotations_keep(
    three: tuple[Rotation, Rotation, Rotation],
) -> None:
    A, B, C = three
    np.testing.assert_allclose(A.distance(B), B.distance(A), atol=TOLERANCE)
    np.testing.assert_allclose((C @ A).distance(C @ B), A.distance(B), atol=TOLERANCE)
    assert np.all(A.distance(B) <= A.distance(C) + C.distance(B) + TOLERANCE)


@given(rotations(), arrays(np.float64, 3, elements=st.floats(-10, 10)))
def test_applying_keeps_lengths_and_matches_the_matrix(
    R: Rotation, p: npt.NDArray[np.float64]
) -> None:
    turned = R.apply(p)
    np.testing.assert_allclose(turned, R.to_matrix() @ p, atol=1e-13)
    np.testing.assert_allclose(np.linalg.norm(turned, axis=-1), np.linalg.norm(p), atol=1e-13)


@given(rotations(), arrays(np.float64, 3, elements=st.floats(-10, 10)))
def test_poses_have_inverses_and_logarithms(R: Rotation, p: npt.NDArray[np.float64]) -> None:
    X = make_pose(R, p)
    gap = pose_distance(X @ inverse_pose(X), np.eye(4))
    assert np.all(gap.translation < 1e-13)
    assert np.all(gap.rotation < TOLERANCE)
    back = pose_distance(exp_twist(log_pose(X)), X)
    assert np.all(back.translation < 1e-12)
    assert np.all(back.rotation < TOLERANCE)
