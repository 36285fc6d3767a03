"""How far forearm and hand press into the body at rest: shapes about links are coarser than people.

Arms that hang, or lie on the lap, lie partly within the shapes of trunk and thighs. So far they
may press anywhere; farther in they strike. Lengths in m.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Final

import numpy as np

from articulata.analyses.reach.one_person.body import TURN, Body
from articulata.geometry.arrays import Array
from articulata.geometry.shapes import Capsule, Cuboid
from articulata.kinematics.link import Part

BEYOND: Final = 0.02
"""m. So much farther a link is slimmed than something presses into it."""

LEAST: Final = 5e-3
"""m. What is left of a link from its middle, at least."""

ALONG: Final = np.linspace(-0.5, 0.5, 9)
"""Where arms are looked at, as shares of their length."""


def slimmed(body: Body) -> dict[str, Sequence[Part]]:
    """Return slimmer shapes, by joint, of what forearms and hands press into at rest."""
    figure = body.figure
    poses = dict(zip((j.name for j in figure.joints), figure.poses(body.resting), strict=True))
    found: dict[str, Sequence[Part]] = {}
    deep: dict[str, float] = {}
    for hand in body.arms:
        for mine, its in kept_off(body, hand):
            for a, b in product(figure.links[mine].collisions, figure.links[its].collisions):
                by = _deep(poses[mine] @ a.X_LS, a, poses[its] @ b.X_LS, b)
                deep[its] = max(deep.get(its, -1.0), by)
    for name, by in deep.items():
        if by > -LEAST:
            found[name] = [_inset(each, by + BEYOND) for each in figure.links[name].collisions]
    return found


def _deep(X: Array, part: Part, Y: Array, other: Part) -> float:
    """Return how deep a part at ``X`` (4, 4) is in another at ``Y``, m; negative outside."""
    shape, its = part.shape, other.shape
    if isinstance(shape, Capsule):
        points, radius = ALONG[:, None] * [0.0, 0.0, shape.length], shape.radius
    else:
        assert isinstance(shape, Cuboid)
        grid = np.stack(np.meshgrid(ALONG, ALONG, ALONG), axis=-1).reshape(-1, 3)
        points, radius = grid * [shape.x, shape.y, shape.z], 0.0
    p = (points @ X[:3, :3].T + X[:3, 3] - Y[:3, 3]) @ Y[:3, :3]
    if isinstance(its, Capsule):
        p[:, 2] = np.maximum(np.abs(p[:, 2]) - 0.5 * its.length, 0.0)
        away = np.linalg.norm(p, axis=1) - its.radius
    else:
        assert isinstance(its, Cuboid)
        beyond = np.abs(p) - 0.5 * np.array([its.x, its.y, its.z])
        outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=1)
        away = outside + np.minimum(beyond.max(axis=1), 0.0)
    return float(radius - away.min())


def kept_off(body: Body, hand: str) -> list[tuple[str, str]]:
    """Return the pairs of joints of which one is of forearm or hand, the other of the body.

    Left out are the upper arm and links of surfaces: how deep something is in them is not known.
    """
    figure, mine = body.figure, body.striking(hand)
    shaped = [
        each.name
        for each in figure.joints
        if figure.links[each.name].collisions
        and all(isinstance(p.shape, Capsule | Cuboid) for p in figure.links[each.name].collisions)
    ]
    path = [figure.joints[number].name for number in figure.path(hand)]
    before = [name for name in path if name in shaped and name not in mine]
    out = {TURN, *mine, *body.idle[hand], *before[-1:]}
    return [(a, b) for a in shaped if a in mine for b in shaped if b not in out]


def _inset(part: Part, by: float) -> Part:
    """Return a part without what is nearer than ``by`` m to its surface."""
    shape = part.shape
    if isinstance(shape, Capsule):
        return replace(part, shape=Capsule(max(shape.radius - by, LEAST), shape.length))
    assert isinstance(shape, Cuboid)
    x, y, z = (max(each - 2.0 * by, 2.0 * LEAST) for each in (shape.x, shape.y, shape.z))
    return replace(part, shape=Cuboid(x, y, z))
