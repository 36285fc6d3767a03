"""``articulata``: the commands. Each reads its arguments and hands them to a session.

Exit status: 0 done, 1 an error that is explained, 2 a wrong use of the command, 130 interrupted.
Libraries are imported by the command that needs them, so that help comes at once.
"""

from __future__ import annotations

import gc
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from articulata.app import console
from articulata.app.command_arguments import Commands, Shell, manual
from articulata.app.command_arguments import completion as written
from articulata.app.console import explained
from articulata.app.join_command import join
from articulata.app.question_commands import (
    draw,
    edit,
    film,
    identify,
    optimise,
    pose,
    reach,
    rest,
    track,
    vary,
)
from articulata.app.simulate_command import simulate
from articulata.errors import FormatError
from articulata.sessions.command_fields import (
    Argument,
    Figure,
    Headless,
    Option,
    Port,
    Roots,
    World,
)


def _version() -> str:
    import articulata

    return f"articulata {articulata.__version__}"


ELSEWHERE = {
    "ik": "'articulata pose FILE' brings a figure's hands to their places; in Python "
    "figure.ik({'hand': X_WT}), and arm.inverse(X_WT, q0) of a chain",
    "fk": "'articulata view FILE' shows a figure's posture; in Python figure.fk(q, 'hand'), and "
    "arm.fk(q) of a chain",
    "modes": "'articulata rest FILE' finds where a world rests and its frequencies there; "
    "in Python art.rest(world).positions[0].linear.modes()",
    "plot": "'articulata export RUN.artrun plot.png --of PATH' draws a quantity, as angles and "
    "travels of hinges",
    "run": "'articulata simulate FILE' simulates a world",
}
"""What does what a word names that is no command."""

app = Commands(
    "articulata",
    "Describe figures, robots and rooms in text; simulate, look, export.",
    _version,
    ELSEWHERE,
)


class Format(StrEnum):
    """How diagnostics are shown."""

    TEXT = "text"
    JSON = "json"


Allow = Annotated[
    list[Path] | None,
    Option(help="A folder from which worlds may be imported; can be given several times."),
]


@app.command
def check(
    files: Annotated[list[Path], Argument(metavar="FILE", help="World files (.art).")],
    format: Annotated[Format, Option(help="How findings are shown.")] = Format.TEXT,
    allow: Allow = None,
) -> None:
    """Check worlds: show every error and warning; exit status 1 on errors."""
    from articulata.app.text_commands import checked

    with explained():
        text, errors = checked(files, json=format is Format.JSON, allow=allow or [])
        if text:
            console.result(text)
    raise SystemExit(1 if errors else 0)


@app.command
def fmt(
    files: Annotated[list[Path], Argument(metavar="FILE", help="World files (.art).")],
    check: Annotated[
        bool, Option("--check", help="Write nothing; status 1 where a file would change.")
    ] = False,
) -> None:
    """Write worlds in their canonical form; comments stay."""
    from articulata.app.text_commands import formed

    with explained():
        changed = formed(files, check=check)
        for file in changed:
            console.result(str(file))
    raise SystemExit(1 if check and changed else 0)


@app.command
def lsp() -> None:
    """Help an editor with world files: a language server on standard input and output."""
    with explained():
        from articulata.sessions.language_server import server

        server().start_io()


for each in (simulate, vary, optimise, identify, rest, reach, draw, edit, pose, track, film, join):
    app.command(each)


@app.command
def view(
    file: Annotated[
        Path,
        Argument(help="A world or figure (.art), a recording (.artrun) or its folder, a .urdf."),
    ],
    strip: Annotated[
        str | None,
        Option(metavar="T0:T1:N", help="Draw N snapshots from T0 to T1 s in one picture."),
    ] = None,
    out: Annotated[Path | None, Option(help="File of the strip (.png, .svg, .pdf).")] = None,
    world: World = "",
    figure: Figure = "",
    root: Roots = None,
    port: Port = None,
) -> None:
    """Show a world, figure or recording in the browser, or a recording as a strip."""
    with explained():
        if strip is not None:
            from articulata.app.look import draw_strip

            console.result(str(draw_strip(file, strip, out)))
            return
        from articulata.app.look import show_file

        show_file(file, world, figure=figure, roots=root or (), port=port)


