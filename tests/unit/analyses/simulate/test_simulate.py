from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import articulata as art
from articulata.domains.control import controllers_of
from articulata.domains.protocols import Sensed
from articulata.records.events import KINDS
from articulata.records.recorder import Recorder
from articulata.world.hinges import PRISMATIC, REVOLUTE
from articulata.world.model import World
from articulata.world.values import Span
from mechanisms import DOWN, Mechanism, chain
from section_6 import section_6


def driver(time: float, sensed: Sensed) -> tuple[float, float, float]:
    return (-(np.pi**2) * float(np.sin(np.pi * time)), 0.0, 0.0)


def arm(kind: str = "hinge", target: str = "h") -> World:
    made = Mechanism("arm")
    ground = made.ground()
    made.body("link", (0.5, 0, 0), size=(1.0, 0.1, 0.1), inertia=(0.1, 0.1, 0.1),
              points={"tip": (0.5, 0, 0)})  # fmt: skip
    made.join("h", "link", ground, (-0.5, 0, 0), kind=REVOLUTE)
    made.drive("d", kind, target, "f")
    made.drives["d"] = replace(made.drives["d"], span=Span("arm.art", 7, 3))
    return made.world()


def test_frames_stand_at_multiples_of_the_step_and_at_the_end() -> None:
    recording = art.simulate(chain(1).world(), until=0.35, step=0.1)
    assert recording.times == pytest.approx([0, 0.1, 0.2, 0.3, 0.35], abs=1e-15)
    assert recording.times[3] == 3 * 0.1


def test_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    art.simulate(chain(1).world(), until=0.2, step=0.1, progress=lambda *n: told.append(n))
    assert told == [(0, 2), (1, 2), (2, 2)]


@pytest.mark.parametrize("step", [0.0, -0.1, float("nan"), float("inf")])
def test_a_step_that_cannot_be_is_refused(step: float) -> None:
    with pytest.raises(art.SimulationError, match=r"step = .* give a finite number greater than 0"):
        art.simulate(chain(1).world(), until=1.0, step=step)


def test_the_end_must_be_said() -> None:
    with pytest.raises(art.SimulationError, match="until when"):
        art.simulate(chain(1).world())


@pytest.mark.parametrize("make", [art.RK4, art.Symplectic, art.RealTime])
def test_a_method_with_a_step_that_cannot_be_is_refused(make: Any) -> None:
    with pytest.raises(art.ModelError, match="greater than 0"):
        make(step=-1e-3)


@pytest.mark.parametrize("mass", [0.0, float("nan"), -1.0])
def test_a_body_without_a_usable_mass_is_named(mass: float) -> None:
    made = chain(2)
    body = made.bodies["link2"]
    made.bodies["link2"] = replace(
        body, properties={**body.properties, "mass": mass}, span=Span("w.art", 4, 1)
    )
    with pytest.raises(art.ModelError, match=r"w\.art:4:1: body 'link2' has mass"):
        art.simulate(made.world(), until=0.1)


def test_a_mass_alone_does_not_say_how_a_body_turns() -> None:
    made = chain(1)
    made.body("point", (3, 0, 0), size=None, mass=2.0)
    with pytest.raises(art.ModelError, match="'point' has a mass of 2 kg, and neither inertia nor"):
        art.simulate(made.world(), until=0.1)


def test_a_body_without_mass_must_be_prescribed() -> None:
    made = chain(1)
    made.body("ghost", (3, 0, 0), size=None, mass=None)
    with pytest.raises(art.ModelError, match="'ghost' has no shape and no mass"):
        art.simulate(made.world(), until=0.1)
    made.bodies["ghost"] = replace(made.bodies["ghost"], motion="prescribed")
    art.simulate(made.world(), until=0.02)


def test_a_hinge_to_nowhere_is_named() -> None:
    made = chain(1)
    made.hinges["h1"] = replace(made.hinges["h1"], body_b="attic", span=Span("w.art", 9, 2))
    with pytest.raises(art.ArticulataError, match=r"w\.art:9:2.*'h1' joins 'attic'"):
        art.simulate(made.world(), until=0.1)


def test_an_unknown_controller_lists_those_there_are() -> None:
    with pytest.raises(art.ControllerError, match=r"arm\.art:7:3.*'f'.*given: g, push"):
        art.simulate(arm(), until=0.1, controllers={"push": driver, "g": driver})


def test_a_controller_that_no_control_asks_is_refused_with_those_there_are() -> None:
    with pytest.raises(art.ControllerError, match=r"'ff' was given.*did you mean 'f'.*ask: f"):
        art.simulate(arm(), until=0.1, controllers={"f": driver, "ff": driver})
    with pytest.raises(art.ControllerError, match=r"'push' was given.*It has no controls"):
        art.simulate(chain(1).world(), until=0.1, controllers={"push": driver})


