"""The panel of a pose: the front as a slider under the figure, and what each posture costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import numpy as np

from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array
from articulata.records.posture_fronts import Front
from articulata.report.viewer.layers import Labels, Points
from articulata.report.viewer.panels.board import Desk

KNEE, WEIGHTS, BEST = "knee", "weights", "best "
TARGET: Final = (217, 72, 15)
FRONT: Final = "#1f6feb"
CHOSEN: Final = "#d1242f"

STEPS: Final = 40
"""Steps back to the best posture after a drag."""

MOST_NUMBERS: Final = 12
"""Joints whose values are listed: those that differ most from the start."""


class Live(Protocol):
    """Who follows what is dragged."""

    @property
    def hands(self) -> tuple[str, ...]:
        """The targets."""
        ...

    @property
    def elbows(self) -> tuple[str, ...]:
        """What can be dragged while the targets stay."""
        ...

    def place(self, name: str) -> Array:
        """Return where a handle is, (3,) m."""
        ...

    def wanted(self, name: str) -> Array:
        """Return where a target is, (3,) m."""
        ...

    def show(self, number: int) -> None:
        """Go on from a posture of the front, and return to what makes it the best."""
        ...

    def step(self, name: str, point: Array | None) -> tuple[Front, Array]:
        """Return the posture after a drag, or a step back to the best, and the bodies' poses."""
        ...


