"""The report's rules of friction (section 4.5) beside scalar twins and Coulomb's law itself."""

from __future__ import annotations

import math

import numpy as np
import pytest

from articulata.analyses.simulate.replaying import replay
from articulata.analyses.simulate.run import simulate
from articulata.domains.dynamic.contact.friction_rules import Coulomb, Iterated, Lagged
from articulata.domains.dynamic.contact.laws import Contact
from articulata.errors import ModelError
from articulata.world.document import parse

G, MU = 9.81, 0.5
TEXT = """
primitive block {
  properties: (density: 1000, friction: 0.5)
  geometry: cuboid(20 cm, 10 cm, 20 cm)
  dynamics
}
primitive sack { properties: (density: 1000, friction: 1); geometry: sphere(10 cm); dynamics }
world slope(a = 0) {
  gravity: (9.81 * sin(a), -9.81 * cos(a), 0)
  components { floor: ground; b: block }
  structure { place b by b.center at (0, 5 cm, 0) }
}
world slide(v = 2) {
  gravity: (0, -9.81, 0)
  components { floor: ground; b: block }
  structure { place b by b.center at (0, 5 cm, 0), velocity = ((v, 0, 0) (0, 0, 0)) }
}
world thrown {
  gravity: (0, -9.81, 0)
  components { floor: ground; s: sack }
  structure { place s by s.center at (0, 20 cm, 0), velocity = ((1, 0, 0) (0, 0, 0)) }
}
"""


def run(name, rule, *arguments, until=1.0, step=0.01):
    contact = Contact(friction_rule=rule)
    made = parse(TEXT).world(name, *arguments)
    return simulate(made, until=until, step=step, contact=contact)


def lagged(v: float, along: float, most: float, h: float, steps: int) -> np.ndarray:
    """Speeds of a block under the lagged rule: accelerations ``along`` and up to ``most``."""
    now = later = 0.0
    speeds = [v]
    for _ in range(steps):
        now, later = later, float(np.clip(-(v / h + along), -most, most))
        v += h * (along + now)
        speeds.append(v)
    return np.array(speeds)


def iterated(v: float, along: float, most: float, h: float, steps: int) -> np.ndarray:
    """Speeds of a block under the iterated rule: the force counteracts within its own step."""
    speeds = [v]
    for _ in range(steps):
        v += h * (along + float(np.clip(-(v / h + along), -most, most)))
        speeds.append(v)
    return np.array(speeds)


@pytest.mark.parametrize(("rule", "twin"), [(Lagged(0.02), lagged), (Iterated(3, 0.02), iterated)])
@pytest.mark.parametrize(("degrees", "v"), [(20.0, 0.0), (26.0, 0.0), (30.0, 0.0), (0.0, 2.0)])
def test_a_block_moves_as_the_rules_scalar_twin(rule, twin, degrees, v):
    a = math.radians(degrees)
    name, argument = ("slide", v) if v else ("slope", a)
    recording = run(name, rule, argument, step=0.02)
    exact = twin(v, G * math.sin(a), MU * G * math.cos(a), 0.02, 50)
    assert np.abs(recording.series("b.v.x") - exact).max() < 1e-12


@pytest.mark.slow
def test_below_the_angle_of_friction_the_lagged_rule_slips_a_little_and_trembles():
    a = math.radians(26.0)
    assert np.all(run("slope", Coulomb(), a).series("b.center.x") == 0.0)
    assert np.abs(run("slope", Iterated(1, 0.01), a).series("b.center.x")).max() < 1e-15
    coarse, fine = (run("slope", Lagged(h), a) for h in (0.02, 0.01))
    slipped = [each.series("b.center.x")[-1] for each in (coarse, fine)]
    assert slipped[0] > slipped[1] > 1e-3
    assert slipped[0] / slipped[1] == pytest.approx(4.0, rel=0.01)  # of second order in the step
    # it never comes to rest: the force answers what the block did a step ago
    assert np.abs(fine.series("b.v.x")[-6:]).max() > 1e-3


def test_the_iterated_rule_stops_within_a_step_of_coulombs_law():
    """2 m/s at mu = 0.5 end after v/(mu g) s; the rule's last step brings the rest to zero."""
    speeds = run("slide", Iterated(step=0.01), 2.0).series("b.v.x")
    stop = 2.0 / (MU * G)
    assert np.flatnonzero(np.abs(speeds) < 1e-12)[0] == math.ceil(stop / 0.01)


def test_collisions_of_the_rules_are_without_friction():
    """A ball thrown along the floor keeps its speed in the impact (section 4.3)."""
    for rule, keeps in ((Lagged(0.01), True), (Iterated(step=0.01), True), (Coulomb(), False)):
        recording = run("thrown", rule, until=0.15, step=0.001)
        struck = next(event for event in recording.events if event.kind == "impact")
        frame = int(np.searchsorted(recording.times, struck.time))
        kept = abs(recording.series("s.v.x")[frame] - 1.0) < 1e-12
        assert kept == keeps


def test_rules_are_recorded_and_replayed():
    for rule in (Lagged(0.02), Iterated(4, 0.02), Coulomb()):
        recording = run("slope", rule, 0.4, until=0.1)
        assert Contact.of_settings(recording.header.settings) == Contact(friction_rule=rule)
        again = replay(recording)
        assert np.array_equal(again.series("b.center.x"), recording.series("b.center.x"))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Lagged(0.0),
        lambda: Lagged(math.nan),
        lambda: Iterated(0),
        lambda: Iterated(1.5),  # type: ignore[arg-type] # what is refused
        lambda: Iterated(2, -1.0),
        lambda: Contact(friction_rule="lagged"),  # type: ignore[arg-type] # what is refused
        lambda: Contact(impact="newton"),  # type: ignore[arg-type] # what is refused
    ],
)
def test_rules_that_cannot_be_are_refused(make):
    with pytest.raises(ModelError, match=r"give (a|one) "):
        make()


def test_friction_that_is_given_ends_where_a_corner_lifts():
    """A block braked so hard that it would tip comes to rest; it does not rattle without end."""
    steep = TEXT.replace("friction: 0.5", "friction: 4")
    for rule in (Lagged(0.02), Iterated(3, 0.02)):
        made = parse(steep).world("slide", 1.5)
        recording = simulate(made, until=0.5, step=0.02, contact=Contact(friction_rule=rule))
        assert len(recording.events) < 30
        assert np.abs(recording.series("b.center.y")).max() < 0.2
