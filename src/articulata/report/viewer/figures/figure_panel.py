"""The controls of a figure: joints, targets, branches. Callbacks leave a wish, nothing else.

Only what a user does becomes a wish: values set from here carry no client and are passed over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from articulata.kinematics.inverse.branches import Family
from articulata.kinematics.joint import PRISMATIC
from articulata.report.viewer.conversation import Leaving
from articulata.report.viewer.figures.posing import MOST_TARGETS, Scene, gliding

NEUTRAL = "neutral"
NO_BRANCHES, IN_PLACE, SIDE_BY_SIDE = "hidden", "in place", "side by side"
BRANCH_CHOICES = (NO_BRANCHES, IN_PLACE, SIDE_BY_SIDE)
UPWARD: Mapping[str, tuple[float, float, float]] = {
    "z": (0.0, 0.0, 1.0),
    "y": (0.0, 1.0, 0.0),
    "x": (1.0, 0.0, 0.0),
    "-z": (0.0, 0.0, -1.0),
    "-y": (0.0, -1.0, 0.0),
    "-x": (-1.0, 0.0, 0.0),
}
"""Directions that may be up, by the names that are offered."""

MOST_OFFERED = 24
"""Targets that are offered; a hand with all its fingers has fewer."""

Wish = Callable[[str, object], None]


def _scaled(factor: float) -> Callable[[Any], float]:
    return lambda slider: float(slider.value) * factor


def _number(scene: Scene) -> int:
    return min(scene.chosen, len(scene.branches) - 1) + 1


def _intervals(family: Family) -> str:
    """Return a family's intervals in words; slides in mm, turns in degrees."""
    factor, unit = (1e3, "mm") if family.slides else (180 / math.pi, "deg")
    said = [f"{low * factor:.0f} to {high * factor:.0f}" for low, high in family.intervals]
    return f"{family.parameter} {', '.join(said)} {unit}"


