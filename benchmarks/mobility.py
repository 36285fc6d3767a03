"""Figures 4 to 7 of Otmani & Pruski 2009, drawn again.

``python -m benchmarks.mobility --pictures docs/figures`` writes ``increments.svg`` (4a to 4c) and
``moving-base.svg`` (5 to 7). Lengths are in the paper's units.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import shapely

import articulata as art
from benchmarks.published.sweeping_methods import Increment

UNIT = 0.01
"""m."""

STOP = 0.5
"""Units: where the paper's iterations stop."""

FLOOR = np.array(
    [[200.0, 130.0], [-120.0, 150.0], [-200.0, -60.0], [-60.0, -150.0], [170.0, -150.0]]
)
"""A floor in units, z forward and x left; the paper's has no sizes."""

CHAIR = np.array([120.0, 70.0])
"""Length and width of a chair, units."""

BLUE, ORANGE, GREY = "#2b6cb0", "#c05621", "#718096"


def errors(rate: float, divisor: float, seed: int) -> list[float]:
    """Return the distance, units, after 0, 1, 2 ... iterations of the increments."""
    chain = art.figure("otmani_2009").chain("torso to hand")
    rng = np.random.default_rng(seed)
    start, aim = rng.uniform(chain.lower, chain.upper, (2, chain.dof))
    place = chain.tip(aim)[:3, 3]
    variant = "D" if divisor == 1.0 else "E"
    found = [float(np.linalg.norm(chain.tip(start)[:3, 3] - place)) / UNIT]
    while found[-1] > STOP and len(found) < 60:
        method = Increment(variant, rate=rate, divisor=max(divisor, 2.0), iterations=len(found))
        answer = chain.inverse(place, start, STOP * UNIT, method)
        found.append(float(answer.error) / UNIT)
    return found


def increments(file: Path) -> None:
    """Draw how the error falls: a fixed rate, and rates divided where nothing is gained."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 3, figsize=(9.6, 2.9), layout="constrained", sharey=True)
    shown = (("4a", 0.015, 1.0), ("4b", 0.2, 2.0), ("4c", 0.5, 3.0))
    for panel, (name, rate, divisor) in zip(panels, shown, strict=True):
        for seed in range(5):
            panel.semilogy(errors(rate, divisor, seed), color=BLUE, lw=1.0, alpha=0.8)
        panel.axhline(STOP, color=ORANGE, lw=0.8)
        told = f"rate {rate:g}" + ("" if divisor == 1.0 else f", divided by {divisor:g}")
        panel.set(title=f"{name}: {told}", xlabel="iteration")
    panels[0].set_ylabel("distance, units")
    figure.savefig(file, metadata={"Date": None})


def left_over(floor: Any, turn: float) -> Any:
    """Return what of a convex floor is left for the middle of a chair turned by ``turn``."""
    c, s = np.cos(turn), np.sin(turn)
    free = shapely.Polygon(floor)
    for along, aside in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        u, v = 0.5 * CHAIR * (along, aside)
        free &= shapely.affinity.translate(shapely.Polygon(floor), c * u - s * v, s * u + c * v)
    return free


def outline(panel: Any, shape: Any, **looks: Any) -> None:
    """Draw a polygon of rows (z, x): forward is up, left is left."""
    corners = np.asarray(shape.exterior.coords if hasattr(shape, "exterior") else shape)
    panel.fill(-corners[:, 1], corners[:, 0], **looks)


def chair(panel: Any, base: Any, turn: float, **looks: Any) -> None:
    """Draw a chair's footprint at ``base`` (z, x)."""
    own = 0.5 * CHAIR * np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    c, s = np.cos(turn), np.sin(turn)
    outline(panel, base + own @ np.array([[c, s], [-s, c]]), fill=False, **looks)


def places_of(chain: Any, q: Any) -> Any:
    """Return the joints' places and the tip's, units, (joints + 1, 3)."""
    joints = chain.poses(q)[:, :3, 3]
    return np.vstack([np.zeros(3), joints, chain.tip(q)[:3, 3]]) / UNIT


def moving_base(file: Path) -> None:
    """Draw the area that a place becomes, the base's frame, and what is left of the floor."""
    import matplotlib.pyplot as plt

    figure, (fifth, sixth, seventh) = plt.subplots(1, 3, figsize=(10.2, 3.6), layout="constrained")
    chain = art.figure("otmani_2009").chain("seat to hand")
    place = np.array([-165.0, 60.0, 170.0])
    area = art.StandingArea(
        place * UNIT, FLOOR * UNIT, *(CHAIR * UNIT), ahead=(0, 0, 1), normal=(0, 1, 0)
    )
    answer = chain.inverse(area, tolerance=STOP * UNIT, method=art.Descent(starts=1))
    arm, turn = places_of(chain, answer.q), float(answer.q[0])
    # 5: the base stays, the place becomes an area
    goal = place[[2, 0]] - np.asarray(left_over(FLOOR, turn).exterior.coords)
    outline(fifth, goal, color=BLUE, alpha=0.25, lw=0)
    fifth.plot(-arm[:, 0], arm[:, 2], "o-", color="black", ms=2, lw=1.2)
    fifth.plot(*-arm[-1, :1], arm[-1, 2], "o", color=ORANGE)
    fifth.set(title="5: the place as an area, from above")
    # 6: the base's turn before the first joint, seen from the front
    rest = places_of(chain, np.zeros(chain.dof))
    sixth.plot(-rest[:, 0], rest[:, 1], "o-", color="black", ms=3, lw=1.2)
    for (x, y), name in (((-30, 0), "x"), ((0, 30), "y")):
        sixth.annotate("", (x, y), (0, 0), arrowprops={"arrowstyle": "->", "color": ORANGE})
        sixth.text(x - 3, y + 3, name, color=ORANGE, ha="right")
    sixth.text(6, 14, r"$\theta_0$ about y", color=BLUE)
    sixth.set(title="6: the turn of the base, from the front", xlim=(-45, 110), ylim=(-25, 70))
    # 7: what is left of the floor, by the chair's turn; and the answer's chair
    outline(seventh, FLOOR, fill=False, ec="black")
    for degrees, color in ((0.0, BLUE), (45.0, ORANGE), (90.0, GREY)):
        free = left_over(FLOOR, np.radians(degrees))
        outline(seventh, free, fill=False, ec=color, label=f"{degrees:g} deg")
    base = (place - arm[-1])[[2, 0]]
    chair(seventh, base, turn, ec="black", lw=0.8)
    seventh.plot(-(base[1] + arm[:, 0]), base[0] + arm[:, 2], color="black", lw=1.2)
    seventh.plot(-place[0], place[2], "o", color=ORANGE)
    seventh.set(xlim=(-170, 190), ylim=(-260, 215))
    seventh.legend(frameon=False, loc="lower center", ncols=3, fontsize="x-small")
    seventh.set(title="7: what is left for the chair, from above")
    for panel in (fifth, sixth, seventh):
        panel.set_aspect("equal")
        panel.title.set_size("medium")
    figure.savefig(file, metadata={"Date": None})


def main() -> None:
    """Write the pictures."""
    import matplotlib as mpl

    parser = argparse.ArgumentParser(prog="python -m benchmarks.mobility", description=__doc__)
    parser.add_argument("--pictures", type=Path, required=True, help="folder to write them into")
    folder = parser.parse_args().pictures
    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "mobility"
    increments(folder / "increments.svg")
    moving_base(folder / "moving-base.svg")


if __name__ == "__main__":
    main()
