"""The rules that ship beside the figures of the 2010 ADA Standards for Accessible Design.

Source: U.S. Department of Justice, 2010 ADA Standards for Accessible Design (15 September 2010),
chapters 3, 4, 6 and 8: each figure in inches and in the millimetres that the text has beside them.
"""

from __future__ import annotations

import pytest

from articulata.analyses.reach.building_codes import reach_ranges, rules
from articulata.analyses.reach.building_codes.rule_tables import ReachRule, rules_of

MILLIMETRES: dict[float, int] = {
    0.5: 13, 1.25: 32, 1.5: 38, 2: 51, 2.5: 64,  # to the nearest millimetre
    6: 150, 7: 180, 8: 205, 9: 230, 10: 255, 11: 280, 12: 305, 15: 380, 16: 405, 17: 430, 18: 455,
    19: 485, 20: 510, 24: 610, 25: 635, 27: 685, 28: 710, 30: 760, 32: 815, 33: 840, 34: 865,
    35: 890, 36: 915, 38: 965, 40: 1015, 42: 1065, 44: 1120, 46: 1170, 48: 1220, 54: 1370, 56: 1420,
    60: 1525, 72: 1830, 80: 2030, 359.06: 9120,
}  # fmt: skip
"""What the text writes beside its inches, to the nearest 5 mm beyond 3 in."""

# section, word of the row, and in inches: depth, low, high, obstruction, width, length
STANDARD = [
    ("308.2.1", "forward", 0, 15, 48, None, 0, 0),
    # the lowest that is reached over an obstruction is that of 308.2.1
    ("308.2.2", "forward", 20, 15, 48, None, 0, 0),
    ("308.2.2", "forward", 25, 15, 44, None, 0, 0),
    ("308.3.1", "side", 10, 15, 48, None, 0, 0),
    ("308.3.2", "side", 24, 15, 46, 34, 0, 0),
    # knee room up to 27 in (306.3.1), 25 in deep at most (306.2.2, 306.3.2)
    ("304.3.1", "turning", 25, 0, 27, None, 60, 0),
    ("304.3.2", "turning", 25, 0, 27, None, 60, 36),
    ("305.3", "clear floor", 25, 0, 27, None, 30, 48),
    ("305.7.1", "alcove ahead", 24, 0, 27, None, 36, 0),
    ("305.7.2", "alcove beside", 15, 0, 27, None, 60, 0),
    # 80 in high: 307.4
    ("404.2.3", "door", 0, 0, 80, None, 32, 0),
    ("604.2", "aside", 0, 16, 18, None, 0, 0),
    ("604.3.1", "corner", 0, 0, 80, None, 60, 56),
    ("604.4", "height", 0, 17, 19, None, 0, 0),
    ("604.7", "height", 0, 15, 48, None, 0, 0),
    ("606.3", "height", 0, 0, 34, None, 0, 0),
    # toes: 306.2.1, 306.2.3, 306.2.5; knees: 306.3.1, 306.3.3, 306.3.5
    ("606.2", "knees", 17, 0, 9, None, 30, 17),
    ("606.2", "knees", 11, 9, 27, None, 30, 8),
    ("606.2", "ahead", 25, 0, 27, None, 30, 48),
    ("804.3.1", "knees", 17, 0, 9, None, 30, 17),
    ("804.3.1", "knees", 11, 9, 27, None, 30, 8),
    ("804.3.1", "ahead", 25, 0, 27, None, 30, 48),
    ("804.3.2", "height", 0, 0, 34, None, 0, 0),
    ("804.2.1", "ahead", 0, 0, 80, None, 0, 40),
    ("404.2.5", "top", 0, 0, 0.5, None, 0, 0),
    ("404.2.7", "height", 0, 34, 48, None, 0, 0),
    # 1:12 (405.2), up to the 760 mm of 405.6
    ("405.2", "ramp", 0, 0, 30, None, 0, 359.06),
    ("405.5", "ramp width", 0, 36, None, None, 0, 0),
    ("405.7.3", "landing", 0, 60, None, None, 0, 0),
    ("407.2.2.2", "height", 0, 72, None, None, 0, 0),
    ("407.4.6.4.1", "height", 0, 35, None, None, 0, 0),
    ("505.4", "height", 0, 34, 38, None, 0, 0),
    ("505.5", "gap", 0, 1.5, None, None, 0, 0),
    ("505.7.1", "thick", 0, 1.25, 2, None, 0, 0),
    ("603.3", "bottom", 0, 0, 40, None, 0, 0),
    ("604.5.1", "across", 0, 42, None, None, 0, 0),
    ("604.5.1", "end", 0, 0, 12, None, 0, 0),
    ("604.5.1", "far end", 0, 54, None, None, 0, 0),
    ("604.5.2", "across", 0, 36, None, None, 0, 0),
    ("604.5.2", "shorter side", 0, 12, None, None, 0, 0),
    ("604.5.2", "longer side", 0, 24, None, None, 0, 0),
    ("604.7", "beyond", 0, 7, 9, None, 0, 0),
    ("607.2", "ahead", 0, 0, 80, None, 0, 30),
    ("607.3", "height", 0, 17, 19, None, 0, 0),
    ("608.3", "end", 0, 0, 6, None, 0, 0),
    ("608.5.2", "height", 0, 0, 48, None, 0, 0),
    ("608.7", "top", 0, 0, 0.5, None, 0, 0),
    ("609.2.1", "thick", 0, 1.25, 2, None, 0, 0),
    ("609.3", "gap", 0, 1.5, 1.5, None, 0, 0),
    ("609.4", "height", 0, 33, 36, None, 0, 0),
    ("610.3", "height", 0, 17, 19, None, 0, 0),
    ("610.3.1", "gap", 0, 0, 2.5, None, 0, 0),
    ("610.3.1", "behind", 0, 15, 16, None, 0, 0),
    ("610.3.1", "end", 0, 0, 1.5, None, 0, 0),
    ("902.2", "knees", 17, 0, 9, None, 30, 17),
    ("902.2", "knees", 11, 9, 27, None, 30, 8),
    ("902.2", "ahead", 25, 0, 27, None, 30, 48),
    ("902.3", "height", 0, 28, 34, None, 0, 0),
    ("904.4.1", "height", 0, 0, 36, None, 0, 0),
    ("904.4.1", "across", 0, 36, None, None, 0, 0),
]


