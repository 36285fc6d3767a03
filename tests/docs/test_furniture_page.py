"""The page of furniture: every piece stands there, with what its sizes measure."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from articulata.world.world_files import LIBRARY

DOCS = Path(__file__).parents[2] / "docs"


def test_each_piece_stands_on_the_page_with_what_its_sizes_measure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(DOCS / "_extensions")
    import furniture_pieces  # type: ignore[import-not-found] # an extension of the documentation

    pieces = {each.name: each for each in furniture_pieces.pieces()}
    text = (LIBRARY / "furniture.art").read_text("utf-8")
    assert list(pieces) == re.findall(r"^primitive (\w+)", text, re.MULTILINE)
    told = {(n, row[0]): row[1:] for n, piece in pieces.items() for row in piece.parameters}
    assert not [where for where, (_, what) in told.items() if not what]
    assert told["shelf", "high"] == ("1.15 m", "floor to its top")
    assert told["cabinet", "high"] == ("1.3 m", "floor to its lower edge")
    assert told["shelf", "deep"] == ("15 cm", "wall to its front")
    assert ("tray", "97 cm high, 45 cm from the wall") in pieces["oven"].features
    assert "DIN 18040" in pieces["toilet"].note
    assert furniture_pieces.image(furniture_pieces.body_of("shelf", {})).startswith("<p><img")
    assert "{furniture-pieces}" in (DOCS / "furniture.md").read_text("utf-8")
