"""Populations: who is drawn, and what share of them reaches objects."""

from __future__ import annotations

import csv
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import articulata as art
from articulata.analyses.reach.cohorts import shares
from articulata.analyses.reach.cohorts.populations import interval, means_of, measures_of
from articulata.analyses.reach.cohorts.shares import Crowd, Maker, share_maps_of, speakers_of
from articulata.analyses.reach.one_person.body import Capability
from articulata.analyses.reach.points.search import Labels
from articulata.analyses.reach.reach_question import study_of
from articulata.analyses.reach.surroundings.room import room_of
from articulata.kinematics.library import ranges
from articulata.records.reach_maps import ReachMap
from articulata.records.reach_shares import ACCESSIBLE, PROVED
from articulata.report.reach_document import document as document_of
from rooms import TEXT, document

PEOPLE = """\
Gender,stature,weightkg,handlength
Male,1800,800,200
Female,1600,600,170
Female,1500,500,160
"""


def survey(sex: str) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    """Return measures, means, deviations and correlations as the shipped table prints them."""
    text = (files("articulata.world.library") / "people" / "ansur_2012.csv").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    rows = [row for row in csv.reader(lines[1:]) if row[0] == sex]
    numbers = np.array([[float(each) for each in row[2:]] for row in rows])
    return [row[1] for row in rows], numbers[:, 0], numbers[:, 1], numbers[:, 2:]


def test_people_are_drawn_as_the_survey_found_them() -> None:
    people = measures_of(art.Population(4000), 1)
    assert people == measures_of(art.Population(4000), 1)
    assert people != measures_of(art.Population(4000), 2)
    for number, sex in enumerate(("man", "woman")):
        names, mean, deviation, correlation = survey(sex)
        called = [{"stature": "height", "weightkg": "weight"}.get(each, each) for each in names]
        mine = [each for each in people if each["sex"] == number]
        assert len(mine) == 2000
        drawn = np.array([[each[name] for name in called] for each in mine])
        assert np.abs((drawn.mean(axis=0) - mean) / deviation).max() < 4.0 / np.sqrt(2000)
        assert np.abs(drawn.std(axis=0) / deviation - 1.0).max() < 0.07
        assert np.abs(np.corrcoef(drawn.T) - correlation).max() < 0.1
    mean_person = means_of(art.Population(2))
    between = 0.5 * (survey("man")[1][0] + survey("woman")[1][0])
    assert mean_person["height"] == pytest.approx(between)
    assert mean_person["sex"] == 0.5


def test_statures_lie_where_they_are_asked_for() -> None:
    tall = art.Population(300, "women", None, 1.70, 1.80)
    heights = np.array([each["height"] for each in measures_of(tall, 0)])
    assert ((heights >= 1.70) & (heights <= 1.80)).all()
    assert heights.std() > 0.015
    assert {each["sex"] for each in measures_of(tall, 0)} == {1.0}
    # who is tall has long arms: given stature the rest is drawn on
    arms = np.mean([each["acromionradialelength"] for each in measures_of(tall, 0)])
    assert arms > survey("woman")[1][survey("woman")[0].index("acromionradialelength")] + 0.01
    with pytest.raises(art.WorldError, match="nobody is left of the men between 3 and 4 m"):
        measures_of(art.Population(5, "men", None, 3.0, 4.0), 0)


def test_who_is_drawn_has_the_measures_of_a_person() -> None:
    people = measures_of(art.Population(3000, "women", shortest=1.4, tallest=1.6), 0)
    for name, (low, high) in ranges("person").items():
        drawn = [each[name] for each in people if name in each]
        assert all(low <= each <= high for each in drawn), name
    # some are drawn anew: of women as short the weight is below 30 kg for one of some hundreds
    assert min(each["weight"] for each in people) < 32.0


@pytest.mark.parametrize(
    ("shortest", "tallest", "who"),
    [
        (0.0, np.inf, "women"),
        (1.5, 1.6, "women of 1.5 to 1.6 m"),
        (0.0, 1.6, "women of up to 1.6 m"),
        (1.5, np.inf, "women of 1.5 m at least"),
    ],
)
def test_a_population_is_called_by_its_statures(shortest: float, tallest: float, who: str) -> None:
    assert art.Population(3, "women", shortest=shortest, tallest=tallest).who == who


def test_the_mean_of_a_population_is_called_so_beside_others() -> None:
    text = TEXT.format(shelf=1.4).replace(
        "human_upper_body on wheelchair", "2 women of 1.5 m to 1.6 m on wheelchair"
    )
    study, _, _ = study_of(art.parse(text).requests[0])
    assert study.names == (
        "human_upper_body on foot",
        "the mean of women of 1.5 to 1.6 m manual wheelchair",
    )


