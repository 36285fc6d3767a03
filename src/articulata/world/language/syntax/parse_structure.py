"""Parsing components and the statements of a structure."""

from __future__ import annotations

from collections.abc import Callable

from articulata.world.language.diagnostics import closest, did_you_mean
from articulata.world.language.syntax.grammar import RESERVED, SECTIONS, STATEMENTS
from articulata.world.language.syntax.parse_expressions import (
    arguments,
    expression,
    path,
    quoted,
    range_,
    subscript,
    turnings,
)
from articulata.world.language.syntax.parse_motions import begins_follows, follows
from articulata.world.language.syntax.reader import Lost, Reader
from articulata.world.language.syntax.recovery import block
from articulata.world.language.syntax.tree import (
    Argument,
    Component,
    ComponentName,
    Expression,
    For,
    Force,
    Ignore,
    Join,
    Moment,
    Number,
    Pair,
    Part,
    Path,
    Place,
    PlaceAt,
    PlaceClause,
    PlaceSet,
    Properties,
    Range,
    Statement,
)

# ---- components


def components(r: Reader, kind: str) -> tuple[Component, ...]:
    """Parse what follows the word ``components``: a block, or entries up to the next section."""
    found: list[Component] = []

    def entry(r: Reader) -> None:
        found.append(component(r))

    if r.kinds[r.i] == ":":
        r.error_here("stray", "no ':' is written after 'components'", "remove ':'")
        r.i += 1
    if r.kinds[r.i] in ("{", "begin"):
        block(r, "the components", entry)
        return tuple(found)
    sections = SECTIONS[kind]
    while r.kinds[r.i] == "name" or r.kinds[r.i] == ";":
        if r.kinds[r.i] == ";":
            r.i += 1
            continue
        after = r.kinds[r.i + 1]
        word = r.words[r.i]
        if word in sections and (after not in (":", ",", "[") or r.kinds[r.i + 2] != "name"):
            break
        if after not in (":", ",", "[", "="):
            guess = closest(word, tuple(sections))
            if guess or closest(word, tuple(STATEMENTS)):
                break
            if after != "name":
                break
        found.append(component(r))
        _end_of_entry(r)
    return tuple(found)


def _end_of_entry(r: Reader) -> None:
    """Take the end of an entry that stands in no block."""
    if r.kinds[r.i] == ";":
        r.i += 1
    elif not (r.new_line(r.i) or r.kinds[r.i] in ("}", "end", "structure")):
        if r.kinds[r.i + 1] == ":":
            r.error_before("missing-sign", f"';' is missing before {r.shown()}", "add ';' here")
        else:
            r.leftover()


def component(r: Reader) -> Component:
    """Parse ``name, name[1..n]: type(arguments) scaled factor``."""
    first = r.i
    names = r.listed(_component_name)
    r.sign(":", f"between '{names[-1].name}' and its type")
    next_entry = r.new_line(r.i) and r.kinds[r.i + 1] in (":", "[", ",")
    if r.kinds[r.i] != "name" or next_entry:
        r.lost_before("missing-name", "a type is missing after ':'", "add a type here")
    kind = path(r, "for a type")
    values = arguments(r) if r.kinds[r.i] == "(" and not r.new_line(r.i) else ()
    scale = None
    if r.words[r.i] == "scaled" and r.kinds[r.i + 1] != ":":
        r.i += 1
        scale = expression(r)
    return Component(names, kind, values, scale, r.span_from(first))


def _component_name(r: Reader) -> ComponentName:
    first = r.i
    word = r.name("for a component")
    span = r.span_from(first)
    if r.kinds[r.i] != "[":
        return ComponentName(word, None, span)
    inside = r.i
    index = subscript(r)
    if not isinstance(index, Range):
        r.findings.error(
            "wrong-index",
            (r.starts[inside] + 1, r.end_before() - 1),
            "an array of components has a first and a last number",
            f"write {word}[1..{r.text[r.starts[inside] + 1 : r.end_before() - 1][:20]}]",
        )
        index = Range(Number(1.0), index, index.span)
    return ComponentName(word, index, span)


