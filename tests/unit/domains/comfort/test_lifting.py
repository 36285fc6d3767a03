"""NIOSH's lifting equation and OWAS against the worked examples of their sources."""

from __future__ import annotations

import math

import numpy as np
import pytest

import articulata as art
from articulata.domains.comfort.niosh import hands_at
from articulata.domains.comfort.owas import CATEGORY
from articulata.kinematics.figure import Figure

INCH, POUND = 0.025, 23.0 / 51.0
"""The metric form of the equation takes an inch as 2.5 cm, and 51 lb as 23 kg."""


def lift(load: float, h: float, v: float, h2: float, v2: float, **given: object) -> art.Lift:
    """A lift in lb and inch, as the manual's examples are told."""
    turn, turn2 = (math.radians(float(given.pop(k, 0.0))) for k in ("turn", "turn2"))  # type: ignore[arg-type]
    start = art.HandsAt(h * INCH, v * INCH, turn)
    end = art.HandsAt(h2 * INCH, v2 * INCH, turn2)
    return art.Lift(load * POUND, start, end, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "limit", "index"),
    [
        # Example 1, loading punch press stock: 16.3 lb, 2.7 at the origin; 14.5 lb, 3.0 at the end
        (lift(44, 23, 15, 23, 64, coupling="fair"), 16.3, 2.7),
        (lift(44, 23, 15, 23, 64, coupling="fair", controlled=True), 14.5, 3.0),
        # Example 3, loading bags into a hopper: 18.9 lb, 2.1
        (lift(40, 18, 15, 10, 36, turn=45, coupling="fair"), 18.9, 2.1),
        # Example 4, package inspection: 34.9 lb, 0.7 at the origin; 15.2 lb, 1.7 at the end
        (lift(26, 10, 22, 20, 59, per_minute=3, coupling="fair"), 34.9, 0.7),
        (lift(26, 10, 22, 20, 59, per_minute=3, coupling="fair", controlled=True), 15.2, 1.7),
        # Example 5, dish-washing machine unloading: 14.4 lb at the origin; 13.3 lb at the end
        (lift(20, 20, 44, 20, 7, turn=30, turn2=30, per_minute=5), 14.4, 20 / 14.4),
        (
            lift(20, 20, 44, 20, 7, turn=30, turn2=30, per_minute=5, controlled=True),
            13.3,
            20 / 13.3,
        ),
    ],
)
def test_the_manual_s_examples(given: art.Lift, limit: float, index: float) -> None:
    """The manual multiplies what its tables round to two digits, some of it up (10/23 is 0.44)."""
    found = art.niosh(given)
    assert found.limit / POUND == pytest.approx(limit, rel=0.026)
    assert found.index == pytest.approx(index, rel=0.04, abs=0.06)


def test_a_limit_is_told_with_what_to_change() -> None:
    # 23 kg x 25/50 x 0.97 (65 cm up) x (0.82 + 0.045/0.3) = 10.8 kg; near the body twice that
    said = str(art.niosh(art.Lift(16.0, art.HandsAt(0.50, 0.65), art.HandsAt(0.50, 0.95))))
    assert "limit 10.8 kg at the start, lifting index 1.5: a risk for many" in said
    assert "'horizontal' (x 0.50) takes most: hold the load 25 cm" in said
    assert "allows 21.6 kg" in said
    assert "Nothing reduces it" in str(
        art.niosh(art.Lift(5.0, art.HandsAt(0.25, 0.75), art.HandsAt(0.25, 0.9)))
    )
    assert "limit 0.0 kg" in str(art.niosh(art.Lift(5.0, art.HandsAt(0.7, 1), art.HandsAt(0.3, 1))))


def test_a_place_in_centimetres_is_refused() -> None:
    with pytest.raises(art.KinematicsError, match=r"start.horizontal .* 45 m.*45 cm is 0.45"):
        art.Lift(12.0, art.HandsAt(45, 20), art.HandsAt(35, 110))


def test_a_perfect_lift_is_23_kg() -> None:
    found = art.niosh(art.Lift(23.0, art.HandsAt(0.25, 0.75), art.HandsAt(0.25, 1.0)))
    assert found.limit == pytest.approx(23.0)
    assert found.index == pytest.approx(1.0)
    assert set(found.multipliers.values()) == {1.0}


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("horizontal", {"horizontal": 0.631}),
        ("vertical", {"height": 1.751}),
        ("asymmetry", {"asymmetry": math.radians(135.1)}),
    ],
)
def test_beyond_a_bound_nothing_is_recommended(name: str, change: dict[str, float]) -> None:
    place = {"horizontal": 0.3, "height": 1.0, **change}
    found = art.niosh(art.Lift(5.0, art.HandsAt(**place), art.HandsAt(0.3, 1.2)))
    assert found.multipliers[name] == 0.0
    assert (found.limit, found.index) == (0.0, math.inf)


