"""A verdict on an object: whether a person reaches it, how, why not, and what would mend it.

Beside it what rules say of a room and of the objects in it. Places are in W, metres; angles in rad.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Final

import numpy as np

from articulata.geometry.arrays import Array
from articulata.records.reach_shares import ACCESSIBLE, NOT_FOUND, PROVED, SAID, array
from articulata.world.requests.reach import AXES, Aligned, Thing

UPRIGHT: Final = 0.09
"""rad. A trunk that is bent forward no farther is upright."""

MILLIMETRES: Final = 0.03
"""m. What is shorter is told in millimetres."""

BENT_FAR: Final = np.radians(60.0)
"""rad. Bent farther the trunk has the worst score of REBA and of RULA."""

STRONG: Final = "only with strong bending"
"""What is said of a trunk that is bent so far."""


class ReachReason(IntEnum):
    """Why a point has its label."""

    REACHED = 0
    GAVE_UP = 1
    """No base place with a posture was found; nothing proves that there is none."""
    BLOCKED = 2
    """All postures that were tried strike something."""
    TOO_HIGH = 3
    TOO_LOW = 4
    TOO_FAR = 5
    """From wherever the base can stand it is beyond the arms."""
    INSIDE = 6
    """The point lies within a body."""
    NO_PLACE = 7
    """The device can stand nowhere."""
    NO_WAY = 8
    """There is room to stand, but no way to it from the door."""
    SHUT_IN = 9
    """The point lies in a hollow that no hand gets into."""
    NOT_HELD = 10
    """It is touched, but with no hand held in the direction that is asked for."""
    TOO_HEAVY = 11
    """It is touched, but in no posture that holds the load."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """A change by which an object is reached.

    ``kind`` is "lower", "raise", "forward", "push", "remove", "ramp", "open" or "carry"; ``by`` m;
    ``what`` is the body moved. A ramp leads over a sill that is ``by`` high; where a building code
    is asked it is ``run`` m long on either side with a ``slope`` (rise by run), and ``note`` tells
    which code asks so, or why a sill is to be removed and no ramp laid. Furniture is pushed,
    and brought "forward" to where people stand, along a level ``axis`` of the world, "x" or "-x".
    What is to "open" moves on its hinge ``by`` a share, 0 to 1, of the way it goes freely. Who is
    to "carry" less carries ``by`` kg at most, and ``what`` is "". ``write`` are the lines of text
    that make the change, "" where none does.
    """

    kind: str
    what: str
    by: float = 0.0
    axis: str = ""
    run: float = 0.0
    slope: float = 0.0
    note: str = ""
    write: str = ""

    def __str__(self) -> str:
        """Say it in words."""
        if self.kind == "remove":
            return f"move '{self.what}' away" + (f": {self.note}" if self.note else "")
        if self.kind == "ramp":
            long = f", {self.note}" if self.note else ""
            high = f"{self.by * 100:.3g} cm high"
            return f"lay a ramp over '{self.what}', {high}{long}, or take it away"
        if self.kind == "carry":
            return f"carry {self.by:g} kg at most"
        if self.kind == "open":
            far = "" if self.by >= 1.0 else f" by {self.by:.0%} of its way"
            return f"open '{self.what}'{far}"
        how = {"forward": "bring"}.get(self.kind, self.kind)
        along = f" along {self.axis}" if self.axis else ""
        return f"{how} '{self.what}' by {self.by * 100:.0f} cm{along}"


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """Whether a person with a way to move reaches an object.

    ``point`` (3,) in W. Where it is reached ``base`` is (x, y, turn) in the ground frame and
    ``q`` the figure's posture (dof,), ``lean`` (rad) the forward bend of hips and trunk together.
    ``obstacle`` is what stops the nearest posture, what the object lies within, or the sill that
    shuts the way, "" where nothing does; ``short`` (m) is what is missing at least. ``arm_path``
    (n, dof) are postures from rest to ``q``, straight between them, that touch nothing; (0, dof)
    where none was found. Where a direction of the hand is asked for it is ``aligned``; ``off``
    (rad) is how far the hand of ``q`` is off, or the best that was found. ``cost`` is what chose
    ``q``; ``scores`` tell its comfort by several criteria: "sum" (rad), "range", "barrier", "rula"
    and "reba" (no unit), {} where it was not asked. ``tried`` counts the postures that were sought
    at places to stand before it was not found. ``at_limit`` names the joints of hips, trunk and arm
    at an end of their range, where "barrier" is beyond all measure.
    """

    object: str
    mobility: str
    label: int
    reason: ReachReason
    point: Array
    hand: str = ""
    base: Array | None = None
    q: Array | None = None
    cost: float = float("nan")
    lean: float = 0.0
    obstacle: str = ""
    short: float = 0.0
    remedy: Remedy | None = None
    arm_path: Array | None = None
    aligned: Aligned | None = None
    off: float | None = 0.0
    scores: Mapping[str, float] = field(default_factory=dict)
    tried: int = 0
    at_limit: tuple[str, ...] = ()

    @property
    def asked(self) -> Thing:
        """What was asked about: the object, with the direction of the hand if there was one."""
        return self.aligned or self.object

    @property
    def accessible(self) -> bool:
        """Whether a posture proves that it is reached."""
        return self.label == ACCESSIBLE

    @property
    def strained(self) -> bool:
        """Whether it is reached with a trunk bent as RULA and REBA score worst; it is reached."""
        return self.accessible and self.lean > BENT_FAR

    @property
    def proved(self) -> bool:
        """Whether a bound proves that it is not."""
        return self.label == PROVED

    def __str__(self) -> str:
        """Say the verdict in a line."""
        return f"{self.object}, {self.mobility}: {self.words}"

    @property
    def words(self) -> str:
        """The verdict without who and what."""
        if self.accessible:
            bent = self._bent
            how = "" if self.aligned is None else f", {self.aligned}"
            lost = self.path_label == "not found"
            path = "; no path of the arm from rest was found" if lost else ""
            return f"reached with the {self.hand} hand{how}{bent}{path}"
        if self.label == NOT_FOUND:
            return self._not_found
        said = {
            ReachReason.TOO_HIGH: "too high",
            ReachReason.TOO_LOW: "too low",
            ReachReason.TOO_FAR: "too far from every place on the floor",
            ReachReason.INSIDE: f"it lies within {self._within}",
            ReachReason.NO_PLACE: "there is no free place on the floor",
            ReachReason.NO_WAY: "there is no way to it from the door" + self._shut,
            ReachReason.SHUT_IN: "no hand gets into the hollow it is in",
        }[self.reason]
        label = SAID[self.label]
        said = f"{label}: {said}" if said else label
        if self.short > 0.0 and self.remedy is None:
            said += f"; {self._short}"
        return said + (f"; {self.remedy}" if self.remedy is not None else "")

    def posture(self, share: float = 1.0) -> Array | None:
        """Return the posture (dof,) at a ``share``, 0 to 1, of the arm's path; ``q`` without one.

        Shares are of the path's length in the joints.
        """
        if self.arm_path is None or not len(self.arm_path):
            return self.q
        steps = np.linalg.norm(np.diff(self.arm_path, axis=0), axis=1)
        length = np.concatenate([[0.0], np.cumsum(steps)])
        at = share * length[-1]
        return np.array([np.interp(at, length, column) for column in self.arm_path.T])

    @property
    def path_label(self) -> str:
        """Whether a path of the arm was found: "found", "not found", "" where none was sought."""
        if self.arm_path is None:
            return ""
        return "found" if len(self.arm_path) else "not found"

    @property
    def scales(self) -> str:
        """What RULA and REBA say of the posture, "" where they were not asked."""
        known = {"rula": "RULA", "reba": "REBA"}
        told = ((word, self.scores.get(name)) for name, word in known.items())
        return ", ".join(f"{word} {score:g}" for word, score in told if score is not None)

    @property
    def _bent(self) -> str:
        """Say how far forward the trunk is, where it is not upright."""
        if self.lean <= UPRIGHT:
            return ""
        hard = f"{STRONG}: " if self.strained else ""
        return f", {hard}trunk {np.degrees(self.lean):.0f} deg forward"

    @property
    def _short(self) -> str:
        """Say how far what is reached at most ends from the object: level, or straight up."""
        by = f"{self.short * 100:.0f} cm"
        if self.short < MILLIMETRES:
            by = f"{self.short * 1000:.0f} mm" if self.short >= 5e-4 else "less than 1 mm"
        if self.reason == ReachReason.TOO_FAR:
            return f"at its height every hand ends {by} before it at least, measured level"
        side = "above" if self.reason == ReachReason.TOO_LOW else "below"
        return f"every hand ends {by} {side} it at least"

    @property
    def _not_found(self) -> str:
        """Say that neither a posture nor a proof was found, and how hard it was searched."""
        if self.reason == ReachReason.NOT_HELD:
            said = self._otherwise
        elif self.reason == ReachReason.TOO_HEAVY:
            said = "touched, but the load is too heavy to be held there"
        elif self.reason == ReachReason.NO_WAY:
            said = f"no way to it from the door was found{self._shut}"
        elif self.reason == ReachReason.NO_PLACE:
            said = "no free place on the floor was found"
        elif self.obstacle:
            said = f"'{self.obstacle}' is in the way of most postures there"
        else:
            said = "no place with a posture was found"
        hard = f" ({self.tried:,} tried)" if self.tried else ""
        mend = f"; {self.remedy}" if self.remedy is not None else ""
        return f"{SAID[self.label]}: {said}{hard}{mend}"

    @property
    def _otherwise(self) -> str:
        """Say that it is touched with the hand held in other directions alone."""
        if self.obstacle:
            return f"touched, but with {self.aligned} '{self.obstacle}' is in the way"
        if self.off is None:
            return f"touched, but nothing that is free was found with {self.aligned}"
        return f"touched, but not with {self.aligned}, {np.degrees(self.off):.0f} deg off at best"

    @property
    def _shut(self) -> str:
        return f" past '{self.obstacle}'" if self.obstacle else ""

    @property
    def _within(self) -> str:
        if not self.obstacle:
            return "a body"
        if self.remedy is not None:
            return f"'{self.obstacle}'"
        own = f"{self.object}.".startswith(f"{self.obstacle}.")
        mend = "name a feature on its surface" if own else "move one of the two"
        return f"'{self.obstacle}'; {mend}"


def verdict_from(said: Mapping[str, Any]) -> Verdict:
    """Return the verdict that ``plain`` told."""
    scores = said.get("scores", {})
    told = {
        **said,
        **{name: array(said.get(name)) for name in ("point", "base", "q", "arm_path")},
        "reason": ReachReason(said["reason"]),
        "cost": float("nan") if said["cost"] is None else said["cost"],
        "remedy": None if said["remedy"] is None else Remedy(**said["remedy"]),
        "aligned": _aligned(said.get("aligned")),
        "scores": {name: np.inf if each is None else each for name, each in scores.items()},
        "at_limit": tuple(said.get("at_limit", ())),
    }
    return Verdict(**told)


def _aligned(said: Mapping[str, Any] | None) -> Aligned | None:
    if said is None:
        return None
    ways = {name: None if said[name] is None else tuple(said[name]) for name in AXES}
    return Aligned(said["path"], within=said["within"], **ways)


def told_beside(value: float, *limits: float) -> str:
    """Return a length (m) in whole centimetres, or in the digits that tell it from limits (m)."""
    for digits in range(2, 6):
        text = f"{value:.{digits}f}"
        if all((float(text) > each) == (value > each) for each in limits) and all(
            f"{each:.{digits}f}" != text or abs(each - value) < 1e-6 for each in limits
        ):
            break
    return text


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """Whether a set of rules lets an object be where it is, and by which section.

    ``height`` above the floor and ``depth`` from clear floor, m, infinite where there is none;
    ``words`` say why. What the room does not tell is not ``told`` and never ``met``: ``words`` say
    what to write.
    """

    object: str
    rules: str
    met: bool
    section: str
    height: float
    depth: float
    words: str
    told: bool = True

    @property
    def verdict(self) -> str:
        """The verdict alone: met, not met, or not told."""
        return ("met" if self.met else "not met") if self.told else "not told"

    def __str__(self) -> str:
        """Say it in a line."""
        return f"{self.object}, {self.rules}: {self.verdict}: {self.words}"


def by_code(findings: Iterable[RuleFinding]) -> Iterator[str]:
    """Yield a line for each set of rules: how many findings are met, and sections of the others."""
    sets: dict[str, dict[str, list[str]]] = {}
    for each in findings:
        sets.setdefault(each.rules, {}).setdefault(each.verdict, []).append(each.section)
    for name, told in sets.items():
        others = [
            f"{len(told[each])} {each} ({', '.join(dict.fromkeys(told[each]))})"
            for each in ("not met", "not told")
            if each in told
        ]
        yield ", ".join([f"{name}: {len(told.get('met', ()))} met", *others])


def finding_from(said: Mapping[str, Any]) -> RuleFinding:
    """Return the finding that ``plain`` told."""
    depth = math.inf if said["depth"] is None else said["depth"]
    return RuleFinding(**{**said, "depth": depth})
