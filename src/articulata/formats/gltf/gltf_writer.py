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
from collections import defaultdict
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
_VERTICES, _CORNERS = 34962, 34963
"""What a view of a buffer is to a graphics card (``target``)."""
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
    made = _File()
    clock = made.put(np.reshape(times, (-1, 1)), "SCALAR")
    for name, X in frames.items():
        carried = {}
        if name in cameras:
            upwards, aspect = cameras[name]
            carried = made.camera(name, {"yfov": upwards, "aspectRatio": aspect, "znear": near})
        made.move(made.node(name, X[0], carried), X, clock)
    for name, angles in (zooms or {}).items():
        if np.ptp(angles) > 0.0:
            place = next(k for k, lens in enumerate(made.lists["cameras"]) if lens["name"] == name)
            pointer = {"pointer": f"/cameras/{place}/perspective/yfov"}
            target = {"path": "pointer", "extensions": {POINTER: pointer}}
            made.drive(clock, angles, "SCALAR", target)
            made.lists["extensionsUsed"] = [POINTER]
    data = base64.b64encode(bytes(made.data)).decode()
    tree = made.tree("move")
    tree["buffers"] = [{"byteLength": len(made.data), "uri": _PREFIX + data}]
    return json.dumps(tree) + "\n"


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
    scene.count_forces()
    for view in scene.views:
        carried = made.camera(view.name, {"yfov": view.upwards, "znear": 0.01})
        made.moving(made.node(view.name, view.X_WC, carried), view.motion)
        if view.zoom is not None:
            scene.lost["zoom of a camera"] += 1
    for part in scene.parts:
        seen = scene.seen(part)
        carried = {}
        if seen is not None:
            scene.lost["what a primitive is (written as triangles)"] += 1
            carried = {"mesh": made.mesh(*triangles_of(seen), part.color)}
        made.moving(made.node(part.name, part.X_WP, carried), part.motion)
    return made.whole()


class _File:
    """The lists that a file is made of, whose entries name each other by number."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.lists: defaultdict[str, list[Any]] = defaultdict(list)
        self.moves: dict[str, list[Any]] = {"samplers": [], "channels": []}
        self.materials: dict[Vector3, int] = {}

    def add(self, what: str, entry: Any) -> int:
        """Add to a list at the top of the tree; return the entry's number."""
        self.lists[what].append(entry)
        return len(self.lists[what]) - 1

    def camera(self, name: str, lens: dict[str, float]) -> dict[str, int]:
        """Take a camera; return what its node carries."""
        told = {"type": "perspective", "name": name, "perspective": lens}
        return {"camera": self.add("cameras", told)}

    def node(self, name: str, X: Array, carried: dict[str, int]) -> int:
        """Take a node where it stands; return its number."""
        w, *v = q_from_matrix(X[:3, :3]).tolist()
        place = {"translation": X[:3, 3].tolist(), "rotation": [*v, w]}
        return self.add("nodes", {"name": name, **place, **carried})

    def moving(self, node: int, motion: SceneMotion | None) -> None:
        """Let a node move, in its own time."""
        if motion is None:
            return
        clock = np.ascontiguousarray(motion.times[:, None], "<f4")
        for k in range(1, len(clock)):  # a jump is short for float32
            clock[k] = max(clock[k], np.nextafter(clock[k - 1], np.float32(np.inf)))
        self.move(node, motion.poses, self.put(clock, "SCALAR"))

    def move(self, node: int, X: Array, clock: int) -> None:
        """Let a node move as ``X`` (n, 4, 4) at the times of a ``clock``."""
        turns = _continuous(q_from_matrix(X[:, :3, :3]))[:, [1, 2, 3, 0]]
        for path, values, kind in (
            ("translation", X[:, :3, 3], "VEC3"), ("rotation", turns, "VEC4"),
        ):  # fmt: skip
            self.drive(clock, values, kind, {"node": node, "path": path})

    def drive(self, clock: int, values: Array, kind: str, target: dict[str, Any]) -> None:
        """Let ``values`` (n, ...) move ``target``, linear between key frames."""
        output = self.put(values, kind)
        samplers, channels = self.moves["samplers"], self.moves["channels"]
        channels.append({"sampler": len(samplers), "target": target})
        samplers.append({"input": clock, "output": output, "interpolation": "LINEAR"})

    def mesh(self, vertices: Array, faces: IntArray, color: Vector3 | None) -> int:
        """Take triangles; return the mesh's number."""
        position = self.put(vertices, "VEC3")
        index = self.put(np.reshape(faces, (-1, 1)), "SCALAR", "<u4")
        for view, target in ((position, _VERTICES), (index, _CORNERS)):
            self.lists["bufferViews"][view]["target"] = target
        primitive: dict[str, Any] = {"attributes": {"POSITION": position}, "indices": index}
        if color is not None:
            primitive["material"] = self._material(color)
        return self.add("meshes", {"primitives": [primitive]})

    def _material(self, color: Vector3) -> int:
        if color not in self.materials:
            screen = np.array(color)
            light = np.where(screen <= 0.04045, screen / 12.92, ((screen + 0.055) / 1.055) ** 2.4)
            looks = {"baseColorFactor": [*light.tolist(), 1.0], "metallicFactor": 0.0}
            told = {"pbrMetallicRoughness": looks, "doubleSided": True}
            self.materials[color] = self.add("materials", told)
        return self.materials[color]

    def put(self, values: Any, kind: str, packed_as: str = "<f4") -> int:
        """Pack ``values`` (n, ...); return the number of their accessor and of its view."""
        packed = np.ascontiguousarray(values, packed_as).reshape(len(values), -1)
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": packed.nbytes}
        self.data += packed.tobytes()
        told = {
            "bufferView": self.add("bufferViews", view),
            "componentType": _FLOAT if packed_as == "<f4" else _INDEX,
            "count": len(packed), "type": kind,
            "min": packed.min(axis=0).tolist(), "max": packed.max(axis=0).tolist(),
        }  # fmt: skip
        return self.add("accessors", told)

    def tree(self, name: str) -> dict[str, Any]:
        """Return the file's tree but for its buffer; ``name`` is what its animation is called."""
        tree: dict[str, Any] = {"asset": {"version": "2.0", "generator": "Articulata"}}
        if nodes := self.lists["nodes"]:
            tree |= {"scene": 0, "scenes": [{"nodes": list(range(len(nodes)))}]}
        tree |= {what: each for what, each in self.lists.items() if each}
        if self.moves["channels"]:
            tree["animations"] = [{"name": name, **self.moves}]
        return tree

    def whole(self) -> bytes:
        """Return the file: its JSON and its numbers, each padded to four bytes."""
        tree = self.tree("moves")
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
