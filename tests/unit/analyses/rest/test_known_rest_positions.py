"""All rest positions of mechanisms whose potential is scanned here, over all that they can do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.optimize import brentq

import articulata as art
from articulata.geometry.arrays import Array

G = 9.81

PARTS = """
primitive block { geometry: cuboid(2 cm, 2 cm, 2 cm); dynamics: (mass: 2 kg) }
primitive bar(span: length = 40 cm) {
  geometry: cuboid(span, 2 cm, 2 cm) where { near: (-span/2, 0, 0); far: (span/2, 0, 0) }
  dynamics: (mass: 1 kg)
}
"""


def _world(gravity: str, components: str, structure: str) -> art.World:
    text = f"world w {{ gravity: {gravity}\ncomponents {{ {components} }}\nstructure {{"
    return art.parse(f"{PARTS}{text}\n{structure}\n}} }}").world()


def _stretched(place: Array, end: tuple[float, ...], stiffness: float, rest: float) -> Array:
    """Energy (J) of a spring from places (..., n) to an end."""
    apart = np.linalg.norm(place - np.array(end), axis=-1)
    return np.asarray(0.5 * stiffness * (apart - rest) ** 2)


def _rests(energy: Callable[[Array], Array], low: float, high: float) -> list[tuple[float, str]]:
    """Where a potential of one coordinate rests, of all between two values, and how."""

    def slope(x: float) -> float:
        h = 1e-4
        y = energy(x + h * np.array([-2.0, -1.0, 1.0, 2.0]))
        return float((y[0] - 8 * y[1] + 8 * y[2] - y[3]) / (12 * h))

    grid = np.linspace(low, high, 721)
    slopes = [slope(x) for x in grid]
    return [
        (float(brentq(slope, a, b, xtol=1e-13)), "stable" if s < 0 else "unstable")
        for a, b, s, t in zip(grid, grid[1:], slopes, slopes[1:], strict=False)
        if s * t < 0
    ]


def _same_places(
    rest: art.Rest, coordinate: str, known: list[tuple[float, str]], turn: float = np.inf
) -> None:
    """Check that as many positions are found, at the same values of one coordinate, as stable."""
    found = [(each.coordinates[coordinate], each.stability) for each in rest.positions]
    assert len(found) == len(known)
    for value, stability in known:
        off = [abs((x - value + turn / 2) % turn - turn / 2) if turn < 9 else abs(x - value)
               for x, _ in found]  # fmt: skip
        assert min(off) < 1e-7
        assert found[int(np.argmin(off))][1] == stability


def test_a_truss_that_snaps_through_rests_in_three_places() -> None:
    """Two springs to a block between them (R. von Mises, ZAMM 3, 1923)."""
    world = _world(
        "(0, -9.81 m/s^2, 0)",
        "o: fixed_point; left: fixed_point; right: fixed_point; a: block",
        """join a to o with slider(axis: y) as s matching (center, center)
        join a to left with spring(stiffness: 2000, length: 50 cm) matching (center, center)
        join a to right with spring(stiffness: 2000, length: 50 cm) matching (center, center)
        place o by o.center at (0, 0, 0)
        place left by left.center at (-40 cm, 0, 0)
        place right by right.center at (40 cm, 0, 0)
        place a by s.travel = 35 cm""",
    )

    def energy(y: Array) -> Array:
        return 2 * 0.5 * 2000 * (np.sqrt(0.16 + y * y) - 0.5) ** 2 + 2 * G * y

    known = _rests(energy, -1.0, 1.0)
    assert [how for _, how in known] == ["stable", "unstable", "stable"]
    _same_places(art.rest(world, starts=6), "s.travel", known)
    alone = art.rest(world, starts=1)
    assert (len(alone.positions), alone.led, alone.once) == (1, 1, 1)  # others are likely


@pytest.mark.slow
def test_a_bar_on_a_weak_coil_spring_rests_in_seven_places() -> None:
    """k angle = m g (l/2) sin(angle) has seven roots, some of them a turn on."""
    lift = G * 0.2  # 1 kg at 20 cm
    world = _world(
        "(0, -9.81 m/s^2, 0)",
        "o: fixed_point; a: bar",
        f"""join a to o with pin(axis: z) as h matching (near, center)
        force coil about h = -{lift / 12!r} N*m/rad * (angle - 90 deg)
        place o by o.center at (0, 0, 0)
        place a by h.angle = 92 deg""",
    )

    def energy(angle: Array) -> Array:
        return np.asarray(lift * np.sin(angle) + 0.5 * lift / 12 * (angle - np.pi / 2) ** 2)

    known = _rests(energy, np.pi / 2 - 13, np.pi / 2 + 13)
    assert len(known) == 7
    _same_places(art.rest(world, starts=3), "h.angle", known)


@pytest.mark.parametrize(("x", "y", "number"), [(0.36, 0.03, 4), (0.36, 0.1, 2), (0.52, 0.03, 2)])
def test_zeemans_machine_rests_in_four_places_within_its_cusp(
    x: float, y: float, number: int
) -> None:
    """A wheel with a peg and two rubbers, one of them led by a hand (E. C. Zeeman, 1972)."""
    world = _world(
        "(0, 0, 0)",
        "o: fixed_point; post: fixed_point; hand: fixed_point; a: bar(20 cm)",
        f"""join a to o with pin(axis: z) as h matching (center, center)
        join post to a with spring(stiffness: 500, length: 20 cm) matching (center, far)
        join hand to a with spring(stiffness: 500, length: 20 cm) matching (center, far)
        place o by o.center at (0, 0, 0)
        place post by post.center at (-40 cm, 0, 0)
        place hand by hand.center at ({x} m, {y} m, 0)
        place a by h.angle = 40 deg""",
    )

    def energy(angle: Array) -> Array:
        peg = 0.1 * np.stack([np.cos(angle), np.sin(angle)], -1)
        return _stretched(peg, (-0.4, 0.0), 500, 0.2) + _stretched(peg, (x, y), 500, 0.2)

    known = _rests(energy, 0.01, 0.01 + 2 * np.pi)
    assert len(known) == number
    _same_places(art.rest(world, starts=2), "h.angle", known, 2 * np.pi)


@pytest.mark.slow
def test_two_geared_bars_rest_in_four_places() -> None:
    """w sin a + w sin(2 a + 1): the second bar goes twice round while the first does once."""
    world = _world(
        "(0, -9.81 m/s^2, 0)",
        "o: fixed_point; p: fixed_point; a: bar; b: bar",
        """join a to o with pin(axis: z) as h matching (near, center)
        join b to p with pin(axis: z) as k matching (near, center)
        gear mesh between h and k = 2
        ignore a with b
        place o by o.center at (0, 0, 0)
        place p by p.center at (1 m, 0, 0)
        place a by h.angle = 0
        place b by k.angle = 1 rad""",
    )

    def energy(angle: Array) -> Array:
        return np.asarray(0.2 * G * (np.sin(angle) + np.sin(2 * angle + 1)))

    known = _rests(energy, 0.01, 0.01 + 2 * np.pi)
    assert len(known) == 4
    _same_places(art.rest(world, starts=3), "h.angle", known, 2 * np.pi)


def test_a_trammel_of_archimedes_on_a_spring_rests_in_four_places() -> None:
    """Ends of a bar on two lines at a right angle; its middle goes round in a circle."""
    world = _world(
        "(0, -9.81 m/s^2, 0)",
        "o: fixed_point; q: fixed_point; x: block; y: block; a: bar",
        """join x to o with slider(axis: x) as sx matching (center, center)
        join y to o with slider(axis: y) as sy matching (center, center)
        join a to x with pin(axis: z) as hx matching (near, center)
        join a to y with pin(axis: z) as hy matching (far, center)
        join a to q with spring(stiffness: 900, length: 5 cm) matching (center, center)
        ignore x with y
        ignore a with x
        ignore a with y
        place o by o.center at (0, 0, 0)
        place q by q.center at (5 cm, 25 cm, 0)
        place x by sx.travel = 24 cm
        place y by sy.travel = 32 cm""",
    )

    def energy(angle: Array) -> Array:
        # x at 0.4 cos, y at 0.4 sin of the angle; the bar leans the other way
        middle = 0.2 * np.stack([np.cos(angle), np.sin(angle)], -1)
        weights = G * (2 * 2 + 1) * middle[..., 1]
        return np.asarray(weights + _stretched(middle, (0.05, 0.25), 900, 0.05))

    known = _rests(energy, 0.01, 0.01 + 2 * np.pi)
    places = [(0.4 * np.cos(angle), how) for angle, how in known]
    _same_places(art.rest(world, starts=4), "sx.travel", places)


@pytest.mark.slow
def test_a_slider_crank_on_a_spring_rests_in_six_places() -> None:
    world = _world(
        "(0, -9.81 m/s^2, 0)",
        "o: fixed_point; q: fixed_point; a: bar(20 cm); b: bar(50 cm); c: block",
        """join a to o with pin(axis: z) as h matching (near, center)
        join b to a with pin(axis: z) as k matching (near, far)
        join c to b with pin(axis: z) as l matching (center, far)
        join c to o with slider(axis: x) as s matching (center, center)
        join c to q with spring(stiffness: 400, length: 12 cm) matching (center, center)
        ignore a with b
        ignore a with c
        ignore b with c
        place o by o.center at (0, 0, 0)
        place q by q.center at (55 cm, 4 cm, 0)
        place a by h.angle = 60 deg""",
    )

    def energy(angle: Array) -> Array:
        high = 0.2 * np.sin(angle)
        slid = 0.2 * np.cos(angle) + np.sqrt(0.25 - high**2)
        return np.asarray(G * high + 200 * (np.hypot(slid - 0.55, 0.04) - 0.12) ** 2)

    known = _rests(energy, 0.01, 0.01 + 2 * np.pi)
    assert len(known) == 6
    _same_places(art.rest(world, starts=4), "h.angle", known, 2 * np.pi)


def test_a_follower_on_a_cam_of_three_lobes_rests_in_six_places() -> None:
    """A bar turns the cam by its weight, 3 times up and down it lifts a block (4 cm)."""
    world = _world(
        "(0, -9.81 m/s^2, 0)",
        "o: fixed_point; a: bar(10 cm); c: block",
        """join a to o with pin(axis: z) as h matching (near, center)
        join c to o with slider(axis: y) as s matching (center, center)
        cam lift between h and s = 4 cm * (1 - cos(3 * angle))
        ignore a with c
        place o by o.center at (0, 0, 0)
        place a by h.angle = 0.4 rad""",
    )

    def energy(angle: Array) -> Array:
        return np.asarray(G * (0.05 * np.sin(angle) - 2 * 0.04 * np.cos(3 * angle)))

    known = _rests(energy, 0.01, 0.01 + 2 * np.pi)
    assert len(known) == 6
    _same_places(art.rest(world, starts=4), "h.angle", known, 2 * np.pi)


@pytest.mark.slow
def test_watts_linkage_on_a_spring_rests_where_its_curve_does() -> None:
    """Traced all along its one curve of places, which goes through four ends of its bars' ways."""
    world = _world(
        "(0, -9.81 m/s^2, 0)",
        "o: fixed_point; p: fixed_point; q: fixed_point; a: bar(40 cm); b: bar(30 cm); c: bar",
        """join a to o with pin(axis: z) as ha matching (near, center)
        join b to a with pin(axis: z) as hb matching (near, far)
        join c to b with pin(axis: z) as hc matching (near, far)
        join c to p with pin(axis: z) as hd matching (far, center)
        join b to q with spring(stiffness: 150, length: 20 cm) matching (center, center)
        ignore a with b
        ignore a with c
        ignore b with c
        place o by o.center at (0, 0, 0)
        place p by p.center at (80 cm, -25 cm, 0)
        place q by q.center at (30 cm, 20 cm, 0)
        place a by ha.angle = 10 deg""",
    )
    spans, end = np.array([0.4, 0.3, 0.4]), np.array([0.8, -0.25])

    def ways(angles: Array) -> Array:
        return spans[:, None] * np.stack([np.cos(angles), np.sin(angles)], -1)

    def energy(angles: Array) -> float:
        ends = np.cumsum(ways(angles), 0)
        middles = ends - 0.5 * ways(angles)
        return float(G * middles[:, 1].sum() + _stretched(middles[1], (0.3, 0.2), 150, 0.2))

    def rows(angles: Array) -> Array:
        x, y = ways(angles).T
        return np.stack([-y, x])

    def closed(angles: Array) -> Array:
        for _ in range(6):
            gap = ways(angles).sum(0) - end
            angles = angles - np.linalg.lstsq(rows(angles), gap, rcond=None)[0]
        return angles

    def along(angles: Array) -> Array:
        way = np.cross(*rows(angles))
        return np.asarray(way / np.linalg.norm(way))

    def slope(angles: Array) -> float:
        h = 1e-4 * along(angles)
        return (energy(closed(angles + h)) - energy(closed(angles - h))) / 2e-4

    start = at = closed(np.array([0.2, -1.4, 0.1]))
    energies, step = [], 0.01
    slopes = [slope(at)]
    for n in range(4000):
        then = closed(at + step * along(at))
        slopes.append(slope(then))
        if slopes[-2] * slopes[-1] < 0:
            part = brentq(lambda s, at=at: slope(closed(at + s * along(at))), 0.0, step, xtol=1e-12)
            how = "stable" if slopes[-2] < 0 else "unstable"
            energies.append((energy(closed(at + part * along(at))), how))
        at = then
        if n > 10 and np.linalg.norm((at - start + np.pi) % (2 * np.pi) - np.pi) < step:
            break
    else:
        raise AssertionError("the curve of places does not close")
    rest = art.rest(world, starts=10)
    assert [each.stability for each in rest.positions] == [how for _, how in sorted(energies)]
    np.testing.assert_allclose(
        [each.energy - rest.positions[0].energy for each in rest.positions],
        [value - min(energies)[0] for value, _ in sorted(energies)],
        atol=1e-7,
    )


