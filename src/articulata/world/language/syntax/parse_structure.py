"""Parsing the statements of a structure."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from articulata.world.language.meant_words import closest, did_you_mean, other_word
from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.declared_names import names_of
from articulata.world.language.syntax.grammar import RESERVED, STATEMENTS
from articulata.world.language.syntax.habits import belongs
from articulata.world.language.syntax.meant_statements import (
    OF_ONE,
    held_still,
    in_order,
    tell,
    told_as_linked,
    told_as_meant,
)
from articulata.world.language.syntax.parse_components import opens
from articulata.world.language.syntax.parse_expressions import (
    arguments,
    expression,
    path,
    quoted,
    turnings,
)
from articulata.world.language.syntax.parse_joins import driven, join
from articulata.world.language.syntax.parse_motions import begins_verb, follows
from articulata.world.language.syntax.reader import Lost, Reader
from articulata.world.language.syntax.recovery import block
from articulata.world.language.syntax.tree import MaterialPair
from articulata.world.language.vocabulary import HINGE_QUANTITIES

_T = TypeVar("_T")


# ---- statements


def structure(r: Reader) -> tuple[t.Statement, ...]:
    """Parse what follows the word ``structure``: a block, or statements up to the block's end."""
    found: list[t.Statement] = []

    def entry(r: Reader) -> None:
        keep(found, r)

    if opens(r, "structure"):
        before = r.lost
        block(r, "the structure", entry, tuple(STATEMENTS))
        # a statement that is lost takes no component or feature with it
        r.lost = before
    return tuple(found)


def keep(found: list[t.Statement], r: Reader) -> None:
    """Add the next statement, or what could be made of it, to those found."""
    try:
        found.append(statement(r))
    except Lost as lost:
        if lost.left is not None:
            found.append(lost.left)
        raise


def statement(r: Reader) -> t.Statement:
    """Parse one statement; a misspelt first word is taken for the one it resembles."""
    word = r.words[r.i]
    parse = _STATEMENTS.get(word)
    if parse is not None:
        return parse(r) if parse is for_ else in_order(r, parse)
    verb = begins_verb(r)
    if verb == "driven":
        return driven(r)
    if verb and not other_word(verb, ("follows",)):
        return follows(r)
    if r.kinds[r.i] == "name":
        told = f"{r.shown()} does not begin a statement"
        if meant := told_as_meant(r, r.i):
            tell(r, "unknown-word", told, meant)
            return _STATEMENTS.get(r.words[r.i], follows)(r)
        if verb:
            return follows(r)
        if word in ("if", "while", "unless", "elif", "else", "switch"):
            r.lost_here("unknown-word", f"a structure has no '{word}'", _counted(r.line(r.i)))
        if still := held_still(r):
            r.lost_here("unknown-word", told, still)
        guess = closest(word, tuple(_STATEMENTS))
        following = r.kinds[r.i + 1]
        if guess and (following == "name" or following in RESERVED):
            r.error_here("unknown-word", f"'{word}' is not a statement", f"did you mean '{guess}'?")
            parse = _STATEMENTS[guess]
    if parse is None:
        if r.kinds[r.i] == "name" and (r.kinds[r.i + 1] == ":" or word == "on"):
            r.lost_here(
                "unknown-word",
                f"'{word}' does not belong in a structure",
                belongs(r, "structure")
                or "components stand in 'components'; a structure has "
                "join, place, ignore, force, gear, cam and for",
            )
        told = f"{r.shown()} does not begin a statement"
        advice = belongs(r, "structure") or did_you_mean(word, tuple(STATEMENTS))
        r.lost_here("unknown-word", told, advice)
    return parse(r)


def _counted(line: str) -> str:
    """Return how a 'for' says what ``if n > 2`` says elsewhere."""
    bound = re.search(r"(\w+)\s*(>=?)\s*(\d+)", line)
    name, first = (bound[1], int(bound[3]) + (bound[2] == ">")) if bound else ("n", 1)
    return f"write for i in {first}..{name} {{ ... }}: it does nothing where {name} is less"


