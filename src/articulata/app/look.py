"""``articulata view``: the browser, or a strip of snapshots in one picture."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from articulata.app import console
from articulata.app.figures import holds_figure, read_figure
from articulata.errors import FormatError, RecordingError

if TYPE_CHECKING:
    from articulata.kinematics.figure import Figure
    from articulata.records.recording import Recording
    from articulata.report.viewer.motion import Motion
    from articulata.sessions.retouching import Retouching
    from articulata.world.model import World

RECORDING = ".artrun"


def show(source: Recording | World, *, port: int | None = None) -> None:
    """Show ``source`` in the browser until Ctrl-C."""
    # Imported here: the server is the heaviest part of the command line.
    from articulata.report.viewer.motion_sources import motion_of
    from articulata.sessions.showing import Showing

    with Showing(port=port) as showing:
        showing.viewer.show(motion_of(source), playing=True)
        with contextlib.suppress(KeyboardInterrupt):
            console.result(f"articulata: open {showing.viewer.address} (Ctrl-C ends it)")
            showing.viewer.wait()


def show_file(
    file: Path,
    world: str,
    *,
    figure: str = "",
    roots: Iterable[Path] = (),
    port: int | None = None,
) -> None:
    """Show a recording, a figure, or a world of a text as it stands at the start, until Ctrl-C.

    The picture follows the file: it is made anew whenever the file changes.
    """
    from articulata.report.viewer.motion_sources import motion_of
    from articulata.sessions.showing import Showing
    from articulata.sessions.watch import stamp, watch

    if holds_figure(file, world, figure):
        _show_figure(file, figure, tuple(roots), port)
        return

    def make(path: Path) -> Motion:
        return motion_of(loaded(path) if path.suffix == RECORDING else _world(path, world))

    def retouching() -> Retouching:
        # Imported when something is saved: the page need not wait for it.
        from articulata.sessions.retouching import Retouching

        return Retouching(file, world)

    with (
        Showing(port=port, retouching=retouching if file.suffix == ".art" else None) as showing,
        contextlib.suppress(KeyboardInterrupt),
    ):
        # What is wrong at the start ends the command, before an address is told; what goes wrong
        # later is shown in the page.
        first = stamp(file), make(file)
        console.result(f"articulata: open {showing.viewer.address} (Ctrl-C ends it)")
        watch(showing.viewer, file, make, about=_shortfall, first=first)


def _show_figure(file: Path, name: str, roots: tuple[Path, ...], port: int | None) -> None:
    from articulata.report.viewer.figures.viewer import FigureViewer
    from articulata.sessions.watch import stamp, watch

    def make(path: Path) -> Figure:
        # Missing meshes are named in the page; the rest of the figure can be looked at.
        return read_figure(path, name, roots=roots, allow_missing_meshes=True)

    with FigureViewer(port=port) as viewer, contextlib.suppress(KeyboardInterrupt):
        first = stamp(file), make(file)
        console.result(f"articulata: open {viewer.address} (Ctrl-C ends it)")
        watch(viewer, file, make, first=first)


def _world(file: Path, name: str) -> World:
    """Return the world of a text that ``name`` means, assembled, or one of a surface alone."""
    from articulata.kinematics.assembly.assembling import assemble
    from articulata.sessions.robots import surface_alone
    from articulata.sessions.simulation import asked
    from articulata.world.document import read

    document = surface_alone(file) or read(file)
    return assemble(document.world(asked(document, name)))


def draw_strip(file: Path, text: str, out: Path | None) -> Path:
    """Draw the strip "T0:T1:N" of a recording; return the file it is in."""
    from articulata.records.files import write_whole
    from articulata.report.plots import is_picture, picture
    from articulata.report.strip import strip

    start, end, count = _strip(text)
    if file.suffix != RECORDING:
        raise FormatError(
            f"a strip is drawn from a recording (.artrun), not from {file.name}; simulate it first"
        )
    target = file.with_name(f"{file.stem}-strip.png") if out is None else out
    if not is_picture(target):
        raise FormatError(f"a strip cannot be written as '{target}'; give .png, .svg or .pdf")
    write_whole(target, picture(strip(loaded(file), start, end, count), target.suffix))
    return target


def loaded(file: Path) -> Recording:
    """Return the recording in ``file``; what is missing of its run is said."""
    from articulata.records.recording import load

    recording = load(file)
    if recording.shortfall:
        console.note(f"{file}: {recording.shortfall}")
    return recording


def _shortfall(motion: Motion) -> str:
    """Return what the page says above the controls of a run that is not whole."""
    short = "" if motion.source is None else motion.source.shortfall
    return f"**Not the whole run:** {short}" if short else ""


def _strip(text: str) -> tuple[float, float, int]:
    parts = text.split(":")
    try:
        start, end, count = float(parts[0]), float(parts[1]), int(parts[2])
    except (ValueError, IndexError):
        raise RecordingError(
            f"--strip {text!r}: give start, end in s and a number of snapshots, as in 0:2.5:6"
        ) from None
    if len(parts) > 3:
        raise RecordingError(f"--strip {text!r}: give three values, as in 0:2.5:6")
    return start, end, count