@app.command
def why(
    file: Annotated[Path, Argument(help="A recording (.artrun), or the folder of a run.")],
    name: Annotated[
        str,
        Argument(help="A body, hinge, force or kind: its latest event; the last of all without."),
    ] = "",
) -> None:
    """Say how an event of a recording came about: what led to it, and what asked for that."""
    with explained():
        from articulata.app.look import loaded
        from articulata.records.events import told_in

        recording = loaded(file)
        if not recording.events:
            raise FormatError(f"{file}: nothing happened in this run but what its laws have it do")
        account = recording.why(name or recording.events[-1])
        console.result(told_in(recording.world.units, account))


def _one_target(words: str, usual: str, *given: Path | None) -> Path:
    """Return the one file that is named to be written, by its place or as an option."""
    named = [each for each in given if each is not None]
    if len(named) != 1:
        raise FormatError(
            "give one file to write, whose ending says the format, as in: "
            f"articulata {words} {usual}"
        )
    return named[0]


@app.command
def export(
    file: Annotated[
        Path, Argument(help="A recording (.artrun) or its folder, or a figure (.art, .urdf).")
    ],
    target: Annotated[
        Path | None, Argument(metavar="TO", help="The file to write; its suffix says the format.")
    ] = None,
    to: Annotated[Path | None, Option(help="The same, as an option.")] = None,
    of: Annotated[
        list[str] | None,
        Option(
            metavar="PATH", help="A quantity of tables and plots, a figure of motions; repeatable."
        ),
    ] = None,
    angles: Annotated[
        str | None,
        Option(help="Joint angles in the names of others: opensim (Rajagopal's model), isb."),
    ] = None,
    every: Annotated[float | None, Option(help="Thin the frames of a page, in s.")] = None,
    between: Annotated[
        str | None, Option(metavar="START:END", help="Only what is between two times, in s.")
    ] = None,
    then: Annotated[
        list[Path] | None, Option(help="A recording to be joined at the end; can be repeated.")
    ] = None,
    figure: Figure = "",
    root: Roots = None,
) -> None:
    """Write a recording as a page, table, plot or motion; a figure as URDF."""
    with explained():
        from articulata.world.foreign_files import is_urdf

        to = _one_target(f"export {file}", file.with_suffix(".html").name, target, to)
        if file.suffix == ".art" or is_urdf(file):
            from articulata.app.look import check_exported, export_figure

            check_exported(file, to)
            export_figure(file, to, figure, roots=root or ())
            console.result(str(to))
            return
        from articulata.app.look import loaded
        from articulata.report.export import export as write

        recording = loaded(file)
        if between is not None or then:
            from articulata.sessions.track.exported_takes import Part, span_of, spliced

            start, end = span_of(between or ":")
            parts = [Part(recording, str(file), start, end)]
            recording = spliced([*parts, *(Part(loaded(each), str(each)) for each in then or ())])
        if angles is not None:
            from articulata.sessions.track.exported_takes import export_angles

            export_angles(recording, to, of or None, angles)
        else:
            write(recording, to, of or None, every=every)
        console.result(str(to))


