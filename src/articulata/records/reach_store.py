"""Labels of a grid of points, tile by tile, in a Zarr store: written by many, taken up again.

A tile is a block of columns of the grid; it is one shard of each array, so that no two writers
touch one file. A tile is finished when its seal is written, which holds a digest of what the tile
holds. 16 bytes a point: the postures are not kept, a tile labelled again gives them bit for bit.
"""

from __future__ import annotations

import errno
import hashlib
import itertools
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np

from articulata.errors import MissingExtra, RecordingError
from articulata.geometry.arrays import Array
from articulata.records.reach_shares import ACCESSIBLE, NOT_FOUND, PROVED

FORMAT: Final = 1

POINTS = 500_000
"""About so many points make a tile."""

CHUNK = 16
"""Columns along either side of what is read at once."""

OUTSIDE = -1
"""Label of a point of the grid that is not over the floor."""

FIELDS: Final[Mapping[str, tuple[Any, Any]]] = {
    "label": (np.int8, OUTSIDE),
    "reason": (np.int8, OUTSIDE),
    "hand": (np.int8, OUTSIDE),
    "turn": (np.int8, OUTSIDE),
    "x": (np.float32, np.nan),
    "y": (np.float32, np.nan),
    "cost": (np.float32, np.nan),
}
"""What is kept of a point: kind and what stands where there is nothing. ``turn`` numbers the
orientations of the base, of which ``x`` and ``y`` are the place in the ground frame, m."""

_NAMES: Final = {"x": "base_x", "y": "base_y", "turn": "base_turn"}
"""Names of arrays where they differ: x, y and z are the axes of the grid."""


@dataclass(frozen=True, slots=True)
class Lattice:
    """A grid of points in the ground frame: ``first`` (3,) m, ``step`` m, ``counts`` (3,)."""

    first: tuple[float, float, float]
    step: float
    counts: tuple[int, int, int]

    @property
    def edge(self) -> int:
        """Columns along either side of a tile."""
        return CHUNK * max(1, round(math.sqrt(POINTS / self.counts[2]) / CHUNK))

    def axis(self, number: int) -> Array:
        """Return the points' places along an axis, m: the numbers of ``np.arange``."""
        first = self.first[number]
        return np.asarray(first + ((first + self.step) - first) * np.arange(self.counts[number]))

    def tiles(self) -> tuple[Tile, ...]:
        """Return the tiles, in the order of their numbers."""
        e, (columns, rows, _) = self.edge, self.counts
        corners = itertools.product(range(0, columns, e), range(0, rows, e))
        return tuple(Tile(x, min(x + e, columns), y, min(y + e, rows)) for x, y in corners)

    def points(self, tile: Tile | None = None) -> Array:
        """Return the points (n, 3) of a tile, or all; those above each other follow each other."""
        part = tile or Tile(0, self.counts[0], 0, self.counts[1])
        x, y = self.axis(0)[part.x0 : part.x1], self.axis(1)[part.y0 : part.y1]
        return np.stack(np.meshgrid(x, y, self.axis(2), indexing="ij"), axis=-1).reshape(-1, 3)


@dataclass(frozen=True, slots=True)
class Tile:
    """Columns ``x0`` to ``x1`` and rows ``y0`` to ``y1`` of a grid, ends excluded."""

    x0: int
    x1: int
    y0: int
    y1: int


@dataclass(frozen=True, slots=True)
class Tally:
    """What is in a tile: how many points have each label, and how far the worst proof is off, m."""

    reached: int = 0
    proved: int = 0
    missed: int = 0
    off: float = 0.0

    def __add__(self, other: Tally) -> Tally:
        """Return what is in both."""
        return Tally(
            self.reached + other.reached,
            self.proved + other.proved,
            self.missed + other.missed,
            max(self.off, other.off),
        )

    @property
    def points(self) -> int:
        """Points over the floor."""
        return self.reached + self.proved + self.missed


