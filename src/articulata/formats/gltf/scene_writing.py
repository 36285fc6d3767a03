"""A scene as glTF 2.0 (``.glb``): a node with a mesh for each body, cameras, base colours."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

from articulata.formats.scenes.scene import Scene, triangles_of
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.quaternion import q_from_matrix
from articulata.world.values import Vector3

_FLOAT, _INDEX = 5126, 5125
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
        made.node(view.name, view.X_WC, {"camera": len(made.cameras) - 1})
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
        made.node(part.name, part.X_WP, carried)
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

    def node(self, name: str, X: Array, carried: dict[str, int]) -> None:
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
