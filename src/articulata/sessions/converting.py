"""A world in one format written in another, and what is lost on the way."""

from __future__ import annotations

import copy
import math
import re
from collections import Counter
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from articulata.errors import FormatError
from articulata.formats.gltf.gltf_writer import write_glb
from articulata.formats.scenes.foreign_scene import HULL, Scene, SceneFigure, SceneView
from articulata.formats.scenes.scene_files import READERS, lost_words, scene_of
from articulata.formats.scenes.scene_text import world_text
from articulata.formats.scenes.world_scene import scene_of_recording, scene_of_world
from articulata.formats.vrml.humanoid_writer import is_humanoid
from articulata.geometry.shapes import Mesh
from articulata.kinematics.assembly.assembling import assemble
from articulata.kinematics.described_figure import identifier
from articulata.kinematics.library import figure
from articulata.records.files import make_folder, write_whole
from articulata.records.recording import load
from articulata.report.colors import screen_color
from articulata.report.export import SUFFIXES, export
from articulata.sessions.film.moves import read_move
from articulata.sessions.simulation import asked
from articulata.world import wording
from articulata.world.assistance import comment_above
from articulata.world.document import Document, read
from articulata.world.foreign_files import format_of
from articulata.world.language.elaboration.shape_calls import meshes_in
from articulata.world.language.meant_words import closest
from articulata.world.model import World
from articulata.world.requests.film import CameraChoice
from articulata.world.world_files import LIBRARY, shipped
from articulata.world.writing.worlds import art_text

FRAMES = 25.0
"""Frames a second of a camera's move that a text names."""
USD = (".usda", ".usdc", ".usdz", ".usd")
ENDINGS = (".wrl", ".x3d", ".x3dj", ".glb", ".xml", ".urdf", ".art", ".fmu", *USD)
NEAR = {".gltf": ".glb", ".mjcf": ".xml", ".vrml": ".wrl", ".json": ".x3dj", ".sdf": ".urdf"}
"""Endings that are asked for, and those of what holds the same and is written."""


def convert(file: Path, to: Path, world: str = "", **given: float | str) -> str:
    """Write the world of a file as the ending of ``to`` says; return what was lost, in words.

    ``world`` chooses among several; ``given`` are height and unit (m) of a drawing, the axis that
    is ``up`` and the unit of a scan, one ``room`` of a building, the ``key`` frame of a model of
    MuJoCo, the version of an FMU's ``fmi``.
    Raises FormatError for endings that are not written.
    """
    ending = to.suffix.lower()
    if ending not in ENDINGS:
        raise _not_written(to)
    if ending == ".urdf":
        return _robot(file, to, world)
    if ending == ".art":
        return _text(file, to, world, given)
    if ending == ".fmu":
        from articulata.sessions.fmu import export_fmu

        export_fmu(asked(read(file), world), to, fmi=int(given.get("fmi", 2)))
        return ""
    scene = _scene(file, world, given, humanoids=ending in (".wrl", ".x3d", ".x3dj"))
    write_whole(to, _writer(ending)(scene))
    return lost_words(scene) if scene.lost else ""


def _not_written(to: Path) -> FormatError:
    """Return the error for an ending that no world is written in, and what to do instead."""
    ending = to.suffix.lower()
    if ending in SUFFIXES:
        return FormatError(
            f"'{ending}' holds what a run gives ({SUFFIXES[ending]}); simulate the world, then: "
            f"articulata export out/WORLD/run.artrun {to.name}"
        )
    near = NEAR.get(ending) or next(iter(get_close_matches(ending, ENDINGS, 1)), "")
    hint = f"; did you mean '{to.with_suffix(near).name}'?" if near else ""
    said = f"'{ending}'" if ending else f"'{to.name}', which has no ending"
    return FormatError(f"a world cannot be written as {said}; give {', '.join(ENDINGS)}{hint}")


