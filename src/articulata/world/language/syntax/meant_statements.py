"""What a statement in other words, or in another order, means: put together from what it holds.

Other programs say the same things of a structure: which two bodies, by which hinge, about which
axis, called what, matched where. ``meant_statement`` finds these parts in any order and by any of
their names, and writes the statement that they make.

>>> names = Names(frozenset(("rod", "base")))
>>> meant_statement("joint main type=revolute axis=z parent=base child=rod", names)
'join rod to base with revolute(axis: z) as main matching (center, center)'
>>> meant_statement("rod.position = (0, 1 m, 0)", names)
'place rod by rod.center at (0, 1 m, 0)'
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from articulata.world.language.meant_words import other_word
from articulata.world.language.syntax.declared_names import INDEX, Names, names_of
from articulata.world.language.syntax.grammar import RESERVED, STATEMENTS
from articulata.world.language.syntax.habits import axis_of
from articulata.world.language.syntax.reader import Lost, Reader
from articulata.world.language.syntax.scan import AHEAD, scan
from articulata.world.language.vocabulary import HINGE_QUANTITIES, HINGES

_T = TypeVar("_T")
_PATH = re.compile(rf"(?<![\w.\"])[A-Za-z_]\w*{INDEX}(?:\.[A-Za-z_]\w*{INDEX})*")
_KEYED = re.compile(
    r"""\b(\w+)[ \t]*[:=](?!=)[ \t]*("[^"\n]*"|[(\[][^()\[\]\n]*[)\]]
    |-?[\w.]+(?:\[[^\]\n]*\][\w.]*)?(?:[ \t][a-zA-Z][\w*/^]*(?![\w*/^]*[ \t]*[=:(]))?)""",
    re.VERBOSE,
)
"""A value by its name: a text, a group, or a number or word and what may be its unit."""
_ASSIGNED = re.compile(r"(\w+)[ \t]*(?::|:?=)[ \t]*(?=[\w.]+[ \t]*\()")
_BEGINS = re.compile("starts?|follows?")
_PAIR = re.compile(r"\([ \t]*([a-z]\w*)[ \t]*,[ \t]*([a-z]\w*)[ \t]*\)")
_POINT = re.compile(r"[(\[]([^()\[\],\n]+),([^()\[\],\n]+),([^()\[\],\n]+)[)\]]")
_TURNED = re.compile(r"\bturned[ \t]+[-\w. ]+?[ \t]about[ \t]+[-\w]+")
_QUANTITY = r"-?[\d.]+(?:[ \t]?[a-zA-Z][\w*/^]*)?"
_BEHIND = re.compile(
    rf"\b(?:limits[ \t]*\([^()\n]*\)|friction[ \t]*(?:\([^()\n]*\)|{_QUANTITY})"
    rf"|restitution[ \t]+{_QUANTITY}|breaks[ \t]+at[ \t]+{_QUANTITY}"
    r"|driven[ \t]+by[ \t]+[\w.]+(?:\([^()\n]*\))?)"
)
"""What may stand behind a hinge, as it stands."""

_REMARK = re.compile(r"(?:--|#)[^\n]*")

_LONGEST = 400
"""Characters of a statement that somebody writes."""

_JOINING = frozenset(("join", "connect", "attach", "mate", "joint", "couple", "fasten", "hinge"))
_LINKING = frozenset(("between", "from", "of", "on", "via", "using", "by", "as", "type", "link",
                      "body", "name", "axis", "about", "add", "create", "make", "new"))  # fmt: skip


def statement_end(r: Reader, first: int) -> int:
    """Return the token behind the statement that begins at token ``first``."""
    i, level = first, 0
    indentation = r.source.indentation(r.starts[first])
    while r.kinds[i] != "eof":
        kind = r.kinds[i]
        if i > first and r.new_line(i) and r.source.indentation(r.starts[i]) <= indentation:
            break
        level += (kind in ("{", "(")) - (kind in ("}", ")"))
        if (kind == ";" and level == 0) or (level < 0 and kind == "}"):
            break
        i += 1
    return i


def in_order(r: Reader, parse: Callable[[Reader], _T]) -> _T:
    """Parse a statement; one that lacks a word and says the rest is told and read as meant."""
    first, before, r.missed = r.i, r.findings.count, ""
    lost: Lost | None = None
    try:
        found = parse(r)
    except Lost as raised:
        lost = raised
    if r.missed:
        told, r.missed = r.missed, ""
        if meant := told_as_meant(r, first, ordered=True):
            r.findings.forget(before)
            r.i = first
            tell(r, "missing-word", told, meant)
            return parse(r)
    if lost is not None:
        raise lost
    return found


def held_still(r: Reader) -> str:
    """Return what keeps a body still where a statement says ``fix table``, ``""`` for others."""
    found = re.match(r"(\w+)[ \t(]+(\w+)", r.line(r.i))
    if not found or not (found[1] == "fix" or other_word(found[1], ("fixed",))):
        return ""
    kind = re.search(rf"\b{found[2]}\b[^:\n]{{0,80}}:[ \t]*(\w+)", r.text)
    return f"write properties: (fixed) in primitive {kind[1]}" if kind else ""


def tell(r: Reader, code: str, told: str, meant: str) -> None:
    """Record what to write for the statement here, in place of what was told of a part of it."""
    misread = r.source.position(r.starts[r.i])[0] in r.findings.misread
    record = r.findings.instead if misread else r.findings.error
    record(code, r.token_span(), told, f"write {meant}")


def told_as_linked(r: Reader, first: int) -> bool:
    """Report a word here that stands for 'between', and go back to read what is meant."""
    span, shown, what = r.token_span(), r.shown(), r.words[first]
    meant = told_as_meant(r, first)
    if meant:
        told = f"'between' is due in this {what}, not {shown}"
        r.findings.error("unknown-word", span, told, f"write {meant}")
        r.i = first
    return bool(meant)


def told_as_meant(r: Reader, first: int, ordered: bool = False) -> str:
    """Return the statement that begins at token ``first`` as it is meant, ``""`` if nobody knows.

    ``ordered``: only where that is more than a word added, and nothing that was said is left out.
    The tokens are exchanged for those of what is meant, to be read from ``first`` on.
    """
    end = statement_end(r, first)
    start, stop = r.starts[first], r.spans[end - 1][1]
    text = _REMARK.sub("", r.text[start : r.starts[end]]).rstrip(" \t\r\n;}")
    if len(text) > _LONGEST or not text.startswith(r.words[first]):  # exchanged already
        return ""
    meant = meant_statement(text, names_of(r))
    if not meant or (ordered and not _reordered(text, meant)):
        return ""
    read = scan(meant)
    number = len(read.kinds) - AHEAD
    r.kinds[first:end], r.words[first:end] = read.kinds[:number], read.words[:number]
    r.starts[first:end] = [start] * number
    r.spans[first:end] = [(start, start)] * (number - 1) + [(start, stop)]
    return meant


def _reordered(text: str, meant: str) -> bool:
    """Say whether a statement is another order of a text, with all of its values."""
    said, then = re.findall(r"[\w.]+", text), re.findall(r"[\w.]+", meant)
    left = iter(then)
    kept = all(word in left for word in said)
    more = len(then) - len(said) > 1 and text.startswith("force")
    return (not kept or more) and all(word in then for word in said if word[0].isdigit())


def meant_statement(text: str, names: Names) -> str:
    """Return the statement that ``text`` means, ``""`` where it does not hold enough of one."""
    if len(text) > _LONGEST:
        return ""
    held = _Held(" ".join(text.split()), names)
    if held.verb == "for":
        return ""
    makers: tuple[Callable[[_Held], str], ...] = (_linked, _gear, _force)
    if held.first not in ("force", "gear", "cam"):
        makers = (_ignore, *makers, _join, _follow, _place)
    return next(filter(None, (each(held) for each in makers)), "")


class _Held:
    """The parts of a statement: who it is about, what is done, what is given by a name."""

    def __init__(self, text: str, names: Names) -> None:
        self.names = names
        self.source = text
        assigned = _ASSIGNED.match(text)
        self.called = assigned[1] if assigned else ""
        self.text = text[assigned.end() :] if assigned else text
        self.keyed = {key.lower(): value.strip('"') for key, value in _KEYED.findall(self.text)}
        self.paths = [(each[0], each.end()) for each in _PATH.finditer(self.text)]
        first = self.paths[0][0].lower() if self.paths else ""
        self.verb = first if first in STATEMENTS else other_word(first, STATEMENTS)
        self.first = first
        self.ends = [each for each, _ in self.paths if _root(each) in names.bodies]
        if {"parent", "child"} <= self.keyed.keys():
            ends = [self.keyed["child"], self.keyed["parent"]]
            self.ends = ends if {_root(each) for each in ends} <= names.bodies else self.ends
        self.hinged = [each for each, _ in self.paths if each in names.hinges]

    def body(self, path: str) -> tuple[str, str]:
        """Return the body that a path begins with, and the feature that it ends with or ``""``."""
        body, _, feature = path.rpartition(".")
        if not body or feature.endswith("]") or feature in self.names.bodies:
            return path, ""
        return body, "" if other_word(feature, ("at",)) else feature


_FILLING = frozenset(("of", "on", "the", "a", "with", "motion", "action", "to", "by", "at"))
"""Words about a motion that is begun, which are no names."""


def started(r: Reader, line: str) -> str:
    """Return ``start anna.wave`` for ``anna follows wave``, ``play wave`` and the like, or ""."""
    names = names_of(r)
    begun = re.split(r"[;}]|\b(?:from|after|for)\b", line)[0].strip()
    verb, owner = False, ""
    motions: list[str] = []
    for word in (part for path in _PATH.findall(begun) for part in path.split(".")):
        if other_word(word.removesuffix("s"), ("start", "follows")) or _BEGINS.fullmatch(word):
            verb = True
        elif _root(word) in names.bodies and not owner:
            owner = word
        elif word not in _FILLING:
            motions.append(word)
    acting = [each for each, kind in names.types.items()
              if kind == "person" or kind in r.figures or kind not in r.types]  # fmt: skip
    owner = owner or (acting[0] if len(acting) == 1 else "")
    if len(motions) != 1 or _root(owner) not in acting or "=" in begun:
        return ""
    said = verb or re.fullmatch(r"\w+ ?[.:] ?\w+", begun)
    return f"start {owner}.{motions[0]}" if said else ""


def _root(path: str) -> str:
    return re.split(r"[.\[]", path, maxsplit=1)[0]


def _hinge_word(word: str) -> str:
    """Return the hinge that a word of any program means."""
    plain = word.lower().replace("_", "").removesuffix("joint").removesuffix("constraint")
    return plain if plain in HINGES else other_word(word, HINGES)


def _join(held: _Held) -> str:
    if len(held.ends) != 2 or held.ends[0] == held.ends[1]:
        return ""
    hinge, behind = "", ""
    for key in ("type", "kind", "hinge", "joint"):
        hinge = hinge or _hinge_word(held.keyed.get(key, ""))
    for word, end in held.paths:
        if not hinge and word not in held.names.bodies and (found := _hinge_word(word)):
            hinge = found
            group = re.match(r"[ \t]*(\([^()\n]*\))", held.text[end:])
            if group and not any(
                _root(each) in held.names.bodies for each in _PATH.findall(group[1])
            ):
                behind = group[1] if not _PAIR.fullmatch(group[1]) else ""
    if not (hinge or held.first in _JOINING or held.verb == "join"):
        return ""
    hinge = hinge or "pin"
    slots = tuple(slot.name for slot in HINGES[hinge].signature.slots)
    options = []
    for key, value in held.keyed.items():
        slot = key if key in slots else other_word(key, slots)
        if slot and not behind:
            options.append(f"{slot}: {axis_of(value) if slot == 'axis' else value}")
    for slot in slots:  # said without a sign: stiffness 200 N/m
        said = re.search(rf"\b{slot}[ \t]+(?:of[ \t]+)?({_QUANTITY})", held.text)
        if said and not behind:
            options.append(f"{slot}: {said[1]}")
    (a, of_a), (b, of_b) = map(held.body, held.ends)
    other = {*held.names.bodies, "x", "y", "z"}
    pairs = (each.groups() for each in _PAIR.finditer(held.text))
    pair = next((each for each in pairs if not other & set(each)), None)
    first, second = pair or (of_a or "center", of_b or "center")
    behind = behind or (f"({', '.join(options)})" if options else "")
    shown = f"join {a} to {b} with {hinge}{behind}"
    name = _name_of(held)
    shown += f" as {name}" if name else ""
    shown += f" matching ({first}, {second})"
    return " ".join((shown, *_limits(held), *(each[0] for each in _BEHIND.finditer(held.text))))


def _limits(held: _Held) -> tuple[str, ...]:
    """Return limits that are given by a name, as they stand here."""
    found = held.keyed
    low, high = (found.get(a, found.get(b, "")) for a, b in (("lower", "min"), ("upper", "max")))
    if low and high:
        return (f"limits ({low}, {high})",)
    given = next((found[key] for key in ("limits", "limit", "range") if key in found), "")
    return (f"limits ({given.strip('()[]')})",) if given[:1] in ("(", "[") else ()


def _name_of(held: _Held) -> str:
    """Return the name that a statement gives what it makes, ``""`` where it gives none."""
    said = re.search(r"\bas \"?([A-Za-z_]\w*)", held.text)
    given = held.called or held.keyed.get("name", "") or held.keyed.get("id", "")
    if said or given:
        return said[1] if said else given
    typed = bool({"type", "kind", "hinge"} & held.keyed.keys())
    others = {*held.keyed, *held.keyed.values(), *held.names.bodies, *held.names.hinges,
              *_LINKING, *RESERVED}  # fmt: skip
    for word, _ in held.paths:
        if word.lower() in _JOINING or word.lower() == held.first:
            continue
        if word in others or not word.isidentifier():
            return ""
        if typed or not _hinge_word(word):
            return word
    return ""


OF_ONE = frozenset(("on", "at", "of", "from", "to", "by", "with", "in"))
"""Words that say of one end what acts between two."""

_LINKS = rf"(?:{'|'.join(sorted(OF_ONE))}|between|about|and|,)"
_LINKED = re.compile(
    rf"(force|gear|cam)(?: +(?!{_LINKS} )(\w+))? +(?:{_LINKS} +)?({_PATH.pattern})"
    rf"(?:(?: *, *| +(?:{_LINKS} +)?)({_PATH.pattern}))? *[:=] *(.+)"
)


def _linked(held: _Held) -> str:
    """Return a force, gear or cam whose ends stand behind other words; the other body is found."""
    found = _LINKED.fullmatch(held.text)
    if not found:
        return ""
    what, name, one, two, value = found.groups(default="")
    if what == "force" and one in held.names.hinges and not two:
        return f"force {name or 'drive'} about {one} = {value}"
    name, names = name or ("pull" if what == "force" else "drive"), held.names
    if what != "force":
        others = sorted(names.hinges - {one})
        two = two or (others[0] if len(others) == 1 else "")
        known = one in names.hinges and two in names.hinges
        return f"{what} {name} between {one} and {two} = {value}" if known else ""
    if _root(one) not in names.bodies or (two and _root(two) not in names.bodies):
        return ""
    still = [each for each, kind in names.types.items() if kind in ("fixed_point", "ground")]
    others = [each for each in (*still, *sorted(names.bodies)) if each != _root(one)]
    two = two or names.partners.get(held.body(one)[0], "") or next(iter(others), "")
    ends = [f"{body}.{feature or 'center'}" for body, feature in map(held.body, (one, two))]
    return f"force {name} between {ends[0]} and {ends[1]} = {value}" if two else ""


def _ignore(held: _Held) -> str:
    of_contact = re.search(r"\b\w*coll(?:ision|ide)\w*|\bno_?contact", held.text, re.IGNORECASE)
    if len(held.ends) != 2 or not (held.verb == "ignore" or of_contact):
        return ""
    return f"ignore {held.ends[0]} with {held.ends[1]}"


def _gear(held: _Held) -> str:
    number = held.keyed.get("ratio") or next(
        iter(re.findall(r"(?<![\w.\[])-?\d[\d./]*", held.text)), ""
    )
    if held.verb != "gear" or len(held.hinged) != 2 or not number:
        return ""
    name = _name_of(held) or "drive"
    return f"gear {name} between {held.hinged[0]} and {held.hinged[1]} = {number}"


def _force(held: _Held) -> str:
    number = re.search(r"(?<![\w.\[])[\d.]+(?:[ \t]?[a-zA-Z][\w*/^]*)?", held.text)
    if held.first in ("spring", "damper") and len(held.hinged) == 1 and number:
        slides = number[0].endswith(("N/m", "N/mm", "N*s/m"))
        moved = ("distance", "speed") if slides else ("angle", "rate")
        name = _name_of(held) or held.first
        return (
            f"force {name} about {held.hinged[0]} = -{number[0]} * {moved[held.first != 'spring']}"
        )
    if held.first != "force" or len(held.ends) != 2 or "=" not in held.text:
        return ""
    ends = [f"{body}.{feature or 'center'}" for body, feature in map(held.body, held.ends)]
    value = held.text.rpartition("=")[2].strip()
    name = _name_of(held) or "pull"
    return f"force {name} between {ends[0]} and {ends[1]} = {value}" if value else ""


def _follow(held: _Held) -> str:
    motion = next((each for each, _ in held.paths if each in held.names.motions), "")
    if len(held.ends) != 1 or not motion or motion in held.names.bodies:
        return ""
    start = re.search(rf"\b(?:from|at|after|since)[ \t]+({_QUANTITY})", held.text)
    return f"{held.ends[0]} follows {motion}" + (f" from {start[1]}" if start else "")


def _place(held: _Held) -> str:
    said = re.match(
        r"(?:\w+ )*(?:\w+\.)*(\w+)\.(\w+)(?:\.start|\((?:t ?= ?)?0\))? *(?::?=|:|to|at|is) *(.+)",
        held.source,
    )
    hinge, quantity, value = said.groups() if said else ("", "", "")
    if hinge in held.names.moved and quantity in HINGE_QUANTITIES and value:
        return f"place {held.names.moved[hinge]} by {hinge}.{quantity} = {value}"
    if not held.ends:
        return ""
    body, feature = held.body(held.ends[0])
    moved = other_word(held.ends[0].rpartition(".")[2], ("at",)) and not feature
    moved = moved or any(other_word(key, ("at",)) for key in held.keyed)
    others = [each for each in held.ends[1:] if _root(each) != _root(body)]
    if not (moved or held.verb == "place" or re.search(r"\bat\b", held.text)) or len(others) > 1:
        return ""
    point = _POINT.search(held.text)
    if not point and not others:
        return ""
    features = [held.body(each)[1] for each in held.ends if _root(each) == _root(body)]
    feature = feature or next(filter(None, features), "center")
    whole = re.match(rf"\w+{INDEX}", body)
    at = f"({', '.join(each.strip() for each in point.groups())})" if point else others[0]
    turned = "".join(f" {each[0]}" for each in _TURNED.finditer(held.text))
    return f"place {whole[0] if whole else body} by {body}.{feature} at {at}{turned}"
