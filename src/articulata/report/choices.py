"""Which quantities are worth showing when nobody has said."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from articulata.records.recording import Recording

MOST_NODES = 12
"""Bodies and hinges beyond this number are left to those who ask for them by name."""


def default_paths(recording: Recording) -> tuple[str, ...]:
    """Return paths for plots: energy, then where bodies go, how they turn, what hinges bear."""
    world, channels = recording.world, recording.channels
    paths: list[str] = []
    if "dynamic.energy" in channels:
        paths.append("dynamic.energy")
    moving = [body.id for body in world.bodies.values() if body.motion != "fixed"][:MOST_NODES]
    hinges = list(world.hinges.values())[:MOST_NODES]
    if "geometric.pose" in channels:
        paths += [f"{body}.center" for body in moving]
    if "dynamic.velocity" in channels:
        paths += [f"{body}.v" for body in moving]
    if "dynamic.rate" in channels:
        paths += [f"{body}.w" for body in moving]
    if "dynamic.coordinate" in channels:
        paths += [f"{hinge.id}.{name}" for hinge in hinges for name in hinge.kind.coordinates]
    if "dynamic.hinge_force" in channels:
        paths += [f"{hinge.id}.force" for hinge in hinges]
    standard = ("dynamic.", "geometric.")
    paths += [name for name in channels if not name.startswith(standard)]
    return tuple(paths)
