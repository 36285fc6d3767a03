"""Worlds as environments of Gymnasium."""

import math
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from scipy.integrate import solve_ivp

import articulata as art

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:gymnasium")  # advice on bounds

CARTPOLE = """
primitive rail { geometry: cuboid(6 m, 2 cm, 2 cm) }
primitive cart {
  geometry: cuboid(20 cm, 10 cm, 6 cm)
  dynamics: (mass: 1 kg)
}
primitive pole {
  geometry: cuboid(2 cm, 1 m, 2 cm) where { foot: (0, -0.5 m, 0) }
  dynamics: (mass: 0.1 kg)
}
world cartpole(lean: angle = 2 deg, spin: number = 0) {
  gravity: (0, -9.81 m/s^2, 0)
  components { rail: rail; cart: cart; pole: pole }
  structure {
    join cart to rail with slider(axis: x) as track matching (center, center) driven by push
    join pole to cart with pin(axis: z) as top matching (foot, center)
    ignore cart with rail
    ignore pole with cart
    ignore pole with rail
    place rail by center at (0, 0, 0)
    place cart by track.travel = 0
    place pole by top.angle = lean, top.rate = spin * 1 rad/s
  }
}
simulate cartpole { time: (20 ms, 1 s) }
"""

BALL = """
primitive ball {
  properties: (density: 1000 kg/m^3)
  geometry: sphere(10 cm)
  dynamics
}
primitive floor { geometry: cuboid(4 m, 20 cm, 4 m) }
world drop {
  gravity: (0, -9.81 m/s^2, 0)
  components { floor: floor; ball: ball }
  structure {
    place floor by center at (0, -10 cm, 0)
    place ball by center at (0, 1.1 m, 0)
  }
}
"""


def cartpole(**given):
    return art.environment(art.parse(CARTPOLE).requests[0], **given)


def falls_over(moment):
    return abs(moment.value("top.angle")) > 0.3


def test_the_checker_of_gymnasium_finds_nothing_wrong():
    env = cartpole(bounds=(-10.0, 10.0), ends=[falls_over], scatter={"lean": (-0.05, 0.05)})
    check_env(env, skip_render_check=True)
    assert env.inputs == ("push",)
    assert env.outputs == ("track.travel", "track.rate", "top.angle", "top.rate")
    assert env.units == ("m", "m/s", "rad", "rad/s")


def test_steps_follow_the_equations_of_a_cart_and_pole():
    pushes = np.random.default_rng(1).uniform(-3.0, 3.0, 30)
    env = cartpole()
    state, _ = env.reset()
    # the pole as a body: mass, half its length, moment of inertia about its centre
    M, m, half, g = 1.0, 0.1, 0.5, 9.81
    inertia = m * (1.0**2 + 0.02**2) / 12.0

    def rates(_, y, force):
        # Lagrange's equations; the angle is counted from upright, positive towards -x
        _, v, a, w = y
        A = [[M + m, -m * half * math.cos(a)], [-m * half * math.cos(a), inertia + m * half**2]]
        b = [force - m * half * w**2 * math.sin(a), m * g * half * math.sin(a)]
        dv, dw = np.linalg.solve(A, b)
        return [v, dv, w, dw]

    expected = np.array([0.0, 0.0, math.radians(2.0), 0.0])
    assert state == pytest.approx(expected, abs=1e-12)
    for push in pushes:
        state, reward, terminated, truncated, info = env.step([push])
        found = solve_ivp(
            rates, (0.0, 0.02), expected, "DOP853", args=(push,), rtol=1e-12, atol=1e-13
        )
        expected = found.y[:, -1]
        assert state == pytest.approx(expected, abs=1e-8)
        assert (reward, terminated, truncated) == (0.0, False, False)
    assert info["time"] == pytest.approx(0.6)
    assert abs(expected[2]) > 0.05


