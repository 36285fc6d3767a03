"""Designs with a known optimum: linkages of textbooks, and a throw that is simulated."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest

import articulata as art
from articulata.errors import ArticulataError

Values = Mapping[str, float]

TURN = np.linspace(0.0, 2.0 * math.pi, 360, endpoint=False)
MASS, CRANK, ROD, RATE = 1.2, 0.1, 0.3, 10.0
"""A slider-crank: kg of what slides, m, m, and rad/s of its crank."""


def shaking(v: Values) -> float:
    """Return the mean square of the force on the frame, N^2, with counterweights along and across.

    ``along`` and ``across`` are masses times radii, kg m, opposite the crank and at right angles.
    """
    sine, cosine = np.sin(TURN), np.cos(TURN)
    root = np.sqrt(ROD**2 - (CRANK * sine) ** 2)
    bent = np.cos(2 * TURN) / root + (CRANK * sine * cosine) ** 2 / root**3
    slider = -(RATE**2) * (CRANK * cosine + CRANK**2 * bent)
    x = -MASS * slider - RATE**2 * (v["along"] * cosine - v["across"] * sine)
    y = -(RATE**2) * (v["along"] * sine + v["across"] * cosine)
    return float(np.mean(x**2 + y**2))


BALANCE = {"along": (0.0, 0.2), "across": (-0.1, 0.1)}

DRAWN = {"x": 0.0, "y": 0.0, "ground": 2.0, "crank": 0.5, "coupler": 1.8, "rocker": 1.4,
         "along": 0.9, "aside": 0.6}  # fmt: skip
"""A four-bar linkage of Grashof's, m: its crank turns."""

BOUNDS = {"x": (-1.0, 1.0), "y": (-1.0, 1.0), "ground": (1.0, 3.0), "crank": (0.2, 0.9),
          "coupler": (1.0, 3.0), "rocker": (1.0, 3.0), "along": (0.0, 2.0),
          "aside": (-1.0, 1.0)}  # fmt: skip


def coupler_points(v: Values) -> np.ndarray:
    """Return where the coupler's point is at eight angles of the crank, (8, 2) m."""
    angles = np.arange(8) * math.pi / 4.0
    knee = np.array([v["x"], v["y"]]) + v["crank"] * np.stack([np.cos(angles), np.sin(angles)], 1)
    apart = np.array([v["x"] + v["ground"], v["y"]]) - knee
    length = np.hypot(*apart.T)
    cosine = (v["coupler"] ** 2 + length**2 - v["rocker"] ** 2) / (2 * v["coupler"] * length)
    if (abs(cosine) > 1.0).any():
        raise ArticulataError("the linkage cannot be closed")
    turn = np.arctan2(apart[:, 1], apart[:, 0]) + np.arccos(cosine)
    along = np.stack([np.cos(turn), np.sin(turn)], 1)
    aside = np.stack([-along[:, 1], along[:, 0]], 1)
    return np.asarray(knee + v["along"] * along + v["aside"] * aside)


TRACED = coupler_points(DRAWN)


def off_the_path(v: Values) -> float:
    return float(np.mean(np.sum((coupler_points(v) - TRACED) ** 2, axis=1)))


def test_a_slider_crank_is_balanced_by_half_of_what_slides() -> None:
    """The slider's first harmonic is m r; the mean square is least for half of it."""
    found = art.optimise(shaking, BALANCE, starts=20)
    assert found.alike == len(found.searches) == 20
    assert found.parameters["along"] == pytest.approx(MASS * CRANK / 2.0, abs=1e-8)
    assert found.parameters["across"] == pytest.approx(0.0, abs=1e-8)


def test_a_constraint_is_kept_at_its_bound() -> None:
    for smooth in (False, True):
        found = art.optimise(
            shaking, BALANCE, keep=[lambda v: 0.05 - v["along"]], starts=3, smooth=smooth
        )
        assert found.parameters["along"] == pytest.approx(0.05, abs=1e-6)
    with pytest.raises(ArticulataError, match="constraint 1 lacks 1; widen"):
        art.optimise(shaking, BALANCE, keep=[lambda v: -1.0 - v["along"]], starts=2)


