"""Energy, momentum and equations before and after every kind of event, against independent sums."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import articulata as art
from articulata.geometry.arrays import Array
from articulata.records.events import Event
from articulata.records.state import State
from articulata.world.masses import body_mass

G = 9.81
SIZES = ("hinge_rows", "contact_rows", "unknowns", "rank")
NAMES = ("kinetic", "energy", "momentum", *SIZES)

BOUNCE = """
primitive ball { properties: (density: 1000, restitution: 0.5); geometry: sphere(10 cm); dynamics }
world bounce {
  gravity: (0, -9.81, 0)
  components { floor: ground; b: ball }
  structure { place b by b.center at (0, 1.1, 0) velocity = ((1, 0, 0) (0, 0, 0)) }
}
"""

PUSHED = """
let steel = material(density: 1000)
contact steel with ground: (friction: 0.4, static_friction: 0.6)
primitive block {
  properties: (material: steel)
  geometry: cuboid(20 cm, 10 cm, 20 cm)
  dynamics
}
world pushed {
  gravity: (0, -9.81, 0)
  components { floor: ground; anchor: fixed_point; b: block }
  structure {
    place b by b.center at (0, 5 cm, 0)
    place anchor by anchor.center at (9, 5 cm, 0)
    force push between b.center and anchor.center = 30 N/s * min(time, 2 s - time)
  }
}
"""

LIFTED = """
primitive ball { properties: (density: 1000); geometry: sphere(10 cm); dynamics }
world lifted {
  gravity: (0, -9.81, 0)
  components { floor: ground; hook: fixed_point; b: ball }
  structure {
    place hook by hook.center at (0, 3, 0)
    place b by b.center at (0, 10 cm, 0)
    force rope between b.center and hook.center = 100 N/s * time
  }
}
"""

STOPPED = """
primitive bar {
  properties: (density: 500)
  geometry: cuboid(1 m, 5 cm, 5 cm) where { near: (-50 cm, 0, 0) }
  dynamics
}
world stopped {
  gravity: (0, -9.81, 0)
  components { hook: fixed_point; arm: bar }
  structure {
    place hook by hook.center at (0, 2, 0)
    join arm to hook with pin(axis: z) as p matching (near, center) limits (-30 deg, 20 deg)
    place arm by arm.near at (0, 2, 0)
  }
}
"""

HUNG = """
primitive bar {
  properties: (density: 500)
  geometry: cuboid(1 m, 5 cm, 5 cm) where { near: (-50 cm, 0, 0); far: (50 cm, 0, 0) }
  dynamics
}
world yard {
  gravity: (0, -9.81, 0)
  components { hook: fixed_point; arm: bar; floor: ground }
  structure {
    join arm to hook with pin(axis: z) as pin1 matching (near, center) breaks at 25 N
    place hook by hook.center at (0, 2, 0)
    place arm by arm.center at (0.5, 2, 0)
  }
}
simulate yard {
  time: (10 ms, 0.6 s)
  on arm.v.y < -1 m/s: set arm.color = red
  on time 0.2 s: set gravity = (0, -9, 0)
}
"""


def summed(world: art.World, state: State) -> tuple[float, float, Array]:
    """Kinetic energy, energy without that of forces, and momentum, body by body."""
    arrays = state.arrays
    kinetic = potential = 0.0
    momentum = np.zeros(6)
    for k, body in enumerate(world.bodies.values()):
        known = body_mass(body) if body.motion == "free" and body.dynamic else None
        if known is None:
            continue
        r, v, w = (arrays[f"dynamic.{name}"][k] for name in ("position", "velocity", "rate"))
        q = np.roll(arrays["dynamic.orientation"][k], -1)  # scalar last
        R = Rotation.from_quat(q).as_matrix()
        spin = R @ np.asarray(known.inertia) @ R.T @ w
        kinetic += 0.5 * known.mass * v @ v + 0.5 * w @ spin
        potential -= known.mass * np.asarray(world.gravity) @ r
        momentum += np.concatenate([known.mass * v, np.cross(r, known.mass * v) + spin])
    return kinetic, kinetic + potential, momentum


def rank_with(world: art.World, state: State, rows: list[Array]) -> tuple[int, int]:
    """Unknowns and rank of A x = b with rows (6,) of contacts of the only free body."""
    A = art.equations(world, state).A
    J = np.zeros((len(rows), A.shape[1]))
    J[:, :6] = np.array(rows).reshape(-1, 6)
    whole = np.block([[A, J.T], [J, np.zeros((len(rows), len(rows)))]])
    return whole.shape[1], int(np.linalg.matrix_rank(whole))


def row(point: tuple[float, float, float], axis: tuple[float, float, float]) -> Array:
    """The row of a contact at ``point``, from the mass centre, along ``axis``."""
    return np.concatenate([axis, np.cross(point, axis)])


X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
CORNERS = [(x, -0.05, z) for x in (-0.1, 0.1) for z in (-0.1, 0.1)]


def told(event: Event, name: str, end: str) -> float:
    value = event.values[f"{name}_{end}"]
    assert isinstance(value, float)
    return value


def sizes(event: Event) -> tuple[tuple[float, ...], tuple[float, ...]]:
    before, after = (tuple(told(event, name, end) for name in SIZES) for end in ("before", "after"))
    return before, after


def one(recording: art.Recording, kind: str) -> Event:
    return next(event for event in recording.events if event.kind == kind)


def check_after(world: art.World, event: Event, until: float, forces: float = 0.0) -> None:
    """What the event says is so after it is what the bodies' own motion then sums up to."""
    state = art.simulate(world, until=until, step=until).state(until)
    kinetic, energy, momentum = summed(world, state)
    assert told(event, "kinetic", "after") == pytest.approx(kinetic, abs=1e-9)
    assert told(event, "energy", "after") == pytest.approx(energy + forces, abs=1e-9)
    assert event.values["momentum_after"] == pytest.approx(momentum, abs=1e-9)


