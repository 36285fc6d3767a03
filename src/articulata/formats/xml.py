"""XML without its dangers: elements with their places, and the values of their attributes.

Document types are where entities are declared, and entities are how a small file becomes a huge
one or reads other files. No robot needs a document type, so a file that has one is refused; that of
X3D is only named in its files, and may not declare anything there.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

import numpy as np

from articulata.errors import FormatError, FormatWarning
from articulata.geometry.arrays import Array
from articulata.kinematics.conventions import rotation_x, rotation_y, rotation_z, translation

MOST_BYTES = 64 * 1024 * 1024
"""Size of a file beyond which it is not a description: meshes lie in files of their own."""
MOST_DEPTH = 64
"""Elements inside elements; a description needs five."""


@dataclass(slots=True, eq=False)
class Element:
    """One element: ``tag``, ``attributes``, ``children`` in order, and where it begins.

    ``line`` and ``column`` count from 1. ``words`` is the text in it, without that of children.
    Its ``attributes`` may be ``nested``: said by children without children, as in SDFormat.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    column: int
    file: str
    children: list[Element] = field(default_factory=list)
    words: str = ""
    nested: bool = False

    def all(self, tag: str) -> Iterator[Element]:
        """Yield the children called ``tag``."""
        return (child for child in self.children if child.tag == tag)

    def whole(self) -> list[Element]:
        """Return it with all that is in it."""
        found = [self]
        for each in found:
            found += each.children
        return found

    def one(self, tag: str) -> Element | None:
        """Return the child called ``tag``, None where there is none; of two the first, warned."""
        found = list(self.all(tag))
        if len(found) > 1:
            found[1].warn(f"a second <{tag}> is passed over; the first is on line {found[0].line}")
        return found[0] if found else None

    def need(self, tag: str) -> Element:
        """Return the only child called ``tag``; without it is an error."""
        found = self.one(tag)
        if found is None:
            raise self.error(f"{self} has no <{tag}>")
        return found

    def text(self, name: str) -> str:
        """Return an attribute that must be there and not be empty."""
        value = self.attributes.get(name, "").strip()
        if not value:
            raise self.error(f"{self} has no " + (f"<{name}>" if self.nested else f'{name}="..."'))
        return value

    def warn(self, words: str) -> None:
        """Warn with ``words`` about this place, which is read all the same."""
        warnings.warn(FormatWarning(f"{self.place}: {words}"), stacklevel=2)

    def error(self, words: str) -> FormatError:
        """Return the error that says ``words`` about this place."""
        return FormatError(f"{self.place}: {words}")

    @property
    def place(self) -> str:
        """Where it begins, as messages say it."""
        return f"{self.file}:{self.line}:{self.column}"

    def __str__(self) -> str:
        name = self.attributes.get("name")
        return f"<{self.tag}>" if name is None else f'<{self.tag} name="{name}">'


def parse(
    content: bytes,
    file: str,
    *,
    most_bytes: int = MOST_BYTES,
    most_depth: int = MOST_DEPTH,
    document_type: bool = False,
) -> Element:
    """Return the root element of a document; ``file`` is what messages call it.

    A ``document_type`` may be named, where it is allowed; it is never read.
    """
    if len(content) > most_bytes:
        raise FormatError(
            f"{file}: {len(content) / 1024**2:.0f} MiB are more than the {most_bytes // 1024**2} "
            "MiB that a description may have; keep meshes in files of their own"
        )
    parser = expat.ParserCreate()
    parser.buffer_text = True
    roots: list[Element] = []
    open_elements: list[Element] = []
    words: list[list[str]] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        line, column = parser.CurrentLineNumber, parser.CurrentColumnNumber + 1
        element = Element(tag, attributes, line, column, file)
        if len(open_elements) >= most_depth:
            raise element.error(f"<{tag}> is inside {most_depth} others; no description needs that")
        (open_elements[-1].children if open_elements else roots).append(element)
        open_elements.append(element)
        words.append([])

    def end(_tag: str) -> None:
        open_elements.pop().words = "".join(words.pop()).strip()

    def say(text: str) -> None:
        words[-1].append(text)

    def refuse(*_: object) -> None:
        raise FormatError(
            f"{file}:{parser.CurrentLineNumber}:{parser.CurrentColumnNumber + 1}: a document type "
            "(<!DOCTYPE ...>) is refused: its entities can blow a file up or read others; remove "
            "it and write out what it defines"
        )

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = say

    def document(_name: str, _system: str | None, _public: str | None, declares: int) -> None:
        if declares or not document_type:
            refuse()

    parser.StartDoctypeDeclHandler = document
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        place = f"{file}:{error.lineno}:{error.offset + 1}"
        told = expat.ErrorString(error.code)
        raise FormatError(f"{place}: not well-formed XML: {told}") from None
    except (LookupError, ValueError) as error:  # its encoding is unknown, or unfit
        raise FormatError(f"{file}: {error}; write it in UTF-8") from None
    return roots[0]


