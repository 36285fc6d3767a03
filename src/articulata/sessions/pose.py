"""From a request to pose to a result folder: the front, its table, plots and page."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from articulata.analyses.pose.asking import Asked, asked_of
from articulata.analyses.pose.question import PoseSearch, search_of
from articulata.errors import RecordingError
from articulata.geometry.arrays import Array
from articulata.kinematics.inverse.targets import place_of
from articulata.records.files import claimed, write_whole
from articulata.records.header import versions
from articulata.records.pose import SUFFIX, Front
from articulata.report.folder import PROVENANCE, Making, clear, write
from articulata.sessions.provenance import UNITS, hashes
from articulata.sessions.requests import request_in
from articulata.world.document import read

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class PoseWish:
    """What to ask and where to put the answer; ``world`` chooses among the text's requests."""

    file: Path
    out: Path
    world: str = ""
    seed: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PoseResult:
    """The front, what was asked, and the files written into ``folder``."""

    front: Front
    asked: Asked
    name: str
    folder: Path
    files: tuple[Path, ...]


def searching(wish: PoseWish) -> tuple[str, Asked, PoseSearch]:
    """Return the name of the request that is meant, what it asks, and the search for it."""
    request = request_in(read(wish.file), "pose", wish.world)
    asked = asked_of(request)
    return request.name, asked, search_of(asked)


def pose_file(wish: PoseWish, writing: Progress) -> PoseResult:
    """Answer the request of ``wish.file`` and write its result folder."""
    name, asked, search = searching(wish)
    front = search.final()
    try:
        wish.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RecordingError(
            f"{wish.out} cannot be made ({error.strerror}); give a folder that you may write to"
        ) from error
    with claimed(wish.out):
        clear(wish.out)
        paths = write(files_of(front, name), wish.out, writing)
        write_whole(wish.out / PROVENANCE, _provenance(front, wish, name, paths))
    return PoseResult(front, asked, name, wish.out, (*paths, wish.out / PROVENANCE))


def files_of(front: Front, name: str) -> list[Making]:
    """Return the files of a front; nothing is computed before it is written."""
    from articulata.report import fronts
    from articulata.report.plots import picture

    def page() -> bytes:
        from articulata.report.page.front import page as made

        return made(front, name).encode()

    return [
        (f"front{SUFFIX}", front.to_bytes),
        ("front.csv", lambda: fronts.table(front).encode()),
        ("front.txt", lambda: f"{front.summary()}\n".encode()),
        ("front.png", lambda: picture(fronts.plot_front(front), ".png")),
        ("postures.png", lambda: picture(fronts.plot_postures(front), ".png")),
        ("front.html", page),
    ]


def places_of(asked: Asked) -> Mapping[str, Array]:
    """Return where the targets are, by the part of the body that is asked there."""
    return {name: np.asarray(place_of(each)) for name, each in asked.scene.targets.items()}


def _provenance(front: Front, wish: PoseWish, name: str, results: list[Path]) -> bytes:
    said = {
        "inputs": hashes([wish.file]),
        "request": name,
        "figure": front.figure,
        "targets": list(front.targets),
        "objectives": {aim.name: aim.source for aim in front.aims},
        "method": front.method,
        "choice": front.choice,
        "seed": front.seed,
        "versions": dict(versions()),
        "units": {**UNITS, **{aim.name: aim.unit for aim in front.aims}},
        "found": front.found,
        "results": hashes(results),
    }
    return (json.dumps(said, indent=2, ensure_ascii=False) + "\n").encode()