def _balances(
    energy: Callable[[Array], Array], starts: Array, onto: Callable[[Array], Array]
) -> list[tuple[float, int]]:
    """Energies of all that rest, and in how many ways they fall, by Newton from many starts.

    ``energy`` takes (n, 2) of coordinates about ``starts`` (n, k), ``onto`` makes these places.
    """
    h, places = 1e-3, starts
    offsets = h * np.array([[i, j] for i in (-1, 0, 1) for j in (-1, 0, 1)], float)
    for _ in range(60):
        at = np.stack([energy(onto_(places, each, onto)) for each in offsets], -1)
        at = at.reshape(-1, 3, 3)
        slope = np.stack([at[:, 2, 1] - at[:, 0, 1], at[:, 1, 2] - at[:, 1, 0]], -1) / (2 * h)
        xx = (at[:, 2, 1] - 2 * at[:, 1, 1] + at[:, 0, 1]) / h**2
        yy = (at[:, 1, 2] - 2 * at[:, 1, 1] + at[:, 1, 0]) / h**2
        xy = (at[:, 2, 2] - at[:, 2, 0] - at[:, 0, 2] + at[:, 0, 0]) / (4 * h * h)
        curved = np.stack([np.stack([xx, xy], -1), np.stack([xy, yy], -1)], -2)
        step = -np.linalg.solve(curved + 1e-9 * np.eye(2), slope[..., None])[..., 0]
        size = np.linalg.norm(step, axis=-1, keepdims=True)
        places = onto_(places, step * np.minimum(1.0, 0.2 / np.maximum(size, 1e-300)), onto)
    still = np.linalg.norm(slope, axis=-1) < 1e-6
    falls = (np.linalg.eigvalsh(curved) < 0).sum(-1)
    found: dict[int, tuple[float, int]] = {}
    for value, ways in zip(energy(places)[still], falls[still], strict=True):
        found.setdefault(round(float(value) * 1e4), (float(value), int(ways)))
    return sorted(found.values())


