"""What an editor asks about a text: words that may come next, what a word means, where it is from.

Nothing is evaluated. The tokens before the cursor tell in which block it stands; the tree of the
text as it was last read, whose errors do not matter here, tells the names. Words and their
meanings come from the grammar's tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from articulata.world.document import Document
from articulata.world.figures.shelf import shelf
from articulata.world.language.elaboration.modules import Definition, FoundType, Module
from articulata.world.language.resistances import MOTORS
from articulata.world.language.source import Source, Span
from articulata.world.language.syntax import tree as t
from articulata.world.language.syntax.grammar import (
    ACTIONS,
    EVENTS,
    FILE_ITEMS,
    REQUESTS,
    SECTIONS,
    STATEMENTS,
)
from articulata.world.language.syntax.scan import Tokens, scan
from articulata.world.language.vocabulary import (
    BODY_QUANTITIES,
    BUILT_IN_TYPES,
    COLORS,
    CONSTANTS,
    DYNAMICS_FIELDS,
    FUNCTIONS,
    HINGE_QUANTITIES,
    HINGES,
    METHODS,
    PROPERTIES,
    SHAPE_FEATURES,
    SHAPES,
)
from articulata.world.paths import COUPLING_QUANTITIES
from articulata.world.requests.questions import FORMS
from articulata.world.world_files import prelude

Kind = Literal["word", "type", "name", "function"]


@dataclass(frozen=True, slots=True)
class Offer:
    """A word that may stand at the cursor: how it is written on, and what it means."""

    label: str
    kind: Kind
    form: str = ""
    meaning: str = ""


class _Block(NamedTuple):
    """A block around the cursor: its word ("world"), the name after it, its last section."""

    word: str
    name: str
    section: str


_OPENERS = frozenset(
    {"where", "for", "rows", *FILE_ITEMS, *(name for each in SECTIONS.values() for name in each)}
)
_NAMED = frozenset({"composite", "world", "figure", "primitive", "hinge"})
_PARTIAL = re.compile(r"(?:[^\W\d]\w*)?\Z")
_FIXED = re.compile(r"(?<![<\w])[a-z_]\w*(?![\w>])")
"""A word of a clause's pattern that stands for itself."""


def offers(document: Document, text: str, offset: int) -> list[Offer]:
    """Return the words that may stand at ``offset`` of ``text``, the likeliest kinds alone.

    ``document`` is the text as it was read last; it may lag behind.
    """
    partial = _PARTIAL.search(text[:offset])
    assert partial is not None
    before = text[: partial.start()]
    tokens = scan(before)
    line = before[before.rfind("\n") + 1 :]
    commented = bool(tokens.comments) and "\n" not in before[tokens.comments[-1].span[0] :]
    if commented or line.count('"') % 2:
        return []
    at = tokens.kinds.index("eof")
    return list(_fitting(document.module, tokens, at, _blocks(tokens, at, before), before))


def _starts_line(tokens: Tokens, at: int, text: str) -> bool:
    """Tell whether a token would be the first of its statement."""
    if at == 0 or tokens.words[at - 1] in ("{", "}", ";", "begin"):
        return True
    return "\n" in text[tokens.spans[at - 1][1] : tokens.spans[at][0]]


def _blocks(tokens: Tokens, until: int, text: str) -> list[_Block]:
    """Return the blocks around token number ``until``, the file first."""
    stack = [_Block("file", "", "")]
    head = depth = 0
    for i in range(until):
        word = tokens.words[i]
        depth += (word in "([") - (word in ")]") if word else 0
        if depth <= 0 and _starts_line(tokens, i, text):
            head = i
            if word in SECTIONS.get(stack[-1].word, ()):
                stack[-1] = stack[-1]._replace(section=word)
        if word in ("{", "begin"):
            said = tokens.words[head:i]
            opener = next((each for each in reversed(said) if each in _OPENERS), "")
            place = said.index(opener) + 1 if opener else len(said)
            stack.append(_Block(opener, said[place] if place < len(said) else "", ""))
            depth = 0
        elif word in ("}", "end") and len(stack) > 1:
            stack.pop()
            depth = 0
    return stack


