"""Recordings that were made up, every checksum right: they end in messages, not in tracebacks."""

from __future__ import annotations

import contextlib
import itertools
import random
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import recorded
from articulata.errors import ArticulataError, RecordingError
from articulata.records import artrun
from articulata.records.recording import Recording, from_bytes, load
from articulata.report.export import exported
from articulata.report.recording_tables import events_table, events_text
from articulata.report.viewer.motion_sources import motion_of

OLD = Path(recorded.__file__).parent / "data" / "recordings" / "format_2.artrun"


@pytest.fixture(scope="module")
def blocks() -> list[list[Any]]:
    """A header, a layout, six frames, an event, outputs and the end."""
    return recorded.payloads(recorded.swing(6, rods=2).to_bytes())


def of(blocks: list[list[Any]], kind: int) -> list[int]:
    """The places of the blocks of one kind."""
    return [place for place, block in enumerate(blocks) if block[0] == kind]


@pytest.mark.parametrize("number", [2, 3])
@pytest.mark.parametrize(
    ("forge", "said", "kept"),
    [
        (lambda b, f: [*b[: f[2]], b[f[3]], b[f[2]], *b[f[3] + 1 :]], "time runs back", 3),
        (lambda b, f: [*b[: f[3]], b[f[2]], *b[f[3] :]], "stands there twice", 3),
        (lambda b, f: [*b, b[f[0]]], "a block follows the end", 6),
        (lambda b, f: [*b[: f[3]], b[0], *b[f[3] :]], "a header stands where none can", 3),
        (lambda b, f: [*b[: f[3]], b[1], *b[f[3] :]], "a layout stands where another was", 3),
        (lambda b, f: [b[0], *b[2:]], "has a layout that was not described", 0),
        (lambda b, f: [*b[: f[3]], [3, -1, *b[f[3]][2:]]], "has a layout that was not", 3),
        (lambda b, f: [*b[: f[3]], [*b[f[3]][:4], b[f[3]][4][:-8]]], "more or fewer numbers", 3),
        (lambda b, f: [*b[: f[3]], [*b[f[3]][:3], float("nan"), b[f[3]][4]]], "time runs", 3),
        (lambda b, f: [*b[: f[3]], ["frame"]], "cannot be understood", 3),
        (lambda b, f: [*b[: f[3]], []], "cannot be understood", 3),
        (lambda b, f: [*b[: f[3]], [4, {"time": 0.1}]], "cannot be understood", 3),
        (lambda b, f: [*b[: f[3]], [6, [["wind", 2, bytes(16), bytes(8)]]]], "not as many", 3),
    ],
)
def test_what_no_recorder_writes_ends_the_reading_with_a_reason(
    blocks: list[list[Any]],
    number: int,
    forge: Callable[[list[list[Any]], list[int]], list[list[Any]]],
    said: str,
    kept: int,
) -> None:
    # outputs stand between the frames; without them places are easier to name
    plain = [block for block in blocks if block[0] in (1, 2, 3, 7)]
    frames = of(plain, artrun.FRAME)
    recording = from_bytes(recorded.rewritten(*forge(plain, frames), number=number))
    assert said in recording.damage
    assert len(recording.times) == kept
    again = from_bytes(recording.to_bytes())
    assert (again.damage, len(again.times)) == ("", kept)


def test_a_block_elsewhere_does_not_fit_though_it_is_whole(blocks: list[list[Any]]) -> None:
    """Two runs that wrote one file, or a tool that put it together: bytes as they were written."""
    data = recorded.rewritten(*blocks)
    starts = [artrun.PREAMBLE_BYTES]
    while starts[-1] < len(data):
        length, _ = artrun.BLOCK.unpack_from(data, starts[-1])
        starts.append(starts[-1] + artrun.BLOCK.size + length)
    cut = [data[a:b] for a, b in itertools.pairwise(starts)]
    first, last = of(blocks, artrun.EVENT)[0], of(blocks, artrun.FRAME)[-1]
    head = data[: artrun.PREAMBLE_BYTES]
    for order in (
        [*range(last), last - 1, *range(last, len(cut))],  # doubled
        [place for place in range(len(cut)) if place != first],  # left out
        [*range(first), first + 1, first, *range(first + 2, len(cut))],  # swapped
    ):
        recording = from_bytes(head + b"".join(cut[place] for place in order))
        assert "does not match its checksum, or stands in a wrong place" in recording.damage


