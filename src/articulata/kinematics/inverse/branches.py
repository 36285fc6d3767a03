"""Every posture that meets a pose: ``Chain.all_inverse`` and its answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast, final

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Bool, BoolArray, Float64, Int64, IntArray
from articulata.kinematics.inverse.chain_question import all_numbers, as_numbers, check_rigid
from articulata.kinematics.inverse.chain_structure import missing_structure
from articulata.kinematics.inverse.closed_form import ClosedForm, Degenerate, FamilyForm, Found
from articulata.kinematics.inverse.one_pose import OnePose
from articulata.kinematics.inverse.planar_form import PlanarForm
from articulata.kinematics.inverse.reason import Reason
from articulata.kinematics.inverse.recognition import all_postures_form
from articulata.kinematics.inverse.seven_joints import GivenForm

if TYPE_CHECKING:
    from articulata.kinematics.serial import Serial

_FLOAT64 = np.dtype(np.float64)
"""The one value that native arrays of float64 share as their type."""

_WORDS = {
    Degenerate.WRIST: "wrist in line: only the sum of two joints' angles is determined",
    Degenerate.ELBOW: "elbow stretched or folded: its branches meet",
    Degenerate.SHOULDER: "shoulder branches meet, or the wrist lies on the first axis",
    Degenerate.SINGULAR: "branches meet",
    Degenerate.UNSURE: "a branch may be missing beside those found",
}


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """All postures of one branch of a redundant arm: intervals of a free parameter.

    ``intervals`` (k, 2) keep every limit, from start to end, rad or m.
    """

    form: ClosedForm
    X_WT: Float64[Array, "4 4"]
    branch: int
    intervals: Float64[Array, "k 2"]

    @property
    def label(self) -> str:
        """The branch in words."""
        return self.form.labels[self.branch]

    @property
    def parameter(self) -> str:
        """Name of the free parameter: "swivel", "shrug" or the name of a joint."""
        return self.form.parameter

    @property
    def slides(self) -> bool:
        """Whether the parameter is a length, m; else an angle, rad."""
        return self.form.parameter == "shrug"

    def postures(self, values: npt.ArrayLike) -> Float64[Array, "*batch dof"]:
        """Return the postures at ``values`` (*batch) of the parameter."""
        given = as_numbers(values, "values of the parameter")
        flat = given.reshape(-1)
        X = np.ascontiguousarray(np.broadcast_to(self.X_WT, (len(flat), 4, 4)))
        q = cast(FamilyForm, self.form).at(X, np.full(len(flat), self.branch), flat)
        return q.reshape(*given.shape, q.shape[-1])

    def value(self, share: float) -> float:
        """Return the parameter's value at a share, 0 to 1, of the intervals one after another."""
        width = self.intervals[:, 1] - self.intervals[:, 0]
        ends = np.concatenate([[0.0], np.cumsum(width)])
        along = min(max(share, 0.0), 1.0) * float(ends[-1])
        which = min(int(np.searchsorted(ends, along, side="right")) - 1, len(width) - 1)
        return float(self.intervals[which, 0] + along - ends[which])

    def samples(self, count: int) -> Float64[Array, "count dof"]:
        """Return ``count`` postures spread evenly over the intervals."""
        width = self.intervals[:, 1] - self.intervals[:, 0]
        ends = np.concatenate([[0.0], np.cumsum(width)])
        along = (np.arange(count) + 0.5) / max(count, 1) * ends[-1]
        which = np.minimum(np.searchsorted(ends, along, side="right") - 1, len(width) - 1)
        return self.postures(self.intervals[which, 0] + along - ends[which])


class Made(NamedTuple):
    """What ``Branches`` shows, made ready: see there."""

    X_WT: Array
    branch: IntArray
    q: Array
    within: BoolArray
    degenerate: IntArray
    reason: IntArray
    intervals: Array | None = None
    counts: IntArray | None = None


