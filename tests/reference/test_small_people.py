"""The figure ``person``: percentiles, children, and who was measured with a tape.

Snyder: R.G. Snyder and others, Anthropometry of Infants, Children and Youths to Age 18 for Product
Safety Design, UM-HSRI-77-17, 1977, records as NIST published them. CDC: growth charts of 2000.
"""

import csv
from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.errors import WorldError

GROUPS = {
    ("man", 4): (1.0126, 16.16, {
        "trochanterionheight": 459, "suprasternaleheight": 770, "acromionradialelength": 178,
        "radialestylionlength": 145, "handlength": 113, "forearmhandlength": 265,
        "sittingheight": 577, "kneeheightsitting": 298, "footlength": 161}),
    ("woman", 8): (1.2576, 26.24, {
        "trochanterionheight": 633, "suprasternaleheight": 991, "acromionradialelength": 218,
        "radialestylionlength": 178, "handlength": 137, "forearmhandlength": 329,
        "sittingheight": 676, "kneeheightsitting": 388, "footlength": 196}),
    ("man", 12): (1.4840, 39.97, {
        "trochanterionheight": 765, "suprasternaleheight": 1200, "acromionradialelength": 281,
        "radialestylionlength": 227, "handlength": 161, "forearmhandlength": 397,
        "sittingheight": 760, "kneeheightsitting": 474, "footlength": 234}),
}  # fmt: skip
"""Mean stature (m) and mass (kg) of Snyder's children within half a year of an age, and medians of
those of them who were measured (mm)."""


@pytest.mark.parametrize(("sex", "age"), GROUPS)
def test_children_have_the_measures_of_snyder(sex: str, age: int) -> None:
    height, weight, medians = GROUPS[sex, age]
    child = art.figure("person", height=height, weight=weight, sex=sex, child="child")
    for name, median in medians.items():
        # the 32 to 154 of a group were not those of the group's mean stature
        assert 1e3 * child.measures[name] == pytest.approx(median, abs=max(10.0, 0.025 * median))
    # of an adult's stature the head over the neck's joint is 0.136
    assert child.measures["head"] / height > 0.145


@pytest.mark.parametrize(
    ("sex", "percentile", "stature"),
    [
        ("man", 5, 1.18805), ("man", 50, 1.28124), ("man", 95, 1.37827),
        ("woman", 5, 1.18544), ("woman", 50, 1.27826), ("woman", 95, 1.37897),
    ],
)  # fmt: skip
def test_children_grow_as_the_charts_say(sex: str, percentile: float, stature: float) -> None:
    """CDC, statage: 96.5 months."""
    child = art.figure("person", age=8.0 + 0.5 / 12, sex=sex, percentile=percentile)
    assert child.measures["stature"] == pytest.approx(stature, abs=1e-3)
    crown, sole = (child.landmark(child.neutral, n)[1, 3] for n in ("skull_tip", "l_sole"))
    assert crown - sole == pytest.approx(child.measures["stature"], abs=1e-12)


def test_a_child_weighs_what_the_charts_say_and_ages_by_stature() -> None:
    # CDC: half of the boys of 8 are 1.2788 m tall, half weigh 25.64 kg
    boy = art.figure("person", age=8)
    assert boy.mass == pytest.approx(25.64, abs=0.01)
    assert art.figure("person", height=1.2788, child="child").measures["years"] == pytest.approx(8)
    small = art.figure("person", height=1.1)
    assert small.measures["child"] == 1.0
    assert 5.0 < small.measures["years"] < 5.5
    short = art.figure("person", height=1.1, child="adult").measures
    assert (short["child"], short["years"]) == (0.0, 18.0)


@pytest.mark.parametrize(
    ("age", "head", "trunk", "thigh"),
    [(4, 18.2, 43.0, 8.5), (6, 18.2, 43.0, 8.5), (12, 10.1, 41.7, 11.0), (15, 6.7, 41.6, 12.1)],
)
def test_a_childs_masses_are_those_of_jensen(
    age: float, head: float, trunk: float, thigh: float
) -> None:
    """Jensen 1986 and 1989, % of the mass, which add up to 99.9 or 100.2; below 6 as at 6."""
    child = art.figure("person", age=age)
    mass = {one.name or name: one.mass / child.mass for name, one in child.links.items()}
    mass[child.root.name] = child.root.mass / child.mass
    whole = 99.9 if age == 15 else 100.2
    parts = ("pelvis", "abdomen", "thorax", "l_clavicle", "r_clavicle")
    assert mass["skull"] == pytest.approx(head / whole, rel=2e-3)
    assert sum(mass[each] for each in parts) == pytest.approx(trunk / whole, rel=2e-3)
    assert mass["l_thigh"] == mass["r_thigh"] == pytest.approx(thigh / whole, rel=2e-3)
    assert sum(mass.values()) == pytest.approx(1.0, rel=1e-4)


@pytest.mark.parametrize("given", [{"age": 2}, {"age": 8, "sex": 1}, {"age": 14}])
def test_a_childs_body_is_one(given: dict[str, float]) -> None:
    child = art.figure("person", **given)
    postures = np.array([child.posture(name) for name in child.postures])
    assert (art.Clash(child).clearances(postures).distance > 0.0).all()
    for link in (child.root, *child.links.values()):
        if link.mass:
            a, b, c = np.linalg.eigvalsh(link.inertia)
            assert a > 0.0
            assert a + b >= c, link.name


