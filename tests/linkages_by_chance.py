"""Random linkages as texts, and their own small motions: kinematics, energies and differences.

Each body is placed from the one before it by the coordinate of its hinge; a loop is closed by
equations between coordinates. Gradients are complex steps, their derivatives central differences.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.linalg import eigvals, null_space
from scipy.spatial.transform import Rotation

from articulata.analyses.rest.rest_positions import RestPosition
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_to_matrix
from articulata.world.model import World

G = np.array([0.3, -9.7, 1.1])
TINY = 1e-30
FREEDOM = {"pin": 1, "slider": 1, "screw": 1, "ball": 3, "universal": 2, "constant.velocity": 2}

LEAD = 0.05
"""Metres that a screw travels a turn."""


@dataclass
class Linkage:
    """Bodies whose axes are those of W at the start, hinges and springs; -1 is the ground.

    Of a hinge: kind, body A, body B, point and axis at the start. Of a spring: its two bodies and
    points, stiffness, length, damping. Of a torsion spring: hinge, stiffness, angle, damping. Of a
    bushing: its two bodies, points and turns (rotation vectors) at the start, six stiffnesses and
    dampings. Of a rope: bodies and points along it, stiffness, length, damping.
    """

    planar: bool
    centers: Array
    masses: Array
    inertia: Array
    hinges: list[tuple[str, int, int, Array, Array]] = field(default_factory=list)
    springs: list[tuple[int, int, Array, Array, float, float, float]] = field(default_factory=list)
    twists: list[tuple[int, float, float, float]] = field(default_factory=list)
    gear: tuple[int, int, float] | None = None
    bushings: list[tuple[int, int, Array, Array, Array, Array]] = field(default_factory=list)
    ropes: list[tuple[list[tuple[int, Array]], float, float, float]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def text(self) -> str:
        """The world in words."""
        features: list[list[str]] = [[] for _ in self.masses]
        grounds: list[str] = []

        def named(body: int, point: Array, turn: Array | None = None) -> str:
            turned, frame = "", ""
            if turn is not None:
                angle = float(np.linalg.norm(turn))
                turned, frame = f" turned {angle!r} rad about {_at(turn / angle)}", "frame "
            if body < 0:
                grounds.append(_at(point) + turned)
                return f"o{len(grounds)}.center"
            place = _at(point - self.centers[body]) + turned
            features[body].append(f"{frame}f{len(features[body])}: {place}")
            return f"b{body}.f{len(features[body]) - 1}"

        said = []
        for k, (kind, a, b, point, axis) in enumerate(self.hinges):
            one, other = named(a, point), named(b, point)
            more = {"screw": f"lead: {LEAD} m, ", "universal": f"second: {_at(_across(axis))}, "}
            option = "" if kind == "ball" else f"({more.get(kind, '')}axis: {_at(axis)})"
            said.append(
                f"join {one.split('.')[0]} to {other.split('.')[0]} with {kind}{option} as h{k} "
                f"matching ({one.split('.')[1]}, {other.split('.')[1]})"
            )
        for k, (a, b, p, r, stiffness, rest, damping) in enumerate(self.springs):
            said.append(
                f"force s{k} between {named(a, p)} and {named(b, r)} = {stiffness!r} N/m * "
                f"(distance - {rest!r} m) + {damping!r} N*s/m * speed"
            )
        for k, (hinge, stiffness, angle, damping) in enumerate(self.twists):
            said.append(
                f"force t{k} about h{hinge} = -{stiffness!r} N*m/rad * (angle - {angle!r} rad) "
                f"- {damping!r} N*m*s/rad * rate"
            )
        if self.gear:
            said.append("gear g between h{} and h{} = {!r}".format(*self.gear))
        for k, (a, b, points, turns, stiffness, damping) in enumerate(self.bushings):
            one, other = (named(*each) for each in zip((a, b), points, turns, strict=True))
            laws = (stiffness[:3], stiffness[3:], damping[:3], damping[3:])
            values = ", ".join(
                "(" + ", ".join(f"{x.item()!r} {unit}" for x in law) + ")"
                for law, unit in zip(laws, ("N/m", "N*m", "N*s/m", "N*m*s"), strict=True)
            )
            said.append(f"force u{k} between {one} and {other} = bushing({values})")
        for k, (points_on, stiff, length, damped) in enumerate(self.ropes):
            way = " and ".join(named(*each) for each in points_on)
            said.append(
                f"force rope{k} between {way} = max(distance - {length!r} m, 0 m) * "
                f"({stiff!r} N/m + {damped!r} N*s/m^2 * speed)"
            )
        said += self.said
        n = len(self.masses)
        said += [f"ignore b{i} with b{j}" for i in range(n) for j in range(i)]
        said += [f"place o{k} by o{k}.center at {p}" for k, p in enumerate(grounds, 1)]
        said += [f"place b{k} by b{k}.center at {_at(p)}" for k, p in enumerate(self.centers)]
        kinds = [
            f"primitive p{k} {{ geometry: cuboid(1 cm, 1 cm, 1 cm) where {{ {'; '.join(of)} }}; "
            f"dynamics: (mass: {self.masses[k].item()!r} kg, inertia: {_at(self.inertia[k])}) }}"
            for k, of in enumerate(features)
        ]
        parts = [f"o{k + 1}: fixed_point" for k in range(len(grounds))]
        parts += [f"b{k}: p{k}" for k in range(n)]
        return "\n".join(
            [
                *kinds,
                "world linkage {",
                f"gravity: {_at(G)}",
                "components {",
                *parts,
                "}",
                "structure {",
                *said,
                "}",
                "}",
            ]
        )

    # ---- its own motions

    def tree(self) -> list[tuple[int, str, int, Array, Array]]:
        """Hinges that place a body from the one before: number, kind, B, point, axis."""
        found: dict[int, tuple[int, str, int, Array, Array]] = {}
        for k, (kind, a, b, point, axis) in enumerate(self.hinges):
            found.setdefault(a, (k, kind, b, point, axis))
        return [found[a] for a in range(len(self.masses))]

    def places(self, q: Array, turned: list[Array]) -> tuple[list[Array], list[Array]]:
        """Centres and axes by the coordinates; balls turn on from how they are ``turned``."""
        p: list[Array] = []
        R: list[Array] = []
        at = 0
        for body, (_, kind, b, point, axis) in enumerate(self.tree()):
            R_B = R[b] if b >= 0 else np.eye(3)
            pivot = p[b] + R_B @ (point - self.centers[b]) if b >= 0 else point
            own = q[at : at + FREEDOM[kind]]
            at += FREEDOM[kind]
            if kind in ("pin", "screw"):
                R_A = R_B @ _rotation(axis * own[0])
            elif kind == "universal":
                # of the cross one axis is the other body's, then comes this one's
                R_A = R_B @ _rotation(_across(axis) * own[0]) @ _rotation(axis * own[1])
            elif kind == "ball":
                R_A = R_B @ turned[body] @ _rotation(own)
            elif kind == "slider":
                R_A = R_B
            else:  # the turn of shafts that turn alike lies across their axis
                bent = Rotation.from_matrix(turned[body]).as_rotvec()
                R_A = R_B @ _rotation(bent + null_space(axis[None]) @ own)
            along = {"slider": 1.0, "screw": LEAD / (2 * np.pi)}.get(kind, 0.0)
            slid = R_B @ axis * own[0] * along
            R.append(R_A)
            p.append(pivot + slid - R_A @ (point - self.centers[body]))
        return p, R

    def ways_of(
        self, law: Callable[[Array], Array], u: Array, turned: list[Array]
    ) -> tuple[Array, Array]:
        """Rates of centres and of rotation in body axes by those of ``u``: (n, bodies, 3) each.

        ``law`` gives the coordinates of the tree, and must be analytic.
        """
        _, R = self.places(law(u), turned)
        both = slopes(lambda x: _stacked(*self.places(law(x), turned)), u)
        dp, dR = both[..., 0], both[..., 1:]
        own = np.swapaxes(np.array(R), 1, 2) @ dR  # R^T dR = [w in body]
        return dp, np.stack([own[..., 2, 1], own[..., 0, 2], own[..., 1, 0]], -1)

    def mass_matrix(self, dp: Array, w: Array) -> Array:
        """Twice the kinetic energy by the squares of rates, whose ``ways`` are given."""
        still = np.einsum("k,ikx,jkx->ij", self.masses, dp, dp)
        return np.asarray(still + np.einsum("kx,ikx,jkx->ij", self.inertia, w, w))

    def _point(self, p: list[Array], R: list[Array], body: int, point: Array) -> Array:
        return p[body] + R[body] @ (point - self.centers[body]) if body >= 0 else point

    def lengths(self, q: Array, turned: list[Array]) -> Array:
        """Lengths of the springs, angles of the torsion springs, ways and turns of bushings."""
        p, R = self.places(q, turned)
        found = []
        for a, b, one, other, *_ in self.springs:
            line = self._point(p, R, a, one) - self._point(p, R, b, other)
            found.append(np.sqrt(line @ line))
        found += [q[self.column(hinge)] for hinge, *_ in self.twists]
        for a, b, points, turns, *_ in self.bushings:
            one, other = (_rotation(each) for each in turns)
            R_A, R_B = (R[k] if k >= 0 else np.eye(3) for k in (a, b))
            apart = self._point(p, R, a, points[0]) - self._point(p, R, b, points[1])
            F = R_B @ other
            found += [*(F.T @ apart), *_rotation_vector(F.T @ R_A @ one)]
        return np.array(found)

    def laws(self) -> Array:
        """Stiffness, what is at rest, and damping of each of ``lengths``: (n, 3)."""
        found = [each[4:7] for each in self.springs] + [each[1:4] for each in self.twists]
        for *_, stiffness, damping in self.bushings:
            found += [(k, 0.0, c) for k, c in zip(stiffness, damping, strict=True)]
        return np.array(found).reshape(-1, 3)

    def rope(self, k: int, q: Array, turned: list[Array]) -> Any:
        """Length of a rope."""
        p, R = self.places(q, turned)
        points = [self._point(p, R, *each) for each in self.ropes[k][0]]
        lines = [b - a for a, b in itertools.pairwise(points)]
        return sum(np.sqrt(line @ line) for line in lines)

    def column(self, hinge: int) -> int:
        """Place of a hinge of the tree among the coordinates."""
        tree = self.tree()
        body = next(k for k, each in enumerate(tree) if each[0] == hinge)
        return sum(FREEDOM[each[1]] for each in tree[:body])

    def potential(self, q: Array, turned: list[Array]) -> Any:
        """Potential energy (J) of weights and springs."""
        p, _ = self.places(q, turned)
        weights = -sum(m * (G @ each) for m, each in zip(self.masses, p, strict=True))
        k, rest, _ = self.laws().T
        return weights + 0.5 * k @ (self.lengths(q, turned) - rest) ** 2

    def closing(self, q: Array, turned: list[Array]) -> Array:
        """What is zero where loops are closed."""
        p, R = self.places(q, turned)
        placing = {each[0] for each in self.tree()}
        found: list[Any] = []
        for k, (kind, a, b, point, axis) in enumerate(self.hinges):
            if k in placing:
                continue
            R_B = R[b] if b >= 0 else np.eye(3)
            apart = self._point(p, R, a, point) - self._point(p, R, b, point)
            across = null_space(axis[None]).T
            if self.planar:
                found += [*apart[:2]]
                continue
            found += [*(R_B.T @ apart)]
            if kind == "pin":
                found += [*(across @ R_B.T @ R[a] @ axis)]
        if self.gear:
            one, other, ratio = self.gear
            found.append(q[self.column(other)] - ratio * q[self.column(one)])
        return np.array(found)


def _stacked(p: list[Array], R: list[Array]) -> Array:
    return np.concatenate([np.array(p)[..., None], np.array(R)], -1)


def _at(vector: Array) -> str:
    return "(" + ", ".join(repr(float(each)) for each in vector) + ")"


def _rotation(turn: Array) -> Array:
    """Rodrigues' formula by series, so that it is analytic in ``turn`` (rad)."""
    x, y, z = turn
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    square = turn @ turn
    if abs(square) > 1e-4:
        angle = np.sqrt(square)
        one, two = np.sin(angle) / angle, (1 - np.cos(angle)) / square
    else:
        one = 1 - square / 6 + square**2 / 120 - square**3 / 5040
        two = 0.5 - square / 24 + square**2 / 720 - square**3 / 40320
    return np.asarray(np.eye(3) + one * K + two * K @ K)


