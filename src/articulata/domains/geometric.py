"""The geometric domain: where bodies and features are, and what their shapes weigh.

Frames: W the world, B a body's own frame, F a feature. SI units. The state holds every body's
pose ``X_WB`` as (x, y, z, qw, qx, qy, qz) in ``geometric.pose``; where no dynamic domain moves the
bodies, their velocities as well (``moving``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from articulata.domains.protocols import POSE, POSE_COLUMNS, Model
from articulata.errors import ArticulataError, ModelError
from articulata.geometry.arrays import Array
from articulata.kinematics.assembly import feature_frame
from articulata.kinematics.rows import rotations
from articulata.records.state import Channel, State
from articulata.world.edits import Edit
from articulata.world.model import Body, World
from articulata.world.values import Material

if TYPE_CHECKING:
    from articulata.geometry.mass import MassProperties

VELOCITY = "geometric.velocity"


@dataclass(frozen=True, slots=True)
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

    def apply(self, edit: Edit, world: World, reads: Mapping[str, Model]) -> GeometricModel:
        """Return the model of ``world``; mass properties of unchanged bodies are shared."""
        kept = {
            name: known
            for name, known in self._masses.items()
            if name in world.bodies and _same_material(world.bodies[name], self.world.bodies[name])
        }
        return GeometricModel(world, self.with_velocity, kept)

    def carry(self, state: State, edit: Edit) -> Mapping[str, Array]:
        """Return poses and velocities after ``edit``: bodies that stay are where they were."""
        after = edit.apply(self.world)
        fresh = replace(self, world=after).start()
        place = {name: number for number, name in enumerate(self.world.bodies)}
        arrays = {name: array.copy() for name, array in fresh.items()}
        for number, name in enumerate(after.bodies):
            if name in place and after.bodies[name].pose == self.world.bodies[name].pose:
                for channel, array in arrays.items():
                    array[number] = state.arrays[channel][place[name]]
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

    def feature_pose(self, state: State, body: str, feature: str) -> Array:
        """Return ``X_WF`` (4, 4) of a feature in ``state``."""
        number = list(self.world.bodies).index(body)
        pose = state.arrays[POSE][number]
        X_WB = np.eye(4)
        X_WB[:3, :3], X_WB[:3, 3] = rotations(pose[3:]), pose[:3]
        frame = feature_frame(self.world.bodies[body], feature)
        return np.asarray(X_WB @ frame.matrix())


@dataclass(frozen=True, slots=True)
class GeometricDomain:
    """Builds geometric models; needs no other domain."""

    name: str = "geometric"
    requires: tuple[str, ...] = ()

    def build(self, world: World, reads: Mapping[str, Model]) -> GeometricModel:
        """Return the geometric model of ``world``."""
        return GeometricModel(world)


def body_mass(body: Body) -> MassProperties | None:
    """Return a body's mass properties from its shape and properties; None without a mass.

    ``density`` or a material's density times the volume, or ``mass`` as given; ``inertia`` (three
    principal moments, six or nine numbers about the mass centre in the body's axes, kg m^2) and
    ``mass_center`` (m) override what the shape says.
    """
    from articulata.geometry.mass import MassProperties

    density = _number(body, "density")
    if density is None:
        density = _material_density(body)
    mass, inertia = _number(body, "mass"), _inertia(body)
    center = _triple(body, "mass_center")
    found: MassProperties | None = None
    if body.shape is not None and (density is not None or mass is not None):
        found = _solid(body, 1.0 if density is None else density)
        if mass is not None:
            found = found.with_mass(mass)
    elif mass is not None and inertia is not None:
        found = MassProperties(mass, 0.0, np.zeros(3), inertia)
    if found is None:
        return None
    if inertia is not None:
        found = replace(found, inertia=inertia)
    return found if center is None else replace(found, center=center)


def _endless(body: Body) -> bool:
    from articulata.geometry.parts import parts_of
    from articulata.geometry.shapes import HalfSpace

    shape = body.shape
    return shape is not None and any(isinstance(p.shape, HalfSpace) for p in parts_of(shape))


def _solid(body: Body, density: float) -> MassProperties:
    from articulata.geometry.solids import mass_properties

    assert body.shape is not None
    try:
        return mass_properties(body.shape, density)
    except ArticulataError as error:
        raise ModelError(f"{body.span}: body '{body.id}': {error}") from error


def _no_mass(body: Body) -> ModelError:
    what = "no shape" if body.shape is None else "no density"
    return ModelError(
        f"{body.span}: body '{body.id}' has {what} and no mass, so it cannot move freely; give it "
        "a shape and a density or material, or mass and inertia, prescribe its motion, or fix it"
    )


def _number(body: Body, name: str) -> float | None:
    value = body.properties.get(name)
    if value is None:
        return None
    if isinstance(value, bool | str | tuple | Material) or not (math.isfinite(value) and value > 0):
        raise ModelError(
            f"{body.span}: body '{body.id}' has {name} {value!r}; "
            "give a finite number greater than 0"
        )
    return float(value)


def _material_density(body: Body) -> float | None:
    material = body.material
    if material is None:
        given = body.properties.get("material")
        material = given if isinstance(given, Material) else None
    if material is None or material.density is None:
        return None
    if not (math.isfinite(material.density) and material.density > 0):
        raise ModelError(
            f"{body.span}: body '{body.id}' is made of a material with density "
            f"{material.density!r} ({material.name}); give a finite number of kg/m^3 greater than 0"
        )
    return material.density


def _triple(body: Body, name: str) -> Array | None:
    value = body.properties.get(name)
    if value is None:
        return None
    if not isinstance(value, tuple) or len(value) != 3 or not np.all(np.isfinite(value)):
        raise ModelError(
            f"{body.span}: body '{body.id}' has {name} {value!r}; give three finite numbers"
        )
    return np.array(value, dtype=float)


def _inertia(body: Body) -> Array | None:
    value = body.properties.get("inertia")
    if value is None:
        return None
    numbers = value if isinstance(value, tuple) else (value,)
    matrix: Array | None = None
    try:
        J = np.array(numbers, dtype=float)
    except (TypeError, ValueError):
        J = np.array([np.nan])
    if J.size == 3:
        matrix = np.diag(J)
    elif J.size == 6:
        xx, yy, zz, xy, xz, yz = J.ravel()
        matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    elif J.size == 9 and np.allclose(J.reshape(3, 3), J.reshape(3, 3).T):
        matrix = J.reshape(3, 3)
    if matrix is None or not np.all(np.isfinite(matrix)) or np.linalg.eigvalsh(matrix)[0] <= 0:
        raise ModelError(
            f"{body.span}: body '{body.id}' has inertia {value!r}; give three principal moments, "
            "six numbers (xx, yy, zz, xy, xz, yz) or a symmetric 3 x 3 matrix, positive, in kg m^2"
        )
    return matrix


def _same_material(one: Body, other: Body) -> bool:
    return one is other or (
        one.shape == other.shape
        and one.material == other.material
        and one.properties == other.properties
    )
