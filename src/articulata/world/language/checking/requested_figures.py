"""Figures that requests are about: where they are defined, and the names of their parts."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from articulata.world.figures.shelf import shelf
from articulata.world.language.checking.scopes import Library, Type, joins
from articulata.world.language.source import Source
from articulata.world.language.syntax import tree
from articulata.world.language.syntax.parse import read


@cache
def shelved(name: str) -> tuple[Library, Type | None]:
    """Return the file of a figure of the library and what is known of the figure."""
    path, _ = shelf()[name]
    parsed, _ = read(Source(path.read_text(encoding="utf-8"), str(path)))
    library = Library(parsed)
    return library, library.type(tree.Path((tree.Part(name),)))


def figure_type(library: Library, path: tree.Path, world: Type | None) -> Type | None:
    """Return what is known of the figure that a request names; None where it is not to be had.

    A component of the world comes before a figure of the text, that before one of the library.
    """
    if world is not None and path.parts[0].name in world.components:
        path = world.components[path.parts[0].name].type
    found = library.type(path)
    if found is None and path.simple in shelf():
        found = shelved(path.simple)[1]
    return found


def figure_names(library: Library, world: Type | None) -> tuple[str, ...]:
    """Return the names of all figures that a request may be about."""
    own = [name for name, each in library.own.items() if isinstance(each, tree.Figure)]
    standing = tuple(world.components) if world is not None else ()
    return (*standing, *own, *library.named, *shelf())


def part_names(kind: Type | None) -> tuple[str, ...]:
    """Return the names of a figure's chains, joints, landmarks and links; none: not known."""
    definition = kind.library.own.get(kind.name) if kind is not None else None
    if not isinstance(definition, tree.Figure) or not definition.complete:
        return ()
    return tuple(dict.fromkeys(_parts(definition)))


def joint_names(kind: Type | None) -> tuple[str, ...]:
    """Return the names of a figure's joints; none: not known."""
    if kind is None or kind.open or not part_names(kind):
        return ()
    definition = kind.library.own[kind.name]
    assert isinstance(definition, tree.Figure)
    tables = [each.course for each in definition.chains if isinstance(each.course, tree.Table)]
    return tuple(dict.fromkeys((*kind.hinges, *(row.name for t in tables for row in t.rows))))


def _parts(figure: tree.Figure) -> Iterator[str]:
    for chain in figure.chains:
        yield chain.name
    for entry in (*figure.landmarks, *figure.sensors):
        yield entry.path.text
    for component in figure.components:
        yield from (name.name for name in component.names)
    yield from (join.name for join in joins(figure.structure) if join.name)
    for chain in figure.chains:
        if isinstance(chain.course, tree.Table):
            for row in chain.course.rows:
                yield row.name
                yield from _links(row.joint)


def _links(joint: tree.Expression) -> Iterator[str]:
    for argument in joint.arguments if isinstance(joint, tree.Call) else ():
        value = argument.value
        if argument.name == "link" and isinstance(value, tree.Path | tree.Text):
            yield value.text if isinstance(value, tree.Path) else value.value


_UP = {"up": 1, "upward": 1, "upwards": 1, "vertical": 1, "above": 1, "skyward": 1,
       "down": -1, "downward": -1, "downwards": -1, "below": -1}  # fmt: skip


def upright(word: str, world: Type | None) -> str:
    """Return the axis that points ``up`` or ``down`` in a world, "" for other words.

    Up is against its gravity, and y where the world says nothing of that.
    """
    if word not in _UP:
        return ""
    item = world.library.own.get(world.name) if world is not None else None
    falls = item.gravity if isinstance(item, tree.World) else None
    axis, sign = "y", -1
    for each, value in zip(
        "xyz", falls.items if isinstance(falls, tree.Tuple) else (), strict=False
    ):
        if isinstance(value, tree.Unary) or (isinstance(value, tree.Number) and value.value > 0):
            axis, sign = each, -1 if isinstance(value, tree.Unary) else 1
    return f"{'-' * (sign == _UP[word])}{axis}"


def people_of(node: tree.Request, world: Type | None) -> tuple[str, ...]:
    """Return the components of a world that a request has reach."""
    clause = node.clause("person")
    if clause is None or world is None:
        return ()
    first = (item.parts[0] for item in clause.items if item.parts)
    named = (each.simple for each in first if isinstance(each, tree.Path))
    return tuple(
        name
        for name in named
        if name in world.components
        and ((kind := world.type_of(name)) is None or kind.kind != "primitive")
    )
