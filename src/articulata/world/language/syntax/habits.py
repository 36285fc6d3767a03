"""Habits of other languages: told once, and read as what was meant, so that nothing follows.

``mended`` looks through a text in which something was not understood, with the forms of
``other_words``. What it gives has the same length as the text. ``decimal_comma`` tells a comma that
was meant as a decimal point, where an error is due anyway.
"""

from __future__ import annotations

import colorsys
import math
import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from articulata.world.language.filled_forms import put_in
from articulata.world.language.meant_words import closest, other_word
from articulata.world.language.other_words import ARGUMENTS, FORMS, HINGE_OPTIONS
from articulata.world.language.source import Source, Span
from articulata.world.language.syntax.grammar import REQUESTS, RESERVED, SECTIONS
from articulata.world.language.units import (
    UNIT_NAMES,
    UNITS,
    UNKNOWN_UNITS,
    joined_units,
    parse_unit,
    powered,
)
from articulata.world.language.vocabulary import DYNAMICS_FIELDS, HINGES, PROPERTIES, SHAPES

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


_NUMBER = r"(?<!\d)(?<!\d\.)[-+]?(?:\d++(?:\.(?!\.)\d*+)?|\.\d++)(?:[eE][-+]?\d++)?+"
"""A number, whole: nothing begins or ends within its digits, of which there may be thousands."""

_UNIT = "|".join(map(re.escape, sorted(UNITS, key=len, reverse=True)))
_PARTS = {
    "@solid": r"\b[a-z_]\w*\(@args\)(?:[ \t]+(?:at|turned|about)[ \t]+(?:@group|@qty|[xyz]\b))*",
    "@num": _NUMBER, "@qty": _NUMBER + r"(?:[ \t]*[a-zA-Z][\w/^*]*)?",
    "@unit": rf"(?:{_UNIT})(?:\^\d)?(?:[*/](?:{_UNIT})(?:\^\d)?)*(?!\w)",
    "@path": r"[a-zA-Z_]\w*(?:\[[^\]\n]*\])?(?:\.[a-zA-Z_]\w*(?:\[[^\]\n]*\])?)*",
    "@quote": "[\"'\u201c\u201d\u201e\u2018\u2019]",
    "@call": r"\b[a-z_]\w*\(@args\)", "@group": r"(?:\([^()\n]*\)|\[[^\[\]\n]*\])",
    "@args": r"(?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*",
}  # fmt: skip
_NAMED = re.compile(r"\(\?P[<=](\w+)[>)]")


_GOES_ON = re.compile(r"\\s|\\n\[|\[\^(?:(?!\\n)[^\]])*\]")
"""How a form says that it may go on over the end of its line."""


@cache
def _patterns() -> tuple[
    re.Pattern[str], re.Pattern[str], list[tuple[re.Pattern[str], list[re.Pattern[str]]]]
]:
    """Return one pattern for forms of one line, one for others, and theirs, some under one each."""
    whole = []
    for form in FORMS:
        found = form.found
        for part, pattern in _PARTS.items():
            found = found.replace(part, pattern)
        whole.append(found)
    again = [re.sub(r"\(\?P=(\w+)\)", r"(?:\\w+)", each) for each in whole]
    plain = [re.sub(r"\(\?P<\w+>", "(?:", each) for each in again]
    over = [_GOES_ON.search(form.found) is not None for form in FORMS]
    short = "|".join(each for each, goes_on in zip(plain, over, strict=True) if not goes_on)
    long = "|".join(each for each, goes_on in zip(plain, over, strict=True) if goes_on)
    parts = [("|".join(plain[i : i + _SOME]), whole[i : i + _SOME])
             for i in range(0, len(whole), _SOME)]  # fmt: skip
    each_of = [(re.compile(one, re.MULTILINE), [re.compile(each, re.MULTILINE) for each in some])
               for one, some in parts]  # fmt: skip
    return re.compile(short, re.MULTILINE), re.compile(long, re.MULTILINE), each_of


_SOME = 16
"""Forms that are looked for together before each of them is."""


_AROUND = 5
"""Lines that a form may go on over."""

_WRITTEN = 400
"""Characters of a line that somebody writes; in longer ones no form is looked for."""


