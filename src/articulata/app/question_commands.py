"""Commands about a world: vary, optimise, identify, reach, draw, edit, pose, track, film, rest."""

from __future__ import annotations

import json
import math
import os
import sys
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from articulata.app import console
from articulata.app.console import explained
from articulata.errors import ArticulataError, FormatError
from articulata.sessions.command_fields import (
    Argument,
    FilmAsked,
    IdentifyAsked,
    OptimiseAsked,
    Option,
    Port,
    ReachAsked,
    Seed,
    VaryAsked,
    World,
    WorldFile,
    made_folder,
)
from articulata.sessions.command_fields import Asked as PoseAsked
from articulata.sessions.track.track_options import Asked as TrackAsked

if TYPE_CHECKING:
    from articulata.analyses.rest.linear_model import Mode
    from articulata.analyses.rest.rest_positions import Rest, RestPosition
    from articulata.sessions.pose_files import PoseResult
    from articulata.world.model import World as Model

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
    with explained():
        with console.Bar(f"varying {file.name}") as bar:
            task = task_of(file, asked.world, seed=asked.seed, python=asked.python)
            folder = made_folder(file, asked.out)
            found = carried_out(task, asked.workers, folder, bar, asked.scheduler)
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
    from articulata.records.events import told_in
    from articulata.records.state import in_units
    from articulata.sessions.vary.best_design import SEARCHES, aim_of, levels_of, optimised
    from articulata.sessions.vary.varying import task_of
    from articulata.world.world_files import shipped

    expect()
    file = shipped(asked.file)
    with explained():
        task = task_of(file, asked.world, seed=asked.seed, python=asked.python)
        aim = aim_of(task, asked.measure, maximise=asked.maximise, starts=asked.starts)
        folder = made_folder(file, asked.out)
        with console.Bar(f"optimising {file.name}") as bar:
            best = optimised(aim, asked.workers, folder, bar, asked.scheduler)
        unit, size = in_units(task.units, best.unit)
        value = f"{aim.task.question.measures[0]} = {best.value / size:.9g} {unit}".rstrip()
        console.result(f"{value}: {task.call(tuple(best.parameters.values()))}")
        for kept, level in levels_of(aim, best.margins):
            bound, unit = kept.bound
            far = abs(level - bound)
            active = far <= 1e-4 * (abs(bound) or 1.0)
            how = "this bound decides" if active else f"{far:.3g} {unit}".rstrip() + " from it"
            told = f"{kept}: it is {level:.6g} {unit}".rstrip() + f", {how}"
            console.result(told_in(task.units, told))
        console.note(f"{best.alike} of {len(best.searches)} searches ended there")
        for name, (low, high) in aim.bounds.items():
            if min(best.parameters[name] - low, high - best.parameters[name]) < 1e-6 * (high - low):
                console.note(f"{name} is at its bound; a wider range may hold a better design")
        console.result(str(folder / SEARCHES))


def identify(asked: IdentifyAsked) -> None:
    """Find the parameters at which a world moves as was measured, and how far they are told."""
    from articulata.kernels.announcing import expect
    from articulata.sessions.vary.identification import FITS, aim_at, identified, lines_of
    from articulata.sessions.vary.varying import task_of
    from articulata.world.world_files import shipped

    expect()
    file = shipped(asked.file)
    with explained():
        task = task_of(file, asked.world, seed=asked.seed, python=asked.python)
        aim = aim_at(task, asked.starts)
        folder = made_folder(file, asked.out)
        with console.Bar(f"identifying {file.name}") as bar:
            found = identified(aim, asked.workers, folder, bar, asked.scheduler)
        console.result("\n".join(lines_of(found)))
        console.result(task.call(tuple(found.parameters.values())))
        for doubt in found.doubts:
            console.note(doubt)
        console.note(f"{found.alike} of {len(found.searches)} searches ended there")
        console.result(str(folder / FITS))


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