def _rotation_vector(R: Array) -> Array:
    """Of a turn of less than half a turn, analytic in it (rad)."""
    v = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine, cosine = np.sqrt(v @ v), 0.5 * (np.trace(R) - 1.0)
    angle = 2.0 * np.arctan(sine / (1.0 + cosine))
    return np.asarray(v * (angle / sine if abs(sine) > 1e-12 else 1.0))


def _across(axis: Array) -> Array:
    return np.asarray(null_space(axis[None])[:, 0])


def slopes(of: Any, q: Array) -> Array:
    """The derivative of ``of`` by each coordinate, by complex steps: (coordinates, ...)."""
    return np.array([np.imag(of(q + 1j * TINY * each)) / TINY for each in np.eye(len(q))])


@dataclass(frozen=True)
class SmallMotions:
    """Of a linkage: reduced matrices, the ways that loops allow, and forces left over."""

    M: Array
    C: Array
    K: Array
    ways: Array
    left: float

    def eigenvalues(self) -> Array:
        """All of M s^2 + C s + K (1/s), each pair with positive imaginary part once."""
        n = len(self.M)
        A = np.block([[np.zeros((n, n)), np.eye(n)], [-self.K, -self.C]])
        B = np.block([[np.eye(n), np.zeros((n, n))], [np.zeros((n, n)), self.M]])
        return np.asarray(eigvals(A, B))


