"""Two answers about a room beside each other: what another variant of it changed."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from articulata.errors import RecordingError
from articulata.records.reach_maps import ReachMap
from articulata.records.reach_shares import ACCESSIBLE
from articulata.records.reach_verdicts import Verdict


@dataclass(frozen=True, slots=True)
class ReachChange:
    """What became of one object for one way to move; None where it was not asked about."""

    object: str
    mobility: str
    before: Verdict | None
    after: Verdict | None

    @property
    def gained(self) -> bool:
        """Whether it is reached now and was not before."""
        return self.in_both and _reached(self.after) and not _reached(self.before)

    @property
    def lost(self) -> bool:
        """Whether it was reached and is no longer."""
        return self.in_both and _reached(self.before) and not _reached(self.after)

    @property
    def in_both(self) -> bool:
        """Whether both variants ask about it; where one does not, nothing is gained or lost."""
        return self.before is not None and self.after is not None

    def __str__(self) -> str:
        """Say it in a line."""
        return (
            f"{self.object}, {self.mobility}: {_words(self.after)}; before: {_words(self.before)}"
        )

    def row(self) -> dict[str, str]:
        """Return it as a row of a table."""
        return {
            "object": self.object,
            "mobility": self.mobility,
            "change": self._kind,
            "before": _words(self.before),
            "after": _words(self.after),
        }

    @property
    def _kind(self) -> str:
        if not self.in_both:
            return "not asked"
        return "gained" if self.gained else "lost" if self.lost else "other"


def changes(before: ReachMap, after: ReachMap) -> tuple[ReachChange, ...]:
    """Return the objects whose verdicts differ in words; RecordingError where nothing is common."""
    first, second = _by_person(before, after), _by_person(after, before)
    if first and second and not first.keys() & second.keys():
        there, here = before.objects, after.objects
        if set(there) & set(here):
            there, here = (tuple(dict.fromkeys(who for _, who in each)) for each in (first, second))
        raise RecordingError(
            f"'{before.world}' and '{after.world}' ask about no object and way to move in common: "
            f"{', '.join(there)} there, {', '.join(here)} here; compare two variants of one room"
        )
    found = []
    for key in dict.fromkeys([*second, *first]):
        a, b = first.get(key), second.get(key)
        if _words(a) != _words(b):
            found.append(ReachChange(*key, a, b))
    return tuple(found)


def shares(before: ReachMap, after: ReachMap) -> tuple[str, ...]:
    """Return in a line for each way to move how much of the points is reached, and was before."""
    former = {_called(before, name, after.parts): part for name, part in before.parts.items()}
    found = []
    for name, part in after.parts.items():
        other = former.get(_called(after, name, before.parts))
        if other is not None and len(part.label) and len(other.label):
            found.append(
                f"{name}: {part.share(ACCESSIBLE):.1%} of the points reached, "
                f"{other.share(ACCESSIBLE):.1%} before"
            )
    return tuple(found)


def _by_person(reached: ReachMap, other: ReachMap) -> dict[tuple[str, str], Verdict]:
    """Return verdicts by object and by who reaches, as the other map calls her."""
    names = {each.mobility for each in other.verdicts}
    return {(v.object, _called(reached, v.mobility, names)): v for v in reached.verdicts}


def _called(reached: ReachMap, mobility: str, names: Container[str]) -> str:
    """Return what somebody is called among ``names``: with the figure, where there are several."""
    whole = f"{reached.person} {mobility}"
    return whole if whole in names else mobility


def _reached(verdict: Verdict | None) -> bool:
    return verdict is not None and verdict.accessible


def _words(verdict: Verdict | None) -> str:
    return "not asked about" if verdict is None else verdict.words
