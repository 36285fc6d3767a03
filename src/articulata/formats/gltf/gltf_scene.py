"""A glTF scene's nodes as bodies: each mesh of a node where the node's transforms put it.

Positions and triangles, base colours, lights and perspective cameras are taken (sections 3.5, 3.7,
3.9, 3.10 of the specification). The first animation moves nodes (3.11) and goes round, as viewers
have it; others, what changes sizes, and pictures are counted as lost. A skin (3.7.3) stands as
its joints bend it at rest; what they move falls into stiff pieces, each on one of them, and so does
all of a skin that nothing bends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from articulata.errors import FormatError
from articulata.formats.bounded_content import content_of
from articulata.formats.gltf.animations import Animation, animations_of, poses
from articulata.formats.gltf.gltf_document import GltfDocument, read_gltf
from articulata.formats.gltf.lights_and_lenses import EXTENSION, distortion_of, light_on
from articulata.formats.rooms.scan_scene import room_in
from articulata.formats.scenes.foreign_scene import (
    DISTORTION,
    LIGHTS,
    Scene,
    ScenePart,
    SceneView,
)
from articulata.formats.scenes.scene_motion import MOST_KEYS, WITHIN, SceneMotion, rigid, traced
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.poses import make_pose
from articulata.geometry.quaternion import q_to_matrix
from articulata.kinematics.described_figure import identifier
from articulata.world.values import Vector3

TRIANGLES, STRIP, FAN = 4, 5, 6
MOST_NODES: Final = 100_000
LONGEST: Final = 3600.0
"""s that an animation may last."""
MOST_NUMBERS: Final = 50_000_000
"""Rows of numbers that an accessor may say it has."""
MOST_BENT: Final = 5_000_000
"""Points of a skin's surface."""
PACKED: Final = ("KHR_draco_mesh_compression", "EXT_meshopt_compression")
"""Extensions without which positions cannot be read."""


def read_scene(path: Path, up: str = "", unit: float | None = None) -> Scene:
    """Return the scene of a ``.gltf`` or ``.glb``; files it names lie in its folder.

    A scan of a room is that room; it is taken for one where ``up`` or ``unit`` (m) are given.
    Raises FormatError for what is no glTF 2.0 or is packed in a way that is not read.
    """
    return room_in(_whole(path), path, up, unit, "y")


def _whole(path: Path) -> Scene:
    """Return the scene of a file as it is, whose bytes are then no longer needed."""
    folder = path.resolve().parent

    def beside(uri: str) -> bytes:
        target = (folder / uri.replace("%20", " ")).resolve()
        if "://" in uri or not target.is_relative_to(folder) or not target.is_file():
            raise FormatError(f"{path}: there is no file '{uri[:60]}' in its folder")
        return content_of(target)

    document = read_gltf(content_of(path), str(path), beside)
    scene = Scene(identifier(path.stem), path.name)
    with document.reading():
        if max((e["count"] for e in document.listed("accessors")), default=0) > MOST_NUMBERS:
            raise FormatError(f"{path}: an accessor has more than {MOST_NUMBERS} rows")
        packed = [each for each in document.tree.get("extensionsRequired", []) if each in PACKED]
        if packed:
            raise FormatError(f"{path}: its meshes are packed ({packed[0]}); export them unpacked")
        played = animations_of(document)
        if played[1:]:
            scene.lost["animation beside the first"] += len(played[1:])
        moving = _Moving(document, scene, played[0] if played else None)
        if document.listed("textures"):
            scene.lost["pictures on surfaces (textures)"] += len(document.listed("textures"))
        for number, X in _placed(document):
            _take(document, scene, number, X, moving)
        moving.count_lost()
    return scene