def test_a_path_leads_back_to_the_linkage_that_traced_it() -> None:
    found = art.optimise(off_the_path, BOUNDS, starts=20, smooth=True)
    assert all(each.value < 1e-10 for each in found.searches)
    assert len(found.searches) == 20
    for name, known in DRAWN.items():
        assert found.parameters[name] == pytest.approx(known, abs=1e-3)


@pytest.mark.slow
def test_it_does_so_without_slopes() -> None:
    found = art.optimise(off_the_path, BOUNDS, starts=20)
    assert found.value < 1e-10
    assert sum(each.value < 1e-8 for each in found.searches) >= 10


def test_a_simulated_throw_goes_farthest_at_half_a_right_angle() -> None:
    document = art.parse("""
        primitive ball { properties: (density: 1000 kg/m^3); geometry: sphere(5 cm); dynamics }
        world thrown(up: angle) {
          gravity: (0, -10 m/s^2, 0)
          components { b: ball }
          structure {
            place b by b.center at (0, 0, 0)
            place b by velocity = ((4 m/s * cos(up), 4 m/s * sin(up), 0) (0, 0, 0))
          }
        }""")

    def short(v: Values) -> float:
        run = art.simulate(document.world("thrown", **v), until=0.82, step=0.01)
        x, y = run.series("b.center")[:, :2].T
        return -float(np.interp(0.0, -y[5:], x[5:]))

    found = art.optimise(short, {"up": (0.5, 1.2)}, starts=1)
    assert found.parameters["up"] == pytest.approx(math.pi / 4.0, abs=0.02)
    assert -found.value == pytest.approx(1.6, rel=1e-3)


def test_bounds_that_are_none_are_told() -> None:
    for bounds, starts in (({}, 1), ({"a": (0.0, 1.0)}, 0)):
        with pytest.raises(ArticulataError, match="give bounds of one parameter at least"):
            art.optimise(shaking, bounds, starts=starts)
    with pytest.raises(ArticulataError, match="the lesser first"):
        art.optimise(shaking, {"along": (1.0, 0.0)})
    with pytest.raises(ArticulataError, match="cannot be closed"):
        art.optimise(off_the_path, {**BOUNDS, "rocker": (20.0, 30.0)}, starts=1)


def test_rosen_and_suzuki_s_problem_has_its_known_optimum_and_two_active_constraints() -> None:
    # Hock and Schittkowski 1981, problem 43: f = -44 at (0, 1, 2, -1)
    def cost(v: Values) -> float:
        a, b, c, d = v.values()
        return a * a + b * b + 2 * c * c + d * d - 5 * a - 5 * b - 21 * c + 7 * d

    def first(v: Values) -> float:
        a, b, c, d = v.values()
        return 8 - a * a - b * b - c * c - d * d - a + b - c + d

    def second(v: Values) -> float:
        a, b, c, d = v.values()
        return 10 - a * a - 2 * b * b - c * c - 2 * d * d + a + d

    def third(v: Values) -> float:
        a, b, c, d = v.values()
        return 5 - 2 * a * a - b * b - c * c - 2 * a + b + d

    bounds = dict.fromkeys("abcd", (-4.0, 5.0))
    for smooth, close in ((True, 1e-5), (False, 1e-3)):
        found = art.optimise(
            cost, bounds, keep=(first, second, third), starts=2, smooth=smooth, seed=1
        )
        assert found.value == pytest.approx(-44.0, rel=1e-6)
        np.testing.assert_allclose([*found.parameters.values()], (0, 1, 2, -1), atol=close)
        np.testing.assert_allclose(found.margins, (0.0, 1.0, 0.0), atol=close)


