"""What runs gave, kept as they end: a line a run, so that nothing is made twice.

A line that was cut off, or changed, is no line: its run is made again. When all are there the
lines are put in order, so that the bytes do not tell who made which run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from articulata.errors import RecordingError
from articulata.records.files import write_whole
from articulata.records.variations import Outcome


class RunJournal:
    """The outcomes of ``count`` runs of a study in a file, by their numbers."""

    def __init__(self, path: Path, about: Mapping[str, object], count: int) -> None:
        self.path = path
        self.outcomes: dict[int, Outcome] = {}
        self._head = json.dumps({"about": about}, ensure_ascii=False)
        lines = (
            path.read_text(encoding="utf-8", errors="replace").split("\n") if path.is_file() else []
        )
        for line in lines[1:-1]:  # what follows the last end of a line was cut off
            found = _read(line)
            if found is not None and found[0] < count:
                self.outcomes.setdefault(*found)
        self.tidy()
        self._file = path.open("a", encoding="utf-8")

    def keep(self, number: int, outcome: Outcome) -> None:
        """Add what a run gave; RecordingError where it cannot be written."""
        self.outcomes[number] = outcome
        try:
            self._file.write(_line(number, outcome))
            self._file.flush()
        except OSError as error:
            raise RecordingError(
                f"{self.path} cannot be written ({error.strerror}); runs until here are kept: make "
                "room and give the same command again"
            ) from error

    def tidy(self) -> None:
        """Write all lines anew, in order."""
        lines = [_line(number, each) for number, each in sorted(self.outcomes.items())]
        write_whole(self.path, f"{self._head}\n{''.join(lines)}".encode())

    def close(self) -> None:
        """End the file."""
        self._file.close()


def _line(number: int, outcome: Outcome) -> str:
    said = {
        "run": number, "values": outcome.values, "units": outcome.units, "lines": outcome.lines,
        "failed": outcome.failed,
    }  # fmt: skip
    return json.dumps(said, ensure_ascii=False) + "\n"


def _read(line: str) -> tuple[int, Outcome] | None:
    """Return the run of a line and what it gave; None where the line is none of ours."""
    try:
        said: dict[str, Any] = json.loads(line)
        lines = {
            str(path): (tuple(map(float, times)), tuple(map(float, values)))
            for path, (times, values) in said["lines"].items()
        }
        values, units = tuple(map(float, said["values"])), tuple(map(str, said["units"]))
        number, outcome = int(said["run"]), Outcome(values, units, lines, str(said["failed"]))
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return (number, outcome) if number >= 0 else None
