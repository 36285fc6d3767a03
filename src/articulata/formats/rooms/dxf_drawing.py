"""The strokes of a drawing: lines in the plane with the layer and the blocks they are drawn in.

ezdxf reads the file and mends what can be mended. Curves become chains of short lines. Numbers are
in the drawing's own unit. Codes of units are those of ``$INSUNITS`` in Autodesk's DXF reference.
"""

from __future__ import annotations

import importlib.util
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from articulata.errors import FormatError, MissingExtra
from articulata.geometry.arrays import Array

LARGEST: Final = 64 << 20
"""Bytes of a drawing that are read; whole sites have some 10 million."""
MOST_STROKES: Final = 200_000
"""Lines of a drawing beyond which it is no plan of rooms."""
DEEPEST: Final = 16
"""Blocks within blocks that are followed."""
FARTHEST: Final = 1e12
"""Units from the origin beyond which a point is damage."""
SAGITTA: Final = 2e-3
"""How far a chain of lines may lie off its curve, as a share of the curve's size."""
METRES: Final = {1: 0.0254, 2: 0.3048, 4: 1e-3, 5: 1e-2, 6: 1.0, 10: 0.9144, 14: 0.1}
"""m in a unit by ``$INSUNITS``: inch, foot, mm, cm, m, yard, dm."""
DRAWN: Final = (
    "LINE", "LWPOLYLINE", "POLYLINE", "ARC", "CIRCLE", "ELLIPSE", "SPLINE", "HATCH", "SOLID",
    "TRACE", "MLINE",
)  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Stroke:
    """A chain of lines, (n, 2), as it stands in ``layer``; ``blocks`` are the blocks around it.

    ``insert`` numbers the outermost block, 0 for none. ``arc`` are centre and radius of a stroke
    that is a part of a circle, whose ends are those of ``points``; ``turn`` (rad) is how far it
    goes.
    """

    points: Array
    layer: str
    blocks: tuple[str, ...] = ()
    insert: int = 0
    arc: tuple[float, float, float] | None = None
    turn: float = 0.0


@dataclass(slots=True, eq=False)
class Drawing:
    """The strokes of a drawing, what its header says a unit is (m, 0: nothing), and what is lost.

    ``metric`` is what the header says of its measures, ``thickness`` the heights (units) that
    lines are given, ``texts`` where a text begins and what it says.
    """

    strokes: list[Stroke] = field(default_factory=list)
    unit: float = 0.0
    metric: bool = True
    thickness: list[float] = field(default_factory=list)
    texts: list[tuple[float, float, str]] = field(default_factory=list)
    lost: Counter[str] = field(default_factory=Counter)


def read_drawing(path: Path) -> Drawing:
    """Return what is drawn in the model of a file; FormatError says why it cannot be read."""
    if importlib.util.find_spec("ezdxf") is None:
        raise MissingExtra(
            f"{path} is a drawing (DXF), which the package ezdxf reads; install it with: "
            "pip install 'articulata[dxf]'"
        )
    if (size := path.stat().st_size) > LARGEST:
        raise FormatError(
            f"{path}: {size / 1e6:.0f} MB are too much for a plan of rooms; "
            f"save the storey alone (up to {LARGEST / 1e6:.0f} MB)"
        )
    from ezdxf import recover

    recover.logger.disabled = True  # what it mends nobody has to mend
    try:
        document, _ = recover.readfile(path)
        drawing = Drawing(
            unit=METRES.get(int(document.header.get("$INSUNITS", 0)), 0.0),
            metric=bool(document.header.get("$MEASUREMENT", 1)),
        )
        hidden = {each.dxf.name for each in document.layers if each.is_off() or each.is_frozen()}
        _Reader(drawing, hidden).take(document.modelspace(), (), 0, "0")
    except FormatError:
        raise
    except Exception as error:
        raise FormatError(f"{path}: this drawing is broken: {str(error)[:200]}") from error
    if not drawing.strokes:
        raise FormatError(f"{path}: no line is drawn in its model space; is the file whole?")
    return drawing


