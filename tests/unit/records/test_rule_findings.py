"""Findings of rules in a record: a depth that is infinite is null in JSON, and infinite again."""

from __future__ import annotations

import json
import math
import zipfile
from pathlib import Path

import numpy as np

from articulata.records.reach_maps import ReachMap
from articulata.records.reach_verdicts import RuleFinding

FOUND = (
    RuleFinding("switch", "ada_2010", False, "308.2.1", 1.0, math.inf, "no clear floor"),
    RuleFinding("tap", "ada_2010", True, "308.2.2", 1.1, 0.45, "in reach"),
)


def no_json(word: str) -> None:
    """Refuse the words for numbers that JSON does not have."""
    raise AssertionError(f"{word} is no number of JSON")


def parts_of(path: Path) -> dict[str, bytes]:
    """Write a map with findings; return what its file holds."""
    nowhere = np.empty((0, 3))
    ReachMap("room", "person", nowhere, 0.1, np.eye(4), (), (), {}, (), findings=FOUND).save(path)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_an_infinite_depth_is_null_and_read_back(tmp_path: Path) -> None:
    parts = parts_of(tmp_path / "a.artreach")
    said = json.loads(parts["about.json"], parse_constant=no_json)
    assert [each["depth"] for each in said["findings"]] == [None, 0.45]
    assert ReachMap.load(tmp_path / "a.artreach").findings == FOUND


def test_records_that_hold_infinity_stay_readable(tmp_path: Path) -> None:
    parts = parts_of(tmp_path / "a.artreach")
    former = parts["about.json"].replace(b'"depth": null', b'"depth": Infinity')
    assert b"Infinity" in former
    with zipfile.ZipFile(tmp_path / "b.artreach", "w") as archive:
        for name, data in {**parts, "about.json": former}.items():
            archive.writestr(name, data)
    assert ReachMap.load(tmp_path / "b.artreach").findings == FOUND