@pytest.mark.parametrize("method", [None, art.Stepping(step=2e-3), art.RealTime(step=2e-3)])
def test_steps_are_those_of_simulate(method):
    request = art.parse(CARTPOLE).requests[0]
    pushes = np.random.default_rng(2).uniform(-3.0, 3.0, 20)
    env = art.environment(request, method=method, observations=["pole.center", "top.rate"])
    env.reset()
    seen = np.array([env.step([push])[0] for push in pushes])

    def push(_, sensed):
        return pushes[min(round(sensed.time / 0.02), 19)]

    run = art.simulate(request, until=0.4, method=method, controllers={"push": push})
    centers = run.series("pole.center")[1:]
    assert np.array_equal(seen, np.column_stack([centers, run.series("top.rate")[1:]]))
    assert env.outputs == ("pole.center.x", "pole.center.y", "pole.center.z", "top.rate")


def test_a_seed_draws_the_same_episodes_again():
    scatter = {
        "lean": (-0.05, 0.05),
        "spin": lambda rng: rng.normal(0.0, 0.5),
        "cart.mass": (0.8, 1.2),
    }
    env, other = cartpole(scatter=scatter), cartpole(scatter=scatter)
    first = [env.reset(seed=7)[0], *(env.reset()[0] for _ in range(40))]
    again = [other.reset(seed=7)[0], *(other.reset()[0] for _ in range(40))]
    assert np.array_equal(first, again)
    leans = np.array(first)[:, 2]
    assert -0.05 <= leans.min() < -0.03
    assert 0.03 < leans.max() <= 0.05
    assert np.std(np.array(first)[:, 3]) == pytest.approx(0.5, rel=0.4)
    # a heavier cart goes less far by the same push
    env.reset(seed=7, options={"start": {"lean": 0.0, "spin": 0.0, "cart.mass": 3.0}})
    state, *_ = env.step([1.0])
    # upright and at rest, the pole counts as m (1 - m half^2 / (inertia + m half^2))
    counts = 0.1 * (1.0 - 0.25 / (0.25 + 1.0004 / 12.0))
    assert state[1] == pytest.approx(0.02 / (3.0 + counts), rel=1e-3)


def test_a_coordinate_of_a_hinge_is_drawn():
    still = CARTPOLE.replace(", top.rate = spin * 1 rad/s", "")
    env = art.environment(art.parse(still).world(), scatter={"top.angle": (0.1, 0.2)}, step=0.01)
    angles = [env.reset(seed=k)[0][2] for k in range(20)]
    assert 0.1 <= min(angles) < 0.13
    assert 0.17 < max(angles) <= 0.2
    assert env.reset(options={"start": {"top.angle": 0.15}})[0] == pytest.approx([0, 0, 0.15, 0])


@pytest.mark.parametrize("method", [art.DOP853(), art.Stepping(step=1e-3)])
def test_a_contact_is_told_and_ends_an_episode(method):
    strikes = math.sqrt(2.0 * 1.0 / 9.81)
    env = art.environment(
        art.parse(BALL).world(),
        method=method,
        step=0.05,
        ends=["contact"],
        reward=lambda moment: -float(len(moment.events)),
        observations=["ball.center.y"],
    )
    env.reset()
    steps, terminated = 0, False
    while not terminated:
        _, reward, terminated, truncated, info = env.step([])
        steps += 1
    assert steps == math.ceil(strikes / 0.05)
    assert not truncated
    assert reward < 0.0
    struck = [each for each in info["events"] if each["kind"] in ("contact", "impact")]
    near = 1e-9 if isinstance(method, art.DOP853) else 2e-3
    assert struck[0]["time"] == pytest.approx(strikes, abs=near)
    assert "ball" in struck[0]["who"]
    with pytest.raises(art.SimulationError, match="call reset"):
        env.step([])


def test_a_clause_that_stops_ends_an_episode_where_it_happens():
    stops = BALL + "simulate drop { time: (50 ms, 2 s); on impact(ball, floor): stop }"
    env = art.environment(art.parse(stops).requests[0], observations=["ball.center.y"])
    env.reset()
    terminated = False
    while not terminated:
        seen, _, terminated, _, info = env.step([])
    assert info["time"] == pytest.approx(math.sqrt(2.0 / 9.81), abs=1e-9)
    assert seen == pytest.approx([0.1], abs=1e-9)


