"""A room as a plan: what its text says, as plain data for a page.

The plan is W seen from above, x to the right and z down; y is up. Walls stand outside of the floor,
in the order of its corners, with the floor to their z.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from articulata.analyses.reach.study import Study
from articulata.errors import ArticulataError
from articulata.sessions.reach.drawn_walls import BUILT, LEAVES, Opening, built_of, drawn_walls
from articulata.sessions.reach.plan_texts import (
    MOUNTS,
    entry_of,
    length,
    mount_of,
    placed,
    sizes_of,
)
from articulata.world.document import Document, read
from articulata.world.language.syntax import tree as t
from articulata.world.model import Body, World
from articulata.world.requests.reach import ReachQuestion, path_of
from articulata.world.single_frames import moved
from articulata.world.values import ZERO
from articulata.world.world_files import LIBRARY

NARROW: Final = 0.2
"""m, how wide furniture is that has no width."""
GROUP: Final = "# ---- "
"""What begins the line over a group of the furniture that ships."""
FINE: Final = 1e-9
"""What is beyond a limit by less is rounding."""

NEW: Final = """# A room. Change it with: articulata draw {file}
# Who reaches what in it: articulata reach {file}
import "furniture.art"

primitive room_floor {{ }}

world {name} {{
  gravity: (0, -9.81, 0)
  components
    floor: room_floor
  structure {{
    place floor by floor.origin at (0, -5 cm, 0)
  }}
}}

