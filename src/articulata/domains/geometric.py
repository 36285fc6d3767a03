"""The geometric domain: where bodies and features are, and what their shapes weigh.

Frames: W the world, B a body's own frame, F a feature. SI units. The state holds every body's
pose ``X_WB`` as (x, y, z, qw, qx, qy, qz) in ``geometric.pose``; where no dynamic domain moves the
bodies, their velocities as well (``moving``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from articulata.domains.protocols import POSE, POSE_COLUMNS, Model
from articulata.errors import ModelError
from articulata.geometry.arrays import Array
from articulata.geometry.parts import parts_of
from articulata.geometry.shapes import HalfSpace
from articulata.records.state import Channel, State
from articulata.world.edits.transaction import Edit
from articulata.world.edits.value_edits import puts
from articulata.world.masses import body_mass
from articulata.world.model import Body, OneWorld, World

if TYPE_CHECKING:
    from articulata.geometry.mass import MassProperties

VELOCITY = "geometric.velocity"


@dataclass(frozen=True)
class GeometricModel:
    """Shapes, features and mass properties of the bodies of ``world``."""

    world: World
    with_velocity: bool = False
    _masses: dict[str, MassProperties | None] = field(default_factory=dict, compare=False)

    def moving(self) -> GeometricModel:
        """Return the model whose state also holds velocities, for runs without dynamics."""
        return replace(self, with_velocity=True)

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Poses, and velocities of the bodies' origins where this domain moves them."""
        ids = tuple(self.world.bodies)
        pose = Channel(POSE, "m, 1", ids, POSE_COLUMNS)
        if not self.with_velocity:
            return (pose,)
        columns = ("vx", "vy", "vz", "wx", "wy", "wz")
        return (pose, Channel(VELOCITY, "m/s, rad/s", ids, columns))

    def start(self) -> Mapping[str, Array]:
        """Return the poses (n, 7) that the world is written with."""
        bodies = self.world.bodies.values()
        poses = [(*body.pose.position, *body.pose.orientation) for body in bodies]
        arrays = {POSE: np.array(poses, dtype=float).reshape(-1, 7)}
        if self.with_velocity:
            rates = [(*body.velocity, *body.rate) for body in bodies]
            arrays[VELOCITY] = np.array(rates, dtype=float).reshape(-1, 6)
        return arrays

    def transfer(
        self, edit: Edit, state: State, world: World, reads: Mapping[str, Model]
    ) -> tuple[GeometricModel, Mapping[str, Array]]:
        """Return the model of ``world`` and poses: bodies that stay are where they were.

        Mass properties of unchanged bodies are shared.
        """
        before, now = self.world.bodies, world.bodies
        kept = {
            name: known
            for name, known in self._masses.items()
            if name in now
            and (now[name] is before[name] or _same_material(now[name], before[name]))
        }
        after = GeometricModel(world, self.with_velocity, kept)
        return after, self._carried(after, edit, state)

    def _carried(self, model: GeometricModel, edit: Edit, state: State) -> Mapping[str, Array]:
        """Return poses and velocities after ``edit``."""
        after = model.world
        given = puts(after, edit)
        names = (POSE, VELOCITY) if self.with_velocity else (POSE,)
        place = number_of = {name: number for number, name in enumerate(self.world.bodies)}
        if tuple(after.bodies) == tuple(self.world.bodies):
            arrays = {name: state.arrays[name].copy() for name in names}
        else:
            arrays = dict(model.start())
            number_of = {name: number for number, name in enumerate(after.bodies)}
            stay = [(k, place[name]) for name, k in number_of.items() if name in place]
            now, then = np.array(stay, np.int64).reshape(-1, 2).T
            for channel, array in arrays.items():
                array[now] = state.arrays[channel][then]
        for name, put in given.items():
            if name not in place:
                continue
            number = number_of[name]
            for channel, array in arrays.items():
                if channel == POSE and put.pose is not None:
                    array[number] = (*put.pose.position, *put.pose.orientation)
                if channel == VELOCITY and put.velocity is not None:
                    array[number, :3] = put.velocity
                if channel == VELOCITY and put.rate is not None:
                    array[number, 3:] = put.rate
        return arrays

    def mass_properties(self, body: str) -> MassProperties:
        """Return mass, centre and inertia of a body; ModelError where it has none."""
        known = self.mass_or_none(body)
        if known is None:
            raise _no_mass(self.world.bodies[body])
        return known

    def mass_or_none(self, body: str) -> MassProperties | None:
        """Return mass, centre and inertia of a body, or None where nothing gives it a mass."""
        if body not in self._masses:
            self._masses[body] = body_mass(self.world.bodies[body])
        return self._masses[body]

    def center(self, body: str) -> Array:
        """Return ``p_BC_B``, the mass centre from the body's origin (m); zero without a mass.

        Zero for an endless body too, whatever it is made of.
        """
        if _endless(self.world.bodies[body]):
            return np.zeros(3)
        known = self.mass_or_none(body)
        return np.zeros(3) if known is None else known.center


@dataclass(frozen=True, slots=True)
class GeometricDomain:
    """Builds geometric models; needs no other domain."""

    name: str = "geometric"
    requires: tuple[str, ...] = ()

    def build(self, world: World, reads: Mapping[str, Model]) -> GeometricModel:
        """Return the geometric model of ``world``."""
        return _model_of(OneWorld(world))


@lru_cache(maxsize=1)
def _model_of(one: OneWorld) -> GeometricModel:
    """Return the geometric model of a world, once where it runs again and again."""
    return GeometricModel(one.world)


def _endless(body: Body) -> bool:
    shape = body.shape
    return shape is not None and any(isinstance(p.shape, HalfSpace) for p in parts_of(shape))


def _no_mass(body: Body) -> ModelError:
    if isinstance(mass := body.properties.get("mass"), float):
        return ModelError(
            f"{body.span}: body '{body.id}' has a mass of {mass:g} kg, and neither inertia nor "
            "shape that say how it turns; give it one of them (a figure's link: in the row of its "
            "joint), prescribe its motion, or fix it"
        )
    what = "no shape" if body.shape is None else "no density"
    return ModelError(
        f"{body.span}: body '{body.id}' has {what} and no mass, so it cannot move freely; give it "
        "a shape and a density or material, or mass and inertia, prescribe its motion, or fix it"
    )


def _same_material(one: Body, other: Body) -> bool:
    return one is other or (
        one.shape == other.shape
        and one.material == other.material
        and one.properties == other.properties
    )
