"""Rest positions and small motions against matrices and balances written here by themselves."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.mechanisms import DOWN, Mechanism, chain, four_bar

import articulata as art
from articulata.app.main import app
from articulata.world.hinges import BALL, REVOLUTE
from articulata.world.model import World

G = 9.81

BAR = """
primitive bar(span: length = 40 cm) {
  properties: (density: 7850 kg/m^3)
  geometry: cuboid(span, 2 cm, 2 cm) where { near: (-span/2, 0, 0); far: (span/2, 0, 0) }
  dynamics
}
"""

FOUR_BAR = (
    BAR
    + """
world hanging {
  gravity: (0, -9.81 m/s^2, 0)
  components { o: fixed_point; p: fixed_point; a: bar(20 cm); b: bar(50 cm); c: bar(40 cm) }
  structure {
    join a to o with pin(axis: z) as ha matching (near, center)
    join b to a with pin(axis: z) as hb matching (near, far)
    join c to b with pin(axis: z) as hc matching (near, far)
    join c to p with pin(axis: z) as hd matching (far, center)
    ignore a with b
    ignore a with c
    ignore b with c
    place o by o.center at (0, 0, 0)
    place p by p.center at (50 cm, 0, 0)
    place a by ha.angle = -100 deg
  }
}
"""
)

SLIDERS = """
primitive block {
  geometry: cuboid(2 cm, 2 cm, 2 cm)
  dynamics: (mass: 2 kg)
}
world train {
  gravity: (0, 0, 0)
  components { o: fixed_point; wall: fixed_point; a: block; b: block }
  structure {
    join a to o with slider(axis: x) as sa matching (center, center)EXTRA
    join b to o with slider(axis: x) as sb matching (center, center)
    force left between a.center and wall.center = 300 N/m * (distance - 0.5 m) + 4 N*s/m * speed
    force middle between b.center and a.center = 200 N/m * (distance - 0.4 m) + 6 N*s/m * speed
    ignore a with b
    place o by o.center at (0, 0, 0)
    place wall by wall.center at (-50 cm, 0, 0)
    place a by sa.travel = 0
    place b by sb.travel = 40 cm
  }
}
"""


def _links(lengths: list[float], masses: list[float]) -> World:
    made = Mechanism("links", DOWN)
    before, at, y = made.ground(), (0.0, 0.0, 0.0), 0.0
    for n, (length, mass) in enumerate(zip(lengths, masses, strict=True), 1):
        turned = mass * length**2 / 12
        made.body(f"b{n}", (0, y - length / 2, 0), mass=mass, inertia=(turned, turned, turned))
        made.join(f"h{n}", f"b{n}", before, (0, length / 2, 0), at, REVOLUTE)
        before, at, y = f"b{n}", (0.0, -length / 2, 0.0), y - length
    return made.world()


def _matrices(
    lengths: list[float], masses: list[float], angles: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """M and K of hanging rods by their angles at the hinges: sums of absolute ones (from down)."""
    n, sums = len(lengths), np.tril(np.ones((len(lengths), len(lengths))))
    total = sums @ angles
    M, K = np.zeros((n, n)), np.zeros((n, n))
    for k, mass in enumerate(masses):
        arms = np.array(lengths) * (np.arange(n) < k) + 0.5 * lengths[k] * (np.arange(n) == k)
        along = np.stack([arms * np.cos(total), arms * np.sin(total)])
        M += mass * along.T @ along
        M[k, k] += mass * lengths[k] ** 2 / 12
        K += np.diag(mass * G * arms * np.cos(total))
    return sums.T @ M @ sums, sums.T @ K @ sums


@pytest.mark.parametrize("links", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_every_rest_position_of_a_chain_of_pendulums_is_found(links: int) -> None:
    rest = art.rest(chain(links, REVOLUTE).world(), starts=8)
    # each link hangs or stands: the energies of all 2^n choices, -m g (y of the mass centres)
    signs = np.array(np.meshgrid(*[[-1.0, 1.0]] * links)).reshape(links, -1)
    ends = np.cumsum(signs, axis=0)
    masses_at = ends - 0.5 * signs
    np.testing.assert_allclose(
        [each.energy for each in rest.positions], np.sort(G * masses_at.sum(0)), atol=1e-9
    )
    assert [each.stability for each in rest.positions] == ["stable"] + ["unstable"] * (2**links - 1)


def test_small_motions_of_random_pendulums_agree_with_their_own_matrices() -> None:
    rng = np.random.default_rng(4)
    for links in (1, 2, 2, 3, 4):
        lengths, masses = (rng.uniform(0.3, 2.0, links).tolist() for _ in range(2))
        world = _links(lengths, masses)
        linear = art.linearise(world)
        M, K = _matrices(lengths, masses, np.zeros(links))
        assert linear.names == tuple(f"h{n}.angle" for n in range(1, links + 1))
        np.testing.assert_allclose(linear.M, M, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(linear.K, K, rtol=1e-8, atol=1e-8)
        assert not linear.C.any()
        assert linear.error < 1e-8
        squares = np.sort(np.linalg.eigvals(np.linalg.solve(M, K)).real)
        found = [mode.frequency for mode in linear.modes()]
        np.testing.assert_allclose(found, np.sqrt(squares) / (2 * np.pi), rtol=1e-8)


def test_where_a_double_pendulum_stands_its_modes_are_those_of_its_own_matrices() -> None:
    lengths, masses = [0.7, 1.1], [1.3, 0.4]
    for each in art.rest(_links(lengths, masses), starts=4).positions:
        angles = np.array([each.coordinates[name] for name in ("h1.angle", "h2.angle")])
        M, K = _matrices(lengths, masses, angles)
        np.testing.assert_allclose(each.linear.M, M, atol=1e-7)
        np.testing.assert_allclose(each.linear.K, K, atol=1e-7)
        squares = [(-(mode.eigenvalue**2)).real for mode in each.linear.modes()]
        wanted = np.linalg.eigvals(np.linalg.solve(M, K)).real
        np.testing.assert_allclose(np.sort(squares), np.sort(wanted), rtol=1e-7)


def _four_bar(angle: complex) -> list[complex]:
    """Mass centres and ends of the bars from the angle of the crank, analytic in it: x, then y."""
    x, y = 0.2 * np.cos(angle), 0.2 * np.sin(angle)
    dx, dy = 0.5 - x, -y
    square = dx * dx + dy * dy
    along = (0.5**2 - 0.4**2 + square) / (2 * square)
    across = -np.sqrt(0.5**2 / square - along * along)
    u, v = x + along * dx - across * dy, y + along * dy + across * dx
    return [x / 2, (x + u) / 2, (u + 0.5) / 2, y / 2, (y + v) / 2, v / 2, x, u, y, v]


def test_a_hanging_four_bar_swings_as_its_own_energy_says() -> None:
    density = 7850 * 0.02 * 0.02
    spans = np.array([0.2, 0.5, 0.4])
    masses = density * spans
    inertia = masses * (spans**2 + 0.02**2) / 12

    def slope(angle: float) -> float:  # dV / d(angle), by a complex step
        height = np.array(_four_bar(angle + 1e-30j)[3:6]).imag / 1e-30
        return float(masses @ height) * G

    rest = art.rest(art.parse(FOUR_BAR).world(), starts=8)
    assert [each.stability for each in rest.positions] == ["stable", "unstable"]
    for each in rest.positions:
        angle = each.coordinates["ha.angle"]
        assert abs(slope(angle)) < 1e-8
        stiffness = sum(
            w * (slope(angle + h) - slope(angle - h)) / (2 * h)
            for h, w in ((1e-3, 4 / 3), (2e-3, -1 / 3))
        )
        way = np.array(_four_bar(angle + 1e-30j)).imag / 1e-30
        x, u, y, v = np.array(_four_bar(complex(angle))[6:]).real
        ends = np.array([[x, y], [u - x, v - y], [0.5 - u, -v]])
        rates = np.array([[way[6], way[8]], [way[7] - way[6], way[9] - way[8]], [-way[7], -way[9]]])
        turning = (ends[:, 0] * rates[:, 1] - ends[:, 1] * rates[:, 0]) / spans**2
        mass = masses @ (way[:3] ** 2 + way[3:6] ** 2) + inertia @ turning**2
        assert each.linear.names == ("ha.angle",)
        np.testing.assert_allclose(each.linear.M, [[mass]], rtol=1e-9)
        np.testing.assert_allclose(each.linear.K, [[stiffness]], rtol=1e-7)


def test_a_parallelogram_that_stands_is_found_hanging_as_well() -> None:
    rest = art.rest(four_bar().world(), starts=6)  # bars of 1 kg and 1 m, held at height 0
    assert (rest.positions[0].stability, rest.positions[-1].stability) == ("stable", "unstable")
    energies = [each.energy for each in (rest.positions[0], rest.positions[-1])]
    np.testing.assert_allclose(energies, [-2 * G, 2 * G], rtol=1e-9)


def test_sliders_on_springs_and_dampers_give_the_matrices_of_textbooks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = art.parse(SLIDERS.replace("EXTRA", "")).world()
    linear = art.linearise(world)
    M, C, K = 2.0 * np.eye(2), [[10.0, -6.0], [-6.0, 6.0]], [[500.0, -200.0], [-200.0, 200.0]]
    np.testing.assert_allclose(linear.M, M, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(linear.C, C, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(linear.K, K, rtol=1e-8, atol=1e-8)
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.array(K) / 2, -np.array(C) / 2]])
    poles = np.array([s for s in np.linalg.eigvals(A) if s.imag >= 0])
    poles = poles[np.argsort(np.abs(poles))]
    modes = linear.modes()
    np.testing.assert_allclose([mode.frequency for mode in modes], np.abs(poles) / (2 * np.pi))
    np.testing.assert_allclose([m.damping for m in modes], -poles.real / np.abs(poles), rtol=1e-7)
    found = linear.frequency_response([0.0, 2.5], ["sa.travel"], ["sb.travel", "sb.speed"])
    for f, answer in zip((0.0, 2.5), found, strict=True):
        s = 2j * np.pi * f
        wanted = np.linalg.solve(s * s * M + s * np.array(C) + np.array(K), [1.0, 0.0])[1]
        np.testing.assert_allclose(answer[:, 0], [wanted, s * wanted], rtol=1e-7)
    space = linear.state_space(["sa.travel"], ["sb.travel"])
    made: dict[str, Any] = {}
    fake = SimpleNamespace(StateSpace=lambda *given, **named: made.update(given=given, **named))
    monkeypatch.setitem(sys.modules, "control", fake)
    space.control()
    assert made["given"][0] is space.A
    assert (made["inputs"], made["outputs"]) == (["sa_travel"], ["sb_travel"])
    monkeypatch.setitem(sys.modules, "control", None)
    with pytest.raises(art.MissingExtra, match=r"pip install .articulata.control"):
        space.control()


def test_python_control_answers_as_the_linear_model_does() -> None:
    control = pytest.importorskip("control")
    linear = art.linearise(art.parse(SLIDERS.replace("EXTRA", "")).world())
    inputs, outputs = ["sa.travel"], ["sb.travel", "sb.speed"]
    made = linear.state_space(inputs, outputs).control()
    assert (made.input_labels, made.output_labels) == (["sa_travel"], ["sb_travel", "sb_speed"])
    assert made.state_labels == ["sa_travel", "sb_travel", "sa_travel'", "sb_travel'"]
    known = linear.frequency_response([0.5, 2.5], inputs, outputs)
    for f, answer in zip((0.5, 2.5), known, strict=True):
        np.testing.assert_allclose(made(2j * np.pi * f), answer, rtol=1e-9)
    poles = control.poles(made)
    np.testing.assert_allclose(np.sort_complex(poles), np.sort_complex(np.linalg.eigvals(linear.A)))


def test_a_ball_pendulum_swings_both_ways_and_turns_freely() -> None:
    rest = art.rest(chain(1, BALL).world(), starts=4)
    assert [each.stability for each in rest.positions] == ["neutral", "unstable"]
    still, *swings = rest.positions[0].linear.modes()
    assert still.eigenvalue == 0.0
    # a rod of 1 m, 0.1 m thick, hung at its end: m (L^2 / 4) + m (L^2 + 0.1^2) / 12
    wanted = np.sqrt(G * 0.5 / (0.25 + 1.01 / 12)) / (2 * np.pi)
    np.testing.assert_allclose([each.frequency for each in swings], wanted, rtol=1e-8)


@pytest.mark.slow
def test_every_rest_position_of_a_chain_on_balls_is_found() -> None:
    rest = art.rest(chain(2, BALL).world(), starts=2)
    # each link hangs or stands, as those of pins do; where it hangs last it spins freely
    np.testing.assert_allclose(
        [each.energy for each in rest.positions], G * np.array([-2.0, -1.0, 1.0, 2.0]), atol=1e-7
    )


def test_what_is_left_out_is_told_and_what_cannot_be_is_refused() -> None:
    rough = SLIDERS.replace("EXTRA", " friction 3 N limits (-10 cm, 10 cm)")
    linear = art.linearise(art.parse(rough).world())
    assert "dry friction of hinge 'sa'" in linear.left_out
    assert "limits of hinge 'sa'" in linear.left_out
    with pytest.raises(art.NameNotFound, match=r"'sx' is no coordinate .* sa\.travel"):
        linear.state_space(["sx"])
    driven = SLIDERS.replace("EXTRA", " driven by motor(speed: 5 cm/s)")
    with pytest.raises(art.ModelError, match="never rests"):
        art.rest(art.parse(driven).world())
    pendulum = _links([1.0], [1.0])
    tilted = replace(pendulum, gravity=(9.81, 0.0, 0.0))
    with pytest.raises(art.SimulationError, match="do not balance"):
        art.linearise(tilted)
    with pytest.raises(art.SimulationError, match="belongs"):
        art.linearise(chain(2).world(), art.rest(pendulum, 1).positions[0].state)
    with pytest.raises(art.SimulationError, match="starts is 0"):
        art.rest(pendulum, starts=0)


ARM = (
    BAR
    + """
