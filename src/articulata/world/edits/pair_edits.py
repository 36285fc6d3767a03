"""Edits of what two materials do to each other in touch."""

from __future__ import annotations

from dataclasses import dataclass

from articulata.errors import WorldError
from articulata.world.contact_pairs import MaterialPair
from articulata.world.edits.transaction import Edit, changed, in_words, show
from articulata.world.model import World
from articulata.world.paths import hint


@dataclass(frozen=True, slots=True)
class SetPair:
    """Say what holds between two materials or types, in place of what was said of them.

    ``index`` is the place of a new one among the others (None: last).
    """

    pair: MaterialPair
    index: int | None = None

    def apply(self, world: World) -> World:
        """Return the world in which ``pair`` holds."""
        pairs = list(world.pairs)
        known = _place(world, self.pair.key)
        if known is not None:
            pairs[known] = self.pair
        else:
            pairs.insert(len(pairs) if self.index is None else self.index, self.pair)
        return changed(world, pairs=tuple(pairs))

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edit that says again what is said today."""
        known = _place(world, self.pair.key)
        if known is None:
            return (RemovePair(self.pair.first, self.pair.second),)
        return (SetPair(world.pairs[known]),)

    def subject(self, world: World) -> str:
        """Return the pair."""
        return _shown(self.pair.key)


@dataclass(frozen=True, slots=True)
class RemovePair:
    """Say nothing more of two materials or types: their own values count again."""

    first: str
    second: str

    def apply(self, world: World) -> World:
        """Return the world without the pair."""
        place = self._place(world)
        return changed(world, pairs=world.pairs[:place] + world.pairs[place + 1 :])

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edit that says it again, at its place."""
        place = self._place(world)
        return (SetPair(world.pairs[place], place),)

    def subject(self, world: World) -> str:
        """Return the pair."""
        return _shown(frozenset((self.first, self.second)))

    def _place(self, world: World) -> int:
        key = frozenset((self.first, self.second))
        place = _place(world, key)
        if place is None:
            known = [_shown(pair.key) for pair in world.pairs]
            raise WorldError(f"nothing is said of {_shown(key)}{hint(_shown(key), known)}")
        return place


def _place(world: World, key: frozenset[str]) -> int | None:
    return next((n for n, pair in enumerate(world.pairs) if pair.key == key), None)


def _shown(key: frozenset[str]) -> str:
    names = sorted(key)
    return f"contact {names[0]} with {names[-1]}"


@show.register
def _show_pair(edit: SetPair) -> str:
    pair = edit.pair
    names = ("friction", "static_friction", "restitution", "stiffness", "shear_stiffness")
    said = [(name.replace("_", " "), getattr(pair, name)) for name in names]
    values = (
        f"{name} {'by speed' if isinstance(value, tuple) else in_words(value)}"
        for name, value in said
        if value is not None
    )
    return f"{_shown(pair.key)} is set to {', '.join(values) or 'what the bodies say'}"


@show.register
def _show_no_pair(edit: RemovePair) -> str:
    return f"{_shown(frozenset((edit.first, edit.second)))} is no longer given"
