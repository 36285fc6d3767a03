"""Block elimination of ``M x = f + J^T lambda, J x = rhs`` along the hinge tree, O(n).

From the leaves to the roots every body's articulated inertia A_i and load f_i are handed to its
parent through the hinge, whose rows leave the body the motions S y relative to the parent:

    x_i = X x_p + T rhs + S y,   U = A_i S,   D = S^T U
    A_p += X^T (A_i - U D^-1 U^T) X,   f_p += X^T (p - U D^-1 S^T p),   p = f_i - A_i T rhs
    y = D^-1 (S^T p - U^T X x_p),   lambda = T^T (A_i x_i - f_i)          (on the way back)

The unknowns stay those of the maximal system; only the order of elimination is the one of
Featherstone's articulated bodies. D is positive definite for every independent set of rows, so
no pivot depends on mass ratios, and a star of many arms costs one update per arm.
"""

from __future__ import annotations

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.compile import kernel
from articulata.kernels.multibody.system import TREE_POINT
from articulata.kernels.multibody.tree.general import (
    Node,
    condense_general,
    expand_general,
    factor_general,
    place_general,
)
from articulata.kernels.multibody.tree.point import (
    condense_point,
    expand_point,
    factor_point,
    place_point,
)
from articulata.kernels.multibody.tree.shift import own_inertia


@kernel(counted=False, inline=True)
def node_of(tree: IntArray, t: int) -> Node:
    """Return the tree's body t."""
    return Node(tree[t, 0], tree[t, 1], tree[t, 3], tree[t, 4], tree[t, 5] - tree[t, 4])


@kernel(counted=False, apart=True)
def factor_tree(
    tree: IntArray, tree_row: IntArray, body: Array, scratch: Array, work: Array
) -> int:
    """Eliminate from the leaves, rows and rotations at hand.

    Returns -1, or the first row that has become dependent or is not finite.
    """
    for t in range(tree.shape[0]):
        node = node_of(tree, t)
        if tree[t, TREE_POINT] == 1:
            if not place_point(node, tree_row, scratch, work):
                return tree_row[node.first + node.m - 1]
        else:
            bad = place_general(node, tree_row, scratch, work)
            if bad >= 0:
                return bad
        own_inertia(body, scratch, node.i)
    for t in range(tree.shape[0]):
        node = node_of(tree, t)
        if tree[t, TREE_POINT] == 1:
            factor_point(node, scratch)
        else:
            factor_general(node, tree_row, scratch, work)
    return -1


@kernel(counted=False, inline=True)
def condense(t: int, tree: IntArray, tree_row: IntArray, scratch: Array, work: Array) -> None:
    """Forward step of the tree's body t: its LOAD and its rows' RHS into its parent's LOAD."""
    node = node_of(tree, t)
    if tree[t, TREE_POINT] == 1:
        condense_point(node, tree_row, scratch, work)
    else:
        condense_general(node, tree_row, scratch, work)


@kernel(counted=False, inline=True)
def expand(t: int, tree: IntArray, tree_row: IntArray, scratch: Array, work: Array) -> None:
    """Backward step of the tree's body t: its SOLUTION and multipliers from its parent's."""
    node = node_of(tree, t)
    if tree[t, TREE_POINT] == 1:
        expand_point(node, tree_row, scratch, work)
    else:
        expand_general(node, tree_row, scratch, work)


@kernel(counted=False, apart=True)
def solve_along(
    places: IntArray,
    first: int,
    last: int,
    tree: IntArray,
    tree_row: IntArray,
    scratch: Array,
    work: Array,
) -> None:
    """Solve the tree's bodies ``places[first:last]``; ``places`` is empty where these are all."""
    listed = places.shape[0] > 0
    for q in range(first, last):
        condense(places[q] if listed else q, tree, tree_row, scratch, work)
    for q in range(last - 1, first - 1, -1):
        expand(places[q] if listed else q, tree, tree_row, scratch, work)


@kernel(counted=False)
def solve_tree(tree: IntArray, tree_row: IntArray, scratch: Array, work: Array) -> None:
    """Solve LOAD and RHS for SOLUTION and the tree rows' MULTIPLIER; LOAD gathers subtrees."""
    solve_along(tree_row[:0], 0, tree.shape[0], tree, tree_row, scratch, work)
