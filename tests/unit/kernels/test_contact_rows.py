"""Rows of contacts: gap, rate and right-hand side against differences of high order."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.kernels.multibody import system as s
from articulata.kernels.multibody.contact import rows

KINDS = {
    rows.POINT_PLANE: "corner or ball on a plane",
    rows.POINT_POINT: "ball on a ball",
    rows.POINT_LINE: "ball on an edge",
    rows.LINE_LINE: "edge across an edge",
    rows.RIM_PLANE: "rim on a plane",
}


def unit(v):
    return v / np.linalg.norm(v)


def moved(state, acceleration, t):
    """Return the state after ``t`` of constant accelerations, by its Taylor series to t^4."""
    result = state.copy()
    for i in range(len(state)):
        a, al = acceleration[i, :3], acceleration[i, 3:]
        result[i, :3] += state[i, 7:10] * t + 0.5 * a * t * t
        result[i, 7:10] += a * t
        result[i, 10:] += al * t
        steps = 40
        q = state[i, 3:7].copy()
        for k in range(steps):  # Gauss's two-point rule for the turn, by quaternions
            h = t / steps
            for c in (0.5 - np.sqrt(3) / 6, 0.5 + np.sqrt(3) / 6):
                w = state[i, 10:] + al * (k + c) * h
                angle = np.linalg.norm(w) * h / 2
                turn = np.concatenate([[np.cos(angle / 2)], np.sinc(angle / 2 / np.pi) * w * h / 4])
                q = product(turn, q)
        result[i, 3:7] = q
    return result


def product(a, b):
    w = a[0] * b[0] - a[1:] @ b[1:]
    return np.concatenate([[w], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])


def gap_of(table, data, state):
    out, scratch = np.zeros((1, rows.PLACE_WIDTH)), np.zeros((2, s.BODY_SCRATCH))
    rows.evaluate_contacts(table, data, state, scratch, out)
    return out[0]


@pytest.mark.parametrize("kind", KINDS, ids=KINDS.values())
def test_second_derivative_of_the_gap_is_that_of_its_differences(kind):
    rng = np.random.default_rng(7 + kind)
    for _ in range(5):
        state = rng.normal(size=(2, 13))
        state[:, 3:7] = [unit(q) for q in rng.normal(size=(2, 4))]
        data = rng.normal(size=(1, rows.CONTACT_WIDTH))
        data[0, 6:9], data[0, 9:12] = unit(data[0, 6:9]), unit(data[0, 9:12])
        data[0, rows.SIZE], data[0, rows.RADIUS_A], data[0, rows.SIGN] = 0.3, 0.2, 1.0
        table = np.array([[kind, 0, 1]])
        place = gap_of(table, data, state)
        # shift A along the normal, so that the features touch; then part A's speed along it goes
        state[0, :3] -= place[rows.GAP] * place[1:4]
        place = gap_of(table, data, state)
        assert abs(place[rows.GAP]) < 1e-12
        state[0, 7:10] -= place[rows.SPEED_N] * place[1:4]
        place = gap_of(table, data, state)
        acceleration = rng.normal(size=(2, 6))
        J = place[rows.ROW_N : rows.ROW_N + 12]
        expected = J @ acceleration.ravel() - place[rows.GAMMA_N]
        h = 1e-3
        gaps = [
            gap_of(table, data, moved(state, acceleration, k * h))[rows.GAP]
            for k in (-2, -1, 0, 1, 2)
        ]
        second = (-gaps[0] + 16 * gaps[1] - 30 * gaps[2] + 16 * gaps[3] - gaps[4]) / (12 * h * h)
        first = (gaps[0] - 8 * gaps[1] + 8 * gaps[3] - gaps[4]) / (12 * h)
        assert first == pytest.approx(0.0, abs=1e-7)
        assert second == pytest.approx(expected, rel=1e-5, abs=1e-5)
