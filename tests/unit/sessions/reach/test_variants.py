"""Two variants of a room beside each other."""

from __future__ import annotations

import csv
import hashlib
import json
import sys
import threading
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import articulata as art
from articulata.records.reach_changes import changes, shares
from articulata.records.reach_shares import ShareMap
from articulata.report import reach_document
from articulata.sessions.command_fields import ReachAsked
from articulata.sessions.reach import answering as session
from articulata.sessions.reach.answering import answer_of
from rooms import TEXT, document

LOW, HIGH = 1.7, 2.1


@cache
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
    assert str(gained).startswith("shelf.front, on foot: reached")
    assert "; before: not found: 'shelf' is in the way of most postures there (" in str(gained)
    told = shares(high, low)
    assert [line.partition(":")[0] for line in told] == ["on foot", "manual wheelchair"]
    part = low.parts["on foot"]
    assert f"{part.share(1):.1%} of the points reached" in told[0]


def test_what_one_variant_does_not_ask_about_is_neither_lost_nor_gained() -> None:
    whole = answer(LOW)
    asked = tuple(each for each in whole.verdicts if each.object == "counter.front")
    fewer = replace(whole, verdicts=asked)
    assert any(each.accessible for each in whole.verdicts if each not in asked)
    for before, after in ((whole, fewer), (fewer, whole)):
        found = changes(before, after)
        assert {each.object for each in found} == {"shelf.front"}
        assert not any(each.gained or each.lost for each in found)
        assert {each.row()["change"] for each in found} == {"not asked"}


def test_somebody_is_the_same_person_beside_others_too() -> None:
    alone, high = answer(LOW), answer(HIGH)
    among = replace(
        high,
        person=f"{high.person}, the mean of women",
        verdicts=tuple(
            replace(each, mobility=f"{high.person} {each.mobility}") for each in high.verdicts
        ),
        parts={f"{high.person} {name}": part for name, part in high.parts.items()},
    )
    for before, after in ((alone, among), (among, alone)):
        found = changes(before, after)
        assert all(each.in_both for each in found)
        assert any(each.gained or each.lost for each in found)
        assert len(shares(before, after)) == 2
    # nobody in common is told by who there is
    strangers = replace(among, person="a, b", verdicts=tuple(
        replace(each, mobility=f"b {each.mobility}") for each in high.verdicts))  # fmt: skip
    with pytest.raises(art.RecordingError, match="on foot, manual wheelchair there, b on foot, b"):
        changes(alone, strangers)


def test_variants_without_anything_in_common_are_refused() -> None:
    one = art.reach(document(LOW).world("room"), person="human_upper_body", grid=None,
                    mobility=art.OnFoot(), objects=["counter.front"], remedies=False)  # fmt: skip
    other = art.reach(document(LOW).world("room"), person="human_upper_body", grid=None,
                      mobility=art.OnFoot(), objects=["shelf.front"], remedies=False)  # fmt: skip
    with pytest.raises(art.RecordingError, match="compare two variants of one room"):
        changes(one, other)


class Quiet:
    """Hears how far an answer is and says nothing."""

    def working(self, done: int, total: int) -> None:
        """Hear it."""


def command(monkeypatch: pytest.MonkeyPatch, *words: object) -> None:
    from articulata.app.main import main

    monkeypatch.setattr(sys, "argv", ["articulata", "reach", *map(str, words), "--headless"])
    main()


def test_the_command_compares_with_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    # this run replaces the very answer it is laid beside
    out.mkdir()
    answer(HIGH).save(out / "reach.artreach")
    old = hashlib.sha256((out / "reach.artreach").read_bytes()).hexdigest()
    room = tmp_path / "room.art"
    room.write_text(TEXT.format(shelf=LOW).replace("30 cm", "40 cm"))
    command(monkeypatch, room, "--before", out / "reach.artreach", "--out", out)
    told = capsys.readouterr().out
    assert "beside reach.artreach: 1 gained, 0 lost" in told
    page = (out / "reach.html").read_text()
    assert "<li>beside reach.artreach: 1 gained, 0 lost</li>" in page
    assert "<li>shelf.front, on foot: reached" in page
    kept = json.loads((out / "provenance.json").read_text())["results"]["reach.html"]
    assert kept == hashlib.sha256(page.encode()).hexdigest()
    with (out / "changes.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(row["object"], row["change"]) for row in rows if row["change"] != "other"] == [
        ("shelf.front", "gained")
    ]
    said = json.loads((out / "provenance.json").read_text())
    assert said["before"] == {"reach.artreach": old}
    assert said["results"]["reach.artreach"] != old
    of_changes = hashlib.sha256((out / "changes.csv").read_bytes()).hexdigest()
    assert said["results"]["changes.csv"] == of_changes
    assert list(said["results"]) == sorted(
        {each.name for each in out.iterdir()} - {"provenance.json"}
    )