class FigurePanel:
    """The controls of one figure; ``wish`` receives what the user asks for, by name."""

    def __init__(
        self,
        gui: Any,
        scene: Scene,
        size: float,
        wish: Wish,
        *,
        branching: bool,
        drawing: bool = True,
    ) -> None:
        self._gui, self._wish = gui, wish
        self._nodes: list[Any] = []
        self._sliders: dict[str, tuple[Any, float]] = {}
        self._say = self._keep(gui.add_markdown(""))
        self._say.visible = False
        self._answer = self._keep(gui.add_markdown(""))
        self._build_targets(scene)
        self._branches: Any = None
        if branching:
            self._build_branches()
        self._build_postures(scene)
        self._build_joints(scene, size)
        if drawing:
            self._build_draw(scene)

    def leave(self, leaving: Leaving) -> None:
        """Take all controls away."""
        leaving.put(self._nodes)
        self._nodes = []

    def say(self, text: str) -> None:
        """Show ``text`` above the controls; nothing when it is empty."""
        self._say.visible, self._say.content = bool(text), text

    def update(self, scene: Scene) -> None:
        """Show where ``scene`` stands."""
        q = scene.q
        for number, name in enumerate(scene.figure.names):
            slider, factor = self._sliders[name]
            value = float(q[number])
            if not (slider.min <= value / factor <= slider.max) and factor != 1.0:
                value = math.remainder(value, math.tau)
            slider.value = min(max(round(value / factor, 3), slider.min), slider.max)
        if scene.met:
            text = f"'{scene.dragged}' is where it is wanted." if scene.dragged else ""
        else:
            text = f"**Not reached; this is the nearest posture.** {scene.text}"
        if self._answer.content != text:
            self._answer.content = text
        if self._branches is not None:
            self._show_branches(scene)

    def _keep(self, node: Any) -> Any:
        self._nodes.append(node)
        return node

    def _on(self, control: Any, name: str, value: Callable[[Any], object]) -> None:
        def wished(event: Any) -> None:
            if event.client is not None:
                self._wish(name, value(event.target))

        (control.on_click if hasattr(control, "on_click") else control.on_update)(wished)

    def _build_targets(self, scene: Scene) -> None:
        gui, figure = self._gui, scene.figure
        offered = [*figure.chains, *figure.landmarks][:MOST_OFFERED]
        offered += [name for name in scene.targets if name not in offered]
        if not offered:
            return
        few = len(offered) <= MOST_TARGETS
        with self._keep(gui.add_folder("Targets")):
            gui.add_markdown("Drag the arrows in the scene: the figure follows.")
            turned = gui.add_checkbox(
                "Orientation counts", scene.turned, hint="Off: the place alone is to be met."
            )
            self._on(turned, "turned", lambda box: bool(box.value))
            with gui.add_folder("Which", expand_by_default=few):
                for name in offered:
                    box = gui.add_checkbox(name, name in scene.targets)
                    self._on(box, f"hold:{name}", lambda each: bool(each.value))

    def _build_branches(self) -> None:
        gui = self._gui
        with self._keep(gui.add_folder("Branches")):
            shown = gui.add_dropdown(
                "Show",
                BRANCH_CHOICES,
                hint="All postures of the closed form that bring the hand to the same pose.",
            )
            self._on(shown, "branches", lambda box: str(box.value))
            self._branches = gui.add_markdown("")
            self._take = gui.add_button_group("Take", ("1",), visible=False)
            self._on(self._take, "take", lambda buttons: int(buttons.value) - 1)
            self._glide = gui.add_slider(
                "Through the family [%]",
                0.0,
                100.0,
                0.1,
                50.0,
                visible=False,
                hint="The hand stays in place; the freedom that is left runs through all "
                "intervals that the limits leave.",
            )
            self._on(self._glide, "glide", _scaled(0.01))

    def _show_branches(self, scene: Scene) -> None:
        lines = [
            f"{number}. {each.label}" + ("" if each.within else " (*outside the limits*)")
            for number, each in enumerate(scene.branches, 1)
        ]
        if lines:
            lines.append("\nBlue keeps the limits, orange does not.")
        family = gliding(scene)
        self._glide.visible = family is not None
        if family is not None:
            lines.append(f"\nFamily of {_number(scene)}: {_intervals(family)}")
        text = "\n".join(lines)
        if self._branches.content != text:
            self._branches.content = text
            self._take.visible = bool(lines)
            if lines:
                self._take.options = tuple(str(n) for n, _ in enumerate(scene.branches, 1))

    def _build_postures(self, scene: Scene) -> None:
        names = (NEUTRAL, *scene.figure.postures)
        with self._keep(self._gui.add_folder("Posture")):
            chosen = self._gui.add_dropdown("Named", names)
            again = self._gui.add_button("Take it")
            self._on(chosen, "posture", lambda box: str(box.value))
            self._on(again, "posture", lambda _: str(chosen.value))

    def _build_joints(self, scene: Scene, size: float) -> None:
        gui, figure = self._gui, scene.figure
        folder = self._keep(
            gui.add_folder(f"Joints ({figure.dof})", expand_by_default=figure.dof <= 30)
        )
        with folder:
            for column, number in enumerate(figure.free):
                joint = figure.joints[number]
                slides = joint.kind == PRISMATIC
                factor, unit = (1e-3, "mm") if slides else (math.pi / 180, "deg")
                reach = size if slides else math.pi
                low = max(float(figure.lower[column]), -1e3 * reach)
                high = min(float(figure.upper[column]), 1e3 * reach)
                if not (math.isfinite(joint.limits[0]) and math.isfinite(joint.limits[1])):
                    low, high = max(joint.limits[0], -reach), min(joint.limits[1], reach)
                # Rounded inwards: the end of a slider is within the limits.
                low, high = math.ceil(low / factor * 10) / 10, math.floor(high / factor * 10) / 10
                if not low < high:
                    high = low + 1e-3
                start = min(max(round(float(scene.q[column]) / factor, 3), low), high)
                step = 0.1 if high - low > 10 else 0.001
                slider = gui.add_slider(f"{joint.name} [{unit}]", low, high, step, start)
                self._sliders[joint.name] = (slider, factor)
                self._on(slider, f"joint:{joint.name}", _scaled(factor))

    def _build_draw(self, scene: Scene) -> None:
        gui = self._gui
        with self._keep(gui.add_folder("Draw")):
            for name, label in (("frames", "Frames"), ("names", "Names of joints")):
                if name == "names" and scene.figure.dof > 60:
                    continue
                self._on(gui.add_checkbox(label, False), name, lambda box: bool(box.value))
            near = max(UPWARD, key=lambda name: float(np.dot(UPWARD[name], scene.figure.up)))
            up = gui.add_dropdown("Up", tuple(UPWARD), initial_value=near)
            self._on(up, "up", lambda box: str(box.value))
            self._on(gui.add_button("Fit the figure into view"), "fit", lambda _: True)
