"""The usual hinges as tuples of constraint rows, composed from the primitive hinge.

The primitive hinge of the 1986 report keeps a point of body A on a surface of body B with a
force normal to it; where the difference of two such rows is better conditioned it is written
as a row between directions. Points are measured from the mass centres in body axes (of the
world: in world axes), metres.
"""

from __future__ import annotations

import numpy as np

from articulata.kernels.array_types import Array
from articulata.kernels.multibody import system as s
from articulata.kernels.multibody.build import Row, Triple


def _perpendicular(axis: Triple) -> tuple[Triple, Triple]:
    """Return two unit vectors that make a right-handed triple with ``axis``."""
    n: Array = np.array(axis, float) / np.linalg.norm(axis)
    first = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
    first /= np.linalg.norm(first)
    return _triple(first), _triple(np.cross(n, first))


def _triple(v: Array) -> Triple:
    return (float(v[0]), float(v[1]), float(v[2]))


def ball(p_A: Triple, p_B: Triple) -> tuple[Row, ...]:
    """Three rows: the points coincide."""
    return (Row(s.POINT, p_A, p_B),)


def parallel(axis_A: Triple, axis_B: Triple) -> tuple[Row, ...]:
    """Two rows: the axes keep one direction (the same or the opposite one)."""
    return tuple(Row(s.DIRECTION, n_B=t, d=axis_A) for t in _perpendicular(axis_B))


def revolute(p_A: Triple, p_B: Triple, axis_A: Triple, axis_B: Triple) -> tuple[Row, ...]:
    """Five rows: the points coincide and the axes agree."""
    return ball(p_A, p_B) + parallel(axis_A, axis_B)


def universal(p_A: Triple, p_B: Triple, axis_A: Triple, axis_B: Triple) -> tuple[Row, ...]:
    """Four rows: the points coincide and the two axes stay at right angles."""
    return (*ball(p_A, p_B), Row(s.DIRECTION, n_B=axis_B, d=axis_A))


def on_line(p_A: Triple, p_B: Triple, axis_B: Triple) -> tuple[Row, ...]:
    """Two rows: p_A stays on the line through p_B (two planes that meet in it)."""
    return tuple(Row(s.PLANE, p_A, p_B, n_B=t) for t in _perpendicular(axis_B))


def cylindrical(p_A: Triple, p_B: Triple, axis_A: Triple, axis_B: Triple) -> tuple[Row, ...]:
    """Four rows: A slides along and turns about the axis of B."""
    return on_line(p_A, p_B, axis_B) + parallel(axis_A, axis_B)


def aligned(
    x_A: Triple, y_A: Triple, z_A: Triple, frame_B: tuple[Triple, Triple, Triple]
) -> tuple[Row, ...]:
    """Three rows: the frames of A and B (unit axes each) keep one orientation."""
    x_B, y_B, z_B = frame_B
    return (
        Row(s.DIRECTION, n_B=z_B, d=y_A),
        Row(s.DIRECTION, n_B=x_B, d=z_A),
        Row(s.DIRECTION, n_B=y_B, d=x_A),
    )


Frame = tuple[Triple, Triple, Triple]
"""Unit axes x, y, z in body axes."""


def prismatic(p_A: Triple, p_B: Triple, frame_A: Frame, frame_B: Frame) -> tuple[Row, ...]:
    """Five rows: A slides along the z axis of ``frame_B`` without turning."""
    x_B, y_B, _ = frame_B
    slide = (Row(s.PLANE, p_A, p_B, n_B=x_B), Row(s.PLANE, p_A, p_B, n_B=y_B))
    return slide + aligned(*frame_A, frame_B)


def weld(p_A: Triple, p_B: Triple, frame_A: Frame, frame_B: Frame) -> tuple[Row, ...]:
    """Six rows: the bodies move as one."""
    return ball(p_A, p_B) + aligned(*frame_A, frame_B)


def planar(p_A: Triple, p_B: Triple, normal_A: Triple, normal_B: Triple) -> tuple[Row, ...]:
    """Three rows: A slides and turns on a plane of B."""
    return (Row(s.PLANE, p_A, p_B, n_B=normal_B), *parallel(normal_A, normal_B))


def screw(
    p_A: Triple, p_B: Triple, frame_A: Frame, frame_B: Frame, advance: float
) -> tuple[Row, ...]:
    """Five rows: cylindrical about z, and ``advance`` metres along it per radian.

    The helicoid's point lies off the axis along x of ``frame_A``, about as far as the thread
    advances in a radian, where its row is best conditioned.
    """
    x_A, _, z_A = (np.array(axis, float) for axis in frame_A)
    off_axis = _triple(np.array(p_A, float) + max(abs(advance), 1e-3) * x_A)
    thread = Row(s.HELICOID, off_axis, p_B, n_B=frame_B[2], d=frame_B[0], size=advance)
    return (*cylindrical(p_A, p_B, _triple(z_A), frame_B[2]), thread)
