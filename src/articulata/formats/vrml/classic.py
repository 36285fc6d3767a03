"""The classic syntax of VRML97 (ISO/IEC 14772-1, annex A), also as X3D uses it (.x3dv)."""

from __future__ import annotations

import re
import warnings
from bisect import bisect_right
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np

from articulata.errors import FormatError
from articulata.formats.vrml.graph import (
    MOST_DEPTH,
    Graph,
    Names,
    Node,
    Prototype,
    Reference,
    Route,
    Value,
    instance,
    near,
    not_known,
    not_read,
    route,
    unfit,
)
from articulata.formats.vrml.node_table import METADATA, WIDTHS, Field, event, nodes
from articulata.formats.vrml.vrml_files import Around, MissingPrototype
from articulata.geometry.arrays import Array

_SKIP: Final = re.compile(r"(?:[\s,]++|#[^\n\r]*+)*+")
_BLANK: Final = re.compile(r"[\s,]*+")
_WORD: Final = re.compile(r'[^\s,"#{}\[\]]++|[{}\[\]]')
_TEXT: Final = re.compile(r'"((?:[^"\\]++|\\.)*+)"', re.DOTALL)
_LIST: Final = re.compile(r"(?:[\s,0-9eE.+\-]++|#[^\n\r]*+)*+\]")
_NUMBERS: Final = re.compile(
    r"(?:[-+]?(?:0[xX][\da-fA-F]+|[\d.][\d.eE+\-]*)"
    r"(?:[\s,]++|(?=[\]}])))+"
)
_REMARK: Final = re.compile(r"#[^\n\r]*")
_ACCESS: Final = {
    "inputOnly": "eventIn", "outputOnly": "eventOut", "initializeOnly": "field",
    "inputOutput": "exposedField",
}  # fmt: skip
ACCESSES: Final = {**_ACCESS, **{each: each for each in _ACCESS.values()}}
"""Words for the access of a prototype's field, in VRML97 and in X3D."""
_HEADER: Final = {"PROFILE": 1, "COMPONENT": 1, "META": 2, "UNIT": 3, "EXPORT": 1, "IMPORT": 1}
"""Statements of X3D and how many words follow."""
_ABOUT: Final = ("PROFILE", "COMPONENT", "META", "UNIT")
"""Those that programs write into VRML97, too."""


