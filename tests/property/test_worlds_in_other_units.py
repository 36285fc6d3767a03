"""The same random worlds, their bare numbers in four systems of units, move alike.

Every number of a world is kept in SI here and written in the units of the file: in SI, in
centimetre, gram, second and degree, in millimetre and degree, and with the parts in an imported
file whose units are others than those of the world.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import articulata as art

SYSTEMS: dict[str, tuple[float, float, float, float]] = {
    "metre, kilogram, second, radian": (1.0, 1.0, 1.0, 1.0),
    "centimetre, gram, second, degree": (1e-2, 1e-3, 1.0, math.pi / 180),
    "millimetre, degree": (1e-3, 1.0, 1.0, math.pi / 180),
}
POWERS = {
    "length": (1, 0, 0, 0), "angle": (0, 0, 0, 1), "time": (0, 0, 1, 0), "speed": (1, 0, -1, 0),
    "rate": (0, 0, -1, 1), "gravity": (1, 0, -2, 0), "density": (-3, 1, 0, 0),
    "force": (1, 1, -2, 0), "torque": (2, 1, -2, 0), "stiffness": (0, 1, -2, 0),
    "damping": (0, 1, -1, 0), "square": (2, 0, -2, 0),
}  # fmt: skip
Say = Callable[[float, str], str]


def saying(system: str) -> Say:
    """Return what writes an SI value as a bare number in a system of units."""

    def say(value: float, kind: str) -> str:
        factor = math.prod(
            scale**power for scale, power in zip(SYSTEMS[system], POWERS[kind], strict=True)
        )
        return repr(value / factor)

    return say


class Drawn:
    """The numbers of one random world, in SI."""

    def __init__(self, seed: int) -> None:
        draw = random.Random(seed).uniform
        self.arm, self.width = draw(0.3, 0.6), draw(0.03, 0.06)
        self.density, self.friction = draw(600.0, 3000.0), draw(0.1, 0.6)
        self.start, self.second = draw(-1.2, 1.2), draw(-1.0, 1.0)
        self.rise, self.target = draw(0.1, 0.2), draw(-1.0, 1.0)
        self.strength, self.stiffness = draw(5.0, 20.0), draw(20.0, 60.0)
        self.slack, self.pull = draw(0.1, 0.3), draw(20.0, 80.0)
        self.rest, self.loss = draw(0.2, 0.5), draw(0.5, 2.0)
        self.least, self.most = draw(-0.6, -0.2), draw(0.1, 0.5)
        self.spin, self.throw = draw(-3.0, 3.0), draw(-1.0, 1.0)
        self.wave = draw(2.0, 6.0)


def parts(d: Drawn, say: Say) -> str:
    return f"""
let girth = {say(d.width, "length")}
let lean = {say(d.second, "angle")}
primitive rod(span, tilt: angle = {say(0.2, "angle")}) {{
  properties: (density: {say(d.density, "density")}, friction: 1 - span/(span + span))
  geometry: cuboid(girth, span, 2*girth/2) where {{
    top: (0, span/2, 0)
    low: ({say(0.0, "length")}, -span/2, 0) turned tilt - pi/12 about z
  }}
  dynamics
}}
"""


def structure(d: Drawn, say: Say, prefix: str) -> str:
    return f"""
