"""A standard bathroom of each building code passes its own, and the others tell what it fails.

Each room has floor of 4 m by 4 m, a wall behind (z = 0) and one to the left (x = 0). What it fails
of the others follows from its lengths, which stand here, and from the figures of the codes.
"""

from __future__ import annotations

import pytest

from articulata.analyses.reach.building_codes.rules import findings_of
from articulata.analyses.reach.surroundings.room import Room
from articulata.records.reach_verdicts import by_code
from rooms import WALLS, Box, Part, boxed_room

CODES = (
    "ada_2010", "din_18040_1_2010", "part_m_2015", "france_public_2017", "france_housing_2015",
)  # fmt: skip


def toilet(x: float, seat: float, deep: float) -> Part:
    box: Box = ((x - 0.18, x + 0.18), (0.0, seat), (0.0, deep))
    return [box], {"seat": (x, seat, deep - 0.25), "rim": (x, seat, deep)}


def basin(rim: float, under: float) -> Part:
    box: Box = ((2.7, 3.7), (under, rim), (0.0, 0.6))
    return [box], {"rim": (3.2, rim, 0.6)}


def switch(height: float) -> Part:
    box: Box = ((3.76, 3.84), (height - 0.04, height + 0.04), (0.0, 0.01))
    return [box], {"front": (3.8, height, 0.01)}


def bar(x: tuple[float, float], top: float, z: tuple[float, float]) -> Part:
    box: Box = (x, (top - 0.035, top), z)
    middle = 0.5 * (x[0] + x[1])
    return [box], {"top": (middle, top, 0.5 * (z[0] + z[1])), "tip": (middle, top, z[1])}


# articles 11 and 12, annex 2: 800 mm by 1300 mm to the right of the toilet
FRENCH: dict[str, Part] = {
    "toilet": toilet(0.43, 0.46, 0.70),
    "side_bar": bar((0.038, 0.073), 0.75, (0.2, 1.4)),
    "basin": basin(0.84, 0.72),
    "switch": switch(1.0),
}

BATHROOMS: dict[str, dict[str, Part]] = {
    # figures of 604, 606.3 and 609
    "ada_2010": {
        "toilet": toilet(0.43, 0.46, 0.70),
        "side_bar": bar((0.038, 0.073), 0.87, (0.2, 1.4)),
        "rear_bar": bar((0.1, 1.1), 0.87, (0.038, 0.073)),
        "paper": ([((0.0, 0.1), (0.6, 0.7), (0.85, 0.95))], {"outlet": (0.1, 0.6, 0.9)}),
        "basin": basin(0.86, 0.74),
        "mirror": ([((2.9, 3.5), (1.0, 1.6), (0.0, 0.02))], {}),
        "switch": switch(1.0),
    },
    # 5.3.3: 900 mm at both sides, rails 650 to 700 mm apart, 280 mm above the seat
    "din_18040_1_2010": {
        "toilet": toilet(1.5, 0.47, 0.70),
        "folding_rail": (
            [bar((x, x + 0.035), 0.75, (0.0, 0.86))[0][0] for x in (1.125, 1.84)],
            bar((1.125, 1.16), 0.75, (0.0, 0.86))[1],
        ),
        "basin": basin(0.80, 0.68),
        "switch": switch(0.85),
    },
    # diagrams 18 and 19
    "part_m_2015": {
        "toilet": toilet(0.47, 0.48, 0.75),
        "side_rail": bar((0.05, 0.085), 0.68, (0.25, 0.85)),
        "drop_down_rail": bar((0.79, 0.825), 0.68, (0.0, 0.75)),
        "basin": basin(0.73, 0.69),
        "switch": switch(0.95),
    },
    "france_public_2017": FRENCH,
    "france_housing_2015": FRENCH,
}

FAILS = {
    # a wall 250 mm beside the toilet, a high basin; depth and heights of Part M are single values
    ("ada_2010", "din_18040_1_2010"): {"5.3.3", "5.3.4"},
    ("ada_2010", "part_m_2015"): {"Diagram 18", "Diagram 19"},
    # the toilet is 1.5 m from the wall, knees have 680 mm below the basin
    ("din_18040_1_2010", "ada_2010"): {"604.2", "606.2"},
    ("din_18040_1_2010", "part_m_2015"): {"4.30 h", "Diagram 18", "Diagram 19"},
    # 470 mm from the wall; a rail 600 mm long, 50 mm off the wall, 680 mm high; one folding rail
    ("part_m_2015", "ada_2010"): {"604.2", "604.5.1", "609.3", "609.4"},
    ("part_m_2015", "din_18040_1_2010"): {"5.3.3"},
    # bars 870 and 680 mm high, 680 and 690 mm below a basin, a switch 850 mm high
    ("ada_2010", "france_public_2017"): {"Art. 12"},
    ("din_18040_1_2010", "france_public_2017"): {"Art. 11", "Art. 12"},
    ("din_18040_1_2010", "france_housing_2015"): {"Art. 11"},
    ("part_m_2015", "france_public_2017"): {"Art. 12"},
}
for french in ("france_public_2017", "france_housing_2015"):
    # a bar 750 mm high, a wall 250 mm beside the toilet, 700 mm deep; a basin 840 mm high
    FAILS[french, "ada_2010"] = {"609.4"}
    FAILS[french, "din_18040_1_2010"] = {"5.3.3", "5.3.4"}
    FAILS[french, "part_m_2015"] = {"Diagram 18", "Diagram 19"}


def bathroom(code: str) -> Room:
    front = (3.9, 4.0)
    walls: dict[str, Part] = {
        "one": ([((0.0, 1.5), (0.0, 2.4), front)], {}),
        "two": ([((2.5, 4.0), (0.0, 2.4), front)], {}),
        "above": ([((1.5, 2.5), (2.1, 2.4), front)], {}),
    }
    return boxed_room({**WALLS, **walls, **BATHROOMS[code]}, door=(2.0, 0.0, 3.9))


@pytest.mark.parametrize("code", CODES)
def test_a_bathroom_passes_its_own_code_and_is_told_what_it_fails_of_others(code: str) -> None:
    room = bathroom(code)
    for other in CODES:
        found = findings_of(room, other, [], "door")
        assert all(each.told for each in found), [str(each) for each in found]
        failed = {each.section for each in found if not each.met}
        assert failed == FAILS.get((code, other), set()), [str(f) for f in found if not f.met]
        (line,) = by_code(found)
        met = sum(each.met for each in found)
        assert line.startswith(f"{other}: {met} met")
        assert all(section in line.partition("not met (")[2] for section in failed)
