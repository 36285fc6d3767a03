"""What stepping asks of the pieces that bodies are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeAlias

from articulata.geometry.shapes import Shape
from articulata.kernels.contacts.pieces import Pieces


class PieceSource(Protocol):
    """Convex pieces of the bodies of a world, in the order of the bodies, and their names."""

    @property
    def arrays(self) -> Pieces:
        """The pieces as the kernels read them."""
        ...

    @property
    def of_body(self) -> tuple[tuple[int, ...], ...]:
        """Numbers of every body's pieces."""
        ...

    @property
    def untested(self) -> tuple[int, ...]:
        """Bodies whose shape is no union of convex pieces."""
        ...

    def name(self, piece: int, kind: int, index: int) -> str:
        """Return the name of a feature by its kind and number as the kernels give them."""
        ...


PieceMaker: TypeAlias = Callable[[Sequence[Shape | None]], PieceSource]
"""Makes pieces of the shapes of bodies; None for a body without one."""
