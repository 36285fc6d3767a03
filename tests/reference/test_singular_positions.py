"""Linkages over positions where their rows depend on each other, and loops that always do."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import articulata as art
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_to_matrix
from articulata.kinematics.assembly.assembling import gaps, with_poses
from articulata.world.hinges import PRISMATIC, REVOLUTE
from articulata.world.model import Feature, FeatureRef, Force, World
from articulata.world.values import Pose
from mechanisms import DOWN, Mechanism, four_bar, turn

G = 9.81
LEFT, RIGHT = (-0.5, 0.0, 0.0), (0.5, 0.0, 0.0)
Z = (0.0, 0.0, 1.0)


def bar(
    made: Mechanism,
    name: str,
    start: tuple[float, float],
    angle: float,
    length: float,
    velocity: tuple[float, float],
    rate: float,
) -> None:
    """A thin uniform bar of 1 kg a metre along its own x from ``start``, which has ``velocity``."""
    c, s = np.cos(angle), np.sin(angle)
    mass = length
    made.body(
        name,
        (start[0] + c * length / 2, start[1] + s * length / 2, 0.0),
        turn(Z, angle),
        size=(length, 0.01, 0.01),
        mass=mass,
        inertia=(1e-6 * mass, mass * length**2 / 12, mass * length**2 / 12),
        velocity=(velocity[0] - rate * s * length / 2, velocity[1] + rate * c * length / 2, 0.0),
        rate=(0.0, 0.0, rate),
    )


def parallelogram(cranks: int, crank: float, gap: float, angle: float, rate: float) -> World:
    """Parallel cranks on the ground, each joined to the next by a coupler as long as their gap."""
    made = Mechanism("parallelogram", DOWN)
    ground = made.ground()
    c, s = crank * np.cos(angle), crank * np.sin(angle)
    tip = (-rate * s, rate * c)
    for k in range(cranks):
        bar(made, f"crank{k}", (k * gap, 0.0), angle, crank, (0.0, 0.0), rate)
        at = (-crank / 2, 0.0, 0.0)
        made.join(f"pivot{k}", f"crank{k}", ground, at, (k * gap, 0.0, 0.0), REVOLUTE)
    for k in range(cranks - 1):
        bar(made, f"coupler{k}", (k * gap + c, s), 0.0, gap, tip, 0.0)
        for side, of in ((-0.5, k), (0.5, k + 1)):
            name = f"tip{k}{'l' if side < 0 else 'r'}"
            end = (crank / 2, 0.0, 0.0)
            made.join(name, f"coupler{k}", f"crank{of}", (side * gap, 0.0, 0.0), end, REVOLUTE)
    return made.world()


def parallelogram_angle(
    cranks: int, crank: float, gap: float, angle: float, rate: float, until: float
) -> Array:
    """Angle and rate at the end, from the one equation of motion left: all turn together."""
    coupling = (cranks - 1) * gap
    inertia = cranks * crank**3 / 3 + coupling * crank**2
    weight = G * (cranks * crank**2 / 2 + coupling * crank)
    solution = solve_ivp(
        lambda t, y: [y[1], -weight / inertia * np.cos(y[0])],
        (0.0, until),
        [angle, rate],
        method="DOP853",
        rtol=1e-13,
        atol=1e-14,
    )
    return np.asarray(solution.y[:, -1])


def drift(recording: art.Recording) -> float:
    """Largest change of the energy, as a share of the largest kinetic energy."""
    energy = recording.array("dynamic.energy")
    return float(np.ptp(energy[:, 3]) / np.max(energy[:, 0]))


def widest_gap(recording: art.Recording) -> float:
    zero, widest = np.zeros((1, 3)), 0.0
    for frame in recording.array("geometric.pose")[::5]:
        R = np.concatenate([q_to_matrix(frame[:, 3:]), np.eye(3)[None]])
        world = with_poses(recording.world, np.concatenate([frame[:, :3], zero]), R)
        widest = max(widest, *gaps(world).values())
    return widest


def turning_four_bar() -> World:
    """The four-bar of three bars of 1 m, its coupler at 1 m/s on top."""
    made = four_bar(np.pi / 2)
    for name, velocity, rate in (("bar1", 0.5, -1.0), ("bar2", 1.0, 0.0), ("bar3", 0.5, -1.0)):
        made.bodies[name] = replace(made.bodies[name], velocity=(velocity, 0, 0), rate=(0, 0, rate))
    return made.world()


PERIOD = 1.923711817339
"""Of the four-bar's revolution, in s: the one equation of motion left, by quadrature."""


