"""Every world of the gallery is free of findings, assembles, and is what its comment says."""

from __future__ import annotations

import json
import math
import re
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from articulata.kinematics.assembly.assembling import assemble
from articulata.world.document import read
from articulata.world.world_files import LIBRARY

DOCS = Path(__file__).parents[3] / "docs"
GALLERY = sorted((LIBRARY / "gallery").glob("*.art"))

FORMS = "reference/test_gallery_closed_forms.py"
PEOPLE = "reference/test_people_by_their_masses.py"
GRASP = "reference/test_grasping.py"

NUMBERS = {
    "antenna": ("5e-14 N m s", "reference/test_unfolding_antenna.py", "nothing_from_outside_acts"),
    "chain": ("5e-9 J", FORMS, "a_chain_of_a_hundred_links_falls_as_rods_in_a_plane"),
    "clock": (
        "15 degrees every half second",
        "reference/test_pendulum_clock.py",
        "a_tick_lasts_half_the_period_of_the_pendulum",
    ),
    "coasting": (
        "1.7993 cm",
        FORMS,
        "a_coasting_crank_rests_where_friction_has_taken_all_its_energy",
    ),
    "column": (
        "66.987 N",
        FORMS,
        "a_column_of_links_buckles_at_henckys_load_and_bows_to_its_least_energy",
    ),
    "computer_frame": (
        "0.0795 m",
        "reference/test_computer_frame.py",
        "the_third_is_blocked_by_the_seconds_bracket",
    ),
    "door": (
        "110 degrees",
        "reference/test_thrown_door.py",
        "a_thrown_door_knocks_at_its_stops_and_is_bolted",
    ),
    "drilled_block": (
        "2.762882 s",
        FORMS,
        "a_drilled_block_swings_as_the_elliptic_integral_says",
    ),
    "flip": ("4.548893 s", FORMS, "a_block_turns_over_when_the_elliptic_integral_says"),
    "four_bar": (
        "1.923711817 s",
        FORMS,
        "pendulum_and_four_bar_have_the_energy_and_the_period_that_they_have",
    ),
    "geneva": ("2.414214", FORMS, "a_geneva_wheel_turns_as_its_slot_says"),
    "governor": ("63.784 degrees", FORMS, "a_governor_opens_until_its_weight_balances"),
    "grasp": ("25 N of grip", GRASP, "the_jaws_bear_the_grip_and_the_plates_weight"),
    "heavy_top": (
        "0.2 s",
        "reference/test_known_motions.py",
        "the_heavy_top_of_the_gallery_is_that_of_the_benchmark",
    ),
    "jansen": ("67.9 cm", FORMS, "the_foot_of_jansens_leg_is_where_circles_meet"),
    "linkage": ("1e-8 m", FORMS, "the_driven_linkage_swings_as_its_own_coordinates_say"),
    "motor_crank": (
        "0.774 N m",
        "unit/domains/test_couplings.py",
        "the_crank_and_the_gear_of_the_gallery_have_their_numbers",
    ),
    "pendulum": (
        "469.27 J",
        FORMS,
        "pendulum_and_four_bar_have_the_energy_and_the_period_that_they_have",
    ),
    "planetary_gear": (
        "20 rpm",
        "unit/domains/test_couplings.py",
        "the_crank_and_the_gear_of_the_gallery_have_their_numbers",
    ),
    "rattleback": ("6.948 s", FORMS, "a_rattleback_turns_back_from_one_side_alone"),
    "rising": (
        "49 ms",
        "reference/test_rising_figure.py",
        "the_seat_lets_go_and_the_feet_stay",
    ),
    "screw": ("0.478 m", FORMS, "a_nut_on_a_screw_falls_at_an_even_acceleration"),
    "slider_crank": (
        "10.0002",
        FORMS,
        "the_crank_of_a_torque_and_a_brake_has_its_mean_rate",
    ),
    "spring_mass": (
        "0.954 J",
        FORMS,
        "a_mass_on_a_damped_spring_swings_as_its_closed_form",
    ),
    "stairs": ("1.2 s", PEOPLE, "somebody_who_faints_lies_at_the_foot_of_the_stairs"),
    "three_supports": ("863.28 N", FORMS, "each_of_three_supports_carries_a_third"),
    "toggle": ("0.543638 N m", FORMS, "a_toggle_stands_still_in_line_and_holds_beyond"),
    "turning": ("90 degrees", GRASP, "a_grasped_block_is_turned_by_the_angle_that_is_asked"),
    "turntable": ("7 s", FORMS, "a_ball_runs_on_a_turntable_with_two_sevenths_of_its_rate"),
    "universal_shaft": (
        "1.154701",
        FORMS,
        "a_universal_joint_runs_between_the_cosine_and_its_inverse",
    ),
    "visit": ("78.56 J", FORMS, "the_linkage_beside_a_person_has_its_energy"),
    "wilberforce": ("11.011 s", FORMS, "a_wilberforce_pendulum_beats_as_its_two_modes_say"),
    "woodpecker": (
        "0.1258 s",
        "reference/test_woodpecker_toy.py",
        "a_woodpecker_finds_its_cycle",
    ),
    "wrecking": (
        "1.2 kN",
        "reference/test_wrecking.py",
        "the_pin_gives_way_where_a_pendulum_pulls_as_hard",
    ),
}
"""Of each world a number, as the page says it, and the test that holds it."""


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_its_number_stands_on_the_page_and_in_a_test(path: Path) -> None:
    assert path.stem in NUMBERS, "a world of the gallery has a known number that a test holds"
    number, file, test = NUMBERS[path.stem]
    of_it = (DOCS / "gallery.md").read_text("utf-8").partition(f"\n`{path.name}`")[2]
    of_it = re.split(r"\n## |\n`\w+\.art`", of_it)[0]
    assert number in " ".join(of_it.split())
    text = (Path(__file__).parents[2] / file).read_text("utf-8")
    assert f"def test_{test}(" in text
    assert re.search(rf"\b{path.stem}\b", text)


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_has_no_findings_and_assembles(path: Path) -> None:
    document = read(path)
    assert document.check() == ()
    for request in document.requests:
        world = assemble(document.world(request))
        assert world.bodies
        assert request.step is not None
        assert request.until is not None


