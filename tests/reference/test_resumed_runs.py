"""A run that goes on from a frame of another is that other, bit for bit, in both modes."""

from __future__ import annotations

import copy

import msgspec
import numpy as np
import pytest

import articulata as art
from articulata.domains.dynamic.stepping import stepper
from articulata.errors import RecordingError
from articulata.records import artrun
from articulata.records.recording import Recording
from articulata.records.state import State
from articulata.world.world_files import LIBRARY
from gallery_runs import asked, run
from random_worlds import random_request
from resuming import differences, ends_of_cycles, gone_on

CUBE = """
primitive cube {
  properties: (density: 500, friction: 0.3, restitution: 0.2)
  geometry: cuboid(20 cm, 20 cm, 20 cm)
  dynamics
}
world yard {
  gravity: (0, -9.81, 0)
  components { cube: cube; floor: ground }
  structure {
    place cube by cube.center at (0, 50 cm, 0) turned 20 deg about z
      velocity = ((1, 0, 0) (0, 0, 0))
  }
}
"""
MODES = {"events": {}, "steps": {"method": art.Stepping()}}
GALLERY = sorted(path.stem for path in (LIBRARY / "gallery").glob("*.art"))


@pytest.fixture(scope="module", params=MODES)
def tumbling(request: pytest.FixtureRequest) -> art.Recording:
    return art.simulate(art.parse(CUBE).world("yard"), until=0.8, step=0.1, **MODES[request.param])


def test_a_tumbling_cube_goes_on_from_every_frame(tumbling: art.Recording) -> None:
    for frame in range(8):
        assert list(differences(tumbling, frame, gone_on(tumbling, frame))) == []


def test_a_run_that_went_on_is_gone_on_from_and_replayed(tumbling: art.Recording) -> None:
    on = gone_on(tumbling, 6)
    assert list(differences(on, 1, gone_on(on, 1))) == []
    assert art.replay(on).to_bytes() == on.to_bytes()


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("name", "until"), [("wrecking", 0.6), ("slider_crank", 0.2), ("visit", 0.7)]
)
def test_worlds_of_the_gallery_go_on(name: str, until: float, mode: str) -> None:
    check_gallery(name, mode, until, 3)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", [1, 3])
def test_random_worlds_go_on(seed: int, mode: str) -> None:
    check_random(seed, mode, 3)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", GALLERY)
def test_every_world_of_the_gallery_goes_on_from_ten_frames(name: str, mode: str) -> None:
    check_gallery(name, mode, 1.0, 10)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", range(20))
def test_twenty_random_worlds_go_on_from_ten_frames(seed: int, mode: str) -> None:
    check_random(seed, mode, 10)


def check_gallery(name: str, mode: str, until: float, most: int) -> None:
    whole = run(name, until=until, **MODES[mode])
    for frame in ends_of_cycles(whole, most):
        again = gone_on(whole, frame, controllers=asked(name)[1])
        assert list(differences(whole, frame, again)) == []


def check_random(seed: int, mode: str, most: int) -> None:
    whole = art.simulate(random_request(7000 + seed, 8), until=0.5, **MODES[mode])
    for frame in ends_of_cycles(whole, most):
        assert list(differences(whole, frame, gone_on(whole, frame))) == []


def test_room_that_runs_out_within_a_step_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []
    for room in (256, 2):
        monkeypatch.setattr(stepper, "ROOM", room)
        runs.append(run("wrecking", until=0.7, **MODES["steps"]))
    assert list(differences(runs[0], 0, runs[1])) == []


def test_a_state_that_remembers_nothing_is_looked_at_anew_and_says_so(
    tumbling: art.Recording,
) -> None:
    state = tumbling.state(0.6)
    arrays_alone = State(state.time, state.arrays, state.version)
    on = art.simulate(
        tumbling.world, start=arrays_alone, until=0.7, step=0.1, method=tumbling_method(tumbling)
    )
    assert on.events[0].kind == "start"
    assert "anew" in on.events[0].story
    far = on.array("dynamic.position")[-1] - tumbling.array("dynamic.position")[7]
    assert np.max(np.abs(far)) < 1e-9
    assert all(event.kind != "start" for event in gone_on(tumbling, 6).events)


def tumbling_method(whole: art.Recording) -> art.Stepping | None:
    return art.Stepping() if whole.header.method == "Stepping" else None


WRONG = (
    ("dynamic.elimination", "path_start", ["<i4", [1], b"\x07\0\0\0"]),
    ("dynamic.active", "counts", 3),
    ("dynamic.steps", "pairs", ["<i8", [1, 12], 88 * b"\0" + b"\xff\xff\xff\x7f\0\0\0\0"]),
    ("run", "chain", [1.0]),
)


def test_what_no_run_remembers_is_refused(tumbling: art.Recording) -> None:
    parts = tumbling.state_of(6).memory.parts
    wrong = [each for each in WRONG if each[0] in parts]
    assert len(wrong) == 3
    for part, name, value in wrong:
        said = {key: dict(each) for key, each in parts.items()}
        said[part][name] = value
        packed = {key: msgspec.msgpack.encode(each) for key, each in said.items()}
        forged = copy.copy(tumbling._contents)  # its blocks, which nothing public gives
        forged.memories = [(0, msgspec.msgpack.encode([artrun.MEMORY, packed]))]
        with pytest.raises(RecordingError, match="changed or made up"):
            gone_on(Recording(forged, "forged"), 6)
