"""What a file given to a command means: a surface alone, the request that is asked for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from articulata.errors import WorldError
from articulata.world.document import Document, parse
from articulata.world.foreign_files import SURFACES, format_of
from articulata.world.paths import hint
from articulata.world.requests.request import Request, RequestKind

SURFACE = """primitive surface {{ properties: (fixed); geometry: mesh("{file}") }}

world surface_alone {{ components {{ surface: surface }} }}
"""


def surface_alone(file: Path) -> Document | None:
    """Return the document of a world that holds the surface in a file alone, its numbers in m.

    None for a file of no such format. Raises FormatError where it holds no surface.
    """
    from articulata.formats.scenes.scene_files import read_mesh, readable

    found = format_of(file)
    if found is None or not readable(file) or found.key not in SURFACES:
        return None
    whole = file.resolve()
    read_mesh(whole)
    text = SURFACE.format(file=whole.as_posix())
    return parse(text, f"<{file.name}>", allow=[whole.parent], folder=whole.parent)


EXAMPLES: dict[RequestKind, str] = {
    "simulate": "simulate NAME { time: (10 ms, 10 s) }",
    "vary": "vary WORLD { parameters: NAME in (0.1 m, 0.5 m); measure: max energy }",
    "reach": "reach WORLD { person: FIGURE; points: grid 5 cm in PATH }",
    "pose": 'pose NAME { figure: FIGURE; place: "right hand" at (0.4, 1.2, 0.3) }',
    "track": "track NAME { figure: FIGURE; from: emulator }",
    "film": "film NAME { world: WORLD; camera: lens(35 mm) at (0, 1 m, 3 m) }",
}
"""A request of each kind, as somebody would begin to write it."""


def request_in(document: Document, kind: RequestKind, text: str = "") -> Request:
    """Return the request of a kind that ``text`` means: its name or its world, with arguments.

    "kitchen(3)" is read as the text reads a request; empty means the first of that kind.
    """
    name, arguments = document.called(text, "--world") if text else ("", None)
    requests = [each for each in document.requests if each.kind == kind]
    fitting = [each for each in requests if name in ("", each.name, each.world)]
    file = document.tree.source.file
    if not fitting and name:
        known = [word for each in requests for word in (each.name, each.world) if word]
        raise WorldError(f"{file}: no request to {kind} is about '{name}'{hint(name, known)}")
    known_as = format_of(Path(file)) if not fitting and kind == "reach" else None
    if known_as is not None and known_as.key in (*SURFACES, "gltf", "usd"):
        raise WorldError(
            f"{file}: it does not say what of it is the floor; if it is the scan of a room, say "
            f"which axis is up: articulata reach {file} --up y, or make a text of it that you "
            f"can change: articulata convert {file} --to room.art --up y"
        )
    if not fitting:
        raise WorldError(f"{file}: there is no request to {kind}; add such as {EXAMPLES[kind]}")
    found = fitting[0]
    return found if arguments is None else replace(found, arguments=arguments)
