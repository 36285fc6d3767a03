"""Coupled mechanisms by chance, against Lagrange's equations of their own free coordinates (1e-8).

The equations know places alone: rates are complex steps of these, their changes differences.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline
from tests.linkages_by_chance import FREEDOM, G, Linkage, placed, slopes, spring

import articulata as art
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_to_matrix

KINDS = (
    "gear", "belt", "chain", "rack", "screw", "mimic", "cam", "table", "rope", "bushing",
    "universal", "constant.velocity",
)  # fmt: skip
TIMES = np.linspace(0.0, 0.5, 6)


class Coupled(NamedTuple):
    """A linkage and how its coordinates follow from those that are free."""

    linkage: Linkage
    free: int
    law: Callable[[Array], Array]

    def rates(self, _: float, y: Array) -> Array:
        """Lagrange's equations: ``y`` holds free coordinates and their rates."""
        made, u, v = self.linkage, y[: self.free], y[self.free :]
        turned = [np.eye(3)] * len(made.masses)

        def along(s: float) -> tuple[Array, Array]:
            """Velocities of centres and rates in body axes, a time s on at these rates."""
            dp, w = made.ways_of(lambda x: self.law(u + x[0] * v), np.array([s]), turned)
            return dp[0], w[0]

        h = 2e-3 / max(1.0, float(np.linalg.norm(v)))
        near = [along(s * h) for s in (-2.0, -1.0, 1.0, 2.0)]
        changed, turning = (
            (a - 8.0 * b + 8.0 * c - d) / (12.0 * h) for a, b, c, d in zip(*near, strict=True)
        )
        dp, w = made.ways_of(self.law, u, turned)
        W = np.tensordot(v, w, 1)
        spun = made.inertia * turning + np.cross(W, made.inertia * W)
        stretched = slopes(lambda x: made.lengths(self.law(x), turned), u)
        k, rest, damping = made.laws().T
        pull = k * (made.lengths(self.law(u), turned) - rest) + damping * (v @ stretched)
        given = np.einsum("ikx,k,kx->i", dp, made.masses, G - changed)
        given -= np.einsum("ikx,kx->i", w, spun) + stretched @ pull
        for n, (_, stiff, _, damped) in enumerate(made.ropes):
            longer = slopes(lambda x, n=n: made.rope(n, self.law(x), turned), u)
            given -= longer * max(self.slack(n, u), 0.0) * (stiff + damped * float(v @ longer))
        return np.concatenate([v, np.linalg.solve(made.mass_matrix(dp, w), given)])

    def slack(self, k: int, u: Array) -> float:
        """By how much a rope's way is longer than the rope."""
        length = self.linkage.rope(k, self.law(u), [np.eye(3)] * len(self.linkage.masses))
        return float(length - self.linkage.ropes[k][2])

    def run(self, times: Array) -> tuple[Array, list[float]]:
        """Return the tree's coordinates at times, and when a rope goes taut or slack."""

        def corner(_: float, y: Array) -> float:
            return self.slack(0, y[: self.free])

        corner.terminal = True  # type: ignore[attr-defined]
        y, t, told, found = np.zeros(2 * self.free), 0.0, [], []
        while True:
            part = solve_ivp(
                self.rates, (t, times[-1]), y, "DOP853", [x for x in times if x >= t],
                events=corner if self.linkage.ropes else None, rtol=1e-11, atol=1e-12,
            )  # fmt: skip
            found += list(np.transpose(part.y))
            if part.status == 0:
                break
            t, y = float(part.t_events[0][0]), part.y_events[0][0]
            told.append(t)
            y, t = y + 1e-9 * self.rates(t, y), t + 1e-9
        return np.array([self.law(each[: self.free]) for each in found]), told


def followed(made: Linkage, follower: int, law: Callable[[Array], Any]) -> Coupled:
    """One hinge's coordinate is a law of the others."""
    n = sum(FREEDOM[each[1]] for each in made.tree())

    def whole(u: Array) -> Array:
        return np.insert(u, follower, law(u)) if n > 1 else u

    return Coupled(made, n - 1, whole)


def untied(made: Linkage) -> Coupled:
    return Coupled(made, sum(FREEDOM[each[1]] for each in made.tree()), lambda u: u)


def hung(rng: np.random.Generator, *kinds: str, damped: bool = False) -> Linkage:
    """Return a tree with these hinges, some of them with springs."""
    made = placed(rng, list(kinds), [int(rng.integers(-1, k)) for k in range(len(kinds))])
    spring(rng, made, damped)
    return made


def ratio(rng: np.random.Generator) -> float:
    return round(float(rng.uniform(0.4, 2.0)), 3)


