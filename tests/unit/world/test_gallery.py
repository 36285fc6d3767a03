"""Every world of the gallery is free of findings, assembles, and is what its comment says."""

from __future__ import annotations

import json
import math
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from articulata.kinematics.assembly.assembling import assemble
from articulata.world.document import read
from articulata.world.world_files import LIBRARY

DOCS = Path(__file__).parents[3] / "docs"
GALLERY = sorted((LIBRARY / "gallery").glob("*.art"))


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
