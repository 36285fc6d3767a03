"""Hinges at their limits against closed forms: instants, speeds, impulses, forces.

Nothing here is a number of ours: every expectation is an elliptic integral, a geometric series or
elementary mechanics, written beside the world that it is about.
"""

import math

import numpy as np
import pytest
from scipy.special import ellipk, ellipkinc

import articulata as art

G = 9.81
Method = art.DOP853 | art.RK4

METHODS = [pytest.param(art.DOP853(), id="DOP853"), pytest.param(art.RK4(1e-3), id="RK4")]
"""RK4's own error is that of its step."""

DOOR = """
primitive bar {
  properties: (density: 1000)
  geometry: cuboid(4 cm, 1 m, 4 cm) where { top: (0, 0.5, 0) }
  dynamics
}
world door {
  gravity: (0, -9.81, 0)
  components { wall: fixed_point; bar: bar }
  structure {
    place wall by wall at (0, 0, 0)
    place bar by bar.top at (0, 0, 0) turned 80 deg about z
    join bar to wall with pin(axis: z) as h matching (top, center) LIMITS
  }
}
"""
MASS = 1000.0 * 0.04 * 0.04
INERTIA = MASS * (1.0 + 0.04**2) / 12.0 + MASS / 4.0
"""Of the bar about its pin: kg, kg m^2."""


def told(recording: art.Recording, *kinds: str) -> list[art.Event]:
    return [event for event in recording.events if event.kind in kinds]


def swing(w0: float, top: float, angle: float) -> float:
    """Return how long a pendulum takes from rest at ``top`` to ``angle``, rad."""
    k = math.sin(0.5 * top)
    psi = math.asin(math.sin(0.5 * angle) / k)
    return float((ellipk(k * k) - ellipkinc(psi, k * k)) / w0)


