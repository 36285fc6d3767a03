"""Advice that was tried: put into the text, it leaves nothing wrong there.

What a finding says to write is put into its entry, and what is said of that again, until the entry
checks: the advice then shows the whole entry as it will do. Where advice leads nowhere, words are
left out, exchanged and joined as people confuse them. Numbers of the entry are all kept, and none
is added. Where nothing is found the first advice stays.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from heapq import heappop, heappush
from typing import NamedTuple

from articulata.errors import Diagnostic
from articulata.world.language.checking.advised import PUT, QUOTED, Fault, advised
from articulata.world.language.diagnostics import Findings
from articulata.world.language.filled_forms import filled
from articulata.world.language.meant_words import SIDES, closest, other_word
from articulata.world.language.other_words import CONVERTED
from articulata.world.language.source import Source
from articulata.world.language.syntax.declared_names import names_in
from articulata.world.language.syntax.grammar import (
    ENTRIES,
    REQUESTS,
    RESERVED,
    SECTIONS,
    STATEMENTS,
)
from articulata.world.language.syntax.meant_statements import meant_statement
from articulata.world.language.syntax.parse import parse
from articulata.world.language.syntax.tree import File, FileItem, Request
from articulata.world.language.units import parse_unit
from articulata.world.requests.questions import FORMS

_ENTRIES, _TRIALS, _LONGEST, _MOST, _DEAREST = 2, 200, 12_000, 4, 4.2
"""How many entries are tried, how often each in a short text, and up to which size of a text and
number of errors: a text torn in many places is not mended at one of them."""

_WRITTEN = 400
"""Characters of an entry that somebody writes; for a longer one nothing is tried."""

_CODES = frozenset(("missing-sign", "missing-word", "missing-name", "missing-value",
                    "missing-block", "stray", "unknown-word", "unknown-section",
                    "unknown-option", "unknown-function", "reserved-word", "wrong-kind",
                    "wrong-count"))  # fmt: skip
"""What is said of how an entry is written; of its values nobody knows what they should be."""

_TOKEN = re.compile(
    r"""(?P<text>"[^"\n]*"?)
    |(?P<number>\d+(?:\.(?!\.)\d*)?(?:[eE][-+]?\d+)?(?:[ ]?(?:[a-zA-Z%°]+(?:[*/^]-?\w+)*))?)
    |(?P<path>[^\W\d]\w*(?:\[[^\]\n]*\])?(?:\.[^\W\d]\w*(?:\[[^\]\n]*\])?)*)|(?P<sign>\.\.|\S)""",
    re.VERBOSE,
)
_NUMBER = re.compile(r"(?:(?<=[\s(,:=])-)?(?<![\w.])\d[\d_]*(?:\.(?!\.)\d*)?(?:[eE][-+]?\d+)?")
_QUANTITY = re.compile(r"(?<![\w.])(\d+(?:\.\d*)?) ?[a-zA-Z]")
_WORD = re.compile(r"[^\W\d]\w+")
_LINKS = ("at", "by", "from", "in", "on", "to", "with", "of", "about", "as", "between", "and")
_FILLERS = frozenset(("a", "an", "the", "all", "every", "each", "both", "its", "his", "her", "this",
                      "is", "are", "joints", "side", "object", "please"))  # fmt: skip
"""Words that a sentence has and an entry has not."""


class Token(NamedTuple):
    """A word, number, text or sign of an entry, and where it stands."""

    kind: str
    text: str
    start: int
    end: int


Check = Callable[[File, tuple[Diagnostic, ...]], Sequence[Diagnostic]]
"""Finds what is wrong with a text, of its tree and what reading it has found."""


def with_tried_advice(
    source: Source, found: Sequence[Diagnostic], check: Check
) -> tuple[Diagnostic, ...]:
    """Return findings with advice that was tried."""
    errors = [each for each in found if each.severity == "error" and each.file == source.file]
    better: dict[Diagnostic, Diagnostic] = {}
    if len(source.text) <= _LONGEST and len(errors) <= _MOST:
        for each in [each for each in errors if each.code in _CODES][:_ENTRIES]:
            search = _Search(source, each, check)
            if len(search.entry) > _WRITTEN:
                continue
            try:
                advice = search.advice()
            except Exception:  # of a text that nobody wrote
                continue
            if advice:
                better[each] = replace(each, suggestion=advice)
            elif search.left <= 0:
                break  # a text that is far from right
    return tuple(better.get(each, each) for each in found)


class _Search:
    """The search for an entry in place of one that ``told`` is said of."""

    def __init__(self, source: Source, told: Diagnostic, check: Check) -> None:
        self.source, self.told, self.check = source, told, check
        text, at = source.text, source.starts[told.line - 1]
        line = re.match(r"(?:\"[^\"\n]*\"|(?!--|#)[^\n])*", text[at:])
        end = at + len(line[0] if line else "")
        depth, self.start, self.end = 0, at, end
        offset = min(at + told.column - 1, end)
        for i in range(at, end):
            depth += (text[i] in "([") - (text[i] in ")]")
            if text[i] in "{};" and depth <= 0:
                if i < offset:
                    self.start = i + 1
                else:
                    self.end = i
                    break
        self.start += len(text[self.start : self.end]) - len(text[self.start : self.end].lstrip())
        self.entry = text[self.start : self.end].rstrip(" ,\r")
        self.end = self.start + len(self.entry)
        self.head = re.split(r"[\s:(=.]", self.entry, maxsplit=1)[0]
        self.left = int(_TRIALS * min(1.0, 2000 / (len(text) + 1)))
        self.known: dict[str, tuple[bool, list[Diagnostic]]] = {}
        self.above: Sequence[FileItem] = ()
        self.parsed = True

    @cached_property
    def names(self) -> frozenset[str]:
        """Words that the rest of the text holds, and that are none of the grammar."""
        rest = self.source.text[: self.start] + self.source.text[self.end :]
        words = set(re.findall(r"[^\W\d]\w*", re.sub(r"(?:--|#)[^\n]*", "", rest)))
        words.update(_AS.findall(self.entry))
        return frozenset(words - RESERVED - ENTRIES - set(_LINKS) - set(STATEMENTS))

    @cached_property
    def patterns(self) -> tuple[str, ...]:
        """Return forms of the clause that the entry is, none where it is something else."""
        return tuple(p for each in REQUESTS.values() if self.head in each
                     for p in each[self.head].patterns)  # fmt: skip

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """Words that an entry of this kind may hold."""
        forms = self.patterns or tuple(each.form for each in STATEMENTS.values())
        kinds = SECTIONS["figure"], SECTIONS["primitive"]
        own = (w for form in forms for w in re.findall(r"(?<![<\w])[a-z_]{2,}(?![\w>])", form))
        return tuple(dict.fromkeys((*own, *(w for each in kinds for w in each))))

    @cached_property
    def pairs(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """Return what finds names with their values behind them: side by side, and each."""
        names = "|".join(map(re.escape, sorted(self.names))) or "(?!)"
        value = rf"(?<= )-?\d[\d.]*(?: ?[a-zA-Z][\w*/^]*)?|(?:{names})\b|\([^()]*\)"
        pair = rf"([^\W\d]\w*) (?:of )?({value})"
        return re.compile(rf"(?:,? ?(?:and )?\b{pair})+"), re.compile(pair)

    def _found(self, entry: str) -> list[Diagnostic]:
        """Return what is wrong with the text where ``entry`` stands; each is read once."""
        if entry not in self.known:
            text = f"{self.source.text[: self.start]}{entry}{self.source.text[self.end :]}"
            enough = partial(self._told_here, entry) if self.parsed and self.known else None
            tree, told = parse(text, self.source.file, self.above, enough)
            here = any(each.line == self.told.line and each.severity == "error" for each in told)
            if not self.known:
                before = min((each.line for each in told), default=self.told.line)
                self.above = [
                    each for each in tree.items
                    if self.source.position(each.span[1])[0] < min(before, self.told.line) - 1
                ]  # fmt: skip
            told = told if self.parsed and here else tuple(self.check(self._alone(tree), told))
            self.known[entry] = here, [each for each in told if each.severity == "error"]
        here, errors = self.known[entry]
        self.left -= 1 if self.parsed and here else 4
        return errors

    def _alone(self, tree: File) -> File:
        """Return a tree without the requests beside that of the entry: nothing asks for them."""
        here = [each for each in tree.items if each.span[0] <= self.start <= each.span[1]]
        if not any(isinstance(each, Request) for each in here):
            return tree
        rest = (each for each in tree.items if each in here or not isinstance(each, Request))
        return replace(tree, items=tuple(rest))

    def _told_here(self, entry: str, findings: Findings) -> bool:
        """Say whether a finding stands in the entry."""
        return any(
            each.severity == "error" and self._place(each, entry) >= 0
            for each in findings.diagnostics()
        )

    def _place(self, told: Diagnostic, entry: str) -> int:
        """Return where in an entry a finding stands, -1 where it stands elsewhere."""
        start = told.column - 1 - self.start + self.source.starts[self.told.line - 1]
        return start if told.line == self.told.line and start <= len(entry) + 1 else -1

    def fault(self, entry: str) -> Fault | None:
        """Return what is wrong with an entry in this place, None where nothing is."""
        first: Fault | None = None
        for each in self._found(entry):
            start = self._place(each, entry)
            if start >= 0:
                here = each.end_line in (0, each.line) and each.end_column
                end = start + each.end_column - each.column if here else start
                return Fault(start, end, each.suggestion)
            if each.line != self.told.line and (each.line, each.code) not in self.others:
                first = first or Fault(0, 0, "")
        return first

    def advice(self) -> str:
        """Return advice in place of what was told, "" where that does or none is found."""
        self.others: set[tuple[int, str]] = set()
        found = self._found(self.entry)
        self.others = {(each.line, each.code) for each in found}
        self.parsed = self.known[self.entry][0]
        fault = None if self.told.message in CONVERTED else self.fault(self.entry)
        if fault is None or fault.advice != self.told.suggestion or not fault.advice:
            return ""
        first = fault.advice.partition(" ")[0]
        if _ELSEWHERE.match(fault.advice) or first in self.vocabulary:
            return ""
        word = self.entry[fault.start : fault.end] if QUOTED.match(fault.advice) else ""
        for then in dict.fromkeys(advised(self.entry, fault)):
            said = self.entry.replace("_", "")
            new = {*re.findall(r"\d ?([^\W\d_]+)", then)} - {*re.findall(r"[^\W\d_]+", said)}
            added = new and _counted(_QUANTITY, then) - _counted(_QUANTITY, said)
            lost = _counted(_NUMBER, said) - _counted(_NUMBER, then)
            kept = self.told.code == "unknown-function" or not self.keeps(then)
            kept = kept or self.lost(then, word) < 1.5
            if kept and not added and not lost and self.fault(then) is None:
                return ""
        return self._best(fault)

    def _best(self, told: Fault) -> str:
        best, shown, number = _DEAREST, "", 0
        waiting: list[tuple[float, int, str, Fault]] = [(0.0, 0, self.entry, told)]
        seen: set[str] = set()
        cheapest: dict[str, float] = {}
        while waiting and self.left > 0:
            cost, _, entry, before = heappop(waiting)
            if cost >= best:
                break
            if entry in seen:
                continue
            seen.add(entry)
            fault = told if entry == self.entry else self.fault(entry)
            if fault is None:
                if self.keeps(entry) and cost + self.lost(entry) < best:
                    best, shown = cost + self.lost(entry), entry
                continue
            nearer = len(entry) - fault.start < len(self.entry) - before.start
            cost += 0.0 if nearer or entry == self.entry else 0.6
            for then, more in self.steps(entry, fault):
                if cost + more >= cheapest.get(then, best):
                    continue
                cheapest[then] = cost + more
                if self.keeps(then):
                    number += 1
                    heappush(waiting, (cost + more, number, then, fault))
        shown = re.sub(rf"(?<= )({'|'.join(_LINKS)})\(", r"\1 (", shown)
        shown = re.sub(r" +,", ",", shown).rstrip(" ;,")
        if (put := PUT.match(told.advice)) and " " in put[1] and f" {put[1]}" in shown:
            return ""  # what was told is the part of it that changes
        return f"write {shown}" if shown else ""

    @cached_property
    def said(self) -> tuple[Counter[float], list[str], set[str], Counter[str]]:
        """Return numbers and names of the entry that stay, its words and those in our words."""
        own = [each for form in (_TEXT, _OWN_NAME, _AS) for each in form.findall(self.entry)]
        words = {*_WORD.findall(self.entry)}
        return _numbers(self.entry), own, words, Counter(_pieces(self._plain(self.entry)))

    def keeps(self, entry: str) -> bool:
        """Say whether another entry has the numbers and names of this one, and a word of it."""
        said, own, words, _ = self.said
        times = re.search(r"\d [xX] ", self.entry) and re.search(r"\d *[,)]", entry)  # of one unit
        ours = self.head in ENTRIES or self.head in STATEMENTS or self.head == "on"
        kept = all(each in entry for each in own) and (not ours or entry.startswith(self.head))
        if times or not kept or said != _numbers(entry):
            return False
        if self.told.code == "unknown-section" and not re.match(r"on\b|[\w\[\]]+ *:", entry):
            return False
        return bool(said or set(_WORD.findall(entry)) & words - {self.head})

    def lost(self, entry: str, told: str = "") -> float:
        """Return how much of the entry another one leaves out.

        ``told`` is a word that another is told to stand for.
        """
        then_words, said_words = Counter(_pieces(entry)), self.said[3] - Counter((told,))
        small = {*_LINKS, *_FILLERS}
        lost = [each for each in (said_words - then_words).elements() if each not in small]
        added = [each for each in (then_words - said_words).elements() if each not in small]
        item = _DEAREST * (len(lost) > len(added) and entry.count(",") < self.entry.count(","))
        known = sum(2 if each in self.vocabulary else 1.5 * (each in self.names) for each in lost)
        strange = sum(not any(each[:4] == other[:4] or other_word(other, (each,)) for other in lost)
                      for each in added)  # fmt: skip
        return item + max(0, len(lost) - len(added)) + known + 0.2 * len(added) + 0.5 * strange

    def steps(self, entry: str, fault: Fault) -> Iterator[tuple[str, float]]:
        """Return entries that differ from one by one change, and what each costs."""
        for then in advised(entry, fault):
            yield then, 0.6
        yield from self._grouped(entry)
        yield from self._moved(entry, fault)
        if lacks := entry.count("(") - entry.count(")"):  # somewhere one lacks, or is too much
            for at in re.finditer(r"(?<=[\w)])(?!\w)" if lacks > 0 else r"\)", entry):
                yield f"{entry[: at.start()]}{')' * (lacks > 0)}{entry[at.end() :]}", 0.6
        tokens = list(_tokens(entry))
        if (plain := self._plain(entry)) != entry:
            yield plain, 0.5
        here = next((i for i, each in enumerate(tokens) if each.end > fault.start), len(tokens))
        value = entry.partition(":")[2].strip()
        if self.patterns and value:
            for pattern in self.patterns:
                yield f"{self.head}: {filled((pattern,), value)}", 1.6
        for i, each in enumerate(tokens):
            if each.kind == "path":
                yield from self._worded(entry, tokens, i, abs(i - here) < 3)
        for i in (each for each in (here, here - 1, here + 1) if 0 <= each < len(tokens)):
            yield from self._signs(entry, tokens, i)

    def _grouped(self, entry: str) -> Iterator[tuple[str, float]]:
        """Return entries with parentheses, braces or signs around values that follow their names.

        ``rk4 with step 1 ms`` is ``rk4(step: 1 ms)``, ``with posture proud`` ``, posture = proud``.
        """
        runs, pair = self.pairs
        for run in runs.finditer(entry):
            pairs = [each for each in pair.findall(run[0]) if each[0] not in _LINKS]
            before = re.sub(r"(?:[ ,]+(?:with|in|of))?[ :]*$", "", entry[: run.start()])
            after = entry[run.end() :]
            if pairs and before:
                held = [f"{name}: {value}" for name, value in pairs]
                yield f"{before}({', '.join(held)}){after}", 1.0
                yield f"{before}: ({', '.join(held)}){after}", 1.1
                yield f"{before} {{ {'; '.join(held)} }}{after}", 1.2
                yield f"{before}, {', '.join(f'{a} = {b}' for a, b in pairs)}{after}", 1.2
        for call in re.finditer(_OPTION, entry):  # motor with speed 60 rpm, rk4() step: 1 ms
            inner = f"{entry[: call.start()]}, " if call[1] == ")" else f"{entry[: call.end(1)]}("
            yield f"{inner}{call[2]}: {call[3]}){entry[call.end() :]}", 0.8
        for call in () if self.patterns else re.finditer(_HELD, entry):
            yield f"{entry[: call.start()]} = {call[1]}{entry[call.end() :]}", 1.0
        for several in re.finditer(r"-?\d[^,()]*(?:, -?\d[^,()]*)+", entry):
            yield f"{entry[: several.start()]}({several[0]}){entry[several.end() :]}", 1.0
        if found := re.match(r"(\w[^:]*) (?:when|if|once|as soon as|on) ([^:]+)$", entry):
            yield f"on {found[2]}: {found[1]}", 0.8
        if not self.patterns and (meant := meant_statement(entry, names_in(self.source.text))):
            yield meant, 1.0

    def _moved(self, entry: str, fault: Fault) -> Iterator[tuple[str, float]]:
        """Return entries in which known words, or values with or about their link, change places.

        ``force at nozzle = thrust`` is ``force = thrust at nozzle``.
        """
        known = self.names | frozenset(self.vocabulary)
        for pair in _SIDE_BY_SIDE.finditer(entry):
            one, link, two = next(pair.group(k, k + 1, k + 2) for k in (1, 4, 7) if pair[k])
            end = pair.start() + len(f"{one}{link}{two}")
            near = end >= fault.start and pair.start() <= fault.end + 1
            if near and (not pair[4] or {one, two} <= known):
                yield f"{entry[: pair.start()]}{two}{link}{one}{entry[end:]}", 0.8

    def _plain(self, entry: str) -> str:
        """Return an entry in our words, without fillers, and with ``b.a`` for ``a of b``."""

        def meant(word: re.Match[str]) -> str:
            known = word[0] in self.names or word[0] in self.vocabulary
            return word[0] if known else other_word(word[0], self.vocabulary) or word[0]

        words = re.sub(rf"(?<![\w.])(?:{'|'.join(_FILLERS)})\b(?![.\[:(]) *", "", entry)
        words = re.sub(r"(?<=[ ,])[^\W\d]\w+\b(?![.\[:(])", meant, words)
        words = re.sub(r"(?<=[:,] )of | over time$", "", words)
        words = re.sub(
            r"\b(?:is )?(?:exceeds|above|over|(?:more|greater) than) (?=-?\d)", "> ", words
        )
        words = re.sub(r"\b(?:is )?(?:below|under|less than) (?=-?\d)", "< ", words)
        return re.sub(r"([\w.\[\]]+) of ([\w.\[\]]+)", r"\2.\1", words)

    def _worded(
        self, entry: str, tokens: list[Token], i: int, near: bool
    ) -> Iterator[tuple[str, float]]:
        """Return other words for one, and what it may be together with its neighbours."""
        word, after = tokens[i], tokens[i + 1 :]
        known = word.text in self.names or word.text.partition(".")[0] in self.names
        if not known and i:
            if meant := other_word(word.text, self.vocabulary):
                yield _with(entry, word, meant), 0.7
            begun = _begun(word.text, self.vocabulary)
            if meant := begun or closest(word.text, self.vocabulary):
                yield _with(entry, word, meant), 0.6 if begun else 1.0
            if not after or after[0].text not in (":", "=", "("):
                yield _with(entry, word, ""), 1.2
            yield _with(entry, word, ","), 1.4
        for n in (1, 2, 3) if near else ():
            run = tokens[i : i + n + 1]
            if len(run) <= n or any(each.kind != "path" or each.text in _LINKS for each in run):
                break
            words = [each.text for each in run]
            short = [SIDES.get(words[0], words[0]), *words[1:]]
            if self.patterns or "_".join(short) in self.names:
                yield _joined(entry, word, run[-1], "_".join(short)), 1.0
            yield _joined(entry, word, run[-1], f'"{" ".join(words)}"'), 1.3
        run = [each for each in after[:3] if each.kind == "number"]
        if run and after[0] is run[0] and i:
            held = entry[run[0].start : run[-1].end]
            yield _joined(entry, word, run[-1], f"{word.text}({held})"), 1.0

    def _signs(self, entry: str, tokens: list[Token], i: int) -> Iterator[tuple[str, float]]:
        """Return other signs and small words at one place."""
        here = tokens[i]
        links = [each for each in _LINKS if each in self.vocabulary]
        if here.kind == "path":  # an argument by a name, or a group that is none
            named = re.match(r"\w+ *[:=] *\(([^()]*)\)", entry[here.start :])
            if named and i > 1:
                rest = entry[here.start + named.end() :]
                yield f"{entry[: here.start]}{named[1]}{rest}", 1.2
        if here.text in ("=", ":") and i > 1:
            yield _with(entry, here, ":" if here.text == "=" else "="), 1.0
        if here.text in (*_LINKS, "=") and i:
            for link in (*links, ""):
                yield _with(entry, here, link), 1.1
        if i and (here.kind in ("path", "number", "text") or here.text == "("):
            for link in (*links, ","):
                yield f"{entry[: here.start].rstrip()} {link} {entry[here.start :]}", 1.3
        kinds = re.findall(r"<(\w+)>", " ".join(self.patterns))
        for form in (each for kind in kinds for each in FORMS.get(kind, ())):
            group = re.search(r": *([\d][^()\n]*)$|(?<=: )\(([^()\n]*)\)", entry)
            if group:
                yield f"{entry[: group.start()]}: {form}({group[1] or group[2]})", 1.2


def _tokens(entry: str) -> Iterator[Token]:
    """Return the tokens of an entry; a word behind a number is its unit if it is one."""
    for found in _TOKEN.finditer(entry):
        kind, start, end = found.lastgroup or "", *found.span()
        number, _, unit = found[0].partition(" ")
        if kind == "number" and unit and not _is_unit(unit):
            yield Token(kind, number, start, start + len(number))
            kind, start = "path", end - len(unit)
        yield Token(kind, entry[start:end], start, end)


def _is_unit(text: str) -> bool:
    try:
        parse_unit(text)
    except KeyError:
        return False
    return True


@lru_cache(500)
def _begun(word: str, vocabulary: tuple[str, ...]) -> str:
    """Return the longest of some words with which another begins, or ""."""
    some = (each for each in vocabulary if word.startswith(each) and len(each) > 3)
    return max(some, key=len, default="")


def _counted(pattern: re.Pattern[str], text: str) -> Counter[float]:
    return Counter(float(each.replace("_", "")) for each in pattern.findall(text))


def _numbers(entry: str) -> Counter[float]:
    """Return the numbers of an entry; a point and a direction have zeros that nobody says."""
    found = _counted(_NUMBER, entry)
    del found[0.0]
    return found


def _pieces(entry: str) -> Iterator[str]:
    """Return the words of an entry, names in their parts."""
    for word in _WORD.findall(entry):
        yield from (SIDES.get(each, each) for each in word.split("_") if each.isalpha())


def _with(entry: str, token: Token, text: str) -> str:
    return _joined(entry, token, token, text)


def _joined(entry: str, first: Token, last: Token, text: str) -> str:
    before, after = entry[: first.start].rstrip(" "), entry[last.end :].lstrip(" ")
    gap = "" if not before or entry[: first.start] == before or text in (",", ":") else " "
    behind = "" if entry[last.end :] == after or (not text and after[:1] in "(,:") else " "
    return f"{before}{gap if text else ''}{text}{behind}{after}".strip()


_HELD = re.compile(r"(?<=[\w\]])\((?:\w+ *[=:] *)?([^(),]+)\)")
_LINK = rf"\b(?:{'|'.join(_LINKS)})\b"
_VALUE = rf"(?:=|{_LINK}) *(?!{_LINK})(?:\([^()]*\)|[^\s=,;:()])+"
_WORDED = rf"\b(?!{_LINK})[^\W\d]\w*"
_OPERAND = rf"(?:-?\b[xyz]\b|\([^()]*\)|(?<![\w.])-?\d[\w.]*(?: (?!{_LINK})[a-zA-Z][\w*/^]*)?)"
_OPTION = rf"({_WORDED}|\))(?:,? with|,| of)? ({_WORDED}) ?[:=]? ?(?:of )?({_OPERAND})"
_SIDE_BY_SIDE = re.compile(rf"(?=({_VALUE})( +)({_VALUE}))|(?=({_WORDED})( +)({_WORDED}))"
                           rf"|(?=({_OPERAND})( +{_LINK} +)({_WORDED}[\w.]*))")  # fmt: skip
_ELSEWHERE = re.compile(r"write (?:it|the|import|with|from) |put it into |write [\d.]+ [a-zA-Z]+$")
_OWN_NAME = re.compile(r"(?:gear|cam|force) +(?!between|about|on|from)(\w+) +(?:between|about|on) ")
_TEXT = re.compile(r'"([^"\n]+)"')
_AS = re.compile(r"\bas (?!matching\b)([^\W\d]\w*)")
