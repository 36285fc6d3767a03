"""``method:`` of a request: options as in Python, checked, printed, and carried into the run."""

from __future__ import annotations

from dataclasses import fields

import pytest

from articulata.analyses.simulate.run import simulate
from articulata.analyses.simulate.run_question import asked
from articulata.domains.dynamic.methods import (
    DOP853,
    INTEGRATORS,
    METHODS,
    RK4,
    AnyMethod,
    MuJoCo,
    Stepping,
    method_chosen,
)
from articulata.errors import ModelError
from articulata.world.document import parse
from articulata.world.language import vocabulary

WORLD = """
units: millimetre, kilogram, second, degree
primitive ball { properties: (density: 1000 kg/m^3); geometry: sphere(100); dynamics }
world w {
  gravity: (0, -9810, 0)
  components { floor: ground; b: ball }
  structure { place b by b.center at (0, 100, 0) }
}
simulate w { time: (10 ms, 20 ms); method: CHOICE }
"""


def document(choice: str):
    return parse(WORLD.replace("CHOICE", choice))


@pytest.mark.parametrize(
    ("choice", "method"),
    [
        ("stepping", Stepping()),
        ("Stepping(step: 2 ms)", Stepping(2e-3)),
        ("stepping(2 ms, 500)", Stepping(2e-3, 500)),
        (
            "stepping(tolerance: 1e-12, iterations: 50, step: 0.5 ms)",
            Stepping(5e-4, 50, 1e-12),
        ),
        ("rk4(step: 2 ms)", RK4(2e-3)),
        ("dop853(relative: 1e-8)", DOP853(relative=1e-8)),
        ("dop853()", DOP853()),
    ],
)
def test_options_are_those_of_python_in_effect(choice: str, method: AnyMethod) -> None:
    made = document(choice)
    assert parse(made.text).text == made.text
    (request,) = made.requests
    assert asked(request, until=None, step=None, method=None, domains=None).method == method
    in_python = simulate(made.world("w"), until=0.02, step=0.01, method=method)
    assert simulate(request).header.settings == in_python.header.settings
    assert simulate(request).array("dynamic.position").tolist() == (
        in_python.array("dynamic.position").tolist()
    )


def test_mujocos_options_are_words() -> None:
    (request,) = document("mujoco(step: 2 ms, integrator: implicitfast, contacts: no)").requests
    method = asked(request, until=None, step=None, method=None, domains=None).method
    assert method == MuJoCo(2e-3, "implicitfast", contacts=False)


def test_the_text_knows_every_option_of_every_method() -> None:
    known = {name: made for name, made in METHODS.items() if "." not in name}
    assert known.keys() == vocabulary.METHODS.keys()
    for name, made in known.items():
        slots = [slot.name for slot in vocabulary.METHODS[name].slots]
        assert slots == [field.name for field in fields(made)]
    assert set(vocabulary.WORDS["integrator"]) == set(INTEGRATORS)


@pytest.mark.parametrize(
    ("choice", "code", "told"),
    [
        ("steping", "unknown-name", "stepping"),
        ("stepping(stp: 1 ms)", "unknown-option", "step"),
        ("stepping(step: 1 mm)", "wrong-dimension", "time"),
        ("stepping(step: 0 ms)", "not-positive", "greater than 0"),
        ("stepping(iterations: 2.5)", "wrong-kind", "whole number"),
        ("stepping(tolerance: (0 - 1))", "not-positive", "greater than 0"),
        ("stepping(1 ms, 2, 0.1, 4)", "wrong-count", "at most 3"),
        ("euler1986(step: 1 ms)", "unknown-option", "step"),
        ("mujoco(integrator: rk5)", "wrong-kind", "rk4"),
        ("mujoco(contacts: maybe)", "wrong-kind", "yes or no"),
    ],
)
def test_what_cannot_be_chosen_is_named(choice: str, code: str, told: str) -> None:
    found = document(choice).check()
    assert [each.code for each in found] == [code]
    assert found[0].line == 9
    assert told in f"{found[0].message} {found[0].suggestion}"


def test_choices_from_elsewhere_are_checked() -> None:
    assert method_chosen("rk4", ("stepping", ("step", 2e-3))) == RK4()
    assert method_chosen("Stepping", None) == Stepping()
    with pytest.raises(ModelError, match="takes no 'speed'"):
        method_chosen("stepping", ("stepping", ("speed", 1.0)))
    with pytest.raises(ModelError, match="no method 'stopping'"):
        method_chosen("stopping", None)
