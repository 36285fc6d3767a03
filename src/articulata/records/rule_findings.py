"""What rules say of a room and of the objects in it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


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


def plain_finding(finding: RuleFinding) -> dict[str, Any]:
    """Return a finding as JSON holds it: a depth that is infinite is None."""
    depth = finding.depth if math.isfinite(finding.depth) else None
    return {**asdict(finding), "depth": depth}


def finding_from(said: Mapping[str, Any]) -> RuleFinding:
    """Return the finding that ``plain_finding`` told."""
    depth = math.inf if said["depth"] is None else said["depth"]
    return RuleFinding(**{**said, "depth": depth})