def test_an_episode_is_cut_at_its_end_and_kept():
    env = cartpole(until=0.05, step=0.02, record=True)
    env.reset()
    cuts = [env.step([1.0])[3] for _ in range(3)]
    assert cuts == [False, False, True]
    run = env.recording()
    assert run.times == pytest.approx([0.0, 0.02, 0.04, 0.05])
    assert run.series("track.travel")[-1] > 0.0


def made():
    """Return an environment as a child process makes it."""
    return cartpole(bounds=(-10.0, 10.0), scatter={"lean": (-0.05, 0.05)})


@pytest.mark.parametrize("kind", [gymnasium.vector.SyncVectorEnv, gymnasium.vector.AsyncVectorEnv])
def test_several_worlds_go_side_by_side(kind):
    pushes = np.array([[1.0], [-2.0]])
    several = kind([made, made])
    first, _ = several.reset(seed=[3, 4])
    after, *_, info = several.step(pushes)
    several.close()
    for number, seed in enumerate((3, 4)):
        alone = made()
        assert np.array_equal(alone.reset(seed=seed)[0], first[number])
        assert np.array_equal(alone.step(pushes[number])[0], after[number])
    assert info["time"] == pytest.approx([0.02, 0.02])


def test_a_file_is_registered_and_made_by_its_name(tmp_path: Path):
    file = tmp_path / "cartpole.art"
    file.write_text(CARTPOLE)
    name = "articulata/CartPole-v0"
    gymnasium.register(name, art.environment, kwargs={"world": str(file), "bounds": (-1.0, 1.0)})
    try:
        env = gymnasium.make(name, until=0.04)
        env.reset(seed=1)
        ends = [env.step(env.action_space.sample())[3] for _ in range(2)]
        assert ends == [False, True]
    finally:
        del gymnasium.registry[name]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"observations": ["top.angel"]}, "top.angel"),
        ({"bounds": {"pull": (-1.0, 1.0)}}, "bounds are given for 'pull'; controls ask: push"),
        ({"bounds": (1.0, -1.0)}, "give \\(lowest, highest\\)"),
        ({"ends": ["contakt"]}, "no event is of the kind 'contakt'.*contact"),
        ({"steps": 3}, "takes no 'steps'.*step"),
        ({"step": -0.1}, "step"),
    ],
)
def test_what_cannot_be_is_told_at_once(given, said):
    with pytest.raises(art.ArticulataError, match=said):
        cartpole(**given)


@pytest.mark.parametrize(
    ("scatter", "said"),
    [
        ({"lean": 0.05}, "scatter of 'lean' is 0.05; give \\(lowest, highest\\)"),
        ({"top.rate": (0.0, 1.0)}, "'top.rate' cannot be drawn.*place by it"),
        ({"top.angle": (0.0, 1.0), "spin": (1.0, 1.0)}, "starts with velocities"),
        ({"poel.mass": (0.0, 1.0)}, "poel"),
    ],
)
def test_what_cannot_be_drawn_is_told_when_it_is_drawn(scatter, said):
    env = cartpole(scatter=scatter)
    with pytest.raises(art.ArticulataError, match=said):
        env.reset()


@pytest.mark.parametrize(
    ("driven", "said"),
    [
        ("driven by motor(force: 1 N)", "motors and servos act by themselves: write 'track driven"),
        ("", "has no controller.* write 'track driven by push' into its structure"),
    ],
)
def test_a_world_without_controllers_tells_how_actions_come(driven, said):
    world = art.parse(CARTPOLE.replace("driven by push", driven)).world()
    with pytest.raises(art.SimulationError, match=said):
        art.environment(world)
    advised = CARTPOLE.replace(" driven by push", "")
    advised = advised.replace("    ignore cart", "    track driven by push\n    ignore cart", 1)
    assert art.environment(art.parse(advised).world()).inputs == ("push",)


def test_actions_of_a_wrong_size_are_told():
    env = cartpole()
    env.reset()
    with pytest.raises(art.SimulationError, match="an action has 1 numbers \\(push\\), not 2"):
        env.step([1.0, 2.0])
    with pytest.raises(art.ControllerError, match="takes 1 finite numbers"):
        env.step([math.nan])
