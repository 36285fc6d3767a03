"""The panel of tracking: angles, sensors, residuals and latency of a person who is followed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from articulata.records.samples import DeviceReport
from articulata.records.tracking import (
    DOUBTFUL,
    GOOD,
    LATE,
    SILENT,
    Latency,
    Recognised,
    SensorHealth,
    TrackedPosture,
)

Wish = Callable[[str, object], None]

WORDS: Mapping[str, str] = {
    GOOD: "good",
    LATE: "**slow**",
    DOUBTFUL: "**doubtful**",
    SILENT: "**silent**",
}

READINGS: Mapping[str, str] = {
    "live": "live (carried on)",
    "smooth": "smooth (one period late)",
    "held": "as last measured",
}
"""How sensors of different times are read at one, by the words of the command."""

STANDING = "standing"
"""What a body does that was told nothing else."""

LARGE = math.radians(5.0)
"""What is left at elbow or wrist beyond this (rad) is worth a look at the straps."""


@dataclass(frozen=True, slots=True)
class TrackNews:
    """What the panel tells at an instant.

    ``arms`` are the names of the arms and ``joints`` those of their joints, arm by arm; ``notice``
    a line in large letters for somebody who stands away from the screen, ``recording`` what is
    being written where, ``signal`` the one that was shown last, or seems to be, ``computed`` what
    no sensor tells. ``weapon`` is how one is carried, "slung" or "deployed", and the sides "r" and
    "l" of the hands that hold it; None where there is none. ``body`` is what the body of who is
    chosen does.
    """

    posture: TrackedPosture | None
    arms: tuple[str, ...]
    joints: tuple[tuple[str, ...], ...]
    sensors: Sequence[SensorHealth]
    devices: Sequence[DeviceReport]
    latency: Latency | None
    notice: str = ""
    recording: str = ""
    signal: Recognised | None = None
    computed: tuple[str, ...] = ()
    weapon: tuple[str, frozenset[str]] | None = None
    body: str = ""


class TrackPanel:
    """Stands beside the picture; wishes are handed on by name: "calibrate", "reading" ...

    ``scripts`` builds the controls of scripts where they belong. Of several ``people`` one is
    chosen whose angles are told, and whom the controls of heading, body and scripts are for.
    """

    def __init__(
        self,
        gui: Any,
        wish: Wish,
        *,
        reading: str = "live",
        bodies: tuple[str, ...] = (),
        body: str = "",
        armed: str = "",
        scripts: Callable[[], None] = lambda: None,
        people: tuple[str, ...] = (),
    ) -> None:
        self._gui, self._wish = gui, wish
        self._body: Any = None
        self._weapon: Any = None
        self._hands: dict[str, Any] = {}
        self._notice = gui.add_markdown("")
        if people:
            person = gui.add_dropdown(
                "Person", people, hint="Whose angles are told, and whom heading and body are for."
            )
            person.on_update(self._asks("person", _chosen))
        with gui.add_folder("Tracking"):
            self._latency = gui.add_markdown("")
            self._add_reading(reading)
            if bodies:
                self._body = gui.add_dropdown(
                    "Body", bodies, initial_value=body or None,
                    hint="What trunk and legs do while the arms follow.",
                )  # fmt: skip
                self._body.on_update(self._asks("body", _chosen))
            if armed:
                self._add_weapon(armed)
            self._add_button("calibrate", "Calibrate", "Hold N, then T, as the countdown says.")
            self._add_button(
                "heading", "Reset heading", "Where the figure faces now is ahead from now on."
            )
            self._signal = gui.add_markdown("")
        scripts()
        with gui.add_folder("Recording"):
            self._recording = gui.add_markdown("")
            self._add_button("take", "New take", "Close this take and begin the next.")
            self._add_button("mark", "Mark", "Put a mark into the take, to be found again.")
        with gui.add_folder("Sensors"):
            self._sensors = gui.add_markdown("")
        with gui.add_folder("Angles"):
            self._angles = gui.add_markdown("")
        with gui.add_folder("Devices"):
            self._devices = gui.add_markdown("")

    def update(self, news: TrackNews) -> None:
        """Show ``news``."""
        for handle, text in (
            (self._notice, f"## {news.notice}" if news.notice else ""),
            (self._latency, _latency(news)),
            (self._signal, _signal(news.signal)),
            (self._recording, news.recording),
            (self._angles, _angles(news)),
            (self._sensors, _sensors(news.sensors)),
            (self._devices, _devices(news.devices)),
        ):
            if handle.content != text:
                handle.content = text
        body = self._body
        if body is not None and news.body in body.options and body.value != news.body:
            body.value = news.body
        if news.weapon is not None:
            self._tell_weapon(*news.weapon)

    def _tell_weapon(self, state: str, holding: frozenset[str]) -> None:
        """Let the controls say how the weapon of who is chosen is carried."""
        if self._weapon is not None and self._weapon.value != state:
            self._weapon.value = state
        for side, hand in self._hands.items():
            if hand.value != (side in holding):
                hand.value = side in holding

    # ---- inside

    def _asks(self, name: str, value: Callable[[Any], object]) -> Callable[[Any], None]:
        """Return what hands on as a wish what a person does; what a program sets is none."""

        def asked(event: Any) -> None:
            if event.client is not None:
                self._wish(name, value(event))

        return asked

    def _add_button(self, name: str, shown: str, hint: str) -> None:
        self._gui.add_button(shown, hint=hint).on_click(self._asks(name, lambda _: None))

    def _add_reading(self, reading: str) -> None:
        choice = self._gui.add_dropdown(
            "Reading", tuple(READINGS.values()), initial_value=READINGS[reading]
        )
        words = {shown: name for name, shown in READINGS.items()}
        choice.on_update(self._asks("reading", lambda event: words[event.target.value]))

    def _add_weapon(self, armed: str) -> None:
        """Add how it is carried, and which hands hold it; a deployed one both do at first."""
        weapon = self._gui.add_dropdown(
            "Weapon", ("slung", "deployed"), initial_value=armed,
            hint="Slung on the back, or held by both hands.",
        )  # fmt: skip
        for side, name in (("r", "Right"), ("l", "Left")):
            hand = self._gui.add_checkbox(f"{name} hand holds", armed == "deployed")
            hand.on_update(self._asks(f"hand {side}", _chosen))
            self._hands[side] = hand

        def carried(event: Any) -> str:
            for hand in self._hands.values():
                hand.value = event.target.value == "deployed"
            return str(event.target.value)

        weapon.on_update(self._asks("weapon", carried))
        self._weapon = weapon


def _chosen(event: Any) -> object:
    return event.target.value


def _latency(news: TrackNews) -> str:
    latency = news.latency
    if latency is None:
        return "Waiting for samples."
    text = f"Latency **{1e3 * latency.median:.1f} ms**, 99 of 100 below {1e3 * latency.most:.1f} ms"
    if latency.delay:
        text += f", {1e3 * latency.delay:.0f} ms of it waited on purpose"
    return text


def _signal(seen: Recognised | None) -> str:
    if seen is None or not seen.name:
        return ""
    words = seen.name.replace("_", " ")
    sure = f"{100.0 * seen.confidence:.0f} %"
    return f"Signal: **{words}**, {sure}" if seen.ended else f"Signal: {words}? {sure}"


def _angles(news: TrackNews) -> str:
    posture = news.posture
    if posture is None:
        return ""
    heads = [arm.removesuffix(" arm") for arm in news.arms]
    lines = [f"| joint, deg | {' | '.join(heads)} |", "|---|" + "--:|" * len(heads)]
    for k, name in enumerate(news.joints[0]):
        cells = []
        for arm, joints in enumerate(news.joints):
            value = f"{math.degrees(posture.angles[arm][k]):.1f}"
            cells.append(f"**{value} !**" if joints[k] in posture.outside else value)
        lines.append(f"| {shortened(name)} | {' | '.join(cells)} |")
    for k, part in enumerate(("elbow", "wrist")):
        cells = [_left_over(posture.left[arm][k]) for arm in range(len(heads))]
        lines.append(f"| *left over, {part}* | {' | '.join(cells)} |")
    notes = ["! beyond its limits"] if posture.outside else []
    for arm, head in enumerate(heads):
        if not posture.tracked[arm]:
            notes.append(f"{head}: not tracked")
        elif posture.frozen[arm]:
            notes.append(f"{head}: shoulder held near its singular direction")
        if posture.held[arm]:
            notes.append(f"{head}: **held** where a sensor is silent")
    return "\n".join([*lines, "", "; ".join(notes), "", *(f"- {each}" for each in news.computed)])


def _left_over(angle: float) -> str:
    if math.isnan(angle):
        return "-"
    text = f"{math.degrees(angle):.1f}"
    return f"**{text} !**" if abs(angle) > LARGE else text


def shortened(joint: str) -> str:
    """Return a joint's name as a person reads it."""
    name = joint.replace("_", " ")
    for side in ("l ", "r ", "left ", "right "):
        name = name.removeprefix(side)
    return name


def _sensors(sensors: Sequence[SensorHealth]) -> str:
    lines = ["| sensor | | /s | ms |", "|---|---|--:|--:|"]
    for each in sensors:
        age = "" if math.isinf(each.age) else f"{1e3 * each.age:.0f}"
        role = each.role.replace("_", " ")
        lines.append(f"| {each.station} {role} | {WORDS[each.state]} | {each.rate:.0f} | {age} |")
    return "\n".join(lines)


def _devices(devices: Sequence[DeviceReport]) -> str:
    parts = []
    for each in devices:
        text = f"**{each.name}** {each.samples} records, {_size(each.bytes)}"
        if each.damaged:
            text += "; damaged: " + ", ".join(f"{n} {why}" for why, n in each.damaged.items())
        if each.notice:
            text += f"\n\n{each.notice}"
        if each.trouble:
            text += f"\n\n**{each.trouble}**"
        parts.append(text)
    return "\n\n".join(parts)


def _size(count: int) -> str:
    return f"{count} bytes" if count < 10_000 else f"{np.round(count / 1000):.0f} kB"
