"""Numbers, poses and colours as attributes write them."""

from __future__ import annotations

import math
import re

import numpy as np

from articulata.formats.xml import Element
from articulata.geometry.arrays import Array
from articulata.kinematics.conventions import rotation_x, rotation_y, rotation_z, translation

UNBOUNDED = 1e30
"""What is written for no limit, where the format wants a number; read back as none."""

_OPTION = re.compile(r"\$\(optenv \S+ ([^)]*)\)")
"""A setting of the system that a file was made for, with its default."""


def number(element: Element, name: str, default: float | None = None) -> float:
    """Return the finite number in an attribute; ``default`` where it is not there."""
    if name not in element.attributes and default is not None:
        return default
    return _number(element, name, element.text(name))


def numbers(
    element: Element, name: str, count: int, default: str | None = None
) -> tuple[float, ...]:
    """Return ``count`` finite numbers set apart by spaces; of the text where ``name`` is ""."""
    text = element.attributes.get(name, default) if name else element.words
    text = element.text(name) if text is None else text
    if not text and not name:
        raise element.error(f"{element} is empty; it holds {count} numbers")
    chosen = _OPTION.sub(r"\1", text)
    told, at = _told(element, name, text)
    if chosen != text:
        at.warn(f"{told} is to be replaced; its default is taken")
    words = chosen.replace(",", " ").split()
    if "," in chosen:
        at.warn(f"{told} has commas, which are taken for spaces")
    if len(words) > count:
        at.warn(f"{told} has {len(words)} numbers; the first {count} are taken")
        words = words[:count]
    if len(words) != count:
        raise at.error(f"{told} has {len(words)} numbers; it takes {count}")
    return tuple(_number(element, name, word) for word in words)


def _told(element: Element, name: str, text: str, word: str = "") -> tuple[str, Element]:
    """Return how messages call a value, or a word of it, and the element that says it.

    What is no attribute is the text of the element, or that of its child called ``name``.
    """
    at = next(element.all(name), element) if element.nested else element
    if name and at is element:
        return f'{element}: {name}="{word or text}"', element
    return f'the text "{word or text}" of {at}', at


def _number(element: Element, name: str, word: str) -> float:
    text = element.attributes.get(name, word) if name else element.words
    told, at = _told(element, name, text, word)
    try:
        value = float(word)
    except ValueError:
        raise at.error(f"{told} is not a number") from None
    if not math.isfinite(value):
        raise at.error(f"{told} must be a finite number")
    return value


def pose(parent: Element) -> Array:
    """Return the pose (4, 4) in the ``<origin>`` of ``parent``; the identity without one."""
    origin = parent.one("origin")
    if origin is None:
        return np.eye(4)
    return placed_at(*numbers(origin, "xyz", 3, "0 0 0"), *numbers(origin, "rpy", 3, "0 0 0"))


def placed_at(x: float, y: float, z: float, roll: float, pitch: float, yaw: float) -> Array:
    """Return a pose (4, 4): moved (m), turned about x, then y, then z, all fixed axes (rad)."""
    return translation(x, y, z) @ rotation_z(yaw) @ rotation_y(pitch) @ rotation_x(roll)


def roll_pitch_yaw(X: Array) -> tuple[float, float, float]:
    """Return the angles (rad) of a pose (4, 4), as ``rpy`` has them.

    The roll is read after the yaw is taken off, so that both together are exact where the pitch
    is a quarter turn and they cannot be told apart.
    """
    yaw = math.atan2(X[1, 0], X[0, 0])
    pitch = math.atan2(-X[2, 0], math.hypot(X[0, 0], X[1, 0]))
    s, c = math.sin(yaw), math.cos(yaw)
    roll = math.atan2(s * X[0, 2] - c * X[1, 2], c * X[1, 1] - s * X[0, 1])
    return roll, pitch, yaw
