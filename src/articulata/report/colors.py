"""Which colour a body is drawn in, the same in every picture."""

from __future__ import annotations

from articulata.world.model import Body

UNNAMED = ("#8fa3b8", "#b8a58f", "#8fb89b", "#b88f9f", "#a08fb8", "#8fb3b8")
"""Colours of bodies that name none, dealt out by type so that equal types look equal."""

FIXED = "#9aa0a6"


def color_of(body: Body) -> tuple[int, int, int]:
    """Return the red, green and blue (0 to 255) that ``body`` is drawn in.

    Its ``color`` property, else its material's, else one that goes with its type. A property
    may be any name or code that a web page knows ("red", "#1f6feb").
    """
    from matplotlib.colors import is_color_like, to_rgb

    named = body.properties.get("color")
    if named is None and body.material is not None:
        named = body.material.color
    if isinstance(named, str) and is_color_like(named):
        chosen = named
    elif body.motion == "fixed":
        chosen = FIXED
    else:
        chosen = UNNAMED[sum(body.type.encode()) % len(UNNAMED)]
    red, green, blue = (round(255 * part) for part in to_rgb(chosen))
    return red, green, blue
