"""The panel of tracking tells of who is chosen, and asks for nothing by that."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np

from articulata.records.tracking import TrackedPosture
from articulata.report.viewer.panels.track_panel import TrackNews, TrackPanel


class Gui:
    """Stands for viser's: keeps controls by their labels; who sets a value is told."""

    def __init__(self) -> None:
        self.controls: dict[str, Control] = {}

    def add_markdown(self, content: str) -> Any:
        return SimpleNamespace(content=content)

    def add_folder(self, label: str) -> Any:
        return nullcontext()

    def add_button(self, label: str, hint: str = "") -> Any:
        return SimpleNamespace(on_click=lambda function: None)

    def add_checkbox(self, label: str, initial_value: bool) -> Any:
        return self._kept(label, initial_value)

    def add_dropdown(
        self, label: str, options: tuple[str, ...], initial_value: str | None = None, hint: str = ""
    ) -> Any:
        return self._kept(label, initial_value or options[0], options)

    def _kept(self, label: str, value: object, options: tuple[str, ...] = ()) -> Control:
        self.controls[label] = Control(value, options)
        return self.controls[label]


class Control:
    def __init__(self, value: object, options: tuple[str, ...]) -> None:
        self._value, self.options = value, options
        self._told: list[Callable[[Any], None]] = []

    @property
    def value(self) -> object:
        return self._value

    @value.setter
    def value(self, value: object) -> None:
        self.choose(value, client=None)

    def choose(self, value: object, client: object) -> None:
        self._value = value
        for told in self._told:
            told(SimpleNamespace(client=client, target=self))

    def on_update(self, function: Callable[[Any], None]) -> None:
        self._told.append(function)


def news(body: str) -> TrackNews:
    return TrackNews(None, (), (), (), (), None, body=body)


def test_an_arm_that_is_held_is_marked() -> None:
    solved = np.zeros((2, 11))
    solved[1, 9] = 4.0
    joints = tuple(tuple(f"{side}_{k}" for k in range(7)) for side in "rl")
    posture = TrackedPosture(0.0, np.zeros(14), np.zeros(7), solved, joints)
    panel = TrackPanel(Gui(), lambda name, value: None)
    told = TrackNews(posture, ("right arm", "left arm"), joints, (), (), None)
    panel.update(told)
    assert "left: **held** where a sensor is silent" in panel._angles.content
    assert "right: **held**" not in panel._angles.content


def test_the_body_of_who_is_chosen_is_told() -> None:
    gui = Gui()
    wishes: list[tuple[str, object]] = []
    panel = TrackPanel(
        gui,
        lambda name, value: wishes.append((name, value)),
        bodies=("standing", "walking"),
        people=("anna", "ben"),
    )
    body = gui.controls["Body"]
    body.choose("walking", client="somebody")
    panel.update(news("walking"))
    gui.controls["Person"].choose("ben", client="somebody")
    panel.update(news("standing"))
    assert body.value == "standing"
    panel.update(news("crawling"))  # which the first one's figure cannot
    assert body.value == "standing"
    assert wishes == [("body", "walking"), ("person", "ben")]
