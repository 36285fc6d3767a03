"""Light and ground in the viewer: a sun that casts shadows, a sky, blue-grey paper, a grid.

The single-file page of a recording has the same light.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from articulata.geometry.arrays import Array
from articulata.world.values import Vector3

PAPER = (203, 213, 225)
"""What lies behind a saved picture and a light page: white bodies stand out from it."""

SUN, SKY = 2.7, 1.5
"""How bright each is; more of the sky leaves no shadow, more of the sun bleaches colours."""

VIEW = np.radians(75.0)
"""What a browser's camera sees upwards."""


def lights(scene: Any, up: Vector3, front: Array, *, shadows: bool = True) -> list[Any]:
    """Light a scene from above and a little from the side of who looks; return what was made."""
    scene.configure_default_lights(enabled=False)
    scene.configure_environment_map(None)
    upward = np.array(up)
    side = np.cross(upward, front)
    toward_sun = upward - 0.28 * side + 0.4 * front
    # A light of viser's lies at its place and shines toward the origin of its parent.
    return [
        scene.add_light_directional(
            "/light/sun", intensity=SUN, cast_shadow=shadows,
            position=tuple(map(float, toward_sun)),
        ),
        scene.add_light_hemisphere(
            "/light/sky", sky_color=(236, 242, 252), ground_color=(150, 148, 144), intensity=SKY,
            position=tuple(map(float, upward)),
        ),
    ]  # fmt: skip


def ground(
    scene: Any, up: Vector3, low: Array, high: Array, *, solid: Array | None = None,
    shadows: bool = True,
) -> Any:  # fmt: skip
    """Draw the ground below what stands between ``low`` and ``high`` (3,) m; return its handle.

    It lies through the point ``solid`` (3,) of a body that is the ground, where there is one.
    """
    upward, middle = np.array(up), (low + high) / 2
    span = max(float(np.linalg.norm(high - low)), 1e-3)
    cell = 10.0 ** np.floor(np.log10(span / 2))
    corner = np.where(upward > 0, low, high) if solid is None else solid
    floor = middle - upward * (upward @ (middle - corner))
    if solid is None:
        floor = floor - upward * (1e-3 * span)
    w, x, y = 1.0 + up[2], -up[1], up[0]
    length = float(np.sqrt(w * w + x * x + y * y))
    return scene.add_grid(
        "/ground",
        width=6 * span,
        height=6 * span,
        cell_size=cell,
        section_size=5 * cell,
        cell_color=(150, 158, 170),
        section_color=(118, 127, 141),
        fade_distance=4 * span,
        fade_strength=2.5,
        shadow_opacity=0.65 if shadows else 0.0,
        # turns z to up by the shortest way
        wxyz=(0.0, 1.0, 0.0, 0.0) if length < 1e-9 else (w / length, x / length, y / length, 0.0),
        position=floor,
    )


def front_of(up: Vector3) -> Array:
    """Return the direction from the scene to who looks, level with the ground.

    Worlds with y up are written in the x-y plane: they are looked at from +z. Others are looked at
    from -y, as engineers draw a front view.
    """
    return np.array((0.0, 0.0, 1.0)) if abs(up[1]) > 0.9 else np.array((0.0, -1.0, 0.0))
