"""Parsing a whole text: ``parse`` gives its tree and every syntactic finding, in one pass.

A text with errors still gives a tree of what could be read, so that the checker can go on.
"""

from __future__ import annotations

import gc
import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from contextlib import suppress

from articulata.errors import Diagnostic
from articulata.world.language.diagnostics import Findings, Full
from articulata.world.language.meant_words import closest, did_you_mean, other_word
from articulata.world.language.source import Source, Span
from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.grammar import (
    COMMANDS,
    FILE_ITEMS,
    REQUESTS,
    RESERVED,
    SECTIONS,
    STATEMENTS,
)
from articulata.world.language.syntax.habits import Habit, mended
from articulata.world.language.syntax.parse_definitions import (
    composite,
    hinge_type,
    primitive,
    world,
)
from articulata.world.language.syntax.parse_expressions import expression, path_or_call
from articulata.world.language.syntax.parse_figures import figure
from articulata.world.language.syntax.parse_requests import request
from articulata.world.language.syntax.parse_structure import contact
from articulata.world.language.syntax.reader import Lost, Reader
from articulata.world.language.syntax.recovery import Unclosed, begins_item, finish, skip
from articulata.world.language.units import UNIT_NAMES

Enough = Callable[[Findings], bool]
"""Says whether so much was found that nothing more need be read."""


def parse(
    text: str, file: str = "<text>", kept: Sequence[t.FileItem] = (), enough: Enough | None = None
) -> tuple[t.File, tuple[Diagnostic, ...]]:
    """Return the tree of ``text`` and what is wrong with it.

    ``kept`` are its first items where they are known and right. After an item with which
    ``enough`` was found nothing more is read.

    >>> tree, findings = parse("let g = 9.81 m/s^2")
    >>> tree.items[0].name, findings
    ('g', ())
    """
    tree, findings = read(Source(text, file), kept, enough)
    return tree, findings.diagnostics()


def read(
    source: Source, kept: Sequence[t.FileItem] = (), enough: Enough | None = None
) -> tuple[t.File, Findings]:
    """Return the tree of ``source`` and the findings, to which a checker may add."""
    # a tree is all links downwards: collecting cycles meanwhile finds nothing and takes a third
    # of the time
    collecting = gc.isenabled()
    gc.disable()
    try:
        return _read(source, kept, enough)
    finally:
        if collecting:
            gc.enable()


def _read(
    source: Source, kept: Sequence[t.FileItem], enough: Enough | None
) -> tuple[t.File, Findings]:
    tree, findings = _read_as(source, "", (), [*kept], enough)
    lines: set[int] = set()
    hidden = {source.position(each.start())[0] for each in _HIDDEN.finditer(source.text)}
    for _ in range(_TIMES):
        # what is not understood may be written as other languages have it
        wrong = {near for line in findings.lines() for near in (line - 1, line, line + 1) if near}
        wrong |= hidden
        text, habits = mended(source, lines | wrong) if wrong - lines else ("", ())
        if not habits:
            break
        lines |= wrong
        tree, findings = _read_as(source, text, habits, [], enough)
    return tree, findings


_HIDDEN = re.compile(r"^#define\b", re.MULTILINE)
"""What other languages say in what is a comment here."""
_TIMES = 3
"""How often a text is read again, when what was mended leads to more."""


def _read_as(
    source: Source, text: str, habits: tuple[Habit, ...], items: list[t.FileItem],
    enough: Enough | None,
) -> tuple[t.File, Findings]:  # fmt: skip
    findings = Findings(source)
    try:
        return _read_items(Reader(source, findings, text, habits), items, enough), findings
    except Full:
        whole = (0, len(source.text))
        return t.File(tuple(items), (), source, span=whole, complete=False), findings


def _read_items(r: Reader, items: list[t.FileItem], enough: Enough | None) -> t.File:
    lost = 0
    for each in items:
        r.i = bisect_left(r.starts, each.span[1])
        if isinstance(each, t.Figure):
            r.figures.setdefault(each.name, each)
    while r.kinds[r.i] != "eof":
        if r.kinds[r.i] == ";":
            r.i += 1
            continue
        first, found = r.i, r.findings.count
        try:
            try:
                items.append(_item(r))
            except Unclosed:
                # once more, this time closing blocks where the indentation does
                r.findings.forget(found)
                _restart(r, first)
                r.layout = True
                items.append(_item(r))
            if isinstance(items[-1], t.Figure):
                r.figures.setdefault(items[-1].name, items[-1])
            if r.kinds[r.i] not in ("end", "}") and not begins_item(r, r.i):
                finish(r, ())
        except Lost:
            lost += 1
            _restart(r, max(r.i, first))
            _skip_item(r, first)
        r.layout = r.unclosed = False
        if enough and r.findings.count > found and enough(r.findings):
            break
    span = (0, len(r.text))
    return t.File(
        tuple(items),
        r.tokens.comments,
        r.source,
        span=span,
        complete=lost == 0,
        lost=tuple(r.lost_values),
    )