def place(r: Reader) -> t.Place:
    """Parse ``place target by clause, clause``."""
    first = r.i
    r.i += 1
    target = path(r, "after 'place'")
    if r.kinds[r.i] == "at":
        shown, body, at = r.text[slice(*target.span)], target.parts[0], r.line(r.i).rstrip(" ;}")
        if put := re.match(r"at (.+?) by ([\w.\[\]]+)(.*)", at):
            order = f"write place {r.text[slice(*body.span)]} by {put[2]} at {put[1]}{put[3]}"
            r.lost_here("missing-word", "'by' and what is put there come before 'at'", order)
        featured = len(target.parts) > 1 and target.parts[-1].index is None
        what = shown if featured else f"{shown}.center"
        of = r.text[slice(*body.span)]
        r.lost_here(
            "missing-word", f"'by' and what of '{of}' is put there are missing",
            f"write place {of} by {what} {at}",
        )  # fmt: skip
    if r.kinds[r.i] == "=" and len(target.parts) > 1:
        named = r.text[slice(*target.span)]
        moved = names_of(r).moved.get(target.parts[0].name, "BODY")
        shown = f"write place {moved} by {named} {r.line(r.i).rstrip(' ;}')}"
        r.lost_here("missing-word", "'place' and 'by' stand around the body that is placed", shown)
    r.word("by", "in this place statement", "place A by A.center at (0, 0, 0)")
    return t.Place(target, place_clauses(r, target.text), span=r.span_from(first))


def place_clauses(r: Reader, target: str = "") -> tuple[t.PlaceClause, ...]:
    """Parse the clauses of a placement; commas or line ends stand between them."""
    clauses = [_place_clause(r, target)]
    while True:
        if r.kinds[r.i] == ",":
            r.i += 1
        elif r.kinds[r.i] != "name" or not _goes_on(r):
            return tuple(clauses)
        elif not r.new_line(r.i) and r.kinds[r.i + 1] == ".":
            r.error_before("missing-sign", "',' stands between clauses of a place", "add ',' here")
        before = clauses[-1]
        if r.kinds[r.i] == "(" and isinstance(before, t.PlaceSet):
            whole = r.text[slice(*before.value.span)], r.line(r.i).rstrip(" ;}")
            advice = f"write {before.path.text} = ({', '.join(whole)})"
            r.lost_here("missing-sign", "groups of values stand together in ( )", advice)
        clauses.append(_place_clause(r))


def _goes_on(r: Reader) -> bool:
    """Say whether a clause without comma before it follows: ``velocity =``, ``a.b at``."""
    i = r.i + 1
    if r.words[r.i] == "properties" or (r.words[r.i] == "force" and r.kinds[i] == "name"):
        return r.words[r.i] == "properties"
    while r.kinds[i] in (".", "[", "]", "..", "name", "number") and not r.new_line(i):
        if r.words[i] in ("follows", "driven") or r.kinds[i - 1] == r.kinds[i] == "name":
            return False
        i += 1
    return r.kinds[i] in ("=", "at")


def _place_clause(r: Reader, target: str = "") -> t.PlaceClause:
    first = r.i
    if r.words[first] == "properties":
        r.i += 1
        r.sign(":", "after 'properties'")
        if r.kinds[r.i] != "(":
            r.lost_before("missing-value", "the properties are missing", "write (gravity)")
        return t.Properties(arguments(r), span=r.span_from(first))
    if r.kinds[first] == "text" and r.kinds[first + 1] == "=":
        joint = quoted(r)
        r.i += 1
        return t.PlaceSet(joint, expression(r), span=r.span_from(first))
    if r.kinds[first] in ("(", "number"):
        end = f".center at {r.line(first).rstrip(' ;}')}"
        advice = f"write {target}{end}" if r.kinds[first] == "(" and target else f"write A{end}"
        r.lost_before("missing-name", "what is put there is missing", advice)
    what = path(r, "of a feature or quantity")
    if r.kinds[r.i] in ("=", "==") or (r.kinds[r.i] == ":" and not r.new_line(r.i)):
        found = r.words[r.i]
        if found != "=":
            told = f"'=' is due after '{what.text}', not '{found}'"
            r.error_here("missing-sign", told, "write '='")
        r.i += 1
        return t.PlaceSet(what, expression(r), span=r.span_from(first))
    if r.kinds[r.i] in ("number", "-") and not r.new_line(r.i):
        r.error_before("missing-sign", f"'=' is missing after '{what.text}'", "add '=' here")
        return t.PlaceSet(what, expression(r), span=r.span_from(first))
    _given(r, what, first)
    if r.kinds[r.i] == "at":
        r.i += 1
    elif r.kinds[r.i] == "(" or (r.kinds[r.i] == "name" and not r.new_line(r.i)):
        r.word("at", f"after '{what.text}'", f"{what.text} at (0, 0, 0)")
    else:
        away = target and what.parts[0].name != target.partition(".")[0].partition("[")[0]
        r.lost_before(
            "missing-word", f"'at' and a point are missing after '{what.text}'",
            f"write place {target} by {target}.center at {what.text}" if away
            else f"write {what.text} at (0, 0, 0)",
        )  # fmt: skip
    begin = r.i
    if r.kinds[begin] == "name" and r.kinds[begin + 1] in ("=", ":"):
        r.lost_here("stray", "a point stands after 'at' without a name",
                    f"write at {r.line(begin + 2).rstrip(' ;}')}")  # fmt: skip
    at = expression(r)
    return t.PlaceAt(what, at, turnings(r), span=r.span_from(first))


