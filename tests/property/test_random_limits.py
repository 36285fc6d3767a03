"""Random chains whose hinges have limits: never beyond them, never a gain, the same twice."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art

KINDS = ("pin", "slider", "cylindrical", "screw")


def drawn(seed: int) -> str:
    """Return a chain of three to seven links, perhaps over the ground, hinged in all ways."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 8))
    joins = []
    for number in range(1, count + 1):
        kind = str(rng.choice(KINDS))
        axis = str(rng.choice(["x", "y", "z"]))
        turn = f"({-rng.uniform(5, 60):.1f} deg, {rng.uniform(5, 60):.1f} deg)"
        way = f"({-rng.uniform(2, 15):.2f} cm, {rng.uniform(2, 15):.2f} cm)"
        options = f"axis: {axis}"
        limits = {"pin": turn, "slider": way, "cylindrical": f"({turn} {way})", "screw": turn}[kind]
        if kind == "screw":
            options += f", lead: {rng.uniform(5, 30):.1f} cm"
        other, end = ("post", "center") if number == 1 else (f"bar[{number - 1}]", "foot")
        said = f" limits {limits} restitution {rng.choice([0.0, 0.3, 0.8])}"
        joins.append(
            f"join bar[{number}] to {other} with {kind}({options}) as h{number} "
            f"matching (top, {end}){said if rng.random() < 0.8 else ''}"
        )
    places = [
        f"place bar[{k}] by bar[{k}].top at (0, {-0.3 * (k - 1):.1f}, 0) velocity = "
        f"(({', '.join(f'{x:.2f}' for x in rng.normal(0, 1.5, 3))}) (0, 0, 0))"
        for k in range(1, count + 1)
    ]
    return f"""
primitive bar {{
  properties: (density: 1000)
  geometry: cuboid(4 cm, 30 cm, 6 cm) where {{ top: (0, 15 cm, 0); foot: (0, -15 cm, 0) }}
  dynamics
}}
world chain {{
  gravity: (0, -9.81, 0)
  components {{ post: fixed_point; bar[1..{count}]: bar }}
  structure {{
    place post by post at (0, 0, 0)
    {chr(10).join(places)}
    {chr(10).join(joins)}
  }}
}}
"""


def beyond(world: art.World, run: art.Recording) -> float:
    """Return by how much (m, rad) a coordinate has ever been beyond a limit in a frame."""
    worst = 0.0
    for hinge in world.hinges.values():
        for name, (low, high) in zip(hinge.kind.coordinates, hinge.limits, strict=False):
            values = run.series(f"{hinge.id}.{name}")
            worst = max(worst, low - float(np.min(values)), float(np.max(values)) - high)
    return worst


@pytest.mark.parametrize(
    "seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 8))]
)
def test_random_chains_keep_their_limits_and_their_books(seed: int) -> None:
    world = art.parse(drawn(seed)).world("chain")
    run = art.simulate(world, until=1.0, step=0.02)
    assert any(event.kind == "limit" for event in run.events)
    assert beyond(world, run) < 1e-12
    whole = run.series("energy.total")
    books = whole + run.series("energy.dissipated")
    scale = float(np.max(np.abs(whole - whole[-1])) + np.max(run.series("energy.kinetic")))
    assert np.ptp(books) < 1e-10 * scale
    assert np.all(np.diff(run.series("energy.dissipated")) > -1e-9 * scale)
    for event in run.events:
        if event.kind in ("limit", "settled"):
            assert float(event.values["kinetic_after"]) <= float(event.values["kinetic_before"]) * (
                1.0 + 1e-12
            )
    assert art.simulate(world, until=1.0, step=0.02).to_bytes() == run.to_bytes()


@pytest.mark.parametrize("seed", range(8, 11))
def test_classical_steps_come_to_the_same(seed: int) -> None:
    world = art.parse(drawn(seed)).world("chain")
    exact = art.simulate(world, until=0.3, step=0.02)
    run = art.simulate(world, until=0.3, step=0.02, method=art.RK4(2e-4))
    first = next(event for event in exact.events if event.kind == "limit")
    again = next(event for event in run.events if event.kind == "limit")
    assert again.who == first.who
    assert again.time == pytest.approx(first.time, abs=1e-8)
    assert beyond(world, run) < 1e-12
