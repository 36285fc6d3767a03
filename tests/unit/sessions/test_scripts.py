"""Scripts of a session: changed by hand, read again, run in place of sensors."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from articulata.analyses.track.tracked_person import tracked_body
from articulata.errors import ArticulataError
from articulata.records.tracking import (
    ADDED,
    CHANGED,
    PACE,
    REMOVED,
    ScriptEdit,
    TrackedPosture,
)
from articulata.sessions.track.edited_scripts import Scripts, text_for
from articulata.sessions.track.performing import EASED, Bearing
from articulata.sessions.track.tracked_figures import Follower, choice_of, follower
from articulata.world.document import read


@pytest.fixture(scope="module")
def who() -> Follower:
    return follower(choice_of("person"))


@pytest.mark.slow
def test_a_motion_is_changed_and_read_again(who: Follower, tmp_path: Path) -> None:
    file = tmp_path / "mine.art"
    assert text_for(file, "person")
    assert not text_for(file, "person")
    scripts = Scripts(who, tracked_body(who.figure), file)
    assert scripts.motions[0].startswith("signal_")
    before = scripts.keyed()["signal_halt"]
    told: list[str] = []
    came = threading.Event()

    def done(said: str) -> None:
        told.append(said)
        came.set()

    scripts.look(done)
    assert not came.wait(0.05)  # nothing has changed
    edit = ScriptEdit("signal_halt", CHANGED, 1, 0.9, {"r_shoulder_flexion": 150.0})
    assert "saved in mine.art" in scripts.edit(edit)
    scripts.look(done)
    assert came.wait(30.0)
    assert told == [""]
    after = scripts.keyed()["signal_halt"]
    flexion = who.figure.coordinate("r_shoulder_flexion")
    assert after.times[1] == pytest.approx(0.9)
    assert np.degrees(after.q[1, flexion]) == pytest.approx(150.0)
    np.testing.assert_array_equal(after.q[0], before.q[0])
    # the signal is known as it is now
    assert scripts.signals is not None
    assert "halt" in scripts.signals.templates
    # what would be an error is refused, and the text stays
    text = file.read_text()
    for wrong, why in (
        (ScriptEdit("signal_halt", CHANGED, 1, 0.9, {"r_shoulder_flexion": 999.0}), "beyond"),
        (ScriptEdit("signal_halt", REMOVED, 17), "no key frame 18"),
        (ScriptEdit("signal_halt", PACE, 0, 99.0), "as fast"),
    ):
        said = scripts.edit(wrong)
        assert why in said
        assert file.read_text() == text


@pytest.mark.slow
def test_motions_of_a_figure_with_arguments_are_read_again(tmp_path: Path) -> None:
    file = tmp_path / "mine.art"
    text_for(file, "person")
    tall = follower(choice_of("person(1.9 m)"), who="anna")
    scripts = Scripts(tall, tracked_body(tall.figure), file)
    assert "saved in mine.art" in scripts.edit(ScriptEdit("signal_halt", PACE, 0, 2.0))
    told: list[str] = []
    came = threading.Event()
    scripts.look(lambda said: (told.append(said), came.set())[0])
    assert came.wait(30.0)
    assert told == [""]


@pytest.mark.slow
def test_key_frames_come_and_go(who: Follower, tmp_path: Path) -> None:
    file = tmp_path / "mine.art"
    text_for(file, "person")
    scripts = Scripts(who, tracked_body(who.figure), file)
    for edit, line in (
        (ScriptEdit("signal_line", ADDED, 1), "    1.4 s: ()\n    2 s: (l_shoulder_flexion: 0)\n"),
        (ScriptEdit("signal_wedge", REMOVED, 2), "r_shoulder_abduction: 45)\n    2.8 s: n_pose\n"),
        (ScriptEdit("signal_vee", PACE, 0, 2.0), "    0.4 s: (l_shoulder_abduction: 135"),
    ):
        scripts.edit(edit)
        assert line in file.read_text()
    assert read(file).check() == ()
    assert "--scripts" in Scripts(who, tracked_body(who.figure), None).edit(edit)
    with pytest.raises(ArticulataError, match="no figure 'nobody'"):
        text_for(tmp_path / "other.art", "nobody")


def test_arms_do_what_a_script_says(who: Follower) -> None:
    body = tracked_body(who.figure)
    bearing = Bearing(who, body)

    def at(time: float) -> TrackedPosture:
        solved = np.zeros((2, 11))
        joints = tuple(arm.joints for arm in body.arms.each)
        q, base = body.rest + 0.2, np.array((1.0, 0, 0, 0, 0, 0, 0))
        return bearing.under(TrackedPosture(time, q, base, solved, joints))

    measured = at(1.0).q
    columns = body.columns.reshape(-1)
    others = np.setdiff1d(np.arange(body.figure.dof), columns)
    flexion = body.figure.coordinate("r_shoulder_flexion")
    bearing.perform("signal_halt", 2.0, 2.0)
    held = at(3.0)  # 2 s of the motion
    assert np.degrees(held.q[flexion]) == pytest.approx(170.0)
    assert held.solved[0, 0] == held.q[flexion]
    np.testing.assert_array_equal(held.q[others], measured[others])
    steps = [at(2.0 + 0.01 * k).q for k in range(250)]
    assert np.abs(np.diff(steps, axis=0)).max() < 0.2
    np.testing.assert_allclose(at(2.0 + 1.7 + EASED + 0.1).q, measured)
    bearing.show(body.rest)
    np.testing.assert_allclose(at(5.0).q[columns], body.rest[columns])
    bearing.show(None)
    np.testing.assert_allclose(at(5.1).q, measured)
