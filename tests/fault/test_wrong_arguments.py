"""Arguments of the wrong kind or beyond all bounds: one message each, and no traceback."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import articulata as art
from articulata.geometry.scalars import finite, real, whole

BALL = """primitive ball {
  properties: (density: 1000)
  geometry: sphere(0.1)
  dynamics
}
world w { gravity: (0, -9.81, 0); components b: ball }
"""
METHODS: tuple[type, ...] = (art.RK4, art.Symplectic, art.RealTime, art.Stepping, art.MuJoCo)


@pytest.fixture(scope="module")
def world() -> art.World:
    return art.parse(BALL).world("w")


WRONG: dict[str, tuple[Any, ...]] = {
    "until": ("a", None, True, math.nan, math.inf, -1, 1e300, [1], 1 + 0j, np.array([1.0])),
    "step": ("a", True, 0, -1, 1e-300, math.nan, [1], np.array([0.01])),
    "method": ("rk4", 3, art.RK4, object()),
    "contact": (3, "poisson", art.Contact),
    "rules": (3, [3], "x", [None]),
    "commands": (3, "x"),
    "progress": (3,),
    "start": (3, "x"),
    "seed": ("x", 1.5, None, True, 2**80, -(2**80)),
    "controllers": (3, ["a"], {3: 4}, {"a": 3}),
    "record_to": (3, [], ""),
    "domains": (3, "dynamic", [3], ["nope"], []),
    "on_event": (3, {"impact": 3}, {3: print}),
    "world": (3, None, "w"),
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in WRONG.items() for value in values]
)
def test_simulate_explains_a_wrong_argument(world: art.World, name: str, value: Any) -> None:
    given = {"world": world, "until": 0.02, name: value}
    with pytest.raises(art.ArticulataError) as caught:
        art.simulate(given.pop("world"), **given)
    assert len(str(caught.value)) > 20


def test_numbers_of_numpy_are_numbers(world: art.World) -> None:
    recording = art.simulate(
        world,
        until=np.float32(0.5),
        step=np.float64(0.25),
        method=art.RK4(step=np.float32(0.125)),
        contact=art.Contact(restitution=np.float64(0.5), settle=np.int64(1)),
        seed=np.int64(3),
    )
    assert recording.times.tolist() == [0.0, 0.25, 0.5]
    assert art.Stepping(iterations=np.int64(3)).iterations == 3
    assert type(art.RK4(step=np.float32(0.125)).step) is float


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("step", ["x", None, True, 0, -1.0, math.nan, math.inf, np.ones(1), 1j])
def test_a_method_explains_a_wrong_step(method: Callable[..., Any], step: Any) -> None:
    with pytest.raises(art.ModelError, match="give a finite number greater than 0"):
        method(step=step)


@pytest.mark.parametrize(
    "make",
    [
        lambda: art.DOP853(relative="x"),  # type: ignore[arg-type] # what is tested
        lambda: art.Stepping(iterations=2.5),  # type: ignore[arg-type] # what is tested
        lambda: art.Stepping(iterations=10**12),
        lambda: art.MuJoCo(contacts=3),  # type: ignore[arg-type] # what is tested
        lambda: art.Contact(restitution="x"),  # type: ignore[arg-type] # what is tested
        lambda: art.Contact(steps=0),
        lambda: art.Contact(within=3),  # type: ignore[arg-type] # what is tested
    ],
)
def test_a_setting_explains_a_wrong_value(make: Callable[[], object]) -> None:
    with pytest.raises(art.ModelError, match="give"):
        make()


@pytest.mark.parametrize("method", METHODS)
def test_steps_that_nobody_could_wait_for_are_refused(
    world: art.World, method: Callable[..., Any]
) -> None:
    with pytest.raises(art.SimulationError, match="more than 100,000,000 steps"):
        art.simulate(world, until=0.02, method=method(step=1e-30))


def test_a_cycle_of_many_steps_takes_them_in_parts(world: art.World) -> None:
    recording = art.simulate(world, until=0.25, step=0.25, method=art.RK4(step=1e-5))
    fallen = recording.series("b.center")[-1, 1]
    assert fallen == pytest.approx(-0.5 * 9.81 * 0.25**2, rel=1e-10)


def test_what_counts_as_a_number() -> None:
    assert real(Fraction(1, 4)) == 0.25
    assert real(10**400) == math.inf
    assert real(-(10**400)) == -math.inf
    assert [real(each) for each in (True, np.True_, "3", None, 1j, np.ones(1))] == [None] * 6
    assert [whole(each) for each in (3.0, np.int8(3), 3.5, math.inf, math.nan)] == [
        3, 3, None, None, None,
    ]  # fmt: skip
    assert [finite(each) for each in (math.inf, math.nan, 0)] == [None, None, 0.0]
