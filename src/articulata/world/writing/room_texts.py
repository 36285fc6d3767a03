"""A text in which components, a definition or a clause are written anew; the rest stays as it is.

What a person has written (layout, comments, other entries) stays. ``rewritten_texts`` moves what is
placed already.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass

from articulata.errors import WorldError
from articulata.world.document import Document
from articulata.world.language.source import Span
from articulata.world.language.syntax import tree as t

Edit = tuple[int, int, str]
"""From where to where of a text something else is to stand."""


@dataclass(frozen=True, slots=True)
class Written:
    """How a component is written: what it is ``made`` of, what ``place`` and ``join`` say of it.

    Each is left as it is where it is "".
    """

    made: str = ""
    place: str = ""
    join: str = ""


def with_components(document: Document, world: str, said: Mapping[str, Written | None]) -> str:
    """Return a document's text in which components of a world are written as ``said``.

    Those that are None go, with what places and joins them; those that are new come last. Raise
    WorldError for one that is written as one of several with an index.
    """
    text, item = document.tree.source.text, _world(document, world)
    edits: list[Edit] = []
    known: set[str] = set()
    for entry in item.components:
        names = [each.name for each in entry.names]
        touched = [each for each in names if each in said]
        indexed = [
            each.name for each in entry.names if each.range is not None and each.name in said
        ]
        if indexed:
            raise WorldError(f"'{indexed[0]}' is one of several; change it in the text")
        known.update(touched)
        edits += _entry(text, entry, names, said)
    for statement in item.structure:
        about = _about(statement, said)
        wanted = said.get(about[1])
        if about[1] in said and wanted is None:
            edits.append(_cut(text, statement.span))
        elif wanted is not None and (told := wanted.place if about[0] == "place" else wanted.join):
            edits.append((*statement.span, told))
            known.add(" ".join(about))
    for name, wanted in said.items():
        if wanted is not None and name not in known and not wanted.made:
            raise WorldError(f"there is no component '{name}' in '{world}'")
    stated = {name: each for name, each in said.items() if each is not None}
    made = [f"{name}: {each.made}" for name, each in stated.items() if name not in known]
    places = [
        line
        for name, each in stated.items()
        for kind, line in (("place", each.place), ("join", each.join))
        if line and f"{kind} {name}" not in known
    ]
    gone = {name for name, each in said.items() if each is None}
    stay = tuple(e for e in item.components if not gone.issuperset(n.name for n in e.names))
    stand = tuple(e for e in item.structure if _about(e, gone)[1] not in gone)
    edits += _added(text, item, stay, made, "components")
    edits += _added(text, item, stand, places, "structure")
    return _edited(text, edits)


def with_primitive(document: Document, name: str, said: str) -> str:
    """Return a document's text in which the primitive ``name`` is written as ``said``."""
    text = document.tree.source.text
    for item in document.tree.items:
        if isinstance(item, t.Primitive) and item.name == name:
            return _edited(text, [(*item.span, said)])
    raise WorldError(f"there is no primitive '{name}' in {document.tree.source.file} itself")


def with_clause(document: Document, request: t.Request, name: str, items: list[str]) -> str:
    """Return a document's text in which a clause of a request has ``items``; it goes without."""
    text = document.tree.source.text
    clause = request.clause(name)
    said = f"{name}: {', '.join(items)}"
    if clause is not None:
        return _edited(text, [(*clause.span, said) if items else _cut(text, clause.span)])
    if not items:
        return text
    return _edited(text, _added(text, request, request.clauses, [said], ""))


def items_of(document: Document, request: t.Request, name: str) -> list[str]:
    """Return the items of a clause as they are written."""
    clause = request.clause(name)
    text = document.tree.source.text
    return [] if clause is None else [text[slice(*each.span)] for each in clause.items]


def _about(statement: t.Node, names: Container[str]) -> tuple[str, str]:
    """Return whether a statement places or joins, and what: of two joined the one in ``names``."""
    if isinstance(statement, t.Place):
        return "place", statement.target.text
    if isinstance(statement, t.Join):
        first, second = (str(each.text) for each in (statement.first, statement.second))
        return "join", second if first not in names and second in names else first
    return "", ""


def _world(document: Document, name: str) -> t.World:
    item = document.module.worlds.get(name)
    if item is None or item not in document.tree.items:
        raise WorldError(f"world '{name}' does not stand in {document.tree.source.file} itself")
    return item


def _entry(
    text: str, entry: t.Component, names: list[str], said: Mapping[str, Written | None]
) -> Iterator[Edit]:
    """Yield what changes an entry of components: whole, or one of its names apart."""
    kind = text[entry.type.span[0] : entry.span[1]]
    wanted = [said[each] if each in said else Written() for each in names]
    if all(each == Written() or (each is not None and not each.made) for each in wanted):
        return
    groups: dict[str, list[str]] = {}
    for name, each in zip(names, wanted, strict=True):
        if each is not None:
            groups.setdefault(each.made or kind, []).append(name)
    if not groups:
        yield _cut(text, entry.span)
        return
    lines = [f"{', '.join(each)}: {made}" for made, each in groups.items()]
    yield (*entry.span, f"\n{_indent(text, entry.span[0])}".join(lines))


def _cut(text: str, span: Span) -> Edit:
    """Return what takes an entry away, and its line where nothing else stands there."""
    start, end = span
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end)
    last = len(text) if last < 0 else last + 1
    after = text[end:last].strip()
    if text[first:start].strip() or (after and not after.startswith("#")):
        if after.startswith(";"):
            end = text.index(";", end) + 1
        return (start, end, "")
    return (first, last, "")


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line if not line.strip() else "    "


def _added(
    text: str, item: t.World | t.Request, there: tuple[t.Node, ...], lines: list[str], head: str
) -> Iterator[Edit]:
    """Yield what puts lines behind those that are ``there``, or under a head of their own."""
    if not lines:
        return
    if there:
        end = there[-1].span[1]
        indent = _indent(text, there[-1].span[0])
        stop = text.find("\n", end)
        rest = text[end : stop if stop >= 0 else len(text)]
        if rest.lstrip().startswith("#"):  # a comment stays with the entry that it is about
            end += len(rest)
        yield (end, end, "".join(f"\n{indent}{each}" for each in lines))
        return
    end = text.rfind("}", 0, item.span[1])
    if head:
        inside = "".join(f"\n    {each}" for each in lines)
        yield (end, end, f"  {head} {{{inside}\n  }}\n")
    else:
        yield (end, end, "".join(f"  {each}\n" for each in lines))


def _edited(text: str, edits: Iterable[Edit]) -> str:
    for start, end, said in sorted(edits, reverse=True):
        text = text[:start] + said + text[end:]
    return text