@app.command
def convert(
    file: Annotated[
        Path,
        Argument(
            help=".art, .wrl, .x3d, .glb, .xml (MJCF), .sdf, .usd, .urdf, .ifc, .dxf, .json "
            "(RoomPlan); a room's scan: .ply, .obj, .stl, .off, .glb."
        ),
    ],
    target: Annotated[
        Path | None, Argument(metavar="TO", help="The file to write; its ending says the format.")
    ] = None,
    to: Annotated[Path | None, Option(help="The same, as an option.")] = None,
    world: World = "",
    height: Annotated[float | None, Option(help="m from floor to ceiling, of a drawing.")] = None,
    unit: Annotated[float | None, Option(help="m that 1 of the file is: 0.001 for mm.")] = None,
    up: Annotated[str | None, Option(help="The axis that is up in a scan: z, -y ...")] = None,
    room: Annotated[str | None, Option(help="One room, of a building (IFC) or plan (DXF).")] = None,
    storey: Annotated[str | None, Option(help="Storey of a building (IFC) to ask about.")] = None,
    walls: Annotated[str | None, Option(help="Layer of a plan's (DXF) walls.")] = None,
    key: Annotated[str | None, Option(help="Key frame of an MJCF model to start at.")] = None,
    fmi: Annotated[int | None, Option(help="Version of an FMU's interface: 2, or 3.")] = None,
) -> None:
    """Write a world in another format, as an FMU too (.fmu), and say what is lost."""
    with explained():
        from articulata.sessions.converting import convert as written

        to = _one_target(f"convert {file}", file.with_suffix(".glb").name, target, to)
        given = {"height": height, "unit": unit, "up": up, "room": room}
        given |= {"storey": storey, "walls": walls, "key": key, "fmi": fmi}
        lost = written(file, to, world, **{k: v for k, v in given.items() if v is not None})
        console.result(str(to))
        if lost:
            console.note(lost)


@app.command
def warm(
    parts: Annotated[
        list[str] | None,
        Argument(help="simulate, contact, reach, pose, track, film ...; without one all."),
    ] = None,
) -> None:
    """Compile the kernels once, so that simulations and inverse kinematics start fast."""
    from articulata.kernels.compile import cache_base, cache_folder
    from articulata.sessions import warming

    with explained(), console.Bar("compiling") as bar:
        gc.set_threshold(100_000, 50, 100)  # a tenth of the time went into looking for garbage
        total = sum(len(warming.PARTS[part]) for part in warming.named(parts or ()))
        for number, name in enumerate(warming.warm(parts or ()), 1):
            bar.simulating(number, total)
            bar.say(f"compiled: {name} ({number} of {total})")
        kept = cache_folder() is not None
        console.result(
            f"kernels are kept in {cache_base()}" if kept else "kernels cannot be kept; see above"
        )


@app.command
def doctor(
    licences: Annotated[
        bool, Option("--licences", help="List packages that are needed, with their licences.")
    ] = False,
) -> None:
    """Show what is installed, what is missing and what to do; status 1 where more is needed."""
    from articulata.app.doctor import licences as listed
    from articulata.app.doctor import report

    lines, whole = (listed(), True) if licences else report()
    console.result("\n".join(lines))
    raise SystemExit(0 if whole else 1)


@app.command
def completion(
    shell: Annotated[Shell, Argument(help="bash, zsh or fish.")],
) -> None:
    """Print the completion script of a shell."""
    console.result(written(app, shell).rstrip("\n"))


@app.command
def man() -> None:
    """Print the manual page: articulata man | man -l -."""
    console.result(manual(app).rstrip("\n"))


@app.command
def demo(
    world: Annotated[str, Argument(help="A world of the gallery.")] = "linkage",
    headless: Headless = False,
    out: Annotated[Path, Option(help="Result folder.")] = Path("out"),
    port: Port = None,
    listing: Annotated[
        bool, Option("--list", help="Name the worlds of the gallery and end.")
    ] = False,
) -> None:
    """Simulate a world of the gallery, the linkage where none is named, and show it."""
    from articulata.app.demo import made, seen, worlds

    if listing:
        for name, what in worlds().items():
            console.result(f"{name:18} {what}")
        return
    with explained():
        if headless:
            made(out, world)
        else:
            seen(out, world, port)


def main() -> None:
    """Run the command line."""
    console.tell_warnings()
    # Modules make many objects that stay: to look for garbage among them is a tenth of the start.
    gc.set_threshold(50_000)
    # Commands explain their own errors; here is what happens before one begins and after its end.
    with explained():
        try:
            app.run()
        finally:
            console.flush()
