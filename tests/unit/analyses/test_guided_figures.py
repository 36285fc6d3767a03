"""Figures that follow their motions among bodies that move by forces."""

from types import MappingProxyType

import numpy as np
import pytest

import articulata as art
from articulata.domains.assemble import build
from articulata.errors import SimulationError
from articulata.records.state import State
from articulata.world.edits.motion_edits import StartMotion
from articulata.world.edits.transaction import inverse_of

WALKER = """
units: degree
figure walker {
  up: z
  chain body: plain table {
    trunk: fixed(link: trunk, mass: 5 kg, shape: cuboid(0.3, 0.2, 0.6) at (0, 0, 0.3))
    hip: revolute(axis: x, limits: (-90, 90), link: leg, mass: 2 kg,
      shape: capsule(0.05, 0.4) at (0, 0, -0.3))
  }
  posture standing { hip: 0 }
  landmarks { foot: hip at (0, 0, -0.5) }
  motion kick {
    0 s: standing, base at (0, 0.6, 0)
    0.2 s: (hip: 50), base at (0, 0.6, 0.1) turned 20 deg about y
    0.5 s: standing, base at (0, 0.6, 0)
  }
  motion wave { 0.1 s: (hip: 20); 0.3 s: standing }
}
primitive ball { geometry: sphere(8 cm)
  dynamics: (mass: 0.4 kg) }
primitive cup { geometry: sphere(2 cm)
  dynamics: (mass: 0.1 kg) }
primitive post { geometry: cuboid(0.1, 2, 0.1) }
world hall {
  gravity: (0, -9.81, 0)
  components { anna: walker; ball: ball; cup: cup; post: post }
  structure {
    place anna by anna.base at (0, 0.6, 0)
    place ball by ball.center at (0, 0.3, -0.2)
    place cup by cup.center at (0, 0.1, 0)
    join cup to anna.foot with weld
    place post by post.center at (0.202, 0.7, 0), properties: (fixed)
    anna follows kick from 0.05 s
  }
}
simulate hall { time: (0.01 s, 0.6 s) }
"""


@pytest.fixture(scope="module")
def run():
    return art.simulate(art.parse(WALKER).requests[0])


def guide():
    models = build(art.parse(WALKER).world(), ("geometric", "kinematic", "dynamic"))
    return models["dynamic"].guide


def matrix(row):
    X = np.eye(4)
    X[:3, :3] = art.Rotation.from_quaternion(row[3:]).to_matrix()
    X[:3, 3] = row[:3]
    return X


def test_links_are_where_the_motion_says(run):
    world = run.worlds[0]
    figure = art.figure(world, "anna")
    by_motion = art.simulate(
        art.parse(WALKER).requests[0], domains=("geometric", "kinematic"), step=0.01
    )
    for channel in ("kinematic.coordinate", "kinematic.base"):
        np.testing.assert_array_equal(run.array(channel), by_motion.array(channel))
    names = run.channels["geometric.pose"].labels
    poses, bases = run.array("geometric.pose"), run.array("kinematic.base")
    for k, q in enumerate(run.array("kinematic.coordinate")):
        X_WL = matrix(bases[k, 0]) @ np.linalg.inv(figure.base) @ figure.poses(q)
        for body, joint in (("anna.trunk", "trunk"), ("anna.leg", "hip")):
            found = matrix(poses[k, names.index(body)])
            np.testing.assert_allclose(found, X_WL[figure.index(joint)], atol=1e-10)
    np.testing.assert_allclose(
        run.series("anna.hip.angle"), run.array("kinematic.coordinate")[:, 0], atol=1e-9
    )


def test_it_pushes_what_it_meets_and_nothing_moves_it(run):
    hits = [e for e in run.events if e.kind == "impact"]
    assert hits[0].who[0] == "anna.leg"
    assert hits[0].who[1] == "ball"
    assert run.series("ball.v")[-1][2] < -0.5
    (told,) = [e for e in run.events if e.kind == "guided"]
    assert told.who == ("anna",)
    assert "pushes what it meets" in told.story


def test_what_it_holds_comes_along(run):
    assert np.abs(run.series("cup.center") - run.series("anna.foot")).max() < 1e-9


def test_what_neither_gives_way_is_named(run):
    met = [e.who for e in run.events if e.kind == "contact"]
    assert ("anna.trunk", "post") in met


