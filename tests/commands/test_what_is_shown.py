"""Which of a text ``articulata view`` shows: its world, or its figure."""

from __future__ import annotations

from pathlib import Path

import pytest

from articulata.app.look import holds_figure

ARM = "figure arm { chain a: plain table { bend: revolute(axis: y) } }\n"
WORLD = "world w { components { a: arm } }\n"


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        (ARM, True),
        (ARM + WORLD, False),
        ("-- of the\n-- world of robots\n" + ARM, True),
        ("/* an arm of the\n   world of robots */\n" + ARM, True),
        ("/* an arm of the\n   world of robots */\n" + ARM + WORLD, False),
        ('-- "/*"\n' + ARM + WORLD, False),
    ],
)
def test_a_comment_begins_no_world(text: str, figure: bool, tmp_path: Path) -> None:
    file = tmp_path / "arm.art"
    file.write_text(text)
    assert holds_figure(file, "", "") is figure