def onto_(places: Array, step: Array, onto: Callable[..., Array]) -> Array:
    """Places a step on."""
    return onto(places, np.broadcast_to(step, (len(places), 2)))


WORDS = ("stable", "unstable", "unstable")


@pytest.mark.slow
def test_a_double_pendulum_on_springs_rests_where_its_torus_has_no_slope() -> None:
    """As many valleys and peaks as saddles (Morse): the places of two angles are a torus."""
    springs = [((0.9, 0.3), 60.0, 0.3), ((-0.5, -0.6), 90.0, 0.2)]
    ends = "\n".join(
        f"join b to e{k} with spring(stiffness: {k_}, length: {rest}) matching (far, center)\n"
        f"place e{k} by e{k}.center at ({x}, {y}, 0)"
        for k, ((x, y), k_, rest) in enumerate(springs)
    )
    world = _world(
        "(0, -9.81 m/s^2, 0)",
        "o: fixed_point; e0: fixed_point; e1: fixed_point; a: bar(40 cm); b: bar(50 cm)",
        f"""join a to o with pin(axis: z) as h matching (near, center)
        join b to a with pin(axis: z) as k matching (near, far)
        {ends}
        ignore a with b
        place o by o.center at (0, 0, 0)
        place a by h.angle = 0.3 rad
        place b by k.angle = 0.2 rad""",
    )

    def energy(angles: Array) -> Array:
        a, b = (np.stack([np.cos(x), np.sin(x)], -1) for x in angles.T)
        tip = 0.4 * a + 0.5 * b
        weights = G * (0.2 * a + 0.4 * a + 0.25 * b)[:, 1]
        return np.asarray(weights + sum(_stretched(tip, *each) for each in springs))

    grid = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    starts = np.stack(np.meshgrid(grid, grid), -1).reshape(-1, 2)
    known = _balances(energy, starts, lambda places, step: places + step)
    falls = [ways for _, ways in known]
    assert falls.count(0) + falls.count(2) == falls.count(1)
    rest = art.rest(world, starts=6)
    assert [each.stability for each in rest.positions] == [WORDS[ways] for ways in falls]
    zero = rest.positions[0].energy - known[0][0]
    np.testing.assert_allclose(
        [each.energy - zero for each in rest.positions], [each for each, _ in known], atol=1e-6
    )


