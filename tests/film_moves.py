"""Random camera moves as files, and what each of them says at a time, worked out apart.

Nothing of the product is used here: glTF is evaluated by SciPy's Slerp and Hermite splines after
the specification (Khronos glTF 2.0, section 3.11 and appendix C), the curve through key frames of a
table by a linear system for the second derivatives of a natural cubic spline.
"""

from __future__ import annotations

import base64
import json
import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.interpolate import CubicHermiteSpline
from scipy.spatial.transform import Rotation, Slerp

Array = npt.NDArray[Any]

RATES = (Fraction(24000, 1001), Fraction(24), Fraction(25), Fraction(30000, 1001), Fraction(30),
         Fraction(48), Fraction(50), Fraction(60000, 1001), Fraction(60), Fraction(90),
         Fraction(100), Fraction(120))  # fmt: skip


@dataclass(frozen=True)
class MadeMove:
    """A file, and what is due: places and poses at times, of the file and of the move's frames.

    ``frames`` is how many frames are due, ``rate`` theirs, None where several rates lie within the
    rounding ``last`` (s) of the times; ``file_times`` (n,) are those of rows or key frames.
    ``pose`` gives X_WC (m, 4, 4), ``rows`` that of the row or key frame by its number.
    """

    path: Path
    frames: int
    rate: Fraction | None
    file_times: Array
    pose: Callable[[Array], Array] | None = None
    rows: Array | None = None
    place: Callable[[Array], Array] | None = None
    last: float = 0.0
    camera: str = ""
    animation: str = ""


def poses(turn: Rotation, place: Array) -> Array:
    X = np.tile(np.eye(4), (len(place), 1, 1))
    X[:, :3, :3], X[:, :3, 3] = turn.as_matrix(), place
    return X


def wandering(rng: np.random.Generator, n: int) -> Array:
    """Return poses (n, 4, 4) of a walk without leaps."""
    place = np.cumsum(rng.normal(size=(n, 3)) * 0.03, axis=0)
    turn = Rotation.identity()
    turns = []
    for step in rng.normal(size=(n, 3)) * 0.05:
        turn = turn * Rotation.from_rotvec(step)
        turns.append(turn.as_quat())
    return poses(Rotation.from_quat(np.array(turns)), place)


def _table(path: Path, times: list[str], X: Array) -> None:
    q = Rotation.from_matrix(X[:, :3, :3]).as_quat()
    rows = [
        ",".join([t, *(repr(float(v)) for v in (*x[:3, 3], q[k, 3], *q[k, :3]))])
        for k, (t, x) in enumerate(zip(times, X, strict=True))
    ]
    path.write_text("\r\n".join(["t,x,y,z,qw,qx,qy,qz", "s,m,m,m,1,1,1,1", *rows]) + "\r\n")


def sampled_table(rng: np.random.Generator, path: Path) -> MadeMove:
    """Make a table of frames at an even rate, their times with 3 to 9 decimals."""
    rate, places = RATES[rng.integers(len(RATES))], int(rng.integers(3, 10))
    n, start = int(rng.integers(12, 160)), float(rng.choice([0.0, 0.5, 12.25]))
    times = [f"{start + k / float(rate):.{places}f}" for k in range(n)]
    X = wandering(rng, n)
    _table(path, times, X)
    unique = rate if places >= 6 else None
    t = np.array([float(each) for each in times])
    return MadeMove(path, n, unique, t, rows=X, last=10.0**-places)


def keyed_table(rng: np.random.Generator, path: Path) -> MadeMove:
    """Make a table of key frames at uneven times; some of them fall on frames at 25 a second."""
    places, n = int(rng.integers(3, 10)), int(rng.integers(3, 9))
    gaps = np.where(rng.random(n - 1) < 0.5, rng.integers(5, 40, n - 1) * 0.04,
                    rng.uniform(0.15, 1.5, n - 1))  # fmt: skip
    gaps[0] = 0.84
    gaps[1] = 0.2
    times = [f"{t:.{places}f}" for t in np.append(0.0, np.cumsum(gaps))]
    t = np.array([float(each) for each in times])
    X = wandering(rng, n)
    _table(path, times, X)
    place = natural_spline(t, X[:, :3, 3])
    frames = math.ceil(t[-1] * 25 - 1e-6) + 1
    return MadeMove(path, frames, Fraction(25), t, rows=X, place=place)


def natural_spline(t: Array, p: Array) -> Callable[[Array], Array]:
    """Return the cubic spline through ``p`` (n, 3) without curvature at its ends."""
    n, h = len(t), np.diff(t)
    A, b = np.eye(n), np.zeros((n, p.shape[1]))
    for k in range(1, n - 1):
        A[k, k - 1 : k + 2] = h[k - 1], 2.0 * (h[k - 1] + h[k]), h[k]
        b[k] = 6.0 * ((p[k + 1] - p[k]) / h[k] - (p[k] - p[k - 1]) / h[k - 1])
    m = np.linalg.solve(A, b)

    def at(times: Array) -> Array:
        out = []
        for x in np.minimum(times, t[-1]):
            k = min(int(np.searchsorted(t, x, side="right")) - 1, n - 2)
            u, v = t[k + 1] - x, x - t[k]
            out.append(
                (m[k] * u**3 + m[k + 1] * v**3) / (6.0 * h[k])
                + (p[k] / h[k] - m[k] * h[k] / 6.0) * u
                + (p[k + 1] / h[k] - m[k + 1] * h[k] / 6.0) * v
            )
        return np.array(out)

    return at


