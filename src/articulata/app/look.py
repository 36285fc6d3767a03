"""``articulata view``: the browser, or a strip of snapshots; figures for commands."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from articulata.app import console
from articulata.errors import FormatError, RecordingError
from articulata.world.foreign_files import is_urdf

if TYPE_CHECKING:
    from articulata.kinematics.figure import Figure
    from articulata.records.recording import Recording
    from articulata.report.viewer.motion_sources import Motion
    from articulata.sessions.watch import Retouching
    from articulata.world.model import World

TEXT: Final = ".art"
URDF: Final = ".urdf"
LONGEST: Final = 60.0
"""s of what moves by itself that are shown."""
FRAME: Final = 0.04
"""s between two pictures of that."""


def read_figure(
    file: Path, name: str, *, roots: Iterable[Path] = (), allow_missing_meshes: bool = False
) -> Figure:
    """Return the figure of a file; ``name`` says which where a text has several."""
    if is_urdf(file):
        from articulata.formats.urdf.urdf_figure import read_urdf

        return read_urdf(file, roots=roots, allow_missing_meshes=allow_missing_meshes)
    from articulata.kinematics.library import figure

    return figure(file, name)


def holds_figure(file: Path, world: str, figure: str) -> bool:
    """Return whether a figure of ``file`` is meant: asked for, or all that there is."""
    if is_urdf(file) or figure:
        return True
    if file.suffix != TEXT or world:
        return False
    # A line that begins a world tells enough: the page is there before anything is imported for it.
    with (
        contextlib.suppress(OSError, UnicodeDecodeError),
        file.open(encoding="utf-8-sig") as opened,
    ):
        if _begins_world(opened.read(1_000_000)):
            return False
    from articulata.world.document import read

    document = read(file)
    return bool(document.figures) and not document.worlds


def _begins_world(text: str) -> bool:
    """Return whether a line of ``text`` begins a world; one within a comment does not."""
    if "/*" in text:
        from articulata.world.language.syntax.scan import without_foreign

        text, _ = without_foreign(text)
    return re.search(r"^\s*world\s+\w", text, re.MULTILINE) is not None


def check_exported(file: Path, to: Path) -> None:
    """Raise FormatError where a text without a figure is to be written as what a run gives."""
    if file.suffix != TEXT or to.suffix == URDF:
        return
    from articulata.world.document import read

    if read(file).worlds:
        raise FormatError(
            f"{file.name} holds a world, and '{to.suffix}' holds what a run of it gives; simulate "
            f"it first (articulata simulate {file.name}), then export its run.artrun"
        )


def export_figure(file: Path, to: Path, name: str, *, roots: Iterable[Path]) -> None:
    """Write the figure of a file as the suffix of ``to`` says."""
    from articulata.report.export import export

    # A mesh that is named but not there is named again: nothing is lost by going on.
    export(read_figure(file, name, roots=roots, allow_missing_meshes=True), to)


RECORDING = ".artrun"


def show(source: Recording | World, *, port: int | None = None) -> None:
    """Show ``source`` in the browser until Ctrl-C."""
    # Imported here: the server is the heaviest part of the command line.
    from articulata.report.viewer.motion_sources import motion_of
    from articulata.sessions.showing import Showing

    with Showing(port=port) as showing:
        showing.viewer.show(motion_of(source))
        with contextlib.suppress(KeyboardInterrupt):
            console.opened(showing.viewer.address)
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

    file = recorded_in(file)
    own = file.suffix == ".art"
    if not file.suffix:
        file, figure = _shipped(file, figure)
    if holds_figure(file, world, figure):
        _show_figure(file, figure, tuple(roots), port)
        return

    def make(path: Path) -> Motion:
        if path.suffix == RECORDING:
            return motion_of(loaded(path))
        found = _world(path, world)
        return motion_of(found if path.suffix == TEXT else _moving(found))

    def retouching() -> Retouching:
        # Imported when something is saved: the page need not wait for it.
        from articulata.sessions.watch import Retouching

        return Retouching(file, world)

    with (
        Showing(port=port, retouching=retouching if own else None) as showing,
        contextlib.suppress(KeyboardInterrupt),
    ):
        # What is wrong at the start ends the command, before an address is told; what goes wrong
        # later is shown in the page.
        first = stamp(file), make(file)
        console.opened(showing.viewer.address)
        watch(showing.viewer, file, make, about=_shortfall, first=first)


def _shipped(name: Path, figure: str) -> tuple[Path, str]:
    """Return the file of a world or figure that ships, and which figure of it is meant."""
    from articulata.world.figures.shelf import shelf
    from articulata.world.world_files import shipped

    file, known = shipped(name), shelf().get(str(name))
    return (known[0], str(name)) if known and not file.exists() else (file, figure)


def _moving(world: World) -> Recording | World:
    """Return what moves in a world by itself, as a recording; the world where nothing does."""
    motions = [n.motions[each.motion] for n in world.figures.values() for each in n.follows]
    if not motions:
        return world
    from articulata.analyses.simulate.run import simulate

    until = min(max(each.frames[-1].time for each in motions), LONGEST)
    return simulate(world, until=until, step=min(FRAME, until), domains=("geometric", "kinematic"))


def _show_figure(file: Path, name: str, roots: tuple[Path, ...], port: int | None) -> None:
    from articulata.report.viewer.figures.viewer import FigureViewer
    from articulata.sessions.watch import stamp, watch

    def make(path: Path) -> Figure:
        # Missing meshes are named in the page; the rest of the figure can be looked at.
        return read_figure(path, name, roots=roots, allow_missing_meshes=True)

    with FigureViewer(port=port) as viewer, contextlib.suppress(KeyboardInterrupt):
        first = stamp(file), make(file)
        console.opened(viewer.address)
        watch(viewer, file, make, first=first)


def _world(file: Path, name: str) -> World:
    """Return the world of a text that ``name`` means, assembled, or one of a surface alone."""
    from articulata.kinematics.assembly.assembling import assemble
    from articulata.sessions.given_files import surface_alone
    from articulata.sessions.simulation import asked, of_several
    from articulata.world.document import read

    document = surface_alone(file) or read(file)
    request = asked(document, name)
    for line in of_several(document, name, request):
        console.note(line)
    return assemble(document.world(request))


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
    """Return the recording in ``file``, a file or the folder of a run; what it lacks is said."""
    from articulata.records.recording import load

    recording = load(recorded_in(file))
    if recording.shortfall:
        console.note(f"{file}: {recording.shortfall}")
    return recording


def recorded_in(file: Path) -> Path:
    """Return the recording of a run whose folder is given; any other file as it is."""
    from articulata.report.folder import RECORDING as NAME

    return file / NAME if (file / NAME).is_file() else file


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
