"""Conditions that come true again and again: the same events whatever the control cycle.

The answers are those of closed forms: an oscillator passes its middle once a period, a ball that is
thrown up whenever it begins to fall hops at equal intervals.
"""

from __future__ import annotations

import gc
import math

import numpy as np
import pytest

import articulata as art
from articulata.analyses.simulate.crossings import SAMPLES, closely, next_rise, periodic
from articulata.domains.dynamic.dynamic_domain import DynamicModel
from articulata.domains.dynamic.methods import DOP853, RK4, AnyMethod, MuJoCo, Stepping
from articulata.records.recording import Recording
from shares import shares

BODY = """
primitive ball { geometry: sphere(1 cm); dynamics: (mass: 1 kg, inertia: (1, 1, 1)) }
primitive bar {
  properties: (density: 500)
  geometry: cuboid(1 m, 5 cm, 5 cm) where { near: (-50 cm, 0, 0); far: (50 cm, 0, 0) }
  dynamics
}
"""
SPRING = """
world w {
  components { k: ball; o: fixed_point }
  structure {
    place o by o.center at (-1 m, 0, 0)
    place k by k.center at (1 cm, 0, 0)
    force f between k.center and o.center = 1e6 N/m * (distance - 1 m)
  }
}
"""
THROWN = """
world w {
  gravity: (0, -9.81, 0)
  components { k: ball; floor: ground }
  structure { place k by k.center at (0, 1 m, 0) }
}
"""


def run(world: str, *clauses: str, step: float, until: float, method: AnyMethod) -> Recording:
    told = "\n  ".join((f"time: ({step!r} s, {until!r} s)", *clauses))
    request = art.parse(f"{BODY}{world}simulate w {{\n  {told}\n}}\n").requests[0]
    return art.simulate(request, method=method)


def instants(found: Recording, kind: str = "condition") -> list[float]:
    return [event.time for event in found.events if event.kind == kind]


@pytest.mark.parametrize(
    ("method", "step", "within"),
    [
        (DOP853(), 0.02, 1e-9),
        (DOP853(), 0.005, 1e-9),
        pytest.param(RK4(2e-4), 0.02, 1e-6, marks=pytest.mark.slow),
        pytest.param(Stepping(1e-4), 0.02, 1e-4, marks=pytest.mark.slow),
        pytest.param(MuJoCo(5e-4), 0.02, 1e-4, marks=pytest.mark.slow),
    ],
)
def test_an_oscillator_passes_its_middle_once_a_period(
    method: AnyMethod, step: float, within: float
) -> None:
    """1 kg on 1 MN/m turns round 159 times a second, many times within a control cycle."""
    if isinstance(method, MuJoCo):
        pytest.importorskip("mujoco")
    found = run(
        SPRING, "on k.center.x > 0: set k.friction = 0.3", step=step, until=0.03, method=method
    )
    exact = (1.5 + 2.0 * np.arange(5)) * math.pi / 1000.0
    assert instants(found) == pytest.approx(exact.tolist(), abs=within)
    assert len(instants(found, "edit")) == len(exact)


@pytest.mark.parametrize("step", [0.02, 0.001])
@pytest.mark.parametrize("method", [DOP853(), RK4(), Stepping(), MuJoCo()])
def test_a_ball_is_thrown_up_whenever_it_begins_to_fall(method: AnyMethod, step: float) -> None:
    """It is at rest at the start and at the top of every hop, 0.05 m/s / g apart."""
    if isinstance(method, MuJoCo):
        pytest.importorskip("mujoco")
    until, hop = 0.032, 0.05 / 9.81
    found = run(
        THROWN, "on k.v.y < 0: set k.v = (0, 0.05 m/s, 0)", step=step, until=until, method=method
    )
    assert instants(found) == pytest.approx([n * hop for n in range(7)], abs=1e-12)
    rest = until - 6 * hop
    height = 1.0 + 6 * 0.05 * hop / 2 + 0.05 * rest - 9.81 * rest**2 / 2
    assert found.series("k.center.y")[-1] == pytest.approx(height, abs=1e-12)


def test_a_condition_waits_until_the_margin_has_been_below_zero() -> None:
    """What is set to the very bound has not become false: no new event, and no end of events."""
    found = run(THROWN, "on k.v.y < 0: set k.v = (0, 0, 0)", step=0.01, until=0.05, method=DOP853())
    assert instants(found) == [pytest.approx(0.0, abs=1e-12)]
    assert found.series("k.v.y")[-1] == pytest.approx(-9.81 * 0.05, abs=1e-12)


