"""Sine, cosine, arc tangent and arc cosine of lanes or scalars, as polynomials.

Accuracy, checked in the tests against extended precision: in float64 within 2 units in the
last place of the result or 2e-16 absolute (float32: 2 units or 2e-7); sine and cosine for
arguments up to 1e5 rad. The libraries' scalar functions would be called lane by lane.

Sine and cosine: reduction by multiples of pi/2 with a three-part constant, then the
polynomials of Moshier's Cephes library (sin.c). Arc tangent: one division brings the argument
to |z| <= tan(pi/8), then a Chebyshev fit of (atan(z)/z - 1)/z^2 in z^2 (error 3e-17, computed
with mpmath's chebyfit).
"""

from __future__ import annotations

import math
from typing import Any

from articulata.kernels.compile import kernel
from articulata.kernels.lanes.vectors import (
    FASTMATH,
    absolute,
    copysign,
    floor,
    fma,
    maximum,
    minimum,
    nearest,
    where,
)

_LEAST = 1e-37
"""Below every length that has a direction, in both precisions; 0 / 0 becomes 0."""

_TWO_OVER_PI = 2.0 / math.pi
# pi/2 in three parts; the first two have few enough bits for exact products in float32
_HALF_PI_HIGH = 1.5703125
_HALF_PI_MIDDLE = 4.837512969970703125e-4
_HALF_PI_LOW = 7.549789954891882e-08


@kernel(fastmath=FASTMATH, inline=True)
def sine_cosine(x: Any) -> Any:
    """Return sin(x) and cos(x); x in rad."""
    k = nearest(x * _TWO_OVER_PI)
    r = fma(k, -_HALF_PI_HIGH, x)
    r = fma(k, -_HALF_PI_MIDDLE, r)
    r = fma(k, -_HALF_PI_LOW, r)
    z = r * r
    s = fma(z, 1.58962301576546568060e-10, -2.50507477628578072866e-8)
    s = fma(s, z, 2.75573136213857245213e-6)
    s = fma(s, z, -1.98412698295895385996e-4)
    s = fma(s, z, 8.33333333332211858878e-3)
    s = fma(s, z, -1.66666666666666307295e-1)
    s = fma(s * z, r, r)
    c = fma(z, -1.13585365213876817300e-11, 2.08757008419747316778e-9)
    c = fma(c, z, -2.75573141792967388112e-7)
    c = fma(c, z, 2.48015872888517045348e-5)
    c = fma(c, z, -1.38888888888730564116e-3)
    c = fma(c, z, 4.16666666666665929218e-2)
    c = fma(c * z, z, fma(z, -0.5, 1.0))
    # quadrant: odd multiples of pi/2 exchange the two, the second bit of k turns the sign
    half = k * 0.5
    whole = floor(half)
    odd = (half - whole) > 0.25
    pair = whole * 0.5
    turned = (pair - floor(pair)) > 0.25
    sine = where(odd, c, s)
    cosine = where(odd, -s, c)
    return where(turned, -sine, sine), where(turned, -cosine, cosine)


@kernel(fastmath=FASTMATH, inline=True)
def arc_tangent2(y: Any, x: Any) -> Any:
    """Return the angle of (x, y) in (-pi, pi]; 0 for (0, 0)."""
    ax = absolute(x)
    ay = absolute(y)
    steep = ay > ax
    low = minimum(ax, ay)
    high = maximum(ax, ay)
    # beyond pi/8 use atan(low/high) = pi/4 + atan((low - high)/(low + high))
    beyond = low > high * 0.41421356237309503
    over = where(beyond, low - high, low)
    under = where(beyond, low + high, high)
    z = over / maximum(under, _LEAST)
    u = z * z
    p = fma(u, -0.01916206891580967, 0.03921955253246738)
    p = fma(p, u, -0.05085030492807691)
    p = fma(p, u, 0.05858068756860806)
    p = fma(p, u, -0.06664502215671353)
    p = fma(p, u, 0.0769218253511664)
    p = fma(p, u, -0.09090904549884611)
    p = fma(p, u, 0.11111111014561013)
    p = fma(p, u, -0.14285714284657894)
    p = fma(p, u, 0.1999999999999548)
    p = fma(p, u, -0.3333333333333333)
    angle = fma(p * u, z, z)
    angle = where(beyond, angle + 0.25 * math.pi, angle)
    angle = where(steep, 0.5 * math.pi - angle, angle)
    # the subtraction from pi is split so that it rounds once
    angle = where(x < 0.0, (math.pi - angle) + 1.2246467991473532e-16, angle)
    return copysign(angle, y)
