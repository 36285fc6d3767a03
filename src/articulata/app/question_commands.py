"""Commands that ask something of a world: vary, optimise, reach, draw, pose, track and film."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from articulata.app import console
from articulata.app.console import explained
from articulata.errors import ArticulataError
from articulata.sessions.command_fields import (
    Argument,
    FilmAsked,
    OptimiseAsked,
    Port,
    ReachAsked,
    VaryAsked,
)
from articulata.sessions.command_fields import Asked as PoseAsked
from articulata.sessions.track.track_options import Asked as TrackAsked

if TYPE_CHECKING:
    from articulata.sessions.pose_files import PoseResult

TURNS = 5e-4
"""s. People are answered on threads of their own; so long one waits for Python at most."""


TOLD = 6
"""Lines of a verdict that are shown where it is made; its file has all."""


def reach(asked: ReachAsked) -> None:
    """Find what a person can reach in a room, from where, and why not the rest."""
    # products of small matrices gain nothing from more threads, which wait for each other busily
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.setswitchinterval(TURNS)
    from articulata.kernels.announcing import expect
    from articulata.records.reach_verdicts import by_code
    from articulata.sessions.reach.answering import answer_of, compare, reach_file

    expect()
    with explained():
        if asked.store is not None:
            if (asked.before, asked.out, asked.port) != (None, None, None):
                raise ArticulataError(
                    "--store makes a map and nothing else: --before, --out and --port are for an "
                    "answer without it"
                )
            _store(asked)
            return
        if asked.grid is not None or asked.workers or asked.scheduler:
            raise ArticulataError(
                "--grid, --workers and --scheduler are for a map in a store: add --store FOLDER"
            )
        if asked.before is not None:
            with console.Bar(f"reaching in {asked.before.name}") as bar:
                former = answer_of(replace(asked, file=asked.before), bar)
        with console.Bar(f"reaching in {asked.file.name}") as bar:
            done = reach_file(
                asked, bar, told=lambda verdicts: console.result("\n".join(map(str, verdicts)))
            )
        for note in done.reached.notes:
            console.result(f"note: {note}")
        for finding in done.reached.findings:
            console.result(str(finding))
        for line in by_code(done.reached.findings):
            console.result(line)
        files = done.files
        if asked.before is not None:
            compared = compare(former, asked.before.name, done)
            console.result("\n".join(compared.lines))
            files = (*files, compared.file)
        for path in files:
            console.result(str(path))
        if not asked.headless:
            from articulata.sessions.reach.live_study import show

            show(done, asked, told=console.opened)


MOST_TOLD = 10
"""So many runs that failed are told of; the table holds all."""


def vary(asked: VaryAsked) -> None:
    """Simulate a world with many values of its parameters, and tell what depends on them."""
    from articulata.kernels.announcing import expect
    from articulata.sessions.vary.varying import carried_out, files_of, task_of
    from articulata.world.world_files import shipped

    expect()
    file = shipped(asked.file)
    folder = asked.out or Path("out") / file.stem
    with explained():
        with console.Bar(f"varying {file.name}") as bar:
            task = task_of(file, asked.world, seed=asked.seed, python=asked.python)
            found = carried_out(task, asked.workers, folder, bar)
        for number, why in list(found.failures.items())[:MOST_TOLD]:
            console.note(f"run {number + 1}, {task.call(found.points[number])}: {why}")
        if found.failures:
            console.note(f"{len(found.failures)} of {len(found.points)} runs failed")
        for path in files_of(found, folder):
            console.result(str(path))
        if len(found.failures) == len(found.points):
            raise SystemExit(1)


def optimise(asked: OptimiseAsked) -> None:
    """Find the parameters at which a measure of a world's run is least or greatest."""
    from articulata.kernels.announcing import expect
    from articulata.sessions.vary.best_design import SEARCHES, aim_of, optimised
    from articulata.sessions.vary.varying import task_of
    from articulata.world.world_files import shipped

    expect()
    file = shipped(asked.file)
    folder = asked.out or Path("out") / file.stem
    with explained():
        task = task_of(file, asked.world, seed=asked.seed, python=asked.python)
        aim = aim_of(task, asked.measure, maximise=asked.maximise, starts=asked.starts)
        with console.Bar(f"optimising {file.name}") as bar:
            best = optimised(aim, asked.workers, folder, bar)
        (measure,) = aim.task.question.measures
        console.result(
            f"{measure} = {best.value:.9g}: {task.call(tuple(best.parameters.values()))}"
        )
        console.note(f"{best.alike} of {len(best.searches)} searches ended there")
        for name, (low, high) in aim.bounds.items():
            if min(best.parameters[name] - low, high - best.parameters[name]) < 1e-6 * (high - low):
                console.note(f"{name} is at its bound; a wider range may hold a better design")
        console.result(str(folder / SEARCHES))


def draw(
    file: Annotated[
        Path, Argument(help="The room's text (.art); it is made with the first walls.")
    ] = Path("room.art"),
    port: Port = None,
) -> None:
    """Draw a room in the browser, put furniture and people into it, see who reaches what."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.setswitchinterval(TURNS)
    with explained():
        from articulata.sessions.reach.drawing import draw_file

        draw_file(file, port, console.opened)


def _store(asked: ReachAsked) -> None:
    """Make the map in a store, or go on with it."""
    from articulata.sessions.reach.tiling import reach_in

    with console.Bar(f"labelling points of {asked.file.name}") as bar:
        console.result(str(reach_in(asked, bar)))
    console.result(str(asked.store))


def pose(asked: PoseAsked) -> None:
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
            _show_pose(result, asked.port)
        if not result.front.found:
            raise SystemExit(1)


def _show_pose(result: PoseResult, port: int | None) -> None:
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


def track(asked: TrackAsked) -> None:
    """Track a person, live or recorded, with a figure."""
    with explained():
        from articulata.sessions.track.track_request import track_asked

        answered = track_asked(asked, console.Terminal())
        for path in answered.files:
            console.result(str(path))
        if answered.doubts:
            raise ArticulataError(f"the take is not to be trusted: {'; '.join(answered.doubts)}")


def film(asked: FilmAsked) -> None:
    """Fly a camera through a world, freely or on the flange of a robot."""
    from articulata.kernels.announcing import expect
    from articulata.sessions.film.film_files import film_file, open_film

    expect()
    with explained(), console.Bar(f"filming {asked.file.name}") as bar:
        if not asked.headless:
            open_film(asked, bar, console.opened)
            return
        paths = film_file(asked, bar)
        for path in paths:
            if path.name == "verdict.txt":
                said = path.read_text(encoding="utf-8").splitlines()
                more = [f"and {len(said) - TOLD} more lines in {path}"] if len(said) > TOLD else []
                console.result("\n".join([*said[:TOLD], *more]))
        for path in paths:
            console.result(str(path))
