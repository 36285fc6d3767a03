"""Limits as flags (Waldrop 1995) and as errors."""

from __future__ import annotations

import math

import numpy as np
import pytest

from articulata.errors import KinematicsError, NameNotFound
from articulata.kinematics.chain import Chain
from articulata.kinematics.conventions import DH
from articulata.kinematics.joint import Joint, Mimic
from articulata.kinematics.joint_limits import Limited


def shoulder() -> Chain:
    """Links 1 and 2 of the right arm of 1995, Table of the modified DH rows and the limits.

    A link's angle is the printed theta, so that the table's zero positions are joint values.
    """
    d = math.radians
    return Chain.modified_dh(
        [
            DH(name="link1", limits=(d(-80), d(180))),
            DH(alpha=d(90), name="link2", limits=(d(-90), d(160)), neutral=d(-90)),
        ]
    )


COMMANDS = [(0.1, 0.5), (0.2, 0.6), (0.3, 0.7), (0.4, 0.8), (0.9, 0.9), (1.5, 1.5)]
"""The six moves of the demonstration: azimuth and elevation by so much, rad."""

THETA = [(0.1, -1.0707964), (0.3, -0.47079635), (0.6, 0.22920364)]
THETA += [(1.0, 1.0292), (1.9, 1.9292), (math.pi, 2.7925268)]

H2 = [
    [[0.47703037, 0.8731984, 0.09983342], [0.047862723, 0.087612055, -0.9950042]],
    [[0.8514029, 0.43333697, 0.29552022], [0.26336983, 0.13404681, -0.9553365]],
    [[0.8037511, -0.18751793, 0.5646425], [0.54987574, -0.12828797, -0.8253356]],
]
"""Two rows of the printed matrices after the first three moves."""


def test_the_six_moves_of_1995() -> None:
    chain = shoulder()
    state = Limited.at(chain)
    for number, command in enumerate(COMMANDS):
        state = state.by(command)
        np.testing.assert_allclose(state.q, THETA[number], atol=1e-7 if number < 3 else 5e-5)
        if number < 3:
            np.testing.assert_allclose(chain.tip(state.q)[:2, :3], H2[number], atol=1e-7)
            assert state.flagged == ()
    assert state.flagged == ("link1", "link2")
    assert state.q[0] == chain.upper[0]
    assert state.q[1] == chain.upper[1]
    # the next legal move of a link clears its flag, the other's stays
    assert state.by({"link1": -0.1}).flagged == ("link2",)
    assert state.by([-0.1, 0.0]).flagged == ("link2",)
    assert state.by([-0.1, 0.2]).flagged == ("link2",)
    assert state.to({"link2": 0.0}).flagged == ("link1",)
    assert state.to([0.0, 0.0]).flagged == ()


def test_states_are_values() -> None:
    state = Limited.at(shoulder(), [0.0, 0.0])
    moved = state.by([4.0, 0.0])
    assert moved.flagged == ("link1",)
    assert state.flagged == ()
    np.testing.assert_array_equal(state.q, [0.0, 0.0])
    assert Limited.at(shoulder(), [9.0, 0.0]).flagged == ("link1",)


def test_bad_moves_are_named() -> None:
    state = Limited.at(shoulder())
    with pytest.raises(KinematicsError, match="2 finite numbers"):
        state.by([1.0])
    with pytest.raises(KinematicsError, match="2 finite numbers"):
        state.to([math.nan, 0.0])
    with pytest.raises(KinematicsError, match="2 finite numbers"):
        state.to({"link1": math.inf})
    with pytest.raises(NameNotFound, match="did you mean 'link1'"):
        state.by({"lnk1": 0.1})
    follower = Chain([Joint("a"), Joint("b", mimic=Mimic("a"))])
    with pytest.raises(KinematicsError, match="no value of its own"):
        Limited.at(follower).to({"b": 1.0})
