"""What an edit is, how several are made as one transaction, and what edits share."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import singledispatch
from types import MappingProxyType
from typing import Any, Protocol, TypeVar, runtime_checkable

from articulata.errors import NameNotFound, WorldError
from articulata.geometry.scalars import real
from articulata.world.model import Component, World
from articulata.world.paths import hint
from articulata.world.values import Material


@runtime_checkable
class Edit(Protocol):
    """A change of a world."""

    def apply(self, world: World) -> World:
        """Return the world after this edit; raise WorldError where it cannot be made."""
        ...

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edits that undo this one, given the ``world`` before it."""
        ...

    def subject(self, world: World) -> str:
        """Return the id of what this edit changes, for the messages of a transaction."""
        ...


def changed(world: World, **fields: Any) -> World:
    """Return ``world`` with other ``fields``: a later version, which no text was written for."""
    return replace(world, version=world.version + 1, text="", arguments=(), **fields)


COUPLINGS = "couplings"
"""The subject of the edit that says all motors and gears anew."""
PLACEMENTS = "placements"
"""The subject of the edit that says all placements anew."""


def edited(world: World, edits: Iterable[Edit]) -> World:
    """Return the world after all ``edits`` in order; raise WorldError and change nothing.

    Two edits that give one property two values, or an edit of what an earlier one has taken
    away, are refused by a message that names both.
    """
    now = world
    done: list[tuple[int, Edit, str]] = []
    for number, edit in enumerate(edits, 1):
        try:
            subject = edit.subject(now)
            for earlier, other, about in done:
                same = about == subject and type(other) is type(edit)
                # Undoing several edits may restore the placements in several steps.
                if same and subject not in (PLACEMENTS, COUPLINGS) and other != edit:
                    raise WorldError(
                        f"edit {number} ({show(edit)}) contradicts edit {earlier} ({show(other)}): "
                        f"both change {subject}; keep one of them"
                    )
            now = edit.apply(now)
        except WorldError as error:
            raise _blamed(error, number, edit, done, world) from error
        except NameNotFound as error:
            raise _blamed(WorldError(str(error)), number, edit, done, world) from error
        done.append((number, edit, subject))
    return now


def inverse_of(world: World, edits: Iterable[Edit]) -> tuple[Edit, ...]:
    """Return the edits that undo ``edits`` made on ``world`` in order."""
    back: list[tuple[Edit, ...]] = []
    for edit in edits:
        back.append(edit.inverse(world))
        world = edit.apply(world)
    return tuple(edit for undone in reversed(back) for edit in undone)


