"""A directive that shows the furniture library: each piece's picture, parameters and features.

All is read from ``furniture.art``. What a parameter measures is found by changing it and looking
which length of the piece is that long each time.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from docutils import nodes
from library_portraits import HEIGHT
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import articulata as art
from articulata.report.colors import color_of
from articulata.report.drawn_scene import Item, Scene
from articulata.report.drawn_surfaces import surface_of
from articulata.report.picture import picture, view_of
from articulata.sessions.reach.drawn_room import GROUP
from articulata.sessions.reach.plan_texts import length
from articulata.world.assistance import comment_above
from articulata.world.document import read
from articulata.world.language.syntax import tree as t
from articulata.world.model import Body
from articulata.world.world_files import LIBRARY

MEASURED = {
    "door.high": "floor to the top of the doorway",
    "door.wide": "width of the doorway",
    "door.wall_high": "floor to the top of the wall above the door",
    "folding_rail.high": "floor to the middle of its upper bar",
    "left_leaf.high": "floor to the top of its frame: the leaf ends 1 cm below",
    "left_leaf.wide": "width of its frame: the leaf is 1 cm narrower",
    "lift_car.button": "floor to the highest button",
    "lift_car.deep": "depth of the car within",
    "lift_car.door": "clear width of its door",
    "lift_car.wide": "width of the car within",
    "oven.high": "floor to the floor of the oven",
    "ramp.landing": "depth of the level landing at the wall",
    "ramp.run": "length of the slope, measured level",
    "right_leaf.high": "floor to the top of its frame: the leaf ends 1 cm below",
    "right_leaf.wide": "width of its frame: the leaf is 1 cm narrower",
    "stairs.landing": "depth of the landing at the wall",
    "stairs.rise": "height of one of the five steps",
    "stairs.tread": "depth of one step",
    "toilet.seat_height": "floor to the seat",
    "toilet.wide": "width of the bowl",
    "wall_with_door.door_at": "left end of the wall to the door",
    "wall_with_door.door_high": "floor to the top of the door",
    "wall_with_door.door_wide": "clear width of the door",
    "wardrobe.rod_height": "floor to the middle of the rod",
    "window.high": "height of the window, sill to lintel",
    "window.sill": "floor to the sill",
    "window.thick": "thickness of the wall",
}
"""What no length of the whole piece is."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece: its group, what its comment says, rows of parameters and of features."""

    name: str
    group: str
    note: str
    parameters: tuple[tuple[str, str, str], ...]
    features: tuple[tuple[str, str], ...]


def body_of(name: str, sizes: Mapping[str, float]) -> Body:
    """Return a piece with the sizes (m) that are given."""
    said = ", ".join(f"{each}: {value!r} m" for each, value in sizes.items())
    made = f"{name}({said})" if said else name
    text = f'import "furniture.art"\nworld one {{ components {{ piece: {made} }} }}'
    return art.parse(text).world("one").bodies["piece"]


def lengths(body: Body) -> dict[str, float]:
    """Return the lengths of a piece that a parameter may be, in words, m."""
    if body.shape is None:
        return {}
    corners = surface_of(body.shape).vertices
    low, high = corners.min(axis=0), corners.max(axis=0)
    found = {"along the wall": high[0] - low[0]}
    if low[1] > 1e-9:
        found |= {"floor to its top": high[1], "floor to its lower edge": low[1]}
        found["its own height, lower edge to top"] = high[1] - low[1]
    else:
        found["floor to its top"] = high[1]
    found |= {"wall to its front": high[2], "thickness": high[2] - low[2]}
    found["floor to its middle"] = 0.5 * (high[1] + low[1])
    for name, feature in body.features.items():
        found[f"floor to {name}"] = feature.pose.position[1]
    found["floor to its flat surface"] = _flat(body)
    return found


def _flat(body: Body) -> float:
    """Return how high the largest level face looks up, m."""
    surface = surface_of(body.shape)
    corners = surface.vertices[surface.triangles]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    level = normals[:, 1] > 0.999 * np.linalg.norm(normals, axis=1)
    heights = corners[level, 0, 1].round(6)
    if not len(heights):
        return float("nan")
    areas = {each: normals[level, 1][heights == each].sum() for each in heights}
    return float(max(areas, key=areas.__getitem__))


