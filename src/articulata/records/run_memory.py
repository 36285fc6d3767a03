"""What a run remembers from frame to frame, as it stands in a recording: plain values by parts.

Parts belong to whoever remembers; a recording does not look into them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from articulata.records.header import Header
from articulata.world.model import World

RUN = "run"
"""Name of the part that says what has been told and dealt with."""


class Part(Protocol):
    """Something remembered: a value, never changed."""

    def plain(self) -> Mapping[str, Any]:
        """Return it as numbers, text, lists and arrays."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Remembered:
    """What a run remembered at a frame: ``parts`` by name, as they were recorded.

    They belong to the ``world`` of that frame and to what the ``header`` says of the run.
    """

    world: Callable[[], World]
    header: Header
    parts: Mapping[str, Any]

    @property
    def undone(self) -> Remembered:
        """The same where an edit of this instant is taken back: nothing asks for it again."""
        parts = {name: part for name, part in self.parts.items() if name != RUN}
        return replace(self, parts=parts)


def plain(value: Any) -> Any:
    """Return ``value`` with arrays as their type, shape and bytes."""
    if isinstance(value, np.ndarray):
        little = np.ascontiguousarray(value)
        return [little.dtype.newbyteorder("<").str, list(value.shape), little.tobytes()]
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


def array(value: Any, kind: str, *shape: int) -> npt.NDArray[Any]:
    """Return the array that ``plain`` has written, of ``kind`` "f" or "i".

    ValueError where its shape is another; -1 stands for any length.
    """
    text, sizes, data = value
    dtype = np.dtype(text)
    made = np.frombuffer(data, dtype).reshape(sizes)
    fits = len(shape) == made.ndim and all(
        want in (-1, size) for want, size in zip(shape, made.shape, strict=True)
    )
    if dtype.kind != kind or not fits:
        raise ValueError(f"an array of {text} {made.shape} stands where {kind} {shape} is needed")
    return made.astype(np.float64 if kind == "f" else np.int64)
