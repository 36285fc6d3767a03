"""Arguments that are taken apart once: kernels read and write what they hold."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from articulata.kernels.compile import bind, kernel
from articulata.kernels.held import Held, opened


class Given(NamedTuple):
    rows: npt.NDArray[np.float64]
    numbers: tuple[npt.NDArray[np.int64], float]
    count: int
    known: bool
    turned: npt.NDArray[np.float64]


@kernel
def _written(held: Any, x: float) -> tuple[float, int]:
    given = opened(held)
    whole, part = given.numbers
    given.rows[1, 2] += x
    whole[0] = given.rows.shape[1] if given.known else -1
    return part + given.turned[2, 0], given.count


def test_kernels_read_and_write_what_is_held() -> None:
    rows, whole = np.zeros((2, 3)), np.zeros(1, np.int64)
    turned = np.arange(6.0).reshape(2, 3).T
    for count, known in ((-7, True), (1 << 40, False)):
        held = Held(Given(rows, (whole, 0.25), count, known, turned))
        ask = bind(_written, held, 1.0)
        assert ask(held, 2.5) == (2.25, count)
        assert whole[0] == (3 if known else -1)
    assert rows[1, 2] == 5.0
    rows[1, 2] = -1.0  # what is written later is seen
    ask(held, 0.0)
    assert rows[1, 2] == -1.0
