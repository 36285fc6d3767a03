"""Where a body's named places are, those it has without being told included.

Every body has ``origin`` (its own frame), ``center`` (the centroid of its shape, the origin for
``geometry: none``) and ``mass_center``; a shape has faces: ``top``, ``wall``, and those of a
constructed solid by its part, ``block.top``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from articulata.errors import NameNotFound
from articulata.world.model import Body, Feature
from articulata.world.paths import IMPLICIT_FEATURES, hint
from articulata.world.turning import from_axes
from articulata.world.values import ZERO, Pose, Vector3

if TYPE_CHECKING:
    from articulata.geometry.shapes import Shape


def feature_of(body: Body, name: str) -> Feature:
    """Return a feature of a body by its name; raise NameNotFound with a suggestion otherwise."""
    found = named_feature(body.shape, body.features, name, body.properties)
    if found is None:
        known = [*body.features, *IMPLICIT_FEATURES, *faces_of(body.shape)]
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
    pose = faces_of(shape).get(name)
    return None if pose is None else Feature(name, "face", pose)


@lru_cache(maxsize=4096)
def centroid(shape: Shape | None) -> Vector3:
    """Return the centroid of a shape in its own frame, the origin for none."""
    if shape is None:
        return ZERO
    from articulata.geometry.shapes import Capsule, Cuboid, Cylinder, HalfSpace, Prism, Sphere

    if isinstance(shape, Cuboid | Sphere | Cylinder | Capsule | Prism | HalfSpace):
        return ZERO
    from articulata.geometry.solids import mass_properties

    x, y, z = (float(each) for each in mass_properties(shape, 1.0).center)
    return (x, y, z)


@lru_cache(maxsize=4096)
def faces_of(shape: Shape | None) -> Mapping[str, Pose]:
    """Return the frames of a shape's named faces: origin on the face's axis, z along it."""
    if shape is None:
        return {}
    from articulata.geometry.parts import parts_of
    from articulata.geometry.surfaces import surfaces_of

    faces: dict[str, Pose] = {}
    for part in parts_of(shape):
        for surface in surfaces_of(part.shape):
            X = part.X_BS @ surface.X_SF
            x, y, z, p = ((float(c[0]), float(c[1]), float(c[2])) for c in X[:3].T)
            faces[part.named(surface.name)] = Pose(p, from_axes(x, y, z))
    return faces
