"""What a simulation and a controller in another process say to each other: one JSON object a line.

The simulation speaks first, then each answers the other: ``greeting`` and its answer, then one
``question`` and one answer a control cycle, at the end ``farewell``. ``docs/controllers.md``
describes every field. Nothing here opens a connection.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from articulata.errors import ControllerError
from articulata.geometry.arrays import Array

VERSION = 1
"""Version of the protocol, the value of "articulata" in a greeting."""

LONGEST = 1 << 16
"""Bytes of the longest line that is read; an answer of a few numbers has some hundred."""

SHOWN = 60
"""Characters of a wrong answer that a message shows."""

Value = float | list[Any]
"""What a controller gives: a number, three, or two times three."""


def greeting(names: Sequence[str]) -> bytes:
    """Return the first line: the version of the protocol and the controllers that are wanted."""
    return _line({"articulata": VERSION, "controllers": list(names)})


def senses(line: bytes) -> tuple[str, ...]:
    """Return the quantities that the answer to a greeting asks for."""
    said = _read(line)
    wanted = said.get("sense", [])
    if not isinstance(wanted, list) or not all(isinstance(path, str) for path in wanted):
        raise ControllerError(
            f'asks to sense {_short(wanted)}; it answers the greeting with {{"sense": ["PATH", '
            "...]}"
        )
    return tuple(wanted)


def question(cycle: int, time: float, sensed: Mapping[str, Array | float]) -> bytes:
    """Return the line of one cycle, which begins at ``time`` (s)."""
    values = {path: _plain(value) for path, value in sensed.items()}
    return _line({"cycle": cycle, "time": time, "sensed": values})


def farewell() -> bytes:
    """Return the last line."""
    return _line({"end": True})


def answers(
    line: bytes, cycle: int, names: Sequence[str]
) -> tuple[Mapping[str, Value], Mapping[str, Value]]:
    """Return the value of each of ``names`` and, where given, its change per second."""
    said = _read(line)
    if said.get("cycle") != cycle:
        raise ControllerError(
            f"answered cycle {_short(said.get('cycle'))} when cycle {cycle} was asked; it answers"
            " each question once, with the cycle's number"
        )
    values, rates = said.get("values"), said.get("rates", {})
    if not isinstance(values, dict) or not isinstance(rates, dict):
        raise ControllerError(
            f'answered {_short(said)}; an answer is {{"cycle": N, "values": {{"NAME": VALUE}}}}'
        )
    for name in names:
        if name not in values:
            known = ", ".join(values) or "nothing"
            raise ControllerError(f"gave no value for '{name}'; it gave {known}")
    # What else it offers is left alone: a program may serve more than one world needs.
    return (
        {name: _checked(values[name]) for name in names},
        {name: _checked(rates[name]) for name in names if name in rates},
    )


def _line(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def _read(line: bytes) -> dict[str, Any]:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        raise ControllerError(
            f"answered {_short(line.decode('utf-8', 'replace').strip())}, which is no JSON"
        ) from None
    if not isinstance(said, dict):
        raise ControllerError(f"answered {_short(said)}; an answer is a JSON object")
    if "error" in said:
        raise ControllerError(f"gave up: {_short(said['error'])}")
    return said


def _plain(value: Array | float) -> Any:
    """Return numbers as JSON has them; null for what is not there in this cycle."""
    if isinstance(value, np.ndarray):
        return [_plain(part) for part in value]
    return float(value) if math.isfinite(value) else None


def _checked(value: Any, depth: int = 2) -> Value:
    """Return a value of numbers; that they are finite and as many as needed is checked by use."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if isinstance(value, list) and depth and len(value) <= 6:
        return [_checked(part, depth - 1) for part in value]
    raise ControllerError(f"gave {_short(value)} for a value; give a number or a list of numbers")


def _short(what: object) -> str:
    text = what if isinstance(what, str) else json.dumps(what, default=str)
    return repr(text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}...")


# ---- the program's side: who is asked


def wanted(line: bytes) -> tuple[str, ...]:
    """Return the controllers that a greeting asks for."""
    said = _read(line)
    if said.get("articulata") != VERSION:
        raise ControllerError(
            f'sent {_short(said)}; a greeting is {{"articulata": {VERSION}, "controllers": '
            '["NAME", ...]}'
        )
    names = said.get("controllers")
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ControllerError(f"wants {_short(names)}; controllers are a list of names")
    return tuple(names)


def sensing(paths: Sequence[str]) -> bytes:
    """Return the answer to a greeting: the quantities that are wanted each cycle."""
    return _line({"sense": list(paths)})


def asked(line: bytes) -> tuple[int, float] | None:
    """Return the cycle and the time (s) of a question, None for the farewell."""
    said = _read(line)
    if said.get("end") is True:
        return None
    cycle, time = said.get("cycle"), said.get("time")
    timed = isinstance(time, int | float) and not isinstance(time, bool) and math.isfinite(time)
    if type(cycle) is not int or not timed:
        raise ControllerError(
            f'sent {_short(said)}; a question is {{"cycle": N, "time": SECONDS, "sensed": {{}}}}'
        )
    assert time is not None
    return cycle, float(time)


def answer(cycle: int, values: Mapping[str, float], rates: Mapping[str, float]) -> bytes:
    """Return the answer to the question of a cycle: values, and their changes per second."""
    return _line({"cycle": cycle, "values": dict(values), "rates": dict(rates)})


def refusal(why: str) -> bytes:
    """Return the answer of a program that gives up."""
    return _line({"error": why})
