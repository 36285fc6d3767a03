r"""A world's text and where things stand in it.

Offsets count characters from 0; lines and columns count from 1, a tab is one column. A line
ends at ``\n``, ``\r\n`` or a lone ``\r``.
"""

from __future__ import annotations

import re
from bisect import bisect_right

Span = tuple[int, int]
"""Start and end offset (exclusive) in the source."""

NOWHERE: Span = (-1, -1)
"""The span of a node that was built in Python and stands in no text."""

_BLANKS = re.compile(r"[^\S\r\n]*")
_LINE_END = re.compile(r"\r\n|\n|\r")


class Source:
    """A text, the file it came from, and the way from offsets to lines and columns."""

    __slots__ = ("_starts", "file", "text")

    def __init__(self, text: str, file: str = "<text>") -> None:
        self.text = text
        self.file = file
        self._starts: list[int] | None = None

    def __repr__(self) -> str:
        return f"Source({self.file!r}, {len(self.text)} characters)"

    @property
    def starts(self) -> list[int]:
        """The offset at which each line starts; computed once, when first asked for."""
        if self._starts is None:
            self._starts = [0, *(match.end() for match in _LINE_END.finditer(self.text))]
        return self._starts

    def position(self, offset: int) -> tuple[int, int]:
        """Return the line and column of ``offset``, both counted from 1."""
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def line(self, number: int) -> str:
        """Return line ``number`` (from 1) without its line end; empty outside the text."""
        if not 1 <= number <= len(self.starts):
            return ""
        start = self.starts[number - 1]
        end = self.starts[number] if number < len(self.starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")

    def indentation(self, offset: int) -> int:
        """Return how many blanks precede the first character of the line that holds ``offset``."""
        start = self.starts[self.position(offset)[0] - 1]
        found = _BLANKS.match(self.text, start)
        return found.end() - start if found else 0
