"""What a clause of a request may say, and how what it says becomes a value.

A clause has patterns: words stand for themselves, ``[...]`` may be left out, ``[...]...`` may
also stand several times, and ``<kind>`` is a value of that kind. Neighbouring parts in brackets
stand in any order. ``Said`` is one item of a text that fits a pattern, with its values in SI; the
clause's ``read`` makes of it what the question holds. Whatever reads the language reads these
tables: parser, checker, elaboration, printer and documentation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Real
from pathlib import Path
from typing import Any, TypeAlias

from articulata.errors import WorldError
from articulata.world.language.vocabulary import Signature, signature
from articulata.world.values import NOWHERE, Span

Value: TypeAlias = Any
"""A value in SI: a number, a text, a path, a point, or what a word with arguments makes."""


class Unfit(WorldError):
    """A value that a clause, or an argument in Python, cannot mean.

    ``word`` is the one it follows in a text, ``""`` for the first, ``code`` that of the finding.
    Whoever reads the text says where ``told`` stands.
    """

    def __init__(
        self, word: str, message: str, advice: str = "", code: str = "out-of-range"
    ) -> None:
        super().__init__(f"{message}; {advice}" if advice else message)
        self.word = word
        self.told = message
        self.advice = advice
        self.code = code


@dataclass(frozen=True, slots=True)
class Said:
    """One item of a clause: its fixed ``words``, and each value with the word before it."""

    words: tuple[str, ...]
    values: tuple[tuple[str, Value], ...] = ()
    span: Span = field(default=NOWHERE, compare=False)

    def all(self, word: str = "") -> tuple[Value, ...]:
        """Return the values after ``word``; those before any word where it is empty."""
        return tuple(value for before, value in self.values if before == word)

    def get(self, word: str = "", default: Value = None) -> Value:
        """Return the first value after ``word``, ``default`` where there is none."""
        return next(iter(self.all(word)), default)

    @property
    def text(self) -> str:
        """Its words, side by side."""
        return " ".join(self.words)


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a request: its patterns, what it is for, and what it gives.

    ``several``: it takes several items. ``field`` is the question's field that holds its value,
    a tuple where it takes several; empty where the value is not the question's. ``read`` makes the
    value of one item. Two values with the same ``key`` say the same thing twice; ``clash`` tells
    what is wrong with two others and what to do, nothing where they go together. ``together``: the
    one item that says what several of them, side by side, were meant to say.
    """

    patterns: tuple[str, ...]
    meaning: str
    several: bool = False
    needed: bool = False
    field: str = ""
    read: Callable[[Said], Value] = lambda said: said.get()
    key: Callable[[Value], object] = lambda value: value
    clash: Callable[[Value, Value], tuple[str, str] | None] = lambda former, value: None
    together: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Form:
    """A word with arguments, such as ``lens(35 mm)``, and what it makes of them in SI."""

    signature: Signature
    make: Callable[..., Value]


def forms(*rows: tuple[str, str, str, Callable[..., Value]]) -> dict[str, Form]:
    """Return forms by their words, from rows of (signature, meaning, example, make)."""
    made = {}
    for text, meaning, example, make in rows:
        word = signature(text, "value", meaning, example)
        made[word.name] = Form(word, make)
    return made


def words(said: Said) -> str:
    """Return an item that is nothing but words."""
    return said.text


def beside_text(said: Said, name: str) -> str:
    """Return the path of a file that an item names: beside its text where there is one.

    Else it is the name as it stands, which whoever opens it looks for in the working folder.
    """
    path = Path(said.span.file).parent / name
    return str(path) if path.is_file() else name


def positive(word: str, value: float, what: str, unit: str) -> float:
    """Return a value that must be greater than 0; ``unit`` is the one it is shown in."""
    if not value > 0.0:
        shown = f"{value:g} {unit}".rstrip()
        advice = f"write a value greater than 0{', such as 5 cm' if unit == 'm' else ''}"
        raise Unfit(word, f"{what} is greater than 0, not {shown}", advice)
    return value


def length_between(
    word: str, value: float, low: float, high: float, what: str, slip: str = "cm"
) -> float:
    """Return a length (m) that lies between ``low`` and ``high``.

    ``slip`` is the unit that was meant where the number fits with it.
    """
    given: object = value
    if not isinstance(given, Real):
        raise Unfit(word, f"{what} is a number of metres, not {value!r}", "give for instance 0.5")
    positive(word, value, what, "m")
    if low <= value <= high:
        return value
    meant = low <= value * {"cm": 1e-2, "mm": 1e-3}[slip] <= high
    raise Unfit(
        word, f"{what} lies between {low:g} and {high:g} m, not {value:g} m",
        f"did you mean {value:g} {slip}?" if meant else "write a length between these",
    )  # fmt: skip


def _seed(said: Said) -> int:
    value = int(said.get())
    if value < 0:
        raise Unfit("", f"a seed is 0 or more, not {value}", "remove '-'")
    return value


SEED = Clause(("<count>",), "where random numbers start", field="seed", read=_seed)
