"""Work and dissipation: what is booked agrees with closed forms and closes the balance."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.sessions.controllers import bound, functions
from articulata.world.document import read
from articulata.world.hinges import REVOLUTE
from articulata.world.model import Feature, FeatureRef, Force, World
from mechanisms import DOWN, Mechanism

METHODS = [art.DOP853(1e-12, 1e-14), pytest.param(art.RK4(2e-4), marks=pytest.mark.slow)]


def balance(recording: art.Recording) -> float:
    """How far total - work + dissipated moves, as a share of the largest of them."""
    energy = recording.array("dynamic.energy")
    closed = energy[:, 3] - energy[:, 4] + energy[:, 5]
    return float(np.ptp(closed) / np.max(np.abs(energy)))


def oscillator(program: tuple[tuple[str, float], ...]) -> Mechanism:
    made = Mechanism("oscillator")
    ground = made.ground()
    made.body("bob", (1.5, 0, 0), mass=2.0)
    features = (FeatureRef("bob", "mid"), FeatureRef(ground, "mid"))
    made.forces["s"] = Force("s", "between", features, None, program)
    return made


# 50 (x - 1) + 3 x'
DAMPED = (
    ("distance", 0.0), ("push", 1.0), ("sub", 0.0), ("push", 50.0), ("mul", 0.0),
    ("speed", 0.0), ("push", 3.0), ("mul", 0.0), ("add", 0.0),
)  # fmt: skip
# 3 x' |x'|
DRAG = (("speed", 0.0), ("speed", 0.0), ("abs", 0.0), ("mul", 0.0), ("push", 3.0), ("mul", 0.0))


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_a_damper_takes_what_the_spring_loses(method: art.RK4) -> None:
    run = art.simulate(oscillator(DAMPED).world(), until=3.0, step=0.05, method=method)
    # 2 x'' + 3 x' + 50 x = 0 from x = 0.5 at rest
    decay, turn, t = 0.75, np.sqrt(25.0 - 0.75**2), run.times
    x = 0.5 * np.exp(-decay * t) * (np.cos(turn * t) + decay / turn * np.sin(turn * t))
    v = -0.5 * np.exp(-decay * t) * (turn + decay**2 / turn) * np.sin(turn * t)
    left = v**2 + 25.0 * x**2
    assert run.series("energy.dissipated") == pytest.approx(6.25 - left, abs=1e-9)
    assert np.all(run.series("energy.work") == 0.0)
    assert balance(run) <= 1e-9


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_a_drag_without_a_spring_is_booked(method: art.RK4) -> None:
    made = oscillator(DRAG)
    made.bodies["bob"] = replace(made.bodies["bob"], velocity=(2.0, 0.0, 0.0))
    run = art.simulate(made.world(), until=2.0, step=0.1, method=method)
    speed = 2.0 / (1.0 + 3.0 * run.times)  # 2 v' = -3 v^2
    assert run.series("energy.dissipated") == pytest.approx(4.0 - speed**2, abs=1e-9)
    assert balance(run) <= 1e-9


def pendulum(kind: str, target: str) -> World:
    made = Mechanism("pendulum", DOWN)
    ground = made.ground()
    made.body("bob", (0.5, 0, 0), size=(1.0, 0.1, 0.1))
    end = {"end": Feature("end", "point", art.Pose((0.5, 0.0, 0.0)))}
    made.bodies["bob"] = replace(made.bodies["bob"], features=end)
    made.join("h", "bob", ground, (-0.5, 0, 0), kind=REVOLUTE)
    made.drive("motor", kind, target, "motor")
    return made.world()


@pytest.mark.parametrize("method", METHODS, ids=str)
@pytest.mark.parametrize(("kind", "target"), [("hinge", "h"), ("torque", "bob")])
def test_a_constant_torque_does_torque_times_angle(method: art.RK4, kind: str, target: str) -> None:
    def motor(t: float, sensed: object) -> object:
        return 7.0 if kind == "hinge" else (0.0, 0.0, 7.0)

    world = pendulum(kind, target)
    run = art.simulate(world, until=2.0, step=0.05, method=method, controllers={"motor": motor})
    angle = run.series("h.angle")
    assert run.series("energy.work") == pytest.approx(7.0 * (angle - angle[0]), abs=1e-8)
    assert balance(run) <= 1e-9


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_a_constant_force_does_force_times_way(method: art.RK4) -> None:
    world = pendulum("force", "bob.end")
    push = (3.0, 5.0, 0.0)
    run = art.simulate(
        world, until=2.0, step=0.05, method=method, controllers={"motor": lambda t, s: push}
    )
    way = run.series("bob.end") @ np.array(push)
    assert run.series("energy.work") == pytest.approx(way - way[0], abs=1e-8)
    assert balance(run) <= 1e-9


@pytest.mark.parametrize("method", METHODS, ids=str)
def test_a_shaken_pivot_works_on_its_pendulum(method: art.RK4) -> None:
    made = Mechanism("shaken", DOWN)
    made.body("pivot", size=None, mass=None, motion="prescribed", velocity=(1.0, 0, 0))
    made.body("bob", (0.5, 0, 0), size=(1.0, 0.1, 0.1), velocity=(1.0, 0, 0))
    made.join("h", "bob", "pivot", (-0.5, 0, 0), kind=REVOLUTE)
    made.drive("motor", "acceleration", "pivot", "shake")
    run = art.simulate(
        made.world(),
        until=2.0,
        step=0.02,
        method=method,
        controllers={"shake": lambda t, sensed: (-5.0 * np.sin(5.0 * t), 0.0, 0.0)},
    )
    assert balance(run) <= 1e-9
    assert np.ptp(run.series("energy.work")) > 1.0
    # the power is the hinge's force times the pivot's speed
    power = run.series("h.force.x") * run.series("pivot.v.x")
    work = run.series("energy.work")
    dt = run.times[1]
    slope = (work[:-4] - 8 * work[1:-3] + 8 * work[3:-1] - work[4:]) / (12 * dt)
    assert slope == pytest.approx(power[2:-2], abs=2e-3 * np.max(np.abs(power)))


GALLERY = Path(art.__file__).parent / "world" / "library" / "gallery"


@pytest.mark.parametrize(
    "name", ["linkage", "slider_crank", "spring_mass", "screw", "four_bar", "pendulum"]
)
def test_the_gallery_keeps_its_balance(name: str) -> None:
    file = GALLERY / f"{name}.art"
    document = read(file)
    request = next(iter(document.requests), None)
    world = document.world(request) if request is not None else document.world()
    beside = file.with_suffix(".py")
    executed = {beside.stem: functions(beside)} if beside.exists() else {}
    names = [drive.controller for drive in world.drives.values()]
    aliases = {alias or Path(path).stem: Path(path).stem for path, alias in document.module.python}
    controllers = bound(names, {alias: executed[stem] for alias, stem in aliases.items()})
    tight = art.DOP853(1e-12, 1e-14)
    run = art.simulate(world, until=2.0, step=0.05, method=tight, controllers=controllers)
    assert balance(run) <= 1e-9
