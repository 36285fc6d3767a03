"""The nineteen signals of 1995: all recognised as they stand, nearly all at 5 deg of noise."""

from __future__ import annotations

import numpy as np
import pytest

from articulata.analyses.track.signals import Signals, Watching, recognise, signals, watch
from articulata.analyses.track.tracked_person import tracked_body
from articulata.errors import ModelError, NameNotFound
from articulata.geometry.arrays import Array
from articulata.sessions.track.performing import (
    motions_of_signals,
    one_after_another,
    performed,
)
from articulata.sessions.track.tracked_figures import Follower, choice_of, follower

NAMES = {
    "platoon", "squad", "fire_team", "line", "wedge", "vee", "column", "echelon_right",
    "echelon_left", "close_up", "open_up", "disperse", "forward", "halt", "get_down", "faster",
    "slower", "move_right", "move_left",
}  # fmt: skip


@pytest.fixture(scope="module")
def who() -> Follower:
    return follower(choice_of("person"))


@pytest.fixture(scope="module")
def known(who: Follower) -> Signals:
    return signals(tracked_body(who.figure), motions_of_signals(who))


def shown(who: Follower, name: str, *, pace: float = 1.0) -> tuple[Array, Array]:
    """A wearer who hangs his arms, shows a signal ``pace`` times as fast, and hangs them again."""
    posture, length = performed(who, f"signal_{name}")
    times = np.arange(0.0, 0.5 + length / pace + 1.0, 1.0 / 60.0)
    return times, np.array([posture(np.clip((t - 0.5) * pace, 0.0, length)) for t in times])


def test_all_nineteen_are_recognised(who: Follower, known: Signals) -> None:
    assert set(known.templates) == NAMES
    for name in NAMES:
        (found,) = recognise(known, *shown(who, name))
        assert found.name == name
        assert found.confidence > 0.9
        assert found.ended


@pytest.mark.slow
def test_at_5_degrees_of_noise_98_of_100_are(who: Follower, known: Signals) -> None:
    rng = np.random.default_rng(3)
    columns = known.body.columns.reshape(-1)
    right, count = 0, 0
    for name in sorted(NAMES):
        times, q = shown(who, name)
        for _ in range(6):
            noisy = q.copy()
            noisy[:, columns] += rng.normal(0.0, np.radians(5.0), (len(q), len(columns)))
            found = recognise(known, times, noisy)
            count += 1
            right += [each.name for each in found] == [name]
            if name.startswith("echelon"):
                assert all(each.name == name for each in found)
    assert right >= 0.98 * count


def test_slower_and_faster_people_are_understood(who: Follower, known: Signals) -> None:
    for name in ("halt", "echelon_left", "close_up", "open_up", "move_right", "vee"):
        for pace in (0.6, 1.4):
            (found,) = recognise(known, *shown(who, name, pace=pace))
            assert found.name == name


def test_while_it_is_shown_there_is_a_guess(who: Follower, known: Signals) -> None:
    times, q = shown(who, "vee")
    state, guesses = Watching(), []
    for time, posture in zip(times, q, strict=True):
        state, seen = watch(known, state, posture, float(time))
        if seen is not None:
            guesses.append(seen)
    assert guesses[len(guesses) // 2].name == "vee"
    assert [each.ended for each in guesses].count(True) == 1


def test_what_is_no_signal_is_none(who: Follower, known: Signals) -> None:
    figure = who.figure
    strange = {
        "r_shoulder_flexion": 1.0, "l_shoulder_flexion": -0.9, "l_shoulder_abduction": 1.0,
        "r_elbow_flexion": 2.2, "l_elbow_flexion": 2.2, "r_shoulder_rotation": -1.4,
    }  # fmt: skip
    n = figure.posture("n_pose")
    q = [n] * 30 + [figure.vector(strange, n)] * 120 + [n] * 60
    (found,) = recognise(known, np.arange(210) / 60.0, q)
    assert found.name == ""
    with pytest.raises(ModelError, match="moves no arm"):
        signals(known.body, {"nothing": np.tile(n, (5, 1))})


def test_motions_are_performed_one_after_another(who: Follower, known: Signals) -> None:
    posture = one_after_another(who, ("signal_halt", "signal_line"))
    times = np.arange(0.0, 9.0, 1.0 / 60.0)
    found = recognise(known, times, [posture(t) for t in times])
    assert [each.name for each in found][:2] == ["halt", "line"]
    with pytest.raises(NameNotFound, match="did you mean 'signal_halt'"):
        performed(who, "signal_hal")
