"""Mechanisms whose hinges rub, against integrators with equations of their own."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import articulata as art
from articulata.world.model import Friction
from unit.domains.test_couplings import ENGINE, bar, crank_inertia, made

PENDULUM = """
primitive bar {
  properties: (density: 7850 kg/m^3)
  geometry: cuboid(2 cm, 40 cm, 2 cm) where { top: (0, 20 cm, 0); low: (0, -20 cm, 0) }
  dynamics
}
world w {
  gravity: (0, -9.81 m/s^2, 0)
  components { base: fixed_point; a, b: bar }
  structure {
    join a to base with pin(axis: z) as h matching (top, center) FIRST
    join b to a with pin(axis: z) as k matching (top, low) SECOND
    ignore a with b
    place base by base.center at (0, 0, 0)
    place a by h.angle = ANGLE rad
    place b by k.angle = OTHER rad
  }
}
"""

L, PULL = 0.4, 9.81
MASS = 7850.0 * 0.02 * 0.02 * L
SPIN = MASS * (L * L + 0.02**2) / 12.0
TURNS = np.array([[1.0, 0.0], [-1.0, 1.0]])
"""Rates of both hinges by those of both bars."""


class Twice(NamedTuple):
    """A double pendulum: two laws of friction, and the bars' angles from hanging down."""

    laws: tuple[Friction, Friction]
    start: tuple[float, float]

    def solved(self, y: np.ndarray, modes: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Return the bars' angular accelerations (2,) and what hinges that hold bear (2,)."""
        q, v = y[:2], y[2:]
        c, s = (MASS * L * L / 2 * f(q[0] - q[1]) for f in (np.cos, np.sin))
        M = np.array([[SPIN + 1.25 * MASS * L * L, c], [c, SPIN + 0.25 * MASS * L * L]])
        weight = MASS * PULL * L * np.array([1.5, 0.5]) * np.sin(q)
        rubs = [
            -mode * law.sliding(rate) - law.viscous * rate
            for mode, law, rate in zip(modes, self.laws, TURNS @ v, strict=True)
        ]
        f = np.array([-s * v[1] ** 2, s * v[0] ** 2]) - weight + TURNS.T @ rubs
        held = [i for i in range(2) if modes[i] == 0]
        A = np.zeros((2 + len(held), 2 + len(held)))
        A[:2, :2] = M
        for n, i in enumerate(held, 2):
            A[:2, n], A[n, :2] = -TURNS[i], TURNS[i]
        x = np.linalg.solve(A, [*f, *[0.0] * len(held)])
        bears = np.zeros(2)
        bears[held] = x[2:]
        return x[:2], bears

    def modes(self, y: np.ndarray, rest: list[bool], leave: list[bool]) -> tuple[int, ...]:
        """Return which hinges hold (0) and how the others slide, of those at rest by their law."""
        rates = TURNS @ y[2:]
        choices = [
            ((1, -1, 0) if leave[i] else (0, 1, -1)) if rest[i] else (int(np.sign(rates[i])),)
            for i in range(2)
        ]
        # what can hold, holds, unless it is to leave
        ways = itertools.product(*choices)
        for modes in sorted(ways, key=lambda some: sum(np.not_equal(np.array(some) != 0, leave))):
            a, bears = self.solved(y, modes)
            starts = np.array(modes) * (TURNS @ a)
            if all(
                abs(bears[i]) <= self.laws[i].static * (1 + 1e-12)
                and not (rest[i] and starts[i] < -1e-9)
                for i in range(2)
            ):
                return modes
        raise AssertionError("no modes")

    def run(self, until: float) -> tuple[list[tuple[float, str, str]], np.ndarray]:
        """Return when which hinge sticks or slips, and the bars' angles at the end."""
        t, y, told = 0.0, np.array([*self.start, 0.0, 0.0]), []
        modes = self.modes(y, [True, True], [False, False])
        while True:
            watches = [self._watch(i, modes, t) for i in range(2)]
            found = solve_ivp(
                lambda _, y, modes=modes: [*y[2:], *self.solved(y, modes)[0]],
                (t, until), y, "DOP853", events=watches, rtol=1e-12, atol=1e-13, max_step=0.01,
            )  # fmt: skip
            t, y = float(found.t[-1]), found.y[:, -1]
            if t >= until:
                return told, y[:2]
            hit = [len(at) > 0 for at in found.t_events]
            rest = [modes[i] == 0 or hit[i] for i in range(2)]
            leave = [modes[i] == 0 and hit[i] for i in range(2)]
            y[2:] = np.linalg.solve(TURNS, np.where(rest, 0.0, TURNS @ y[2:]))
            old, modes = modes, self.modes(y, rest, leave)
            for i, who in enumerate("hk"):
                if (old[i] == 0) != (modes[i] == 0):
                    told.append((t, "slip" if modes[i] else "stick", who))

    def _watch(self, i: int, modes: tuple[int, ...], begun: float) -> Any:
        def stops(t: float, y: np.ndarray) -> float:
            along = float(modes[i] * (TURNS[i] @ y[2:]))
            return along if t > begun + 1e-5 or along > 1e-9 else 1.0

        def gives(_: float, y: np.ndarray) -> float:
            static = self.laws[i].static * (1 + 1e-13)
            return static - abs(float(self.solved(y, modes)[1][i]))

        watch: Any = stops if modes[i] else gives
        watch.terminal, watch.direction = True, -1
        return watch


def drawn(seed: int) -> Twice:
    rng, laws = np.random.default_rng(seed), []
    for most in (0.8, 0.3):
        dry = round(float(rng.uniform(0.1, 1.0)) * most, 3)
        static = round(dry * float(rng.choice([1.0, rng.uniform(1.0, 2.0)])), 3)
        speed = float(rng.choice([0.0, 0.3])) if static > dry else 0.0
        laws.append(Friction(dry, static, speed, float(rng.choice([0.0, 0.01]))))
    a, b = np.round(rng.uniform(-2.0, 2.0, 2), 3).tolist()
    return Twice((laws[0], laws[1]), (a, a + b))


def said(law: Friction) -> str:
    speed = f", speed: {law.speed!r} rad/s" if law.speed else ""
    return (
        f"friction(dry: {law.dry!r} N*m, static: {law.static!r} N*m, "
        f"viscous: {law.viscous!r} N*m*s{speed})"
    )


def check(seed: int) -> int:
    """Compare a double pendulum with its independent run; return how often it stuck or slipped."""
    both = drawn(seed)
    a, b = both.start
    text = PENDULUM.replace("FIRST", said(both.laws[0])).replace("SECOND", said(both.laws[1]))
    text = text.replace("ANGLE", repr(a)).replace("OTHER", repr(round(b - a, 3)))
    run = art.simulate(art.parse(text).world(), until=2.0, step=0.1)
    known, q = both.run(2.0)
    told = [(e.kind, *e.who) for e in run.events if e.kind in ("stick", "slip")]
    assert told == [(kind, who) for _, kind, who in known]
    times = [e.time for e in run.events if e.kind in ("stick", "slip")]
    assert np.allclose(times, [t for t, _, _ in known], rtol=0.0, atol=1e-8)
    assert abs(run.series("h.angle")[-1] - q[0]) < 1e-7
    assert abs(run.series("k.angle")[-1] - (q[1] - q[0])) < 1e-7
    total, lost = run.series("energy.total"), run.series("energy.dissipated")
    assert np.abs(total + lost - total[0]).max() < 1e-8
    return len(told)


@pytest.mark.parametrize("seed", [1, 8])
def test_a_double_pendulum_rubs_sticks_and_slips(seed: int) -> None:
    assert check(seed) >= 2


@pytest.mark.slow
def test_fifty_double_pendulums_rub_stick_and_slip() -> None:
    assert sum(check(seed) > 1 for seed in range(50)) >= 5


@pytest.mark.parametrize("method", [art.DOP853(), art.Stepping(1e-3)])
def test_a_slider_crank_rubs_from_its_dead_centre_on(method: object) -> None:
    """At rest at dead centre, where the slider's friction has no lever; then down by its weight."""
    text = ENGINE.replace("BORE", "friction(dry: 2 N, static: 3 N)").replace(
        "MOTOR", "friction 0.05 N*m"
    )
    text = text.replace("world w {", "world w { gravity: (0, -9.81 m/s^2, 0)")
    run = art.simulate(made(text), until=0.7, step=0.1, method=method)
    weight = (bar(0.1)[0] + bar(0.3)[0]) * 9.81 * 0.05

    def moves(_: float, y: np.ndarray, way: int) -> list[float]:
        q, rate = y
        slope = np.imag(crank_inertia(complex(q, 1e-30))) / 1e-30
        root = np.sqrt(1.0 - (np.sin(q) / 3.0) ** 2)
        lever = -0.1 * np.sin(q) - np.sin(2.0 * q) / 60.0 / root
        pull = -weight * np.cos(q) - 0.05 * way - 2.0 * lever * np.sign(lever * way)
        return [rate, (pull - 0.5 * slope * rate**2) / float(crank_inertia(q))]

    def turns(t: float, y: np.ndarray, way: int) -> float:
        return float(y[1]) if t > 0.1 else -1.0

    turns.terminal = True  # type: ignore[attr-defined]
    options: Any = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-13, "dense_output": True}
    falls = solve_ivp(moves, (0.0, 0.701), [0.0, 0.0], events=turns, args=(-1,), **options)
    end, back = falls.t[-1], [falls.y[0, -1], 0.0]
    swings = solve_ivp(moves, (end, 0.701), back, args=(1,), **options)
    angles = [float((falls if t < end else swings).sol(t)[0]) for t in run.times]
    assert 0.3 < end < 0.6
    near = 1e-7 if isinstance(method, art.DOP853) else 5e-3
    assert np.abs(run.series("e.main.angle") - angles).max() < near
