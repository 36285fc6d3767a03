"""Pieces that hold dense scans: all of the surface is within them, and they stand out little."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import cKDTree

from articulata.geometry.convex_pieces.open_surfaces import COARSE, pieces_with_surfaces
from articulata.geometry.convex_pieces.scans import Slab, slabs
from articulata.geometry.shapes import Mesh

HOLE = ((0.6, 0.9), (0.4, 0.7))


def corner(k: int, turn: float) -> tuple[np.ndarray, np.ndarray]:
    """Return a bumpy floor of 2 m by 1 m with a hole, and a wall of 1 m on it, turned about z."""
    s, t = np.meshgrid(np.linspace(0.0, 1.0, 2 * k + 1), np.linspace(0.0, 1.0, k + 1))
    rng = np.random.default_rng(7)
    bumps = 1.5e-3 * np.sin(25.0 * s) * np.sin(18.0 * t) + rng.uniform(-3e-4, 3e-4, s.shape)
    floor, wall = np.stack([2.0 * s, t, bumps], -1), np.stack([2.0 * s, bumps + 1.0, t], -1)
    at = np.arange(s.size).reshape(s.shape)
    squares = np.stack([at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]], -1).reshape(-1, 4)
    F = np.concatenate([squares[:, :3], squares[:, [0, 2, 3]]])
    middle = floor.reshape(-1, 3)[F].mean(axis=1)
    inside = [(middle[:, c] > low) & (middle[:, c] < high) for c, (low, high) in enumerate(HOLE)]
    V = np.concatenate([floor.reshape(-1, 3), wall.reshape(-1, 3)])
    R = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1.0]])
    return V @ R.T, np.concatenate([F[~(inside[0] & inside[1])], F + s.size])


def beyond(slab: Slab, p: np.ndarray) -> np.ndarray:
    """Return how far points (n, 3) are outside a piece along the normal of one of its faces, m."""
    along = p @ slab.normal
    found = np.maximum(along - slab.high, slab.low - along)
    for a, b in zip(slab.outline, np.roll(slab.outline, -1, 0), strict=True):
        out = np.cross(b - a, slab.normal)
        found = np.maximum(found, (p - a) @ (out / np.linalg.norm(out)))
    return found


@pytest.mark.parametrize("turn", [0.0, 0.6])
def test_pieces_hold_a_scan_and_stand_out_of_it_by_what_they_say(turn: float) -> None:
    V, F = corner(40, turn)
    assert len(F) > 12_000
    found = slabs(V, F, 0.004, 400)
    assert len(found) <= 400
    most = max(each.beyond for each in found)
    assert most <= 0.006
    rng = np.random.default_rng(1)
    share = rng.dirichlet(np.ones(3), len(F))
    points = np.concatenate([V[F].mean(axis=1), np.einsum("nk,nkx->nx", share, V[F])])
    outside = np.min([beyond(each, points) for each in found], axis=0)
    assert outside.max() <= 1e-9
    # and back: points of each piece are near the surface, known to half a triangle
    surface = cKDTree(np.concatenate([V[np.unique(F)], points]))
    for each in found:
        weights = rng.dirichlet(np.ones(len(each.outline)), 60)
        height = rng.uniform(each.low, each.high, 60)
        p = weights @ each.outline
        p += (height - p @ each.normal)[:, None] * each.normal
        assert surface.query(p)[0].max() <= each.beyond + 0.016
    # nobody steps on the hole's air
    hole = V[[0]] + 0.0
    R = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1.0]])
    hole = np.array([[0.75, 0.55, 0.0]]) @ R.T
    assert min(float(beyond(each, hole)[0]) for each in found) >= 0.14 - most


def test_a_dense_scan_is_cut_into_few_pieces_and_a_cloud_is_refused() -> None:
    V, F = corner(60, 0.3)
    assert len(F) > 20_000
    pieces = pieces_with_surfaces(Mesh(V, F))
    assert pieces is not None
    assert len(pieces) <= 4096
    assert 0.0 < max(each.deviation for each in pieces) <= COARSE
    assert all(each.core is not None for each in pieces if each.deviation)
