"""Which distances a lens shows sharply: depth of field by the thin lens.

A point out of focus becomes a disc on the sensor; it looks sharp while the disc is no greater than
the circle of confusion, usually the sensor's diagonal / 1500. Distances are from the nodal point.
"""

from __future__ import annotations

import math
from typing import Final

from articulata.errors import GeometryError
from articulata.geometry.camera import Lens

CIRCLE: Final = 1.0 / 1500.0
"""The circle of confusion as a share of the sensor's diagonal."""


def sharp_range(
    lens: Lens, focus: float, iris: float, *, circle: float | None = None
) -> tuple[float, float]:
    """Return the nearest and the farthest distance (m) that look sharp; the latter may be inf.

    ``focus`` (m) is the distance that is in focus, farther than the focal length; ``iris`` the
    f-number, ``circle`` (m) the circle of confusion. From the hyperfocal distance
    ``H = f^2 / (N c) + f``.
    """
    f = lens.focal_length
    if not focus > f:
        raise GeometryError(
            f"a lens of {1e3 * f:g} mm focuses farther off than that, not at {1e3 * focus:g} mm"
        )
    if not (math.isfinite(iris) and iris > 0.0):
        raise GeometryError(f"an iris is an f-number above 0, not {iris}")
    c = CIRCLE * math.hypot(*lens.sensor) if circle is None else circle
    hyperfocal = f * f / (iris * c) + f
    if math.isinf(focus):
        return hyperfocal, math.inf
    near = focus * (hyperfocal - f) / (hyperfocal + focus - 2.0 * f)
    far = focus * (hyperfocal - f) / (hyperfocal - focus) if focus < hyperfocal else math.inf
    return near, far