def read_call(source: Source) -> tuple[t.Path | t.Call | None, tuple[Diagnostic, ...]]:
    """Return the name, with or without arguments, that ``source`` is, and what is wrong with it."""
    findings = Findings(source)
    value: t.Path | t.Call | None = None
    with suppress(Lost, Unclosed, Full):
        r = Reader(source, findings)
        found = path_or_call(r) if r.kinds[r.i] == "name" else None
        if isinstance(found, t.Path | t.Call):
            value = found
        if value is None or r.kinds[r.i] != "eof":
            r.lost_here("stray", "a name, with or without arguments, is due", "write swing(60 deg)")
    return value, findings.diagnostics()


def _restart(r: Reader, i: int) -> None:
    r.i, r.depth, r.parens, r.juxtapose, r.signs, r.list_at = i, 0, 0, False, False, -1


def _skip_item(r: Reader, first: int) -> None:
    """Go on with the next item of the file; blocks that the lost one opened are passed over."""
    skip(r, first)
    while r.kinds[r.i] != "eof" and not begins_item(r, r.i):
        if r.i > first and r.words[r.i] in _ITEMS and r.new_line(r.i):
            return
        r.i += 1


def _item(r: Reader) -> t.FileItem:
    word, kind = r.words[r.i], r.kinds[r.i]
    parse_item = _ITEMS.get(word)
    if parse_item is None:
        if kind == "end" or kind == "}":
            r.error_here("stray-end", f"this '{word}' closes nothing", f"remove '{word}'")
            r.i += 1
            while r.kinds[r.i] in ("end", "}", ";"):
                r.i += 1
            raise Lost
        outermost = r.source.indentation(r.starts[r.i]) == 0 and r.kinds[r.i + 2] == "{"
        asks = outermost and other_word(word, REQUESTS)
        if r.i and r.kinds[r.i - 1] in ("end", "}") and word in _INNER_WORDS and not asks:
            r.i -= 1
            r.error_here(
                "stray-end", f"this '{r.words[r.i]}' closes the block although more of it follows",
                f"remove '{r.words[r.i]}'",
            )  # fmt: skip
            r.i += 1
            raise Lost
        guess = closest(word, tuple(FILE_ITEMS)) if kind == "name" else ""
        guess = _by_sections(r, guess) if guess in SECTIONS else guess
        following = r.kinds[r.i + 1]
        asks_a_command = word in COMMANDS and following == "name" and not r.new_line(r.i + 1)
        guess = "" if asks_a_command else guess
        if kind == "name" and following == "=":
            r.error_here(
                "missing-word", f"'let' is missing before '{word}'", f"write let {word} = ..."
            )
            r.i -= 1
            return _let(r)
        valued = following == ":" and r.kinds[r.i + 2] in ("number", "-", "(")
        if kind == "name" and valued and word not in _ELSEWHERE:
            value = r.line(r.i).partition(":")[2].strip(" ;")
            r.lost_values.append(word)
            told = f"'let' is missing before '{word}'"
            r.lost_here("missing-word", told, f"write let {word} = {value}")
        if kind == "name" and following == "name" and not r.new_line(r.i + 1):
            named = r.words[r.i + 1]
            if r.kinds[r.i + 2] == "=":
                r.error_here("unknown-word", f"'let' is due, not '{word}'", f"write let {named} =")
                return _let(r)
            if word in ("material", "colour", "color"):
                r.lost_values.append(named)
                r.lost_here("unknown-word", f"no {word} is defined in a block",
                            f"write let {named} = {word}(...)")  # fmt: skip
        if following == ":" and r.words[r.i + 2] in _ITEMS and not r.new_line(r.i + 2):
            r.error_here("unknown-word", "what is defined comes first, then its name",
                         f"write {r.words[r.i + 2]} {word}")  # fmt: skip
            r.drop(r.i + 1)
            for each in (r.kinds, r.words):
                each[r.i], each[r.i + 1] = each[r.i + 1], each[r.i]
            return _ITEMS[r.words[r.i]](r)
        if word in UNIT_NAMES and r.kinds[r.i - 1] == ";":
            r.lost_here("missing-sign", "',' stands between units, not ';'", "write ','")
        r.error_here(
            "unknown-word",
            f"{r.shown()} does not begin a definition or a request",
            COMMANDS[word] if asks_a_command else f"did you mean '{guess}'?" if guess
            else did_you_mean(word, tuple(FILE_ITEMS)) if kind == "name" else "remove it",
        )  # fmt: skip
        if not guess or (following not in ("name", "text", ":") and following not in RESERVED):
            raise Lost
        if guess in REQUESTS:
            return request(r, guess)
        parse_item = _ITEMS[guess]
    return parse_item(r)