def small_motions(linkage: Linkage, position: RestPosition, world: World) -> SmallMotions:
    """Matrices at a rest position, whose coordinates and orientations alone are taken over."""
    orientation = position.state.arrays["dynamic.orientation"]
    found = dict(zip(world.bodies, q_to_matrix(orientation), strict=True))
    axes = [found[f"b{k}"] for k in range(len(linkage.masses))]
    turned, q = [], []
    for body, (k, kind, b, *_) in enumerate(linkage.tree()):
        turned.append((axes[b].T if b >= 0 else np.eye(3)) @ axes[body])
        if kind == "constant.velocity":
            bent = Rotation.from_matrix(turned[-1]).as_rotvec()
            assert abs(bent @ linkage.hinges[k][4]) < 1e-9
        if FREEDOM[kind] > 1:
            q += [0.0] * FREEDOM[kind]
        else:
            value = position.coordinates[f"h{k}.{'angle' if kind == 'pin' else 'travel'}"]
            q.append(value)
    place = np.array(q)

    def closing(at: Array) -> Array:
        return linkage.closing(at, turned)

    def potential(at: Array) -> Any:
        return linkage.potential(at, turned)

    slope = slopes(potential, place)
    closed = closing(place)
    assert np.max(np.abs(closed), initial=0.0) < 1e-8
    rows = slopes(closing, place).reshape(len(place), -1)
    force = -np.linalg.lstsq(rows, slope, rcond=1e-9)[0]
    left = np.linalg.norm(slope + rows @ force) / max(np.linalg.norm(slope), 1.0)

    def lagrangian(at: Array) -> Array:
        return slopes(lambda x: potential(x) + closing(x) @ force, at)

    h = 1e-3
    K = np.array(
        [
            (8 * (lagrangian(place + h * e) - lagrangian(place - h * e))
             - lagrangian(place + 2 * h * e) + lagrangian(place - 2 * h * e)) / (12 * h)
            for e in np.eye(len(place))
        ]
    )  # fmt: skip
    dp, w = linkage.ways_of(lambda x: x, place, turned)
    M = linkage.mass_matrix(dp, w)
    stretched = slopes(lambda x: linkage.lengths(x, turned), place).reshape(len(place), -1)
    C = stretched * linkage.laws()[:, 2] @ stretched.T
    ways = null_space(rows.T, rcond=1e-9) if rows.size else np.eye(len(place))
    return SmallMotions(*(ways.T @ each @ ways for each in (M, C, K)), ways, float(left))


