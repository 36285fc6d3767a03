"""Colours for the world language, from the table that the parser itself reads."""

from __future__ import annotations

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text
from sphinx.application import Sphinx

from articulata.world.language.syntax.grammar import FILE_ITEMS, RESERVED, SECTIONS, STATEMENTS
from articulata.world.language.vocabulary import FUNCTIONS, HINGES, SHAPES

KEYWORDS = sorted({*RESERVED, *FILE_ITEMS, *STATEMENTS, *(w for s in SECTIONS.values() for w in s)})
BUILT_IN = sorted({*FUNCTIONS, *HINGES, *SHAPES})


class ArtLexer(RegexLexer):
    """The world language; files end in ``.art``."""

    name = "Articulata world"
    aliases = ("art",)
    filenames = ("*.art",)
    tokens = {  # noqa: RUF012 # Pygments reads this class attribute
        "root": [
            (r"(--|#).*?$", Comment.Single),
            (r'"[^"\n]*"', String),
            (r"\d+(\.\d+)?([eE][+-]?\d+)?", Number),
            (words(KEYWORDS, prefix=r"\b", suffix=r"\b"), Keyword),
            (words(BUILT_IN, prefix=r"\b", suffix=r"\b"), Name.Builtin),
            (r"[A-Za-z_]\w*", Name),
            (r"[-+*/^=<>]", Operator),
            (r"[{}()\[\]:;,.]", Punctuation),
            (r"\s+", Text),
            (r".", Text),
        ]
    }


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the lexer."""
    app.add_lexer("art", ArtLexer)
    return {"parallel_read_safe": True}
