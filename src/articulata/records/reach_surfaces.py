"""How much of a surface is reached: by one person, and on average by the people of a population."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from articulata.records.labels import ACCESSIBLE, NOT_FOUND, PROVED

WHOLE: Final = 1.0 - 1e-9


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
        said = f"{self.reached:.0%} of {self.area:.2g} m2 reached"
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
            f"on average {self.reached:.0%} of {self.area:.2g} m2 reached (95 % interval "
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