def _fitting(
    module: Module, tokens: Tokens, at: int, blocks: list[_Block], text: str
) -> Iterator[Offer]:
    words, block = tokens.words, blocks[-1]
    last = words[at - 1] if at else ""
    owner = _owner(module, blocks)
    if last == ".":
        yield from _members(module, owner, _path(tokens, at - 1))
        return
    head = at
    while head > 0 and not _starts_line(tokens, head, text):
        head -= 1
    said = words[head:at]
    first = said[0] if said else ""
    if head == at:
        yield from _beginnings(block, owner)
    elif last in ("join", "place", "to", "and", "between", "ignore", "follows") or (
        last == "with" and first == "ignore"
    ):
        yield from _names(owner)
    elif said[-2:] == ["driven", "by"]:
        motor = MOTORS["angle"]
        yield Offer("motor", "function", str(motor), motor.meaning)
        yield from (Offer(n, "name", n, "a Python file") for _, n in module.python if n)
    elif first == "join" and "matching" in said and owner is not None:
        yield from _matched(owner, said)
    elif last == "with":
        yield from (
            Offer(n, "function", str(e.signature), e.signature.meaning) for n, e in HINGES.items()
        )
    elif block.word == "components" or block.section == "components":
        yield from _types(module) if ":" in said else ()
    elif block.word in REQUESTS:
        yield from _clause(block.word, said)
        yield from _names(owner)
    elif first in ("geometry", "look", "interference"):
        yield from (Offer(n, "function", str(e), e.meaning) for n, e in SHAPES.items())
    elif first == "properties":
        if last == ":":
            yield from (Offer(each, "word") for each in COLORS)
        yield from (Offer(each, "word", f"{each}: {kind}") for each, kind in PROPERTIES.items())
    elif first == "dynamics":
        yield from (Offer(n, "word", f"{n}: {kind}") for n, kind in DYNAMICS_FIELDS.items())
    else:
        yield from _names(owner)
        yield from (Offer(n, "name", n) for n in (*module.values, *CONSTANTS))
        yield from (Offer(n, "function", str(e), e.meaning) for n, e in FUNCTIONS.items())


def _beginnings(block: _Block, owner: FoundType | None) -> Iterator[Offer]:
    """Yield what may begin a line of a block."""
    if block.word == "file":
        table: Mapping[str, object] = FILE_ITEMS
    elif block.word in REQUESTS:
        for name, clause in REQUESTS[block.word].items():
            form = f"{name}: {' | '.join(clause.patterns)}"
            yield Offer(name, "word", form.replace("<", "").replace(">", ""), clause.meaning)
        return
    elif block.word in ("structure", "for"):
        table = STATEMENTS
        yield from _names(owner)
    else:
        table = dict(SECTIONS.get(block.word, {}))
        if block.section == "structure":
            table = STATEMENTS | table
            yield from _names(owner)
    for name, word in table.items():
        if name not in ("follows", "driven"):
            yield Offer(name, "word", getattr(word, "form", ""), getattr(word, "meaning", ""))


def _clause(kind: str, said: list[str]) -> Iterator[Offer]:
    """Yield the words that a clause of a request knows."""
    clause = REQUESTS[kind].get(said[0])
    if clause is None:
        return
    if said[0] == "method":
        yield from (Offer(n, "function", str(e), e.meaning) for n, e in METHODS.items())
    fixed = {word for pattern in clause.patterns for word in _FIXED.findall(pattern)}
    yield from (Offer(word, "word", "", clause.meaning) for word in sorted(fixed))
    kinds = {kind for pattern in clause.patterns for kind in re.findall(r"<(\w+)", pattern)}
    for name in kinds & FORMS.keys():
        for word, form in FORMS[name].items():
            yield Offer(word, "function", str(form.signature), form.signature.meaning)


def _matched(owner: FoundType, said: list[str]) -> Iterator[Offer]:
    """Yield features of the body whose turn it is in the pairs after ``matching``."""
    inside = said[len(said) - 1 - said[::-1].index("(") :] if "(" in said else []
    begin, end = ("to", "with") if "," in inside else ("join", "to")
    path = said[said.index(begin) + 1 : said.index(end)] if {begin, end} <= set(said) else []
    found: FoundType | None = owner
    for name in (each for each in path if each.isidentifier()):
        found = _inner(found, name)
    if found is not None and isinstance(found.definition, t.Primitive):
        yield from (Offer(each, "name", each, "a feature") for each in _features(found.definition))


def _types(module: Module) -> Iterator[Offer]:
    for name in module.type_names():
        yield Offer(name, "type")
    for name, (form, _) in BUILT_IN_TYPES.items():
        yield Offer(name, "type", str(form), form.meaning)
    for name, (_, about) in shelf().items():
        yield Offer(name, "type", name, about)


def _owner(module: Module, blocks: list[_Block]) -> FoundType | None:
    """Return the definition that the cursor stands in, or that a request is about."""
    for block in blocks[1:]:
        found: Definition | None = None
        if block.word in _NAMED:
            found = module.definitions.get(block.name) or module.worlds.get(block.name)
        elif block.word in REQUESTS:
            found = module.worlds.get(block.name)
        if found is not None:
            return FoundType(found, module)
    return None