@final
class Branches:
    """Every branch of poses ``X_WT`` (*batch, 4, 4).

    For one pose, ``q`` (branches, dof) holds the branches that exist and ``branch`` their
    numbers. For a batch, ``q`` is (*batch, branches, dof) with a place for every branch that the
    structure can have, NaN where it does not exist. ``within`` tells which keep all limits,
    ``degenerate`` holds flags of ``Degenerate`` and ``reason`` a number of ``Reason``: MET where
    some branch keeps the limits. ``q`` of a family is one of its postures, see ``families``.
    """

    __slots__ = ("_found", "form")

    def __init__(self, form: ClosedForm, found: Found) -> None:
        self.form = form
        self._found = found

    @property
    def X_WT(self) -> Float64[Array, "*batch 4 4"]:
        """The poses that were asked."""
        return self._found.X_WT

    @property
    def branch(self) -> Int64[IntArray, "branches"]:
        """Numbers of the branches."""
        return self._found.branch

    @property
    def q(self) -> Float64[Array, "*batch branches dof"]:
        """Postures, rad or m."""
        return self._found.q

    @property
    def within(self) -> Bool[BoolArray, "*batch branches"]:
        """Which branches keep all limits."""
        return self._found.within

    @property
    def degenerate(self) -> Int64[IntArray, "*batch branches"]:
        """Flags of ``Degenerate``."""
        return self._found.degenerate

    @property
    def reason(self) -> Int64[IntArray, "*batch"]:
        """A number of ``Reason`` for each pose."""
        return self._found.reason

    @property
    def intervals(self) -> Array | None:
        """Intervals of a family's parameter (*batch, branches, most, 2), as many as ``counts``."""
        return self._found.intervals

    @property
    def counts(self) -> IntArray | None:
        """How many intervals each branch has."""
        return self._found.counts

    @property
    def labels(self) -> tuple[str, ...]:
        """The branches in words, such as "shoulder left, elbow up, wrist flipped"."""
        words = self.form.labels
        return tuple(words[slot] for slot in self.branch.tolist())

    @property
    def structure(self) -> str:
        """The structure by which the arm was recognised."""
        return self.form.structure

    @property
    def families(self) -> tuple[Family, ...]:
        """The families of one pose, () for arms whose branches are single postures."""
        if self.intervals is None or self.counts is None:
            return ()
        if self.q.ndim != 2:
            raise KinematicsError("families belong to one pose; ask all_inverse for each pose")
        return tuple(
            Family(self.form, self.X_WT, slot, np.array(self.intervals[i, :k]))
            for i, (slot, k) in enumerate(
                zip(self.branch.tolist(), self.counts.tolist(), strict=True)
            )
        )

    def __len__(self) -> int:
        return len(self.branch)

    def __iter__(self) -> Iterator[Float64[Array, "dof"]]:
        """Go through the postures (dof,) of one pose, in the order of ``branch``, rad or m."""
        if self.q.ndim != 2:
            raise KinematicsError("these are postures of several poses; take q, one row a pose")
        return iter(self.q)

    def __repr__(self) -> str:
        if self.q.ndim != 2:
            return f"Branches of {self.reason.size} poses, {len(self)} of each ({self.structure})"
        lines = [f"Branches ({self.structure}): {self.explain()}"]
        with np.printoptions(precision=6, suppress=True, linewidth=200):
            lines += [f"  {q}  {self.explain(i)}" for i, q in enumerate(self.q)]
        return "\n".join(lines)

    def explain(self, i: int | None = None) -> str:
        """Say what branch ``i`` of one pose is, or, without ``i``, how many there are or why none.

        Batches: ask for one pose at a time.
        """
        if self.q.ndim != 2:
            raise KinematicsError("explain speaks about one pose; ask all_inverse for each pose")
        if i is not None:
            flags = Degenerate(int(self.degenerate[i]))
            singular = [text for flag, text in _WORDS.items() if flag in flags]
            kept = "" if self.within[i] else "outside the joints' limits"
            return "; ".join(filter(None, [self.labels[i], kept, *singular]))
        good = int(self.within.sum())
        if good:
            met = f"{len(self)} branches, {good} of them within the limits"
            meeting = int(((self.degenerate & Degenerate.SINGULAR) != 0).sum())
            if not meeting or self.intervals is not None:
                return met
            return f"{met}; {meeting} are singular, perhaps samples of a curve of postures"
        if not len(self) and self.reason == Reason.GAVE_UP:
            return "no branch found; a singular one may have been missed: ask inverse()"
        return _NONE[Reason(int(self.reason))].format(count=len(self))


_NONE = {
    Reason.MET: "{count} branches",
    Reason.TOO_FAR: "no branch: the wrist would have to be farther out than the arm reaches",
    Reason.TOO_NEAR: "no branch: the wrist would have to be nearer than the arm folds",
    Reason.LIMITS: "{count} branches, none within the joints' limits",
    Reason.ORIENTATION: "no branch: the wrist cannot take the orientation there",
    Reason.GAVE_UP: "{count} singular branches, none within the limits as computed; a free angle "
    "may be chosen so that one is: ask inverse()",
}


