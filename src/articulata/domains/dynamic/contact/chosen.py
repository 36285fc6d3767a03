"""What a request's text chooses of contact, as the laws of a run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from articulata.domains.dynamic.contact.laws import IMPACT_LAWS, Contact
from articulata.domains.dynamic.contact.rules import ROUNDS, STEP, Coulomb, Iterated, Lagged
from articulata.errors import ModelError
from articulata.world.requests.request import OptionValue


def contact_chosen(choices: OptionValue | None) -> Contact:
    """Return the laws that the choices of ``contact:`` make; the usual ones where there are none.

    A choice is a word and values by kind, as ``world.language.elaboration.contacting`` gives them.
    """
    made = Contact()
    for choice in choices if isinstance(choices, tuple) else ():
        if not isinstance(choice, tuple) or not choice:
            raise ModelError(f"contact: {choice!r} is no choice; write newton, lagged ...")
        word = str(choice[0])
        values: dict[Any, Any] = dict(zip(choice[1::2], choice[2::2], strict=True))
        made = replace(made, **_field(word, values))
    return made


def _field(word: str, values: dict[Any, Any]) -> dict[str, Any]:
    step = float(values.get("time", STEP))
    match word:
        case "coulomb":
            return {"friction_rule": Coulomb()}
        case "lagged":
            return {"friction_rule": Lagged(step)}
        case "iterated":
            return {"friction_rule": Iterated(int(values.get("count", ROUNDS)), step)}
        case "settle" | "quiet" | "steps":
            return {word: float(values["time"])}
        case "friction" | "restitution" | "crowd":
            return {word: float(values["number"])}
        case "within":
            return {"within": True}
        case _ if word in IMPACT_LAWS:
            return {"impact": IMPACT_LAWS[word]()}
        case _:
            raise ModelError(f"contact: '{word}' says nothing of contact")
