"""What paths name, asked by those for whom a name that is not there is an answer."""

from __future__ import annotations

import pytest

import articulata as art
from articulata.errors import NameNotFound
from articulata.world.model import World
from articulata.world.paths import known, resolve

TEXT = """
primitive bar {
  properties: (density: 500)
  geometry: cuboid(1 m, 5 cm, 5 cm) where { near: (-50 cm, 0, 0); far: (50 cm, 0, 0) }
  dynamics
}
world yard {
  components { hook: fixed_point; arm: bar; leg: bar; floor: ground }
  structure {
    join arm to hook with pin(axis: z) as shoulder matching (near, center)
    place hook by hook.center at (0, 2, 0)
  }
}
"""


@pytest.fixture(scope="module")
def yard() -> World:
    return art.parse(TEXT).world("yard")


NAMED = ("arm", "arm.far", "arm.v.x", "shoulder", "shoulder.angle", "arm.rate", "energy.kinetic")
NAMED += ("time", " momentum.x ", "hook.center", "floor")
UNNAMED = ("arms", "arm.middle", "bar", "energy.kinetik", "leg.rate", "shoulder.travels", "")


@pytest.mark.parametrize("path", NAMED)
def test_what_is_there_is_what_resolve_says(yard: World, path: str) -> None:
    assert known(yard, path) == resolve(yard, path)


@pytest.mark.parametrize("path", UNNAMED)
def test_what_is_not_there_or_there_twice_is_none(yard: World, path: str) -> None:
    assert known(yard, path) is None
    with pytest.raises(NameNotFound):
        resolve(yard, path)


def test_a_wrong_quantity_of_a_feature_is_named(yard: World) -> None:
    with pytest.raises(
        NameNotFound, match=r"'arm\.center' has no quantity 'position'; there are v"
    ):
        resolve(yard, "arm.center.position")
    with pytest.raises(NameNotFound, match=r"'arm\.far' has no quantity 'vx'; did you mean 'v'"):
        resolve(yard, "arm.far.vx.x")
