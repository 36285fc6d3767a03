"""The figure ``person``: de Leva's masses, ANSUR's measures, limits, postures, both sides alike."""

import csv
from pathlib import Path

import numpy as np
import pytest

import articulata as art
from articulata.errors import WorldError
from articulata.geometry.arrays import Array

DE_LEVA = {  # % of the mass of women and of men: table 4
    "skull": (6.68, 6.94), "upper trunk": (15.45, 15.96), "abdomen": (14.65, 16.33),
    "pelvis": (12.47, 11.17), "upper_arm": (2.55, 2.71), "forearm": (1.38, 1.62),
    "hand": (0.56, 0.61), "thigh": (14.78, 14.16), "calf": (4.81, 4.33), "foot": (1.29, 1.37),
}  # fmt: skip


def links(person: art.Figure) -> dict[str, float]:
    found = {one.name or name: one.mass for name, one in person.links.items()}
    return {**found, person.root.name: found.get(person.root.name, 0.0) or person.root.mass}


@pytest.mark.parametrize("sex", [0.0, 1.0, 0.5])
@pytest.mark.parametrize("size", [{}, {"height": 1.55, "weight": 52.0}, {"weight": 120.0}])
def test_masses_are_those_of_de_leva(sex: float, size: dict[str, float]) -> None:
    person = art.figure("person", sex=sex, **size)
    assert person.mass == pytest.approx(size.get("weight", person.mass), rel=1e-12)
    each = links(person)
    assert sum(each.values()) == pytest.approx(person.mass, rel=1e-12)
    share = {name: (sex * f + (1.0 - sex) * m) for name, (f, m) in DE_LEVA.items()}
    whole = 100.0 - 0.01 * sex
    trunk = each["thorax"] + each["l_clavicle"] + each["r_clavicle"]
    assert trunk / person.mass == pytest.approx(share.pop("upper trunk") / whole, rel=1e-9)
    for name, percent in share.items():
        found = each[name] if name in each else each[f"l_{name}"]
        assert found / person.mass == pytest.approx(percent / whole, rel=1e-9), name
    for name in [*each]:
        if name.startswith("l_"):
            assert each["r" + name[1:]] == each[name]


def test_inertias_are_those_of_bodies() -> None:
    for sex in (0.0, 1.0):
        person = art.figure("person", sex=sex)
        for link in (person.root, *person.links.values()):
            if link.mass:
                a, b, c = np.linalg.eigvalsh(link.inertia)
                assert a > 0.0
                assert a + b >= c, link.name


def test_both_sides_are_alike() -> None:
    person = art.figure("person")
    rng = np.random.default_rng(3)
    left = [name for name in person.names if name.startswith("l_")]
    values = (
        rng.uniform(-0.2, 0.2, len(left))
        + person.posture("seated")[[person.names.index(name) for name in left]]
    )
    q = person.vector({**dict(zip(left, values, strict=True)),
                       **{"r" + n[1:]: v for n, v in zip(left, values, strict=True)}})  # fmt: skip
    mirror = np.diag([-1.0, 1.0, 1.0])
    for name in person.landmarks:
        if name.startswith("l_"):
            one, other = person.landmark(q, name), person.landmark(q, "r" + name[1:])
            np.testing.assert_allclose(mirror @ one[:3, 3], other[:3, 3], atol=1e-14)
    one, other = person.landmark(q, "left hand"), person.landmark(q, "right hand")
    # z out of the palms and x along the fingers on both sides
    np.testing.assert_allclose(mirror @ one[:3, [0, 2]], other[:3, [0, 2]], atol=1e-14)
    assert person.center_of_mass(q)[0] == pytest.approx(0.0, abs=1e-15)


def test_hands_point_as_they_say() -> None:
    person = art.figure("person")
    hand = person.landmark(person.neutral, "right hand")
    np.testing.assert_allclose(hand[:3, 0], (0, -1, 0), atol=1e-15)  # along the fingers, down
    np.testing.assert_allclose(hand[:3, 2], (1, 0, 0), atol=1e-15)  # out of the palm, to the thigh
    palms_down = person.landmark(person.posture("t_pose"), "right hand")
    np.testing.assert_allclose(palms_down[:3, 0], (-1, 0, 0), atol=1e-15)
    np.testing.assert_allclose(palms_down[:3, 2], (0, -1, 0), atol=1e-15)
    eyes = person.landmark(person.neutral, "eyes")
    np.testing.assert_allclose(eyes[:3, 2], (0, 0, 1), atol=1e-15)


def test_nothing_overlaps_in_any_posture() -> None:
    for sex in (0.0, 1.0):
        person = art.figure("person", sex=sex)
        clash = art.Clash(person)
        q = np.array([person.posture(name) for name in person.postures])
        found = clash.clearances(q)
        assert (found.distance > 0.0).all(), [found.names(i) for i in range(len(q))]


