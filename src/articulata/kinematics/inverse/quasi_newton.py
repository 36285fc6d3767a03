"""BFGS with limits, as used for articulated figures since Zhao & Badler (1994)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, IntArray
from articulata.kinematics.inverse.iterated import Iterated
from articulata.kinematics.inverse.method import Question


@dataclass(frozen=True, slots=True)
class BFGS(Iterated):
    """Quasi-Newton descent within limits: L-BFGS-B (Byrd, Lu, Nocedal & Zhu 1995), by SciPy.

    Minimises the squared distance, in units of the reach, plus for poses ``1 - cos`` of the turn
    left; at most ``iterations``.
    """

    iterations: int = 200

    def __post_init__(self) -> None:
        Iterated.__post_init__(self)
        if self.iterations < 1:
            raise KinematicsError(f"BFGS takes at least one iteration, not {self.iterations}")

    def improve(self, question: Question, q: Array) -> Mapping[str, IntArray]:
        """Improve ``q`` in place; return iterations and evaluations."""
        from scipy.optimize import minimize

        chain, ready = question.chain, question.chain.prepared
        reach2 = ready.reach**2
        bounds = list(zip(chain.lower, chain.upper, strict=True))
        # near a minimum the value falls with the square of the distance
        enough = 0.5 * question.tolerance**2 / reach2
        iterations, evaluations = np.empty(len(q), np.int64), np.empty(len(q), np.int64)
        for p, target in enumerate(question.targets):

            def cost(u: Array, target: Array = target) -> tuple[float, Array]:
                X, J = chain.tip(u), chain.jacobian(u)
                if not question.pose:
                    away = X[:3, 3] - target
                    return 0.5 * float(away @ away) / reach2, away @ J[:3] / reach2
                away = X[:3, 3] - target[:3, 3]
                chord = X[:3, :3] - target[:3, :3]
                turn = 0.5 * np.cross(X[:3, :3].T, target[:3, :3].T).sum(axis=0)
                value = 0.5 * float(away @ away) / reach2 + 0.25 * float(np.sum(chord * chord))
                return value, away @ J[:3] / reach2 - turn @ J[3:]

            found = minimize(
                cost,
                ready.coordinates(q[p]),
                jac=True,
                method="L-BFGS-B",
                bounds=bounds,
                options={
                    "maxiter": self.iterations,
                    "ftol": 0.0,
                    "gtol": 1e-3 * np.sqrt(2.0 * enough),
                },
            )
            q[p] = ready.all_joints(np.clip(found.x, chain.lower, chain.upper))
            # where limits leave nothing to move, SciPy counts nothing
            iterations[p], evaluations[p] = found.get("nit", 0), found.get("nfev", 0)
        return {"iterations": iterations, "evaluations": evaluations}
