"""Names of a world or a model of SDFormat, where they stand and which link they are fixed to.

A pose is told in the frame that ``relative_to`` names; without that a link, a nested model or a
frame stands in its model M, a joint in its child, a frame that is attached in what holds it
(SDFormat, Pose semantics). ``a::b`` is b of the nested model a. Names outside a model are unknown
in it, but for ``world``, on which joints may hang.
"""

from __future__ import annotations

import difflib
import math
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from articulata.formats.xml import Element, numbers, placed_at
from articulata.geometry.arrays import Array
from articulata.geometry.poses import make_pose
from articulata.geometry.quaternion import q_to_matrix

MODEL, WORLD, ROOT = "__model__", "world", "__root__"
MOST_NESTED: Final = 40
"""Models inside models; a robot on a table needs two."""


def simple(element: Element) -> Element:
    """Return an element with what its children without children say as attributes."""
    told = {each.tag: each.words for each in element.children if not each.children and each.words}
    return Element(
        element.tag, element.attributes | told, element.line, element.column, element.file,
        element.children, element.words, nested=True,
    )  # fmt: skip


def values(element: Element, count: int) -> tuple[float, ...]:
    """Return the ``count`` numbers that are the text of an element."""
    return numbers(element, "", count)


def said(element: Element, tag: str, otherwise: str = "") -> str:
    """Return the text of the child called ``tag``."""
    child = element.one(tag)
    return otherwise if child is None or not child.words else child.words


def is_true(element: Element, tag: str, otherwise: str = "false") -> bool:
    """Return whether the child called ``tag`` says so."""
    return said(element, tag, otherwise).lower() in ("true", "1")


def pose_in(element: Element | None) -> tuple[Array, str]:
    """Return a ``<pose>`` (4, 4) and the name of the frame it is in; "" for the usual one."""
    if element is None:
        return np.eye(4), ""
    frame = element.attributes.get("relative_to", element.attributes.get("frame", "")).strip()
    if not element.words:
        return np.eye(4), frame
    if element.attributes.get("rotation_format", "euler_rpy") == "quat_xyzw":
        x, y, z, *q = values(element, 7)
        size = math.hypot(*q)
        if not 0.0 < size < math.inf:
            raise element.error("the quaternion of a pose has no direction; give x y z w")
        b, c, d, a = (each / size for each in q)
        return make_pose(q_to_matrix(np.array([a, b, c, d])), [x, y, z]), frame
    x, y, z, *angles = values(element, 6)
    if element.attributes.get("degrees", "") in ("true", "1"):
        angles = [math.radians(each) for each in angles]
    return placed_at(x, y, z, *angles), frame


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """What a name stands for: a link, joint, frame or model, and its pose in ``relative_to``.

    ``on`` is what a frame or joint is fixed to; ``inner`` holds the names of a model that is nested
    and ``placed_by`` the one of them that the pose is of ("": the model itself).
    """

    element: Element
    X: Array
    relative_to: str
    on: str = ""
    inner: Scope | None = None
    placed_by: str = ""


@dataclass(slots=True, eq=False)
class Scope:
    """The names of one model M, or of the world; ``version`` is that of its file.

    ``merged`` are nested models whose names count as its own.
    """

    element: Element
    version: tuple[int, int]
    world: bool = False
    static: bool = False
    places: dict[str, Place] = field(default_factory=dict)
    merged: list[str] = field(default_factory=list)
    _known: dict[str, Array] = field(default_factory=dict)

    def add(self, name: str, place: Place) -> None:
        """Add a name; a second one is an error."""
        other = self.places.get(name)
        if other is not None:
            raise place.element.error(
                f"a second '{name}'; the first is on line {other.element.line}, give each link, "
                "joint, frame and model of a model its own name"
            )
        self.places[name] = place

    def pose(self, name: str, asked: Element) -> Array:
        """Return ``X_MN``, where what is called ``name`` stands in M, by default M itself."""
        path: list[tuple[str, Array]] = []
        on_the_way: set[str] = set()
        while name not in self._known and name not in self._origins():
            if name in on_the_way:
                raise asked.error(f"the pose of '{name}' is told relative to itself, in a circle")
            on_the_way.add(name)
            X, then = self._step(name, asked)
            path.append((name, X))
            name = then
        X_M = self._known.get(name, np.eye(4))
        for each, X in reversed(path):
            X_M = self._known[each] = X_M @ X
        return X_M

    def link(self, name: str, asked: Element) -> tuple[Scope, str] | None:
        """Return the link that ``name`` is fixed to, with its model; None for the world."""
        seen: set[str] = set()
        while True:
            if name in seen:
                raise asked.error(f"'{name}' is attached to itself, in a circle")
            seen.add(name)
            if name == MODEL:
                name = self._canonical()
                if not name:
                    raise asked.error(f"{self.element} has no link that a name could stand on")
            if name in (WORLD, ROOT) and name not in self.places:
                return None
            place, _, rest = self._found(name, asked)
            if place.inner is not None:
                return place.inner.link(rest or MODEL, asked)
            if place.element.tag == "link":
                return self, name
            name = place.on or (WORLD if self.world else MODEL)

    def _origins(self) -> tuple[str, ...]:
        return ("", WORLD, ROOT) if self.world else ("", MODEL)

    def _canonical(self) -> str:
        told = self.element.attributes.get("canonical_link", "").strip()
        links = (name for name, each in self.places.items() if each.element.tag == "link")
        nested = (name for name, each in self.places.items() if each.inner is not None)
        return told or next(links, "") or next(nested, "")

    def _found(self, name: str, asked: Element) -> tuple[Place, str, str]:
        """Return what a name begins with, how that is called here, and the name's rest in it."""
        place = self.places.get(name)
        if place is not None:
            return place, name, ""
        head, rest = "", name
        while "::" in rest:
            first, _, rest = rest.partition("::")
            head = f"{head}::{first}" if head else first
            place = self.places.get(head)
            if place is not None and place.inner is not None:
                return place, head, rest
        for each in self.merged:
            place = self.places[each]
            if place.inner is not None and place.inner._has(name):
                return place, each, name
        near = difflib.get_close_matches(name, self.places, 1)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise asked.error(f"{asked}: nothing in {self.element} is called '{name[:60]}'{hint}")

    def _has(self, name: str) -> bool:
        if name in self.places or any(name.startswith(f"{each}::") for each in self.places):
            return True
        return any((p := self.places[e].inner) is not None and p._has(name) for e in self.merged)

    def _step(self, name: str, asked: Element) -> tuple[Array, str]:
        """Return a pose in the frame that is named second."""
        place, head, rest = self._found(name, asked)
        if place.inner is not None:
            if rest:
                return place.inner.pose(rest, asked), head
            if place.placed_by:
                X = place.inner.pose(place.placed_by, place.element)
                return place.X @ np.linalg.inv(X), place.relative_to
        return place.X, place.relative_to or place.on
