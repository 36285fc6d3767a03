"""Which quantities are worth showing when nobody has said."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from articulata.records.recording import Recording
    from articulata.records.stored import Quantity

MOST_NODES = 12
"""Bodies and hinges beyond this number are left to those who ask for them by name."""


ENERGIES = ("total", "kinetic", "potential", "elastic", "work", "dissipated")
"""Parts of the energy in the order of interest; what was dissipated follows by its causes."""


def energies(recording: Recording) -> tuple[str, ...]:
    """Return the paths of total, kinetic, potential energy, and of what else is not always zero.

    What was dissipated stands alone where it has one cause only.
    """
    channel = recording.channels.get("dynamic.energy")
    known = () if channel is None else channel.labels
    found = []
    for part in ENERGIES:
        if part in known:
            values = recording.series(f"energy.{part}")
            usual = part in ("total", "kinetic", "potential")
            if np.isfinite(values).any() and (usual or np.nanmax(np.abs(values)) > 0):
                found.append(f"energy.{part}")
    causes = dissipated(recording)
    return (*found, *(f"energy.dissipated.{cause}" for cause in causes if len(causes) > 1))


def dissipated(recording: Recording) -> dict[str, float]:
    """Return what was dissipated until the end, J, by its causes; only those that took anything."""
    channel = recording.channels.get("dynamic.energy")
    known = () if channel is None else channel.labels
    found = {}
    for part in known:
        whole, _, cause = part.partition(".")
        if whole == "dissipated" and cause:
            values = recording.series(f"energy.{part}")
            if np.isfinite(values).any() and np.nanmax(np.abs(values)) > 0:
                found[cause] = float(values[np.isfinite(values)][-1])
    return found


def without_idle_causes(quantity: Quantity, recording: Recording) -> Quantity:
    """Return the channel of energies without causes of dissipation that took nothing."""
    if quantity.path != "dynamic.energy":
        return quantity
    causes = dissipated(recording)
    kept = [
        k
        for k, part in enumerate(quantity.parts)
        if not part.startswith("dissipated.")
        or (len(causes) > 1 and part.partition(".")[2] in causes)
    ]
    parts = tuple(quantity.parts[k] for k in kept)
    return replace(quantity, values=quantity.values[:, kept], parts=parts)


def default_paths(recording: Recording) -> tuple[str, ...]:
    """Return paths for plots: energy, ways and turns of bodies, loads of hinges, motors and gears.

    A figure is told by the values of its joints, where they are recorded, not by its limbs.
    """
    world, channels = recording.world, recording.channels
    limbs: set[str] = set()
    joined: set[str] = set()
    if "kinematic.coordinate" in channels:
        limbs.update(id for node in world.figures.values() for id in node.carriers)
        joined.update(id for node in world.figures.values() for id in node.joined)
    paths: list[str] = []
    if "dynamic.energy" in channels:
        paths.append("dynamic.energy")
    free = [body for body in world.bodies.values() if body.motion != "fixed"]
    moving = [body.id for body in free if body.id not in limbs][:MOST_NODES]
    hinges = [hinge for hinge in world.hinges.values() if hinge.id not in joined][:MOST_NODES]
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
    if "dynamic.coupling" in channels:
        for each in list(world.couplings.values())[:MOST_NODES]:
            slides = each.terms[-1][0].endswith(".travel")
            paths += [f"{each.id}.{'force' if slides else 'torque'}", f"{each.id}.power"]
    standard = ("dynamic.", "geometric.")
    paths += [name for name in channels if not name.startswith(standard)]
    return tuple(paths)