@pytest.fixture
def answered(monkeypatch: pytest.MonkeyPatch) -> art.ReachMap:
    """One answer for every request, a population's map in it."""
    found = answer(LOW)
    reached = np.linspace(0.0, 1.0, len(found.points))
    crowd = ShareMap("men, on foot", 60, 12, reached, 1.0 - reached, 2, 0.0)
    found = replace(found, share_maps=(crowd,))
    monkeypatch.setattr(session, "reach", lambda *_, **__: found)
    return found


@pytest.mark.usefixtures("answered")
def test_a_run_beside_nothing_leaves_no_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "room.art").write_text(TEXT.format(shelf=LOW).replace("30 cm", "1 m"))
    for stale in ("changes.csv", "operations.csv", "sightings.csv"):
        (tmp_path / stale).write_text("of an earlier run")
    command(monkeypatch, tmp_path / "room.art", "--out", tmp_path)
    assert (tmp_path / "reach.artreach").exists()
    for stale in ("changes.csv", "operations.csv", "sightings.csv"):
        assert not (tmp_path / stale).exists()
    assert "before" not in json.loads((tmp_path / "provenance.json").read_text())


@pytest.mark.usefixtures("answered")
def test_map_and_page_are_drawn_on_one_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []

    def picture(*_: Any) -> bytes:
        drawn.append(threading.get_ident())
        return b"a picture"

    for module in (session, reach_document):
        monkeypatch.setattr(module, "picture", picture)
    (tmp_path / "room.art").write_text(TEXT.format(shelf=LOW))
    done = session.reach_file(ReachAsked(tmp_path / "room.art", out=tmp_path), Quiet())
    assert drawn == [threading.get_ident()] * 2
    assert [path.name for path in done.files] == [
        "reach.artreach", "map.png", "objects.csv", "reach.html", "provenance.json",
    ]  # fmt: skip


@pytest.mark.usefixtures("answered")
def test_the_command_counts_what_one_variant_alone_asks_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = answer(LOW)
    more = replace(whole.verdicts[0], object="tap")
    replace(whole, verdicts=(*whole.verdicts, more)).save(tmp_path / "before.artreach")
    (tmp_path / "room.art").write_text(TEXT.format(shelf=LOW))
    out = tmp_path / "out"
    command(
        monkeypatch, tmp_path / "room.art", "--before", tmp_path / "before.artreach", "--out", out
    )
    told = capsys.readouterr().out
    assert "0 gained, 0 lost, 1 asked about in one of the two alone" in told


@pytest.mark.parametrize(
    ("named", "meant"),
    [("room", "room"), ("second", "second"), ("kitchen_new", "room"), ("kitchen(3)", "room")],
)
def test_a_variant_may_call_its_world_otherwise(
    named: str, meant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = TEXT.format(shelf=LOW)
    world, request = text[text.index("world room") :].split("\nreach room")
    second = f"{world}\nreach room{request}".replace(" room {", " second {")
    (tmp_path / "before.art").write_text(text + second)
    monkeypatch.setattr(
        "articulata.sessions.reach.answering.reach", lambda request, **_: request.world
    )
    assert answer_of(ReachAsked(tmp_path / "before.art", named), Quiet()) == meant


def test_what_is_named_wrongly_is_told_with_its_place(tmp_path: Path) -> None:
    room = tmp_path / "room.art"
    text = TEXT.format(shelf=LOW)
    room.write_text(text)
    request = replace(art.read(room).requests[0])
    question = replace(request.question, objects=("shelf.frontt",))  # type: ignore[type-var] # of reach
    line = 1 + text[: text.index("reach room")].count("\n")
    with pytest.raises(art.NameNotFound, match=rf"room\.art:{line}:\d+.*has no feature"):
        art.reach(replace(request, question=question))
