"""What is moved in a room by a handle, what goes along with it, and how it is taken back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from articulata.geometry.arrays import Array
from articulata.geometry.poses import make_pose
from articulata.report.viewer.handles import Handles
from articulata.report.viewer.panels.board import Desk, wish_by_user

NOBODY: Final = "nothing"
PERSON: Final = "the person"
DIGITS: Final = 3
"""What is dragged goes by whole millimetres."""


@dataclass(frozen=True, slots=True)
class ReachServices:
    """What a session does for the panel; each returns at once.

    ``moved(who, bodies, p_WB)`` takes the first of ``bodies`` to another place, the others along
    with it, returns the number of the move, and answers with wishes "verdicts" and "part", for
    ``who`` first, and "coming": names of the answers that are still sought; at rest with "remedy":
    the number of the last move, and a verdict with what would mend it. ``along(body)`` returns a
    body and what goes along.
    ``stood(who, base)`` asks what is reached from (x, y, turn) and answers with "stands".
    ``named(who, name, ray, unseen)`` gives a name to the place that a ray (2, 3) in W meets first,
    but for bodies ``unseen``, and answers with "named": the place (3,) in W or None, ``who`` in a
    posture that reaches it or None, and what is to be said. ``save()`` writes new places and names
    into the text and returns what is to be said.
    """

    moved: Callable[[str, tuple[str, ...], Array], int]
    along: Callable[[str], tuple[str, ...]]
    stood: Callable[[str, Array], None]
    named: Callable[[str, str, Array, tuple[str, ...]], None]
    save: Callable[[], str]


class Mover:
    """Moves bodies at ``poses`` (bodies, 7), whose ``names`` are told, and asks a session.

    ``movable`` are those that get a handle. ``poses`` are changed in place.
    """

    def __init__(
        self, poses: Array, names: Sequence[str], movable: Sequence[str], services: ReachServices
    ) -> None:
        self.poses, self.services = poses, services
        self._numbers = {name: number for number, name in enumerate(names)}
        self._movable = tuple(movable)
        self._held = NOBODY
        self._group: tuple[str, ...] = ()
        self._past: list[tuple[tuple[str, ...], Array]] = []
        self._number = 0

    @property
    def holds_person(self) -> bool:
        """Whether the handle is that of the person."""
        return self._held == PERSON

    @property
    def changed(self) -> bool:
        """Whether anything was moved that was not taken back."""
        return bool(self._past)

    def last(self, number: int) -> bool:
        """Whether nothing was moved since the move of that number."""
        return number == self._number

    def build(self, desk: Desk) -> None:
        """Make the controls of what is moved and saved."""
        self._desk, gui = desk, desk.gui
        held = gui.add_dropdown("Move", (NOBODY, PERSON, *self._movable))
        wish_by_user(held, desk.wish, "hold")
        self._undo = gui.add_button("Undo the last move", visible=False)
        self._undo.on_click(lambda _: desk.wish("undo", True))
        save = gui.add_button("Save new places to the text")
        save.on_click(lambda _: desk.wish("save", True))
        self._told = gui.add_markdown("")
        self._handles = Handles(
            desk.scene,
            lambda name, X: desk.wish(f"drag:{name}", X),
            lambda name: desk.wish("released", name),
            folder="/reach handles",
        )

    def build_name(self, desk: Desk) -> None:
        """Make the field for the name of a place."""
        hint = "Type a name, then click the place on a thing"
        self._name = desk.gui.add_text("Name", "", hint=hint)
        wish_by_user(self._name, desk.wish, "name", str.strip)

    def hold(self, name: str, X_WP: Array | None) -> None:
        """Put a handle on a body, or on the person, who stands at ``X_WP`` if anywhere."""
        if name != self._held:
            self._handles.clear()
        self._held = name
        size = self._desk.size()
        if name in self._numbers:
            X = make_pose(p=self.poses[self._numbers[name], :3])
            self._handles.place({name: X}, size, turns=False)
        elif name == PERSON and X_WP is not None:
            self._handles.place({PERSON: X_WP}, size, flat=True)
        else:
            self._handles.clear()

    def drag(self, who: str, name: str, p_WB: Array) -> None:
        """Move a body to a place, and what goes along; ask first what ``who`` reaches then."""
        if name not in self._group[:1]:
            self._group = self.services.along(name)
            self._past.append((self._group, self.poses[self._numbers[name], :3].copy()))
            self._undo.visible = True
            self._desk.edits.note(f"reach {self._number}", lambda: self._desk.wish("undo", True))
        before = self._past[-1][1]
        self._carry(who, self._group, before + (p_WB - before).round(DIGITS))

    def released(self) -> None:
        """Begin anew with the next drag: what goes along then, and what is taken back."""
        self._group = ()

    def take_back(self, who: str) -> bool:
        """Move what was moved last to where it was before; return whether anything was."""
        if not self._past:
            return False
        bodies, p_WB = self._past.pop()
        self._undo.visible = bool(self._past)
        self.released()
        self._carry(who, bodies, p_WB)
        if self._held in self._numbers:
            self.hold(self._held, None)
        return True

    def save(self) -> None:
        """Write into the text, and say what became of it."""
        self._told.content = self.services.save()

    def forget_name(self) -> None:
        """Empty the field of the name."""
        self._name.value = ""

    def _carry(self, who: str, bodies: tuple[str, ...], p_WB: Array) -> None:
        rows = [self._numbers[name] for name in bodies if name in self._numbers]
        self.poses[rows, :3] += p_WB - self.poses[self._numbers[bodies[0]], :3]
        self._number = self.services.moved(who, bodies, p_WB)


def base_pose(q: Array) -> Array:
    """Return the base's pose in the ground frame, of a posture."""
    X = np.eye(4)
    c, s = np.cos(q[2]), np.sin(q[2])
    X[:2, :2] = [[c, -s], [s, c]]
    X[:2, 3] = q[:2]
    return X
