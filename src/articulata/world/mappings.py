"""Read-only ordered mappings that are changed by making new ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import MappingProxyType
from typing import TypeVar

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