@pytest.mark.parametrize(
    "text", [BOUNCE, PUSHED, LIFTED, STOPPED], ids=["bounce", "pushed", "lifted", "stopped"]
)
@pytest.mark.parametrize("method", [art.DOP853(), art.RK4(1e-3), art.Stepping()], ids=str)
def test_every_event_says_all_of_it(text: str, method: art.RK4) -> None:
    recording = art.simulate(art.parse(text).world(), until=2.5, step=0.05, method=method)
    assert recording.events
    for event in recording.events:
        assert "law" in event.values
        for name in NAMES:
            if name == "rank" and isinstance(method, art.Stepping):
                continue  # steps solve for impulses, whatever depends on what
            assert f"{name}_before" in event.values, (event.kind, name)
            assert f"{name}_after" in event.values, (event.kind, name)


def test_a_clause_a_strength_and_an_edit_say_all_of_it() -> None:
    recording = art.simulate(art.parse(HUNG).requests[0])
    assert {event.kind for event in recording.events} >= {"break", "edit", "condition", "time"}
    for event in recording.events:
        for name in NAMES:
            if name == "contact_rows" and event.kind == "edit":
                continue  # contacts are found anew right after an edit
            assert f"{name}_before" in event.values, (event.kind, name)
    broken = one(recording, "break")
    edit = recording.events[recording.events.index(broken) + 1]
    assert sizes(broken) == ((5, 0, 11, 11), (5, 0, 11, 11))
    assert (edit.kind, edit.time) == ("edit", broken.time)
    assert told(edit, "rank", "before") == 11
    assert told(edit, "rank", "after") == 6


