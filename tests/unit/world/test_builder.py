"""A world built in Python is the world that the same words in a text make."""

from __future__ import annotations

import pytest

from articulata.errors import WorldError
from articulata.geometry.shapes import Cuboid, Cylinder, Difference, Named, Placed
from articulata.world.builder import Builder
from articulata.world.document import parse
from articulata.world.hinges import Plane
from articulata.world.values import Pose

TEXT = """
import "wind.py"
let steel = material(density: 7850, friction: 0.3)
primitive rod {
  properties: (material: steel, color: red)
  geometry: cuboid(0.05, 0.5, 0.05) where { top: (0, 0.25, 0); bottom: (0, -0.25, 0)
    axis spin: ((0, 0, 0), x)
    frame grip: (0, 0.1, 0) turned quaternion(0, 1, 0, 0) }
  dynamics
  control: force = wind
}
composite pendulum {
  components { anchor: fixed_point; rod[1..3]: rod }
  structure {
    join rod[1] to anchor with pin(axis: z) matching (top, center) limits (-2, 2)
    join rod[2] to rod[1] with ball matching (top, bottom) breaks at (10, 2)
    join rod[3] to rod[2] with universal(axis: y, second: x) as cross matching (top, bottom)
    ignore rod[1] with rod[3]
  }
}
world swing {
  gravity: (0, -9.81, 0)
  components { p: pendulum; small: pendulum scaled 0.5; floor: ground }
  structure {
    place p by p.anchor.center at (0, 2, 0), p.rod[1].angle = 0.5
    place small by small.anchor.center at (3, 2, 0), velocity = ((1, 0, 0) (0, 0, 1)),
      properties: (gravity)
    force pull between p.rod[3].bottom and floor.top = 2 N/m * (distance - 1 m)
    join small.rod[3] to p.rod[3] with spring(stiffness: 5, length: 1, damping: 0.1)
      matching (bottom, bottom)
  }
}
"""


def _built() -> Builder:
    b = Builder("swing", gravity=(0, -9.81, 0))
    b.controllers("wind.py")
    steel = b.material("steel", density=7850, friction=0.3)
    rod = b.primitive(
        "rod",
        Cuboid(0.05, 0.5, 0.05),
        material=steel,
        color="red",
        features={
            "top": (0, 0.25, 0),
            "bottom": (0, -0.25, 0),
            "spin": ((0, 0, 0), (1, 0, 0)),
            "grip": Pose((0, 0.1, 0), (0, 1, 0, 0)),
        },
        controls={"force": "wind"},
    )
    pendulum = b.composite("pendulum")
    pendulum.add("anchor", "fixed_point")
    pendulum.add("rod", rod, count=3)
    pendulum.join("rod[1]", "anchor", "pin", ("top", "center"), axis="z", limits=(-2, 2))
    pendulum.join("rod[2]", "rod[1]", "ball", ("top", "bottom"), strength=(10, 2))
    pendulum.join(
        "rod[3]",
        "rod[2]",
        "universal",
        ("top", "bottom"),
        axis="y",
        second_axis="x",
        name="cross",
    )
    pendulum.ignore("rod[1]", "rod[3]")
    b.add("p", pendulum)
    b.add("small", pendulum, scale=0.5)
    b.add("floor", "ground")
    b.place("p", at={"p.anchor.center": (0, 2, 0)}, coordinates={"p.rod[1].angle": 0.5})
    b.place(
        "small",
        at={"small.anchor.center": (3, 2, 0)},
        velocity=(1, 0, 0),
        rate=(0, 0, 1),
        gravity=True,
    )
    b.force("pull", "p.rod[3].bottom", "floor.top", "2 N/m * (distance - 1 m)")
    b.join(
        "small.rod[3]",
        "p.rod[3]",
        "spring",
        ("bottom", "bottom"),
        stiffness=5,
        length=1,
        damping=0.1,
    )
    return b


def test_python_and_text_make_equal_worlds() -> None:
    assert _built().world() == parse(TEXT).world("swing")


def test_built_world_carries_its_text() -> None:
    world = _built().world()
    again = parse(world.text)
    assert again.world("swing") == world
    assert again.text == world.text


def test_changed_world_differs() -> None:
    changed = parse(TEXT.replace("0.25, 0); bottom", "0.26, 0); bottom")).world("swing")
    assert changed != _built().world()


def test_constructed_shapes_and_surfaces_are_kept() -> None:
    b = Builder("w")
    hole = Placed(Cylinder(0.2, 2.0), Pose((0.0, 1.0, 0.0)).matrix())
    shape = Difference(Named("block", Cuboid(1, 3, 1)), [Named("hole", hole)])
    plate = b.primitive("plate", shape, density=1.0)
    b.add("base", "fixed_point")
    b.add("plate", plate)
    b.join(
        "plate", "base", "point.on.surface", ("block.top", "center"), surface=Plane((0.0, 1.0, 0.0))
    )
    world = b.world()
    assert world.bodies["plate"].shape == shape
    (hinge,) = world.hinges.values()
    assert hinge.kind.rows[0].surface == Plane((0.0, 1.0, 0.0))
    assert hinge.frame_a.position == pytest.approx((0.0, 1.5, 0.0))


def test_errors_of_a_built_world_are_those_of_the_language() -> None:
    b = Builder("w")
    b.add("a", "fixed_pont")
    with pytest.raises(WorldError, match="did you mean 'fixed_point'"):
        b.world()
    with pytest.raises(WorldError, match="finite"):
        b.place("a", velocity=(float("nan"), 0, 0))
    with pytest.raises(WorldError, match="cannot be a name"):
        b.add("a b", "fixed_point")
