"""Parameters of closed forms under noise: found, and as far off as their sigmas say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial

import numpy as np
import pytest

from articulata.analyses.vary.identifying import descent, doubts_of, fitted, precision
from articulata.errors import ArticulataError

Values = Mapping[str, float]

TIMES = np.linspace(0.0, 6.0, 120)
BOUNDS = {"rate": (1.0, 9.0), "damping": (0.0, 1.0)}
TRUE = {"rate": 3.3, "damping": 0.12}


def swung(v: Values) -> np.ndarray:
    """Return a damped oscillation that begins at 1 and at rest, in closed form."""
    decay = v["damping"] * v["rate"]
    turning = v["rate"] * math.sqrt(1.0 - v["damping"] ** 2)
    turned = np.cos(turning * TIMES) + decay / turning * np.sin(turning * TIMES)
    return np.asarray(np.exp(-decay * TIMES) * turned)


def apart(measured: np.ndarray, v: Values) -> np.ndarray:
    return swung(v) - measured


def limits(bounds: Mapping[str, tuple[float, float]]) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.array([*bounds.values()]).T
    return low, high


def test_a_damped_oscillation_is_found_and_sigmas_are_what_forty_draws_scatter() -> None:
    draws = np.random.default_rng(5)
    low, high = limits(BOUNDS)
    found, sigmas = [], []
    for number in range(40):
        noise = draws.normal(0.0, 0.05, len(TIMES))
        residuals = partial(apart, swung(TRUE) + noise)
        first = fitted(residuals, BOUNDS, number % 8, starts=8)
        best = (np.array([*first.end.values()]) - low) / (high - low)
        if first.value < 0.1:
            fit = descent(residuals, BOUNDS, best)
            found.append(low + fit.x * (high - low))
            sigmas.append(precision(fit, low, high).sigmas)
    assert len(found) == 40
    off = (np.array(found) - [*TRUE.values()]) / np.array(sigmas)
    assert np.abs(off).max() < 4.0
    np.testing.assert_allclose(off.std(axis=0), 1.0, atol=0.3)
    assert np.abs(off.mean(axis=0)).max() < 3.0 / math.sqrt(40)
    # of a decaying cosine whose phase is known, by hand: s^2 (J^T J)^-1 with J of differences
    step = 1e-5
    slopes = [
        (swung(TRUE | {name: TRUE[name] + step}) - swung(TRUE | {name: TRUE[name] - step}))
        / (2 * step)
        for name in TRUE
    ]
    known = 0.05 * np.sqrt(np.diag(np.linalg.inv(np.array(slopes) @ np.array(slopes).T)))
    np.testing.assert_allclose(np.mean(sigmas, axis=0), known, rtol=0.1)


def test_mass_and_stiffness_of_an_oscillator_cannot_be_told_apart() -> None:
    bounds = {"mass": (0.5, 4.0), "stiffness": (5.0, 60.0), "reach": (0.1, 2.0)}
    measured = 0.7 * np.cos(math.sqrt(20.0 / 2.0) * TIMES)
    measured += np.random.default_rng(2).normal(0.0, 1e-3, len(TIMES))

    def residuals(v: Values) -> np.ndarray:
        turned = np.cos(math.sqrt(v["stiffness"] / v["mass"]) * TIMES)
        return np.asarray(v["reach"] * turned - measured)

    low, high = limits(bounds)
    end = fitted(residuals, bounds, 0, starts=1).end
    assert end["stiffness"] / end["mass"] == pytest.approx(10.0, rel=1e-3)
    fit = descent(residuals, bounds, (np.array([*end.values()]) - low) / (high - low))
    told = precision(fit, low, high)
    assert told.condition > 1e5
    assert told.correlation[0, 1] == pytest.approx(1.0, abs=1e-6)
    np.testing.assert_allclose(told.undone, (1.0, 1.0, 0.0), atol=1e-3)
    first, second = doubts_of(tuple(bounds), told)
    assert first.startswith(
        "mass and stiffness cannot be told apart: to change mass by +1 %, stiffness by +1 % at once"
    )
    assert second == "mass and stiffness go together: correlation +1.000000"


def test_what_nothing_depends_on_and_what_has_no_run_is_told() -> None:
    bounds = {"slope": (0.0, 10.0), "idle": (0.0, 1.0)}

    def residuals(v: Values) -> np.ndarray:
        if v["slope"] > 6.0:
            raise ArticulataError("it breaks")
        return np.asarray((v["slope"] - 5.9) * TIMES)

    low, high = limits(bounds)
    found = fitted(residuals, bounds, 0, starts=2)
    assert found.end["slope"] == pytest.approx(5.9, rel=1e-6)
    told = precision(descent(residuals, bounds, np.array([0.5, 0.5])), low, high)
    assert math.isinf(told.sigmas[1])
    assert doubts_of(tuple(bounds), told) == [
        "nothing that is compared depends on idle; remove it, or compare more"
    ]
    none = fitted(lambda v: np.full(3, np.nan), bounds, 0, starts=1)
    assert not none.kept