# ---- statements


def structure(r: Reader) -> tuple[Statement, ...]:
    """Parse what follows the word ``structure``: a block, or statements up to the block's end."""
    found: list[Statement] = []

    def entry(r: Reader) -> None:
        found.append(statement(r))

    if r.kinds[r.i] == ":":
        r.error_here("stray", "no ':' is written after 'structure'", "remove ':'")
        r.i += 1
    if r.kinds[r.i] in ("{", "begin"):
        before = r.lost
        block(r, "the structure", entry, tuple(STATEMENTS))
        # a statement that is lost takes no component or feature with it
        r.lost = before
    return tuple(found)


def statement(r: Reader) -> Statement:
    """Parse one statement; a misspelt first word is taken for the one it resembles."""
    word = r.words[r.i]
    parse = _STATEMENTS.get(word)
    if parse is None and begins_follows(r):
        return follows(r)
    if parse is None and r.kinds[r.i] == "name":
        guess = closest(word, tuple(_STATEMENTS))
        following = r.kinds[r.i + 1]
        if guess and (following == "name" or following in RESERVED):
            r.error_here("unknown-word", f"'{word}' is not a statement", f"did you mean '{guess}'?")
            parse = _STATEMENTS[guess]
    if parse is None:
        if r.kinds[r.i] == "name" and r.kinds[r.i + 1] == ":":
            r.lost_here(
                "unknown-word",
                f"'{word}:' does not belong in a structure",
                "components stand in 'components'; a structure has "
                "join, place, ignore, force and for",
            )
        r.lost_here(
            "unknown-word",
            f"{r.shown()} does not begin a statement",
            did_you_mean(word, tuple(STATEMENTS)),
        )
    return parse(r)


def join(r: Reader, acting: bool = False) -> Join:
    """Parse ``join A to B with hinge(options) as name matching (a, b) ...``.

    ``acting``: it is the action of an ``on`` clause, where a weld needs nothing to match.
    """
    first = r.i
    r.i += 1
    a = path(r, "after 'join'")
    r.word("to", "in this join", "join A to B")
    b = path(r, "after 'to'")
    r.word("with", "in this join", "join A to B with pin")
    hinge = path(r, "for a hinge after 'with'")
    options: tuple[Argument, ...] = ()
    if r.kinds[r.i] == "(" and (r.starts[r.i] == r.end_before() or not _is_pair(r)):
        options = arguments(r)
    end_of_hinge = r.end_before()
    name, name_span = None, (-1, -1)
    matching: tuple[Pair, ...] = ()
    limits: Expression | None = None
    strength: Expression | None = None
    driver: Path | None = None
    closing = False
    restitution: Expression | None = None
    while True:
        word = _join_word(r, bool(matching))
        at = r.i
        if word == "as" and name is None:
            r.i += 1
            name = r.name("for this hinge after 'as'")
            name_span = r.token_span(r.i - 1)
            _no_number(r, name)
        elif word == "matching" and not matching:
            r.i += r.kinds[at] != "("
            matching = _pairs(r)
        elif word == "limits" and limits is None:
            r.i += 1
            limits = expression(r)
        elif word == "restitution" and restitution is None:
            r.i += 1
            restitution = expression(r)
        elif word == "breaks" and strength is None:
            r.i += 1
            r.word("at", "after 'breaks'", "breaks at 500 N")
            strength = expression(r)
        elif word == "driven" and driver is None:
            r.i += 1
            r.word("by", "after 'driven'", "driven by motor")
            driver = path(r, "for a controller after 'by'")
        elif word == "closing" and not closing:
            if not acting:
                r.error_here(
                    "stray", "'closing' is said where a join is made during a run",
                    "remove it: a world is assembled before it starts",
                )  # fmt: skip
            r.i += 1
            closing = True
        elif word:
            r.lost_here("duplicate", f"'{word}' is said twice in this join", "remove one of them")
        else:
            break
    if not matching and not _needs_no_match(a, b, hinge, acting):
        r.findings.error(
            "missing-word", (end_of_hinge, end_of_hinge + 1),
            "'matching' and the features that meet are missing in this join",
            "add 'matching (a, b)' here",
        )  # fmt: skip
    return Join(a, b, hinge, options, name, matching, limits, strength, driver,
                r.span_from(first), name_span, closing, restitution)  # fmt: skip


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