def _parts(found: FoundType) -> Iterable[tuple[str, t.Component]]:
    for component in getattr(found.definition, "components", ()):
        for each in component.names:
            yield each.name, component


def _names(owner: FoundType | None) -> Iterator[Offer]:
    """Yield components, joins and parameters of a definition."""
    if owner is None:
        return
    for name, component in _parts(owner):
        yield Offer(name, "name", f"{name}: {component.type.text}")
    for name in _named(owner, t.Join):
        yield Offer(name, "name", name, "a hinge")
    for name in _named(owner, t.Gear):
        yield Offer(name, "name", name, "a gear")
    for each in getattr(owner.definition, "parameters", ()):
        yield Offer(each.name, "name", f"{each.name}: {each.quantity or 'number'}", "a parameter")


def _named(found: FoundType, kind: type[t.Join] | type[t.Gear]) -> Iterator[str]:
    for each in getattr(found.definition, "structure", ()):
        if isinstance(each, kind) and each.name:
            yield each.name


def _path(tokens: Tokens, dot: int) -> list[str]:
    """Return the names that lead to the dot at ``dot``, indices left out."""
    names: list[str] = []
    i = dot - 1
    while i >= 0:
        if tokens.words[i] == "]":
            while i > 0 and tokens.words[i] != "[":
                i -= 1
            i -= 1
        names.insert(0, tokens.words[i])
        if i < 2 or tokens.words[i - 1] != ".":
            break
        i -= 2
    return names


def _members(module: Module, owner: FoundType | None, path: list[str]) -> Iterator[Offer]:
    """Yield what may follow a path and a dot."""
    if len(path) == 1 and path[0] in module.imports:
        inner = module.imports[path[0]]
        yield from (Offer(each, "type") for each in (*inner.definitions, *inner.worlds))
        yield from (Offer(each, "name") for each in inner.values)
        return
    found = owner
    for name in path:
        if found is not None and name in (*_named(found, t.Join), *_named(found, t.Gear)):
            if path[-1] in ("motor", "friction") or name in _named(found, t.Gear):
                yield from (Offer(each, "name", each) for each in COUPLING_QUANTITIES)
            else:
                yield from (Offer(n, "name", n, what) for n, what in HINGE_QUANTITIES.items())
                yield Offer("motor", "name", "motor", "the motor that drives it")
                yield Offer("friction", "name", "friction", "the friction that resists it")
            return
        found = _inner(found, name)
    if found is None:
        return
    what = found.definition
    if isinstance(what, t.Primitive):
        yield from (Offer(each, "name", each, "a feature") for each in _features(what))
        yield from (Offer(n, "name", n, meaning) for n, meaning in BODY_QUANTITIES.items())
    else:
        yield from _names(found)


def _inner(found: FoundType | None, name: str) -> FoundType | None:
    component = dict(_parts(found)).get(name) if found is not None else None
    if component is None or found is None:
        return None
    return found.module.definition(component.type, prelude()[1])


def _features(primitive: t.Primitive) -> Iterator[str]:
    yield "center"
    geometry = primitive.geometry
    if geometry is not None:
        yield from (each.name for each in geometry.features)
        shape = geometry.shape
        if isinstance(shape, t.Placed):
            shape = shape.value
        if isinstance(shape, t.Call):
            yield from SHAPE_FEATURES.get(shape.function.text, ())


# ---- one word


def word_at(text: str, offset: int) -> Span | None:
    """Return where the word at ``offset`` of ``text`` stands; None where there is none."""
    for match in re.finditer(r"[^\W\d]\w*", text):
        if match.start() <= offset <= match.end():
            return match.span()
    return None


