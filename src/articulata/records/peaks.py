"""The greatest loads of every hinge of a recording, and what it would have to bear.

Between frames nothing is seen: a shorter step sees sharper peaks. What impacts pass through a hinge
is an impulse, told apart from forces; a rigid impact has no force.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from articulata.errors import RecordingError
from articulata.geometry.arrays import Array
from articulata.records.observed import Told
from articulata.records.quantities import HINGE_FORCE

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Load:
    """A greatest value and the time (s) at which it was reached; zero at NaN where none was."""

    value: float = 0.0
    time: float = math.nan


@dataclass(frozen=True, slots=True)
class Peak:
    """What a hinge bore at most.

    ``force`` in N, ``moment`` in N m about the hinge's point, ``effort`` of the motors and springs
    on it (N m about an angle, N along a travel), ``impulse`` of impacts in N s. ``strength`` is
    what it bears before it breaks, force (N) and moment (N m), None for any.
    """

    hinge: str
    force: Load
    moment: Load
    effort: Load
    impulse: Load
    strength: tuple[float | None, float | None]

    @property
    def used(self) -> float | None:
        """The share of its strength that was used; None where it bears anything."""
        pairs = zip((self.force, self.moment), self.strength, strict=True)
        shares = [load.value / bears for load, bears in pairs if bears is not None]
        return max(shares, default=None)


def peaks(recording: Told) -> tuple[Peak, ...]:
    """Return the peak of every hinge of the first world and of worlds that edits made."""
    if HINGE_FORCE not in recording.channels:
        raise RecordingError(
            "peaks are those of hinge forces, and this run recorded none; simulate with the domain "
            "dynamic"
        )
    hinges = {
        name: hinge
        for world in (recording.world, *recording.worlds.values())
        for name, hinge in world.hinges.items()
    }
    return tuple(
        Peak(
            name,
            _greatest(recording, [f"{name}.force"]),
            _greatest(recording, [f"{name}.moment"]),
            _greatest(recording, _efforts(recording, name)),
            _impulse(recording, name),
            hinge.strength,
        )
        for name, hinge in hinges.items()
    )


def _greatest(recording: Told, paths: Iterable[str]) -> Load:
    """Return the greatest norm of the sum of ``paths``."""
    total: Array | None = None
    for path in paths:
        values = recording.series(path).reshape(len(recording.times), -1)
        total = values if total is None else total + values
    if total is None:
        return Load()
    size = np.linalg.norm(total, axis=1)
    if np.all(np.isnan(size)):
        return Load()
    at = int(np.nanargmax(size))
    return Load(float(size[at]), float(recording.times[at]))


def _efforts(recording: Told, hinge: str) -> list[str]:
    """Return the paths of what drives a hinge's first coordinate: controls and forces about it."""
    found = []
    for drive in recording.world.drives.values():
        if drive.kind == "hinge" and drive.target.startswith(hinge):
            rest = drive.target[len(hinge) :]
            if rest in ("", ".angle", ".travel") and f"control.{drive.id}" in recording.channels:
                found.append(f"control.{drive.id}")
    forces = recording.world.forces.values()
    return [*found, *(f"dynamic.force.{force.id}" for force in forces if force.hinge == hinge)]


def _impulse(recording: Told, hinge: str) -> Load:
    best = Load()
    for event in recording.events:
        passed = event.values.get(f"impulse of {hinge}")
        if isinstance(passed, tuple):
            size = math.hypot(*(float(part) for part in passed[:3]))
            if size > best.value:
                best = Load(size, event.time)
    return best
