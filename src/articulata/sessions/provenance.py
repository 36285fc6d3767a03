"""Where a result folder came from: enough to make it again with the same bytes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from articulata.records.recording import Recording

UNITS = {
    "length": "m",
    "mass": "kg",
    "time": "s",
    "angle": "rad",
    "force": "N",
    "moment": "N m",
    "energy": "J",
}


def provenance(recording: Recording, inputs: Iterable[Path], results: Iterable[Path]) -> bytes:
    """Return ``provenance.json``: hashes of what went in and came out, versions, seed, units."""
    header = recording.header
    said = {
        "inputs": hashes(inputs),
        "world": header.world.name,
        "arguments": list(header.world.arguments),
        "step": header.step,
        "until": header.until,
        "method": header.method,
        "settings": dict(header.settings),
        "domains": None if header.domains is None else list(header.domains),
        "seed": header.seed,
        "versions": dict(header.versions),
        "units": UNITS,
        "channels": {name: channel.unit for name, channel in recording.channels.items()},
        "complete": recording.complete,
        "stopped": recording.reason,
        "results": hashes(results),
    }
    return as_json(said)


def as_json(said: Mapping[str, object]) -> bytes:
    """Return the bytes of a ``provenance.json`` that says so."""
    return (json.dumps(said, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


def with_results(before: bytes, results: Iterable[Path]) -> bytes:
    """Return a ``provenance.json`` that names more results than it did ``before``."""
    said = json.loads(before)
    said["results"] = dict(sorted({**said["results"], **hashes(results)}.items()))
    return as_json(said)


def hashes(paths: Iterable[Path]) -> Mapping[str, str]:
    """Return the SHA-256 of each file by its name, in the order of names."""
    found = sorted((path.name, path) for path in paths)
    return {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in found}