class PosePanel:
    """Controls of a ``front`` whose bodies have ``poses`` (n, bodies, 7) in the world shown.

    ``targets`` (name: place (3,) m) are drawn as dots. With ``live`` hand and elbow are dragged,
    and the dots go along.
    """

    title = "Pose"
    _desk: Desk

    def __init__(
        self,
        front: Front,
        poses: Array,
        targets: Mapping[str, Array],
        live: Live | None = None,
    ) -> None:
        self._live = live
        self._handles: dict[str, Any] = {}
        self._settling = 0
        self.front = front
        self._poses = poses
        self._targets = targets
        self._quiet = False
        self._chart: Any = None

    def build(self, desk: Desk) -> None:
        """Make the controls and show the chosen posture."""
        self._desk = desk
        gui, front = desk.gui, self.front
        self._about = gui.add_markdown("")
        if len(front) > 1:
            self._slider = gui.add_slider("Posture", 0, len(front) - 1, 1, front.chosen)
            self._slider.on_update(lambda e: self._wish("posture", int(e.target.value)))
            choices = (KNEE, WEIGHTS, *(f"{BEST}{aim.name}" for aim in front.aims))
            how = WEIGHTS if front.choice.startswith(WEIGHTS) else KNEE
            self._choose = gui.add_dropdown("Choose by", choices, initial_value=how)
            self._choose.on_update(lambda e: self._wish("choose", str(e.target.value)))
            for k, aim in enumerate(front.aims if len(front.aims) > 1 else ()):
                slider = gui.add_slider(f"Weight of {aim.name}", 0.0, 5.0, 0.1, aim.weight)
                slider.on_update(lambda e, k=k: self._wish(f"weight {k}", float(e.target.value)))
        if self._live is not None:
            hint = "Drag the hand, or the elbow while the hand stays; let go, and it returns"
            box = gui.add_checkbox("Drag hand and elbow", False, hint=hint)
            box.on_update(lambda e: self._wish("live", bool(e.target.value)))
        self._weights = [aim.weight for aim in front.aims]
        self._values = gui.add_markdown("")
        if len(front.aims) > 1 and len(front) > 1:
            self._plot(gui)
        self._joints = gui.add_markdown("")
        self._mark()
        self._show()

    def grant(self, name: str, value: Any) -> None:
        """Do what was wished: another posture, another choice, another weight."""
        kind, _, what = name.partition(" ")
        if kind == "posture":
            self.front = self.front.by_hand(value)
        elif kind == "choose":
            self._by(value)
        elif kind == "weight":
            self._weights[int(what)] = value
            self._by(WEIGHTS)
        elif kind == "live":
            self._grab(bool(value))
        elif kind in ("drag", "settle"):
            self._drag(what, value)
            return
        if self._live is not None:
            self._live.show(self.front.chosen)
            self._mark()
            self._place_handles("")
        self._show()

    def _grab(self, wanted: bool) -> None:
        """Put handles at hands and elbows, or take them away."""
        assert self._live is not None
        for handle in self._handles.values():
            handle.remove()
        self._handles = {}
        for name in (*self._live.hands, *self._live.elbows) if wanted else ():
            handle = self._desk.scene.add_transform_controls(
                f"/pose/{name}",
                scale=0.1 * self._desk.size(),
                line_width=3.0,
                depth_test=False,
                disable_rotations=True,
                position=tuple(self._live.place(name)),
            )

            def moved(event: Any, name: str = name) -> None:
                if event.client is not None:
                    self._wish(f"drag {name}", np.array(event.target.position, float))
                    if event.phase == "end":
                        self._wish("settle", None)

            handle.on_update(moved)
            self._handles[name] = handle

    def _drag(self, name: str, point: Array | None) -> None:
        assert self._live is not None
        if point is not None:
            self._settling = STEPS
        elif self._settling <= 0:
            return
        front, poses = self._live.step(name, point)
        self._desk.move(poses)
        if name in self._live.hands:
            self._mark()
        self._about.content = about(front, live=True)
        self._values.content = values_table(front)
        self._joints.content = joints_table(front)
        if point is None:
            self._place_handles("")
            self._settling -= 1
            self._wish("settle", None)
        else:
            self._place_handles(name)

    def _mark(self) -> None:
        """Draw the targets where they are now."""
        live = self._live
        known = () if live is None else live.hands
        places = np.array(
            [
                live.wanted(name) if live is not None and name in known else place
                for name, place in self._targets.items()
            ]
        ).reshape(-1, 3)
        size = min(0.05, 0.02 * float(np.linalg.norm(np.ptp(self._poses[0, :, :3], axis=0))))
        names, marked = _together(tuple(self._targets), places, 3 * size)
        self._desk.layers.show(Points("pose target", places, TARGET, size))
        self._desk.layers.show(Labels("pose names", names, _apart(marked, 4 * size)))

    def _place_handles(self, but: str) -> None:
        """Let the handles go with the figure, all but the one that is held."""
        if self._live is not None:
            for name, handle in self._handles.items():
                if name != but:
                    handle.position = tuple(self._live.place(name))

    def _by(self, choice: str) -> None:
        front = self.front
        if choice == KNEE:
            self.front = front.by_knee()
        elif choice == WEIGHTS:
            names = (aim.name for aim in front.aims)
            try:
                self.front = front.by_weights(dict(zip(names, self._weights, strict=True)))
            except ArticulataError as error:
                self._about.content = f"**{error}**"
        else:
            aim = choice.removeprefix(BEST)
            self.front = front.by_order((aim,), slack=0.0)

    def _wish(self, name: str, value: object) -> None:
        if not self._quiet:
            self._desk.wish(name, value)

    def _show(self) -> None:
        front = self.front
        self._desk.move(self._poses[front.chosen])
        self._about.content = about(front)
        self._values.content = values_table(front)
        self._joints.content = joints_table(front)
        if len(front) > 1:
            self._quiet = True
            self._slider.value = front.chosen
            self._quiet = False
        if self._chart is not None:
            self._chart.data = self._data()

    def _plot(self, gui: Any) -> None:
        a, b = (str(each) if len(str(each)) < LONG else each.name for each in self.front.aims[:2])
        self._chart = gui.add_uplot(
            self._data(),
            (
                {"label": a},
                _dots("front", FRONT, 4),
                _dots("chosen", CHOSEN, 11),
            ),
            height=240,
            scales={
                "x": {"time": False, "auto": False, "range": _room(self.front.values[:, 0])},
                "y": {"auto": False, "range": _room(self.front.values[:, 1])},
            },
            axes=({"label": a}, {"label": b}),
            legend={"show": False},
        )

    def _data(self) -> tuple[Array, ...]:
        front = self.front
        order = np.argsort(front.values[:, 0], kind="stable")
        here = np.where(order == front.chosen, front.values[order, 1], np.nan)
        return front.values[order, 0].copy(), front.values[order, 1].copy(), here