def edit(
    file: Annotated[
        Path, Argument(help="The world's text (.art); a new one begins with a small world.")
    ] = Path("first.art"),
    world: World = "",
    port: Port = None,
) -> None:
    """Edit a world's text in the browser: mistakes are underlined, the picture beside it follows.

    The text is checked while you type and simulated as it asks; Ctrl+S writes it to the file. No
    controllers are executed.
    """
    with explained():
        from articulata.sessions.editing import edit_file

        edit_file(file, world, port, console.opened, console.note)


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


class Table(StrEnum):
    """How rest positions are shown."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"


def rest(
    file: WorldFile,
    world: World = "",
    starts: Annotated[int, Option(help="Places from which balances are searched.")] = 20,
    seed: Seed = 0,
    searches: Annotated[int, Option(help="Searches at most.")] = 300,
    format: Annotated[Table, Option(help="How rest positions are shown.")] = Table.TEXT,
    out: Annotated[Path | None, Option(help="Folder for a recording of each mode.")] = None,
    load: Annotated[
        str, Option(help="What grows until the world buckles: a force of the text, or gravity.")
    ] = "",
) -> None:
    """Find the equilibria of a world, natural frequencies, and the load under which it buckles."""
    with explained():
        from articulata.analyses.rest.linear_model import record_mode
        from articulata.analyses.rest.rest_positions import rest as found_in
        from articulata.sessions.simulation import asked, of_several
        from articulata.world.document import read

        if out is not None and out.suffix in (".csv", ".json"):
            raise FormatError(
                f"--out is a folder for recordings of modes; a table is articulata rest {file} "
                f"--format {out.suffix[1:]} > {out}"
            )
        document = read(file)
        request = asked(document, world)
        for line in of_several(document, world, request):
            console.note(line)
        asked_for = document.world(request)
        if load:
            _buckled(asked_for, load, format, out)
            return
        with console.Bar(f"searching where {file.name} rests") as bar:
            found = found_in(asked_for, starts, seed, searches=searches, progress=bar.working)
        written = {Table.TEXT: _text, Table.JSON: _json, Table.CSV: _csv}[format]
        console.result(written(found).rstrip("\n"))
        if format is not Table.TEXT:
            for each in found.left_out:
                console.note(f"left out: {each}")
        for number, position in enumerate(found.positions if out is not None else (), 1):
            for k, mode in enumerate(position.linear.modes(), 1):
                assert out is not None
                out.mkdir(parents=True, exist_ok=True)
                name = out / f"position{number}_mode{k}.artrun"
                record_mode(asked_for, position.state, mode).save(name)
                console.note(f"{name}: {_mode(mode)}; articulata view {name}")
    if not found.positions:
        raise SystemExit(1)


def _buckled(world: Model, load: str, format: Table, out: Path | None) -> None:
    """Tell the critical factor of a load, how the balance is lost, and in which shape."""
    from articulata.analyses.rest.buckling import buckling
    from articulata.analyses.rest.linear_model import record_mode
    from articulata.formats import csv

    found = buckling(world, load)
    if found is None:
        console.note(f"no balance is lost as {load} grows")
        raise SystemExit(1)
    parts = {n: x.real for n, x in zip(found.mode.names, found.mode.shape.tolist(), strict=True)}
    told = {"load": load, "factor": found.factor, "kind": found.kind}
    told["frequency"] = found.mode.frequency if found.kind == "flutter" else 0.0
    if format is Table.JSON:
        console.result(json.dumps({**told, "shape": parts, "left_out": list(found.left_out)}))
    elif format is Table.CSV:
        rows = [(*told, *parts), tuple(str(each) for each in (*told.values(), *parts.values()))]
        console.result(csv.write_rows(rows).rstrip("\n"))
    else:
        swings = f" at {told['frequency']:.6g} Hz" if told["frequency"] else ""
        shape = ", ".join(f"{n} {x:.3g}" for n, x in parts.items() if abs(x) > 1e-3)
        console.result(f"critical at {found.factor:.6g} x {load}: {found.kind}{swings}: {shape}")
        for each in found.left_out:
            console.result(f"left out: {each}")
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        name = out / f"buckling_{load}.artrun"
        record_mode(world, found.state, found.mode).save(name)
        console.note(f"{name}: {found.kind}; articulata view {name}")


def _text(found: Rest) -> str:
    """Return lines that a person reads: each position, below it its modes."""
    count = len(found.positions)
    lines = [f"{count or 'no'} rest position{'' if count == 1 else 's'}, {found.starts} starts"]
    for number, each in enumerate(found.positions, 1):
        where = ", ".join(
            f"{name} {round(math.degrees(x), 9) + 0.0:.4g} deg"
            if name.endswith(".angle")
            else f"{name} {round(x, 12) + 0.0:.4g} m"
            for name, x in each.coordinates.items()
        )
        lines += ["", f"{number}  {each.stability}, {each.energy:.6g} J{where and ': '}{where}"]
        lines += [f"   {_mode(mode)}" for mode in each.linear.modes()]
        lines += [f"   beyond its limit: {name}" for name in each.beyond]
    lines += [f"left out: {each}" for each in found.left_out]
    if found.once:
        lines.append(
            f"one search alone found {found.once} of the {count}: more --starts may find others"
        )
    if not count:
        lines.append("something falls without end, or more --starts would find a balance")
    return "\n".join(lines)


def _mode(mode: Mode) -> str:
    grows = mode.eigenvalue.real
    if mode.frequency:
        what = f"{mode.frequency:.6g} Hz, damping ratio {mode.damping:.4g}"
    elif not grows:
        what = "stays where it is"
    else:
        what = f"{'grows' if grows > 0 else 'decays'} with {abs(grows):.6g} 1/s"
    parts = zip(mode.names, mode.shape.tolist(), strict=True)
    return f"{what}: " + ", ".join(f"{n} {x.real:.3g}" for n, x in parts if abs(x) > 1e-3)


def _numbers(mode: Mode) -> tuple[float, float, float, float]:
    return mode.frequency, mode.damping, mode.eigenvalue.real, mode.eigenvalue.imag


def _json(found: Rest) -> str:
    """Return all as JSON: SI units, rad, Hz, 1/s."""

    def told(each: RestPosition) -> dict[str, object]:
        modes = [
            dict(zip(("frequency", "damping", "real", "imaginary"), _numbers(mode), strict=True))
            | {"shape": {n: [x.real, x.imag] for n, x in zip(mode.names, mode.shape, strict=True)}}
            for mode in each.linear.modes()
        ]
        return {
            "stability": each.stability,
            "energy": each.energy,
            "coordinates": dict(each.coordinates),
            "beyond": list(each.beyond),
            "modes": modes,
        }

    listed = [told(each) for each in found.positions]
    searches = {"starts": found.starts, "led": found.led, "once": found.once}
    left_out = {"left_out": list(found.left_out)}
    return json.dumps({"positions": listed, **searches, **left_out}, indent=2)


def _csv(found: Rest) -> str:
    """Return a row a mode, with the position it belongs to."""
    from articulata.formats import csv

    names = list(found.positions[0].coordinates) if found.positions else []
    head = ("position", "stability", "energy", *names)
    units = ("", "", "J", *("rad" if name.endswith(".angle") else "m" for name in names))
    rows = [
        (*head, "frequency", "damping", "real", "imaginary"),
        (*units, "Hz", "", "1/s", "1/s"),
    ]
    for number, each in enumerate(found.positions, 1):
        first = (str(number), each.stability, repr(each.energy))
        place = tuple(repr(x) for x in each.coordinates.values())
        rows += [(*first, *place, *map(repr, _numbers(m))) for m in each.linear.modes()]
    return csv.write_rows(rows)
