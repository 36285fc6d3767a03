"""Example 4.1 of the 1986 report: a figure of cuboids sits on a block and rises.

"During the first step the hinge modeling the contact between the figure and the block breaks under
tension. ... The hinge between feet and ground does not break as the pressure is maintained."
(Hoffmann & Hopcroft, CSD-TR-635, section 4.1)
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.gallery_runs import run

import articulata as art
from articulata.analyses.simulate.sensing import Snapshot
from articulata.domains.assemble import build
from articulata.domains.control import ControlModel
from articulata.domains.dynamic.dynamic_domain import DynamicModel
from articulata.domains.dynamic.integrated_motion import IntegratedMotion
from articulata.kinematics.assembly.assembling import assemble
from articulata.records.state import State
from articulata.sessions.controllers import functions
from articulata.world.document import read
from articulata.world.world_files import LIBRARY

FEET = ("f.left_foot", "f.right_foot")


def check_seat_and_feet(recording: art.Recording) -> None:
    """The seat's contacts slide and end in the first 0.1 s, those of the feet do neither."""
    left = [e for e in recording.events if e.kind == "separation"]
    slid = [e for e in recording.events if e.kind == "slip"]
    thighs = {("f.left_thigh", "block"), ("f.right_thigh", "block")}
    for events in (slid, left):
        assert {e.who for e in events} == thighs
        assert all(0.0 < e.time < 0.1 for e in events)
        # both sides in the same instant, as they are alike
        assert len(events) == 2
        assert events[0].time == events[1].time
    began = [e for e in recording.events if e.time == 0.0]
    assert {e.kind for e in began} == {"contact"}
    assert len(began) + len(slid) + len(left) == len(recording.events)
    for foot in FEET:
        place = recording.series(f"{foot}.center")
        assert np.max(np.abs(place - place[0])) < 1e-9
        assert np.min(recording.series(f"dynamic.contact_force.{foot}")[1:, 1]) > 50.0


def test_the_seat_lets_go_and_the_feet_stay() -> None:
    recording = run("rising", until=0.3)
    check_seat_and_feet(recording)
    seat = recording.series("dynamic.contact_force.block.fy")
    gone = recording.times > 0.05
    assert np.all(seat[(recording.times < 0.045)] < 0.0)
    assert np.all(seat[gone] == 0.0)


@pytest.mark.slow
def test_the_figure_stands_after_two_seconds() -> None:
    recording = run("rising")
    check_seat_and_feet(recording)
    hip = recording.series("f.body.left_hip.y")
    assert hip[0] == pytest.approx(0.06 + 0.42 * np.cos(np.radians(28)), abs=1e-9)
    assert hip[-1] > 0.88
    assert np.max(np.abs(recording.series("f.body.v")[-1])) < 0.1
    # 2 (1.2 + 3.5 + 8 + 4) + 40 kg, at rest on the ground
    feet = sum(recording.series(f"dynamic.contact_force.{foot}")[-1, 1] for foot in FEET)
    assert feet == pytest.approx(73.4 * 9.81, rel=0.01)
    # the strip of Figure 4.1: eleven snapshots, 0.01 s apart
    from articulata.report.strip import strip

    figure = strip(recording, 0.8, 0.9, 11)
    shown = [text.get_text() for text in figure.texts[:-1]]
    assert shown == [f"{0.8 + 0.01 * k:.3f} s" for k in range(11)]


def test_the_energy_of_rising_is_the_work_of_the_muscles() -> None:
    """Kinetic, potential and elastic energy change by torques times rates, to 1e-9 of the work.

    Work and damping are integrated by Gauss's rule over each control cycle; the states at its
    nodes are those that the run itself passes through, carried there from the cycle's start.
    """
    recording = run("rising", until=0.25)
    model, control = mover("rising")
    nodes, weights = np.polynomial.legendre.leggauss(4)
    pins = [f"f.{side}_{joint}" for side in ("left", "right") for joint in ("ankle", "knee", "hip")]
    arms = ("f.left_shoulder", "f.right_shoulder")
    labels = model.model.parts.coordinates.labels
    total = recording.series("energy.total")
    channels = tuple(recording.channels.values())
    worked, gone, worst = 0.0, 0.0, 0.0
    first = recording.nearest(0.1)
    for number in range(first, len(recording.times) - 1):
        frame = recording.frame(number)
        start = State(frame.time, frame.arrays, frame.version)
        asked = Snapshot(recording.world, channels, frame).sensed()
        inputs = control.control(asked, start, lambda name, time, values: None)
        half = 0.5 * (recording.times[number + 1] - frame.time)
        for node, weight in zip(nodes, weights, strict=True):
            until = frame.time + half * (1.0 + node)
            state = start
            while state.time < until:
                state, _ = model.leg(state, until, inputs)
            rate = dict(zip(labels, model.observe(state)["dynamic.coordinate_rate"], strict=True))
            torque = dict(zip(labels, inputs(until).hinge, strict=True))
            power = sum(torque[f"{pin}.angle"] * rate[f"{pin}.angle"] for pin in pins)
            worked += half * weight * power
            gone += half * weight * sum(3.0 * rate[f"{arm}.angle"] ** 2 for arm in arms)
        worst = max(worst, abs(total[number + 1] - total[first] - worked + gone))
    assert worked > 0.5
    assert worst < 1e-10 * worked


def mover(name: str) -> tuple[IntegratedMotion, ControlModel]:
    """Return the model that carries a gallery world, and its controls."""
    path = LIBRARY / "gallery" / f"{name}.art"
    world = read(path).world(name)
    models = build(assemble(world), None)
    model, control = models["dynamic"], models["control"]
    assert isinstance(model, DynamicModel)
    assert isinstance(control, ControlModel)
    executed = functions(path.with_suffix(".py"))
    return IntegratedMotion(model, art.DOP853(), art.Contact()), control.bind(executed)