def mended(source: Source, lines: Collection[int]) -> tuple[str, tuple[Habit, ...]]:
    """Return the text with what habits in ``lines`` mean in this language, and what was found."""
    text, starts = source.text, [*source.starts, len(source.text)]
    found: list[Habit] = []
    pieces: list[str] = []
    done = 0
    before = (-1, -1)
    for line in sorted(lines):
        at, end = max(done, starts[line - 1]), starts[min(line, len(starts) - 1)]
        if end - at > _WRITTEN:
            continue
        limit = min(starts[min(line + _AROUND, len(starts) - 1)], end + _WRITTEN)
        while (match := _first(text, at, end, limit)) is not None:
            number, here = match
            at = max(here.end(), here.start() + 1)
            form = FORMS[number]
            if not (form.write or form.told):
                continue
            start = here.end("pre") if "pre" in here.re.groupindex else here.start()
            start += len(text[start : here.end()]) - len(text[start : here.end()].lstrip(" \t"))
            write = _filled(form.write, here)
            loop = text[start : here.end()] if write.startswith("for ") else ""  # it names a number
            meant = write if len(write) <= here.end() - start else loop
            pieces += text[done:start], meant.ljust(here.end() - start)
            done = here.end()
            told = bool(form.told) and not (form.after and found)
            if told and before == (number, line - 1):
                told = False  # what stands on line after line is told on the first
            before = (number, line)
            advice = _filled(form.advice, here) or (
                f"write {write}" if write else f"remove '{text[start:done].strip()[:20]}'"
            )
            xml = here[0].lstrip().startswith("<")
            found.append(Habit((start, done), "stray", form.told if told else "", advice, xml))
    return "".join((*pieces, text[done:])), tuple(found)


def _first(text: str, at: int, end: int, limit: int) -> tuple[int, re.Match[str]] | None:
    """Return the first form that begins between ``at`` and ``end``, and its number."""
    short, long, each_of = _patterns()
    while at < end:
        found = (short.search(text, at, end), long.search(text, at, limit))
        at = min((each.start() for each in found if each), default=end)
        for part, (one, some) in enumerate(each_of if at < end else ()):
            for number, each in enumerate(some if one.match(text, at) else (), part * _SOME):
                if match := each.match(text, at):
                    return number, match
        at += 1
    return None


_SLOT = re.compile(r"\{(\w+)(?:\|(\w*))?\}")


def _filled(form: str, match: re.Match[str]) -> str:
    """Return a form with the groups of ``match``, each by way of its maker."""

    def value(slot: re.Match[str]) -> str:
        held = match[slot[1]] or ""
        return MAKERS[slot[2]](held, match) if slot[2] else held

    return _SLOT.sub(value, form)


def _items(text: str) -> list[str]:
    """Return the values of a list in any brackets, parted by commas, semicolons or blanks."""
    inner = text.strip("\"'[]() \t")
    if "," in inner or ";" in inner:
        return [each.strip() for each in re.split("[,;]", inner) if each.strip()]
    found: list[str] = []
    for word in inner.split():
        if found and word in UNITS and found[-1].replace(".", "").lstrip("-").isdigit():
            found[-1] += f" {word}"
        else:
            found.append(word)
    return found


def _list(text: str, match: re.Match[str] | None = None) -> str:
    items = _items(text)
    return items[0] if len(items) == 1 else f"({', '.join(items)})"


def _degrees(text: str, match: re.Match[str] | None = None) -> str:
    return f"{text} deg" if text[-1:].isdigit() or text.endswith(".") else text


def _turns(text: str, match: re.Match[str]) -> str:
    """Return turns about x, y and z, of attributes in radians."""
    found = []
    for value, axis in zip(_items(text), "xyz", strict=False):
        if value.strip("-0."):
            shown = f"{value} rad" if text[0] == '"' else _degrees(value)
            found.append(f" turned {shown} about {axis}")
    shown = "".join(found)
    return shown if "s" in match.re.groupindex else shown.lstrip()


def axis_of(text: str, match: re.Match[str] | None = None) -> str:
    """Return ``-x`` for ``-1 0 0``, other directions as three values."""
    items = _items(text)
    values = [each.removesuffix(".0") for each in items]
    for i, axis in enumerate("xyz"):
        others = [each for k, each in enumerate(values) if k != i]
        if len(values) == 3 and others == ["0", "0"] and values[i] in ("1", "-1"):
            return f"{'-' * (values[i] == '-1')}{axis}"
    return _list(text)


