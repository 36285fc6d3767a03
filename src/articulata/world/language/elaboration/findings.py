"""What elaboration finds wrong: collected with their places, one finding for one cause."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from articulata.errors import Diagnostic
from articulata.world.language.diagnostics import Full
from articulata.world.language.source import Source
from articulata.world.language.source import Span as Offsets
from articulata.world.values import Span

MOST = 200
"""After this many, a text is beyond what a list of findings can help with."""


ADVICE: dict[str, str] = {
    "not-positive": "write a value greater than 0",
    "negative": "write 0 or a value greater than 0",
    "not-finite": "write smaller numbers",
    "unused": "remove it",
    "cannot-match": "name features of the kind that is due",
    "too-large": "write smaller numbers",
    "too-deep": "take the inner parts out",
    "out-of-range": "write a value within the range",
    "division-by-zero": "write a divisor other than 0",
    "bad-direction": "write a direction of some length, such as x or (0, 1, 0)",
    "bad-rotation": "write rotation(z, 90 deg), or a quaternion of some length",
    "bad-shape": "change its measures",
    "wrong-count": "write as many values as are due",
    "wrong-kind": "write what is due here",
    "wrong-dimension": "write a quantity of the dimension that is due",
    "wrong-index": "write an index within the array",
    "wrong-order": "exchange them",
    "duplicate": "remove one of them",
    "self-join": "name another component",
    "same-point": "name two different features",
    "unknown-name": "define it with let, or make it a parameter",
    "unknown-option": "remove it",
    "unknown-word": "remove it",
    "unknown-unit": "units are m, cm, kg, s, N, deg ...",
    "unknown-type": "define it, or import the file that does",
    "unknown-component": "declare it among the components",
    "unknown-feature": "name it after 'where', or use center",
    "unknown-hinge": "define it: hinge name { rows }",
    "unknown-function": "use a function of the language",
    "unknown-property": "remove it",
    "ambiguous-name": "write the whole path",
    "ambiguous-unit": "write the unit that is meant",
    "missing-clause": "add it here",
    "missing-file": "put the file there",
    "outside": "allow its folder",
    "empty": "add what belongs here, or remove it",
    "cycle": "remove one of the two",
    "by-type": "write the name of the component",
}
"""What to write instead, by the code of a finding, where nothing better is known."""


class Abandon(Exception):
    """Leave the statement that cannot be made; what was wrong is already noted."""


class Notes:
    """Diagnostics of an elaboration, each place at most once.

    An error beyond what a list can help with raises ``Full``.
    """

    def __init__(self) -> None:
        self.items: list[Diagnostic] = []
        self._places: set[tuple[str, int, int, str]] = set()

    def add(
        self,
        source: Source,
        offsets: Offsets,
        code: str,
        message: str,
        suggestion: str = "",
        severity: Literal["error", "warning"] = "error",
    ) -> None:
        """Note a finding about the text at ``offsets``."""
        span = span_of(source, offsets)
        place = (span.file, span.line, span.column, severity)
        if place in self._places:
            return
        if len(self.items) >= MOST:
            if severity == "error":
                raise Full
            return
        self._places.add(place)
        self.items.append(
            Diagnostic(
                span.file,
                span.line,
                span.column,
                severity,
                code,
                message,
                suggestion or ADVICE.get(code, ""),
                span.end_line,
                span.end_column,
            )
        )

    def take_back(self, count: int) -> None:
        """Forget what was found after the first ``count`` findings."""
        for each in self.items[count:]:
            self._places.discard((each.file, each.line, each.column, each.severity))
        del self.items[count:]

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The findings that make the world unusable."""
        return tuple(each for each in self.items if each.severity == "error")


def span_of(source: Source, offsets: Offsets) -> Span:
    """Return the place of ``offsets`` in ``source`` as a value that outlives the source."""
    start, end = offsets
    if start < 0:
        return Span(source.file if source.file != "<text>" else "<python>")
    line, column = source.position(start)
    end_line, end_column = source.position(max(start, end))
    return Span(source.file, line, column, end_line, end_column)


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return diagnostics by file and place, a place's first error before its warnings."""
    return tuple(
        sorted(
            diagnostics,
            key=lambda each: (each.file, each.line, each.column, each.severity),
        )
    )
