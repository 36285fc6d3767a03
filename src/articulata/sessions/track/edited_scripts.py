"""Motions written in a figure's text: played, edited and read again while a session runs."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np

from articulata.analyses.track.signals import Signals, signals
from articulata.analyses.track.tracked_person import TrackedBody
from articulata.domains.kinematic.kinematic_domain import kinematic_model
from articulata.errors import ArticulataError
from articulata.records.files import make_folder, write_whole
from articulata.records.tracking import (
    ADDED,
    CHANGED,
    PACE,
    REMOVED,
    KeyedMotion,
    ScriptEdit,
)
from articulata.sessions.track.performing import SIGNAL, motions_of_signals
from articulata.sessions.track.tracked_figures import Follower, standing
from articulata.world.document import Document, parse, read
from articulata.world.figures.shelf import shelf
from articulata.world.model import World
from articulata.world.writing.rewritten_texts import WrittenKey, with_keys

LEAST = 0.01
"""Seconds between two key frames."""


class Scripts:
    """The motions of a session's figure; ``file`` is the text they are written to, if any."""

    def __init__(self, follower: Follower, body: TrackedBody, file: Path | None) -> None:
        self.follower, self.file = follower, file
        self._body = body
        self._seen = self._stamp()
        self._reading: threading.Thread | None = None
        self.signals: Signals | None = None
        self._learn()

    @property
    def motions(self) -> tuple[str, ...]:
        """The motions by name, signals first."""
        known = self.follower.world.figures[self.follower.who].motions
        return tuple(sorted(known, key=lambda name: (not name.startswith(SIGNAL), name)))

    def keyed(self) -> Mapping[str, KeyedMotion]:
        """Return the key frames of every motion."""
        performer = kinematic_model(self.follower.world).performers[self.follower.who]
        found = {}
        for name, motion in performer.node.motions.items():
            q = self.follower.figure.vector(performer.node.values)
            rows = []
            for frame in motion.frames:
                q = self.follower.figure.vector(frame.values, q)
                rows.append(q)
            times = np.array([frame.time for frame in motion.frames])
            found[name] = KeyedMotion(times, np.array(rows))
        return found

    def edit(self, edit: ScriptEdit) -> str:
        """Write a change to the text; return what is to be said of it.

        A text in which the change would be an error stays as it is.
        """
        if self.file is None:
            return "motions are changed where --scripts names a file for them"
        try:
            document = read(self.file)
            times = self.keyed()[edit.motion].times
            text = with_keys(document, self.follower.figure.name, edit.motion, _after(edit, times))
            # a text in which it would be an error raises
            self._standing(parse(text, str(self.file)))
            write_whole(self.file, text.encode())
        except (ArticulataError, OSError) as error:
            return f"**'{edit.motion}' stays as it is:** {error}"
        return f"'{edit.motion}' is saved in {self.file.name}."

    def look(self, done: Callable[[str], None]) -> None:
        """Read the text again where it has changed, in a thread; then call ``done``.

        It is told what is to be said: "" where all is well.
        """
        now = self._stamp()
        if now == self._seen or (self._reading is not None and self._reading.is_alive()):
            return
        self._seen = now

        def again() -> None:
            try:
                self._read()
            except ArticulataError as error:
                done(f"the motions stay as they were: {error}")
            else:
                done("")

        self._reading = threading.Thread(target=again, name="scripts", daemon=True)
        self._reading.start()

    # ---- inside

    def _read(self) -> None:
        assert self.file is not None
        name, who = self.follower.figure.name, self.follower.who
        world = self.follower.world
        old = world.figures[who]
        new = self._standing(read(self.file)).figures[who]
        if new.joints != old.joints:
            raise ArticulataError(
                f"figure '{name}' of {self.file.name} has other joints now; start again for them"
            )
        node = replace(old, motions=new.motions, postures=new.postures)
        figures = MappingProxyType({**world.figures, who: node})
        self.follower = replace(self.follower, world=replace(world, figures=figures))
        self._learn()

    def _standing(self, document: Document) -> World:
        """Return the world of the session's figure as a text has it."""
        return standing(document, self.follower.choice, self.follower.who)

    def _learn(self) -> None:
        motions = motions_of_signals(self.follower)
        self.signals = signals(self._body, motions) if motions else None

    def _stamp(self) -> tuple[int, int]:
        try:
            found = None if self.file is None else self.file.stat()
        except OSError:
            found = None
        return (0, 0) if found is None else (found.st_mtime_ns, found.st_size)


def _after(edit: ScriptEdit, times: np.ndarray) -> list[WrittenKey]:
    """Return the key frames of a motion with keys at ``times`` (s) after ``edit``."""
    keys = [WrittenKey(float(time), number) for number, time in enumerate(times)]
    if not 0 <= edit.key < len(keys):
        raise ArticulataError(f"there is no key frame {edit.key + 1}; there are {len(keys)}")
    this = keys[edit.key]
    if edit.what == CHANGED:
        low = times[edit.key - 1] + LEAST if edit.key else 0.0
        high = times[edit.key + 1] - LEAST if edit.key + 1 < len(times) else np.inf
        time = float(min(max(edit.value, low), high))
        keys[edit.key] = replace(this, time=time, joints=edit.joints)
    elif edit.what == ADDED:
        last = edit.key + 1 == len(keys)
        time = this.time + 0.5 if last else 0.5 * (this.time + keys[edit.key + 1].time)
        keys.insert(edit.key + 1, WrittenKey(time))
    elif edit.what == REMOVED:
        if len(keys) == 1:
            raise ArticulataError("a motion has one key frame at least")
        del keys[edit.key]
    elif edit.what == PACE:
        if not 0.1 <= edit.value <= 10.0:
            raise ArticulataError(f"a motion goes 0.1 to 10 times as fast, not {edit.value:g}")
        keys = [replace(each, time=each.time / edit.value) for each in keys]
    return keys


def text_for(file: Path, figure: str) -> bool:
    """Write the library's text of a figure to ``file`` unless it is there; return whether it was.

    Raises where the library has no such figure.
    """
    if file.exists():
        return False
    found = shelf().get(figure)
    if found is None:
        raise ArticulataError(f"--scripts {file}: there is no such file, and no figure '{figure}'")
    make_folder(file.parent)
    write_whole(file, found[0].read_bytes())
    return True
