"""Which section of a definition a value belongs to that stands there without it."""

from __future__ import annotations

import re

from articulata.world.language.meant_words import other_word
from articulata.world.language.syntax.reader import Reader
from articulata.world.language.units import QUANTITIES, parse_unit
from articulata.world.language.vocabulary import COLORS, FIXED, PROPERTIES, SHAPES

_ASIDE = {**dict.fromkeys(("material", "density", "color", "colour", "friction", "restitution"),
                          "properties"),
          **dict.fromkeys(("fixed", "static", "immovable", "anchored"), "properties"),
          **dict.fromkeys(("mass", "inertia", "center"), "dynamics")}  # fmt: skip
"""What is said in a section of a primitive, and which."""


def unsaid(r: Reader, kind: str, shaped: bool) -> str:
    """Return the section of a definition whose value begins here without its name, or "".

    ``shaped``: it has its geometry already, so that another shape is its look.
    """
    word = r.words[r.i]
    if kind == "primitive" and r.kinds[r.i] == "name" and r.kinds[r.i + 1] == "(":
        shape = word in SHAPES or other_word(word, SHAPES)
        return ("look" if shaped else "geometry") if shape else ""
    if kind == "primitive" and (name := re.match(r"\(\s*(\w+)", r.line(r.i))):
        return _ASIDE.get(name[1], "properties" if name[1] in PROPERTIES else "")
    return "gravity" if kind == "world" and r.kinds[r.i] == "(" else ""


def aside(r: Reader, word: str) -> tuple[str, str] | None:
    """Return the section of a primitive to whose list a value here belongs, and how it is said."""
    line = re.split("[;}]", r.line(r.i))[0].rstrip()
    if word in _ASIDE:
        if word == FIXED or other_word(word, (FIXED,)):
            return _ASIDE[word], FIXED
        named = re.match(r"\w+(?:[ \t]*[:=][ \t]*|[ \t]+)(?=[^\s:=])(.+)", line)
        return (_ASIDE[word], f"{word}: {named[1]}") if named else None
    if line == word and re.search(rf"\blet[ \t]+{re.escape(word)}[ \t]*=[ \t]*material\b", r.text):
        return "properties", f"material: {word}"
    if line == word and word in COLORS:
        return "properties", f"color: {word}"
    found = re.fullmatch(r"[\d.e+-]+[ \t]*([a-zA-Z].*)", line)
    try:
        due = parse_unit(found[1]).dimension if found else None
    except KeyError:
        return None
    sections = {"mass": "dynamics", "density": "properties"}
    return next((((section, f"{name}: {line}")) for name, section in sections.items()
                 if due == QUANTITIES[name]), None)  # fmt: skip
