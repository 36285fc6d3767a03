"""A viewer that works with a run: it follows one under way, and runs on where an edit is undone."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from articulata.errors import ArticulataError
from articulata.records.recording import load
from articulata.report.folder import monitored
from articulata.report.viewer.motion_sources import Motion, motion_of
from articulata.report.viewer.server import Viewer
from articulata.sessions.watch import stamp
from articulata.world.values import Pose

if TYPE_CHECKING:
    from articulata.sessions.command_fields import SimulateAsked
    from articulata.sessions.watch import Retouching
    from articulata.world.requests.request import Report
from articulata.sessions.steered_run import Steering

PERIOD = 0.4
"""Seconds between two looks at a recording that grows."""

GLANCE = 0.15
"""The same for one that is played from its start: the first frames are waited for."""

SHARE = 4.0
"""Looking takes at most one part in so many of the time, however long the recording."""

CORES = 3
"""With fewer cores a run waits for the browser's first picture."""

OPENED = 1.5
"""Seconds for which it waits for a browser to open the page; lost where nobody looks."""

DRAWN = 0.8
"""Seconds that the processor then takes to draw the first picture."""

ASKED = 0.02
"""Seconds between two looks at who has opened the page."""


class Showing:
    """A viewer with somebody behind it who runs simulations. Use it as a context manager.

    With ``steering`` the viewer gives orders to the run that it steers, with ``retouching`` what is
    moved in a world that stands still can be saved to its text; it is called at each saving.
    The plot opens on what ``reports`` monitor.
    """

    def __init__(
        self,
        *,
        port: int | None = None,
        steering: Steering | None = None,
        controllers: Mapping[str, Callable[..., Any]] | None = None,
        retouching: Callable[[], Retouching] | None = None,
    ) -> None:
        order = None if steering is None else steering.order
        self._retouching = retouching
        save = None if retouching is None else self._save
        put = None if retouching is None else self._put
        self.reports: tuple[Report, ...] = ()
        self.viewer = Viewer(port=port, order=order, undo=self._undo, save=save, put=put)
        self.controllers: Mapping[str, Callable[..., Any]] = controllers or {}
        self._busy = threading.Lock()

    def __enter__(self) -> Showing:
        return self

    def __exit__(self, *_: object) -> None:
        self.viewer.close()

    def begin(self, wish: SimulateAsked, steering: Steering) -> None:
        """Show the world of ``wish`` as it stands, until there is something of its run to be seen.

        On one or two cores, return when a browser has had time to draw it: the run would take one
        of them. The end of ``steering`` ends that wait. What is wrong with the text is said by who
        simulates it.
        """
        # Imported here: it brings in the compiler, which the run is about to need.
        from articulata.kernels.lanes.host import processor_count
        from articulata.sessions.simulation import chosen
        from articulata.world.document import read

        try:
            document = read(wish.file)
            request = chosen(document, wish)
            world, self.reports = document.world(request), request.reports
        except ArticulataError:
            return
        self.viewer.show_first(replace(motion_of(world), world=None))
        if processor_count() < CORES:
            self._leave_to_browser(steering)

    def _leave_to_browser(self, steering: Steering) -> None:
        until = time.monotonic() + OPENED
        while not self.viewer.clients and time.monotonic() < until:
            if steering.ended_within(ASKED):
                return
        if self.viewer.clients:
            steering.ended_within(DRAWN)

    def follow(self, path: Path, steering: Steering, running: Callable[[], bool]) -> None:
        """Show the recording at ``path`` as it grows, until nobody is ``running``."""
        offered, seen = steering.sequences, stamp(path)
        self.viewer.offer(offered)
        while True:
            last = not running()
            self.viewer.check()
            if steering.sequences != offered:
                offered = steering.sequences
                self.viewer.offer(offered)
            begun = time.monotonic()
            # What lies there before the run begins is another run's.
            now = stamp(path)
            if now is not None and now != seen:
                seen = now
                self._look(path)
            if last:
                return
            time.sleep(max(PERIOD, SHARE * (time.monotonic() - begun)))

    def grow(self, path: Path, running: Callable[[], bool]) -> None:
        """Play the recording at ``path`` while it is written, until nobody is ``running``."""
        seen = stamp(path)
        while True:
            last = not running()
            self.viewer.check()
            begun = time.monotonic()
            now = stamp(path)
            if now is not None and now != seen:
                seen = now
                self._look(path, playing=True)
            if last:
                return
            time.sleep(max(GLANCE, SHARE * (time.monotonic() - begun)))

    def _look(self, path: Path, *, playing: bool = False) -> None:
        try:
            recording = load(path)
            growing = bool(recording.shortfall)
            if not len(recording.times):
                return
            plotted = monitored(recording, self.reports)
            motion = replace(motion_of(recording), shown_first=plotted)
            if playing:
                self.viewer.grow(motion, growing=growing)
            else:
                self.viewer.follow(motion)
        except ArticulataError as error:
            self.viewer.say(str(error))

    def _save(self, figure: str, values: Mapping[str, float]) -> str:
        assert self._retouching is not None
        return self._retouching().posture(figure, values)

    def _put(self, name: str, pose: Pose) -> str:
        assert self._retouching is not None
        return self._retouching().place(name, pose)

    def _undo(self, motion: Motion, number: int) -> None:
        """Start a thread that runs on from before an edit; the viewer is not kept waiting."""
        if motion.source is not None and self._busy.acquire(blocking=False):
            self.viewer.say("Running on without that edit...")
            threading.Thread(
                target=self._run_on, args=(motion, number), name="undo", daemon=True
            ).start()

    def _run_on(self, motion: Motion, number: int) -> None:
        # Imported here: it brings in the compiler.
        from articulata.sessions.undone_edits import run_on

        assert motion.source is not None
        try:
            recording = run_on(motion.source, number, controllers=self.controllers)
            time_of = motion.events[number].time
            title = f"{motion.source.world.name}, undone at {time_of:.6g} s"
            self.viewer.add(motion_of(recording, title))
            self.viewer.say("")
        except ArticulataError as error:
            self.viewer.say(f"**This edit cannot be undone here:** {error}")
        finally:
            self._busy.release()
