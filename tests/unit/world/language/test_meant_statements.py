"""Statements in the words and the order of other programs are told once and read as meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from articulata.world.document import parse
from articulata.world.language.syntax.declared_names import Names
from articulata.world.language.syntax.meant_statements import meant_statement

SWING = (Path(__file__).parents[3] / "data" / "planted" / "swing.art").read_text("utf-8")
HINGE = "join bob to rod[n] with ball as socket matching (eye, bottom)"
PLACED = "place p by p.rod[1].top at (0, drop, 0), p.hook.angle = start"


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        # the same parts in another order
        ("join bob to rod[n] as socket with ball matching (eye, bottom)", HINGE),
        ("join bob to rod[n] matching (eye, bottom) as socket with ball", HINGE),
        # calls, with and without features
        ("connect(bob.eye, rod[n].bottom)", "join bob to rod[n] with pin matching (eye, bottom)"),
        ("ball(bob.eye, rod[n].bottom)", "join bob to rod[n] with ball matching (eye, bottom)"),
        (
            "hold = Revolute(bob, rod[n], axis=(0, 0, 1))",
            "join bob to rod[n] with revolute(axis: z) as hold matching (center, center)",
        ),
        # words and named values
        ("connect bob to rod[n]", "join bob to rod[n] with pin matching (center, center)"),
        (
            "joint socket type=spherical parent=rod[n] child=bob",
            "join bob to rod[n] with ball as socket matching (center, center)",
        ),
        (
            "revolute joint socket between bob.eye and rod[n].bottom axis = y lower = -1 upper = 1",
            "join bob to rod[n] with revolute(axis: y) as socket matching (eye, bottom) "
            "limits (-1, 1)",
        ),
        ("ignore_collision(bob, rod[1])", "ignore bob with rod[1]"),
        ("collision bob rod[1] = false", "ignore bob with rod[1]"),
        ("bob.position = (0, 1 m, 0)", "place bob by bob.center at (0, 1 m, 0)"),
        ("move bob to (0, 1 m, 0)", "place bob by bob.center at (0, 1 m, 0)"),
    ],
)  # fmt: skip
def test_a_statement_of_others_is_told_once_and_whole(wrong: str, meant: str) -> None:
    assert parse(SWING).check(starts=False) == ()
    (found,) = parse(SWING.replace(HINGE, wrong)).check(starts=False)
    assert found.line == SWING[: SWING.index(HINGE)].count("\n") + 1
    assert found.suggestion == f"write {meant}"
    # what is advised is what the language reads
    assert not [
        each for each in parse(SWING.replace(HINGE, meant)).check(starts=False)
        if each.code in ("unknown-word", "missing-word", "missing-sign", "stray")
    ]  # fmt: skip


def test_a_gear_between_hinges_that_the_text_names() -> None:
    names = Names(frozenset(("a", "b")), frozenset(("slow", "quick")))
    assert meant_statement("belt(slow, quick, 3)", names) == (
        "gear drive between slow and quick = 3"
    )


@pytest.mark.parametrize(
    "wrong", ["connect bob", "bob", "hinge(bob)", "connect bob to rod[n] to rod[1]", "x" * 500]
)
def test_what_does_not_hold_enough_is_not_guessed(wrong: str) -> None:
    assert meant_statement(wrong, Names(frozenset(("bob", "rod")))) == ""


_WORDS = ("bob", "rod[1]", ".eye", "(", ")", "=", ":", ",", " ", "1", "-2.5 m", "pin", "axis",
          "join", "to", "with", "limits", "turned", "about", '"')  # fmt: skip


@given(st.lists(st.sampled_from(_WORDS), max_size=120).map("".join))
def test_any_text_is_answered(text: str) -> None:
    meant = meant_statement(text, Names(frozenset(("bob", "rod")), frozenset(("pin",))))
    assert meant == "" or meant.split()[0] in ("join", "place", "ignore", "gear", "force")


@pytest.mark.parametrize("wrong", ["rod(1)", "rod_1", "rod1", "rods_1"])
def test_the_number_of_a_component_written_otherwise(wrong: str) -> None:
    (found,) = parse(SWING.replace("join rod[1] to", f"join {wrong} to")).check(starts=False)
    assert found.suggestion == "write rod[1]"


def test_a_statement_that_goes_on_behind_what_is_meant_is_not_read_for_ever() -> None:
    """What stood behind the comma was taken for the statement again, and its words grew."""
    text = SWING.replace(
        "structure {", "structure {\n    force brake matching bob.eye and rod[n]. = 1 N, speed", 1
    )
    (first, *_) = parse(text).diagnostics
    assert "write force brake between bob.eye and rod[n]" in first.suggestion
