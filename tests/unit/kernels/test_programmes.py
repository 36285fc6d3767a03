"""Small quadratic programmes: what they answer meets the conditions of a least (KKT)."""

import numpy as np
from scipy.optimize import nnls

from articulata.kernels.programmes import Programmes, steps_within

Array = np.ndarray


def solved(rng: np.random.Generator, n: int, r: int, c: int, twice: bool) -> dict[str, Array]:
    B = rng.normal(size=(n, n))
    B = B @ B.T + 0.1 * np.eye(n)
    J = rng.normal(size=(r, n))
    if twice and r > 1:
        J[-1] = J[0] - 2.0 * J[1 % r]
    given = {
        "B": B,
        "slope": 5.0 * rng.normal(size=n),
        "J": J,
        "rows": rng.normal(size=(c, n)),
        "least": -rng.uniform(0.0, 0.3, c) * rng.integers(0, 2, c),
        "low": -rng.uniform(0.0, 0.5, n) * rng.integers(0, 2, n),
        "high": np.where(rng.random(n) < 0.7, rng.uniform(0.0, 0.5, n), np.inf),
    }
    out = np.full((1, n), np.nan)
    steps_within(Programmes(*(given[key][None] for key in given)), out, 0, 1)
    return given | {"s": out[0]}


def test_a_step_is_the_least_that_keeps_its_conditions() -> None:
    rng = np.random.default_rng(4)
    for trial in range(150):
        n = int(rng.integers(2, 14))
        found = solved(rng, n, int(rng.integers(0, n)), int(rng.integers(0, 4)), trial % 3 == 0)
        s = found["s"]
        assert np.abs(found["J"] @ s).max(initial=0.0) < 1e-9
        over = found["rows"] @ s - found["least"]
        assert over.min(initial=0.0) > -1e-9
        assert (s >= found["low"]).all()
        assert (s <= found["high"]).all()
        # the slope there is pressed by what binds, from the right side, and by nothing else
        pressing = [*found["J"], *-found["J"], *found["rows"][over < 1e-8]]
        pressing += [row for row, gap in zip(np.eye(n), s - found["low"], strict=True)
                     if gap < 1e-8]  # fmt: skip
        pressing += [-row for row, gap in zip(np.eye(n), found["high"] - s, strict=True)
                     if gap < 1e-8]  # fmt: skip
        slope = found["slope"] + found["B"] @ s
        left = np.linalg.norm(slope)
        if pressing:
            _, left = nnls(np.array(pressing).T, slope)
        assert left < 1e-6 * (1.0 + np.linalg.norm(found["slope"]))


def test_a_model_that_bends_down_still_gives_a_step_that_lowers_it() -> None:
    rng = np.random.default_rng(5)
    n = 6
    B = rng.normal(size=(n, n))
    B = B + B.T
    slope = rng.normal(size=n)
    out = np.empty((1, n))
    none, room = np.zeros((1, 0)), np.full((1, n), 0.1)
    free = np.zeros((1, 1, n)), np.zeros((1, 0, n)), none
    steps_within(Programmes(B[None], slope[None], *free, -room, room), out, 0, 1)
    assert slope @ out[0] < 0.0
    assert np.abs(out).max() <= 0.1
