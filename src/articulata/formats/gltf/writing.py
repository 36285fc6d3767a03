"""Moving frames and cameras as one glTF 2.0 file.

Each frame is a node at the top with its translation and rotation (x, y, z, w) as key frames,
linear between; a camera looks along -z of its node, y up, as everywhere here. Units are metres,
seconds and radians (sections 3.10 and 3.11).
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from articulata.errors import FormatError
from articulata.formats.gltf.animations import POINTER
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_from_matrix

_FLOAT: Final = 5126
_PREFIX: Final = "data:application/octet-stream;base64,"


def write_animation(
    times: Array,
    frames: Mapping[str, Array],
    cameras: Mapping[str, tuple[float, float]],
    *,
    near: float = 0.01,
    zooms: Mapping[str, Array] | None = None,
) -> str:
    """Return the text of a ``.gltf`` with ``frames`` X_WF (n, 4, 4) at ``times`` (n,) s.

    ``cameras`` gives the angle of view upwards (rad) and the width over the height by the names of
    the frames that carry one; ``zooms`` angles (n,) of those that zoom, which
    KHR_animation_pointer moves. Data is inside the file, in float32 as the format has it.
    """
    count = len(times)
    for name, X in frames.items():
        if X.shape != (count, 4, 4) or not np.isfinite(X).all():
            raise FormatError(f"frame '{name}' has poses {X.shape}; {count} finite ones are due")
    strange = [name for name in cameras if name not in frames]
    if strange:
        raise FormatError(f"there is no frame '{strange[0]}' for a camera to sit on")
    made = _Animation(times)
    for name, X in frames.items():
        made.move(name, X, made.lens(name, *cameras[name], near) if name in cameras else None)
    for name, angles in (zooms or {}).items():
        if np.ptp(angles) > 0.0:
            made.zoom(name, angles)
    return json.dumps(made.whole()) + "\n"


class _Animation:
    """The lists that a glTF file is made of, whose entries name each other by number."""

    def __init__(self, times: Array) -> None:
        self._count = len(times)
        self._data = bytearray()
        self._views: list[dict[str, Any]] = []
        self._accessors: list[dict[str, Any]] = []
        self._nodes: list[dict[str, Any]] = []
        self._samplers: list[dict[str, Any]] = []
        self._channels: list[dict[str, Any]] = []
        self._lenses: list[dict[str, Any]] = []
        self._pointed = False
        self._clock = self._put(np.asarray(times, float), "SCALAR")

    def lens(self, name: str, upwards: float, aspect: float, near: float) -> int:
        """Take a camera; return its number."""
        lens = {"yfov": upwards, "aspectRatio": aspect, "znear": near}
        self._lenses.append({"type": "perspective", "name": name, "perspective": lens})
        return len(self._lenses) - 1

    def move(self, name: str, X: Array, lens: int | None) -> None:
        """Take a node that moves as ``X`` (n, 4, 4), with the camera ``lens`` on it."""
        node: dict[str, Any] = {"name": name} | ({} if lens is None else {"camera": lens})
        number = len(self._nodes)
        self._nodes.append(node)
        turns = _continuous(q_from_matrix(X[:, :3, :3]))[:, [1, 2, 3, 0]]
        for path, values, kind in (
            ("translation", X[:, :3, 3], "VEC3"),
            ("rotation", turns, "VEC4"),
        ):
            node[path] = np.asarray(values[0], np.float32).astype(float).tolist()
            self._drive(values, kind, {"node": number, "path": path})

    def zoom(self, name: str, angles: Array) -> None:
        """Take the angles (n,) rad of a camera that zooms."""
        place = next(k for k, each in enumerate(self._lenses) if each["name"] == name)
        pointer = {"pointer": f"/cameras/{place}/perspective/yfov"}
        target = {"path": "pointer", "extensions": {POINTER: pointer}}
        self._drive(angles, "SCALAR", target)
        self._pointed = True

    def whole(self) -> dict[str, Any]:
        """Return the file's content."""
        data = base64.b64encode(bytes(self._data)).decode()
        moves = {"name": "move", "samplers": self._samplers, "channels": self._channels}
        made: dict[str, Any] = {
            "asset": {"version": "2.0", "generator": "Articulata"},
            "scene": 0,
            "scenes": [{"nodes": list(range(len(self._nodes)))}],
            "nodes": self._nodes,
            "animations": [moves],
            "accessors": self._accessors,
            "bufferViews": self._views,
            "buffers": [{"byteLength": len(self._data), "uri": _PREFIX + data}],
        }
        if self._lenses:
            made["cameras"] = self._lenses
        if self._pointed:
            made["extensionsUsed"] = [POINTER]
        return made

    def _drive(self, values: Array, kind: str, target: dict[str, Any]) -> None:
        """Let ``values`` (n, ...) move ``target``, linear between key frames."""
        output = self._put(values, kind)
        self._channels.append({"sampler": len(self._samplers), "target": target})
        self._samplers.append({"input": self._clock, "output": output, "interpolation": "LINEAR"})

    def _put(self, values: Array, kind: str) -> int:
        """Pack ``values`` (n, ...) as float32; return the number of their accessor."""
        packed = np.ascontiguousarray(values, "<f4")
        self._views.append(
            {"buffer": 0, "byteOffset": len(self._data), "byteLength": packed.nbytes}
        )
        flat = packed.reshape(self._count, -1)
        self._accessors.append(
            {
                "bufferView": len(self._views) - 1,
                "componentType": _FLOAT,
                "count": self._count,
                "type": kind,
                "min": flat.min(axis=0).tolist(),
                "max": flat.max(axis=0).tolist(),
            }
        )
        self._data.extend(packed.tobytes())
        return len(self._accessors) - 1


def _continuous(q: Array) -> Array:
    """Return quaternions (n, 4) with signs such that each is near the one before."""
    dots = np.sum(q[1:] * q[:-1], axis=1)
    signs = np.cumprod(np.append(1.0, np.where(dots < 0.0, -1.0, 1.0)))
    return np.asarray(q * signs[:, None])
