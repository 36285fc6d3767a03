"""What an entry becomes where somebody does what is said of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

QUOTED = re.compile(r"(?:did you mean|write|add) '([^']+)'")
PUT = re.compile(r"(?:write|use|add) (.+)")


class Fault(NamedTuple):
    """What is said of an entry: from where to where in it, and the advice."""

    start: int
    end: int
    advice: str


def advised(entry: str, fault: Fault) -> Iterator[str]:
    """Return what an entry may become where somebody does what is said."""
    start, end = fault.start, max(fault.start, min(fault.end, len(entry)))
    advice = re.sub(r"^remove it: ", "", fault.advice)
    before, after = entry[:start].rstrip(), entry[end:]
    if found := re.match(r"(?:add|put) (?:'([^'\n]+)'|(\S+)) (?:here|before)", advice):
        gaps = ("", " ") if (found[1] or found[2]) in tuple(",;:.()") else (" ", "")
        for gap in gaps:
            yield f"{before}{gap}{found[1] or found[2]} {entry[start:].lstrip()}"
        return
    if advice.startswith("remove"):
        yield f"{before} {after.lstrip()}"
        return
    if found := QUOTED.match(advice):
        if found[1] in ",;:":
            yield f"{before}{found[1]} {after.lstrip()}"
        yield f"{entry[:start]}{found[1]}{after}"
        yield f"{before} {found[1]} {after.lstrip()}"
        return
    if found := re.match(r"write (\S.*) in place of (.+)", advice):
        yield entry.replace(found[2], found[1], 1)
        return
    put = PUT.match(advice)
    if not put:
        return
    whole = re.sub(r": .*(?<=\.\.\.)$| on the next line$| here$|; .*$", "", put[1])
    if "..." in whole:
        return
    parts = [each for each in re.split(r" or |, (?![^(]*\))", whole) if re.search(r"\W", each)]
    for meant in dict.fromkeys((whole, *parts[:5])):
        if meant.partition(" ")[0] == entry.partition(" ")[0]:
            yield meant
            continue
        colon = entry.find(":") + 1
        first = max(entry.rfind(",", 0, start), colon - 1) + 1
        last = entry.find(",", start)
        yield f"{entry[:start]}{meant}{after}"
        if held := re.match(r"[^(),]*(?:\([^()]*\)[^(),]*)*", entry[start:]):
            yield f"{entry[:start]}{meant}{entry[start + held.end() :]}"
        yield f"{entry[:start]}{meant}"
        yield f"{entry[:first]} {meant}{entry[last:] if last > 0 else ''}".strip()
        if colon:
            yield f"{entry[:colon]} {meant}"