def _placed(document: GltfDocument) -> Iterator[tuple[int, Array]]:
    """Yield the nodes of the scene that is shown, each with its map (4, 4) to the world."""
    nodes = document.listed("nodes")
    scenes = document.listed("scenes")
    tops = [k for k, parent in enumerate(document.parents) if parent < 0]
    if scenes:
        tops = scenes[document.tree.get("scene", 0)].get("nodes", [])
    if len(nodes) > MOST_NODES:
        raise FormatError(f"{document.name}: it has more than {MOST_NODES} nodes")
    waiting = [(number, np.eye(4)) for number in reversed(tops)]
    while waiting:
        number, M = waiting.pop()
        M = M @ _local(nodes[number])
        if not np.isfinite(M).all():
            raise ValueError("a node's transform is no number")
        yield number, M
        waiting += [(child, M) for child in reversed(nodes[number].get("children", ()))]


def _local(node: Any) -> Array:
    if "matrix" in node:
        M = np.array(node["matrix"], float).reshape(4, 4).T
    else:
        M = np.eye(4)
        x, y, z, w = node.get("rotation", (0.0, 0.0, 0.0, 1.0))
        q = np.array([w, x, y, z], float)
        if not q.any():
            raise ValueError("a node's rotation is 0 0 0 0")
        M[:3, :3] = q_to_matrix(q / np.linalg.norm(q)) * np.array(node.get("scale", (1, 1, 1)))
        M[:3, 3] = node.get("translation", (0, 0, 0))
    return M


class _Moving:
    """How the first animation moves nodes."""

    def __init__(self, document: GltfDocument, scene: Scene, animation: Animation | None) -> None:
        self.document, self.scene, self.animation = document, scene, animation
        self.alone = len(document.listed("animations")) == 1
        self.used: set[str] = set()

    def of(self, node: int, M: Array) -> SceneMotion | None:
        """Return the motion of a node that stands at M (4, 4); None where it keeps its place."""
        chain = self.document.chain(node)
        samplers = [] if self.animation is None else [
            s for each in chain for s in self.animation.of_node(each) if s.changes
        ]  # fmt: skip
        if not samplers:
            return None
        times = np.unique(np.concatenate([each.times for each in samplers]))
        if len(times) > MOST_KEYS or not 0.0 <= times[0] <= times[-1] <= LONGEST:
            raise FormatError(
                f"{self.document.name}: an animation has {MOST_KEYS} key frames or fewer, "
                f"from 0 s to {LONGEST:g} s"
            )
        S = rigid(M)[1]

        def places(t: Array) -> Array:
            return poses(self.document, node, t, self.animation)

        asked = np.concatenate([times, 0.5 * (times[1:] + times[:-1])])
        if not np.allclose(rigid(places(asked))[1], S, rtol=1e-5, atol=1e-9):
            self.scene.lost["motion that changes sizes (it stands as at first)"] += 1
            return None
        if not times[-1] > 0.0:
            return None
        motion, within = traced(
            lambda t: rigid(places(t))[0],
            times, 0.0, float(times[-1]), again=True,
        )  # fmt: skip
        if within > WITHIN:
            self.scene.lost["motion too quick to be kept closely"] += 1
        self.used |= {f"/nodes/{each}" for each in chain}
        return motion

    def count_lost(self) -> None:
        """Count what the animation moves that no thing was moved by."""
        for pointer in self.animation.samplers if self.animation else ():
            node, _, path = pointer.rpartition("/")
            if node not in self.used or path not in ("translation", "rotation", "scale"):
                self.scene.lost["animation of what is not seen, or of no place"] += 1


