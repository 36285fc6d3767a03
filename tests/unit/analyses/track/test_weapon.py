"""A weapon beside tracked arms: it goes with a hand, the other hand holds it, either lets go."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from articulata.analyses.track.tracked_person import TrackedBody, tracked_body
from articulata.analyses.track.weapon import TAKING, Weapon, Wielded, weapon_of
from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array
from articulata.geometry.poses import interpolate_poses, inverse_pose, pose_distance
from articulata.kinematics.library import figure
from articulata.records.recording import load
from articulata.records.samples import Sample
from articulata.records.tracking import TrackedPosture
from articulata.sessions.track.performing import Bearing, carried
from articulata.sessions.track.person import Person
from articulata.sessions.track.tracked_figures import Follower, armed, choice_of, follower
from articulata.sessions.track.tracked_takes import Takes
from articulata.sessions.track.wish import TrackWish


@pytest.fixture(scope="module")
def who() -> Follower:
    return armed(follower(choice_of("person")))


@pytest.fixture(scope="module")
def slung(who: Follower) -> Weapon:
    body = tracked_body(who.figure)
    assert who.weapon is not None
    return weapon_of(carried(who, body).performer, body, who.weapon)


def posture(
    body: TrackedBody, time: float, arms: tuple[bool, bool], **more: float
) -> TrackedPosture:
    names = {"r_shoulder_flexion": 0.9, "r_elbow_flexion": 1.6, "l_shoulder_flexion": 0.7}
    q = body.figure.vector(names | more, body.rest)
    solved = np.zeros((2, 11))
    solved[:, :7] = q[body.columns]
    solved[:, 9] = [0.0 if each else -1.0 for each in arms]
    joints = tuple(arm.joints for arm in body.arms.each)
    return TrackedPosture(time, q, np.array((1.0, 0, 0, 0, 0, 0, 0)), solved, joints)


def after(
    weapon: Weapon, arms: tuple[bool, bool], state: Wielded | None = None, **more: float
) -> tuple[Wielded, TrackedPosture]:
    begun = 0.0 if state is None else max(state.since, 0.0) + 5.0
    state = weapon.start() if state is None else state
    state, _ = weapon.step(state, posture(weapon.body, begun, arms, **more))
    return weapon.step(state, posture(weapon.body, begun + TAKING + 0.1, arms, **more))


def apart(weapon: Weapon, found: TrackedPosture, side: str) -> float:
    """How far a hand is from where the weapon is held, m and rad together."""
    grip = weapon.body.figure.landmark(found.q, f"{side}_grip")
    away = pose_distance(grip, _there(found) @ weapon.grips[side])
    return float(away.translation + away.rotation)


def _there(found: TrackedPosture) -> Array:
    assert found.X_FT is not None
    return found.X_FT


def test_motions_of_the_text_hold_it_in_both_hands(slung: Weapon) -> None:
    body = slung.body
    for word, ahead in (("standing", (0, 0, 1)), ("prone", (0, 1, 0))):
        _, found = after(slung.under(word).carry("deployed"), (False, False))
        assert apart(slung, found, "r") < 1e-9
        assert apart(slung, found, "l") < 1e-6
        # it points ahead of who stands, along the body of who lies, and no joint leaves its limits
        assert _there(found)[:3, 2] @ ahead > 0.98
        low, high = body.figure.lower, body.figure.upper
        assert np.all((found.q >= low - 1e-9) & (found.q <= high + 1e-9))
    # nobody crawls with his hands full
    _, crawling = after(slung.under("crawling").carry("deployed"), (False, False))
    _, hung = after(slung, (False, False))
    np.testing.assert_allclose(_there(crawling), _there(hung), atol=1e-9)
    assert _there(hung)[2, 3] < body.figure.landmark(hung.q, "back")[2, 3]


def test_the_other_hand_follows_until_it_is_released(slung: Weapon) -> None:
    weapon = slung.carry("deployed")
    state, found = after(weapon, (True, True), r_shoulder_abduction=0.2, l_elbow_flexion=0.4)
    right, left = weapon.body.columns
    # the tracked right hand leads; the left arm leaves what its sensors say
    assert found.q[right] == pytest.approx(
        posture(weapon.body, 0.0, (True, True), r_shoulder_abduction=0.2).q[right]
    )
    assert apart(weapon, found, "r") < 1e-9
    assert state.short > 0.0 or apart(weapon, found, "l") < 1e-6
    np.testing.assert_array_equal(found.solved[1, :7], found.q[left])
    # the left hand lets go, and is where it is measured
    state, free = after(weapon.hold("l", False), (True, True), state, l_elbow_flexion=0.4)
    wanted = posture(weapon.body, 0.0, (True, True), l_elbow_flexion=0.4)
    np.testing.assert_allclose(free.q[left], wanted.q[left])
    assert apart(weapon, free, "r") < 1e-9
    # the right lets go, and the left has it
    state, other = after(weapon.hold("r", False), (True, True), state, l_elbow_flexion=0.4)
    assert apart(weapon, other, "l") < 1e-9
    assert apart(weapon, other, "r") > 0.05
    # nobody has it: it hangs
    none = weapon.hold("r", False).hold("l", False)
    _, hung = after(none, (True, True), state)
    np.testing.assert_allclose(_there(hung), _there(after(slung, (True, True))[1]), atol=1e-9)
    # a tracked left hand leads where the right one has no sensors
    _, led = after(weapon, (False, True), l_elbow_flexion=0.8)
    assert apart(weapon, led, "l") < 1e-9


def test_it_is_taken_without_a_leap(slung: Weapon) -> None:
    state, before = slung.step(slung.start(), posture(slung.body, 1.0, (True, False)))
    weapon = slung.carry("deployed")
    places, q = [_there(before)], [before.q]
    for time in np.arange(1.0, 1.0 + TAKING + 0.1, 0.01):
        state, found = weapon.step(state, posture(slung.body, float(time), (True, False)))
        places.append(_there(found))
        q.append(found.q)
    steps = [float(np.linalg.norm(b[:3, 3] - a[:3, 3])) for a, b in itertools.pairwise(places)]
    assert max(steps) < 0.06
    assert np.abs(np.diff(q, axis=0)).max() < 0.2
    middle = interpolate_poses(places[0], places[-1], 0.5)
    near = min(
        float(np.linalg.norm(inverse_pose(middle)[:3, 3] - inverse_pose(X)[:3, 3])) for X in places
    )
    assert near < 0.05


def test_who_cannot_carry_one_is_told(who: Follower, slung: Weapon) -> None:
    other = follower(choice_of("jack_1995"))
    body = tracked_body(other.figure)
    with pytest.raises(ArticulataError, match="landmark"):
        weapon_of(carried(other, body).performer, body, figure("rifle"))
    with pytest.raises(ArticulataError, match="landmark 'r_grip'"):
        weapon_of(slung.performer, slung.body, figure("jack_1995"))
    with pytest.raises(ArticulataError, match="slung or deployed"):
        slung.carry("thrown")
    bearing = Bearing(who, slung.body, "deployed")
    bearing.grant("hand r", False)
    bearing.begin("kneeling", 0.0)
    found = bearing.under(posture(slung.body, 1.0, (True, True)))
    assert found.X_FT is not None
    assert bearing.told() == ()


def test_a_take_holds_it(who: Follower, slung: Weapon, tmp_path: Path) -> None:
    takes = Takes(tmp_path, [Person(TrackWish(stations={2: "r_upper_arm"}), who)])
    takes.begin({})
    state, found = slung.step(slung.start(), posture(slung.body, 1.0, (True, True)))
    sample = Sample(2, 0.0, 0.0, (1.0, 0.0, 0.0, 0.0))
    takes.add([sample], found)
    takes.add([sample], found._replace(X_FT=None))
    takes.close()
    kept = load(takes.files[0])
    poses = kept.array("geometric.pose")
    labels = kept.channels["geometric.pose"].labels
    place = poses[0, labels.index("rifle.base"), :3]
    # from its back, in the world in which the person stands
    head = next(k for k, name in enumerate(labels) if "skull" in name)
    assert 0.1 < np.linalg.norm(place - poses[0, head, :3]) < 0.6
    assert np.isnan(poses[1, labels.index("rifle.base")]).all()
    assert kept.channels["kinematic.base"].labels == ("person", "rifle")
    assert state.short == 0.0
