"""The parts of a shape: its primitives and meshes with their poses and the names they go by.

A ``Named`` part lends its name to what it holds; where several unnamed parts stand side by side
they are called ``part1``, ``part2`` in the order given. A shape that is one primitive has no
prefix: its faces are ``top``, ``bottom`` and so on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from articulata.errors import GeometryError
from articulata.geometry.arrays import Array, Float64
from articulata.geometry.shapes import (
    Difference,
    Intersection,
    Mesh,
    Named,
    Placed,
    Primitive,
    Shape,
    Union,
)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A primitive or mesh in a shape: ``X_BS`` places it in the shape's frame B.

    ``hollow`` is true where the part is cut away, so that its faces look inward.
    """

    path: str
    shape: Primitive | Mesh
    X_BS: Float64[Array, "4 4"]
    hollow: bool

    def named(self, feature: str) -> str:
        """Return the name of a feature of the part within the whole shape."""
        return f"{self.path}.{feature}" if self.path else feature


@dataclass(frozen=True, slots=True, eq=False)
class _Leaf:
    shape: Primitive | Mesh
    X: Array
    hollow: bool


WHERE_IT_IS = np.eye(4)
"""The pose of a part that nothing moves."""
WHERE_IT_IS.setflags(write=False)

_Item: TypeAlias = "_Leaf | tuple[str, list[_Item]]"


def parts_of(shape: Shape) -> tuple[Part, ...]:
    """Return the parts from left to right; every one has its own path."""
    found: list[Part] = []
    _resolve(_walk(shape, WHERE_IT_IS, False), "", found)
    paths: set[str] = set()
    for part in found:
        if part.path in paths:
            raise GeometryError(
                f"two parts of the solid are both named {part.path!r}; give each part its own name"
            )
        paths.add(part.path)
    return tuple(found)


def _walk(shape: Shape, X: Array, hollow: bool) -> list[_Item]:
    match shape:
        case Placed():
            return _walk(shape.shape, X @ shape.X_PS, hollow)
        case Named(name, inner):
            return [(name, _walk(inner, X, hollow))]
        case Difference(base, tools):
            items = _walk(base, X, hollow)
            for tool in tools:
                items += _walk(tool, X, not hollow)
            return items
        case Union(parts) | Intersection(parts):
            return [item for part in parts for item in _walk(part, X, hollow)]
        case _:
            return [_Leaf(shape, X, hollow)]


def _resolve(items: list[_Item], prefix: str, found: list[Part]) -> None:
    for i, item in enumerate(items):
        if isinstance(item, _Leaf):
            own = f"part{i + 1}" if len(items) > 1 else ""
            path = ".".join(name for name in (prefix, own) if name)
            found.append(Part(path, item.shape, item.X, item.hollow))
        else:
            name, inner = item
            _resolve(inner, f"{prefix}.{name}" if prefix else name, found)
