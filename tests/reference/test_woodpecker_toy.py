"""A woodpecker on its pole: jams, slips and pecks its way down in one and the same cycle."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gallery_runs import run

STEP = 4e-5
"""s, of the stepping below; its cycle differs from the limit by less than a part of a hundred."""

Contacts = list[tuple[int, np.ndarray, np.ndarray]]


def contacts(x: float, sleeve: float, bird: float) -> Contacts:
    """Return who touches the pole: four corners and the beak, each with its rows across and along.

    Coordinates are the sleeve's place (2), its turn and the bird's.
    """
    c, s, k, z = math.cos(sleeve), math.sin(sleeve), math.cos(bird), math.sin(bird)
    found: Contacts = []
    for number, (p, h) in enumerate((p, h) for p in (3.1e-3, -3.1e-3) for h in (5.8e-3, -5.8e-3)):
        side = math.copysign(1.0, p)
        if side * (x + p * c - h * s) <= 2.5e-3:
            across = side * np.array([1, 0, -p * s - h * c, 0])
            found.append((number, across, np.array([0, 1, p * c - h * s, 0])))
    p, h = 15e-3 - 19.6e-3, 20e-3
    if x + 10e-3 * c + p * k - h * z <= 2.5e-3 + 0.5e-3:
        across = np.array([1, 0, -10e-3 * s, -p * z - h * k])
        found.append((4, across, np.array([0, 1, 10e-3 * c, p * k - h * z - 0.5e-3])))
    return found


def pecks_by_time_stepping(until: float) -> np.ndarray:
    """Return times and heights of pecks (n, 2) by Moreau's steps of a plane model of its own."""
    q, u = np.array([0, 0, 0, -math.radians(10)]), np.array([0, -0.3, 0, 0])
    pecks, pecked, bounce = [], -1.0, (0.0, 0.0, 0.0, 0.0, 0.5)
    for number in range(round(until / STEP)):
        x, _, a, b = q + 0.5 * STEP * u
        jx = np.array([1, 0, -10e-3 * math.sin(a), -15e-3 * math.sin(b)])
        jy = np.array([0, 1, 10e-3 * math.cos(a), 15e-3 * math.cos(b)])
        mass = 4.5e-3 * (np.outer(jx, jx) + np.outer(jy, jy)) + np.diag([3e-4, 3e-4, 5e-9, 7e-7])
        turned = np.array([0, 0, 10e-3 * u[2] ** 2, 15e-3 * u[3] ** 2])
        sideways = turned @ [0, 0, math.cos(a), math.cos(b)]
        down = 9.81 - turned @ [0, 0, math.sin(a), math.sin(b)]
        force = 4.5e-3 * (jx * sideways - jy * down)
        spring = 0.0056 * (b - a)
        force += [0, -3e-4 * 9.81, spring, -spring]
        v = u + np.linalg.solve(mass, force * STEP)
        there = contacts(x, a, b)
        if there:
            rows = np.array([across for _, across, _ in there] + [along for *_, along in there])
            moved, count = np.linalg.solve(mass, rows.T), len(there)
            impulse = projected(
                rows @ moved, rows @ v, rows @ u, np.array([bounce[n] for n, *_ in there])
            )
            v = v + moved @ impulse
            if there[-1][0] == 4 and impulse[count - 1] > 1e-9:
                if number * STEP - pecked > 0.02:
                    pecks.append((number * STEP, q[1]))
                pecked = number * STEP
        q, u = q + 0.5 * STEP * (u + v), v
    return np.array(pecks)


def projected(G: np.ndarray, ahead: np.ndarray, before: np.ndarray, e: np.ndarray) -> np.ndarray:
    """Return impulses of Newton's law with friction of 0.3, by projections one after the other."""
    count, P = len(e), np.zeros(2 * len(e))
    for _ in range(300):
        old = P.copy()
        for i in range(count):
            P[i] = max(0.0, P[i] - (G[i] @ P + ahead[i] + e[i] * before[i]) / G[i, i])
            j, most = count + i, 0.3 * P[i]
            P[j] = min(most, max(-most, P[j] - (G[j] @ P + ahead[j]) / G[j, j]))
        if np.max(np.abs(P - old)) < 1e-12:
            break
    return P


@pytest.mark.slow
def test_a_woodpecker_finds_its_cycle() -> None:
    recording = run("woodpecker", until=1.5)
    pecks = [
        event.time for event in recording.events if event.kind == "impact" and "bird" in event.who
    ]
    late = np.array(pecks) > 0.8
    waits = np.diff(np.array(pecks)[late])
    assert len(waits) >= 4
    # whatever it began with, it pecks at the same intervals and comes down by the same way
    assert np.ptp(waits) < 5e-3 * np.mean(waits)
    height = np.interp(pecks, recording.times, recording.series("sleeve.o.y"))
    ways = np.diff(height[late])
    assert np.ptp(ways) < 0.02 * abs(np.mean(ways))
    stepped = pecks_by_time_stepping(1.5)
    of_steps = np.diff(stepped[stepped[:, 0] > 0.6], axis=0).mean(axis=0)
    assert np.mean(waits) == pytest.approx(of_steps[0], rel=2e-3)
    assert np.mean(ways) == pytest.approx(of_steps[1], rel=2e-2)
    assert np.mean(waits) == pytest.approx(0.12578, abs=5e-5)
    assert np.mean(ways) == pytest.approx(-7.62e-3, abs=5e-5)
    total, lost = recording.series("energy.total"), recording.series("energy.dissipated")
    assert np.ptp(total + lost) < 1e-6 * lost[-1]