def _room(values: Array) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    room = 0.08 * (high - low) or 0.05 * abs(high) or 1.0
    return low - room, high + room


def _together(names: Sequence[str], places: Array, near: float) -> tuple[tuple[str, ...], Array]:
    """Return labels and their places: names less than ``near`` m apart are one label."""
    found: dict[int, list[str]] = {}
    for number, name in enumerate(names):
        close = [n for n in found if np.linalg.norm(places[n] - places[number]) < near]
        found.setdefault(close[0] if close else number, []).append(name)
    return tuple(map(", ".join, found.values())), places[list(found)]


def _apart(places: Array, by: float) -> Array:
    """Return places moved ``by`` m away from their middle: so that labels do not touch."""
    out = places - places.mean(axis=0)
    return np.asarray(places + by * out / np.maximum(np.linalg.norm(out, axis=1), 1e-9)[:, None])


def _dots(label: str, color: str, size: int) -> dict[str, object]:
    points = {"show": True, "size": size, "stroke": color, "fill": color}
    return {"label": label, "stroke": color, "width": 0, "points": points}


def about(front: Front, *, live: bool = False) -> str:
    """Return a paragraph about a front, for the panel; ``live``: about what is dragged."""
    if live:
        return f"**{front.choice.capitalize()}.** {front.binds[0]}"
    if not front.found:
        return f"**No posture.** {front.reason}"
    settled = (
        f"{front.redundancy} free, {front.settled} settled by the objectives"
        if front.redundancy
        else "nothing is redundant"
    )
    return f"**{len(front)} postures**, none better in all: {settled}. Chosen by {front.choice}."


LONG = 25
"""Letters that an axis of the plot has no room for: its unit is left to the table."""

GAP = "&nbsp;"
"""Before a number of a table and its unit: columns of a narrow panel touch, lines would break."""


def values_table(front: Front) -> str:
    """Return what the chosen posture costs as a table, with the best of each aim."""
    rows = ["| | here | best | |", "|---|---:|---:|---|"]
    for k, aim in enumerate(front.aims):
        here, best = front.values[front.chosen, k], front.utopia[k]
        unit = "" if aim.unit == "1" else aim.unit
        rows.append(
            f"| {aim.name} | {GAP}{here:.4g} | {GAP}{best:.4g} | {GAP * bool(unit)}{unit} |"
        )
    binds = front.binds[front.chosen]
    label = front.labels[front.chosen]
    more = [f"*{label}*" if label else "", binds.replace("; ", ", ")]
    return "\n".join(rows) + "\n\n" + "  \n".join(filter(None, more))


def joints_table(front: Front) -> str:
    """Return the joints that differ most from the start, as a table."""
    q = front.posture
    away = np.abs(q - front.start)
    order = [int(i) for i in np.argsort(-away, kind="stable")[:MOST_NUMBERS] if away[i] > 1e-9]
    rows = ["| joint | |", "|---|---:|"]
    for i in sorted(order):
        shown = f"{np.degrees(q[i]):.1f}{GAP}deg"
        if front.units[i] != "rad":
            shown = f"{100 * q[i]:.1f}{GAP}cm"
        # long names break before numbers are cut
        rows.append(f"| {front.names[i].replace('_', '_<wbr />')} | {GAP}{shown} |")
    return "\n".join(rows) if order else ""
