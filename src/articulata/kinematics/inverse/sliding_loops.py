"""Loops of six joints of which some slide: the equations behind ``sliding_roots``.

Arrays of links are (6, ..., 3, 4), for a batch of loops; angles have the shape of the batch.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kernels.chains.closed_forms.meeting_axes_6r import common_point

Vector = tuple[Any, Any, Any]

_NEARLY = 1e-7


@dataclass(frozen=True, slots=True)
class Loop:
    """A reading of the loop: joint ``order[k]`` stands at place k and link k is behind it.

    ``kind``: "three slides", "two slides" (the driver stands last) or "point" (places 3 to 5 meet
    in one point, ``heights`` of it on the first and last of their axes). ``hinges``: places of the
    three that make the orientation. Read ``backwards``, joints turn and slide the other way.
    """

    kind: str
    order: IntArray
    slides: BoolArray
    hinges: tuple[int, ...]
    heights: tuple[float, float]
    links: Array
    backwards: bool

    @property
    def ways(self) -> int:
        """How many postures belong to a root of the driver."""
        return 2 if self.kind == "two slides" else 6

    def links_of(self, X: Array) -> Array:
        """Return the links (6, m, 3, 4) of the loops that poses (m, 4, 4) close."""
        return _ring(self.links, X, int(self.order[0]), self.backwards)[:, :, :3]


def read_loop(links: Array, slides: BoolArray, first: int, *, backwards: bool) -> Loop | None:
    """Return the loop read from joint ``first`` on, None where that leads nowhere."""
    step = -1 if backwards else 1
    order = (first + step * np.arange(6)) % 6
    at = slides[order]
    count = int(at.sum())
    hinges = [k for k in range(6) if not at[k]]
    kind, heights = "point", (0.0, 0.0)
    closing = int(np.flatnonzero(order == (0 if backwards else 5))[0])
    G = _ring(links, np.eye(4)[None], first, backwards)[:, 0]
    if count == 1:
        if at[0] or at[3:].any() or closing in (3, 4):
            return None
        found = common_point(G[3, :3], G[4, :3])
        if found is None:
            return None
        heights, three = found, (3, 4, 5)
    elif count == 2:
        if at[5]:
            return None
        kind, three = "two slides", (hinges[0], hinges[1], hinges[2])
    else:
        # the pose stands behind all the hinges, so that their own links are the same in all loops
        if at[0]:
            return None
        kind, three = "three slides", (hinges[0], hinges[1], hinges[2])
    x, y, z = three
    for begin, end in ((x, y), (y, z)):
        across = np.eye(3)
        for k in range(begin, end):
            across = across @ G[k, :3, :3]
        turns = begin <= closing < end
        if not turns and math.hypot(across[0, 2], across[1, 2]) < _NEARLY:
            return None
    return Loop(kind, order, at, three, heights, links, backwards)


def linear_slides(loop: Loop, G: Array) -> Array:
    """Return postures (2 m, 6) of loops with three slides, in the order of the loop."""
    m = G.shape[1]
    lead, A, B, rest = _between(loop, G, 6)
    W = np.swapaxes(lead, -1, -2) @ np.swapaxes(rest, -1, -2)
    out = np.empty((m, 2, 6))
    for way in range(2):
        turns = _real(_three(A, B, W, 1.0 - 2.0 * way)[0])
        directions, behind = _walk(loop, G, turns, lead @ W, 6)
        D = np.stack(directions, axis=-1)
        s = np.einsum("mij,mj->mi", np.linalg.pinv(D), -behind)
        out[:, way, loop.slides] = s
        for place, turn in zip(loop.hinges, turns, strict=True):
            out[:, way, place] = np.arctan2(turn[1], turn[0])
    return out.reshape(2 * m, 6)


def crossing_slides(loop: Loop, G: Array, theta: Array) -> Array:
    """Return what must be zero at angles of the driver, (m, samples), of loops with two slides.

    The share of what is left of the loop that lies across the plane of both slides, one orientation
    times the other, less its poles.
    """
    lead, A, B, rest = _between(loop, G, 5)
    Y = _closing(G[5], theta)
    W = np.swapaxes(lead, -1, -2) @ Y[..., :3] @ np.swapaxes(rest, -1, -2)
    out: Any = 1.0
    for sign in (1.0, -1.0):
        turns, pole = _three(A, B, W.astype(complex), sign)
        directions, behind = _walk(loop, G, turns, lead @ W, 5)
        across = np.cross(directions[0], directions[1])
        out = out * pole * (across * (Y[..., 3] - behind)).sum(axis=-1)
    return np.asarray(out.real, float)


def carried_point(loop: Loop, G: Array, theta: Array) -> Array:
    """Return what must be zero at angles of the driver, (m, samples), of a loop with one slide.

    The common point's height over the first joint is linear in the slide's travel, its squared
    distance quadratic: their resultant.
    """
    _, _, line, square = _point_equations(loop, G, theta)
    (l0, l1), (q0, q1, q2) = line, square
    out: Array = q0 * l1 * l1 - q1 * l0 * l1 + q2 * l0 * l0
    return out


def both_orientations(loop: Loop, G: Array, theta: Array) -> Array:
    """Return postures (ways n, 6) of n loops with the driver at ``theta`` (n,)."""
    return _with_two(loop, G, theta) if loop.kind == "two slides" else _with_point(loop, G, theta)


def _with_two(loop: Loop, G: Array, theta: Array) -> Array:
    n = len(theta)
    lead, A, B, rest = _between(loop, G, 5)
    Y = _closing(G[5], theta)
    W = np.swapaxes(lead, -1, -2) @ Y[..., :3] @ np.swapaxes(rest, -1, -2)
    out = np.empty((2, n, 6))
    for way in range(2):
        turns = _real(_three(A, B, W, 1.0 - 2.0 * way)[0])
        directions, behind = _walk(loop, G, turns, lead @ W, 5)
        D = np.stack(directions, axis=-1)
        s = np.einsum("mij,mj->mi", np.linalg.pinv(D), Y[..., 3] - behind)
        out[way][:, loop.slides] = s
        for place, turn in zip(loop.hinges, turns, strict=True):
            out[way][:, place] = np.arctan2(turn[1], turn[0])
        out[way][:, 5] = theta
    return out.reshape(2 * n, 6)


def _with_point(loop: Loop, G: Array, theta: Array) -> Array:
    n = len(theta)
    driver = 1 if loop.slides[2] else 2
    slide = 3 - driver
    at0, along, line, square = _point_equations(loop, G, theta)
    point = _seen(G[5], loop.heights[1])
    (l0, l1), (q0, q1, q2) = line, square
    root = np.sqrt(np.maximum(q1 * q1 - 4.0 * q0 * q2, 0.0))
    travels = [
        np.where(np.abs(l1) > 1e-9, -l0 / np.where(l1 == 0.0, 1.0, l1), np.nan),
        (-q1 + root) / (2.0 * q2),
        (-q1 - root) / (2.0 * q2),
    ]
    out = np.empty((3, 2, n, 6))
    for k, s in enumerate(travels):
        v = at0 + s[..., None] * along
        first = np.arctan2(point[..., 1], point[..., 0]) - np.arctan2(v[..., 1], v[..., 0])
        M = _turn(first) @ G[0, ..., :3]
        angle = {driver: theta}
        for place in (1, 2):
            M = (M @ _turn(angle[place]) if place in angle else M) @ G[place, ..., :3]
        W = np.swapaxes(M, -1, -2) @ np.swapaxes(G[5, ..., :3], -1, -2)
        for way in range(2):
            turns = _real(_three(G[3, ..., :3], G[4, ..., :3], W, 1.0 - 2.0 * way)[0])
            out[k, way, :, 0], out[k, way, :, driver] = first, theta
            out[k, way, :, slide] = s
            for place, turn in zip(loop.hinges, turns, strict=True):
                out[k, way, :, place] = np.arctan2(turn[1], turn[0])
    return out.reshape(6 * n, 6)


def _point_equations(loop: Loop, G: Array, theta: Array) -> Any:
    """Return the point behind joint 0, what a unit of travel adds, and both equations in it.

    Lowest power first: height, and squared distance, less what they must be.
    """
    point = _seen(G[5], loop.heights[1])
    p = _seen_forward(G[2], loop.heights[0])
    if loop.slides[2]:
        y = _spun(_times(G[1], p), theta)
        d = _spun(np.broadcast_to(G[1, ..., :3, 2], p.shape), theta)
    else:
        y = _times(G[1], _spun(p, theta))
        d = np.broadcast_to(np.array([0.0, 0.0, 1.0]), y.shape)
    at0 = _times(G[0], y)
    along = np.einsum("...ij,...j->...i", G[0, ..., :3], d)
    line = (at0[..., 2] - point[..., 2], along[..., 2])
    far = (at0 * at0).sum(axis=-1) - (point * point).sum(axis=-1)
    return at0, along, line, (far, 2.0 * (at0 * along).sum(axis=-1), np.ones_like(far))


def _seen(g: Array, height: float) -> Array:
    """Return a point at a height on the z axis before a link, seen from behind it."""
    off = -g[..., 3]
    off = off + height * np.array([0.0, 0.0, 1.0])
    return np.asarray(np.einsum("...ji,...j->...i", g[..., :3], off))


def _seen_forward(g: Array, height: float) -> Array:
    """Return a point at a height on the z axis behind a link, seen from before it."""
    return g[..., 3] + height * g[..., :3, 2]


def _times(g: Array, p: Array) -> Array:
    return np.asarray(np.einsum("...ij,...j->...i", g[..., :3], p) + g[..., 3])


def _spun(p: Array, theta: Array) -> Array:
    """Return a point turned about z."""
    c, s = np.cos(theta), np.sin(theta)
    x, y, z = np.broadcast_arrays(p[..., 0], p[..., 1], p[..., 2] + 0.0 * c)
    return np.stack([c * x - s * y, s * x + c * y, z], axis=-1)


def _turn(angle: Array) -> Array:
    out = np.zeros((*angle.shape, 3, 3))
    out[..., 0, 0] = out[..., 1, 1] = np.cos(angle)
    out[..., 1, 0] = np.sin(angle)
    out[..., 0, 1] = -out[..., 1, 0]
    out[..., 2, 2] = 1.0
    return out


def _ring(links: Array, X: Array, first: int, backwards: bool) -> Array:
    """Return the links (6, m, 4, 4) of the loop that poses (m, 4, 4) close."""
    A = np.zeros((7, 4, 4))
    A[:, :3], A[:, 3, 3] = links, 1.0
    closing = A[6] @ np.linalg.inv(X) @ A[0]
    ring = [*(np.broadcast_to(A[i + 1], closing.shape) for i in range(5)), closing]
    if backwards:
        # joints in the order 5 ... 0; behind joint i the inverse of what stood before it
        ring = [np.linalg.inv(ring[i - 1]) for i in range(6)]
    step = -1 if backwards else 1
    return np.array([ring[(first + step * k) % 6] for k in range(6)])


def _closing(g: Array, theta: Array) -> Array:
    """Return ``(Rz(theta) g)^-1`` (..., 3, 4)."""
    turned = np.swapaxes(g[..., :3], -1, -2) @ np.swapaxes(_turn(theta), -1, -2)
    shift = -np.einsum("...ji,...j->...i", g[..., :3], g[..., 3])
    shift = np.broadcast_to(shift, turned.shape[:-1])
    return np.concatenate([turned, shift[..., None]], axis=-1)


def _between(loop: Loop, G: Array, end: int) -> tuple[Array, Array, Array, Array]:
    """Return the rotations before the three hinges, between them and behind, up to a place."""
    edges = (0, *loop.hinges, end)
    parts = []
    for begin, stop in pairwise(edges):
        R = np.broadcast_to(np.eye(3), (*G.shape[1:-2], 3, 3))
        for k in range(begin, stop):
            R = R @ G[k, ..., :3]
        parts.append(R)
    return parts[0], parts[1], parts[2], parts[3]


def _three(A: Any, B: Any, W: Any, sign: float) -> Any:
    """Return cosines and sines of three hinges with ``Rx A Ry B Rz = W``, and 1 - W_zz^2.

    ``sign`` chooses one of the two ways. Complex where no real angles do.
    """
    across = (B[..., 0, 2], B[..., 1, 2])
    alpha = A[..., 2, 0] * across[0] + A[..., 2, 1] * across[1]
    beta = A[..., 2, 1] * across[0] - A[..., 2, 0] * across[1]
    right = W[..., 2, 2] - A[..., 2, 2] * B[..., 2, 2]
    size = alpha * alpha + beta * beta
    square = size - right * right
    if not np.iscomplexobj(square):
        square = np.maximum(square, 0.0)
    root = sign * np.sqrt(square)
    cy, sy = (alpha * right - beta * root) / size, (beta * right + alpha * root) / size
    pole = 1.0 - W[..., 2, 2] * W[..., 2, 2]
    scale = 1.0 / np.where(pole == 0.0, 1.0, pole)
    # the third axis seen from the first
    u, v, w = cy * across[0] - sy * across[1], sy * across[0] + cy * across[1], B[..., 2, 2]
    e0 = A[..., 0, 0] * u + A[..., 0, 1] * v + A[..., 0, 2] * w
    e1 = A[..., 1, 0] * u + A[..., 1, 1] * v + A[..., 1, 2] * w
    w0, w1 = W[..., 0, 2], W[..., 1, 2]
    x = ((w0 * e0 + w1 * e1) * scale, (w1 * e0 - w0 * e1) * scale)
    # the first axis seen from the third
    u = A[..., 2, 0] * cy + A[..., 2, 1] * sy
    v = A[..., 2, 1] * cy - A[..., 2, 0] * sy
    w = A[..., 2, 2]
    h0 = u * B[..., 0, 0] + v * B[..., 1, 0] + w * B[..., 2, 0]
    h1 = u * B[..., 0, 1] + v * B[..., 1, 1] + w * B[..., 2, 1]
    w0, w1 = W[..., 2, 0], W[..., 2, 1]
    z = ((h0 * w0 + h1 * w1) * scale, (h1 * w0 - h0 * w1) * scale)
    return (x, (cy, sy), z), pole


def _real(turns: Any) -> Any:
    """Return turns as points of the circle."""
    out = []
    for c, s in turns:
        size = np.hypot(c, s)
        none = size < 1e-12
        size = np.where(none, 1.0, size)
        out.append((np.where(none, 1.0, c / size), np.where(none, 0.0, s / size)))
    return out


def _walk(loop: Loop, G: Array, turns: Any, behind_all: Any, end: int) -> tuple[list[Any], Any]:
    """Return the directions of the slides and the place of the loop at a place, slides at 0.

    ``behind_all``: the rotation behind the last of the three hinges.
    """
    Q: Any = np.broadcast_to(np.eye(3), (*np.shape(turns[0][0]), 3, 3))
    place: Any = np.zeros(3)
    directions = []
    for k in range(end):
        if loop.slides[k]:
            directions.append(Q[..., :, 2])
        elif k in loop.hinges:
            number = loop.hinges.index(k)
            c, s = (part[..., None] for part in turns[number])
            x, y = Q[..., :, 0], Q[..., :, 1]
            Q = np.stack([c * x + s * y, c * y - s * x, Q[..., :, 2]], axis=-1)
            if number == 2:
                Q = behind_all
        place = place + np.einsum("...ij,...j->...i", Q, G[k, ..., 3])
        Q = Q @ G[k, ..., :3]
    return directions, place
