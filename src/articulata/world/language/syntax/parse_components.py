"""Parsing components: ``name, name[1..n]: type(arguments) scaled factor``."""

from __future__ import annotations

import re
from collections.abc import Container

from articulata.world.language.meant_words import closest
from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.grammar import RESERVED, SECTIONS, STATEMENTS
from articulata.world.language.syntax.parse_expressions import (
    arguments,
    expression,
    path,
    subscript,
)
from articulata.world.language.syntax.reader import Reader
from articulata.world.language.syntax.recovery import block, lacks_brace


def opens(r: Reader, section: str) -> bool:
    """Say whether a block stands after the word ``section``, be it without its '{'."""
    at = r.i + (r.kinds[r.i] in (":", "="))
    if lacks_brace(r, at):
        r.i = at
        r.error_before("missing-block", f"'{{' is missing after '{section}'",
                       f"write {section} {{")  # fmt: skip
        r.insert("{")
    elif at > r.i:
        sign = r.words[r.i]
        r.error_here("stray", f"no '{sign}' is written after '{section}'", f"remove '{sign}'")
        r.i = at
    wrong = r.kinds[r.i] in ("(", "[") and r.new_line(r.i + 1)
    return r.kinds[r.i] in ("{", "begin") or wrong


def components(r: Reader, kind: str) -> tuple[t.Component, ...]:
    """Parse what follows the word ``components``: a block, or entries up to the next section."""
    found: list[t.Component] = []

    def entry(r: Reader) -> None:
        found.append(component(r))

    if opens(r, "components"):
        block(r, "the components", entry)
        return tuple(found)
    sections = SECTIONS[kind]
    while r.kinds[r.i] in ("name", ";") or _reserved_name(r, sections):
        if r.kinds[r.i] == ";":
            r.i += 1
            continue
        after = r.kinds[r.i + 1]
        word = r.words[r.i]
        if word in sections and (after not in (":", ",", "[") or r.kinds[r.i + 2] != "name"):
            break
        if after == ";" and r.kinds[r.i + 2] == "name" and r.kinds[r.i + 3] in (":", ";", ","):
            r.i += 1
            r.error_here("missing-sign", "',' stands between components of one type, not ';'",
                         "write ','")  # fmt: skip
            r.kinds[r.i], after = ",", ","
            r.i -= 1
        if after not in (":", ",", "[", "="):
            guess = closest(word, tuple(sections))
            if guess or closest(word, tuple(STATEMENTS)):
                break
            if after != "name":
                break
        found.append(component(r))
        _end_of_entry(r)
    return tuple(found)


def _reserved_name(r: Reader, sections: Container[str]) -> bool:
    """Say whether a component is called by a reserved word, ``end: piston``."""
    word = r.words[r.i] in RESERVED and r.words[r.i] not in sections
    return word and r.kinds[r.i + 1 : r.i + 3] == [":", "name"] and not r.new_line(r.i + 2)


def _end_of_entry(r: Reader) -> None:
    """Take the end of an entry that stands in no block."""
    if r.kinds[r.i] == ";":
        r.i += 1
    elif not (r.new_line(r.i) or r.kinds[r.i] in ("}", "end", "structure")):
        if r.kinds[r.i + 1] == ":":
            r.error_before("missing-sign", f"';' is missing before {r.shown()}", "add ';' here")
        else:
            r.leftover()


_OUTSIDE = {"gravity": "gravity: (0, -9.81, 0)", "up": "up: z", "properties": "properties: (fixed)"}


