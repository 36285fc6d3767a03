"""Flat parts of surfaces are cut anew into few triangles that cover the same."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.geometry.convex_pieces.open_surfaces import joined_in_planes, pieces_with_surfaces
from articulata.geometry.shapes import Mesh


def sheet(k: int, hole: bool) -> tuple[np.ndarray, np.ndarray]:
    """Return a sheet of 2 k k triangles, 3 m by 2 m, bent up by 30 deg at x = 1.5 m."""
    x, y = np.meshgrid(np.linspace(0.0, 3.0, k + 1), np.linspace(0.0, 2.0, k + 1))
    up = np.maximum(x - 1.5, 0.0) * np.tan(np.pi / 6.0)
    V = np.column_stack([x.ravel(), y.ravel(), up.ravel()])
    i = (np.arange(k)[:, None] * (k + 1) + np.arange(k)).reshape(-1)
    F = np.concatenate(
        [np.column_stack([i, i + 1, i + k + 2]), np.column_stack([i, i + k + 2, i + k + 1])]
    )
    if hole:
        middle = V[F].mean(axis=1)
        F = F[~((abs(middle[:, 0] - 0.75) < 0.3) & (abs(middle[:, 1] - 1.0) < 0.4))]
    return V, F


def areas(V: np.ndarray, F: np.ndarray) -> np.ndarray:
    return 0.5 * np.cross(V[F[:, 1]] - V[F[:, 0]], V[F[:, 2]] - V[F[:, 0]])


@pytest.mark.parametrize("hole", [False, True])
def test_a_bent_sheet_is_a_handful_of_triangles(hole: bool) -> None:
    V, F = sheet(60, hole)
    few = joined_in_planes(V, F)
    assert len(few) <= (12 if hole else 4)
    # the vector areas agree: as much of each plane, facing the same way
    np.testing.assert_allclose(areas(V, few).sum(axis=0), areas(V, F).sum(axis=0), atol=1e-9)
    whole = np.linalg.norm(areas(V, F), axis=1).sum()
    assert np.linalg.norm(areas(V, few), axis=1).sum() == pytest.approx(whole, rel=1e-9)
    if hole:
        p = np.array([0.75, 1.0])
        for a, b, c in V[few][:, :, :2]:
            u = np.stack([b - a, c - b, a - c])
            w = p - np.stack([a, b, c])
            sides = u[:, 0] * w[:, 1] - u[:, 1] * w[:, 0]
            assert sides.min() < 0.0 < sides.max()


def test_a_sheet_of_many_triangles_is_tested() -> None:
    V, F = sheet(180, hole=True)
    assert len(F) > 40_000
    pieces = pieces_with_surfaces(Mesh(V, F))
    assert pieces is not None
    assert len(pieces) <= 12


def test_a_shape_is_cut_once() -> None:
    V = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0]])
    sheet = Mesh(V, np.array([[0, 1, 2], [2, 1, 3]]))
    assert pieces_with_surfaces(sheet) is pieces_with_surfaces(sheet)
