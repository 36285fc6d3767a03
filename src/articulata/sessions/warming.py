"""Warming up: small worlds are run so that every kernel is compiled and kept."""

from __future__ import annotations

from collections.abc import Iterator

STEPS = ("dop853", "rk4", "symplectic", "realtime", "euler1986")
"""Methods of simulation; each brings kernels of its own."""

WORLD = """
primitive rod {
  properties: (density: 1000)
  geometry: cuboid(0.1, 1, 0.1) where { top: (0, 0.5, 0); bottom: (0, -0.5, 0) }
  dynamics
}
world warm {
  gravity: (0, -9.81, 0)
  components
    anchor: fixed_point
    rod1, rod2: rod
  structure {
    join rod1 to anchor with pin(axis: z) matching (top, center)
    join rod2 to rod1 with ball matching (top, bottom)
    place rod1 by rod1.top at (0, 0, 0)
  }
}
"""
"""A world that meets the usual hinges; one cycle of it asks for all that longer runs need."""


def warm() -> Iterator[str]:
    """Run the world once with each method; yield the method's name when it is done."""
    from articulata.analyses.simulate.run import simulate
    from articulata.domains.dynamic.methods import method_named
    from articulata.world.document import parse

    world = parse(WORLD).world("warm")
    for name in STEPS:
        simulate(world, until=0.02, step=0.01, method=method_named(name))
        yield name
