"""Events: what happened, when, to whom, and what was done about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from articulata.world.values import NOWHERE, Span


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
    values: Mapping[str, float | str | tuple[float, ...] | tuple[str, ...]] = field(
        default_factory=lambda: MappingProxyType({})
    )
    story: str = ""
    span: Span = NOWHERE
