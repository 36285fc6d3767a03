"""``articulata pose``: the posture that a human would take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from articulata.app import console
from articulata.app.options import explained
from articulata.sessions.command_fields import GivenSeed, Headless, Out, Port, World, WorldFile

if TYPE_CHECKING:
    from articulata.sessions.pose_files import PoseResult


def pose(
    file: WorldFile,
    world: World = "",
    out: Out = None,
    headless: Headless = False,
    seed: GivenSeed = None,
    port: Port = None,
) -> None:
    """Find the postures a human would take, and the best of them."""
    from articulata.sessions.pose_files import PoseWish, pose_file

    with explained():
        wish = PoseWish(file, out or Path("out") / file.stem, world, seed)
        with console.Bar("writing results") as bar:
            result = pose_file(wish, bar.writing)
        for path in result.files:
            console.result(str(path))
        console.note(result.front.summary())
        if result.stuck:
            console.note(result.stuck)
        if not headless:
            _show(result, port)
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
        console.result(f"articulata: open {viewer.address} (Ctrl-C ends it)")
        viewer.wait()
