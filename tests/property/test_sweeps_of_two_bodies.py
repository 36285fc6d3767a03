"""Random sweeps of two bodies past each other: no touch is missed, and its instant is exact."""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np
import pytest

import articulata as art
from articulata.domains.assemble import build
from articulata.domains.dynamic.contact.closed import Forces
from articulata.domains.protocols import Inputs
from articulata.kernels.contacts.patches import separations
from articulata.kernels.contacts.pieces import stand
from articulata.kernels.multibody.contact import approach
from articulata.kernels.multibody.contact.approach import BOUND_WIDTH
from articulata.kernels.multibody.contact.contact_steps import contact_run
from articulata.kernels.multibody.contact.memory import ContactSystem
from articulata.kernels.multibody.integrators.dop853 import dense_state
from shares import shares

SHAPES = (
    "cuboid(0.6, 0.3, 1)",
    "sphere(0.4)",
    "capsule(0.2, 0.8)",
    "prism(5, 0.4, 0.6)",
    "cylinder(0.3, 0.6)",
    "cone(0.4, 0.7)",
)
STEPS, SAMPLES = 10, 200
FLOOR = 1e-10

TEXT = """
primitive first {{ properties: (density: 1000); geometry: {}; dynamics }}
primitive second {{ properties: (density: 1000); geometry: {}; dynamics }}
world sweep {{
  components {{ one: first; two: second }}
  structure {{ place one by one.center at (0, 0, 0); place two by two.center at (5, 0, 0) }}
}}
"""


def models():
    return [
        build(art.parse(TEXT.format(*shapes)).world("sweep"))["dynamic"].moving(
            art.DOP853(), art.Contact()
        )
        for shapes in combinations_with_replacement(SHAPES, 2)
    ]


def thrown(rng):
    """Return two bodies that fly towards each other and turn (2, 13)."""
    state = np.zeros((2, 13))
    q = rng.normal(size=(2, 4))
    state[:, 3:7] = q / np.linalg.norm(q, axis=1)[:, None]
    way = rng.normal(size=3)
    way /= np.linalg.norm(way)
    state[1, :3] = 3 * way
    state[1, 7:10] = -6 * way + rng.normal(size=3)
    state[:, 10:] = 4 * rng.normal(size=(2, 3))
    return state


def swept(model, state):
    """Return whether the bodies touch within a second, after checking how it was found."""
    engine, around = model.model.engine, model.around
    forces = Forces(engine, model.contact, around)
    rows, moved = forces.none_closed().rows, forces.shared.moved
    still = Inputs(np.zeros((2, 6)), np.zeros((2, 3)), np.zeros((0, 3)), np.zeros(0))
    held, bounds = np.zeros(len(around.pairs), np.int64), np.zeros((2, BOUND_WIDTH))
    new, now, dense = np.empty_like(state), np.empty_like(state), np.zeros((7, 2, 13))
    h, gaps = 1.0 / STEPS, np.zeros((len(around.pairs), 4))

    def separation(share):
        dense_state(dense, state, share, now)
        now[:, 3:7] /= np.linalg.norm(now[:, 3:7], axis=1, keepdims=True)
        stand(around.pieces, now, around.now)
        separations(around.pieces, around.now, around.pairs, gaps)
        return float(gaps[:, 0].min())

    for _ in range(STEPS):
        inputs = engine.inputs_at([0.0, 0.5 * h, h], lambda t: still)
        step = approach.Step(dense, state, h, bounds, moved)
        near = approach.Approach(around.pieces, around.now, around.reach, FLOOR, step)
        made = ContactSystem(engine.integrated(inputs), rows)
        contact_run(made, near, around.pairs, held, around.limits.arrays, 0.0, 1, True, new)
        _, share = approach.first_touch(near, around.pairs, held)
        shares = np.linspace(0.0, 1.0, SAMPLES + 1)
        before = shares[shares < share] if share <= 1 else shares
        assert all(separation(each) > 0 for each in before), "an earlier touch was missed"
        if share <= 1:
            assert abs(separation(share)) < 1e-12
            return True
        state = new.copy()
    return False


def sweeps(count, seed):
    rng, made = np.random.default_rng(seed), models()
    return sum(swept(made[n % len(made)], thrown(rng)) for n in range(count))


def test_forty_sweeps_miss_nothing():
    assert 16 < sweeps(40, 1) < 40


@pytest.mark.parametrize("part", shares(range(10), slow=2))
def test_a_thousand_sweeps_miss_nothing(part: int) -> None:
    assert sweeps(1000, 2 + part) > 500