def strikes(low: float, e: float, count: int) -> list[tuple[float, float]]:
    """Return when, and how fast, the bar strikes a lower limit, released at 80 degrees."""
    w0 = math.sqrt(MASS * G * 0.5 / INERTIA)
    top, time, found = math.radians(80.0), 0.0, []
    time = swing(w0, top, low)
    rate = w0 * math.sqrt(2.0 * (math.cos(low) - math.cos(top)))
    for _ in range(count):
        found.append((time, rate))
        rate *= e
        top = math.acos(math.cos(low) - 0.5 * (rate / w0) ** 2)
        time += 2.0 * swing(w0, top, low)
    return found


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("low", [-20.0, 30.0])
@pytest.mark.parametrize("e", [0.5, 1.0])
def test_a_pendulum_strikes_its_stop_when_and_as_fast_as_elliptic_integrals_say(
    method: Method, low: float, e: float
) -> None:
    text = DOOR.replace("LIMITS", f"limits ({low:g} deg, 90 deg) restitution {e:g}")
    run = art.simulate(art.parse(text).world("door"), until=1.9, step=0.01, method=method)
    events = told(run, "limit")
    expected = [each for each in strikes(math.radians(low), e, 6) if each[0] < 1.39]
    precise = isinstance(method, art.DOP853)
    assert len(expected) >= 1 + (low > 0.0)
    for event, (time, rate) in zip(events, expected, strict=False):
        assert event.who == ("h",)
        assert event.where == ("h.angle", "the lower limit of h.angle")
        assert event.values["coordinate"] == "angle"
        assert event.values["limit"] == math.radians(low)
        assert event.time == pytest.approx(time, abs=1e-13 if precise else 1e-10)
        assert event.values["approach_speed"] == pytest.approx(rate, rel=1e-13 if precise else 1e-9)
        assert event.values["separation_speed"] == pytest.approx(e * rate, rel=1e-9)
        assert event.values["impulse"] == pytest.approx((1.0 + e) * INERTIA * rate, rel=1e-9)
        lost = float(event.values["energy_before"]) - float(event.values["energy_after"])
        assert lost == pytest.approx(0.5 * INERTIA * rate**2 * (1.0 - e**2), abs=1e-9)
    assert float(np.min(run.series("h.angle"))) >= math.radians(low) - 1e-12
    books = run.series("energy.total") + run.series("energy.dissipated")
    assert np.ptp(books) < (1e-12 if precise else 1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_without_restitution_it_stays_on_the_stop_which_bears_its_weight(
    method: Method,
) -> None:
    text = DOOR.replace("LIMITS", "limits (30 deg, 90 deg)")
    run = art.simulate(art.parse(text).world("door"), until=1.0, step=0.01, method=method)
    hit, rest = told(run, "limit", "contact")
    assert hit.time == rest.time
    weight = MASS * G * 0.5 * math.sin(math.radians(30.0))
    precise = isinstance(method, art.DOP853)
    assert rest.values["moment"] == pytest.approx(weight, rel=1e-12 if precise else 1e-10)
    resting = run.times > hit.time
    moment = run.series("h.moment")[resting]
    assert np.allclose(moment, [0.0, 0.0, weight], rtol=0.0, atol=1e-11)
    assert np.allclose(run.series("h.force")[resting], [0.0, MASS * G, 0.0], rtol=0.0, atol=1e-10)
    angle = run.series("h.angle")[resting]
    assert np.ptp(angle) == 0.0
    assert angle[0] == pytest.approx(math.radians(30.0), abs=1e-15)


def test_a_stop_that_gravity_pulls_away_from_is_left_at_once() -> None:
    text = DOOR.replace("LIMITS", "limits (-20 deg, 90 deg)")
    run = art.simulate(art.parse(text).world("door"), until=1.0, step=0.01)
    (hit,) = run.events
    assert hit.kind == "limit"
    assert hit.values["separation_speed"] == pytest.approx(0.0, abs=1e-15)
    # from rest at -20 degrees it swings up to +20
    w0 = math.sqrt(MASS * G * 0.5 / INERTIA)
    back = hit.time + swing(w0, math.radians(20.0), 0.0)
    again = art.simulate(art.parse(text).world("door"), until=back, step=back)
    assert again.series("h.angle")[-1] == pytest.approx(0.0, abs=1e-11)


PUSHED = """
primitive leaf {
  properties: (density: 500)
  geometry: cuboid(80 cm, 2 m, 4 cm) where { edge: (-40 cm, 0, 0) }
  dynamics
}
world room {
  gravity: (0, -9.81, 0)
  components { post: fixed_point; leaf: leaf }
  structure {
    place post by post at (0, 1, 0)
    place leaf by leaf.edge at (0, 1, 0)
    join leaf to post with pin(axis: y) as h matching (edge, center) limits (0, 120 deg) BEARS
    force push about h = 3 N*m/s * time - 6 N*m
  }
}
"""
LEAF = 500.0 * 0.8 * 2.0 * 0.04
LEAF_INERTIA = LEAF * (0.8**2 + 0.04**2) / 12.0 + LEAF * 0.4**2


@pytest.mark.parametrize("method", METHODS)
def test_a_door_leaves_its_stop_when_the_moment_on_it_changes_sign(
    method: Method,
) -> None:
    world = art.parse(PUSHED.replace("BEARS", "")).world("room")
    run = art.simulate(world, until=4.0, step=0.05, method=method)
    rest, left = run.events
    assert (rest.kind, rest.time) == ("contact", 0.0)
    assert rest.values["moment"] == pytest.approx(6.0, abs=1e-12)
    assert left.kind == "separation"
    assert left.time == pytest.approx(2.0, abs=1e-8)
    t = run.times
    free = np.maximum(0.0, t - 2.0)
    assert np.allclose(run.series("h.angle"), 0.5 * free**3 / LEAF_INERTIA, rtol=0.0, atol=1e-9)
    pressing = t < 2.0
    about = run.series("h.moment")[:, 1]
    assert np.allclose(about[pressing], 6.0 - 3.0 * t[pressing], rtol=0.0, atol=1e-9)
    assert np.allclose(about[t > 2.0], 0.0, rtol=0.0, atol=1e-9)


def test_a_stop_may_break_its_hinge() -> None:
    """The pin bears any force and 4 N m: the weight's own moment is about other axes."""
    text = PUSHED.replace("BEARS", "breaks at (10 kN, 4 N*m)").replace(
        "gravity: (0, -9.81, 0)", "gravity: (0, 0, 0)"
    )
    text = text.replace("3 N*m/s * time - 6 N*m", "-3 N*m/s * time")
    run = art.simulate(art.parse(text).world("room"), until=2.0, step=0.05)
    (broke,) = told(run, "break")
    assert broke.time == pytest.approx(4.0 / 3.0, abs=1e-9)
    assert broke.values["moment"] == pytest.approx(4.0, abs=1e-9)
    assert not told(run, "separation")


SLIDER = """
primitive cart {
  properties: (density: 2000)
  geometry: cuboid(10 cm, 10 cm, 10 cm)
  dynamics
}
world rail {
  gravity: GRAVITY
  components { post, far: fixed_point; cart: cart }
  structure {
    place post by post at (0, 0, 0)
    place far by far at (10, 0, 0)
    place cart by cart.center at START
    join cart to post with slider(axis: x) as s matching (center, center) limits LIMITS
    FORCE
  }
}
"""


def rail(gravity: str, start: str, limits: str, force: str = "") -> art.World:
    text = SLIDER.replace("GRAVITY", gravity).replace("START", start)
    return art.parse(text.replace("LIMITS", limits).replace("FORCE", force)).world("rail")


@pytest.mark.parametrize("method", METHODS)
def test_a_spring_between_two_stops_has_the_period_of_cut_sines(
    method: Method,
) -> None:
    """x = A sin(w t) is turned round at d: a quarter of the period is asin(d/A)/w."""
    k, v0, d = 50.0, 4.0, 0.5
    world = rail(
        "(0, 0, 0)",
        "(0, 0, 0), velocity = ((4, 0, 0) (0, 0, 0))",
        f"(-{d} m, {d} m) restitution 1",
        f"force pull between cart.center and far.center = {k} N/m * (distance - 10 m)",
    )
    run = art.simulate(world, until=3.0, step=0.05, method=method)
    w = math.sqrt(k / 2.0)
    quarter = math.asin(d / (v0 / w)) / w
    hits = told(run, "limit")
    assert len(hits) == math.floor((3.0 / quarter + 1.0) / 2.0)
    precise = isinstance(method, art.DOP853)
    for number, hit in enumerate(hits):
        time = (2 * number + 1) * quarter
        assert hit.time == pytest.approx(time, abs=1e-11 if precise else 1e-8)
        assert hit.values["limit"] == (-d if number % 2 else d)
        assert hit.values["approach_speed"] == pytest.approx(
            v0 * math.cos(w * quarter), abs=1e-10 if precise else 1e-7
        )
    assert np.ptp(run.series("energy.total")) < (1e-10 if precise else 1e-6)


def test_a_falling_slider_bounces_like_the_ball_and_settles_when_the_series_ends() -> None:
    """Ball h = 1 m, e = 0.8, g = 9.81: the house plan's numbers (dynamics.md, known answers)."""
    world = rail("(-9.81, 0, 0)", "(1, 0, 0)", "(0, 2) restitution 0.8")
    run = art.simulate(world, until=4.5, step=0.1)
    first = [0.4515236409857309, 1.1739614665629, 1.751911727024636, 2.214271935394024]
    hits = told(run, "limit")
    assert [hit.time for hit in hits[:4]] == pytest.approx(first, abs=1e-12)
    (end,) = told(run, "settled")
    assert end.time == pytest.approx(4.063712768871578, abs=1e-12)
    assert not told(run, "separation")
    assert run.series("s.travel")[-1] == pytest.approx(0.0, abs=1e-13)
    assert run.series("s.force")[-1] == pytest.approx([2.0 * G, 0.0, 0.0], abs=1e-10)
    assert run.series("energy.dissipated")[-1] == pytest.approx(2.0 * G, abs=1e-11)


def test_elastic_bounces_keep_their_height_a_hundred_times() -> None:
    world = rail("(-9.81, 0, 0)", "(1, 0, 0)", "(0, 2) restitution 1")
    run = art.simulate(world, until=91.0, step=1.0)
    hits = told(run, "limit")
    assert len(hits) == 101
    fall = math.sqrt(2.0 / G)
    for number, hit in enumerate(hits):
        assert hit.time == pytest.approx((2 * number + 1) * fall, abs=1e-10)
    assert np.ptp(run.series("energy.total")) < 1e-10


TRAIN = """
primitive car { properties: (density: 3000); geometry: cuboid(10 cm, 10 cm, 10 cm); dynamics }
world train {
  gravity: (0, 0, 0)
  components { post: fixed_point; car[1..4]: car }
  structure {
    place post by post at (0, 0, 0)
    for i in 1..3 { place car[i] by car[i].center at (0.5 * i, 0, 0) }
    place car[4] by car[4].center at (2, 0, 0) velocity = ((2, 0, 0) (0, 0, 0))
    join car[1] to post with slider(axis: x) as s1 matching (center, center)
    join car[2] to car[1] with slider(axis: x) as s2 matching (center, center)
      limits (0.2, 0.8) restitution 1
    join car[3] to car[2] with slider(axis: x) as s3 matching (center, center)
      limits (0.2, 0.8) restitution 1
    join car[4] to car[3] with slider(axis: x) as s4 matching (center, center)
      limits (0.2, 0.8) restitution 1
  }
}
"""


def test_a_chain_of_equal_sliders_hands_its_motion_on_like_a_cradle() -> None:
    """Couplings of 0.3 m play: each car stops when the next is pulled along, 0.15 s later."""
    world = art.parse(TRAIN).world("train")
    run = art.simulate(world, until=0.6, step=0.05)
    hits = told(run, "limit")
    assert [hit.time for hit in hits] == pytest.approx([0.15, 0.3, 0.45], abs=1e-12)
    assert [hit.who[0] for hit in hits] == ["s4", "s3", "s2"]
    for hit in hits:
        assert hit.values["impulse"] == pytest.approx(3.0 * 2.0, rel=1e-12)
        assert hit.values["momentum_before"] == pytest.approx(
            hit.values["momentum_after"], abs=1e-12
        )
    speeds = [float(run.series(f"car[{i}].v.x")[-1]) for i in range(1, 5)]
    assert speeds == pytest.approx([2.0, 0.0, 0.0, 0.0], abs=1e-12)


ARM = """
primitive upper {
  properties: (density: 1000)
  geometry: cuboid(60 cm, 10 cm, 10 cm) where { near: (-30 cm, 0, 0); far: (30 cm, 0, 0) }
  dynamics
}
primitive lower {
  properties: (density: 1000)
  geometry: cuboid(40 cm, 10 cm, 10 cm) where { near: (-20 cm, 0, 0) }
  dynamics
}
world arm {
  gravity: (0, 0, 0)
  components { post: fixed_point; upper: upper; lower: lower }
  structure {
    place post by post at (0, 0, 0)
    place upper by upper.near at (0, 0, 0)
    place lower by lower.near at (0.6, 0, 0) turned 40 deg about z
      velocity = ((0, 0, 0) (0, 0, -3))
    join upper to post with pin(axis: z) as shoulder matching (near, center)
    join lower to upper with pin(axis: z) as elbow matching (near, far)
      limits (0, 150 deg) restitution RESTITUTION
  }
}
"""


@pytest.mark.parametrize("e", [0.0, 0.3, 1.0])
def test_an_elbow_that_locks_passes_its_impulse_through_the_shoulder(e: float) -> None:
    """Lagrange's coordinates a (upper arm) and q (elbow), M(q) at q = 0, impulse P on q:

    M (da, dq) = (0, P) with dq = -(1 + e) q', so P = -(1 + e) q' / (M^-1)_qq.
    """
    world = art.parse(ARM.replace("RESTITUTION", str(e))).world("arm")
    run = art.simulate(world, until=0.8, step=0.02)
    hit = told(run, "limit")[0]
    m1, m2, l1, c1, c2 = 6.0, 4.0, 0.6, 0.3, 0.2
    J1 = m1 * (0.6**2 + 0.1**2) / 12.0 + m1 * c1**2
    J2 = m2 * (0.4**2 + 0.1**2) / 12.0

    def inertia(q: float) -> np.ndarray:
        own = J2 + m2 * c2**2
        both = m2 * l1 * c2 * math.cos(q)
        return np.array([[J1 + own + m2 * l1**2 + 2.0 * both, own + both], [own + both, own]])

    # before the impact: energy and moment of momentum about the shoulder are kept
    at = np.flatnonzero(run.times == 0.0)[0]
    start = np.array(
        [run.series("shoulder.rate")[at], run.series("elbow.rate")[at]]
    )  # what the hinges leave of the velocities given
    L = (inertia(math.radians(40.0)) @ start)[0]
    T = 0.5 * start @ inertia(math.radians(40.0)) @ start
    M = inertia(0.0)
    # q' from  L = M_aa a' + M_aq q',  2 T = u' M u
    schur = M[1, 1] - M[0, 1] ** 2 / M[0, 0]
    q = -math.sqrt((2.0 * T - L**2 / M[0, 0]) / schur)
    a = (L - M[0, 1] * q) / M[0, 0]
    assert hit.values["approach_speed"] == pytest.approx(-q, rel=1e-10)
    P = -(1.0 + e) * q / np.linalg.inv(M)[1, 1]
    assert hit.values["impulse"] == pytest.approx(P, rel=1e-10)
    after = np.array([a, q]) + np.linalg.solve(M, [0.0, P])
    assert after[1] == pytest.approx(-e * q, abs=1e-12)
    # the shoulder's impulse is what the whole arm's momentum changes by
    speed = lambda u: m1 * c1 * u[0] + m2 * (l1 * u[0] + c2 * (u[0] + u[1]))  # noqa: E731 # one line
    change = speed(after) - speed((a, q))
    passed = np.array(hit.values["impulse of shoulder"])
    assert np.linalg.norm(passed[:3]) == pytest.approx(abs(change), rel=1e-9)
    assert passed[3:] == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)
    # at the elbow: the lower arm's share of the momentum, and the stop's own moment
    elbow = np.array(hit.values["impulse of elbow"])
    lower = m2 * ((l1 + c2) * (after[0] - a) + c2 * (after[1] - q))
    assert np.linalg.norm(elbow[:3]) == pytest.approx(abs(lower), rel=1e-9)
    assert elbow[5] == pytest.approx(P, rel=1e-9)
    books = run.series("energy.total") + run.series("energy.dissipated")
    assert np.ptp(books) < 1e-12
    lost = T - 0.5 * after @ M @ after
    assert run.series("energy.dissipated")[run.times > hit.time][0] == pytest.approx(
        lost, abs=1e-11
    )
    if e == 0.0:
        # locked and free of forces it turns on as one
        rate = run.series("shoulder.rate")[run.times > hit.time]
        assert np.allclose(rate, after[0], rtol=0.0, atol=1e-11)
        assert {event.kind for event in run.events} >= {"limit", "contact"}


