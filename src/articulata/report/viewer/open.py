"""``art.view``: show something in the browser and wait."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from articulata.records.recording import Recording
from articulata.report.viewer.motion_sources import motion_of
from articulata.report.viewer.server import Viewer
from articulata.world.model import World

if TYPE_CHECKING:
    from articulata.kinematics.figure import Figure
    from articulata.report.viewer.figures.viewer import FigureViewer


@overload
def view(
    source: Recording | World, *, title: str = "", port: int | None = None, wait: bool = True
) -> Viewer: ...
@overload
def view(
    source: Figure, *, title: str = "", port: int | None = None, wait: bool = True
) -> FigureViewer: ...
def view(
    source: Recording | World | Figure,
    *,
    title: str = "",
    port: int | None = None,
    wait: bool = True,
) -> Viewer | FigureViewer:
    """Show a recording, a world or a figure in the browser at ``http://127.0.0.1:PORT``.

    A figure is moved by sliders, and dragged by the tips of its chains. The address is printed.
    With ``wait`` the call returns when Ctrl-C is pressed; without it the viewer is returned at
    once and lives until it is closed.
    """
    from articulata.kinematics.figure import Figure

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