def geared(rng: np.random.Generator, kind: str) -> Coupled:
    made = hung(rng, "pin", "pin", "slider" if kind == "rack" else "pin")
    r = ratio(rng)
    if kind == "rack":
        made.said.append(f"gear mesh between h0 and h2 = {0.1 * r!r} m")
        return followed(made, 2, lambda u: 0.1 * r * u[0])
    if kind == "chain":  # over wheels that a turning arm carries
        made.said.append(f"gear mesh between h0 - h1 and h2 = {r!r}")
        return followed(made, 2, lambda u: r * (u[0] - u[1]))
    r = -r if kind == "gear" else r
    made.said.append(f"gear mesh between h0 and h1 = {r!r}")
    return followed(made, 1, lambda u: r * u[0])


def through(points: list[tuple[float, float]]) -> Callable[[Any], Any]:
    """Return SciPy's periodic spline through points (rad, m), analytic between its knots."""
    table = CubicSpline(*np.array(points).T, bc_type="periodic")

    def value(x: Any) -> Any:
        x = x - 2.0 * np.pi * np.floor(np.real(x) / (2.0 * np.pi))
        k = int(np.clip(np.searchsorted(table.x, np.real(x), "right") - 1, 0, len(points) - 2))
        a, b, c, d = table.c[:, k]
        s = x - table.x[k]
        return ((a * s + b) * s + c) * s + d

    return value


def cammed(rng: np.random.Generator, kind: str) -> Coupled:
    turns = bool(rng.random() < 0.5)
    made = hung(rng, "pin", "pin" if turns else "slider", "pin")
    unit = "rad" if turns else "m"
    size, shift = round(float(rng.uniform(0.1, 0.4)), 3), round(float(rng.uniform(0.0, 3.0)), 3)
    if kind == "table":
        rises = np.round(rng.uniform(0.0, size, 7), 3).tolist()
        points = [(60.0 * k, rises[k % 7] if k < 6 else rises[0]) for k in range(7)]
        inner = ", ".join(f"({x!r} deg, {y!r} {unit})" for x, y in points)
        text, value = f"spline(angle, {inner})", through([(np.radians(x), y) for x, y in points])
    elif turns:
        text = f"asin({size!r} * sin(angle + {shift!r} rad))"

        def value(x: Any) -> Any:
            return np.arcsin(size * np.sin(x + shift))
    else:
        text = f"{size!r} m * (1 - cos(2 * angle + {shift!r} rad))"

        def value(x: Any) -> Any:
            return size * (1.0 - np.cos(2.0 * x + shift))

    made.said.append(f"cam lift between h0 and h1 = {text}")
    return followed(made, 1, lambda u: value(u[0]) - value(0.0))


def roped(rng: np.random.Generator) -> Coupled:
    made = hung(rng, "pin", "pin")
    points = [(k, rng.uniform(-0.9, 0.9, 3)) for k in (0, -1, -1, 1)]
    there = untied(made).run(np.array([0.0, 0.15]))[0][-1]
    damping = float(rng.choice([0.0, 30.0]))
    made.ropes.append((points, 900.0, 0.0, damping))
    # as long as its way is soon after the start, so that it comes taut or goes slack
    length = float(made.rope(0, there, [np.eye(3)] * 2))
    made.ropes[0] = (points, 900.0, length, damping)
    return untied(made)


def rubbered(rng: np.random.Generator) -> Coupled:
    made = hung(rng, "pin", "ball")
    made.springs.clear()
    point = rng.uniform(-0.5, 0.5, 3)
    points = np.array([point, point + rng.uniform(-0.1, 0.1, 3)])
    stiffness = rng.uniform([100.0] * 3 + [20.0] * 3, [300.0] * 3 + [60.0] * 3)
    damping = 0.01 * stiffness * float(rng.integers(0, 2))
    made.bushings.append((1, -1, points, rng.uniform(-0.2, 0.2, (2, 3)), stiffness, damping))
    return untied(made)


def drawn(seed: int) -> tuple[str, Coupled]:
    """Return the kind of a coupling and a mechanism with it."""
    rng, kind = np.random.default_rng(6200 + seed), KINDS[seed % len(KINDS)]
    if kind in ("cam", "table"):
        return kind, cammed(rng, kind)
    if kind == "rope":
        return kind, roped(rng)
    if kind == "bushing":
        return kind, rubbered(rng)
    if kind == "mimic":
        made = hung(rng, "pin", "pin", str(rng.choice(["pin", "slider"])))
        made.springs.clear()
        r = ratio(rng) * float(rng.choice([-1.0, 1.0]))
        return kind, followed(made, 1, lambda u: r * u[0])
    if kind in ("gear", "belt", "chain", "rack"):
        return kind, geared(rng, kind)
    return kind, untied(hung(rng, kind, "pin", damped=True))


