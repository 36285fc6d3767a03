"""``articulata rest``: where a world rests, and how it swings there."""

from __future__ import annotations

import json
import math
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from articulata.app import console
from articulata.app.console import explained
from articulata.sessions.command_fields import Option, Seed, World, WorldFile

if TYPE_CHECKING:
    from articulata.analyses.rest.linear_model import Mode
    from articulata.analyses.rest.rest_positions import Rest, RestPosition


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
    format: Annotated[Table, Option(help="How rest positions are shown.")] = Table.TEXT,
    out: Annotated[Path | None, Option(help="Folder for a recording of each mode.")] = None,
) -> None:
    """Find the equilibria of a world, whether they are stable, and their natural frequencies."""
    with explained():
        from articulata.analyses.rest.linear_model import record_mode
        from articulata.analyses.rest.rest_positions import rest as found_in
        from articulata.sessions.given_files import document_of
        from articulata.sessions.simulation import asked

        document = document_of(file)
        asked_for = document.world(asked(document, world))
        found = found_in(asked_for, starts, seed)
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


def _text(found: Rest) -> str:
    """Return lines that a person reads: each position, below it its modes."""
    count = len(found.positions)
    lines = [f"{count or 'no'} rest position{'' if count == 1 else 's'}, {found.starts} starts"]
    for number, each in enumerate(found.positions, 1):
        where = ", ".join(
            f"{name} {math.degrees(x) + 0.0:.4g} deg"
            if name.endswith(".angle")
            else f"{name} {x:.4g} m"
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
