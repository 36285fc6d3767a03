"""What moves in a glTF document: its animations by name, and poses of nodes over time.

The pose of a node is composed of the local poses of its ancestors and its own. Each is that of the
animation at the time, or that of the document where nothing moves it (sections 3.5.2 and 3.11).

Samplers interpolate between key frames as glTF 2.0 defines it (sections 3.11 and C.2 to C.5).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from articulata.errors import FormatError
from articulata.formats.gltf.gltf_document import GltfDocument
from articulata.geometry.arrays import Array, Float64, IntArray
from articulata.geometry.quaternion import q_normalize, q_slerp, q_to_matrix

Interpolation: TypeAlias = Literal["LINEAR", "STEP", "CUBICSPLINE"]

INTERPOLATIONS: Final[tuple[str, ...]] = get_args(Interpolation)


@dataclass(frozen=True, eq=False)
class Sampler:
    """Values over time: ``values`` (n, width) at rising ``times`` (n,) s.

    LINEAR goes straight between key frames, STEP stands at each until the next, CUBICSPLINE is a
    cubic whose derivatives ``arriving`` and ``leaving`` (n, width) are per second. ``turns`` are
    quaternions (x, y, z, w): LINEAR goes the short way at a constant rate, CUBICSPLINE is made of
    unit length. Before the first key frame the first holds, after the last the last.
    """

    times: Array
    values: Array
    interpolation: Interpolation = "LINEAR"
    turns: bool = False
    arriving: Array | None = None
    leaving: Array | None = None

    def __post_init__(self) -> None:
        if self.interpolation not in INTERPOLATIONS:
            raise FormatError(
                f"interpolation is {', '.join(INTERPOLATIONS)}; not '{self.interpolation}'"
            )
        n = len(self.times)
        if n < 1 or not (np.diff(self.times) > 0.0).all() or not np.isfinite(self.times).all():
            raise FormatError("times of key frames rise, one or more")
        tangents = (self.arriving, self.leaving) if self.interpolation == "CUBICSPLINE" else ()
        for each in (self.values, *tangents):
            if each is None or len(each) != n or not np.isfinite(each).all():
                got = "none" if each is None else f"{len(each)}"
                raise FormatError(f"{n} key frames have a finite value each, not {got}")
        if self.turns and not np.abs(self.values).max(axis=1).all():
            raise FormatError("a quaternion is not zero")

    @property
    def changes(self) -> bool:
        """Whether it ever gives another value than its first."""
        leaving = self.leaving if self.interpolation == "CUBICSPLINE" else None
        sways = leaving is not None and len(self.times) > 1 and bool(np.any(leaving))
        return sways or bool(np.ptp(self.values, axis=0).any())

    def at(self, t: npt.ArrayLike) -> Float64[Array, "m width"]:
        """Return the values (m, width) at times ``t`` (m,) s, quaternions of unit length."""
        asked = np.atleast_1d(np.asarray(t, float))
        times, values = self.times, self.values
        if self.turns and self.interpolation != "CUBICSPLINE":
            values = q_normalize(values)
        after = np.searchsorted(times, asked, side="right")
        if self.interpolation == "STEP" or len(times) < 2:
            out = values[np.clip(after - 1, 0, len(times) - 1)]
            return q_normalize(out) if self.turns else out
        k = np.clip(after - 1, 0, len(times) - 2)
        span = (times[k + 1] - times[k])[:, None]
        share = np.clip((asked - times[k])[:, None] / span, 0.0, 1.0)
        if self.interpolation == "CUBICSPLINE":
            out = self._cubic(k, span, share)
            return q_normalize(out) if self.turns else out
        if self.turns:
            turned = q_slerp(_w_first(values[k]), _w_first(values[k + 1]), share[:, 0])
            return np.asarray(turned[:, [1, 2, 3, 0]])
        return np.asarray((1.0 - share) * values[k] + share * values[k + 1])

    def _cubic(self, k: IntArray, span: Array, s: Array) -> Array:
        """Return the Hermite cubic of section C.5 in intervals ``k`` at shares ``s``."""
        assert self.arriving is not None
        assert self.leaving is not None
        square, cube = s * s, s * s * s
        return np.asarray(
            (2.0 * cube - 3.0 * square + 1.0) * self.values[k]
            + span * (cube - 2.0 * square + s) * self.leaving[k]
            + (3.0 * square - 2.0 * cube) * self.values[k + 1]
            + span * (cube - square) * self.arriving[k + 1]
        )


def sampler_of(
    times: Array, output: Array, interpolation: Interpolation, *, turns: bool = False
) -> Sampler:
    """Return the sampler of an ``output`` as files pack it: rows after one another.

    Of CUBICSPLINE each key frame has three: the derivative that arrives, the value, the one that
    leaves. An output may have several rows for each key frame, as weights do: they become columns.
    """
    parts = 3 if interpolation == "CUBICSPLINE" else 1
    if not len(times) or len(output) % (parts * len(times)) or not len(output):
        raise FormatError(f"{len(times)} key frames cannot share {len(output)} values of an output")
    rows = output.reshape(len(times), parts, -1)
    if parts == 1:
        return Sampler(times, rows[:, 0], interpolation, turns)
    return Sampler(times, rows[:, 1], interpolation, turns, rows[:, 0], rows[:, 2])


def _w_first(q: Array) -> Array:
    return q[:, [3, 0, 1, 2]]


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