def all_inverse(
    chain: Serial, X_WT: npt.ArrayLike, given: Mapping[str, npt.ArrayLike] | None = None
) -> Branches:
    """Answer ``Chain.all_inverse``."""
    if given is not None:
        poses = _as_poses(X_WT)
        held = GivenForm.of(chain, given, poses.shape[:-2])
        return Branches(held, _of_one(held, poses) if poses.ndim == 2 else _of_many(held, poses))
    form = all_postures_form(chain)
    if form is None:
        raise KinematicsError(f"no closed form: {missing_structure(chain)}")
    if (
        isinstance(form, OnePose)
        and type(X_WT) is np.ndarray
        and X_WT.strides == (32, 8)
        and X_WT.shape == (4, 4)
        and X_WT.dtype is _FLOAT64
    ):
        found = form.one(X_WT)
        if found is not None:
            return Branches(form, found)
    if isinstance(form, PlanarForm) and form.dof == 2 and np.shape(X_WT)[-1:] == (3,):
        return Branches(form, _of_places(form, as_numbers(X_WT, "places")))
    poses = _as_poses(X_WT)
    return Branches(form, _of_one(form, poses) if poses.ndim == 2 else _of_many(form, poses))


def _of_places(form: PlanarForm, p_WT: Array) -> Made:
    """Return both postures of places (*batch, 3); a turn that is not asked for is NaN."""
    if not all_numbers(p_WT):
        raise KinematicsError("places are finite numbers (*batch, 3), m")
    batch = p_WT.shape[:-1]
    table = form.branches_of_places(p_WT.reshape(-1, 3))
    X_WT = np.full((*batch, 4, 4), np.nan)
    X_WT[..., :3, 3] = p_WT
    X_WT[..., 3, :] = (0.0, 0.0, 0.0, 1.0)
    there = np.arange(table.q.shape[1])
    q, within = table.q.reshape(*batch, *table.q.shape[1:]), table.within.reshape(*batch, -1)
    degenerate = table.degenerate.reshape(*batch, -1)
    if not batch:
        there = np.flatnonzero(~np.isnan(q[:, 0]))
        q, within, degenerate = q[there], within[there], degenerate[there]
    return Made(X_WT, there, q, within, degenerate, table.reason.reshape(batch))


def _as_poses(X_WT: npt.ArrayLike) -> Array:
    poses = as_numbers(X_WT, "poses")
    if poses.ndim < 2 or poses.shape[-2:] != (4, 4):
        raise KinematicsError(
            f"all_inverse takes poses X_WT (*batch, 4, 4); the array given has shape {poses.shape}"
        )
    return poses


def _of_one(form: ClosedForm, X_WT: Array) -> Made:
    flat = X_WT.reshape(1, 4, 4)
    check_rigid(flat)
    table = form.branches(flat)
    # NaN is not equal to itself; lists are quicker than masks for so few
    slots = [i for i, first in enumerate(table.q[0, :, 0].tolist()) if first == first]
    kept: list[int] | slice = slots if len(slots) < table.q.shape[1] else slice(None)
    return Made(
        X_WT,
        np.array(slots, np.int64),
        table.q[0, kept],
        table.within[0, kept],
        table.degenerate[0, kept],
        table.reason.reshape(()),
        None if table.intervals is None else table.intervals[0, kept],
        None if table.counts is None else table.counts[0, kept],
    )


def _of_many(form: ClosedForm, X_WT: Array) -> Made:
    flat = X_WT.reshape(-1, 4, 4)
    if all_numbers(flat):
        check_rigid(flat)
        table = form.branches(flat)
        reason = table.reason
    else:
        good = np.isfinite(flat).all(axis=(1, 2))
        check_rigid(flat[good], np.flatnonzero(good))
        table = form.branches(flat)
        reason = np.where(good, table.reason, int(Reason.NOT_A_NUMBER))
    batch, slots = X_WT.shape[:-2], table.q.shape[1]
    return Made(
        X_WT,
        np.arange(slots),
        table.q.reshape(*batch, *table.q.shape[1:]),
        table.within.reshape(*batch, slots),
        table.degenerate.reshape(*batch, slots),
        reason.reshape(batch),
        None
        if table.intervals is None
        else table.intervals.reshape(*batch, *table.intervals.shape[1:]),
        None if table.counts is None else table.counts.reshape(*batch, slots),
    )