def measured(name: str, sizes: Mapping[str, float], parameter: str) -> str:
    """Return what a parameter measures."""
    said = MEASURED.get(f"{name}.{parameter}")
    if said is not None:
        return said
    fits = []
    for factor in (1.0, 1.07):
        given = dict(sizes) | {parameter: sizes[parameter] * factor}
        seen = lengths(body_of(name, given))
        fits.append([each for each, long in seen.items() if abs(long - given[parameter]) < 1e-6])
    both = [each for each in fits[0] if each in fits[1]]
    return both[0] if both else ""


def pieces() -> Iterator[Piece]:
    """Yield the pieces of the library, in its order."""
    document = read(LIBRARY / "furniture.art")
    text = document.tree.source.text
    for item in document.tree.items:
        if not isinstance(item, t.Primitive):
            continue
        before = text[: item.span[0]]
        group = before.rpartition(GROUP)[2].partition("\n")[0] if GROUP in before else "building"
        note = comment_above(document.tree.source, item.span)
        sizes = {}
        for each in item.parameters:
            number = each.default
            assert isinstance(number, t.Number)
            sizes[each.name] = number.value * {"cm": 0.01, "m": 1.0}[number.unit]
        rows = [(each, length(sizes[each]), measured(item.name, sizes, each)) for each in sizes]
        yield Piece(item.name, group, note, tuple(rows), tuple(_features(body_of(item.name, {}))))


def _features(body: Body) -> Iterator[tuple[str, str]]:
    for name, feature in body.features.items():
        if name == "foot":
            continue
        x, y, z = feature.pose.position
        side = f", {length(abs(x))} to the {'right' if x > 0 else 'left'}" if abs(x) > 1e-6 else ""
        ahead = f"{length(z)} from the wall" if z >= 0 else f"{length(-z)} behind the wall's face"
        yield name, f"{length(y)} high, {ahead}{side}"


def image(body: Body) -> str:
    """Return an image element with the picture of a piece."""
    from matplotlib.image import imsave

    if body.shape is None:
        return ""
    surface = surface_of(body.shape)
    low, high = surface.vertices.min(axis=0), surface.vertices.max(axis=0)
    ones = np.ones((1, 1), np.bool_)
    scene = Scene(
        ("piece",), (Item("piece", 0, color_of(body)),), (), (surface,), 0, np.zeros(1),
        np.array([[[0.0, 0, 0, 1, 0, 0, 0]]]), ones, ones[:, :0], np.array([0.0, 1, 0]),
        np.array([0.0, 0, 1]), (low + high) / 2, float(np.linalg.norm(high - low)) / 2, 0.0,
    )  # fmt: skip
    data = io.BytesIO()
    view = view_of(scene, azimuth=0.5, elevation=0.35)
    imsave(data, picture(scene, 0, view, HEIGHT // 2), format="png")
    coded = base64.b64encode(data.getvalue()).decode()
    return f'<p><img alt="{body.type}" src="data:image/png;base64,{coded}"></p>'


def table(heads: tuple[str, ...], rows: tuple[tuple[str, ...], ...]) -> nodes.table:
    """Return a table, its first column as code."""
    group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in heads), cols=len(heads))
    group += nodes.thead("", _row(heads, code=False))
    group += nodes.tbody("", *(_row(each, code=True) for each in rows))
    return nodes.table("", group)


def _row(cells: tuple[str, ...], *, code: bool) -> nodes.row:
    shown: list[Any] = [nodes.literal("", cells[0]) if code else nodes.Text(cells[0])]
    shown += [nodes.Text(each) for each in cells[1:]]
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", each)) for each in shown))


class Furniture(SphinxDirective):
    """``{furniture-pieces}``: one section per group, one within it per piece."""

    def run(self) -> list[nodes.Node]:
        found: dict[str, nodes.section] = {}
        for each in pieces():
            if each.group not in found:
                found[each.group] = nodes.section(ids=[nodes.make_id(f"for-{each.group}")])
                found[each.group] += nodes.title("", each.group.capitalize())
            section = nodes.section(ids=[nodes.make_id(f"piece-{each.name}")])
            section += nodes.title("", each.name)
            section += nodes.raw("", image(body_of(each.name, {})), format="html")
            if each.note:
                section += nodes.paragraph(
                    "", f"{each.note[0].upper()}{each.note[1:].rstrip('.')}."
                )
            if each.parameters:
                section += table(("parameter", "default", "what it measures"), each.parameters)
            if each.features:
                section += table(("point", "where, with the sizes above"), each.features)
            found[each.group] += section
        return list(found.values())


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("furniture-pieces", Furniture)
    return {"parallel_read_safe": True}
