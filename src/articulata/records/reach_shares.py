"""What share of a population reaches: an object, and each point of a map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from articulata.geometry.arrays import Array


@dataclass(frozen=True, slots=True)
class ReachShare:
    """What share of a population reaches an object.

    Of ``count`` people ``reached`` do, with a posture as proof, and ``excluded`` do not, by a
    bound. ``low`` and ``high`` are the 95 % interval of the share that reaches.
    """

    object: str
    people: str
    count: int
    reached: int
    excluded: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """The share that reaches."""
        return self.reached / self.count

    def __str__(self) -> str:
        """Say it in a line."""
        return f"{self.object}, {self.count} {self.people}: {self.words}"

    @property
    def words(self) -> str:
        """The share without who and what."""
        said = f"{self.share:.0%} reach it (95 % interval {self.low:.0%} to {self.high:.0%})"
        unknown = self.count - self.reached - self.excluded
        return said + (f"; for {unknown / self.count:.0%} not found" if unknown else "")


@dataclass(frozen=True, slots=True, eq=False)
class ShareMap:
    """What share of a population reaches each point of a map: ``reached`` (n,), with a posture.

    ``excluded`` (n,) is the share for whom a bound proves that they do not. Of ``count`` people
    ``searched`` were searched for point by point; each speaks for those who are like her. Of the
    labels of ``checked`` others that were searched for too, the share ``wrong`` differs.
    """

    people: str
    count: int
    searched: int
    reached: Array
    excluded: Array
    checked: int
    wrong: float

    def __str__(self) -> str:
        """Say it in a line."""
        if not len(self.reached):
            return f"map, {self.count} {self.people}: no points"
        said = (
            f"map, {self.count} {self.people}: on average {self.reached.mean():.1%} of them reach "
            f"a point; everybody reaches {np.mean(self.reached > 1.0 - 1e-9):.1%} of the points, "
            f"nobody {np.mean(self.reached == 0.0):.1%}"
        )
        if self.searched == self.count:
            return said
        return (
            f"{said}; {self.searched} speak for all, {self.wrong:.1%} of the labels differ "
            f"from a search for each (checked for {self.checked})"
        )
