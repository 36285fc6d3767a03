"""Rules of friction as values: a run names the one it wants.

``Coulomb`` is the law itself: what sticks is a constraint, what slides is braked by the normal
force of the same instant. The other two are the 1986 report's ways of avoiding two sets of
equations for every contact: each contact is put into the equations without friction, and a force
is applied that counteracts the sliding that would result, up to mu N.
Reference: Hoffmann & Hopcroft 1986, section 4.5, second paragraph (``Lagged``) and third
(``Iterated``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from articulata.errors import ModelError
from articulata.geometry.scalars import finite, whole

STEP = 0.01
"""Time step (s) of the report's rules where none is given: that of its Figure 4.2."""

ROUNDS = 5
"""Refinements of a step where none are given; the report leaves their number open."""

MOST_ROUNDS = 1000


@dataclass(frozen=True, slots=True)
class Coulomb:
    """Stick or slip by Coulomb's law at every instant."""

    name: str = "coulomb"


@dataclass(frozen=True, slots=True)
class Lagged:
    """The force that would have counteracted the sliding of the ``step`` (s) before, up to mu N."""

    step: float = STEP
    name: str = "lagged"

    def __post_init__(self) -> None:
        _check_step(self)


@dataclass(frozen=True, slots=True)
class Iterated:
    """The lagged force refined ``rounds`` times within its own ``step`` (s)."""

    rounds: int = ROUNDS
    step: float = STEP
    name: str = "iterated"

    def __post_init__(self) -> None:
        _check_step(self)
        rounds = whole(self.rounds)
        if rounds is None or not 1 <= rounds <= MOST_ROUNDS:
            raise ModelError(
                f"Iterated(rounds={self.rounds!r}): give a whole number from 1 to {MOST_ROUNDS}"
            )
        object.__setattr__(self, "rounds", rounds)


FrictionRule: TypeAlias = Coulomb | Lagged | Iterated

FRICTION_RULES: dict[str, type[FrictionRule]] = {
    "coulomb": Coulomb,
    "lagged": Lagged,
    "iterated": Iterated,
}
"""Rules by the names a text uses."""


def _check_step(rule: Lagged | Iterated) -> None:
    step = finite(rule.step)
    if step is None or step <= 0.0:
        raise ModelError(
            f"{type(rule).__name__}(step={rule.step!r}): give a finite number of seconds greater "
            "than 0"
        )
    object.__setattr__(rule, "step", step)


def rule_settings(rule: FrictionRule) -> dict[str, float | str]:
    """Return a rule as a recording's header holds it."""
    settings: dict[str, float | str] = {"contact.rule": rule.name}
    if isinstance(rule, Lagged | Iterated):
        settings["contact.rule_step"] = rule.step
    if isinstance(rule, Iterated):
        settings["contact.rule_rounds"] = rule.rounds
    return settings


def rule_of_settings(settings: Mapping[str, Any]) -> FrictionRule:
    """Return the rule that a header's settings hold; Coulomb's where they say nothing."""
    step = float(settings.get("contact.rule_step", STEP))
    match settings.get("contact.rule"):
        case "lagged":
            return Lagged(step)
        case "iterated":
            return Iterated(int(settings.get("contact.rule_rounds", ROUNDS)), step)
        case _:
            return Coulomb()
