"""``simulate``: how a world would move by itself."""

from __future__ import annotations

from typing import TypeAlias

from articulata.world.requests.clauses import SEED, Clause, Said, Unfit
from articulata.world.requests.request import Report

IMPACT_LAWS: tuple[str, ...] = ("newton", "poisson", "sequential")
"""Laws of impact by the names used in a text."""

FRICTION_RULES: tuple[str, ...] = ("coulomb", "lagged", "iterated")
"""Rules of friction by the names used in a text."""

MOST_ROUNDS = 1000
"""Rounds over the contacts of one instant at most."""

ContactChoice: TypeAlias = tuple[str, *tuple[tuple[str, float], ...]]
"""A word of ``contact:`` and its values by the words before them: ("lagged", ("every", 0.01))."""


def _report(said: Said) -> Report:
    kind, count = said.words[0], said.get("snapshots")
    every = said.get("every", said.get("at"))
    if count is not None and count < 1:
        raise Unfit("snapshots", f"{count} snapshots cannot be drawn", code="not-positive")
    if every is not None and every <= 0.0 and kind == "animation":
        told = f"an interval must be greater than 0, not {every:g} s"
        raise Unfit("every", told, code="not-positive")
    paths = [value for _, value in said.values if isinstance(value, str)]
    return Report(kind, every, count, f" {said.words[-1]} ".join(paths) or None, said.span)


def _contact(said: Said) -> ContactChoice:
    word = said.words[0]
    for before, value in said.values:
        if before == "iterated" and not 1 <= value <= MOST_ROUNDS:
            raise Unfit(before, f"rounds lie from 1 to {MOST_ROUNDS}, not at {value}")
        if before in ("every", "settle", "quiet", "steps") and value <= 0.0:
            told = f"a time must be greater than 0, not {value:g} s"
            raise Unfit(before, told, code="not-positive")
        if value < 0.0:
            raise Unfit(before, f"{word} must not be negative, as {value:g} is", code="negative")
        if before == "restitution" and value > 1.0:
            told = f"a coefficient of restitution lies from 0 to 1, not at {value:g}"
            raise Unfit(before, told)
    return (word, *said.values)


def _chosen_twice(former: ContactChoice, choice: ContactChoice) -> tuple[str, str] | None:
    kinds = {"a law of impact": IMPACT_LAWS, "a rule of friction": FRICTION_RULES}
    about = next((kind for kind, known in kinds.items() if choice[0] in known), f"'{choice[0]}'")
    if former[0] not in kinds.get(about, (choice[0],)):
        return None
    return f"{about} is chosen already: '{former[0]}'", "remove one of them"


SIMULATE: dict[str, Clause] = {
    "time": Clause(("<times>",), "the step and the end, (0.05 s, 60 s)", needed=True,
                   field="times"),
    "report": Clause(
        (
            "animation [every <time>]",
            "snapshots <count>",
            "impulses",
            "peaks",
            "forces of <path>",
            "monitor <path>",
            "monitor <path> to <path>",
            "monitor <path> touches <path>",
            "monitor <path> from <path>",
            "events",
            "equations at <time>",
        ),
        "what to show of the motion",
        several=True,
        field="reports",
        read=_report,
        key=id,  # each is written
    ),
    "domains": Clause(("<domains>",), "which domains take part, (geometric, control)",
                      field="domains"),
    "method": Clause(("<method>",), "the way through time: rk4, stepping(step: 2 ms)",
                     field="method"),
    "contact": Clause(
        (
            *IMPACT_LAWS,
            "coulomb",
            "lagged [every <time>]",
            "iterated <count> rounds [every <time>]",
            "iterated [every <time>]",
            "settle <time>",
            "friction <number>",
            "restitution <number>",
            "within mechanisms",
            "crowd <number>",
            "quiet <time>",
            "steps <time>",
        ),
        "how bodies collide and rub: poisson, lagged every 10 ms, within mechanisms",
        several=True,
        field="contact",
        read=_contact,
        key=id,
        clash=_chosen_twice,
    ),
    "controllers": Clause(("<text>",), "a Python file beside this one", field="controllers"),
    "seed": SEED,
}  # fmt: skip
"""Clauses of ``simulate``."""
