"""The panel of an exercise: who takes part, how well each is heard, what passes the network."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from articulata.records.networked import NetworkedLook, Reception

Wish = Callable[[str, object], None]

SHOWN = 40
"""Figures that have a line in the panel; more are counted."""


@dataclass(frozen=True, slots=True)
class TakingPart:
    """A figure in an exercise: how it looks, where it comes from; None: it is ours."""

    look: NetworkedLook
    sender: str
    reception: Reception | None


@dataclass(frozen=True, slots=True)
class ExerciseNews:
    """What the panel tells at an instant.

    ``where`` is the exercise in words, ``out`` and ``come`` packets and bytes a second, ``left
    out`` and damaged packets in words, ``notice`` a line in large letters.
    """

    where: str
    figures: Sequence[TakingPart]
    out: tuple[float, float]
    come: tuple[float, float]
    troubles: Sequence[str] = ()
    notice: str = ""


class ExercisePanel:
    """Stands beside the picture; wishes are handed on by name: "perform" with a motion.

    ``motions`` are what figures of ours can be asked to perform.
    """

    def __init__(self, gui: Any, wish: Wish, motions: Sequence[str] = ()) -> None:
        self._notice = gui.add_markdown("")
        with gui.add_folder("Exercise"):
            self._where = gui.add_markdown("")
        if motions:
            with gui.add_folder("Our figures"):
                chosen = gui.add_dropdown("Motion", tuple(motions))
                button = gui.add_button("Perform", hint="All scripted figures of ours do this.")
                button.on_click(
                    lambda event: wish("perform", chosen.value) if event.client else None
                )
        with gui.add_folder("Figures"):
            self._figures = gui.add_markdown("")
        with gui.add_folder("Network"):
            self._network = gui.add_markdown("")

    def update(self, news: ExerciseNews) -> None:
        """Show ``news``."""
        for handle, text in (
            (self._notice, f"## {news.notice}" if news.notice else ""),
            (self._where, news.where),
            (self._figures, _table(news.figures)),
            (self._network, _network(news)),
        ):
            if handle.content != text:
                handle.content = text


def _table(figures: Sequence[TakingPart]) -> str:
    lines = ["| figure | /s | lost | ms | off |", "|---|--:|--:|--:|--:|"]
    for each in figures[:SHOWN]:
        name = each.look.name or "?"
        doing = "" if each.look.stance == "standing" else f", {each.look.stance}"
        lines.append(f"| {_plain(name)}{doing} | {_heard(each.reception)} |")
    if len(figures) > SHOWN:
        lines.append(f"| and {len(figures) - SHOWN} more | | | | |")
    if not figures:
        return "Nobody yet."
    senders = {each.sender for each in figures if each.reception is not None}
    note = (
        f"Others from {', '.join(sorted(senders)) or 'nowhere yet'} (site:application). /s: packets"
        " a second; ms: age of what is shown; off: how far the newest packet moved the figure, cm"
        " and degrees."
    )
    return "\n".join((*lines, "", note))


def _heard(reception: Reception | None) -> str:
    if reception is None:
        return "ours | | | "
    if reception.age > 1.0 and not reception.rate:
        return f"**silent {reception.age:.0f} s** | | | "
    loss = "" if math.isnan(reception.loss) else f"{100.0 * reception.loss:.0f} %"
    latency = 1e3 * (reception.age if math.isnan(reception.latency) else reception.latency)
    place, joint = reception.jump
    off = f"{100.0 * place:.0f}, {math.degrees(joint):.0f}"
    return f"{reception.rate:.0f} | {loss} | {latency:.0f} | {off}"


def _network(news: ExerciseNews) -> str:
    lines = [
        f"out: {news.out[0]:.0f} packets/s, {_rate(news.out[1])}",
        f"in: {news.come[0]:.0f} packets/s, {_rate(news.come[1])}",
        *(f"**{each}**" for each in news.troubles),
    ]
    return "\n\n".join(lines)


def _rate(bytes_per_second: float) -> str:
    if bytes_per_second < 1e4:
        return f"{bytes_per_second:.0f} bytes/s"
    return f"{1e-3 * bytes_per_second:.0f} kB/s"


def _plain(text: str) -> str:
    """Return a name that others chose, without what would change the table."""
    return "".join(letter for letter in text if letter.isalnum() or letter in " .-_")
