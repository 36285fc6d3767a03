"""Takes cut and joined: postures, samples and events are those of the parts, times go on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from articulata.analyses.track.calibration import Calibration, level
from articulata.analyses.track.tracked_person import TrackedBody, tracked_body
from articulata.analyses.track.tracker import Tracker
from articulata.devices.recorded import samples_of
from articulata.errors import RecordingError
from articulata.geometry.rotation import Rotation
from articulata.records.recording import Recording, load
from articulata.records.samples import Sample
from articulata.sessions.track.exported_takes import Part, span_of, spliced
from articulata.sessions.track.tracked_figures import Follower, choice_of, follower
from articulata.sessions.track.tracked_takes import Takes

STATIONS = {2: "r_upper_arm", 3: "r_forearm", 4: "r_hand"}
STEP = 0.02


class Somebody(NamedTuple):
    follower: Follower
    body: TrackedBody
    stations: Mapping[int, str]


@pytest.fixture(scope="module")
def takes(tmp_path_factory: pytest.TempPathFactory) -> list[Recording]:
    """Two takes of 30 samples each, with a mark in the middle."""
    who = follower(choice_of("jack_1995"))
    body = tracked_body(who.figure)
    known = Calibration(level(body), dict.fromkeys(STATIONS, Rotation.identity()))
    made = Takes(tmp_path_factory.mktemp("takes"), [Somebody(who, body, STATIONS)])
    rng = np.random.default_rng(1)
    for take in range(2):
        tracker = Tracker(body, STATIONS, known)
        state = tracker.start()
        made.begin({"figure": "jack_1995"})
        for n in range(30):
            time = 100.0 * take + 5.0 + STEP * n
            w, x, y, z = Rotation.exp(rng.normal(0.0, 0.3, 3)).to_quaternion().tolist()
            samples = [Sample(2 + n % 3, time - 0.001, time, (w, x, y, z))]
            state, posture = tracker.step(state, samples)
            made.add(samples, posture)
            if n == 15:
                made.mark()
        made.close()
    return [load(path) for path in made.files]


def test_a_part_holds_what_was_between_two_times(takes: list[Recording]) -> None:
    times = takes[0].times
    part = spliced([Part(takes[0], "a take", float(times[10]), float(times[19]))])
    assert part.complete
    np.testing.assert_allclose(part.times, times[10:20] - times[10], atol=1e-12)
    for name in ("kinematic.coordinate", "geometric.pose"):
        np.testing.assert_array_equal(part.array(name), takes[0].array(name)[10:20])
    assert [each.q for each in samples_of(part)] == [each.q for each in samples_of(takes[0])[10:20]]
    (mark,) = part.events
    (before,) = takes[0].events
    assert mark.time == pytest.approx(before.time - times[10])


def test_takes_are_joined_without_losing_a_sample(takes: list[Recording], tmp_path: Path) -> None:
    file = tmp_path / "both.artrun"
    made = spliced([Part(takes[0], "one"), Part(takes[1], "two")], file)
    assert len(made.times) == 60
    assert np.all(np.diff(made.times) > 0.0)
    np.testing.assert_allclose(np.diff(made.times), STEP, atol=1e-9)
    samples = [each.q for take in takes for each in samples_of(take)]
    assert [each.q for each in samples_of(load(file))] == samples
    arrivals = [each.arrival for each in samples_of(made)]
    np.testing.assert_allclose(arrivals, made.times, atol=1e-9)
    assert len(made.events) == 2


def test_what_cannot_be_cut_or_joined_is_explained(takes: list[Recording]) -> None:
    with pytest.raises(RecordingError, match="has no frame from 7 to 8 s; it lasts from 0"):
        spliced([Part(takes[0], "a take", 7.0, 8.0)])
    for text in ("2", "8:2", "a:b"):
        with pytest.raises(RecordingError, match="give two rising times"):
            span_of(text)
    assert span_of("2:") == (2.0, np.inf)