def _by_sections(r: Reader, guess: str) -> str:
    """Return the kind of definition that begins here, by the first section in its block."""
    i = r.i
    while r.kinds[i] not in ("{", "begin", "eof"):
        i += 1
    word = r.words[i + 1] if r.kinds[i] != "eof" else ""
    if word in SECTIONS[guess]:
        return guess
    return next((kind for kind, known in SECTIONS.items() if word in known), guess)


def _import(r: Reader) -> t.Import:
    first = r.i
    r.i += 1
    if r.kinds[r.i] != "text":
        if r.kinds[r.i] == "name" and not r.new_line(r.i):
            end = r.i
            while r.kinds[end + 1] in (".", "name", "/") and not r.new_line(end + 1):
                if r.words[end + 1] == "as":
                    break
                end += 1
            shown = r.text[r.starts[r.i] : r.starts[end] + len(r.words[end])]
            r.lost_here(
                "missing-sign", "the file's name stands between double quotes",
                f'write import "{shown[:60]}{"" if "." in shown else ".art"}"',
            )  # fmt: skip
        r.lost_before(
            "missing-value", "the file's name is missing after 'import'", 'write import "file.art"'
        )
    span = r.token_span()
    file = r.words[r.i][1:-1]
    r.i += 1
    if not file.strip():
        r.findings.error("empty", span, "the file's name is empty", 'write import "file.art"')
    name = None
    if r.words[r.i] == "as":
        r.i += 1
        name = r.name("for the import after 'as'")
    elif r.kinds[r.i] == "name" and not r.new_line(r.i):
        r.word("as", "before the import's name", 'import "file.art" as name')
        if r.kinds[r.i] == "name":
            name = r.name("for the import after 'as'")
    return t.Import(file, name, span=r.span_from(first))


def _units(r: Reader) -> t.Units:
    first = r.i
    r.i += 1
    r.sign(":", "after 'units'")
    names: list[str] = []
    spans: list[Span] = []
    if r.kinds[r.i] in ("[", "(", "{", "text"):
        r.lost_here("stray", "names of units stand without brackets and quotes",
                    "write units: metre, kilogram, second")  # fmt: skip
    while True:
        word = r.words[r.i]
        if r.kinds[r.i] != "name" or (r.new_line(r.i) and r.kinds[r.i - 1] != ","):
            r.lost_before("missing-name", "a unit is missing", "write metre, kilogram, second")
        names.append(word)
        spans.append(r.token_span())
        if word not in UNIT_NAMES:
            hint = did_you_mean(word, tuple(UNIT_NAMES))
            if word.upper() in ("SI", "MKS", "METRIC"):
                hint = "write metre, kilogram, second, radian, or leave the line out"
            long = [name for name, symbol in UNIT_NAMES.items() if symbol == word]
            r.error_here(
                "unknown-unit", f"'{word}' is not the name of a unit",
                f"write '{long[0]}'" if long else hint,
            )  # fmt: skip
        r.i += 1
        if r.kinds[r.i] == ",":
            r.i += 1
        elif r.kinds[r.i] == "name" and not r.new_line(r.i):
            r.error_before("missing-sign", "',' is missing between units", "add ',' here")
        else:
            break
    return t.Units(tuple(names), span=r.span_from(first), name_spans=tuple(spans))


def _let(r: Reader) -> t.Let:
    first = r.i
    r.i += 1
    at = r.i
    name = r.name("after 'let'")
    if r.kinds[r.i] == "(" and "=" in r.line(r.i):
        r.lost_values.append(name)
        told = "no function is defined in a text"
        r.lost_here("stray", told, f"write let {name} = a value, or what it gives where it is used")
    r.sign("=", f"after '{name}'")
    try:
        value = expression(r)
        if isinstance(value, t.Tuple) and r.kinds[at + 3] == "name" and r.kinds[at + 4] == ":":
            raise Lost  # values with names, of which the names were told
    except Lost:
        r.lost_values.append(name)
        raise
    return t.Let(name, value, span=r.span_from(first), name_span=r.token_span(at))


_ELSEWHERE = frozenset(
    (*(word for each in REQUESTS.values() for word in each),
     *(word for each in SECTIONS.values() for word in each))
)  # fmt: skip
_INNER_WORDS = frozenset((*STATEMENTS, *(word for each in SECTIONS.values() for word in each)))

_ITEMS: dict[str, Callable[[Reader], t.FileItem]] = {
    "import": _import,
    "units": _units,
    "let": _let,
    "contact": contact,
    "primitive": primitive,
    "composite": composite,
    "figure": figure,
    "hinge": hinge_type,
    "world": world,
    **dict.fromkeys(REQUESTS, request),
}
