"""Parsing requests: clauses of words and values, and ``on`` clauses."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import partial

from articulata.world.language.filled_forms import filled
from articulata.world.language.meant_words import closest, did_you_mean, other_word
from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.grammar import ACTIONS, ITEM_WORDS, REQUESTS, RESERVED
from articulata.world.language.syntax.habits import belongs
from articulata.world.language.syntax.meant_statements import started
from articulata.world.language.syntax.parse_components import component
from articulata.world.language.syntax.parse_expressions import arguments, expression, path
from articulata.world.language.syntax.parse_joins import join
from articulata.world.language.syntax.parse_structure import (
    contact,
    ignore,
    of_two,
    place,
    place_clauses,
)
from articulata.world.language.syntax.reader import Lost, Reader
from articulata.world.language.syntax.recovery import block, closing_of
from articulata.world.requests.clauses import Clause
from articulata.world.requests.questions import FORMS


def request(r: Reader, meant: str = "") -> t.Request:
    """Parse ``kind name(arguments) { clauses }``; ``meant`` is the kind where it is misspelt."""
    first = r.i
    kind = meant or r.words[first]
    r.i += 1
    at = r.i
    name = r.name(f"after '{kind}'")
    values: tuple[t.Argument, ...] = ()
    if r.kinds[r.i] == "(" and not r.new_line(r.i + 1):
        values = arguments(r)
    clauses: list[t.Clause] = []
    reactions: list[t.On] = []

    def entry(r: Reader) -> None:
        if r.words[r.i] == "on" and r.kinds[r.i + 1] != ":":
            reactions.append(_on(r))
        else:
            clauses.append(_clause(r, kind, name, clauses[-1].name if clauses else ""))

    whole = block(r, f"request '{kind} {name}'", entry, (*REQUESTS[kind], "on"))
    return t.Request(kind, name, values, tuple(clauses), tuple(reactions), span=r.span_from(first),
                   name_span=r.token_span(at), complete=whole)  # fmt: skip


def _goes_on(r: Reader, before: str, patterns: Collection[str]) -> None:
    """Report a line that goes on with the clause ``before``, whose ``patterns`` these are."""
    word, first = r.words[r.i], r.i
    if r.kinds[first + 1] == ":":
        return
    line = r.text[r.starts[first] :].partition("\n")[0].partition("#")[0]
    for pattern in patterns:
        for part in re.findall(r"\[[^]]*\](?:\.\.\.)?", pattern):
            said = re.findall(r"(?<![<\w])\w+(?![>\w])", part)
            if word in said or other_word(word, said):
                r.lost_here(
                    "missing-sign", f"what '{before}:' says stands on its line",
                    f"write {before}: ... {filled((part,), line)}",
                )  # fmt: skip


def _clause(r: Reader, kind: str, name: str, before: str) -> t.Clause:
    """Parse a clause of the request ``kind name`` that follows the clause ``before``."""
    first, known = r.i, REQUESTS[kind]
    word = r.words[first]
    if r.kinds[first] != "name" and r.kinds[first] not in RESERVED:
        r.lost_here(
            "unknown-word", f"{r.shown()} does not begin a clause of '{kind}'",
            f"clauses are {', '.join(known)}",
        )  # fmt: skip
    named = word if word in known else _unknown_clause(r, kind, name, before)
    if not named:
        return t.Clause("on", (), span=r.span_from(first), name_span=r.token_span(first))
    r.i += 1
    if r.kinds[r.i] != ":" and r.kinds[r.i + 1] == ":" and not r.new_line(r.i + 1):
        given = f"{r.words[r.i]} {re.split('[;}]', r.line(r.i + 2))[0]}".strip()
        shown = filled(known[named].patterns, given, whole=True) if named in known else ""
        r.error_here("missing-sign", f"':' stands after '{word}', the clause's name",
                     f"write {word}: {shown or given}")  # fmt: skip
        for each in (r.kinds, r.words):
            each[r.i], each[r.i + 1] = each[r.i + 1], each[r.i]
    if r.words[r.i] in {
        each.split()[0] for each in (known[named].patterns if named in known else ())
    }:
        r.error_before("missing-sign", f"':' is missing after '{word}'", "add ':' here")
    else:
        r.sign(":", f"after '{word}'")
    if named in known:
        _as_lines_or_lists(r, first, known[named])
    said = " ".join(known[named].patterns) if named in known else "on"
    if named in known and (r.kinds[r.i] in (";", "}", "end", "eof") or r.new_line(r.i)):
        return t.Clause(named, (), span=r.span_from(first), name_span=r.token_span(first))
    until = frozenset(("on",) if kind == "simulate" and not re.search(r"\bon\b", said) else ())
    forms = known[named].patterns if named in known else ()
    items = [_item(r, word, until, known, forms)]
    several, lacks = named in known and known[named].several, False
    while True:
        if several and _goes_on_below(r, first, until, known):
            if not lacks:
                r.error_before(
                    "missing-sign", "',' is missing at the end of this line", "add ',' here"
                )
            lacks = True
            items.append(_item(r, ",", until, known, forms))
            continue
        if r.kinds[r.i] not in (",", "and") or _begins_clause(r, r.i + 1, until, known):
            break
        if r.kinds[r.i] == "and" and r.kinds[r.i - 2] == r.kinds[r.i + 1] == "number":
            shown = r.text[r.starts[r.i - 2] : r.spans[r.i - 1][1]]
            if r.words[r.i - 3] == "between":
                link = "of" if " of <" in said or named == "person" else "from"
                other = r.text[r.starts[r.i + 1] : r.spans[r.i + 2][1]]
                told, meant = f"ends are told by '{link}' and 'to'", f"{link} {shown} to {other}"
                r.lost_here("unknown-word", told, f"write {meant}")
            r.lost_here("missing-sign", "two values stand in parentheses, with ','",
                        f"write ({shown}, {r.words[r.i + 1]} ...)")  # fmt: skip
        if r.kinds[r.i] == "and" and several:
            r.error_here("missing-sign", "',' stands between entries, not 'and'", "write ','")
        r.i += 1
        items.append(_item(r, ",", until, known, forms))
    return t.Clause(named, tuple(items), span=r.span_from(first), name_span=r.token_span(first))


def _unknown_clause(r: Reader, kind: str, name: str, before: str) -> str:
    """Report a clause that a request has not; return the one that was meant, "" after a rule."""
    first, known = r.i, REQUESTS[kind]
    word = r.words[first]
    if before in known:
        _goes_on(r, before, known[before].patterns)
    following = r.kinds[first + 1]
    choices = (*known, "on") if following != ":" else tuple(known)
    guess = closest(word, choices)
    if guess == "on" and following in ("name", "time"):
        r.error_here("unknown-word", f"'{word}' is not a clause", "did you mean 'on'?")
        r.i += 1
        _on_from(r, first)
        return ""
    above = before in known and known[before].several and r.kinds[first] == "name"
    alone = following in (",", ".", "[", "}", "end") or r.new_line(first + 1)
    begun = above and word in " ".join(known[before].patterns).split() and following != ":"
    if r.kinds[first - 1] == ";" and not r.new_line(first) and (
        following in _AFTER_ITEMS or (above and alone) or begun):  # fmt: skip
        r.i = first - 1
        r.lost_here("missing-sign", "',' stands between entries, not ';'", "write ','")
    if above and alone and not guess and r.new_line(first):
        end = r.spans[first - 1][1]
        r.findings.error("missing-sign", (end, end + 1),
                         "',' is missing at the end of this line", "add ',' here")  # fmt: skip
        raise Lost
    span = re.match(r"[\[({]?0[ \w.]*?(?:,|\.\.|:|to\b)[ \t]*([\d.]+(?:[ \t]*m?s)?)[\])}]?$",
                    re.split("[;}]", r.line(first + 2))[0].strip())  # fmt: skip
    timed = "time" in known and (guess == "time" or "span" in word)
    if span and timed and r.words[first + 1] in (":", "="):
        told = f"'{kind}' has no clause '{word}', from an instant to another"
        r.error_here("unknown-section", told, f"write time: (10 ms, {span[1]})")
        r.lost += 1
        raise Lost
    advice = did_you_mean(word, choices, f"clauses are {', '.join(known)}")
    given = r.line(first).partition(":")[2].strip()
    if guess and other_word(word, known) and given:
        shown = _renamed(known[guess], given)
        if guess == "move" and given in ("left", "right"):
            shown = f'"{given} arm"'  # hands of reach are arms that move
        advice = f"write {guess}: {shown}" if shown else advice
        if homes := [each for each in REQUESTS if word in REQUESTS[each]]:
            advice = f"{advice}; '{word}:' belongs to {homes[0]}"
    elif not guess and (home := belongs(r, kind)):
        advice = home
    within = next((clause for clause, each in known.items()
                   if any(p.split()[:1] == [word] for p in each.patterns)), "")  # fmt: skip
    if within and following == ":" and not guess:
        advice = f"write it after '{within}:': {within}: ..., {word} ..."
    if word == "world":
        named_so = following == ":" and r.kinds[first + 2] == "name"
        meant = r.words[first + 2] if named_so else name
        advice = f"name the world in front of the clauses: {kind} {meant} {{ ... }}"
        if kind == "track":
            advice = "remove it: a track is about a person alone, in no world"
    r.error_here("unknown-section", f"'{kind}' has no clause '{word}'", advice)
    if not guess and following != ":":
        raise Lost
    r.lost += 1  # what it was meant as is not missed
    return word if other_word(word, choices) else guess or word


def _renamed(clause: Clause, given: str) -> str:
    """Return what stood under another name as entries of a clause, "" where one lacks something."""
    entries = (
        re.findall(r"(?:\([^()]*\)|[^,()])+", given.rstrip(" ;}")) if clause.several else [given]
    )
    shown = [
        filled(clause.patterns, each.strip(), whole=True)
        or filled(clause.patterns, f"lens(35 mm) {each.strip()}", whole=True)
        for each in entries
    ]
    return ", ".join(shown) if all(shown) else ""


def _goes_on_below(r: Reader, first: int, until: frozenset[str], clauses: Collection[str]) -> bool:
    """Say whether the line that begins here is deeper than its clause, and begins no other."""
    i = r.i
    if not r.new_line(i) or r.kinds[i] not in ("name", "text", "number"):
        return False
    deeper = r.source.indentation(r.starts[i]) > r.source.indentation(r.starts[first])
    return deeper and not _begins_clause(r, i, until, clauses) and r.kinds[i + 1] != ":"


def _as_lines_or_lists(r: Reader, first: int, clause: Clause) -> None:
    """Report entries of a clause in brackets, or each on a line of its own below it.

    Brackets that stand in one line are read as if they were not there; lines are given up.
    """
    i, word, several = r.i, r.words[first], clause.several
    if r.new_line(i) and r.source.indentation(r.starts[i]) > r.source.indentation(r.starts[first]):
        while r.kinds[r.i] not in ("}", "end", "eof") and not (
            r.new_line(r.i)
            and r.source.indentation(r.starts[r.i]) <= r.source.indentation(r.starts[first])
        ):
            r.i += 1
        shown = _on_one_line(r.text[r.starts[i] : r.end_before()])
        end = r.spans[i - 1][1]
        told = f"what '{word}' says stands on its line"
        r.findings.error("missing-value", (end, end + 1), told, f"write {word}: {shown}")
        raise Lost
    if r.kinds[i] not in ("[", "{", "("):
        return
    end, closed = closing_of(r, i)
    inner = r.kinds[i + 1 : end]
    if (
        r.kinds[i] == "("
        and inner[:2] == ["name", ":"]
        and (takes := _takes(clause, r.words[i + 1]))
    ):
        shown = f"{takes}{r.text[r.starts[i] : r.spans[end][1]]}"
        told = f"values with names stand after '{takes}'"
        r.lost_here("missing-word", told, f"write {word}: {shown[:90]}")
    if not closed or (r.kinds[i] == "[" and not several):
        return
    ends = r.new_line(end + 1) or r.kinds[end + 1] in (";", "}", "end", "eof")
    names = _NAMED.issuperset(inner) and inner[:1] != ["number"]
    if r.kinds[i] == "(" and not (several and ends and names):
        return
    lines = any(r.new_line(each) for each in range(i + 1, end + 1))
    shown = _on_one_line(r.text[r.spans[i][1] : r.starts[end]])
    if not several and ("," in inner or lines):
        shown = f"({_NAMES_BEFORE.sub('', shown)})"
    r.error_here("stray", f"no '{r.words[i]}' stands after '{word}:'", f"write {word}: {shown}")
    if lines or not several:
        r.i = end + 1
        raise Lost
    r.drop(end)
    r.drop(i)


def _takes(clause: Clause, name: str) -> str:
    """Return the word of a clause that takes a value called ``name``, "" for none."""
    kinds = re.findall(r"<(\w+)>", clause.patterns[0])
    known = [each.signature for kind in kinds[:1] for each in FORMS.get(kind, {}).values()]
    return next((each.name for each in known if name in {s.name for s in each.slots}), "")


_AFTER_ITEMS = frozenset((",", ".", "[", ";"))
_NAMES_BEFORE = re.compile(r"\w+\s*[:=]\s*")
_NAMED = frozenset(("name", "text", ",", ".", "..", "[", "]", "number"))
"""What stands in parentheses around names; they hold no values then."""


def _on_one_line(text: str) -> str:
    """Return lines as one, with commas between them."""
    lines = (each.strip().removeprefix("- ").rstrip(",;").strip() for each in text.splitlines())
    return ", ".join(each for each in lines if each)[:80]


_WORDED = frozenset((("number", "name"), ("name", "number"), ("name", "name"), ("name", "("),
                     ("name", "["), ("name", "{")))  # fmt: skip
"""What stands around a ':' or '=' within an item that was written by habit."""

_ITEM_ENDS = frozenset((",", ";", "}", "end", "eof", ":", "{", "begin"))


def _begins_clause(r: Reader, i: int, until: frozenset[str], clauses: Collection[str]) -> bool:
    """Tell whether token ``i`` begins an entry: a word in ``until``, or a clause with its ':'."""
    return r.words[i] in until or (r.kinds[i + 1] == ":" and r.words[i] in clauses)


def _entry(r: Reader, first: int) -> str:
    """Return the text from token ``first`` to the next comma outside of parentheses, or the end."""
    line = r.text[r.starts[first] :].partition("\n")[0]
    found = re.match(r"(?:\([^()]*\)|[^,#;])*", line)
    return found[0] if found else line


def _item(
    r: Reader, after: str, until: frozenset[str] = frozenset(), clauses: Collection[str] = (),
    forms: Sequence[str] = (),
) -> t.Item:  # fmt: skip
    """Parse values and words side by side, up to a comma, the next entry or the end."""
    first = r.i
    parts: list[t.Expression] = []
    outside, r.juxtapose, r.signs = r.juxtapose, True, bool(clauses)
    while True:
        i = r.i
        kind = r.kinds[i]
        # an item goes on over a line's end only after a comma
        around = (r.kinds[i - 1], r.kinds[i + 1])
        if (
            kind in (":", "=")
            and clauses
            and parts
            and around in _WORDED
            and r.words[i - 1] not in clauses
        ):
            shown = filled(forms, _entry(r, first), whole=True)
            advice = f"write {shown}" if shown else f"remove '{kind}'"
            told = f"no '{kind}' is written after '{r.words[i - 1]}'"
            if r.kinds[i + 1] not in ("name", "number") or kind == "=":
                r.lost_here("stray", told, advice)
            r.error_here("stray", told, advice)
            r.i = i + 1
            continue
        if kind == ".." and parts:
            after = (r.text[r.spans[i][1] :].split() or ["1"])[0]
            begun = r.text[r.starts[first] : r.starts[i]]
            shown = filled(forms, _entry(r, first), whole=True) or f"({begun}, {after} ...)"
            told = "no '..' stands between two values"
            r.lost_here("missing-sign", told, f"write {shown}")
        if (
            kind in _ITEM_ENDS
            or (kind == "and" and clauses)
            or (r.new_line(i) and (i > first or after != ","))
        ):
            break
        if i > first and _begins_clause(r, i, until, clauses):
            break
        if kind in ITEM_WORDS or r.words[i] == "break":
            r.i = i + 1
            span = r.token_span(i)
            parts.append(t.Path((t.Part(r.words[i], None, span=span),), span=span))
        else:
            parts.append(expression(r))
    r.juxtapose, r.signs = outside, False
    if not parts and r.kinds[r.i] == "{" and not r.new_line(r.i):
        advice = "remove '{' and '}': entries stand side by side, with ',' between them"
        r.lost_here("stray", f"no braces stand after '{after}'", advice)
    if not parts:
        r.lost_before("missing-value", f"something is missing after '{after}'", "add it here")
    return t.Item(tuple(parts), span=r.span_from(first))


# ---- events and actions


def _on(r: Reader) -> t.On:
    first = r.i
    r.i += 1
    return _on_from(r, first)


def _on_from(r: Reader, first: int) -> t.On:
    event = _item(r, "on", frozenset((*ACTIONS, "then", "do")))
    if r.kinds[r.i] == "," and len(event.parts) > 1:
        word = r.text[slice(*event.parts[0].span)]
        r.i -= 1
        r.lost_here("missing-sign", f"what '{word}' is about stands in parentheses",
                    f"write {word}(a, b)")  # fmt: skip
    found: list[t.Action] = []

    def entry(r: Reader) -> None:
        found.append(_action(r))

    if r.kinds[r.i] in ("{", "begin"):
        block(r, "the actions of this 'on'", entry, tuple(ACTIONS))
    else:
        if r.kinds[r.i] == ":":
            r.i += 1
        elif r.words[r.i] in ("then", "do"):
            r.error_here("unknown-word", f"'{r.words[r.i]}' cannot stand here", "write ':'")
            r.i += 1
        else:
            r.error_before("missing-sign", "':' is missing after the event", "add ':' here")
        if r.kinds[r.i] in ("{", "begin"):
            r.i -= 1
            r.error_here("stray", "no ':' is written before a block", "remove ':'")
            r.i += 1
            block(r, "the actions of this 'on'", entry, tuple(ACTIONS))
        else:
            found.append(_action(r))
    return t.On(event, tuple(found), span=r.span_from(first))


def _action(r: Reader) -> t.Action:
    first = r.i
    word = r.words[first]
    parse = _ACTIONS.get(word)
    if parse is None:
        if r.kinds[first] == "end" and not r.new_line(first):
            r.error_here("unknown-word", "'end' is not an action", "did you mean 'stop'?")
            return _stop(r)
        if r.kinds[first] in (";", "}", "end", "eof"):
            r.lost_before(
                "missing-value", "an action is missing", f"actions are {', '.join(ACTIONS)}"
            )
        guess = closest(word, tuple(ACTIONS)) if r.kinds[first] == "name" else ""
        advice = did_you_mean(word, tuple(ACTIONS))
        line = r.line(first).rstrip(" ;}")
        if meant := started(r, line):
            r.lost_here("unknown-word", "a motion is begun by 'start'", f"write {meant}")
        if re.match(r"[\w.\[\]]+[ \t]*=", line):
            r.lost_here("missing-word", "'set' is missing before a new value", f"write set {line}")
        if other_word(word, ("report",)):
            advice = "write report: events, which tells every event of 'on' with its time"
        r.error_here("unknown-word", f"{r.shown()} is not an action", advice)
        if not guess:
            raise Lost
        parse = _ACTIONS[guess]
    return parse(r)


def _of_path(made: Callable[..., t.Action], what: str) -> Callable[[Reader], t.Action]:
    """Return the parser of an action that a word and a path make."""

    def action(r: Reader) -> t.Action:
        first = r.i
        r.i += 1
        return made(path(r, what), span=r.span_from(first))

    return action


def _set(r: Reader) -> t.Set:
    first = r.i
    r.i += 1
    target = path(r, "of a quantity after 'set'")
    r.sign("=", f"after '{target.text}'")
    return t.Set(target, expression(r), span=r.span_from(first))


def _add(r: Reader) -> t.Add:
    first = r.i
    r.i += 1
    new = component(r)
    clauses: tuple[t.PlaceClause, ...] = ()
    if r.kinds[r.i] == "by":
        r.i += 1
        clauses = place_clauses(r)
    elif r.kinds[r.i] == "at":
        said = r.text[slice(*r.span_from(first))]
        r.lost_here(
            "missing-word", f"'by' and what of '{r.words[first + 1]}' is put there are missing",
            f"write {said} by {r.words[first + 1]}.center {r.line(r.i).rstrip(' ;}')}",
        )  # fmt: skip
    return t.Add(new, clauses, span=r.span_from(first))


def _start(r: Reader) -> t.Start:
    first = r.i
    r.i += 1
    alone = r.kinds[r.i + 1] not in (".", "[")
    if alone and (meant := started(r, r.line(first))):
        told = "whose motion begins, and which, is one path"
        r.lost_here("missing-name", told, f"write {meant}")
    return t.Start(path(r, "of a motion after 'start'"), span=r.span_from(first))


def _stop(r: Reader) -> t.Stop:
    r.i += 1
    return t.Stop(span=r.token_span(r.i - 1))


_ACTIONS: dict[str, Callable[[Reader], t.Action]] = {
    "break": _of_path(t.Break, "of a hinge after 'break'"),
    "remove": _of_path(t.Remove, "of a component after 'remove'"),
    "set": _set,
    "add": _add,
    "join": partial(join, acting=True),
    "place": place,
    "ignore": ignore,
    "heed": of_two(t.Heed, "heed", "action"),
    "contact": contact,
    "start": _start,
    "stop": _stop,
}