def test_a_controller_that_an_edit_may_come_to_ask_is_kept() -> None:
    given = {"f": lambda t, s: 0.0, "later": lambda t, s: 2.0}
    drive = replace(next(iter(arm().drives.values())), id="more", controller="later")
    rule = art.Rule("time", (0.05,), (art.Action("join", (), edits=(art.AddDrive(drive),)),))
    text = arm()
    recording = art.simulate(
        text, until=0.1, step=0.05, controllers=given,
        on_event=lambda event, moment: art.AddDrive(drive) if event.kind == "time" else None,
        rules=[art.Rule("time", (0.05,), ())],
    )  # fmt: skip
    assert list(recording.worlds[max(recording.worlds)].drives) == ["d", "more"]
    assert controllers_of(text, [rule]) == ("f", "later")


def test_a_callback_for_a_kind_of_event_that_there_is_not_is_refused() -> None:
    with pytest.raises(art.SimulationError, match=r"'impakt'.*mean 'impact'\? Kinds are: contact,"):
        art.simulate(chain(1).world(), until=0.1, on_event={"impakt": lambda event, moment: None})
    with pytest.raises(art.SimulationError, match="has 3 for 'impact'; give a function"):
        art.simulate(chain(1).world(), until=0.1, on_event={"impact": 3})  # type: ignore[dict-item] # the mistake tested
    with pytest.raises(art.SimulationError, match="on_event is 'impact'; give a function"):
        art.simulate(chain(1).world(), until=0.1, on_event="impact")  # type: ignore[arg-type] # the mistake tested


def test_every_kind_of_event_that_is_made_is_known_and_has_its_line_in_the_documentation() -> None:
    root = Path(art.__file__).parent
    made = {
        node.args[1].value
        for path in root.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "Event"
        and len(node.args) > 1
        and isinstance(node.args[1], ast.Constant)
    }
    assert {"impact", "stop", "untested"} <= made <= set(KINDS)
    page = (root.parents[1] / "docs" / "events.md").read_text()
    assert [kind for kind in KINDS if f"`{kind}`" not in page] == []


BAD = {
    "nan": lambda t, s: float("nan"),
    "text": lambda t, s: "left",
    "a number as text": lambda t, s: "12",
    "text in a list": lambda t, s: ["12"],
    "text among objects": lambda t, s: np.array(["12"], dtype=object),
    "a truth value": lambda t, s: True,
    "a complex number": lambda t, s: np.complex128(1 + 2j),
    "a triple": lambda t, s: (1.0, 2.0, 3.0),
    "nothing": lambda t, s: None,
}


@pytest.mark.parametrize("name", BAD)
def test_a_controller_that_returns_what_it_must_not_is_named(name: str) -> None:
    with pytest.raises(art.ControllerError, match=r"arm\.art:7:3.*'f' of 'd'.*t = 0 s.*one number"):
        art.simulate(arm(), until=0.1, controllers={"f": BAD[name]})


def test_a_controller_that_raises_leaves_the_recording_readable(tmp_path: Path) -> None:
    def tired(time: float, sensed: Sensed) -> float:
        if time > 0.42:
            raise ZeroDivisionError("no more")
        return 1.0

    file = tmp_path / "run.artrun"
    with pytest.raises(
        art.ControllerError, match=r"raised ZeroDivisionError: no more at t = 0\.4"
    ) as c:
        art.simulate(arm(), until=1.0, step=0.1, controllers={"f": tired}, record_to=file)
    assert any(str(file) in note for note in c.value.__notes__)
    recording = art.load(file)
    assert recording.times[-1] == pytest.approx(0.4)
    assert not recording.complete
    assert "ControllerError" in recording.reason


def test_an_interrupted_run_keeps_what_it_had() -> None:
    def stop(done: int, total: int) -> None:
        if done == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        art.simulate(chain(1).world(), until=1.0, step=0.1, progress=stop)
    kept = caught.value.recording  # type: ignore[attr-defined] # documented in simulate()
    assert len(kept.times) == 4


def test_a_full_disk_ends_the_run_with_the_frames_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Recorder.frame

    def frame(self: Recorder, frame: Any) -> None:
        if frame.time > 0.25:
            self._sink._file.close()  # type: ignore[attr-defined] # what a lost disk looks like
            raise art.RecordingError("no space left")
        whole(self, frame)

    monkeypatch.setattr(Recorder, "frame", frame)
    file = tmp_path / "run.artrun"
    with pytest.raises(art.RecordingError):
        art.simulate(chain(1).world(), until=1.0, step=0.1, record_to=file)
    assert art.load(file).times == pytest.approx([0, 0.1, 0.2])


METHODS = (art.DOP853(), art.RK4(1e-3), art.Symplectic(1e-3), art.RealTime(1e-3), art.Euler1986())


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_a_replay_has_the_same_bytes(method: Any, tmp_path: Path) -> None:
    file = tmp_path / "run.artrun"
    recording = art.simulate(
        section_6(),
        until=0.5,
        step=0.05,
        method=method,
        controllers={"driver": driver},
        record_to=file,
        seed=7,
    )
    again = art.replay(art.load(file))
    assert again.to_bytes() == file.read_bytes() == recording.to_bytes()


