"""Blocks and balls that slide on curved paths to rest, beside their equations in the plane.

The contact point slides with u under Coulomb's friction, the body moves with v: a ball's contact is
slowed by 7/2 of what its centre is, until it rolls. A block that spins has friction at its four
corners, with the loads of four equal springs. SciPy integrates the equations down to 1e-9 m/s at
relative tolerances of 1e-12 and 1e-11.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from articulata.analyses.simulate.run import simulate
from articulata.domains.dynamic.methods import DOP853, RK4
from articulata.world.document import parse

G = 9.81
METHODS = [DOP853(), RK4(1e-3)]

TEXT = """
primitive slider {{ properties: (density: 1000, friction: {mu!r}); geometry: {shape}; dynamics }}
contact slider with ground: (friction: {mu!r} + {slope!r} s/m * speed)
world w {{
  gravity: (0, -9.81, 0)
  components {{ floor: ground; hook: fixed_point; b: slider }}
  structure {{
    place hook by hook.center at (0, {high!r} m, 0)
    place b by b.center at ({away!r} m, {high!r} m, 0), velocity = (({vx!r}, 0, {vz!r}) (0, 0, 0))
  }}
  force f between b.center and hook.center = {pull}
}}
"""


@dataclass(frozen=True)
class Way:
    """A way to rest: its text, when it ends (s), and the pull there as a share of the limit."""

    text: str
    end: float
    share: float
    rolls: bool


def ended(
    away: float,
    v: Sequence[float],
    pull: Callable[[float], float],
    friction: Callable[[float], float],
    slows: float,
    nearest: float = 0.15,
) -> tuple[float, float] | None:
    """Return when sliding ends and how far from the hook; accelerations m/s^2, of the centre.

    None where it does not end within 4 s, or comes nearer to the hook than ``nearest`` (m).
    """

    def rates(t: float, y: np.ndarray) -> list[float]:
        far, speed = math.hypot(y[0], y[1]), math.hypot(y[4], y[5])
        f = (-pull(far) / far * y[0], -pull(far) / far * y[1])
        d = (friction(speed) / speed * y[4], friction(speed) / speed * y[5])
        drawn = [f[0] - slows * d[0], f[1] - slows * d[1]]
        return [y[2], y[3], f[0] - d[0], f[1] - d[1], *drawn]

    def rest(t: float, y: np.ndarray) -> float:
        return math.hypot(y[4], y[5]) - 1e-9

    def near(t: float, y: np.ndarray) -> float:
        return math.hypot(y[0], y[1]) - nearest

    rest.terminal = near.terminal = True  # type: ignore[attr-defined] # SciPy reads it
    start = [away, 0.0, *v, *v]
    sol = solve_ivp(rates, (0, 4), start, "DOP853", rtol=1e-12, atol=1e-14, events=[rest, near])
    if not len(sol.t_events[0]):
        return None
    return float(sol.t[-1]), math.hypot(sol.y[0, -1], sol.y[1, -1])


def random_way(seed: int, speed_law: bool) -> Way:
    rng = random.Random(seed)
    while True:
        mu, away, speed = rng.uniform(0.05, 0.8), rng.uniform(0.3, 2.0), 10 ** rng.uniform(-2, 0.5)
        angle = rng.uniform(0.0, 2.0 * math.pi)
        v = speed * math.cos(angle), speed * math.sin(angle)
        rolls = rng.random() < 0.4
        if rolls:
            high, slows = rng.uniform(0.05, 0.3), 3.5
            mass, shape = 4000.0 / 3.0 * math.pi * high**3, f"sphere({high!r})"
        else:
            # so low that it does not tip, and as long as wide, so that it does not turn
            wide, slows = rng.uniform(0.1, 0.3), 1.0
            high = wide * rng.uniform(0.05, 0.8) / max(mu, 0.3) * 0.25
            mass, shape = 2000.0 * wide**2 * high, f"cuboid({wide!r}, {2 * high!r}, {wide!r})"
        limit = slows * mu * G
        slope = rng.uniform(-0.05, 0.1) * mu if speed_law else 0.0
        share, springs = rng.uniform(0.0, 0.99), rng.random() < 0.5
        size = share * limit / away * rng.uniform(0.5, 1.5) if springs else share * limit
        found = ended(
            away,
            v,
            (lambda far, k=size: k * far) if springs else (lambda far, a=size: a),
            lambda s, mu=mu, slope=slope: G * (mu + slope * s),
            slows,
        )
        if found is None:
            continue
        end, far = found
        share = (size * far if springs else size) / limit
        if share < 0.99:
            pull = f"{mass * size!r} N/m * distance" if springs else f"{mass * size!r} N"
            text = TEXT.format(
                mu=mu, slope=slope, shape=shape, high=high, away=away, vx=v[0], vz=v[1], pull=pull
            )
            return Way(text, end, share, rolls)


def check_end(way: Way, method: DOP853 | RK4, frames: int = 10) -> None:
    until = 1.25 * way.end + 0.2
    run = simulate(parse(way.text).world("w"), until=until, step=until / frames, method=method)
    assert [event.kind for event in run.events] == ["contact", "stick"]
    assert abs(run.events[-1].time - way.end) < 1e-6
    books = run.series("energy.total") - run.series("energy.work") + run.series("energy.dissipated")
    whole = max(1.0, np.abs(run.series("energy.total")).max())
    # steps of 1 ms miss 2.6e-9 of the energy at most: that of a fast ball with much friction
    share = 1e-9 if isinstance(method, DOP853) else 5e-9
    assert np.abs(books - books[0]).max() < share * whole
    if not way.rolls:
        rests = np.asarray(run.series("b.center"))[np.asarray(run.times) > way.end + 1e-5]
        assert len(rests) > 1
        np.testing.assert_array_equal(rests, rests[[0] * len(rests)])


def block_on_a_spring(slope: float) -> Way:
    def friction(speed: float) -> float:
        return G * (0.3 + slope * speed)

    found = ended(1.0, (0.02, 0.1), lambda far: 8.625 * far, friction, 1.0, nearest=0.0)
    assert found is not None
    text = TEXT.format(
        mu=0.3,
        slope=slope,
        shape="cuboid(20 cm, 10 cm, 20 cm)",
        high=0.05,
        away=1.0,
        vx=0.02,
        vz=0.1,
        pull="34.5 N/m * distance",
    )
    return Way(text, found[0], 8.625 * found[1] / (0.3 * G), False)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_a_block_on_a_spring_across_its_way(method: DOP853 | RK4) -> None:
    way = block_on_a_spring(0.0)
    assert 0.9 < way.share < 0.95
    check_end(way, method)


@pytest.mark.parametrize(("method", "frames"), [(DOP853(), 12), (DOP853(1e-12, 1e-14), 60)])
def test_friction_that_depends_on_speed_whatever_the_frames(method: DOP853, frames: int) -> None:
    check_end(block_on_a_spring(0.1), method, frames)


SPINNING = """
primitive slider {{
  properties: (density: 1000, friction: {mu!r})
  geometry: cuboid({long!r}, {high!r}, {wide!r})
  dynamics
}}
world w {{
  gravity: (0, -9.81, 0)
  components {{ floor: ground; hook: fixed_point; b: slider }}
  structure {{
    place hook by hook.center at (0, {half!r} m, 0)
    place b by b.center at ({away!r} m, {half!r} m, 0),
      velocity = (({vx!r}, 0, {vz!r}) (0, {spin!r}, 0))
  }}
  force f between b.center and hook.center = {pull!r} N
}}
"""


def random_spin(seed: int) -> Way:
    """Return the way of an oblong block that turns as it slides; all its corners stop at once.

    None has been slower than 1 mm/s before: what slides slowly and speeds up is another case.
    """
    rng = random.Random(seed)
    while True:
        long, wide, mu = rng.uniform(0.1, 0.4), rng.uniform(0.1, 0.4), rng.uniform(0.1, 0.6)
        high, away, spin = 0.3 * min(long, wide), rng.uniform(0.5, 2.0), rng.uniform(-8.0, 8.0)
        mass, angle = 1000.0 * long * wide * high, rng.uniform(0.0, 2.0 * math.pi)
        speed, share = 10 ** rng.uniform(-1.5, 0.3), rng.uniform(0.0, 0.95)
        pull, inertia = share * mu * mass * G, mass / 12.0 * (long**2 + wide**2)
        corners = np.array([(i * long, k * wide) for i in (-0.5, 0.5) for k in (-0.5, 0.5)])

        def slipping(
            y: np.ndarray, corners: np.ndarray = corners
        ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            c, s = math.cos(y[2]), math.sin(y[2])
            arms = corners @ np.array([[c, s], [-s, c]]).T
            u = y[3:5] + y[5] * np.column_stack([arms[:, 1], -arms[:, 0]])
            speeds = np.linalg.norm(u, axis=1)
            return arms, u / speeds[:, None], speeds

        def rates(
            t: float,
            y: np.ndarray,
            of: Callable[..., tuple[np.ndarray, ...]] = slipping,
            given: tuple[float, ...] = (mu, high, mass, pull, inertia),
        ) -> np.ndarray:
            mu, high, mass, pull, inertia = given
            arms, along, _ = of(y)
            # loads vary evenly over the face, and balance the moment of friction
            even = np.column_stack([np.ones(4), arms])
            tips = arms - 0.5 * mu * high * along
            loads = even @ np.linalg.solve(
                np.vstack([even.sum(0), tips.T @ even]), [mass * G, 0, 0]
            )
            f = -mu * loads[:, None] * along
            drawn = f.sum(0) - pull / math.hypot(y[0], y[1]) * y[:2]
            turning = float(np.sum(arms[:, 1] * f[:, 0] - arms[:, 0] * f[:, 1]))
            return np.array([*y[3:], *(drawn / mass), turning / inertia])

        def rest(
            t: float, y: np.ndarray, of: Callable[..., tuple[np.ndarray, ...]] = slipping
        ) -> float:
            return float(of(y)[2].min()) - 1e-9

        rest.terminal = True  # type: ignore[attr-defined] # SciPy reads it
        v = speed * math.cos(angle), speed * math.sin(angle)
        start = [away, 0.0, 0.0, *v, spin]
        sol = solve_ivp(rates, (0, 4), start, "DOP853", rtol=1e-11, atol=1e-13, events=rest)
        before = sol.y[:, sol.t < 0.9 * sol.t[-1]].T
        slowest = min(float(slipping(y)[2].min()) for y in before)
        if len(sol.t_events[0]) and slipping(sol.y[:, -1])[2].max() < 1e-8 and slowest > 1e-3:
            text = SPINNING.format(
                mu=mu,
                long=long,
                high=high,
                wide=wide,
                half=0.5 * high,
                away=away,
                vx=v[0],
                vz=v[1],
                spin=spin,
                pull=pull,
            )
            return Way(text, float(sol.t[-1]), share, False)


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_a_block_that_spins(method: DOP853 | RK4) -> None:
    check_end(random_spin(1), method)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 32))
def test_random_blocks_that_spin(seed: int) -> None:
    check_end(random_spin(seed), DOP853())


@pytest.mark.parametrize("seed", range(4))
def test_random_blocks_and_balls(seed: int) -> None:
    way = random_way(seed, seed % 2 == 1)
    for method in METHODS:
        check_end(way, method)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4, 104))
def test_a_hundred_random_blocks_and_balls(seed: int) -> None:
    way = random_way(seed, seed % 4 == 1)
    for method in METHODS:
        check_end(way, method)
