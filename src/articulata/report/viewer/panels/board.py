"""All panels of a viewer: those of questions, and those of a world that stands still.

``Desk`` is what a question's panel works with, ``QuestionPanel`` what the viewer asks of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from articulata.geometry.arrays import Array
from articulata.report.viewer.conversation import Leaving
from articulata.report.viewer.handles import Edits
from articulata.report.viewer.layers import Layers
from articulata.report.viewer.motion_sources import Motion
from articulata.report.viewer.stage import Stage

if TYPE_CHECKING:
    from articulata.report.viewer.panels.standing_world import Put, Save


@dataclass(frozen=True, slots=True)
class Desk:
    """What the viewer lends to a panel.

    ``gui`` makes controls. ``wish(name, value)`` may be called from any thread, as callbacks are:
    it leaves the newest value for ``QuestionPanel.grant`` and returns at once. ``layers`` is for
    ``build`` and ``grant`` alone, which the drawing thread calls; what one of them changes is sent
    as one batch. So is ``move(poses)``: it puts the bodies to poses (bodies, 7), NaN where one is
    not there, until the time line moves or something else is shown. ``scene`` is the server's, for
    handles that are dragged; ``size`` is the diagonal of what is shown, m. ``edits`` is told how
    what a user moves is taken back.
    """

    gui: Any
    scene: Any
    layers: Layers
    wish: Callable[[str, object], None]
    move: Callable[[Array], None]
    size: Callable[[], float]
    edits: Edits = field(default_factory=Edits)


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


class Board:
    """Holds panels by their titles, each in a folder of its own; the drawing thread calls it.

    ``wish(title, name, value)`` leaves a wish, ``move(poses)`` puts bodies elsewhere, ``save`` and
    ``put`` write postures and places into the text where somebody can.
    """

    def __init__(
        self,
        server: Any,
        stage: Stage,
        wish: Callable[[str, str, object], None],
        move: Callable[[Array], None],
        save: Save | None,
        put: Put | None,
    ) -> None:
        self._server, self._stage = server, stage
        self._wish, self._move = wish, move
        self._save, self._put = save, put
        self.panels: dict[str, QuestionPanel] = {}
        self._folders: dict[str, Any] = {}
        self._leaving = Leaving()
        self._standing: list[str] = []
        self._edits = Edits()

    def attach(self, panel: QuestionPanel) -> None:
        """Build a panel in place of that of its title."""
        title = panel.title
        with self._server.atomic():
            if title in self._folders:
                self._leaving.put([self._folders.pop(title)])
            folder = self._folders[title] = self._server.gui.add_folder(title)
            self.panels[title] = panel
            with folder:
                panel.build(
                    Desk(
                        self._server.gui,
                        self._server.scene,
                        self._stage.layers,
                        lambda name, value: self._wish(title, name, value),
                        self._move,
                        lambda: self._stage.size,
                        self._edits,
                    )
                )

    def grant(self, title: str, name: str, value: object) -> None:
        """Let the panel of a title do what was wished; nothing where there is none."""
        if title in self.panels:
            with self._server.atomic():
                self.panels[title].grant(name, value)

    def undo(self) -> None:
        """Take back what a user moved last, where there is anything."""
        with self._server.atomic():
            self._edits.undo()

    def stand(self, motion: Motion) -> None:
        """Offer to pose the figures and to drag the bodies of a world that stands still."""
        self._edits.clear()
        for title in self._standing:
            self._leaving.put([self._folders.pop(title)])
            self.panels.pop(title).grant("remove", True)
        self._standing = []
        if motion.world is None:
            return
        # Imported here: they bring in kinematics and its kernels, which no run needs to be seen.
        from articulata.report.viewer.panels.standing_world import BodiesPanel, FiguresPanel

        poses = np.array(motion.poses[0])
        figures = FiguresPanel(motion.world, motion, poses, self._save, self._put)
        if figures.figures:
            self.attach(figures)
            self._standing.append(figures.title)
        if motion.source is not None:
            return  # an instant of a run: what else is there moved by itself
        bodies = BodiesPanel(motion.world, motion, poses, self._put)
        if bodies.bodies:
            self.attach(bodies)
            self._standing.append(bodies.title)
