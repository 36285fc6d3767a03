"""Mechanisms of the benchmark literature: a stiff planar one, and a loop that should not move."""

from __future__ import annotations

import math

import numpy as np
import pytest

import articulata as art

SQUEEZER = """
primitive k1 {
  geometry: sphere(1 mm) where { o: (0, 0, 0); p: (7 mm, 0, 0) }
  dynamics: (mass: 0.04325, inertia: (2.194e-6, 2.194e-6, 2.194e-6), center: (0.92 mm, 0, 0))
}
primitive k2 {
  geometry: sphere(1 mm) where { o: (0, 0, 0); f: (-28 mm, 0, 0) }
  dynamics: (mass: 0.00365, inertia: (4.41e-7, 4.41e-7, 4.41e-7), center: (-11.5 mm, 0, 0))
}
primitive k3 {
  geometry: sphere(1 mm) where { o: (0, 0, 0); f: (0, -35 mm, 0); d: (20 mm, -18 mm, 0) }
  dynamics: (mass: 0.02373,
    inertia: (5.255e-6, 5.255e-6, 5.255e-6), center: (10.43 mm, -18.74 mm, 0))
}
primitive k4 {
  geometry: sphere(1 mm) where { o: (0, 0, 0); f: (0, -20 mm, 0) }
  dynamics: (mass: 0.00706, inertia: (5.667e-7, 5.667e-7, 5.667e-7), center: (0, -5.79 mm, 0))
}
primitive k5 {
  geometry: sphere(1 mm) where { o: (0, 0, 0); g: (40 mm, 0, 0) }
  dynamics: (mass: 0.0705, inertia: (1.169e-5, 1.169e-5, 1.169e-5), center: (23.08 mm, 9.16 mm, 0))
}
primitive k6 {
  geometry: sphere(1 mm) where { o: (0, 0, 0); f: (20 mm, 0, 0) }
  dynamics: (mass: 0.00706, inertia: (5.667e-7, 5.667e-7, 5.667e-7), center: (5.79 mm, 0, 0))
}
primitive k7 {
  geometry: sphere(1 mm) where { o: (0, 0, 0); h: (0, -40 mm, 0) }
  dynamics: (mass: 0.05498,
    inertia: (1.912e-5, 1.912e-5, 1.912e-5), center: (-4.49 mm, -12.28 mm, 0))
}
world w {
  components { O, A, B, C: fixed_point; k1: k1; k2: k2; k3: k3; k4: k4; k5: k5; k6: k6; k7: k7 }
  structure {
    place O by O.center at (0, 0, 0)
    place A by A.center at (-0.06934, -0.00227, 0)
    place B by B.center at (-0.03635, 0.03273, 0)
    place C by C.center at (0.014, 0.072, 0)
    join k1 to O with pin(axis: z) as beta matching (o, center)
    join k2 to k1 with pin(axis: z) as theta matching (o, p)
    join k3 to B with pin(axis: z) as gamma matching (o, center)
    join k5 to A with pin(axis: z) as delta matching (o, center)
    join k4 to k5 with pin(axis: z) as phi matching (o, g)
    join k7 to A with pin(axis: z) as epsilon matching (o, center)
    join k6 to k7 with pin(axis: z) as omega matching (o, h)
    join k3 to k2 with pin(axis: z) as f3 matching (f, f)
    join k4 to k2 with pin(axis: z) as f4 matching (f, f)
    join k6 to k2 with pin(axis: z) as f6 matching (f, f)
    force motor about beta = 0.033 N*m
    force coil between k3.d and C.center = 4530 N/m * (distance - 77.85 mm)
    place k1 by beta.angle = -0.0617138900142764496
    place k2 by theta.angle = 0
    place k3 by gamma.angle = 0.455279819163070380
    place k5 by delta.angle = 0.487364979543842550
    place k4 by phi.angle = 0.222668390165885884
    place k7 by epsilon.angle = 1.230547444549821192
    place k6 by omega.angle = -0.222668390165885884
  }
}
"""


@pytest.mark.parametrize(
    ("method", "off"), [(art.DOP853(1e-9, 1e-11), 5e-9), (art.RK4(2e-5), 1e-5)]
)
def test_andrews_squeezer_stands_where_the_literature_has_it(method: art.RK4, off: float) -> None:
    # Seven bodies, three loops, a spring of 4530 N/m and a motor of 0.033 N m: E. Hairer and
    # G. Wanner, Solving Ordinary Differential Equations II, VII.7; angles at 0.03 s as the Test Set
    # for IVP Solvers (F. Mazzia, C. Magherini, 2008) gives them
    run = art.simulate(art.parse(SQUEEZER).world("w"), until=0.03, step=0.001, method=method)
    known = {
        "beta": 15.81077119629904,
        "theta": -15.75637105984298,
        "gamma": 0.04082224013073101,
        "phi": -0.5347301163226948,
        "delta": 0.5244099658805304,
        "omega": 0.5347301163226948,
        "epsilon": 1.048080741042263,
    }
    for name, angle in known.items():
        assert run.series(f"{name}.angle")[-1] == pytest.approx(angle, abs=off)
    assert np.ptp(run.series("energy.total") - run.series("energy.work")) < 1e-8


def test_bennetts_linkage_moves_with_the_ratio_of_its_twists() -> None:
    # G. T. Bennett, Engineering 76 (1903) 777: four bars, l1 / sin a = l2 / sin b, one degree of
    # freedom against Gruebler's count of -2; tan(t1/2) tan(t2/2) = sin((a+b)/2) / sin((b-a)/2),
    # opposite angles sum up to a full turn. Here the turns are counted the other way round.
    a, b = math.radians(50), math.radians(100)
    text = """
primitive link(l: length, twist: angle) {
  properties: (density: 1000)
  geometry: cuboid(l, 3 cm, 3 cm) where {
    frame near: (-l/2, 0, 0)
    frame far: (l/2, 0, 0) turned twist about x
  }
  dynamics
}
world w {
  gravity: (0, 0, -9.81)
  components {
    base, q: link(1 m, 50 deg)
    p, r: link(sin(100 deg) / sin(50 deg) * 1 m, 100 deg)
  }
  structure {
    place base by properties: (fixed)
    join p to base with pin(axis: z) as h1 matching (near, far)
    join q to p with pin(axis: z) as h2 matching (near, far)
    join r to q with pin(axis: z) as h3 matching (near, far)
    join base to r with pin(axis: z) as h4 matching (near, far)
    place base by base.near at (0, 0, 0), h1.angle = 1 rad
  }
}"""
    run = art.simulate(art.parse(text).world("w"), until=3.0, step=0.02)
    t1, t2, t3, t4 = (run.series(f"h{k}.angle") for k in (1, 2, 3, 4))
    assert np.ptp(t1) > 5.0
    ratio = math.sin((a + b) / 2) / math.sin((b - a) / 2)
    assert np.tan(t1 / 2) * np.tan(t2 / 2) == pytest.approx(-ratio, abs=1e-8)
    assert np.ptp(t1 + t3) < 1e-9
    assert np.ptp(t2 + t4) < 1e-9
    assert np.ptp(run.series("energy.total")) < 1e-8
    (event,) = run.events
    assert event.kind == "redundancy"
    assert (event.values["rank"], event.values["redundant"], event.values["freedom"]) == (17, 3, 1)