FOUR_BAR = """
primitive bar {
  properties: (density: 2500)
  geometry: cuboid(1 m, 2 cm, 2 cm) where { near: (-50 cm, 0, 0); far: (50 cm, 0, 0) }
  dynamics
}
world parallelogram {
  gravity: (0, 0, 0)
  components { left, right: fixed_point; a, b, top: bar }
  structure {
    place left by left at (0, 0, 0)
    place right by right at (1, 0, 0)
    place a by a.near at (0, 0, 0) turned 60 deg about z velocity = ((0, 0, 0) (0, 0, 0))
    place b by b.near at (1, 0, 0) turned 60 deg about z
    place top by top.near at (0.5, 0.8660254037844386, 0)
      velocity = ((-3, 1.7320508075688772, 0) (0, 0, 0))
    join a to left with pin(axis: z) as crank matching (near, center)
      limits (10 deg, 100 deg) restitution 0.5
    join b to right with pin(axis: z) as rocker matching (near, center)
    join top to a with pin(axis: z) as one matching (near, far)
    join top to b with pin(axis: z) as two matching (far, far)
  }
}
"""


def test_a_stop_in_a_loop_with_redundant_rows_turns_the_whole_linkage_round() -> None:
    """A parallelogram turns evenly: two cranks J = m l^2/3 + m h^2/12 each, a coupler m l^2."""
    run = art.simulate(art.parse(FOUR_BAR).world("parallelogram"), until=4.0, step=0.05)
    rate = float(run.series("crank.rate")[0])
    J = 2.0 * ((1.0 + 0.02**2) / 12.0 + 0.25) + 1.0
    hits = told(run, "limit")
    first = math.radians(40.0) / rate
    second = first + math.radians(90.0) / (0.5 * rate)
    assert [hit.time for hit in hits[:2]] == pytest.approx([first, second], abs=1e-9)
    assert [hit.values["limit"] for hit in hits[:2]] == [math.radians(100.0), math.radians(10.0)]
    assert hits[0].values["impulse"] == pytest.approx(1.5 * J * rate, rel=1e-9)
    assert hits[1].values["impulse"] == pytest.approx(0.75 * J * rate, rel=1e-9)
    books = run.series("energy.total") + run.series("energy.dissipated")
    assert np.ptp(books) < 1e-11


