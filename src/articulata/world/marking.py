"""A place on a body that gets a name, written into the text that the body came from."""

from __future__ import annotations

import math

from articulata.errors import WorldError
from articulata.world.body_features import feature_of
from articulata.world.document import Document, parse
from articulata.world.language.syntax import tree as t
from articulata.world.values import Vector3
from articulata.world.wording import number

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
    said = f"{name}: ({', '.join(f'{number(round(each, 6))} m' for each in point)})"
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