def _color(text: str, match: re.Match[str]) -> str:
    """Return red, green and blue of a colour as CSS has it."""
    digits = text.removeprefix("#").removeprefix("0x").removeprefix("0X")
    if text[0] != "(":
        digits = "".join(each * 2 for each in digits) if len(digits) == 3 else digits
        parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    else:
        items = _items(text)[:3]
        try:
            found = [float(each.rstrip("%")) / (100 if "%" in each else 1) for each in items]
        except ValueError:
            return _list(text)
        if match[0].startswith("hsl"):
            parts = list(colorsys.hls_to_rgb(found[0] / 360, found[2], found[1]))
        else:
            parts = [each / (255 if max(found) > 1 else 1) for each in found]
    return f"({', '.join(f'{each:.3g}' for each in parts)})"


_CONVERTED = {"lbf": (4.4482216, "N"), "kgf": (9.80665, "N"), "kp": (9.80665, "N"),
              "psi": (6894.757, "Pa"), "bar": (1e5, "Pa"), "atm": (101325.0, "Pa"),
              "mph": (0.44704, "m/s"), "knot": (0.514444, "m/s"), "knots": (0.514444, "m/s"),
              "rps": (60.0, "rpm"), "oz": (0.0283495, "kg")}  # fmt: skip
"""Units of others: how many of which of ours one is."""


def _converted(text: str, match: re.Match[str]) -> str:
    factor, unit = _CONVERTED[match["u"]]
    return f"{float(f'{float(text) * factor:.4g}'):g} {unit}"


def _digits(text: str, match: re.Match[str]) -> str:
    plain = text.replace("'", "")
    return str(int(plain, 16 if plain[1] in "xX" else 10))


def _rate(text: str, match: re.Match[str]) -> str:
    plain = {"angle": "rate", "distance": "speed", "travel": "speed"}
    return plain.get(text) or re.sub(r"\.(?:angle|travel)$", "", text) + ".rate"


def _parts(text: str, match: re.Match[str]) -> str:
    return ", ".join(each.strip() for each in text.split(";") if each.strip())


def _each(text: str, match: re.Match[str]) -> str:
    items = (each.strip() for each in text.split(","))
    return ", ".join(f"{each} {match['u']}" if each.strip("-0.") and each[-1].isdigit() else each
                     for each in items)  # fmt: skip


def _before(text: str, match: re.Match[str]) -> str:
    """Return the last number that Python's range reaches; with one number arrays are meant."""
    plain = text.strip()
    if not match["a"]:
        return plain
    ahead = re.fullmatch(r"(.*?)\s*\+\s*1", plain)
    return ahead[1] if ahead else str(int(plain) - 1) if plain.isdigit() else f"{plain}-1"


def _turn(text: str, match: re.Match[str]) -> str:
    """Return a camera's turn; one that does not roll stays level."""
    if text == "roll" and re.match(r"[-+]?0*\.?0*(?![\d.])", match["v"]):
        return "roll level"
    axis = {"pan": "y", "tilt": "x", "roll": "z"}[text]
    return f"turned {match['v']} about {axis}"


def _values(text: str, match: re.Match[str]) -> str:
    """Return how many values there are from ``a`` to ``b`` in steps ``s``, both ends counted."""
    pairs = [re.fullmatch(rf"({_NUMBER})\s*(.*)", match[each]) for each in "abs"]
    units = [each[2] for each in pairs if each]
    try:
        first, last, step = (
            float(each[1]) * parse_unit(each[2] or units[-1]).factor for each in pairs if each
        )
        return str(round(abs((last - first) / step)) + 1)
    except (KeyError, ValueError, ArithmeticError):
        return "6"


_UNIT_WORDS = {'"': "inch", "'": "ft", "hr": "h", "cc": "cm^3", "ccm": "cm^3", "cbm": "m^3",
               "ml": "cm^3", "l": "dm^3", "sec": "s", "ft3": "ft^3", "in3": "inch^3"}  # fmt: skip
