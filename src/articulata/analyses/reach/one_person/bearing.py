"""Whether arms hold what the hand carries: torques of joints beside the strength of people."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np

from articulata.domains.comfort.measured_strength import published_strength
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.kinematics.figure import Figure
from articulata.kinematics.statics import Load, Statics


@dataclass(frozen=True, slots=True, eq=False)
class Bearing:
    """An arm with a ``load`` (kg) in its hand.

    ``columns`` (k,) of a posture are the arm's and the trunk's; they hold ``up`` and ``down``
    (k,) N m toward larger and smaller values.
    """

    load: float
    statics: Statics
    columns: IntArray
    up: Array
    down: Array

    def holds(self, q: Array) -> BoolArray:
        """Return in which postures (n, dof) no joint needs more than people can hold."""
        tau = self.statics.torques(q)[:, self.columns]
        return np.asarray(((tau <= self.up) & (tau >= -self.down)).all(axis=1))


def bearing_of(figure: Figure, hand: str, columns: IntArray, load: float) -> Bearing | None:
    """Return what an arm bears with a ``load`` (kg) at the tip of its chain; None for no load.

    Strengths are those of men in manual work, one for each joint and sense (Stobbe 1982). Raise
    KinematicsError for a load that is none, and for figures whose joints have no known strength.
    """
    given: object = load
    if not (isinstance(given, Real) and 0.0 <= load < np.inf):
        shown = f"{load} kg" if isinstance(given, Real) else repr(load)
        raise KinematicsError(f"the load in a hand is {shown}; give a mass in kg, 0 or more")
    if load == 0.0:
        return None
    up, down = published_strength(figure).best[:, columns]
    if not np.isfinite(up).any():
        raise KinematicsError(
            f"no joint of figure '{figure.name}' has a known strength, so nobody can tell what it "
            "carries; take 'person' or 'human_upper_body', or no load"
        )
    return Bearing(load, Statics(figure, loads=[Load(hand, load)]), columns, up, down)
