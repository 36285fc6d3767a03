"""Bones for links without a shape: capsules from where a link is held to what it carries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from articulata.geometry.arrays import Array
from articulata.geometry.poses import inverse_pose
from articulata.geometry.shapes import Capsule, Sphere
from articulata.kinematics.figure import Figure
from articulata.kinematics.joint import PRISMATIC, about
from articulata.kinematics.link import Part

THICKNESS = 0.02
"""Radius of a bone over the figure's size in its neutral posture."""

_SHORT = 1e-6
"""Bones shorter than this share of the figure's size are left out."""


def bones(figure: Figure, q: npt.ArrayLike | None = None) -> Mapping[str, tuple[Part, ...]]:
    """Return the parts of each link by its joint, "" for the root: its own, else capsules.

    A link's own parts are its visuals, or without them its collision shapes. A bone leads from
    the joint that holds the link to each joint, tip and landmark on it; the root has one from its
    origin. A joint that slides is drawn as far out as in posture ``q`` (dof,), neutral if None.
    """
    size = size_of(figure)
    values = figure.values(figure.neutral if q is None else q)[0][0]
    found: dict[str, tuple[Part, ...]] = {}
    for number in range(-1, len(figure.joints)):
        link = figure.root if number < 0 else figure.links[figure.joints[number].name]
        name = "" if number < 0 else figure.joints[number].name
        own = link.visuals or link.collisions
        found[name] = own or _bones_of(figure, number, size, values)
    return found


def size_of(figure: Figure) -> float:
    """Return the largest extent of the joints and landmarks in the neutral posture, m."""
    places = [figure.poses(figure.neutral)[:, :3, 3], figure.base[None, :3, 3]]
    places += [figure.landmark(figure.neutral, name)[None, :3, 3] for name in figure.landmarks]
    size = float(np.max(np.ptp(np.concatenate(places), axis=0)))
    return size if size > 0.0 else 1.0


def segments(figure: Figure, number: int) -> tuple[Array, list[Array]]:
    """Return where link ``number`` is held and where it leads, in its frame; -1 for the root.

    It leads to the joints, the tips of chains and the landmarks that it carries.
    """
    held: Array = np.zeros(3)
    if number >= 0:
        held = inverse_pose(figure.joints[number].X_JL)[:3, 3]
    ends = [
        joint.X_PJ[:3, 3]
        for joint, parent in zip(figure.joints, figure.parents, strict=True)
        if parent == number
    ]
    ends += [run.end[:3, 3] for run in figure.chains.values() if figure.index(run.last) == number]
    ends += [
        mark.X_LP[:3, 3]
        for mark in figure.landmarks.values()
        if (figure.index(mark.joint) if mark.joint else -1) == number
    ]
    return held, ends


def capsules(
    held: Array, ends: Sequence[Array], radius: float, least: float
) -> list[tuple[Capsule, Array]]:
    """Return bones from ``held`` to each end and where they lie, (4, 4), longest first.

    None along another, none shorter than ``least``.
    """
    found: list[tuple[Capsule, Array]] = []
    drawn: list[Array] = []
    for end in sorted(ends, key=lambda each: -float(np.linalg.norm(each - held))):
        length = float(np.linalg.norm(end - held))
        if length < least or any(_along(end - held, other - held) for other in drawn):
            continue
        drawn.append(end)
        X = about((end - held).tolist())
        X[:3, 3] = 0.5 * (held + end)
        found.append((Capsule(radius, length), X))
    return found


def _bones_of(figure: Figure, number: int, size: float, values: Array) -> tuple[Part, ...]:
    held, ends = segments(figure, number)
    joint = figure.joints[number] if number >= 0 else None
    if joint is not None and joint.kind == PRISMATIC:
        ends.insert(0, held - values[number] * inverse_pose(joint.X_JL)[:3, 2])
    # Links grow thinner outward, so that the ends of two never lie in one surface.
    radius = THICKNESS * size * (1.0 - 0.3 * (number + 1) / len(figure.joints))
    bones = capsules(held, ends or [np.zeros(3)], radius, _SHORT * size)
    parts = [Part(shape, X) for shape, X in bones]
    if not parts and joint is not None and joint.kind != "fixed":
        X = np.eye(4)
        X[:3, 3] = held
        parts.append(Part(Sphere(1.4 * radius), X))
    return tuple(parts)


def _along(short: Array, long: Array) -> bool:
    """Return whether the end of ``short`` lies on ``long``, both from one point."""
    size = float(np.linalg.norm(long))
    off = np.linalg.norm(np.cross(short, long)) / size
    return bool(off < 1e-6 * size and np.dot(short, long) > 0.0)