MAKERS: Mapping[str, Callable[[str, re.Match[str]], str]] = {
    "": lambda text, match: text, "list": _list, "turns": _turns, "axis": axis_of, "deg": _degrees,
    "color": _color, "converted": _converted, "digits": _digits, "rate": _rate, "parts": _parts,
    "hinge": lambda text, match: text if text in HINGES else other_word(text, HINGES) or "pin",
    "shape": lambda text, match: other_word(text, SHAPES) or {
        "intersect": "intersection", "common": "intersection", "ico_sphere": "sphere",
    }.get(text, text),
    "word": lambda text, match: text.strip('"') if text[0] == '"' else _list(text),
    "named": lambda text, match: re.sub(r"\s*=\s*", ": ", text),
    "edges": lambda text, match: _list(text)[1:-1],
    "round": lambda text, match: text.replace("[", "(").replace("]", ")"),
    "turn": _turn, "values": _values,
    "frames": lambda text, match: f"{1e3 / (float(text) or 1):.4g} ms" if match["e"] else text,
    "ratio": lambda text, match: text,
    "period": lambda text, match: _period(float(text or 0), match.groupdict().get("u") or ""),
    "port": lambda text, match: text if text.isdigit() else f'"{text}"',
    "device": lambda text, match: (
        f'{"spacemouse" if "hid" in text else "gamepad" if "input" in text else "fastrak"} "{text}"'
    ),
    "times": lambda text, match: ", ".join(
        each.strip() if each.strip()[-1].isalpha() else f"{each.strip()} {match['u']}"
        for each in re.split("[x\u00d7]", text)
    ),
    "term": lambda text, match: text if match["o"] == "+" else put_in("-{0}", {"0": text})[1:],
    "dots": lambda text, match: text.replace("/", "."),
    "each": _each, "lower": lambda text, match: text.lower(),
    "event": lambda text, match: {"collision": "contact", "hit": "impact",
                                  "hits": "impact", "touches": "contact",
                                  "meets": "contact", "touch": "contact"}.get(text, text),
    "step": lambda text, match: text or "1 ms",
    "focal": lambda text, match: f"{18 / math.tan(math.radians(float(text) / 2)):.3g} mm",
    "sex": lambda text, match: "woman" if text[0] in "fFw" else "man",
    "first": lambda text, match: text or "1", "before": lambda text, match: _before(text, match),
    "boolean": lambda text, match: "union" if text == "+" else "difference",
    "brace": lambda text, match: " {" if text else "",
    "last": lambda text, match: text if match["c"] == "<=" else f"{text}-1",
    "entries": lambda text, match: re.sub(r" *= *", ": ", re.sub(" *, *", "; ", text.strip("() "))),
    "hundredth": lambda text, match: f"{float(text) / 100:g}",
    "call": lambda text, match: f"({text.strip()})" if text.strip() else "",
    "unit": lambda text, match: _UNIT_WORDS[text],
    "link": lambda text, match: {"join": "to", "ignore": "with", "for": "..", "gear": "and",
                                 "place": "at"}[text],
}  # fmt: skip
"""How what a form holds is written here."""


def _period(value: float, unit: str) -> str:
    """Return the time between two of ``value`` a second, or how many a second for a time."""
    if not value:
        return ""
    return f"{(1e3 if unit == 'ms' else 1.0) / value:.4g}" if unit else f"{1e3 / value:.4g} ms"


def argument(called: str, name: str, value: str, line: str) -> str:
    """Return ``name: value`` for an argument ``name=value`` of ``called`` as others write it."""
    shown = _list(value) if value[:1] in ('"', "[") and re.search(r"\d", value) else value
    hinge = HINGES.get(called)
    known = SHAPES.get(called) or (hinge.signature if hinge else None)
    slots = tuple(slot.name for slot in known.slots) if known else ()
    if hinge is not None and name in HINGE_OPTIONS and name not in slots:
        named = re.search(r"\bas\s+(\w+)", line)
        return put_in(
            HINGE_OPTIONS[name], {"hinge": named[1] if named else "its_name", "value": shown}
        )
    if name in ARGUMENTS and name not in slots and "radius" in slots:
        return put_in(ARGUMENTS[name], {"0": shown})
    shown = axis_of(value) if name == "axis" else shown
    return f"{name if name in slots else other_word(name, slots) or name}: {shown}"


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


def along(r: Reader, i: int, axis: str) -> str:
    """Return advice for a value up to token ``i`` that is meant along an axis, ``-9.81 y``."""
    first = i
    while r.kinds[first - 1] in ("^", "*", "/", "name", "number") and not r.new_line(first):
        first -= 1
    value = "-" * (r.kinds[first - 1] == "-") + r.text[r.starts[first] : r.spans[i][1]]
    return f"write ({', '.join(value if each == axis else '0' for each in 'xyz')})"


_ENTRY = re.compile(r"(?:[^;{}()]|\((?:[^()]|\([^()]*\))*\))*")
"""What stands up to the end of an entry, with the parentheses that are closed in it."""


