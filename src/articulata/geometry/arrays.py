"""Array types shared by every room, and the notation for their shapes.

``Float64[Array, "*batch dof"]`` is an array of float64 with any leading axes and a last axis named
``dof``. To a type checker it is ``Array``. When the program runs, nothing looks at it: annotations
are never evaluated. In the tests, `tests/shape_checks.py` puts jaxtyping's types in place of the
stand-ins here and checks every call (docs/conventions.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]
"""A float64 array. Its shape, unit and frame are stated where it is used."""

IntArray: TypeAlias = npt.NDArray[np.int64]
"""An int64 array, usually of indices."""

BoolArray: TypeAlias = npt.NDArray[np.bool_]
"""A boolean array, usually of flags."""

if TYPE_CHECKING:
    from typing import Annotated as Bool
    from typing import Annotated as Float64
    from typing import Annotated as Int64
else:

    class _Unchecked:
        """Stands where a shape is written while nothing checks it; gives the array type back."""

        def __class_getitem__(cls, item: tuple[Any, str]) -> Any:
            return item[0]

    Bool = Float64 = Int64 = _Unchecked

__all__ = ["Array", "Bool", "BoolArray", "Float64", "Int64", "IntArray"]
