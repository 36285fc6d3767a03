"""NSGA-II and SPEA2 of ``pymoo`` on our evaluations: general methods, as a check.

Where a closed form gives all postures as curves an individual is a place along these, so that every
one meets the target. Elsewhere individuals are joint values, and targets are constraints that are
met within ``goal``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.spea2 import SPEA2
from pymoo.core.problem import Problem
from pymoo.optimize import minimize

from articulata.analyses.pose.constraints import lacking
from articulata.analyses.pose.dominance import undominated
from articulata.analyses.pose.families import Curves, arm_of
from articulata.analyses.pose.judging import Judging
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array

Algorithm: TypeAlias = Literal["nsga2", "spea2"]


@dataclass(frozen=True, slots=True)
class Pymoo:
    """An algorithm of ``pymoo``, its population, and how near (m and rad) targets count as met."""

    algorithm: Algorithm = "nsga2"
    individuals: int = 200
    goal: float = 1e-3

    def __post_init__(self) -> None:
        if self.algorithm not in ("nsga2", "spea2"):
            raise KinematicsError(
                f"pymoo is asked for 'nsga2' or 'spea2', not for {self.algorithm!r}"
            )
        if self.individuals < 4:
            raise KinematicsError(f"a population has 4 individuals or more, not {self.individuals}")


@dataclass(frozen=True, slots=True, eq=False)
class PeerFront:
    """What an algorithm found: postures ``q`` (n, dof), ``values`` (n, k) to be kept low.

    ``misses`` (n,) m and rad are what targets are off. Of each generation ``miss`` (g,) is what the
    nearest individual is off, ``fronts`` the values (m, k) of those that meet the targets and that
    nothing dominates.
    """

    q: Array
    values: Array
    misses: Array
    miss: Array
    fronts: tuple[Array, ...]


def peer_front(
    judging: Judging, method: Pymoo | None = None, *, generations: int = 200, seed: int = 0
) -> PeerFront:
    """Return the front that ``pymoo`` finds."""
    how = method or Pymoo()
    if generations < 1:
        raise KinematicsError(f"an evolution takes at least one generation, not {generations}")
    arm = arm_of(judging.scene)
    family = None if arm is None else arm.family(judging.scene)
    curves = None if family is None else family.curves
    scene = judging.scene
    k = len(judging.aims)
    low = np.zeros(1) if curves else np.where(np.isfinite(scene.lower), scene.lower, -np.pi)
    high = np.ones(1) if curves else np.where(np.isfinite(scene.upper), scene.upper, np.pi)

    class Question(Problem):  # type: ignore[misc] # pymoo has no types
        def __init__(self) -> None:
            constraints = {} if curves else {"n_ieq_constr": 1}
            super().__init__(n_var=len(low), n_obj=k, xl=low, xu=high, **constraints)

        def _evaluate(self, u: Array, out: dict[str, Any], *_: Any, **__: Any) -> None:
            x = along(curves, u[:, 0]) if curves else np.asarray(u)
            values, kept = judging.judge(x)
            out["F"] = np.where(kept[:, None], values, _EXCLUDED)
            if not curves:
                off, turn = lacking(scene, scene.whole(x))
                out["G"] = (off + turn - how.goal)[:, None]

    misses: list[float] = []
    fronts: list[Array] = []

    def follow(algorithm: Any) -> None:
        values = algorithm.pop.get("F")
        off = np.zeros(len(values)) if curves else algorithm.pop.get("G")[:, 0] + how.goal
        misses.append(float(off.min()))
        met = values[(off <= how.goal) & (values < _EXCLUDED).all(axis=1)]
        fronts.append(met[undominated(met)])

    algorithm = (NSGA2 if how.algorithm == "nsga2" else SPEA2)(pop_size=how.individuals)
    found = minimize(
        Question(), algorithm, ("n_gen", generations), seed=seed, verbose=False, callback=follow
    )
    course = np.array(misses), tuple(fronts)
    if found.X is None:
        return PeerFront(np.empty((0, len(scene.start))), np.empty((0, k)), np.empty(0), *course)
    u = np.atleast_2d(found.X)
    x = along(curves, u[:, 0]) if curves else u
    values = judging.values(x)
    alive = undominated(values)
    q = scene.whole(x[alive])
    off, turn = lacking(scene, q)
    return PeerFront(q, values[alive], off + turn, *course)


_EXCLUDED = 1e9
"""What a posture that breaks a condition costs in each aim."""


def along(curves: Curves, share: Array) -> Array:
    """Return postures (m, moving) at shares, 0 to 1, of all curves one after another."""
    widths = curves.high - curves.low
    ends = np.concatenate([[0.0], np.cumsum(widths)]) / widths.sum()
    which = np.clip(np.searchsorted(ends, share, side="right") - 1, 0, len(curves) - 1)
    part = (share - ends[which]) / (ends[which + 1] - ends[which])
    return curves.postures(which, np.clip(part, 0.0, 1.0))