class _Reader:
    """Follows the blocks of a drawing; ``hidden`` layers are counted and left out."""

    def __init__(self, drawing: Drawing, hidden: set[str]) -> None:
        self._drawing = drawing
        self._hidden = hidden
        self._inserts = 0
        self._taken = 0

    def take(self, entities: Any, blocks: tuple[str, ...], insert: int, above: str) -> None:
        """Take ``entities``; those of layer 0 lie in the layer ``above``, that of their block."""
        lost = self._drawing.lost
        for each in entities:
            self._taken += 1
            if self._taken > MOST_STROKES:
                raise FormatError(
                    f"more than {MOST_STROKES:,} things are drawn; save the storey alone"
                )
            kind = each.dxftype()
            layer = each.dxf.get("layer", "0")
            layer = above if layer == "0" else layer
            if layer in self._hidden or each.dxf.get("invisible", 0):
                lost["thing on a layer that is switched off"] += 1
            elif kind == "INSERT":
                self._block(each, blocks, insert, layer)
            elif kind == "MLINE" or (kind in ("LWPOLYLINE", "POLYLINE") and _bent(each)):
                self.take(each.virtual_entities(), blocks, insert, layer)
            elif kind in DRAWN:
                self._stroke(each, blocks, insert, layer)
            elif kind in ("TEXT", "MTEXT", "ATTRIB"):
                lost["text"] += 1
                self._text(each)
            elif kind not in ("POINT", "VIEWPORT", "ATTDEF"):
                lost[kind.lower()] += 1

    def _block(self, each: Any, blocks: tuple[str, ...], insert: int, layer: str) -> None:
        if len(blocks) >= DEEPEST:
            raise FormatError(f"its blocks lie more than {DEEPEST} deep in each other")
        name = str(each.dxf.name)
        for one in each.multi_insert() if each.mcount > 1 else (each,):
            if not blocks:
                self._inserts += 1
            number = insert or self._inserts
            for said in one.attribs:
                self._text(said)
            self.take(one.virtual_entities(), (*blocks, name), number, layer)

    def _text(self, each: Any) -> None:
        if each.dxftype() == "MTEXT":
            said, (x, y, _) = each.plain_text(), each.dxf.insert
        else:
            said, (x, y, _) = each.plain_text(), each.ocs().to_wcs(each.dxf.insert)
        if np.isfinite((x, y)).all():
            self._drawing.texts.append((float(x), float(y), " ".join(str(said).split())))

    def _stroke(self, each: Any, blocks: tuple[str, ...], insert: int, layer: str) -> None:
        raised = each.dxf.is_supported("thickness") and each.dxf.get("thickness", 0.0)
        if raised:
            self._drawing.thickness.append(abs(float(raised)))
        arc, turn = None, 0.0
        if each.dxftype() == "ARC":
            x, y, _ = each.ocs().to_wcs(each.dxf.center)
            arc = (float(x), float(y), float(each.dxf.radius))
            turn = float(np.radians((each.dxf.end_angle - each.dxf.start_angle) % 360.0))
        for points in _chains(each):
            if len(points) > 1 and np.abs(points).max() < FARTHEST:
                self._drawing.strokes.append(Stroke(points, layer, blocks, insert, arc, turn))


def _bent(each: Any) -> bool:
    """Return whether a polyline holds arcs: these are wanted as such."""
    return bool(each.has_arc) and (each.dxftype() == "LWPOLYLINE" or each.is_2d_polyline)


def _chains(each: Any) -> Iterator[Array]:
    """Yield the chains of lines of one thing, (n, 2)."""
    from ezdxf import path

    kind = each.dxftype()
    if kind == "LINE":
        yield _flat([each.dxf.start, each.dxf.end])
        return
    if kind == "POLYLINE" and not (each.is_2d_polyline or each.is_3d_polyline):
        return  # a mesh of faces is no line of a plan
    made = path.from_hatch(each) if kind == "HATCH" else (path.make_path(each),)
    for one in made:
        if len(one) == 0:
            continue
        ends = _flat(one.control_vertices())
        size = float(np.ptp(ends, axis=0).max())
        if size > 0.0 and np.isfinite(size):
            yield _flat(one.flattening(SAGITTA * size))


def _flat(points: Iterable[Any]) -> Array:
    return np.array([(each.x, each.y) for each in points], float)
