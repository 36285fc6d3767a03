"""Maps in a store: the labels of a map, taken up where they were left, the same bytes always."""

from __future__ import annotations

import itertools
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest

import articulata as art
from articulata.errors import ArticulataError, MissingExtra, RecordingError
from articulata.records import reach_store
from articulata.records.reach_store import ReachStore
from articulata.sessions.command_fields import ReachAsked
from articulata.sessions.reach.tiling import label_here, reach_in_store
from rooms import TEXT

GRID = 0.2
TILES = 2 * 2 * 2
"""Of the room at this grid, for both ways to move."""


USUAL = {name: getattr(reach_store, name) for name in ("CHUNK", "POINTS")}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("study") / "room.art"
    path.write_text(TEXT.format(shelf=1.4))
    return path


@pytest.fixture(scope="module")
def small() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reach_store, "CHUNK", 4)
        patch.setattr(reach_store, "POINTS", 8 * 8 * 11)
        yield


@pytest.fixture(scope="module")
def whole(small: None, room: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a study that nothing disturbs."""
    path = tmp_path_factory.mktemp("whole") / "store"
    reach_in_store(room, path, grid=GRID)
    return path


class Interrupting:
    """Hears how far a study is; interrupts it after ``until`` tiles."""

    def __init__(self, until: int) -> None:
        self.until, self.heard = until, [(0, 0)]

    def working(self, done: int, total: int) -> None:
        self.heard.append((done, total))
        if done == self.until:
            raise KeyboardInterrupt


def content(store: Path) -> dict[str, bytes]:
    files = (each for each in sorted(store.rglob("*")) if each.is_file())
    return {str(each.relative_to(store)): each.read_bytes() for each in files}


def test_a_store_holds_what_a_map_says(room: Path, tmp_path: Path) -> None:
    done = reach_in_store(room, tmp_path / "store")
    reached = art.reach(art.read(room).requests[0])
    assert len(done.store.tiles) == 1
    data = ReachStore.open(tmp_path / "store").dataset()
    p = (reached.points - reached.X_WG[:3, 3]) @ reached.X_WG[:3, :3]
    at = np.rint((p - [data[name].values[0] for name in "xyz"]) / 0.3).astype(int).T
    for name, part in reached.parts.items():
        kept = {key: data.sel(person=name)[key].values[*at] for key in data}
        np.testing.assert_array_equal(kept["label"], part.label)
        np.testing.assert_array_equal(kept["reason"], part.reason)
        np.testing.assert_allclose(kept["base_x"], part.base[:, 0], atol=1e-6)
        np.testing.assert_allclose(kept["cost"], part.cost, rtol=1e-6)
        turn = np.where(part.label == 1, part.base[:, 2], 0.0)
        turns = done.store.about["turns"][name]
        np.testing.assert_allclose(np.take(turns, np.maximum(kept["base_turn"], 0)), turn)
        tally = done.tallies[name]
        assert tally.reached == (part.label == 1).sum()
        assert tally.points == len(p)
        assert 0.0 < tally.off < 1e-3
        assert (data.sel(person=name).label.values == -1).sum() == data.label[0].size - len(p)


def test_an_interrupted_study_goes_on_to_the_same_bytes(
    room: Path, whole: Path, tmp_path: Path
) -> None:
    path, listener = tmp_path / "store", Interrupting(3)
    with pytest.raises(KeyboardInterrupt):
        reach_in_store(room, path, grid=GRID, listener=listener)
    assert 3 <= len(list(ReachStore.open(path).finished())) < TILES
    (path / "label" / "c.0f.partial").write_bytes(b"what a killed writer left")
    listener = Interrupting(-1)
    done = reach_in_store(room, path, grid=GRID, listener=listener)
    assert listener.heard[1][0] > 3
    assert listener.heard[-1] == (TILES, TILES)
    assert content(path) == content(whole)
    assert done.tallies["on foot"].points == 12 * 13 * 11
    # and once more, where nothing is left to do
    listener = Interrupting(-1)
    again = reach_in_store(room, path, grid=GRID, listener=listener)
    assert listener.heard == [(0, 0)]
    assert {n: t.reached for n, t in again.tallies.items()} == {
        n: t.reached for n, t in done.tallies.items()
    }


def test_a_study_whose_disk_is_full_goes_on_to_the_same_bytes(
    room: Path, whole: Path, tmp_path: Path
) -> None:
    path = tmp_path / "store"
    most = max(len(each) for name, each in content(whole).items() if "/c/" in name)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most - 1, hard))
    try:
        with pytest.raises(RecordingError, match="give the same command again"):
            reach_in_store(room, path, grid=GRID)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    reach_in_store(room, path, grid=GRID)
    assert content(path) == content(whole)


def test_a_damaged_tile_is_made_again(room: Path, whole: Path, tmp_path: Path) -> None:
    path = Path(shutil.copytree(whole, tmp_path / "store"))
    for number, (name, data) in enumerate(content(path).items()):
        if "/c/" in name and number % 9 == 0:
            damaged = bytearray(data)
            damaged[len(data) // 2] ^= 0x55
            (path / name).write_bytes(bytes(damaged))
    assert len(list(ReachStore.open(path).finished())) < TILES
    reach_in_store(room, path, grid=GRID)
    assert content(path) == content(whole)


def test_a_store_of_something_else_is_refused(
    room: Path, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(RecordingError, match=r"another study \('seed' differs\)"):
        reach_in_store(room, whole, grid=GRID, seed=3)
    with pytest.raises(RecordingError, match=r"another study \('first' differs\)"):
        reach_in_store(room, whole, grid=1.01 * GRID)
    other = tmp_path / "room.art"
    other.write_text(TEXT.format(shelf=1.3))
    with pytest.raises(RecordingError, match=r"another study \('asked' differs\)"):
        reach_in_store(other, whole, grid=GRID)
    with pytest.raises(RecordingError, match="is no store of reach"):
        reach_in_store(room, room.parent)
    with pytest.raises(ArticulataError, match="1 mm to 10 m apart, not 50 m"):
        reach_in_store(room, tmp_path / "store", grid=50.0)
    with pytest.raises(RecordingError, match="cannot be made"):
        reach_in_store(room, room / "store")
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(MissingExtra, match=r"articulata\[study\]"):
        reach_in_store(room, tmp_path / "store")


def test_people_who_were_measured_again_are_another_study(room: Path, tmp_path: Path) -> None:
    staff, text, path = tmp_path / "staff.csv", tmp_path / "room.art", tmp_path / "store"
    asked = "human_upper_body on foot, human_upper_body on wheelchair"
    text.write_text(room.read_text().replace(asked, '1 people from "staff.csv" on foot'))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        staff.write_text("Gender,stature\nMale,1600\nMale,1610\n")
        reach_in_store(text, path, grid=0.4)
        staff.write_text("Gender,stature\nMale,1900\nMale,1910\n")
        with pytest.raises(RecordingError, match=r"another study \('asked' differs\)"):
            reach_in_store(text, path, grid=0.4)


def test_a_worker_makes_what_this_process_makes(room: Path, whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "store"
    with pytest.raises(KeyboardInterrupt):
        reach_in_store(room, path, grid=GRID, listener=Interrupting(3))
    asked = ReachAsked(room, store=path, grid=GRID)
    left = {(p, n) for p in range(2) for n in range(TILES // 2)}
    left -= {(person, number) for person, number, _ in ReachStore.open(path).finished()}
    assert left
    for person, number in sorted(left):
        label_here(asked, (person, number))
    assert content(path) == content(whole)
    with pytest.raises(RecordingError, match="another study"):
        label_here(ReachAsked(room, seed=7, store=path, grid=GRID), (0, 0))


class Watching:
    """A listener that looks for ports on which this process or its workers listen."""

    def __init__(self) -> None:
        self.most = self.killed = 0
        self.ports: list[int] = []

    def working(self, done: int, total: int) -> None:
        workers = psutil.Process().children(recursive=True)
        self.most = max(self.most, len(workers))
        open_now = [each.net_connections("inet") for each in (psutil.Process(), *workers)]
        self.ports += [
            each.laddr.port
            for each in itertools.chain.from_iterable(open_now)
            if each.status == psutil.CONN_LISTEN
        ]
        spawned = [each.pid for each in workers if "--multiprocessing-fork" in each.cmdline()]
        if spawned and not self.killed:  # it is replaced
            self.killed = spawned[0]
            os.kill(self.killed, signal.SIGKILL)


def test_workers_listen_to_no_port_and_are_replaced(
    room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, usual in USUAL.items():  # as workers have them
        monkeypatch.setattr(reach_store, name, usual)
    watching = Watching()
    reach_in_store(room, tmp_path / "store", grid=GRID, workers=2, listener=watching)
    assert watching.most > 0
    assert watching.killed
    assert not watching.ports
    reach_in_store(room, tmp_path / "alone", grid=GRID)
    assert content(tmp_path / "store") == content(tmp_path / "alone")


def test_a_damaged_header_is_told(whole: Path, tmp_path: Path) -> None:
    for name, old, new in (
        ("zarr.json", b'"counts"', b'"count"'),
        ("zarr.json", b'"step"', b'"stop"'),
        ("x/zarr.json", b"{", b"["),
        ("label/zarr.json", b'"shape"', b'"shade"'),
    ):
        path = tmp_path / "store"
        shutil.copytree(whole, path)
        (path / name).write_bytes((path / name).read_bytes().replace(old, new, 1))
        with pytest.raises(RecordingError, match="store of reach"):
            ReachStore.open(path)
        shutil.rmtree(path)


def test_workers_that_cannot_be_had_are_told(room: Path, tmp_path: Path) -> None:
    with pytest.raises(ArticulataError, match="1 worker or more, not -2"):
        reach_in_store(room, tmp_path / "store", workers=-2)
    with pytest.raises(ArticulataError, match="give --workers or --scheduler"):
        reach_in_store(room, tmp_path / "store", workers=2, scheduler="tcp://127.0.0.1:9")


def test_workers_without_a_store_are_refused(
    room: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from articulata.app.main import main

    monkeypatch.setattr(sys, "argv", ["articulata", "reach", str(room), "--workers", "2"])
    with pytest.raises(SystemExit):
        main()
    assert "add --store FOLDER" in capsys.readouterr().err


@pytest.mark.slow
def test_a_million_points_on_two_workers_survive_a_kill_and_a_full_disk(
    room: Path, tmp_path: Path
) -> None:
    """The bytes are those of one process."""
    grid = 0.0275  # 87 x 95 x 80 points, two ways to move
    command = [sys.executable, "-m", "articulata", "reach", str(room), "--grid", str(grid)]
    environment = {**os.environ, "PYTHONPATH": str(Path(art.__file__).parents[1])}

    def start(*more: str, most: int = resource.RLIM_INFINITY) -> subprocess.Popen[str]:
        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, resource.RLIM_INFINITY))

        return subprocess.Popen(
            [*command, *more], env=environment, text=True, preexec_fn=limit,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    alone = start("--store", str(tmp_path / "alone"))
    told, error = alone.communicate()
    assert alone.returncode == 0, error
    assert "not found of" in told
    largest = max(len(each) for each in content(tmp_path / "alone").values())

    store = tmp_path / "store"
    full = start("--store", str(store), "--workers", "2", most=largest - 1)
    _, error = full.communicate()
    assert full.returncode == 1
    assert "give the same command again" in error

    killed = start("--store", str(store), "--workers", "2")
    shot = 0
    for _ in itertools.count():
        if killed.poll() is not None or shot == 2:
            break
        time.sleep(0.2)
        if len(list(store.rglob("*"))) < 5:
            continue
        workers = [
            each
            for each in psutil.Process(killed.pid).children(recursive=True)
            if each.cpu_times().user > 1.5
        ]
        if workers:
            os.kill(workers[0].pid, signal.SIGKILL)
            shot += 1
            time.sleep(2.0)
    _, error = killed.communicate()
    assert killed.returncode == 0, error
    assert shot > 0
    assert content(store) == content(tmp_path / "alone")
