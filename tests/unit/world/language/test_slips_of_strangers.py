"""What people write who have read the pages once: each slip is told once, with what mends it."""

from __future__ import annotations

import pytest

from articulata.errors import Diagnostic
from articulata.world.document import parse

TEXT = """units: metre, kilogram, second, degree
primitive stand { properties: (fixed); geometry: cuboid(1, 1, 0.1) where { top: (0, 0, 0.05) } }
primitive arm(span: length = 30 cm) {
  geometry: cuboid(span, 4 cm, 4 cm) where { near: (-span/2, 0, 0); far: (span/2, 0, 0) }
  dynamics: (mass: 1)
}
primitive ball { geometry: sphere(12 cm); dynamics: (mass: 1) }
world cell(start = 30 deg) {
  components { base: stand; upper, lower, sled: arm; prop: ball }
  structure {
    place base by base.center at (0, 0, 0)
    join upper to base with pin(axis: z) as shoulder matching (near, top)
      driven by motor(torque: 5 N*m, no_load: 60 rpm)
    join lower to upper with pin(axis: z) as elbow matching (near, far)
    join sled to base with slider(axis: x) as rail matching (center, center)
    force spring about elbow = -3 N*m/rad * angle - 0.2 N*m*s/rad * rate
    gear ratio between shoulder and rail = 2 cm
    ignore upper with sled
    place upper by shoulder.angle = start;
    place lower by elbow.angle = 45
    place sled by rail.travel = 10 cm
    place prop by prop.center at (0, 0, 2)
  }
}
simulate cell {
  time: (10 ms, 1 s)
  on impact(prop, base): stop
}
film opening {
  world: cell
  camera: lens(35 mm) at (0, -6, 1.6)
  look: at prop
}
pose reach { figure: person(1.7 m); limits: r_elbow_flexion from 10 deg to 120 deg }
track me { figure: person(1.7 m); from: emulator; calibrate: n_pose }
"""


def errors(right: str, wrong: str) -> list[Diagnostic]:
    assert right in TEXT
    return list(parse(TEXT.replace(right, wrong, 1), "w.art").check(starts=False))


def test_the_text_is_right() -> None:
    assert errors("", "") == []


@pytest.mark.parametrize(
    ("right", "wrong", "advice"),
    [
        ("start = 30 deg", "start = 30 deg: angle", "write start: angle = 30 deg"),
        ("sphere(12 cm)", "sphere(diameter 24 cm)", "write radius: 24 cm/2"),
        ("torque: 5 N*m, no", "effort: 5 N*m, no", "did you mean 'torque'?"),
        ("torque: 5 N*m, no", "max_torque: 5 N*m, no", "did you mean 'torque'?"),
        ("no_load: 60 rpm", "max_speed: 60 rpm", "did you mean 'no_load'?"),
        ("* angle - 0.2", "* elbow.angle - 0.2", "write angle"),
        ("between shoulder and rail", "between upper and rail", "shoulder, elbow or rail"),
        ("place upper by shoulder.angle = start", "upper.shoulder.angle = start",
         "write place upper by shoulder.angle = start"),
        ("by elbow.angle = 45", "by elbow = 45", "write elbow.angle"),
        ("rail.travel", "rail.position", "write rail.travel"),
        ("rail.travel = 10 cm", "rail.angle = 10 deg", "write rail.travel = ..."),
        ("on impact(prop, base): stop", "when impact(prop, base) then stop", "did you mean 'on'?"),
        ("on impact(prop, base)", "on prop hits base", "write impact(prop, base)"),
        ("on impact(prop, base)", "on prop touches base", "write contact(prop, base)"),
        ("on impact(prop, base)", "on prop leaves base", "write separation(prop, base)"),
        ("at (0, -6, 1.6)", "at (0, -6, 1.6) looking at prop", "write look: at prop on the next"),
        ("lens(35 mm)", "lens(35 mm, f/2.8)", "remove"),
        ("from 10 deg to 120 deg", "max 120 deg", "write r_elbow_flexion from 0 deg to 120 deg"),
        ("n_pose", "T-pose", "write t_pose"),
        ("n_pose", "T pose", "write t_pose"),
    ],
)  # fmt: skip
def test_a_slip_is_told_once_with_what_mends_it(right: str, wrong: str, advice: str) -> None:
    found, *more = errors(right, wrong)
    assert advice in found.suggestion
    assert found.line == TEXT[: TEXT.index(right)].count("\n") + 1
    assert [each.line for each in more] in ([], [found.line])
