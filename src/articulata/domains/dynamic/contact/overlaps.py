"""Depth of overlaps, and which overlaps were there before an edit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from articulata.domains.dynamic.contact.touches import piece_pairs
from articulata.domains.dynamic.mechanism import FREE, Mechanism, poses_of
from articulata.domains.protocols import Pieces as PieceNames
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kernels.contacts.pieces import MEETS, Pieces, standing
from articulata.kernels.multibody.contact.nearness import near_gaps
from articulata.world.collision_pairs import meeting_pairs


def depths(pieces: Pieces, poses: Array, pairs: IntArray) -> Array:
    """Return how deep pairs (k, 2) of pieces overlap (k,), m; 0 or less where they do not.

    ``poses`` (n, 7) are those of the frames that the pieces are given in.
    """
    gaps = np.zeros(len(pairs))
    if len(pairs):
        near_gaps(pieces, standing(pieces), poses, np.ascontiguousarray(pairs), 0.0, gaps)
    return -gaps


def overlapping(source: PieceNames, poses: Array, pairs: IntArray, deep: float) -> BoolArray:
    """Tell which pairs (k, 2) of bodies lie deeper than ``deep`` (m) in each other (k,)."""
    found = np.zeros(len(pairs), bool)
    if not len(pairs):
        return found
    each = piece_pairs(source.of_body, pairs)
    kind, body = source.arrays.kind, source.arrays.body
    each = each[MEETS[kind[each[:, 0]], kind[each[:, 1]]]]
    hit = body[each[depths(source.arrays, poses, each) > deep]]
    lying = np.zeros((len(source.of_body), len(source.of_body)), bool)
    lying[hit[:, 0], hit[:, 1]] = True
    return np.asarray(lying[pairs[:, 0], pairs[:, 1]])


@dataclass(frozen=True, slots=True, eq=False)
class Stood:
    """Where the bodies of a mechanism stood right before an edit: ``arrays`` of its state.

    Bodies that were tested then and lay in each other are no doing of the edit.
    """

    parts: Mechanism
    arrays: Mapping[str, Array]

    def poses(self, now: Mechanism) -> Array:
        """Return where the bodies of ``now`` were (n, 7); those that were not there, at W."""
        poses = np.zeros((len(now.bodies), 7))
        poses[:, 3] = 1.0
        before = poses_of(self.parts, self.arrays)
        for k, name in enumerate(now.bodies):
            if name in self.parts.index:
                poses[k] = before[self.parts.index[name]]
        return poses

    def tested(self, now: Mechanism, within: bool) -> BoolArray:
        """Tell which bodies of ``now`` (n, n) were tested then, in the shapes they have now."""
        old, new = self.parts.world, now.world
        number = np.full(len(self.parts.bodies), -1)
        for k, name in enumerate(now.bodies):
            if name in old.bodies and old.bodies[name].shape == new.bodies[name].shape:
                number[self.parts.index[name]] = k
        found = np.zeros((len(now.bodies), len(now.bodies)), bool)
        pairs, free = meeting_pairs(old, within=within), self.parts.kind == FREE
        ends = number[pairs[free[pairs[:, 0]] | free[pairs[:, 1]]]]
        a, b = ends[np.all(ends >= 0, axis=1)].T
        found[a, b] = found[b, a] = True
        return found
