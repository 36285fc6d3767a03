"""Blocks, and how parsing goes on after an error inside one.

A block is ``begin ... end`` or ``{ ... }``; its entries end at ``;``, at a line's end or where the
block ends. After an error the rest of the entry is skipped: up to ``;``, to the block's end, or
to a line that is not indented deeper than the entry began.

Whether a block lacks its end is known only when a definition begins inside it or the text is
over. The item of the file is then read once more, and this time indentation says where blocks
end (``Reader.layout``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from articulata.world.language.meant_words import closest
from articulata.world.language.syntax.grammar import FILE_ITEMS, RESERVED
from articulata.world.language.syntax.habits import meant_here
from articulata.world.language.syntax.reader import Lost, Reader

_FILE_RESERVED = frozenset(word for word in FILE_ITEMS if word in RESERVED)
_FILE_OPEN = frozenset(word for word in FILE_ITEMS if word not in RESERVED)
_STARTS = frozenset(("join", "place", "ignore", "for", "structure", "components", "where"))


class Unclosed(Exception):
    """A block lacks its end; the item of the file is to be read again by its indentation."""


def begins_item(r: Reader, i: int) -> bool:
    """Say whether token ``i`` begins an item of the file: nothing else can stand there."""
    kind = r.kinds[i]
    if kind in _FILE_RESERVED:
        following = r.kinds[i + 1]
        opens = r.kinds[i + 2] in ("(", "{", "begin", ":") or r.new_line(i + 1)
        if following == "name" and r.words[i] == "world" and not opens and _indentation(r, i) > 0:
            return False  # a clause of a request without its ':'
        return (following == "name" or following in RESERVED or following == "text") and (
            r.new_line(i) or r.kinds[i - 1] in (";", "}", "end")
        )
    if kind == "name" and r.words[i] in _FILE_OPEN and r.new_line(i):
        if _indentation(r, i) > 0 and r.words[i] == "pose":
            return False  # meant as a posture of a figure
        if r.kinds[i + 1] == "name" and r.kinds[i + 2] in ("(", "{", "begin"):
            return True
        if r.words[i] == "figure" and r.kinds[i + 1] == "name" and r.kinds[i + 2] == ":":
            return _indentation(r, i) == 0
        if r.words[i] == "contact" and r.kinds[i + 1] == "name":
            # an action of that name stands deeper
            return r.kinds[i + 2] in (".", "with") and _indentation(r, i) == 0
        return r.words[i] == "units" and r.kinds[i + 1] == ":" and _indentation(r, i) == 0
    return False


def _indentation(r: Reader, i: int) -> int:
    return r.source.indentation(r.starts[i])


def block(
    r: Reader, owner: str, entry: Callable[[Reader], None], choices: Sequence[str] = ()
) -> bool:
    """Read a block of entries; return whether none of them had to be given up.

    ``owner`` names the block in messages; ``entry`` reads one entry; ``choices`` are the words
    that may begin one.
    """
    before, r.entry_at = r.lost, -1
    opening = r.i
    kind = r.kinds[opening]
    if kind == "name" and _misspelt_begin(r, opening):
        kind = r.kinds[opening] = "begin"
    elif kind in ("=", ":") and r.kinds[opening + 1] in ("{", "begin"):
        r.error_here("stray", f"no '{kind}' is written before a block", f"remove '{kind}'")
        r.i = opening = opening + 1
        kind = r.kinds[opening]
        _entries_by_commas(r, opening)
    elif kind in ("(", "[") and r.new_line(opening + 1):
        r.error_here("missing-block", "a block stands in { }", f"write '{{' instead of '{kind}'")
        kind = r.kinds[opening] = "{"
        end, inner = closing_of(r, opening)
        if r.kinds[end] in (")", "]") and inner:
            r.kinds[end] = "}"
    elif kind == ":" and r.new_line(opening + 1):
        return _by_indentation(r, owner, entry, choices)
    elif kind == "name" and r.kinds[opening - 1] == "name" and r.kinds[opening + 1] == "{":
        both = f"{r.words[opening - 1]}_{r.words[opening]}"
        r.error_here("stray", "a name is one word", f"write {both}")
        r.i = opening = opening + 1
        kind = "{"
    elif kind not in ("{", "begin") and (behind := _brace_behind(r, opening)):
        advice = meant_here(r) or f"remove {r.shown()}"
        r.error_here("stray", f"{r.shown()} cannot stand before '{{'", advice)
        r.i, opening, kind = behind, behind, "{"
        r.lost += 1
    closing = "end" if kind == "begin" else "}"
    if kind == r.kinds[opening + 1] == "{":
        _opened_twice(r, opening)
    if kind == "{" or kind == "begin":
        r.i += 1
    else:
        if kind == ":" and not r.new_line(r.i):
            rest, start = r.line(opening)[1:].strip(), r.starts[opening]
            head = re.split(r"[{;\n]", r.text[:start])[-1].strip()
            whole = f"write {head} {{ {rest} }}" if "}" not in rest else f"{_BRACE}, and '}}'"
            r.error_here("missing-block", _COLON, whole)
            r.i += 1
        else:
            r.error_before("missing-block", f"'{{' is missing before {owner}", "add '{' here")
        closing = "line" if _ends_with_line(r, opening) else "either"
        if kind == "eof" or begins_item(r, opening) or kind in ("}", "end"):
            r.lost += 1
            return False
    r.deeper()
    entries(r, owner, closing, opening, entry, choices)
    r.depth -= 1
    r.lost += any(r.starts[opening] < start < r.end_before() for start, _ in r.elements)
    return r.lost == before


def _brace_behind(r: Reader, i: int) -> int:
    """Return the '{' at the end of the line that goes on with token ``i``, 0 for none."""
    while not r.new_line(i) and r.kinds[i] not in (";", ":", "}", "end", "eof"):
        if r.kinds[i] == "{" and r.new_line(i + 1):
            return i
        i += 1
    return 0


_COLON, _BRACE = "a block stands in { }, not after ':'", "write '{' instead of ':'"


def _by_indentation(
    r: Reader, owner: str, entry: Callable[[Reader], None], choices: Sequence[str]
) -> bool:
    """Report and read a block of Python: after ':', and as long as lines stand deeper."""
    before, opening = r.lost, r.i
    head = _indentation(r, opening)
    end = opening + 1
    while r.kinds[end] != "eof" and not (r.new_line(end) and _indentation(r, end) <= head):
        end += 1
    closed = r.kinds[end] in ("}", "end") and _indentation(r, end) == head
    r.error_here("missing-block", _COLON, _BRACE + ("" if closed else ", and '}' after the block"))
    r.i += 1
    r.deeper()
    entries(r, owner, f"@{r.starts[end]}", opening, entry, choices)
    r.i += closed
    r.depth -= 1
    return r.lost == before


def _opened_twice(r: Reader, opening: int) -> None:
    """Report and leave out the second of two braces, and of those that close them."""
    r.findings.error("stray", r.spans[opening + 1], "one '{' opens a block", "remove '{'")
    paired = r.kinds.count("{") == r.kinds.count("}")
    r.drop(opening + 1)
    end, closed = closing_of(r, opening)
    if paired and closed and r.kinds[end + 1] == "}":
        r.drop(end + 1)


def closing_of(r: Reader, opening: int) -> tuple[int, bool]:
    """Return the token that closes what ``opening`` opens, and whether anything does."""
    level, i = 0, opening
    while r.kinds[i] != "eof":
        named = r.kinds[i] == "end" and r.kinds[i + 1] in (":", "=")
        level += r.kinds[i] in ("{", "(", "[", "begin")
        level -= r.kinds[i] in ("}", ")", "]", "end") and not named
        if level == 0:
            return i, True
        i += 1
    return i, False


def lacks_brace(r: Reader, i: int) -> bool:
    """Say whether a block that lacks its '{' begins at token ``i``: its '}' stands below."""
    if not r.new_line(i) or r.kinds[i] in ("{", "begin", "}", "end", "eof"):
        return False
    head = _indentation(r, i - 1)
    while r.kinds[i] != "eof" and not (r.new_line(i) and _indentation(r, i) <= head):
        i += 1
    return r.kinds[i] == "}" and _indentation(r, i) == head


def _entries_by_commas(r: Reader, i: int) -> None:
    """Take the commas of ``name = {a: 1, b: 2}`` as what ends entries: one fault is told once."""
    level = 0
    while r.kinds[i] != "eof":
        level += (r.kinds[i] in ("{", "(", "[", "begin")) - (r.kinds[i] in ("}", ")", "]", "end"))
        if level == 0:
            return
        if level == 1 and r.kinds[i] == ",":
            r.kinds[i] = ";"
        i += 1


def _ends_with_line(r: Reader, i: int) -> bool:
    """Say whether a block without its opening sign is over with the line: the next is no deeper."""
    if r.new_line(i):
        return False
    here = _indentation(r, i)
    while not r.new_line(i) and r.kinds[i] != "eof":
        i += 1
    there = _indentation(r, i)
    return there < here or (there == here and r.kinds[i] not in ("}", "end"))


def _misspelt_begin(r: Reader, i: int) -> bool:
    """Say whether the word at the end of a block's head was meant to be ``begin``; report it."""
    word = r.words[i]
    if len(word) < 3 or r.new_line(i) or not r.new_line(i + 1) or not closest(word, ("begin",)):
        return False
    r.error_here("unknown-word", f"'{word}' does not open a block", "did you mean 'begin'?")
    return True


