"""A recording, or a front of postures, as one HTML file: a scene to turn, plots, events.

Everything is in the file, the drawing code too, so that it opens offline and from a folder; its
own policy forbids any request. The same recording gives the same bytes. A front has its postures
in their room, what each costs, and a slider.
"""

from __future__ import annotations

import base64
import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import numpy.typing as npt

from articulata.errors import ArticulataError, FormatError
from articulata.records.events import shown_in
from articulata.records.header import versions
from articulata.records.observed import VIEW_ANGLES
from articulata.records.quantities import HINGE_FORCE
from articulata.records.recording import Recording
from articulata.report.accounts import accounts
from articulata.report.arrows import LONGEST, arrows_of
from articulata.report.colors import JOINT
from articulata.report.drawn_scene import PART, Scene, extent, scene_of
from articulata.report.front_tables import recording_of
from articulata.report.picture import clearest_azimuth
from articulata.report.plots import default_paths, without_idle_causes
from articulata.world.document import call_of

if TYPE_CHECKING:
    from articulata.records.posture_fronts import Front

COMMON = ("data.js", "camera.js", "arrows.js", "scene.js", "sheet.js")


def sheet(name: str, scripts: tuple[str, ...], data: dict[str, Any], **shown: object) -> str:
    """Return the page of the template ``name``, with the ``scripts`` that follow the common ones.

    ``data`` is what the scripts read, ``shown`` what the template shows.
    """
    import jinja2

    folder = files(__package__)
    environment = jinja2.Environment(
        autoescape=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        loader=jinja2.FunctionLoader(lambda each: folder.joinpath(each).read_text("utf-8")),
    )
    script = "\n".join(folder.joinpath(each).read_text("utf-8") for each in COMMON + scripts)
    # In a script element only "</" could end the element early; JSON may write it as "<\/".
    recording = msgspec.json.encode(data).decode().replace("<", "\\u003c")
    return environment.get_template(name).render(
        version=versions()["articulata"],
        recording=_Raw(recording),
        script=_Raw(f'"use strict";\n{script}'),
        **shown,
    )


class _Raw(str):
    """Text that the template takes as it is: its own script and data that is already escaped."""

    __slots__ = ()

    def __html__(self) -> str:
        return str(self)


SCRIPTS = ("plot.js", "happenings.js", "replay.js")

MOST_ACCOUNTS = 2000
"""Events that are explained, the first ones: as many as are listed."""


def page(
    recording: Recording,
    paths: Sequence[str] | None = None,
    *,
    every: float | None = None,
    title: str | None = None,
    first: Sequence[str] = (),
) -> str:
    """Return the page of ``recording``.

    ``paths`` choose the plots, None takes ``first``, on which the page opens, and what is usual;
    ``every`` (s) leaves out frames between.
    """
    frames = _frames(recording, every)
    data = data_of(recording, paths, frames, scene_of(recording, frames), first)
    return sheet(
        "replay.html",
        SCRIPTS,
        data,
        film=data["film"] is not None,
        title=title or call_of(recording.world),
        subtitle=_subtitle(recording),
        damage=recording.damage,
    )


def _subtitle(recording: Recording) -> str:
    header, times = recording.header, recording.times
    parts = [f"{len(times)} frames, {times[0]:g} to {times[-1]:g} s"]
    if header.method:
        parts.append(header.method)
    if header.step:
        parts.append(f"step {header.step:g} s")
    if recording.shortfall:
        parts.append(recording.shortfall)
    return " \u00b7 ".join(parts)


def _text(array: npt.NDArray[np.generic], dtype: str) -> str:
    """Return an array as base64 of little-endian numbers."""
    return base64.b64encode(np.ascontiguousarray(array).astype(dtype).tobytes()).decode("ascii")


def check_interval(every: float | None) -> None:
    """Raise FormatError where frames cannot be ``every`` (s) apart."""
    if every is not None and not 0.0 < every < math.inf:
        raise FormatError(f"frames cannot be {every:g} s apart; give more than 0 s, as in 0.04")