def component(r: Reader) -> t.Component:
    """Parse ``name, name[1..n]: type(arguments) scaled factor``."""
    first = r.i
    names = r.listed(_component_name)
    if r.kinds[r.i] == ":" and r.kinds[r.i + 1] in ("(", "number") and names[-1].name in _OUTSIDE:
        word = names[-1].name
        r.i = first
        r.lost_here(
            "unknown-word", f"'{word}:' does not belong among the components",
            f"write it before 'components': {_OUTSIDE[word]}",
        )  # fmt: skip
    if run := re.match(r"(\w+)[ \t]+(\d+)[ \t]*(?:\.\.|-|to)[ \t]*(\d+)[ \t]*:", r.line(first)):
        r.i, told = first, "numbered components have their first and last in square brackets"
        r.lost_here("missing-sign", told, f"write {run[1]}[{run[2]}..{run[3]}]")
    if names[0].name in r.types and (
        found := re.match(r"(\w+)[ \t]*(\([^()\n]*\))[ \t]+(\w+)[ \t]*(?=[;}]|$)", r.line(first))
    ):
        r.i, told = first, "a component's name comes first, then its type"
        r.lost_here("missing-sign", told, f"write {found[3]}: {found[1]}{found[2]}")
    if len(names) == 1 and _type_first(r, first):
        kind = t.Path((t.Part(_type(r, first), None, span=r.spans[first]),), span=r.spans[first])
        names = r.listed(_component_name)
        values = arguments(r) if r.kinds[r.i] == "(" and not r.new_line(r.i) else ()
        return t.Component(names, kind, values, None, span=r.span_from(first))
    r.sign(":", f"between '{names[-1].name}' and its type")
    if len(names) == 1 and r.kinds[r.i : r.i + 4] == ["name", "[", "number", "]"]:
        names = (_many(r, names[0]),)
    next_entry = r.new_line(r.i) and r.kinds[r.i + 1] in (":", "[", ",")
    if r.kinds[r.i] not in ("name", "text") or next_entry:
        r.lost_before("missing-name", "a type is missing after ':'", "add a type here")
    kind = path(r, "for a type")
    values = arguments(r) if r.kinds[r.i] == "(" and not r.new_line(r.i) else ()
    scale = None
    if r.words[r.i] == "scaled" and r.kinds[r.i + 1] != ":":
        r.i += 1
        scale = expression(r)
    return t.Component(names, kind, values, scale, span=r.span_from(first))


def _many(r: Reader, name: t.ComponentName) -> t.ComponentName:
    """Report ``name: type[3]`` where ``name[1..3]: type`` is meant, and read it as that."""
    kind, last = r.words[r.i], r.words[r.i + 2]
    r.error_here("wrong-index", "the number of components stands behind their name",
                 f"write {name.name}[1..{last}]: {kind}")  # fmt: skip
    for _ in range(3):
        r.drop(r.i + 1)
    index = t.Range(t.Number(1.0), t.Number(float(last)), span=name.span)
    return t.ComponentName(name.name, index, span=name.span)


def _type_first(r: Reader, first: int) -> bool:
    """Report ``type name`` where ``name: type`` is meant; return whether it stands here."""
    word, name = r.words[first], r.words[r.i]
    if r.i != first + 1 or r.kinds[r.i] != "name" or r.new_line(r.i):
        return False
    kind = _type(r, first)
    if not kind or r.kinds[r.i + 1] == ":":
        return False
    if name in r.types and name != word and r.kinds[r.i + 1] != "[":
        return False
    index = re.match(r"(\w+(?:, *\w+)*)(?:\[(?:1\.\.)?([^\[\]\n]+)\])?(\([^()\n]*\))?", r.line(r.i))
    called, last, given = index.groups(default="") if index else (name, "", "")
    several = f"[1..{last}]" if last else ""
    r.findings.error(
        "missing-sign", r.spans[first], "a component's name comes first, then its type",
        f"write {called}{several}: {kind}{re.sub(' *= *', ': ', given)}",
    )  # fmt: skip
    return True


def _type(r: Reader, i: int) -> str:
    """Return the type that token ``i`` names, be it with other capitals, ``""`` for none."""
    word = r.words[i]
    same = (each for each in r.types if each.lower() == word.lower())
    return word if word in r.types else next(same, "")


def _component_name(r: Reader) -> t.ComponentName:
    first = r.i
    word = r.name("for a component")
    span = r.span_from(first)
    if r.kinds[r.i] == "(" and r.kinds[r.i + 2] == ".." and r.kinds[r.i + 4] == ")":
        shown = r.text[r.starts[first] : r.starts[r.i + 4]].replace("(", "[")
        r.error_here("missing-sign", "numbers of components stand in [ ]", f"write {shown}]")
        r.kinds[r.i], r.kinds[r.i + 4] = "[", "]"
    if r.kinds[r.i] != "[":
        return t.ComponentName(word, None, span=span)
    inside = r.i
    index = subscript(r)
    if not isinstance(index, t.Range):
        r.findings.error(
            "wrong-index",
            (r.starts[inside] + 1, r.end_before() - 1),
            "an array of components has a first and a last number",
            f"write {word}[1..{r.text[r.starts[inside] + 1 : r.end_before() - 1][:20]}]",
        )
        if isinstance(index, t.Number) and index.value == 1.0:
            return t.ComponentName(word, None, span=span)
        index = t.Range(t.Number(1.0), index, span=index.span)
    return t.ComponentName(word, index, span=span)