def _given(r: Reader, what: t.Path, first: int) -> None:
    """Report the value of a hinge's quantity that stands behind it in ( ) or after a word."""
    if r.new_line(r.i) or what.parts[-1].name not in HINGE_QUANTITIES:
        return
    forms = r"\((?:\w+[ \t]*[:=])?([^(),:=]*)\)|(?:to|of|is)\b([^,;}]*)|at[ \t]+(-?\d[^,;}]*)"
    found = re.match(forms, r.line(r.i))
    if found and (value := "".join(filter(None, found.groups())).strip()):
        r.i, told = first, f"'=' stands between '{what.text}' and its value"
        r.lost_here("missing-sign", told, f"write {what.text} = {value}")


def of_two(made: Callable[..., _T], word: str, where: str) -> Callable[[Reader], _T]:
    """Return the parser of ``word A with B``; ``where`` it stands in messages."""

    def parse(r: Reader) -> _T:
        first = r.i
        r.i += 1
        a = path(r, f"after '{word}'")
        if r.kinds[r.i] == "," and " with " in (line := r.line(first)):
            several, _, other = line.removeprefix(word).rstrip(" ;}").partition(" with ")
            each = [f"{word} {one.strip()} with {other}" for one in several.split(",")]
            r.lost_here("stray", f"one pair stands after '{word}'", f"write {'; '.join(each)}")
        r.word("with", f"in this {where}", f"{word} A with B")
        return made(a, path(r, "after 'with'"), span=r.span_from(first))

    return parse


ignore = of_two(t.Ignore, "ignore", "statement")


def force(r: Reader) -> t.Force | t.Moment:
    """Parse ``force name between a and b = value`` or ``force name about hinge = value``."""
    first = r.i
    r.i += 1
    at = r.i
    if r.words[at] in OF_ONE and r.kinds[at + 1] == "name" and told_as_linked(r, first):
        return force(r)
    _unnamed(r, "force pull")
    name = r.name("for a force")
    place = r.words[r.i]
    if place == "about" or (place != "between" and closest(place, ("between", "about")) == "about"):
        r.word("about", "in this force", "force f about hinge = value")
        hinge = path(r, "of a hinge after 'about'")
        r.sign("=", "before the moment")
        value, rate = expression(r), _integrating(r)
        return t.Moment(
            name, hinge, value, rate, span=r.span_from(first), name_span=r.token_span(at)
        )
    if place in OF_ONE and told_as_linked(r, first):
        return force(r)
    if place == "along":
        r.lost_here(
            "unknown-word",
            "a force acts between two features or about a hinge, not along one",
            "write force f between a and b = value, a and b features on the line of the slide",
        )
    r.word("between", "in this force", "force f between a and b = value")
    a = path(r, "after 'between'")
    r.word("and", "in this force", "force f between a and b = value")
    b = path(r, "after 'and'")
    further: list[t.Path] = []
    while r.words[r.i] == "and":
        r.i += 1
        further.append(path(r, "after 'and'"))
    r.sign("=", "before the force's value")
    value, rate = expression(r), _integrating(r)
    return t.Force(
        name, a, b, value, tuple(further), rate,
        span=r.span_from(first), name_span=r.token_span(at),
    )  # fmt: skip


def _integrating(r: Reader) -> t.Expression | None:
    """Parse ``integrating rate`` after the value of a force."""
    if r.words[r.i] != "integrating":
        return None
    r.i += 1
    return expression(r)


def _unnamed(r: Reader, named: str) -> None:
    """Report and give up a force or a gear without a name."""
    if r.words[r.i] in ("between", "about") and r.kinds[r.i + 1] == "name":
        line = r.line(r.i).rstrip(" ;}")
        told = f"the name of this {named.partition(' ')[0]} is missing"
        r.lost_here("missing-name", told, f"write {named} {line}")


