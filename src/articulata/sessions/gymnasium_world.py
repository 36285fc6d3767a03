"""The environment that Gymnasium drives: a world, one step of its controls after the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import gymnasium
import numpy as np
import numpy.typing as npt

from articulata.analyses.simulate.sensing import Moment
from articulata.analyses.simulate.stepped_run import SteppedRun, observations_of
from articulata.errors import SimulationError
from articulata.geometry.arrays import Array
from articulata.records.recording import Recording
from articulata.sessions.environments import Bounds, Episodes, told

Numbers: TypeAlias = npt.NDArray[np.float64]
"""An observation (n,)."""


class WorldEnvironment(gymnasium.Env):  # type: ignore[misc] # the extra's types are not followed
    """A world as a ``gymnasium.Env``; ``articulata.environment`` makes one.

    ``inputs`` name the numbers of an action, ``outputs`` those of an observation, and ``units`` are
    those of the observation. ``run`` is the episode under way.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self,
        episodes: Episodes,
        reward: Callable[[Moment], float] | None,
        ends: tuple[Callable[[Moment], bool], ...],
        observations: Sequence[str] | None,
        bounds: Bounds,
    ) -> None:
        self._episodes, self._reward, self._ends = episodes, reward, ends
        self.run = SteppedRun(episodes.question)
        self._observed = observations_of(self.run.snapshot, observations)
        self.outputs, self.units = self._observed.names, self._observed.units
        self.inputs = tuple(
            f"{name}.{part}" if part else name
            for name, parts in self.run.inputs.items()
            for part in (parts or ("",))
        )
        low, high = _limits(self.run.inputs, bounds)
        self.action_space = gymnasium.spaces.Box(low, high, dtype=np.float64)
        free = np.full(len(self.outputs), np.inf)
        self.observation_space = gymnasium.spaces.Box(-free, free, dtype=np.float64)
        self._number, self._over = 0, True

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Numbers, dict[str, Any]]:
        """Begin another episode; ``options={"start": {...}}`` gives numbers that are not drawn."""
        super().reset(seed=seed)
        given = dict((options or {}).get("start", {}))
        question = self._episodes.drawn(self.np_random, given)
        self.run = SteppedRun(question, record=self._episodes.record)
        self._number, self._over = 0, False
        return self._seen()

    def step(self, action: Any) -> tuple[Numbers, float, bool, bool, dict[str, Any]]:
        """Hold ``action`` for one step; SimulationError where the episode is over."""
        if self._over:
            raise SimulationError("the episode is over; call reset()")
        flat, first = np.asarray(action, float).ravel(), 0
        if flat.size != len(self.inputs):
            raise SimulationError(
                f"an action has {len(self.inputs)} numbers ({', '.join(self.inputs)}), "
                f"not {flat.size}"
            )
        values = {}
        for name, parts in self.run.inputs.items():
            last = first + max(1, len(parts))
            values[name], first = flat[first:last], last
        self.run.hold(values)
        self._number += 1
        step, until = self._episodes.question.step, self._episodes.until
        goal = self._number * step
        truncated = until is not None and goal >= until - 1e-9 * step
        moment = self.run.advance(until if truncated and until is not None else goal)
        terminated = self.run.stopped or any(bool(end(moment)) for end in self._ends)
        reward = 0.0 if self._reward is None else float(self._reward(moment))
        self._over = terminated or truncated
        observation, info = self._seen()
        return observation, reward, terminated, truncated and not terminated, info

    def recording(self) -> Recording:
        """Return the recording of the episode under way; made with ``record=True``."""
        return self.run.recording()

    def _seen(self) -> tuple[Array, dict[str, Any]]:
        moment = self.run.moment
        events = tuple(told(event) for event in moment.events)
        return self._observed.vector(moment), {"time": moment.time, "events": events}


def _limits(inputs: Mapping[str, tuple[str, ...]], bounds: Bounds) -> tuple[Array, Array]:
    """Return the lowest and highest action, each number's own; SimulationError for what cannot be.

    ``inputs`` are the controllers with the names of their numbers.
    """
    named = bounds if isinstance(bounds, Mapping) else dict.fromkeys(inputs, bounds)
    for name, each in named.items():
        if name not in inputs:
            known = ", ".join(inputs) or "none"
            raise SimulationError(f"bounds are given for '{name}'; controls ask: {known}")
        if not (len(each) == 2 and each[0] < each[1]):
            raise SimulationError(f"bounds of '{name}' are {each!r}; give (lowest, highest)")
    pairs = [
        named.get(name, (-math.inf, math.inf))
        for name, parts in inputs.items()
        for _ in range(max(1, len(parts)))
    ]
    table = np.array(pairs, np.float64).reshape(-1, 2)
    return table[:, 0], table[:, 1]
