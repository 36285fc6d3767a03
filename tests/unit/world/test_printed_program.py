"""The program printed in section 6 of Hoffmann & Hopcroft 1986 means what the report says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from articulata.geometry.shapes import Cuboid
from articulata.world.document import Document, parse

pytestmark = pytest.mark.material


@pytest.fixture(scope="module")
def document(material: Path) -> Document:
    program = material / "reference" / "printed_program.py"
    listing = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, check=True
    ).stdout
    return parse(listing, "printed.art")


def test_elaborates_to_a_driver_and_three_rods(document: Document) -> None:
    world = document.world("example", 2, 1, 0)
    assert list(world.bodies) == ["links.rod1", "links.rod2", "links.rod3", "links.rod4"]
    driver = world.bodies["links.rod1"]
    assert (driver.type, driver.shape, driver.motion) == ("driver", None, "prescribed")
    assert driver.pose.position == (2.0, 1.0, 0.0)
    for name in ("rod2", "rod3", "rod4"):
        rod = world.body(name)
        assert rod.shape == Cuboid(1.0, 3.0, 1.0)
        assert (rod.density, rod.color, rod.motion) == (2.0, "red", "free")


def test_hinges_are_named_after_the_rods_they_join(document: Document) -> None:
    world = document.world("example", 2, 1, 0)
    ends = {id: (hinge.body_a, hinge.body_b) for id, hinge in world.hinges.items()}
    assert ends == {
        "links.h12": ("links.rod2", "links.rod1"),
        "links.h23": ("links.rod3", "links.rod2"),
        "links.h34": ("links.rod4", "links.rod3"),
    }
    assert {hinge.kind.name for hinge in world.hinges.values()} == {"ball.and.socket"}


def test_rods_hang_below_the_driver_and_move_with_it(document: Document) -> None:
    world = document.world("example", 2, 1, 0)
    heights = [body.pose.position[1] for body in world.bodies.values()]
    assert heights == pytest.approx([1.0, -0.6, -3.8, -7.0], abs=1e-15)
    for body in world.bodies.values():
        assert body.velocity == (3.14, 0.0, 0.0)
        assert body.rate == (0.0, 0.0, 0.0)
        assert body.gravity == (0.0, -9.81, 0.0)


def test_component_named_by_its_type_is_accepted_with_a_warning(document: Document) -> None:
    (finding,) = document.check()
    assert (finding.severity, finding.code, finding.line) == ("warning", "by-type", 38)
    assert "rod1" in finding.suggestion


def test_request_has_the_printed_step_and_end(document: Document) -> None:
    (request,) = document.requests
    assert (request.world, request.arguments) == ("example", (2.0, 1.0, 0.0))
    assert (request.step, request.until) == (0.05, 60.0)
    assert [report.kind for report in request.reports] == ["animation"]
    assert document.world(request) == document.world("example", 2, 1, 0)
    assert request.elaborate() == document.world("example", 2, 1, 0)