def linkage(seed: int) -> Linkage:
    """A random linkage: even seeds planar, every other two closed, shafts from 50 on."""
    rng = np.random.default_rng(seed)
    planar, closed = seed % 2 == 0, seed % 4 >= 2
    shafts = ["constant.velocity"] * 2 if seed >= 50 else []
    kinds, parents = _kinds(rng, planar, closed, shafts)
    made = placed(rng, kinds, parents, planar)
    spring(rng, made, seed % 3 == 0)
    n = len(parents)
    pins = [k for k in range(n) if kinds[k] == "pin"]
    if not closed and seed % 5 == 0 and len(pins) > 1:
        made.gear = (pins[0], pins[-1], float(rng.choice([-2.0, -1.0, 0.5, 1.5])))
    return made


def placed(
    rng: np.random.Generator, kinds: list[str], parents: list[int], planar: bool = False
) -> Linkage:
    """Bodies on bodies (-1 is the ground); a kind more than bodies closes a loop to the ground."""
    n = len(parents)
    flat = np.array([1.0, 1.0, 0.0 if planar else 1.0])
    masses, inertia = rng.uniform(0.5, 3.0, n), rng.uniform(0.02, 0.03, (n, 3))
    made = Linkage(planar, rng.uniform(-0.6, 0.6, (n, 3)) * flat, masses, inertia)
    listed = [(kinds[k], k, b) for k, b in enumerate(parents)]
    if len(kinds) > n:
        listed.append((kinds[n], n - 1, -1))
    for kind, a, b in listed:
        axis = rng.normal(size=3)
        if planar:
            axis = np.array([0.0, 0.0, 1.0]) if kind == "pin" else axis * flat
        point = rng.uniform(-0.7, 0.7, 3) * flat
        made.hinges.append((kind, a, b, point, axis / np.linalg.norm(axis)))
    return made


