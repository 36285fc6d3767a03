"""Moving frames and cameras as one glTF 2.0 file; a scene as another (``.glb``).

Each frame is a node at the top with its translation and rotation (x, y, z, w) as key frames,
linear between; a camera looks along -z of its node, y up, as everywhere here. Units are metres,
seconds and radians (sections 3.10 and 3.11). A scene has a node with a mesh for each body, cameras
and base colours. A body hangs on the one that it is joined to; those of a person are the joints of
a skin (3.7.3), which each takes its own surface along stiffly.
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
from articulata.formats.gltf.lights_and_lenses import EXTENSION, lens_extras, light_entry
from articulata.formats.scenes.foreign_scene import (
    DISTORTION,
    GROWS,
    LIGHTS,
    Scene,
    SceneLight,
    ScenePart,
    joined,
    triangles_of,
)
from articulata.formats.scenes.scene_motion import FINE, SceneMotion, carried
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.poses import inverse_pose
from articulata.geometry.quaternion import q_from_matrix
from articulata.world.values import Vector3

_KINDS: Final = {"<f4": 5126, "<u2": 5123, "<u4": 5125}
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
        eye = {}
        if name in cameras:
            upwards, aspect = cameras[name]
            eye = made.camera(name, {"yfov": upwards, "aspectRatio": aspect, "znear": near})
        made.move(made.node(name, X[0], eye), X, clock)
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


_JSON, _BINARY, _MAGIC = 0x4E4F534A, 0x004E4942, 0x46546C67


def write_glb(scene: Scene) -> bytes:
    """Return a scene as the bytes of a ``.glb``; positions are float32, as the format has them.

    Masses, hinges and what touches without being seen are counted as lost.
    """
    made = _File()
    scene.count_forces()
    for view in scene.views:
        lens = {"yfov": view.upwards, "znear": 0.01}
        eye = made.camera(view.name, lens, view.distortion)
        made.moving(made.node(view.name, view.X_WC, eye), view.motion)
        if view.zoom is not None:
            scene.lost["zoom of a camera"] += 1
    for light in scene.lights:
        made.moving(made.node(light.name, light.X_WL, made.light(light)), light.motion)
    surfaces: dict[str, tuple[Array, IntArray]] = {}
    limbs = {name for person in scene.people.values() for name in person}
    parts = {part.name: part for part in scene.parts}
    on = _carriers(scene)
    clocks = [each.motion.times for each in scene.parts if each.motion and not each.motion.again]
    times = np.unique(np.concatenate([[0.0], *clocks]))
    numbers: dict[str, int] = {}
    for name, part in parts.items():
        seen = scene.seen(part)
        mesh = {}
        if seen is not None:
            scene.lost["what a primitive is (written as triangles)"] += 1
            surfaces[name] = triangles_of(seen)
            if name not in limbs:
                mesh = {"mesh": made.mesh([made.primitive(*surfaces[name], part.color)])}
        X, motion = part.X_WP, part.motion
        if name in on:
            below = parts[on[name]]
            X, motion = carried(times, X, motion, below.X_WP, below.motion)
        numbers[name] = made.node(part.name, X, mesh)
        made.moving(numbers[name], motion)
        if part.growth is not None:
            clock = made.put(np.reshape(part.growth.times, (-1, 1)), "SCALAR")
            target = {"node": numbers[name], "path": "scale"}
            made.drive(clock, part.growth.scales, "VEC3", target)
    for kept in (GROWS, DISTORTION, *([LIGHTS] if scene.lights else [])):
        del scene.lost[kept]
    for name, carrier in on.items():
        made.hang(numbers[name], numbers[carrier])
    for person, inside in scene.people.items():
        bones = [(numbers[name], parts[name], surfaces.get(name)) for name in inside]
        roots = [numbers[name] for name in inside if name not in on]
        made.skin(scene.unique(person), bones, roots)
    return made.whole()


def _carriers(scene: Scene) -> dict[str, str]:
    """Return the parts that hang on others, and on which: by their joints, of people by theirs."""
    parts = {part.name: part for part in scene.parts}
    on = {name: part.joint.parent for name, part in parts.items() if part.joint is not None}
    for limbs in scene.people.values():
        on |= limbs
    found = {}
    for name, carrier in on.items():
        motions = [parts[each].motion for each in (name, carrier) if each]
        if carrier and not any(each is not None and each.again for each in motions):
            found[name] = carrier
    return found


class _File:
    """The lists that a file is made of, whose entries name each other by number."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.lists: defaultdict[str, list[Any]] = defaultdict(list)
        self.moves: dict[str, list[Any]] = {"samplers": [], "channels": []}
        self.materials: dict[Vector3, int] = {}
        self.lights: list[dict[str, Any]] = []

    def add(self, what: str, entry: Any) -> int:
        """Add to a list at the top of the tree; return the entry's number."""
        self.lists[what].append(entry)
        return len(self.lists[what]) - 1

    def camera(
        self, name: str, lens: dict[str, float], distortion: tuple[float, ...] = ()
    ) -> dict[str, int]:
        """Take a camera; return what its node carries."""
        told = {"type": "perspective", "name": name, "perspective": lens}
        return {"camera": self.add("cameras", told | lens_extras(distortion))}

    def light(self, light: SceneLight) -> dict[str, Any]:
        """Take a light; return what its node carries."""
        self.lights.append(light_entry(light))
        self.lists["extensionsUsed"] = [EXTENSION]
        return {"extensions": {EXTENSION: {"light": len(self.lights) - 1}}}

    def node(self, name: str, X: Array, carried: Mapping[str, Any]) -> int:
        """Take a node where it stands; return its number."""
        w, *v = q_from_matrix(X[:3, :3]).tolist()
        place = {"translation": X[:3, 3].tolist(), "rotation": [*v, w]}
        return self.add("nodes", {"name": name, **place, **carried})

    def hang(self, node: int, carrier: int) -> None:
        """Let a node hang on another."""
        self.lists["nodes"][carrier].setdefault("children", []).append(node)

    def moving(self, node: int, motion: SceneMotion | None) -> None:
        """Let a node move, in its own time; what keeps its place or its turn has no track of it."""
        if motion is None:
            return
        clock = np.ascontiguousarray(motion.times[:, None], "<f4")
        for k in range(1, len(clock)):  # a jump is short for float32
            clock[k] = max(clock[k], np.nextafter(clock[k - 1], np.float32(np.inf)))
        self.move(node, motion.poses, clock, least=FINE)

    def move(self, node: int, X: Array, clock: int | Any, least: float = -1.0) -> None:
        """Let a node move as ``X`` (n, 4, 4) at a clock's times, by what is over ``least``.

        The ``clock`` is an accessor's number, or times that are put where anything moves.
        """
        turns = _continuous(q_from_matrix(X[:, :3, :3]))[:, [1, 2, 3, 0]]
        ways = (("translation", X[:, :3, 3], "VEC3"), ("rotation", turns, "VEC4"))
        tracks = [each for each in ways if np.ptp(each[1], axis=0).max() > least]
        if tracks and not isinstance(clock, int):
            clock = self.put(clock, "SCALAR")
        for path, values, kind in tracks:
            self.drive(clock, values, kind, {"node": node, "path": path})

    def drive(self, clock: int, values: Array, kind: str, target: dict[str, Any]) -> None:
        """Let ``values`` (n, ...) move ``target``, linear between key frames."""
        output = self.put(values, kind)
        samplers, channels = self.moves["samplers"], self.moves["channels"]
        channels.append({"sampler": len(samplers), "target": target})
        samplers.append({"input": clock, "output": output, "interpolation": "LINEAR"})

    def primitive(
        self, vertices: Array, faces: IntArray, color: Vector3 | None, bones: IntArray | None = None
    ) -> dict[str, Any]:
        """Take triangles, and of a skin the joint (n,) of each vertex; return the primitive."""
        attributes = {"POSITION": self.put(vertices, "VEC3")}
        if bones is not None:
            alone = np.array([1.0, 0.0, 0.0, 0.0])
            attributes["JOINTS_0"] = self.put(bones[:, None] * alone, "VEC4", "<u2")
            attributes["WEIGHTS_0"] = self.put(np.tile(alone, (len(bones), 1)), "VEC4")
        index = self.put(np.reshape(faces, (-1, 1)), "SCALAR", "<u4")
        for view, target in (*((k, _VERTICES) for k in attributes.values()), (index, _CORNERS)):
            self.lists["bufferViews"][view]["target"] = target
        made: dict[str, Any] = {"attributes": attributes, "indices": index}
        if color is not None:
            made["material"] = self._material(color)
        return made

    def mesh(self, primitives: list[dict[str, Any]]) -> int:
        """Take primitives as one mesh; return its number."""
        return self.add("meshes", {"primitives": primitives})

    def skin(
        self, name: str, bones: list[tuple[int, ScenePart, tuple[Array, IntArray] | None]],
        roots: list[int],
    ) -> None:  # fmt: skip
        """Take the surfaces of bones as one skin: their nodes, parts and triangles.

        As it is bound they stand as they do at the start, in W.
        """
        looks: defaultdict[Vector3 | None, list[tuple[Array, IntArray]]] = defaultdict(list)
        joints: defaultdict[Vector3 | None, list[IntArray]] = defaultdict(list)
        for k, (_, part, surface) in enumerate(bones):
            if surface is not None:
                vertices, faces = surface
                R, p = part.X_WP[:3, :3], part.X_WP[:3, 3]
                looks[part.color].append((vertices @ R.T + p, faces))
                joints[part.color].append(np.full(len(vertices), k))
        if not looks:
            return
        pieces = [
            self.primitive(*joined(each), color, np.concatenate(joints[color]))
            for color, each in looks.items()
        ]
        top = self.add("nodes", {"name": f"{name}_skeleton", "children": roots})
        inverse = np.array([inverse_pose(part.X_WP).T for _, part, _ in bones])
        bound = self.put(inverse.reshape(-1, 16), "MAT4")
        told = {"name": name, "skeleton": top, "joints": [node for node, *_ in bones]}
        skin = self.add("skins", told | {"inverseBindMatrices": bound})
        self.add("nodes", {"name": name, "mesh": self.mesh(pieces), "skin": skin})

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
            "componentType": _KINDS[packed_as],
            "count": len(packed), "type": kind,
            "min": packed.min(axis=0).tolist(), "max": packed.max(axis=0).tolist(),
        }  # fmt: skip
        return self.add("accessors", told)

    def tree(self, name: str) -> dict[str, Any]:
        """Return the file's tree but for its buffer; ``name`` is what its animation is called."""
        tree: dict[str, Any] = {"asset": {"version": "2.0", "generator": "Articulata"}}
        if nodes := self.lists["nodes"]:
            below = {child for node in nodes for child in node.get("children", ())}
            tops = [k for k in range(len(nodes)) if k not in below]
            tree |= {"scene": 0, "scenes": [{"nodes": tops}]}
        tree |= {what: each for what, each in self.lists.items() if each}
        if self.lights:
            tree["extensions"] = {EXTENSION: {"lights": self.lights}}
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
