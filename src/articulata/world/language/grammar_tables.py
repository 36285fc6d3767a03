"""The grammar's tables: Markdown for the documentation, a TextMate grammar for editors."""

from __future__ import annotations

import json
from collections.abc import Iterable

from articulata.world.language.diagnostics import CODES
from articulata.world.language.syntax.grammar import (
    ACTIONS,
    EVENTS,
    FILE_ITEMS,
    REQUESTS,
    RESERVED,
    SECTIONS,
    STATEMENTS,
)
from articulata.world.language.vocabulary import (
    FUNCTIONS,
    HINGES,
    METHODS,
    PAIR_MEANINGS,
    SHAPES,
    SURFACES,
)
from articulata.world.requests.clauses import Clause
from articulata.world.requests.questions import FORMS


def _rows(head: str, rows: Iterable[tuple[str, str]]) -> str:
    def cell(text: str) -> str:
        return text.replace("|", "\\|")

    lines = [f"| {head} | meaning |", "|---|---|"]
    lines += [f"| `{cell(form)}` | {cell(meaning)} |" for form, meaning in rows]
    return "\n".join(lines)


def _form(name: str, clause: Clause) -> str:
    """Return a clause as it is written, its kinds of value without brackets."""
    said = " | ".join(clause.patterns)
    several = ", ..." if clause.several else ""
    return f"{name}: {said}{several}".replace("<", "").replace(">", "")


def markdown() -> str:
    """Return every table of the language, one after the other."""
    parts = [
        "## A file",
        _rows("item", ((each.form, each.meaning) for each in FILE_ITEMS.values())),
    ]
    for kind, sections in SECTIONS.items():
        parts.append(f"## Sections of a {kind}")
        parts.append(_rows("section", ((each.form, each.meaning) for each in sections.values())))
    parts += [
        "## Statements",
        _rows("statement", ((each.form, each.meaning) for each in STATEMENTS.values())),
        "## Values of a contact",
        _rows("value", PAIR_MEANINGS.items()),
        "## Shapes",
        _rows("shape", ((str(each), each.meaning) for each in SHAPES.values())),
        "## Hinges",
        _rows("hinge", ((str(each.signature), each.signature.meaning) for each in HINGES.values())),
        "## Surfaces of hinges",
        _rows("surface", ((str(each), each.meaning) for each in SURFACES.values())),
        "## Functions",
        _rows("function", ((str(each), each.meaning) for each in FUNCTIONS.values())),
    ]
    for kind, clauses in REQUESTS.items():
        parts.append(f"## Clauses of {kind}")
        parts.append(
            _rows("clause", ((_form(n, each), each.meaning) for n, each in clauses.items()))
        )
    parts += [
        "## Words with arguments in requests",
        _rows(
            "word",
            (
                (str(e.signature), e.signature.meaning)
                for each in FORMS.values()
                for e in each.values()
            ),
        ),
        "## Methods",
        _rows("method", ((str(each), each.meaning) for each in METHODS.values())),
        "## Events of on",
        _rows("event", ((each.form, each.meaning) for each in EVENTS.values())),
        "## Actions of on",
        _rows("action", ((each.form, each.meaning) for each in ACTIONS.values())),
        "## Codes of findings",
        _rows("code", CODES.items()),
    ]
    return "\n\n".join(parts) + "\n"


def textmate() -> str:
    """Return a TextMate grammar: comments, texts, numbers with units, words and what they make."""
    sections = [name for each in SECTIONS.values() for name in each]
    clauses = [name for each in REQUESTS.values() for name in each]
    patterns = [
        ("comment.line", r"(--|#).*$"),
        ("string.quoted.double", r'"[^"\n]*"?'),
        ("constant.numeric", r"\b\d+(\.\d+)?([eE][+-]?\d+)?\b"),
        ("keyword.control", _any(*RESERVED, *FILE_ITEMS, *STATEMENTS, *EVENTS, *ACTIONS)),
        ("keyword.other", _any(*sections, *clauses)),
        ("support.function", _any(*FUNCTIONS, *HINGES, *SHAPES, *METHODS)),
        ("keyword.operator", r"[-+*/^=<>]"),
    ]
    grammar = {
        "name": "Articulata world",
        "scopeName": "source.art",
        "fileTypes": ["art"],
        "patterns": [{"name": f"{name}.art", "match": match} for name, match in patterns],
    }
    return json.dumps(grammar, indent=2) + "\n"


def _any(*words: str) -> str:
    """Return an expression that matches each of some words, the longest first."""
    known = sorted(set(words), key=lambda word: (-len(word), word))
    return rf"\b({'|'.join(word.replace('.', chr(92) + '.') for word in known)})\b"
