"""Evolution as the thesis of 2005 ran it: the strength Pareto algorithm on islands.

Individuals are joint values within the limits; the target is a goal, so that nothing has to be
solved (Thomann 2005, chapter 6). SPEA is Zitzler and Thiele's (1999): an archive of what nothing
dominates, each of its members with a strength, the share of the population that it dominates;
fitness is the sum of the strengths of who dominates, selection by tournament.

The thesis is silent on nearly all settings; here they are those usual for the toolbox it used, as
far as its papers tell: fifty individuals on five islands, intermediate recombination, the breeder's
mutation (Muehlenbein and Schlierkamp-Voosen 1993), a fifth migrating every twenty generations.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from articulata.analyses.pose.constraints import lacking
from articulata.analyses.pose.dominance import spread_out, undominated
from articulata.analyses.pose.judging import Judging
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64, IntArray
from articulata.records.posture_fronts import Evolution

Progress = Callable[[int, int], None]
Told: TypeAlias = tuple[float, float, float, float, Array, IntArray, Array]


@dataclass(frozen=True, slots=True)
class StrengthPareto:
    """SPEA on ``islands`` of ``individuals`` in all; a share migrates now and then.

    ``archive`` is how many undominated individuals an island keeps. ``goal`` (m and rad) is how
    near the target counts as met: of two that are not there the nearer is better, whatever else
    they cost. ``aims`` False leaves the objectives of comfort out: the target alone counts (the
    thesis's Figure 8-4). ``worst`` turns them round, to find the other posture (its Figure 8-3).
    """

    individuals: int = 150
    islands: int = 5
    archive: int = 10
    exchange: int = 20
    share: float = 0.2
    mutation: float = 0.1
    goal: float = 0.01
    aims: bool = True
    worst: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.islands <= self.individuals // 4:
            raise KinematicsError(
                f"{self.individuals} individuals live on 1 to {self.individuals // 4} islands, "
                f"four or more on each; not on {self.islands}"
            )


def evolve(
    judging: Judging,
    method: StrengthPareto | None = None,
    *,
    generations: int = 60,
    seed: int = 0,
    start: Float64[Array, "n moving"] | None = None,
    progress: Progress | None = None,
) -> Evolution:
    """Return what ``generations`` of a population make of a question.

    ``start`` are individuals to begin with, such as those of the last target (moving, n): the rest
    is drawn at random. The same ``seed`` gives the same evolution.
    """
    how = method or StrengthPareto()
    if generations < 1:
        raise KinematicsError(f"an evolution takes at least one generation, not {generations}")
    rng = np.random.default_rng(seed)
    world = _Islands(judging, how, rng, start)
    rows = []
    for generation in range(generations):
        world.step(generation)
        rows.append(world.told())
        if progress is not None:
            progress(generation + 1, generations)
    return world.recorded(rows, seed)


_FAR = 1e6
"""What a metre beyond the goal costs in each aim: more than any aim can gain."""


class _Islands:
    """Populations x (n, moving) with ``cost`` (n, 1 + k): the miss, then what is compared."""

    def __init__(
        self, judging: Judging, how: StrengthPareto, rng: np.random.Generator, start: Array | None
    ) -> None:
        self.judging, self.how, self.rng = judging, how, rng
        scene = judging.scene
        self.low = np.where(np.isfinite(scene.lower), scene.lower, -np.pi)
        self.high = np.where(np.isfinite(scene.upper), scene.upper, np.pi)
        n = how.individuals
        self.x = rng.uniform(self.low, self.high, (n, len(self.low)))
        if start is not None:
            given = np.clip(np.atleast_2d(start), self.low, self.high)[:n]
            self.x[: len(given)] = given
        self.island = np.arange(n) % how.islands
        self.cost = self.costs(self.x)
        self.kept: list[tuple[Array, Array]] = [
            (self.x[:0], self.cost[:0]) for _ in range(how.islands)
        ]

    def costs(self, x: Array) -> Array:
        off, turn = lacking(self.judging.scene, self.judging.scene.whole(x))
        miss = off + turn
        if not self.how.aims:
            return np.stack([miss, miss], axis=1)
        values = self.judging.values(x)
        late = _FAR * np.maximum(miss - self.how.goal, 0.0)
        return np.column_stack([miss, (-values if self.how.worst else values) + late[:, None]])

    def step(self, generation: int) -> None:
        for island in range(self.how.islands):
            rows = np.flatnonzero(self.island == island)
            self.x[rows], self.cost[rows] = self._bred(island, rows)
        if generation % self.how.exchange == self.how.exchange - 1 and self.how.islands > 1:
            self._migrate()

    def _bred(self, island: int, rows: IntArray) -> tuple[Array, Array]:
        """Return the next generation of an island."""
        old, old_cost = self.kept[island]
        both = np.concatenate([old, self.x[rows]])
        cost = np.concatenate([old_cost, self.cost[rows]])
        front = np.flatnonzero(undominated(cost[:, 1:]))
        front = front[spread_out(cost[front, 1:], self.how.archive)]
        archive, archived = both[front], cost[front]
        self.kept[island] = archive, archived
        over = (archived[:, None, 1:] <= self.cost[rows][None, :, 1:]).all(axis=2)
        over &= (archived[:, None, 1:] < self.cost[rows][None, :, 1:]).any(axis=2)
        strength = over.sum(axis=1) / (len(rows) + 1.0)
        fitness = np.concatenate([strength, 1.0 + over.T @ strength])
        pool = np.concatenate([archive, self.x[rows]])
        count = len(rows)
        pairs = self.rng.integers(0, len(pool), (2, 2, count))
        parents = np.where(fitness[pairs[0]] <= fitness[pairs[1]], pairs[0], pairs[1])
        # intermediate recombination: anywhere from a quarter before one to a quarter past the other
        part = self.rng.uniform(-0.25, 1.25, (count, pool.shape[1]))
        child = pool[parents[0]] + part * (pool[parents[1]] - pool[parents[0]])
        # the breeder's mutation: mostly small steps, now and then a tenth of the range
        span = self.how.mutation * (self.high - self.low)
        size = 2.0 ** -(16.0 * self.rng.uniform(0.0, 1.0, child.shape))
        moved = self.rng.uniform(0.0, 1.0, child.shape) < max(1.0 / child.shape[1], 0.15)
        sign = self.rng.choice([-1.0, 1.0], child.shape)
        child = np.clip(child + np.where(moved, sign * size * span, 0.0), self.low, self.high)
        return child, self.costs(child)

    def _migrate(self) -> None:
        """Let each island's best replace the worst of the next one."""
        for island in range(self.how.islands):
            here = np.flatnonzero(self.island == island)
            there = np.flatnonzero(self.island == (island + 1) % self.how.islands)
            count = max(1, int(self.how.share * len(here)))
            best = here[np.argsort(self.cost[here, 0], kind="stable")[:count]]
            worst = there[np.argsort(-self.cost[there, 0], kind="stable")[:count]]
            self.x[worst], self.cost[worst] = self.x[best], self.cost[best]

    def told(self) -> Told:
        miss = self.cost[:, 0]
        known = [(float(c[:, 0].min()), k) for k, (_, c) in enumerate(self.kept) if len(c)]
        least, island = min(known)
        x, cost = self.kept[island]
        best = x[int(cost[:, 0].argmin())]
        tops = [float(c[:, 0].min()) if len(c) else np.inf for _, c in self.kept]
        rank = np.empty(len(tops), np.int64)
        rank[np.argsort(tops, kind="stable")] = np.arange(1, len(tops) + 1)
        return (
            least,
            float(miss.min()),
            float(miss.max()),
            float(np.percentile(miss, 85)),
            best,
            rank,
            self.front(),
        )

    def front(self) -> Array:
        """Return the values (m, k) of what is within the goal and dominated by nothing."""
        both = np.concatenate([c for _, c in self.kept])
        met = both[both[:, 0] <= self.how.goal, 1:]
        values = -met if self.how.worst else met
        return np.asarray(values[undominated(met)]) if self.how.aims else values[:0]

    def recorded(self, rows: list[Told], seed: int) -> Evolution:
        scene = self.judging.scene
        x = np.concatenate([each for each, _ in self.kept])
        cost = np.concatenate([each for _, each in self.kept])
        front = np.flatnonzero(undominated(cost[:, 1:]))
        values = self.judging.values(x[front])
        return Evolution(
            f"SPEA, {self.how.individuals} individuals on {self.how.islands} islands",
            tuple(scene.figure.names[c] for c in scene.columns),
            self.judging.labels,
            np.array([row[0] for row in rows]),
            np.array([row[1:3] for row in rows]),
            np.array([row[4] for row in rows]),
            np.array([row[3] for row in rows]),
            self.x.copy(),
            self.cost[:, 0].copy(),
            self.island.astype(np.int64),
            np.array([row[5] for row in rows]),
            scene.whole(x[front]),
            values,
            cost[front, 0],
            seed,
            tuple(row[6] for row in rows),
        )
