"""Parsing expressions: operator precedence, paths, tuples and calls.

A line's end closes an expression outside parentheses unless the line ends in an operator.
Between parentheses commas may be left out, all or none of them; ``(1 -2)`` is then two values
and said to be so.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from articulata.world.language.meant_words import closest
from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.expressions import BINDING, NOT_BINDING, SIGN_BINDING
from articulata.world.language.syntax.grammar import DEEPEST, LONGEST_CHAIN, RESERVED
from articulata.world.language.syntax.habits import argument
from articulata.world.language.syntax.parentheses import (
    ENDS,
    as_call,
    as_parentheses,
    check_gaps,
    goes_on,
    has_comma,
    nameless,
    names_argument,
    never_closed,
    run_with_minus,
)
from articulata.world.language.syntax.parse_numbers import number
from articulata.world.language.syntax.reader import Lost, Reader, tuple_of

_T = TypeVar("_T")


def expression(r: Reader, least: int = 0) -> t.Expression:
    """Parse an expression whose operators bind tighter than ``least``."""
    first = r.i
    left = number(r) if r.kinds[first] == "number" else operand(r)
    if r.kinds[r.i] not in BINDING:
        return left
    chained = 0
    while True:
        operator = r.kinds[r.i]
        binding = BINDING.get(operator)
        if binding is None or binding <= least:
            return left
        if r.parens == 0 and r.new_line(r.i):
            return left
        if r.list_at >= 0 and operator in "+-" and _begins_value(r):
            return left
        if (
            r.signs
            and r.parens == 0
            and (_links(r) if operator == "and" else operator in "+-" and _is_sign(r))
        ):
            return left
        r.i += 1
        chained += 1
        if chained > LONGEST_CHAIN:
            r.lost_here(
                "too-deep",
                f"this expression chains more than {LONGEST_CHAIN} operators",
                "split it and give the parts names with let",
            )
        r.depth += 1
        if r.depth > DEEPEST:
            r.too_deep()
        right = expression(r, binding - 1 if operator == "^" else binding)
        r.depth -= 1
        left = t.Binary(operator, left, right, span=r.span_from(first))


def _links(r: Reader) -> bool:
    """Say whether the 'and' here links two entries, and does not stand in a name of words."""
    i = r.i + 1
    return not (r.kinds[i] == r.kinds[i + 1] == "name" and not r.new_line(i + 1))


def _is_sign(r: Reader) -> bool:
    """Say whether a blank stands before the sign here and none after it."""
    start = r.starts[r.i]
    return r.text[start - 1].isspace() and not r.text[start + 1 : start + 2].isspace()


def _begins_value(r: Reader) -> bool:
    """Say whether a sign begins a second value of a list without commas: ``(1 -2)``."""
    i = r.i
    if not _is_sign(r) or has_comma(r, r.list_at):
        return False
    r.findings.warning(
        "two-values",
        r.token_span(i),
        f"'{r.words[i]}' begins a second value here, because there are no commas",
        f"put commas between the values, or blanks on both sides of '{r.words[i]}'",
    )
    return True


def operand(r: Reader) -> t.Expression:
    """Parse a number, path, call, text, parenthesis or signed operand."""
    i = r.i
    kind = r.kinds[i]
    if kind == "number":
        return number(r)
    if kind == "name":
        return path_or_call(r)
    if kind == "(":
        return parenthesis(r)
    if kind == "-" or kind == "+" or kind == "not":
        r.i = i + 1
        r.deeper()
        inner = expression(r, NOT_BINDING if kind == "not" else SIGN_BINDING)
        r.depth -= 1
        return t.Unary(kind, inner, span=r.span_from(i))
    if kind == "text":
        r.i = i + 1
        return t.Text(r.words[i][1:-1], span=r.token_span(i))
    if kind in ("[", "{") and i and not r.new_line(i):
        as_parentheses(r)
        return parenthesis(r)
    return _no_value(r)


def _no_value(r: Reader) -> t.Path:
    """Report that a value is missing, where and as a person would say it."""
    i = r.i
    kind, word = r.kinds[i], r.words[i]
    same_line = i > 0 and not r.new_line(i)
    if kind in RESERVED and same_line and r.kinds[i + 1] in (")", ",", ";", "eof", "*", "/", "-"):
        r.error_here(
            "reserved-word",
            f"'{word}' is a reserved word and cannot be a value",
            f"write another name, such as '{word}_1'",
        )
        r.i = i + 1
        return t.Path((t.Part(word, None, span=r.token_span(i)),), span=r.token_span(i))
    if kind == "/" and same_line and r.kinds[i - 1] in (":", ","):
        name = r.text[r.starts[i] :].split(maxsplit=1)[0].rstrip(",;")
        r.lost_here("missing-sign", "a path stands between double quotes", f'write "{name[:60]}"')
    if same_line and kind in BINDING and r.kinds[i - 1] not in BINDING:
        r.lost_here(
            "missing-value", f"a value is missing before '{word}'", f"add a value before '{word}'"
        )
    if kind == "." and same_line:
        r.lost_here("stray", "'.' cannot begin a value", "write a name before '.'")
    if i == r.entry_at and kind == "name":
        r.lost_here(
            "unknown-word", f"'{word}' is not known here", "begin with a value, or remove it"
        )
    after = r.words[i - 1] if i else ""
    return r.lost_before(
        "missing-value",
        f"a value is missing after '{after}'" if after else "a value is missing",
        "add a value here",
    )


def path(r: Reader, what: str) -> t.Path:
    """Parse a dotted path; ``what`` says what it names."""
    i, kinds = r.i, r.kinds
    if kinds[i] == "name" and kinds[i + 1] != "." and kinds[i + 1] not in _GOES_ON:
        r.i = i + 1
        span = r.spans[i]
        return t.Path((t.Part(r.words[i], None, span=span),), span=span)
    word = r.name(what)
    i = r.i - 1
    as_call(r)
    return _path_from(r, i, word)


def _path_from(r: Reader, first: int, word: str) -> t.Path:
    """Parse what follows the first name of a path."""
    parts = []
    kinds = r.kinds
    begin = first
    while True:
        if kinds[r.i] == "[" and r.starts[r.i] == r.end_before():
            index = subscript(r)
            parts.append(t.Part(word, index, span=r.span_from(begin)))
        else:
            parts.append(t.Part(word, None, span=r.spans[begin]))
        if kinds[r.i] != ".":
            return t.Path(tuple(parts), span=r.span_from(first))
        r.i += 1
        begin = r.i
        if kinds[begin] == "text":
            word = unquoted(r)
            continue
        if kinds[begin] != "name" and (kinds[begin] not in RESERVED or r.new_line(begin)):
            r.lost_before(
                "missing-name", "a name is missing after '.'", "add a name, or remove '.'"
            )
        word = r.words[begin]
        r.i += 1


def unquoted(r: Reader) -> str:
    """Return the name that stands here in quotes, as one with spaces must."""
    word = r.words[r.i][1:-1]
    if not word:
        r.error_here("empty", "there is no name between these quotes", "write a name")
    r.i += 1
    return word


def quoted(r: Reader) -> t.Path:
    """Parse a name in quotes as a path of one part."""
    span = r.spans[r.i]
    return t.Path((t.Part(unquoted(r), None, span=span),), span=span)


def subscript(r: Reader) -> t.Expression | t.Range:
    """Parse ``[index]`` or ``[first..last]``."""
    opening = r.i
    r.i += 1
    r.deeper()
    r.parens += 1
    first = r.i
    outside = r.juxtapose, r.list_at
    r.juxtapose, r.list_at = False, -1
    if r.kinds[r.i] == "]":
        r.lost_here("empty", "the index is missing between '[' and ']'", "write [1]")
    low = expression(r)
    index = run_with_minus(r, low)
    if r.kinds[r.i] == ":":
        r.error_here("missing-sign", "'..' is due between first and last, not ':'", "write '..'")
        r.kinds[r.i] = ".."
    if r.kinds[r.i] == "..":
        r.i += 1
        last = expression(r)
        index = t.Range(low, last, span=r.span_from(first))
    r.juxtapose, r.list_at = outside
    r.depth -= 1
    r.parens -= 1
    if r.kinds[r.i] == "]":
        r.i += 1
    else:
        shown = r.text[r.starts[opening] : r.end_before()]
        r.error_before("missing-sign", "']' is missing", f"add ']' here: {shown[:30]}]")
        if r.kinds[r.i] == ")":
            r.i += 1
    return index


_OF_ONE = frozenset(("sin", "cos", "tan", "asin", "acos", "atan", "sqrt", "abs", "exp", "log"))
"""Functions of one value, which is written after them without parentheses by habit."""


def path_or_call(r: Reader) -> t.Expression:
    """Parse a path, or a call when a parenthesis follows."""
    i = r.i
    kinds = r.kinds
    after = kinds[i + 1]
    if (after == ":" or after == "=") and r.parens == 0 and r.new_line(i):
        return _no_value(r)  # the next entry begins here
    if after in ("[", "{", "number") or (after == "(" and kinds[i + 3 : i + 5] == [")", "."]):
        r.i = i + 1
        as_call(r)
        after = kinds[i + 1]
    if after == "." or after == "[":
        r.i = i + 1
        name = _path_from(r, i, r.words[i])
    else:
        r.i = i + 1
        span = r.spans[i]
        name = t.Path((t.Part(r.words[i], None, span=span),), span=span)
    if kinds[r.i] != "(":
        if kinds[r.i] == "number" and name.simple in _OF_ONE and not r.new_line(r.i):
            r.error_before(
                "missing-sign", f"'(' is missing after '{name.simple}'", "add '(' and ')'"
            )
            value = number(r)
            return t.Call(name, (t.Argument(None, value, span=value.span),), span=r.span_from(i))
        return name
    if r.starts[r.i] != name.span[1] and (r.juxtapose or r.new_line(r.i)):
        return name
    return t.Call(name, arguments(r), span=r.span_from(i))


def arguments(r: Reader) -> tuple[t.Argument, ...]:
    """Parse the arguments in parentheses; ``()`` is none."""
    if r.kinds[r.i + 1] == ")":
        r.i += 2
        return ()
    return tuple(_list(r, partial(_argument, r.words[r.i - 1]), -1)[0])


def parenthesis(r: Reader) -> t.Expression:
    """Parse a tuple, or a single expression in parentheses, which is that expression."""
    first = r.i
    items, commas = _list(r, expression, first)
    if len(items) == 1 and not commas:
        return items[0]
    return t.Tuple(tuple(items), span=r.span_from(first))


def _list(r: Reader, read: Callable[[Reader], _T], list_at: int) -> tuple[list[_T], int]:
    """Read values between parentheses; return them and how many commas there were.

    ``list_at`` is the token that opens a list without names, -1 for the arguments of a call.
    """
    kinds = r.kinds
    opening = r.i
    r.depth += 1
    if r.depth > DEEPEST:
        r.too_deep()
    r.parens += 1
    r.i += 1
    outside = r.juxtapose, r.list_at
    r.juxtapose, r.list_at = list_at >= 0, list_at
    items: list[_T] = []
    commas = 0
    gaps: list[int] = []
    named = False
    while kinds[i := r.i] != ")":
        if kinds[i] in ENDS and kinds[i + 1] in (":", "=") and not r.new_line(i):
            kinds[i] = "name"  # a reserved word that was meant as a name
        if kinds[i] == ";" and items and goes_on(r, i):
            r.error_here("missing-sign", "',' stands between values, not ';'", "write ','")
            kinds[i] = ","
            r.i = i = i + 1
        gap = bool(items) and kinds[i - 1] != ","
        if (gap or kinds[i] in ENDS) and never_closed(r, i, opening, items, gap):
            break
        if gap and list_at >= 0 and _times(r, opening):
            items.pop()
        elif gap:
            gaps.append(i)
            if list_at < 0 and r.words[i] in ("x", "by") and kinds[i + 1] != ":":
                r.i += 1
        items.append(read(r))
        if kinds[r.i] in (":", "=") and kinds[i] == "name" and r.i == i + 1 and list_at >= 0:
            if not named:
                r.findings.error(
                    "stray", (r.starts[i], r.spans[i + 1][1]), "values of a group have no names",
                    f"write the values alone, in order: {nameless(r, opening)}",
                )  # fmt: skip
            named = True
            r.i += 1
            items[-1] = read(r)
        commas += _comma(r, items)
    else:
        r.i += 1
    r.juxtapose, r.list_at = outside
    r.depth -= 1
    r.parens -= 1
    if not items:
        r.findings.error(
            "empty", (r.starts[opening], r.end_before()), "these parentheses are empty",
            "write the values between them, such as (0, 0, 0)",
        )  # fmt: skip
        raise Lost
    if gaps:
        check_gaps(r, gaps, commas, list_at < 0)
    return items, commas


def _times(r: Reader, opening: int) -> bool:
    """Take an ``x`` that stands as a sign before a number, and tell what to write."""
    i = r.i
    if r.words[i] != "x" or r.kinds[i + 1] != "number" or not has_comma(r, opening):
        return False
    r.error_here("stray", "'x' is an axis, and no sign", "write *")
    r.i += 1
    return True


def _comma(r: Reader, items: list[_T]) -> bool:
    """Take what stands after a value of a list; return whether it is a comma."""
    kinds = r.kinds
    if kinds[r.i] != ",":
        return False
    r.i += 1
    if kinds[r.i] == ")" or kinds[r.i] == ",":
        r.error_before(
            "missing-value", "a value is missing after ','", "add a value, or remove ','"
        )
        # stands twice, so that the number of values is what was meant
        items.append(items[-1])
        while kinds[r.i] == ",":
            r.i += 1
    return True


def _argument(called: str, r: Reader) -> t.Argument:
    """Parse ``name: value`` or ``value`` in a call of ``called``."""
    i = r.i
    name = None
    after = r.kinds[i + 1]
    if after == ":" or after == "=":
        name = r.name("for an argument")
        r.i += 1
    elif after in ("name", "number") and names_argument(r, i):
        name = r.name("for an argument")
        r.error_before("missing-sign", f"':' is missing after '{name}'", "add ':' here")
    first = r.i
    value = expression(r)
    if name is not None and r.kinds[r.i] == "number" and r.kinds[r.i + 1] in ("number", "-"):
        value = _side_by_side(r, value, first)
    if r.kinds[r.i] not in _ENDS_ARGUMENT:
        value = placed(r, value)
    if after == "=" and name is not None:
        shown = argument(called, name, r.text[slice(*r.span_from(first))], r.line(i))
        r.findings.error("missing-sign", r.span_from(i), _EQUALS, f"write {shown}")
    return t.Argument(name, value, span=r.span_from(i))


def _side_by_side(r: Reader, value: t.Expression, first: int) -> t.Expression:
    """Report ``axis: 0 1 0`` and read it as ``axis: (0, 1, 0)``."""
    found = [value]
    while r.kinds[r.i] in ("number", "-") and not r.new_line(r.i):
        found.append(expression(r))
    span = r.span_from(first)
    told, advice = "values stand together in ( )", f"write {tuple_of(r.text[slice(*span)])}"
    r.findings.error("missing-sign", span, told, advice)
    return t.Tuple(tuple(found), span=span)


_GOES_ON = frozenset(("[", "{", "name", "(", "number"))  # a path, or was meant so
_ENDS_ARGUMENT, _EQUALS = frozenset((",", ")")), "an argument's name is followed by ':'"


def placed(r: Reader, value: t.Expression | None = None) -> t.Expression:
    """Parse an expression that may be put elsewhere: ``... at point turned angle about axis``.

    ``value`` is what is put there when it has been read already.
    """
    if value is None:
        value = expression(r)
    if (
        r.kinds[r.i] != "at"
        and r.words[r.i] != "turned"
        and not _misspelt(r, "turned", "number", "-")
    ):
        return value
    at = None
    turns: tuple[t.Turn, ...] = ()
    while True:
        if r.kinds[r.i] == "at" and at is None:
            r.i += 1
            at = expression(r)
        elif (r.words[r.i] == "turned" and r.kinds[r.i + 1] != ":") or _misspelt(
            r, "turned", "number", "-"
        ):
            turns = turns + turnings(r)
        else:
            break
    if at is None and not turns:
        return value
    return t.Placed(value, at, turns, span=(value.span[0], r.end_before()))


def _turned(r: Reader) -> bool:
    """Say whether a turn stands here."""
    here = r.words[r.i] == "turned" and r.kinds[r.i + 1] != ":"
    return here or _misspelt(r, "turned", "number", "-")


def _misspelt(r: Reader, word: str, *before: str) -> bool:
    """Say whether the word here was meant to be ``word``; report it, and take it for that.

    ``before`` are kinds of tokens of which one follows.
    """
    i, said = r.i, r.words[r.i]
    if r.kinds[i] != "name" or r.kinds[i + 1] not in before or r.new_line(i):
        return False
    if said == word or len(said) < 3 or not closest(said, (word,)):
        return False
    r.error_here("unknown-word", f"'{said}' cannot stand here", f"did you mean '{word}'?")
    r.words[i] = word
    return True


def turnings(r: Reader) -> tuple[t.Turn, ...]:
    """Parse any number of ``turned angle about axis`` or ``turned rotation``."""
    turns = []
    while (r.words[r.i] == "turned" and r.kinds[r.i + 1] != ":") or _misspelt(
        r, "turned", "number", "-"
    ):
        first = r.i
        r.i += 1
        axis = None
        about = r.i if r.words[r.i] == "about" else -1
        if about >= 0:
            r.i += 1
            axis = expression(r)
        angle = expression(r)
        if about >= 0:
            shown = [r.text[slice(*each.span)] for each in (angle, axis) if each is not None]
            r.findings.error(
                "missing-value", r.token_span(about), "the angle stands before its axis",
                f"write turned {' about '.join(shown)}",
            )  # fmt: skip
        if r.words[r.i] == "about" or _misspelt(r, "about", "name", "(", "-"):
            r.i += 1
            axis = expression(r)
        turns.append(t.Turn(angle, axis, span=r.span_from(first)))
    return tuple(turns)
