"""``contact:`` of a request: read, checked, printed, and carried into the run."""

from __future__ import annotations

import pytest

import articulata as art
from articulata.analyses.simulate.run import simulate
from articulata.analyses.simulate.run_question import asked
from articulata.domains.dynamic.contact.friction_rules import Coulomb, Iterated, Lagged
from articulata.domains.dynamic.contact.intervals import Unfollowed
from articulata.domains.dynamic.contact.laws import (
    Contact,
    Newton,
    Poisson,
    Sequential,
    contact_chosen,
)
from articulata.errors import ModelError
from articulata.world.document import parse

WORLD = """
units: millimetre, kilogram, second, degree
primitive ball { properties: (density: 1000 kg/m^3); geometry: sphere(100); dynamics }
world w {
  components { floor: ground; b: ball }
  structure { place b by b.center at (0, 100, 0) }
}
simulate w { time: (0.1 s, 0.2 s); contact: CHOICE }
"""


def document(choice):
    return parse(WORLD.replace("CHOICE", choice))


@pytest.mark.parametrize(
    ("choice", "contact"),
    [
        ("newton", Contact(Newton())),
        ("poisson, coulomb", Contact(Poisson(), friction_rule=Coulomb())),
        ("sequential, within mechanisms", Contact(Sequential(), within=True)),
        ("lagged", Contact(friction_rule=Lagged())),
        ("lagged every 20 ms", Contact(friction_rule=Lagged(0.02))),
        ("iterated 3 rounds every 20 ms", Contact(friction_rule=Iterated(3, 0.02))),
        ("iterated every 20 ms", Contact(friction_rule=Iterated(step=0.02))),
        (
            "settle 2 ms, friction 0.3, restitution 0.5",
            Contact(settle=0.002, friction=0.3, restitution=0.5),
        ),
        ("crowd 40, quiet 0.1 s, steps 2 ms", Contact(crowd=40.0, quiet=0.1, steps=2e-3)),
        ("crowd 0", Contact(crowd=0.0)),
    ],
)
def test_choices_become_the_laws_of_the_run(choice, contact):
    made = document(choice)
    assert parse(made.text).text == made.text
    (request,) = made.requests
    question = asked(request, until=None, step=None, method=None, domains=None)
    assert question.contact == contact
    recording = simulate(request)
    assert Contact.of_settings(recording.header.settings) == contact


def test_python_overrules_the_text_and_domains_leave_contact_out():
    (request,) = document("poisson, within mechanisms").requests
    given = Contact(Sequential())
    wanted = {"until": None, "step": None, "method": None}
    assert asked(request, domains=None, contact=given, **wanted).contact == given
    assert asked(request, domains=("geometric", "dynamic"), **wanted).contact is None


@pytest.mark.parametrize(
    ("choice", "code", "hint"),
    [
        ("poison", "unknown-word", "poisson"),
        ("newton, poisson", "duplicate", "remove"),
        ("lagged, iterated", "duplicate", "remove"),
        ("lagged every 20 mm", "wrong-dimension", ""),
        ("lagged every 0 s", "not-positive", ""),
        ("iterated 0 rounds", "out-of-range", ""),
        ("restitution 1.5", "out-of-range", ""),
        ("friction (0 - 1)", "negative", ""),
        ("settle", "missing-value", "settle"),
        ("crowd (0 - 3)", "negative", ""),
        ("quiet 0 s", "not-positive", ""),
        ("steps 2 mm", "wrong-dimension", ""),
        ("within", "missing-value", "mechanisms"),
    ],
)
def test_what_cannot_be_chosen_is_named(choice, code, hint):
    found = document(choice).check()
    assert [each.code for each in found] == [code]
    assert found[0].line == 8
    assert hint in found[0].suggestion


def test_choices_from_elsewhere_are_checked():
    with pytest.raises(ModelError, match="'glue' says nothing"):
        contact_chosen((("glue",),))
    assert contact_chosen(None) == Contact()


def test_steps_take_over_where_no_exact_answer_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object) -> None:
        raise Unfollowed("no impulses were found")

    text = """
primitive ball { properties: (density: 1000); geometry: sphere(10 cm); dynamics }
world drop {
  gravity: (0, -10, 0)
  components { floor: ground; b: ball }
  structure { place b by b.center at (0, 0.3, 0) }
}
"""
    world = art.parse(text).world("drop")
    monkeypatch.setattr("articulata.domains.dynamic.contact.arrivals.collide", lost)
    recording = art.simulate(world, until=0.4, step=0.1)
    modes = [event.values["mode"] for event in recording.events if event.kind == "mode"]
    assert modes[0] == "stepping"
    assert recording.times[-1] == pytest.approx(0.4)
    assert recording.series("b.center.y")[-1] == pytest.approx(0.1, abs=1e-4)
    with pytest.raises(art.SimulationError, match="no impulses were found"):
        art.simulate(world, until=0.4, step=0.1, contact=art.Contact(crowd=0.0))
