"""Scanning: a text becomes parallel lists of kinds, words and offsets.

One regular expression cuts the whole text in a single call; offsets are the running sum of the
pieces' lengths, and the kind of a piece is looked up, so that no object is made per token. The
kind of a reserved word or sign is the word itself; other kinds are ``name``, ``number``, ``text``,
``unclosed`` (a text whose quote is missing), ``stray`` and ``eof``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, compress
from operator import sub

from articulata.world.language.source import Span
from articulata.world.language.syntax.grammar import RESERVED
from articulata.world.language.syntax.tree import Comment

# the most frequent alternatives come first; a name may hold letters of any script
_PIECE = re.compile(
    r"""\s*(?:
        [A-Za-z_]\w*
      | [(){}\[\],:;+*^] | =(?!=)
      | [0-9]+(?:\.(?!\.)[0-9]*)?(?:[eE][+-]?[0-9]+)?
      | \.\. | \.[0-9]+(?:[eE][+-]?[0-9]+)? | \.
      | --[^\r\n]* | \#[^\r\n]* | [-/]
      | [<>=!]= | [<>]
      | "[^"\r\n]*"?
      | [^\W\d]\w*
      | .
      | $
    )""",
    re.VERBOSE | re.DOTALL,
)

_SIGNS = frozenset([*"(){}[],:;=.+-*/^<>", "..", "<=", ">=", "==", "!="])

_TEXT_ENDS = re.compile(r"\s*(?:[;,(){}]|--|\b(?:as|begin|at|from|to)\b)")
"""Where a text whose closing quote is missing is likely to end: before what follows texts."""


_WORDS = {"": "blank"} | {word: word for word in (*RESERVED, *_SIGNS)}


class _Kinds(dict[str, str]):
    """The kind of each piece of text, worked out once per different piece."""

    def __missing__(self, piece: str) -> str:
        first = piece[0]
        if first.isalpha() or first == "_":
            kind = "name"
        elif "0" <= first <= "9" or (first == "." and len(piece) > 1):
            kind = "number"
        elif first == "#" or piece.startswith("--"):
            kind = "comment"
        elif first == '"':
            kind = "text" if len(piece) > 1 and piece[-1] == '"' else "unclosed"
        else:
            kind = "name" if first.isidentifier() else "stray"
        self[piece] = kind
        return kind


NARROW = {0xFEE0 + ord(each): each for each in "(),:;=[]{}*/+-<>."} | {0x3001: ",", 0x3002: "."}
"""Signs of East Asian keyboards, and those that stand here for them."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Parallel lists that end in a token of kind ``eof``, and what stood between them.

    ``strays`` are characters that mean nothing and were left out of the lists, ``foreign`` comments
    as other languages write them.
    """

    kinds: list[str]
    words: list[str]
    starts: list[int]
    spans: list[Span]
    comments: tuple[Comment, ...]
    strays: tuple[Span, ...]
    foreign: tuple[Span, ...]


def scan(text: str) -> Tokens:
    """Cut ``text`` into tokens; nothing is refused here."""
    if text.startswith("\ufeff"):
        # a byte order mark at the beginning is no part of the text
        text = " " + text[1:]
    foreign: tuple[Span, ...] = ()
    if "//" in text or "/*" in text:
        text, foreign = without_foreign(text)
    pieces = _PIECE.findall(text)
    words = list(map(str.lstrip, pieces))
    kind_of = _Kinds(_WORDS)
    kinds = list(map(kind_of.__getitem__, words))
    if "unclosed" in kind_of.values():
        pieces = _cut_unclosed(pieces, kinds)
        words = list(map(str.lstrip, pieces))
        kinds = list(map(kind_of.__getitem__, words))
    ends = list(accumulate(map(len, pieces)))
    starts = list(map(sub, ends, map(len, words)))
    comments = tuple(
        Comment(words[i].rstrip(), span=(starts[i], starts[i] + len(words[i].rstrip())))
        for i in _places(kinds, "comment")
    )
    strays = [(starts[i], starts[i] + 1) for i in _places(kinds, "stray")]
    keep = list(map(_KEEP.__getitem__, kinds))
    return Tokens(
        [*compress(kinds, keep), *["eof"] * AHEAD],
        [*compress(words, keep), *[""] * AHEAD],
        [*compress(starts, keep), *[len(text)] * AHEAD],
        [*compress(zip(starts, ends, strict=True), keep), *[(len(text), len(text))] * AHEAD],
        comments,
        _merged(strays),
        foreign,
    )


AHEAD = 4
"""How many tokens end the lists, so that the parser may look ahead without asking."""


class _Keep(dict[str, bool]):
    """Which kinds stay in the lists: all but those listed."""

    def __missing__(self, kind: str) -> bool:
        self[kind] = True
        return True


_KEEP = _Keep({"blank": False, "comment": False, "stray": False})


def _places(kinds: list[str], kind: str) -> list[int]:
    """Return where ``kind`` stands in ``kinds``."""
    found: list[int] = []
    for _ in range(kinds.count(kind)):
        found.append(kinds.index(kind, found[-1] + 1 if found else 0))
    return found


def _cut_unclosed(pieces: list[str], kinds: list[str]) -> list[str]:
    """Let a text without closing quote end where the sentence seems to go on."""
    result: list[str] = []
    for piece, kind in zip(pieces, kinds, strict=True):
        opening = piece.find('"') + 1
        end = _TEXT_ENDS.search(piece, opening) if kind == "unclosed" else None
        if end is None or end.start() == opening:
            result.append(piece)
        else:
            result.append(piece[: end.start()])
            result.extend(_PIECE.findall(piece[end.start() :]))
    return result


_LINE_END = re.compile(r"[\r\n]")
_FOREIGN = re.compile(r"""--[^\r\n]*|\#[^\r\n]*|"[^"\r\n]*"?|//[^\r\n]*|(?P<opening>/\*)""")
"""Comments of other languages, and where such a sign is something else."""


def without_foreign(text: str) -> tuple[str, tuple[Span, ...]]:
    """Return the text with blanks for comments of other languages, and where those stand."""
    found: list[Span] = []
    at = 0
    last = text.rfind("*/")
    while (match := _FOREIGN.search(text, at)) is not None:
        start, at = match.span()
        if match["opening"]:
            # one that is never closed ends with its line
            if at <= last:
                at = text.index("*/", at) + 2
            else:
                line_end = _LINE_END.search(text, at)
                at = line_end.start() if line_end else len(text)
        elif text[start] != "/":
            continue
        found.append((start, at))
    pieces: list[str] = []
    done = 0
    for start, end in found:
        pieces += text[done:start], re.sub(r"[^\r\n]", " ", text[start:end])
        done = end
    return "".join((*pieces, text[done:])), tuple(found)


def _merged(spans: list[Span]) -> tuple[Span, ...]:
    """Join spans that touch."""
    result: list[Span] = []
    for start, end in spans:
        if result and result[-1][1] == start:
            result[-1] = (result[-1][0], end)
        else:
            result.append((start, end))
    return tuple(result)


def scanned(text: str) -> tuple[Tokens, Sequence[Span]]:
    """Return the tokens of a text, and what means nothing; signs of other keyboards are read."""
    found = scan(text)
    if not found.strays:
        return found, ()
    read = list(text)
    for start, end in found.strays:
        read[start:end] = text[start:end].translate(NARROW)
    meant = "".join(read)
    return (found if meant == text else scan(meant)), found.strays
