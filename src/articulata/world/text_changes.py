"""Edits of the text that a world came from; the rest of the text stays as it is.

``replaced`` gives a body another place, ``placing`` tells the statement that does, ``marked`` gives
a place on a body a name.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from articulata.errors import WorldError
from articulata.world.body_features import feature_of
from articulata.world.document import Document, parse
from articulata.world.language.source import Span
from articulata.world.language.syntax import tree as t
from articulata.world.model import World
from articulata.world.values import Quaternion, Vector3
from articulata.world.wording import number, rotation


def replaced(document: Document, text: str, name: str, body: str, moved: World) -> str:
    """Return ``text``, that of ``document``, with ``body`` of the world ``name`` where it is now.

    ``moved`` is the world in which it was moved. The point of its ``place`` statement is written
    anew, in metres; a loop that places it is written out. Raise WorldError where no statement
    places it by a point.
    """
    world = document.module.worlds.get(name)
    before = document.world(name)
    placed = _placed(before, body)
    if world is None or placed is None:
        raise WorldError(f"no statement of '{name}' places '{body}' at a point; write one")
    old, new = before.bodies[body].pose.position, moved.bodies[body].pose.position
    away = tuple(b - a for a, b in zip(old, new, strict=True))
    for statement in world.structure:
        if isinstance(statement, t.Place) and _written(text, statement.target.span) == body:
            clauses = [each for each in statement.clauses if isinstance(each, t.PlaceAt)]
            if not clauses:
                continue
            start, end = clauses[0].at.span
            return text[:start] + _point(_moved(placed[1], away)) + text[end:]
        if isinstance(statement, t.For) and body in _placed_by(before, statement, text):
            start, end = statement.span
            lines = list(_spelled(before, statement, text, body, away))
            indent = " " * (start - (text.rfind("\n", 0, start) + 1))
            return text[:start] + f"\n{indent}".join(lines) + text[end:]
    raise WorldError(f"'{body}' is not placed by a statement of its own in '{name}'; move it there")


def placing(world: World, body: str, by: tuple[float, ...]) -> str:
    """Return the statement that places a body moved ``by`` (3,) m; "" where no point places it."""
    placed = _placed(world, body)
    if placed is None:
        return ""
    frames = next(each.frames for each in world.placements if each.component == body)
    turned = _turned(frames[0][1].orientation) if frames else ""
    return f"place {body} by {body}.{placed[0]} at {_point(_moved(placed[1], by))}{turned}"


def _turned(q: Quaternion) -> str:
    """Return how a place is turned, about an axis of W where it is one; "" where it is not."""
    for axis, sine in zip("xyz", q[1:], strict=True):
        if math.hypot(q[0], sine) > 1.0 - 1e-12:
            angle = math.remainder(math.degrees(2.0 * math.atan2(sine, q[0])), 360.0)
            return f" turned {number(round(angle, 6))} deg about {axis}" if angle else ""
    return f" turned {rotation(q)}"


def _placed(world: World, body: str) -> tuple[str, Vector3] | None:
    """Return which feature of a body its statement places, and where."""
    for each in world.placements:
        if each.component != body:
            continue
        if each.points:
            return each.points[0][0].feature, each.points[0][1]
        if each.frames:
            return each.frames[0][0].feature, each.frames[0][1].position
    return None


def _moved(point: Vector3, away: tuple[float, ...]) -> Vector3:
    x, y, z = (a + b for a, b in zip(point, away, strict=True))
    return (x, y, z)


def _point(point: Vector3) -> str:
    return f"({', '.join(f'{number(round(each, 6))} m' for each in point)})"


def _written(text: str, span: Span) -> str:
    return "".join(text[span[0] : span[1]].split())


def _root(text: str, place: t.Place) -> str:
    return _written(text, place.target.span).partition("[")[0]


def _placed_by(world: World, loop: t.For, text: str) -> list[str]:
    """Return the bodies that a loop of one place statement places."""
    if len(loop.body) != 1 or not isinstance(loop.body[0], t.Place):
        return []
    root = _root(text, loop.body[0])
    return [p.component for p in world.placements if p.component.startswith(f"{root}[")]


def _spelled(
    world: World, loop: t.For, text: str, body: str, away: tuple[float, ...]
) -> Iterator[str]:
    """Return a place statement for each body of a loop."""
    place = loop.body[0]
    assert isinstance(place, t.Place)
    rest = "".join(
        f", {text[slice(*each.span)]}" for each in place.clauses if not isinstance(each, t.PlaceAt)
    )
    clause = next(each for each in place.clauses if isinstance(each, t.PlaceAt))
    turned = text[clause.at.span[1] : clause.span[1]]
    for name in _placed_by(world, loop, text):
        placed = _placed(world, name)
        if placed is not None:
            feature, point = placed
            point = _moved(point, away if name == body else (0.0, 0.0, 0.0))
            yield f"place {name} by {name}.{feature} at {_point(point)}{turned}{rest}"


# ---- a place on a body that gets a name

NEAR = 1e-5
"""m. So near a place that was written comes to where it was meant."""


def marked(document: Document, text: str, world: str, body: str, name: str, point: Vector3) -> str:
    """Return ``text``, that of ``document``, with the feature ``name`` of ``body`` at ``point``.

    ``point`` is in the body's frame, m; the feature is that of the primitive, and so of all bodies
    made of it. Requests to reach in ``world`` ask about it from now on. Raise WorldError for a name
    that is taken, or is none, and for a body whose primitive this text does not hold.
    """
    if not name.isidentifier():
        raise WorldError(f"'{name}' is no name; give letters, digits and _, such as dial")
    before = document.world(world).bodies[body]
    definition = document.module.definitions.get(before.type)
    if not isinstance(definition, t.Primitive) or definition.geometry is None:
        raise WorldError(
            f"'{body}' is made of '{before.type}', which this text does not hold; write '{name}' "
            "where it is"
        )
    if name in before.features:
        raise WorldError(f"'{body}' has a feature '{name}' already; take another name")
    said = f"{name}: {_point(point)}"
    features, end = definition.geometry.features, definition.geometry.span[1]
    edits = [(features[0].span[0], f"{said}; ") if features else (end, f" where {{ {said} }}")]
    edits += [
        _asked(text, request, f"{body}.{name}")
        for request in document.module.requests
        if request.kind == "reach" and request.name == world
    ]
    for at, what in sorted(edits, reverse=True):
        text = text[:at] + what + text[at:]
    again = parse(text, str(document.path or "<text>")).world(world).bodies[body]
    if math.dist(feature_of(again, name).pose.position, point) > NEAR:
        raise WorldError(f"'{body}' is scaled; write '{name}' into '{before.type}' by hand")
    return text


def _asked(text: str, request: t.Request, path: str) -> tuple[int, str]:
    """Return where and what to write so that a request asks about ``path``."""
    clause = request.clause("objects")
    if clause is not None and clause.items:
        return clause.span[1], f", {path}"
    if request.clauses:
        start, end = request.clauses[-1].span[0], request.clauses[-1].span[1]
        indent = " " * (start - (text.rfind("\n", 0, start) + 1))
        return end, f"\n{indent}objects: {path}"
    return request.span[1] - 1, f" objects: {path} "
