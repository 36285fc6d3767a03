"""How far the 6,068 people of ANSUR II reach, told from their segments alone.

``python -m benchmarks.people_reach --survey FOLDER --picture docs/figures/people-reach.png`` reads
the survey's two public tables and draws what is told beside what was measured. Nothing is fitted:
the lengths are those of the figure ``person``, made with each one's measures; lengths in m.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import Any, Final

import numpy as np

import articulata as art

Array = np.ndarray

TABLES: Final = ("ANSUR_II_MALE_Public.csv", "ANSUR_II_FEMALE_Public.csv")

SEGMENTS: Final = ("acromionradialelength", "radialestylionlength", "handlength", "handbreadth")
"""The measures that make an arm."""

TRUNK: Final = ("sittingheight", "stature", "acromialheight", "biacromialbreadth", "chestdepth")

REACHES: Final = ("thumbtipreach", "overheadfingertipreachsitting")

ARM: Final = ("r_shoulder", "r_elbow", "r_wrist")


def survey(folder: Path) -> dict[str, Array]:
    """Return the measures (n,) of all people, m, and ``sex``, 1 for women."""
    people: dict[str, list[float]] = {name: [] for name in (*SEGMENTS, *TRUNK, *REACHES, "sex")}
    for sex, table in enumerate(TABLES):
        with (folder / table).open(encoding="latin-1") as lines:
            for row in csv.DictReader(lines):
                for name in (*SEGMENTS, *TRUNK, *REACHES):
                    people[name].append(1e-3 * float(row[name]))
                people["sex"].append(sex)
    return {name: np.array(values) for name, values in people.items()}


def segments(people: dict[str, Array]) -> dict[str, Array]:
    """Return a person's upper arm, forearm, wrist to thumb's tip, and wrist to fingertip, (n,) m.

    Landmarks stand where sums of measures say, which are linear in each: the figure is made at
    corners, and between them nothing is left to compute.
    """
    found = {name: np.empty(len(people["sex"])) for name in ("upper", "fore", "thumb", "hand")}
    for sex in (0, 1):
        mine = people["sex"] == sex
        X = np.column_stack([people[name][mine] for name in SEGMENTS])
        middle = X.mean(axis=0)
        corners = np.vstack([middle, middle + np.diag(0.1 * middle)])
        at = [_marks(dict(zip(SEGMENTS, row, strict=True)), sex) for row in (*corners, X[0])]
        steps = np.linalg.solve(
            corners[1:] - middle, np.array(at[1:-1]).reshape(4, -1) - at[0].ravel()
        )
        every = (at[0].ravel() + (X - middle) @ steps).reshape(len(X), *at[0].shape)
        np.testing.assert_allclose(every[0], at[-1], atol=1e-9)
        for name, (a, b) in {
            "upper": (0, 1), "fore": (1, 2), "thumb": (2, 3), "hand": (2, 4),
        }.items():  # fmt: skip
            found[name][mine] = np.linalg.norm(every[:, b] - every[:, a], axis=1)
    return found


def _marks(measures: dict[str, float], sex: float) -> Array:
    person = art.figure("person", sex=float(sex), **measures)
    names = (*ARM, "r_thumb_tip", "r_middle_distal_tip")
    return np.array([person.landmark(person.neutral, name)[:3, 3] for name in names])


def thumb_reach(people: dict[str, Array]) -> Array:
    """Return how far (n,) m a thumb's tip gets from the wall that the shoulders touch.

    The arm is straight ahead and the wrist turned until the thumb is on its line; the shoulder's
    joint is in the middle of the chest's depth.
    """
    arm = segments(people)
    return np.asarray(arm["upper"] + arm["fore"] + arm["thumb"] + 0.5 * people["chestdepth"])


def overhead_reach(people: dict[str, Array], *, raised: bool) -> Array:
    """Return how far (n,) m a fingertip gets above the seat, the arm straight up.

    The collarbone rests, or is ``raised`` as far as the figure's limits let it.
    """
    arm = segments(people)
    acromion = people["sittingheight"] - people["stature"] + people["acromialheight"]
    below = people["acromionradialelength"] - arm["upper"]
    lift = _lift() * people["biacromialbreadth"] if raised else 0.0
    return np.asarray(acromion - below + lift + arm["upper"] + arm["fore"] + arm["hand"])


def _lift() -> float:
    """Return how far a raised collarbone lifts the shoulder, of the breadth of shoulders."""
    breadth = 0.4
    person = art.figure("person", biacromialbreadth=breadth)
    name = "r_sternoclavicular_elevation"
    up = [
        person.landmark(person.vector({name: float(value)}), "r_shoulder")[1, 3]
        for value in (0.0, person.upper[person.names.index(name)])
    ]
    return float(up[1] - up[0]) / breadth


def told(name: str, predicted: Array, measured: Array, sex: Array) -> str:
    """Return bias and spread in words."""
    off = 1e3 * (predicted - measured)
    men, women = off[sex == 0].mean(), off[sex == 1].mean()
    return (
        f"{name}: bias {off.mean():+.1f} mm (men {men:+.1f}, women {women:+.1f}), "
        f"SD {off.std(ddof=1):.1f} mm, {len(off)} people"
    )


def draw(file: Path, people: dict[str, Array]) -> None:
    """Draw what is told beside what was measured."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, 2, figsize=(8.4, 3.9), layout="constrained")
    shown: tuple[tuple[Any, str, Array, str], ...] = (
        (panels[0], "thumbtipreach", thumb_reach(people), "thumb ahead of the wall"),
        (panels[1], "overheadfingertipreachsitting", overhead_reach(people, raised=True),
         "finger above the seat, collarbone raised"),
    )  # fmt: skip
    for panel, name, predicted, title in shown:
        ends = np.percentile(people[name], [0.1, 99.9])
        panel.hexbin(people[name], predicted, gridsize=45, cmap="Blues", mincnt=1, linewidths=0)
        panel.plot(ends, ends, color="#c05621", lw=1.0)
        panel.set(xlabel="measured, m", ylabel="told from segments, m", title=title, aspect="equal")
    figure.savefig(file, dpi=110, metadata={"Software": None})


def main() -> None:
    """Tell and draw."""
    import matplotlib as mpl

    parser = argparse.ArgumentParser(prog="python -m benchmarks.people_reach", description=__doc__)
    parser.add_argument("--survey", type=Path, required=True, help="folder of the two tables")
    parser.add_argument("--picture", type=Path, help="file to draw into")
    asked = parser.parse_args()
    mpl.use("Agg")
    people = survey(asked.survey)
    over = people["overheadfingertipreachsitting"]
    print(told("thumb ahead", thumb_reach(people), people["thumbtipreach"], people["sex"]))
    for raised in (False, True):
        name = f"finger overhead, collarbone {'raised' if raised else 'at rest'}"
        print(told(name, overhead_reach(people, raised=raised), over, people["sex"]))
    if asked.picture is not None:
        draw(asked.picture, people)


if __name__ == "__main__":
    main()
