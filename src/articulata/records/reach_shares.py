"""What share is reached: of a surface, and of a population at an object and at each point.

Labels of points and objects say what is known of whether somebody can do something there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Final

import numpy as np

from articulata.geometry.arrays import Array

NOT_FOUND, ACCESSIBLE, PROVED = 0, 1, 2
"""Labels: neither; reached, with a posture as proof; out of reach, by a bound."""

LABELS: Final = ("not found", "accessible", "inaccessible")
"""Labels by the names that they have in files."""

SAID: Final = ("not found", "reached", "out of reach")
SEEN: Final = ("not found", "seen", "out of sight")
"""The same in sentences: of what hands reach, of what eyes see."""


WHOLE: Final = 1.0 - 1e-9


def plain(value: Any) -> Any:
    """Return a value of a map of reach as JSON holds it: None for what is infinite or not told."""
    if is_dataclass(value):
        return {each.name: plain(getattr(value, each.name)) for each in fields(value)}
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    return None if isinstance(value, float) and not np.isfinite(value) else value


def array(values: Any) -> Array | None:
    """Return an array that ``plain`` told, None where there was none."""
    return None if values is None else np.array(values, float)


@dataclass(frozen=True, slots=True)
class SurfaceReach:
    """How much of the upper surface of a body a person with a way to move reaches.

    ``area`` (m^2) is what of it is free, looked at in ``points``. Of these the share ``reached`` is
    reached, with a posture as proof; ``excluded`` is not, by a bound.
    """

    object: str
    mobility: str
    area: float
    points: int
    reached: float
    excluded: float

    @property
    def label(self) -> int:
        """The label of the whole surface: not found where parts of it differ."""
        if self.reached >= WHOLE:
            return ACCESSIBLE
        return PROVED if self.excluded >= WHOLE else NOT_FOUND

    @property
    def accessible(self) -> bool:
        """Whether all of it is reached."""
        return self.label == ACCESSIBLE

    def __str__(self) -> str:
        """Say it in a line."""
        return f"surface of {self.object}, {self.mobility}: {self.words}"

    @property
    def words(self) -> str:
        """How much is reached, without who and what."""
        if not self.points:
            return "nothing of it is free"
        said = f"{self.reached:.0%} of {self.area:.2g} m² reached"
        return said + (f", {self.excluded:.0%} proved out of reach" if self.excluded else "")

    def row(self) -> dict[str, str]:
        """Return it as a row of a table, all values as text."""
        return {
            "surface": self.object,
            "who": self.mobility,
            "people": "1",
            "area_m2": f"{self.area:.4f}",
            "reached": f"{self.reached:.4f}",
            "excluded": f"{self.excluded:.4f}",
            "low_95": "",
            "high_95": "",
        }


@dataclass(frozen=True, slots=True)
class SurfaceShare:
    """How much of the same surface ``count`` people reach on average.

    ``low`` and ``high`` are the 95 % interval of the mean share ``reached``.
    """

    object: str
    people: str
    count: int
    area: float
    reached: float
    excluded: float
    low: float
    high: float

    def __str__(self) -> str:
        """Say it in a line."""
        return f"surface of {self.object}, {self.count} {self.people}: {self.words}"

    @property
    def words(self) -> str:
        """The share without who and what."""
        return (
            f"on average {self.reached:.0%} of {self.area:.2g} m² reached (95 % interval "
            f"{self.low:.0%} to {self.high:.0%})"
        )

    def row(self) -> dict[str, str]:
        """Return it as a row of a table, all values as text."""
        return {
            "surface": self.object,
            "who": self.people,
            "people": str(self.count),
            "area_m2": f"{self.area:.4f}",
            "reached": f"{self.reached:.4f}",
            "excluded": f"{self.excluded:.4f}",
            "low_95": f"{self.low:.4f}",
            "high_95": f"{self.high:.4f}",
        }


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