def test_a_bar_in_space_on_three_springs_rests_where_its_sphere_has_no_slope() -> None:
    """Valleys and peaks are two more than saddles (Morse): the places of its end are a sphere."""
    springs = [((0.5, 0.1, 0.1), 80.0, 0.1), ((-0.3, -0.2, 0.4), 70.0, 0.15),
               ((-0.1, 0.4, -0.4), 90.0, 0.1)]  # fmt: skip
    ends = "\n".join(
        f"join a to e{k} with spring(stiffness: {k_}, length: {rest}) matching (far, center)\n"
        f"place e{k} by e{k}.center at ({x}, {y}, {z})"
        for k, ((x, y, z), k_, rest) in enumerate(springs)
    )
    world = _world(
        "(0, -9.81 m/s^2, 0)",
        "o: fixed_point; e0: fixed_point; e1: fixed_point; e2: fixed_point; a: bar(40 cm)",
        f"""join a to o with ball as h matching (near, center)
        {ends}
        place o by o.center at (0, 0, 0)
        place a by a.near at (0, 0, 0)""",
    )

    def energy(way: Array) -> Array:
        return np.asarray(
            0.2 * G * way[:, 1] + sum(_stretched(0.4 * way, *each) for each in springs)
        )

    def onto(way: Array, step: Array) -> Array:
        e = np.eye(3)[np.argmin(np.abs(way), -1)]
        u = np.cross(way, e)
        u /= np.linalg.norm(u, axis=-1, keepdims=True)
        moved = way + step[:, :1] * u + step[:, 1:] * np.cross(way, u)
        return np.asarray(moved / np.linalg.norm(moved, axis=-1, keepdims=True))

    starts = np.random.default_rng(1).normal(size=(400, 3))
    starts /= np.linalg.norm(starts, axis=-1, keepdims=True)
    known = _balances(energy, starts, onto)
    falls = [ways for _, ways in known]
    assert falls.count(0) + falls.count(2) == falls.count(1) + 2
    rest = art.rest(world, starts=4)
    zero = rest.positions[0].energy - known[0][0]
    np.testing.assert_allclose(
        [each.energy - zero for each in rest.positions], [each for each, _ in known], atol=1e-6
    )
    # the bar may spin about itself
    words = ("neutral", "unstable", "unstable")
    assert [each.stability for each in rest.positions] == [words[ways] for ways in falls]
