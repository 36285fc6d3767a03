"""``art.view``: show something in the browser and wait."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, overload

from articulata.records.recording import Recording, load
from articulata.report.viewer.motion_sources import motion_of
from articulata.report.viewer.server import Viewer
from articulata.world.document import Document, read
from articulata.world.foreign_files import is_urdf
from articulata.world.model import World
from articulata.world.unfit_arguments import not_taken

if TYPE_CHECKING:
    from articulata.kinematics.figure import Figure
    from articulata.report.viewer.figures.viewer import FigureViewer


@overload
def view(
    source: Recording | World | Document,
    *,
    title: str = "",
    port: int | None = None,
    wait: bool = True,
) -> Viewer: ...
@overload
def view(
    source: Figure, *, title: str = "", port: int | None = None, wait: bool = True
) -> FigureViewer: ...
@overload
def view(
    source: str | Path | Document,
    *,
    title: str = "",
    port: int | None = None,
    wait: bool = True,
) -> Viewer | FigureViewer: ...
def view(
    source: Recording | World | Figure | Document | str | Path,
    *,
    title: str = "",
    port: int | None = None,
    wait: bool = True,
) -> Viewer | FigureViewer:
    """Show a recording, a world or a figure in the browser at ``http://127.0.0.1:PORT``.

    A file of one is read: a recording, a text, a robot's description. Of a text the only world is
    shown, or that of its first request, or its only figure. Raises what is wrong with it.
    A figure is moved by sliders, and dragged by the tips of its chains. The address is printed.
    With ``wait`` the call returns when Ctrl-C is pressed; without it the viewer is returned at
    once and lives until it is closed.
    """
    from articulata.kinematics.figure import Figure

    if isinstance(source, str | Path):
        source = _read(Path(source))
    if isinstance(source, Document):
        source = _shown_of(source)
    if not isinstance(source, Recording | World | Figure):
        raise not_taken("view", "a recording, a world, a figure or the file of one", source)
    viewer: Viewer | FigureViewer
    if isinstance(source, Figure):
        from articulata.report.viewer.figures.viewer import FigureViewer

        viewer = FigureViewer(port=port)
        viewer.show(source)
    else:
        viewer = Viewer(port=port)
        viewer.show(motion_of(source, title))
    print(f"articulata: open {viewer.address} (Ctrl-C ends it)")  # noqa: T201 - tells where to look
    if wait:
        viewer.wait()
    return viewer


def _read(file: Path) -> Recording | Figure | Document:
    """Return what a file holds."""
    if file.suffix == ".artrun":
        return load(file)
    if is_urdf(file):
        from articulata.formats.urdf.urdf_figure import read_urdf

        return read_urdf(file, allow_missing_meshes=True)
    return read(file)


def _shown_of(document: Document) -> World | Figure:
    """Return what of a text is shown: a world, assembled, or a figure where it has no world."""
    from articulata.kinematics.assembly.assembling import assemble
    from articulata.kinematics.library import figure

    if document.figures and not document.worlds:
        return figure(document)
    requested = [each for each in document.requests if each.world in document.worlds]
    if len(document.worlds) != 1 and requested:
        return assemble(document.world(requested[0]))
    return assemble(document.world())
