"""What a question's panel works with, and what the viewer asks of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from articulata.geometry.arrays import Array
from articulata.report.viewer.layers import Layers


@dataclass(frozen=True, slots=True)
class Desk:
    """What the viewer lends to a panel.

    ``gui`` makes controls. ``wish(name, value)`` may be called from any thread, as callbacks are:
    it leaves the newest value for ``QuestionPanel.grant`` and returns at once. ``layers`` is for
    ``build`` and ``grant`` alone, which the drawing thread calls; what one of them changes is sent
    as one batch. So is ``move(poses)``: it puts the bodies to poses (bodies, 7), NaN where one is
    not there, until the time line moves or something else is shown. ``scene`` is the server's, for
    handles that are dragged; ``size`` is the diagonal of what is shown, m.
    """

    gui: Any
    scene: Any
    layers: Layers
    wish: Callable[[str, object], None]
    move: Callable[[Array], None]
    size: Callable[[], float]


class QuestionPanel(Protocol):
    """The controls and layers of one question."""

    @property
    def title(self) -> str:
        """The name of its folder among the controls."""
        ...

    def build(self, desk: Desk) -> None:
        """Make the controls, within the panel's own folder, and draw what is there already."""
        ...

    def grant(self, name: str, value: object) -> None:
        """Do what was wished: by a control of the panel, or by ``Viewer.wish``."""
        ...


def wish_by_user(
    control: Any,
    wish: Callable[[str, object], None],
    name: str,
    read: Callable[[Any], object] = str,
) -> None:
    """Leave a wish where a user changes a control; what a panel sets itself is none."""

    def changed(event: Any) -> None:
        if event.client is not None:
            wish(name, read(event.target.value))

    control.on_update(changed)