def _frames(recording: Recording, every: float | None) -> list[int]:
    """Return the frames to show: all, or at least ``every`` s apart, the last one always."""
    times = recording.times
    check_interval(every)
    if every is None or not len(times):
        return list(range(len(times)))
    chosen = [0]
    for number, time in enumerate(times):
        # Rounding in t = n * step must not skip a frame.
        if time - times[chosen[-1]] >= every * (1 - 1e-9):
            chosen.append(number)
    if chosen[-1] != len(times) - 1:
        chosen.append(len(times) - 1)
    return chosen


def data_of(
    recording: Recording,
    paths: Sequence[str] | None,
    frames: list[int],
    scene: Scene,
    first: Sequence[str] = (),
) -> dict[str, object]:
    """Return what the scripts of a page read: the scene of some frames, plots and events."""
    moving = [
        number
        for number in range(len(scene.order))
        if (scene.poses[:, number] != scene.poses[0, number]).any()
        or not scene.present[:, number].all()
    ]
    present = scene.present[:, moving]
    lives = _lives(recording, frames)
    return {
        "scene": _scene(scene),
        "times": _text(scene.times, "<f8"),
        "moving": len(moving),
        "poses": _text(scene.poses[:, moving], "<f4"),
        "present": None if present.all() else _text(present, "|u1"),
        "bodies": _bodies(scene, moving),
        "joints": [
            {
                "body": scene.number(joint.body),
                "point": list(joint.point),
                "mesh": scene.joint_surface,
                "color": [part / 255 for part in JOINT],
                "frames": lives.get(joint.hinge),
            }
            for joint in scene.joints
        ],
        "meshes": [
            {
                "vertices": _text(surface.vertices, "<f4"),
                "normals": _text(surface.normals, "<f4"),
                "triangles": _text(surface.triangles, "<u4"),
            }
            for surface in scene.surfaces
        ],
        "arrows": _arrows(recording, frames),
        "events": [
            {"time": event.time, "kind": event.kind, "who": event.who, "story": event.story}
            for event, _ in (shown_in(recording.world.units, each) for each in recording.events)
        ],
        "accounts": [
            {"rows": told.rows, "chain": told.chain} for told in accounts(recording, MOST_ACCOUNTS)
        ],
        "series": _series(recording, paths, frames, first),
        "film": _film(recording, frames, scene),
    }


def _film(recording: Recording, frames: list[int], scene: Scene) -> dict[str, object] | None:
    """Return the body that is a film's camera, its angles of view upwards, its picture's aspect."""
    channel = recording.channels.get(VIEW_ANGLES)
    if channel is None:
        return None
    angles = np.array(recording.array(VIEW_ANGLES))[frames, 0]
    across, upwards = np.tan(0.5 * angles[0])
    return {
        "body": scene.number(channel.labels[0]),
        "upwards": _text(angles[:, 1], "<f8"),
        "aspect": float(across / upwards),
    }


def _bodies(scene: Scene, moving: list[int]) -> list[dict[str, object]]:
    """Return the bodies of a scene; those that move have a slot in its poses."""
    slots = {number: slot for slot, number in enumerate(moving)}
    surface_of = {item.body: item for item in scene.items}
    bodies = []
    for number, body in enumerate(scene.order):
        item = surface_of.get(body)
        bodies.append(
            {
                "name": body.partition(PART)[0],
                "mesh": None if item is None else item.surface,
                "color": [0.5, 0.5, 0.5] if item is None else [part / 255 for part in item.color],
                "slot": slots.get(number),
                "pose": None if number in slots else scene.poses[0, number].tolist(),
            }
        )
    return bodies


def _lives(recording: Recording, frames: list[int]) -> dict[str, tuple[int, int]]:
    """Return the first and last of ``frames`` in which a hinge holds, of those that do not always.

    A mark of a hinge that has broken would stay on the body.
    """
    number = 0
    held: dict[str, list[int]] = {}
    for segment in recording.segments:
        channel = segment.channels.get(HINGE_FORCE)
        for hinge in () if channel is None else channel.labels:
            held.setdefault(hinge, []).extend((number, number + len(segment.times) - 1))
        number += len(segment.times)
    ends = {hinge: (min(each), max(each)) for hinge, each in held.items()}
    return {
        hinge: (bisect_left(frames, first), bisect_right(frames, last) - 1)
        for hinge, (first, last) in ends.items()
        if (first, last) != (0, number - 1)
    }


