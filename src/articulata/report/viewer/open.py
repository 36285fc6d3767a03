"""``art.view``: show something in the browser and wait."""

from __future__ import annotations

from articulata.records.recording import Recording
from articulata.report.viewer.server import Viewer
from articulata.report.viewer.sources import motion_of
from articulata.world.model import World


def view(
    source: Recording | World, *, title: str = "", port: int | None = None, wait: bool = True
) -> Viewer:
    """Show a recording or a world in the browser at ``http://127.0.0.1:PORT``.

    The address is printed. With ``wait`` the call returns when Ctrl-C is pressed; without it the
    viewer is returned at once and lives until it is closed.
    """
    viewer = Viewer(port=port)
    viewer.show(motion_of(source, title))
    print(f"articulata: open {viewer.address} (Ctrl-C ends it)")  # noqa: T201 - tells where to look
    if wait:
        viewer.wait()
    return viewer
