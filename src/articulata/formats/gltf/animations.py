"""What moves in a glTF document: its animations by name, and poses of nodes over time.

A node's pose is that of all the nodes that carry it, each where its animation has it at a time and
where it stands otherwise (sections 3.5.2 and 3.11).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from articulata.errors import FormatError
from articulata.formats.gltf.document import GltfDocument
from articulata.formats.gltf.samplers import Sampler, sampler_of
from articulata.geometry.arrays import Array, Float64
from articulata.geometry.quaternion import q_normalize, q_to_matrix

POINTER: Final = "KHR_animation_pointer"
"""The extension that animates anything, which a JSON pointer names: an angle of view too."""

_RESTS: Final[Mapping[str, tuple[float, ...]]] = {
    "translation": (0.0, 0.0, 0.0),
    "rotation": (0.0, 0.0, 0.0, 1.0),
    "scale": (1.0, 1.0, 1.0),
}


@dataclass(frozen=True, eq=False)
class Animation:
    """One animation: a sampler for each thing that it moves, by JSON pointers.

    "/nodes/3/translation" and "/cameras/0/perspective/yfov" are such pointers (RFC 6901).
    """

    name: str
    samplers: Mapping[str, Sampler]

    def of_node(self, node: int) -> list[Sampler]:
        """Return the samplers that move ``node`` itself, not what carries it."""
        pointers = (f"/nodes/{node}/{path}" for path in _RESTS)
        return [self.samplers[each] for each in pointers if each in self.samplers]


def animations_of(document: GltfDocument) -> tuple[Animation, ...]:
    """Return the animations of a document; one without a name is called by its number from 0."""
    found = []
    for number, given in enumerate(document.listed("animations")):
        name = f"animation {number}"
        with document.reading():
            name = str(given.get("name") or name)
            made: dict[str, Sampler] = {}
            for channel in given["channels"]:
                pointer = _pointer(channel["target"])
                if pointer is None:
                    continue  # section 3.11: a target without a node is left out
                if pointer in made:
                    raise FormatError(f"{document.name}: '{name}' moves {pointer} twice")
                made[pointer] = _sampler(document, given["samplers"][channel["sampler"]], pointer)
        found.append(Animation(name, made))
    return tuple(found)


def poses(
    document: GltfDocument, node: int, times: npt.ArrayLike, animation: Animation | None = None
) -> Float64[Array, "m 4 4"]:
    """Return ``X_GN`` (m, 4, 4) of a node N in the document's frame G at ``times`` (m,) s.

    Scale is in it where nodes have one. Without an ``animation`` all stands.
    """
    t = np.atleast_1d(np.asarray(times, float))
    X = np.tile(np.eye(4), (len(t), 1, 1))
    for each in document.chain(node):
        X = X @ _local(document, each, t, animation)
    return X


def _local(document: GltfDocument, node: int, t: Array, animation: Animation | None) -> Array:
    """Return a node's pose (m, 4, 4) on the one that carries it."""
    moved = {} if animation is None else animation.samplers
    with document.reading():
        given = document.listed("nodes")[node]
        tracks = {path: moved.get(f"/nodes/{node}/{path}") for path in _RESTS}
        if "matrix" in given:
            if any(track is not None for track in tracks.values()):
                raise FormatError(
                    f"{document.name}: node {node} has a matrix, which nothing can move; export it "
                    "with translation, rotation and scale"
                )
            matrix = np.array(given["matrix"], float).reshape(4, 4).T
            return np.broadcast_to(matrix, (len(t), 4, 4))
        part = {}
        for path, rest in _RESTS.items():
            track = tracks[path]
            value = np.array(given.get(path, rest), float).reshape(1, len(rest))
            part[path] = np.repeat(value, len(t), axis=0) if track is None else track.at(t)
    X = np.zeros((len(t), 4, 4))
    turn = q_normalize(part["rotation"])[:, [3, 0, 1, 2]]
    X[:, :3, :3] = q_to_matrix(turn) * part["scale"][:, None, :]
    X[:, :3, 3] = part["translation"]
    X[:, 3, 3] = 1.0
    return X


def _pointer(target: Any) -> str | None:
    if target["path"] == "pointer":
        found = target.get("extensions", {}).get(POINTER, {}).get("pointer")
        return None if found is None else str(found)
    return f"/nodes/{target['node']}/{target['path']}" if "node" in target else None


def _sampler(document: GltfDocument, given: Any, pointer: str) -> Sampler:
    turns = pointer.startswith("/nodes/") and pointer.endswith("/rotation")
    try:
        return sampler_of(
            document.array(given["input"])[:, 0],
            document.array(given["output"]),
            given.get("interpolation", "LINEAR"),
            turns=turns,
        )
    except FormatError as error:
        told = str(error)
        known = told.startswith(document.name)
        raise FormatError(told if known else f"{document.name}, {pointer}: {told}") from error