def _writer(ending: str) -> Callable[[Scene], bytes]:
    if ending == ".glb":
        return write_glb
    if ending == ".xml":
        from articulata.formats.mjcf.mjcf_writer import write_mjcf

        def mjcf(scene: Scene) -> bytes:
            text, scene.lost = write_mjcf(scene)
            return text.encode()

        return mjcf
    if ending in USD:
        from articulata.formats.usd.usd_writer import write_usd

        return lambda scene: write_usd(scene, ending)
    from articulata.formats.vrml.vrml_writer import write_vrml, write_x3d, write_x3d_json

    write = {".wrl": write_vrml, ".x3d": write_x3d, ".x3dj": write_x3d_json}[ending]
    return lambda scene: write(scene).encode()


def _scene(file: Path, world: str, given: dict[str, float | str], *, humanoids: bool) -> Scene:
    """Return the scene of a file: as its reader gives it, else that of its world or its figure."""
    known = format_of(file)
    if known is not None and known.key == "artrun":
        return scene_of_recording(load(file), screen_color)
    if known is not None and known.key in READERS:
        scene = copy.copy(scene_of(file, **given))
        if not scene.figures:
            scene.lost = Counter(scene.lost)  # what is read stays as it is
            return scene
    document = read(file)
    if humanoids and not document.worlds and not document.requests:
        return _figure_scene(document)
    found = assemble(_world(document, world))
    return scene_of_world(found, screen_color, _views(document), humanoids=humanoids)


def _world(document: Document, name: str) -> World:
    """Return the world that ``name`` means; without a name that of the first request, if any."""
    if not name and not document.worlds and document.requests:
        return document.world(document.requests[0])
    return document.world(asked(document, name))


def _figure_scene(document: Document) -> Scene:
    """Return the scene of the only figure of a text, in its neutral posture."""
    found = figure(document)
    name = identifier(found.name or "figure")
    if not is_humanoid(found):
        raise FormatError(f"{name}: a humanoid's joints all turn; convert it to .urdf")
    scene = Scene(name, f"{name}.art")
    scene.figures.append(SceneFigure(scene.unique(name), found, np.eye(4)))
    return scene


def _views(document: Document) -> tuple[SceneView, ...]:
    """Return the cameras of requests to film that hang on nothing."""
    found: list[SceneView] = []
    for request in document.requests:
        asking = request.question
        for each in (getattr(asking, "camera", None), *getattr(asking, "views", ())):
            if isinstance(each, CameraChoice) and each.on is None:
                upwards = 2.0 * math.atan(each.lens.sensor[1] / 2.0 / each.lens.focal_length)
                name = f"{identifier(request.name)}_view_{len(found) + 1}"
                found.append(SceneView(name, each.X_LM.matrix(), upwards))
    return tuple(found)


def _robot(file: Path, to: Path, world: str) -> str:
    """Write the only figure of a file as URDF."""
    document = read(file)
    if not document.worlds and not document.requests:
        export(figure(document), to)
        return ""
    found = _world(document, world)
    if len(found.figures) != 1:
        told = f"{file.name}: URDF holds one robot, and {len(found.figures)} figures stand here; "
        if file.suffix.lower() == ".xml":
            raise FormatError(
                told + "a robot of MJCF is read as bodies and hinges, not as a figure"
            )
        raise FormatError(told + "convert it to .xml (MJCF)")
    (name,) = found.figures
    export(figure(found, name), to)
    others = len(found.bodies) - len(found.figures[name].carriers)
    return f"not taken over: {others} x body around the robot" if others else ""