def test_an_impact_says_what_bodies_and_equations_were() -> None:
    world = art.parse(BOUNCE).world()
    recording = art.simulate(world, until=3.0, step=0.05)
    hit = recording.events[0]
    assert hit.kind == "impact"
    mass = 1000 * 4 / 3 * math.pi * 1e-3
    assert told(hit, "kinetic", "before") == pytest.approx(mass * (G + 0.5), rel=1e-12)
    assert told(hit, "kinetic", "after") == pytest.approx(mass * (0.25 * G + 0.5), rel=1e-12)
    assert told(hit, "energy", "before") == pytest.approx(mass * (1.1 * G + 0.5), rel=1e-12)
    assert hit.values["energy_lost"] == pytest.approx(0.75 * mass * G, rel=1e-12)
    v, x = math.sqrt(2 * G), hit.time
    assert hit.values["momentum_before"] == pytest.approx(
        (mass, -mass * v, 0, 0, 0, -mass * (v * x + 0.1)), abs=1e-9
    )
    assert sizes(hit) == ((0, 0, 6, 6), (0, 0, 6, 6))
    check_after(world, hit, hit.time)
    settled = one(recording, "settled")
    assert sizes(settled) == ((0, 0, 6, 6), (0, 1, 7, 7))
    assert settled.values["rows_added"] == ("b.surface on floor.top fn",)
    assert settled.values["rows_removed"] == ()


def test_stick_and_slip_say_which_rows_came_and_went() -> None:
    """Four corners: a row each along the normal, and two across while they stick."""
    world = art.parse(PUSHED).world()
    recording = art.simulate(world, until=2.6, step=0.05)
    contact, slip, stick = recording.events
    state = recording.state(0.0)
    normals = [row(corner, Y) for corner in CORNERS]
    all_rows = [row(corner, axis) for corner in CORNERS for axis in (X, Y, Z)]
    free = (0.0, 0.0, 6.0, 6.0)
    held = (0.0, 12.0, *map(float, rank_with(world, state, all_rows)))
    slides = (0.0, 4.0, *map(float, rank_with(world, state, normals)))
    assert sizes(contact) == (free, held)
    assert sizes(slip) == (held, slides)
    assert sizes(stick) == (slides, held)
    assert [event.values["law"] for event in recording.events] == ["coulomb"] * 3
    assert [event.values["friction"] for event in recording.events] == [0.6, 0.4, 0.6]
    across = tuple(
        f"b.bottom_{side}_{end} on floor.top {letter}"
        for side in ("left", "right")
        for end in ("back", "front")
        for letter in ("fs", "ft")
    )
    assert sorted(slip.values["rows_removed"]) == sorted(across)  # type: ignore[type-var, arg-type] # names
    assert slip.values["rows_added"] == ()
    assert sorted(stick.values["rows_added"]) == sorted(across)  # type: ignore[type-var, arg-type] # names
    assert len(contact.values["rows_added"]) == 12  # type: ignore[arg-type] # names
    for event in (slip, stick):
        assert told(event, "energy", "before") == told(event, "energy", "after")
    check_after(world, slip, slip.time)


def test_a_ball_that_is_lifted_off_leaves_with_its_row() -> None:
    world = art.parse(LIFTED).world()
    recording = art.simulate(world, until=1.0, step=0.05)
    contact, left = recording.events
    assert (contact.kind, left.kind) == ("contact", "separation")
    mass = 1000 * 4 / 3 * math.pi * 1e-3
    assert left.time == pytest.approx(mass * G / 100, abs=1e-8)
    assert sizes(contact) == ((0, 0, 6, 6), (0, 1, 7, 7))
    assert sizes(left) == ((0, 1, 7, 7), (0, 0, 6, 6))
    assert left.values["rows_removed"] == ("b.surface on floor.top fn",)
    assert left.values["law"] == contact.values["law"] == "pressure only"
    assert told(left, "energy", "after") == pytest.approx(mass * G * 0.1, abs=1e-9)
    assert "rank 6, before 7 and 7" in recording.why(left)


