"""Habits of other languages: told once, and read as what was meant, so that nothing follows.

``mended`` looks at a text before it is cut into tokens: ``**`` for a power, colours as ``#ff0000``,
texts in single quotes, lines of Python and of XML. What it gives has the same length as the text.
``decimal_comma`` tells a comma that was meant as a decimal point, where an error is due anyway.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from articulata.world.language.filled_forms import filled
from articulata.world.language.other_words import other_word
from articulata.world.language.source import Span
from articulata.world.language.syntax.grammar import RESERVED
from articulata.world.language.units import UNITS

if TYPE_CHECKING:
    from articulata.world.language.syntax.reader import Reader


class Habit(NamedTuple):
    """What was found at ``span``: a code, words and advice."""

    span: Span
    code: str
    message: str
    suggestion: str
    element: bool = False
    """Whether it is a line of XML, which may have been meant as an entry of a block."""


_PYTHON = frozenset(("math", "cmath", "numpy", "np", "scipy", "matplotlib", "pandas", "sys", "os",
                     "re", "random", "time", "typing", "dataclasses", "itertools", "functools",
                     "pathlib", "json", "articulata", "mujoco", "torch", "jax"))  # fmt: skip
"""Modules that are imported by habit."""

_FOUND = re.compile(
    r"""
      ^[^\S\r\n]*(?P<element><[/?!]?[A-Za-z-][^\r\n]*)
    | ^[^\S\r\n]*(?P<python>
        from[ \t]+[\w.]+[ \t]+import\b[^\r\n]*
      | import[ \t]+(?P<module>\w+)[\w.]*+(?:[ \t]+as[ \t]+\w+)?+[ \t]*+(?=[;\r\n]|\#|--|\Z)
      )
    | \b(?P<moved>translate|rotate|mirror|scale|color)[ \t]*\([ \t]*(?P<by>\[[^\]\n]*\]|"[^"\n]*")
      [ \t]*\)\s*(?P<shape>[a-z_]\w*\((?:[^()\n]|\([^()\n]*\))*\))
    | (?P<before>\bcolou?r\s*[:=]\s*)
      (?P<hex>(?:\#|0[xX])(?:[0-9A-Fa-f]{8}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{3})\b)
    | --[^\r\n]* | \#[^\r\n]*
    | (?<![\w.])(?P<feet>\d+)(?:
          '[ \t]*(?P<over>\d+)"
        | [ \t]*(?:ft|')[ \t]+(?P<inches>\d+)[ \t]*(?:in\b|inch\b|")
      )
    | (?<=\d)(?P<inch>"|')(?=[ \t]*(?:[,;)\]}\r\n]|$))
    | "[^"\r\n]*"?
    | (?<![\w.])(?P<digits>0[xX][0-9A-Fa-f]+|\d+(?:_\d+)+|\d{1,3}(?:'\d{3})+\b)
    | (?P<made>\bnew[ \t]+)(?=[A-Za-z_]\w*\()
    | \b(?P<choice>if\b[^\r\n;{}]*?\belse[ \t]+[\w.]+)
    | \b(?P<function>lambda\b[^\r\n:;{}]*:[ \t]*[\w.]+)
    | (?<![\w'])[fFrRbB]?'(?P<quoted>[^'"\r\n]*)'
    | (?P<power>\*\*) | (?P<swapped>=>|=<) | (?P<arrow>->|:=|::)
    | (?P<run>(?:\[|\bin[ \t])[ \t]*\w+[ \t]*)(?P<dots>\.\.\.|…)
    """,
    re.VERBOSE | re.MULTILINE,
)
_NEAR = 40
"""Characters around a sign that are looked at for what it stands in."""
_AROUND = re.compile(r"[\w/.^*)]*$"), re.compile(r"[\w.]*")
_ANY = re.compile(
    r"\b(?:translate|rotate|mirror|scale|color)[ \t]*\([ \t]*[\[\"]|"
    r"\*\*|=[<>]|->|:=|::|\.\.\.|…|\d[ \t]*\"|\dft\b|\d ft\b|\belse\b"
    r"|\bnew\b|\blambda\b|\d_\d|\b0[xX]|'|colou?r\s*[:=]\s*[#0]"
    r"|^[ \t]*(?:<|import[ \t]+\w|from[ \t])",
    re.MULTILINE,
)


def mended(text: str) -> tuple[str, tuple[Habit, ...]]:
    """Return ``text`` with what such habits mean in this language, and what was found."""
    if _ANY.search(text) is None:
        return text, ()
    found: list[Habit] = []
    pieces: list[str] = []
    done = 0
    for match in _FOUND.finditer(text):
        habit = _habit(text, match)
        if habit is None:
            continue
        told, meant = habit
        start, end = told.span
        pieces += text[done:start], meant.ljust(end - start)
        done = end
        found.append(told)
    return "".join((*pieces, text[done:])), tuple(found)


_PLAIN = {
    "made": ("a type stands alone", "remove 'new'", ""),
    "choice": ("no value depends on 'if' here", "write one value, or min, max or clamp", ""),
    "function": (
        "no function is defined in a text",
        "write the value itself, or name a controller of a Python file", "0",
    ),
}  # fmt: skip
"""Signs that mean one thing wherever they stand: what is told, advised and read."""


def _habit(text: str, match: re.Match[str]) -> tuple[Habit, str] | None:
    """Return what a match means, None for what only hides such a sign."""
    if match["element"] is not None:
        advice = "remove it, or describe it here: name: type, join A to B with pin ..."
        return Habit(
            match.span("element"), "stray", "this is XML, and no statement", advice, True
        ), ""
    if match["python"] is not None:
        if (module := match["module"]) is not None and module not in _PYTHON:
            return None  # a file whose quotes are missing
        advice = "remove this line: sin, sqrt, pi and other functions are known here"
        message = "a text runs no Python; functions of controllers stand in a file of their own"
        return Habit(match.span("python"), "stray", message, advice), ""
    if match["moved"] is not None:
        return _moved(match)
    if match["hex"] is not None:
        parts = _parts(match["hex"].removeprefix("#").removeprefix("0x").removeprefix("0X"))
        shown = f"({', '.join(f'{part:.3g}' for part in parts)})"
        begins = "'#' begins a comment: " if match["hex"][0] == "#" else ""
        message = f"{begins}a colour is a word, or red, green and blue from 0 to 1"
        if match["before"].startswith("colour"):
            meant = match["before"].replace("colour", "color ") + "red"
            return Habit(match.span(), "wrong-kind", message, f"write color: {shown}"), meant
        return Habit(match.span("hex"), "wrong-kind", message, f"write {shown}"), "red"
    if match["digits"] is not None:
        digits = match["digits"].replace("'", "")
        meant = str(int(digits, 16 if digits[1] in "xX" else 10))
        message = "a number stands in decimal digits alone"
        return Habit(match.span("digits"), "stray", message, f"write {meant}"), meant
    for name, (message, advice, meant) in _PLAIN.items():
        if match[name] is not None:
            return Habit(match.span(name), "stray", message, advice), meant
    if match["quoted"] is not None:
        message = "a word stands without quotes, a text between double quotes"
        advice = f'write {match["quoted"]}, or "{match["quoted"]}" where a text is due'
        return Habit(match.span(), "stray-character", message, advice), f'"{match["quoted"]}"'
    if match["swapped"] is not None:
        meant = match["swapped"][::-1]
        message = f"'{match['swapped']}' means nothing in this language"
        return Habit(match.span("swapped"), "stray-character", message, f"write {meant}"), meant
    if match["arrow"] is not None:
        return _arrow(text, *match.span("arrow"))
    if match["dots"] is not None:
        run = f"{match['run'].lstrip('[')}..".removeprefix("in ")
        told = Habit(match.span("dots"), "stray", "a run goes from first..last", f"write {run}")
        return told, ".." if len(match["dots"]) > 1 else ":"
    if match["feet"] is not None:
        feet, inches = match["feet"], match["over"] or match["inches"]
        message, advice = "a length has one number and one unit", f"write {feet} ft + {inches} inch"
        return Habit(match.span(), "stray", message, advice), f"{feet} ft"[: len(match[0])]
    if match["inch"] is not None:
        unit = "inch" if match["inch"] == '"' else "ft"
        advice = f"write {unit} after a blank: 2 {unit}"
        return Habit(match.span("inch"), "stray-character", "a unit is a word", advice), ""
    if match["power"] is not None:
        return _power(text, *match.span("power"))
    return None


def _power(text: str, start: int, end: int) -> tuple[Habit, str]:
    before = _AROUND[0].search(text[max(0, start - _NEAR) : start])
    after = _AROUND[1].match(text[end : end + _NEAR])
    shown = f"{before[0] if before else ''}^{after[0] if after else ''}".replace("**", "^")
    return Habit((start, end), "stray", "a power is written with ^", f"write {shown}"), "^"


def _moved(match: re.Match[str]) -> tuple[Habit, str]:
    """Tell what stands before a shape where it is moved, turned or coloured."""
    word, by, shape = match["moved"], match["by"].strip('[]"'), match["shape"]
    values = [each.strip() for each in by.split(",")]
    meant, message = shape, f"no '{word}' stands before a shape"
    if word == "translate":
        meant = f"{shape} at ({', '.join(values)})"
    elif word == "rotate":
        for value, axis in zip(values, "xyz", strict=False):
            unit = "" if value.endswith(("deg", "rad")) else " deg"
            meant += f" turned {value}{unit} about {axis}" if value.strip("0.") else ""
    advice = f"write properties: (color: {by})" if word == "color" else f"write {meant}"
    read = meant if len(meant) <= len(match[0]) else shape
    return Habit(match.span(), "stray", message, advice), read


def _arrow(text: str, start: int, end: int) -> tuple[Habit, str]:
    """Tell what stands here in place of ``->``, ``:=`` or ``::``, by what is around it."""
    sign, line = text[start:end], text[text.rfind("\n", 0, start) + 1 : start].split()
    touching = text[start - 1 : start].isalnum() and text[end : end + 1].isalpha()
    if sign == "::" or (sign == "->" and touching):
        meant = "."
    elif sign == ":=":
        meant = "=" if line[:1] in (["let"], ["set"], ["place"]) else ":"
    else:
        known = {"join": "to", "ignore": "with", "for": "..", "gear": "and", "place": "at"}
        meant = known.get(line[0] if line else "", ":")
    told = f"'{sign}' means nothing in this language"
    read = meant if len(meant) <= end - start else ","
    return Habit((start, end), "stray-character", told, f"write {meant}"), read


def _parts(digits: str) -> list[float]:
    """Return red, green and blue of a colour in hexadecimal digits."""
    if len(digits) == 3:
        digits = "".join(each * 2 for each in digits)
    return [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]


_COMMA = re.compile(r"(?<![\w.])(\d+)(,)(\d+)(?![\w.]*\.\.)")
_SPACED = re.compile(r",\s")


def decimal_comma(text: str, start: int, end: int) -> Habit | None:
    """Return a comma from ``start`` to ``end`` that was meant as a decimal point.

    It stands between digits without blanks, as none of the other commas does.
    """
    passage = text[start:end]
    found = _COMMA.search(passage)
    if found is None or (passage.count(",") > 1 and _SPACED.search(passage) is None):
        return None
    at = start + found.start(2)
    message = "a number has a decimal point, and commas stand between values"
    thousands = f", or {found[1]}{found[3]}" if len(found[3]) == 3 and found[1] != "0" else ""
    return Habit((at, at + 1), "missing-sign", message,
                 f"write {found[1]}.{found[3]}" + thousands)  # fmt: skip


def meant_here(r: Reader) -> str:
    """Return what to write where a habit of another language explains this token."""
    i = r.i
    kind, word = r.kinds[i], r.words[i]
    before, earlier, after = r.words[i - 1], r.kinds[i - 2], r.kinds[i + 1]
    start, line_end = r.starts[i], r.text.find("\n", r.starts[i])
    rest = r.text[start : line_end if line_end > 0 else None].split(" where")[0].rstrip(" {;,")[:60]
    if r.new_line(i):
        return ""
    if before in ("a", "an", "the") and kind == "name":
        return f"remove '{before}'"
    if f"{before}_{word}" in r.types:
        return f"write {before}_{word}"
    if r.kinds[i - 1] == ")" and word in UNITS:
        return f"write the unit after each number: (1 {word}, 2 {word})"
    if kind == "." and before in UNITS and r.words[i + 1] in UNITS:
        return f"write {before}*{r.words[i + 1]}"
    if before in UNITS and earlier in ("number", "*", "/") and kind == "name":
        joined = f"{before}*{word}"
        return f"write {joined}" if word in UNITS else f"write '*' before '{word}'"
    if kind == "name" and word in UNITS and r.kinds[i - 1] == "name":
        return f"write * 1 {rest}: a unit follows a number"
    if kind == ":" and after == "(" and earlier in (":", "="):
        return "remove ':'"
    if kind == "(" and r.kinds[i - 1] == "text":
        return f"write {before[1:-1]} without quotes"
    if word == "to" and r.kinds[i - 1] == "number" and after in ("number", "-"):
        return "write two values in ( ): (low, high)"
    if kind in ("name", "number") and r.kinds[i - 1] == "name" and earlier in (":", "="):
        meant = other_word(word, ("turned", "at", "about", "as", "matching", "where"))
        return f"write {meant}" if meant else f"write {before}({rest})"
    if kind in ("of", "with") and r.kinds[i - 1] == "name" and earlier == ":":
        return f"write {before}({rest.removeprefix(word).strip()})"
    if kind == "," and after in ("number", "-") and earlier in (":", "=", "/", "-"):
        opening = max(r.text.rfind(sign, 0, start) for sign in ":=")
        return f"write ({r.text[opening + 1 : start].strip()}{rest})"
    if kind == "," and after in RESERVED and not r.new_line(i + 1):
        return "remove ','"
    meant = other_word(word, ("turned", "at", "about", "as", "matching", "where", "with"))
    return f"write {meant}" if meant and kind == "name" else ""


_FORMS = {
    "join": "join <body> to <body> with pin matching (<feature>, <feature>)",
    "ignore": "ignore <body> with <body>",
    "place": "place <body> by <path> at <point>",
}
"""Statements that other programs write as a word and values in parentheses."""


def statement_of_others(r: Reader) -> tuple[str, str] | None:
    """Return what to tell of, and to write for, a statement as other programs write it."""
    word = r.words[r.i]
    rest = r.text[r.starts[r.i] :].partition("\n")[0].partition("#")[0]
    if word in ("if", "while", "unless", "elif", "else", "switch"):
        bound = re.search(r"(\w+)\s*(>=?)\s*(\d+)", rest)
        name, first = (bound[1], int(bound[3]) + (bound[2] == ">")) if bound else ("n", 1)
        advice = f"write for i in {first}..{name} {{ ... }}: it does nothing where {name} is less"
        return f"a structure has no '{word}'", advice
    form = _FORMS.get(other_word(word, _FORMS), "") if r.kinds[r.i + 1] == "(" else ""
    shown = filled((form,), rest.partition("(")[2], whole=True) if form else ""
    return (f"{r.shown()} does not begin a statement", f"write {shown}") if shown else None
