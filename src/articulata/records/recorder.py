"""Writing a recording while a simulation runs.

Every call appends whole blocks at once, in memory or to a file, so that a run which is stopped
at any moment, by an exception, a full disk or a power cut, leaves all it had computed readable.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from articulata.errors import RecordingError
from articulata.geometry.arrays import Array
from articulata.records import artrun
from articulata.records.codec import encode, little_endian
from articulata.records.events import Event
from articulata.records.files import claim
from articulata.records.header import Header
from articulata.records.recording import Recording, from_bytes, load
from articulata.records.segment import packed
from articulata.records.state import Channel, Frame, Part, plain
from articulata.world.edits.transaction import Edit


class Unrecorded:
    """Is told of a run what a recorder is told, and keeps nothing of it."""

    def layout(self, channels: Sequence[Channel]) -> None:
        """Say what the arrays of the frames to come hold."""

    def frame(self, frame: Frame) -> None:
        """Tell of a frame."""

    def memory(self, parts: Mapping[str, Part]) -> None:
        """Tell what the run remembers at the frame to come."""

    def event(self, event: Event) -> None:
        """Tell of an event."""

    def edit(self, time: float, edit: Edit) -> None:
        """Tell that ``edit`` was made at ``time`` (s)."""

    def control(self, name: str, time: float, values: Sequence[float] | Array | float) -> None:
        """Tell what a controller gave at stage time ``time`` (s)."""


class Recorder(Unrecorded):
    """Collects the frames, events, edits and controller outputs of one run.

    With ``file`` the recording is written there while the run goes on and memory stays small;
    without, it is kept in memory. Close it, or use it in a ``with`` statement, to mark the end.
    """

    def __init__(self, header: Header, file: str | os.PathLike[str] | None = None) -> None:
        self._sink = _Memory() if file is None else _File(Path(file))
        self._channels: dict[str, Channel] = {}
        self._pairs: frozenset[str] = frozenset()
        self._signature: tuple[object, ...] = ()
        self._layouts = 0
        self._outputs: dict[str, list[tuple[float, tuple[float, ...]]]] = {}
        self._ended = False
        self._kept: tuple[float, int] | None = None
        self._framed: tuple[object, ...] = ()
        self._remembered: dict[str, tuple[Part | None, int, bytes]] = {}
        self._said: dict[str, int] = {}
        self._memories = 0
        self._under_way: tuple[int, int] | None = None
        """The size with the block that is being written, and the checksum after it."""
        start = artrun.preamble()
        self._checksum = artrun.first_checksum(start)
        self._put(start)
        self._write([artrun.HEADER, header.plain(), header.stored[1]])

    def layout(self, channels: Sequence[Channel]) -> None:
        """Say what the arrays of the frames to come hold; again when an edit changes it."""
        said = {channel.name: channel for channel in channels}
        if said != self._channels:
            self._channels, self._signature = said, ()
            self._pairs = frozenset(name for name, channel in said.items() if channel.pairs)

    def frame(self, frame: Frame) -> None:
        """Append ``frame``. An array without a channel is stored without unit and labels.

        Times and versions do not run back; a frame that repeats the one before is left out.
        """
        self._flush_controls()
        time = float(frame.time)
        self._check_order(time, frame.version)
        arrays = {name: _stored(array) for name, array in frame.arrays.items()}
        pairs = [name for name in arrays if name in self._pairs]
        tail = [packed(arrays[name], name) for name in pairs]
        for name in pairs:
            # How many rows there are is told by each frame.
            arrays[name] = arrays[name][0:0, 2:]
        signature = tuple((name, array.dtype, array.shape) for name, array in arrays.items())
        if signature != self._signature:
            self._begin_layout(arrays)
            self._signature = signature
        data = b"".join([*[array.tobytes() for array in arrays.values()], *tail])
        written = (self._layouts - 1, frame.version, time, data)
        if written != self._framed:
            self._write([artrun.FRAME, *written])
        self._framed = written
        self._kept = time, frame.version

    def memory(self, parts: Mapping[str, Part]) -> None:
        """Append what the run remembers at the frame to come, where it is not as it was."""
        said: dict[str, bytes | int] = {}
        for name, part in parts.items():
            known, number, data = self._remembered.get(name, (None, 0, b""))
            if known is not part and known != part:
                fresh = msgspec.msgpack.encode(plain(part.plain()))
                number = number if fresh == data else self._memories
                self._remembered[name] = part, number, fresh
            said[name] = number if number < self._memories else self._remembered[name][2]
        if said != self._said:
            self._flush_controls()
            self._write([artrun.MEMORY, said])
            self._said = {
                name: self._memories if isinstance(at, bytes) else at for name, at in said.items()
            }
            self._memories += 1

    def event(self, event: Event) -> None:
        """Append ``event``."""
        self._flush_controls()
        self._write([artrun.EVENT, plain_event(event)])

    def edit(self, time: float, edit: Edit) -> None:
        """Append that ``edit`` was made at ``time`` (s)."""
        self._flush_controls()
        self._write([artrun.EDIT, float(time), encode(edit)])

    def control(self, name: str, time: float, values: Sequence[float] | Array | float) -> None:
        """Append what controller ``name`` gave at stage time ``time`` (s)."""
        if isinstance(values, float | int):
            flat: tuple[float, ...] = (float(values),)
        elif isinstance(values, np.ndarray):
            flat = tuple(np.asarray(values, np.float64).ravel().tolist())
        else:
            flat = tuple(map(float, values))
        self._outputs.setdefault(name, []).append((float(time), flat))

    def recording(self) -> Recording:
        """Return what has been recorded so far."""
        self._flush_controls()
        return self._sink.recording()

    def close(self, reason: str = "") -> None:
        """Mark the end; ``reason`` says why a run stopped early. Nothing can follow."""
        if self._ended:
            return
        self._flush_controls()
        self._write([artrun.END, reason])
        self._ended = True
        self._sink.close()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, RecordingError):
            self._sink.close()
            return
        self.close("" if kind is None else f"{kind.__name__}: {error}".rstrip(": "))

    def _check_order(self, time: float, version: int) -> None:
        """Refuse a frame that a reader would have to take for damage."""
        last = self._kept
        if math.isfinite(time) and (last is None or (last[0] <= time and last[1] <= version)):
            return
        after = "" if last is None else f" after one at t = {last[0]:g} s of version {last[1]}"
        raise RecordingError(
            f"a frame at t = {time:g} s of version {version} cannot be recorded{after}; give frames"
            " in the order of their times, which are finite"
        )

    def _begin_layout(self, arrays: dict[str, npt.NDArray[Any]]) -> None:
        rows = []
        for name, array in arrays.items():
            channel = self._channels.get(name, Channel(name, ""))
            shape = list(array.shape[1:] if channel.pairs else array.shape)
            self._check_names(channel, shape)
            rows.append(
                [
                    name,
                    channel.unit,
                    channel.labels,
                    channel.columns,
                    array.dtype.str,
                    shape,
                    channel.pairs,
                ]
            )
        self._write([artrun.LAYOUT, self._layouts, rows])
        self._layouts += 1

    def _check_names(self, channel: Channel, shape: list[int]) -> None:
        rows, columns = (shape[0], shape[-1]) if shape else (0, 0)
        labels = 0 if channel.pairs else len(channel.labels)
        if labels > rows or len(channel.columns) > columns:
            raise RecordingError(
                f"channel '{channel.name}' names {labels} rows and {len(channel.columns)} columns"
                f" of an array of shape {tuple(shape)}; name no more than it has"
            )

    def _flush_controls(self) -> None:
        if not self._outputs:
            return
        rows: list[object] = []
        for name, outputs in self._outputs.items():
            # One entry for each stretch of equally wide outputs, in the order they were given.
            first = 0
            for last in range(1, len(outputs) + 1):
                width = len(outputs[first][1])
                if last < len(outputs) and len(outputs[last][1]) == width:
                    continue
                part = outputs[first:last]
                times = np.array([time for time, _ in part], "<f8")
                values = np.array([value for _, value in part], "<f8")
                rows.append([name, width, times.tobytes(), values.tobytes()])
                first = last
        self._outputs = {}
        self._write([artrun.CONTROL, rows])

    def _write(self, payload: list[object]) -> None:
        if self._ended:
            raise RecordingError("this recorder is closed; nothing can be added to its recording")
        self._settle()
        try:
            data, checksum = artrun.block(payload, self._checksum)
        except TypeError as error:
            raise RecordingError(
                f"this cannot be recorded: {error}; give numbers, text and tuples of them"
            ) from error
        self._under_way = self._sink.size + len(data), checksum
        self._put(data)
        self._checksum, self._under_way = checksum, None

    def _settle(self) -> None:
        """Find out whether the block is there in whose writing an interrupt came."""
        if self._under_way is None:
            return
        size, checksum = self._under_way
        if self._sink.holds(size):
            self._checksum = checksum
        self._under_way = None

    def _put(self, data: bytes) -> None:
        try:
            self._sink.write(data)
        except OSError as error:
            self._ended = True
            self._sink.close()
            last = self._kept
            kept = "no frame" if last is None else f"every frame up to t = {last[0]:g} s"
            raise RecordingError(
                f"{self._sink} cannot be written any further ({error.strerror}); it holds"
                f" {kept} and stays readable. Free some space or give another folder, and run again"
            ) from error


def plain_event(event: Event) -> dict[str, Any]:
    """Return ``event`` as it stands in a recording."""
    return {
        "time": float(event.time),
        "kind": event.kind,
        "who": event.who,
        "where": event.where,
        "values": {key: _plain(value) for key, value in event.values.items()},
        "story": event.story,
        "span": encode(event.span),
    }


class _Memory:
    """Blocks kept in memory."""

    def __init__(self) -> None:
        self._data = bytearray()

    @property
    def size(self) -> int:
        return len(self._data)

    def write(self, data: bytes) -> None:
        self._data += data

    def holds(self, size: int) -> bool:
        """Return whether so many bytes are kept; those of half a block are taken back."""
        return len(self._data) == size

    def recording(self) -> Recording:
        return from_bytes(bytes(self._data), "the recording in memory")

    def close(self) -> None:
        """Nothing is held open."""


class _File:
    """Blocks appended to a file; a block that does not fit is taken back."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.size = 0
        try:
            # Not emptied before it is ours: another run may be writing it.
            self._file: Any = open(path, "wb", buffering=0, opener=_keeping)  # noqa: SIM115 - closed by close()
            claim(self._file.fileno(), str(path))
            if path.is_file():
                self._file.truncate(0)
        except RecordingError:
            self._file.close()
            raise
        except OSError as error:
            raise RecordingError(
                f"{path} cannot be written ({error.strerror}); give a file in a folder that exists"
                " and that you may write to"
            ) from error

    def __str__(self) -> str:
        return str(self._path)

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        try:
            while view:
                view = view[self._file.write(view) :]
        except OSError:
            with contextlib.suppress(OSError):
                self._file.truncate(self.size)
            raise
        self.size += len(data)

    def holds(self, size: int) -> bool:
        """Return whether so many bytes are kept; those of half a block are taken back."""
        if self._path.is_file() and os.fstat(self._file.fileno()).st_size != size:
            self._file.truncate(self.size)
            self._file.seek(self.size)
            return False
        self.size = size
        return True

    def recording(self) -> Recording:
        return load(self._path)

    def close(self) -> None:
        self._file.close()


def _keeping(path: str, flags: int) -> int:
    return os.open(path, flags & ~os.O_TRUNC, 0o666)


def _stored(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    # The common case first: float64 arrays as the kernels make them.
    if array.dtype == _FLOAT and array.flags.c_contiguous:
        return array
    return little_endian(np.asarray(array))


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


_FLOAT = np.dtype("<f8")