def tally_of(label: Any, off: float = 0.0) -> Tally:
    """Return how many points of ``label`` (*any,) have each label, and how far proofs are off."""
    reached, proved, missed = (
        int(np.count_nonzero(label == each)) for each in (ACCESSIBLE, PROVED, NOT_FOUND)
    )
    return Tally(reached, proved, missed, off)


class ReachStore:
    """A folder of labels by person and point, which is read with xarray too (``dataset``)."""

    def __init__(self, path: Path, group: Any) -> None:
        self.path = path
        about = group.attrs["articulata"]
        self.about: Mapping[str, Any] = about
        self.people: tuple[str, ...] = tuple(about["people"])
        self.lattice = _lattice(about)
        self.tiles = self.lattice.tiles()
        self._arrays = {name: group[_NAMES.get(name, name)] for name in FIELDS}
        self._axes = [group[name] for name in "xyz"]
        self._seals, self._off = group["seal"], group["off"]
        shape = (len(self.people), *self.lattice.counts)
        if about["edge"] != self.lattice.edge or any(
            each.shape != shape for each in self._arrays.values()
        ):
            raise ValueError("its arrays are not those of its grid")

    # ---- making and opening

    @staticmethod
    def make(path: Path, lattice: Lattice, about: Mapping[str, Any]) -> None:
        """Make a store at ``path``; ``about`` says what is asked.

        Among it are ``people`` and the lattice: ``first``, ``step``, ``counts``.
        """
        zarr = load()
        said = {"format": FORMAT, "edge": lattice.edge, **about}
        with _told(path):
            group = zarr.create_group(store=str(path), zarr_format=3)
            for name, count in zip("xyz", lattice.counts, strict=True):
                group.create_array(
                    name, shape=(count,), dtype=np.float64, chunks=(count,), dimension_names=[name]
                )
            edge, (columns, rows, levels) = lattice.edge, lattice.counts
            people = len(about["people"])
            for name, (kind, empty) in FIELDS.items():
                group.create_array(
                    _NAMES.get(name, name), shape=(people, columns, rows, levels), dtype=kind,
                    chunks=(1, CHUNK, CHUNK, levels), shards=(1, edge, edge, levels),
                    fill_value=empty, dimension_names=["person", "x", "y", "z"],
                )  # fmt: skip
            for name, kind in (("seal", np.uint64), ("off", np.float32)):
                group.create_array(
                    name, shape=(people, -(-columns // edge), -(-rows // edge)), dtype=kind,
                    chunks=(1, 1, 1), compressors=None, fill_value=0,
                    dimension_names=["person", "tile_x", "tile_y"],
                )  # fmt: skip
            group.attrs["articulata"] = said

    @staticmethod
    def open(path: str | Path) -> ReachStore:
        """Return the store at ``path``; RecordingError where there is none."""
        zarr = load()
        place = Path(path)
        try:
            group = zarr.open_group(store=str(place), mode="r+")
            said = group.attrs["articulata"]
            number = said["format"]
        except (OSError, KeyError, ValueError, TypeError) as error:
            raise RecordingError(f"{place} is no store of reach: {error}") from error
        if number != FORMAT:
            raise RecordingError(
                f"{place}: format {number} is not read here, only {FORMAT}; read it with the "
                "release that wrote it"
            )
        try:
            return ReachStore(place, group)
        except (KeyError, ValueError, TypeError) as error:
            raise RecordingError(f"{place} is a damaged store of reach: {error}") from error

    # ---- tiles

    def write(self, person: int, number: int, values: Mapping[str, Any], off: float = 0.0) -> None:
        """Write tile ``number`` of a person: arrays (columns, rows, levels) by name, then seal it.

        ``off`` (m) is how far the worst of its proofs misses its point. A tile that is written
        twice has the same bytes. RecordingError where the disk is full.
        """
        tile = self.tiles[number]
        with _told(self.path):
            for name, (kind, _) in FIELDS.items():
                block = np.ascontiguousarray(values[name], kind)
                # what an unfinished tile left is not to be read, damaged or not
                self._shard(name, person, tile).unlink(missing_ok=True)
                self._arrays[name][person, tile.x0 : tile.x1, tile.y0 : tile.y1] = block
            self._off[person, *self._seat(tile)] = off
            self._seals[person, *self._seat(tile)] = _seal(values)

    def tile(self, person: int, number: int) -> dict[str, Any]:
        """Return what a tile holds: arrays (columns, rows, levels) by name."""
        t = self.tiles[number]
        return {
            name: np.asarray(array[person, t.x0 : t.x1, t.y0 : t.y1])
            for name, array in self._arrays.items()
        }

    def finished(self) -> Iterator[tuple[int, int, Tally]]:
        """Yield person and number of each tile whose seal fits, and what is in it."""
        for person, number in itertools.product(range(len(self.people)), range(len(self.tiles))):
            try:
                seat = self._seat(self.tiles[number])
                seal = int(self._seals[person, *seat])
                if seal:
                    values = self.tile(person, number)
                    if _seal(values) == seal:
                        off = float(self._off[person, *seat])
                        yield person, number, tally_of(values["label"], off)
            except (OSError, ValueError, RuntimeError):  # damaged: it is done again
                continue

    def tidy(self) -> None:
        """Remove what writers that were killed have left behind; write the axes of the grid."""
        for each in self.path.rglob("*.partial"):
            each.unlink(missing_ok=True)
        with _told(self.path):
            for number, axis in enumerate(self._axes):
                axis[:] = self.lattice.axis(number)

    def _shard(self, name: str, person: int, tile: Tile) -> Path:
        """Return the file that holds a tile's part of an array."""
        seat = (str(each) for each in (person, *self._seat(tile), 0))
        return self.path.joinpath(_NAMES.get(name, name), "c", *seat)

    def _seat(self, tile: Tile) -> tuple[int, int]:
        return tile.x0 // self.lattice.edge, tile.y0 // self.lattice.edge

    # ---- reading

    def dataset(self) -> Any:
        """Return all of it as an ``xarray.Dataset``, which reads what is looked at.

        Its dimensions are person, x, y and z (m, in the ground frame).
        """
        load()
        import xarray

        found = xarray.open_zarr(str(self.path), consolidated=False, mask_and_scale=False)
        return found.drop_vars(["seal", "off"]).assign_coords(person=list(self.people))


def load() -> ModuleType:
    """Return the module ``zarr``; MissingExtra where it is not installed."""
    try:
        import zarr
    except ImportError:
        raise MissingExtra(
            "a store of many points needs the packages zarr and xarray; install them with: "
            "pip install 'articulata[study]'"
        ) from None
    return zarr


def _lattice(about: Mapping[str, Any]) -> Lattice:
    """Return the lattice that a store says it has; ValueError where it is none."""
    x, y, z = map(float, about["first"])
    step, counts = float(about["step"]), about["counts"]
    if len(counts) != 3 or any(type(each) is not int for each in counts):
        raise ValueError("its grid has no three axes")
    if min(counts) < 1 or not 0.0 < step < math.inf or not math.isfinite(x + y + z):
        raise ValueError("its grid has no points")
    return Lattice((x, y, z), step, (counts[0], counts[1], counts[2]))


def _seal(values: Mapping[str, Any]) -> int:
    """Return a digest of a tile, never 0."""
    digest = hashlib.blake2b(digest_size=8)
    for name, (kind, _) in FIELDS.items():
        digest.update(np.ascontiguousarray(values[name], kind).tobytes())
    return int.from_bytes(digest.digest(), "little") | 1


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Say what is to be done where a store cannot be written."""
    try:
        yield
    except OSError as error:
        full = error.errno == errno.ENOSPC
        why = "the disk is full; free some space" if full else f"{error.strerror or error}; mend it"
        raise RecordingError(
            f"{path} cannot be written: {why} and give the same command again: finished tiles are "
            "kept"
        ) from error
