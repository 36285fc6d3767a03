"""``simulate``: how a world would move by itself."""

from __future__ import annotations

from articulata.world.requests.clauses import SEED, Clause

IMPACT_LAWS: tuple[str, ...] = ("newton", "poisson", "sequential")
"""Laws of impact by the names used in a text."""

FRICTION_RULES: tuple[str, ...] = ("coulomb", "lagged", "iterated")
"""Rules of friction by the names used in a text."""

SIMULATE: dict[str, Clause] = {
    "time": Clause(("<times>",), "the step and the end, (0.05 s, 60 s)", needed=True),
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
    ),
    "domains": Clause(("<domains>",), "which domains take part, (geometric, control)"),
    "method": Clause(("<method>",), "the way through time: rk4, stepping(step: 2 ms)"),
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
    ),
    "controllers": Clause(("<text>",), "a Python file beside this one"),
    "seed": SEED,
}
"""Clauses of ``simulate``, read by ``elaboration.requesting``."""