def _take(
    document: GltfDocument, scene: Scene, number: int, M: Array, moving: _Moving
) -> None:  # fmt: skip
    """Take the mesh, the camera and the light of a node."""
    node: Any = document.listed("nodes")[number]
    lit = EXTENSION in node.get("extensions", {})
    motion = moving.of(number, M) if lit or "mesh" in node or "camera" in node else None
    if motion is not None:
        M = motion.poses[0] @ make_pose(rigid(M)[1], np.zeros(3))
    name = identifier(str(node.get("name") or "part"))
    if "camera" in node:
        camera = document.listed("cameras")[node["camera"]]
        lens, bends = camera.get("perspective"), distortion_of(camera)
        if lens is None:
            scene.lost["camera without perspective"] += 1
        else:
            upwards = float(np.clip(lens["yfov"], 0.02, 3.0))
            called = scene.unique(name)
            # a film reads the move of a camera from the file, by its name there
            own = motion if called == node.get("name") and moving.alone else None
            view = SceneView(called, rigid(M)[0], upwards, own, distortion=bends)
            scene.views.append(view)
            scene.lost += Counter({DISTORTION: 1} if bends else {})
    if lit:
        called = scene.unique(name)
        scene.lights.append(light_on(document, node, called, rigid(M)[0], motion))
        scene.lost[LIGHTS] += 1
    if "mesh" not in node:
        return
    for primitive in document.listed("meshes")[node["mesh"]]["primitives"]:
        faces = _faces(document, primitive)
        if faces is None:
            scene.lost["lines and points"] += 1
            continue
        color = _color(document, primitive, scene)
        bent = "skin" in node and "JOINTS_0" in primitive["attributes"]
        if bent:
            skin = document.listed("skins")[node["skin"]]
            pieces = _bent(document, skin, primitive, faces, moving)
        else:
            pieces = _stiff(document, scene, primitive, faces, M)
        for piece in pieces:
            after = piece.after.startswith(f"_{name}_")  # a joint that is called after its skin
            called = scene.unique(piece.after[1:] if after else name + piece.after)
            shape = scene.surface(called, piece.vertices, piece.faces)
            if shape is not None:
                moves = piece.motion if bent else motion
                scene.parts.append(ScenePart(called, piece.X, shape, color=color, motion=moves))


class _Piece(NamedTuple):
    """A surface in the frame ``X`` (4, 4); what its name ends with, and how it moves."""

    X: Array
    vertices: Array
    faces: IntArray
    after: str = ""
    motion: SceneMotion | None = None


def _stiff(
    document: GltfDocument, scene: Scene, primitive: Any, faces: IntArray, M: Array
) -> Iterator[_Piece]:  # fmt: skip
    """Yield a surface that its node takes along, at M (4, 4)."""
    X, S = rigid(M)
    if np.linalg.det(S) == 0.0:
        scene.lost["a thing without thickness (scaled by 0)"] += 1
        return
    vertices = document.array(primitive["attributes"]["POSITION"])
    if not np.array_equal(S, np.eye(3)):
        vertices = vertices @ S.T
    vertices.setflags(write=False)  # so that the mesh need not copy it
    yield _Piece(X, vertices, faces[:, ::-1] if np.linalg.det(S) < 0 else faces)


def _bent(
    document: GltfDocument, skin: Any, primitive: Any, faces: IntArray, moving: _Moving
) -> Iterator[_Piece]:  # fmt: skip
    """Yield a skin's surface where its joints put it: what stands, then what each of them moves.

    A triangle goes with the joint that has the greatest weight in one of its corners.
    """
    joints = skin["joints"]
    M = np.array([poses(document, each, 0.0)[0] for each in joints])
    inverse = np.tile(np.eye(4), (len(joints), 1, 1))
    if "inverseBindMatrices" in skin:
        inverse = document.array(skin["inverseBindMatrices"]).reshape(-1, 4, 4).swapaxes(1, 2)
    vertices, owner, weight = _posed(document, primitive, M @ inverse[: len(joints)])
    heaviest = np.argmax(weight[faces], axis=1)
    own = owner[np.take_along_axis(faces, heaviest[:, None], axis=1)[:, 0]]
    motions = {k: moving.of(joints[k], M[k]) for k in np.unique(own).tolist()}
    stiff = weight.min(initial=1.0) > 1.0 - WITHIN and bool((owner[faces] == own[:, None]).all())
    if not stiff:
        moving.scene.lost["bend of a skin (it is stiff about each joint)"] += 1
        own[np.isin(own, [k for k, motion in motions.items() if motion is None])] = -1
    for k in np.unique(own).tolist():
        used, corners = np.unique(faces[own == k], return_inverse=True)
        points, triangles = vertices[used], corners.reshape(-1, 3)
        if k < 0:
            yield _Piece(np.eye(4), points, triangles)
            continue
        motion, X = motions[k], rigid(M[k])[0]
        called = identifier(str(document.listed("nodes")[joints[k]].get("name") or k))
        local = (points - X[:3, 3]) @ X[:3, :3]
        there = X if motion is None else motion.poses[0]
        yield _Piece(there, local, triangles, f"_{called}", motion)