def gear(r: Reader) -> t.Gear:
    """Parse ``gear name between a and b = value``, or the same of a cam."""
    first, what = r.i, r.words[r.i]
    form = f"{what} name between hinge and hinge = {'law' if what == 'cam' else 'ratio'}"
    r.i += 1
    at = r.i
    _unnamed(r, f"{what} drive")
    name = r.name(f"for a {what}")
    if r.words[r.i] in OF_ONE and told_as_linked(r, first):
        return gear(r)
    r.word("between", f"in this {what}", form)
    a = _addends(r, "of a hinge after 'between'")
    r.word("and", f"in this {what}", form)
    b = _addends(r, "of a hinge after 'and'")
    r.sign("=", f"before the {form.rpartition(' ')[2]}")
    return t.Gear(
        name,
        a,
        b,
        expression(r),
        what == "cam",
        span=r.span_from(first),
        name_span=r.token_span(at),
    )


def _addends(r: Reader, where: str) -> tuple[t.Addend, ...]:
    """Parse ``a``, or a sum of hinges, ``a - b``."""
    found: list[t.Addend] = []
    while not found or r.kinds[r.i] in ("+", "-"):
        first, sign = r.i, 1
        if r.kinds[r.i] in ("+", "-"):
            sign = -1 if r.kinds[r.i] == "-" else 1
            r.i += 1
        found.append(t.Addend(path(r, where), sign, span=r.span_from(first)))
    return tuple(found)


def for_(r: Reader) -> t.For:
    """Parse ``for name in first..last { statements }``."""
    first = r.i
    r.i += 1
    at = r.i
    if r.kinds[r.i] == "number" and r.kinds[r.i + 1] == "..":
        told = "what counts is not named in this 'for'"
        r.lost_here("missing-name", told, f"write for i in {r.line(r.i)}")
    name = r.name("for the number that counts")
    if r.words[r.i] == "from" and "to" in r.words[r.i : r.i + 5]:  # one mistake: from 2 to n
        r.error_here("unknown-word", "'in' is due in this 'for', not 'from'", "write in 1..n")
        r.i += 1
        numbers = range_(r, to=True)
    else:
        if r.kinds[r.i] in ("=", ":"):
            r.error_here("unknown-word", f"'in' is due in this 'for', not {r.shown()}", "write in")
            r.words[r.i] = "in"
        r.word("in", "in this 'for'", "for i in 1..n { ... }")
        numbers = range_(r)
    body: list[t.Statement] = []

    def entry(r: Reader) -> None:
        keep(body, r)

    block(r, "the block of this 'for'", entry, tuple(STATEMENTS))
    return t.For(name, numbers, tuple(body), span=r.span_from(first), name_span=r.token_span(at))


_STATEMENTS: dict[str, Callable[[Reader], t.Statement]] = {
    "join": join,
    "place": place,
    "ignore": ignore,
    "force": force,
    "gear": gear,
    "cam": gear,
    "for": for_,
}


# ---- parsing the numbers that a ``for`` counts: ``first..last``


def range_(r: Reader, *, to: bool = False) -> t.Range:
    """Parse ``first..last``; with ``to`` it is told already that "to" stands for the points."""
    first = r.i
    outside, r.juxtapose = r.juxtapose, True
    low = expression(r)
    r.juxtapose = outside
    if r.kinds[r.i] == ".." or (to and r.words[r.i] == "to"):
        r.i += 1
    elif r.words[r.i] == "to" or r.kinds[r.i] in (",", ":", "-", ";"):
        shown = "1..n"
        if r.kinds[r.i + 2] == "{":
            shown = f"{r.text[slice(*low.span)]}..{r.words[r.i + 1]}"
        told = f"write {shown}"
        r.error_here("missing-sign", "'..' is due between first and last", told)
        r.i += 1
    elif r.kinds[r.i] in ("name", "number", "(") and not r.new_line(r.i):
        if r.words[r.i - 1].endswith("."):  # "2.n": the number took the point
            end = r.end_before()
            r.findings.error(
                "missing-sign", (end - 1, end), "'..' is due between first and last", "write '..'"
            )
        else:
            r.error_before(
                "missing-sign", "'..' is missing between first and last", "add '..' here"
            )
    else:
        r.lost_before("missing-sign", "'..' and the last number are missing", "write 1..n")
    high = expression(r)
    return t.Range(low, high, span=r.span_from(first))


# ---- what two materials do in touch, in a file and as an action


def contact(r: Reader) -> MaterialPair:
    """Parse ``contact A with B: (name: value, ...)``."""
    first = r.i
    r.i += 1
    one = path(r, "of a material after 'contact'")
    r.word("with", "in this contact", "contact steel with rubber: (friction: 0.8)")
    other = path(r, "of a material after 'with'")
    r.sign(":", "after the two materials")
    if r.kinds[r.i] != "(":
        r.lost_before(
            "missing-value", "what holds between the two is missing",
            "write (friction: 0.8, restitution: 0.2)",
        )  # fmt: skip
    return MaterialPair(one, other, arguments(r), span=r.span_from(first))
