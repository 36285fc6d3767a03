"""Six joints with a spherical wrist on a CUDA device: a thread finds all branches of a pose."""

from __future__ import annotations

from typing import Any

import numba.cuda
import numpy as np
import numpy.typing as npt

from articulata.kernels.chains.graphics.device import launch
from articulata.kernels.chains.wrist6_kernels import branches

cuda: Any = numba.cuda  # its functions are made at run time

Array = npt.NDArray[np.float64]
Bytes = npt.NDArray[np.uint8]


@cuda.jit  # type: ignore[untyped-decorator] # Numba publishes no types for it
def _solve(
    constants: Any, orthogonal: bool, targets: Any, answers: Any, marks: Any, reasons: Any
) -> None:
    p = cuda.grid(1)
    if p >= targets.shape[0]:
        return
    target = cuda.local.array(12, np.float64)
    q = cuda.local.array(48, np.float64)
    flags = cuda.local.array(9, np.float64)
    for r in range(3):
        for c in range(4):
            target[4 * r + c] = targets[p, r, c]
    branches(constants, orthogonal, target, q, flags)
    for row in range(48):
        answers[p, row] = q[row]
    for branch in range(8):
        marks[p, branch] = np.uint8(flags[branch])
    reasons[p] = np.uint8(flags[8])


def solve_branches(
    constants: Array, orthogonal: bool, targets: Array
) -> tuple[Array, Bytes, Bytes]:
    """Return q (m, 48), flags (m, 8) and reasons (m,) of poses (m, 4, 4); see ``wrist6``."""
    m = len(targets)
    answers = cuda.device_array((m, 48))
    marks = cuda.device_array((m, 8), np.uint8)
    reasons = cuda.device_array(m, np.uint8)
    launch(
        _solve,
        m,
        cuda.to_device(constants),
        orthogonal,
        cuda.to_device(targets),
        answers,
        marks,
        reasons,
    )
    return answers.copy_to_host(), marks.copy_to_host(), reasons.copy_to_host()
