"""Leonardo's base: a plate on three motors, a closed linkage in a plane, in closed form.

Source: Thomann 2005, appendix B, MotorDriveBaseFK and the functions it calls. The plane's x runs
along the base, y is up; M1 = (D1, -H), M2 = (D2, -H), M3 = (D3, -h) are the motors. Motor 1 turns
a crank L to A, from where the rod R1 leads to P1, the right ball joint of the plate. Motor 2 turns
a crank L to B, from where the rod R2 + R3 leads to P2, the left one. On that rod, at R3 from B,
C is held by the rod R4 from D, the end of motor 3's crank S. P1 and P2 are Lb apart.

Points are found as intersections of circles. Of the two intersections ``forward`` takes the one to
the left of the line from the first centre to the second: C left of B -> D and P1 left of A -> P2,
the mode in which Leonardo is assembled. The source's arc cosines give the same points for motor
angles within 30 degrees and lose the mode beyond; its Theta3 has the wrong sign there in most
cases, here it is the angle from C to D.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array, Bool, BoolArray, Float64, IntArray
from articulata.kinematics.figure import Figure

LEFT: Final = 1.0
RIGHT: Final = -1.0
_MODES: Final = tuple(
    (one, two, three) for one in (RIGHT, LEFT) for two in (RIGHT, LEFT) for three in (RIGHT, LEFT)
)
"""Side of each crank's end from the line motor -> end of its rod."""


