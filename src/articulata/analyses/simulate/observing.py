"""Numbers that are read of a world in motion by those who steer it from outside, as one vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from articulata.analyses.simulate.sensing import Moment, Snapshot
from articulata.geometry.arrays import Array
from articulata.records.quantities import quantity
from articulata.world.model import World


@dataclass(frozen=True, slots=True)
class Observations:
    """What ``paths`` name: in the vector stand the numbers ``names``, in the ``units``.

    A path is one of ``Recording.series``. A vector's numbers are named by its parts:
    "ball.center" is "ball.center.x", "ball.center.y" and "ball.center.z".
    """

    paths: tuple[str, ...]
    names: tuple[str, ...]
    units: tuple[str, ...]

    def vector(self, moment: Moment) -> Array:
        """Return the numbers (n,) at ``moment``; NaN where something is not there any more."""
        parts = [np.ravel(moment.value(path)) for path in self.paths]
        return np.concatenate(parts) if parts else np.zeros(0)


def observations_of(start: Snapshot, paths: Sequence[str] | None = None) -> Observations:
    """Return the observations that ``paths`` name; NameNotFound for a path that names nothing.

    Where nothing is named: all coordinates of hinges and their rates; and place, orientation (a
    quaternion, w first), velocity and angular velocity of a body of each mechanism that no hinge
    with coordinates, nor a weld, holds to what stands still.
    """
    chosen = usual_paths(start.world) if paths is None else tuple(paths)
    names: list[str] = []
    units: list[str] = []
    for path in chosen:
        found, value = quantity(start, path), np.asarray(start.value(path))
        parts = found.parts if len(found.parts) == value.size else range(value.size)
        names += [f"{path}.{part}" for part in parts] if value.ndim else [path]
        each = [unit.strip() for unit in found.unit.split(",")]
        units += each if len(each) == value.size else [found.unit] * value.size
    return Observations(chosen, tuple(names), tuple(units))


def usual_paths(world: World) -> tuple[str, ...]:
    """Return what is observed of ``world`` where nothing is named."""
    paths: list[str] = []
    mechanism = {name: name for name in world.bodies}
    for hinge in world.hinges.values():
        for number, name in enumerate(hinge.kind.coordinates):
            rate = f"dynamic.coordinate_rate.{hinge.id}.{name}" if number else f"{hinge.id}.rate"
            paths += [f"{hinge.id}.{name}", rate]
        if hinge.kind.coordinates or hinge.kind.name == "weld":
            one, other = mechanism[hinge.body_a], mechanism[hinge.body_b]
            mechanism = {k: one if each == other else each for k, each in mechanism.items()}
    told = {mechanism[body.id] for body in world.bodies.values() if body.motion == "fixed"}
    for body in world.bodies.values():
        if mechanism[body.id] not in told:
            told.add(mechanism[body.id])
            paths += [f"{body.id}.{what}" for what in ("center", "orientation", "v", "w")]
    return tuple(paths)