@dataclass(slots=True)
class ClassicReader:
    """Reads one file from its first character to its last.

    X3D has ``remarks`` of several lines, "#/* ... */#" (ISO/IEC 19776-2). Of its nodes and fields,
    which are more than are read, what is not known is passed over.
    """

    text: str
    path: Path
    around: Around
    graph: Graph = field(default_factory=Graph)
    at: int = 0
    depth: int = 0
    scripts: int = 0
    x3d: bool = False
    remarks: bool = False
    _lines: list[int] = field(default_factory=list)

    def whole(self) -> Graph:
        """Return the graph of the file."""
        self._lines = [0, *(each.end() for each in re.finditer(r"\r\n?|\n", self.text))]
        self.x3d = self.text.startswith("#X3D")
        self.remarks = self.x3d and "#/*" in self.text
        names = Names(self.graph.prototypes)
        self._statements(names, self.graph.nodes, self.graph.routes, "")
        return self.graph

    # ---- words

    def place(self, at: int | None = None) -> str:
        """Return file, line and column of a character, that of the next word where None."""
        if at is None:
            at = self._next()
        line = bisect_right(self._lines, at)
        return f"{self.path}:{line}:{at - self._lines[line - 1] + 1}"

    def error(self, words: str, at: int | None = None) -> FormatError:
        """Return the error that says ``words`` about a place."""
        return FormatError(f"{self.place(at)}: {words}")

    def _next(self) -> int:
        while True:
            found = (_BLANK if self.remarks else _SKIP).match(self.text, self.at)
            assert found is not None
            self.at = found.end()
            if not self.remarks or not self.text.startswith("#", self.at):
                return self.at
            end = -1
            if self.text.startswith("#/*", self.at):
                end = self.text.find("*/#", self.at + 3)
                self.remarks = end >= 0  # one that is never closed is a line's remark
            found = _REMARK.match(self.text, self.at)
            assert found is not None
            self.at = end + 3 if end >= 0 else found.end()

    def peek(self) -> str:
        """Return the next word, "" at the end of the file; a text comes as its first quote."""
        found = _WORD.match(self.text, self._next())
        return found[0] if found else self.text[self.at : self.at + 1]

    def word(self) -> str:
        """Take the next word."""
        found = self.peek()
        if not found or found == '"':
            due = "the file ends" if not found else "a text stands"
            raise self.error(f"{due} where a word is due; close what is open, or remove it")
        self.at += len(found)
        return found

    def sign(self, wanted: str) -> None:
        """Take a bracket that must be there."""
        found = self.peek()
        if found != wanted:
            shown = f"'{found}' stands" if found else "the file ends"
            raise self.error(f"{shown} where '{wanted}' is due")
        self.at += 1

    def _string(self) -> str:
        found = _TEXT.match(self.text, self._next())
        if found is None:
            raise self.error(
                "this text is never closed; write a quote at its end"
                if self.peek() == '"'
                else f"a text in quotes is due, not '{self.peek()}'"
            )
        self.at = found.end()
        return re.sub(r"\\(.)", r"\1", found[1]) if "\\" in found[1] else found[1]

    # ---- statements

    def _statements(
        self, names: Names, made: list[Node], routes: list[Route], end: str
    ) -> None:  # fmt: skip
        while (found := self.peek()) != end:
            if found in ("PROTO", "EXTERNPROTO", "ROUTE"):
                self._declaration(names, routes)
            elif self._is_header(found, end):
                self._header(names)
            else:
                node = self.node(names, routes)
                if node is not None:
                    made.append(node)
        self.at += len(end)

    def _is_header(self, word: str, end: str) -> bool:
        """Return whether a word begins a statement about the file; IMPORT also in a PROTO."""
        if end:
            return self.x3d and word == "IMPORT"
        return word in (_HEADER if self.x3d else _ABOUT)

    def _header(self, names: Names) -> None:
        word = self.word()
        given = [
            self._string() if self.peek() == '"' else self.word() for _ in range(_HEADER[word])
        ]
        if word == "COMPONENT" and (given[0].endswith(":") or self.peek().startswith(":")):
            part = self.word()
            given[0] += self.word() if part == ":" else part
        if self.peek() == "AS":
            self.word()
            given.append(self.word())
        if word == "IMPORT":  # what is in an Inline is not followed
            names.passed.add(given[-1].rpartition(".")[2])
        if word == "UNIT" and given[0] == "length":
            with suppress(ValueError):
                self.graph.size = float(given[2])

    def _declaration(self, names: Names, routes: list[Route]) -> None:
        at = self._next()
        word = self.word()
        if word == "ROUTE":
            self._route(names, routes, at)
        elif word == "PROTO":
            self._prototype(names)
        else:
            self._external(names, at)

    def _route(self, names: Names, routes: list[Route], at: int) -> None:
        ends: list[tuple[Node, str]] = []
        for number in (0, 1):
            if number and (to := self.word()) != "TO":
                raise self.error(f"'{to}' stands where TO is due: ROUTE A.event TO B.event", at)
            name, _, out = self._event().rpartition(".")
            node = names.nodes.get(name)
            if node is None and name not in names.passed:
                raise self.error(
                    f"ROUTE: no node is called '{name}' (DEF){near(name, names.nodes)}", at
                )
            if node is not None and not (self.x3d and not_known(node, out)):
                ends.append((node, out))
        if len(ends) < 2:
            self.graph.lost["ROUTE (to what is not read)"] += 1
            return
        try:
            routes.append(route(*ends[0], *ends[1], self.place(at)))
        except ValueError as error:
            raise self.error(f"ROUTE: {error}", at) from None

    def _event(self) -> str:
        """Take "NODE.event"; blanks may stand beside the point."""
        word = self.word()
        while word.endswith(".") or self.peek().startswith("."):
            word += self.word()
        return word

    def _interface(self, names: Names, given: bool) -> tuple[dict[str, Field], dict[str, Value]]:
        """Return the fields of a prototype, and their defaults where those are ``given``."""
        spec: dict[str, Field] = {}
        values: dict[str, Value] = {}
        self.sign("[")
        while self.peek() != "]":
            at = self._next()
            word = self.word()
            access = ACCESSES.get(word)
            kind, name = self.word(), self.word()
            if access is None or kind[2:] not in WIDTHS or kind[:2] not in ("SF", "MF"):
                raise self.error(
                    f"'{word} {kind}' begins no field of a prototype; write such as "
                    "'field SFFloat NAME 1'",
                    at,
                )
            spec[name] = Field(access, kind)
            if given and access in ("field", "exposedField"):
                values[name] = self.value(spec[name], names, [])
        self.sign("]")
        if self.x3d:
            spec.setdefault("metadata", METADATA)
        return spec, values

    def _prototype(self, names: Names) -> None:
        name = self.word()
        spec, values = self._interface(names, given=True)
        made = Prototype(name, spec, values)
        self._deeper()
        self.sign("{")
        self._statements(names.inside(made), made.nodes, made.routes, "}")
        self.depth -= 1
        names.prototypes[name] = made

    def _external(self, names: Names, at: int) -> None:
        name = self.word()
        spec, _ = self._interface(names, given=False)
        urls = self.value(Field("field", "MFString"), names, [])
        try:
            made = self.around.prototype(name, spec, urls, self.path, self.graph.lost)
        except MissingPrototype as error:
            raise self.error(str(error), at) from None
        names.prototypes[name] = made

    # ---- nodes and values

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > MOST_DEPTH:
            raise self.error(f"nodes are more than {MOST_DEPTH} deep inside each other")

    def node(self, names: Names, routes: list[Route]) -> Node | None:
        """Read a node, or what stands for one: DEF, USE, NULL."""
        at = self._next()
        word = self.word()
        if word == "NULL":
            return None
        if word == "USE":
            name = self.word()
            if name in names.passed:
                return None
            if name not in names.nodes:
                raise self.error(f"USE: no node is called '{name}'{near(name, names.nodes)}", at)
            if names.nodes[name].place.startswith("in ") and self.scripts:
                return None  # a Script may name what it is in; it is never executed
            if names.nodes[name].place.startswith("in "):
                raise self.error(f"USE: '{name}' would contain itself", at)
            return names.nodes[name]
        name = ""
        if word == "DEF":
            name, word = self.word(), self.word()
        prototype = names.prototypes.get(word)
        spec = nodes().get(word) if prototype is None else prototype.spec
        if word in names.open and prototype is None:
            raise self.error(f"PROTO {word} would contain itself", at)
        if spec is None and self.x3d and self.peek() == "{":
            self.graph.lost[f"{word} (a node that is not read)"] += 1
            names.passed.update([name] if name else [])
            self._pass(names)
            return None
        if spec is None:
            raise self.error(
                f"there is no node '{word}'{near(word, nodes(), names.prototypes)}", at
            )
        place = self.place(at)
        self.around.budget.take(place)
        made = Node(word, dict(spec) if word == "Script" else spec, f"in {place}", {}, name)
        if name:
            names.nodes[name] = made
        self._deeper()
        self.scripts += word == "Script"
        self._body(made, names, routes)
        self.scripts -= word == "Script"
        self.depth -= 1
        made.place = place
        if prototype is None:
            return made
        whole = instance(prototype, made.fields, place, self.around.budget, routes)
        made.fields, made.body, made.links = whole.fields, whole.body, whole.links
        return made

    def _body(self, node: Node, names: Names, routes: list[Route]) -> None:
        self.sign("{")
        while (found := self.peek()) != "}":
            at = self._next()
            if found in ("PROTO", "EXTERNPROTO", "ROUTE"):
                self._declaration(names, routes)
                continue
            word = self.word()
            if node.type == "Script" and word in ACCESSES:
                kind, word = self.word(), self.word()
                if kind[2:] not in WIDTHS or not isinstance(node.spec, dict):
                    raise self.error(f"'{kind}' is no type of a field", at)
                node.spec[word] = Field(ACCESSES[found], kind)
            own = spec = node.spec.get(word)
            if spec is None:
                spec = event(node.spec, word, "eventIn") or event(node.spec, word, "eventOut")
            if spec is None and self.x3d:
                self.graph.lost[not_read(node.type, word, node.spec)] += 1
                self._pass(names)
                continue
            if spec is None:
                raise self.error(f"{node} has no field '{word}'{near(word, node.spec)}", at)
            if self.peek() == "IS":
                self.word()
                name = self.word()
                if names.fields is None or name not in names.fields:
                    raise self.error(f"IS: no prototype around has a field '{name}'", at)
                if (wrong := unfit(names.fields[name], spec)) is not None:
                    raise self.error(f"IS: '{name}' is no {wrong}, as '{word}' is", at)
                node.fields[word] = Reference(name)
            elif own is not None and spec.access in ("field", "exposedField"):
                given = spec.type == "SFNode" and self.peek() != "NULL"
                node.fields[word] = self.value(spec, names, routes)
                node.unread |= given and node.fields[word] is None
            elif node.type != "Script":
                raise self.error(f"'{word}' of {node} is an event; it holds no value", at)
        self.at += 1

    def _pass(self, names: Names) -> None:
        """Pass over what a field of an unknown type holds, or over a node from its bracket on."""
        numbers = _NUMBERS.match(self.text, self._next())
        if numbers is not None:
            self.at = numbers.end()
            return
        depth = 0
        while True:
            found = self.peek()
            if found == '"':
                self._string()
            elif not depth and found in ("]", "}"):
                return
            else:
                word = self.word()
                depth += (word in ("[", "{")) - (word in ("]", "}"))
                if word == "DEF":
                    names.passed.add(self.word())
                if word in ("DEF", "USE", "IS"):
                    found = word
                    self.word()
            if not depth and found != "DEF" and self.peek() != "{":
                return

    def value(self, spec: Field, names: Names, routes: list[Route]) -> Value:
        """Read what a field holds."""
        one: dict[str, Callable[[], Value]] = {
            "Node": lambda: self.node(names, routes),
            "String": self._string,
            "Bool": self._bool,
        }
        read = one.get(spec.kind)
        if read is None:
            return self._numbers(spec)
        if not spec.several:
            return read()
        if self.peek() != "[":
            return [each for each in [read()] if each is not None]
        self.at += 1
        found = []
        while (word := self.peek()) != "]":
            if self.x3d and word in ("PROTO", "EXTERNPROTO", "ROUTE") and spec.kind == "Node":
                self._declaration(names, routes)
            elif (each := read()) is not None:
                found.append(each)
        self.at += 1
        return found

    def _bool(self) -> bool:
        word = self.word()
        if word.upper() not in ("TRUE", "FALSE"):
            raise self.error(f"TRUE or FALSE is due, not '{word}'", self.at - len(word))
        return word.upper() == "TRUE"

    def _numbers(self, spec: Field) -> Array:
        width = WIDTHS[spec.kind]
        if width == 0:
            head = [self._number() for _ in range(3)]
            count = max(0.0, head[0] * head[1])
            return np.array([*head, *(self._number() for _ in range(_count(count, self)))])
        if spec.several and self.peek() == "[":
            self.at += 1
            begin = self.at
            found = self._list()
        else:
            begin = self._next()
            found = np.array([self._number() for _ in range(width)])
        if len(found) % width:
            raise self.error(
                f"{len(found)} numbers stand here; {spec.type} takes {width} at a time", begin
            )
        if not np.isfinite(found).all():
            raise self.error("a number here is too large, or none", begin)
        return found.reshape(-1, width) if spec.several else found

    def _list(self) -> Array:
        """Read numbers up to "]"."""
        found = _LIST.match(self.text, self.at)
        if found is not None and not self.remarks:
            part = found[0][:-1].replace(",", " ")
            if "#" in part:
                part = _REMARK.sub(" ", part)
            with suppress(ValueError, DeprecationWarning), warnings.catch_warnings():
                warnings.simplefilter("error")
                values = np.fromstring(part, sep=" ") if part.strip() else np.zeros(0)
                self.at = found.end()
                return values
        # something stands there that is no number; hexadecimal ones are
        slow = []
        while self.peek() != "]":
            slow.append(self._number())
        self.at += 1
        return np.array(slow, float)

    def _number(self) -> float:
        word = self.word()
        try:
            made = float(int(word, 16)) if word[:2].lower() == "0x" else float(word)
        except ValueError:
            made = np.nan
        if not np.isfinite(made):
            raise self.error(f"a number is due, not '{word[:40]}'", self.at - len(word))
        return made


def _count(value: float, reader: ClassicReader) -> int:
    """Return how many numbers follow, not more than the file has letters."""
    if value > len(reader.text):
        raise reader.error(f"{value:g} pixels are more than the file holds")
    return int(value)
