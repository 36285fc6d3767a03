"""The load of the lowest lumbar disc, beside sums done by hand."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from articulata.domains.comfort.lumbar import LumbarDisc
from articulata.errors import KinematicsError
from articulata.kinematics.floating_base import with_floating_base

G = 9.80665


def test_a_load_ahead_adds_its_moment_over_five_centimetres() -> None:
    # 10 kg in both hands of somebody upright, arms ahead and level: the disc's normal leans by 40
    # degrees, the muscle's lever is 5 cm
    person = art.figure("person", height=1.78)
    q = person.vector({f"{s}_shoulder_flexion": np.pi / 2 for s in "lr"})
    ahead = float(person.landmark(q, "r_grip")[2, 3])  # the disc is above the hips, at z = 0
    loads = [art.Load("l_grip", 5.0), art.Load("r_grip", 5.0)]
    bare, loaded = (LumbarDisc(person, loads=each).loads(q[None]) for each in ((), loads))
    added = 10.0 * G * (ahead / 0.05 + np.cos(np.radians(40.0)))
    assert loaded.compression[0] - bare.compression[0] == pytest.approx(added, rel=1e-9)
    assert loaded.shear[0] - bare.shear[0] == pytest.approx(
        10.0 * G * np.sin(np.radians(40.0)), rel=1e-9
    )


def test_the_whole_upper_body_is_summed_link_by_link() -> None:
    person = with_floating_base(art.figure("person"))
    rng = np.random.default_rng(4)
    q = rng.normal(0.0, 0.4, person.dof)
    found = LumbarDisc(person).loads(q[None])
    # the disc a fifth of the way from the hips to the shoulders, as somebody stands
    at_rest = [
        person.link_pose(np.zeros(person.dof), name)[1, 3]
        for name in ("l_hip_flexion", "l_shoulder_rotation")
    ]
    X_WP = person.link_pose(q, "base turn x")
    disc = (X_WP @ [0.0, 0.2 * (at_rest[1] - at_rest[0]), 0.0, 1.0])[:3]
    normal = X_WP[:3, :3] @ [0.0, np.cos(np.radians(40.0)), np.sin(np.radians(40.0))]
    below = ("hip", "knee", "talocrural", "base", "sacroiliac")
    moment, weight = np.zeros(3), 0.0
    for joint in person.joints:
        link = person.links[joint.name]
        if link.mass and not any(part in joint.name for part in below):
            center = (person.link_pose(q, joint.name) @ [*link.center, 1.0])[:3]
            moment += np.cross(center - disc, [0.0, -link.mass * G, 0.0])
            weight += link.mass * G
    across = np.sqrt(moment @ moment - (moment @ normal) ** 2)
    assert found.compression[0] == pytest.approx(across / 0.05 + weight * normal[1], rel=1e-9)


def test_slopes_are_those_of_differences() -> None:
    person = with_floating_base(art.figure("person"))
    disc = LumbarDisc(person, loads=[art.Load("r_grip", 4.0)], pushes=[
        art.Push("l_grip", (20.0, -10.0, 30.0))
    ])  # fmt: skip
    q = np.random.default_rng(5).normal(0.0, 0.4, (6, person.dof))
    slopes = disc.loads(q).slopes
    for column in range(0, person.dof, 3):
        step = np.zeros(person.dof)
        step[column] = 1e-6
        change = (disc.loads(q + step).compression - disc.loads(q - step).compression) / 2e-6
        np.testing.assert_allclose(slopes[:, column], change, rtol=1e-5, atol=1e-3)


def test_figures_without_a_back_are_refused() -> None:
    with pytest.raises(KinematicsError, match="lumbar spine is read from figures with H-Anim"):
        LumbarDisc(art.figure("planar_4_2_1"))
