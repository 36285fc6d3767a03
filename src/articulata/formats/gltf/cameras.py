"""A camera that moves in a glTF document (section 3.10): which it is, and its move."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from articulata.errors import FormatError
from articulata.formats.gltf.animations import Animation, Sampler, animations_of, poses
from articulata.formats.gltf.gltf_document import GltfDocument
from articulata.geometry.arrays import Array, Float64


@dataclass(frozen=True, eq=False)
class CameraTrack:
    """The camera on ``node`` as an ``animation`` moves it.

    ``times`` (n,) s are those of all key frames that move it or a node that carries it.
    """

    document: GltfDocument
    node: int
    animation: Animation

    @property
    def times(self) -> Float64[Array, "n"]:
        """The times of its key frames, s."""
        return np.unique(np.concatenate([each.times for each in self._samplers]))

    def poses(self, t: npt.ArrayLike) -> Float64[Array, "m 4 4"]:
        """Return ``X_WC`` (m, 4, 4) at ``t`` (m,) s: it looks along its node's -z, y is up.

        What nodes are scaled by moves the camera's place alone; where a scale is not even the view
        keeps its direction.
        """
        X = poses(self.document, self.node, t, self.animation)
        back, up = X[:, :3, 2], X[:, :3, 1]
        out = np.tile(np.eye(4), (len(X), 1, 1))
        out[:, :3, 3] = X[:, :3, 3]
        out[:, :3, 2] = self._unit(back)
        along = np.sum(up * out[:, :3, 2], axis=1, keepdims=True)
        out[:, :3, 1] = self._unit(up - along * out[:, :3, 2])
        out[:, :3, 0] = np.cross(out[:, :3, 1], out[:, :3, 2])
        return out

    def upwards(self, t: npt.ArrayLike) -> Float64[Array, "m"] | None:
        """Return the angle of view upwards (m,) rad at ``t`` (m,) s; None without perspective."""
        asked = np.atleast_1d(np.asarray(t, float))
        with self.document.reading():
            lens = self.document.listed("cameras")[self._lens].get("perspective")
            if lens is None:
                return None
            zoom = self._zoom
            found = np.full(len(asked), float(lens["yfov"])) if zoom is None else zoom.at(asked)
        angles = found.reshape(len(asked))
        if not ((angles > 0.0) & (angles < math.pi)).all():
            raise FormatError(f"{self.document.name}: an angle of view is between 0 and pi rad")
        return angles

    @property
    def moves(self) -> bool:
        """Whether anything about it changes; key frames that are all alike change nothing."""
        return any(each.changes for each in self._samplers)

    @property
    def _lens(self) -> int:
        lens: int = self.document.listed("nodes")[self.node]["camera"]
        return lens

    @property
    def _zoom(self) -> Sampler | None:
        return self.animation.samplers.get(f"/cameras/{self._lens}/perspective/yfov")

    @property
    def _samplers(self) -> list[Sampler]:
        carried = [s for n in self.document.chain(self.node) for s in self.animation.of_node(n)]
        return carried + ([] if self._zoom is None else [self._zoom])

    def _unit(self, v: Array) -> Array:
        size = np.linalg.norm(v, axis=1, keepdims=True)
        if not size.all():
            raise FormatError(f"{self.document.name}: its camera is scaled to nothing")
        return np.asarray(v / size)


def camera_track(document: GltfDocument, camera: str = "", animation: str = "") -> CameraTrack:
    """Return the move of the ``camera`` (its node's name or its own) in the ``animation`` named.

    Without names it is the one that moves. Raise FormatError where there is none or several.
    """
    with document.reading():
        nodes = [n for n, node in enumerate(document.listed("nodes")) if "camera" in node]
        called = [_names(document, n) for n in nodes]
        chosen = [
            n for n, names in zip(nodes, called, strict=True) if not camera or camera in names
        ]
    animations = animations_of(document)
    played = [each for each in animations if not animation or each.name == animation]
    name = document.name
    if not nodes:
        raise FormatError(f"{name} holds no camera; export it with its cameras")
    if not chosen:
        known = _listed([names[0] for names in called])
        raise FormatError(f"{name} has no camera '{camera}'; its cameras are {known}")
    if not played:
        known = _listed([each.name for each in animations])
        told = f"has no animation '{animation}'; it has {known}" if animations else "holds none"
        raise FormatError(f"{name} {told}; a camera's move is an animation")
    tracks = [CameraTrack(document, n, each) for each in played for n in chosen]
    found = [each for each in tracks if each._samplers]
    if not found:
        raise FormatError(f"{name}: nothing in it moves a camera; export the animation too")
    found = [each for each in found if each.moves] or found
    if len({each.node for each in found}) > 1:
        known = _listed(list(dict.fromkeys(_names(document, each.node)[0] for each in found)))
        raise FormatError(f'{name}: the cameras {known} move; say which, as in camera "NAME"')
    if len(found) > 1:
        known = _listed([each.animation.name for each in found])
        raise FormatError(
            f'{name}: the animations {known} move its camera; say which, as in animation "NAME"'
        )
    return found[0]


def _names(document: GltfDocument, node: int) -> list[str]:
    """Return what the camera on a node may be called: the node's name first."""
    given = document.listed("nodes")[node]
    own = document.listed("cameras")[given["camera"]].get("name")
    return [str(each) for each in (given.get("name"), own, f"node {node}") if each]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f'"{each}"' for each in names)