@pytest.mark.parametrize(
    ("method", "revolutions", "parts"),
    [
        pytest.param(art.DOP853(1e-9, 1e-11), 100, 4, marks=pytest.mark.slow),
        (art.DOP853(), 100, 7),
        pytest.param(art.DOP853(1e-12, 1e-14), 100, 4, marks=pytest.mark.slow),
        (art.RK4(1e-3), 12, 10),
        pytest.param(art.RK4(1e-4), 2, 8, marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_a_four_bar_keeps_energy_and_period(method: art.RK4, revolutions: int, parts: int) -> None:
    step = PERIOD / parts
    run = art.simulate(turning_four_bar(), until=revolutions * PERIOD, step=step, method=method)
    assert drift(run) <= 1e-9
    angle = run.array("dynamic.coordinate")[::parts, 0]
    rate = run.array("dynamic.coordinate_rate")[::parts, 0]
    assert len(angle) == revolutions + 1
    late = (angle - angle[0] + 2 * np.pi * np.arange(revolutions + 1)) / rate
    assert np.max(np.abs(np.diff(late))) <= 1e-8


@pytest.mark.slow
@pytest.mark.parametrize("step", [1e-3, 1e-4])
def test_a_four_bar_revolves_a_hundred_times_by_fixed_steps(step: float) -> None:
    test_a_four_bar_keeps_energy_and_period(art.RK4(step), 100, 4)


@pytest.mark.parametrize("offset", [0.0, 1e-12, 1e-9, 1e-6, 1e-4, 3e-2])
@pytest.mark.parametrize("method", [art.DOP853(), art.RK4(1e-3)], ids=str)
def test_a_start_on_or_beside_the_flat_position(method: art.RK4, offset: float) -> None:
    world = parallelogram(2, 1.0, 1.0, offset, 5.0)
    run = art.simulate(world, until=1.0, step=0.01, method=method)
    assert drift(run) <= 1e-9
    known = parallelogram_angle(2, 1.0, 1.0, offset, 5.0, 1.0)
    assert run.series("pivot0.angle")[-1] == pytest.approx(known[0], abs=1e-8)
    assert widest_gap(run) <= 1e-10
    # accelerations of frames, too, are those of the motion, next to the flat position as well
    rate = run.series("pivot0.rate")
    slope = (rate[:-4] - 8 * rate[1:-3] + 8 * rate[3:-1] - rate[4:]) / (12 * 0.01)
    found = run.series("crank0.alpha.z")[2:-2]
    assert np.max(np.abs(found - slope)) <= 1e-3 * np.max(np.abs(slope))


@pytest.mark.parametrize("crank", [0.3, 1.7])
def test_parallelograms_of_other_shapes_pass_flat(crank: float) -> None:
    run = art.simulate(parallelogram(2, crank, 0.8, 1.2, -6.0), until=5.0, step=0.05)
    known = parallelogram_angle(2, crank, 0.8, 1.2, -6.0, 5.0)
    assert run.series("pivot0.angle")[-1] == pytest.approx(known[0], abs=1e-7)
    assert drift(run) <= 1e-9


@pytest.mark.parametrize(
    "method", [art.DOP853(), pytest.param(art.RK4(1e-3), marks=pytest.mark.slow)], ids=str
)
def test_two_loops_pass_flat_together(method: art.RK4) -> None:
    run = art.simulate(parallelogram(3, 1.0, 1.0, 1.2, -6.0), until=3.0, step=0.05, method=method)
    known = parallelogram_angle(3, 1.0, 1.0, 1.2, -6.0, 3.0)
    assert run.series("pivot0.angle")[-1] == pytest.approx(known[0], abs=1e-7)
    assert drift(run) <= 1e-9
    assert widest_gap(run) <= 1e-10


def slider_crank(angle: float, rate: float) -> World:
    """Crank and rod of 1 m: with the crank upright the slider is at the crank's own pivot."""
    made = Mechanism("slider-crank", DOWN)
    ground = made.ground()
    c, s = np.cos(angle), np.sin(angle)
    bar(made, "crank", (0.0, 0.0), angle, 1.0, (0.0, 0.0), rate)
    bar(made, "rod", (c, s), -angle, 1.0, (-rate * s, rate * c), -rate)
    made.body("slider", (2 * c, 0.0, 0.0), size=(0.1, 0.1, 0.1), velocity=(-2 * rate * s, 0, 0))
    made.join("pivot", "crank", ground, LEFT, (0.0, 0.0, 0.0), REVOLUTE)
    made.join("knee", "rod", "crank", LEFT, RIGHT, REVOLUTE)
    made.join("end", "slider", "rod", (0.0, 0.0, 0.0), RIGHT, REVOLUTE)
    x = turn((0, 1, 0), np.pi / 2)
    made.join("rail", "slider", ground, kind=PRISMATIC, turned_a=x, turned_b=x)
    return made.world()


@pytest.mark.parametrize(
    "method", [art.DOP853(), pytest.param(art.RK4(4e-4), marks=pytest.mark.slow)], ids=str
)
def test_a_slider_crank_passes_its_dead_centre(method: art.RK4) -> None:
    # Crank: I = 1/3. Rod, mirrored in x = cos(angle): its middle at (1.5 c, 0.5 s). Slider: 2 c.
    def rates(t: float, y: Array) -> list[float]:
        c, s, w = np.cos(y[0]), np.sin(y[0]), y[1]
        inertia = 1 / 3 + 1 / 12 + 2.25 * s * s + 0.25 * c * c + 4.0 * s * s
        slope = 2 * (2.25 - 0.25 + 4.0) * s * c
        return [w, (-G * c - 0.5 * slope * w * w) / inertia]

    run = art.simulate(slider_crank(0.3, 8.0), until=3.0, step=0.03, method=method)
    known = solve_ivp(rates, (0, 3), [0.3, 8.0], method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    turned = run.series("pivot.angle")
    assert abs(turned[-1] - turned[0]) > 2 * np.pi
    assert turned[-1] == pytest.approx(known[0], abs=1e-7)
    assert drift(run) <= 1e-9


def test_a_drive_that_fixes_a_loop_takes_it_through_flat() -> None:
    made = Mechanism("driven", DOWN)
    ground = made.ground()
    bar(made, "crank", (0.0, 0.0), 1.0, 1.0, (0.0, 0.0), 2.0)
    tip = (-2.0 * np.sin(1.0), 2.0 * np.cos(1.0))
    bar(made, "coupler", (np.cos(1.0), np.sin(1.0)), 0.0, 1.0, tip, 0.0)
    bar(made, "rocker", (1.0, 0.0), 1.0, 1.0, (0.0, 0.0), 2.0)
    made.join("h2", "coupler", "crank", LEFT, RIGHT, REVOLUTE)
    made.join("h3", "rocker", "coupler", RIGHT, RIGHT, REVOLUTE)
    made.join("h4", "rocker", ground, LEFT, (1.0, 0.0, 0.0), REVOLUTE)
    made.bodies["crank"] = replace(made.bodies["crank"], motion="prescribed")
    made.drive("motor", "acceleration", "crank", "even")

    def even(t: float, sensed: object) -> tuple[tuple[float, ...], tuple[float, ...]]:
        angle = 1.0 + 2.0 * t
        return (-2.0 * np.cos(angle), -2.0 * np.sin(angle), 0.0), (0.0, 0.0, 0.0)

    run = art.simulate(made.world(), until=7.0, step=0.01, controllers={"even": even})
    rocker = run.array("dynamic.coordinate")[:, 2]
    assert rocker[-1] - rocker[0] == pytest.approx(14.0, abs=1e-8)
    # the bodies are only as heavy as themselves: the coupler's middle moves evenly on its circle
    middle = run.series("coupler.a")
    assert np.linalg.norm(middle, axis=1) == pytest.approx(np.full(len(middle), 4.0), abs=1e-6)


def test_bennetts_linkage_keeps_its_energy() -> None:
    # four pins in space whose axes fit together: three rows too many at every position
    made = Mechanism("bennett", DOWN)
    a, b, alpha = 1.0, 1.5, 0.5
    beta = float(np.arcsin(np.sin(alpha) * b / a))
    made.ground()
    for k, length in enumerate((b, a, b)):
        rate = (0.0, 0.0, 3.0) if k == 0 else (0.0, 0.0, 0.0)
        made.body(f"b{k}", (0.5 * k, 0.6, 0.1 * k), size=(length, 0.1, 0.1), rate=rate)
    sides = [("ground", a, alpha), ("b0", b, beta), ("b1", a, alpha), ("b2", b, beta)]
    names = ["ground", "b0", "b1", "b2"]
    for k, (name, length, twist) in enumerate(sides):
        axis, after = turn((1, 0, 0), twist), names[(k + 1) % 4]
        made.join(f"j{k}", after, name, (0, 0, 0), (length, 0, 0), REVOLUTE, turned_b=axis)
    for method, bound in ((art.DOP853(1e-7, 1e-9), 1e-6), (art.DOP853(), 1e-9)):
        run = art.simulate(made.world(), until=10.0, step=0.1, method=method)
        assert np.ptp(run.array("dynamic.coordinate")[:, 0]) > 1.0
        assert drift(run) <= bound
        assert widest_gap(run) <= 1e-10


# Andrews' squeezing mechanism; data and solution at 0.03 s: Mazzia & Magherini, Test Set for
# Initial Value Problem Solvers, release 2.4 (2008), problem "andrews".
KNOWN = (
    15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
    0.5244099658805304, 0.5347301163226948, 1.048080741042263,
)  # fmt: skip
START = (
    -0.0617138900142764496358948458001, 0.0, 0.455279819163070380255912382449,
    0.222668390165885884674473185609, 0.487364979543842550225598953530,
    -0.222668390165885884674473185609, 1.23054744454982119249735015568,
)  # fmt: skip
MASSES = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
INERTIAS = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
A, B, C = (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)
D, DA, E, EA, RR, RA, SS, SA, SB = (
    28e-3,
    115e-4,
    2e-2,
    1421e-5,
    7e-3,
    92e-5,
    35e-3,
    1874e-5,
    1043e-5,
)
SC, SD, TA, TB, U, UA, UB, ZF, ZT, FA = (
    18e-3, 2e-2, 2308e-5, 916e-5, 4e-2, 1228e-5, 449e-5, 2e-2, 4e-2, 1421e-5,
)  # fmt: skip


def squeezer() -> Mechanism:
    """Every body's x axis lies along its angle, as the problem's figure has it."""
    made = Mechanism("squeezer")
    made.ground()
    beta, theta, gamma, phi, delta, omega, eps = START
    angles = (beta, beta + theta, gamma, phi + delta, delta, omega + eps, eps)
    c, s = np.cos, np.sin
    knee = (RR * c(beta), RR * s(beta))
    centers = (
        (RA * c(beta), RA * s(beta)),
        (knee[0] - DA * c(angles[1]), knee[1] - DA * s(angles[1])),
        (B[0] + SA * s(gamma) + SB * c(gamma), B[1] - SA * c(gamma) + SB * s(gamma)),
        (
            A[0] + ZT * c(delta) + (E - EA) * s(angles[3]),
            A[1] + ZT * s(delta) - (E - EA) * c(angles[3]),
        ),
        (A[0] + TA * c(delta) - TB * s(delta), A[1] + TA * s(delta) + TB * c(delta)),
        (
            A[0] + U * s(eps) + (ZF - FA) * c(angles[5]),
            A[1] - U * c(eps) + (ZF - FA) * s(angles[5]),
        ),
        (A[0] + UA * s(eps) - UB * c(eps), A[1] - UA * c(eps) - UB * s(eps)),
    )
    for k in range(7):
        made.body(
            f"K{k + 1}", (*centers[k], 0.0), turn(Z, angles[k]), size=None, mass=MASSES[k],
            inertia=(INERTIAS[k],) * 3,
        )  # fmt: skip
    # hinge points, from the mass centres along the bodies' own axes
    made.join("O", "K1", "ground", (-RA, 0, 0), (0, 0, 0), REVOLUTE)
    made.join("knee", "K2", "K1", (DA, 0, 0), (RR - RA, 0, 0), REVOLUTE)
    end = (DA - D, 0.0, 0.0)
    made.join("B", "K3", "ground", (-SB, SA, 0), (*B, 0), REVOLUTE)
    made.join("P3", "K2", "K3", end, (-SB, SA - SS, 0), REVOLUTE)
    made.join("A5", "K5", "ground", (-TA, -TB, 0), (*A, 0), REVOLUTE)
    made.join("T", "K4", "K5", (0, E - EA, 0), (ZT - TA, -TB, 0), REVOLUTE)
    made.join("P4", "K2", "K4", end, (0, -EA, 0), REVOLUTE)
    made.join("A7", "K7", "ground", (UB, UA, 0), (*A, 0), REVOLUTE)
    made.join("S", "K6", "K7", (FA - ZF, 0, 0), (UB, UA - U, 0), REVOLUTE)
    made.join("P6", "K2", "K6", end, (FA, 0, 0), REVOLUTE)
    made.drive("motor", "torque", "K1", "motor")
    point = {"D": Feature("D", "point", Pose((SD - SB, SA - SC, 0.0)))}
    made.bodies["K3"] = replace(made.bodies["K3"], features=MappingProxyType(point))
    point = {"C": Feature("C", "point", Pose((*C, 0.0)))}
    made.bodies["ground"] = replace(made.bodies["ground"], features=MappingProxyType(point))
    tension = (("push", 4530.0), ("distance", 0.0), ("push", 0.07785), ("sub", 0.0), ("mul", 0.0))
    ends = (FeatureRef("K3", "D"), FeatureRef("ground", "C"))
    made.forces["spring"] = Force("spring", "between", ends, None, tension)
    return made


@pytest.mark.parametrize(
    ("method", "error"),
    [(art.DOP853(1e-12, 1e-14), 1e-8), pytest.param(art.RK4(2e-6), 1e-6, marks=pytest.mark.slow)],
    ids=str,
)
def test_the_squeezing_mechanism_moves_as_published(method: art.RK4, error: float) -> None:
    # its three closed loops turn sixteen times in 0.03 s
    run = art.simulate(
        squeezer().world(),
        until=0.03,
        step=2e-4,
        method=method,
        controllers={"motor": lambda t, sensed: (0.0, 0.0, 0.033)},
    )
    angle = run.array("dynamic.coordinate")
    turned = angle[-1] - angle[0]
    labels = run.channels["dynamic.coordinate"].labels
    found = dict(zip((label.partition(".")[0] for label in labels), turned, strict=True))
    change = np.array(KNOWN) - np.array(START)
    assert found["O"] == pytest.approx(change[0], abs=error)
    assert found["knee"] == pytest.approx(change[1], abs=error)
    for hinge, k in (("B", 2), ("T", 3), ("A5", 4), ("S", 5), ("A7", 6)):
        assert found[hinge] == pytest.approx(change[k], abs=error)
