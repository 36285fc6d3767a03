"""Steel wheels on hinges, and what runs of driven hinges agree with: equations between events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import articulata as art
from articulata.geometry.arrays import Array

RHO = 7850.0

WHEEL = """
primitive wheel(radius: length = 4 cm) {
  properties: (density: 7850 kg/m^3)
  geometry: cylinder(radius, 2 cm)
  dynamics
}
"""


def spin(radius: float) -> float:
    """Return the moment of inertia of a wheel about its axis."""
    return RHO * np.pi * radius**2 * 0.02 * radius**2 / 2.0


def leg(
    rates: Callable[..., Sequence[float]],
    begin: float,
    until: float,
    start: Array,
    *ends: Callable[[float, Array], float],
    direction: float = 0.0,
) -> Any:
    """Integrate ``rates`` from ``begin`` to where one of ``ends`` crosses 0, or ``until``."""
    events: list[Any] = list(ends)
    for each in events:
        each.terminal, each.direction = True, direction
    return solve_ivp(rates, (begin, until), start, "DOP853", events=events, rtol=1e-13, atol=1e-14)


def told(run: art.Recording, *kinds: str) -> list[tuple[str, float]]:
    """Return kind and time of a run's events of some kinds."""
    return [(each.kind, each.time) for each in run.events if each.kind in kinds]


def check_told(run: art.Recording, known: list[tuple[str, float]], *kinds: str) -> None:
    """Compare a run's events of some kinds with those that are ``known``, within 1e-8 s."""
    found = told(run, *kinds)
    assert [kind for kind, _ in found] == [kind for kind, _ in known]
    assert [t for _, t in found] == pytest.approx([t for _, t in known], abs=1e-8)