def robot(made: Linkage, ratio: float) -> str:
    """Return a linkage as a URDF whose second joint mimics its first."""
    said = ['<robot name="r"><link name="base"/>']
    for k, (kind, _, b, point, axis) in enumerate(made.hinges):
        place = point - (made.hinges[b][3] if b >= 0 else 0.0)
        xx, yy, zz = made.inertia[k]
        xyz, way, middle = (
            " ".join(repr(float(x)) for x in each)
            for each in (place, axis, made.centers[k] - point)
        )
        said.append(
            f'<link name="b{k}"><inertial><origin xyz="{middle}"/><mass value="{made.masses[k]}"/>'
            f'<inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
            f'<joint name="h{k}" type="{"prismatic" if kind == "slider" else "revolute"}">'
            f'<parent link="{f"b{b}" if b >= 0 else "base"}"/><child link="b{k}"/>'
            f'<origin xyz="{xyz}"/><axis xyz="{way}"/>'
            '<limit lower="-99" upper="99" effort="99" velocity="99"/>'
            + (f'<mimic joint="h0" multiplier="{ratio!r}"/>' if k == 1 else "")
            + "</joint>"
        )
    return "".join([*said, "</robot>"])


def text_of(kind: str, made: Coupled, folder: Path) -> str:
    text = made.linkage.text()
    if kind == "rope":
        length = made.linkage.ropes[0][2]
        return text + (
            "simulate linkage {\n time: (100 ms, 500 ms)\n"
            f"on rope0.distance > {length!r} m: set b0.color = red\n"
            f"on rope0.distance < {length!r} m: set b0.color = gray\n}}"
        )
    if kind != "mimic":
        return text
    u = np.eye(made.free)[0]
    (folder / "r.urdf").write_text(robot(made.linkage, float(made.law(u)[1])))
    twists = "\n".join(
        f"force t{k} about g.h{hinge} = -{stiffness!r} N*m/rad * (angle - {angle!r} rad) "
        f"- {damping!r} N*m*s/rad * rate"
        for k, (hinge, stiffness, angle, damping) in enumerate(made.linkage.twists)
    )
    gravity = ", ".join(map(repr, G.tolist()))
    return (
        f'import "r.urdf" as r\nworld linkage {{ gravity: ({gravity})\n'
        "components { g: r }\nstructure {\nplace g by pose = ((0, 0, 0), quaternion(1, 0, 0, 0)), "
        f"properties: (fixed)\n{twists} }} }}"
    )


def check(seed: int, folder: Path) -> None:
    kind, made = drawn(seed)
    (folder / "w.art").write_text(text_of(kind, made, folder))
    document = art.read(folder / "w.art")
    world = document.world("linkage")
    known, told = made.run(TIMES)
    if kind == "constant.velocity":  # near half a turn its axes face each other
        bent = np.linalg.norm(known[:, :2], axis=1) > 2.5
        known = known[: int(np.argmax(bent)) if bent.any() else len(known)]
    asked = document.requests[0] if kind == "rope" else world
    until = TIMES[len(known) - 1]
    run = art.simulate(asked, **({} if kind == "rope" else {"until": until, "step": 0.1}))
    places = [int(np.argmin(np.abs(run.times - t))) for t in TIMES]
    turned = [np.eye(3)] * len(made.linkage.masses)
    assert np.ptp(known, axis=0).max() > 0.05
    for n, q in zip(places, known, strict=False):
        if kind == "mimic":
            names = [f"g.h{k}.{'travel' if each[0] == 'slider' else 'angle'}"
                     for k, each in enumerate(made.linkage.hinges)]  # fmt: skip
            assert [run.series(each)[n] for each in names] == pytest.approx(q, abs=1e-8)
            continue
        for k, (p, R) in enumerate(zip(*made.linkage.places(q, turned), strict=True)):
            assert run.series(f"b{k}.center")[n] == pytest.approx(p, abs=1e-8)
            assert np.abs(q_to_matrix(run.series(f"b{k}.orientation")[n]) - R).max() < 1e-8
    heard = [each.time for each in run.events if each.kind == "condition"]
    assert heard == pytest.approx(told, abs=1e-8)
    assert bool(told) == (kind == "rope")
    whole = run.series("energy.total") + run.series("energy.dissipated") - run.series("energy.work")
    assert np.abs(whole - whole[0]).max() < 1e-8


QUICK = (5, 8, 13, 30, 40, 47)
"""A robot's mimic joint, a rope, a belt, a cam, a screw and shafts that turn alike."""


@pytest.mark.parametrize(
    "seed", [pytest.param(n, marks=() if n in QUICK else pytest.mark.slow) for n in range(50)]
)
def test_a_coupled_mechanism_moves_by_its_own_equations(seed: int, tmp_path: Path) -> None:
    check(seed, tmp_path)
