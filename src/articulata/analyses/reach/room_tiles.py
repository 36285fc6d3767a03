"""Tiles of a room's points: what a study of any size is made of, each a question by itself.

The labels of a tile depend on the room, the person and the tile alone: not on who makes it, on
what was made before, or on the number of threads.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import shapely

from articulata.analyses.reach.one_person.bare_reach import COARSE
from articulata.analyses.reach.one_person.bounds import TOLERANCE
from articulata.analyses.reach.points.labelling import labels_on_grid
from articulata.analyses.reach.points.neighbour_postures import turns_of
from articulata.analyses.reach.points.search import Case, Labels
from articulata.analyses.reach.study import Study
from articulata.analyses.reach.surroundings.room import Room
from articulata.errors import WorldError
from articulata.geometry.arrays import Array
from articulata.kernels.lanes.host import LANES_FLOAT64
from articulata.records.header import versions
from articulata.records.reach_shares import ACCESSIBLE
from articulata.records.reach_store import FIELDS, Lattice, Tally, Tile, tally_of
from articulata.world.writing.worlds import art_text

TOP = 2.2
"""m above the floor up to which a grid goes."""

COMPUTING = ("scipy", "shapely", "zarr", "numcodecs")
"""Packages that decide the bytes of a store too."""

CHECKED = 64
"""Proofs of a tile that are checked once more, by forward kinematics."""


def lattice_of(room: Room, step: float) -> Lattice:
    """Return the grid over a room's floor, ``step`` m apart, up to ``TOP``."""
    x0, y0, x1, y1 = room.floor.bounds
    counts = [math.ceil((high - low) / step - 0.5) for low, high in ((x0, x1), (y0, y1))]
    levels = math.floor((TOP + 1e-9) / step)
    if min(counts) < 1 or levels < 1:
        raise WorldError(f"no point of a grid of {step:g} m lies over the floor; take a finer one")
    first = (x0 + 0.5 * step, y0 + 0.5 * step, room.level + step)
    return Lattice(first, step, (counts[0], counts[1], levels))


def label_tile(
    study: Study, name: str, lattice: Lattice, tile: Tile
) -> tuple[dict[str, Any], Tally]:
    """Return the labels of a tile's points for one of the people, as a store keeps them.

    Raise WorldError where a proof does not stand a second look.
    """
    points = lattice.points(tile)
    over = shapely.contains_xy(study.room.floor, points[:, 0], points[:, 1])
    values = {name: np.full(len(points), empty, kind) for name, (kind, empty) in FIELDS.items()}
    off = 0.0
    if over.any():
        case = study.case(name)
        # the same for every tile: all heights of the grid are asked for at once
        case.envelope.levels((lattice.axis(2) - study.room.level).tolist(), COARSE)
        found = labels_on_grid(case, points[over], lattice.step)
        off = _worst(case, points[over], found)
        for field, column in _columns(case, found).items():
            values[field][over] = column
    shape = (tile.x1 - tile.x0, tile.y1 - tile.y0, lattice.counts[2])
    label = values["label"]
    return {name: each.reshape(shape) for name, each in values.items()}, tally_of(label, off)


def identity(study: Study, lattice: Lattice, question: object) -> dict[str, Any]:
    """Return what decides the bytes of a study: what is asked, and what computes it."""
    digest = hashlib.sha256(repr(question).encode())
    digest.update(art_text(study.world).encode())
    for solid in study.room.solids:
        digest.update(solid.body.encode() + solid.outer.tobytes())
    for body in study.bodies.values():
        digest.update(repr((body.hips, body.footprint)).encode())
        for joint in body.figure.joints:
            digest.update(repr((joint.name, joint.kind, joint.limits, joint.neutral)).encode())
            digest.update(joint.X_PJ.tobytes() + joint.X_JL.tobytes())
    return {
        "first": list(lattice.first),
        "step": lattice.step,
        "counts": list(lattice.counts),
        "world": study.world.name,
        "people": list(study.names),
        "hands": {name: list(study.bodies[name].arms) for name in study.names},
        "turns": {name: study.case(name).places.turns.tolist() for name in study.names},
        "X_WG": study.room.X_WG.tolist(),
        "seed": study.seed,
        "postures": study.postures,
        "tolerance": TOLERANCE,
        "asked": digest.hexdigest(),
        "lanes": LANES_FLOAT64,
        "versions": dict(versions(*COMPUTING)),
    }


def _columns(case: Case, found: Labels) -> Mapping[str, Any]:
    turn = turns_of(case, np.nan_to_num(found.base[:, 2]))
    return {
        "label": found.label,
        "reason": found.reason,
        "hand": found.hand,
        "turn": np.where(found.label == ACCESSIBLE, turn, -1.0),
        "x": found.base[:, 0],
        "y": found.base[:, 1],
        "cost": found.cost,
    }


def _worst(case: Case, points: Array, found: Labels) -> float:
    """Return how far the fingertip of some proofs is from its point at most, m."""
    reached = np.flatnonzero(found.label == ACCESSIBLE)
    some = reached[:: max(1, len(reached) // CHECKED)]
    whole, worst = case.whole(found, some), 0.0
    for number, (hand, chain) in enumerate(case.body.arms.items()):
        mine = found.hand[some] == number
        tips = chain.tip(whole[mine][:, case.body.columns[hand]])[:, :3, 3]
        x, y, turn = whole[mine][:, :3].T
        c, s = np.cos(turn), np.sin(turn)
        across = np.column_stack([c * tips[:, 0] - s * tips[:, 1], s * tips[:, 0] + c * tips[:, 1]])
        at = np.column_stack([across + np.column_stack([x, y]), tips[:, 2] + case.room.level])
        away = np.linalg.norm(at - points[some[mine]], axis=1)
        worst = max(worst, float(away.max(initial=0.0)))
    if worst > 1.01 * TOLERANCE:
        raise WorldError(
            f"a posture of '{case.name}' misses its point by {worst:g} m, more than {TOLERANCE:g}: "
            "this should not happen; tell who makes Articulata, with the text"
        )
    return worst
