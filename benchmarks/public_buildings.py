"""Public buildings (IFC), floor plans (DXF) and scans as rooms, beside the files' own quantities.

``python -m benchmarks.public_buildings FILE_OR_FOLDER ...`` prints a row a file: rooms, doors that
stand open and how wide beside OverallWidth, furniture whose box is that of
IfcOpenShell within 1 cm, quarter arcs of a drawing that are doors, and s; then what was not taken.
"""

from __future__ import annotations

import argparse
import re
import time
import warnings
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np

from articulata.errors import ArticulataError, FormatWarning
from articulata.formats.rooms.ifc_products import readable
from articulata.formats.rooms.ifc_scene import FURNITURE
from articulata.formats.rooms.raised_outlines import box_of
from articulata.formats.scenes.foreign_scene import Scene
from articulata.formats.scenes.scene_files import scene_of

ENDINGS: Final = (".ifc", ".dxf", ".ply", ".obj", ".glb")
NEAR: Final = 0.01
"""m to which boxes and widths are to agree."""
WIDTH: Final = re.compile(r"([\d.]+) m (?:clear|wide)")


def widths(scene: Scene) -> list[float]:
    """Return how wide each open door is told to be, m, sorted."""
    found = [
        float(match[1])
        for said, count in scene.lost.items()
        if " door (" in said and (match := WIDTH.search(said))
        for _ in range(count)
    ]
    return sorted(found)


def building(path: Path, scene: Scene) -> str:
    """Return how a scene stands beside its IFC file, product by product."""
    import ifcopenshell
    import ifcopenshell.geom
    from ifcopenshell.util.placement import get_local_placement
    from ifcopenshell.util.unit import calculate_unit_scale

    with TemporaryDirectory() as folder:
        model = ifcopenshell.open(readable(str(path), folder))
    unit = calculate_unit_scale(model)
    settings = ifcopenshell.geom.settings()
    boxes = np.array([np.concatenate(box_of(part)) for part in scene.parts])

    def apart(product: Any) -> float:
        """Return how far (m) the nearest part's box is from the product's.

        The depth of a door is left out: handles go with the leaf.
        """
        shape = ifcopenshell.geom.create_shape(settings, product)
        X = np.array(get_local_placement(product.ObjectPlacement), float)
        X[:3, 3] *= unit
        points = np.array(shape.geometry.verts).reshape(-1, 3) @ X[:3, :3].T + X[:3, 3]
        box = np.concatenate([points.min(axis=0), points.max(axis=0)])
        away = np.abs(boxes - box).reshape(-1, 2, 3)
        if product.is_a("IfcDoor"):
            away[:, :, int(np.ptp(points, axis=0)[:2].argmin())] = 0.0
        return float(away.max(axis=(1, 2)).min())

    doors = [each for each in model.by_type("IfcDoor") if each.Representation]
    wide = sorted(float(each.OverallWidth or 0.0) * unit for each in doors)
    open_doors = widths(scene)
    things = [
        each
        for kind in FURNITURE
        for each in _of_kind(model, kind)
        if each.Representation and each.is_a() == f"Ifc{kind}"
    ]
    far = [apart(each) for each in things]
    placed = [apart(each) for each in doors]
    return (
        f"{len(model.by_type('IfcSpace'))} spaces | {len(scene.rooms)} rooms | {len(doors)} doors, "
        f"{len(open_doors)} {_range(open_doors)} clear (OverallWidth {_range(wide)}), "
        f"{sum(each < NEAR for each in placed)} frames in place | "
        f"{sum(each < NEAR for each in far)} of {len(things)} furniture in place, worst "
        f"{max(far, default=0.0) * 1e3:.1f} mm"
    )


def _of_kind(model: Any, kind: str) -> list[Any]:
    try:
        return list(model.by_type(f"Ifc{kind}"))
    except RuntimeError:  # a class of another schema
        return []


def _range(values: list[float]) -> str:
    return f"{values[0]:.2f} to {values[-1]:.2f} m" if values else "none"


def plan(path: Path, scene: Scene) -> str:
    """Return how many doors of a plan have the radius of a quarter arc of its file."""
    from ezdxf import recover
    from ezdxf.disassemble import recursive_decompose

    document, _ = recover.readfile(path)
    radii = {
        (round(each.dxf.center.x, 2), round(each.dxf.center.y, 2)): float(each.dxf.radius)
        for each in recursive_decompose(document.modelspace())
        if each.dxftype() == "ARC"
        and 60.0 < (each.dxf.end_angle - each.dxf.start_angle) % 360.0 < 120.0
    }
    told = widths(scene)
    units = (1.0, 1e-3, 1e-2, 0.0254, 0.3048, 0.1)
    alike = max(
        sum(any(abs(r * unit - each) < NEAR for r in radii.values()) for each in told)
        for unit in units
    )
    return f"{len(scene.rooms)} rooms | {alike} of {len(told)} doors as wide as an arc of the file"


def row(path: Path) -> tuple[str, Counter[str]]:
    """Return the row of a file, and what was guessed or left out."""
    begin = time.monotonic()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FormatWarning)
            scene = scene_of(path)
    except ArticulataError as error:
        return f"{path.name} | refused: {error}", Counter()
    took = time.monotonic() - begin
    beside = {".ifc": building, ".dxf": plan}.get(path.suffix.lower())
    said = beside(path, scene) if beside else "a scan"
    stands = f"{len(scene.parts)} bodies, floor {scene.floor or 'none'}, {len(scene.wanted)} asked"
    return f"{path.name} | {stands} | {said} | {took:.1f} s", scene.lost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="+", type=Path)
    for given in parser.parse_args().file:
        whole = sorted(given.rglob("*")) if given.is_dir() else [given]
        for path in (each for each in whole if each.suffix.lower() in ENDINGS):
            told, lost = row(path)
            print(told, flush=True)
            for said, count in lost.most_common(12):
                print(f"    {count} {said}")


if __name__ == "__main__":
    main()