def _arrows(recording: Recording, frames: list[int]) -> list[dict[str, object]]:
    return [
        {
            "kind": arrows.kind,
            "label": arrows.label,
            "color": [part / 255 for part in arrows.color],
            "usual": arrows.usual,
            "count": arrows.values.shape[1],
            "longest": LONGEST,
            "values": _text(arrows.values[frames], "<f4"),
        }
        for arrows in arrows_of(recording)
        if arrows.usual > 0
    ]


def _scene(scene: Scene) -> dict[str, object]:
    # A cell of the grid is a round length, some ten across what is seen.
    raw = scene.radius / 5
    power = 10.0 ** np.floor(np.log10(raw))
    cell = power * max(step for step in (1, 2, 5) if step * power <= raw * 1.0001)
    return {
        "up": scene.up.tolist(),
        "ahead": scene.ahead.tolist(),
        "center": scene.center.tolist(),
        "radius": scene.radius,
        "ground": scene.ground,
        "cell": float(cell),
    }


def _series(
    recording: Recording, paths: Sequence[str] | None, frames: list[int], first: Sequence[str]
) -> list[dict[str, object]]:
    found: list[dict[str, object]] = []
    usual = dict.fromkeys((*first, *default_paths(recording)))
    for path in usual if paths is None else paths:
        try:
            quantity = recording.quantity(path).shown_in(recording.world.units)
            quantity = without_idle_causes(quantity, recording)
        except ArticulataError:
            if paths is not None:
                raise
            continue
        if not quantity.values.size:
            continue
        found.append(
            {
                "name": quantity.path,
                "unit": quantity.unit,
                "parts": list(quantity.parts or (quantity.path,)),
                "values": _text(quantity.values[frames], "<f8"),
            }
        )
    return found


MOST_IMAGE = 600
"""Dots of what else is attainable."""


def page_of_front(front: Front, title: str) -> str:
    """Return the page of a front; RecordingError where it was asked of a figure without a world."""
    recording = recording_of(front)
    scene = scene_of(recording)
    shown = data_of(recording, (), list(range(len(front))), scene)
    return sheet(
        "front.html",
        ("front.js",),
        shown | _front(front) | {"near": _near(scene, front.chosen)},
        title=title,
        subtitle=front.summary(),
        targets="; ".join(front.targets),
    )


def _near(scene: Scene, frame: int) -> dict[str, object] | None:
    """Return the sphere about what moves and from where it is seen, None where nothing moves."""
    moving = np.ptp(scene.poses, axis=0).max(axis=-1) > 1e-3
    numbers = np.flatnonzero([moving[scene.number(each.body)] for each in scene.items])
    if not len(numbers):
        return None
    items = [scene.items[number] for number in numbers]
    low, high = extent(items, scene.surfaces, scene.order, scene.poses, scene.present)
    center, radius = (low + high) / 2, float(np.linalg.norm(high - low)) / 2
    azimuth = clearest_azimuth(scene, frame, numbers, center, radius)
    return {"center": center.tolist(), "radius": radius, "azimuth": azimuth}


def _front(front: Front) -> dict[str, object]:
    moved = np.flatnonzero(np.ptp(np.vstack([front.q, front.start]), axis=0) > 1e-9)
    scale = np.where([unit == "m" for unit in front.units], 100.0, 180.0 / np.pi)
    return {
        "aims": [
            {"name": aim.name, "unit": "" if aim.unit == "1" else aim.unit, "high": aim.high,
             "source": aim.source}
            for aim in front.aims
        ],
        "values": front.values.tolist(),
        "utopia": front.utopia.tolist(),
        "image": front.image[:: max(1, len(front.image) // MOST_IMAGE)].tolist(),
        "labels": list(front.labels),
        "binds": list(front.binds),
        "knee": front.knee,
        "chosen": front.chosen,
        "coordinates": [
            {"name": front.names[i], "unit": "cm" if front.units[i] == "m" else "deg",
             "values": (front.q[:, i] * scale[i]).round(2).tolist()}
            for i in moved
        ],
    }  # fmt: skip
