"""X3D's JSON (ISO/IEC 19776-5): objects as the elements that X3D's XML has, for the same reader.

"@name" is an attribute, "-name" holds the nodes of a field, "#..." are remarks and texts.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

from articulata.errors import FormatError
from articulata.formats.vrml.graph import MOST_DEPTH
from articulata.formats.vrml.vrml_files import text_of
from articulata.formats.xml import Element


def json_root(data: bytes, file: str) -> Element:
    """Return the element X3D of a file; FormatError with line and column for what is none."""
    text = text_of(data)
    try:
        tree = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"{file}:{error.lineno}:{error.colno}: {error.msg}") from None
    except (RecursionError, ValueError) as error:
        raise FormatError(f"{file}:1:1: this is no JSON that can be read: {error}") from None
    if not isinstance(tree, dict) or not isinstance(tree.get("X3D"), dict):
        raise FormatError(f'{file}:1:1: X3D in JSON begins with {{"X3D": {{ ... }}}}')
    for each in ("encoding", "JSON schema"):  # of the text, which has been read
        tree["X3D"].pop(each, None)
    return _Objects(text, file).element("X3D", tree["X3D"], 0)


@dataclass(slots=True)
class _Objects:
    """Makes elements of objects, in the order of the text: so each one's place is found."""

    text: str
    file: str
    at: int = 0
    _lines: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._lines = [0, *(each.end() for each in re.finditer("\n", self.text))]

    def element(self, tag: str, given: Any, depth: int, container: str = "") -> Element:
        found = re.compile(rf'"{re.escape(tag)}"\s*:').search(self.text, self.at)
        begin = self.at if found is None else found.start()
        self.at = self.at if found is None else found.end()
        line = bisect_right(self._lines, begin)
        made = Element(tag, {}, line, begin - self._lines[line - 1] + 1, self.file)
        if depth > 2 * MOST_DEPTH:
            raise made.error(f"objects are more than {2 * MOST_DEPTH} deep inside each other")
        if not isinstance(given, dict):
            raise made.error(f"'{tag}' holds an object, {{ ... }}")
        if container and container != "children":
            made.attributes["containerField"] = container
        for name, value in given.items():
            if name.startswith("@"):
                made.attributes[name[1:]] = _words(value)
            elif name.startswith("-"):
                for each in value if isinstance(value, list) else [value]:
                    if not isinstance(each, dict):
                        raise made.error(f"'{name}' of {made} holds nodes")
                    self._into(made, each, depth, name[1:])
            elif not name.startswith("#"):
                self._into(made, {name: value}, depth)
        return made

    def _into(
        self, made: Element, objects: dict[str, Any], depth: int, container: str = ""
    ) -> None:
        """Add what an object names; of several of a kind there is a list."""
        for tag, value in objects.items():
            if tag.startswith("#"):
                continue
            place = "" if tag in ("ROUTE", "ProtoDeclare", "ExternProtoDeclare") else container
            for each in value if isinstance(value, list) else [value]:
                made.children.append(self.element(tag, each, depth + 1, place))


def _words(value: Any) -> str:
    """Return a value as XML's attributes say it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        texts = any(isinstance(each, str) for each in value)
        return " ".join(json.dumps(str(each), ensure_ascii=False) if texts else _words(each)
                        for each in value)  # fmt: skip
    return value if isinstance(value, str) else json.dumps(value)
