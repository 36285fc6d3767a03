"""Answers as values, kept in files beside the tests, and what differs between two of them."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from articulata.world.world_files import LIBRARY

FOLDER = Path(__file__).parent / "answers"

EXACT = 1e-12
"""How near numbers are that no event and no search decides, of 1 or of their own size."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered: ``same`` is compared as it is, ``near`` within ``tolerance``."""

    same: Any = None
    near: Mapping[str, Sequence[float]] = field(default_factory=dict)
    tolerance: float = EXACT

    def to_json(self) -> Any:
        """Return it as JSON has it; numbers with all their digits."""
        near = {name: [_told(float(x)) for x in values] for name, values in self.near.items()}
        return {"same": self.same, "near": near, "tolerance": self.tolerance}


Question = tuple[str, Callable[[], Answer]]
"""The name of a question, and what asks it."""


def _told(number: float) -> float | str:
    return number if math.isfinite(number) else str(number)


def flat(values: Any) -> list[float]:
    """Return numbers of any shape in a row."""
    return [float(x) for x in np.asarray(values, float).reshape(-1)]


def digest(*texts: str) -> str:
    """Return what stands for long texts, wherever the library's files lie."""
    return hashlib.sha256(_anywhere("\n".join(texts)).encode()).hexdigest()[:16]


def _anywhere(text: str) -> str:
    return text.replace(str(LIBRARY), "LIBRARY")


def asked(question: Callable[[], Answer]) -> Any:
    """Return the answer as JSON has it; an error is an answer too."""
    try:
        return json.loads(json.dumps(question().to_json()))
    except Exception as error:
        return {"error": type(error).__name__, "message": _anywhere(str(error))}


def record(room: str, questions: Iterator[Question]) -> int:
    """Ask all questions of a room and keep the answers; return how many there are."""
    found = {name: asked(question) for name, question in questions}
    FOLDER.mkdir(exist_ok=True)
    text = json.dumps(found, indent=0, sort_keys=True)
    # no name and no time within, so that the same answers are the same bytes
    (FOLDER / f"{room}.json.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    return len(found)


def kept(room: str) -> dict[str, Any]:
    """Return the answers of a room by the names of their questions."""
    text = gzip.decompress((FOLDER / f"{room}.json.gz").read_bytes())
    found: dict[str, Any] = json.loads(text)
    return found


def differences(before: Any, now: Any) -> list[str]:
    """Return what differs between two answers, in words; nothing where they agree."""
    if "error" in before or "error" in now:
        return [] if before == now else [f"{_short(before)} is now {_short(now)}"]
    found = []
    if before["same"] != now["same"]:
        found.append(f"{_short(before['same'])} is now {_short(now['same'])}")
    if before["near"].keys() != now["near"].keys():
        return [*found, f"{sorted(before['near'])} are now {sorted(now['near'])}"]
    for name, values in before["near"].items():
        old = np.array([float(x) for x in values])
        new = np.array([float(x) for x in now["near"][name]])
        if old.shape != new.shape:
            found.append(f"{name}: {old.size} numbers are now {new.size}")
            continue
        with np.errstate(invalid="ignore"):
            off = np.abs(new - old) / np.maximum(1.0, np.abs(old))
        off[(new == old) | (np.isnan(new) & np.isnan(old))] = 0.0
        worst = float(off.max(initial=0.0))
        if not worst <= before["tolerance"]:
            found.append(f"{name}: off by {worst:.3g}, allowed is {before['tolerance']:.3g}")
    return found


def _short(value: Any) -> str:
    text = json.dumps(value, sort_keys=True)
    return text if len(text) <= 200 else f"{text[:197]}..."
