"""The files of the library's figures: without findings, with a source, loadable by name."""

from pathlib import Path

import numpy as np
import pytest

from articulata.kinematics.library import figure, figures
from articulata.world.document import read
from articulata.world.language.syntax.parse import parse
from articulata.world.language.syntax.printer import print_file
from articulata.world.world_files import LIBRARY

FILES = sorted((LIBRARY / "figures").glob("*.art"))


def test_what_the_library_holds() -> None:
    assert set(figures()) == {
        "camera_robot", "hexapod", "human_upper_body", "jack", "jack_1995", "leonardo",
        "leonardo_arm", "leonardo_simplified_arm", "manutec_r3", "otmani_2009", "person",
        "planar_4_2_1", "rifle",
    }  # fmt: skip


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_files_are_without_findings(file: Path) -> None:
    document = read(file)
    assert document.check() == ()
    assert document.figures
    text = print_file(document.tree)
    again, none = parse(text)
    assert none == ()
    assert print_file(again) == text
    # Each begins with where its numbers are from.
    head = file.read_text(encoding="utf-8").split("\n\n")[0]
    assert head.startswith("# ")
    assert any(year in head for year in ("19", "20", "made here"))


BEYOND = {("jack_1995", "t_pose")}
"""Postures to calibrate by that the limits printed in 1995 leave out, by 10 degrees of azimuth."""


@pytest.mark.parametrize("name", sorted(figures()))
def test_figures_are_sound(name: str) -> None:
    one = figure(name)
    assert one.about
    assert (one.lower <= one.neutral).all()
    assert (one.neutral <= one.upper).all()
    for posture in one.postures:
        if (name, posture) in BEYOND:
            continue
        q = one.posture(posture)
        assert (one.lower <= q + 1e-12).all(), posture
        assert (q - 1e-12 <= one.upper).all(), posture
    assert one.landmarks
    for mark in one.landmarks:
        assert np.isfinite(one.landmark(one.neutral, mark)).all()
    names = [*one.landmarks, *one.sensors, *one.chains, *(link.name for link in one.links.values())]
    assert len(set(names)) == len(names), "a name for two places"
    for chain in one.chains:
        place = one.landmark(one.neutral, chain)
        q = one.neutral[one.chain_coordinates(chain)]
        np.testing.assert_allclose(one.chain(chain).tip(q), place, atol=1e-12)
