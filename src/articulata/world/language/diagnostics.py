"""Findings about a text: collecting them, guessing what was meant, and showing them.

``Findings`` takes spans and gives ``Diagnostic`` values in the order of the text, one per place.
``render`` shows them with line and caret, ``as_json`` as ``articulata check --format json`` does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Literal

from articulata.errors import Diagnostic
from articulata.world.language.source import Source, Span
from articulata.world.values import Span as Place

WIDEST = 120  # characters of a line that is shown

MOST_FINDINGS = 200
"""After this many, a text is beyond what a list of findings can help with."""

CODES: dict[str, str] = {
    "missing-sign": "a sign such as ; : , = or a closing bracket is missing",
    "missing-word": "a word that the statement needs is missing",
    "missing-name": "a name is missing",
    "missing-value": "a value is missing",
    "missing-block": "a block { ... } or begin ... end is missing",
    "missing-clause": "a request or block lacks something it cannot do without",
    "unclosed-block": "a block is never closed",
    "unclosed-text": "a text lacks its closing quote",
    "stray": "something stands where nothing of its kind can",
    "stray-character": "a character that means nothing in the language",
    "stray-end": "an end or } that closes nothing",
    "mixed-block": "a block opened with begin and closed with }, or the other way round",
    "reserved-word": "a reserved word used as a name",
    "unknown-word": "a word that means nothing where it stands",
    "unknown-section": "a section that this kind of block does not have",
    "unknown-unit": "a unit that is not known",
    "unknown-name": "a name that is not defined",
    "unknown-type": "a type that is not defined",
    "unknown-component": "a component that does not exist",
    "unknown-feature": "a feature that the component does not have",
    "unknown-hinge": "a hinge, or a type of hinge, that is not defined",
    "unknown-function": "a function or shape that does not exist",
    "unknown-option": "an argument or option that is not taken",
    "unknown-property": "a property that does not exist",
    "unknown-world": "a world that is not defined",
    "ambiguous-name": "a name that means several things here",
    "ambiguous-unit": "a number that could be meant in several units",
    "contradiction": "values that do not go together",
    "duplicate": "something is said or defined twice",
    "wrong-count": "too many or too few arguments or values",
    "wrong-kind": "a value of another kind is due",
    "wrong-dimension": "a quantity of another dimension is due",
    "wrong-index": "an index where none belongs, a missing one, or one out of range",
    "too-large": "a number beyond what can be computed with",
    "too-deep": "nested or chained deeper than can be read",
    "empty": "parentheses, a list or a text with nothing in it",
    "before-definition": "a value used before it is defined",
    "cycle": "a definition that leads back to itself",
    "by-type": "a component named by its type (as in the 1986 listing)",
    "unit-or-name": "a word after a number is read as a unit although a name is the same",
    "two-values": "a sign that could join two values is read as beginning a second one",
    "missing-file": "a file that does not exist or cannot be read",
    "missing-extra": "an imported file whose reader is an optional package, not installed",
    "foreign-file": "a file of another format",
    "outside": "an imported file that lies where reading has not been allowed",
    "not-positive": "a value that must be greater than nothing",
    "negative": "a value that must not be less than nothing",
    "not-finite": "a value that is no finite number",
    "out-of-range": "a value beyond the bounds that were given",
    "division-by-zero": "a divisor that is zero",
    "wrong-order": "two values that belong the other way round",
    "bad-shape": "a shape that cannot be made with these measures",
    "bad-direction": "a direction without length, or one that cannot be had",
    "bad-rotation": "a rotation that is none",
    "self-join": "a body joined to itself",
    "same-point": "two features that are one point",
    "cannot-match": "features that this hinge cannot match",
    "unused": "something said that has no effect",
    "refused": "what a request asks cannot be begun",
    "out-of-scale": "a body far beyond the size of all others",
    "still": "a body that stays in place for want of a word",
    "tipped": "a join that turns a body unasked",
    "too-many": "the list of findings ends here",
}
"""Every code and what it stands for. Codes do not change between versions."""

_NAME = re.compile(r"[^\W\d]\w*")
_NAMES = frozenset(("unknown-name", "unknown-component", "unknown-feature", "unknown-hinge",
                    "unknown-type", "unknown-world"))  # fmt: skip
"""What is said of a name that is not known: two of them in one entry are two faults."""


class Full(Exception):
    """There are more findings than can help: whoever looks for them may stop."""


class Findings:
    """Collects findings about one text; the first at a place is kept, later ones there are not.

    What is said of a line is said once, and of lines that are ``misread`` nothing more. Of each
    entry of a line only the first fault is told, since others follow from it; but every name that
    is not known there is told, unless it is ``doubtful``: it stands in a line that was misread.
    More errors than ``MOST_FINDINGS`` raise ``Full``; more warnings are dropped.
    """

    def __init__(self, source: Source, misread: frozenset[int] = frozenset()) -> None:
        self.source = source
        self.misread = misread
        self.doubtful = frozenset(
            name for line in misread for name in _NAME.findall(source.line(line))
        )
        self._told: dict[int, tuple[str, int]] = {}
        self._found: dict[tuple[int, str], tuple[Span, str, str, str]] = {}
        self._warnings = 0
        self.full = ""

    def error(self, code: str, span: Span, message: str, suggestion: str = "") -> None:
        """Record an error at ``span``."""
        self._add("error", code, span, message, suggestion)

    def instead(self, code: str, span: Span, message: str, suggestion: str) -> None:
        """Record what explains the errors of a line better than they do."""
        line = self.source.position(span[0])[0]
        for key in [key for key in self._found if self.source.position(key[0])[0] == line]:
            del self._found[key]
        self._found[span[0], "error"] = (span, code, message, suggestion)

    def warning(self, code: str, span: Span, message: str, suggestion: str = "") -> None:
        """Record a warning at ``span``."""
        self._add("warning", code, span, message, suggestion)

    def once(
        self, seen: dict[str, int], name: str, span: Span, what: str, advice: str = ""
    ) -> None:
        """Report a ``name`` that ``seen`` holds, which keeps where each stands first.

        ``what`` says what there is already, with ``{}`` for the name.
        """
        if name in seen:
            line, _ = self.source.position(seen[name])
            advice = advice or f"write another name, such as '{name}_2'"
            self.error("duplicate", span, f"{what.format(name)} already, on line {line}", advice)
        seen.setdefault(name, span[0])

    def _add(self, severity: str, code: str, span: Span, message: str, suggestion: str) -> None:
        assert code in CODES, code
        key = (span[0], severity)
        if key in self._found or (severity == "error" and self._follows(code, span)):
            return
        if severity == "warning":
            if self._warnings >= MOST_FINDINGS:
                self.full = self.full or severity
                return
            self._warnings += 1
        elif len(self._found) - self._warnings >= MOST_FINDINGS:
            self.full = severity
            raise Full
        self._found[key] = (span, code, message, suggestion)

    def _follows(self, code: str, span: Span) -> bool:
        """Say whether a fault follows from what is told already of where it stands."""
        if self.misread_at(span):
            return True
        text = self.source.text
        if self.doubtful and (name := _NAME.match(text, span[0])) and name[0] in self.doubtful:
            return code in _NAMES or name.end() == span[1]
        entry = max(text.rfind(sign, 0, span[0]) for sign in "\n\r;{}")
        before, at = self._told.setdefault(entry, (code, span[0]))
        if before == code == "wrong-dimension" and span[0] < at:
            # what the whole is comes before what its terms are
            self._found.pop((at, "error"), None)
            self._told[entry] = (code, span[0])
            return False
        return at != span[0] and not (code in _NAMES and before in _NAMES)

    def misread_at(self, span: Span) -> bool:
        """Say whether ``span`` begins in a line that was misread."""
        return bool(self.misread) and self.source.position(span[0])[0] in self.misread

    def lines(self) -> set[int]:
        """Return the lines with errors."""
        return {self.source.position(at)[0] for at, severity in self._found if severity == "error"}

    @property
    def count(self) -> int:
        """How many findings there are so far."""
        return len(self._found)

    def forget(self, count: int) -> None:
        """Drop the findings after the first ``count``: the text is about to be read again."""
        for key in list(self._found)[count:]:
            del self._found[key]
            self._warnings -= key[1] == "warning"
        self._told.clear()

    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Return what was found, in the order of the text."""
        file = self.source.file
        result: dict[tuple[int, str], Diagnostic] = {}
        for (_, severity), (span, code, message, suggestion) in sorted(
            self._found.items(), key=lambda item: item[0]
        ):
            place = self.source.position(span[0])
            ends = self.source.position(max(span[1], span[0] + 1))
            level: Literal["error", "warning"] = "error" if severity == "error" else "warning"
            found = Diagnostic(file, *place, level, code, message, suggestion, *ends)
            result.setdefault((place[0], message), found)
        if self.full:
            line, column = self.source.position(len(self.source.text))
            message = f"there are more than {MOST_FINDINGS} {self.full}s; the rest is not shown"
            level = "error" if self.full == "error" else "warning"
            result[line, message] = Diagnostic(
                file, line, column, level, "too-many", message, "mend these first", line, column + 1
            )
        return tuple(result.values())


