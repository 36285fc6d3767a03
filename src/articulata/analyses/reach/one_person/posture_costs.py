"""What a posture of a person costs in comfort: by which the best of several is chosen, and told.

No number is *the* comfort. One criterion chooses; verdicts tell several beside each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from articulata.domains.comfort.body_angles import BodyAngles, WorkConditions
from articulata.domains.comfort.displacement import Discomfort, Form
from articulata.domains.comfort.figure_angles import Side, body_angles
from articulata.domains.comfort.reba import reba
from articulata.domains.comfort.rula import rula
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.kinematics.figure import Figure
from articulata.world.paths import hint

R_GF = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
"""How a person at base 0 stands in the ground frame: y of hers is up, z ahead."""

TOLD: tuple[Form, ...] = ("sum", "range", "barrier")
"""Forms of discomfort that verdicts tell."""

BACK, HIPS = 2.0, 3.0
"""How much joints of trunk and neck, and the lean of the hips, count beside those of arms."""


AT_LIMIT = 1e-4
"""A share of its range: a joint so near to an end of it counts as at its limit."""


class Criterion(Protocol):
    """What postures cost: the less, the more comfortable. ``Discomfort`` is one."""

    def of(self, tree: Figure, q: Array, /) -> Array:
        """Return the costs (n,) of postures (n, dof) of a figure on base joints; finite or inf."""


@dataclass(frozen=True, slots=True, eq=False)
class CheckedCriterion:
    """A reader's own criterion; refuses what is not one number for each posture."""

    given: Criterion

    def of(self, tree: Figure, q: Array, /) -> Array:
        """Return the costs (n,) of postures (n, dof)."""
        cost = np.asarray(self.given.of(tree, q), float)
        if cost.shape != q.shape[:-1] or np.isnan(cost).any():
            raise KinematicsError(
                f"a criterion of comfort returns one number for each of {len(q)} postures, no NaN; "
                f"{type(self.given).__name__} returned shape {cost.shape}"
                + (" with NaN" if np.isnan(cost).any() else "")
            )
        return cost


def criterion_of(figure: Figure, given: Criterion | None, base: tuple[str, ...]) -> Criterion:
    """Return what postures of a figure cost whose first joints are its ``base``, the last a lean.

    Of a ``Discomfort`` weights that it does not name are the usual ones; the place on the floor
    costs nothing. Raise KinematicsError for weights of joints that are not there.
    """
    if given is not None and not isinstance(given, Discomfort):
        if not callable(getattr(given, "of", None)):
            raise KinematicsError(
                f"comfort is told by art.Discomfort('sum') or by what has a method of(figure, q), "
                f"not by {given!r}"
            )
        return CheckedCriterion(given)
    told = given or Discomfort()
    *floor, lean = base
    for name in told.weights:
        if name not in figure.names or name in floor:
            known = [each for each in figure.names if each not in floor]
            raise KinematicsError(
                f"figure '{figure.name}' has no joint '{name}' to weigh{hint(name, known)}"
            )
    usual = {name: 1.0 if name.startswith(("r_", "l_")) else BACK for name in figure.names}
    usual |= {lean: HIPS}
    return replace(told, weights={**usual, **told.weights, **dict.fromkeys(floor, 0.0)})


def told_of(given: Criterion | None) -> str:
    """Return what a record says of a person's criterion."""
    if given is not None and not isinstance(given, Discomfort):
        return f"own criterion {type(given).__name__}"
    told = given or Discomfort()
    weights = [f"{name} {weight:g}" for name, weight in sorted(told.weights.items())]
    barrier = f" {told.barrier:g}" if told.form == "barrier" else ""
    return f"{told.form}{barrier}" + (f" weighing {', '.join(weights)}" if weights else "")


def scores_of(
    figure: Figure,
    criterion: Criterion,
    arm: Sequence[int],
    hand: str,
    q: Array,
    *,
    seated: bool,
    load: float = 0.0,
) -> Mapping[str, float]:
    """Return what a posture (dof,) costs by forms of discomfort, RULA and REBA.

    Forms count the coordinates of the ``arm``, trunk and hips included, with the criterion's
    weights where it has some. Both scales are of the arm that reaches, with the ``load`` (kg), held
    now and then; figures without H-Anim names have none.
    """
    here = np.concatenate([np.zeros(3), q[3:]])  # as it stands, wherever that is
    own = criterion if isinstance(criterion, Discomfort) else Discomfort()
    idle = dict.fromkeys((name for k, name in enumerate(figure.names) if k not in arm), 0.0)
    own = replace(own, weights={**own.weights, **idle})
    found = {str(form): float(replace(own, form=form).of(figure, here)) for form in TOLD}
    angles = _angles(figure, here, hand)
    if angles is None:
        return found
    work = WorkConditions(load=load, seated=seated, back_rest=seated)
    return {
        **found,
        "rula": float(rula(angles, work).score),
        "reba": float(reba(angles, work).score),
    }


def joints_at_limits(figure: Figure, arm: Sequence[int], q: Array) -> tuple[str, ...]:
    """Return the names of the coordinates of an ``arm``, trunk and hips included, at a limit.

    Those that move are at most ``AT_LIMIT`` of their range off it in a posture (dof,).
    """
    wide = figure.upper - figure.lower
    off = np.minimum(q - figure.lower, figure.upper - q)
    return tuple(figure.names[k] for k in arm if wide[k] > 0.0 and off[k] <= AT_LIMIT * wide[k])


def _angles(figure: Figure, q: Array, hand: str) -> BodyAngles | None:
    side: Side = "left" if hand == "left" else "right"
    try:
        return body_angles(figure, q, side, R_GF[:, 1])
    except KinematicsError:
        return None
