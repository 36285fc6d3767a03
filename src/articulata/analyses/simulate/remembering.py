"""What a simulation remembers beside its state, so that another goes on from any of its frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from articulata.records import blocks
from articulata.records.events import Event
from articulata.records.recorder import plain_event
from articulata.records.recording import event_of


@dataclass(frozen=True, slots=True)
class RunMemory:
    """What has been told and dealt with.

    ``touching`` are pairs told to touch, ``fresh`` is True from an edit on until the next event,
    ``to_come`` are events told ahead; ``chain`` is the instant of the last edit (s) and how many
    followed there, ``edits`` are those of late (s); ``gone`` says who took names away. ``instants``
    of clauses are left; ``watches`` say by key what is armed, its base and its rounding;
    ``edited`` is when (s) they were last told of an edit, ``unseen`` whether they have not looked
    since. ``spent`` is what clauses have done, by number, ``announced`` are hinges that gave way.
    """

    touching: tuple[tuple[str, ...], ...]
    fresh: bool
    to_come: tuple[Event, ...]
    chain: tuple[float, int]
    edits: tuple[float, ...]
    gone: Mapping[str, str]
    instants: int
    watches: Mapping[str, tuple[bool | None, float, float]]
    edited: float
    unseen: bool
    spent: Mapping[int, frozenset[str]]
    announced: frozenset[str]

    def plain(self) -> dict[str, Any]:
        """Return what a recording holds of it."""
        return {
            **{name: getattr(self, name) for name in _AS_THEY_ARE},
            "to_come": [plain_event(event) for event in self.to_come],
            "spent": [[number, sorted(done)] for number, done in self.spent.items()],
            "announced": sorted(self.announced),
        }

    @staticmethod
    def recalled(plain: Mapping[str, Any]) -> RunMemory:
        """Return what ``plain`` has written; ValueError or TypeError for another."""
        at, rounds = plain["chain"]
        return RunMemory(
            tuple(tuple(map(str, who)) for who in plain["touching"]),
            bool(plain["fresh"]),
            tuple(event_of(blocks.event(item)) for item in plain["to_come"]),
            (float(at), int(rounds)),
            tuple(map(float, plain["edits"])),
            {str(name): str(told) for name, told in plain["gone"].items()},
            int(plain["instants"]),
            {
                str(key): (None if armed is None else bool(armed), float(base), float(noise))
                for key, (armed, base, noise) in plain["watches"].items()
            },
            float(plain["edited"]),
            bool(plain["unseen"]),
            {int(number): frozenset(map(str, done)) for number, done in plain["spent"]},
            frozenset(map(str, plain["announced"])),
        )


_AS_THEY_ARE = (
    *("touching", "fresh", "chain", "edits", "gone"),
    *("instants", "watches", "edited", "unseen"),
)
