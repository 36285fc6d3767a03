"""What the commands would refuse: each request is begun, up to the work that takes long.

A command begins a request by turning it into a question: figures are made, things are looked up in
the world, measures are held against what can be. ``STARTS`` names the function that does so for
each kind of request; the command calls it, and so do checks. What it raises becomes a finding.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from articulata.errors import ArticulataError, Diagnostic, MissingExtra, WorldError
from articulata.world.figures.readers import of_name
from articulata.world.language.diagnostics import Notes
from articulata.world.language.source import Span
from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.grammar import REQUESTS

if TYPE_CHECKING:
    from articulata.world.document import Document
    from articulata.world.request_reader import RequestReader

STARTS: Mapping[str, str] = {
    "simulate": "articulata.sessions.simulation:begun",
    "vary": "articulata.sessions.vary.varying:begun",
    "reach": "articulata.analyses.reach.reach_question:begun",
    "pose": "articulata.analyses.pose.pose_question:begun",
    "track": "articulata.sessions.track.track_request:begun",
    "film": "articulata.sessions.film.film_files:begun",
}
"""Who begins a request, by its kind: a function of the request, in a room above this one."""

_QUOTED = re.compile(r"'([^']+)'")
_OPTION = re.compile(
    r"""--(?P<name>[a-z_]+)(?:(?P<colon>:)| (?P<quote>['"])(?P<value>[^'"]*)(?P=quote))?"""
)
_CALLED = re.compile(r"(?:--)?([a-z]+): ")
_ASKED = re.compile(r"^  place (\S+)  \(.*\)(: .* asked, .*)$", re.MULTILINE)
"""A start that an assembly cannot have, with what was asked and what comes nearest."""


def refusals(document: Document, reader: RequestReader) -> Iterator[Diagnostic]:
    """Yield an error for each request of a text without errors that its command would refuse."""
    for item in document.module.requests:
        start = _Start(document, reader, item)
        error = start.error(item)
        if error is not None:
            yield from start.findings(error)


def _lacks_file(error: BaseException | None) -> bool:
    """Tell whether an error comes from a file that does not exist or cannot be opened."""
    return error is not None and (isinstance(error, OSError) or _lacks_file(error.__context__))


class _Start:
    def __init__(self, document: Document, reader: RequestReader, item: t.Request) -> None:
        self.document, self.reader, self.item = document, reader, item
        self.source = document.module.source
        self.entries = [each for clause in item.clauses for each in clause.items]

    def error(self, item: t.Request) -> ArticulataError | None:
        """Return what a request is refused for; None where it begins, or a package lacks."""
        request = replace(self.reader.request(item, Notes()), document=self.document)
        try:
            of_name(STARTS[item.kind])(request)
        except MissingExtra:
            return None
        except ArticulataError as error:
            return error
        return None

    def findings(self, error: ArticulataError) -> Iterator[Diagnostic]:
        """Yield what is said of an error: at its own places in the text, or at one that is found.

        A text that it reads besides, such as that of a figure of the library, is no place.
        """
        own = error.diagnostics if isinstance(error, WorldError) else ()
        own = tuple(each for each in own if each.severity == "error")
        here = [each for each in own if each.file == self.source.file]
        words = own[0].message if own else str(error)
        told = re.search(rf"{re.escape(self.source.file)}:(\d+):(\d+)(: )?", words)
        at = self.item.span[0]
        if told is not None:
            at = self.source.starts[int(told[1]) - 1] + int(told[2]) - 1
            words = words[told.end() :] if told[3] else words
        if at == self.item.span[0]:
            span = self._blamed(words)
        else:
            span = next((each.span for each in self.entries if each.span[0] == at), (at, at + 1))
        advice = own[0].suggestion if own else words.partition("\n")[2].rpartition("\n")[2]
        message = words.partition("\n")[0]
        if not advice:
            message, _, advice = message.rpartition("; ")
        message += "".join(f"; {name}{wish}" for name, wish in _ASKED.findall(words))
        notes = Notes()
        message, advice = self._worded(message), self._worded(advice)
        message, advice = message or advice, advice if message else ""
        if _lacks_file(error):
            notes.add(self.source, span, "missing-file", message, advice)
        else:
            notes.add(self.source, span, "refused", message, advice)
        yield from here or notes.items

    def _worded(self, words: str) -> str:
        """Return what is said of options of the command as what the text says in their place."""

        def clause(option: re.Match[str]) -> str:
            name, value = option["name"], option["value"]
            if name not in REQUESTS[self.item.kind]:
                return option[0]
            return f"{name}: {value}" if value else f"{name}:" if option["colon"] else f"'{name}:'"

        return _OPTION.sub(clause, words)

    def _blamed(self, words: str) -> Span:
        """Return what an error of these ``words`` is about.

        It is the entry that holds most of the names in them, else the clause that is called in
        them, else the clause without which the request begins.
        """
        clauses = self.item.clauses
        quoted = {*_QUOTED.findall(words)} - {self.item.name}
        named = _CALLED.match(words)
        called = [each for each in clauses if named is not None and each.name == named[1]]
        entries = [each for clause in called or clauses for each in clause.items]
        told = words.partition("; ")[0]
        meant = {each.span for c in clauses if c.name in told for each in c.items}
        entries.sort(key=lambda each: each.span not in meant)  # of two that name the same
        best = max(entries, key=lambda each: _named_in(each, quoted), default=None)
        if best is not None and _named_in(best, quoted):
            return best.span
        called += [each for each in clauses if each.name in quoted]
        without = (
            each
            for each in clauses
            if not REQUESTS[self.item.kind][each.name].needed
            and self.error(_lacking(self.item, each)) is None
        )
        found = next(iter(called), None) or next(without, None)
        return self.item.name_span if found is None else found.span


def _lacking(item: t.Request, clause: t.Clause) -> t.Request:
    return replace(item, clauses=tuple(each for each in item.clauses if each is not clause))


def _named_in(entry: t.Item, names: Collection[str]) -> int:
    """Return how many of ``names`` stand in an entry."""
    found: set[object] = set()
    for node in t.walk(entry):
        found |= {getattr(node, word, None) for word in ("text", "value", "name")}
    return sum(name in found for name in names)
