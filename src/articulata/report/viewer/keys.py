"""Keys of the viewers, the list of them that ``?`` shows, and a picture of what is seen.

viser offers commands with keys, lists them at Ctrl+K, and hears no key while somebody types.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any, Final

import numpy as np

from articulata.report.viewer.lights import PAPER


@dataclass(frozen=True, slots=True)
class Key:
    """A key as viser calls it ("space", "N", ","), what it does, and who does it."""

    key: str
    does: str
    act: Callable[[], None]
    modifier: str | None = None


_MOTION: Final = (
    ("space", "Play or pause", "toggle", True, None),
    ("B", "One frame back", "step", "<", None),
    ("N", "One frame on", "step", ">", None),
    ("B", "Ten frames back", "step", "<<", "shift"),
    ("N", "Ten frames on", "step", ">>", "shift"),
    ("home", "First frame", "step", "|<", None),
    ("end", "Last frame", "step", ">|", None),
    (",", "Event before", "event", "previous", None),
    (".", "Event after", "event", "next", None),
    ("L", "Loop, or stop at the end", "flip", "loop", None),
    ("T", "Names of bodies", "flip", "names", None),
    ("X", "Frames of bodies", "flip", "frames", None),
    ("1", "View from the front", "view", "front", None),
    ("2", "View from the right", "view", "right", None),
    ("3", "View from above", "view", "above", None),
    ("F", "Fit the scene into view", "fit", True, None),
    ("Z", "Take back what was moved last", "back", True, "cmd/ctrl"),
)
"""Keys of a motion, what they do, and the wish and its value that they leave."""


def motion_keys(put: Callable[[str, object], None]) -> list[Key]:
    """Return the keys of a motion; each leaves its wish with ``put``."""
    return [
        Key(key, does, partial(put, wish, value), modifier)
        for key, does, wish, value, modifier in _MOTION
    ]


SHOWN: Final = {
    "space": "Space",
    "home": "Home",
    "end": "End",
    "escape": "Escape",
}
"""How keys are called that are not called by their sign."""

MODIFIERS: Final = {None: "", "shift": "Shift+", "cmd/ctrl": "Ctrl+"}

GESTURES: Final = (
    ("drag, arrow keys", "Turn the view"),
    ("right drag, W A S D Q E", "Move the view"),
    ("wheel, pinch", "Zoom"),
    ("click a body", "Its name and where it is"),
)
"""What a browser's camera does by itself."""

LAST: Final = 1e9
"""Order of what stands below all other controls."""


class Keys:
    """The keys of one server's pages; ``title`` names the picture that ``P`` saves."""

    def __init__(self, server: Any, title: Callable[[], str], keys: Sequence[Key]) -> None:
        self._gui, self._title = server.gui, title
        self._told: list[tuple[str, str]] = []
        self._open: dict[int, Any] = {}
        button = self._gui.add_button(
            "Keys (?)", hint="What can be done without the mouse", order=LAST
        )
        button.on_click(lambda event: self._toggle(event.client))
        for each in keys:
            self._command(each.key, each.does, each.modifier, _by_any(each.act))
        self._command("P", "Save a picture", None, lambda e: self._picture(e.client))
        self._command("?", "Show or hide the keys", "shift", lambda e: self._toggle(e.client))
        self._command("escape", "Hide the keys", None, lambda e: self._close(e.client))

    def _command(
        self, key: str, does: str, modifier: str | None, act: Callable[[Any], object]
    ) -> None:
        self._gui.add_command(does, hotkey=key, modifier=modifier).on_trigger(act)
        shown = SHOWN.get(key, key)
        held = "" if key == "?" else MODIFIERS[modifier]  # the sign says that it needs Shift
        self._told.append((held + shown, does))

    def _toggle(self, client: Any) -> None:
        """Show the keys to a client, or hide them where they are shown."""
        if client is None or self._close(client):
            return
        modal = self._open[client.client_id] = client.gui.add_modal("Keys")
        with modal:
            client.gui.add_markdown(listed(self._told))
            client.gui.add_button("Close").on_click(lambda _: self._close(client))

    def _close(self, client: Any) -> bool:
        """Hide the keys; tell whether they were shown."""
        modal = None if client is None else self._open.pop(client.client_id, None)
        if modal is not None:
            modal.close()
        return modal is not None

    def _picture(self, client: Any) -> None:
        """Save what a client sees, as large as its page, as PNG."""
        from PIL import Image

        camera = client.camera
        seen = client.get_render(
            camera.image_height, camera.image_width, transport_format="png", timeout=30.0
        )
        image = Image.new("RGB", (seen.shape[1], seen.shape[0]), PAPER)
        drawn = Image.fromarray(np.asarray(seen, np.uint8))
        image.paste(drawn, mask=drawn if drawn.mode == "RGBA" else None)
        out = io.BytesIO()
        image.save(out, "PNG")
        name = re.sub(r"[^\w.-]+", "_", self._title()) or "picture"
        client.send_file_download(f"{name}.png", out.getvalue(), save_immediately=True)


def listed(told: Sequence[tuple[str, str]]) -> str:
    """Return the table of keys; neighbours of one stem ("One frame back", "on") share a row."""
    lines = ["| key | what it does |", "|---|---|"]
    for stem, rows in groupby(told, lambda row: " ".join(row[1].split()[:2])):
        keys, does = zip(*rows, strict=True)
        ends = ", ".join(each.removeprefix(stem).strip() for each in does)
        lines.append(f"| {' '.join(f'`{key}`' for key in keys)} | {f'{stem} {ends}'.strip()} |")
    return "\n".join([*lines, *(f"| {key} | {does} |" for key, does in GESTURES)])


def _by_any(act: Callable[[], None]) -> Callable[[Any], None]:
    """Return what a key does whoever presses it."""
    return lambda _: act()