def test_a_replay_of_a_feedback_run_needs_no_controller() -> None:
    calls = []

    def hold(time: float, sensed: Sensed) -> float:
        calls.append(time)
        return -5.0 * float(sensed.value("h.angle")) - 2.0 * float(sensed.value("h.rate")) + 1.0

    recording = art.simulate(arm(), until=0.5, step=0.01, controllers={"f": hold})
    made = len(calls)
    assert art.replay(recording).to_bytes() == recording.to_bytes()
    assert len(calls) == made > 50


def test_controllers_are_asked_at_exact_stage_times() -> None:
    asked: list[float] = []

    def torque(time: float, sensed: Sensed) -> float:
        asked.append(time)
        return float(np.cos(3.0 * time))

    recording = art.simulate(arm(), until=1.0, step=0.5, controllers={"f": torque})
    # J about the pin is 0.1 + 0.25: the angle is (1 - cos 3t) / (9 J), though cycles are long.
    angle = (1 - np.cos(3 * recording.times)) / (9 * 0.35)
    assert recording.series("h.angle") == pytest.approx(angle, abs=1e-9)
    assert len(set(asked)) > 20


def test_sensed_is_the_end_of_the_last_completed_cycle() -> None:
    seen: list[tuple[float, float, float]] = []

    def note(time: float, sensed: Sensed) -> float:
        seen.append((time, sensed.time, float(sensed.value("h.angle"))))
        return 1.0

    recording = art.simulate(arm(), until=0.3, step=0.1, controllers={"f": note})
    angle = dict(zip(recording.times.tolist(), recording.series("h.angle").tolist(), strict=True))
    for time, then, value in seen:
        assert then in angle
        assert -1e-12 <= time - then <= 0.1 + 1e-12
        assert value == angle[then]
    with pytest.raises(art.ControllerError, match="read-only"):
        art.simulate(arm(), until=0.1, controllers={"f": lambda t, s: _write(s)})


def _write(sensed: Sensed) -> float:
    sensed.value("link.center")[0] = 1.0  # type: ignore[index] # must not be allowed
    return 0.0


def test_a_force_follows_its_feature() -> None:
    recording = art.simulate(
        arm("force", "link.tip"), until=0.5, step=0.05, controllers={"f": lambda t, s: (0, 2.0, 0)}
    )
    angle = recording.series("h.angle")
    rate = recording.series("h.rate")
    # The constant force does the work 2 sin(angle), all of it kinetic energy about the pin.
    assert 0.5 * 0.35 * rate**2 == pytest.approx(2.0 * np.sin(angle), abs=1e-9)
    assert angle[-1] > 0.5


def test_a_torque_in_world_axes_turns_a_free_body() -> None:
    made = Mechanism("free")
    made.body("top", inertia=(0.2, 0.2, 0.2))
    made.drive("d", "torque", "top", "f")
    recording = art.simulate(
        made.world(), until=1.0, step=0.1, controllers={"f": lambda t, s: (0, 0.4, 0)}
    )
    assert recording.series("top.w.y") == pytest.approx(2.0 * recording.times, abs=1e-9)


def test_a_force_along_a_slide() -> None:
    made = Mechanism("piston", DOWN)
    ground = made.ground()
    made.body("rod", mass=2.0)
    made.join("h", "rod", ground, (0.1, 0.2, 0), kind=PRISMATIC)
    made.drive("d", "hinge", "h", "f")
    recording = art.simulate(made.world(), until=1.0, step=0.1, controllers={"f": lambda t, s: 3.0})
    assert recording.series("h.travel") == pytest.approx(0.75 * recording.times**2, abs=1e-9)


def test_an_actuator_has_gain_and_damping() -> None:
    motor = art.Actuator(lambda t, s: 2.0, "h.rate", gain=1.4, damping=0.7)
    recording = art.simulate(
        arm(), until=2.0, step=5e-3, method=art.RK4(5e-3), controllers={"f": motor}
    )
    # w' = (1.4 * 2 - 0.7 w) / 0.35, with the rate of the cycle before: first order in the step.
    rate = 4.0 * (1 - np.exp(-2.0 * recording.times))
    assert recording.series("h.rate") == pytest.approx(rate, abs=2e-2)


def test_equations_at_the_start_and_later() -> None:
    recording = art.simulate(section_6(), until=0.1, step=0.05, controllers={"driver": driver})
    first = art.equations(section_6(), controllers={"driver": driver})
    assert first.time == 0.0
    later = art.equations(recording.world, recording.state(0.1), {"driver": driver})
    assert later.solution["x1"] == pytest.approx(driver(0.1, None)[0])  # type: ignore[arg-type] # unused
    with pytest.raises(art.SimulationError, match="the world that the state belongs to"):
        art.equations(chain(1).world(), recording.state(0.1), {})
