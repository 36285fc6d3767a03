"""What commands take: options and words, and the tables of those of requests to a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated


class Option:
    """``--name``, or the ``names`` given: "--on/--off" for a choice between two."""

    def __init__(self, names: str = "", *, help: str, metavar: str | None = None) -> None:
        self.names = names
        self.help = help
        self.metavar = metavar


class Argument:
    """A word without a name."""

    def __init__(self, *, help: str, metavar: str | None = None) -> None:
        self.help = help
        self.metavar = metavar


def result_folder(file: Path, out: Path | None) -> Path:
    """Return the folder ``out``, or without one that of a file or a world that ships."""
    from articulata.records.files import folder_of
    from articulata.world.world_files import shipped

    return out or folder_of(shipped(file))


def made_folder(file: Path, out: Path | None) -> Path:
    """Make ``result_folder``; without ``out`` it is the file's from now on, which is told."""
    from articulata.records.files import make_folder, mark
    from articulata.world.world_files import shipped

    folder = result_folder(file, out)
    if out is None:
        mark(folder, shipped(file))
    else:
        make_folder(folder)
    return folder


WorldFile = Annotated[Path, Argument(help="A world: .art, another format, or one that ships.")]
World = Annotated[
    str,
    Option(help='Which world or request of the file, as "swing" or "swing(60 deg)".'),
]
Out = Annotated[Path | None, Option(help="Result folder; out/NAME of the file.")]
Seed = Annotated[int, Option(help="Seed of everything random.")]
GivenSeed = Annotated[int | None, Option(help="Seed of everything random; the text's, or 0.")]
Headless = Annotated[bool, Option("--headless", help="Write files only; open no viewer.")]
Figure = Annotated[str, Option(help="Which figure of the text, where it has several.")]
Roots = Annotated[
    list[Path] | None,
    Option(help="Folder of a robot's package:// meshes; can be repeated."),
]
Port = Annotated[int | None, Option(help="Port of the viewer on 127.0.0.1; a free one.")]


@dataclass(frozen=True, slots=True)
class Asked:
    """What every request of a ``file`` is asked with; None takes what the text says, or is usual.

    ``world`` chooses among the text's requests and worlds.
    """

    file: WorldFile
    world: World = ""
    out: Out = None
    headless: Headless = False
    seed: GivenSeed = None
    port: Port = None

    @property
    def folder(self) -> Path:
        """Where results are written."""
        return result_folder(self.file, self.out)

    def made_folder(self) -> Path:
        """Make the folder where results are written; see ``made_folder``."""
        return made_folder(self.file, self.out)


@dataclass(frozen=True, slots=True)
class SimulateAsked(Asked):
    """What a request to simulate is asked with: by which method, who steers it, from where on.

    ``processes`` are controllers in other processes. Where there is no ``file``, what the recording
    ``begin`` holds is all.
    """

    file: Annotated[
        Path, Argument(help="A world: .art, another format, a robot (.urdf), or one that ships.")
    ] = Path()
    seed: Seed = 0
    until: Annotated[float | None, Option(help="End of the simulation, in s.")] = None
    step: Annotated[float | None, Option(help="Control cycle and output interval, in s.")] = None
    method: Annotated[
        str | None,
        Option(
            help="Integrator: dop853, rk4, symplectic, realtime, euler1986, stepping or mujoco."
        ),
    ] = None
    begin: Annotated[
        Path | None,
        Option("--from", metavar="RECORDING", help="A recording to go on from, as run.artrun."),
    ] = None
    at: Annotated[
        float | None, Option(help="When to go on, in s, at the nearest frame; its last.")
    ] = None
    python: Annotated[
        bool,
        Option("--python/--no-python", help="Whether controllers files may be executed."),
    ] = True
    controllers: Annotated[
        str | None,
        Option(metavar="FILE", help="A controllers file beside the world, if it names none."),
    ] = None
    processes: Annotated[
        tuple[str, ...],
        Option(
            "--controller",
            metavar="NAME=HOST:PORT",
            help="A controller in another process of this machine; can be repeated.",
        ),
    ] = ()
    timeout: Annotated[float, Option(help="Seconds that such a process may take to answer.")] = 2.0
    live: Annotated[
        bool,
        Option("--live", help="Show the run while it goes on, and take orders for it."),
    ] = False
    orders: Annotated[
        Path | None,
        Option(metavar="FILE", help='Orders for the run, one a line, as in "at 0.5 break hip".'),
    ] = None
    beside: Annotated[
        str | None,
        Option(metavar="METHOD", help="Simulate again by this method and compare, as mujoco."),
    ] = None


