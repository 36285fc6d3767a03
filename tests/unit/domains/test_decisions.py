"""What was decided about contacts is handed out again, and nobody who asks changes it."""

from __future__ import annotations

import numpy as np
import pytest

import articulata as art
from articulata.domains.assemble import build
from articulata.domains.dynamic.contact import states
from articulata.domains.dynamic.contact.closed import Closed
from articulata.domains.dynamic.contact.event_driven import Passage
from articulata.domains.dynamic.contact.laws import Contact
from articulata.domains.dynamic.contact.pressing import between, crossed
from articulata.domains.dynamic.contact.states import Decisions
from articulata.domains.dynamic.contact.touches import NEAR
from articulata.domains.dynamic.dynamic_domain import DynamicModel
from articulata.domains.dynamic.integrated_motion import IntegratedMotion
from articulata.domains.dynamic.methods import DOP853
from articulata.domains.dynamic.packing import pack
from articulata.domains.protocols import Inputs

TEXT = """
primitive block {
  properties: (density: 500, friction: 0.5)
  geometry: cuboid(20 cm, 10 cm, 20 cm)
  dynamics
}
world yard {
  gravity: (1, -9.81, 0)
  components { block: block; floor: ground }
  structure { place block by block.center at (0, 5 cm, 0) }
}
"""


def test_the_same_question_is_answered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    world = art.parse(TEXT).world("yard")
    models = build(world, ("geometric", "interference", "dynamic"))
    made = models["dynamic"]
    assert isinstance(made, DynamicModel)
    motion = IntegratedMotion(made, DOP853(), Contact())
    passage = motion._passage
    assert isinstance(passage, Passage)
    n = len(made.parts.bodies)
    inputs = Inputs(np.zeros((n, 6)), np.zeros((n, 3)), np.zeros((0, 3)), np.zeros(0))
    state = pack(made.start())
    touches = motion.around.touches(state, NEAR) if motion.around else []
    assert len(touches) == 4
    asked: list[float] = []
    decide = states.decide

    def counted(*args: object) -> object:
        asked.append(float(args[3]))  # type: ignore[arg-type] # the time
        return decide(*args)  # type: ignore[arg-type] # as it was asked

    monkeypatch.setattr(states, "decide", counted)
    of = Decisions(passage.forces)
    one = of.at(touches, state, 0.0, lambda time: inputs)
    assert isinstance(one, Closed)
    kept = one.rows.force.copy(), one.rows.slip.copy(), one.rows.mode.copy()
    one.rows.force[:] = 7.0
    one.rows.slip[:] = 7.0
    one.rows.mode[:] = 0
    again = of.at(touches, state, 0.0, lambda time: inputs)
    assert isinstance(again, Closed)
    assert asked == [0.0]
    for array, known in zip(
        (again.rows.force, again.rows.slip, again.rows.mode), kept, strict=True
    ):
        assert np.array_equal(array, known)
    of.at(touches, state, 1.0, lambda time: inputs)
    of.at(touches[:2], state, 1.0, lambda time: inputs)
    moved = state.copy()
    moved[0, 7] = 1e-3
    of.at(touches[:2], moved, 1.0, lambda time: inputs)
    assert asked == [0.0, 1.0, 1.0, 1.0]


def test_forces_between_pairs_of_bodies_are_summed_on_the_first() -> None:
    pairs = np.array([[0, 3], [2, 1], [4, 2], [0, 1]])
    ends = np.array([[3, 0], [0, 3], [1, 2], [4, 1], [2, 4]])
    forces = np.arange(15.0).reshape(5, 3)
    expected = np.array(
        [[0, 3, *(forces[1] - forces[0])], [2, 1, *-forces[2]], [4, 2, *-forces[4]]]
    )
    assert np.array_equal(between(pairs, ends, forces), expected)
    assert between(pairs, ends[3:4], forces[3:4]).shape == (0, 5)
    assert between(pairs, ends[:1], np.zeros((1, 3))).shape == (0, 5)  # in touch, no force
    assert between(np.zeros((0, 2), np.int64), ends, forces).shape == (0, 5)


def test_products_of_vectors_are_those_of_numpy() -> None:
    a, b = np.random.default_rng(3).normal(size=(2, 7, 3))
    assert np.array_equal(crossed(a, b), np.cross(a, b))
    assert crossed(a[:0], b[:0]).shape == (0, 3)