@pytest.mark.material
@pytest.mark.parametrize(("sex", "file"), [("man", "MALE"), ("woman", "FEMALE")])
def test_percentiles_are_those_of_ansur(material: Path, sex: str, file: str) -> None:
    path = material / "data" / "anthropometry" / f"ANSUR_II_{file}_Public.csv"
    with path.open(encoding="latin-1") as lines:
        statures = np.array([float(row["stature"]) for row in csv.DictReader(lines)])
    for percentile in (1, 4, 5, 35, 50, 95, 96, 99):
        person = art.figure("person", sex=sex, percentile=percentile)
        shorter = 100.0 * np.mean(statures < 1e3 * person.measures["stature"])
        assert shorter == pytest.approx(percentile, abs=0.8)


def test_a_percentile_is_a_stature() -> None:
    # ANSUR II: the 5th percentile of the women's stature is 1525 mm, the 95th of the men's 1870 mm
    small = art.figure("person", sex="woman", percentile=5)
    same = art.figure("person", sex="woman", height=1.525)
    assert small.measures["stature"] == 1.525
    assert small.mass == pytest.approx(same.mass)
    at = [each.landmark(each.neutral, "r_middle_distal_tip")[:3, 3] for each in (small, same)]
    np.testing.assert_allclose(*at, atol=1e-12)
    assert art.figure("person", sex="man", percentile=95).measures["stature"] == 1.870


TAPE = {
    "height": 1.62, "weight": 60.0, "shoulder_height": 1.33, "elbow_height": 1.02,
    "forearm_hand": 0.43, "arm_reach": 0.74, "knee_height": 0.50, "sitting_height": 0.85,
    "shoulder_width": 0.43, "hip_width": 0.36,
}  # fmt: skip


def test_ten_measures_with_a_tape_are_those_of_the_figure() -> None:
    person = art.figure("person", sex="woman", **TAPE)
    at = {name: person.landmark(person.neutral, name)[:3, 3] for name in person.landmarks}
    sole = at["r_sole"][1]
    assert person.mass == pytest.approx(60.0)
    assert at["skull_tip"][1] - sole == pytest.approx(1.62)
    assert at["r_acromion"][1] - sole == pytest.approx(1.33)
    assert at["r_radiale"][1] - sole == pytest.approx(1.02)
    assert at["skull_tip"][1] - at["seat"][1] == pytest.approx(0.85)
    assert person.measures["forearmhandlength"] == 0.43
    assert person.measures["bideltoidbreadth"] == 0.43
    assert person.measures["hipbreadth"] == 0.36
    assert person.measures["kneeheightsitting"] == 0.50
    knee = person.landmark(person.posture("seated"), "r_knee_top")[:3, 3]
    foot = person.landmark(person.posture("seated"), "r_sole")[:3, 3]
    assert knee[1] - foot[1] == pytest.approx(0.50, abs=2e-3)


@pytest.mark.parametrize("kept", [(), ("elbow_height", "shoulder_height"), ("forearm_hand",)])
def test_an_arm_reaches_as_far_as_measured(kept: tuple[str, ...]) -> None:
    given = {"height": 1.62, **{name: TAPE[name] for name in kept}}
    person = art.figure("person", sex="woman", **given, arm_reach=0.70)
    m = person.measures
    arm = m["upper_arm"] + m["forearm"] + 0.6 * m["handlength"]
    assert 0.6 * m["chestdepth"] + arm == pytest.approx(0.70)
    wrist, shoulder = (
        person.landmark(person.vector({"r_shoulder_flexion": np.pi / 2}), name)[2, 3]
        for name in ("r_wrist", "r_shoulder")
    )
    assert wrist - shoulder == pytest.approx(m["upper_arm"] + m["forearm"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"shoulder_height": 1.7}, "the shoulders at 1.7 m do not go with a stature of 1.62 m"),
        (
            {"shoulder_height": 1.3, "elbow_height": 1.35},
            "from the shoulder to the elbow there",
        ),
        ({"sitting_height": 0.5}, "a sitting height of 0.5 m does not go with a stature of 1.62 m"),
        ({"knee_height": 0.8}, "the hips are at .* and the knees at"),
        ({"forearm_hand": 0.2}, "a forearm with its hand of 0.2 m does not go with a stature"),
        (TAPE | {"arm_reach": 0.95}, "an arm_reach of 0.95 m does not go with .* make it 0.7"),
        ({"weight": 20.0}, "a mass of 20 kg does not go with a stature of 1.62 m"),
        ({"percentile": 5}, "the stature is given twice: 1.62 m, and percentile 5; leave one"),
        ({"height": 1.62, "trochanterionheight": 1.1}, "the navel is at .* and the hips at 1.1 m"),
    ],
)
def test_measures_that_contradict_each_other_are_told(
    given: dict[str, float], message: str
) -> None:
    with pytest.raises(WorldError, match=message):
        art.figure("person", sex="woman", **{"height": 1.62, **given})
    if "trochanterionheight" not in given:
        said = ", ".join(f"{name}: {value}" for name, value in given.items() if name != "height")
        text = f"world w {{\n  components {{ anna: person(1.62 m, woman, {said}) }}\n}}\n"
        (finding,) = art.parse(text).check()
        assert (finding.code, finding.line) == ("contradiction", 2)
        assert finding.suggestion


def test_a_child_of_no_age_is_asked_for_it() -> None:
    with pytest.raises(WorldError, match="a child needs an age or a stature; write person"):
        art.figure("person", child="child", percentile=5)
