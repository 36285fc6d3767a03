"""The canonical text of motions and of who follows them."""

from __future__ import annotations

from collections.abc import Iterator

from articulata.world.language.syntax import tree
from articulata.world.language.syntax.grammar import is_bare
from articulata.world.language.syntax.print_expressions import expression, path, turns


def key(value: tree.Key) -> str:
    """Return a key frame."""
    said = [] if value.posture is None else [_label(value.posture)]
    if value.joints:
        shown = (f"{_named(each.path)}: {expression(each.value)}" for each in value.joints)
        said.append(f"({', '.join(shown)})")
    if value.place is not None:
        where = value.place
        said.append(f"{_named(where.path)} at {expression(where.at)}{turns(where.turns)}")
    return f"{expression(value.time)}: {', '.join(said)}"


def settings(value: tree.Motion) -> Iterator[str]:
    """Yield what a motion says beside its key frames."""
    if value.ease is not None:
        yield f"ease: {value.ease}"
    if value.repeat is not None:
        yield f"repeat {expression(value.repeat)}"
    if value.blend is not None:
        yield f"blend: {expression(value.blend)}"


def follows(value: tree.Follows) -> str:
    """Return who follows which motion, from when on and where."""
    start = f" from {expression(value.start)}" if value.start is not None else ""
    at = f" at {expression(value.at)}" if value.at is not None else ""
    by = f" by {expression(value.drive)}" if value.drive is not None else ""
    where = f"{start}{at}{turns(value.turns)}"
    return f"{path(value.target)} follows {_label(value.motion)}{where}{by}"


def _label(name: str) -> str:
    return name if is_bare(name) else f'"{name}"'


def _named(value: tree.Path) -> str:
    return _label(value.simple) if value.simple else path(value)