def meant_here(r: Reader) -> str:
    """Return what to write where a habit of another language explains this token."""
    i = r.i
    kind, word = r.kinds[i], r.words[i]
    before, earlier, after = r.words[i - 1], r.kinds[i - 2], r.kinds[i + 1]
    start, line_end = r.starts[i], r.text.find("\n", r.starts[i])
    rest = r.text[start : line_end if line_end > 0 else None].split(" where")[0]
    rest = _ENTRY.match(rest)[0].rstrip(" ,")[:60]  # type: ignore[index] # nothing is enough
    if r.new_line(i):
        return ""
    if word in ("x", "y", "z") and before in UNITS and earlier == "number":
        return along(r, i - 1, word)
    if (whole := f"{before}_{r.words[i + 1] if kind == '-' else word}") in r.types:
        return f"write {whole}"
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
    if kind in ("name", "number") and r.kinds[i - 1] == "name" and earlier in (":", "="):
        meant = other_word(word, ("turned", "at", "about", "as", "matching", "where"))
        if meant == "turned":
            return "write turned 90 deg about y, with the angle and the axis that are meant"
        takes = before in r.types or before in HINGES or before in SHAPES
        if meant or takes:
            return f"write {meant}" if meant else f"write {before}({rest})"
    if kind in ("of", "with") and r.kinds[i - 1] == "name" and earlier == ":":
        return f"write {before}({rest.removeprefix(word).strip()})"
    if kind == "," and after in ("number", "-") and earlier in (":", "=", "/", "-"):
        opening = max(r.text.rfind(sign, 0, start) for sign in ":=")
        return f"write ({r.text[opening + 1 : start].strip()}{rest})"
    if kind == "," and after in RESERVED and not r.new_line(i + 1):
        return "remove ','"
    meant = other_word(word, ("turned", "at", "about", "as", "matching", "where", "with"))
    if meant == "turned" and after == "(":
        return _turned(rest, "degree" in r.text)
    return f"write {meant}" if meant and kind == "name" else ""


_OUTSIDE = ("contact", "let", "material", "import", "units", "world", "simulate", "vary", "reach",
            "pose", "track", "film", "primitive", "composite", "figure")  # fmt: skip


def _turned(text: str, degrees: bool) -> str:
    """Return advice for three angles in parentheses, filled in where one alone is not zero."""
    angles = text.partition("(")[2].partition(")")[0].split(",")
    turns = [(a.strip(), b) for a, b in zip(angles, "xyz", strict=False) if a.strip(" 0.")]
    if len(angles) != 3 or len(turns) != 1:
        return "write turned 90 deg about y, with the angle and the axis that are meant"
    angle, axis = turns[0]
    bare = angle.strip("-").replace(".", "").isdigit()
    unit = "" if not bare else " deg" if degrees or abs(float(angle)) > 2 * math.pi else " rad"
    return f"write turned {angle}{unit} about {axis}"


def unit_meant(word: str) -> str:
    """Return the unit that ``word`` was meant as, "" for none."""
    guess = powered(word) or joined_units(word)
    if guess or word in UNKNOWN_UNITS:
        return guess
    near = closest(word, (*UNITS, *UNIT_NAMES))
    if near in UNITS and (near[0].lower() != word[0].lower() or len(word) > len(near) + 1):
        near = closest(word, UNIT_NAMES)
    return UNIT_NAMES.get(near, near)


def belongs(r: Reader, here: str) -> str:
    """Return where an entry that begins here and is none of ``here`` belongs, "" if nowhere."""
    word, line = r.words[r.i], r.line(r.i).rstrip(" ;}")
    value = line.partition(":")[2].strip()
    if word in _OUTSIDE and here == "structure":
        return f"write it outside, before or after what stands in braces: {line}"
    for section, known in (("properties", PROPERTIES), ("dynamics", DYNAMICS_FIELDS)):
        if word in known:
            return f"write it in a primitive: {section}: ({word}: {value or '...'})"
    kinds = [kind for kind, clauses in REQUESTS.items() if word in clauses and kind != here]
    if word == "on":
        kinds = ["simulate"]
    for kind in kinds:
        if found := re.search(rf"^{kind}[ \t]+(\w+)", r.text, re.MULTILINE):
            return f"write it in '{kind} {found[1]}': {line}"
    if kinds:
        return f"write it in a request: {kinds[0]} NAME {{ {line} }}"
    for kind, sections in SECTIONS.items():
        if word in sections and kind != here:
            return f"write it in a {kind}, before 'components': {line}"
    return ""
