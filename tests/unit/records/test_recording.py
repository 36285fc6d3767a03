"""What is recorded comes back: arrays bit for bit, channels, events, edits, controls, the world."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import recorded
from articulata.errors import NameNotFound, RecordingError
from articulata.records import artrun, blocks
from articulata.records.codec import decode, encode
from articulata.records.events import Event
from articulata.records.header import Header
from articulata.records.recorder import Recorder
from articulata.records.recording import from_bytes, load
from articulata.records.state import Channel, Frame
from articulata.world.edits.force_edits import Ignore
from articulata.world.edits.structure_edits import BreakHinge
from articulata.world.edits.value_edits import SetProperty


def test_every_array_comes_back_bit_for_bit(tmp_path: Path) -> None:
    world = recorded.chain()
    generator = np.random.default_rng(3)
    bits = generator.integers(0, 2**64, (5, 4, 3), np.uint64, endpoint=False)
    arrays = bits.view(np.float64)  # every kind of double, NaN payloads and denormals too
    recorder = Recorder(Header(world), tmp_path / "run.artrun")
    for number in range(5):
        recorder.frame(Frame(0.1 * number, {"stranger.noise": arrays[number]}))
    recorder.close()
    back = load(tmp_path / "run.artrun").array("stranger.noise")
    assert np.array_equal(np.ascontiguousarray(back).view(np.uint64), bits)


@pytest.mark.parametrize("dtype", [">f8", "<f4", "<i4", "|b1", "|u1", "<i8"])
def test_other_dtypes_and_odd_memory_come_back(dtype: str) -> None:
    values = (np.arange(24).reshape(4, 6) % 2).astype(dtype)[:, ::2]
    recorder = Recorder(Header(recorded.chain()))
    recorder.frame(Frame(0.0, {"a": values, "empty": np.zeros((0, 3)), "scalar": np.array(2.5)}))
    recording = recorder.recording()
    assert np.array_equal(recording.array("a")[0], values)
    assert recording.array("empty").shape == (1, 0, 3)
    assert recording.array("scalar").tolist() == [2.5]


def test_the_world_comes_back_equal_but_without_folders() -> None:
    recording = recorded.swing()
    world = recorded.chain()
    back = recording.world
    assert list(back.bodies) == list(world.bodies)
    assert back.hinges == world.hinges
    assert back.bodies["p.rod[2]"].shape == world.bodies["p.rod[2]"].shape
    assert back.bodies["p.rod[2]"].material == world.bodies["p.rod[2]"].material
    top = back.bodies["p.rod[1]"].features["top"]
    assert (top.span.file, top.span.line, top.span.column) == ("chain.art", 3, 5)
    assert b"folder" not in recording.to_bytes()
    with pytest.raises(TypeError):
        back.bodies["p.rod[9]"] = back.bodies["p.rod[1]"]  # type: ignore[index]  # read-only


def test_equal_parts_are_stored_once() -> None:
    few, many = (len(recorded.swing(2, rods).to_bytes()) for rods in (10, 110))
    frames = 2 * (3 + 4 + 3 + 3 + 7 + 3 + 3 + 6 + 2) * 8
    assert (many - few) / 100 < frames + 900


def test_header_tells_how_the_run_was_made() -> None:
    header = recorded.swing().header
    assert (header.step, header.method, header.seed) == (0.05, "RK4", 7)
    assert set(header.versions) == {"articulata", "numpy", "numba"}
    assert header.world.arguments == (60.0,)


def test_events_and_controls_come_back() -> None:
    recording = recorded.swing(41)
    (event,) = recording.events
    assert event.time == pytest.approx(1.0)
    assert event.values["normal"] == (0.0, 1.0, 0.0)
    assert event.values["law"] == "newton"
    assert event.span.line == 31
    wind = recording.controls["wind"]
    assert len(wind.times) == len(wind.values) == 41
    assert wind.values[0] == (0.0, 0.0, 1.0)


def test_controls_of_changing_width_keep_their_order() -> None:
    recorder = Recorder(Header(recorded.chain()))
    given = [(0.0, (1.0,)), (0.1, (1.0, 2.0)), (0.2, (3.0, 4.0)), (0.3, (5.0,))]
    for time, values in given:
        recorder.control("c", time, values)
    outputs = recorder.recording().controls["c"]
    assert list(zip(outputs.times.tolist(), outputs.values, strict=True)) == given


def test_state_is_the_nearest_frame_and_carries_its_own_time() -> None:
    recording = recorded.swing(41)
    state = recording.state(0.512)
    assert state.time == pytest.approx(0.5)
    expected = recorded.frame(recorded.chain(), state.time)
    assert np.array_equal(state.arrays["dynamic.position"], expected.arrays["dynamic.position"])
    assert recording.state(99).time == pytest.approx(2.0)
    with pytest.raises(RecordingError, match="finite"):
        recording.state(float("nan"))


def test_a_layout_changes_when_the_arrays_do() -> None:
    recorder = Recorder(Header(recorded.chain()))
    recorder.layout([Channel("a", "m", ("one", "two"))])
    recorder.frame(Frame(0.0, {"a": np.zeros(2), "always": np.zeros(1)}))
    recorder.layout([Channel("a", "m", ("one",))])
    recorder.frame(Frame(1.0, {"a": np.ones(1), "always": np.ones(1)}, version=1))
    recording = recorder.recording()
    assert [segment.channels["a"].labels for segment in recording.segments] == [
        ("one", "two"),
        ("one",),
    ]
    assert recording.array("always").tolist() == [[0.0], [1.0]]
    assert [segment.version for segment in recording.segments] == [0, 1]
    with pytest.raises(RecordingError, match="changes its shape"):
        recording.array("a")


def test_an_unknown_channel_is_named_beside_those_there_are() -> None:
    with pytest.raises(NameNotFound, match=r"no channel 'dynamic.pos'.*dynamic.position"):
        recorded.swing(2).array("dynamic.pos")


def test_a_file_and_memory_hold_the_same_bytes(tmp_path: Path) -> None:
    world = recorded.chain()
    header = Header(world, 0.05, 1.0, "RK4", seed=7)
    with Recorder(header, tmp_path / "run.artrun") as to_file:
        recorded.record(to_file, world, 21)
    in_memory = Recorder(header)
    recorded.record(in_memory, world, 21)
    in_memory.close()
    written = (tmp_path / "run.artrun").read_bytes()
    assert written == in_memory.recording().to_bytes()
    in_memory.recording().save(tmp_path / "saved.artrun")
    assert (tmp_path / "saved.artrun").read_bytes() == written
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.artrun", "saved.artrun"]


def test_a_run_that_is_not_closed_says_so(tmp_path: Path) -> None:
    recorder = Recorder(Header(recorded.chain()), tmp_path / "run.artrun")
    recorded.record(recorder, recorded.chain(), 5)
    running = load(tmp_path / "run.artrun")
    assert (len(running.times), running.complete, running.damage) == (5, False, "")
    with pytest.raises(KeyError), recorder:
        raise KeyError("wind")
    stopped = load(tmp_path / "run.artrun")
    assert not stopped.complete
    assert stopped.reason == "KeyError: 'wind'"
    with pytest.raises(RecordingError, match="closed"):
        recorder.frame(Frame(1.0, {}))


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("kept", ["file", "memory"])
def test_an_interrupt_in_the_middle_of_a_block_is_told(
    share: float, kept: str, tmp_path: Path
) -> None:
    file = tmp_path / "run.artrun" if kept == "file" else None
    recorder = Recorder(Header(recorded.chain()), file)
    sink: Any = recorder._sink
    recorder.event(Event(0.0, "first"))
    whole = sink.write

    def interrupted(data: bytes) -> None:
        sink.write = whole
        part = data[: round(share * len(data))]
        if file is not None:
            sink._file.write(part)  # before the size of it is counted
        elif share == 1.0:
            whole(part)
        raise KeyboardInterrupt

    sink.write = interrupted
    with pytest.raises(KeyboardInterrupt), recorder:
        recorder.event(Event(1.0, "second"))
    there = recorder.recording()
    assert there.reason == "KeyboardInterrupt"
    assert [each.kind for each in there.events] == ["first", "second"][: 2 if share == 1.0 else 1]


def test_an_edit_of_an_unknown_class_is_refused_when_written() -> None:
    recorder = Recorder(Header(recorded.chain()))
    with pytest.raises(RecordingError, match=r"recorded\.Recolour cannot be recorded"):
        recorder.edit(0.0, recorded.Recolour("p.rod[1]"))


def test_classes_of_another_version_are_kept_or_filled_in() -> None:
    world = recorded.chain()
    data = Recorder(Header(world)).recording().to_bytes()
    # The same file as a version would write it that has another class of shapes.
    text = b"articulata.geometry.shapes:Cuboid"
    contents = blocks.read(data, "test")
    nodes = [node.replace(text, text[:-6] + b"Cushio") for node in contents.world[0]]
    header = [artrun.HEADER, contents.header, [nodes, contents.world[1]]]
    strange = recorded.rewritten(header)
    shape = from_bytes(strange).world.bodies["p.rod[1]"].shape
    assert "Cushio" in repr(shape)
    assert from_bytes(data).world.bodies["p.rod[1]"].shape == world.bodies["p.rod[1]"].shape


def test_worlds_that_differ_give_bytes_that_differ() -> None:
    world = recorded.chain()
    heavier = replace(world, gravity=(0.0, -1.62, 0.0))
    assert (
        Recorder(Header(world)).recording().to_bytes()
        != Recorder(Header(heavier)).recording().to_bytes()
    )


def test_an_impact_of_format_1_says_its_kinetic_energy() -> None:
    recorder = Recorder(Header(recorded.chain()))
    values = {"energy_before": 2.0, "energy_after": 1.0, "impulse": 3.0}
    recorder.event(Event(0.5, "impact", ("a", "b"), values=values))
    recorder.event(Event(0.5, "edit", ("a",), values=values))
    data = recorder.recording().to_bytes()
    first = recorded.rewritten(*recorded.payloads(data), number=1)
    old = from_bytes(first)
    kept = {"impulse": 3.0, "kinetic_before": 2.0, "kinetic_after": 1.0}
    assert dict(old.events[0].values) == kept
    assert dict(old.events[1].values) == values
    assert dict(from_bytes(data).events[0].values) == values
    assert old.to_bytes() == first


def test_a_recording_of_format_2_is_read() -> None:
    """Two rods swing, a pin is broken at 0.06 s, one ball lies on the floor, one falls on it."""
    file = Path(recorded.__file__).parent / "data" / "recordings" / "format_2.artrun"
    recording = load(file)
    assert (recording.complete, recording.damage) == (True, "")
    assert recording.times.tolist() == pytest.approx([0.0, 0.05, 0.06, 0.06, 0.1])
    assert [segment.version for segment in recording.segments] == [0, 2]
    weight = 1000.0 * 4.0 / 3.0 * np.pi * 0.1**3 * 9.81
    held = recording.series("one from floor")[:, 1]
    assert held == pytest.approx(weight * np.array([1.0, 1.0, 1.0, 1.0, 2.0]), rel=1e-9)
    assert recording.series("floor from one")[:, 1].tolist() == (-held).tolist()
    assert recording.series("dynamic.pair_force.one on floor.y").tolist() == held.tolist()
    assert recording.series("other touches one").tolist() == [0.0, 0.0, 0.0, 0.0, 1.0]
    assert np.isnan(recording.series("lower.force")[:, 1]).tolist() == [False] * 3 + [True] * 2
    assert np.isnan(recording.series("dynamic.multipliers.lower.5")).tolist() == (
        [False] * 3 + [True] * 2
    )
    assert recording.to_bytes() == file.read_bytes()


def test_pairs_are_kept_where_there_is_something_and_found_by_name() -> None:
    channel = Channel("touch.force", "N", ("a", "b", "c"), ("x", "y"), pairs=True)
    told = [[[0, 1, 1.0, 2.0], [1, 2, 3.0, 4.0]], [], [[1, 2, 5.0, 6.0]]]
    recorder = Recorder(Header(recorded.chain()))
    recorder.layout([channel, Channel("wind", "m/s")])
    for number, rows in enumerate(told):
        arrays = {"touch.force": np.array(rows).reshape(-1, 4), "wind": np.array([7.0 + number])}
        recorder.frame(Frame(0.1 * number, arrays))
    recording = recorder.recording()
    assert recording.channels["touch.force"].labels == ("a on b", "b on c")
    expected = [[[1, 2], [3, 4]], [[0, 0], [0, 0]], [[0, 0], [5, 6]]]
    assert recording.array("touch.force").tolist() == expected
    assert recording.array("wind").tolist() == [[7.0], [8.0], [9.0]]
    assert recording.series("touch.force.b on c.y").tolist() == [4.0, 0.0, 6.0]
    assert recording.series("touch.force").tolist() == np.array(expected).reshape(3, 4).tolist()
    for number, rows in enumerate(told):
        assert recording.frame(number).arrays["touch.force"].tolist() == rows
    with pytest.raises(RecordingError, match="give a row for each pair"):
        recorder.frame(Frame(1.0, {"touch.force": np.zeros(3), "wind": np.zeros(1)}))


def test_a_recorder_takes_frames_in_the_order_of_their_times() -> None:
    recorder = Recorder(Header(recorded.chain()))
    recorder.frame(Frame(0.5, {"a": np.zeros(1)}, version=1))
    recorder.frame(Frame(0.5, {"a": np.zeros(1)}, version=1))  # says nothing new
    for time, version in ((0.4, 1), (0.6, 0), (float("nan"), 1), (float("inf"), 1)):
        with pytest.raises(RecordingError, match="in the order of their times"):
            recorder.frame(Frame(time, {"a": np.zeros(1)}, version))
    assert recorder.recording().times.tolist() == [0.5]
    recorder.layout([Channel("a", "m", ("one", "two"))])
    with pytest.raises(RecordingError, match="names 2 rows"):
        recorder.frame(Frame(1.0, {"a": np.zeros(1)}, version=1))


def test_rows_that_change_their_names_are_not_taken_for_each_other() -> None:
    recorder = Recorder(Header(recorded.chain()))
    recorder.layout([Channel("a", "m", ("one", "two"))])
    recorder.frame(Frame(0.0, {"a": np.array([1.0, 2.0])}))
    recorder.layout([Channel("a", "m", ("two", "three"))])
    recorder.frame(Frame(1.0, {"a": np.array([3.0, 4.0])}, version=1))
    recording = recorder.recording()
    with pytest.raises(RecordingError, match="changes its shape or rows"):
        recording.array("a")
    found = recording.quantity("a")
    assert found.names == ("a.one", "a.two", "a.three")
    assert np.array_equal(found.values, [[1, 2, np.nan], [np.nan, 3, 4]], equal_nan=True)
    assert np.array_equal(recording.series("a.three"), [np.nan, 4.0], equal_nan=True)


@pytest.mark.parametrize(
    ("module", "edit"),
    [
        ("structure", BreakHinge("pin")),
        ("forces", Ignore("a", "b")),
        ("values", SetProperty("a.mass", 2.0)),
    ],
)
def test_edits_of_modules_that_were_renamed_are_read(module: str, edit: object) -> None:
    nodes, root = encode(edit)
    tag, values = msgspec.msgpack.decode(nodes[-1])
    today, kind = tag.split(":")
    then = f"{today.rpartition('.')[0]}.{module}:{kind}"
    old = [*nodes[:-1], msgspec.msgpack.encode([then, values])]
    assert decode([old, root]) == edit
