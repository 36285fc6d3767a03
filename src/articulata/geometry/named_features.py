"""Named features of shapes: faces, edges, corners, axes and points that hinges and reports use.

A feature has a frame F in the shape's frame S. Of a plane face z is the outward normal, of a
straight edge or an axis z runs along it, of a circle z is its axis; a point keeps the axes of S.
Every shape has ``center`` (of its volume) and ``origin``. Faces have the names given in
:mod:`articulata.geometry.exact_surfaces`; a cuboid's edges and corners are called by their
faces in the order y, x, z: ``top_front``, ``top_right_front``. Of a constructed solid each
part's features go by the part's name: ``block.top``, ``pinhole.axis``. Metres.
"""

from __future__ import annotations

import difflib
import functools
from dataclasses import replace

import numpy as np

from articulata.errors import NameNotFound
from articulata.geometry.parts import WHERE_IT_IS, Part, parts_of
from articulata.geometry.primitive_features import (
    Feature,
    Features,
    Maker,
    point_feature,
    primitive_makers,
)
from articulata.geometry.shapes import (
    HalfSpace,
    Shape,
)
from articulata.geometry.solid_mass import mass_properties

__all__ = ["Feature", "Features", "feature", "features"]


def feature(shape: Shape, name: str) -> Feature:
    """Return one feature by name; an unknown name is answered with the nearest ones."""
    known = features(shape)
    if name in known:
        return known[name]
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"it has {', '.join(sorted(known)[:12])}"
    raise NameNotFound(f"the shape has no feature {name!r}; {hint}")


@functools.lru_cache(maxsize=4096)
def features(shape: Shape) -> Features:
    """Return all features of a shape by name."""
    parts = parts_of(shape)
    makers: dict[str, Maker] = {}
    for part in parts:
        own = primitive_makers(part.shape)
        if part.X_BS is WHERE_IT_IS and not part.path and not part.hollow:
            makers.update(own)
            continue
        for name, maker in own.items():
            makers[part.named(name)] = functools.partial(_moved, maker, part)
    if len(parts) > 1 or parts[0].path:
        makers["origin"] = functools.partial(point_feature, "origin", np.zeros(3), "frame")
        if not all(isinstance(part.shape, HalfSpace) for part in parts):
            makers["center"] = functools.partial(_center, shape)
    return Features(makers)


def _center(shape: Shape) -> Feature:
    """Return the centre of volume of a shape."""
    return point_feature("center", np.array(mass_properties(shape, 1.0).center))


def _moved(maker: Maker, part: Part) -> Feature:
    """Return a part's feature in the frame of the whole shape, under its full name."""
    own = maker()
    X = part.X_BS @ own.X_SF
    if part.hollow and own.form == "plane" and own.kind == "face":
        # the face of a tool bounds the solid from the other side
        X = X @ np.diag([1.0, -1.0, -1.0, 1.0])
    boundary = own.boundary
    if boundary is not None:
        boundary = boundary @ part.X_BS[:3, :3].T + part.X_BS[:3, 3]
        if part.hollow and own.kind == "face":
            boundary = boundary[::-1].copy()
    inward = part.hollow and own.kind == "face"
    return replace(own, name=part.named(own.name), X_SF=X, boundary=boundary, inward=inward)
