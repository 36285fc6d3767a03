"""Numbers of a text that nobody could wait for or store are findings, told at once."""

from __future__ import annotations

import pytest

from articulata.world.document import parse
from articulata.world.language.elaboration import elaborate

BALL = "primitive ball { properties: (density: 1000); geometry: sphere(0.1); dynamics }\n"
TEN = ", ".join(f"a{k}" for k in range(10))


def found(text: str) -> list[tuple[int, str]]:
    return [(each.line, each.code) for each in parse(text).check()]


@pytest.mark.parametrize(
    "clause",
    [
        "method: rk4(step: 1e-30)",
        "method: stepping(iterations: 20, step: 1e-30)",
        "method: mujoco(step: 1e-30)",
        "method: stepping(iterations: 1000000000000)",
        "contact: lagged every 1e-30 s",
        "contact: poisson, iterated 5 rounds every 1e-30 s",
    ],
)
def test_steps_of_a_method_have_the_bound_of_time(clause: str) -> None:
    text = f"{BALL}world w {{ components b: ball }}\nsimulate w {{ time: (1, 2); {clause} }}\n"
    assert found(text) == [(3, "too-large")]


@pytest.mark.parametrize("leaf", [BALL, "composite ball { }\n"])
@pytest.mark.parametrize("parts", [TEN, "a[1..10]"])
def test_composites_of_composites_are_counted_together(
    leaf: str, parts: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elaborate, "MOST_BODIES", 2000)
    chain = "".join(
        f"composite c{k} {{ components {parts}: {f'c{k - 1}' if k else 'ball'} }}\n"
        for k in range(8)
    )
    text = f"{leaf}{chain}world w {{ components x: c7 }}\nsimulate w {{ time: (1, 2) }}\n"
    assert found(text) == [(2, "too-large")]


def test_composites_within_composites_have_a_bound() -> None:
    chain = "".join(
        f"composite c{k} {{ components a: {f'c{k - 1}' if k else 'ball'} }}\n" for k in range(500)
    )
    text = f"{BALL}{chain}world w {{ components x: c499 }}\nsimulate w {{ time: (1, 2) }}\n"
    assert [code for _, code in found(text)] == ["too-deep"]
    assert not found(text.replace("x: c499", "x: c50"))


@pytest.mark.parametrize("name", ["mass", "center", "inertia"])
def test_what_belongs_to_dynamics_is_sent_there(name: str) -> None:
    text = f"primitive p {{ properties: ({name}: 3); geometry: sphere(1) }}"
    (finding,) = parse(text).check()
    assert finding.suggestion == f"write it in a section of its own: dynamics: ({name}: 3)"
