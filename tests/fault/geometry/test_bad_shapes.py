"""Shapes and solids that cannot exist end in a message that says what is allowed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from articulata.errors import GeometryError, NameNotFound
from articulata.geometry.constructed import tessellate
from articulata.geometry.named_features import feature
from articulata.geometry.poses import make_pose
from articulata.geometry.rotation import Rotation
from articulata.geometry.shapes import (
    Capsule,
    Cone,
    Cuboid,
    Cylinder,
    Difference,
    ExtrudedPolygon,
    HalfSpace,
    Intersection,
    Mesh,
    Named,
    Placed,
    Prism,
    Sphere,
    Union,
    scaled,
)
from articulata.geometry.solids import ClosedForm, combine, mass_properties

NAN, INF = float("nan"), float("inf")
V = np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
F = np.array([[0, 1, 3], [0, 3, 2], [4, 7, 5], [4, 6, 7], [0, 5, 1], [0, 4, 5], [2, 3, 7],
              [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]])  # fmt: skip
BESIDE = Placed(Cuboid(1, 1, 1), make_pose(None, (1, 0, 0)))
TURNED = Placed(Cylinder(1, 1), make_pose(Rotation.exp((1, 2, 3)), (1, 2, 3)))
FAR = Placed(Sphere(1), make_pose(None, (9, 0, 0)))

BAD: list[tuple[Callable[[], object], str]] = [
    *((lambda b=b: Cuboid(1, b, 1), "y = .* greater than 0") for b in (NAN, INF, 0, -1)),
    (lambda: Cuboid(1, "wide", 1), "y must be a length in metres, not 'wide'"),
    (lambda: Cuboid(1, None, 1), "y must be a length"),
    (lambda: Sphere(0), "sphere: radius = 0 m is not allowed"),
    (lambda: Sphere(NAN), "sphere: radius = nan m"),
    (lambda: Cylinder(1, -2), "cylinder: length = -2 m"),
    (lambda: Capsule(1, 0), "capsule: length = 0 m"),
    (lambda: Cone(1, 1, -0.1), "top_radius = -0.1 m is not allowed; give 0"),
    (lambda: Cone(1, 1, NAN), "top_radius = nan"),
    (lambda: Cone(0, 1, 1), "cone: radius = 0 m"),
    *((lambda n=n: Prism(n, 1, 1), "whole number from 3") for n in (2, -3, 2.5, 10**6, True, "x")),
    (lambda: ExtrudedPolygon([(0, 0), (1, 1), (1, 0), (0, 1)], 1), "cross or touch"),
    (lambda: ExtrudedPolygon([(0, 0), (1, 0), (2, 0)], 1), "polygon"),
    (lambda: ExtrudedPolygon([(0, 0), (2, 0), (1, 0), (1, 1)], 1), "cross or touch"),
    (lambda: ExtrudedPolygon([(0, 0), (2, 0), (2, 2), (1, 0), (0, 2)], 1), "cross or touch"),
    (lambda: ExtrudedPolygon([(0, 0), (1, 0)], 1), "at least three corners; 2"),
    (lambda: ExtrudedPolygon([(0, 0), (1, 0), (1, 0), (0, 1)], 1), "corner 1 is given twice"),
    (lambda: ExtrudedPolygon([(0, 0), (1, NAN), (0, 1)], 1), "corner 1 holds NaN"),
    (lambda: ExtrudedPolygon([(0, 0, 0), (1, 0, 0), (0, 1, 0)], 1), r"\(n, 2\)"),
    (lambda: ExtrudedPolygon("triangle", 1), "polygon"),
    (lambda: ExtrudedPolygon([(0, 0), (1, 0), (0, 1)], 0), "length = 0 m"),
    (lambda: Mesh(V, F[:0]), "at least one triangle"),
    (lambda: Mesh(V[:, :2], F), r"vertices \(n, 3\)"),
    (lambda: Mesh(np.where(V[3] == V, NAN, V), F), "holds NaN"),
    (lambda: Mesh(V, F + 1), "point at vertex 8, but the vertices are numbered 0 to 7"),
    (lambda: Mesh(V, F - 1), "point at vertex -1"),
    (lambda: Mesh(V, F + 0.5), "whole numbers"),
    (lambda: mass_properties(Mesh(V, F[:-1]), 1.0), "not closed: 3 edges"),
    (lambda: mass_properties(Mesh(V, F[:, ::-1]), 1.0), "look inward"),
    (lambda: mass_properties(Mesh(V, np.vstack([F[:-1], F[-1:, ::-1]])), 1.0), "not (closed|cons)"),
    (lambda: tessellate(Mesh(V, np.vstack([F, F]))), "run through twice"),
    (lambda: Placed(Sphere(1), np.eye(3)), "4 x 4"),
    (lambda: Placed(Sphere(1), np.full((4, 4), NAN)), "NaN"),
    (lambda: Placed(Sphere(1), np.eye(4)[None]), "one 4 x 4 pose"),
    (lambda: Placed("ball", np.eye(4)), "is not a shape"),
    (lambda: Named("two words", Sphere(1)), "cannot be named 'two words'"),
    (lambda: Named("a.b", Sphere(1)), "cannot be named"),
    (lambda: Named("", Sphere(1)), "cannot be named"),
    (lambda: Named("ball", 3), "is not a shape"),
    (lambda: Union([]), "at least one shape"),
    (lambda: Union(3), "a list of shapes"),
    (lambda: Union([Sphere(1), 2]), "2 is not a shape"),
    (lambda: Difference(Sphere(1), []), "at least one shape"),
    (lambda: scaled(Sphere(1), 0), "greater than 0"),
    (lambda: scaled(Sphere(1), NAN), "greater than 0"),
    (lambda: mass_properties(Difference(Cuboid(1, 1, 1), Sphere(3)), 1.0), "tools cover the whole"),
    (lambda: mass_properties(Intersection([Sphere(1), FAR]), 1.0), "no volume in common"),
    # flush: what is left is a sheet, or rounding
    (lambda: mass_properties(Difference(Cuboid(1, 1, 1), Cuboid(1, 2, 1)), 1.0), "cover the whole"),
    (lambda: mass_properties(Intersection([Cuboid(1, 1, 1), BESIDE]), 1.0), "no volume in common"),
    (lambda: mass_properties(Difference(TURNED, TURNED), 1.0), "cover the whole"),
    (lambda: mass_properties(HalfSpace(), 1.0), "endless and has no mass"),
    (lambda: mass_properties(Union([Sphere(1), HalfSpace()]), 1.0), "endless"),
    (lambda: mass_properties(Intersection([HalfSpace(), HalfSpace()]), 1.0), "endless"),
    (lambda: tessellate(HalfSpace()), "endless"),
    (lambda: tessellate(Union([Named("a", Sphere(1)), Named("a", FAR)])), "both named 'a'"),
    *((lambda r=r: mass_properties(Sphere(1), r), "kg/m") for r in (0, -1, NAN, INF, "heavy")),
    (lambda: combine([]), "nothing to combine"),
    (lambda: ClosedForm().volume(Union([Sphere(1), FAR])), "no closed form"),
    (lambda: tessellate(Sphere(1), 3), "8 to 4096 sides"),
    (lambda: mass_properties(Sphere(1), 1.0).scaled(-1), "> 0"),
    (lambda: mass_properties(Sphere(1), 1.0).with_mass(0), "> 0"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "message"), BAD)
def test_what_cannot_exist_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(GeometryError, match=message):
        make()


def test_an_unknown_feature_is_answered_with_the_nearest() -> None:
    block = Difference(Named("block", Cuboid(1, 1, 1)), Named("hole", Cylinder(0.1, 2)))
    with pytest.raises(NameNotFound, match=r"no feature 'block.tpo'; did you mean 'block.top'"):
        feature(block, "block.tpo")
    with pytest.raises(NameNotFound, match="it has"):
        feature(Sphere(1), "zzzzzz")


def test_hidden_damage_in_a_mesh_inside_a_solid_names_the_part() -> None:
    with pytest.raises(GeometryError, match="the mesh shell is not closed"):
        tessellate(Union([Named("shell", Mesh(V, F[:-1])), FAR]))
