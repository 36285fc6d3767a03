"""A recording and a verdict on a film made by hand, whose every number is known."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy.spatial.transform import Rotation

import articulata as art
from articulata.records.header import Header
from articulata.records.recorder import Recorder
from articulata.records.state import Channel, Frame

ROD = """
primitive rod {
  properties: (density: 7850)
  geometry: cuboid(0.05, 0.5, 0.05) where { top: (0, 0.25, 0); bottom: (0, -0.25, 0) }
  dynamics
}
world swing {
  gravity: (0, -9.81, 0)
  components anchor: fixed_point; upper, lower: rod
  structure {
    place anchor by anchor at (0, 2, 0)
    join upper to anchor with pin(axis: z) as h1 matching (top, center)
    join lower to upper with pin(axis: z) as h2 matching (top, bottom)
  }
}
"""


def swing() -> art.Recording:
    with Recorder(Header(art.parse(ROD).world("swing"), step=0.1)) as recorder:
        recorder.layout(
            [
                Channel("geometric.place", "m", ("anchor", "upper", "lower"), ("x", "y", "z")),
                Channel("weather.wind", "m/s", ("north", "south")),
            ]
        )
        for number in range(4):
            recorder.frame(
                Frame(
                    0.1 * number,
                    {
                        "geometric.place": number + np.arange(9.0).reshape(3, 3) / 10,
                        "weather.wind": np.array([number, 2.0 * number]),
                    },
                )
            )
    return recorder.recording()


def a_verdict() -> art.FilmVerdict:
    turn = Rotation.from_rotvec([[0, 0, 0], [0, 0, np.pi / 2], [0, 0, np.pi]])
    X = np.tile(np.eye(4), (3, 1, 1))
    X[:, :3, :3], X[:, :3, 3] = turn.as_matrix(), [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
    move = art.CameraMove(X, Fraction(25), 7, {"focal": np.array([0.02, 0.03, 0.04])})
    none = np.zeros(3)
    return art.FilmVerdict(
        move,
        ("a", "b"),
        np.array([0, 1, 0]),
        ("", "speed", ""),
        ("", "joint <b> is too fast", ""),
        np.arange(6.0).reshape(3, 2),
        none,
        none,
        none,
        none,
    )
