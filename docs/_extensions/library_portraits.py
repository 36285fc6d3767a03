"""A directive that shows the library's figures: a picture, its line, its numbers, drawn anew."""

from __future__ import annotations

import base64
import io
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import articulata as art

HEIGHT = 240
SEEN: dict[str, dict[str, Any]] = {
    "camera_robot": {"up": (1, 0, 0), "front": (0, -1, 0), "azimuth": -0.5},
    "hexapod": {"up": (0, 0, 1), "front": (0, -1, 0), "elevation": 0.5},
    "jack": {"up": (0, 0, -1), "front": (1, 0, 0), "azimuth": -0.6},
    "jack_1995": {"up": (0, 0, -1), "front": (1, 0, 0), "azimuth": -0.7},
    "leonardo": {"up": (0, 0, 1), "front": (0, -1, 0), "azimuth": -0.3},
    "leonardo_arm": {"up": (0, 0, 1), "front": (0, -1, 0)},
    "leonardo_simplified_arm": {"up": (0, 0, 1), "front": (0, -1, 0)},
    "manutec_r3": {"front": (1, 0, 0), "azimuth": -0.5},
    "planar_4_2_1": {"azimuth": 0.2, "elevation": 0.05},
}
"""Where each is seen from; the others stand upright along y and face z."""

POSTURES = {
    "hexapod": "tripod",
    "human_upper_body": "reaching",
    "jack": "seated",
    "manutec_r3": "reference start",
    "person": "reaching",
}


def picture(name: str) -> str:
    """Return an image element with the picture of a figure in it."""
    from matplotlib.image import imsave

    one = art.figure(name)
    q = one.posture(POSTURES[name]) if name in POSTURES else one.neutral
    data = io.BytesIO()
    imsave(data, art.portrait(one, q, height=HEIGHT, **SEEN.get(name, {})), format="png")
    coded = base64.b64encode(data.getvalue()).decode()
    return f'<p><img alt="{name}" src="data:image/png;base64,{coded}"></p>'


def facts(one: art.Figure) -> str:
    """Return a figure's numbers in a line."""
    parts = [f"{len(one.joints)} joints, {one.dof} free"]
    if one.mass:
        parts.append(f"{one.mass:.4g} kg")
    for what, names in (
        ("chains", one.chains),
        ("postures", one.postures),
        ("limits", [each for each in one.limit_sets if each]),
        ("landmarks", one.landmarks),
    ):
        shown = list(names)
        if shown:
            more = f" and {len(shown) - 8} more" if len(shown) > 8 else ""
            parts.append(f"{what} {', '.join(shown[:8])}{more}")
    return "; ".join(parts) + "."


class Portraits(SphinxDirective):
    """``{library-portraits}``: one section per figure of the library."""

    def run(self) -> list[nodes.Node]:
        found: list[nodes.Node] = []
        for name, about in art.figures().items():
            section = nodes.section(ids=[nodes.make_id(f"figure-{name}")], names=[f"figure {name}"])
            section += nodes.title("", name)
            section += nodes.raw("", picture(name), format="html")
            section += nodes.paragraph("", about)
            section += nodes.paragraph("", facts(art.figure(name)))
            found.append(section)
        return found


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("library-portraits", Portraits)
    return {"parallel_read_safe": True}
