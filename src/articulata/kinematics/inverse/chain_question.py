"""The question put to a chain: targets checked, the method asked, the answers given shape.

A target alone that holds NaN is an error. In a batch such rows are answered with the reason
``NOT_A_NUMBER`` and NaN, so that one bad row of a million does not lose the others.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kinematics.inverse.areas import Area
from articulata.kinematics.inverse.method import Answer, Method, Progress, Question
from articulata.kinematics.inverse.postures import Postures
from articulata.kinematics.inverse.reason import NO_BRANCH, Reason

if TYPE_CHECKING:
    from articulata.kinematics.joint_tree import Tree
    from articulata.kinematics.serial import Serial

_MET = int(Reason.MET)

RIGID = 1e-6
"""Most that the axes of a pose may be off from unit length and right angles."""


def ask(
    chain: Serial,
    targets: npt.ArrayLike | Area,
    start: npt.ArrayLike | None,
    tolerance: float,
    angle_tolerance: float | None,
    method: Method,
    progress: Progress | None,
) -> Postures:
    """Answer ``Chain.inverse``."""
    if not isinstance(method, Method):
        raise KinematicsError(
            f"method is a value such as Descent() or Pseudoinverse(steps=50), not {method!r}"
        )
    area = targets if isinstance(targets, Area) else None
    given = as_numbers(area.centers if area is not None else targets, "targets")
    pose = given.ndim >= 2 and given.shape[-2:] == (4, 4)
    if not pose and (given.ndim == 0 or given.shape[-1] != 3):
        raise KinematicsError(
            "targets are places (*batch, 3) or poses X_WT (*batch, 4, 4), m; the array given "
            f"has shape {given.shape}"
        )
    if pose and area is not None:
        raise KinematicsError("the centers of an area are places (*batch, 3), not poses")
    batch = given.shape[:-2] if pose else given.shape[:-1]
    flat = given.reshape(-1, 4, 4) if pose else given.reshape(-1, 3)
    angle = tolerance if angle_tolerance is None else angle_tolerance
    if not (0.0 < tolerance < math.inf and 0.0 < angle < math.inf):
        raise KinematicsError(
            f"tolerances are positive numbers (m, rad), not {tolerance} and {angle}"
        )
    first = None if start is None else as_start(chain, start, batch)
    good = None if all_numbers(flat) else np.isfinite(flat).all(axis=(1, 2) if pose else 1)
    numbers = None
    if good is not None:
        if not batch:
            raise KinematicsError(f"the target holds NaN or infinite numbers: {given.tolist()}")
        flat, numbers = flat[good], np.flatnonzero(good)
        first = first[good] if first is not None and first.ndim == 2 else first
    if pose:
        check_rigid(flat, numbers)
    answer = method.solve(Question(chain, flat, pose, area, first, tolerance, angle, progress))
    if good is not None:
        answer = _spread(answer, np.asarray(good))
    return Postures(
        chain,
        given,
        answer.q.reshape(*batch, chain.dof),
        answer.error.reshape(batch),
        answer.angle.reshape(batch),
        (answer.reason == _MET).reshape(batch),
        answer.reason.reshape(batch),
        answer.branch.reshape(batch),
        tolerance,
        angle,
        area,
        answer.labels,
        {name: count.reshape(batch) for name, count in answer.counts.items()},
    )


def as_numbers(given: Any, what: str) -> Array:
    """Return a copy as float64 in C order, or say what was given instead."""
    try:
        return np.array(given, np.float64, order="C")
    except (TypeError, ValueError):
        raise KinematicsError(
            f"{what} are numbers in equal rows, not {str(given)[:80]!r}"
        ) from None


def as_start(chain: Tree, start: npt.ArrayLike, batch: tuple[int, ...]) -> Array:
    """Return checked starts: (dof,), or (m, dof) for a batch."""
    first = as_numbers(start, "start postures")
    if first.shape != (chain.dof,) and first.shape != (*batch, chain.dof):
        raise KinematicsError(
            f"start is one posture ({chain.dof},) or one for each target "
            f"{(*batch, chain.dof)}, not shape {first.shape}; the coordinates are "
            f"{', '.join(chain.names)}"
        )
    if not all_numbers(first):
        raise KinematicsError("the start posture holds NaN or infinite numbers")
    return first if first.shape == (chain.dof,) else first.reshape(-1, chain.dof)


def check_rigid(X: Array, numbers: IntArray | None = None, place: str | None = None) -> None:
    """Raise where a pose (m, 4, 4) is not a rotation and a place.

    ``numbers`` (m,) are those by which the caller knows them, where other than their order;
    ``place`` is what is asked for them.
    """
    bad = 0
    if len(X) != 1:
        from articulata.kernels.chains.rigid_motions import first_unlike

        bad = first_unlike(np.ascontiguousarray(X), RIGID)
        if bad < 0:
            return
    # one pose must cost microseconds: plain numbers are quicker than arrays here
    (a, b, c, _), (d, e, f, _), (g, h, i, _), last = X[bad].tolist()
    off = max(
        abs(a * a + d * d + g * g - 1.0),
        abs(b * b + e * e + h * h - 1.0),
        abs(c * c + f * f + i * i - 1.0),
        abs(a * b + d * e + g * h),
        abs(a * c + d * f + g * i),
        abs(b * c + e * f + h * i),
    )
    handed = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    if off <= RIGID and handed > 0.0 and last == [0.0, 0.0, 0.0, 1.0]:
        return
    number = bad if numbers is None else int(numbers[bad])
    alone = len(X) == 1 and numbers is None
    where = "the target" if alone else f"pose {number} of the targets"
    whose = "" if place is None else f" of '{place}'"
    raise KinematicsError(
        f"{where}{whose} is no pose: its axes must have unit length and right angles (off by "
        f"{off:.2g}), be right-handed, and its last row must be 0, 0, 0, 1"
    )


def all_numbers(values: Array) -> bool:
    """Return whether no value is NaN or infinite."""
    # a sum is not finite where a part is not; a sum that overflows is looked at again
    return math.isfinite(values.sum()) or bool(np.isfinite(values).all())


def _spread(answer: Answer, good: BoolArray) -> Answer:
    """Return the answer for all rows, where only the ``good`` ones were asked."""

    def fill(values: Any, nothing: float) -> Any:
        out = np.full((len(good), *values.shape[1:]), nothing, values.dtype)
        out[good] = values
        return out

    return Answer(
        fill(answer.q, math.nan),
        fill(answer.error, math.nan),
        fill(answer.angle, math.nan),
        fill(answer.reason, int(Reason.NOT_A_NUMBER)),
        fill(answer.branch, NO_BRANCH),
        answer.labels,
        {name: fill(count, 0) for name, count in answer.counts.items()},
    )
