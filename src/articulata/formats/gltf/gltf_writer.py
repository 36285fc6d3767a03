"""Moving frames and cameras as one glTF 2.0 file; a scene as another (``.glb``).

Each frame is a node at the top with its translation and rotation (x, y, z, w) as key frames,
linear between; a camera looks along -z of its node, y up, as everywhere here. Units are metres,
seconds and radians (sections 3.10 and 3.11). A scene has a node with a mesh for each body, cameras
and base colours.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from articulata.errors import FormatError
from articulata.formats.gltf.animations import POINTER
from articulata.formats.scenes.foreign_scene import Scene, triangles_of
from articulata.formats.scenes.scene_motion import SceneMotion
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.quaternion import q_from_matrix
from articulata.world.values import Vector3

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


_INDEX: Final = 5125
_JSON, _BINARY, _MAGIC = 0x4E4F534A, 0x004E4942, 0x46546C67


def write_glb(scene: Scene) -> bytes:
    """Return a scene as the bytes of a ``.glb``; positions are float32, as the format has them.

    Masses, hinges and what touches without being seen are counted as lost.
    """
    made = _File()
    for view in scene.views:
        lens = {"type": "perspective", "name": view.name,
                "perspective": {"yfov": view.upwards, "znear": 0.01}}  # fmt: skip
        made.cameras.append(lens)
        made.node(view.name, view.X_WC, {"camera": len(made.cameras) - 1}, view.motion)
    for part in scene.parts:
        for what, there in (
            ("mass", part.mass is not None), ("hinge", part.joint is not None),
            ("shape that touches under a look", bool(part.look and part.shape)),
            ("what a primitive is (written as triangles)", part.look or part.shape),
        ):  # fmt: skip
            if there:
                scene.lost[what] += 1
        seen = part.look or part.shape
        carried = {} if seen is None else {"mesh": made.mesh(*triangles_of(seen), part.color)}
        made.node(part.name, part.X_WP, carried, part.motion)
    return made.whole()


class _File:
    """The lists that a file is made of, whose entries name each other by number."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.nodes: list[dict[str, Any]] = []
        self.cameras: list[dict[str, Any]] = []
        self.meshes: list[dict[str, Any]] = []
        self.materials: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []
        self.views: list[dict[str, Any]] = []
        self.known: dict[Vector3, int] = {}
        self.samplers: list[dict[str, Any]] = []
        self.channels: list[dict[str, Any]] = []

    def node(
        self, name: str, X: Array, carried: dict[str, int], motion: SceneMotion | None
    ) -> None:  # fmt: skip
        """Take a node where it stands, and what moves it."""
        if motion is not None:
            turns = _continuous(q_from_matrix(motion.poses[:, :3, :3]))[:, [1, 2, 3, 0]]
            clock = np.ascontiguousarray(motion.times[:, None], "<f4")
            for k in range(1, len(clock)):  # a jump is short for float32
                clock[k] = max(clock[k], np.nextafter(clock[k - 1], np.float32(np.inf)))
            number = self._put(clock, "SCALAR", _FLOAT)
            self.accessors[number] |= {
                "min": clock.min(axis=0).tolist(), "max": clock.max(axis=0).tolist()
            }  # fmt: skip
            for path, values, kind in (
                ("translation", motion.poses[:, :3, 3], "VEC3"), ("rotation", turns, "VEC4")
            ):  # fmt: skip
                output = self._put(np.ascontiguousarray(values, "<f4"), kind, _FLOAT)
                target = {"node": len(self.nodes), "path": path}
                self.channels.append({"sampler": len(self.samplers), "target": target})
                self.samplers.append({"input": number, "output": output})
        w, x, y, z = (float(each) for each in q_from_matrix(X[:3, :3]))
        place = {"translation": X[:3, 3].tolist(), "rotation": [x, y, z, w]}
        self.nodes.append({"name": name, **place, **carried})

    def mesh(self, vertices: Array, faces: IntArray, color: Vector3 | None) -> int:
        points = np.ascontiguousarray(vertices, "<f4")
        position = self._put(points, "VEC3", _FLOAT)
        self.accessors[position] |= {
            "min": points.min(axis=0).tolist(),
            "max": points.max(axis=0).tolist(),
        }
        index = self._put(np.ascontiguousarray(faces, "<u4").reshape(-1, 1), "SCALAR", _INDEX)
        primitive: dict[str, Any] = {"attributes": {"POSITION": position}, "indices": index}
        if color is not None:
            primitive["material"] = self._material(color)
        self.meshes.append({"primitives": [primitive]})
        return len(self.meshes) - 1

    def _material(self, color: Vector3) -> int:
        if color not in self.known:
            screen = np.array(color)
            light = np.where(screen <= 0.04045, screen / 12.92, ((screen + 0.055) / 1.055) ** 2.4)
            looks = {"baseColorFactor": [*light.tolist(), 1.0], "metallicFactor": 0.0}
            self.materials.append({"pbrMetallicRoughness": looks, "doubleSided": True})
            self.known[color] = len(self.materials) - 1
        return self.known[color]

    def _put(self, values: Any, kind: str, component: int) -> int:
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": values.nbytes}
        self.views.append(view)
        self.data += values.tobytes()
        self.accessors.append(
            {
                "bufferView": len(self.views) - 1, "componentType": component,
                "count": len(values), "type": kind,
            }
        )  # fmt: skip
        return len(self.accessors) - 1

    def whole(self) -> bytes:
        """Return the file: its JSON and its numbers, each padded to four bytes."""
        tree: dict[str, Any] = {"asset": {"version": "2.0", "generator": "Articulata"}}
        lists = {
            "nodes": self.nodes, "cameras": self.cameras, "meshes": self.meshes,
            "materials": self.materials, "accessors": self.accessors, "bufferViews": self.views,
        }  # fmt: skip
        tree |= {name: each for name, each in lists.items() if each}
        if self.channels:
            moves = {"name": "moves", "samplers": self.samplers, "channels": self.channels}
            tree["animations"] = [moves]
        if self.nodes:
            tree |= {"scene": 0, "scenes": [{"nodes": list(range(len(self.nodes)))}]}
        parts = []
        if self.data:
            tree["buffers"] = [{"byteLength": len(self.data)}]
            parts = [(_BINARY, bytes(self.data) + b"\0" * (-len(self.data) % 4))]
        text = json.dumps(tree).encode()
        body = b"".join(
            struct.pack("<II", len(each), kind) + each
            for kind, each in [(_JSON, text + b" " * (-len(text) % 4)), *parts]
        )
        return struct.pack("<III", _MAGIC, 2, 12 + len(body)) + body
