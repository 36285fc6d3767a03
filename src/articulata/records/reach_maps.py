"""What a person can reach in a room: labels of points, verdicts on objects; saved as one file.

Places are in W, metres; angles in rad. A file is a zip archive of NumPy arrays and ``about.json``.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from articulata.errors import RecordingError
from articulata.geometry.arrays import Array, IntArray
from articulata.records.data_frames import Labelled, Tabular, Variable, library
from articulata.records.files import write_whole
from articulata.records.reach_shares import (
    ACCESSIBLE,
    LABELS,
    NOT_FOUND,
    PROVED,
    SAID,
    ReachShare,
    ShareMap,
    SurfaceReach,
    SurfaceShare,
    plain,
)
from articulata.records.reach_verdicts import (
    ReachReason,
    RuleFinding,
    Verdict,
    finding_from,
    verdict_from,
)
from articulata.records.uses import Operation, Sighting, operation, plain_use, sighting
from articulata.world.requests.reach import Thing, path_of

FORMAT: Final = 1
"""The number of the file format."""

SUFFIX: Final = ".artreach"

SCORES: Final = ("sum", "range", "barrier", "rula", "reba")
"""What a table tells of the comfort of a posture, beside the discomfort that chose it."""


@dataclass(frozen=True, slots=True, eq=False)
class ReachPart:
    """The map of one way to move: arrays by point (n,), and who reaches how.

    ``base`` (n, 3) is (x, y, turn) in the ground frame, NaN where a point is not reached; ``row``
    numbers ``postures`` (rows, dof), whose base is replaced by ``base``.
    """

    mobility: str
    label: IntArray
    reason: IntArray
    hand: IntArray
    base: Array
    row: IntArray
    cost: Array
    postures: Array
    stand: float = 0.0
    """Area of floor (m^2) on which the base can stand."""

    def share(self, label: int) -> float:
        """Return the share of points with a label."""
        return float(np.mean(self.label == label)) if len(self.label) else 0.0

    def posture(self, point: int) -> Array:
        """Return the posture (dof,) that reaches a point."""
        q = self.postures[self.row[point]].copy()
        q[:3] = self.base[point]
        return np.asarray(q)


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """What stands in a room, seen from above: ``corners`` (k, 2) in the ground frame, m.

    It reaches from height ``low`` to ``high`` of that frame.
    """

    name: str
    corners: Array
    low: float
    high: float


@dataclass(frozen=True, slots=True, eq=False)
class ReachMap(Tabular):
    """What a person can reach in a room, by each way to move.

    ``points`` (n, 3) of the grid in W, ``step`` m from one to the next; ``X_WG`` (4, 4) the ground
    frame; ``joints`` are the names of a posture's values, ``hands`` what the numbers of hands mean.
    """

    world: str
    person: str
    points: Array
    step: float
    X_WG: Array
    joints: tuple[str, ...]
    hands: tuple[str, ...]
    parts: Mapping[str, ReachPart]
    verdicts: tuple[Verdict, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    plan: tuple[Outline, ...] = ()
    findings: tuple[RuleFinding, ...] = ()
    shares: tuple[ReachShare, ...] = ()
    operations: tuple[Operation, ...] = ()
    sightings: tuple[Sighting, ...] = ()
    share_maps: tuple[ShareMap, ...] = ()
    surfaces: tuple[SurfaceReach, ...] = ()
    surface_shares: tuple[SurfaceShare, ...] = ()

    def verdict(self, object: str, mobility: str) -> Verdict:
        """Return one verdict."""
        for each in self.verdicts:
            if each.object == object and each.mobility == mobility:
                return each
        known = sorted({f"'{v.object}' {v.mobility}" for v in self.verdicts})
        raise RecordingError(
            f"nothing was asked about '{object}' {mobility}; there are {', '.join(known) or 'none'}"
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """What else is to be known of people and room, a sentence each."""
        return tuple(self.settings.get("notes", ()))

    @property
    def objects(self) -> tuple[str, ...]:
        """The objects asked about."""
        return tuple(path_of(each) for each in self.things)

    @property
    def things(self) -> tuple[Thing, ...]:
        """The same, each with the direction of the hand that it asks for."""
        return tuple(dict.fromkeys(each.asked for each in self.verdicts))

    def __repr__(self) -> str:
        """Say in a line what was asked; ``str`` says what was found."""
        return (
            f"ReachMap of '{self.world}': {len(self.points)} points, "
            f"{len(self.things)} objects, {', '.join(self.parts) or 'nobody moves'}"
        )

    def __str__(self) -> str:
        """Say what was found, a line for each way to move."""
        lines = [f"ReachMap of '{self.world}': {len(self.points)} points"]
        for name, part in self.parts.items():
            shares = ", ".join(
                f"{part.share(k):.1%} {SAID[k]}" for k in (ACCESSIBLE, PROVED, NOT_FOUND)
            )
            lines.append(f"  {name}: {shares}")
        said = (
            *self.verdicts, *self.operations, *self.sightings, *self.surfaces, *self.shares,
            *self.surface_shares, *self.share_maps,
        )  # fmt: skip
        return "\n".join([*lines, *(f"  {each}" for each in said)])

    def rows(self) -> list[dict[str, str]]:
        """Return the verdicts as rows of a table, all values as text."""
        found = []
        for each in self.verdicts:
            x, y, z = each.point
            found.append(
                {
                    "object": each.object,
                    "mobility": each.mobility,
                    "verdict": LABELS[each.label],
                    "reason": each.reason.name.lower().replace("_", " "),
                    "hand": each.hand,
                    "held": "" if each.aligned is None else str(each.aligned),
                    "off_deg": ""
                    if each.aligned is None or each.off is None
                    else f"{np.degrees(each.off):.1f}",
                    "x": f"{x:.4f}",
                    "y": f"{y:.4f}",
                    "z": f"{z:.4f}",
                    "base_x": "" if each.base is None else f"{each.base[0]:.4f}",
                    "base_y": "" if each.base is None else f"{each.base[1]:.4f}",
                    "base_turn_deg": "" if each.base is None else f"{np.degrees(each.base[2]):.1f}",
                    "trunk_deg": f"{np.degrees(each.lean):.1f}" if each.accessible else "",
                    "discomfort": f"{each.cost:.4f}" if each.accessible else "",
                    **{name: _told(each, name) for name in SCORES},
                    "arm_path": each.path_label,
                    "obstacle": each.obstacle,
                    "short_m": f"{each.short:.3f}" if each.short > 0.0 else "",
                    "remedy": "" if each.remedy is None else str(each.remedy),
                }
            )
        return found

    def to_pandas(self) -> Any:
        """Return the verdicts as a ``pandas.DataFrame``: a row for each object and way to move.

        Columns are those of ``rows``, numbers as such. Raises MissingExtra where pandas is not
        installed.
        """
        pandas = library("pandas")
        rows = self.rows()
        made = pandas.DataFrame(rows, columns=list(rows[0]) if rows else _ASKED)
        for name in (each for each in made if each not in _WORDS):
            made[name] = pandas.to_numeric(made[name], errors="coerce")
        return made.set_index(["object", "mobility"])

    def to_xarray(self) -> Any:
        """Return the points of the map as an ``xarray.Dataset`` over point and mobility.

        Labels, reasons and hands are numbers, whose words are ``attrs["flag_meanings"]``; ``base``
        is x, y (m) and turn (rad) in the ground frame. Raises MissingExtra where xarray is not
        installed.
        """
        return Tabular.to_xarray(self)

    def _labelled(self) -> Labelled:
        by = ("point", "mobility")
        parts = list(self.parts.values())
        reasons = tuple(each.name.lower() for each in ReachReason)
        meanings = {"label": LABELS, "reason": reasons, "hand": self.hands}

        def column(name: str) -> Any:
            if not parts:
                return np.zeros((len(self.points), 0), np.int64)
            return np.stack([getattr(part, name) for part in parts], axis=1)

        variables = {
            axis: Variable(("point",), self.points[:, k], "m") for k, axis in enumerate("xyz")
        }
        variables |= {
            name: Variable(by, column(name).astype(np.int8), meanings=words)
            for name, words in meanings.items()
        }
        variables["discomfort"] = Variable(by, column("cost"))
        if parts:
            variables["base"] = Variable((*by, "placed"), column("base"), "m, m, rad")
        labels: dict[str, Any] = {
            "point": np.arange(len(self.points)),
            "mobility": list(self.parts),
            "placed": ("x", "y", "turn"),
        }
        return Labelled("point", labels, variables, {"world": self.world, "person": self.person})

    def save(self, path: str | Path) -> None:
        """Write the map to a file; the same map gives the same bytes."""
        write_whole(Path(path), self.bytes())

    @staticmethod
    def load(path: str | Path) -> ReachMap:
        """Return the map that a file holds; raise RecordingError for one that is none."""
        return _load(path)

    def bytes(self) -> bytes:
        """Return what ``save`` writes."""
        about = {
            "format": FORMAT,
            "world": self.world,
            "person": self.person,
            "step": self.step,
            "joints": self.joints,
            "hands": self.hands,
            "settings": dict(self.settings),
            "plan": [[o.name, o.corners.tolist(), o.low, o.high] for o in self.plan],
            "parts": [{"mobility": p.mobility, "stand": p.stand} for p in self.parts.values()],
            "verdicts": [plain(each) for each in self.verdicts],
            "findings": [plain(each) for each in self.findings],
            "shares": [plain(each) for each in self.shares],
            "share_maps": [
                {name: getattr(each, name) for name in _OF_SHARES} for each in self.share_maps
            ],
            "operations": [plain_use(each) for each in self.operations],
            "sightings": [plain_use(each) for each in self.sightings],
            "surfaces": [plain(each) for each in self.surfaces],
            "surface_shares": [plain(each) for each in self.surface_shares],
        }
        arrays: dict[str, Any] = {"points": self.points, "X_WG": self.X_WG}
        for number, part in enumerate(self.parts.values()):
            for name, kind in _KEPT.items():
                arrays[f"{number}.{name}"] = np.asarray(getattr(part, name), kind)
        for number, each in enumerate(self.share_maps):
            arrays[f"shares{number}.reached"] = np.asarray(each.reached, np.float32)
            arrays[f"shares{number}.excluded"] = np.asarray(each.excluded, np.float32)
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            text = json.dumps(about, indent=1, allow_nan=False)
            _put(archive, "about.json", f"{text}\n".encode())
            for name, array in arrays.items():
                held = io.BytesIO()
                np.save(held, array)
                _put(archive, f"{name}.npy", held.getvalue())
        return out.getvalue()


_ASKED: Final = ("object", "mobility")
"""What tells the rows of verdicts apart."""

_WORDS: Final = (*_ASKED, "verdict", "reason", "hand", "held", "arm_path", "obstacle", "remedy")
"""Columns of verdicts that are words; a score may be some ("at limit of ...") and is NaN then."""

_OF_SHARES: Final = ("people", "count", "searched", "checked", "wrong")
"""What is said of a map of shares, beside its arrays."""

_KEPT: Final = {
    "label": np.int8,
    "reason": np.int8,
    "hand": np.int8,
    "base": np.float64,
    "row": np.int32,
    "cost": np.float32,
    "postures": np.float64,
}


def _told(verdict: Verdict, name: str) -> str:
    if name == "barrier" and verdict.at_limit:
        return f"at limit of {', '.join(verdict.at_limit)}"
    score = verdict.scores.get(name)
    return "" if score is None else f"{score:.4g}"


def _put(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    # the record is mostly places and postures: more work makes it little smaller
    archive.writestr(entry, data, compresslevel=1)


def _load(path: str | Path) -> ReachMap:
    file = Path(path)
    try:
        with zipfile.ZipFile(file) as archive:
            about = json.loads(archive.read("about.json"))
            if about.get("format") != FORMAT:
                raise RecordingError(
                    f"{file}: format {about.get('format')} is not read here, only {FORMAT}; "
                    "read it with the release that wrote it"
                )
            arrays = {
                name[:-4]: np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
                for name in archive.namelist()
                if name.endswith(".npy")
            }
            return _made(about, arrays)
    except OSError as error:
        raise RecordingError(f"{file} cannot be read: {error.strerror or error}") from error
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError) as error:
        raise RecordingError(f"{file} is no map of reach, or it is damaged: {error}") from error


def _made(about: Mapping[str, Any], arrays: Mapping[str, Any]) -> ReachMap:
    parts = {}
    for number, said in enumerate(about["parts"]):
        kept = {name: arrays[f"{number}.{name}"] for name in _KEPT}
        whole = {
            name: value.astype(np.int64 if value.dtype.kind == "i" else float)
            for name, value in kept.items()
        }
        parts[said["mobility"]] = ReachPart(mobility=said["mobility"], stand=said["stand"], **whole)
    return ReachMap(
        about["world"],
        about["person"],
        arrays["points"],
        about["step"],
        arrays["X_WG"],
        tuple(about["joints"]),
        tuple(about["hands"]),
        parts,
        tuple(verdict_from(each) for each in about["verdicts"]),
        about["settings"],
        tuple(Outline(n, np.array(c, float), a, b) for n, c, a, b in about["plan"]),
        tuple(finding_from(each) for each in about["findings"]),
        tuple(ReachShare(**each) for each in about.get("shares", ())),
        tuple(operation(each) for each in about.get("operations", ())),
        tuple(sighting(each) for each in about.get("sightings", ())),
        tuple(
            ShareMap(
                reached=arrays[f"shares{number}.reached"].astype(float),
                excluded=arrays[f"shares{number}.excluded"].astype(float),
                **said,
            )
            for number, said in enumerate(about.get("share_maps", ()))
        ),
        tuple(SurfaceReach(**each) for each in about.get("surfaces", ())),
        tuple(SurfaceShare(**each) for each in about.get("surface_shares", ())),
    )
