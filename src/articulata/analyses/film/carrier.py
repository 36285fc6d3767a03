"""An arm that carries a camera: its joints, where it stands, its scale and its limits.

B is the frame of the arm's base as it stands in the world W, C the camera's. An arm may be of
another scale than the world it films: places in W are ``scale`` times those of the arm.

Torques of an arm that carries a camera, tick by tick: whether they suffice, and for what.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Float64, IntArray
from articulata.geometry.camera import Camera
from articulata.kinematics.chain import Chain
from articulata.kinematics.clash import Clash
from articulata.kinematics.figure import Figure
from articulata.kinematics.inverse.recognition import closed_form
from articulata.kinematics.inverse.spherical_wrist import WristForm
from articulata.kinematics.joint import Joint
from articulata.kinematics.posture_probes import TorqueProbe
from articulata.kinematics.serial import units_of
from articulata.kinematics.statics import Statics

if TYPE_CHECKING:
    from articulata.kernels.chains.camera_control.carried_frames import CarrierArm

JOINTS: Final = (6, 7)
"""How many free joints an arm has that steers a camera."""


@dataclass(frozen=True, eq=False)
class Carrier:
    """The ``figure`` whose ``mount`` (a landmark, link or joint) carries ``camera``.

    ``speeds`` and ``accelerations`` (dof,) of the joints on the way to the mount, rad/s, m/s and so
    on, are those of the figure's motors where None is given; ``inf`` is a limit that nobody gave:
    it is not checked, and ``unchecked`` says so. ``proposed`` says that speeds and accelerations
    are proposals of whoever set them, of no source. The figure's base is where it stands in W.
    ``efforts`` (dof,) N m and N are the greatest torques and forces likewise, under ``gravity``
    (3,) m/s^2 in W, the usual one where None is given. ``jerks`` (dof,), rad/s^3 and m/s^3, are
    kept by moves that are ``slowed`` and by flights; ends, speeds, accelerations and torques come
    before them.
    ``clash`` is what the arm and its camera may strike, in lengths of the arm. Raise
    KinematicsError for a mount that six or seven free joints do not carry.
    """

    figure: Figure
    mount: str
    camera: Camera = field(default_factory=Camera)
    scale: float = 1.0
    speeds: Any = None
    accelerations: Any = None
    proposed: bool = False
    clash: Clash | None = None
    efforts: Any = None
    gravity: Any = None
    jerks: Any = math.inf

    def __post_init__(self) -> None:
        if not (math.isfinite(self.scale) and self.scale > 0.0):
            raise KinematicsError(
                f"a scale is a length in the world for a length of the robot, more than 0; not "
                f"{self.scale}"
            )
        if self.chain.dof not in JOINTS:
            raise KinematicsError(
                f"'{self.mount}' of '{self.figure.name}' is carried by {self.chain.dof} free "
                "joints; a camera is steered by six or seven"
            )
        if any(joint.mimic for joint in self.chain.joints):
            raise KinematicsError(
                f"a joint on the way to '{self.mount}' follows another one; such an arm carries no "
                "camera here"
            )
        for name, kind in (
            ("speeds", "speed"), ("accelerations", "acceleration"), ("efforts", "effort"),
            ("jerks", ""),
        ):  # fmt: skip
            given = getattr(self, name)
            if given is None:
                found: Array = np.array([float(getattr(j.motor, kind)) for j in self._free])
                if not (found > 0.0).all():
                    stuck = self.chain.names[int(np.argmin(found))]
                    raise KinematicsError(
                        f"the {kind} of joint '{stuck}' is at most 0: it cannot move, so that it "
                        "carries no camera; give it a limit above 0, or leave it out"
                    )
            else:
                found = np.array(np.broadcast_to(np.asarray(given, float), (self.chain.dof,)))
                if not (found > 0.0).all():
                    raise KinematicsError(f"{name} of joints are more than 0, not {given!r}")
            found.flags.writeable = False
            object.__setattr__(self, name, found)

    @cached_property
    def path(self) -> tuple[int, ...]:
        """Numbers of the figure's joints from its base to the mount."""
        number, _ = self.figure.place(self.mount)
        found: list[int] = []
        while number >= 0:
            found.append(number)
            number = self.figure.parents[number]
        if not found:
            raise KinematicsError(f"'{self.mount}' of '{self.figure.name}' is not moved by a joint")
        return tuple(reversed(found))

    @cached_property
    def chain(self) -> Chain:
        """The joints from the base, which is at the origin, to the camera: its tip is C."""
        _, X_LM = self.figure.place(self.mount)
        joints = [self.figure.joints[number] for number in self.path]
        return Chain(joints, end=X_LM @ self.camera.X_LC, name=self.figure.name)

    @cached_property
    def coordinates(self) -> IntArray:
        """The places in the figure's ``q`` of the chain's."""
        return np.array([self.figure.coordinate(name) for name in self.chain.names], np.int64)

    @property
    def _free(self) -> list[Joint]:
        return [self.chain.joints[number] for number in self.chain.free]

    @cached_property
    def statics(self) -> Statics | None:
        """What torques are taken from; None where no mass or no limit of a torque is known."""
        if np.isinf(self.efforts).all():
            return None
        try:
            return Statics(self.figure, gravity=self.gravity)
        except KinematicsError:
            return None

    def torques(self, q: Array, rates: Array, accelerations: Array) -> Float64[Array, "m dof"]:
        """Return the torques and forces (m, dof) of a motion; only where ``statics`` is."""
        assert self.statics is not None
        still = np.zeros(self.figure.dof)
        moving = [self.posture(each, still) for each in (rates, accelerations)]
        found = self.statics.inverse_dynamics(self.posture(q), *moving)
        return np.asarray(found[:, self.coordinates])

    @cached_property
    def units(self) -> tuple[str, ...]:
        """The unit of each joint's value: "rad" or "m"."""
        return units_of(self.chain)

    @cached_property
    def unchecked(self) -> tuple[str, ...]:
        """What is not checked because nobody gave it, in words."""
        said = []
        ends = np.stack([self.chain.lower, -self.chain.upper])
        for what, values in (
            ("ends of joints", np.max(np.where(np.isinf(ends), np.inf, 0.0), axis=0)),
            ("speeds", np.asarray(self.speeds)),
            ("accelerations", np.asarray(self.accelerations)),
            ("torques", np.asarray(self.efforts)),
            ("jerks", np.asarray(self.jerks)),
        ):
            names = [n for n, v in zip(self.chain.names, values, strict=True) if math.isinf(v)]
            if names:
                listed = "all joints" if len(names) == self.chain.dof else ", ".join(names)
                said.append(f"{what} of {listed}: no limit is given")
        if self.statics is None and np.isfinite(self.efforts).any():
            said.append("torques: no masses are given")
        if self.clash is None:
            said.append("what the arm and its camera strike: no shapes are given")
        return tuple(said)

    @cached_property
    def arm(self) -> CarrierArm:
        """The arm as the kernels take it: fixed joints are part of those after them."""
        from articulata.kernels.chains.camera_control.carried_frames import CarrierArm
        from articulata.kernels.chains.forward_kinematics import TreeArrays

        chain = self.chain
        fixed, kinds, _ = chain.arrays
        kept: list[Array] = []
        before = np.eye(4)
        for number, (X, kind) in enumerate(zip(fixed, kinds.tolist(), strict=True)):
            whole = np.eye(4)
            whole[:3] = X
            before = before @ whole
            if kind != 2:
                kept.append(before[:3].copy())
                before = np.eye(4)
            elif number in chain.free:
                raise AssertionError("a fixed joint has no coordinate")
        tip = before @ chain.joints[-1].X_JL @ chain.end
        form = closed_form(chain)
        wrist = form.arm if isinstance(form, WristForm) else None
        size = float(sum(np.linalg.norm(X[:, 3]) for X in kept) + np.linalg.norm(tip[:3, 3]))
        return CarrierArm(
            TreeArrays(
                np.ascontiguousarray(kept),
                np.array([k for k in kinds.tolist() if k != 2], np.int64),
                np.arange(-1, len(kept) - 1),
            ),
            np.ascontiguousarray(tip[:3]),
            np.array(chain.lower),
            np.array(chain.upper),
            np.array(self.speeds),
            np.array(self.accelerations),
            np.array(self.jerks),
            np.zeros(60) if wrist is None else np.array(wrist.constants),
            wrist is not None,
            bool(wrist is not None and wrist.orthogonal),
            max(size, 1e-9),
        )

    # ---- places

    def in_base(self, X_WC: npt.ArrayLike) -> Float64[Array, "*batch 4 4"]:
        """Return ``X_BC``, in lengths of the arm, for poses (*batch, 4, 4) of the camera in W."""
        X = self._from_world @ np.asarray(X_WC, float)
        X[..., :3, 3] /= self.scale
        return np.asarray(X)

    def in_world(self, X_BC: npt.ArrayLike) -> Float64[Array, "*batch 4 4"]:
        """Return ``X_WC`` for poses (*batch, 4, 4) in the arm's base and lengths."""
        X = np.array(X_BC, float)
        X[..., :3, 3] *= self.scale
        return np.asarray(self.figure.base @ X)

    @cached_property
    def _from_world(self) -> Array:
        return np.asarray(np.linalg.inv(self.figure.base))

    def view(self, q: npt.ArrayLike) -> Float64[Array, "*batch 4 4"]:
        """Return ``X_WC`` for joint values (*batch, dof)."""
        return self.in_world(self.chain.tip(q))

    def posture(
        self, q: npt.ArrayLike, rest: npt.ArrayLike | None = None
    ) -> Float64[Array, "*batch figure_dof"]:
        """Return the figure's posture for the chain's ``q`` (*batch, dof), ``rest`` elsewhere."""
        given = np.asarray(q, float)
        whole = np.empty((*given.shape[:-1], self.figure.dof))
        whole[...] = self.figure.neutral if rest is None else np.asarray(rest, float)
        whole[..., self.coordinates] = given
        return whole


HELD: Final = 0.7
"""Share of a torque that may go into holding a posture: the rest has to suffice for coming there
to rest."""

WITHIN: Final = 1.0 - 1e-9
"""Share of a torque that counts: rounding must not pass it."""


class Weights:
    """Asks the inverse dynamics of ``carrier``, whose ``statics`` are known, for one posture."""

    def __init__(self, carrier: Carrier) -> None:
        assert carrier.statics is not None
        efforts = np.array(carrier.efforts) * WITHIN
        at = carrier.coordinates, carrier.figure.neutral
        self.probe = TorqueProbe(carrier.statics, *at, efforts)

    def strength(self, q: Array, rates: Array, accelerations: Array) -> float:
        """Return the share of ``accelerations`` (n,) of all joints that the torques suffice for.

        For a posture (n,) and its rates (n,), whatever the signs of the accelerations.
        """
        return self.probe.strength(q, rates, accelerations)
