"""A recording: what was observed during a run, to be looked at without running it again.

Channels are named arrays with units, one row a frame. ``series`` reads a channel or moves a
point with its body; no domain is called or imported, so a recording of a domain that is not
installed can be read too. Edits and controller outputs are kept, so that ``replay`` can repeat
the run.

An edit is taken back by the inverse edits, and the state by the frame before the edit: the impact
by which bodies are joined forgets how they moved before, so the state cannot be computed back; it
is recorded instead, in a frame right before every edit.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from articulata.errors import NameNotFound, RecordingError
from articulata.geometry.arrays import Array
from articulata.records import artrun, blocks
from articulata.records.codec import Unknown, decode
from articulata.records.data_frames import Labelled, Tabular, data_frame, dataset, over_time
from articulata.records.events import Event
from articulata.records.files import write_whole
from articulata.records.header import Header, plain_header
from articulata.records.observed import Told
from articulata.records.segment import Segment
from articulata.records.state import Channel, Frame, Remembered, State
from articulata.world.edits.transaction import Edit, edited, inverse_of
from articulata.world.model import World
from articulata.world.values import NOWHERE, Span

if TYPE_CHECKING:
    from articulata.records.findings import Peak
    from articulata.records.stored import Quantity


@dataclass(frozen=True, slots=True)
class Before:
    """The ``world`` and its ``state`` right before an edit made at ``time`` (s).

    ``made`` are the edits, ``edits`` those that take them back.
    """

    time: float
    world: World
    state: State
    made: tuple[Edit, ...]
    edits: tuple[Edit, ...]


def undo(recording: Told, event: Event | None = None) -> Before:
    """Return what was right before an edit; RecordingError where there is none."""
    world = recording.world
    found: Before | None = None
    made = iter(recording.edits)
    for each in recording.events:
        if each.kind != "edit":
            continue
        count = each.values.get("edits", 1.0)
        edits: list[Edit] = []
        mine = list(itertools.islice(made, int(count) if isinstance(count, float) else 0))
        if not mine or len(mine) != count:
            raise RecordingError(
                f"the event at t = {each.time:g} s tells of {count} edits, of which"
                f" {len(mine)} are recorded"
            )
        for _, edit in mine:
            if isinstance(edit, Unknown):
                raise RecordingError(
                    f"the edit at t = {each.time:g} s is a {edit.name}, which this version of"
                    " Articulata does not know; install the version that wrote the recording"
                )
            edits.append(edit)
        after = edited(world, edits)
        if event is None or each == event:
            found = _before(recording, world, after, each.time, tuple(edits))
            if event is not None:
                return found
        world = after
    if found is None:
        raise RecordingError(
            "no edit was made in this recording"
            if event is None
            else f"'{event.kind}' at t = {event.time:.9g} s is no edit of this recording; give one "
            "of its events of kind 'edit'"
        )
    return found


def _before(
    recording: Told, world: World, after: World, time: float, edits: tuple[Edit, ...]
) -> Before:
    back = inverse_of(world, edits)
    assert edited(after, back) == world
    return Before(time, world, _frame_before(recording, world.version, time), edits, back)


def _frame_before(recording: Told, version: int, time: float) -> State:
    """Return the state of the last frame of a version of the world, at ``time``."""
    number = 0
    last: int | None = None
    for segment in recording.segments:
        if segment.version == version:
            last = number + len(segment.times) - 1
        number += len(segment.times)
    if last is None or recording.frame(last).time != time:
        raise RecordingError(
            f"the frame before the edit at t = {time:.9g} s is not in the recording; it was made "
            "by a version that did not keep it"
        )
    state = recording.state_of(last)
    known = state.memory
    return replace(state, memory=known.undone if isinstance(known, Remembered) else known)


@dataclass(frozen=True, slots=True)
class Outputs:
    """What one controller gave: stage ``times`` (n,) in s and ``values``, one row each."""

    times: Array
    values: tuple[tuple[float, ...], ...]


class Recording(Tabular):
    """What was observed during a run.

    ``times`` is (n,) s. ``damage`` says in one sentence what was lost, empty when nothing was;
    ``complete`` is whether the run came to its own end, ``reason`` why it stopped before, which is
    empty where it was killed; ``shortfall`` says all of this.
    """

    def __init__(self, contents: artrun.Contents, name: str) -> None:
        self._contents = contents
        self._name = name
        self.segments: tuple[Segment, ...] = tuple(
            Segment(contents.buffer, contents.layouts[run.layout], run) for run in contents.runs
        )
        self.damage: str = contents.damage
        self.complete: bool = contents.ended == ""
        self.reason: str = contents.ended or ""

    @property
    def shortfall(self) -> str:
        """What is missing of the run, in one sentence; empty where it came to its own end."""
        if self.complete:
            return self.damage
        until = f"t = {self.times[-1]:g} s" if len(self.times) else "its first frame"
        if self.reason:
            ended = f"the run was stopped after {until}: {self.reason}"
        else:
            ended = f"the run has no end: it was killed after {until}, or is still under way"
        return f"{self.damage}. {ended[0].upper()}{ended[1:]}" if self.damage else ended

    def __repr__(self) -> str:
        many = len(self.events)
        return f"Recording({self._name}: {len(self.times)} frames, {many} event{'s' * (many != 1)})"

    def _labelled(self) -> Labelled:
        return over_time(self, None)

    def to_pandas(self, paths: str | Sequence[str] | None = None) -> Any:
        """Return ``paths`` over time as a ``pandas.DataFrame``, every channel where none are given.

        Its index is the time (s); two frames at one instant are those before and after an edit.
        Units by column are ``attrs["units"]``. Raises MissingExtra where pandas is not installed.
        """
        return data_frame(over_time(self, paths))

    def to_xarray(self, paths: str | Sequence[str] | None = None) -> Any:
        """Return ``paths`` over time as an ``xarray.Dataset``, every channel where none are given.

        Channels keep their rows and columns as dims: body, hinge, axis. Raises MissingExtra where
        xarray is not installed.
        """
        return dataset(over_time(self, paths))

    @cached_property
    def header(self) -> Header:
        """How the run was made."""
        plain = self._contents.header
        world = decode(self._contents.world)
        if not isinstance(world, World):
            raise RecordingError(
                f"the world in {self._name} has parts this version of Articulata does not know;"
                " install the version that wrote it or a newer one"
            )
        rules = decode(plain["rules"]) if "rules" in plain else ()
        return plain_header(plain, world, rules)

    @property
    def world(self) -> World:
        """The world at the start, assembled."""
        return self.header.world

    @cached_property
    def times(self) -> Array:
        """Times of the frames, (n,) s."""
        parts = [segment.times for segment in self.segments]
        return np.concatenate(parts) if parts else np.zeros(0)

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """What happened, in order of time."""
        return tuple(event_of(item) for item in self._contents.events)

    @cached_property
    def edits(self) -> tuple[tuple[float, Edit | Unknown], ...]:
        """Times (s) and edits in the order they were made."""
        made = [(time, decode(packed)) for time, packed in self._contents.edits]
        for time, edit in made:
            if not isinstance(edit, Edit | Unknown):
                raise RecordingError(
                    f"what is recorded as an edit at t = {time:g} s is a {type(edit).__name__}; the"
                    " recording was changed or made up"
                )
        return tuple(made)

    @cached_property
    def worlds(self) -> Mapping[int, World]:
        """The world after each edit, by version."""
        world = self.world
        found = {world.version: world}
        for time, edit in self.edits:
            if isinstance(edit, Unknown):
                raise RecordingError(
                    f"the edit at t = {time:g} s is a {edit.name}, which this version of"
                    " Articulata does not know; install the version that wrote the recording"
                )
            try:
                world = edit.apply(world)
            except (LookupError, TypeError, ValueError, AttributeError) as error:
                raise RecordingError(
                    f"the edit at t = {time:g} s does not fit the world that it is recorded for"
                    f" ({error}); the recording was changed or made up"
                ) from error
            found[world.version] = world
        lacking = [each.version for each in self.segments if each.version not in found]
        if lacking:
            raise RecordingError(
                f"frames in {self._name} belong to version {lacking[0]} of the world, which no"
                " recorded edit makes"
            )
        return MappingProxyType(found)

    @cached_property
    def controls(self) -> Mapping[str, Outputs]:
        """Outputs of each controller in the order they were given."""
        times: dict[str, list[Array]] = {}
        values: dict[str, list[tuple[float, ...]]] = {}
        for name, width, stamps, data in self._contents.controls:
            times.setdefault(name, []).append(np.frombuffer(stamps, "<f8"))
            rows = np.frombuffer(data, "<f8").reshape(-1, width)
            values.setdefault(name, []).extend(tuple(row) for row in rows.tolist())
        return MappingProxyType(
            {name: Outputs(np.concatenate(times[name]), tuple(values[name])) for name in times}
        )

    @cached_property
    def channels(self) -> Mapping[str, Channel]:
        """Every channel of any frame, by name; labels are those of all its frames."""
        found: dict[str, Channel] = {}
        for segment in self.segments:
            for name, channel in segment.channels.items():
                first = found.setdefault(name, channel)
                if first.labels != channel.labels:
                    labels = dict.fromkeys((*first.labels, *channel.labels))
                    found[name] = replace(first, labels=tuple(labels))
        return MappingProxyType(found)

    def array(self, name: str) -> npt.NDArray[Any]:
        """Return channel ``name`` for all frames, (n, ...), read-only; rows are its ``labels``.

        Raises NameNotFound for an unknown channel, RecordingError where its rows change.
        """
        if name not in self.channels:
            known = ", ".join(self.channels) or "none"
            raise NameNotFound(f"there is no channel {name!r}; the recording has {known}")
        parts = []
        for segment in self.segments:
            if name not in segment.channels:
                raise RecordingError(
                    f"channel {name!r} is not recorded from t = {segment.times[0]:g} s on;"
                    " read it from the segments, or ask series() for one quantity"
                )
            parts.append(segment.array(name))
        if len(parts) == 1:
            return parts[0]
        labels = {segment.channels[name].labels for segment in self.segments}
        if len({part.shape[1:] for part in parts}) > 1 or len(labels) > 1:
            raise RecordingError(
                f"channel {name!r} changes its shape or rows when the world is edited;"
                " read it from the segments, or ask series() for one quantity"
            )
        whole: npt.NDArray[Any] = np.concatenate(parts)
        whole.flags.writeable = False
        return whole

    def quantity(self, path: str) -> Quantity:
        """Return what ``path`` names over time, with its unit and the names of its parts."""
        # Imported here: most readers of a recording never ask for a path.
        from articulata.records.quantities import quantity

        return quantity(self, path)

    def series(self, path: str) -> Array:
        """Return what ``path`` names at each of ``times``, (n,) or (n, parts), SI units in W.

        "links.rod2.center" (n, 3) m, "rod2.w.z" rad/s, "links.h23.angle" rad, "links.h23.force"
        (n, 3) N on body A, "energy.total" J, and any channel by its name.
        """
        return self.quantity(path).values

    def unit(self, path: str) -> str:
        """Return the unit of ``series(path)``: "m", "rad/s", "N" ..., "" for pure numbers."""
        return self.quantity(path).unit

    def peaks(self) -> tuple[Peak, ...]:
        """Return what every hinge bore at most, and when."""
        from articulata.records.findings import peaks

        return peaks(self)

    def nearest(self, time: float) -> int:
        """Return the number of the frame nearest to ``time`` (s); of two, the later."""
        if not len(self.times):
            raise RecordingError(f"{self._name} has no frames")
        if not np.isfinite(time):
            raise RecordingError(f"there is no frame at t = {time}; give a finite time in s")
        off = np.abs(self.times - time)
        return int(np.flatnonzero(off <= off.min())[-1])

    def frame(self, index: int) -> Frame:
        """Return frame ``index``; negative numbers count from the end."""
        number = range(len(self.times))[index]
        for segment in self.segments:
            if number < len(segment.times):
                break
            number -= len(segment.times)
        return Frame(
            float(segment.times[number]),
            MappingProxyType(segment.frame(number)),
            segment.version,
        )

    def state(self, time: float) -> State:
        """Return the state of the frame nearest to ``time`` (s); it carries its own time."""
        return self.state_of(self.nearest(time))

    def state_of(self, index: int) -> State:
        """Return the state of frame ``index``, with what the run remembered there."""
        frame, number = self.frame(index), range(len(self.times))[index]
        try:
            parts = blocks.remembered(self._contents.memories, number)
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            raise RecordingError(
                f"what {self._name} remembers at t = {frame.time:g} s cannot be understood; give "
                "its arrays alone to go on from there"
            ) from error
        memory = Remembered(lambda: self.worlds[frame.version], self.header, parts)
        return State(frame.time, frame.arrays, frame.version, memory if parts else None)

    def why(self, event: Event | str) -> str:
        """Return the account of how ``event`` came about: its causes, and theirs, in order.

        A name, as "elbow", stands for the latest event of that body or hinge, a kind of event, as
        "redundancy", for the latest of that kind.
        """
        from articulata.records.findings import why

        return why(self, event)

    def causes(self, event: Event) -> tuple[Event, ...]:
        """Return the events that led to ``event`` directly, in order of time."""
        from articulata.records.findings import causes

        return causes(self, event)

    def undo(self, event: Event | None = None) -> Before:
        """Return world and state right before an edit, the last one where no event is given.

        Its ``edits`` take the edit back. ``simulate(before.world, start=before.state, until=...)``
        runs on from there as though it had not been made.
        """
        return undo(self, event)

    def to_bytes(self) -> bytes:
        """Return the recording as the bytes of an ``.artrun`` file, every block whole."""
        return bytes(self._contents.buffer[: self._contents.whole])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the recording to ``path``; a file that was there stays if this fails."""
        write_whole(Path(path), self.to_bytes())


def from_bytes(data: bytes, name: str = "the recording") -> Recording:
    """Return the recording in ``data``; ``name`` is what messages call it."""
    return Recording(blocks.read(data, name), name)


def load(path: str | os.PathLike[str]) -> Recording:
    """Return the recording in file ``path``: every whole block before a damage."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise RecordingError(
            f"{os.fspath(path)} cannot be read ({error.strerror}); give an .artrun file"
        ) from error
    return from_bytes(data, os.fspath(path))


def event_of(item: Mapping[str, Any]) -> Event:
    """Return the event that stands in a recording as ``item``."""
    return Event(
        item["time"],
        item["kind"],
        tuple(item["who"]),
        tuple(item["where"]),
        MappingProxyType(item["values"]),
        item["story"],
        _span(item["span"]),
    )


def _span(packed: list[Any]) -> Span:
    span = decode(packed)
    return span if isinstance(span, Span) else NOWHERE