def _text(file: Path, to: Path, world: str, given: dict[str, float | str]) -> str:
    """Write a world's text; surfaces of a foreign file lie beside it in a folder of their own.

    A text that ships is copied as it is, with its requests and the files that it takes from beside.
    """
    source = shipped(file)
    if source != file and not world:
        text = source.read_text(encoding="utf-8")
        beside = {source.with_name(name) for name in re.findall(r'"([\w.-]+)"', text)}
        for each in beside:
            if each.is_file() and each.suffix != ".art":  # texts are found wherever they ship
                write_whole(to.with_name(each.name), each.read_bytes())
        write_whole(to, text.encode())
        return ""
    piece = _piece(file)
    if piece:
        write_whole(to, piece.encode())
        return ""
    known = format_of(file)
    if known is None or known.key not in READERS:
        document = read(file)
        made = _world(document, world)
        write_whole(to, _with_meshes(art_text(made), made, file, to).encode())
        return ""
    scene = scene_of(file, **given)
    text = world_text(scene)
    folder = to.with_name(f"{to.stem}_meshes")
    moving = [view for view in scene.views if view.motion is not None]
    if scene.surfaces or moving:
        make_folder(folder)
    for view in moving:
        own = f"{folder.name}/{view.name}.json"
        read_move(file, FRAMES, camera=view.name).save(to.parent / own)
        text = text.replace(f'from: "{scene.file}" camera "{view.name}"', f'from: "{own}"')
    for name, surface in scene.surfaces.items():
        own = f"{folder.name}/{name}.obj"
        write_whole(to.parent / own, _obj(surface))
        for end in ("", HULL):
            text = text.replace(f'mesh("{surface.file}{end}")', f'mesh("{own}{end}")')
    write_whole(to, text.encode())
    return lost_words(scene) if scene.lost else ""


def _piece(file: Path) -> str:
    """Return the text of a thing that ships, as furniture.oven or kitchen.oven; "" of other files.

    It is named by its type, or as a component of the room; "furniture" is the text of all.
    """
    room, name = file.stem, file.suffix[1:]
    source = LIBRARY / "furniture.art" if room == "furniture" else shipped(room)
    if str(file) != file.name or file.exists() or not source.is_relative_to(LIBRARY):
        return ""
    if not name:
        return source.read_text(encoding="utf-8") if room == "furniture" else ""
    module = read(source).module
    entries = [entry for world in module.worlds.values() for entry in world.components]
    kinds = {each.name: str(entry.type.text) for entry in entries for each in entry.names}
    found = module.own_definition(kinds.get(name, name))
    if found is None:
        words = name.replace("_", " ")
        like = (
            each for each in module.type_names() if (own := module.own_definition(each)) is not None
            and words in comment_above(own.module.source, own.definition.span)
        )  # fmt: skip
        near = next(like, "") or closest(name, [*kinds, *module.type_names()])
        if not near:
            return ""
        raise FormatError(f"there is no '{name}' in {room}; did you mean '{room}.{near}'?")
    whole, text = found.definition.span, found.module.source
    about = comment_above(text, whole)
    return (
        "# Copied from the library. Paste it into your text and change it there: what a text\n"
        f"# defines itself goes before what it imports.\n{about and f'# {about}'}\n"
        f"{text.text[slice(*whole)]}\n"
    )


def _with_meshes(text: str, world: World, file: Path, to: Path) -> str:
    """Return the text of a world with the names that its meshes have as seen from ``to``.

    Those that do not lie in that folder are written into a folder of their own beside it.
    """
    home, folder = to.resolve().parent, to.with_name(f"{to.stem}_meshes")
    links = [row.link for node in world.figures.values() for row in node.rows.values()]
    shapes = [form for body in world.bodies.values() for form in (body.shape, body.look)]
    shapes += [form for link in links for form in (link.shape, link.look)]
    said: dict[str, str] = {}
    taken: set[str] = set()
    for mesh in (each for form in shapes if form is not None for each in meshes_in(form)):
        words = wording.shape(mesh)
        if words in said:
            continue
        name, mark, part = mesh.file.partition("#")
        lies = (file.resolve().parent / name).resolve()
        if lies.is_file() and lies.is_relative_to(home):
            inside = f"{lies.relative_to(home).as_posix()}{mark}{part}"
            said[words] = words.replace(mesh.file, inside)
            continue
        called, number = identifier(f"{lies.stem}{mark and '_'}{part}"), 1
        while (own := called if number == 1 else f"{called}_{number}") in taken:
            number += 1
        taken.add(own)
        make_folder(folder)
        write_whole(folder / f"{own}.obj", _obj(mesh))
        said[words] = f'mesh("{folder.name}/{own}.obj")'
    if not said:
        return text
    return re.sub("|".join(map(re.escape, said)), lambda found: said[found[0]], text)


def _obj(surface: Mesh) -> bytes:
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in surface.vertices.tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in surface.faces.tolist()]
    return ("\n".join(lines) + "\n").encode()
