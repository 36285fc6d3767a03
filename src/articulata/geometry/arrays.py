"""Array type aliases shared by every room; the shape stands in each docstring."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]
"""A float64 array. Its shape, unit and frame are stated where it is used."""

IntArray: TypeAlias = npt.NDArray[np.int64]
"""An int64 array, usually of indices."""

BoolArray: TypeAlias = npt.NDArray[np.bool_]
"""A boolean array, usually of flags."""
