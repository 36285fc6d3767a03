"""Piles, arches and shared loads in stepping mode, against statics."""

from __future__ import annotations

import math

import numpy as np
import pytest

import articulata as art
from articulata.domains.assemble import build
from shares import shares

STEP = 1e-3


def arch(ratio: float, stones: int = 15) -> art.World:
    """A half circle of voussoirs, its mean radius 1 m and its thickness ``ratio`` of that."""
    half = math.pi / stones / 2
    inner, outer = 1.0 - ratio / 2, 1.0 + ratio / 2
    corners = " ".join(
        f"({side * r * math.sin(half)!r} {r * math.cos(half) - 1.0!r})"
        for r, side in ((inner, -1), (inner, 1), (outer, 1), (outer, -1))
    )
    places = []
    for k in range(stones):
        angle = math.pi * (k + 0.5) / stones
        places.append(
            f"place v[{k + 1}] by v[{k + 1}].middle at ({math.cos(angle)!r}, {math.sin(angle)!r}, "
            f"0) turned {math.degrees(angle) - 90!r} deg about z"
        )
    return art.parse(
        f"""
primitive stone {{
  properties: (density: 2000, friction: 0.8)
  geometry: extruded(({corners}), 0.3) where {{ middle: (0, 0, 0) }}
  dynamics
}}
world arch {{
  gravity: (0, -9.81, 0)
  components {{ floor: ground; v[1..{stones}]: stone }}
  structure {{ {"; ".join(places)} }}
}}
"""
    ).world("arch")


@pytest.mark.parametrize(("ratio", "stands"), [(0.2, True), (0.11, True), (0.1, False)])
def test_masonry_arch_stands_above_the_least_thickness(ratio: float, stands: bool) -> None:
    # a half circle stands from a thickness of 0.1075 of its radius on
    # (Heyman, Int. J. Solids Struct. 4 (1968) 269, corrected after Milankovitch 1907)
    world = arch(ratio)
    run = art.simulate(world, until=0.5, step=0.1, method=art.Stepping(STEP))
    position = run.array("dynamic.position")
    moved = float(np.max(np.abs(position[-1] - position[0])))
    assert moved < 1e-12 if stands else moved > 1e-3


MIXED = """
primitive light {
  properties: (density: 1000, friction: 0.5)
  geometry: cuboid(0.2, 0.2, 0.2)
  dynamics
}
primitive heavy {
  properties: (density: 1e6, friction: 0.5)
  geometry: cuboid(0.2, 0.2, 0.2)
  dynamics
}
world mixed {
  gravity: (0, -9.81, 0)
  components { floor: ground; a[1..5]: light; b[1..5]: heavy }
  structure {
    for i in 1..5 {
      place a[i] by a[i].center at (0, (2 * i - 1.5) * 0.2, 0)
      place b[i] by b[i].center at (0, (2 * i - 0.5) * 0.2, 0)
    }
  }
}
"""


def test_boxes_a_thousand_times_heavier_stand_on_light_ones() -> None:
    world = art.parse(MIXED).world("mixed")
    run = art.simulate(world, until=1.0, step=0.2, method=art.Stepping(STEP))
    position = run.array("dynamic.position")
    assert np.max(np.abs(position[-1] - position[0])) < 1e-10
    force = run.array("dynamic.contact_force")[-1]
    boxes = [number for number, name in enumerate(world.bodies) if name != "floor"]
    mass = [8.0 if name.startswith("a") else 8000.0 for name in world.bodies if name != "floor"]
    left = force[boxes, :3] - 9.81 * np.outer(mass, [0.0, 1.0, 0.0])
    assert np.max(np.abs(left)) < 1e-9 * 9.81 * 8000.0


PLATE = """
primitive ball(e: number) {
  properties: (density: 1000, restitution: e)
  geometry: sphere(10 cm)
  dynamics
}
world row(e: number = 0.5) {
  components { a: ball(0.2); b: ball(e); c: ball(e) }
  structure {
    place a by a.center at (-21 cm, 0, 0) velocity = ((2 m/s, 0, 0) (0, 0, 0))
    place b by b.center at (0, 0, 0)
    place c by c.center at (20 cm, 0, 0)
  }
}
"""