SCREW = """
primitive nut { properties: (density: 1000); geometry: cuboid(20 cm, 20 cm, 10 cm); dynamics }
world vice {
  gravity: (0, 0, 0)
  components { post: fixed_point; nut: nut }
  structure {
    place post by post at (0, 0, 0)
    place nut by nut.center at (0, 0, 0) velocity = ((0, 0, 0) (0, 0, 5))
    join nut to post with screw(lead: 60 cm) as t matching (center, center)
      limits (0, 900 deg) restitution 0.25
  }
}
"""


def test_a_screw_is_stopped_after_two_turns_and_a_half() -> None:
    run = art.simulate(art.parse(SCREW).world("vice"), until=40.0, step=0.1)
    rate = float(run.series("t.rate")[0])
    J = 4.0 * (0.2**2 + 0.2**2) / 12.0 + 4.0 * (0.6 / (2.0 * math.pi)) ** 2
    up, down = told(run, "limit")[:2]
    assert up.time == pytest.approx(math.radians(900.0) / rate, abs=1e-9)
    assert up.values["impulse"] == pytest.approx(1.25 * J * rate, rel=1e-10)
    assert down.time == pytest.approx(5.0 * math.radians(900.0) / rate, abs=1e-8)
    assert down.values["limit"] == 0.0


BOTH = """
primitive sleeve { properties: (density: 1000); geometry: cuboid(20 cm, 20 cm, 10 cm); dynamics }
world shaft {
  gravity: (0, 0, 0)
  components { post: fixed_point; sleeve: sleeve }
  structure {
    place post by post at (0, 0, 0)
    place sleeve by sleeve.center at (0, 0, 0) velocity = ((0, 0, 0.5) (0, 0, 2))
    join sleeve to post with cylindrical(axis: z) as c matching (center, center)
      limits ((-60 deg, 60 deg) (-1 m, 0.25 m)) restitution 1
  }
}
"""


def test_a_cylindrical_hinge_has_limits_of_its_own_for_angle_and_travel() -> None:
    run = art.simulate(art.parse(BOTH).world("shaft"), until=2.0, step=0.1)
    hits = [(hit.time, hit.values["coordinate"]) for hit in told(run, "limit")]
    turn = math.radians(60.0) / 2.0
    assert [name for _, name in hits] == ["travel", "angle", "angle"]
    assert [time for time, _ in hits] == pytest.approx([0.5, turn, 3.0 * turn], abs=1e-11)
    assert run.series("c.travel")[-1] == pytest.approx(0.25 - 0.5 * 1.5, abs=1e-11)