def test_clauses_that_set_each_other_off_are_an_error() -> None:
    """Each makes true at once what the other waits for."""
    with pytest.raises(art.SimulationError, match="follow from one another without end") as caught:
        run(
            THROWN,
            "on k.v.y < -10 cm/s: set k.v = (0, 1, 0)",
            "on k.v.y > 50 cm/s: set k.v = (0, -1, 0)",
            step=0.01, until=0.05, method=DOP853(),
        )  # fmt: skip
    kept = caught.value.recording  # type: ignore[attr-defined] # documented in simulate()
    times = instants(kept)
    assert len(times) > 90
    assert times == pytest.approx([0.1 / 9.81] * len(times), abs=1e-12)


def test_a_clause_that_soon_brings_itself_about_is_an_error() -> None:
    """A fall from -0.99999 to -1 m/s takes 1.02 us, and no edit ends it: 500 of them 0.51 ms."""
    with pytest.raises(art.SimulationError, match="each soon brings about the next") as caught:
        run(
            THROWN, "on k.v.y < -1: set k.v = (0, -0.99999 m/s, 0)",
            step=0.02, until=1.0, method=DOP853(),
        )  # fmt: skip
    times = instants(caught.value.recording)  # type: ignore[attr-defined] # documented in simulate()
    first = 1.0 / 9.81
    assert times == pytest.approx([first + 1e-5 / 9.81 * n for n in range(501)], abs=1e-9)


@pytest.mark.parametrize(
    "method",
    [DOP853(), *(pytest.param(each, marks=pytest.mark.slow) for each in (Stepping(), MuJoCo()))],
)
def test_models_of_earlier_worlds_are_not_kept(method: AnyMethod) -> None:
    """Each of 20 hops is an edit with models of its own, which the next one replaces."""
    if isinstance(method, MuJoCo):
        pytest.importorskip("mujoco")
    gc.collect()
    gc.freeze()  # what is there is not looked through again, here and later
    alive: list[int] = []

    def count(event: art.Event, moment: art.Moment) -> None:
        if len(instants_told) % 10 == 0:
            gc.collect()
            # by type(): what a weak reference of others led to may be gone
            alive.append(sum(issubclass(type(each), DynamicModel) for each in gc.get_objects()))
        instants_told.append(event.time)

    instants_told: list[float] = []
    text = f"{BODY}{THROWN}simulate w {{ time: (0.02 s, 0.11 s)\n"
    text += "on k.v.y < 0: set k.v = (0, 0.05 m/s, 0) }"
    art.simulate(art.parse(text).requests[0], method=method, on_event={"edit": count})
    assert len(instants_told) > 20
    assert max(alive) == alive[0] > 0


def test_a_callback_s_edit_arms_what_it_makes_false() -> None:
    """A callback sets the velocity back on every event of a rule given from Python."""
    rule = art.Rule("condition", ("<", "k.v.y", -0.05), ())

    def back(event: art.Event, moment: art.Moment) -> art.Edit:
        return art.Place("k", velocity=(0.0, 0.0, 0.0))

    world = art.parse(f"{BODY}{THROWN}").world("w")
    found = art.simulate(world, until=0.032, step=0.02, rules=[rule], on_event={"condition": back})
    fall = 0.05 / 9.81
    assert instants(found) == pytest.approx([n * fall for n in range(1, 7)], abs=1e-12)


def test_a_force_that_holds_at_the_start_is_no_event() -> None:
    """The pin carries a bar at rest; only once it swings does the force fall and rise again."""
    hung = """
world w {
  gravity: (0, -9.81, 0)
  components { hook: fixed_point; arm: bar }
  structure {
    join arm to hook with pin(axis: z) as h1 matching (near, center)
    place hook by hook.center at (0, 2, 0)
    place arm by h1.angle = -30 deg
  }
}
"""
    found = run(
        hung, "on h1.force > 4 N: set arm.friction = 0.3", step=0.02, until=0.05, method=DOP853()
    )
    weight = 500 * 1.0 * 0.05**2 * 9.81
    assert np.linalg.norm(found.series("h1.force")[0]) > 4.0
    assert weight > 4.0
    assert instants(found) == []