@pytest.mark.parametrize("e", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("law", [art.Newton(), art.Poisson(), art.Sequential()], ids=str)
def test_impacts_obey_the_same_law_as_from_event_to_event(e: float, law: art.Newton) -> None:
    world, contact = art.parse(PLATE).world("row", e), art.Contact(impact=law)
    stepped, exact = (
        art.simulate(world, until=0.05, step=0.01, method=method, contact=contact)
        for method in (art.Stepping(STEP), art.DOP853())
    )
    u, v = (run.array("dynamic.velocity")[-1, :, 0] for run in (stepped, exact))
    assert np.max(np.abs(u - v)) < 1e-12
    (first, *_) = (event for event in stepped.events if event.kind == "impact")
    assert first.values["law"] == law.name


def test_poissons_law_is_not_newtons() -> None:
    """Balls of different restitution in a row tell the two apart."""
    world = art.parse(PLATE).world("row", 1.0)
    newton, poisson = (
        art.simulate(
            world, until=0.05, step=0.01, method=art.Stepping(STEP), contact=art.Contact(impact=law)
        ).array("dynamic.velocity")[-1, :, 0]
        for law in (art.Newton(), art.Poisson())
    )
    assert np.max(np.abs(newton - poisson)) > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("method", [art.DOP853(), art.RK4(STEP), art.Stepping(STEP)], ids=str)
def test_ten_boxes_stand_for_a_minute(method: art.RK4) -> None:
    text = MIXED.partition("world mixed")[0] + (
        """
world stack {
  gravity: (0, -9.81, 0)
  components { floor: ground; b[1..10]: light }
  structure { for i in 1..10 { place b[i] by b[i].center at (0, (i - 0.5) * 0.2, 0) } }
}
"""
    )
    run = art.simulate(
        art.parse(text).world("stack"), until=60.0, step=0.5, method=method,
        contact=art.Contact(crowd=0.0),
    )  # fmt: skip
    position = run.array("dynamic.position")
    assert np.max(np.abs(position - position[0])) < 1e-11
    assert {event.kind for event in run.events} == {"contact"}


WHIRLING = """
primitive can {
  properties: (density: 3700, restitution: 0.095, friction: 0)
  geometry: cylinder(19 cm, 15.8 cm)
  dynamics
}
world thrown {
  gravity: (0, -9.81, 0)
  components { floor: ground; c: can }
  structure {
    place c by c.center at (0, 0.9, 0) velocity = ((-1.3, -1.39, -0.92) (-2.19, -0.94, -2.21))
  }
}
"""


def test_what_whirls_on_its_rim_does_not_sink_in() -> None:
    """It strikes anew in every step; left to bounce, it sank in by 8.4 mm."""
    world = art.parse(WHIRLING).world("thrown")
    recording = art.simulate(world, until=1.5, step=0.01, method=art.Stepping())
    interference = build(world)["interference"]
    gaps = [
        contact.gap
        for pose in recording.array("geometric.pose")
        for contact in interference.contacts(pose)
    ]
    assert len(gaps) > 100
    assert min(gaps) > -1e-5


RINGS = """
primitive ring1 {
  properties: (density: 593.2, friction: 0, restitution: 0.132)
  geometry: difference(cylinder(0.15, 0.05), cylinder(0.0780, 0.2))
  dynamics
}
primitive ring2 {
  properties: (density: 1421.8, friction: 0.551, restitution: 0)
  geometry: difference(cylinder(0.15, 0.05), cylinder(0.0922, 0.2))
  dynamics
}
world rings {
  gravity: (0, -25, 0)
  components { floor: ground; b1: ring1; b2: ring2 }
  structure {
    place b1 by b1.origin at (0, 0.4, 0) turned 88.5803268 deg about (1, 0, 0)
      velocity = ((0, 0, 0) (0, -9.58391, 0))
    place b2 by b2.origin at (0, 0.6, 0) turned 90.9482447 deg about (1, 0, 0)
      velocity = ((0, 0, 0) (0, -18.8885, 0))
  }
}
"""
"""One ring falls into another: some four hundred points in one step."""


@pytest.mark.parametrize("step", shares([2e-3, 1e-3], slow=1))
def test_impulses_that_do_not_agree_in_time_bring_no_energy(step: float) -> None:
    run = art.simulate(
        art.parse(RINGS).world("rings"), until=0.4, step=step, method=art.Stepping(step)
    )
    energy = run.series("energy.total")
    assert np.max(np.diff(energy)) <= 1e-6 * energy[0]
    assert np.ptp(energy + run.series("energy.dissipated")) <= 1e-9 * energy[0]
