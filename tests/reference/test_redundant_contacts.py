"""Contacts that depend on each other, stick, or come in the same instant, from event to event."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.gallery_runs import run

import articulata as art
from articulata.sessions.undone_edits import run_on

G = 9.81

JAWS = """
primitive block {
  properties: (friction: 0.5, density: 4600)
  geometry: cuboid(6 cm, 6 cm, 6 cm)
  dynamics
}
primitive jaw {
  properties: (friction: 0.5, density: 2000)
  geometry: cuboid(2 cm, 4 cm, 4 cm)
  dynamics
}
primitive table { properties: (friction: 0.5); geometry: cuboid(60 cm, 3 cm, 60 cm) }
world vice {
  gravity: (0, -9.81, 0)
  components { table: table; block: block; left, right: jaw; base: fixed_point }
  structure {
    place table by table.top at (0, 0, 0)
    place block by block.bottom at (0, 0, 0)
    place base by base.center at (0, 3 cm, 0)
    join left to base with slider(axis: x) as l matching (center, center)
    join right to base with slider(axis: x) as r matching (center, center)
    force one between left.center and base.center = 5 N
    force other between right.center and base.center = 5 N
    place left by l.travel = -10 cm
    place right by r.travel = 10 cm
  }
}
"""

DOMINOES = """
primitive tile {
  properties: (density: 600, friction: 0.3, restitution: 0)
  geometry: cuboid(8 mm, 48 mm, 24 mm)
  dynamics
}
world row {
  gravity: (0, -9.81, 0)
  components { floor: ground; d[1..4]: tile }
  structure {
    for i in 1..4 { place d[i] by d[i].center at (0.02 * i, 0.024, 0) }
    place d[1] by velocity = ((0.48, 0, 0) (0, 0, -20))
  }
}
"""

FOUR_BAR = """
primitive bar {
  properties: (density: 7850, restitution: 0.3, friction: 0.2)
  geometry: cuboid(1 m, 2 cm, 2 cm) where { left: (-0.5, 0, 0); right: (0.5, 0, 0) }
  dynamics
}
primitive stop { properties: (density: 1000); geometry: cuboid(10 cm, 10 cm, 30 cm) }
world four_bar {
  gravity: (0, -9.81, 0)
  components { a, d: fixed_point; stop: stop; left, top, right: bar }
  structure {
    place a by a.center at (0, 0, 0)
    place d by d.center at (1 m, 0, 0)
    place stop by stop.center at (-0.8 m, 0.3 m, 0)
    place left by left.left at (0, 0, 0), left.right at (0.6 m, 0.8 m, 0)
    join left to a with pin(axis: z) matching (left, center) as h1
    join top to left with pin(axis: z) matching (left, right) as h2
    join right to top with pin(axis: z) matching (right, right) as h3
    join right to d with pin(axis: z) matching (left, center) as h4
  }
}
"""

EXACTLY = art.Contact(crowd=0)
"""Never in steps."""


def booked(recording: art.Recording) -> np.ndarray:
    """Return the energy with what was taken and without what was done: constant."""
    series = recording.series
    return series("energy.total") + series("energy.dissipated") - series("energy.work")


def test_two_jaws_close_at_once_on_a_block_that_sticks_to_its_table() -> None:
    recording = art.simulate(art.parse(JAWS).world(), until=0.4, step=0.02, contact=EXACTLY)
    told = [(event.kind, event.who) for event in recording.events]
    sides = [("block", "left"), ("block", "right")]
    assert told[:1] == [("contact", ("block", "table"))]
    assert sorted(told[1:]) == sorted(
        (kind, who) for kind in ("contact", "impact") for who in sides
    )
    # 16 corners press; 5 N over 6 cm of way bring a jaw of 64 g there, both in the same instant
    at = np.sqrt(2 * 0.06 / (5 / 0.064))
    assert [event.time for event in recording.events[1:]] == pytest.approx([at] * 4, abs=1e-12)
    assert np.max(np.abs(recording.series("block.center") - (0, 0.03, 0))) < 1e-12
    assert np.max(np.abs(recording.series("block.v"))) < 1e-12
    weight = 4600 * 0.06**3 * G
    assert recording.series("dynamic.contact_force.block.fy")[-1] == pytest.approx(weight, rel=1e-9)


@pytest.mark.slow
def test_four_dominoes_fall_and_come_to_rest() -> None:
    """Tile upon tile, sliding and sticking by turns: seven hundred events, not millions."""
    recording = art.simulate(art.parse(DOMINOES).world(), until=0.4, step=0.01, contact=EXACTLY)
    assert len(recording.events) < 1500
    strikes = [event for event in recording.events if event.kind == "impact"]
    firsts = [
        next(event.time for event in strikes if event.who == (f"d[{i}]", f"d[{i + 1}]"))
        for i in (1, 2, 3)
    ]
    assert 0.0 < firsts[0] < firsts[1] < firsts[2] < 0.1
    for i in range(1, 5):
        assert np.max(np.abs(recording.series(f"d[{i}].v")[-1])) < 1e-9
        # the row is its own mirror image
        assert np.max(np.abs(recording.series(f"d[{i}].center.z"))) < 1e-7
    assert np.ptp(booked(recording)) < 1e-9
    assert np.max(np.diff(recording.series("energy.total"))) < 1e-12


PUCK = """
primitive puck {
  properties: (density: 1000, friction: 0.1); geometry: cylinder(5 cm, 2 cm); dynamics
}
world rink {
  gravity: (0, 0, -9.81)
  components { ice: ground; a: puck }
  structure {
    place ice by ice.center at (0, 0, 0) turned 90 deg about x
    place a by a.back at (0, 0, 0), velocity = ((1, 0, 0) (0, 0, 20))
  }
}
"""


def test_a_spinning_puck_slides_as_surfaces_do_that_yield() -> None:
    """Twelve points slide in twelve directions: how they share the load decides the motion.

    The oracle presses with a + b.x, what equal springs under a rigid disc do.
    """
    recording = art.simulate(art.parse(PUCK).world(), until=0.5, step=0.1)
    at = 2 * np.pi * np.arange(12) / 12
    radius, half, mu = 0.05, 0.01, 0.1

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        places = radius * np.array([np.cos(at + y[3]), np.sin(at + y[3])]).T
        slip = y[:2] + y[2] * np.array([-places[:, 1], places[:, 0]]).T
        slip /= np.linalg.norm(slip, axis=1)[:, None]
        arms = np.column_stack([places, np.full(12, -half)])
        pushes = np.column_stack([-mu * slip, np.ones(12)])
        planes = np.column_stack([np.ones(12), places])
        # a + b.x bears the weight, and its moments about x and y vanish
        moments = np.cross(arms, pushes)[:, :2]
        rows = np.vstack([np.ones(12), moments.T]) @ planes
        load = planes @ np.linalg.solve(rows, [G, 0.0, 0.0])
        force = load[:, None] * pushes
        spin = np.cross(arms, force)[:, 2].sum() / (radius**2 / 2)
        return np.array([*force[:, :2].sum(axis=0), spin, y[2]])

    known = solve_ivp(
        rates, (0, 0.5), [1, 0, 20, 0], rtol=1e-12, atol=1e-14, t_eval=recording.times
    ).y
    assert recording.series("a.v.x") == pytest.approx(known[0], abs=1e-9)
    # the ground is turned so that its own y is up
    assert recording.series("a.v.y") == pytest.approx(known[1], abs=1e-9)
    assert recording.series("a.w.z") == pytest.approx(known[2], abs=1e-7)


def test_a_linkage_strikes_a_stop_after_it_has_passed_a_singular_position() -> None:
    """Stretched at 0.4759 s, where contact or none must not matter; it strikes at 1.088 s."""
    world = art.parse(FOUR_BAR).world()
    recording = art.simulate(world, until=1.3, step=0.01, contact=EXACTLY)
    alone = art.simulate(world, until=1.08, step=0.01, domains=("geometric", "control", "dynamic"))
    (hit,) = (event for event in recording.events if event.kind == "impact")
    assert hit.who == ("top", "stop")
    assert hit.time == pytest.approx(1.0878237, abs=1e-6)
    before = slice(0, len(alone.times))
    assert recording.series("top.center")[before] == pytest.approx(
        alone.series("top.center"), abs=1e-8
    )
    gap = recording.series("left.right") - recording.series("top.left")
    assert np.max(np.abs(gap)) < 1e-10
    assert np.ptp(booked(recording)) < 1e-9 * np.max(np.abs(booked(recording)))


WOODPECKER = """
primitive pole {
  properties: (fixed, friction: 0.3)
  geometry: cuboid(5 mm, 2 m, 5 mm)
}
primitive sleeve {
  properties: (friction: 0.3, restitution: 0)
  geometry: union(
    left: cuboid(1 mm, 11.6 mm, 5 mm) at (-3.6 mm, 0, 0),
    right: cuboid(1 mm, 11.6 mm, 5 mm) at (3.6 mm, 0, 0)
  ) where { spring_end: (10 mm, 0, 0) }
  dynamics: (mass: 0.3 g, inertia: (5e-9, 5e-9, 5e-9), center: (0, 0, 0))
}
primitive bird {
  properties: (friction: 0, restitution: 0.5)
  geometry: union(body: sphere(7 mm), beak: sphere(0.1 mm) at (-20 mm, 20 mm, 0)) where {
    tail: (-15 mm, 0, 0)
  }
  dynamics: (mass: 4.5 g, inertia: (7e-7, 7e-7, 7e-7), center: (0, 0, 0))
}
world toy {
  gravity: (0, -9.81, 0)
  components { pole: pole; sleeve: sleeve; bird: bird }
  structure {
    place pole by pole.center at (0, -0.9, 0)
    join bird to sleeve with pin(axis: z) as spring matching (tail, spring_end)
    force coil about spring = -0.0056 N*m/rad * angle
    place sleeve by sleeve.center at (0, 0, 0), velocity = ((0, -0.3, 0) (0, 0, 0))
    place bird by spring.angle = -10 deg
    ignore bird with sleeve
  }
}
"""


def test_a_woodpecker_that_tilts_to_and_fro_stays_on_its_way_from_event_to_event() -> None:
    """The toy of Pfeiffer and Glocker: a sleeve on a pole, alternately struck above and below.

    Its rattling between two edges, restitution 0 each, ends by itself: both close.
    """
    recording = art.simulate(art.parse(WOODPECKER).world(), until=0.45, step=0.01)
    kinds = {event.kind for event in recording.events}
    assert "mode" not in kinds
    assert {"impact", "stick", "slip", "separation"} <= kinds
    assert len(recording.events) < 200
    assert np.ptp(booked(recording)) < 1e-9


@pytest.mark.slow
def test_a_wall_whose_mortar_holds_rocks_to_rest() -> None:
    """The gallery's wall, run on from before its mortar breaks: a tower that rocks on corners."""
    recording = run("wrecking")
    broken = next(
        number
        for number, event in enumerate(recording.events)
        if event.kind == "edit" and "wall.mortar" in event.who
    )
    on = run_on(recording, broken)
    assert on.times[-1] == pytest.approx(3.0)
    assert len(on.events) < 200
    # upright again, and sliding: nothing in this world has friction
    assert np.max(np.abs(on.series("wall.course[2].w")[-1])) < 1e-9
    assert abs(on.series("wall.course[2].v.y")[-1]) < 1e-9