@dataclass(frozen=True, slots=True, eq=False)
class BasePosture:
    """The linkage at given motor angles. Points (*batch, 2) in m, angles (*batch,) in rad.

    ``turn`` is the plate's angle, from P1 to P2. ``theta1``, ``pi1`` are the angles of the right
    chain's joints after the motor, ``theta2``, ``pi2`` those of the left one, ``theta3`` that of
    the second left one. NaN where the linkage cannot close.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    P1: Array
    P2: Array
    turn: Array
    theta1: Array
    theta2: Array
    theta3: Array
    pi1: Array
    pi2: Array

    @property
    def closes(self) -> BoolArray:
        """Whether the linkage closes, (*batch,)."""
        return np.asarray(np.isfinite(self.turn))


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseLinkage:
    """The linkage by its lengths in m; the defaults are Leonardo's (MotorDriveBaseFK).

    The source measured motors to 0.5 mm and rods to 1 mm. Its R5 = 150 mm is used nowhere.
    """

    D1: float = 0.120
    D2: float = 0.645
    D3: float = 0.724
    h: float = 0.034
    H: float = 0.159
    R1: float = 0.276
    R2: float = 0.176
    R3: float = 0.100
    R4: float = 0.232
    L: float = 0.152
    S: float = 0.051
    Lb: float = 0.2223

    def forward(self, motors: npt.ArrayLike) -> BasePosture:
        """Return the linkage at motor angles (*batch, 3), rad.

        >>> plate = BaseLinkage().forward([0.0, 0.0, 0.0])
        >>> (plate.P1 * 1e3).round(2), (plate.P2 * 1e3).round(2)
        (array([135.73,  81.01]), array([358.02,  81.74]))
        """
        phi = _last(motors, 3, "motor angles")
        phi1, phi2, phi3 = phi[..., 0], phi[..., 1], phi[..., 2]
        M1, M2, M3 = self._motors()
        # The left motors' angles are taken from the third quadrant: a crank at 0 points to -x.
        A = M1 + self.L * np.exp(1j * phi1)
        B = M2 - self.L * np.exp(1j * phi2)
        D = M3 - self.S * np.exp(1j * phi3)
        C = _meeting(B, self.R3, D, self.R4, LEFT)
        P2 = B + (self.R2 + self.R3) / self.R3 * (C - B)
        P1 = _meeting(A, self.R1, P2, self.Lb, LEFT)
        turn = np.angle(P2 - P1)
        theta1 = _wrapped(np.angle(P1 - A) - phi1)
        theta2 = _wrapped(np.angle(B - P2) - phi2)
        theta3 = _wrapped(np.angle(D - C) - phi3)
        return BasePosture(
            _pair(A),
            _pair(B),
            _pair(C),
            _pair(D),
            _pair(P1),
            _pair(P2),
            np.asarray(turn),
            theta1,
            theta2,
            theta3,
            _wrapped(turn - phi1 - theta1),
            _wrapped(turn - phi2 - theta2),
        )

    def inverse(
        self, P1: npt.ArrayLike, turn: npt.ArrayLike
    ) -> tuple[Float64[Array, "*batch 8 3"], Bool[BoolArray, "*batch 8"]]:
        """Return the motor angles for the plate at P1 (*batch, 2) m, turned by (*batch,) rad.

        Each crank can stand on two sides: up to 8 triples, NaN where a crank does not reach. The
        second value tells which of them ``forward`` leads back to this plate; the others hold it
        in another mode of assembly.
        """
        at = _last(P1, 2, "P1")
        p1 = at[..., 0] + 1j * at[..., 1]
        angle = np.asarray(turn, float)
        p1, angle = np.broadcast_arrays(p1, angle)
        p2 = p1 + self.Lb * np.exp(1j * angle)
        M1, M2, M3 = self._motors()
        motors = np.empty((*p1.shape, len(_MODES), 3))
        same = np.empty((*p1.shape, len(_MODES)), bool)
        for number, (one, two, three) in enumerate(_MODES):
            A = _meeting(M1, self.L, p1, self.R1, one)
            B = _meeting(M2, self.L, p2, self.R2 + self.R3, two)
            C = B + self.R3 / (self.R2 + self.R3) * (p2 - B)
            D = _meeting(M3, self.S, C, self.R4, three)
            motors[..., number, 0] = np.angle(A - M1)
            motors[..., number, 1] = np.angle(M2 - B)
            motors[..., number, 2] = np.angle(M3 - D)
            same[..., number] = (_cross(D - B, C - B) > 0) & (_cross(p2 - A, p1 - A) > 0)
        motors[~np.isfinite(motors).all(axis=-1)] = np.nan
        return motors, same

    def nearest(
        self, P1: npt.ArrayLike, turn: npt.ArrayLike, start: npt.ArrayLike = (0.0, 0.0, 0.0)
    ) -> Float64[Array, "*batch 3"]:
        """Return the motor angles nearest to ``start`` that hold the plate; NaN where none do."""
        motors, same = self.inverse(P1, turn)
        off = np.abs(_wrapped(motors - np.asarray(start, float)[..., None, :])).max(axis=-1)
        off = np.where(same & np.isfinite(off), off, np.inf)
        best = off.argmin(axis=-1)
        found = np.take_along_axis(motors, best[..., None, None], axis=-2)[..., 0, :]
        there = np.isfinite(np.take_along_axis(off, best[..., None], axis=-1))
        return np.asarray(np.where(there, found, np.nan))

    def gap(
        self, motors: npt.ArrayLike, *, crank: float, rod: float, right: float, left: float
    ) -> Float64[Array, "*batch"]:
        """Return how far the plate's middle differs between the right and the left chain, m.

        The plate is held twice over. With the linkage's angles, cranks of ``crank`` and rods of
        ``rod`` lead from both sides to the plate's middle, ``right`` from P1 and ``left`` from
        P2; the difference is zero where these lengths agree with the linkage's.
        """
        phi = _last(motors, 3, "motor angles")
        found = self.forward(phi)
        M1, M2, _ = self._motors()
        along = np.exp(1j * found.turn)
        phi1, phi2 = phi[..., 0], phi[..., 1]
        P1 = M1 + crank * np.exp(1j * phi1) + rod * np.exp(1j * (phi1 + found.theta1))
        P2 = M2 - crank * np.exp(1j * phi2) - rod * np.exp(1j * (phi2 + found.theta2))
        return np.asarray(np.abs(P1 + right * along - P2 + left * along))

    def plate(self, motors: npt.ArrayLike) -> dict[str, float]:
        """Return the values of the joints of figure "leonardo" at motor angles (3,), rad and m.

        Raise KinematicsError where the linkage cannot close.
        """
        found = self.forward(motors)
        if found.turn.ndim or not found.closes:
            raise KinematicsError(
                f"the base linkage cannot close at motor angles {np.asarray(motors).tolist()} rad; "
                "give three angles nearer to 0"
            )
        x, y = (float(each) for each in found.P1)
        return {"base x": x, "base y": y, "base turn": float(found.turn)}

    def rates(
        self, P1: npt.ArrayLike, turn: npt.ArrayLike, motors: npt.ArrayLike
    ) -> Float64[Array, "*batch 3 3"]:
        """Return how ``motors`` (*batch, 3) change with the plate: by P1's x and y, and its turn.

        Rods keep their lengths: along a rod both ends move alike.
        """
        at, phi = _last(P1, 2, "P1"), _last(motors, 3, "motor angles")
        angle = np.asarray(turn, float)[..., None]
        p1 = (at[..., 0] + 1j * at[..., 1])[..., None]
        along = self.Lb * np.exp(1j * angle)
        p2 = p1 + along
        M1, M2, M3 = self._motors()
        one, two, three = (np.exp(1j * phi[..., k : k + 1]) for k in range(3))
        A, B, D = M1 + self.L * one, M2 - self.L * two, M3 - self.S * three
        share = self.R3 / (self.R2 + self.R3)
        C = B + share * (p2 - B)
        moved1 = np.concatenate([np.ones_like(p1), 1j * np.ones_like(p1), np.zeros_like(p1)], -1)
        moved2 = moved1 + np.concatenate([0.0 * p1, 0.0 * p1, 1j * along], -1)
        first = _dot(p1 - A, moved1) / _dot(p1 - A, 1j * self.L * one)
        second = _dot(p2 - B, moved2) / _dot(p2 - B, -1j * self.L * two)
        moved3 = (1.0 - share) * -1j * self.L * two * second + share * moved2
        third = _dot(C - D, moved3) / _dot(C - D, -1j * self.S * three)
        return np.stack([first, second, third], axis=-2)

    def _motors(self) -> tuple[complex, complex, complex]:
        return complex(self.D1, -self.H), complex(self.D2, -self.H), complex(self.D3, -self.h)


MOTORS: Final = ("right base motor", "left base motor", "second left base motor")

WITHIN: Final[float] = np.radians(45.0)
"""rad to either side that a motor may turn. The source gives no limits; within these the plate
keeps the mode in which it is assembled, and its listing leads to it."""

_PLATE: Final = ("base x", "base y", "base turn")


@dataclass(frozen=True, slots=True, eq=False)
class BaseDrive:
    """A figure's plate as its motors drive it; ``columns`` (3,) are its joints in ``q``."""

    columns: IntArray
    linkage: BaseLinkage

    def motors(self, q: npt.ArrayLike) -> Float64[Array, "*batch 3"]:
        """Return the motor angles in postures (*batch, dof), NaN where no angles hold the plate."""
        plate = np.asarray(q, float)[..., self.columns]
        return self.linkage.nearest(plate[..., :2], plate[..., 2])

    def room(self, q: npt.ArrayLike) -> tuple[Array, Array]:
        """Return how far motors are within their limits, (*batch, 3) rad, and how that changes.

        It changes with the plate's joints, (*batch, 3, 3). Where the linkage does not close it is
        -1, and does not change.
        """
        plate = np.asarray(q, float)[..., self.columns]
        motors = self.motors(q)
        closes = np.isfinite(motors)
        change = self.linkage.rates(plate[..., :2], plate[..., 2], motors)
        slopes = np.where(closes[..., None], -np.sign(motors)[..., None] * change, 0.0)
        return np.where(closes, WITHIN - np.abs(motors), -1.0), slopes

    def spread(self, shares: npt.ArrayLike) -> Float64[Array, "*batch 3"]:
        """Return plates of motors at shares, 0 to 1 (*batch, 3), of their ranges."""
        found = self.linkage.forward(WITHIN * (2.0 * _last(shares, 3, "shares") - 1.0))
        return np.asarray(np.concatenate([found.P1, found.turn[..., None]], axis=-1))


