"""The three rules of friction side by side: the data that the 1986 report says it lacks.

``python -m benchmarks.friction`` prints the tables of docs/friction.md as Markdown;
``--picture FILE`` draws its figure. Nothing is timed in the tables, so that they are the same
every time; ``--times`` adds what the rules cost. The closed forms are elementary: a block under
constant acceleration and Coulomb friction.
Reference: Hoffmann & Hopcroft 1986, section 4.5.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import numpy as np

import articulata as art

G, MU, MASS = 9.81, 0.5, 4.0

Rule: TypeAlias = "art.Coulomb | art.Lagged | art.Iterated"
Row: TypeAlias = tuple[str, ...]

RULES: tuple[tuple[str, Rule], ...] = (
    ("Coulomb", art.Coulomb()),
    ("lagged, 50 ms", art.Lagged(0.05)),
    ("lagged, 10 ms", art.Lagged(0.01)),
    ("lagged, 2 ms", art.Lagged(0.002)),
    ("iterated once, 10 ms", art.Iterated(1, 0.01)),
    ("iterated 5 times, 50 ms", art.Iterated(5, 0.05)),
    ("iterated 5 times, 10 ms", art.Iterated(5, 0.01)),
    ("iterated 5 times, 2 ms", art.Iterated(5, 0.002)),
)
"""50 ms is the step of the report's program (section 6), 10 ms that of its Figure 4.2."""

TEXT = f"""
primitive block {{
  properties: (density: 1000, friction: {MU})
  geometry: cuboid(20 cm, 10 cm, 20 cm)
  dynamics
}}

world slope(tilt: angle = 0) {{
  gravity: ({G} * sin(tilt), -{G} * cos(tilt), 0)
  components {{ floor: ground; b: block }}
  structure {{ place b by b.center at (0, 5 cm, 0) }}
}}

world slide(v: speed = 2) {{
  gravity: (0, -{G}, 0)
  components {{ floor: ground; b: block }}
  structure {{ place b by b.center at (0, 5 cm, 0), velocity = ((v, 0, 0) (0, 0, 0)) }}
}}

world pushed {{
  gravity: (0, -{G}, 0)
  components {{ floor: ground; ahead: fixed_point; b: block }}
  structure {{
    place b by b.center at (0, 5 cm, 0)
    place ahead by ahead.center at (10, 5 cm, 0)
    force push between b.center and ahead.center = 30 N/s * time
  }}
}}

primitive tray {{
  properties: (density: 1000)
  geometry: cuboid(60 cm, 10 cm, 30 cm)
  dynamics
}}

primitive ice {{
  properties: (density: 1000)
  geometry: cuboid(20 cm, 10 cm, 20 cm)
  dynamics
}}

contact tray with ground: (friction: {MU})
contact tray with ice: (friction: 0.1)

world stacked(tilt: angle = 0) {{
  gravity: ({G} * sin(tilt), -{G} * cos(tilt), 0)
  components {{ floor: ground; low: tray; high: ice }}
  structure {{
    place low by low.center at (0, 5 cm, 0)
    place high by high.center at (-15 cm, 15 cm, 0)
  }}
}}

world pressed(v: speed = 5) {{
  gravity: (0, -{G}, 0)
  components {{ floor: ground; below: fixed_point; b: block }}
  structure {{
    place b by b.center at (0, 5 cm, 0), velocity = ((v, 0, 0) (0, 0, 0))
    place below by below.center at (0, -1000000000, 0)
    force press between b.center and below.center = 30 N + 30 N * sin(10 rad/s * time)
  }}
}}
"""


def run(rule: Rule, world: str, *arguments: float, until: float, step: float) -> art.Recording:
    """Return the recording of a world of this module under a rule."""
    made = art.parse(TEXT).world(world, *arguments)
    contact = art.Contact(friction_rule=rule)
    return art.simulate(made, until=until, step=step, contact=contact)


