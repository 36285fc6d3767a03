"""The names that a text declares, found before it is understood: for advice on what is not.

Nothing is read here by the grammar, so that a text with errors tells its names too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from articulata.world.language.meant_words import distance
from articulata.world.language.syntax.grammar import RESERVED

if TYPE_CHECKING:
    from articulata.world.language.syntax.reader import Reader

INDEX = r"(?:\[[^\]\n]{0,60}\])?"
"""A number or a run of numbers behind a name."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names that a text gives its components and its hinges."""

    bodies: frozenset[str] = field(default_factory=frozenset)
    hinges: frozenset[str] = field(default_factory=frozenset)
    arrays: frozenset[str] = field(default_factory=frozenset)
    """Which of the components have numbers."""
    moved: Mapping[str, str] = field(default_factory=dict)
    """The first body of the join that names each hinge."""
    motions: frozenset[str] = frozenset(("walk",))
    types: Mapping[str, str] = field(default_factory=dict)
    """The type of each component that is declared alone."""
    partners: Mapping[str, str] = field(default_factory=dict)
    """The body that each is joined to first."""


_ARGUMENTS = re.compile(r"\([^()\n]*\)")
_DECLARED = re.compile(r"(?<![\w.])([A-Za-z_]\w*+)(\[[^\]\n]{0,60}\])?[ \t]*+(?=[:,])")
_JOINED = re.compile(rf"\bjoin[ \t]+(\w+{INDEX})[ \t]+to\b[^\n;]{{0,160}}?\bas[ \t]+(\w+)")
_TYPED = re.compile(r"(?<![\w.])([A-Za-z_]\w*+)(?:\[[^\]\n]{0,60}\])?[ \t]*+:[ \t]*([a-z_][\w.]*)")
_PARTNERS = re.compile(rf"\bjoin[ \t]+(\w+{INDEX})[ \t]+to[ \t]+(\w+{INDEX})(?![\w.])")
_MOTION = re.compile(r"^[ \t]*motion[ \t]+(\w+)", re.MULTILINE)
_CALLED = re.compile(r"\bas[ \t]+([A-Za-z_]\w*)")


def names_in(text: str) -> Names:
    """Return the names of a text's components, between 'components' and 'structure', and hinges."""
    pieces = [_ARGUMENTS.sub("", each.partition("structure")[0])
              for each in text.split("components")[1:]]  # fmt: skip
    found = [each for piece in pieces for each in _DECLARED.findall(piece)]
    bodies = frozenset(name for name, _ in found) - RESERVED
    arrays = frozenset(name for name, index in found if index)
    types = {name: kind for each in pieces
             for name, kind in _TYPED.findall(each.partition("}")[0])}  # fmt: skip
    partners: dict[str, str] = {}
    for one, other in _PARTNERS.findall(text):
        partners.setdefault(one, other)
        partners.setdefault(other, one)
    moved = {hinge: body for body, hinge in _JOINED.findall(text)}
    motions = frozenset(("walk", *_MOTION.findall(text)))
    hinges = frozenset(_CALLED.findall(text))
    return Names(bodies, hinges, arrays, moved, motions, types, partners)


def names_of(r: Reader) -> Names:
    """Return the names in the text of a reader, which are looked for once."""
    if r.names is None:
        r.names = names_in(r.text)
    return r.names


def numbered(word: str, arrays: Iterable[str]) -> str:
    """Return ``rod[2]`` for ``rod_2``, ``rod2`` or ``rods2`` where ``rod`` has numbers, or ""."""
    bare = word.rstrip("0123456789")
    number, name = word[len(bare) :], bare.rstrip("_")
    meant = next((each for each in arrays if number and distance(name, each, 1) <= 1), "")
    return f"{meant}[{int(number)}]" if meant else ""
