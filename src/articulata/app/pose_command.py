"""``articulata pose``: the posture that a human would take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from articulata.app import console
from articulata.app.options import explained
from articulata.sessions.command_fields import Asked

if TYPE_CHECKING:
    from articulata.sessions.pose_files import PoseResult


def pose(asked: Asked) -> None:
    """Find the postures a human would take, and the best of them."""
    from articulata.sessions.pose_files import pose_file

    with explained():
        with console.Bar("writing results") as bar:
            result = pose_file(asked, bar.writing)
        for path in result.files:
            console.result(str(path))
        console.note(result.front.summary())
        if result.stuck:
            console.note(result.stuck)
        if not asked.headless:
            _show(result, asked.port)
        if not result.front.found:
            raise SystemExit(1)


def _show(result: PoseResult, port: int | None) -> None:
    from articulata.report.front_tables import body_poses
    from articulata.report.viewer.motion_sources import motion_of
    from articulata.report.viewer.panels.pose_panel import PosePanel
    from articulata.report.viewer.server import Viewer
    from articulata.sessions.pose_files import LivePose, places_of

    world = result.asked.world
    with Viewer(port=port) as viewer:
        viewer.show(motion_of(result.motion or world))
        live = LivePose(result.asked, result.search) if result.front.found else None
        poses = body_poses(world, result.front)
        panel = PosePanel(result.front, poses, places_of(result.asked), live)
        viewer.attach(panel)
        console.opened(viewer.address)
        viewer.wait()
