"""Which colour a body is drawn in, the same in every picture."""

from __future__ import annotations

from typing import TypeAlias

from articulata.world.model import Body
from articulata.world.values import Vector3

Color: TypeAlias = tuple[int, int, int]
"""Red, green and blue from 0 to 255, as a screen has them (sRGB)."""

SOFT = {
    "red": "#c8382e",
    "green": "#3f8f4f",
    "blue": "#2f6fbf",
    "yellow": "#e3b92f",
    "orange": "#dd7a27",
    "purple": "#7d4fa8",
    "violet": "#7d4fa8",
    "pink": "#d977a0",
    "brown": "#8a5a3b",
    "black": "#2b2e33",
    "white": "#f1f1ee",
    "gray": "#8e949b",
    "grey": "#8e949b",
    "silver": "#b9bfc6",
    "steel": "#9aa7b4",
    "gold": "#c9a13b",
    "copper": "#b3714b",
    "wood": "#b98b5a",
    "cyan": "#2f9fb0",
    "magenta": "#b0418f",
}
"""The plain names, softened: on a screen's full red neither light nor shadow can be seen."""

UNNAMED = ("#8fa3b8", "#b8a58f", "#8fb89b", "#b88f9f", "#a08fb8", "#8fb3b8")
"""Colours of bodies that name none, dealt out by type so that equal types look equal."""

FIXED = "#9aa0a6"
JOINT: Color = (59, 66, 79)
"""The colour of the marks where hinges sit."""


def color_of(body: Body) -> Color:
    """Return the red, green and blue (0 to 255) that ``body`` is drawn in.

    Its ``color`` property, else its material's, else one that goes with its type. A property
    may be any name or code that a web page knows ("red", "#1f6feb"), or three numbers, from 0 to
    1 or to 255.
    """
    given = body.properties.get("color")
    if given is None and body.material is not None:
        given = body.material.color
    if isinstance(given, str):
        found = named(given.strip().lower())
        if found is not None:
            return found
    if isinstance(given, tuple) and len(given) == 3:
        largest = 255.0 if max(given) > 1 else 1.0
        red, green, blue = (round(255 * min(max(part / largest, 0.0), 1.0)) for part in given)
        return red, green, blue
    if body.motion == "fixed":
        return _code(FIXED)
    return _code(UNNAMED[sum(body.type.encode()) % len(UNNAMED)])


def screen_color(body: Body) -> Vector3:
    """Return a body's colour as shares of red, green and blue."""
    r, g, b = color_of(body)
    return (r / 255.0, g / 255.0, b / 255.0)


def named(name: str) -> Color | None:
    """Return the colour that ``name`` means, None when it means none."""
    if name in SOFT:
        return _code(SOFT[name])
    # Imported here: few worlds use more than the plain names.
    from matplotlib.colors import is_color_like, to_rgb

    if not is_color_like(name):
        return None
    red, green, blue = (round(255 * part) for part in to_rgb(name))
    return red, green, blue


def _code(code: str) -> Color:
    """Return the colour of a code "#rrggbb"."""
    red, green, blue = (int(code[place : place + 2], 16) for place in (1, 3, 5))
    return red, green, blue
