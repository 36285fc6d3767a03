"""Boards of a computer frame: which can be removed, and what blocks the others."""

from __future__ import annotations

import numpy as np
import pytest
from tests.gallery_runs import run

import articulata as art
from articulata.world.document import read
from articulata.world.world_files import LIBRARY

WAY = (0.0, 0.0, 0.3)


@pytest.fixture(scope="module")
def world() -> art.World:
    return read(LIBRARY / "gallery" / "computer_frame.art").world("computer")


def test_free_boards_come_out(world: art.World) -> None:
    for board in ("first", "second"):
        found = art.pull(world, board, WAY)
        assert found.out
        assert found.free == 0.3
        assert str(found) == f"{board} comes out"


def test_the_third_is_blocked_by_the_seconds_bracket(world: art.World) -> None:
    found = art.pull(world, "third", WAY)
    # the capacitor ends 2 cm before the card's middle, the bracket begins 9.95 cm before it
    assert found.free == pytest.approx(0.0995 - 0.02, abs=1e-8)
    assert found.by == "second"
    assert found.where == ("third.capacitor.front", "second.bracket.back")
    assert art.pull(world, "third", WAY, without=["second"]).out


def test_the_fourth_is_blocked_by_the_frame_whatever_else_is_gone(world: art.World) -> None:
    found = art.pull(world, "fourth", WAY, without=["first", "second", "third"])
    assert found.free == pytest.approx(0.12 - 0.04, abs=1e-8)
    assert found.where == ("fourth.sink.front", "frame.post.back")
    assert found.point is not None
    assert found.point[2] == pytest.approx(0.12, abs=1e-6)


def test_the_other_way_everything_meets_the_backplane(world: art.World) -> None:
    found = art.pull(world, "first", (0, 0, -0.3))
    assert found.where == ("first.card.back", "frame.backplane.front")
    assert found.free == pytest.approx(0.02, abs=1e-8)


def test_boards_come_out_in_an_order_that_works(world: art.World) -> None:
    found = art.removals(world, ["fourth", "third", "second", "first"], WAY)
    assert [each.part for each in found] == ["second", "third", "first", "fourth"]
    assert [each.out for each in found] == [True, True, True, False]


def test_what_cannot_be_pulled_is_said(world: art.World) -> None:
    with pytest.raises(art.NameNotFound, match="did you mean 'third'"):
        art.pull(world, "thirt", WAY)
    with pytest.raises(art.SimulationError, match="three finite numbers"):
        art.pull(world, "third", (0, 0, 0))
    with pytest.raises(art.NameNotFound, match="not a body"):
        art.pull(world, "guide1", WAY)


@pytest.mark.slow
def test_hands_pull_three_boards_and_the_fourth_strikes_the_post() -> None:
    recording = run("computer_frame")
    for number in (1, 2, 3):
        assert recording.series(f"guide{number}.travel")[-1] == pytest.approx(0.3, abs=1e-3)
    strike = next(event for event in recording.events if event.kind == "impact")
    assert strike.who == ("fourth", "frame")
    assert all(where.split(".")[1] in ("sink", "post") for where in strike.where)
    assert np.max(recording.series("guide4.travel")) < 0.08 + 1e-9
    assert recording.series("fourth from frame")[-1, 2] == pytest.approx(-20.0, abs=1e-6)
