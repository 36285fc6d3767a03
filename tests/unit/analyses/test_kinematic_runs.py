"""Runs of figures that follow motions: places, easing, blending, contacts, replays."""

import numpy as np
import pytest

import articulata as art
from articulata.domains.kinematic.kinematic_domain import kinematic_model
from articulata.geometry.easing import minimum_jerk
from articulata.sessions.steered_run import order_of
from articulata.world.edits.motion_edits import StartMotion
from articulata.world.edits.transaction import inverse_of
from articulata.world.plain_data import from_data, to_data
from articulata.world.writing.worlds import art_text

WALKER = """
units: degree
figure walker {
  up: z
  chain body: plain table {
    trunk: fixed(link: trunk, mass: 5 kg, shape: cuboid(0.3, 0.2, 0.6) at (0, 0, 0.3))
    turn: revolute(axis: z, limits: (-90, 90)) at (0, 0, 0)
    hip: revolute(axis: x, limits: (-90, 90), link: leg, mass: 2 kg,
      shape: capsule(0.05, 0.4) at (0, 0, -0.3))
  }
  posture standing { hip: 0 }
  landmarks { foot: hip at (0, 0, -0.5); chest: trunk at (0, 0.1, 0.4) }
  motion walk {
    0 s: standing, base at (0, 0.6, 0)
    0.5 s: (hip: 40), base at (0, 0.6, 0.5)
    1 s: standing, base at (0, 0.6, 1)
    ease: linear
    repeat 3
  }
  motion wave { 0 s: (hip: 60, turn: 10); 0.4 s: (hip: 30); 0.8 s: standing; blend: 0.2 s }
  motion glide { 0 s: (hip: 0); 0.4 s: (hip: 40); 1 s: (hip: 50); 2 s: (hip: 0); ease: flowing }
}
primitive post { geometry: cuboid(0.1, 2, 0.1) }
primitive cup { geometry: sphere(5 cm)
  dynamics: (mass: 1) }
"""

ROOM = (
    WALKER
    + """
world room {
  gravity: (0, -9.81, 0)
  components { anna: walker; post: post; cup: cup }
  structure {
    place anna by anna.base at (0, 0.6, 0)
    place post by post.center at (0.1, 1, 1.5), properties: (fixed)
    join cup to anna.foot with weld
    anna follows walk from 0.5 s
  }
}
simulate room { time: (0.1 s, 4 s); domains: (geometric, kinematic)
  on time 3.6 s: start anna.wave
}
"""
)


@pytest.fixture(scope="module")
def run():
    return art.simulate(art.parse(ROOM).requests[0])


def test_recorded_links_are_where_the_figure_is_at_the_recorded_values(run):
    figure = art.figure(run.worlds[0], "anna")
    X_FW = np.linalg.inv(figure.base)
    values, bases = run.array("kinematic.coordinate"), run.array("kinematic.base")
    channel = run.channels["kinematic.coordinate"]
    assert channel.labels == ("anna.turn", "anna.hip")
    poses = run.array("geometric.pose")
    names = run.channels["geometric.pose"].labels
    for k in range(0, len(run.times), 7):
        X_WF = matrix(bases[k, 0])
        X_WL = X_WF @ X_FW @ figure.poses(values[k])
        for body, joint in (("anna.trunk", "trunk"), ("anna.leg", "hip")):
            found = matrix(poses[k, names.index(body)])
            np.testing.assert_allclose(found, X_WL[figure.index(joint)], atol=1e-12)


def matrix(row):
    w, x, y, z = row[3:]
    X = np.eye(4)
    X[:3, :3] = art.Rotation.from_quaternion((w, x, y, z)).to_matrix()
    X[:3, 3] = row[:3]
    return X


def test_key_frames_are_met_and_repeated(run):
    t = run.times
    place = run.series("anna.trunk.origin")
    walking = (t >= 0.5) & (t <= 3.5)
    expected = np.where(walking, t - 0.5, np.where(t < 0.5, 0.0, 3.0))
    np.testing.assert_allclose(place[:, 2], expected, atol=1e-12)
    np.testing.assert_allclose(place[:, 1], 0.6, atol=1e-15)
    hip = run.series("anna.hip.angle")[walking]
    phase = np.mod(t[walking] - 0.5 + 1e-12, 1.0)
    wave = np.radians(40) * (1 - np.abs(1 - 2 * phase))
    np.testing.assert_allclose(hip, wave, atol=1e-9)


def test_what_is_welded_to_a_link_follows_as_exactly(run):
    apart = run.series("cup.center") - run.series("anna.foot")
    assert np.abs(apart).max() <= 1e-12


