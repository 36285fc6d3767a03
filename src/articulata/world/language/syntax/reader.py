"""The reader: tokens one after the other, what is missing between them, and where to go on.

Every error is recorded where a person would point: a misspelt word at its start, something
missing right after what stands before it. ``Lost`` is raised when the rest of an item cannot be
understood; the block that holds the item catches it and goes on with the next one (``recovery``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NoReturn, TypeVar

from articulata.world.language.diagnostics import Findings
from articulata.world.language.meant_words import closest
from articulata.world.language.source import Source, Span
from articulata.world.language.syntax.declared_names import Names, names_of
from articulata.world.language.syntax.definitions import Figure, Statement
from articulata.world.language.syntax.grammar import DEEPEST, RESERVED
from articulata.world.language.syntax.habits import (
    Habit,
    along,
    decimal_comma,
    meant_here,
    unit_meant,
)
from articulata.world.language.syntax.scan import NARROW, scanned
from articulata.world.language.units import UNIT_NAMES, UNITS, respelt

_T = TypeVar("_T")
_HELD = re.compile(r"\(([a-z\"](?:[^():=\n]|\([^()\n]*\))*)\)[ \t]*(?=[;}\r\n]|$)")

_MEANT = {
    "°": "write deg for degrees",
    "'": 'texts stand between double quotes, "like this"',
    "“": 'texts stand between double quotes, "like this"',
    "”": 'texts stand between double quotes, "like this"',
    **{wide: f"write {wide.translate(NARROW)}" for wide in map(chr, NARROW)},
    "\u2013": "write - for minus",
    "\u2212": "write - for minus",
    "\u00d7": "write * for times, or ',' between values",
    "·": "write * for times",
    "÷": "write / for divided by",
    "&": "write and, or ',' between entries",
    "|": "write or, or ',' between entries",
    "!": "write not",
    "%": "divide by 100 instead: 20 % is 0.2",
    "±": "write both ends in ( ): (-x, x)",
    "½": "write 0.5",
    "¼": "write 0.25",
    "¾": "write 0.75",
    "√": "write sqrt( )",
    "∞": "leave the bound out",
    "\u2019": 'texts stand between double quotes, "like this"',
    "\u2018": 'texts stand between double quotes, "like this"',
    "→": "write to, or :",
    "•": "remove it",
    "@": "write at",
    "µ": "write u for micro: um, us",
    "²": "write ^2",
    "³": "write ^3",
    "≤": "write <=",
    "≥": "write >=",
}


_TYPES = re.compile(r"^[ \t]*(?:primitive|composite|figure)[ \t]+(\w+)", re.MULTILINE)

_FOLLOW_NAMES = frozenset((*"{(:=,[;.", "begin", "to", "with", "by", "in"))
"""What may follow a name: a reserved word before one of these was meant as a name."""

_FOLLOW_WORDS = frozenset((":", "="))
"""The same for a word that begins a line."""


_LINKS = frozenset(("and", "at", "by", "from", "in", "into", "of", "on", "onto", "to", "with"))
"""Words that link two names: one of them in the place of another was meant as that other."""

_AFTER_LINKS = frozenset(("name", "number", "text", "("))


_KINDS_OF_NAMES = frozenset(("primitive", "composite", "world"))
"""Words that say what a thing is, which nothing here asks for before its name."""

_THINGS = frozenset(("hinge", "joint", "body", "component", "link", "part", "object", "feature"))
"""Such words that are names as well, where a text calls something so."""


def tuple_of(text: str) -> str:
    """Return ``(0, -1, 0)`` for ``0 -1 0``."""
    parts = re.split(r"[ \t]+(?=[-(\d.])", text)
    return f"({', '.join(parts)})"


class Lost(Exception):
    """The rest of an item cannot be understood; the finding is already recorded.

    ``left`` is what could be made of the item, so that nothing it names is missed elsewhere.
    """

    left: Statement | None = None


def _said(text: str, span: Span) -> str:
    """Return what a comment of another language says, cut to what can be shown."""
    return " ".join(text[span[0] + 2 : span[1]].removesuffix("*/").split())[:40]


class Reader:
    """Where the parser stands in the tokens of one text."""

    __slots__ = (
        "commas", "depth", "elements", "entry_at", "figures", "findings", "i", "juxtapose", "kinds",
        "layout", "list_at", "lost", "lost_values", "missed", "names", "parens", "renamed", "signs",
        "source", "spans", "starts", "text", "tokens", "types", "unclosed", "words",
    )  # fmt: skip

    def __init__(
        self, source: Source, findings: Findings, text: str = "", habits: tuple[Habit, ...] = ()
    ) -> None:
        """Cut ``text`` into tokens, which is that of ``source`` with its ``habits`` mended."""
        self.source = source
        self.text = source.text
        self.findings = findings
        self.tokens, strays = scanned(text or source.text)
        # names of types of components: those that are defined, and those that need no definition
        self.types = {*_TYPES.findall(self.text), "ground", "fixed_point", "person"}
        self.kinds = self.tokens.kinds
        self.words = self.tokens.words
        self.starts = self.tokens.starts
        self.spans = self.tokens.spans
        self.i = 0
        self.depth = 0
        self.lost_values: list[str] = []  # names after 'let' whose values could not be read
        self.lost = 0  # how many entries have been given up
        self.entry_at = -1  # the token that begins the entry we are in
        self.missed = ""  # what was told of the last word that is missing
        self.renamed: set[str] = set()  # reserved words as names, each told once
        self.parens = 0  # how many parentheses are open: in them a line's end means nothing
        self.juxtapose = False  # values may stand side by side: a call's ( must touch its name
        self.signs = False  # a minus after a blank and before none is a sign, as in "pointing -x"
        self.commas: dict[int, bool] = {}  # which parentheses hold one, as far as asked
        self.list_at = -1  # the token that opened the list without names we are in
        self.layout = False  # blocks are closed by indentation: one lacks its end
        self.figures: dict[str, Figure] = {}  # those that stand above, by name
        self.names: Names | None = None  # those of components and hinges, once they were asked for
        self.unclosed = False  # an unclosed block has been met in this item of the file
        self.elements = tuple(each.span for each in habits if each.element)
        for habit in filter(lambda each: each.message, habits):
            self.findings.error(habit.code, habit.span, habit.message, habit.suggestion)
        for start, end in strays:
            self._stray_characters(start, end)
        odd = (*(each.span for each in habits), *strays)
        self.findings.misread = frozenset(source.position(start)[0] for start, _ in odd)
        for span in self.tokens.foreign:
            self.findings.error(
                "stray", span, "comments begin with -- or #", f"write -- {_said(self.text, span)}"
            )
        if "unclosed" in self.kinds:
            self._close_texts()

    def _close_texts(self) -> None:
        for i, kind in enumerate(self.kinds):
            if kind == "unclosed":
                self.findings.error(
                    "unclosed-text",
                    (self.starts[i], self.starts[i] + len(self.words[i])),
                    "the closing quote of this text is missing",
                    f'write {self.words[i].rstrip()}"',
                )
                self.kinds[i] = "text"
                self.words[i] += '"'

    def _stray_characters(self, start: int, end: int) -> None:
        found = self.text[start:end]
        shown = found if found.isprintable() else " ".join(f"U+{ord(c):04X}" for c in found[:8])
        shown = shown if len(shown) <= 20 else shown[:20] + " ..."
        self.findings.error(
            "stray-character",
            (start, end),
            f"{shown!r} means nothing in this language",
            _MEANT.get(found[0], "remove it"),
        )

    # ---- where we are

    def end_before(self) -> int:
        """Return the offset right after the token before this one."""
        i = self.i
        return self.spans[i - 1][1] if i else self.starts[0]

    def span_from(self, first: int) -> Span:
        """Return the span from token ``first`` to the one before this."""
        i = self.i - 1
        return self.starts[first], self.spans[i if i > first else first][1]

    def token_span(self, i: int | None = None) -> Span:
        """Return the span of token ``i``, by default this one."""
        return self.spans[self.i if i is None else i]

    def new_line(self, i: int) -> bool:
        """Say whether token ``i`` is the first of its line."""
        if i == 0:
            return True
        between = self.text[self.spans[i - 1][1] : self.starts[i]]
        return "\n" in between or "\r" in between

    def line(self, i: int) -> str:
        """Return the text from token ``i`` to its line's end, without a comment."""
        return self.text[self.starts[i] :].partition("\n")[0].partition("#")[0].rstrip()

    def shown(self) -> str:
        """Return this token as a message shows it."""
        if self.kinds[self.i] == "eof":
            return "the end of the text"
        word = self.words[self.i]
        return f"'{word}'" if len(word) <= 40 else f"'{word[:40]}...'"

    def insert(self, sign: str) -> None:
        """Put a sign that is missing, and told, before this token."""
        end = self.end_before()
        self.kinds.insert(self.i, sign)
        self.words.insert(self.i, sign)
        self.starts.insert(self.i, end)
        self.spans.insert(self.i, (end, end))

    def drop(self, i: int) -> None:
        """Leave out token ``i``, which was told to be too much."""
        for each in (self.kinds, self.words, self.starts, self.spans):
            del each[i]

    # ---- what went wrong

    def error_here(self, code: str, message: str, suggestion: str = "") -> None:
        """Record an error at this token."""
        self.findings.error(code, self.token_span(), message, suggestion)

    def error_before(self, code: str, message: str, suggestion: str = "") -> None:
        """Record an error right after the token before this one, which may be of the entry."""
        if self.i == self.entry_at:
            self.error_here(code, message, suggestion)
            return
        end = self.end_before()
        self.findings.error(code, (end, end + 1), message, suggestion)

    def lost_here(self, code: str, message: str, suggestion: str = "") -> NoReturn:
        """Record an error at this token and give the item up."""
        self.error_here(code, message, suggestion)
        raise Lost

    def lost_before(self, code: str, message: str, suggestion: str = "") -> NoReturn:
        """Record an error right after the token before this one and give the item up."""
        self.error_before(code, message, suggestion)
        raise Lost

    # ---- taking tokens

    def sign(self, sign: str, where: str) -> None:
        """Take the sign ``sign``; when it is missing say so and go on as if it were there."""
        i = self.i
        if self.kinds[i] == sign:
            self.i = i + 1
            return
        other = {":": "=", "=": ":", "..": ".", ",": ";"}.get(sign)
        if self.kinds[i] in ("==", "<", "<=", ">", ">=") and sign in (":", "="):
            other = self.kinds[i]
        after = self.kinds[i + 1]
        minus = after == "-" and self.starts[i + 2] == self.spans[i + 1][1]
        worded = self.kinds[i] == "name" or self.kinds[i] in _LINKS
        if (
            sign in (":", "=")
            and worded
            and self.words[i] != "turned"
            and (after == "number" or minus or (sign == ":" and self.kinds[i] in _LINKS))
        ):
            other = self.kinds[i]  # a word in place of the sign: ratio -2, is 3
        if self.kinds[i] == other and not self.new_line(i):
            line = f"{sign}{other} {self.source.position(self.starts[i])[0]}"
            if line not in self.renamed:  # what stands on a line again and again is told once
                told = f"'{sign}' is due {where}, not {self.shown()}"
                self.error_here("missing-sign", told, f"write '{sign}'")
            self.renamed.add(line)
            self.i = i + 1
            return
        name, held = self.words[i - 1], _HELD.match(self.text, self.starts[i])
        several = held and "," in held[1] and where != f"after '{name}'"
        if sign == ":" and held and not several and name not in ("properties", "dynamics"):
            shown = f"write {name}: {held[1]}"
            self.error_here("missing-sign", f"'{sign}' is due {where}, and no ( )", shown)
            self.drop(self.starts.index(held.end(1)))
            self.drop(i)
            return
        self.error_before("missing-sign", f"'{sign}' is missing {where}", f"add '{sign}' here")

    def word(self, word: str, where: str, form: str) -> None:
        """Take the word ``word``; misspelt or missing, say so and go on as if it were there."""
        i = self.i
        if self.words[i] == word:
            self.i = i + 1
            return
        found = self.words[i]
        if self.kinds[i] == "name" and closest(found, (word,)):
            following = self.kinds[i + 1]
            if following in ("name", "(", "text", "number") or following in RESERVED:
                self.error_here(
                    "unknown-word", f"'{word}' is due {where}, not '{found}'",
                    f"did you mean '{word}'?",
                )  # fmt: skip
                self.i = i + 1
                return
        linked = found in _LINKS or (found == "," and word in _LINKS)
        if linked and not self.new_line(i) and self.kinds[i + 1] in _AFTER_LINKS:
            self.error_here(
                "unknown-word", f"'{word}' is due {where}, not '{found}'",
                f"write '{word}' instead of '{found}': {word} {self.line(i + 1)}",
            )  # fmt: skip
            self.i = i + 1
            return
        self.missed = f"'{word}' is missing {where}"
        if self.kinds[i] in _AFTER_LINKS and not self.new_line(i):
            form = f"{word} {re.split('[;{]', self.line(i))[0].rstrip(' }')}"
        self.error_before("missing-word", self.missed, f"add '{word}' here: {form}")
        if self.kinds[i] not in ("name", "(", "text", "number") or self.new_line(i):
            raise Lost

    def name(self, what: str) -> str:
        """Take a name; ``what`` says what it names ("for the primitive")."""
        self.passing(what)
        i = self.i
        word = self.words[i]
        if self.kinds[i] == "name":
            self.i = i + 1
            return self._of_parts(i, word)
        if self.kinds[i] in RESERVED:
            begins = i == 0 or self.new_line(i)
            if self.kinds[i + 1] in (_FOLLOW_WORDS if begins else _FOLLOW_NAMES):
                if word not in self.renamed:
                    self.error_here(
                        "reserved-word",
                        f"'{word}' is a reserved word and cannot be a name {what}",
                        f"write another name, such as '{word}_1'",
                    )
                self.renamed.add(word)
                self.i = i + 1
                self.lost += 1  # what it was meant to be called is not missed
                return word
        if self.kinds[i] == "text" and (called := re.match(r'"([^\W\d]\w*)(\([^"]*\))?"', word)):
            self.error_here("missing-name", "a name stands without quotes", f"write {word[1:-1]}")
            self.i = i + 1
            return called[1]
        counted = self.words[i + 1]
        if self.words[i].isdigit() and self.kinds[i + 1] == "name" and counted not in UNITS:
            several = f"write {counted.removesuffix('s')}[1..{self.words[i]}]"
            self.lost_here("missing-name", "how many there are stands after the name", several)
        if self.kinds[i] in ("number", "text") and self.kinds[i + 1] != "eof":
            told = f"a name is due {what}, not {self.shown()}"
            self.lost_here("missing-name", told, "names begin with a letter: part_1")
        self.missed = f"a name is missing {what}"
        return self.lost_before("missing-name", self.missed, "add a name here")

    def passing(self, what: str = "") -> None:
        """Report and pass what other languages write before a name: ``the``, ``:``, its kind."""
        i = self.i
        kind, word = self.kinds[i], self.words[i]
        after, follows = self.kinds[i + 1 : i + 3]
        if after not in ("name", "text") or self.new_line(i + 1) or (i and self.new_line(i)):
            return
        thing = word in _THINGS and word not in names_of(self).bodies | self.types
        kinds = kind in _KINDS_OF_NAMES or thing
        if (kinds and follows not in (":", "=")) or kind == ":":
            self.error_here("stray", f"no {self.shown()} stands before a name", f"remove '{word}'")
            self.i = i + 1
        elif kind == "(" and what:
            called = re.match(r"(\([^()]*\))[ \t]*(\w+)[ \t]*(?=[{:]|$)", self.line(i))
            told = "a name stands before what it takes" if called else "a name has no parentheses"
            advice = f"write {called[2]}{called[1]}" if called else "remove '(' and ')'"
            self.lost_here("stray", told, advice)

    def _of_parts(self, i: int, word: str) -> str:
        """Return a name that was written in parts, ``left-arm`` or ``left arm``, as one."""
        end = i + 1 + (self.kinds[i + 1] == "-")
        touching = end > i + 1 and self.starts[i + 1] == self.spans[i][1]
        part = self.kinds[end] == "number" and touching and self.words[end].isdigit()
        if not (part or self.kinds[end] == "name") or self.new_line(end) or self.starts[i] < 0:
            return word
        if self.kinds[end + 1] in ((":", "(", "{", "=") if touching else (":",)) and (
            touching
            or (
                end == i + 1
                and word not in self.types
                and (self.new_line(i) or self.kinds[i - 1] in ("{", ";", "begin"))
            )
        ):
            whole = f"{word}_{self.words[end]}"
            span = (self.starts[i], self.spans[end][1])
            self.findings.error("missing-name", span, "a name is one word", f"write {whole}")
            self.i = end + 1
            return whole
        return word

    def leftover(self, choices: Sequence[str] = ()) -> NoReturn:
        """Report a token that cannot follow what stands before it, and give the item up."""
        i = self.i
        kind, word = self.kinds[i], self.words[i]
        if self.kinds[i - 1] == "number" and (kind == "name" or kind == "in"):
            self.unknown_unit(i)
            raise Lost
        if kind in (")", "]"):
            self.lost_here("stray", f"this '{word}' closes nothing", f"remove '{word}'")
        if kind == "," and self.decimal():
            raise Lost
        if kind == "number" and self.kinds[i - 1] == "number":
            first, last = i - 1, i
            while self.kinds[first - 1] in ("number", "-") and not self.new_line(first):
                first -= 1
            while self.kinds[last + 1] in ("number", "-") and not self.new_line(last + 1):
                last += 1
            shown = tuple_of(self.text[self.starts[first] : self.spans[last][1]])
            self.lost_here("stray", "values stand together in ( )", f"write {shown}")
        if kind == ":" and self.kinds[i - 1] == self.kinds[i + 1] == "number":
            sign = "-" if self.kinds[i - 2] == "-" else ""
            one, other = sign + self.words[i - 1], self.words[i + 1]
            if self.kinds[i + 2] == ":":
                self.lost_here("stray", "a step and an end stand in parentheses",
                               f"write ({other}, {self.words[i + 3]})")  # fmt: skip
            self.lost_here("stray", "a ratio is one number", f"write {one}/{other}")
        if advice := meant_here(self):
            self.lost_here("stray", f"{self.shown()} cannot follow {self._before()}", advice)
        if kind == "," or kind == "=" or kind == ":":
            self.lost_here(
                "stray", f"'{word}' cannot stand here", "put ';' or a new line between two entries"
            )
        goes_on = self.kinds[i + 1] in ("name", "(", "text") and not self.new_line(i + 1)
        guess = closest(word, choices) if kind == "name" and goes_on else ""
        self.lost_here(
            "stray",
            f"{self.shown()} cannot follow {self._before()}",
            f"did you mean '{guess}'?"
            if guess
            else f"remove it, or put ';' or a new line before {self.shown()}",
        )

    def _before(self) -> str:
        word = self.words[self.i - 1]
        return f"'{word}'" if len(word) <= 40 else "what stands before it"

    def unknown_unit(self, i: int) -> None:
        """Record that the word at ``i``, after a number, is no unit."""
        word, number = self.words[i], self.words[i - 1]
        given, meant = respelt(self.text[self.starts[i] :])
        if meant and f"{word} =" not in self.text:
            hint = f"write '{meant}'"
        elif word in ("x", "y", "z"):
            hint = along(self, i - 1, word)
        elif re.fullmatch(r"x\d.*", word):
            power = f"write {number}e{self.words[i + 2]}" if self.kinds[i + 1] == "^" else ""
            hint = power or f"write ',' between values: {', '.join((number, *word[1:].split('x')))}"
        elif len(word) > 1 and self.words.count(word) > 1 and not closest(word, UNIT_NAMES):
            hint = f"write {number}*{word}"
        elif word.endswith("s") and word[:-1] in UNITS:
            hint = f"write '{word[:-1]}'"
        elif word.lower().rstrip("s") in UNIT_NAMES:
            hint = f"write '{UNIT_NAMES[word.lower().rstrip('s')]}'"
        else:
            guess = unit_meant(word)
            hint = f"did you mean '{guess}'?" if guess else "units are m, cm, kg, s, N, deg ..."
        span = (self.starts[i], self.starts[i] + len(given or word))
        self.findings.error("unknown-unit", span, f"'{given or word}' is not a unit", hint)

    def decimal(self) -> bool:
        """Report a comma here that was meant as a decimal point; return whether it was."""
        i = self.i
        if self.kinds[i - 1] != "number" or self.kinds[i + 1] != "number":
            return False
        found = decimal_comma(self.text, self.starts[i - 1], self.spans[i + 1][1])
        if found is not None:
            self.findings.error(found.code, found.span, found.message, found.suggestion)
        return found is not None

    def listed(self, item: Callable[[Reader], _T]) -> tuple[_T, ...]:
        """Parse one item, and one more after every comma."""
        found = [item(self)]
        while self.kinds[self.i] == ",":
            self.i += 1
            found.append(item(self))
        return tuple(found)

    def deeper(self) -> None:
        """Count one more level of nesting; too many is an error."""
        self.depth += 1
        if self.depth > DEEPEST:
            self.too_deep()

    def too_deep(self) -> NoReturn:
        """Give up an item that is nested too deep."""
        self.lost_here(
            "too-deep",
            f"this is nested more than {DEEPEST} levels deep",
            "give the inner part a name with let",
        )
