"""Two variants of a room beside each other."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest

import articulata as art
from articulata.records.reach_changes import changes, shares
from rooms import TEXT, document

LOW, HIGH = 1.4, 2.1


def answer(shelf: float) -> art.ReachMap:
    return art.reach(
        document(shelf).world("room"), person="human_upper_body", grid=0.4, remedies=False,
        mobility=[art.OnFoot(), art.Wheelchair()], objects=["counter.front", "shelf.front"],
    )  # fmt: skip


def test_changes_name_what_was_gained_and_lost() -> None:
    low, high = answer(LOW), answer(HIGH)
    found = changes(high, low)
    assert {(each.object, each.mobility) for each in found if each.gained} == {
        ("shelf.front", "on foot")
    }
    assert not any(each.lost for each in found)
    assert [each.gained for each in changes(low, high)] == [each.lost for each in found]
    assert [each.lost for each in changes(low, high)] == [each.gained for each in found]
    assert changes(low, low) == ()
    gained = next(each for each in found if each.gained)
    assert str(gained).startswith("shelf.front, on foot: accessible")
    assert "; before: not found: 'shelf' is in the way" in str(gained)
    told = shares(high, low)
    assert [line.partition(":")[0] for line in told] == ["on foot", "manual wheelchair"]
    part = low.parts["on foot"]
    assert f"{part.share(1):.1%} of the points accessible" in told[0]


def test_variants_without_anything_in_common_are_refused() -> None:
    one = art.reach(document(LOW).world("room"), person="human_upper_body", grid=None,
                    mobility=art.OnFoot(), objects=["counter.front"], remedies=False)  # fmt: skip
    other = art.reach(document(LOW).world("room"), person="human_upper_body", grid=None,
                      mobility=art.OnFoot(), objects=["shelf.front"], remedies=False)  # fmt: skip
    with pytest.raises(art.RecordingError, match="compare two variants of one room"):
        changes(one, other)


def test_the_command_compares_with_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from articulata.app.main import main

    answer(HIGH).save(tmp_path / "before.artreach")
    (tmp_path / "room.art").write_text(TEXT.format(shelf=LOW).replace("30 cm", "40 cm"))
    monkeypatch.setattr(
        sys, "argv",
        ["articulata", "reach", str(tmp_path / "room.art"), "--headless",
         "--before", str(tmp_path / "before.artreach"), "--out", str(tmp_path / "out")],
    )  # fmt: skip
    main()
    told = capsys.readouterr().out
    assert "beside before.artreach: 1 gained, 0 lost" in told
    with (tmp_path / "out" / "changes.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["object"], row["change"]) for row in rows if row["change"] != "other"] == [
        ("shelf.front", "gained")
    ]
