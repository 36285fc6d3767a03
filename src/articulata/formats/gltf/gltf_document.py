"""A glTF 2.0 document: its JSON, its numbers, and which node hangs on which.

``read_gltf`` takes ``.gltf`` and ``.glb`` (section 4.4). ``GltfDocument.array`` gives the numbers
of an accessor whatever they are packed as: integers that stand for shares, rows apart from each
other, sparse ones (sections 3.6.2 and 3.6.3).
"""

from __future__ import annotations

import base64
import binascii
import contextlib
import functools
import json
import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from articulata.errors import FormatError
from articulata.geometry.arrays import Array, Float64, IntArray

_MAGIC: Final = 0x46546C67
_JSON, _BINARY = 0x4E4F534A, 0x004E4942

_KINDS: Final[Mapping[int, str]] = {
    5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4",
}  # fmt: skip
_WIDTHS: Final[Mapping[str, int]] = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}

Beside = Callable[[str], bytes]
"""What gives the bytes of a file that a document names by a relative address."""


@dataclass(frozen=True, eq=False)
class GltfDocument:
    """A document: its JSON ``tree`` and its ``buffers``; ``name`` is what messages call it."""

    name: str
    tree: Mapping[str, Any]
    buffers: tuple[bytes | memoryview, ...]

    def listed(self, what: str) -> list[Any]:
        """Return a list at the top of the tree, such as "nodes"; empty where there is none."""
        found = self.tree.get(what, [])
        if not isinstance(found, list):
            raise FormatError(f"{self.name}: '{what}' is no list")
        return found

    @functools.cached_property
    def parents(self) -> tuple[int, ...]:
        """The number of each node's parent, -1 of those at the top. A ring raises FormatError."""
        with self.reading():
            found = [-1] * len(self.listed("nodes"))
            for number, node in enumerate(self.listed("nodes")):
                for child in node.get("children", ()):
                    if child < 0 or found[child] >= 0:
                        raise FormatError(f"{self.name}: node {child} hangs on two nodes")
                    found[child] = number
        for number in range(len(found)):
            above, steps = found[number], 0
            while above >= 0:
                above, steps = found[above], steps + 1
                if steps > len(found):
                    raise FormatError(f"{self.name}: node {number} hangs on itself")
        return tuple(found)

    def chain(self, node: int) -> list[int]:
        """Return the numbers of the nodes that carry ``node``, from the top down, itself last."""
        found = [node]
        while (above := self.parents[found[-1]]) >= 0:
            found.append(above)
        return found[::-1]

    def array(self, accessor: int) -> Float64[Array, "count width"]:
        """Return the numbers of an accessor; integers that are said to be normalized as shares."""
        with self.reading():
            asked, found = self._found(accessor)
            values: Array = found.astype(float)
            if asked.get("normalized") and found.dtype.kind != "f":
                values = np.maximum(values / np.iinfo(found.dtype).max, -1.0)
            return values

    def mean(self, accessor: int) -> tuple[Float64[Array, "width"], bool]:
        """Return the mean of an accessor's rows, and whether these differ; no copy is made."""
        with self.reading():
            asked, found = self._found(accessor)
            if not len(found):
                return np.zeros(found.shape[1]), False
            whole = np.iinfo(found.dtype).max if found.dtype.kind != "f" else 1.0
            share = whole if asked.get("normalized") else 1.0
            differ = bool((found.max(axis=0) > found.min(axis=0)).any())
            return found.mean(axis=0, dtype=float) / share, differ

    def indices(self, accessor: int) -> IntArray:
        """Return the whole numbers (count,) of an accessor."""
        with self.reading():
            return np.asarray(self._found(accessor)[1][:, 0].astype(np.int64))

    def _found(self, accessor: int) -> tuple[Any, Any]:
        """Return an accessor and its numbers (count, width) as they are stored."""
        asked = self.listed("accessors")[accessor]
        kind, width = np.dtype(_KINDS[asked["componentType"]]), _WIDTHS[asked["type"]]
        count = asked["count"]
        if "bufferView" in asked:
            found = self._packed(asked["bufferView"], asked, kind, width, count)
        else:
            found = np.zeros((count, width), kind)
        if "sparse" in asked:
            few = asked["sparse"]
            where, what = few["indices"], few["values"]
            of = np.dtype(_KINDS[where["componentType"]])
            rows = self._packed(where["bufferView"], where, of, 1, few["count"])[:, 0]
            found = found.copy()
            found[rows] = self._packed(what["bufferView"], what, kind, width, few["count"])
        return asked, found

    def _packed(self, view: int, asked: Any, kind: np.dtype[Any], width: int, count: int) -> Any:
        """Return ``count`` rows of a view of a buffer, which may lie apart from each other."""
        part = self.listed("bufferViews")[view]
        packed = ", ".join(part.get("extensions", {}))
        if packed:
            raise FormatError(f"{self.name}: its numbers are packed by {packed}; export it without")
        begin = part.get("byteOffset", 0) + asked.get("byteOffset", 0)
        row = kind.itemsize * width
        stride = part.get("byteStride", row)
        data = self.buffers[part["buffer"]]
        if count < 0 or begin < 0 or stride < row or begin + stride * (count - 1) + row > len(data):
            raise FormatError(f"{self.name}: an accessor reaches beyond its {len(data)} bytes")
        return np.ndarray((count, width), kind, data, begin, (stride, kind.itemsize))

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Let what a tree lacks, or has of another kind than is due, be told as FormatError."""
        try:
            yield
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise FormatError(
                f"{self.name} cannot be read as glTF 2.0 ({type(error).__name__}: {error})"
            ) from error


def read_gltf(data: bytes, name: str = "the file", beside: Beside | None = None) -> GltfDocument:
    """Return the document in the bytes of a ``.gltf`` or ``.glb``.

    ``beside`` gives the bytes of files that it names; without it all data is inside.
    """
    try:
        text, binary = _parts(data)
        tree = json.loads(text)
        version = str(tree["asset"]["version"])
        buffers = tree.get("buffers", [])
        found = tuple(_buffer(buffer, binary, name, beside) for buffer in buffers)
    except FormatError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, AttributeError, struct.error) as error:
        raise FormatError(
            f"{name} cannot be read as glTF 2.0 ({type(error).__name__}: {error}); give a .gltf "
            "with its data inside, or a .glb"
        ) from error
    if not version.startswith("2."):
        raise FormatError(f"{name} is glTF {version}; this reads 2.0, to which exporters convert")
    return GltfDocument(name, tree, found)


def _parts(data: bytes) -> tuple[bytes, bytes | memoryview]:
    """Return the JSON of a file and its binary part, empty where there is none."""
    if len(data) < 12 or struct.unpack_from("<I", data)[0] != _MAGIC:
        return data, b""
    parts: dict[int, memoryview] = {}
    place, whole = 12, memoryview(data)  # its parts are no copies
    while place + 8 <= len(data):
        length, kind = struct.unpack_from("<II", data, place)
        parts.setdefault(kind, whole[place + 8 : place + 8 + length])
        place += 8 + length
    return bytes(parts[_JSON]), parts.get(_BINARY, b"")


def _buffer(
    buffer: Any, binary: bytes | memoryview, name: str, beside: Beside | None
) -> bytes | memoryview:  # fmt: skip
    uri = buffer.get("uri")
    if uri is None:
        return binary
    if uri.startswith("data:"):
        try:
            return base64.b64decode(uri.partition(",")[2], validate=True)
        except binascii.Error as error:
            raise FormatError(f"{name}: its data is no base64 ({error})") from error
    if beside is None:
        raise FormatError(f"{name}: its data is in another file, '{uri}'; export one file")
    return beside(uri)
