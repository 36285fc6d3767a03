"""A join of a point with a face turns what is joined, and is told where nobody asked for it."""

from __future__ import annotations

import math

import pytest

import articulata as art

TEXT = """
units: metre, degree
primitive post {
  properties: (density: 1000 kg/m^3)
  geometry: cuboid(0.1, 1, 0.1) where { tip: (0, 0.5, 0) }
  dynamics
}
primitive plank {
  properties: (density: 1000 kg/m^3)
  geometry: cuboid(1, 0.05, 0.2)
  dynamics
}
world w {
  gravity: (0, -9.81, 0)
  components { base: post; arm: plank }
  structure {
    join arm to base with weld as h matching (center, top)
    place base by base.center at (0, 0, 0)
  }
}
"""


PLACED = "arm.center at (0, 0.5, 0) turned 90 about x"


def told(text: str) -> list[art.Diagnostic]:
    return [each for each in art.parse(text).check() if each.code == "tipped"]


def test_what_a_join_turns_is_told_with_the_angle_and_a_way_out() -> None:
    (found,) = told(TEXT)
    assert (found.severity, found.line) == ("warning", 17)
    assert "turns 'arm' by 90 degrees against 'base'" in found.message
    assert "where { there: (0 m, 0.5 m, 0 m) }" in found.suggestion
    # and so it stands
    w, *_ = art.assemble(art.parse(TEXT).world("w")).bodies["arm"].pose.orientation
    assert math.degrees(2.0 * math.acos(abs(w))) == pytest.approx(90.0)


@pytest.mark.parametrize(
    ("words", "others"),
    [
        ("(center, top)", "(center, tip)"),
        ("with weld", "with ball"),
        ("place base by", f"place arm by {PLACED}\n    place base by"),
        ("geometry: cuboid(1, 0.05, 0.2)", "geometry: sphere(0.1)"),
    ],
)
def test_what_is_asked_for_or_turns_nothing_is_not_told(words: str, others: str) -> None:
    assert told(TEXT.replace(words, others)) == []
