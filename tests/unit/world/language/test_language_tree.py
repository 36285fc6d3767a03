"""Nodes compare by what they say; positions come from the source."""

from __future__ import annotations

import pytest

from articulata.world.language.source import Source
from articulata.world.language.syntax import tree


def test_nodes_are_equal_wherever_they_stand() -> None:
    here = tree.Path(
        (tree.Part("rod", tree.Number(1.0, "", span=(4, 5)), span=(0, 6)),), span=(0, 6)
    )
    there = tree.Path((tree.Part("rod", tree.Number(1.0)),))
    assert here == there
    assert hash(here) == hash(there)
    assert here != tree.Path((tree.Part("rod", tree.Number(2.0)),))


def test_different_kinds_with_the_same_content_differ() -> None:
    assert tree.Text("a") != tree.Path((tree.Part("a"),))
    assert tree.Stop() != tree.Break(tree.Path((tree.Part("a"),)))


def test_walk_is_outermost_first_and_in_order() -> None:
    one, two = tree.Number(1.0), tree.Number(2.0)
    total = tree.Binary("+", one, two)
    assert list(tree.walk(total)) == [total, one, two]


@pytest.mark.parametrize(
    ("text", "offset", "expected"),
    [
        ("abc", 0, (1, 1)),
        ("abc", 3, (1, 4)),
        ("a\nb", 2, (2, 1)),
        ("a\r\nb", 3, (2, 1)),
        ("a\rb", 2, (2, 1)),
        ("\n\n", 2, (3, 1)),
        ("\tx", 1, (1, 2)),
        ("", 5, (1, 1)),
    ],
)
def test_positions_count_from_one(text: str, offset: int, expected: tuple[int, int]) -> None:
    assert Source(text).position(offset) == expected


def test_lines_come_without_their_ends() -> None:
    source = Source("one\r\n  two\rthree")
    assert [source.line(number) for number in range(5)] == ["", "one", "  two", "three", ""]
    assert source.indentation(8) == 2
