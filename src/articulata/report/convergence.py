"""How evolutions come nearer from generation to generation, beside the exact answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from articulata.errors import RecordingError
from articulata.geometry.arrays import Array, Float64
from articulata.report.plots import INKS, drawing

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

    from articulata.records.pose import Front


class Generations(Protocol):
    """An evolution that was followed over g generations."""

    @property
    def miss(self) -> Float64[Array, "g"]:
        """What the best individual is off its targets, m and rad."""

    @property
    def fronts(self) -> Sequence[Array]:
        """The values (m, k) of the individuals of each generation that meet their targets."""


def plot_convergence(exact: Front, runs: Mapping[str, Generations]) -> Drawing:
    """Return a drawing of how ``runs``, by their names, come near the ``exact`` front.

    Left what the best individual is off its targets, right how far a posture of the exact front is
    on the mean from the nearest individual, in shares of what is attainable (the inverted
    generational distance). Runs are ``Evolution`` and what ``peer_front`` returns.
    """
    from matplotlib.figure import Figure as Drawing

    if not exact.found:
        raise RecordingError(f"there is no front to come near to. {exact.reason}")
    with drawing():
        figure = Drawing(figsize=(9.0, 3.6), layout="constrained")
        left, right = figure.subplots(1, 2)
        for number, (name, run) in enumerate(runs.items()):
            color = INKS[number % len(INKS)]
            generation = np.arange(1, len(run.miss) + 1)
            left.plot(generation, np.maximum(run.miss, _LEAST), color=color, label=name)
            far = [distance(exact, values) for values in run.fronts]
            right.plot(generation, np.maximum(far, _LEAST), color=color, label=name)
        left.set(yscale="log", xlabel="generation", ylabel="off its target (m, rad)")
        right.set(yscale="log", xlabel="generation", ylabel="off the exact front (share)")
        for axis in (left, right):
            axis.grid(visible=True)
            axis.legend(fontsize=7)
    return figure


_LEAST = 1e-9
"""Less is drawn as this: a scale of powers has no 0."""


def distance(exact: Front, values: Float64[Array, "m k"]) -> float:
    """Return how far a posture of the exact front is from the nearest of ``values``, on the mean.

    In shares of what is attainable; NaN where there are no values.
    """
    if not len(values):
        return float("nan")
    attainable = np.ptp(exact.image, axis=0)
    unit = np.where(attainable > 0.0, attainable, 1.0)
    apart = (exact.costs[~exact.dominated, None] - values) / unit
    return float(np.linalg.norm(apart, axis=2).min(axis=1).mean())