world arm {
  gravity: (0, -9.81 m/s^2, 0)
  components { o: fixed_point; a: bar(60 cm); b: bar(40 cm) }
  structure {
    join a to o with pin(axis: z) as h matching (near, center)
    join b to a with pin(axis: z) as k matching (near, far)
    ignore a with b
    place o by o.center at (0, 0, 0)
    place a by h.angle = 30 deg
    place b by k.angle = -50 deg
  }
}
"""
)


def test_an_arm_is_linearised_about_the_moments_that_hold_it() -> None:
    world = art.parse(ARM).world()
    with pytest.raises(art.SimulationError, match="holding=True"):
        art.linearise(world)
    linear = art.linearise(world, holding=True)
    # V = g (m c sin h + n (l sin h + d sin(h + k))); moments are its slopes, stiffness its bends
    m, n, length, c, d = 7850 * 0.6 * 4e-4, 7850 * 0.4 * 4e-4, 0.6, 0.3, 0.2
    one, both = math.radians(30.0), math.radians(-20.0)
    first, second = G * (m * c + n * length), G * n * d
    slopes = [first * math.cos(one) + second * math.cos(both), second * math.cos(both)]
    assert list(linear.holding.values()) == pytest.approx(slopes, rel=1e-9)
    bends = [-first * math.sin(one) - second * math.sin(both), -second * math.sin(both)]
    np.testing.assert_allclose(linear.K, [[bends[0], bends[1]], [bends[1]] * 2], rtol=1e-7)
    assert linear.state_space(["k.angle"]).B[:2] == pytest.approx(0.0)
    with pytest.raises(art.SimulationError, match=r"nothing at k\.angle holds it.* h\.angle"):
        art.linearise(world, holding=["k.angle"])
    with pytest.raises(art.NameNotFound, match=r"'h'; did you mean 'h\.angle'"):
        art.linearise(world, holding=["h"])


def test_a_search_for_rest_positions_ends_and_tells_what_it_left() -> None:
    world, told = chain(3, REVOLUTE).world(), []
    rest = art.rest(world, starts=4, searches=6, progress=lambda *each: told.append(each))
    assert rest.starts == 6
    assert [done for done, _ in told] == list(range(6))
    assert all(total <= 6 for _, total in told)
    assert any("places after 6 searches" in each for each in rest.left_out)
    assert not any("searches" in each for each in art.rest(chain(1).world(), 2).left_out)
    with pytest.raises(art.SimulationError, match="searches is 0"):
        art.rest(world, searches=0)


def test_the_command_tells_positions_and_modes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "hanging.art"
    file.write_text(FOUR_BAR)
    for format in ("text", "json", "csv"):
        app.run(["rest", str(file), "--starts", "6", "--format", format])
    text, rest = capsys.readouterr().out.split("{", 1)
    said, table = json.JSONDecoder().raw_decode("{" + rest)
    assert text.startswith("2 rest positions")
    assert "1  stable, " in text
    assert [each["stability"] for each in said["positions"]] == ["stable", "unstable"]
    assert f"{said['positions'][0]['modes'][0]['frequency']:.6g} Hz" in text
    assert len(("{" + rest)[table:].strip().splitlines()) == 4
    assert said["starts"] >= said["led"] >= said["once"]
    file.write_text(SLIDERS.replace("EXTRA", ""))
    app.run(["rest", str(file), "--starts", "1"])
    assert "one search alone found 1 of the 1: more --starts" in capsys.readouterr().out


def test_a_mode_is_recorded_with_its_hinges_closed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The four-bar's other bars turn by the lengths of Freudenstein's loop, differenced here."""
    file = tmp_path / "hanging.art"
    file.write_text(FOUR_BAR)
    app.run(["rest", str(file), "--starts", "1", "--out", str(tmp_path / "modes")])
    assert "articulata view" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        app.run(["rest", str(file), "--starts", "1", "--out", str(tmp_path / "modes.csv")])
    assert "--format csv >" in capsys.readouterr().err
    assert not (tmp_path / "modes.csv").exists()
    run = art.load(tmp_path / "modes" / "position1_mode1.artrun")
    crank, rocker = run.series("ha.angle"), run.series("hd.angle")
    assert np.ptp(crank) > 0.1
    for ends in (("a.far", "b.near"), ("b.far", "c.near"), ("c.far", "p.center")):
        apart = run.series(ends[0]) - run.series(ends[1])
        assert np.abs(apart).max() < 1e-9
    pin = np.array([0.5, 0.0])
    tip = 0.2 * np.stack([np.cos(crank), np.sin(crank)], 1)
    far = np.linalg.norm(tip - pin, axis=1)
    lean = np.arctan2(tip[:, 1], tip[:, 0] - 0.5)
    inner = np.arccos((0.4**2 + far**2 - 0.5**2) / (2 * 0.4 * far))
    branches = [lean + inner, lean - inner]
    known = min(branches, key=lambda each: np.ptp(each - rocker))
    assert np.ptp(known - rocker) < 1e-9
    world = art.parse(FOUR_BAR).world()
    place = art.rest(world, 1).positions[0]
    with pytest.raises(art.SimulationError, match="largest is 0"):
        art.record_mode(world, place.state, place.linear.modes()[0], 0)


def test_a_world_that_falls_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "falling.art"
    file.write_text(
        "primitive stone {\n  properties: (density: 2000 kg/m^3)\n  geometry: sphere(1 cm)\n"
        "  dynamics\n}\nworld fall {\n  gravity: (0, -9.81 m/s^2, 0)\n  components { a: stone }\n"
        "  structure { place a by a.center at (0, 0, 0) }\n}\n"
    )
    with pytest.raises(SystemExit):
        app.run(["rest", str(file), "--starts", "2"])
    text = capsys.readouterr().out
    assert text.startswith("no rest positions, 2 starts")
    assert "falls without end" in text