def _needs_no_match(a: Path, b: Path, hinge: Path, acting: bool) -> bool:
    """Tell whether a join says enough without features: a weld in a run, or of features."""
    return hinge.text == "weld" and (acting or len(a.parts) > 1 or len(b.parts) > 1)


_JOIN_WORDS = ("as", "matching", "limits", "restitution", "breaks", "driven", "closing")


def _join_word(r: Reader, matched: bool) -> str:
    """Return which part of a join begins here, mending a misspelt or missing word; or ``""``."""
    i = r.i
    word = r.words[i]
    if word in _JOIN_WORDS:
        return word if r.kinds[i + 1] != ":" else ""
    if r.new_line(i):
        return ""
    if r.kinds[i] == "(" and not matched:
        r.error_before("missing-word", "'matching' is missing in this join", "add 'matching' here")
        return "matching"
    if r.kinds[i] != "name" or len(word) < 4:
        return ""
    guess = closest(word, _JOIN_WORDS)
    if guess:
        r.error_here(
            "unknown-word", f"'{word}' means nothing in a join", f"did you mean '{guess}'?"
        )
    elif not matched and r.kinds[i + 1] == "(":
        r.lost_here(
            "unknown-word", f"'{word}' means nothing in a join", f"write {STATEMENTS['join'].form}"
        )
    return guess


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


def _pairs(r: Reader) -> tuple[Pair, ...]:
    """Parse one or more pairs ``(a, b)``; commas between them may be left out."""
    pairs = []
    if r.kinds[r.i] != "(":
        r.lost_before(
            "missing-value", "the features to match are missing", "write matching (top, bottom)"
        )
    while r.kinds[r.i] == "(":
        pairs.append(_pair(r))
        if r.kinds[r.i] == "," and r.kinds[r.i + 1] == "(":
            r.i += 1
    return tuple(pairs)


def _pair(r: Reader) -> Pair:
    opening = r.i
    r.i += 1
    if r.kinds[r.i] == ")":
        r.i += 1
        r.findings.error(
            "empty", r.token_span(opening), "these parentheses are empty",
            "name two features: (top, bottom)",
        )  # fmt: skip
        raise Lost
    found: list[Path] = []
    kinds = r.kinds
    if kinds[r.i + 1] == "," and kinds[r.i] == kinds[r.i + 2] == "name" and kinds[r.i + 3] == ")":
        first = path(r, "of a feature")
        r.i += 1
        second = path(r, "of a feature")
        r.i += 1
        return Pair(first, second, r.span_from(opening))
    while r.kinds[r.i] != ")":
        if r.kinds[r.i] == ",":
            if not found or r.kinds[r.i + 1] == ")":
                r.error_before("missing-name", "a feature is missing", "name two features: (a, b)")
            r.i += 1
            continue
        if r.kinds[r.i] == "text":
            found.append(quoted(r))
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
        center = Path((Part("center"),))
        found = [*found, center, center]
    return Pair(found[0], found[1], span)


def place(r: Reader) -> Place:
    """Parse ``place target by clause, clause``."""
    first = r.i
    r.i += 1
    target = path(r, "after 'place'")
    r.word("by", "in this place statement", "place A by A.center at (0, 0, 0)")
    return Place(target, place_clauses(r), r.span_from(first))


def place_clauses(r: Reader) -> tuple[PlaceClause, ...]:
    """Parse the clauses of a placement; commas or line ends stand between them."""
    clauses = [_place_clause(r)]
    while True:
        if r.kinds[r.i] == ",":
            r.i += 1
        elif r.kinds[r.i] != "name" or not _goes_on(r):
            return tuple(clauses)
        clauses.append(_place_clause(r))


