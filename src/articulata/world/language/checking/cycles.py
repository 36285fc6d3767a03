"""Circles among definitions: what leads back to itself, found in time linear in the text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence


def cyclic(uses: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """Return the names from which a way through ``uses`` leads back to them.

    Strongly connected components by one search in depth, without recursion (Tarjan 1972).
    """
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    waiting: list[str] = []
    held: set[str] = set()
    found: set[str] = set()
    for root in uses:
        if root in number:
            continue
        number[root] = lowest[root] = len(number)
        waiting.append(root)
        held.add(root)
        way: list[tuple[str, Iterator[str]]] = [(root, iter(uses[root]))]
        while way:
            name, rest = way[-1]
            for following in rest:
                if following not in uses:
                    continue
                if following not in number:
                    number[following] = lowest[following] = len(number)
                    waiting.append(following)
                    held.add(following)
                    way.append((following, iter(uses[following])))
                    break
                if following in held:
                    lowest[name] = min(lowest[name], number[following])
                    if following == name:
                        found.add(name)
            else:
                way.pop()
                if way:
                    lowest[way[-1][0]] = min(lowest[way[-1][0]], lowest[name])
                if lowest[name] == number[name]:
                    members = _taken(waiting, name)
                    held.difference_update(members)
                    if len(members) > 1:
                        found.update(members)
    return frozenset(found)


def _taken(waiting: list[str], name: str) -> list[str]:
    """Take from the end of ``waiting`` up to and with ``name``."""
    members = [waiting.pop()]
    while members[-1] != name:
        members.append(waiting.pop())
    return members


def circle(start: str, uses: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return a way from ``start`` through ``uses`` back to it, or nothing."""
    stack = [start]
    before: dict[str, str] = {}
    while stack:
        name = stack.pop()
        for following in uses.get(name, ()):
            if following == start:
                way = [name]
                while way[-1] != start:
                    way.append(before[way[-1]])
                return tuple(reversed(way))
            if following in uses and following not in before:
                before[following] = name
                stack.append(following)
    return ()


def shown_circle(way: Sequence[str], most: int = 8) -> str:
    """Return a circle to read: ``a -> b -> a``; a long one is cut."""
    first = list(way[:most])
    return " -> ".join([*first, "...", way[0]] if len(way) > most else [*first, way[0]])
