"""What a clause takes where it is given nothing, or a word that says yes, no or as usual."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from articulata.world.language.checking.patterns import fit, groups, kind_words, word_of
from articulata.world.language.meant_words import listed
from articulata.world.language.syntax import tree
from articulata.world.requests.clauses import Clause

_YES = frozenset(("yes", "true", "on", "enable", "enabled", "always"))
_NO = frozenset(("no", "false", "off", "none", "auto", "automatic", "default", "empty", "null",
                 "nil", "nothing", "disable", "disabled", "never", "unset", "standard",
                 "undefined"))  # fmt: skip
_FEW = 6
"""How many words of a clause are all named."""

EXAMPLES: Mapping[str, str] = MappingProxyType({
    "clear": "1 cm", "lean": "20 deg", "load": "2 kg", "frames": "25", "scale": "10", "seed": "1",
    "controllers": '"control.py"',
})  # fmt: skip
"""Values of clauses for which an example of their kind is too much or too little."""


def said_for_a_value(clause: tree.Clause, word: Clause) -> str | None:
    """Return the word that stands alone for a value, "" for nothing at all, None for values."""
    if not clause.items:
        return ""
    item = clause.items[0]
    if len(clause.items) > 1 or len(item.parts) > 1 or fit(item, word.patterns).words:
        return None
    part = item.parts[0]
    said = part.value if isinstance(part, tree.Text) else word_of(part)
    return said if said.lower() in _YES | _NO else None


def takes(word: Clause) -> str:
    """Return what a clause is given: ``a length``, ``'knee', 'weights' or 'order'``."""
    first = []
    for pattern in word.patterns:
        here = groups(pattern)
        first.append(next((each for each in here if not each.optional), here[0]).steps[0])
    words = list(dict.fromkeys(f"'{each.word}'" for each in first if each.word))
    kinds = list(dict.fromkeys(kind_words(each.kind) for each in first if each.kind))
    return listed([*words[:_FEW], *kinds])


def meant_value(name: str, word: Clause, said: str, example: str) -> str:
    """Return advice for a clause that holds ``said`` alone, "" for nothing, with an example."""
    if said.lower() in _NO and "none" in word.patterns:
        return f"write {name}: none"
    shown = f"write {name}: {EXAMPLES.get(name, example)}"
    if said.lower() in _NO and not word.needed:
        return f"leave the line out, or {shown}"
    return shown
