"""A study of many points: its tiles dealt to threads, to processes, or to machines.

What is finished stays: a run that is cut off, a worker that is killed, a full disk cost the tiles
at work. The bytes of the store do not depend on who made which tile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from articulata.analyses.reach.reach_question import study_of
from articulata.analyses.reach.room_tiles import identity, label_tile, lattice_of
from articulata.analyses.reach.study import Study
from articulata.errors import ArticulataError, RecordingError, WorldError
from articulata.records.files import claimed, making
from articulata.records.reach_store import Lattice, ReachStore, Tally
from articulata.sessions.command_fields import ReachAsked
from articulata.sessions.reach.answering import Listener, request_of
from articulata.sessions.worker_processes import beside, client_of, dealt
from articulata.world.world_files import shipped

TOO_OFTEN: Final = (
    "a tile's worker died four times, so that the study was ended; finished tiles are kept. It may "
    "lack memory: give fewer workers, and the same command goes on"
)


@dataclass(frozen=True, slots=True)
class Studied:
    """A finished study: its store, and how many points of each of the people have each label."""

    store: ReachStore
    tallies: Mapping[str, Tally]

    def __str__(self) -> str:
        """Say it in a line for each of the people."""
        lines = []
        for name, each in self.tallies.items():
            count = max(each.points, 1)
            lines.append(
                f"{name}: {each.reached / count:.1%} reached, {each.proved / count:.1%} "
                f"out of reach, {each.missed / count:.2%} not found of {each.points:,} points"
            )
        return "\n".join(lines)


def reach_in_store(
    file: str | Path,
    store: str | Path,
    *,
    world: str = "",
    seed: int | None = None,
    grid: float | None = None,
    workers: int = 0,
    scheduler: str = "",
    listener: Listener | None = None,
) -> Studied:
    """Label all points of the request to reach of a file, in a store that takes up what is there.

    On threads of this process; on ``workers`` processes of this machine; or on the workers of the
    Dask ``scheduler`` at an address, who find file and store at the same paths. ``grid`` (m)
    replaces the text's. Raise RecordingError for a store of something else, or that cannot be
    written; then the same call goes on where this one ended.
    """
    asked = ReachAsked(
        Path(file), world, seed=seed, store=Path(store), grid=grid, workers=workers,
        scheduler=scheduler,
    )  # fmt: skip
    return reach_in(asked, listener)


def reach_in(asked: ReachAsked, listener: Listener | None = None) -> Studied:
    """Label all points that are asked for, see ``reach_in_store``."""
    workers, scheduler = asked.workers, asked.scheduler
    if workers < 0:
        raise ArticulataError(f"a study has 1 worker or more, not {workers}")
    if workers and scheduler:
        raise ArticulataError("give --workers or --scheduler: a scheduler has workers of its own")
    # workers may run in other folders
    asked = replace(asked, file=shipped(asked.file).resolve(), store=_folder(asked).resolve())
    study, lattice, about = _asked(asked)
    with ExitStack() as open_things:
        kept = open_things.enter_context(_store(_folder(asked), lattice, about))
        tallies = dict.fromkeys(kept.people, Tally())
        left = {(p, n) for p in range(len(kept.people)) for n in range(len(kept.tiles))}
        for person, number, tally in kept.finished():
            left.discard((person, number))
            tallies[kept.people[person]] += tally
        total = len(kept.people) * len(kept.tiles)
        if scheduler:
            client = open_things.enter_context(client_of(scheduler))
            made = dealt(client, partial(label_here, asked), sorted(left), TOO_OFTEN)
        elif workers:
            made = beside(workers, partial(label_here, asked), sorted(left), TOO_OFTEN)
        else:
            made = _here(study, kept, left)
        for done, ((person, _), tally) in enumerate(made, total - len(left) + 1):
            tallies[kept.people[person]] += tally
            if listener is not None:
                listener.working(done, total)
        kept.tidy()
    return Studied(kept, tallies)


def label_here(asked: ReachAsked, tile: tuple[int, int]) -> Tally:
    """Label a tile, by person and number, and write it to the store: what a worker does."""
    study, kept = _ready(asked)
    return _labelled(study, kept, *tile)


# ---- what is asked


def _folder(asked: ReachAsked) -> Path:
    assert asked.store is not None
    return asked.store


def _asked(asked: ReachAsked) -> tuple[Study, Lattice, dict[str, Any]]:
    request, question = request_of(asked)
    study, _, step = study_of(request)
    step = asked.grid if asked.grid is not None else step
    if step is None:
        raise WorldError(
            f"{asked.file}: no points to study; write 'points: grid 1 cm in floor', or give --grid"
        )
    if not 0.001 <= step <= 10.0:
        raise WorldError(f"points of a study are 1 mm to 10 m apart, not {step:g} m")
    lattice = lattice_of(study.room, step)
    return study, lattice, identity(study, lattice, question)


@lru_cache(maxsize=1)
def _ready(asked: ReachAsked) -> tuple[Study, ReachStore]:
    """Return the study and its store, once for each worker; RecordingError where they differ."""
    study, _, about = _asked(asked)
    kept = ReachStore.open(_folder(asked))
    _same(kept, about)
    return study, kept


@contextmanager
def _store(path: Path, lattice: Lattice, about: dict[str, Any]) -> Iterator[ReachStore]:
    """Give the store at ``path`` to this run alone; it is made where there is none."""
    with making(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or not any(path.iterdir()):
            _make(path, lattice, about)
    with claimed(path):
        kept = ReachStore.open(path)
        _same(kept, about)
        kept.tidy()
        yield kept


def _make(path: Path, lattice: Lattice, about: dict[str, Any]) -> None:
    """Make a store beside its place, so that one that is there is whole."""
    with TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent) as folder:
        begun = Path(folder) / "store"
        ReachStore.make(begun, lattice, about)
        begun.replace(path)


def _same(kept: ReachStore, about: Mapping[str, Any]) -> None:
    for name, value in about.items():
        if kept.about.get(name) == value:
            continue
        if name in ("versions", "lanes"):
            raise RecordingError(
                f"{kept.path} was begun with {name} {kept.about.get(name)}, here are {value}: "
                "bytes would differ. Go on where it was begun, or give another folder"
            )
        raise RecordingError(
            f"{kept.path} holds another study ('{name}' differs): give another folder, or the text "
            "and the options that it was begun with"
        )


# ---- who does it


def _labelled(study: Study, kept: ReachStore, person: int, number: int) -> Tally:
    tile = kept.tiles[number]
    values, tally = label_tile(study, kept.people[person], kept.lattice, tile)
    kept.write(person, number, values, tally.off)
    return tally


def _here(
    study: Study, kept: ReachStore, left: set[tuple[int, int]]
) -> Iterator[tuple[tuple[int, int], Tally]]:
    """Label tiles in this process: as many people at a time as there are threads."""
    person = {name: number for number, name in enumerate(kept.people)}
    for number in range(len(kept.tiles)):

        def work(name: str, number: int = number) -> tuple[tuple[int, int], Tally]:
            return (person[name], number), _labelled(study, kept, person[name], number)

        who = [name for name in kept.people if (person[name], number) in left]
        if who:
            yield from study.abreast(work, who)
