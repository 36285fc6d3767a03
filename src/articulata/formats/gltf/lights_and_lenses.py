"""Lights of glTF (KHR_lights_punctual), and the distortion of cameras' lenses, both ways.

A lens's distortion is ``{"BrownConrady": {"k1", "k2", "k3", "p1", "p2"}}`` among the ``extras`` of
a camera. What is seen at (x, y), the distances from the axis over that along it, x to the right and
y down, is in the picture at

    x (1 + k1 r^2 + k2 r^4 + k3 r^6) + 2 p1 x y + p2 (r^2 + 2 x^2)
    y (1 + k1 r^2 + k2 r^4 + k3 r^6) + p1 (r^2 + 2 y^2) + 2 p2 x y

(D. C. Brown, "Decentering distortion of lenses", 1966), as OpenCV, ROS and SDFormat have it.
"""

from __future__ import annotations

import math
from typing import Any, Final

from articulata.errors import FormatError
from articulata.formats.gltf.gltf_document import GltfDocument
from articulata.formats.scenes.foreign_scene import LENS_TERMS, SceneLight
from articulata.formats.scenes.scene_motion import SceneMotion
from articulata.geometry.arrays import Array

EXTENSION: Final = "KHR_lights_punctual"
LENS: Final = "BrownConrady"
KINDS: Final = ("point", "spot", "directional")


def light_on(
    document: GltfDocument, node: Any, name: str, X: Array, motion: SceneMotion | None
) -> SceneLight:
    """Return the light on a node, which stands at X (4, 4) or moves.

    Raises FormatError for one of another kind, or whose numbers the extension forbids.
    """
    number = node["extensions"][EXTENSION]["light"]
    given = document.tree["extensions"][EXTENSION]["lights"][number]
    kind, cone = given["type"], given.get("spot", {})
    r, g, b = (float(each) for each in given.get("color", (1.0, 1.0, 1.0)))
    intensity, reach = float(given.get("intensity", 1.0)), float(given.get("range", math.inf))
    inner = float(cone.get("innerConeAngle", 0.0))
    outer = float(cone.get("outerConeAngle", math.pi / 4.0))
    right = kind in KINDS and 0.0 <= min(r, g, b) <= max(r, g, b) <= 1.0
    right = right and 0.0 <= intensity < math.inf and reach > 0.0
    if not (right and 0.0 <= inner < outer <= 0.5 * math.pi + 1e-6):
        raise FormatError(
            f"{document.name}: light {number} is no light of {EXTENSION}: it is a point, spot or "
            "directional, colours are from 0 to 1, innerConeAngle < outerConeAngle <= pi/2"
        )
    return SceneLight(name, X, kind, (r, g, b), intensity, reach, inner, outer, motion)


def light_entry(light: SceneLight) -> dict[str, Any]:
    """Return what the extension's list of lights says of one."""
    told: dict[str, Any] = {"name": light.name, "type": light.kind, "color": list(light.color)}
    told["intensity"] = light.intensity
    if math.isfinite(light.reach) and light.kind != "directional":
        told["range"] = light.reach
    if light.kind == "spot":
        told["spot"] = {"innerConeAngle": light.inner, "outerConeAngle": light.outer}
    return told


def distortion_of(camera: Any) -> tuple[float, ...]:
    """Return k1, k2, k3, p1, p2 of a camera of the tree; () where nothing bends its picture."""
    extras = camera.get("extras")
    given = extras.get(LENS) if isinstance(extras, dict) else None
    if not isinstance(given, dict):
        return ()
    terms = tuple(float(given.get(each, 0.0)) for each in LENS_TERMS)
    if not all(map(math.isfinite, terms)):
        raise ValueError(f"{LENS} has numbers that are not finite")
    return terms if any(terms) else ()


def lens_extras(distortion: tuple[float, ...]) -> dict[str, Any]:
    """Return the ``extras`` of a camera with this distortion; nothing for ()."""
    return {"extras": {LENS: dict(zip(LENS_TERMS, distortion, strict=True))}} if distortion else {}