def test_frequency_follows_its_table() -> None:
    """Table 5 at 12 lifts a minute, and half way between 4 and 5."""

    def multiplier(often: float, hours: float, height: float) -> float:
        there = art.HandsAt(0.25, height)
        return art.niosh(art.Lift(1.0, there, there, often, hours)).multipliers["frequency"]

    assert [multiplier(12, hours, 0.5) for hours in (1, 2, 8)] == [0.37, 0.0, 0.0]
    assert [multiplier(12, hours, 0.8) for hours in (1, 2, 8)] == [0.37, 0.21, 0.0]
    assert [multiplier(9, hours, 0.8) for hours in (0.5, 1.5, 4)] == [0.52, 0.30, 0.15]
    assert multiplier(4.5, 1, 0.5) == pytest.approx(0.82)
    assert multiplier(0.0, 8, 0.5) == 0.85
    assert multiplier(15.1, 1, 0.8) == 0.0


def test_how_often_counts_by_where_the_lift_starts() -> None:
    """Section 1.3.5 asks for the height of the hands at the origin, at the destination as well."""
    high, low = art.HandsAt(0.25, 0.9), art.HandsAt(0.3, 0.5)
    lowered = art.niosh(art.Lift(5.0, high, low, 9.0, 8.0, controlled=True))
    assert (lowered.place, lowered.multipliers["frequency"]) == ("end", 0.15)
    lifted = art.niosh(art.Lift(5.0, low, high, 9.0, 8.0, controlled=True))
    assert lifted.multipliers["frequency"] == 0.0


def test_the_manual_s_composite_index() -> None:
    """Section 2.4.5: 1.6 + 1.0 (1/.88 - 1/.94) + .67 (1/.70 - 1/.88) = 1.60 + .07 + .20 = 1.9."""
    best = art.HandsAt(0.25, 0.75)
    jobs = [
        art.Lift(23.0 * rare, best, best, often)
        for rare, often in ((0.67, 4.0), (1.6 * 0.94, 1.0), (1.0, 2.0))
    ]
    assert art.composite_lifting_index(jobs) == pytest.approx(1.9, abs=0.05)
    assert art.composite_lifting_index(jobs[1:]) == pytest.approx(1.67, abs=0.005)


def test_of_lifts_as_hard_the_more_frequent_counts_first() -> None:
    """Example 7 of the manual says so; 1.0 / 0.84 whole, then what 1.2 lifts a minute add."""
    best = art.HandsAt(0.25, 0.75)
    jobs = [art.Lift(23.0 * 0.94, best, best, 1.0), art.Lift(23.0 * 0.84, best, best, 4.0)]
    expected = 1.0 + 0.94 * (1.0 / 0.80 - 1.0 / 0.84)
    for each in (jobs, jobs[::-1]):
        assert art.composite_lifting_index(each) == pytest.approx(expected)


def test_a_composite_index_adds_what_frequency_adds() -> None:
    """Section 2.4: STLI of the hardest, then FILI (1/FM of all so far - 1/FM of those before)."""
    jobs = [
        art.Lift(9.0, art.HandsAt(0.4, 0.9), art.HandsAt(0.4, 1.2), 2.0, 1.0),
        art.Lift(14.0, art.HandsAt(0.5, 0.8), art.HandsAt(0.5, 1.3), 1.0, 1.0),
        art.Lift(5.0, art.HandsAt(0.3, 1.0), art.HandsAt(0.3, 1.1), 4.0, 1.0),
    ]

    def rare(h: float, v: float, d: float, load: float) -> float:
        return load / (23 * 0.25 / h * (1 - 0.3 * abs(v - 0.75)) * (0.82 + 0.045 / max(d, 0.25)))

    hardest = rare(0.5, 0.8, 0.5, 14.0) / 0.94
    second = rare(0.4, 0.9, 0.3, 9.0) * (1 / 0.88 - 1 / 0.94)
    third = rare(0.3, 1.0, 0.1, 5.0) * (1 / 0.70 - 1 / 0.88)
    expected = hardest + second + third
    assert art.composite_lifting_index(jobs) == pytest.approx(expected, rel=1e-12)
    assert art.composite_lifting_index(jobs[::-1]) == pytest.approx(expected, rel=1e-12)


