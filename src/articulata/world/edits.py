"""Edits: changes of a world as values, each knowing its inverse.

The event handler, an undo button and a replay use one mechanism. ``apply`` returns a new world
that shares what did not change; ``inverse`` is asked of the world before the edit and returns
the edits that lead back to it.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from articulata.world.model import World


@runtime_checkable
class Edit(Protocol):
    """A change of a world."""

    def apply(self, world: World) -> World:
        """Return the world after this edit; raise WorldError where it cannot be made."""
        ...

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edits that undo this one, given the ``world`` before it."""
        ...