def test_gallery_is_not_empty() -> None:
    assert len(GALLERY) >= 10


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_the_page_shows_it_as_it_is_now(path: Path) -> None:
    """A picture of another text is stale: ``scripts/pictures gallery`` draws them again."""
    figures = DOCS / "figures"
    assert f"(figures/{path.stem}.webp)" in (DOCS / "gallery.md").read_text("utf-8")
    assert (figures / f"{path.stem}.webp").stat().st_size > 3000
    text = "".join(
        each.read_text("utf-8") for each in (path, path.with_suffix(".py")) if each.is_file()
    )
    drawn = json.loads((figures / "gallery.json").read_text("utf-8"))
    assert drawn[path.stem] == sha256(text.encode()).hexdigest()[:16]


def test_linkage_is_the_mechanism_of_1986() -> None:
    document = read(LIBRARY / "gallery" / "linkage.art")
    world = document.world(document.requests[0])
    assert world.imports_python == ("linkage.py",)
    (drive,) = world.drives.values()
    assert (drive.kind, drive.target, drive.controller) == (
        "acceleration",
        "links.rod1",
        "swing",
    )
    assert world.body("rod4").velocity == (math.pi, 0.0, 0.0)
    assert world.body("rod2").pose.position == pytest.approx((2.0, -0.6, 0.0))


def test_four_bar_stands_upright_with_its_coupler_on_top() -> None:
    world = read(LIBRARY / "gallery" / "four_bar.art").world()
    coupler = world.body("coupler")
    assert coupler.pose.position == pytest.approx((0.5, 1.0, 0.0))
    assert coupler.velocity == (1.0, 0.0, 0.0)
    assert world.body("crank").rate == (0.0, 0.0, -1.0)


def test_angle_in_degrees_is_read_in_the_units_of_the_file() -> None:
    document = read(LIBRARY / "gallery" / "pendulum.art")
    (request,) = document.requests
    assert request.arguments == pytest.approx((math.pi / 3,))
    world = document.world(request)
    (placed,) = [each for each in world.placements if each.coordinates]
    assert placed.coordinates == (("p.rod1_anchor", pytest.approx(math.pi / 3)),)
    # Turned by 60 degrees about z from hanging straight down, the next joint is to the right.
    tip = world.body("p.rod[1]").pose
    assert np.allclose(tip.position, (0.25 * math.sin(math.pi / 3), 2 - 0.125, 0.0))
