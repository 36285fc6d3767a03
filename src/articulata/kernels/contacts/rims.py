"""Where a circular rim is nearest to a line, to the wall of a cone or to another rim.

A rim's point at the angle psi is c + R (cos psi u + sin psi v), with u across its axis and across
a line through o along e. Across the line it describes an ellipse about c:

    X = wx + R cos psi, Y = wy + R k sin psi,    rho = sqrt(X^2 + Y^2) its distance from the line.

All three distances are one function of psi, up to a constant:

    G = px cos psi + py sin psi + kappa rho + lam rho^2 / 2

an edge of a polytope is the line (lam = 1), a wall the line of its axis (rho plus the wall's slope
times the height), another rim its axis (half the squared distance of the nearest points). Its
lows are told apart by a bound on its second derivative: where the slope cannot change its sign,
none is passed over. World axes, metres, radians.
"""

from __future__ import annotations

import math

from articulata.kernels.compile import kernel
from articulata.kernels.space_vectors import Vector, across_any, ahead, cross, dot, minus, unit

Curve = tuple[float, float, float, float, float, float, float, float]
"""R, k, wx, wy, px, py, kappa, lam."""

Frame = tuple[Vector, Vector, Vector, Vector]
"""Centre of a rim, u, v, and the direction of Y."""

WIDE, NARROW = 0.6, 0.01
"""Longest and shortest step in search of a low (rad). Two lows nearer to each other than the
shortest differ by less than 1e-8 of the rim's size."""

SHORT = 0.06
"""Step in which a slope that changes its sign and bends one way is taken to have one zero (rad)."""

START = 0.4142
"""Angle where the search begins: poses along the axes have no low there."""

CONSTANT = 1e-13
"""Share of the size below which G does not change at all."""

TURNS = 60
"""Most steps in search of one zero of the slope: halving alone ends at rounding."""


@kernel(counted=False)
def frame_about(c: Vector, a: Vector, R: float, o: Vector, e: Vector) -> tuple[Frame, Curve]:
    """Return the frame of a rim (centre, axis, radius) about a line, and its ellipse; G is 0."""
    u, length = unit(cross(e, a))
    if length < 1e-14:
        u = across_any(a)
    else:
        u, _ = unit(ahead(u, -dot(u, a), a))  # rounding of a small product
    v, (y, _) = cross(a, u), unit(cross(e, u))
    w = minus(c, o)
    return (c, u, v, y), (R, dot(v, y), dot(w, u), dot(w, y), 0.0, 0.0, 0.0, 0.0)


@kernel(counted=False)
def at_angle(frame: Frame, curve: Curve, psi: float) -> tuple[Vector, Vector, Vector, float]:
    """Return the rim's point, its tangent, the unit vector to it from the line, and rho.

    Where the point is on the line the vector is across the line all the same.
    """
    c, u, v, y = frame
    x, s = math.cos(psi), math.sin(psi)
    R = curve[0]
    p = ahead(ahead(c, R * x, u), R * s, v)
    X, Y = curve[2] + R * x, curve[3] + R * curve[1] * s
    m, rho = unit(ahead((X * u[0], X * u[1], X * u[2]), Y, y))
    if rho == 0.0:
        m = u
    t = ahead((-s * u[0], -s * u[1], -s * u[2]), x, v)
    return p, t, m, rho


@kernel(counted=False)
def slope_at(curve: Curve, psi: float) -> tuple[float, float, float]:
    """Return the first and second derivatives of G, and rho."""
    R, k, wx, wy, px, py, kappa, lam = curve
    x, s = math.cos(psi), math.sin(psi)
    X, Y = wx + R * x, wy + R * k * s
    half = R * (k * x * Y - s * X)
    bent = R * R * (s * s + k * k * x * x) - R * (x * X + k * s * Y)
    rho = math.sqrt(X * X + Y * Y)
    g, h = py * x - px * s + lam * half, lam * bent - px * x - py * s
    if kappa != 0.0 and rho > 0.0:
        g += kappa * half / rho
        h += kappa * (bent - (half / rho) * (half / rho)) / rho
    return g, h, rho


@kernel(counted=False)
def bend_of(curve: Curve, low: float) -> float:
    """Return a bound on the second derivative of G where rho is at least ``low``."""
    R, k, wx, wy, px, py, kappa, lam = curve
    first, second = R * math.hypot(wx, k * wy), R * R * max(0.0, 1.0 - k * k)
    most = math.hypot(px, py) + abs(lam) * (first + second)
    if kappa != 0.0:
        if low <= 0.0:
            return math.inf
        half = (first + 0.5 * second) / low
        most += abs(kappa) * min((first + second + half * half) / low, R + R * R / low)
    return most


@kernel(counted=False)
def next_low(curve: Curve, at: float) -> tuple[bool, float, float]:
    """Return whether G has a low (or nearly one) after ``at``, where, and where to go on."""
    end = START + 2.0 * math.pi + NARROW
    g, h, rho = slope_at(curve, at)
    if at == START and bend_of(curve, rho) <= CONSTANT * curve[0] * (abs(curve[6]) + curve[0]):
        return True, 0.0, end  # rims about one axis, or an apex
    while at < end:
        bend = bend_of(curve, rho)
        step = min(WIDE, max(NARROW, 1.5 * abs(g) / bend if bend > 0.0 else WIDE))
        while True:
            b = at + step
            g_b, h_b, rho_b = slope_at(curve, b)
            bend = bend_of(curve, 0.5 * (rho + rho_b - curve[0] * step))
            same = g * g_b > 0.0
            if step <= NARROW or (same and bend * step < abs(g) + abs(g_b)):
                break
            if step <= SHORT and not same and h * h_b > 0.0 and h * (g_b - g) > 0.0:
                break  # one zero, as the slope changes evenly
            step = max(NARROW, 0.5 * step)
        before, bent = g, h
        low, at, g, h, rho = at, b, g_b, h_b, rho_b
        if before < 0.0 <= g:
            return True, zero_between(curve, low, b), b
        if same and step <= NARROW and bent * before < 0.0 < h * g:
            return True, 0.5 * (low + b), b
    return False, 0.0, end


@kernel(counted=False)
def zero_between(curve: Curve, low: float, high: float) -> float:
    """Return where the slope of G passes from below 0 to above: Newton's method in a bracket."""
    psi = 0.5 * (low + high)
    for _ in range(TURNS):
        g, h, _ = slope_at(curve, psi)
        if g < 0.0:
            low = psi
        else:
            high = psi
        way = -g / h if h > 0.0 else math.inf
        if abs(way) < 1e-15:
            break
        psi = psi + way if low < psi + way < high else 0.5 * (low + high)
        if not low < psi < high:
            break
    return psi