def driven(figure: Figure) -> BaseDrive | None:
    """Return what drives a figure's plate, None for a figure without Leonardo's base."""
    if not figure.name.startswith("leonardo") or not set(_PLATE) <= set(figure.names):
        return None
    columns = np.array([figure.coordinate(name) for name in _PLATE], np.int64)
    return BaseDrive(columns, BaseLinkage())


def _dot(u: npt.NDArray[np.complex128], v: npt.NDArray[np.complex128]) -> npt.NDArray[np.float64]:
    return np.asarray((np.conj(u) * v).real)


def _last(values: npt.ArrayLike, count: int, what: str) -> Array:
    given = np.asarray(values, float)
    if given.ndim == 0 or given.shape[-1] != count:
        raise KinematicsError(f"{what} are (*batch, {count}) numbers, not shape {given.shape}")
    return given


def _meeting(
    one: npt.ArrayLike, r1: float, two: npt.ArrayLike, r2: float, side: float
) -> npt.NDArray[np.complex128]:
    """Return where circles meet, on the ``side`` of the line between centres; NaN where nowhere."""
    apart = np.asarray(two) - np.asarray(one)
    d = np.abs(apart)
    with np.errstate(invalid="ignore", divide="ignore"):
        a = (r1 * r1 - r2 * r2 + d * d) / (2.0 * d)
        # (r1 - a)(r1 + a) loses less than r1^2 - a^2 where the circles barely meet.
        height = np.sqrt((r1 - a) * (r1 + a))
        found = one + (a + 1j * side * height) * apart / d
    return np.asarray(found)


def _cross(u: npt.NDArray[np.complex128], v: npt.NDArray[np.complex128]) -> Array:
    return np.asarray((np.conj(u) * v).imag)


def _pair(z: npt.NDArray[np.complex128]) -> Array:
    return np.stack([z.real, z.imag], axis=-1)


def _wrapped(angle: npt.ArrayLike) -> Array:
    """Return angles within (-pi, pi]."""
    given = np.asarray(angle, float)
    return np.asarray(given - 2.0 * np.pi * np.ceil(given / (2.0 * np.pi) - 0.5))
