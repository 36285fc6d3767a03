"""Parsing the parameters of a definition: their quantities, bounds and defaults."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace

from articulata.world.language.meant_words import other_word
from articulata.world.language.syntax.parse_expressions import expression
from articulata.world.language.syntax.parse_joins import limits_of
from articulata.world.language.syntax.parse_numbers import number
from articulata.world.language.syntax.reader import Reader
from articulata.world.language.syntax.recovery import closing_of
from articulata.world.language.syntax.tree import Expression, Parameter
from articulata.world.language.units import PARAMETER_KINDS, QUANTITIES, parse_unit


def parameters(r: Reader) -> tuple[Parameter, ...]:
    """Parse ``(name: quantity = default, ...)`` where it stands."""
    opening = r.i
    if r.kinds[opening] == "[" and not r.new_line(opening):
        end, closed = closing_of(r, opening)
        r.error_here("missing-sign", "parameters stand in ( )", "write '(' and ')'")
        r.kinds[opening], r.kinds[end] = "(", ")" if closed else r.kinds[end]
    if r.kinds[r.i] == "(":
        r.i += 1
    elif r.kinds[r.i] == "name" and r.kinds[r.i + 1] in (":", "=") and not r.new_line(r.i):
        r.error_before("missing-sign", "parameters stand in parentheses", "add '(' here")
    else:
        return ()
    found: list[Parameter] = []
    while r.kinds[r.i] != ")":
        first = r.i
        if r.kinds[opening] != "(" and r.kinds[first] in ("{", "begin"):
            return tuple(found)  # both parentheses are missing
        if r.kinds[first] in ("{", "begin", "eof", ";", "}", "end") or (
            found and r.new_line(first) and r.kinds[first - 1] != ","
        ):
            r.error_before("missing-sign", "')' is missing after the parameters", "add ')' here")
            return tuple(found)
        found.append(_parameter(r))
        if r.kinds[r.i] == ";" and r.kinds[r.i + 1] == "name" and not r.new_line(r.i + 1):
            r.error_here("missing-sign", "',' stands between parameters, not ';'", "write ','")
            r.kinds[r.i] = ","
        if r.kinds[r.i] == ",":
            r.i += 1
            if r.kinds[r.i] == ")":
                r.error_before(
                    "missing-name", "a parameter is missing after ','", "add one, or remove ','"
                )
        elif r.kinds[r.i] == "name" and not r.new_line(r.i):
            r.error_before("missing-sign", "',' is missing between parameters", "add ','")
        elif r.kinds[r.i] in ("number", "(", "text") and r.words[r.i - 1] == found[-1].name:
            r.lost_before(
                "missing-sign", f"'=' is missing after '{found[-1].name}'", "add '=' here"
            )
    r.i += 1
    if not found:
        r.findings.error(
            "empty", r.token_span(opening), "the list of parameters is empty",
            "remove '()', or name a parameter",
        )  # fmt: skip
    return tuple(found)


def _parameter(r: Reader) -> Parameter:
    """Parse ``name: quantity within (low, high) = default``."""
    first = r.i
    quantity = _typed_ahead(r)
    name = r.name("for a parameter")
    if r.kinds[r.i] == ":" and r.kinds[r.i + 1] in ("number", "(", "-"):
        r.error_here("missing-sign", f"'=' is due before the default of '{name}'", "write '='")
        r.kinds[r.i] = "="
    elif r.kinds[r.i] == ":" or r.words[r.i] in ("as", "is", "of", "in"):
        r.sign(":", f"after '{name}'")
        quantity = r.name("for the parameter's quantity, such as length")
        _unit_behind(r, name, quantity)
    within, called = None, tuple[str, ...]()
    if r.words[r.i] == "within":
        r.i += 1
        r.parens += 1
        within = limits_of(r)
        r.parens -= 1
        called = _called(r)
    if r.kinds[r.i] in (">", "<", ">=", "<="):
        r.lost_here("stray", "bounds are a lowest and a highest value", "write within (low, high)")
    default = _default(r, name)
    if (
        quantity is None
        and default is not None
        and r.kinds[r.i] == ":"
        and r.kinds[r.i + 1] == "name"
    ):
        shown, quantity = r.text[slice(*default.span)], r.words[r.i + 1]
        told = f"what a parameter is stands before its default: write {name}: {quantity} = {shown}"
        r.error_here("wrong-order", *told.split(": ", 1))
        r.i += 2
    return Parameter(
        name, quantity, default, within, called,
        span=r.span_from(first), name_span=r.token_span(first),
    )  # fmt: skip


_OF_OTHERS = frozenset(("parameter", "const", "constant", "final", "input", "param", "var", "let",
                        "static", "auto", "val"))  # fmt: skip
"""Words that say in other languages that a parameter follows."""
_FLOATS = frozenset(("number", "Real", "real", "float", "double"))
"""Types that say nothing of a quantity."""


def _kind(word: str) -> str:
    """Return the quantity that a type of any language says, "" for none."""
    lower = word.lower()
    return lower if lower in PARAMETER_KINDS else other_word(lower, PARAMETER_KINDS)


def _typed_ahead(r: Reader) -> str | None:
    """Report and pass what other languages write before a parameter: ``const length span``."""
    first = last = r.i
    behind = ("default", "defaults", "is", "as", "of", "within")
    while r.kinds[last : last + 2] == ["name", "name"] and r.words[last + 1] not in behind:
        if r.new_line(last + 1):
            break
        last += 1
    said = r.words[first:last]
    kinds = [_kind(each) for each in said]
    if not any(kinds) and not _OF_OTHERS.intersection(said):
        return None
    found = _DEFAULT.match(r.text, r.spans[last][1])
    shown, unit = found.groups(default="") if found else ("", "")
    quantity = next(filter(None, reversed(kinds)), "number")
    if quantity == "number" or said[-1] in _FLOATS:
        with suppress(KeyError):
            due = parse_unit(unit).dimension if unit else None
            quantity = next((k for k in PARAMETER_KINDS if due and QUANTITIES.get(k) == due), "")
    meant = f"{r.words[last]}{': ' if quantity else ''}{quantity}{shown.rstrip()}"
    span = (r.starts[first], r.spans[last][1])
    r.findings.error("missing-sign", span, "a parameter's name comes first", f"write {meant}")
    r.i = last
    return quantity or None


_DEFAULT = re.compile(
    r"([ \t]*=[ \t]*(?:-?[\d.]+[ \t]*([a-zA-Z][\w*/^]*)?)?(?:[^,()\n]|\([^()\n]*\))*)"
)


def _unit_behind(r: Reader, name: str, quantity: str) -> None:
    """Report and pass the unit of ``span: length[m] = 0.4``."""
    if r.kinds[r.i] != "[" or r.new_line(r.i):
        return
    end, closed = closing_of(r, r.i)
    unit = r.text[r.spans[r.i][1] : r.starts[end]].strip()
    number = f" = {r.words[end + 2]} {unit}" if r.kinds[end + 1] == "=" else ""
    meant = f"write {name}: {_kind(quantity) or quantity}{number}"
    r.error_here("stray", "a unit stands after the number", meant)
    r.i = end + closed


def _default(r: Reader, name: str) -> Expression | None:
    """Parse ``= value``, where it stands."""
    worded = r.kinds[r.i] == "name" and r.words[r.i] in ("default", "is", "defaults")
    if r.kinds[r.i] not in ("=", ":") and not (
        worded and r.kinds[r.i + 1] in ("=", "number", "-")
    ):  # fmt: skip
        return None
    if worded and r.kinds[r.i + 1] == "=":
        r.error_here("stray", "no word stands before '='", f"remove '{r.words[r.i]}'")
        r.i += 1
    r.sign("=", f"before the default of '{name}'")
    r.parens += 1
    default = expression(r)
    if r.kinds[r.i] == "," and r.decimal():
        r.i += 1
        digits = f"{r.words[r.i - 2]}.{r.words[r.i]}"
        default = replace(number(r), value=float(digits))
    r.parens -= 1
    return default


def _called(r: Reader) -> tuple[str, ...]:
    """Parse ``called (word, word)`` after the bounds of a parameter."""
    if r.words[r.i] != "called":
        return ()
    r.i += 1
    if r.kinds[r.i] != "(":
        r.error_before("missing-sign", "'(' is missing after 'called'", "write called (low, high)")
        return ()
    r.i += 1
    words = []
    for sign in (",", ")"):
        words.append(r.name("for a bound"))
        if r.kinds[r.i] == sign:
            r.i += 1
        else:
            r.error_before("missing-sign", f"'{sign}' is missing here", f"add '{sign}' here")
    return tuple(words)