@dataclass(frozen=True, slots=True)
class Transaction:
    """Several edits made as one: all or none."""

    edits: tuple[Edit, ...]

    def apply(self, world: World) -> World:
        """Return the world after all edits; raise WorldError where they cannot all be made."""
        return edited(world, self.edits)

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edits that undo all of them, given the ``world`` before."""
        return inverse_of(world, self.edits)

    def subject(self, world: World) -> str:
        """Return the ids of what the edits change."""
        return ", ".join(edit.subject(world) for edit in self.edits)


def leaves(edit: Edit) -> tuple[Edit, ...]:
    """Return the single edits of a transaction, or the edit itself."""
    return edit.edits if isinstance(edit, Transaction) else (edit,)


def _blamed(
    error: WorldError,
    number: int,
    edit: Edit,
    done: list[tuple[int, Edit, str]],
    start: World,
) -> WorldError:
    """Name the earlier edit that makes this one impossible, when there is one."""
    if "contradicts" in str(error):
        return error
    try:
        subject = edit.subject(start)
    except (WorldError, NameNotFound):
        return WorldError(f"edit {number} ({show(edit)}): {error}", error.diagnostics)
    blocking = [(n, other) for n, other, about in done if overlap(about, subject)]
    if not blocking:
        return WorldError(f"edit {number} ({show(edit)}): {error}", error.diagnostics)
    earlier, other = blocking[-1]
    return WorldError(
        f"edit {number} ({show(edit)}) contradicts edit {earlier} ({show(other)}): {error}",
        error.diagnostics,
    )


def overlap(one: str, other: str) -> bool:
    """Return whether two ids name the same thing, or one a part of the other."""
    return one == other or one.startswith(f"{other}.") or other.startswith(f"{one}.")


@singledispatch
def show(edit: Edit) -> str:
    """Return what an edit does in a few words: "hinge links.h23 ends".

    A class of edits has ``WORDS`` with its fields in braces, or registers a function of its own;
    of a stranger's is told its name and subject.
    """
    words: str = getattr(type(edit), "WORDS", "")
    if words:
        return words.format(edit)
    for name in ("path", "hinge", "body", "force", "drive", "first"):
        value = getattr(edit, name, None)
        if value is not None:
            return f"{type(edit).__name__} {getattr(value, 'id', value)}"
    return type(edit).__name__


@show.register
def _show_transaction(edit: Transaction) -> str:
    return "; ".join(show(each) for each in edit.edits)


def in_words(value: object) -> str:
    """Return a value for a reader: numbers with six digits, tuples in parentheses.

    >>> in_words((1.0, 0.1234567, None))
    '(1, 0.123457, none)'
    """
    if value is None:
        return "none"
    known = real(value)
    if known is not None:
        return f"{known:.6g}"
    if isinstance(value, tuple):
        return f"({', '.join(in_words(each) for each in value)})"
    if isinstance(value, Material):
        given = (name for name in ("density", "friction", "restitution", "color"))
        parts = ((name, getattr(value, name)) for name in given)
        return ", ".join(f"{name} {in_words(each)}" for name, each in parts if each is not None)
    return str(value)


def with_child(world: World, id: str, index: int | None, what: str) -> Mapping[str, Component]:
    """Return the components, ``id`` among the parts of the one that holds it (None: last).

    ``what`` names it in the message where there is no such component.
    """
    owner = id.rpartition(".")[0]
    if not owner:
        return world.components
    if owner not in world.components:
        raise WorldError(
            f"{what} '{id}': there is no component '{owner}'{hint(owner, world.components)}"
        )
    children = list(world.components[owner].children)
    children.insert(len(children) if index is None else index, id)
    grown = replace(world.components[owner], children=tuple(children))
    return replaced(world.components, owner, grown)


def without_child(world: World, id: str) -> Mapping[str, Component]:
    """Return the components, ``id`` no more among the parts of the one that holds it."""
    owner = world.components.get(id.rpartition(".")[0])
    if owner is None:
        return world.components
    left = tuple(child for child in owner.children if child != id)
    return replaced(world.components, owner.id, replace(owner, children=left))


def child_place(world: World, id: str) -> int | None:
    """Return the place of ``id`` among the parts of the component that holds it, None: none."""
    owner = world.components.get(id.rpartition(".")[0])
    return None if owner is None else owner.children.index(id)


def require_new(world: World, id: str) -> None:
    """Raise WorldError when ``id`` already names a node."""
    for kind in ("bodies", "hinges", "forces", "drives", "couplings", "components"):
        if id in getattr(world, kind):
            raise WorldError(f"world '{world.name}' already has '{id}'; choose another id")


def require_body(world: World, id: str, what: str) -> None:
    """Raise WorldError when ``id`` is no body."""
    if id not in world.bodies:
        raise WorldError(f"{what}: there is no body '{id}'{hint(id, world.bodies)}")


# ---- read-only ordered mappings, which are changed by making new ones

T = TypeVar("T")


def inserted(
    items: Mapping[str, T], key: str | None = None, value: T | None = None, index: int | None = None
) -> Mapping[str, T]:
    """Return ``items`` with ``key: value`` at ``index`` (None: last), or a plain copy."""
    if key is None or value is None:
        return MappingProxyType(dict(items))
    if index is None or index >= len(items):
        return MappingProxyType({**items, key: value})
    pairs = list(items.items())
    pairs.insert(index, (key, value))
    return MappingProxyType(dict(pairs))


def replaced(items: Mapping[str, T], key: str, value: T) -> Mapping[str, T]:
    """Return ``items`` with another value for ``key``, in the same order."""
    return MappingProxyType({**items, key: value})


def without(items: Mapping[str, T], keys: Collection[str]) -> Mapping[str, T]:
    """Return ``items`` without ``keys``; the same mapping when there are none."""
    if not keys:
        return items
    gone = set(keys)
    return MappingProxyType({key: value for key, value in items.items() if key not in gone})


def position_of(items: Mapping[str, T], key: str) -> int:
    """Return the place of ``key`` in the order of ``items``, counted from 0."""
    return next(place for place, name in enumerate(items) if name == key)
