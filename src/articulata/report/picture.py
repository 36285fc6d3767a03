"""A picture of a scene at one instant: shaded solids, a sun with shadows, a ground with a grid.

Everything is computed with NumPy on arrays, so a picture needs no screen, and the same scene
gives the same bytes. Colours are mixed in linear light and shown in sRGB.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from articulata.geometry.arrays import Array, BoolArray, IntArray
from articulata.geometry.quaternion import q_rotate
from articulata.report.colors import JOINT
from articulata.report.drawn_scene import Scene
from articulata.report.raster import Buffers, blank, fill

FINE = 2
"""Pixels are drawn this many times finer along each side, then averaged: smooth edges."""

SHADOW_PIXELS = 700
AZIMUTHS, FEW_PIXELS = 12, 160
"""Directions that are compared where one of them is chosen, and the pictures' sides then."""

FIELD = 0.5
"""Vertical field of view in rad, that of a long lens: parallel edges stay nearly so."""

MARGIN = 0.9
"""How much of a picture's width or height what it shows may take."""

PAPER = np.array([0.965, 0.969, 0.976])
GRID = np.array([0.80, 0.825, 0.86])
OUTLINE = np.array([0.16, 0.18, 0.22])


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Where a picture is taken from: ``axes`` (3, 3) are right, up and towards the eye, in W.

    ``target`` (3,) m is looked at from ``distance`` m; ``aspect`` is width over height.
    """

    target: Array
    axes: Array
    distance: float
    aspect: float

    @property
    def eye(self) -> Array:
        """Where the camera is, (3,) m in W."""
        eye: Array = self.target + self.distance * self.axes[2]
        return eye


def view_of(
    scene: Scene, aspect: float | None = None, *, azimuth: float = 0.42, elevation: float = 0.2
) -> View:
    """Return a view that holds everything the scene shows at any of its times.

    ``azimuth`` and ``elevation`` (rad) turn it from the direction ``scene.ahead``. Without
    ``aspect`` (width over height) one is chosen to fit.
    """
    axes = _axes(scene, azimuth, elevation)
    points = _corners(scene)
    if aspect is None:
        width, height = np.ptp(points @ axes[:2].T, axis=0)
        aspect = float(np.clip(width / max(height, 1e-9), 0.45, 1.5))
    slope = np.tan(FIELD / 2)
    target, distance = fitted(points, axes, slope * np.array([aspect, 1.0]))
    return View(target, axes, distance, aspect)


def _axes(scene: Scene, azimuth: float, elevation: float) -> Array:
    """Return right, up and towards the eye in W, (3, 3)."""
    side = np.cross(scene.up, scene.ahead)
    level = np.cos(azimuth) * scene.ahead + np.sin(azimuth) * side
    towards = np.cos(elevation) * level + np.sin(elevation) * scene.up
    right = np.cross(scene.up, towards)
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(towards, right), towards])


def clearest_azimuth(
    scene: Scene, frame: int, items: IntArray, target: Array, radius: float
) -> float:
    """Return from where most of ``items`` is seen, rad; as ``clearest``, all at one elevation."""
    turns = 0.42 + np.arange(AZIMUTHS) * (2 * np.pi / AZIMUTHS)
    directions = [(float(azimuth), 0.2) for azimuth in turns]
    return directions[clearest(scene, frame, items, (target, radius), directions)][0]


def clearest(
    scene: Scene, frame: int, items: IntArray, ball: tuple[Array, float],
    directions: Sequence[tuple[float, float]], enough: float = 1.0,
) -> int:  # fmt: skip
    """Return from which of ``directions`` most of ``items`` (n,), numbers of the scene's, is seen.

    What stands before them hides them. Each item counts alike, by its share of what is seen of it
    at best; ``ball`` is the sphere about them, center (3,) and radius in m. Directions are azimuth
    and elevation, rad; the first stays where more than ``enough`` is seen, or little less than
    from another.
    """
    soup = _soup(scene, frame)
    seen = np.zeros((len(directions), len(items)))
    for row, turned in zip(seen, directions, strict=True):
        view = View(ball[0], _axes(scene, *turned), ball[1] / np.sin(FIELD / 2), 1.0)
        buffers = blank(FEW_PIXELS, FEW_PIXELS)
        fill(
            buffers, _project(view, soup.points, buffers), soup.normals, soup.triangles, soup.idents
        )
        row[:] = np.bincount(buffers.ident[buffers.ident >= 0], minlength=len(scene.items))[items]
    shares = (seen / np.maximum(seen.max(axis=0), 1)).mean(axis=1)
    return 0 if shares[0] > min(enough, 0.8 * shares.max()) else int(shares.argmax())


def fitted(
    points: Array, axes: Array, slopes: Array, covered: Array | None = None
) -> tuple[Array, float]:
    """Return what is looked at, (3,) m in W, and from how far, so that all ``points`` are seen.

    ``axes`` (3, 3) are right, up and towards the eye. ``slopes`` (2,) are those of the picture's
    sides against the line of sight; ``covered`` (2,) is what lies on the right and on top of it.
    """
    seen = points @ axes.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    # The eye e sees p where |p_x - e_x| <= t_x (e_z - p_z), and so for y: each side of the picture
    # is a plane, and the eye lies where the outermost of them meet.
    lower = MARGIN * slopes
    upper = lower if covered is None else MARGIN * (slopes - covered)
    above = (seen[:, :2] + upper * seen[:, 2:]).max(axis=0)
    below = (seen[:, :2] - lower * seen[:, 2:]).min(axis=0)
    depth = (low[2] + high[2]) / 2
    # What lies along the line of sight is not looked at from within.
    near = high[2] - depth + max(0.05 * float(np.linalg.norm(high - low)), 1e-6)
    distance = max(float(np.max((above - below) / (upper + lower))) - depth, near)
    # the same room is left on both sides of what is free
    middle = (above + below - (upper - lower) * (distance + depth)) / 2
    return axes.T @ np.array([*middle, depth]), distance


def _corners(scene: Scene) -> Array:
    """Return the corners of boxes around all items at all times, (n, 3) m in W."""
    found = []
    for item in scene.items:
        number = scene.number(item.body)
        vertices = scene.surfaces[item.surface].vertices
        low, high = vertices.min(axis=0), vertices.max(axis=0)
        box = np.array([[(low, high)[i >> k & 1][k] for k in range(3)] for i in range(8)])
        pose = scene.poses[scene.present[:, number], number][:, None]
        found.append((pose[..., :3] + q_rotate(pose[..., 3:], box[None])).reshape(-1, 3))
    points = np.concatenate(found) if found else np.empty((0, 3))
    points = points[np.isfinite(points).all(axis=1)]
    # What has flown far away is not followed; the scene's own extent says how far is far.
    points = points[np.linalg.norm(points - scene.center, axis=1) <= 1.5 * scene.radius]
    return points if len(points) else scene.center[None] + scene.radius * np.eye(3)


@dataclass(frozen=True, slots=True, eq=False)
class _Soup:
    """All triangles of one instant in W, and the colour of each thing they belong to."""

    points: Array
    normals: Array
    triangles: npt.NDArray[np.int64]
    idents: npt.NDArray[np.int64]
    colors: Array


def picture(scene: Scene, frame: int, view: View, height: int) -> npt.NDArray[np.uint8]:
    """Return frame number ``frame`` of the scene as (height, width, 3) sRGB bytes."""
    width = max(1, round(height * view.aspect))
    soup = _soup(scene, frame)
    buffers = blank(width * FINE, height * FINE)
    fill(buffers, _project(view, soup.points, buffers), soup.normals, soup.triangles, soup.idents)
    sun = _Sun(scene, soup)
    rays = _rays(view, *buffers.depth.shape)
    # The ground has no edges of its own that need finer pixels: its lines are drawn soft.
    coarse = _ground(scene, view, _rays(view, height, width), sun)
    color = coarse.repeat(FINE, axis=0).repeat(FINE, axis=1)
    drawn = buffers.ident >= 0
    if drawn.any():
        color[drawn] = _shade(scene, view, rays[drawn], buffers, drawn, soup, sun)
    color[_edges(buffers, view.distance)] = OUTLINE**2.2
    color = color.reshape(height, FINE, width, FINE, 3).mean(axis=(1, 3))
    shown: npt.NDArray[np.uint8] = np.rint(np.clip(color, 0, 1) ** (1 / 2.2) * 255).astype(np.uint8)
    return shown


def _soup(scene: Scene, frame: int) -> _Soup:
    things: list[tuple[int, int, Array | None, Array]] = [
        (scene.number(item.body), item.surface, None, np.array(item.color) / 255)
        for item in scene.items
    ]
    things += [
        (
            scene.number(joint.body),
            scene.joint_surface,
            np.array(joint.point),
            np.array(JOINT) / 255,
        )
        for joint, holds in zip(scene.joints, scene.joined[frame], strict=True)
        if holds
    ]
    points, normals, triangles, idents, colors = [], [], [], [], []
    count = 0
    for ident, (number, surface_number, offset, color) in enumerate(things):
        colors.append(color)
        pose = scene.poses[frame, number]
        if not (scene.present[frame, number] and np.isfinite(pose).all()):
            continue
        surface = scene.surfaces[surface_number]
        local = surface.vertices if offset is None else surface.vertices + offset
        points.append(pose[:3] + q_rotate(pose[None, 3:], local))
        normals.append(q_rotate(pose[None, 3:], surface.normals))
        triangles.append(surface.triangles + count)
        idents.append(np.full(len(surface.triangles), ident, np.int64))
        count += len(local)
    if not points:
        none = np.empty((0, 3))
        whole = none.astype(np.int64)
        return _Soup(none, none, whole, whole[:, 0], np.zeros((0, 3)))
    return _Soup(
        np.concatenate(points),
        np.concatenate(normals),
        np.concatenate(triangles),
        np.concatenate(idents),
        np.array(colors) ** 2.2,
    )


def _project(view: View, points: Array, buffers: Buffers) -> Array:
    """Return pixels and a depth for points in W; NaN behind the eye."""
    height, width = buffers.depth.shape
    seen = (points - view.eye) @ view.axes.T
    away = np.where(seen[:, 2] < -1e-3 * view.distance, -seen[:, 2], np.nan)
    scale = height / 2 / np.tan(FIELD / 2)
    return np.stack(
        [
            width / 2 + scale * seen[:, 0] / away,
            height / 2 - scale * seen[:, 1] / away,
            # 1 / distance is linear over the screen, so that depths interpolate exactly.
            -1.0 / away,
        ],
        axis=1,
    )


def _rays(view: View, height: int, width: int) -> Array:
    """Return the direction through each pixel, (h, w, 3), of length 1 along the view."""
    scale = np.tan(FIELD / 2) / (height / 2)
    x = (np.arange(width) + 0.5 - width / 2) * scale
    y = (height / 2 - np.arange(height) - 0.5) * scale
    rays: Array = x[None, :, None] * view.axes[0] + y[:, None, None] * view.axes[1] - view.axes[2]
    return rays


class _Sun:
    """Light from far away, and what lies in its shadow."""

    def __init__(self, scene: Scene, soup: _Soup) -> None:
        side = np.cross(scene.up, scene.ahead)
        towards = scene.up - 0.28 * side + 0.4 * scene.ahead
        self.towards: Array = towards / np.linalg.norm(towards)
        right = np.cross(scene.ahead, self.towards)
        right /= np.linalg.norm(right)
        self._axes = np.stack([right, np.cross(self.towards, right), self.towards])
        self._buffers = blank(SHADOW_PIXELS, SHADOW_PIXELS)
        seen = soup.points @ self._axes.T
        self._low, self._size = np.zeros(3), 1.0
        if len(seen):
            # A rim of a few pixels, so that nothing touches the border of the map.
            low, high = seen.min(axis=0), seen.max(axis=0)
            extent = float((high - low)[:2].max())
            self._low, self._size = low - 0.02 * extent, 1.04 * extent + 1e-12
            fill(
                self._buffers,
                self._pixels(soup.points),
                soup.normals,
                soup.triangles,
                soup.idents,
            )
        # What the ground sees of the sun: everything drawn is above it, so depth says nothing.
        self._covered = _blurred((self._buffers.ident >= 0).astype(np.float64), 5)

    def _pixels(self, points: Array) -> Array:
        seen = points @ self._axes.T - self._low
        seen[..., :2] *= SHADOW_PIXELS / self._size
        seen[..., 2] *= -1
        return seen

    def on_ground(self, points: Array) -> Array:
        """Return how much of the sun reaches ``points`` (n, 3) below everything, 0 to 1."""
        seen = self._pixels(points)[:, :2].astype(np.int64)
        return 1.0 - _at(self._covered, seen[:, 0], seen[:, 1], 0.0)

    def light(self, points: Array, facing: Array) -> Array:
        """Return how much of the sun reaches ``points`` (n, 3) on things, 0 to 1.

        ``facing`` (n,) is the cosine of the angle between a surface's normal and the sun.
        """
        seen = self._pixels(points)
        # A surface must not shade itself: it rises by its slope from a pixel to those beside it.
        slope = np.sqrt(1.0 - facing**2) / np.maximum(facing, 0.08)
        steps = (-1.2, 0.0, 1.2)
        slack = self._size / SHADOW_PIXELS * (1.0 + (steps[-1] + 0.5) * np.sqrt(2.0) * slope)
        light = np.zeros(len(points))
        for dx in steps:
            for dy in steps:
                x = np.floor(seen[:, 0] + dx).astype(np.int64)
                y = np.floor(seen[:, 1] + dy).astype(np.int64)
                light += _at(self._buffers.depth, x, y, np.inf) > seen[:, 2] - slack
        return light / len(steps) ** 2


def _at(image: Array, x: IntArray, y: IntArray, outside: float) -> Array:
    """Return the pixels of ``image`` at ``x`` and ``y``, ``outside`` where there is none."""
    within = (x >= 0) & (y >= 0) & (x < image.shape[1]) & (y < image.shape[0])
    values = np.full(len(x), outside)
    values[within] = image[y[within], x[within]]
    return values


def _blurred(image: Array, width: int) -> Array:
    """Return ``image`` averaged over squares of ``width`` (odd) pixels, 0 beyond its borders."""
    half = width // 2
    padded = np.pad(image, half)
    windows = np.lib.stride_tricks.sliding_window_view(padded, (width, width))
    blurred: Array = windows.mean(axis=(2, 3))
    return blurred


def _ground(scene: Scene, view: View, rays: Array, sun: _Sun) -> Array:
    """Return linear colours of the ground with its grid and shadows, paper beyond."""
    paper = PAPER**2.2
    color = np.broadcast_to(paper, rays.shape).copy()
    height = view.eye @ scene.up - scene.ground
    fall = rays @ scene.up
    seen = fall * height < -1e-9
    if not seen.any():
        return color
    reach = height / -fall[seen]
    points = view.eye + rays[seen] * reach[:, None]
    side = np.cross(scene.up, scene.ahead)
    middle = scene.center
    flat = np.stack([(points - middle) @ side, (points - middle) @ scene.ahead], axis=1)
    far = np.clip(1.6 - np.linalg.norm(flat, axis=1) / (2.4 * scene.radius), 0.0, 1.0)
    far = far * far * (3 - 2 * far)
    raw = scene.radius / 4
    power = 10.0 ** np.floor(np.log10(raw))
    cell = power * max(step for step in (1, 2, 5) if step * power <= raw * 1.0001)
    places = np.stack([points @ side, points @ scene.ahead], axis=1) / cell
    off = np.abs(places - np.round(places)).min(axis=1) * cell
    # One fine pixel on the ground at that distance, longer when seen at a slant.
    pixel = reach * 2 * np.tan(FIELD / 2) / rays.shape[0]
    slant = np.clip(np.abs(fall[seen]), 0.15, 1.0)
    ink = np.clip(0.9 - off / (pixel / slant), 0.0, 1.0) * far
    ground = paper + (GRID**2.2 - paper) * ink[:, None]
    dark = 1.0 - 0.42 * far * (1.0 - sun.on_ground(points))
    color[seen] = ground * dark[:, None]
    return color


def _shade(
    scene: Scene,
    view: View,
    rays: Array,
    buffers: Buffers,
    drawn: BoolArray,
    soup: _Soup,
    sun: _Sun,
) -> Array:
    """Return linear colours of the pixels where solids were drawn."""
    points = view.eye + rays * (-1.0 / buffers.depth[drawn])[:, None]
    normals = buffers.normal[drawn]
    normals = normals / np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    towards = -rays / np.linalg.norm(rays, axis=1, keepdims=True)
    back = np.einsum("ij,ij->i", normals, towards) < 0
    normals[back] *= -1
    facing = np.clip(normals @ sun.towards, 0.0, 1.0)
    light = facing * sun.light(points, facing)
    sky = 0.5 + 0.5 * (normals @ scene.up)
    half = towards + sun.towards
    half /= np.linalg.norm(half, axis=1, keepdims=True)
    gleam = np.clip(np.einsum("ij,ij->i", normals, half), 0, 1) ** 48 * light * 0.2
    low, high = np.array([0.20, 0.21, 0.24]), np.array([0.42, 0.45, 0.50])
    ambient = low + (high - low) * sky[:, None]
    color: Array = soup.colors[buffers.ident[drawn]] * (ambient + 0.78 * light[:, None])
    color += gleam[:, None]
    return color


def _edges(buffers: Buffers, distance: float) -> BoolArray:
    """Return the pixels of outlines: where the thing, its depth or its normal changes."""
    edges = np.zeros(buffers.ident.shape, np.bool_)
    away = np.where(buffers.ident >= 0, -1.0 / buffers.depth, np.inf)
    for here, there in (
        ((slice(None, -1), slice(None)), (slice(1, None), slice(None))),
        ((slice(None), slice(None, -1)), (slice(None), slice(1, None))),
    ):
        either = (buffers.ident[here] >= 0) | (buffers.ident[there] >= 0)
        other = buffers.ident[here] != buffers.ident[there]
        with np.errstate(invalid="ignore"):
            jump = np.abs(away[here] - away[there]) > 0.02 * distance
        crease = np.einsum("ijk,ijk->ij", buffers.normal[here], buffers.normal[there]) < 0.6
        change = either & (other | jump | crease)
        # Drawn on the nearer side, so that an outline belongs to the thing in front.
        near = away[here] <= away[there]
        edges[here] |= change & near
        edges[there] |= change & ~near
    return edges