def test_rows_of_a_file_are_drawn_whole(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    table.write_text(PEOPLE)
    women = measures_of(art.Population(2, "women", str(table)), 0)
    assert sorted(each["height"] for each in women) == [1.5, 1.6]
    assert {(each["height"], each["handlength"], each["weight"]) for each in women} == {
        (1.5, 0.16, 50.0),
        (1.6, 0.17, 60.0),
    }
    # nobody is drawn twice: her share would look surer than it is
    everybody = measures_of(art.Population(3, "people", str(table)), 0)
    assert sorted(each["height"] for each in everybody) == [1.5, 1.6, 1.8]
    with pytest.raises(art.FormatError, match=r"3 women are asked .* 2 of them; ask for 2 at most"):
        measures_of(art.Population(3, "women", str(table)), 0)
    with pytest.raises(art.FormatError, match=r"^7 people .* has 3 of them; ask for 3 at most"):
        means_of(art.Population(7, "people", str(table)))
    with pytest.raises(art.FormatError, match="has no people that are asked for, of 3 in all"):
        measures_of(art.Population(1, "people", str(table), 1.9, 2.0), 0)
    table.write_text("stature\n")
    with pytest.raises(art.FormatError, match="has no people that are asked for, of 0 in all"):
        measures_of(art.Population(1, "people", str(table)), 0)
    table.write_text("height\n1800\n")
    with pytest.raises(art.FormatError, match="has no column 'stature'"):
        measures_of(art.Population(1, "people", str(table)), 0)
    with pytest.raises(art.FormatError, match=r"cannot be read: .*; put the file beside the text"):
        measures_of(art.Population(1, "people", str(tmp_path / "none.csv")), 0)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("Female,,600", "row 4, stature: the cell is empty. Mend the file (lengths are in mm,"),
        ("Female,1620,", "row 4, weightkg: the cell is empty"),
        ("Female,1620", "row 4, weightkg: the cell is empty"),
        ("Female,nan,600", "row 4, stature: 'nan' is not known"),
        ("Female,tall,600", "row 4, stature: 'tall' is not known"),
        ("Female,1.62,600", "stature: 1.62 mm is beyond 1200 to 2300; it looks like m."),
        ("Female,162,600", "stature: 162 mm is beyond 1200 to 2300; it looks like cm."),
        ("Female,64,600", "stature: 64 mm is beyond 1200 to 2300; it looks like inches."),
        ("Female,900,600", "stature: 900 mm is beyond 1200 to 2300."),
        ("Female,1620,60", "weightkg: 60 tenths of kg is beyond 300 to 2500; it looks like kg."),
        ("Female,1620,132", "is beyond 300 to 2500; it looks like kg or lb."),
        ("Frau,1620,600", "gender: 'Frau' is not known; known are male, man, men, m, 0 or female,"),
        (",1620,600", "row 4, gender: the cell is empty; known are"),
        ("Female,1620,600,5", "row 4: it has more cells than there are columns"),
        (
            "Female,,600\n" * 8,
            "row 8, stature: the cell is empty; and 3 more. Mend",
        ),
    ],
)
def test_cells_that_cannot_be_used_are_told_by_row_and_column(
    tmp_path: Path, rows: str, said: str
) -> None:
    table = tmp_path / "people.csv"
    table.write_text(f"# ours\nGender,stature,weightkg\nMale,1750,800\n{rows}\n")
    for asked in (measures_of, lambda population, _: means_of(population)):
        with pytest.raises(art.FormatError, match=re.escape(said)) as found:
            asked(art.Population(1, "people", str(table)), 0)
        assert str(found.value).startswith(f"{table}: row 4")


def test_a_table_without_a_column_of_sex_tells_none(tmp_path: Path) -> None:
    table = tmp_path / "people.csv"
    # as spreadsheets write it: a mark before UTF-8, spaces, an empty row
    table.write_text("\ufeffStature , weightkg\n1750, 800\n\n1620,600\n", encoding="utf-8")
    people = measures_of(art.Population(2, "people", str(table)), 0)
    assert {(each["height"], each["sex"]) for each in people} == {(1.75, 0.5), (1.62, 0.5)}
    with pytest.raises(art.FormatError, match=r"no men that are .* add a column gender"):
        measures_of(art.Population(1, "men", str(table)), 0)


def test_an_interval_holds_the_share_it_is_about() -> None:
    # Newcombe 1998, Statistics in Medicine 17, table I: 15 of 148 by Wilson's score method
    low, high = interval(15, 148)
    assert (round(low, 4), round(high, 4)) == (0.0624, 0.1605)
    assert interval(0, 20)[0] == 0.0
    assert interval(20, 20)[1] == 1.0


