"""Controllers of other programs, as FMUs."""

from pathlib import Path

import pytest

import articulata as art

pytestmark = pytest.mark.slow

SERVO = """
from pythonfmu import Fmi2Causality, Fmi2Slave, Fmi2Variability, Real

class Servo(Fmi2Slave):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.stiffness, self.angle, self.rate, self.torque, self.sum = 10.0, 0.0, 0.0, 0.0, 0.0
        for name in ("angle", "rate"):
            self.register_variable(Real(name, causality=Fmi2Causality.input))
        self.register_variable(
            Real("stiffness", causality=Fmi2Causality.parameter, variability=Fmi2Variability.fixed)
        )
        self.register_variable(Real("torque", causality=Fmi2Causality.output))

    def exit_initialization_mode(self):
        self.torque = -self.stiffness * self.angle - 5.0 * self.rate

    def do_step(self, current_time, step_size):
        self.sum += self.angle * step_size
        self.torque = -self.stiffness * self.angle - 5.0 * self.rate - 20.0 * self.sum
        return True
"""

SWING = """
primitive bar {
  properties: (density: 1000)
  geometry: cuboid(0.1, 1, 0.1) where { top: (0, 0.5, 0) }
  dynamics
}
world swing {
  gravity: (0, -9.81, 0)
  components { post: fixed_point; arm: bar }
  structure {
    join arm to post with pin(axis: z) as h matching (top, center) driven by brake
    place post by post at (0, 0, 0), arm.angle = 1
  }
}
simulate swing { time: (10 ms, 1 s) }
"""


@pytest.fixture
def servo(tmp_path: Path) -> Path:
    from pythonfmu.builder import FmuBuilder

    script = tmp_path / "servo_fmu.py"
    script.write_text(SERVO)
    return FmuBuilder.build_FMU(script, dest=tmp_path / "Servo.fmu")


INPUTS = {"angle": "h.angle", "rate": "h.rate"}


def test_an_fmu_gives_what_the_same_law_in_python_gives(servo):
    request = art.parse(SWING).requests[0]
    with art.fmu_controllers(servo, INPUTS, {"brake": "torque"}, {"stiffness": 30.0}) as given:
        run = art.simulate(request, controllers=given)
    kept = {"time": 0.0, "sum": 0.0}

    def brake(_, sensed):
        angle, rate = sensed.value("h.angle"), sensed.value("h.rate")
        if sensed.time > kept["time"]:
            kept["sum"] += angle * (sensed.time - kept["time"])
            kept["time"] = sensed.time
        return -30.0 * angle - 5.0 * rate - 20.0 * kept["sum"]

    expected = art.simulate(request, controllers={"brake": brake})
    assert run.series("h.angle") == pytest.approx(expected.series("h.angle"), abs=1e-12)
    assert abs(run.series("h.angle")[-1]) < 0.9


def test_variables_that_it_has_not_are_told(servo, tmp_path):
    for inputs, outputs, said in (
        ({"angel": "h.angle"}, {"brake": "torque"}, "no input 'angel'.*angle"),
        (INPUTS, {"brake": "torqe"}, "no output 'torqe'.*torque"),
    ):
        with (
            pytest.raises(art.ControllerError, match=said),
            art.fmu_controllers(servo, inputs, outputs),
        ):
            pass
    damaged = tmp_path / "damaged.fmu"
    damaged.write_bytes(b"PK\x03\x04 no archive")
    with (
        pytest.raises(art.FormatError, match="cannot be read as an FMU"),
        art.fmu_controllers(damaged, INPUTS, {"brake": "torque"}),
    ):
        pass