world w(turn) {{
  gravity: (0, {say(-9.81, "gravity")}, 0)
  components {{
    g: fixed_point
    a: {prefix}rod({say(d.arm, "length")})
    b: {prefix}rod({say(0.8 * d.arm, "length")}, {say(0.4, "angle")})
    c: {prefix}rod({say(0.5 * d.arm, "length")})
  }}
  structure {{
    join a to g with pin(axis: z) as h matching (top, center)
    join b to a with pin(axis: z) as k matching (top, low)
    ignore a with b
    ignore a with c
    ignore b with c
    place c by c.center at ({say(1.0, "length")}, {say(-0.2, "length")}, 0) turned pi/7 about x,
      velocity = (({say(d.throw, "speed")}, {say(0.3, "speed")}, 0) (0, {say(d.spin, "rate")}, 0))
    place a by h.angle = turn
    place b by k.angle = {prefix}lean
    force drive about h = servo({say(d.target, "angle")} * ramp(time, 0 s, {say(d.rise, "time")}),
      {d.strength} N*m/rad, {d.loss} N*m*s/rad, {say(0.8 * d.strength, "torque")})
    force bend about k = -{d.stiffness} N*m/rad * (clamp(angle, {say(d.least, "angle")},
      {say(d.most, "angle")}) - pi/9) * (1 - 0.5*cos({d.wave} rad/s * time)) -
      {say(d.slack, "torque")} * sin(angle)
    force tie between b.low and g.center = -{d.pull} N/m * (max(distance, {say(d.rest, "length")}) -
      {say(d.rest, "length")}) * (distance/({say(d.arm, "length")} + distance - distance) + 1)
    force hold between c.center and g.center = servo({say(d.rest, "length")},
      {say(d.stiffness, "stiffness")}, {say(d.loss, "damping")}, speed: {say(0.1, "speed")})
  }}
}}
simulate w({say(d.start, "angle")}) {{
  time: ({say(0.01, "time")}, {say(0.2, "time")})
  method: rk4(step: {say(2e-3, "time")})
  on 2*(h.angle - {say(d.start + 0.05, "angle")}) > 0: set c.v = (0, {say(0.7, "speed")}, 0)
  on k.rate < {say(-1.0, "rate")}: set c.w = ({say(1.0, "rate")}, 0, 0)
  on c.v.y^2 > {say(0.6, "square")} and time > {say(0.05, "time")}:
    set c.v = (0, 0, {say(0.2, "speed")})
  on abs(sin(k.angle)) > 0.9 or tie.distance < {say(0.2, "length")}: set a.w = (0, 0, 0)
}}
"""


def in_units(d: Drawn, system: str) -> art.Document:
    say = saying(system)
    return art.parse(f"units: {system}\n{parts(d, say)}{structure(d, say, '')}")


def imported(d: Drawn, folder: Path) -> art.Document:
    """Return a world in SI whose parts are in an imported file, in millimetres and degrees."""
    names = list(SYSTEMS)
    (folder / "parts.art").write_text(f"units: {names[2]}\n{parts(d, saying(names[2]))}")
    text = structure(d, saying(names[0]), "parts.")
    (folder / "main.art").write_text(f'import "parts.art" as parts\n{text}')
    return art.read(folder / "main.art")


def motion(document: art.Document) -> tuple[np.ndarray, list[tuple[str, float]]]:
    (request,) = document.requests
    found = art.simulate(request)
    paths = [f"{body}.{what}" for body in "abc" for what in ("center", "orientation", "v", "w")]
    series = np.concatenate([np.asarray(found.series(path)) for path in paths], axis=1)
    events = [(each.kind, each.time) for each in found.events if each.kind == "condition"]
    return series, events


def check(seed: int, folder: Path, *, whole: bool) -> None:
    d = Drawn(seed)
    first, events = motion(in_units(d, next(iter(SYSTEMS))))
    others = [in_units(d, system) for system in list(SYSTEMS)[1:]] if whole else []
    for document in (*others, imported(d, folder)):
        series, found = motion(document)
        assert series == pytest.approx(first, rel=1e-12, abs=1e-12)
        assert [kind for kind, _ in found] == [kind for kind, _ in events]
        instants = [time for _, time in events]
        assert [time for _, time in found] == pytest.approx(instants, abs=1e-12)


def test_a_world_of_imported_parts_in_other_units_moves_alike(tmp_path: Path) -> None:
    check(0, tmp_path, whole=False)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_worlds_move_alike_in_all_units(seed: int, tmp_path: Path) -> None:
    check(seed, tmp_path, whole=True)
