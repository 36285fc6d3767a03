"""Where a body's named places are, those it has without being told included.

Every body has ``origin`` (its own frame), ``center`` (the centroid of its shape, the origin for
``geometry: none``) and ``mass_center``; a shape has faces: ``top``, ``wall``, and those of a
constructed solid by its part, ``block.top``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from articulata.errors import NameNotFound
from articulata.world.model import Body, Feature, FeatureKind
from articulata.world.paths import IMPLICIT_FEATURES, hint
from articulata.world.single_frames import from_axes
from articulata.world.values import ZERO, Pose, Vector3

if TYPE_CHECKING:
    from articulata.geometry.shapes import Shape


def feature_of(body: Body, name: str) -> Feature:
    """Return a feature of a body by its name; raise NameNotFound with a suggestion otherwise."""
    found = named_feature(body.shape, body.features, name, body.properties)
    if found is None:
        known = [*body.features, *IMPLICIT_FEATURES, *shape_features(body.shape)]
        raise NameNotFound(f"body '{body.id}' has no feature '{name}'{hint(name, known)}")
    return found


def named_feature(
    shape: Shape | None,
    features: Mapping[str, Feature],
    name: str,
    properties: Mapping[str, object],
) -> Feature | None:
    """Return a feature by its name, or None: a defined one, an implicit one or a face."""
    found = features.get(name)
    if found is not None:
        return found
    if name == "origin":
        return Feature(name, "point", Pose())
    if name == "mass_center":
        given = properties.get("mass_center")
        if isinstance(given, tuple):
            x, y, z = given
            return Feature(name, "point", Pose((x, y, z)))
        return Feature(name, "point", Pose(centroid(shape)))
    if name == "center":
        return Feature(name, "point", Pose(centroid(shape)))
    return shape_feature(shape, name)


@lru_cache(maxsize=4096)
def centroid(shape: Shape | None) -> Vector3:
    """Return the centroid of a shape in its own frame, the origin for none.

    Of an open mesh, which holds nothing, the middle of its cuboid.
    """
    if shape is None:
        return ZERO
    from articulata.geometry.shapes import Capsule, Cuboid, Cylinder, HalfSpace, Mesh, Prism, Sphere

    if isinstance(shape, Cuboid | Sphere | Cylinder | Capsule | Prism | HalfSpace):
        return ZERO
    if isinstance(shape, Mesh) and not shape.closed:
        V = shape.vertices
        x, y, z = (0.5 * float(a + b) for a, b in zip(V.min(axis=0), V.max(axis=0), strict=True))
        return (x, y, z)
    from articulata.geometry.solids import mass_properties

    x, y, z = (float(each) for each in mass_properties(shape, 1.0).center)
    return (x, y, z)


def shape_features(shape: Shape | None) -> Mapping[str, Feature]:
    """Return the places that a shape names by itself: faces, edges, corners, axes."""
    if shape is None:
        return MappingProxyType({})
    from articulata.geometry.named_features import features

    every = ((name, shape_feature(shape, name)) for name in features(shape))
    return MappingProxyType({name: each for name, each in every if each is not None})


@lru_cache(maxsize=16384)
def shape_feature(shape: Shape | None, name: str) -> Feature | None:
    """Return one of the places that a shape names by itself, or None."""
    if shape is None:
        return None
    from articulata.geometry.named_features import features

    known = features(shape)
    if name not in known:
        return None
    each = known[name]
    x, y, z, p = ((float(c[0]), float(c[1]), float(c[2])) for c in each.X_SF[:3].T)
    kind: FeatureKind = "axis" if each.kind == "edge" else each.kind
    return Feature(name, kind, Pose(p, from_axes(x, y, z)))
