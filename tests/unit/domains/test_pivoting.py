"""QR with column pivoting against SciPy's, and what rank and order mean."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import qr

from articulata.domains.dynamic.contradiction import LARGE, pivoted_triangle


@pytest.mark.parametrize("shape", [(6, 5), (12, 30), (40, 40), (30, LARGE + 10)])
def test_the_triangle_is_that_of_scipy(shape: tuple[int, int]) -> None:
    matrix = np.random.default_rng(3).normal(size=shape)
    R, order = pivoted_triangle(matrix)
    _, expected, expected_order = qr(matrix, mode="economic", pivoting=True)
    assert np.array_equal(order, expected_order)
    assert np.allclose(np.abs(R), np.abs(expected), rtol=1e-12, atol=1e-12)
    # R^T R is the Gram matrix whatever the signs.
    assert np.allclose(R.T @ R, matrix[:, order].T @ matrix[:, order], rtol=1e-12, atol=1e-12)


def test_the_diagonal_tells_the_rank() -> None:
    generator = np.random.default_rng(5)
    matrix = generator.normal(size=(20, 7)) @ generator.normal(size=(7, 15))
    R, order = pivoted_triangle(matrix)
    size = np.abs(np.diag(R))
    assert int(np.sum(size > 1e-9 * size[0])) == 7
    assert np.linalg.matrix_rank(matrix[:, order[:7]]) == 7
    assert np.all(np.diff(size[:7]) <= 1e-12)


def test_of_equal_columns_the_first_is_taken() -> None:
    _, order = pivoted_triangle(np.eye(4)[:, [0, 1, 1, 2]])
    assert order.tolist() == [0, 1, 3, 2]


def test_nothing_is_left_of_zeros() -> None:
    R, order = pivoted_triangle(np.zeros((3, 2)))
    assert not R.any()
    assert order.tolist() == [0, 1]
