"""The viewer's controls of a run that is under way: pause, go on, one cycle, orders.

Callbacks leave a wish in the mailbox and nothing else: "order" with the words of an order.
"""

from __future__ import annotations

from typing import Any

from articulata.report.viewer.mailbox import Mailbox

BUTTONS = {"Pause": "pause", "Go on": "continue", "One cycle": "step", "End": "stop"}
"""What the buttons say, and the orders they give."""


class Helm:
    """Buttons, a line for orders and a list of control sequences; ``kept`` are their handles."""

    def __init__(self, gui: Any, wishes: Mailbox[object], sequences: tuple[str, ...]) -> None:
        self.kept: list[Any] = []
        folder = gui.add_folder("Run")
        self.kept.append(folder)
        with folder:
            buttons = gui.add_button_group("Run", tuple(BUTTONS))
            buttons.on_click(lambda event: _put(wishes, BUTTONS[event.target.value]))
            line = gui.add_text("Order", "", hint="break HINGE, set BODY.PROPERTY = VALUE, ...")
            give = gui.add_button("Give the order")
            give.on_click(lambda _: _typed(line, wishes))
            if sequences:
                which = gui.add_dropdown("Sequence", sequences)
                start = gui.add_button("Start the sequence")
                start.on_click(lambda _: _put(wishes, f"start {which.value}"))
            self._answer = gui.add_markdown("")

    def answer(self, text: str) -> None:
        """Show what became of an order."""
        self._answer.content = text


def _typed(line: Any, wishes: Mailbox[object]) -> None:
    text = line.value.strip()
    if text:
        line.value = ""
        _put(wishes, text)


def _put(wishes: Mailbox[object], text: str) -> None:
    # Orders are all to be done, so each has a place of its own in the mailbox.
    wishes.put(f"order {text}", text)
