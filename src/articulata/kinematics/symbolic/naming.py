"""Names of a closed form's quantities, as text and Python write them and as LaTeX does."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from dataclasses import dataclass

from articulata.kinematics.symbolic.trigonometric_sums import Angle, Atom

_TAKEN = re.compile(
    r"[cs](\d[\dm_]*|[a-z]|z\d+)|t\d+|r\d\d|p[xyz]|J\d[\d_]*|np|q|X|J|cos|sin|tip|jacobian"
)
"""Words that a closed form uses itself."""
_SPECIAL = {"_": r"\_", " ": r"\ ", "#": r"\#", "%": r"\%", "&": r"\&", "$": r"\$"}


@dataclass(frozen=True, slots=True)
class Name:
    """One quantity: ``word`` is an identifier, ``latex`` its form in a formula."""

    word: str
    latex: str


def variables(names: Sequence[str]) -> tuple[Name, ...]:
    """Return names for coordinates called ``names``: identifiers, each only once."""
    found: list[Name] = []
    words: set[str] = set()
    for name in names:
        word = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_") or "q"
        if word[0].isdigit() or keyword.iskeyword(word) or _TAKEN.fullmatch(word):
            word = f"q_{word}"
        while word in words:
            word += "_"
        words.add(word)
        safe = re.sub(r"[\\{}^~]", "", name)
        text = "".join(_SPECIAL.get(character, character) for character in safe)
        found.append(Name(word, rf"\mathrm{{{text or 'q'}}}"))
    return tuple(found)


def letters(angles: Sequence[Angle]) -> dict[Angle, Name]:
    """Return what follows c or s of each angle: ``23`` for the second coordinate plus the third.

    Past nine coordinates the numbers are set apart; ``2m3`` is a difference. Angles with other
    factors than 1 and -1 are lettered a, b, ...
    """
    wide = any(number > 8 for angle in angles for number, _ in angle)
    found: dict[Angle, Name] = {}
    lettered = 0
    for angle in angles:
        if any(abs(factor) != 1.0 for _, factor in angle):
            letter = chr(ord("a") + lettered) if lettered < 26 else f"z{lettered}"
            found[angle] = Name(letter, letter)
            lettered += 1
            continue
        word = latex = ""
        for number, factor in angle:
            apart = "_" if wide and word else ""
            comma = "," if wide and latex else ""
            word += ("m" if factor < 0 else apart) + str(number + 1)
            latex += ("-" if factor < 0 else comma) + str(number + 1)
        found[angle] = Name(word, latex)
    return found


def atom_name(atom: Atom, names: Sequence[Name], found: dict[Angle, Name]) -> Name:
    """Return the name of an atom."""
    if atom.kind == "value":
        return names[atom.angle[0][0]]
    letter, own = atom.kind[0], found[atom.angle]
    return Name(f"{letter}{own.word}", f"{letter}_{{{own.latex}}}")