def test_accelerations_are_those_of_the_motion():
    leading = guide()
    h, t = 1e-4, 0.131
    places = [leading.places(t + k * h)[:, :3] for k in (-1, 0, 1)]
    expected = (places[0] - 2 * places[1] + places[2]) / h**2
    np.testing.assert_allclose(leading.accelerations(t)[:, :3], expected, atol=2e-4 * 30)
    # integrated they lead to the place at the end
    x, begin, span = np.linspace(0.0, 1.0, 401), 0.1236, 0.0103
    a = np.array([leading.accelerations(begin + s * span) for s in x])[..., :3]
    way = np.trapezoid(a * (1.0 - x)[:, None, None], x, axis=0) * span**2
    rate = (leading.places(begin + 1e-6) - leading.places(begin - 1e-6))[:, :3] / 2e-6
    end = leading.places(begin)[:, :3] + span * rate + way
    np.testing.assert_allclose(end, leading.places(begin + span)[:, :3], atol=1e-9)


def test_a_figure_whose_axes_meet_stands_as_it_is_placed():
    text = """
    world w { gravity: (0, -9.81, 0)
      components { one: human_upper_body; robot: manutec_r3 }
      structure { place one by one.base at (2, 1, 0), posture = reaching
        place robot by robot.base at (0, 0, 0), r2 = 0.3 rad, properties: (fixed) } }
    """
    run = art.simulate(art.parse(text).world(), until=0.1, step=0.05)
    hands = run.series('one."right hand"')
    np.testing.assert_allclose(hands - hands[0], 0.0, atol=1e-12)
    # the robot moves by forces, and its joint values are read off its joints
    labels = run.channels["kinematic.coordinate"].labels
    values = run.array("kinematic.coordinate")
    robot = art.figure(run.worlds[0], "robot")
    moved = values[-1, [labels.index(f"robot.{name}") for name in robot.names]]
    assert abs(moved[1] - 0.3) > 1e-3
    X = matrix(run.array("kinematic.base")[-1, 1]) @ np.linalg.inv(robot.base) @ robot.poses(moved)
    names = run.channels["geometric.pose"].labels
    found = matrix(run.array("geometric.pose")[-1, names.index("robot.r6_link")])
    np.testing.assert_allclose(found, X[robot.index("r6")], atol=1e-10)


def test_motions_begin_on_the_way_and_are_undone():
    world = art.parse(WALKER).world()
    run = art.simulate(
        world, until=0.8, step=0.02,
        on_event={"impact": lambda event, moment: [StartMotion("anna.wave", moment.time)]},
    )  # fmt: skip
    assert [e for e in run.events if e.kind == "edit"]
    assert run.array("kinematic.coordinate")[-1, 0] == pytest.approx(0.0, abs=1e-9)
    edits = [StartMotion("anna.wave", 0.3)]
    assert world.edit(edits).edit(inverse_of(world, edits)) == world


def test_what_moves_by_forces_cannot_begin_a_motion():
    text = WALKER.replace("anna follows kick from 0.05 s", "ignore cup with anna")
    text = text.replace("0.6 s) }", "0.6 s)\n on time 0.1 s: start anna.wave }")
    with pytest.raises(SimulationError, match="moves by forces and cannot begin a motion"):
        art.simulate(art.parse(text).requests[0])


def test_a_state_is_left_as_it_was():
    leading = guide()
    arrays = {
        f"dynamic.{name}": np.zeros((5, width))
        for name, width in (("position", 3), ("orientation", 4), ("velocity", 3), ("rate", 3))
    }
    state = State(0.1, MappingProxyType(arrays), 0)
    made = dict(state.arrays)
    leading.set_places(made, 0.1)
    assert not arrays["dynamic.position"].any()
    assert made["dynamic.position"].any()


@pytest.mark.parametrize("domains", [None, ("geometric", "interference", "kinematic")])
def test_two_figures_in_each_other_are_refused(domains):
    text = """
    world w { gravity: (0, -9.81, 0)
      components { one, two: human_upper_body }
      structure { place one by one.base at (0, 1, 0)
        place two by two.base at (0.05, 1, 0) MORE } }
    """
    with pytest.raises(
        SimulationError, match=r"'one' and 'two' .* begin in each other.*ignore one"
    ):
        art.simulate(
            art.parse(text.replace("MORE", "")).world(), until=0.05, step=0.05, domains=domains
        )
    ignoring = art.parse(text.replace("MORE", "\n ignore one with two")).world()
    art.simulate(ignoring, until=0.05, step=0.05, domains=domains)


def test_a_figure_that_follows_motions_says_that_it_has_no_velocity_of_its_own() -> None:
    text = """
import "person.art"
world w {
  gravity: (0, -9.81, 0)
  components { floor: ground; anna: person(1.7 m) }
  structure {
    place anna by anna.base at (0, 1, 0), velocity = ((1, 0, 0), (0, 0, 0))
  }
}
simulate w { time: (50 ms, 50 ms) }
"""
    run = art.simulate(art.parse(text).requests[0])
    (event,) = [each for each in run.events if each.kind == "start"]
    assert event.who == ("anna",)
    assert "follows motions and has no velocity of its own" in event.story
    assert "nearest" not in event.story