def test_hands_are_read_from_a_figure(person: Figure) -> None:
    """Both arms stretched ahead by 90 degrees: as far ahead as the shoulders' height and reach."""
    q = np.zeros(person.dof)
    for side in "lr":
        q[person.names.index(f"{side}_shoulder_flexion")] = 0.5 * np.pi
    feet = [person.link_pose(q, f"{s}_talocrural_inversion")[:3, 3] for s in "lr"]
    held = [person.landmark(q, f"{s} hand")[:3, 3] for s in ("left", "right")]
    found = hands_at(np.array(feet), np.array(held))
    assert found.asymmetry == pytest.approx(0.0, abs=1e-6)
    shoulder = person.link_pose(q, "l_shoulder_rotation")[:3, 3]
    assert found.height == pytest.approx(shoulder[1], abs=0.05)
    assert 0.4 < found.horizontal < 0.8
    turn = math.radians(40.0)
    R = np.array(
        [[math.cos(turn), 0, math.sin(turn)], [0, 1, 0], [-math.sin(turn), 0, math.cos(turn)]]
    )
    middle = np.mean(feet, axis=0)
    turned = hands_at(np.array(feet), (np.array(held) - middle) @ R.T + middle)
    assert turned.asymmetry == pytest.approx(turn, abs=1e-6)
    assert turned.horizontal == pytest.approx(found.horizontal)


@pytest.fixture(scope="module")
def person() -> Figure:
    return art.figure("person")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"load": -1.0}, "load of a lift is -1.0; give 0 or more"),
        ({"hours": 9.0}, "9 hours; give up to 8"),
        ({"coupling": "soft"}, "held 'soft'; give one of good, fair, poor"),
        ({"start": art.HandsAt(math.nan, 1.0)}, "start.horizontal of a lift is nan"),
    ],
)
def test_wrong_lifts_are_told(change: dict[str, object], said: str) -> None:
    given: dict[str, object] = {
        "load": 1.0, "start": art.HandsAt(0.3, 1.0), "end": art.HandsAt(0.3, 1.0), **change,
    }  # fmt: skip
    with pytest.raises(art.KinematicsError, match=said):
        art.Lift(**given)  # type: ignore[arg-type]


def test_owas_codes_and_categories() -> None:
    """Codes as Karhu et al. (1977) write them: back, arms, legs, load."""
    cases = [
        # upright, arms down, standing, 5 kg: 1121
        (art.BodyAngles(), {}, 5.0, None, "1121", 1),
        # bent, standing, 15 kg: 2122
        (art.BodyAngles(trunk_flexion=0.6), {}, 15.0, None, "2122", 2),
        # bent and turned, knees bent, 25 kg: 4143
        (art.BodyAngles(trunk_flexion=0.6, trunk_twist=0.5, knee_flexion=1.0), {}, 25.0, None,
         "4143", 4),
        # turned, both arms overhead, kneeling: 3361
        (art.BodyAngles(trunk_twist=0.5, shoulder_flexion=2.5), {}, 0.0, "kneeling", "3361", 4),
        # sitting upright: 1111
        (art.BodyAngles(knee_flexion=1.5), {"seated": True}, 0.0, None, "1111", 1),
        # bent on one bent leg: 2151
        (art.BodyAngles(trunk_flexion=0.6, knee_flexion=1.0), {"balanced": False}, 0.0, None,
         "2151", 3),
        # walking bent with 25 kg: 2173
        (art.BodyAngles(trunk_flexion=0.6), {}, 25.0, "walking", "2173", 3),
    ]  # fmt: skip
    for body, how, load, legs, code, category in cases:
        found = art.owas(body, work=art.WorkConditions(load=load, **how), legs=legs)  # type: ignore[arg-type]
        assert "".join(str(int(each)) for each in found.parts.values()) == code
        assert int(found.level) == category, code


def test_owas_reads_each_arm() -> None:
    down, up = art.BodyAngles(), art.BodyAngles(shoulder_abduction=1.6)
    assert [int(art.owas(a, b).parts["arms"]) for a, b in ((down, up), (up, down), (up, up))] == [
        2, 2, 3,
    ]  # fmt: skip
    with pytest.raises(art.KinematicsError, match="legs are 'flying'"):
        art.owas(down, legs="flying")  # type: ignore[arg-type]


def test_owas_never_falls_with_the_load() -> None:
    assert np.all(np.diff(CATEGORY, axis=3) >= 0)
    assert np.all(np.diff(CATEGORY, axis=1)[:, :, 3:6] >= 0)  # nor, on bent legs, with the arms
