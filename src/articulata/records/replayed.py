"""What a controller asks of the joints where it interpolates between the points of a trajectory."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

TOLERANCE = 1e-9
"""Share by which rounding may pass a limit."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A trajectory as a controller replays it by ``scheme``: linear, cubic or quintic.

    ``speed`` and ``acceleration`` are the greatest shares of limits, 0 where none is known and inf
    where a speed jumps; ``joints`` name whose they are. ``beyond`` is how far outside its ends a
    joint comes, rad or m, 0 where none does. ``jump`` is the share of acceleration that the jumps
    of speed would take over the time between two points.
    """

    scheme: str
    speed: float
    acceleration: float
    joints: tuple[str, str]
    beyond: float = 0.0
    jump: float = 0.0

    @property
    def keeps(self) -> bool:
        """Whether ends, speeds and accelerations are kept."""
        return self.beyond == 0.0 and max(self.speed, self.acceleration) <= 1.0 + TOLERANCE

    def __str__(self) -> str:
        told = []
        if self.beyond > 0.0:
            told.append(f"leaves the ends of a joint by {self.beyond:.3g} (rad, m)")
        if self.speed > 1.0 + TOLERANCE:
            told.append(f"passes the speed of {self.joints[0]}: {self.speed:.4g} times its limit")
        if math.isinf(self.acceleration):
            told.append(
                "keeps no limit of acceleration: speeds jump at each point (over the time between "
                f"two points that is {self.jump:.3g} of the limit)"
            )
        elif self.acceleration > 1.0 + TOLERANCE:
            share = f"{self.acceleration:.4g} times its limit"
            told.append(f"passes the acceleration of {self.joints[1]}: {share}")
        if not told:
            shares = f"{self.speed:.3g} of speeds and {self.acceleration:.3g} of accelerations"
            told = [f"keeps all limits: at most {shares}"]
        return f"{self.scheme} interpolation {'; '.join(told)}"

    def plain(self) -> dict[str, Any]:
        """Return it as JSON takes it; an infinite share is null."""
        made = asdict(self) | {"joints": list(self.joints), "keeps": self.keeps}
        return {key: None if each == math.inf else each for key, each in made.items()}


def replayed_of(plain: Mapping[str, Any]) -> Replayed:
    """Return what ``Replayed.plain`` made ``plain`` of."""
    share = plain["acceleration"]
    return Replayed(
        plain["scheme"],
        plain["speed"],
        math.inf if share is None else share,
        (plain["joints"][0], plain["joints"][1]),
        plain["beyond"],
        plain["jump"],
    )
