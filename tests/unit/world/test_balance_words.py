"""``balance(...)`` behind a servo: what it makes of moments, what is told, and that it is kept."""

from __future__ import annotations

import pytest

import articulata as art
from articulata.errors import ModelError

TEXT = """
units: degree

figure robot {
  chain a: plain table {
    base: fixed(mass: 5 kg, shape: cuboid(30 cm, 10 cm, 4 cm))
    ankle_pitch: revolute(axis: y, effort: 90 N*m, mass: 40 kg, center: (0, 0, 0.5),
      inertia: (1, 1, 1))
    hip_pitch: revolute(axis: y, effort: 40 N*m, mass: 20 kg, center: (0, 0, 0.3),
      inertia: (1, 1, 1)) at (0, 0, 1)
  }
  posture up { ankle_pitch: 0; hip_pitch: 0 }
}
world w {
  gravity: (0, 0, -9.81)
  components { one: robot }
  structure {
    place one by properties: (fixed)
    one follows up by servo(5*effort, 1 s*effort), balance(ankle, hip)
  }
}
"""
BOTH = "balance(ankle, hip)"


def bounded(text: str) -> list[str]:
    world = art.parse(text).world()
    reads = {"balance_low", "balance_high"}
    return [id for id, f in world.forces.items() if reads <= {op for op, _ in f.program}]


def test_the_joints_of_the_strategies_that_are_named_are_bounded() -> None:
    assert bounded(TEXT) == ["one_ankle_pitch_servo", "one_hip_pitch_servo"]
    assert bounded(TEXT.replace(BOTH, "balance(hip)")) == ["one_hip_pitch_servo"]
    world = art.parse(TEXT).world()
    assert world.forces["one_ankle_pitch_servo"].bounds == (-90.0, 90.0)
    assert art.parse(art.art_text(world)).world() == world


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("balance(ankel)", "did you mean 'ankle'"),
        ("balance(hips)", "did you mean 'hip'"),
        ("balance(step)", "use ankle or hip"),
        ("balance()", "write balance\\(ankle, hip\\)"),
        ("balanced(ankle)", "write balance\\(ankle, hip\\)"),
    ],
)
def test_what_is_told_of_other_strategies(said: str, told: str) -> None:
    with pytest.raises(art.WorldError, match=told):
        art.parse(TEXT.replace(BOTH, said)).world()


def test_a_figure_without_ankles_keeps_no_balance() -> None:
    with pytest.raises(art.WorldError, match="no joint with 'ankle' in its name"):
        art.parse(TEXT.replace("ankle_pitch", "foot_pitch")).world()


def test_nobody_keeps_a_balance_where_nothing_pulls_down() -> None:
    world = art.parse(TEXT.replace("gravity: (0, 0, -9.81)", "gravity: (0, 0, 0)")).world()
    with pytest.raises(ModelError, match="nothing pulls it down"):
        art.simulate(world, until=0.1)