def test_a_given_measure_replaces_the_prediction() -> None:
    plain, long = art.figure("person"), art.figure("person", radialestylionlength=0.31)
    arm = [
        one.landmark(one.neutral, n)[1, 3] for one in (plain, long) for n in ("r_elbow", "r_wrist")
    ]
    assert arm[0] == arm[2]
    assert arm[2] - arm[3] == pytest.approx(0.31, abs=1e-15)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"height": 17.5}, "'height' of 'person' lies from 0.75 to 2.3 m; 17.5 m is beyond"),
        ({"sex": 2}, "'sex' of 'person' lies from 0 to 1; 2 is beyond"),
        ({"footlength": 0.6}, "'footlength' of 'person' lies from"),
        ({"age": 70}, "'age' of 'person' lies from 2 to 18; 70 is beyond"),
    ],
)
def test_what_no_human_is_is_refused(given: dict[str, float], message: str) -> None:
    with pytest.raises(WorldError, match=message):
        art.figure("person", **given)


def test_limits_by_age_are_those_of_the_study() -> None:
    for sex, knee in ((0.0, 132.9), (1.0, 137.8)):
        person = art.figure("person", sex=sex).with_limits("45 to 69 years")
        high = person.upper[person.names.index("l_knee_flexion")]
        assert np.degrees(high) == pytest.approx(knee)


# What is measured on the figure: the height of a landmark over the soles, or what is between two.
HEIGHTS = {
    "skull_tip": "stature", "cervicale": "cervicaleheight", "suprasternale": "suprasternaleheight",
    "l_acromion": "acromialheight", "navel": "waistheightomphalion",
    "r_trochanterion": "trochanterionheight", "r_knee": "lateralfemoralepicondyleheight",
    "r_lateral_malleolus": "lateralmalleolusheight", "r_popliteal": "poplitealheight",
}  # fmt: skip
BETWEEN = {
    ("l_acromion", "r_acromion", 0): "biacromialbreadth", ("r_acromion", "r_radiale", 1):
    "acromionradialelength", ("r_radiale", "r_stylion", 1): "radialestylionlength",
    ("r_stylion", "r_middle_distal_tip", 1): "handlength",
    ("skull_tip", "seat", 1): "sittingheight",
    ("eyes", "seat", 1): "eyeheightsitting", ("skull_tip", "r_tragion", 1): "tragiontopofhead",
    ("l_tragion", "r_tragion", 0): "headbreadth", ("r_toe", "r_heel", 2): "footlength",
    ("r_ball", "r_heel", 2): "balloffootlength", ("eyes", "menton", 1): "mentonsellionlength",
    ("l_eye", "r_eye", 0): "interpupillarybreadth",
}  # fmt: skip


def measured(height: float, weight: float, sex: float) -> Array:
    """Return the measures (mm) of a figure, taken at its landmarks."""
    person = art.figure("person", height=height, weight=weight, sex=sex)
    at = {name: person.landmark(person.neutral, name)[:3, 3] for name in person.landmarks}
    floor = at["r_sole"][1]
    heights = [at[name][1] - floor for name in HEIGHTS]
    return 1e3 * np.array([*heights, *(abs(at[a][k] - at[b][k]) for a, b, k in BETWEEN)])


@pytest.mark.material
@pytest.mark.parametrize(("sex", "file"), [(0.0, "MALE"), (1.0, "FEMALE")])
def test_measures_of_the_people_of_ansur(material: Path, sex: float, file: str) -> None:
    path = material / "data" / "anthropometry"
    with (path / f"ANSUR_II_{file}_Public.csv").open(encoding="latin-1") as lines:
        rows = [{k.lower(): v for k, v in row.items()} for row in csv.DictReader(lines)]
    column = {name: np.array([float(row[name]) for row in rows])
              for name in ("weightkg", *HEIGHTS.values(), *BETWEEN.values())}  # fmt: skip
    column["interpupillarybreadth"] = column["interpupillarybreadth"] / 10
    h, w = column["stature"], column["weightkg"] / 10
    # Landmarks stand where sums of the measures say, which are linear in stature and mass.
    corners = np.array([[1, 1.5, 50], [1, 1.9, 50], [1, 1.5, 110], [1, 1.7, 80]])
    made = np.array([measured(a, b, sex) for _, a, b in corners])
    plane = np.linalg.solve(corners[:3], made[:3])
    np.testing.assert_allclose(corners[3] @ plane, made[3], atol=1e-9)
    X = np.c_[np.ones_like(h), h / 1e3, w]
    fifths = np.argsort(np.argsort(h)) * 5 // len(h)
    for k, name in enumerate([*HEIGHTS.values(), *BETWEEN.values()]):
        y = column[name]
        off = X @ plane[:, k] - y
        best = y - X @ np.linalg.lstsq(X, y, rcond=None)[0]
        assert abs(off.mean()) <= 2.0, name
        for each in range(5):
            assert abs(off[fifths == each].mean()) <= 4.0, (name, each)
        assert off.std() <= 1.05 * best.std() + 1e-6, name
