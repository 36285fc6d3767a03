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
    data = bytearray()
    views: list[dict[str, Any]] = []
    accessors: list[dict[str, Any]] = []

    def put(values: Array, kind: str) -> int:
        packed = np.ascontiguousarray(values, "<f4")
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": packed.nbytes})
        flat = packed.reshape(count, -1)
        accessors.append(
            {
                "bufferView": len(views) - 1,
                "componentType": _FLOAT,
                "count": count,
                "type": kind,
                "min": flat.min(axis=0).tolist(),
                "max": flat.max(axis=0).tolist(),
            }
        )
        data.extend(packed.tobytes())
        return len(accessors) - 1

    clock = put(np.asarray(times, float), "SCALAR")
    nodes: list[dict[str, Any]] = []
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    lenses: list[dict[str, Any]] = []
    for name, X in frames.items():
        node: dict[str, Any] = {"name": name}
        if name in cameras:
            upwards, aspect = cameras[name]
            lens = {"yfov": upwards, "aspectRatio": aspect, "znear": near}
            node["camera"] = len(lenses)
            lenses.append({"type": "perspective", "name": name, "perspective": lens})
        turns = _continuous(q_from_matrix(X[:, :3, :3]))[:, [1, 2, 3, 0]]
        for path, values, kind in (
            ("translation", X[:, :3, 3], "VEC3"),
            ("rotation", turns, "VEC4"),
        ):
            node[path] = np.asarray(values[0], np.float32).astype(float).tolist()
            samplers.append(
                {"input": clock, "output": put(values, kind), "interpolation": "LINEAR"}
            )
            channels.append(
                {"sampler": len(samplers) - 1, "target": {"node": len(nodes), "path": path}}
            )
        nodes.append(node)
    pointed = {name: each for name, each in (zooms or {}).items() if np.ptp(each) > 0.0}
    for name, angles in pointed.items():
        place = next(k for k, each in enumerate(lenses) if each["name"] == name)
        samplers.append(
            {"input": clock, "output": put(angles, "SCALAR"), "interpolation": "LINEAR"}
        )
        pointer = {"pointer": f"/cameras/{place}/perspective/yfov"}
        target = {"path": "pointer", "extensions": {_POINTER: pointer}}
        channels.append({"sampler": len(samplers) - 1, "target": target})
    made: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "Articulata"},
        "scene": 0,
        "scenes": [{"nodes": list(range(len(nodes)))}],
        "nodes": nodes,
        "animations": [{"name": "move", "samplers": samplers, "channels": channels}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [
            {"byteLength": len(data), "uri": _PREFIX + base64.b64encode(bytes(data)).decode()}
        ],
    }
    if lenses:
        made["cameras"] = lenses
    if pointed:
        made["extensionsUsed"] = [_POINTER]
    return json.dumps(made) + "\n"


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
