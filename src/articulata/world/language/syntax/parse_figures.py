"""Parsing figures: chains, Denavit-Hartenberg tables, postures, limits, sensors, landmarks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from articulata.world.language.meant_words import closest, did_you_mean, other_word
from articulata.world.language.source import Span
from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.parse_definitions import definition, head, structured, worded
from articulata.world.language.syntax.parse_expressions import (
    expression,
    path,
    placed,
    turnings,
)
from articulata.world.language.syntax.parse_joins import limits_of
from articulata.world.language.syntax.parse_motions import motion
from articulata.world.language.syntax.reader import Reader
from articulata.world.language.syntax.recovery import block, closing_of
from articulata.world.language.vocabulary import CONVENTIONS, JOINTS


def figure(r: Reader) -> t.Figure:
    """Parse ``figure name(parameters) { ... }``; the first word is still ahead."""
    first, at, name = head(r, "figure")
    if r.kinds[r.i] == ":":
        return _excerpt(r, name, first, at)
    parsers: dict[str, Callable[[Reader], object]] = {
        "up": lambda r: worded(r, "up"),
        **structured("figure"),
        "chain": chain,
        "posture": posture,
        "motion": motion,
        "limits": _limits,
        "sensors": lambda r: _entries(r, "the sensors"),
        "landmarks": lambda r: _entries(r, "the landmarks"),
    }
    return definition(r, t.Figure, "figure", (first, at, name), parsers)


def _limits(r: Reader) -> t.LimitSet | tuple[t.Entry, ...]:
    return limit_set(r) if r.kinds[r.i] in ("text", "name") else _entries(r, "the limits", True)


def _excerpt(r: Reader, name: str, first: int, at: int) -> t.Figure:
    """Parse ``name: whole without chain, ...``; the colon is still ahead."""
    r.i += 1
    here = r.i
    word = r.name("of a figure that stands above")
    whole = r.figures.get(word)
    if whole is None:
        r.i = here
        found = re.search(rf'\bimport[ \t]+"([^"\n]+)"[ \t]+as[ \t]+{re.escape(word)}\b', r.text)
        r.lost_here(
            "unknown-type",
            f"no figure '{word}' stands above in this text"
            if found is None else f"'{word}' is imported, and stays as '{found[1]}' has it",
            _of_file(found[1]) if found is not None else did_you_mean(word, tuple(r.figures))
            or "a part is of a figure of the same text; write it after that figure",
        )  # fmt: skip
    r.word("without", f"after '{word}'", f"figure {name}: {word} without l_leg, r_leg")
    known = {each.name: each for each in whole.chains}
    gone: list[t.Path] = []
    while True:
        here = r.i
        chain = _quoted_or_path(r, "of a chain that is left out")
        if chain.text not in known:
            r.findings.error(
                "unknown-name", r.token_span(here), f"figure '{word}' has no chain '{chain.text}'",
                did_you_mean(chain.text, tuple(known)) or f"it has {', '.join(known)}",
            )  # fmt: skip
        gone.append(chain)
        if r.kinds[r.i] != ",":
            break
        r.i += 1
    return part_of(
        whole,
        t.Excerpt(name, word, tuple(gone), span=r.span_from(first), name_span=r.token_span(at)),
    )


def _of_file(file: str) -> str:
    """Return how a figure of another file is given postures, motions and landmarks."""
    text = re.sub(r"\.\w+$", "", file) + ".art"
    made = "" if text == file else f"articulata convert {file} {text} makes a text of it; "
    return f"{made}write postures, motions and landmarks into its figure in '{text}'"


def _entries(r: Reader, owner: str, bounds: bool = False) -> tuple[t.Entry, ...]:
    found: list[t.Entry] = []

    def entry(r: Reader) -> None:
        found.append(_entry(r, bounds))

    block(r, owner, entry)
    return tuple(found)


def _entry(r: Reader, bounds: bool = False) -> t.Entry:
    """Parse ``path: value``, or ``path: (low, high)``; a name that is no word is quoted."""
    first = r.i
    what = _quoted_or_path(r, "for an entry")
    r.sign(":", f"after '{what.text}'")
    value = limits_of(r) if bounds else placed(r)
    if isinstance(value, t.Tuple) and r.words[r.i] in ("on", "of", "in", "from"):
        where = r.text[slice(*value.span)]
        r.lost_here("unknown-word", "what it sits on stands first, then the point",
                    f"write {what.text}: {r.words[r.i + 1]} at {where}")  # fmt: skip
    return t.Entry(what, value, span=r.span_from(first))


def _label(r: Reader, what: str) -> tuple[str, Span]:
    """Parse a name or a text in quotes."""
    if r.kinds[r.i] == "text":
        r.i += 1
        span = r.token_span(r.i - 1)
        word = r.words[r.i - 1][1:-1]
        if not word.strip():
            r.findings.error("empty", span, f"the name {what} is empty", "write a name")
        return word, span
    word = r.name(what)
    return word, r.token_span(r.i - 1)


def _quoted_or_path(r: Reader, what: str) -> t.Path:
    """Parse a path, or a name in quotes as a path of one part."""
    if r.kinds[r.i] != "text":
        return path(r, what)
    word, span = _label(r, what)
    return t.Path((t.Part(word, None, span=span),), span=span)


def chain(r: Reader) -> t.Chain:
    """Parse ``name: from path to path`` or ``name: convention table on path { rows }``."""
    first = r.i - 1
    name, name_span = _label(r, "for a chain")
    if r.kinds[r.i] in ("{", "begin"):
        told = "which kind of table this chain is, is not said"
        r.error_before("missing-word", told, f"write chain {name}: plain table {{")
        return t.Chain(name, _rows(r, "plain", r.i), span=r.span_from(first), name_span=name_span)
    r.sign(":", f"after the chain's name '{name}'")
    course = _table(r) if r.words[r.i] != "from" else _route(r)
    return t.Chain(name, course, span=r.span_from(first), name_span=name_span)


def _route(r: Reader) -> t.Route:
    first = r.i
    r.i += 1
    start = _quoted_or_path(r, "of a body after 'from'")
    r.word("to", "in this chain", "from trunk to hand")
    return t.Route(start, _quoted_or_path(r, "of a body after 'to'"), span=r.span_from(first))


def _table(r: Reader) -> t.Table:
    first = r.i
    word = r.words[first]
    if r.kinds[first] != "name":
        r.lost_before(
            "missing-word", "the chain's course is missing",
            "write 'from trunk to hand', or 'standard table { ... }'",
        )  # fmt: skip
    if word == "table" and r.kinds[first + 1] in ("{", "begin", "on", "at"):
        known = ", ".join(CONVENTIONS)
        r.error_here("missing-word", f"which table is not said: {known}", "write plain table")
        r.i, word = first - 1, "plain"
    elif word not in CONVENTIONS:
        guess = closest(word, (*CONVENTIONS, "from"))
        if guess == "from" or (not guess and r.words[first + 1] != "table"):
            r.lost_here(
                "unknown-word", f"'{word}' does not begin a chain's course",
                "did you mean 'from'?" if guess
                else "write 'from trunk to hand', or 'standard table { ... }'",
            )  # fmt: skip
        opening = next((i for i in range(first, first + 8) if r.kinds[i] in ("{", "eof")), first)
        placed = "at" in r.kinds[opening : closing_of(r, opening)[0]]  # rows that stand somewhere
        fits = ("plain", "x_axis") if placed else ("standard", "modified")
        r.error_here(
            "unknown-word", f"'{word}' is not a convention of Denavit-Hartenberg tables",
            did_you_mean(word, tuple(CONVENTIONS) if guess in fits else fits),
        )  # fmt: skip
        word = guess if guess in fits else fits[0]
    r.i += 1
    if r.words[r.i] == "table":
        r.i += 1
    else:
        r.error_before("missing-word", f"'table' is missing after '{word}'", "add 'table' here")
    base = None
    if r.words[r.i] in ("from", "of", "to", "after", "behind"):
        told = f"'on' is due before what the table stands on, not '{r.words[r.i]}'"
        r.error_here("unknown-word", told, "write 'on'")
        r.words[r.i] = "on"
    if r.words[r.i] == "on":
        r.i += 1
        base = _quoted_or_path(r, "of what the table stands on")
    return _rows(r, word, first, base)


def _rows(r: Reader, convention: str, first: int, base: t.Path | None = None) -> t.Table:
    """Parse the place of a table and its rows."""
    at, turns = _place(r)
    rows: list[t.Row] = []

    def entry(r: Reader) -> None:
        rows.append(_row(r, convention))

    block(r, "the table", entry)
    return t.Table(convention, base, tuple(rows), at, turns, span=r.span_from(first))


def _place(r: Reader) -> tuple[t.Expression | None, tuple[t.Turn, ...]]:
    """Parse ``at point turned angle about axis``, as far as it is there."""
    at = None
    if r.kinds[r.i] == "at":
        r.i += 1
        at = expression(r)
    return at, turnings(r)


def _row(r: Reader, convention: str) -> t.Row:
    first = r.i
    name, span = _label(r, "for a joint")
    r.sign(":", f"after the joint's name '{name}'")
    at = r.i
    joint = expression(r)
    if not isinstance(joint, t.Call):
        r.i = at
        r.lost_here("wrong-kind", "a joint with its table's row is due here",
                    f"write {_row_meant(r, at, convention)}")  # fmt: skip
    where, turns = _place(r)
    return t.Row(name, joint, where, turns, span=r.span_from(first), name_span=span)


def _row_meant(r: Reader, at: int, convention: str) -> str:
    """Return the row that words without parentheses mean, ``revolute axis z at ...``."""
    line = r.line(at).rstrip(" ;}")
    head, place, rest = line.partition(" at ")
    said = re.fullmatch(r"(\w+)[ \t]+(?:about[ \t]+)?(\w+)(?:[ \t]*[=: \t][ \t]*(\S+))?", head)
    if head in JOINTS:
        return f"{head}(){place}{rest}"
    kind = (said[1] if said[1] in JOINTS else other_word(said[1], JOINTS)) if said else ""
    if not said or not kind:
        return JOINTS["revolute"].example if convention != "plain" else "revolute(axis: z)"
    name, value = (said[2], said[3]) if said[3] else ("axis", said[2])
    return f"{kind}({name}: {value}){place}{rest}"


def limit_set(r: Reader) -> t.LimitSet:
    """Parse ``name { joint: (low, high) }``; the word ``limits`` has been read."""
    first = r.i - 1
    name, span = _label(r, "for a set of limits")
    found = _entries(r, f"limits '{name}'", True)
    return t.LimitSet(name, found, span=r.span_from(first), name_span=span)


def posture(r: Reader) -> t.Posture:
    """Parse ``name { joint: value }``."""
    first = r.i - 1
    name, name_span = _label(r, "for a posture")
    found = _entries(r, f"posture '{name}'")
    return t.Posture(name, found, span=r.span_from(first), name_span=name_span)


# ---- a figure that is part of another: what is left of it without some of its chains
#
# With the joints of a table goes whatever names them: tables and routes that stand on them,
# landmarks, sensors, limits, postures, and motions that move them or put them somewhere.


def part_of(whole: t.Figure, part: t.Excerpt) -> t.Figure:
    """Return the figure that ``part`` leaves of ``whole``; it keeps the parameters of the whole."""
    gone = {each.text for each in part.without}
    lost: set[str] = set()
    chains = []
    for chain in whole.chains:
        course = chain.course
        if isinstance(course, t.Table):
            stands = course.base is not None and course.base.text in lost
            if stands or chain.name in gone:
                lost |= {row.name for row in course.rows}
                continue
        elif {course.start.text, course.end.text} & lost or chain.name in gone:
            continue
        chains.append(chain)

    def kept(entries: tuple[t.Entry, ...]) -> tuple[t.Entry, ...]:
        return tuple(each for each in entries if each.path.text not in lost)

    def placed(entries: tuple[t.Entry, ...]) -> tuple[t.Entry, ...]:
        return tuple(each for each in entries if _owner(each.value) not in lost)

    postures = tuple(each for each in whole.postures if kept(each.entries) == each.entries)
    cut = {each.name for each in whole.postures} - {each.name for each in postures}
    landmarks, sensors = placed(whole.landmarks), placed(whole.sensors)
    marks = {each.path.text for each in (*whole.landmarks, *whole.sensors)}
    marks -= {each.path.text for each in (*landmarks, *sensors)}
    return replace(
        whole,
        name=part.name,
        chains=tuple(chains),
        postures=postures,
        limits=kept(whole.limits),
        sensors=sensors,
        landmarks=landmarks,
        limit_sets=tuple(replace(each, entries=kept(each.entries)) for each in whole.limit_sets),
        motions=tuple(each for each in whole.motions if not _named(each) & (lost | marks | cut)),
        span=part.span,
        name_span=part.name_span,
        excerpt=part,
    )


def _owner(value: t.Expression) -> str:
    inner = value.value if isinstance(value, t.Placed) else value
    if isinstance(inner, t.Path):
        return inner.text
    return str(inner.value) if isinstance(inner, t.Text) else ""


def _named(motion: t.Motion) -> set[str]:
    """Return the joints, postures and places that a motion speaks of."""
    return set(_names(motion))


def _names(motion: t.Motion) -> Iterable[str]:
    for key in motion.keys:
        yield from (each.path.text for each in key.joints)
        if key.posture is not None:
            yield key.posture
        if key.place is not None:
            yield key.place.path.text