def test_millimetres_are_those_of_the_inches() -> None:
    for inches, millimetres in MILLIMETRES.items():
        assert inches < 3 or millimetres % 5 == 0
        assert abs(25.4 * inches - millimetres) <= (2.5 if inches > 3 else 0.5)


def figures(rule: ReachRule) -> tuple[str, str, tuple[float, ...]]:
    """Return the section of a row, its word and its figures, m."""
    return (
        rule.section, rule.reach,
        (rule.depth, rule.low, rule.high, rule.obstruction, rule.width, rule.length),
    )  # fmt: skip


def test_the_table_has_the_figures_of_the_standard() -> None:
    def metres(inches: float | None) -> float:
        return float("inf") if inches is None else MILLIMETRES.get(inches, 0) / 1000.0

    told = [
        (section, word, tuple(metres(each) for each in inches))
        for section, word, *inches in STANDARD
    ]
    shipped = [figures(rule) for rule in rules_of("ada_2010") if rule.reach != "force"]
    assert sorted(shipped) == sorted(told)


def test_what_is_operated() -> None:
    (rule,) = (rule for rule in rules_of("ada_2010") if rule.reach == "force")
    assert (rule.section, rule.force) == ("309.4", 22.2)
    assert rule.force == pytest.approx(5.0 * 4.448, abs=0.05)  # 5 lbf


def test_figures_that_no_row_has() -> None:
    # 305.3, 306.3.1
    assert (reach_ranges.WIDTH, reach_ranges.LENGTH, reach_ranges.KNEE) == (0.760, 1.220, 0.685)
    # 306.2.1, 306.2.4 (6 in), 306.3.3, and 1 in 6 of the 455 mm from toes to knees (306.3.4)
    assert (reach_ranges.TOES, reach_ranges.BEFORE_KNEES) == (0.230, 0.150)
    assert (reach_ranges.LOW_KNEES, reach_ranges.HIGH_KNEES) == (0.280, 0.205)
    assert pytest.approx((0.685 - 0.230) / 6.0, abs=1e-3) == reach_ranges.LEAN
    assert rules.HEAD == 2.030  # 307.4
