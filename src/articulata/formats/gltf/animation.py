"""Moving frames and cameras as one glTF 2.0 file, and a camera's move read from one.

Each frame is a node at the top with its translation and rotation (x, y, z, w) as key frames,
linear between; a camera looks along -z of its node, y up, as everywhere here. Units are metres,
seconds and radians. Specification: Khronos glTF 2.0, sections 3.10 (cameras) and 3.11 (animations).
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from articulata.errors import FormatError
from articulata.geometry.arrays import Array, Float64
from articulata.geometry.quaternion import q_from_matrix, q_to_matrix

_FLOAT: Final = 5126
_PREFIX: Final = "data:application/octet-stream;base64,"
_MAGIC: Final = 0x46546C67
_POINTER: Final = "KHR_animation_pointer"
"""The extension that animates what is no node's: an angle of view."""


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
        target = {"path": "pointer", "extensions": {_POINTER: pointer}}
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
            made["extensionsUsed"] = [_POINTER]
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


def read_camera(
    data: bytes, name: str = "the file"
) -> tuple[Array, Array, Float64[Array, "n"] | None]:
    """Return times (n,) s and X_WC (n, 4, 4) of the first camera that moves in a glTF file.

    Third comes its angle of view upwards (n,) rad, as KHR_animation_pointer moves it or as it
    stands; None where it is no perspective.

    ``.gltf`` with its data inside, or ``.glb``. Key frames of the camera's own node at the top of
    the scene are read; where translation and rotation have times of their own, all of both.
    """
    try:
        text, binary = _parts(data)
        tree = json.loads(text)
        number = next(k for k, node in enumerate(tree["nodes"]) if "camera" in node)
        zoom = f"/cameras/{tree['nodes'][number]['camera']}/perspective/yfov"
        if any(number in node.get("children", ()) for node in tree["nodes"]):
            raise FormatError(f"{name}: its camera hangs on another node; bake its move first")
        tracks = {}
        for animation in tree["animations"]:
            for channel in animation["channels"]:
                target = channel["target"]
                if target.get("node") == number or _pointed(target) == zoom:
                    sampler = animation["samplers"][channel["sampler"]]
                    if sampler.get("interpolation", "LINEAR") == "CUBICSPLINE":
                        raise FormatError(f"{name}: cubic key frames; export sampled ones")
                    tracks[target["path"]] = (
                        _values(tree, binary, sampler["input"], 1)[:, 0],
                        _values(tree, binary, sampler["output"], 0),
                    )
        node = tree["nodes"][number]
        upwards = tree["cameras"][node["camera"]].get("perspective", {}).get("yfov")
        if not tracks:
            raise FormatError(f"{name}: its camera does not move")
    except FormatError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, StopIteration, struct.error) as error:
        raise FormatError(
            f"{name} holds no camera that moves ({type(error).__name__}: {error}); give a glTF 2.0 "
            "file with its data inside"
        ) from error
    times = np.unique(np.concatenate([t for t, _ in tracks.values()]))
    X = np.tile(np.eye(4), (len(times), 1, 1))
    rest = {"translation": [0.0, 0.0, 0.0], "rotation": [0.0, 0.0, 0.0, 1.0]}
    for path in rest:
        t, values = tracks.get(path, (times[:1], np.array([node.get(path, rest[path])], float)))
        if path == "rotation":
            values = _continuous(values)
        at = np.column_stack([np.interp(times, t, column) for column in values.T])
        if path == "translation":
            X[:, :3, 3] = at
        else:
            at /= np.linalg.norm(at, axis=1, keepdims=True)
            X[:, :3, :3] = q_to_matrix(at[:, [3, 0, 1, 2]])
    if upwards is None:
        return times, X, None
    t, values = tracks.get("pointer", (times[:1], np.array([[upwards]], float)))
    return times, X, np.asarray(np.interp(times, t, values[:, 0]))


def _pointed(target: Any) -> str:
    """Return what of the file a channel's target points to, "" where it is a node."""
    pointer: str = target.get("extensions", {}).get(_POINTER, {}).get("pointer", "")
    return pointer


def _parts(data: bytes) -> tuple[bytes, bytes]:
    """Return the JSON of a file and its binary part, empty where there is none."""
    if len(data) < 12 or struct.unpack_from("<I", data)[0] != _MAGIC:
        return data, b""
    (length,) = struct.unpack_from("<I", data, 12)
    rest = 20 + length
    return data[20:rest], data[rest + 8 :]


def _values(tree: Any, binary: bytes, number: int, columns: int) -> Array:
    accessor = tree["accessors"][number]
    if accessor["componentType"] != _FLOAT or "sparse" in accessor:
        raise FormatError("key frames are float32 here; export them so")
    view = tree["bufferViews"][accessor["bufferView"]]
    uri = tree["buffers"][view["buffer"]].get("uri")
    if uri is not None and not uri.startswith("data:"):
        raise FormatError(f"its data is in another file, '{uri}'; export one file")
    whole = binary if uri is None else base64.b64decode(uri.partition(",")[2], validate=True)
    width = columns or {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
    begin = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
    if view.get("byteStride", 4 * width) != 4 * width:
        raise FormatError("its key frames are interleaved; export them one after another")
    found = np.frombuffer(whole, "<f4", accessor["count"] * width, begin)
    return found.reshape(-1, width).astype(float)


def _continuous(q: Array) -> Array:
    """Return quaternions (n, 4) with signs such that each is near the one before."""
    dots = np.sum(q[1:] * q[:-1], axis=1)
    signs = np.cumprod(np.append(1.0, np.where(dots < 0.0, -1.0, 1.0)))
    return np.asarray(q * signs[:, None])
