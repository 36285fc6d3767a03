"""The benchmark harness: ratios point the right way, absent peers are named, all is reported."""

from __future__ import annotations

import time

import pytest
from benchmarks.harness import Case, Report
from benchmarks.report import as_json, as_table


@pytest.mark.parametrize(
    ("better", "ours", "peer", "ratio", "reached"),
    [("higher", 300.0, 100.0, 3.0, True), ("lower", 300.0, 100.0, 1 / 3, False)],
)
def test_a_ratio_above_one_means_ours_is_better(
    better: str, ours: float, peer: float, ratio: float, reached: bool
) -> None:
    case = Case("case", "unit", better, target=200.0)  # type: ignore[arg-type] # one of the two
    case.number("we", ours, ours=True)
    case.number("they", peer)
    assert case.ratio(case.answers[1]) == pytest.approx(ratio)
    assert case.ratio(case.answers[0]) is None
    assert case.reached() is reached


def test_rates_count_the_work_of_a_call(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(1_000_000))
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(clock)))  # every reading 1 s later
    report = Report()
    with report.case("steps", unit="steps/s", better="higher") as case:
        case.time("we", lambda: None, count=80, ours=True)
    assert report.cases[0].answers[0].value == pytest.approx(80.0)
    with report.case("call", unit="s", better="lower") as case:
        case.time("we", lambda: None, ours=True)
    assert report.cases[1].answers[0].value == pytest.approx(1.0)


def test_table_and_file_name_everyone() -> None:
    report = Report()
    with report.case("question", unit="s", better="lower", target=1.0) as case:
        case.number("we", 0.5, ours=True)
        case.number("they", 2.0, note="version 1")
        case.missing("others", "no wheel for this machine")
    table = as_table(report)
    assert "to reach: 1 s: reached" in table
    assert "ours is 4 x" in table
    assert "others" in table
    assert "no wheel for this machine" in table
    assert as_json(report, [])["cases"][0]["answers"][1]["ratio"] == pytest.approx(4.0)