def test_what_is_touched_on_the_way_is_an_event():
    # the front of the trunk is 0.1 before its frame, the post's face at 0.13
    near = ROOM.replace("(0.1, 1, 1.5)", "(0.1, 1, 0.18)").replace("walk from 0.5 s", "walk")
    near = near.replace("(geometric, kinematic)", "(geometric, interference, kinematic)")
    run = art.simulate(art.parse(near).requests[0], until=0.06, step=0.02)
    met = [e for e in run.events if e.kind == "contact"]
    assert [(e.who, round(e.time, 7)) for e in met] == [(("anna.trunk", "post"), 0.03)]
    ignoring = near.replace("join cup", "ignore anna with post\n    join cup")
    quiet = art.simulate(art.parse(ignoring).requests[0], until=0.06, step=0.02)
    assert not [e for e in quiet.events if e.kind == "contact"]


def test_a_motion_begins_from_the_posture_it_finds(run):
    t, hip = run.times, run.series("anna.hip.angle")
    turn = run.series("anna.turn.angle")
    for time in (3.7, 3.8):
        k = int(np.argmin(np.abs(t - time)))
        s = minimum_jerk((time - 3.6) / 0.2)
        way = minimum_jerk((time - 3.6) / 0.4)
        expected = s * np.radians(60 - 30 * way)
        np.testing.assert_allclose((hip[k], turn[k]), (expected, s * np.radians(10)), atol=1e-9)
    assert hip[-1] == pytest.approx(np.radians(30), abs=1e-9)


def test_a_run_is_replayed_with_equal_bytes(tmp_path):
    started = ROOM.replace("time 3.6 s", "time 0.6 s")
    run = art.simulate(art.parse(started).requests[0], until=0.8)
    run.save(tmp_path / "run.artrun")
    art.replay(run).save(tmp_path / "again.artrun")
    assert (tmp_path / "run.artrun").read_bytes() == (tmp_path / "again.artrun").read_bytes()


def test_flowing_goes_through_its_key_frames_without_a_stop():
    text = WALKER + "world w { components { one: walker }\nstructure { one follows glide } }"
    model = kinematic_model(art.parse(text).world())
    for time, value in ((0.0, 0), (0.4, 40), (1.0, 50), (2.0, 0), (9.0, 0)):
        assert model.at(time)["kinematic.coordinate"][1] == pytest.approx(np.radians(value))
    rate = np.diff([model.at(0.4 + d)["kinematic.coordinate"][1] for d in (-1e-5, 1e-5)])[0] / 2e-5
    assert rate == pytest.approx(np.radians(50) / 1.0, rel=1e-3)  # slope between the neighbours
    v = model.velocities(0.4)["one.leg"]
    np.testing.assert_allclose(np.linalg.norm(v[3:]), rate, rtol=1e-3)


def test_a_performance_has_a_place_of_its_own():
    text = WALKER + (
        "world w { components { one: walker }\n"
        "structure { one follows walk from 0 s at (5, 0, 0) turned 90 about y } }"
    )
    X = kinematic_model(art.parse(text).world()).poses(1.0)["one.trunk"]
    np.testing.assert_allclose(X[:3, 3], (6, 0.6, 0), atol=1e-12)


def test_motions_are_written_and_read_back():
    document = art.parse(ROOM)
    world = document.world()
    assert art.parse(art_text(world)).world() == world
    assert art.parse(document.text).text == document.text
    edits = (StartMotion("anna.wave", 2.0),)
    after = world.edit(edits)
    assert after.figures["anna"].follows[-1].motion == "wave"
    assert after.edit(inverse_of(world, edits)) == world
    assert from_data(to_data(edits)) == edits


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("0.8 s: standing", "0.3 s: standing", "times of motion 'wave' run back"),
        ("0.8 s: standing", "0.8 s: sitting", "no posture 'sitting'"),
        ("0.8 s: standing", "0.8 s: (hup: 3)", "no joint 'hup'"),
        ("0.8 s: standing", "0.8 s: (hip: 120)", "120 deg lies beyond"),
        ("base at (0, 0.6, 1)", "bose at (0, 0.6, 1)", "landmark, link or joint 'bose'"),
        ("anna follows walk", "anna follows wolk", "no motion 'wolk'"),
        ("anna follows walk", "cup follows walk", "no figure"),
        ("ease: linear", "ease: liner", "did you mean 'linear'"),
    ],
)
def test_what_is_wrong_with_a_motion(old, new, words):
    with pytest.raises(art.WorldError, match=words):
        art.parse(ROOM.replace(old, new, 1)).world()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("1 s: standing, base", "1 s: (hip: 3), base", "does not begin at 0 s in the posture"),
        ("at (0, 0.6, 0)\n    place post", "at (0, 0.6, 0), properties: (fixed)\n    place post",
         "which is fixed"),
        ("start anna.wave", "start anna.dance", "no motion 'dance'"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_run(old, new, words):
    with pytest.raises(art.ArticulataError, match=words):
        art.simulate(art.parse(ROOM.replace(old, new, 1)).requests[0])


def test_an_order_starts_a_motion():
    assert order_of("at 0.5 start anna.wave").begins_motion
    assert not order_of("start lift for hoist").begins_motion
