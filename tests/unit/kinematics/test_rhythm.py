"""Collarbones that follow arms: the published rule, its derivatives, targets, and its switch."""

import numpy as np
import pytest

import articulata as art
from articulata.errors import KinematicsError

LED = ("sternoclavicular_elevation", "sternoclavicular_protraction")


@pytest.fixture(scope="module")
def person() -> art.Figure:
    return art.figure("human_upper_body")


@pytest.fixture(scope="module")
def rhythmic(person: art.Figure) -> art.Figure:
    return person.with_rhythm()


def test_the_rule_is_the_published_one_where_planes_are_defined() -> None:
    """Regression of de Groot and Brand 2001 in degrees, from the resting posture on."""
    rule = art.ShoulderRhythm()
    rng = np.random.default_rng(1)
    flexion, abduction = np.radians(rng.uniform((0, 0), (150, 80), (4000, 2)).T)
    found, _ = rule.collarbone(flexion, abduction)
    e, p = found.T
    d = np.stack([np.sin(abduction), -np.cos(abduction) * np.cos(flexion),
                  np.cos(abduction) * np.sin(flexion)])  # fmt: skip
    x, z = d[0] * np.cos(p) - d[2] * np.sin(p), d[0] * np.sin(p) + d[2] * np.cos(p)
    aside, up = x * np.cos(e) - d[1] * np.sin(e), x * np.sin(e) + d[1] * np.cos(e)
    raised, plane = np.degrees(np.arccos(-up)), np.degrees(np.arctan2(z, aside))
    held = (raised > 60) & (raised < 120) & (plane > 0) & (plane < 90)
    assert held.sum() > 1000
    off = np.degrees(e) - (0.123 * raised - 0.046 * plane)
    assert abs(off[held]).max() < 2.5
    off = np.degrees(p) + (0.242 * raised - 0.120 * plane)
    assert abs(off[held]).max() < 5.2
    np.testing.assert_allclose(rule.collarbone(np.zeros(1), np.zeros(1))[0], 0.0, atol=1e-15)


def test_jacobians_hold_what_the_collarbones_add(rhythmic: art.Figure) -> None:
    q = np.random.default_rng(2).uniform(rhythmic.lower, rhythmic.upper, (8, rhythmic.dof))
    step = 1e-6
    for name in ("right hand", "l_thumb_tip"):
        J = rhythmic.landmark_jacobian(q, name)
        for k, shift in enumerate(step * np.eye(rhythmic.dof)):
            ahead, behind = (rhythmic.landmark(q + s * shift, name)[:, :3, 3] for s in (1, -1))
            np.testing.assert_allclose(J[:, :3, k], (ahead - behind) / (2 * step), atol=1e-8)


def test_both_sides_move_alike_and_it_can_be_switched_off(
    person: art.Figure, rhythmic: art.Figure
) -> None:
    assert (person.dof, rhythmic.dof) == (27, 23)
    arms = {"shoulder_flexion": 1.1, "shoulder_abduction": 0.4}
    q = rhythmic.vector({f"{s}_{name}": v for s in "lr" for name, v in arms.items()})
    values = rhythmic.values(q)[0][0]
    left, right = ([values[rhythmic.index(f"{s}_{n}")] for n in LED] for s in "lr")
    assert left == right
    assert left[0] > 0.05
    off = rhythmic.with_rhythm(None)
    same = off.vector(dict(zip((rhythmic.joints[k].name for k in off.free),
                               values[list(off.free)], strict=True)))  # fmt: skip
    np.testing.assert_allclose(off.poses(same), rhythmic.poses(q), atol=1e-15)
    assert off.dof == person.dof


def test_targets_are_met_with_the_rhythm(rhythmic: art.Figure) -> None:
    rng = np.random.default_rng(3)
    q = rng.uniform(0.6 * rhythmic.lower, 0.6 * rhythmic.upper, (6, rhythmic.dof))
    hands = rhythmic.landmark(q, "right hand")
    found = rhythmic.inverse(
        {"right hand": hands, "eyes": art.Gaze(hands[:, :3, 3])}, tolerance=1e-6
    )
    assert found.found.sum() >= 5
    met = found[found.found]
    off = rhythmic.landmark(met.q, "right hand") - met.targets["right hand"]
    assert abs(off[:, :3, 3]).max() < 1e-6
    assert ((met.q >= rhythmic.lower) & (met.q <= rhythmic.upper)).all()
    far = rhythmic.inverse({"r_thumb_tip": [0.0, 0.0, 3.0]})
    assert not far.found
    assert "nothing proves" in far.explain()


def test_what_takes_joints_one_by_one_says_so(rhythmic: art.Figure) -> None:
    for ask in (
        lambda: rhythmic.chain("right arm"),
        lambda: art.pose(rhythmic, {"right hand": [0.0, 0.5, 0.4]}).final(),
    ):
        with pytest.raises(KinematicsError, match=r"with_rhythm\(None\)"):
            ask()
    with pytest.raises(KinematicsError, match="follows the arm"):
        rhythmic.vector({"l_sternoclavicular_elevation": 0.1})
    with pytest.raises(KinematicsError, match="has no joint 'l_sternoclavicular_elevation'"):
        art.figure("manutec_r3").with_rhythm()