def entries(
    r: Reader,
    owner: str,
    closing: str,
    opening: int,
    entry: Callable[[Reader], None],
    choices: Sequence[str],
) -> None:
    """Read entries up to and with the sign or word that closes their block."""
    depth = r.depth
    while not _closed(r, owner, closing, opening):
        if r.kinds[r.i] == ";":
            r.i += 1
            continue
        first = r.i
        try:
            _begun_elsewhere(r, choices)
            r.entry_at = r.i
            entry(r)
            finish(r, choices)
        except Lost:
            r.lost += 1
            r.depth, r.parens, r.juxtapose, r.signs, r.list_at = depth, 0, False, False, -1
            skip(r, first)


def _begun_elsewhere(r: Reader, choices: Sequence[str]) -> None:
    """Report and pass how YAML and JSON begin an entry: ``- name: ...``, ``"name": ...``."""
    i = r.i
    if r.kinds[i] == "-" and r.kinds[i + 1] in ("name", "text") and r.new_line(i):
        if "-" not in r.renamed:
            r.error_here("stray", "no '-' begins an entry", "remove '-', here and below")
        r.renamed.add("-")
        r.i = i = i + 1
    bare = r.words[i][1:-1]
    if r.kinds[i] == "text" and r.kinds[i + 1] == ":" and bare in choices:
        r.error_here("missing-name", "a name stands without quotes", f"write {bare}")
        r.kinds[i], r.words[i] = bare if bare in RESERVED else "name", bare


