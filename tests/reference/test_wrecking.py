"""The wrecking ball of the gallery: a strength and two clauses, each at its instant."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import articulata as art
from articulata.records.recording import Recording
from articulata.world.document import read
from articulata.world.world_files import LIBRARY


@pytest.fixture(scope="module")
def run() -> Recording:
    document = read(LIBRARY / "gallery" / "wrecking.art")
    return art.simulate(document.requests[0])


def one(recording: Recording, kind: str) -> art.Event:
    (event,) = [event for event in recording.events if event.kind == kind]
    return event


def test_the_pin_gives_way_where_a_pendulum_pulls_as_hard(run: Recording) -> None:
    """A compound pendulum let go level: its equation integrated anew, and the force on its pin."""
    arm, ball = 400.0 * 1.5 * 0.06**2, 7850.0 * 4 / 3 * np.pi * 0.12**3
    m, g = arm + ball, 9.81
    c = (arm * 0.75 + ball * 1.5) / m
    J = arm * (1.5**2 + 0.06**2) / 12 + arm * 0.75**2 + ball * (0.4 * 0.12**2 + 1.5**2)

    def pull(q: float, w: float) -> float:
        along = m * (g * np.sin(q) + c * w * w)
        across = m * g * np.cos(q) * (1.0 - m * c * c / J)
        return float(np.hypot(along, across))

    def gives_way(t: float, y: np.ndarray) -> float:
        return pull(*y) - 1200.0

    gives_way.terminal = True  # type: ignore[attr-defined] # as solve_ivp asks
    found = solve_ivp(
        lambda t, y: (y[1], m * g * c / J * np.cos(y[0])), (0.0, 1.0), (0.0, 0.0),
        method="DOP853", rtol=1e-12, atol=1e-13, events=gives_way,
    )  # fmt: skip
    broken = one(run, "break")
    assert broken.time == pytest.approx(found.t_events[0][0], abs=1e-8)
    assert broken.values["force"] == pytest.approx(1200.0, abs=1e-6)


def test_the_blow_breaks_the_mortar_and_the_fall_ends_the_run(run: Recording) -> None:
    hook, mortar = (event for event in run.events if event.kind == "edit")
    assert hook.values["by"] == ("the strength of hook",)
    assert mortar.values["hinges_broken"] == ("wall.mortar",)
    (blow,) = run.causes(mortar)
    assert blow.kind == "impact"
    assert blow.who == ("ball", "wall.course[1]")
    assert blow.values["impulse"] > 10.0  # type: ignore[operator] # a number
    assert run.events[-1].kind == "stop"
    assert run.series("wall.course[2].center.y")[-1] == pytest.approx(0.5, abs=1e-9)
    assert run.times[-1] == one(run, "condition").time


def test_energy_is_only_lost(run: Recording) -> None:
    energy = run.series("energy.total")
    assert np.max(np.diff(energy)) < 1e-6 * abs(energy[0])


def test_the_account_goes_back_to_the_pin(run: Recording) -> None:
    mortar = [event for event in run.events if event.kind == "edit"][1]
    account = run.why(mortar).splitlines()
    assert "Hinge hook gives way" in account[0]
    assert "Hinge hook ends" in account[1]
    assert "strikes wall.course[1].left" in account[2]
    assert "Hinge wall.mortar ends" in account[3]


def test_no_folder_of_this_machine_is_recorded(run: Recording) -> None:
    assert b"was broken before" in run.to_bytes()
    assert str(LIBRARY).encode() not in run.to_bytes()


@pytest.mark.slow
def test_a_replay_of_it_has_the_same_bytes(run: Recording) -> None:
    assert art.replay(run).to_bytes() == run.to_bytes()