OSCILLATING = """
world w {{
  gravity: (0, -9.81, 0)
  components {{ hook, o: fixed_point; arm: bar; k: ball; floor: ground }}
  structure {{
    join arm to hook with pin(axis: z) as h1 matching (near, center)
    place hook by hook.center at (0, 3, 0)
    place arm by h1.angle = {angle!r} deg
    place o by o.center at (3, 2, 0)
    place k by k.center at ({place!r}, 2, 0)
    force f between k.center and o.center = {stiffness!r} N/m * (distance - 1 m)
    force m about h1 = -{spring!r} N*m/rad * angle
  }}
}}
"""


def oscillating(seed: int) -> tuple[str, tuple[str, ...]]:
    """Return a world of a bar on a pin with a spring and a ball on another, and its clauses."""
    chance = np.random.default_rng(seed)
    stiffness, spring = chance.uniform(500, 4000), chance.uniform(50, 400)
    place = 4.0 + chance.uniform(0.02, 0.1)
    world = OSCILLATING.format(
        angle=chance.uniform(-40, 40), place=place, stiffness=stiffness, spring=spring
    )
    swing = (place - 4.0) * chance.uniform(-0.5, 0.5)
    tilt, load = chance.uniform(-20, 20), chance.uniform(8, 14)
    kick, fast = chance.uniform(0.5, 2.0), swing * math.sqrt(stiffness)
    return world, (
        f"on k.center.x > {4.0 + swing!r}: set k.friction = 0.4",
        f"on k.v.x > {fast!r} and k.center.y < 1.99: set k.v = ({kick!r}, {kick!r}, 0)",
        f"on h1.angle > {tilt!r} deg: set gravity = ({chance.uniform(-2, 2)!r}, -9.81, 0)",
        f"on h1.force > {load!r} N: set arm.friction = 0.2",
        f"on sin({chance.uniform(2, 6)!r} * arm.w.z / (1 rad/s)) > 0.3: set k.restitution = 0.5",
        f"on sin(60 * time / (1 s)) > {chance.uniform(-0.8, 0.8)!r}: set k.w = (0, 0, {kick!r})",
    )


def check_cycles(seed: int, steps: tuple[float, ...], until: float) -> None:
    world, clauses = oscillating(seed)
    runs = [run(world, *clauses, step=step, until=until, method=DOP853()) for step in steps]
    told = [[(e.kind, e.who, e.values.get("clause")) for e in each.events] for each in runs]
    times = [np.array([event.time for event in each.events]) for each in runs]
    ends = [[each.series(path)[-1] for path in ("k.center", "arm.far")] for each in runs]
    assert len(instants(runs[0])) > 3
    for other in range(1, len(runs)):
        assert told[other] == told[0]
        assert np.max(np.abs(times[other] - times[0])) < 1e-9
        assert np.max(np.abs(np.subtract(ends[other], ends[0]))) < 1e-9


@pytest.mark.parametrize("seed", [0, 1])
def test_events_do_not_depend_on_the_control_cycle(seed: int) -> None:
    """Conditions on places, rates, forces, angles and time, and edits that change the motion."""
    check_cycles(seed, (0.02, 0.005), 0.06)


def test_a_sine_that_turns_whole_rounds_between_looks_is_seen() -> None:
    """All five looks of the step were far below zero and nearly alike; it rises between them."""

    def of(share: float) -> float:
        return math.sin(25.2 * share - 0.05) - 0.3

    shares = list(SAMPLES)
    values = [of(share) for share in shares]
    assert max(values) < -0.25
    rise, _ = next_rise(of, *closely(of, shares, values, True), -1e-12, True)
    assert rise == pytest.approx((math.asin(0.3) + 0.05) / 25.2, abs=1e-12)
    assert periodic((">", ("sin", ("*", 3.9, "arm.w.z")), 0.3))
    assert not periodic((">", ("*", 3.9, "arm.w.z"), 0.3))


@pytest.mark.parametrize("seed", shares(range(20), slow=1))
def test_events_do_not_depend_on_any_control_cycle(seed: int) -> None:
    """The same over cycles of 20 ms to 0.1 ms."""
    check_cycles(seed, (0.02, 0.01, 0.002, 0.0005, 0.0001), 0.25)
