"""Motors by the points of a torque-speed curve against integrators with equations of their own."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from articulata.geometry.arrays import Array
from articulata.world.writing.worlds import art_text
from driven_hinges import check_told, leg

ARM = """
primitive bar {
  properties: (density: 7850 kg/m^3)
  geometry: cuboid(2 cm, 40 cm, 2 cm) where { top: (0, 20 cm, 0) }
  dynamics
}
world w {
  gravity: (0, -9.81 m/s^2, 0)
  components { base: fixed_point; a: bar }
  structure {
    join a to base with pin(axis: z) as h matching (top, center)
      driven by motor(MOTOR)
    place base by base.center at (0, 0, 0)
    place a by h.angle = 0
  }
}
"""
SLIDE = (
    ARM.replace("pin(axis: z)", "slider(axis: y)")
    .replace("h.angle", "h.travel")
    .replace("structure {", "structure {\n force spring between a.center and base = 800 N/m * "
             "(distance - 20 cm)")
)  # fmt: skip

MASS = 7850.0 * 0.02 * 0.02 * 0.4
SPIN = MASS * (0.4**2 + 0.02**2) / 12.0 + MASS * 0.2**2
PULL = MASS * 9.81 * 0.2
RPM = 2.0 * np.pi / 60.0


def swung(
    rates: Array, efforts: Array, mass: float, load: tuple[float, bool], until: float
) -> tuple[list[tuple[str, float]], Array]:
    """Return the instants at which a driven arm or slide passes a corner, and its end.

    ``load`` (N m, N) is a weight's by the sine of the angle, or a constant one beside a spring.
    """
    slopes, last = np.diff(efforts) / np.diff(rates), len(rates) - 2
    y, t, found = np.zeros(2), 0.0, list[tuple[str, float]]()
    part = int(np.clip(np.searchsorted(rates, 0.0, side="right") - 1, 0, last))
    while True:
        low = rates[part] if part else -np.inf
        high = rates[part + 1] if part < last else np.inf

        def accelerated(_: float, y: Array, part: int = part) -> list[float]:
            push = efforts[part] + slopes[part] * (y[1] - rates[part])
            held = load[0] * np.sin(y[0]) if load[1] else load[0] + 800.0 * y[0]
            return [y[1], (push - held) / mass]

        gone = leg(
            accelerated, t, until, y,
            lambda _, y, low=low: y[1] - low if np.isfinite(low) else 1.0,
            lambda _, y, high=high: high - y[1] if np.isfinite(high) else 1.0,
            direction=-1.0,
        )  # fmt: skip
        t, y = gone.t[-1], gone.y[:, -1].copy()
        if gone.status == 0:
            return found, y
        found.append(("corner", t))
        fell = bool(len(gone.t_events[0]))
        y[1], part = (low, part - 1) if fell else (high, part + 1)


@pytest.mark.parametrize("seed", [1, 2, 7])
def test_the_corners_of_a_curve_are_located(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, gear = int(rng.integers(3, 6)), float(rng.choice([1.0, -20.0]))
    rates = np.sort(rng.uniform(-60.0, 120.0, n)) * RPM
    efforts = np.sort(rng.uniform(-1.0, 4.0, n))[::-1] + rng.uniform(-0.5, 0.5, n)
    # the shaft's own: of a gear that turns it round the other way from the last point to the first
    points = sorted((r * gear, e / gear) for r, e in zip(rates, efforts, strict=True))
    said = ", ".join(f"({float(r)!r} rad/s, {float(e)!r} N*m)" for r, e in points)
    world = art.parse(ARM.replace("MOTOR", f"curve: ({said}), gear: {gear}")).world()
    run = art.simulate(world, until=1.2, step=0.05)
    events, end = swung(rates, efforts, SPIN, (PULL, True), 1.2)
    assert events
    check_told(run, events, "corner")
    assert run.series("h.angle")[-1] == pytest.approx(end[0], abs=1e-8)
    assert run.series("h.rate")[-1] == pytest.approx(end[1], abs=1e-8)
    part = int(np.clip(np.searchsorted(rates, end[1]) - 1, 0, n - 2))
    slope = (efforts[part + 1] - efforts[part]) / (rates[part + 1] - rates[part])
    torque = efforts[part] + slope * (end[1] - rates[part])
    assert run.series("h.motor.torque")[-1] == pytest.approx(torque, abs=1e-8)
    total, work = run.series("energy.total"), run.series("energy.work")
    assert np.abs(total - total[0] - work).max() < 1e-8


def test_a_slide_has_a_curve_of_forces() -> None:
    rates, efforts = np.array([-0.2, 0.1, 0.4, 0.8]), np.array([60.0, 45.0, 38.0, 0.0])
    said = ", ".join(f"({r} m/s, {e} N)" for r, e in zip(rates, efforts, strict=True))
    world = art.parse(SLIDE.replace("MOTOR", f"curve: ({said})")).world()
    run = art.simulate(world, until=1.0, step=0.05)
    events, end = swung(rates, efforts, MASS, (MASS * 9.81, False), 1.0)
    assert len(events) > 1
    check_told(run, events, "corner")
    assert run.series("h.travel")[-1] == pytest.approx(end[0], abs=1e-8)
    # a line that is cut bends at one rate
    cut = SLIDE.replace("MOTOR", "force: 90 N, no_load: 0.9 m/s, limit: 50 N")
    run_cut = art.simulate(art.parse(cut).world(), until=0.5, step=0.05)
    line = np.array([-1.0, 0.4, 0.9]), np.array([50.0, 50.0, 0.0])
    bends, end_cut = swung(*line, MASS, (MASS * 9.81, False), 0.5)
    found = [each.time for each in run_cut.events if each.kind in ("regulation", "saturation")]
    assert found == pytest.approx([t for _, t in bends], abs=1e-8)
    assert len(found) > 2
    assert run_cut.series("h.travel")[-1] == pytest.approx(end_cut[0], abs=1e-8)
    # steps come near it by their own order
    stepped = art.simulate(world, until=1.0, step=0.05, method=art.Stepping(step=1e-3))
    assert stepped.series("h.travel")[-1] == pytest.approx(end[0], abs=1e-3)


def test_two_points_are_a_straight_line_and_a_curve_is_written() -> None:
    line, curve = (
        art.parse(ARM.replace("MOTOR", said)).world()
        for said in ("torque: 5 N*m, no_load: 60 rpm", "curve: ((0 rpm, 5 N*m), (60 rpm, 0 N*m))")
    )
    one, other = (art.simulate(each, until=0.5).series("h.angle")[-1] for each in (line, curve))
    assert one == pytest.approx(other, abs=1e-12)
    assert dict(art.parse(art_text(curve)).world().couplings) == dict(curve.couplings)
    assert curve.couplings["h.motor"].effort == 5.0


@pytest.mark.parametrize(
    ("motor", "told"),
    [
        ("curve: ((0 rpm, 5 N*m), (0 rpm, 4 N*m))", "from the least speed to the greatest"),
        ("curve: (0 rpm, 5 N*m)", r"a point \(speed, torque\) is due"),
        ("curve: 5 N*m", "points of a curve are due"),
        ("curve: ((0 rpm, 5 N), (60 rpm, 4 N))", "torque"),
        ("curve: ((0 rpm, 5 N*m), (60 rpm, 4 N*m)), limit: 3 N*m", "has its limit from that"),
    ],
)
def test_curves_that_cannot_be_are_refused(motor: str, told: str) -> None:
    with pytest.raises(art.ArticulataError, match=told):
        art.parse(ARM.replace("MOTOR", motor)).world()
