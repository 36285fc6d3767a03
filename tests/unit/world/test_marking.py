"""A place on a body gets a name in the text, and requests ask about it."""

from __future__ import annotations

import pytest

import articulata as art
from articulata.world.text_changes import marked
from rooms import TEXT

ROOM = TEXT.format(shelf=1.4)


def test_a_name_is_written_beside_others_and_asked_about() -> None:
    text = marked(art.parse(ROOM), ROOM, "room", "shelf", "edge", (0.1, 0.01, 0.15))
    assert "where { edge: (0.1 m, 0.01 m, 0.15 m); front:" in text
    assert "objects: counter.front, shelf.front, shelf.edge\n" in text
    again = art.parse(text)
    assert again.world("room").bodies["shelf"].features["edge"].pose.position == (0.1, 0.01, 0.15)
    assert "shelf.edge" in again.requests[0].question.objects  # type: ignore[union-attr] # a reach


def test_a_first_name_and_a_first_object_are_written() -> None:
    text = "\n".join(line for line in ROOM.splitlines() if "objects:" not in line)
    text = text.replace(" where { front: (0, 0.5*h + 0.01, 0.5*d - 0.02) }", "")
    text = marked(art.parse(text), text, "room", "counter", "spot", (0.0, 0.45, 0.0))
    assert "cuboid(w, h, d) where { spot: (0 m, 0.45 m, 0 m) }" in text
    assert "  approach: from door\n  objects: counter.spot\n" in text
    assert art.parse(text).requests[0].question.objects == ("counter.spot",)  # type: ignore[union-attr] # a reach


@pytest.mark.parametrize(
    ("body", "name", "said"),
    [
        ("shelf", "front", "has a feature 'front' already"),
        ("shelf", "my place", "'my place' is no name"),
        ("door", "knob", "which this text does not hold"),
    ],
)
def test_what_cannot_be_named_is_said(body: str, name: str, said: str) -> None:
    with pytest.raises(art.WorldError, match=said):
        marked(art.parse(ROOM), ROOM, "room", body, name, (0.0, 0.0, 0.0))
