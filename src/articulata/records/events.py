"""Events: what happened, when, to whom, and what was done about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeAlias

from articulata.world.values import NOWHERE, Span

Value: TypeAlias = float | str | tuple[float, ...] | tuple[str, ...]
"""What an event may say of itself: a number in SI units, a word, or several of them."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened at ``time`` (s).

    ``kind`` is a word of the field ("impact", "separation", "break", "redundancy",
    "inconsistent", "settled", "edit" ...), ``who`` the ids of the nodes involved, ``where`` the
    features that met. ``values`` holds quantities in SI units (impulse, energies, coefficients),
    ``story`` one sentence for a reader. ``span`` is the line of the text that asked for it.
    """

    time: float
    kind: str
    who: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    values: Mapping[str, Value] = field(default_factory=lambda: MappingProxyType({}))
    story: str = ""
    span: Span = NOWHERE

    def explain(self) -> str:
        """Return an account of the event for a reader: when, what, to whom, and its numbers."""
        from articulata.records.accounts import explain

        return explain(self)