def _closed(r: Reader, owner: str, closing: str, opening: int) -> bool:
    """Say whether the block ends here, and take what ends it."""
    i = r.i
    kind = r.kinds[i]
    if closing == "line" and r.new_line(i):
        return True
    if closing[0] == "@" and r.starts[i] >= int(closing[1:]):
        return True
    if kind == "name" and not r.layout and r.words[i] not in _FILE_OPEN:
        return False
    if r.layout and _dedented(r, i, opening):
        _report_unclosed(r, owner, closing, opening)
        return True
    if kind == closing or kind == "end" or kind == "}":
        if kind == "end" and r.kinds[i + 1] in (":", "=") and not r.new_line(i + 1):
            return False
        if kind != closing and closing not in ("either", "line"):
            line, _ = r.source.position(r.starts[opening])
            r.error_here(
                "mixed-block",
                f"this block was opened with '{r.words[opening]}' on line {line} "
                f"and is closed with '{kind}'",
                f"write '{closing}'",
            )
        r.i = i + 1
        return True
    begun = kind == "eof" or begins_item(r, i)
    if begun and (end := _defined_within(r, i, opening)):
        told = f"'{r.words[i]} {r.words[i + 1]}' is defined within {owner}"
        r.error_here("stray", told, f"write it above {owner}")
        r.lost += 1
        r.i = end + 1
        return _closed(r, owner, closing, opening)
    if begun:
        if not r.layout:
            raise Unclosed
        _report_unclosed(r, owner, closing, opening)
        return True
    return False