@dataclass(frozen=True, slots=True)
class VaryAsked:
    """What a request to vary is asked with: how many processes make its runs, and where they go."""

    file: WorldFile
    world: World = ""
    out: Annotated[
        Path | None,
        Option(help="Folder of results, in which runs go on where they ended; out/NAME."),
    ] = None
    workers: Annotated[int, Option(help="Processes that make runs; one a processor.")] = 0
    scheduler: Annotated[str, Option(help="Address of the Dask scheduler whose workers do.")] = ""
    seed: Annotated[int | None, Option(help="Seed of samples and runs; the text's, or 0.")] = None
    python: Annotated[
        bool,
        Option("--python/--no-python", help="Whether controllers files may be executed."),
    ] = True


@dataclass(frozen=True, slots=True)
class OptimiseAsked(VaryAsked):
    """What the best design is asked with: which measure is to be least or greatest."""

    measure: Annotated[
        str, Option(help='The measure that counts, as "max arm.rate"; the first of the request.')
    ] = ""
    maximise: Annotated[
        bool, Option("--maximise", help="Look for the greatest value in place of the least.")
    ] = False
    starts: Annotated[int, Option(help="Searches, each from another start.")] = 8


@dataclass(frozen=True, slots=True)
class IdentifyAsked(VaryAsked):
    """What parameters are identified with: how many searches look for them."""

    starts: Annotated[int, Option(help="Searches, each from another start.")] = 8


@dataclass(frozen=True, slots=True)
class ReachAsked(Asked):
    """What a request to reach is asked with: compared with another room, or made in a store."""

    room: Annotated[str, Option(help="One room, of a building (IFC) or plan (DXF).")] = ""
    storey: Annotated[str, Option(help="The storey of a building (IFC) to stand on.")] = ""
    walls: Annotated[str, Option(help="The layer of a plan (DXF) that its walls are on.")] = ""
    up: Annotated[str, Option(help="The axis that is up in a scan: z, -y ...")] = ""
    unit: Annotated[float | None, Option(help="m that 1 of a scan is: 0.001 for mm.")] = None
    before: Annotated[
        Path | None,
        Option(help="Another variant of the room (.art), or its answer (.artreach), to compare."),
    ] = None
    store: Annotated[
        Path | None,
        Option(help="Folder for a map of any size, taken up where it was left; nothing else."),
    ] = None
    grid: Annotated[float | None, Option(help="Metres between its points; the text's.")] = None
    workers: Annotated[int, Option(help="Processes that make it; threads of this one.")] = 0
    scheduler: Annotated[str, Option(help="Address of the Dask scheduler whose workers do.")] = ""


@dataclass(frozen=True, slots=True)
class FilmAsked(Asked):
    """What a request to film is asked with: who flies the camera, and which robot follows."""

    play: Annotated[
        Path | None, Option(help="What a device has said (reports.csv): it flies the camera.")
    ] = None
    robot: Annotated[
        str,
        Option(
            help="A robot's controller that follows the flight, with --headless the recorded move: "
            "the port where it asks, rsi:PORT, or 'simulated'."
        ),
    ] = ""
    share: Annotated[
        float,
        Option(
            help="With --headless and --robot: the greatest share of the move's speed, to rehearse."
        ),
    ] = 1.0