@pytest.mark.parametrize("method", [art.DOP853(), art.Stepping()], ids=str)
def test_a_limit_takes_the_energy_of_the_fall(method: art.RK4) -> None:
    """A bar falls by 30 degrees onto its hinge's limit: a row of the hinge's own is added."""
    world = art.parse(STOPPED).world()
    recording = art.simulate(world, until=1.0, step=0.05, method=method)
    hit = recording.events[0]
    assert (hit.kind, hit.who) == ("limit", ("p",))
    fall = 1.25 * G * 0.25  # m g l / 2 sin 30
    lost = told(hit, "energy", "before") - told(hit, "energy", "after")
    near = 1e-10 if isinstance(method, art.DOP853) else 1e-6  # the tolerance of the integrator
    assert lost == pytest.approx(fall, rel=near)
    assert sizes_without_rank(hit) == ((5, 0, 11), (5, 1, 12))
    assert recording.series("energy.dissipated.impact")[-1] == pytest.approx(fall, rel=near)


def test_a_step_says_what_it_took() -> None:
    """Steps tell of whole steps: energy at their beginning and at their end."""
    world = art.parse(BOUNCE).world()
    recording = art.simulate(world, until=1.0, step=0.001, method=art.Stepping(1e-3))
    hit = recording.events[0]
    energy = recording.series("energy.total")
    end = recording.nearest(hit.time)
    assert told(hit, "energy", "before") == pytest.approx(energy[end - 1], rel=1e-12)
    assert told(hit, "energy", "after") == pytest.approx(energy[end], rel=1e-12)
    assert sizes_without_rank(hit) == ((0, 0, 6), (0, 1, 7))


def sizes_without_rank(event: Event) -> tuple[tuple[float, ...], tuple[float, ...]]:
    before, after = (
        tuple(told(event, name, end) for name in SIZES[:-1]) for end in ("before", "after")
    )
    return before, after


def test_velocities_changed_at_the_start_say_what_that_took() -> None:
    """A bar on a pin through its end, thrown sideways: what the pin allows is left of it."""
    text = HUNG.replace("at (0.5, 2, 0)", "at (0.5, 2, 0) velocity = ((0, 1, 0) (0, 0, 0))")
    text = text.replace(" breaks at 25 N", "")
    recording = art.simulate(art.parse(text).world("yard"), until=0.01, step=0.01)
    start = one(recording, "start")
    mass, arm, inertia = 1.25, 0.5, 1.25 * (1 + 0.05**2) / 12
    rate = mass * arm / (inertia + mass * arm**2)  # the nearest in the mass metric
    assert told(start, "kinetic", "before") == pytest.approx(0.5 * mass, rel=1e-12)
    left = 0.5 * (inertia + mass * arm**2) * rate**2
    assert told(start, "kinetic", "after") == pytest.approx(left, rel=1e-12)
    drop = told(start, "energy", "before") - told(start, "energy", "after")
    assert drop == pytest.approx(0.5 * mass - left, rel=1e-9)


def test_what_slides_off_an_edge_does_not_pull() -> None:
    """A ball on a table half a metre from its middle to the edge: at 1 m/s off after 0.3 s."""
    text = """
    primitive ball { properties: (density: 1000); geometry: sphere(5 cm); dynamics }
    primitive table { geometry: cuboid(1, 1, 1) }
    world w {
      gravity: (0, -9.81, 0)
      components { t: table; b: ball }
      structure {
        place t by t.center at (0, 0, 0)
        place b by b.center at (0.2, 0.55, 0) velocity = ((1, 0, 0) (0, 0, 0))
      }
    }
    """
    left = one(art.simulate(art.parse(text).world(), until=0.35, step=0.05), "separation")
    assert left.time == pytest.approx(0.3, abs=1e-6)
    assert left.story == "b.surface leaves t.top: it has come to its end."
    lifted = one(art.simulate(art.parse(LIFTED).world(), until=0.5, step=0.05), "separation")
    assert lifted.story == "b.surface leaves floor.top: their contact would have to pull."