def test_shares_of_people_on_a_shelf(tmp_path: Path) -> None:
    # tall men and short women: the shelf hangs where only the tall ones come
    text = TEXT.format(shelf=1.85).replace(
        "human_upper_body on foot, human_upper_body on wheelchair",
        "1 men of 1.95 m to 2.0 m on foot, 1 women of 1.45 m to 1.5 m on foot",
    )
    text = text.replace("  points: grid 30 cm in floor\n", "").replace("counter.front, ", "")
    heard: list[str] = []
    reached = art.reach(
        art.parse(text).requests[0],
        remedies=False,
        told=lambda found: heard.extend(map(str, found)),
    )
    shares = {(each.object, each.people): each for each in reached.shares}
    assert shares["shelf.front", "men of 1.95 to 2 m, on foot"].reached == 1
    assert shares["shelf.front", "women of 1.45 to 1.5 m, on foot"].reached == 0
    assert heard[-2:] == [str(each) for each in reached.shares]
    assert "1 men of 1.95 to 2 m, on foot: 100% reach it (95 % interval 21% to 100%)" in str(
        reached
    )
    reached.save(tmp_path / "room.artreach")
    assert art.ReachMap.load(tmp_path / "room.artreach").shares == reached.shares
    page = document_of(reached)
    assert "100% reach it" in page
    assert "drawn from means and correlations of 14 measures" in page


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"count": 0}, "1 to 10000 people, not 0"),
        ({"count": 3, "sex": "boys"}, "one of 'people', 'men', 'women', not 'boys'"),
        ({"count": 3, "shortest": 1.8, "tallest": 1.7}, "give the shorter one first"),
    ],
)
def test_a_population_of_nobody_is_none(given: dict[str, Any], message: str) -> None:
    with pytest.raises(art.WorldError, match=message):
        art.Population(**given)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("0 people on foot", "a population has 1 to 10000 people, not 0"),
        ("5 men of 1.8 m to 1.7 m", "nobody's stature lies between 1.8 and 1.7 m"),
    ],
)
def test_a_population_of_nobody_is_refused(said: str, message: str) -> None:
    text = TEXT.format(shelf=1.4).replace("human_upper_body on foot", said)
    with pytest.raises(art.WorldError, match=message):
        _ = art.parse(text).requests


def test_who_speaks_is_like_those_she_speaks_for() -> None:
    people = measures_of(art.Population(200), 3)
    who, speaks = speakers_of(people, 16, 0)
    assert len(who) <= 16
    assert (speaks[who] == np.arange(len(who))).all()
    heights = np.array([each["height"] for each in people])
    # a sixteenth of the spread would be left if height alone counted; 13 lengths share it
    assert np.std(heights - heights[who][speaks]) < 0.45 * np.std(heights)
    few, own = speakers_of(people[:5], 16, 0)
    assert few.tolist() == own.tolist() == [0, 1, 2, 3, 4]


class Named:
    """Somebody who reaches whatever is lower than her height, and no more."""

    def __init__(self, height: float) -> None:
        self.height = height

    def label(self, points: np.ndarray, *_: object) -> Labels:
        found = Labels.unknown(len(points))
        found.label[:] = np.where(points[:, 2] < self.height, ACCESSIBLE, PROVED)
        return found


def test_a_map_of_shares_counts_whom_each_speaks_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = room_of(document().world("room"))
    monkeypatch.setattr(Maker, "case", lambda _, measures: Named(measures["height"]))
    monkeypatch.setattr(shares, "labels_of", lambda case, points, *_: case.label(points))
    crowd = Crowd(art.Population(60), art.OnFoot(), Capability())
    points = np.column_stack([np.zeros(9), np.zeros(9), np.linspace(1.4, 2.2, 9)])
    heights = np.array([each["height"] for each in measures_of(crowd.population, 0)])
    exact = (heights[:, None] > points[:, 2]).mean(axis=0)
    every = share_maps_of(room, [crowd], points, postures=1, seed=0, speakers=60)[0]
    assert every.reached.tolist() == pytest.approx(exact.tolist())
    assert every.excluded.tolist() == pytest.approx((1.0 - exact).tolist())
    assert (every.searched, every.checked, every.wrong) == (60, 0, 0.0)
    shown = share_maps_of(room, [crowd], points, postures=1, seed=0, speakers=12)[0]
    assert 0.0 < np.abs(shown.reached - exact).max() < 0.2
    assert (shown.count, shown.searched, shown.checked) == (60, 12, 2)
    plain = ReachMap(
        "room", "people", room.out(points), 0.1, room.X_WG, (), (), {}, (), share_maps=(shown,)
    )
    plain.save(tmp_path / "room.artreach")
    again = ReachMap.load(tmp_path / "room.artreach").share_maps[0]
    assert str(again) == str(shown)
    assert again.reached.tolist() == pytest.approx(shown.reached.tolist())
    page = document_of(plain)
    assert "12 speak for all" in page
    assert "data:image/png;base64," in page