def lines_of(tag: str, attributes: Mapping[str, str], inside: Iterable[str] = ()) -> list[str]:
    """Return an element as lines; those ``inside`` stand further in."""
    head = " ".join([f"<{tag}", *(f"{name}={quoteattr(x)}" for name, x in attributes.items())])
    inner = [f"  {line}" for line in inside]
    return [f"{head}>", *inner, f"</{tag}>"] if inner else [f"{head}/>"]


UNBOUNDED = 1e30
"""What is written for no limit, where the format wants a number; read back as none."""

_OPTION = re.compile(r"\$\(optenv \S+ ([^)]*)\)")
"""A setting of the system that a file was made for, with its default."""


def number(element: Element, name: str, default: float | None = None) -> float:
    """Return the finite number in an attribute; ``default`` where it is not there."""
    if name not in element.attributes and default is not None:
        return default
    return _number(element, name, element.text(name))


def numbers(
    element: Element, name: str, count: int, default: str | None = None
) -> tuple[float, ...]:
    """Return ``count`` finite numbers set apart by spaces; of the text where ``name`` is ""."""
    text = element.attributes.get(name, default) if name else element.words
    text = element.text(name) if text is None else text
    if not text and not name:
        raise element.error(f"{element} is empty; it holds {count} numbers")
    chosen = _OPTION.sub(r"\1", text)
    told, at = _told(element, name, text)
    if chosen != text:
        at.warn(f"{told} is to be replaced; its default is taken")
    words = chosen.replace(",", " ").split()
    if "," in chosen:
        at.warn(f"{told} has commas, which are taken for spaces")
    if len(words) > count:
        at.warn(f"{told} has {len(words)} numbers; the first {count} are taken")
        words = words[:count]
    if len(words) != count:
        raise at.error(f"{told} has {len(words)} numbers; it takes {count}")
    return tuple(_number(element, name, word) for word in words)


def _told(element: Element, name: str, text: str, word: str = "") -> tuple[str, Element]:
    """Return how messages call a value, or a word of it, and the element that says it.

    What is no attribute is the text of the element, or that of its child called ``name``.
    """
    at = next(element.all(name), element) if element.nested else element
    if name and at is element:
        return f'{element}: {name}="{word or text}"', element
    return f'the text "{word or text}" of {at}', at


def _number(element: Element, name: str, word: str) -> float:
    text = element.attributes.get(name, word) if name else element.words
    told, at = _told(element, name, text, word)
    try:
        value = float(word)
    except ValueError:
        raise at.error(f"{told} is not a number") from None
    if not math.isfinite(value):
        raise at.error(f"{told} must be a finite number")
    return value


def pose(parent: Element) -> Array:
    """Return the pose (4, 4) in the ``<origin>`` of ``parent``; the identity without one."""
    origin = parent.one("origin")
    if origin is None:
        return np.eye(4)
    return placed_at(*numbers(origin, "xyz", 3, "0 0 0"), *numbers(origin, "rpy", 3, "0 0 0"))


def placed_at(x: float, y: float, z: float, roll: float, pitch: float, yaw: float) -> Array:
    """Return a pose (4, 4): moved (m), turned about x, then y, then z, all fixed axes (rad)."""
    return translation(x, y, z) @ rotation_z(yaw) @ rotation_y(pitch) @ rotation_x(roll)


def roll_pitch_yaw(X: Array) -> tuple[float, float, float]:
    """Return the angles (rad) of a pose (4, 4), as ``rpy`` has them.

    The roll is read after the yaw is taken off, so that both together are exact where the pitch
    is a quarter turn and they cannot be told apart.
    """
    yaw = math.atan2(X[1, 0], X[0, 0])
    pitch = math.atan2(-X[2, 0], math.hypot(X[0, 0], X[1, 0]))
    s, c = math.sin(yaw), math.cos(yaw)
    roll = math.atan2(s * X[0, 2] - c * X[1, 2], c * X[1, 1] - s * X[0, 1])
    return roll, pitch, yaw