def _number(value: float) -> str:
    """Return two digits; what is below 1e-8 is rounding or the event search, and shown as 0."""
    return "0" if abs(value) < 1e-8 else f"{float(f'{value:.1e}'):g}"


# ---- held: 26 degrees, just below the angle of friction of 26.565


def held(rule: Rule) -> Row:
    """Return how far a block slips that ought to stay, and how fast it trembles at the end."""
    recording = run(rule, "slope", math.radians(26.0), until=2.0, step=0.01)
    x, v = recording.series("b.center.x"), recording.series("b.v.x")
    late = np.abs(v[-50:]).max()
    return _number(1e3 * float(x[-1])), _number(1e3 * float(late))


# ---- released: pushed by 30 N/s t; it slides from mu m g / 30 on


def released(rule: Rule) -> Row:
    """Return how much too early a block has moved by 1 mm, and how far it moved before its time."""
    begin = MU * MASS * G / 30.0
    exact = begin + (6e-3 * MASS / 30.0) ** (1.0 / 3.0)
    recording = run(rule, "pushed", until=1.0, step=0.001)
    x = recording.series("b.center.x")
    times = np.asarray(recording.times)
    there = int(np.argmax(x > 1e-3))
    share = (1e-3 - x[there - 1]) / (x[there] - x[there - 1])
    found = times[there - 1] + share * (times[there] - times[there - 1])
    early = np.abs(x[times < begin]).max()
    late = 1e3 * (float(found) - exact)
    shown = "0" if abs(late) < 0.005 else f"{late:+.2f}"
    return shown, _number(1e3 * float(early))


# ---- braked: 2 m/s, at rest after v / mu g


def braked(rule: Rule) -> Row:
    """Return errors of the way to rest and of the time of rest, and what energy is left."""
    stop, way = 2.0 / (MU * G), 4.0 / (2.0 * MU * G)
    recording = run(rule, "slide", 2.0, until=1.0, step=0.001)
    x, v = recording.series("b.center.x"), recording.series("b.v.x")
    times = np.asarray(recording.times)
    moving = np.flatnonzero(np.abs(v) > 1e-6)
    end = float(times[moving[-1] + 1]) if moving[-1] + 1 < len(times) else math.inf
    for event in recording.events:
        if event.kind == "stick":
            end = event.time
    late = "never" if math.isinf(end) else _number(1e3 * (end - stop))
    left = float(np.max(v[-100:] ** 2)) / 4.0
    return _number(1e3 * (float(x[-1]) - way)), late, _number(left)


# ---- sliding: 30 degrees, above the angle of friction


def sliding(rule: Rule) -> Row:
    """Return errors of speed and of what friction took of the energy, after one second."""
    tilt = math.radians(30.0)
    a = G * (math.sin(tilt) - MU * math.cos(tilt))
    recording = run(rule, "slope", tilt, until=1.0, step=0.01)
    x, v = float(recording.series("b.center.x")[-1]), float(recording.series("b.v.x")[-1])
    taken = G * math.sin(tilt) * x - 0.5 * v * v
    exact = MU * G * math.cos(tilt) * 0.5 * a
    return _number(v / a - 1.0), _number(taken / exact - 1.0)


# ---- pressed: the normal force changes while the block slides


def pressed(rule: Rule) -> Row:
    """Return the largest error of speed while N = m g + 30 N (1 + sin 10 t)."""
    recording = run(rule, "pressed", 5.0, until=0.4, step=0.01)
    t = np.asarray(recording.times)
    v = recording.series("b.v.x")
    exact = 5.0 - MU * (G * t + 30.0 / MASS * (t + (1.0 - np.cos(10.0 * t)) / 10.0))
    return (_number(float(np.abs(v - exact).max())),)


# ---- stacked: a block slides on a tray that ought to stay, at 22 degrees


