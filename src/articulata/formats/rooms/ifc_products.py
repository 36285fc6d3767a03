"""The products of a building with their triangles, computed in a process of their own.

IfcOpenShell is compiled code that reads files of strangers: where it breaks or takes too much
memory, this process ends and not the one that asks. It writes ``TARGET``, an ``.npz`` with the
arrays of each product and its names as JSON:
``python -m articulata.formats.rooms.ifc_products FILE TARGET SCRATCH``.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

LEFT_OUT = ("IfcOpeningElement", "IfcSpatialZone", "IfcAnnotation", "IfcGrid")
"""What has a form and is neither a thing nor a room: what was cut out of walls, drawings."""
MOST_MEMORY = 8 << 30
"""Bytes of address space that a building may take."""
OLD = re.compile(rb"FILE_SCHEMA\s*\(\s*\(\s*'(IFC2X(?:2)?(?:_FINAL)?)'")
"""What files of 2000 to 2006 are called; their products are those of IFC2x3."""


def products(path: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return what is said of each product in words, and its arrays by name and number.

    Vertices (n, 3) are in m in the building's axes, z up; a door's placement is (4, 4).
    """
    import ifcopenshell
    import ifcopenshell.geom
    from ifcopenshell.util.element import get_container, get_type
    from ifcopenshell.util.placement import get_local_placement
    from ifcopenshell.util.unit import calculate_unit_scale

    model = ifcopenshell.open(path)
    unit = calculate_unit_scale(model)
    settings = ifcopenshell.geom.settings()
    settings.set("use-world-coords", True)
    found = ifcopenshell.geom.iterator(settings, model, os.cpu_count() or 1)
    told, arrays = [], {}
    going = found.initialize()
    while going:
        shape = found.get()
        product = model.by_id(shape.id)
        if not any(product.is_a(kind) for kind in LEFT_OUT):
            storey = get_container(product, ifc_class="IfcBuildingStorey")
            colors = [
                tuple(map(float, each.diffuse.components)) for each in shape.geometry.materials
            ]
            told.append(
                {
                    "id": shape.id,
                    "kind": product.is_a().removeprefix("Ifc"),
                    "name": product.Name or "",
                    "long": getattr(product, "LongName", None) or "",
                    "storey": (storey.Name or "") if storey is not None else "",
                    "elevation": unit * (getattr(storey, "Elevation", None) or 0.0),
                    "color": colors[0] if colors else None,
                    "operation": _operation(product, get_type(product)),
                    "sizes": [
                        float(value) * unit if (value := getattr(product, key, None)) else 0.0
                        for key in ("OverallWidth", "OverallHeight")
                    ],
                }
            )
            geometry = shape.geometry
            arrays[f"vertices {shape.id}"] = np.array(geometry.verts).reshape(-1, 3)
            arrays[f"faces {shape.id}"] = np.array(geometry.faces, np.int64).reshape(-1, 3)
            if product.is_a("IfcDoor"):
                arrays[f"placed {shape.id}"] = get_local_placement(product.ObjectPlacement)
        going = found.next()
    told.sort(key=lambda each: each["id"])
    counts = {kind: len(model.by_type(kind)) for kind in ("IfcSpace", "IfcBuildingStorey")}
    return [counts, *told], arrays


def _operation(*told_by: Any) -> str:
    """Return IFC's word for how a door opens, which it or its type tells; "" for others."""
    words = (getattr(each, "OperationType", None) for each in told_by if each is not None)
    return next(filter(None, words), "")


def readable(path: str, scratch: str) -> str:
    """Return the file, or a copy in the folder ``scratch`` that names the schema IFC2x3."""
    whole = Path(path).read_bytes()
    if (found := OLD.search(whole, 0, 1 << 16)) is None:
        return path
    copy = Path(scratch) / "copy.ifc"
    copy.write_bytes(whole[: found.start(1)] + b"IFC2X3" + whole[found.end(1) :])
    return str(copy)


def main() -> None:
    """Read the file and write what is in it."""
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    told, arrays = products(readable(sys.argv[1], sys.argv[3]))
    with open(sys.argv[2], "wb") as file:
        np.savez(file, told=np.array(json.dumps(told)), **arrays)


if __name__ == "__main__":
    main()