def spring(rng: np.random.Generator, made: Linkage, damped: bool) -> None:
    """Give all sliders and half the other hinges springs, half the pins torsion springs."""
    flat = np.array([1.0, 1.0, 0.0 if made.planar else 1.0])
    for k, (kind, a, b, *_) in enumerate(made.hinges[: len(made.masses)]):
        if kind == "slider" or rng.random() < 0.5:
            ends = rng.uniform(-0.9, 0.9, (2, 3)) * flat
            far = -1 if rng.random() < 0.5 or b < 0 else b
            law = rng.uniform((40.0, 0.2, 0.0), (300.0, 0.6, 4.0)) * (1, 1, damped)
            made.springs.append((a, far, *ends, *law.tolist()))
        if kind == "pin" and rng.random() < 0.5:
            law = rng.uniform((2.0, -0.6, 0.0), (30.0, 0.6, 0.8)) * (1, 1, damped)
            made.twists.append((k, *law.tolist()))


def _kinds(
    rng: np.random.Generator, planar: bool, closed: bool, shafts: list[str]
) -> tuple[list[str], list[int]]:
    """Kinds of hinges and the bodies that they hang on; a loop has one hinge more."""
    while True:
        n = int(rng.integers(3, 5)) if closed else int(rng.integers(1, 5))
        parents = [k - 1 if closed else int(rng.integers(-1, k)) for k in range(n)]
        choice = ["pin", "pin", "pin", "slider"] if planar else ["pin", "ball", "slider", *shafts]
        kinds = [str(rng.choice(choice)) for _ in range(n)]
        if not closed:
            if sum(FREEDOM[kind] for kind in kinds) <= 8:
                return kinds, parents
            continue
        kinds.append("pin" if planar else str(rng.choice(["pin", "ball"])))
        free = sum(FREEDOM[kind] for kind in kinds) - (3 if planar else 6)
        if 1 <= free <= 5 and kinds.count("slider") <= 1:
            return kinds, parents
