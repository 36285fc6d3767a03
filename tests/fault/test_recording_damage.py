"""Whatever happens to a recording, every whole block before the damage is read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import recorded
from articulata.errors import RecordingError
from articulata.records import artrun
from articulata.records.recording import Recording, from_bytes, load

TESTS = Path(recorded.__file__).parent


@pytest.fixture(scope="module")
def whole() -> bytes:
    return recorded.swing(6, rods=2).to_bytes()


def readable(data: bytes) -> Recording | None:
    """What can be read of ``data``; None where not even the header can, which must be said."""
    try:
        return from_bytes(data)
    except RecordingError as error:
        if len(str(error)) < 20:
            raise
        return None


def test_a_cut_at_any_byte_keeps_every_whole_frame(whole: bytes) -> None:
    full = from_bytes(whole)
    positions = np.ascontiguousarray(full.array("dynamic.position"))
    seen = set()
    for size in range(len(whole)):
        part = readable(whole[:size])
        if part is None:
            assert not seen, "a longer file cannot be less readable"
            continue
        frames = len(part.times)
        seen.add(frames)
        assert not part.complete
        if frames:
            assert np.array_equal(part.array("dynamic.position"), positions[:frames])
        # Either the cut is at the end of a block, or it is reported with what was lost.
        kept = len(part.to_bytes())
        assert (part.damage == "") == (kept == size)
        if part.damage:
            assert f"the {size - kept} bytes from there on are lost" in part.damage
            assert f"{frames} frames" in part.damage
        assert from_bytes(part.to_bytes()).times.tolist() == part.times.tolist()
    assert seen == set(range(7))


def test_a_flipped_bit_at_any_byte_is_found(whole: bytes) -> None:
    full = from_bytes(whole)
    for place in range(len(whole)):
        hurt = bytearray(whole)
        hurt[place] ^= 1 << (place % 8)
        part = readable(bytes(hurt))
        if part is None:
            continue
        assert part.damage
        assert len(part.to_bytes()) <= place
        assert part.times.tolist() == full.times[: len(part.times)].tolist()


@pytest.mark.parametrize("garbage", [b"\0" * 100, b"\xff" * 100, bytes(range(100))])
def test_garbage_after_the_end_is_reported_and_costs_nothing(whole: bytes, garbage: bytes) -> None:
    recording = from_bytes(whole + garbage)
    assert len(recording.times) == 6
    assert "100 bytes" in recording.damage
    assert recording.complete


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"world swing() {}", "is not a recording: it begins with b'world sw'"),
        (artrun.MAGIC[:5], "cut off after 5 bytes"),
        (artrun.preamble(9), "format 9, which is newer"),
        (artrun.preamble(0), "format 0, which no version of Articulata has written"),
        (artrun.preamble(), "before its header"),
        (artrun.MAGIC + bytes(8), "damaged in its first"),
    ],
)
def test_what_is_no_recording_is_said_so(data: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "run.artrun"
    file.write_bytes(data)
    with pytest.raises(RecordingError, match=r"run\.artrun") as raised:
        load(file)
    assert message in str(raised.value)


def test_a_missing_file_and_a_folder_are_said_so(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="No such file"):
        load(tmp_path / "none.artrun")
    with pytest.raises(RecordingError, match="directory"):
        load(tmp_path)


CHILD = """
import resource, sys
sys.path.insert(0, sys.argv[2])
import recorded
from articulata.errors import RecordingError
from articulata.records.header import Header
from articulata.records.recorder import Recorder

def write(path):
    world = recorded.chain()
    recorder = Recorder(Header(world, 0.05, 60.0, "RK4"), path)
    recorded.record(recorder, world, 2000)
    recorder.close()
"""


def child(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", CHILD + code, str(folder), str(TESTS)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_full_disk_stops_the_run_and_leaves_the_file_readable(tmp_path: Path) -> None:
    result = child(
        """
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
try:
    write(sys.argv[1] + "/run.artrun")
except RecordingError as error:
    print(error)
""",
        tmp_path,
    )
    assert "cannot be written any further" in result.stdout
    assert "stays readable" in result.stdout
    assert "Traceback" not in result.stderr
    recording = load(tmp_path / "run.artrun")
    assert recording.damage == ""  # the block that did not fit was taken back
    assert not recording.complete
    assert f"up to t = {recording.times[-1]:g} s" in result.stdout
    assert len(recording.times) > 50
    assert [path.name for path in tmp_path.iterdir()] == ["run.artrun"]


def test_a_full_disk_while_saving_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    (tmp_path / "run.artrun").write_bytes(recorded.swing(3).to_bytes())
    result = child(
        """
recording = recorded.swing(1000)
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000))
try:
    recording.save(sys.argv[1] + "/run.artrun")
except RecordingError as error:
    print(error)
""",
        tmp_path,
    )
    assert "cannot be written" in result.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["run.artrun"]
    assert len(load(tmp_path / "run.artrun").times) == 3


def test_a_folder_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="folder that exists"):
        recorded.swing(2).save(tmp_path / "none" / "run.artrun")


def test_a_killed_run_keeps_every_frame_it_had_written(tmp_path: Path) -> None:
    code = """
import os, signal
world = recorded.chain()
recorder = Recorder(Header(world), sys.argv[1] + "/run.artrun")
recorded.record(recorder, world, 123)
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert child(code, tmp_path).returncode == -signal.SIGKILL
    recording = load(tmp_path / "run.artrun")
    assert len(recording.times) == 123
    assert recording.damage == ""


def test_a_disk_that_is_full_at_once_is_said_so() -> None:
    if not os.path.exists("/dev/full"):
        pytest.fail("this test needs /dev/full, which every Linux has")
    from articulata.records.header import Header
    from articulata.records.recorder import Recorder

    with pytest.raises(RecordingError, match="No space left on device"):
        Recorder(Header(recorded.chain()), "/dev/full")