@dataclass(frozen=True)
class Track:
    """Key frames of one channel, in numbers of single precision, and how they are joined."""

    times: Array
    values: Array
    interpolation: str
    turns: bool

    def at(self, t: float) -> Array:
        """Return what the specification has at a time."""
        times, n = self.times.astype(float), len(self.times)
        parts = self.values.astype(float).reshape(n, -1, 4 if self.turns else 3)
        keys = parts[:, parts.shape[1] // 2]
        t = min(max(t, times[0]), times[-1])
        k = int(np.searchsorted(times, t, side="right")) - 1
        if self.interpolation == "STEP" or n == 1 or k == n - 1:
            found = keys[k]
        elif self.interpolation == "CUBICSPLINE":
            # its Hermite form: two ends, two slopes
            pair = slice(k, k + 2)
            slopes = np.array([parts[k, 2], parts[k + 1, 0]])
            found = CubicHermiteSpline(times[pair], keys[pair], slopes)(t)
        elif self.turns:
            found = Slerp(times[k : k + 2], Rotation.from_quat(keys[k : k + 2]))(t).as_quat()
        else:
            share = (t - times[k]) / (times[k + 1] - times[k])
            found = keys[k] + share * (keys[k + 1] - keys[k])
        return np.asarray(found)


class GltfFile:
    """A glTF file in the making."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.tree: dict[str, Any] = {
            "asset": {"version": "2.0"}, "bufferViews": [], "accessors": [], "nodes": [],
            "cameras": [], "animations": [],
        }  # fmt: skip

    def put(self, values: Array, kind: str, *, apart: bool = False) -> int:
        """Pack rows in single precision, ``apart`` with a gap after each; return the accessor."""
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[kind]
        rows = np.ascontiguousarray(values, "<f4").reshape(-1, width)
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.data)}
        if apart:
            rows = np.hstack([rows, np.full((len(rows), 2), np.nan, "<f4")])
            view["byteStride"] = 4 * rows.shape[1]
        view["byteLength"] = rows.nbytes
        self.data.extend(np.ascontiguousarray(rows, "<f4").tobytes())
        self.tree["bufferViews"].append(view)
        self.tree["accessors"].append({
            "bufferView": len(self.tree["bufferViews"]) - 1, "componentType": 5126,
            "count": len(rows), "type": kind,
        })  # fmt: skip
        return len(self.tree["accessors"]) - 1

    def channel(self, animation: dict[str, Any], node: int, path: str, track: Track) -> None:
        """Let a track move a node."""
        kind = "VEC4" if track.turns else "VEC3"
        sampler = {
            "input": self.put(track.times, "SCALAR"),
            "output": self.put(track.values, kind, apart=len(track.times) % 2 == 0),
        }
        if track.interpolation != "LINEAR":
            sampler["interpolation"] = track.interpolation  # type: ignore[assignment]
        animation["channels"].append(
            {"sampler": len(animation["samplers"]), "target": {"node": node, "path": path}}
        )
        animation["samplers"].append(sampler)

    def write(self, path: Path) -> None:
        """Write it as the path's ending says."""
        if path.suffix == ".gltf":
            uri = "data:application/octet-stream;base64," + base64.b64encode(self.data).decode()
            self.tree["buffers"] = [{"byteLength": len(self.data), "uri": uri}]
            path.write_text(json.dumps(self.tree))
            return
        self.tree["buffers"] = [{"byteLength": len(self.data)}]
        head = json.dumps(self.tree).encode()
        head += b" " * (-len(head) % 4)
        data = bytes(self.data) + b"\0" * (-len(self.data) % 4)
        glb = struct.pack("<III", 0x46546C67, 2, 28 + len(head) + len(data))
        glb += struct.pack("<II", len(head), 0x4E4F534A) + head
        path.write_bytes(glb + struct.pack("<II", len(data), 0x004E4942) + data)


@dataclass(frozen=True)
class Link:
    """One node of a chain: where it stands, and what moves it."""

    translation: Array
    rotation: Array
    scale: float
    tracks: dict[str, Track]

    def matrix(self, t: float) -> Array:
        """Return its pose on the one that carries it."""
        moved = {path: track.at(t) for path, track in self.tracks.items()}
        X = np.eye(4)
        turn = Rotation.from_quat(moved.get("rotation", self.rotation))
        X[:3, :3] = turn.as_matrix() * self.scale
        X[:3, 3] = moved.get("translation", self.translation)
        return X


def _track(rng: np.random.Generator, path: str, times: Array, interpolation: str) -> Track:
    n, turns = len(times), path == "rotation"
    if turns:
        turn = Rotation.random(random_state=int(rng.integers(1 << 30)))
        keys = []
        for step in rng.normal(size=(n, 3)) * 0.5:
            turn = turn * Rotation.from_rotvec(step)
            keys.append(turn.as_quat() * rng.choice([-1.0, 1.0]))
        values = np.array(keys)
        if interpolation == "CUBICSPLINE":
            values *= np.sign(values @ values[0])[:, None]
    else:
        values = rng.normal(size=(n, 3))
    if interpolation == "CUBICSPLINE":
        slopes = rng.normal(size=(2, *values.shape)) * 0.3
        values = np.stack([slopes[0], values, slopes[1]], axis=1)
    return Track(times.astype(np.float32), values.astype(np.float32), interpolation, turns)


def gltf_move(rng: np.random.Generator, path: Path, *, baked: bool) -> MadeMove:
    """Make a glTF file of a camera that one to five nodes carry, and of another that stands.

    ``baked`` has key frames at the frames of an even rate; otherwise each channel has a few at
    times of its own. Of two animations the second is meant.
    """
    rate = RATES[rng.integers(len(RATES))]
    n, start = int(rng.integers(12, 100)), float(rng.choice([0.0, 1.0 / 24.0, 2.0]))
    even = start + np.arange(n) / float(rate)
    file, links, below = GltfFile(), [], -1
    depth = int(rng.integers(1, 6))
    number = list(rng.permutation(depth + 1))
    file.tree["nodes"] = [{} for _ in number]
    wanted: dict[str, Any] = {"name": "wanted", "channels": [], "samplers": []}
    other: dict[str, Any] = {"name": "other", "channels": [], "samplers": []}
    for k in range(depth):
        tracks: dict[str, Track] = {}
        for which in ("translation", "rotation"):
            if rng.random() < 0.6 or (k == depth - 1 and not links_move(links) and not tracks):
                times = even if baked else _uneven(rng, start)
                interpolation = str(rng.choice(["LINEAR", "STEP", "CUBICSPLINE"]))
                tracks[which] = _track(rng, which, times, interpolation)
        turn = Rotation.random(random_state=int(rng.integers(1 << 30))).as_quat()
        link = Link(rng.normal(size=3), turn, float(rng.choice([1.0, 0.5, 2.0])), tracks)
        links.append(link)
        node, here = file.tree["nodes"][number[k]], int(number[k])
        if not tracks and rng.random() < 0.5:
            node["matrix"] = link.matrix(0.0).T.ravel().tolist()
        else:
            node |= {"translation": link.translation.tolist(), "rotation": turn.tolist(),
                     "scale": [link.scale] * 3}  # fmt: skip
        if below >= 0:
            file.tree["nodes"][below]["children"] = [here]
        below = here
        for which, track in tracks.items():
            file.channel(wanted, here, which, track)
            elsewhere = _track(rng, which, even, "LINEAR")
            file.channel(other, here, which, elsewhere)
    lens = {"type": "perspective", "perspective": {"yfov": 0.7, "znear": 0.1}}
    file.tree["cameras"] = [lens, lens]
    file.tree["nodes"][below] |= {"camera": 0, "name": "shot"}
    file.tree["nodes"][int(number[-1])] = {"camera": 1, "name": "still"}
    file.tree["animations"] = [wanted, other] if rng.random() < 0.5 else [other, wanted]
    file.write(path)

    def pose(times: Array) -> Array:
        found = []
        for t in np.atleast_1d(times).tolist():
            X = np.eye(4)
            for link in links:
                X = X @ link.matrix(t)
            X[:3, :3] /= np.cbrt(np.linalg.det(X[:3, :3]))
            found.append(X)
        return np.array(found)

    keys = np.unique(np.concatenate(
        [track.times.astype(float) for link in links for track in link.tracks.values()]
    ))  # fmt: skip
    frames = n if baked else math.ceil((keys[-1] - keys[0]) * 25 - 1e-6) + 1
    due = rate if baked else Fraction(25)
    return MadeMove(path, frames, due, keys, pose=pose, animation="wanted")


def links_move(links: list[Link]) -> bool:
    return any(link.tracks for link in links)


def _uneven(rng: np.random.Generator, start: float) -> Array:
    n = int(rng.integers(2, 7))
    return start + np.append(0.0, np.cumsum(rng.uniform(0.11, 0.9, n - 1)))


def random_move(number: int, folder: Path) -> MadeMove:
    """Return the move of that number: every fourth is of another kind."""
    rng = np.random.default_rng(number)
    kind = number % 4
    if kind == 0:
        return sampled_table(rng, folder / f"{number}.csv")
    if kind == 1:
        return keyed_table(rng, folder / f"{number}.csv")
    ending = ("gltf", "glb")[number // 4 % 2]
    return gltf_move(rng, folder / f"{number}.{ending}", baked=kind == 2)