def _goes_on(r: Reader) -> bool:
    """Say whether a clause without comma before it follows: ``velocity =``, ``a.b at``."""
    i = r.i + 1
    if r.words[r.i] == "properties" or (r.words[r.i] == "force" and r.kinds[i] == "name"):
        return r.words[r.i] == "properties"
    while r.kinds[i] in (".", "[", "]", "..", "name", "number") and not r.new_line(i):
        if r.words[i] == "follows":
            return False
        i += 1
    return r.kinds[i] in ("=", "at")


def _place_clause(r: Reader) -> PlaceClause:
    first = r.i
    if r.words[first] == "properties":
        r.i += 1
        r.sign(":", "after 'properties'")
        if r.kinds[r.i] != "(":
            r.lost_before("missing-value", "the properties are missing", "write (gravity)")
        return Properties(arguments(r), r.span_from(first))
    if r.kinds[first] == "text" and r.kinds[first + 1] == "=":
        joint = quoted(r)
        r.i += 1
        return PlaceSet(joint, expression(r), r.span_from(first))
    if r.kinds[first] in ("(", "number"):
        r.lost_before(
            "missing-name", "what is put there is missing", "write the feature's path and 'at'"
        )
    what = path(r, "of a feature or quantity")
    if r.kinds[r.i] == "=" or (r.kinds[r.i] == ":" and not r.new_line(r.i)):
        if r.kinds[r.i] == ":":
            r.error_here("missing-sign", f"'=' is due after '{what.text}', not ':'", "write '='")
        r.i += 1
        return PlaceSet(what, expression(r), r.span_from(first))
    if r.kinds[r.i] == "at":
        r.i += 1
    elif r.kinds[r.i] == "(" or (r.kinds[r.i] == "name" and not r.new_line(r.i)):
        r.word("at", f"after '{what.text}'", f"{what.text} at (0, 0, 0)")
    else:
        r.lost_before(
            "missing-word", f"'at' and a point are missing after '{what.text}'",
            f"write {what.text} at (0, 0, 0)",
        )  # fmt: skip
    at = expression(r)
    return PlaceAt(what, at, turnings(r), r.span_from(first))


def ignore(r: Reader) -> Ignore:
    """Parse ``ignore A with B``."""
    first = r.i
    r.i += 1
    a = path(r, "after 'ignore'")
    r.word("with", "in this statement", "ignore A with B")
    return Ignore(a, path(r, "after 'with'"), r.span_from(first))


def force(r: Reader) -> Force | Moment:
    """Parse ``force name between a and b = value`` or ``force name about hinge = value``."""
    first = r.i
    r.i += 1
    at = r.i
    name = r.name("for a force")
    place = r.words[r.i]
    if place == "about" or (place != "between" and closest(place, ("between", "about")) == "about"):
        r.word("about", "in this force", "force f about hinge = value")
        hinge = path(r, "of a hinge after 'about'")
        r.sign("=", "before the moment")
        return Moment(name, hinge, expression(r), r.span_from(first), r.token_span(at))
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
    r.sign("=", "before the force's value")
    value = expression(r)
    return Force(name, a, b, value, r.span_from(first), r.token_span(at))


def for_(r: Reader) -> For:
    """Parse ``for name in first..last { statements }``."""
    first = r.i
    r.i += 1
    at = r.i
    name = r.name("for the number that counts")
    r.word("in", "in this 'for'", "for i in 1..n { ... }")
    numbers = range_(r)
    body: list[Statement] = []

    def entry(r: Reader) -> None:
        body.append(statement(r))

    block(r, "the block of this 'for'", entry, tuple(STATEMENTS))
    return For(name, numbers, tuple(body), r.span_from(first), r.token_span(at))


_STATEMENTS: dict[str, Callable[[Reader], Statement]] = {
    "join": join,
    "place": place,
    "ignore": ignore,
    "force": force,
    "for": for_,
}