def stacked(rule: Rule) -> Row:
    """Return how far the tray slips in 0.4 s, and the error of the block's speed."""
    tilt = math.radians(22.0)
    recording = run(rule, "stacked", tilt, until=0.4, step=0.01)
    speed = G * (math.sin(tilt) - 0.1 * math.cos(tilt)) * 0.4
    low, high = recording.series("low.center.x"), recording.series("high.v.x")
    return _number(1e3 * float(np.abs(low).max())), _number(float(high[-1]) / speed - 1.0)


QUESTIONS: tuple[tuple[str, tuple[str, ...], Callable[[Rule], Row]], ...] = (
    ("held", ("slipped in 2 s, mm", "trembles at the end, mm/s"), held),
    ("released", ("first millimetre, ms late", "moved before, mm"), released),
    ("braked", ("way too long, mm", "rest, ms late", "energy left, of 1"), braked),
    ("sliding", ("speed, relative", "energy taken, relative"), sliding),
    ("pressed", ("speed, m/s",), pressed),
    ("stacked", ("tray slipped, mm", "block's speed, relative"), stacked),
)


def table(name: str) -> str:
    """Return one question's table as Markdown."""
    heads, ask = next((heads, ask) for known, heads, ask in QUESTIONS if known == name)
    lines = [f"| rule | {' | '.join(heads)} |", f"| --- {'| --- ' * len(heads)}|"]
    lines += [f"| {label} | {' | '.join(ask(rule))} |" for label, rule in RULES]
    return "\n".join(lines)


def tables() -> Iterator[tuple[str, str]]:
    """Yield every question's name and table."""
    for name, _, _ in QUESTIONS:
        yield name, table(name)


def times() -> str:
    """Return what one second on the slope costs under each rule, as a multiple of Coulomb's."""
    spent: dict[str, list[float]] = {label: [] for label, _ in RULES}
    for _ in range(4):
        for label, rule in RULES:
            begin = time.perf_counter()
            run(rule, "slope", math.radians(30.0), until=1.0, step=0.05)
            spent[label].append(time.perf_counter() - begin)
    cost = {label: float(np.median(each[1:])) for label, each in spent.items()}
    lines = [f"{label}: {cost[label] / cost['Coulomb']:.1f}" for label, _ in RULES]
    return "\n".join(lines)


def picture(file: Path) -> None:
    """Draw the block at 26 degrees: its speed in the first 0.3 s, and its slip by step."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "friction"
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
    tilt = math.radians(26.0)
    for label, rule in (
        ("lagged, 10 ms", art.Lagged(0.01)),
        ("iterated, 10 ms", art.Iterated(5, 0.01)),
        ("Coulomb", art.Coulomb()),
    ):
        recording = run(rule, "slope", tilt, until=0.3, step=0.0025)
        left.plot(recording.times, 1e3 * recording.series("b.v.x"), label=label)
    left.set(xlabel="t, s", ylabel="speed, mm/s", title="held at 26 degrees, mu = 0.5")
    left.legend(frameon=False)
    steps = np.array([0.05, 0.02, 0.01, 0.005, 0.002])
    for degrees in (20.0, 26.0, 26.5):
        slip = [
            float(
                run(art.Lagged(h), "slope", math.radians(degrees), until=2.0, step=0.1).series(
                    "b.center.x"
                )[-1]
            )
            for h in steps.tolist()
        ]
        right.loglog(1e3 * steps, 1e3 * np.abs(slip), "o-", label=f"{degrees:g} degrees")
    right.set(xlabel="step, ms", ylabel="slipped in 2 s, mm", title="lagged rule")
    right.legend(frameon=False)
    figure.savefig(file, metadata={"Date": None})


def main() -> None:
    """Print the tables; draw the picture where asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.friction", description=__doc__)
    parser.add_argument("--picture", type=Path, help="draw the figure of the page into this file")
    parser.add_argument("--times", action="store_true", help="measure what the rules cost")
    arguments = parser.parse_args()
    if arguments.picture is not None:
        picture(arguments.picture)
        return
    for name, shown in tables():
        print(f"{name}\n\n{shown}\n")
    if arguments.times:
        print(times())


if __name__ == "__main__":
    main()