def test_what_cannot_be_kept_is_told_with_how_near_it_comes() -> None:
    # x^2 + y^2 - 1 is at most 7 with both up to 2; 9 are asked
    with pytest.raises(ArticulataError, match=r"at best, x = 2, y = 2, constraint 2 lacks 2; wid"):
        art.optimise(
            lambda v: v["x"],
            {"x": (0.0, 2.0), "y": (0.0, 2.0)},
            keep=(lambda v: v["x"] + 1.0, lambda v: v["x"] ** 2 + v["y"] ** 2 - 10.0),
            starts=1,
        )


SWING, TURNED = math.radians(40.0), math.radians(160.0)
"""What a rocker swings by, and by how much its crank turns on the way out."""


def dead_centres(v: Values) -> tuple[float, float]:
    """Return how far a rocker swings and its crank turns between dead centres, rad; ground 1 m."""

    def corner(beside: float, opposite: float) -> float:
        """Return the angle at a pivot of the frame, in the triangle of a dead centre."""
        cosine = (1.0 + beside**2 - opposite**2) / (2.0 * beside)
        if abs(cosine) > 1.0:
            raise ArticulataError("the linkage cannot be closed")
        return math.acos(cosine)

    crank, coupler, rocker = v["crank"], v["coupler"], v["rocker"]
    swing = corner(rocker, coupler + crank) - corner(rocker, coupler - crank)
    turn = math.pi + corner(coupler - crank, rocker) - corner(coupler + crank, rocker)
    return swing, turn


def astray(v: Values) -> float:
    """Return the greatest cosine of the transmission angle: 0 where it is a right angle."""
    crank, coupler, rocker = v["crank"], v["coupler"], v["rocker"]
    square = coupler**2 + rocker**2
    return max(
        abs(square - (1.0 + side * crank) ** 2) / (2.0 * coupler * rocker) for side in (-1.0, 1.0)
    )


def best_crank_rocker() -> tuple[float, dict[str, float]]:
    """Return the least of ``astray`` for a given swing and turn, and the linkage.

    Freudenstein and Primrose, The classical transmission angle problem (Mechanisms, 1973), as E.
    Soeylemez has it in Mechanisms (METU), 7.1.4: coupler over crank is t / sqrt(q) with q the
    positive root of q^3 + 2 q^2 - t^2 q - t^2 (1 + t^2) / u^2.
    """
    t, u = math.tan(TURNED / 2.0), math.tan((TURNED - SWING) / 2.0)
    roots = np.roots([1.0, 2.0, -(t**2), -(t**2) * (1.0 + t**2) / u**2])
    square = t**2 / max(each.real for each in roots if abs(each.imag) < 1e-9)
    wide = (square + u**2) * (1.0 + t**2)
    crank = (t - u) / math.sqrt(wide)
    rocker = math.sqrt((square + t**2) * (1.0 + u**2) / wide)
    links = {"crank": crank, "coupler": math.sqrt(square) * crank, "rocker": rocker}
    return astray(links), links


def test_a_crank_rocker_has_the_best_transmission_angle_for_its_swing_and_quick_return() -> None:
    found = art.optimise(
        astray,
        {"crank": (0.05, 0.6), "coupler": (0.2, 1.5), "rocker": (0.2, 1.5)},
        keep=[lambda v: dead_centres(v)[0] - SWING, lambda v: TURNED - dead_centres(v)[1]],
        starts=20,
        smooth=True,
    )
    least, links = best_crank_rocker()
    assert math.degrees(math.acos(least)) == pytest.approx(31.854, abs=1e-3)
    assert found.value == pytest.approx(least, rel=1e-8)
    for name, length in links.items():
        assert found.parameters[name] == pytest.approx(length, rel=1e-4)
    assert found.margins == pytest.approx((0.0, 0.0), abs=1e-8)
    assert found.alike >= 15


PRECISE = 1.5 - 0.5 * np.cos(math.pi * np.array([1.0, 3.0, 5.0]) / 6.0)
"""Chebyshev's three precision points between 1 and 2."""