def render(diagnostics: Iterable[Diagnostic], source: Source) -> str:
    """Show each finding with its line, a caret below it and what to write instead."""
    blocks = [render_one(each, source) for each in diagnostics]
    return "\n".join(blocks)


def render_one(diagnostic: Diagnostic, source: Source | None) -> str:
    """Show one finding; a long line is cut to what surrounds the place.

    Without a source no line is shown.
    """
    head = (
        f"{diagnostic.file}:{diagnostic.line}:{diagnostic.column}: "
        f"{diagnostic.severity}: {diagnostic.message} [{diagnostic.code}]"
    )
    if source is None:
        return f"{head}\n  = {diagnostic.suggestion}" if diagnostic.suggestion else head
    line = source.line(diagnostic.line)
    column = diagnostic.column - 1
    width = 1
    if diagnostic.end_line == diagnostic.line:
        width = max(1, diagnostic.end_column - diagnostic.column)
    elif diagnostic.end_line > diagnostic.line:
        width = max(1, len(line) - column)
    if len(line) > WIDEST:
        start = max(0, column - WIDEST // 2)
        line, column = line[start : start + WIDEST], column - start
    width = max(1, min(width, len(line) - column))
    shown = "".join(each if each.isprintable() or each == "\t" else "\ufffd" for each in line)
    # a tab stays a tab below the line too, so that the caret stands under its place
    under = "".join("\t" if each == "\t" else " " for each in shown[:column])
    number = str(diagnostic.line)
    gutter = " " * len(number)
    rows = [head, f"  {number} | {shown}", f"  {gutter} | {under:<{column}}{'^' * width}"]
    if diagnostic.suggestion:
        rows.append(f"  {gutter} = {diagnostic.suggestion}")
    return "\n".join(rows)


def as_json(diagnostics: Iterable[Diagnostic]) -> str:
    """Return the findings as a JSON list, one object a line."""
    names = ("file", "line", "column", "severity", "code", "message", "suggestion")
    rows = [json.dumps({name: getattr(each, name) for name in names}) for each in diagnostics]
    return "[" + ",\n ".join(rows) + "]"


def summary(diagnostics: Sequence[Diagnostic]) -> str:
    """Return how many errors and warnings there are, in words."""
    errors = sum(each.severity == "error" for each in diagnostics)
    warnings = len(diagnostics) - errors
    if not diagnostics:
        return "no errors"
    parts = [
        f"{n} {word}{'s' if n > 1 else ''}"
        for n, word in ((errors, "error"), (warnings, "warning"))
        if n
    ]
    return " and ".join(parts)


# ---- what elaboration finds wrong, in all files of a document

ADVICE: dict[str, str] = {
    "not-positive": "write a value greater than 0",
    "negative": "write 0 or a value greater than 0",
    "out-of-scale": "give the number a unit",
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
    "wrong-count": "write more values, or fewer",
    "wrong-kind": "write another value in its place, or leave it out",
    "wrong-dimension": "write a quantity of another dimension in its place",
    "wrong-index": "write an index within the array",
    "wrong-order": "exchange them",
    "contradiction": "change one of the values, or leave it out",
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


_OF_VALUES = frozenset(("wrong-count", "wrong-kind", "wrong-dimension"))
"""Codes whose messages say what is due."""


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
        offsets: Span,
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
        if len(self.items) >= MOST_FINDINGS:
            if severity == "error":
                raise Full
            return
        self._places.add(place)
        due = re.match(r"(.+) (?:is|are) due\b", message) if code in _OF_VALUES else None
        self.items.append(
            Diagnostic(
                span.file,
                span.line,
                span.column,
                severity,
                code,
                message,
                suggestion or (f"write {due[1]}" if due else ADVICE.get(code, "")),
                span.end_line,
                span.end_column,
            )
        )

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """The findings that make the world unusable."""
        return tuple(each for each in self.items if each.severity == "error")


def span_of(source: Source, offsets: Span) -> Place:
    """Return the place of ``offsets`` in ``source`` as a value that outlives the source."""
    start, end = offsets
    if start < 0:
        return Place(source.file if source.file != "<text>" else "<python>")
    line, column = source.position(start)
    end_line, end_column = source.position(max(start, end))
    return Place(source.file, line, column, end_line, end_column)


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return diagnostics by file and place, a place's first error before its warnings."""
    return tuple(
        sorted(
            diagnostics,
            key=lambda each: (each.file, each.line, each.column, each.severity),
        )
    )