def _defined_within(r: Reader, i: int, opening: int) -> int:
    """Return where a definition ends that stands within a block that is closed; 0 for others."""
    if r.kinds[i] == "eof" or _indentation(r, i) <= _indentation(r, opening):
        return 0
    first = i
    while r.kinds[first] not in ("{", "begin", "eof") and not (first > i and r.new_line(first)):
        first += 1
    if r.kinds[first] not in ("{", "begin"):
        return 0
    (end, inner), (outer, whole) = closing_of(r, first), closing_of(r, opening)
    return end if inner and whole and end < outer else 0


def _dedented(r: Reader, i: int, opening: int) -> bool:
    """Say whether token ``i`` begins a line that is too far left to be in the block."""
    if r.kinds[i] == "eof" or not r.new_line(i) or r.kinds[opening] not in ("{", "begin"):
        return False
    here, there = _indentation(r, i), _indentation(r, opening)
    if r.kinds[i] in ("end", "}"):
        return here < there
    return here <= there


def _report_unclosed(r: Reader, owner: str, closing: str, opening: int) -> None:
    if r.unclosed:
        return
    r.unclosed = True
    closing = "}" if closing == "either" else closing
    line, _ = r.source.position(r.starts[opening])
    r.error_before(
        "unclosed-block",
        f"nothing closes {owner} opened on line {line}",
        f"add '{closing}' here",
    )


def finish(r: Reader, choices: Sequence[str]) -> None:
    """Take the end of an entry: ``;``, a line's end, or what closes the block.

    After an entry that ends in ``}`` the next may follow on the same line, as after a ``;`` that
    the last of its parts has taken: ``components b: ball; structure { ... }``.
    """
    kind = r.kinds[r.i]
    if kind == ";":
        r.i += 1
    elif kind in ("end", "}", "eof") or r.new_line(r.i) or r.kinds[r.i - 1] in ("}", ";"):
        return
    elif kind == "," and r.kinds[r.i + 1] in ("name", "text", "eof"):
        r.error_here("stray", "',' does not end an entry", "write ';' or begin a new line")
        r.i += 1
    elif kind in _STARTS or r.words[r.i] in choices or r.kinds[r.i + 1] in (":", "["):
        r.error_before("missing-sign", f"';' is missing before {r.shown()}", "add ';' here")
    else:
        r.leftover(choices)


def skip(r: Reader, first: int) -> None:
    """Go on after an error in the entry that began at token ``first``."""
    indentation = _indentation(r, first)
    nested = 0
    i = max(r.i, first)
    if i == first and r.kinds[i] in ("end", "}") and r.kinds[i + 1] in (":", "="):
        i += 1  # not the block's end, or the block would have ended
    # what was opened between the entry's start and the place of the error is still open
    for kind in r.kinds[first:i]:
        if kind == "{" or kind == "begin":
            nested += 1
        elif kind == "}" or kind == "end":
            nested -= 1
    nested = max(nested, 0)
    while True:
        kind = r.kinds[i]
        if kind == "eof":
            break
        if i > first and r.new_line(i):
            if begins_item(r, i):
                break
            if nested == 0 and kind not in ("{", "begin", "end", "}", ")", "("):
                outward = kind in _STARTS or _indentation(r, i) <= indentation
                if outward:
                    break
        if kind == "{" or kind == "begin":
            nested += 1
        elif kind == "}" or kind == "end":
            if nested == 0:
                break
            nested -= 1
            if nested == 0:
                i += 1
                break
        elif kind == ";" and nested == 0:
            i += 1
            break
        i += 1
    r.i = i