def looked_at(recording: Recording) -> None:
    """Ask a recording for all that it can be asked; ArticulataErrors are answers too."""
    for ask in (
        lambda: recording.header,
        lambda: recording.events,
        lambda: recording.worlds,
        lambda: recording.controls,
        lambda: recording.peaks(),
        lambda: events_text(recording.events),
        lambda: events_table(recording.events),
        lambda: [recording.why(event) for event in recording.events],
        lambda: recording.undo(),
        lambda: recording.state(0.1),
        lambda: exported(recording, ".csv", None),
        lambda: exported(recording, ".html", None),
        lambda: motion_of(recording).at(0.1),
    ):
        with contextlib.suppress(ArticulataError):
            ask()
    with contextlib.suppress(ArticulataError):
        for body in recording.world.bodies:
            with contextlib.suppress(ArticulataError):
                recording.series(f"{body}.center.v")


STRANGE: tuple[Any, ...] = (
    None, True, -1, 0, 2**40, 0.5, float("nan"), float("inf"), 1e308, "", "p.rod[1]", b"", b"\x90",
    [], {}, [None], [[0]], {"a": 1}, "\0", -(2**63), [1, 2, 3], "dynamic.pose",
)  # fmt: skip


def forged(blocks: list[list[Any]], chance: random.Random) -> list[Any]:
    """Return ``blocks`` with one to four things changed, somewhere."""
    made = msgspec.msgpack.decode(msgspec.msgpack.encode(blocks))
    for _ in range(chance.randint(1, 4)):
        if chance.random() < 0.2:
            one, other = (chance.randrange(len(made)) for _ in range(2))
            made[one] = made[other]
            continue
        _strike(made[chance.randrange(len(made))], chance)
    return made


def _strike(value: Any, chance: random.Random) -> None:
    """Change something within a list or mapping."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return
        key = chance.choice(keys)
        inside = value[key]
        packed = isinstance(inside, bytes) and len(inside) > 1 and chance.random() < 0.9
        if packed and inside[0] in (0x92, 0x93, 0x94):  # a node of a world, packed for itself
            with contextlib.suppress(msgspec.DecodeError):
                node = msgspec.msgpack.decode(inside)
                _strike(node, chance)
                value[key] = msgspec.msgpack.encode(node)
                return
        if isinstance(inside, list | dict) and inside and chance.random() < 0.9:
            value = inside
            continue
        if packed:
            cut = bytearray(inside)
            cut[chance.randrange(len(cut))] = chance.randrange(256)
            value[key] = bytes(cut)
        elif isinstance(value, dict) and chance.random() < 0.3:
            del value[key]
        else:
            value[key] = deepcopy(chance.choice(STRANGE))
        return


def survey(sources: list[list[list[Any]]], first: int, last: int) -> list[str]:
    """Return what went wrong with forgeries ``first`` to ``last``, other than by a message."""
    wrong = []
    for seed in range(first, last):
        chance = random.Random(seed)
        made = forged(chance.choice(sources), chance)
        try:
            data = recorded.rewritten(*made, number=chance.choice((1, 2, 3)))
        except RecordingError:
            continue
        try:
            with np.errstate(all="ignore"):
                looked_at(from_bytes(data))
        except ArticulataError:
            pass
        except Exception as error:  # whatever else there is, is what is looked for
            wrong.append(f"{seed}: {type(error).__name__}: {error}")
    return wrong


def test_a_fuzz_of_forged_recordings_ends_in_messages(blocks: list[list[Any]]) -> None:
    assert survey([blocks], 0, 60) == []


@pytest.mark.slow
def test_a_long_fuzz_of_forged_recordings_ends_in_messages(blocks: list[list[Any]]) -> None:
    old = recorded.payloads(OLD.read_bytes())
    assert load(OLD).complete
    assert survey([blocks, old], 60, 5000) == []
