"""Parsing joins: ``join A to B with hinge(options) as name matching (a, b) ...``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from articulata.world.language.meant_words import closest, other_word
from articulata.world.language.other_words import HINGE_OPTIONS
from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.grammar import STATEMENTS
from articulata.world.language.syntax.parse_expressions import arguments, expression, path, quoted
from articulata.world.language.syntax.reader import Lost, Reader
from articulata.world.language.syntax.recovery import closing_of


def join(r: Reader, acting: bool = False) -> t.Join:
    """Parse ``join A to B with hinge(options) as name matching (a, b) ...``.

    ``acting``: it is the action of an ``on`` clause, where a weld needs nothing to match.
    """
    first = r.i
    r.i += 1
    a = _end(r, "after 'join'")
    r.word("to", "in this join", "join A to B")
    b = _end(r, "after 'to'")
    r.word("with", "in this join", "join A to B with pin")
    hinge = path(r, "for a hinge after 'with'")
    options: tuple[t.Argument, ...] = ()
    said: dict[str, Any] = {}

    def made() -> t.Join:
        return t.Join(a, b, hinge, options, span=r.span_from(first), **said)

    try:
        if r.kinds[r.i] == "(" and (r.starts[r.i] == r.end_before() or not _is_pair(r)):
            options = arguments(r)
        end_of_hinge = r.end_before()
        seen: set[str] = set()
        while word := _join_word(r, "matching" in said):
            if word in seen:
                r.lost_here(
                    "duplicate", f"'{word}' is said twice in this join", "remove one of them"
                )
            seen.add(word)
            if word == "closing" and not acting:
                r.error_here(
                    "stray", "'closing' is said where a join is made during a run",
                    "remove it: a world is assembled before it starts",
                )  # fmt: skip
            _PARTS[word](r, said)
    except Lost as lost:
        said["name"] = said.get("name") or _named_ahead(r)
        lost.left = made()
        raise
    if not said.get("matching") and not _needs_no_match(a, b, hinge, acting):
        told = "'matching' and the features that meet are missing in this join"
        r.missed = r.missed or (told if len(a.parts) > 1 or len(b.parts) > 1 else "")
        r.findings.error(
            "missing-word", (end_of_hinge, end_of_hinge + 1), told,
            "add 'matching (a, b)' here",
        )  # fmt: skip
        said["name"] = said.get("name") or _named_ahead(r)
    return made()


def _as(r: Reader, said: dict[str, Any]) -> None:
    r.i += 1
    if r.words[r.i] == "matching" and r.kinds[r.i + 1] == "(":
        advice = "write its name, or remove 'as'"
        r.error_before("missing-name", "the hinge's name is missing after 'as'", advice)
        return
    said["name"] = r.name("for this hinge after 'as'")
    said["name_span"] = r.token_span(r.i - 1)
    _no_number(r, said["name"])


def _matching(r: Reader, said: dict[str, Any]) -> None:
    r.i += r.kinds[r.i] != "("
    said["matching"] = _pairs(r)


def _limits(r: Reader, said: dict[str, Any]) -> None:
    r.i += 1
    if r.words[r.i] in ("from", "of", "between"):
        r.error_here("stray", f"no '{r.words[r.i]}' stands here", "write limits (low, high)")
        r.i += 1
    said["limits"] = limits_of(r)


def _restitution(r: Reader, said: dict[str, Any]) -> None:
    r.i += 1
    said["restitution"] = expression(r)


def _breaks(r: Reader, said: dict[str, Any]) -> None:
    r.i += 1
    if r.words[r.i] in ("when", "if", "above", "over", "beyond"):
        told = f"'at' is due after 'breaks', not '{r.words[r.i]}'"
        r.lost_here("unknown-word", told, "write breaks at 500 N")
    r.word("at", "after 'breaks'", "breaks at 500 N")
    said["strength"] = expression(r)


def _driven(r: Reader, said: dict[str, Any]) -> None:
    r.i += 1
    r.word("by", "after 'driven'", "driven by motor")
    said["driver"] = _driver(r)
    if said["driver"].text == "motor" and r.kinds[r.i] == "(":
        said["motor"] = arguments(r)
    _motor_alone(r)


def driven(r: Reader) -> t.Driven:
    """Parse ``robot.elbow driven by motor(speed: 10 rpm)``, or by a controller."""
    first, said = r.i, dict[str, Any]()
    hinge = path(r, "of a hinge")
    _driven(r, said)
    return t.Driven(hinge, said["driver"], said.get("motor"), span=r.span_from(first))


def _closing(r: Reader, said: dict[str, Any]) -> None:
    r.i += 1
    said["closing"] = True


def _end(r: Reader, where: str) -> t.Path:
    """Parse what a join begins or ends at; the world itself is no such thing."""
    if r.words[r.i] == "world" and r.kinds[r.i + 1] in ("with", "to"):
        r.lost_here(
            "wrong-kind", "a body is joined to a body, not to the world",
            "join it to one that is fixed: components { base: fixed_point }",
        )  # fmt: skip
    found = path(r, where)
    if len(found.parts) > 1 and r.kinds[r.i] == "name" and r.kinds[r.i + 1] in ("with", "to"):
        *parts, last = found.parts
        whole = t.Part(f"{last.name} {r.words[r.i]}", None, span=last.span)
        shown = f'write {".".join(each.name for each in parts)}."{whole.name}"'
        r.error_here("missing-sign", "a name with blanks stands between double quotes", shown)
        r.i += 1
        return t.Path((*parts, whole), span=found.span)
    if r.kinds[r.i] == "(" and r.starts[r.i] == r.end_before():
        end, closed = closing_of(r, r.i)
        if closed:
            shown = f"{r.text[slice(*found.span)]}[{r.text[r.spans[r.i][1] : r.starts[end]]}]"
            r.error_here("missing-sign", "a number of an array stands in [ ]", f"write {shown}")
            r.i, r.lost = end + 1, r.lost + 1
    return found


_MOTORS = ("motor", "servo", "actuator")


def _motor_alone(r: Reader) -> None:
    """Report ``Motor(``, ``motor 60 rpm`` and ``motor at 60 rpm``; give the join up."""
    i = r.i
    if r.kinds[i] == "(" and r.starts[i] == r.end_before() and r.words[i - 1] not in _MOTORS:
        shown = r.text[r.starts[i] : r.spans[closing_of(r, i)[0]][1]]
        told = f"nothing is called '{r.words[i - 1]}(...)' behind 'driven by'"
        r.lost_here("unknown-word", told, f"write motor{shown[:80]}")
    if r.words[i - 1] == "servo" and r.kinds[i] == "(":
        shown = r.text[r.starts[i] : r.spans[closing_of(r, i)[0]][1]]
        told = "a servo is a force about a hinge, in a line of its own"
        r.lost_here("stray", told, f"write force hold about its_hinge = servo{shown[:80]}")
    if r.words[i - 1].lower() not in _MOTORS or r.new_line(i):
        return
    if r.kinds[i] in ("number", "at", "name", "(") and r.words[i] not in _PARTS:
        r.lost_here("stray", "a motor has its speed in parentheses", "write motor(speed: 60 rpm)")


def _driver(r: Reader) -> t.Path:
    """Parse the controller after ``driven by``; a constant effort is a force."""
    if r.kinds[r.i] in ("number", "-"):
        r.lost_here(
            "wrong-kind", "a hinge is driven by a controller, not by a number",
            "write force drive about HINGE = 5 N*m for a constant effort",
        )  # fmt: skip
    return path(r, "for a controller after 'by'")


def limits_of(r: Reader) -> t.Expression:
    """Parse ``(low, high)``; without parentheses they are told, and read all the same."""
    first = r.i
    value = expression(r)
    between = r.kinds[r.i] in (",", "..", "to")
    if r.kinds[first] == "(" or not between or r.new_line(r.i + 1):
        return value
    r.i += 1
    high = expression(r)
    span = r.span_from(first)
    shown = r.text[span[0] : span[1]]
    r.findings.error(
        "missing-sign", (span[0], span[0] + 1), "limits stand in parentheses",
        f"write ({shown[:40].replace('..', ', ').replace(' to ', ', ')})",
    )  # fmt: skip
    return t.Tuple((value, high), span=span)


def _named_ahead(r: Reader) -> str | None:
    """Return the name that the rest of a join gives its hinge, None where it gives none."""
    i = r.i
    while r.kinds[i] not in (";", "}", "end", "eof") and not (i > r.i and r.new_line(i)):
        if r.words[i] == "as" and r.kinds[i + 1] == "name":
            return r.words[i + 1]
        i += 1
    return None


def _no_number(r: Reader, name: str) -> None:
    """Report and take ``[i]`` after the name of a hinge."""
    first = r.i
    if r.kinds[first] == "[" and not r.new_line(first):
        r.i += 1
        expression(r)
        r.sign("]", "after a number")
        told = f"'{name}' names one hinge and takes no number"
        hint = f"leave 'as {name}' out: hinges of numbered bodies are h12, h23 ... after them"
        r.findings.error("wrong-index", r.span_from(first), told, hint)


def _friction(r: Reader, said: dict[str, Any]) -> None:
    """Parse ``friction 0.3 N*m`` or ``friction(dry: 0.3 N*m, ...)``."""
    at = r.i
    word = t.Part(r.words[at], span=r.token_span(at))
    r.i += 1
    if r.kinds[r.i] == "(":
        given = arguments(r)
    else:
        value = expression(r)
        given = (t.Argument(None, value, span=value.span),)
    said["friction"] = t.Call(t.Path((word,), span=word.span), given, span=r.span_from(at))


def _needs_no_match(a: t.Path, b: t.Path, hinge: t.Path, acting: bool) -> bool:
    """Tell whether a join says enough without features: a weld in a run, or of features."""
    return hinge.text == "weld" and (acting or len(a.parts) > 1 or len(b.parts) > 1)


_PARTS: Mapping[str, Callable[[Reader, dict[str, Any]], None]] = MappingProxyType(
    {
        "as": _as, "matching": _matching, "limits": _limits, "restitution": _restitution,
        "friction": _friction, "breaks": _breaks, "driven": _driven, "closing": _closing,
    }
)  # fmt: skip
"""What reads each part of a join behind its hinge into the fields of ``tree.Join``."""


def _join_word(r: Reader, matched: bool) -> str:
    """Return which part of a join begins here, mending a misspelt or missing word; or ``""``."""
    i = r.i
    if r.kinds[i] == "," and r.words[i + 1] in _PARTS:
        r.error_here("stray", "no ',' stands between the parts of a join", "remove ','")
        r.i = i = i + 1
    word = r.words[i]
    if word in _PARTS:
        if r.kinds[i + 1] in (":", "=") and not r.new_line(i):
            r.i = i + 1
            sign = r.words[r.i]
            r.error_here("stray", f"no '{sign}' is written after '{word}'", f"remove '{sign}'")
            r.kinds[i + 1], r.words[i + 1] = r.kinds[i], word
            return word
        return word if r.kinds[i + 1] != ":" else ""
    if r.new_line(i):
        deeper = r.source.indentation(r.starts[i]) > r.source.indentation(r.starts[i - 1])
        if not (deeper and r.kinds[i + 1] in ("(", "number") and other_word(word, _PARTS)):
            return ""
    if r.kinds[i] == "(" and not matched:
        r.error_before("missing-word", "'matching' is missing in this join", "add 'matching' here")
        return "matching"
    if word in ("at", "on", "between", "of") and not matched and (pair := _AT.match(r.line(i))):
        told = "the features that meet stand after 'matching'"
        r.lost_here("unknown-word", told, f"write matching ({pair[1]}, {pair[2]})")
    if r.kinds[i] != "name" or len(word) < 4:
        return ""
    if word.lower() in ("motor", "actuator"):
        r.lost_here("missing-word", "a hinge is driven by a motor", "write driven by motor(...)")
    if r.kinds[i + 1] == ":" and not matched and not r.new_line(i):
        hinge = r.words[i - 1]
        r.lost_here("stray", f"what '{hinge}' takes stands in ( )", f"write {hinge}({word}: ...)")
    if word in HINGE_OPTIONS and word not in ("limits", "range", "name"):
        value = re.match(r"[-\w.]+(?: [A-Za-z][\w/*^]*)?", r.line(i + 1))
        named = re.search(r"\bas (\w+)", r.source.line(r.source.position(r.starts[i])[0]))
        shown = HINGE_OPTIONS[word].format(
            hinge=named[1] if named else "its_name",
            value=value[0].removesuffix(" as") if value else "...",
        )
        r.lost_here("unknown-word", f"no '{word}' stands here", f"write {shown}")
    guess = closest(word, _PARTS)
    if guess:
        r.error_here(
            "unknown-word",
            f"'{word}' means nothing in a join",
            f"did you mean '{guess}'?",
        )
    elif not matched and r.kinds[i + 1] == "(":
        r.lost_here(
            "unknown-word", f"'{word}' means nothing in a join", f"write {STATEMENTS['join'].form}"
        )
    return guess


_AT = re.compile(
    r"\w+[ \t]*\(?[ \t]*(?:[a-z_]\w*\.)?([a-z_]\w*)[ \t]*(?:,|\b(?:and|to|with|on|at)\b)"
    r"[ \t]*(?:[a-z_]\w*\.)?([a-z_]\w*)[ \t]*\)?"
)
"""Two features after a word that stands for 'matching'."""


def _is_pair(r: Reader) -> bool:
    """Say whether the parenthesis here holds two features and no options."""
    i = r.i + 1
    level = 1
    values = 0
    while level and r.kinds[i] not in ("eof", "{", "}", ";"):
        kind = r.kinds[i]
        level += (kind == "(") - (kind == ")")
        if kind == ":":
            return False
        if kind == "name" and r.kinds[i - 1] != ".":
            values += 1
        i += 1
    return values == 2


def _pairs(r: Reader) -> tuple[t.Pair, ...]:
    """Parse one or more pairs ``(a, b)``; commas between them may be left out."""
    pairs = []
    if r.kinds[r.i] != "(":
        bare = re.match(r"([a-z]\w*)[ \t]*(?:,|\b(?:and|to|with)\b)[ \t]*([a-z]\w*)", r.line(r.i))
        told = "two features stand in parentheses" if bare else "the features to match are missing"
        both = f"{bare[1]}, {bare[2]}" if bare else "top, bottom"
        r.lost_before("missing-value", told, f"write matching ({both})")
    while r.kinds[r.i] == "(":
        pairs.append(_pair(r))
        if r.kinds[r.i] == "," and r.kinds[r.i + 1] == "(":
            r.i += 1
    return tuple(pairs)


def _pair(r: Reader) -> t.Pair:
    opening = r.i
    r.i += 1
    if r.kinds[r.i] == ")":
        r.i += 1
        r.findings.error(
            "empty", r.token_span(opening), "these parentheses are empty",
            "name two features: (top, bottom)",
        )  # fmt: skip
        raise Lost
    found: list[t.Path] = []
    kinds = r.kinds
    if kinds[r.i + 1] == "," and kinds[r.i] == kinds[r.i + 2] == "name" and kinds[r.i + 3] == ")":
        first = path(r, "of a feature")
        r.i += 1
        second = path(r, "of a feature")
        r.i += 1
        return t.Pair(first, second, span=r.span_from(opening))
    while r.kinds[r.i] != ")":
        if r.kinds[r.i] == ",":
            if not found or r.kinds[r.i + 1] == ")":
                r.error_before("missing-name", "a feature is missing", "name two features: (a, b)")
            r.i += 1
            continue
        if r.kinds[r.i] == "text":
            found.append(quoted(r))
            continue
        if r.words[r.i] in ("to", "with", "and", "on") and len(found) == 1:
            told = f"',' stands between two features, not '{r.words[r.i]}'"
            r.error_here("missing-sign", told, "write ','")
            r.i += 1
            continue
        if r.kinds[r.i] != "name" or (found and r.new_line(r.i) and len(found) > 1):
            if r.kinds[r.i] in ("number", "("):
                r.lost_here(
                    "wrong-kind", "a feature's name is due here", "name two features: (top, bottom)"
                )
            r.error_before("missing-sign", "')' is missing", "add ')' here")
            break
        found.append(path(r, "of a feature"))
    else:
        r.i += 1
    span = r.span_from(opening)
    if len(found) != 2:
        at = found[2].span if len(found) > 2 else (span[0], span[1])
        r.findings.error(
            "wrong-count", at, f"a pair has two features, {len(found)} are given",
            "write (feature of the first, feature of the second)",
        )  # fmt: skip
        center = t.Path((t.Part("center"),))
        found = [*found, center, center]
    return t.Pair(found[0], found[1], span=span)