reach {name} {{
  person: person(1.70 m, woman) on foot
  points: grid 10 cm in floor
  report: map, table, document
}}
"""


def palette() -> dict[str, dict[str, Any]]:
    """Return the furniture that ships by its names: how wide and deep (m), and its group."""
    document = read(LIBRARY / "furniture.art")
    found: dict[str, dict[str, Any]] = {}
    text = document.tree.source.text
    for item in document.tree.items:
        if isinstance(item, t.Primitive) and item.name not in BUILT:
            sizes = {each["name"]: each["value"] for each in sizes_of(document, None, item.name)}
            wide = sizes.get("wide", sizes.get("long" if item.name == "rail" else "", NARROW))
            group = text[: item.span[0]].rpartition(GROUP)[2].partition("\n")[0].strip()
            deep = sizes.get("deep", sizes.get("run", NARROW))
            found[item.name] = {"wide": wide, "deep": deep, "group": group}
    return found


def levels_told(kind: str, sizes: Mapping[str, float]) -> str:
    """Return what a ramp or stairs are by two published standards, and what reach takes them for.

    The standards are the 2010 ADA Standards (405, 504.2) and DIN 18040-1:2010 (4.3.8).
    """
    if kind == "ramp" and {"rise", "run", "wide"} <= sizes.keys():
        rise, run, wide = (sizes[each] for each in ("rise", "run", "wide"))
        ada = rise / run <= 1 / 12 + FINE and rise <= 0.76 + FINE and wide >= 0.915 - FINE
        din = rise / run <= 0.06 + FINE and run <= 6.0 + FINE and wide >= 1.2 - FINE
        fits = " and ".join(
            f"{'within' if good else 'beyond'} {code}"
            for good, code in ((ada, "ADA 2010, 405 (1 in 12)"), (din, "DIN 18040-1 (6 %)"))
        )
        said = f"It rises 1 in {run / rise:.3g} ({100 * rise / run:.3g} %): {fits}."
    elif kind == "stairs" and {"rise", "tread"} <= sizes.keys():
        rise, tread = sizes["rise"], sizes["tread"]
        ada = 0.1 - FINE <= rise <= 0.18 + FINE and tread >= 0.28 - FINE
        said = (
            f"Steps of {length(rise)} and {length(tread)}, {'within' if ada else 'beyond'} "
            "ADA 2010, 504.2. Nobody in a wheelchair or with a walker gets up stairs."
        )
    else:
        return ""
    return (
        f"{said} Reach takes people on one height of the floor: nobody goes up here, and it stands "
        "in the way as furniture does. What is up there is not asked; draw that room by itself."
    )


def plan_of(
    document: Document, world: World, study: Study, question: ReachQuestion
) -> dict[str, Any]:
    """Return what a page draws of a room, as plain data."""
    room = study.room
    drawn = drawn_walls(document, world)
    leaves = {each.id for each in world.bodies.values() if each.type in LEAVES.values()}
    outlines: dict[str, list[Any]] = {}
    for solid in room.solids:
        shape = solid.outline
        if shape.geom_type == "Polygon":
            low = float(solid.outer[:, 2].min())
            outlines.setdefault(solid.body, []).append([low, flat(study, shape)])
    fixed = {*room.walls(), room.floor_body, *built_of(document, world)}
    asked = [path_of(each) for each in question.objects]
    return {
        "corners": drawn.corners or flat(study, room.floor),
        "drawn": bool(drawn.corners),
        "openings": [_opening(world, each, asked) for each in drawn.openings],
        "entry": study.door.partition(".")[0],
        "walls": [
            ring
            for name in room.walls()
            for low, ring in outlines.get(name, ())
            if low < 1.9 and name not in leaves
        ],
        "things": [
            _thing(document, world, body, outlines.get(body.id, []), asked)
            for body in world.bodies.values()
            if body.shape is not None and body.id not in fixed
        ],
        "objects": asked,
    }


def _opening(world: World, each: Opening, asked: Sequence[str]) -> dict[str, Any]:
    """Return a door or a window, with the points of it that are, or may be, asked for."""
    told = {key: round(v, 4) if isinstance(v, float) else v for key, v in asdict(each).items()}
    mine = [path for path in asked if path.partition(".")[0] in (each.name, each.leaf)]
    return told | {"points": _points(world, [*filter(None, [each.handle]), *mine])}


def _points(world: World, paths: Sequence[str]) -> list[dict[str, Any]]:
    points = []
    for path in dict.fromkeys(paths):
        name, _, feature = path.partition(".")
        body = world.bodies[name]
        p = moved(body.pose, body.features[feature].pose.position if feature else ZERO)
        points.append({"name": feature, "path": path, "at": [round(each, 4) for each in p]})
    return points


def _thing(
    document: Document, world: World, body: Body, outlines: list[Any], asked: Sequence[str]
) -> dict[str, Any]:
    x, y, z, turn = placed(body, mount_of(world, body))
    entry = entry_of(document, world.name, body.id)
    paths = [f"{body.id}.{each}" for each in body.features]
    shown = [path for path in paths if path in asked or path.rpartition(".")[2] not in MOUNTS]
    try:
        sizes = [] if entry is None else sizes_of(document, entry, entry.type.text)
    except ArticulataError:
        sizes = []
    return {
        "name": body.id, "kind": body.type, "x": round(x, 4), "z": round(z, 4), "y": round(y, 4),
        "turn": round(turn, 3), "sizes": sizes, "own": entry is not None,
        "points": _points(world, shown),
        "told": levels_told(body.type, {each["name"]: each["value"] for each in sizes}),
        "outlines": [ring for _, ring in sorted(outlines, key=lambda each: each[0])],
    }  # fmt: skip


def flat(study: Study, shape: Any) -> list[Any]:
    """Return the outline of a shape of the ground's plane as points (x, z) of the plan."""
    ring = [(*each[:2], 0.0) for each in list(shape.exterior.coords)[:-1]]
    return [
        [round(x, 4), round(z, 4)] for x, _, z in study.room.out(np.array(ring, float)).tolist()
    ]


def free_name(world: World | None, kind: str, more: Sequence[str] = ()) -> str:
    """Return a name for one more thing of a kind: its own, else with a number; none of ``more``."""
    taken = {*more} | ({*()} if world is None else {e.partition(".")[0] for e in world.bodies})

    def names() -> Iterator[str]:
        yield kind
        for number in range(2, 10_000):
            yield f"{kind}_{number}"

    return next(each for each in names() if each not in taken)