def _posed(
    document: GltfDocument, primitive: Any, bending: Array
) -> tuple[Array, IntArray, Array]:  # fmt: skip
    """Return points (n, 3) in W bent by joints (j, 4, 4), each one's main joint and its weight."""
    given = primitive["attributes"]
    if document.listed("accessors")[given["POSITION"]]["count"] > MOST_BENT:
        raise FormatError(f"{document.name}: a skin has more than {MOST_BENT} points")
    sets = range(sum(each.startswith("JOINTS_") for each in given))
    joints = np.hstack([document.array(given[f"JOINTS_{k}"]) for k in sets]).astype(np.int64)
    weights = np.hstack([document.array(given[f"WEIGHTS_{k}"]) for k in sets])
    if joints.shape != weights.shape or joints.min(initial=0) < 0 or weights.min(initial=0) < 0:
        raise ValueError("a skin's points have joints, and a weight that is not negative for each")
    weights[~weights.any(axis=1), 0] = 1.0
    weights /= weights.sum(axis=1, keepdims=True)
    points = document.array(given["POSITION"])
    found = np.zeros_like(points)
    for joint, weight in zip(joints.T, weights.T, strict=True):
        A = bending[joint, :3]
        found += weight[:, None] * ((A[:, :, :3] @ points[:, :, None])[:, :, 0] + A[:, :, 3])
    main = np.argmax(weights, axis=1)[:, None]
    owner = np.take_along_axis(joints, main, axis=1)[:, 0]
    return found, owner, np.take_along_axis(weights, main, axis=1)[:, 0]


def _faces(document: GltfDocument, primitive: Any) -> IntArray | None:
    """Return the triangles of a primitive; None for lines and points."""
    mode = primitive.get("mode", TRIANGLES)
    if mode not in (TRIANGLES, STRIP, FAN):
        return None
    count = document.listed("accessors")[primitive["attributes"]["POSITION"]]["count"]
    index = np.arange(count)
    if "indices" in primitive:
        index = document.indices(primitive["indices"])
    index.setflags(write=False)  # so that a mesh need not copy it
    if mode == TRIANGLES:
        return np.asarray(index[: len(index) // 3 * 3].reshape(-1, 3))
    if len(index) < 3:
        return np.zeros((0, 3), np.int64)
    k = np.arange(len(index) - 2)
    if mode == FAN:
        return np.stack([np.full_like(k, index[0]), index[k + 1], index[k + 2]], axis=1)
    # every second triangle of a strip runs the other way round
    odd = k % 2
    return np.stack([index[k], index[k + 1 + odd], index[k + 2 - odd]], axis=1)


def _color(document: GltfDocument, primitive: Any, scene: Scene) -> Vector3 | None:
    """Return the colour of the material, times the mean of those that the corners have."""
    if "material" not in primitive and "COLOR_0" not in primitive["attributes"]:
        return None
    given = (1.0, 1.0, 1.0, 1.0)
    if "material" in primitive:
        material = document.listed("materials")[primitive["material"]]
        given = material.get("pbrMetallicRoughness", {}).get("baseColorFactor", given)
    # a file's colours are of light, ours of a screen (sRGB, IEC 61966-2-1)
    linear = np.array(given[:3], float)
    if "COLOR_0" in primitive["attributes"]:
        mean, differ = document.mean(primitive["attributes"]["COLOR_0"])
        linear = linear * np.nan_to_num(mean[:3])
        if differ:
            scene.lost["colours of single corners (their mean is taken)"] += 1
    linear = np.clip(linear, 0.0, 1.0)
    low = 12.92 * linear
    r, g, b = np.where(linear <= 0.0031308, low, 1.055 * linear ** (1.0 / 2.4) - 0.055).tolist()
    return (r, g, b)