def meaning(document: Document, text: str, offset: int) -> tuple[str, Span] | None:
    """Return what the word at ``offset`` is, in words, and where it stands."""
    span = word_at(text, offset)
    if span is None:
        return None
    word = text[slice(*span)]
    module = document.module
    found = _found(module, text, span)
    if found is not None:
        points = ", ".join(f"`{each}`" for each in _points(module, word))
        told = [comment_above(*found[:2]), points and f"points: {points}"]
        return "\n\n".join([f"```art\n{_headline(*found)}\n```", *filter(None, told)]), span
    tokens = scan(text)
    at = next((i for i, each in enumerate(tokens.spans) if each[0] >= span[0]), 0)
    block = _blocks(tokens, at, text)[-1].word
    clause = REQUESTS.get(block, {}).get(word)
    if clause is not None:
        form = " | ".join(clause.patterns).replace("<", "").replace(">", "")
        return f"```art\n{word}: {form}\n```\n{clause.meaning}", span
    for table in (SECTIONS.get(block, {}), STATEMENTS, FILE_ITEMS, EVENTS, ACTIONS):
        if word in table:
            return f"```art\n{table[word].form}\n```\n{table[word].meaning}", span
    signatures = [SHAPES, FUNCTIONS, METHODS, {n: e.signature for n, e in HINGES.items()}]
    signatures += [{n: e.signature for n, e in each.items()} for each in FORMS.values()]
    for known in signatures:
        if word in known:
            return f"```art\n{known[word]}\n```\n{known[word].meaning}", span
    said = BODY_QUANTITIES.get(word) or HINGE_QUANTITIES.get(word)
    return (f"`{word}`: {said}", span) if said else None


def origin(document: Document, text: str, offset: int) -> tuple[Source, Span] | None:
    """Return where the name at ``offset`` is defined: the file's source and the name's place."""
    span = word_at(text, offset)
    found = _found(document.module, text, span) if span is not None else None
    return None if found is None else (found[0], found[2])


def _found(module: Module, text: str, span: Span) -> tuple[Source, Span, Span] | None:
    """Return the source, the whole and the name's place of what a word names."""
    word = text[slice(*span)]
    tokens = scan(text)
    at = next((i for i, each in enumerate(tokens.spans) if each[0] >= span[0]), len(tokens.spans))
    owner = _owner(module, _blocks(tokens, at, text))
    if at and tokens.words[at - 1] == ".":
        path = _path(tokens, at - 1)
        if len(path) == 1 and path[0] in module.imports:
            owner, module = None, module.imports[path[0]]
        else:
            for name in path:
                owner = _inner(owner, name)
            if owner is None:
                return None
    if owner is not None:
        for name, component in _parts(owner):
            if name == word:
                place = next(each.span for each in component.names if each.name == word)
                return owner.module.source, component.span, place
        for each in _named_parts(owner.definition):
            if each.name == word:
                return owner.module.source, each.span, each.name_span
    type_ = module.own_definition(word)
    if type_ is not None:
        return type_.module.source, type_.definition.span, type_.definition.name_span
    world = module.own_world(word)
    if world is not None:
        return world[1].source, world[0].span, world[0].name_span
    return None


def _named_parts(
    definition: Definition,
) -> Iterator[t.Parameter | t.Join | t.Feature | t.Posture | t.Motion]:
    yield from getattr(definition, "parameters", ())
    yield from (
        each
        for each in getattr(definition, "structure", ())
        if isinstance(each, t.Join) and each.name
    )
    geometry = getattr(definition, "geometry", None)
    if geometry is not None:
        yield from geometry.features
    yield from getattr(definition, "postures", ())
    yield from getattr(definition, "motions", ())


def comment_above(source: Source, whole: Span) -> str:
    """Return what the comment right above a definition says, "" without one."""
    lines = source.text[: whole[0]].rpartition("\n\n")[2].splitlines()
    told = [each.lstrip("# ") for each in lines if each.startswith("#")]
    return " ".join(told) if len(told) == len(lines) else ""


def _points(module: Module, word: str) -> Iterator[str]:
    """Yield the named features of a primitive."""
    found = module.own_definition(word)
    geometry = getattr(found and found.definition, "geometry", None)
    yield from (each.name for each in (geometry.features if geometry is not None else ()))


def _headline(source: Source, whole: Span, _: Span) -> str:
    """Return the first line of what is defined, without the brace that opens it."""
    return source.text[slice(*whole)].split("\n", 1)[0].rstrip(" {")


def uses(document: Document, text: str, offset: int) -> list[Span]:
    """Return every place of ``text`` where the name at ``offset`` stands, to be renamed together.

    Nothing for a word that is no name of this text, and for one that names several things in it: a
    word alone does not tell which of them is meant.
    """
    span, found = word_at(text, offset), origin(document, text, offset)
    if span is None or found is None or found[0] is not document.module.source:
        return []
    name, module = text[slice(*span)], document.module
    owners = [*module.definitions.values(), *module.worlds.values()]
    named = [each.name for each in owners]
    named += [part for each in owners for part, _ in _parts(FoundType(each, module))]
    named += [part.name for each in owners for part in _named_parts(each) if part.name]
    if [*named, *module.values].count(name) != 1:
        return []
    tokens = scan(text)
    return [span for word, span in zip(tokens.words, tokens.spans, strict=True) if word == name]