DRIVER = np.radians(30.0 + 90.0 * (PRECISE - 1.0))
FOLLOWER = np.radians(60.0 + 90.0 * (1.0 - 1.0 / PRECISE) / 0.5)
"""What two cranks turn to so that one tells 1 / x of the other's x, each over 90 deg."""


def off_the_function(v: Values) -> float:
    """Return the mean square of the structural error at the precision points, rad^2; ground 1 m."""
    pin = v["driver"] * np.exp(1j * DRIVER) - 1.0
    apart, follower = np.abs(pin), v["follower"]
    cosine = (follower**2 + apart**2 - v["coupler"] ** 2) / (2.0 * follower * apart)
    if (abs(cosine) > 1.0).any():
        raise ArticulataError("the linkage cannot be closed")
    bent = np.angle(pin) + np.arccos(cosine)
    return float(np.mean(np.angle(np.exp(1j * (bent - FOLLOWER))) ** 2))


def test_a_four_bar_generates_a_function_at_its_precision_points_as_freudenstein_says() -> None:
    # F. Freudenstein, Transactions of the ASME 77 (1955) 853: linear in K,
    # K1 cos(driver) + K2 cos(follower) + K3 = cos(driver - follower)
    rows = np.stack([np.cos(DRIVER), np.cos(FOLLOWER), np.ones(3)], axis=1)
    k1, k2, k3 = np.linalg.solve(rows, np.cos(DRIVER - FOLLOWER))
    known = {"driver": 1.0 / k2, "follower": -1.0 / k1}
    squares = 1.0 + known["driver"] ** 2 + known["follower"] ** 2
    known["coupler"] = np.sqrt(squares - 2.0 * k3 * known["driver"] * known["follower"])
    bounds = {"driver": (0.5, 5.0), "follower": (0.5, 5.0), "coupler": (0.5, 5.0)}
    found = art.optimise(off_the_function, bounds, starts=20, smooth=True)
    assert found.value < 1e-13
    assert found.alike >= 15
    for name, length in known.items():
        assert found.parameters[name] == pytest.approx(length, rel=1e-4)


def test_a_four_bar_is_balanced_by_berkof_and_lowens_counterweights() -> None:
    # R. S. Berkof and G. G. Lowen, J. Engineering for Industry 91 (1969) 21: what turns with the
    # crank and with the rocker vanishes in the sum of masses times places (kg m), which stays
    crank, coupler, rocker, ground = 0.1, 0.35, 0.25, 0.3
    m = np.array([0.4, 1.1, 0.7])
    own = np.array([0.04, 0.15, 0.12]) * np.exp(1j * np.array([0.2, 0.35, -0.4]))
    e1 = np.exp(1j * TURN)
    apart = ground - crank * e1
    cosine = (coupler**2 + np.abs(apart) ** 2 - rocker**2) / (2.0 * coupler * np.abs(apart))
    e2 = np.exp(1j * (np.angle(apart) + np.arccos(cosine)))
    e3 = (crank * e1 + coupler * e2 - ground) / rocker
    places = np.stack([own[0] * e1, crank * e1 + own[1] * e2, ground + own[2] * e3])

    def moves(v: Values) -> float:
        a, b, c, d = v.values()
        whole = m @ places + (a + 1j * b) * e1 + (c + 1j * d) * e3
        return float(np.mean(np.abs(whole - whole.mean()) ** 2))

    bounds = dict.fromkeys(("crank_x", "crank_y", "rocker_x", "rocker_y"), (-0.5, 0.5))
    found = art.optimise(moves, bounds, starts=20, smooth=True)
    first = -(m[0] * own[0] + m[1] * (crank - own[1] * crank / coupler))
    second = -(m[2] * own[2] + m[1] * own[1] * rocker / coupler)
    known = (first.real, first.imag, second.real, second.imag)
    assert found.value < 1e-12
    assert found.alike == len(found.searches) == 20
    np.testing.assert_allclose([*found.parameters.values()], known, atol=1e-5)
