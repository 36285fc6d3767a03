"""A file and its viewer: shown again whenever it changes, written when something is moved there."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol, TypeAlias, TypeVar

from articulata.errors import ArticulataError
from articulata.kinematics.joint import PRISMATIC
from articulata.kinematics.world_figure import figure_of
from articulata.records.files import write_whole
from articulata.world.document import Document, parse, read
from articulata.world.figures.derivation import ROOT
from articulata.world.figures.nodes import upright_turn
from articulata.world.single_frames import compose, inverse, moved
from articulata.world.values import ZERO, Pose
from articulata.world.writing.rewritten_texts import with_place, with_posture

PERIOD = 0.3
"""Seconds between two looks at the file."""

SETTLED = 0.05
"""Seconds for which a file that has changed stays as it is before it is read: what writes it may
have emptied it first."""


Stamp: TypeAlias = tuple[int, int] | None
"""Time and size of a file, None where there is none."""

Seen = TypeVar("Seen", contravariant=True)
Made = TypeVar("Made")


class Shows(Protocol[Seen]):
    """A viewer of motions, of figures, of anything."""

    def show(self, source: Seen, /) -> None:
        """Show ``source`` in place of what was shown."""

    def say(self, text: str, /) -> None:
        """Show a message; nothing when it is empty."""


def watch(
    viewer: Shows[Made],
    path: Path,
    make: Callable[[Path], Made],
    *,
    ended: Callable[[], bool] = lambda: False,
    about: Callable[[Made], str] = lambda _: "",
    first: tuple[Stamp, Made] | None = None,
) -> None:
    """Show what ``make`` makes of the file at ``path``; make it anew when the file changes.

    ``about`` returns what is to be said of it. ``first`` is what was made of it already, with its
    ``stamp`` before that.
    A file that cannot be used leaves the last good picture standing, with the reason beside it.
    Returns when ``ended`` says so.
    """
    shown: Stamp = None
    if first is not None:
        shown, made = first
        viewer.say(about(made))
        viewer.show(made)
    while not ended():
        now = stamp(path)
        if now != shown:
            time.sleep(SETTLED)
            if stamp(path) != now:
                continue
            shown = now
            try:
                made = make(path)
            except ArticulataError as error:
                viewer.say(f"**{path.name} is not shown as it now stands:**\n```\n{error}\n```")
            else:
                viewer.say(about(made))
                viewer.show(made)
        time.sleep(PERIOD)


def stamp(path: Path) -> Stamp:
    """Return what tells a file from what it was before: its time and size, None without a file."""
    try:
        status = path.stat()
    except OSError:
        # Some editors replace a file by renaming: for a moment it is not there.
        return None
    return status.st_mtime_ns, status.st_size


SAME = 1e-4
"""A joint within so much (rad, m) of its neutral value is not written."""


class Retouching:
    """Writes postures and places into the world ``name`` of ``file``; "" is its only one.

    What it returns is said in the viewer. A text in which the change would be an error stays as
    it is.
    """

    def __init__(self, file: Path, name: str = "") -> None:
        self._file, self._name = file, name

    def posture(self, figure: str, values: Mapping[str, float]) -> str:
        """Save the joint values (rad, m) of a figure."""

        def changed(document: Document, world: str) -> str:
            known = figure_of(document.world(world), figure)
            neutral = dict(zip(known.names, known.neutral, strict=True))
            kinds = {joint.name: joint.kind for joint in known.joints}
            said = {
                name: (1e3 * value, "mm")
                if kinds[name] == PRISMATIC
                else (math.degrees(value), "deg")
                for name, value in values.items()
                if abs(value - neutral[name]) > SAME
            }
            return with_posture(document, world, figure, said)

        return self._saved(figure, changed)

    def place(self, name: str, pose: Pose) -> str:
        """Save where the centre of a body or the base of a figure is, and how it is turned."""

        def changed(document: Document, world: str) -> str:
            found = document.world(world)
            node = found.figures.get(name)
            if node is None:
                point, stands = f"{name}.center", pose
            else:
                # a statement turns what stands upright already
                point = f"{name}.{ROOT}"
                upright = Pose(ZERO, upright_turn(node, found.gravity))
                root = found.bodies[next(id for id, joint in node.carriers.items() if not joint)]
                inner = root.features[ROOT].pose.position if ROOT in root.features else ZERO
                turn = compose(pose, inverse(upright)).orientation
                stands = Pose(moved(pose, inner), turn)
            return with_place(document, world, name, point, stands.position, stands.orientation)

        return self._saved(name, changed)

    def _saved(self, what: str, changed: Callable[[Document, str], str]) -> str:
        try:
            document = read(self._file)
            world = self._name.partition("(")[0] or document.worlds[0]
            text = changed(document, world)
            found = parse(text, str(self._file)).check(starts=False)
            errors = [each for each in found if each.severity == "error"]
            if errors:
                return f"**'{what}' is not saved:** {errors[0].message}"
            write_whole(self._file, text.encode())
        except (ArticulataError, IndexError) as error:
            return f"**'{what}' is not saved:** {error}"
        return f"'{what}' is saved in {self._file.name}."
