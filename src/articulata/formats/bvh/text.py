"""BVH as text: bones with offsets and channels, then a line of numbers for each frame.

A bone's frame stands at its offset in its parent's, moved and then turned by its channels in the
order in which they are named: ``Rz Rx Ry`` for Zrotation Xrotation Yrotation. Degrees; lengths
have no unit, centimetres are usual. Source: Meredith and Maddock, Motion Capture File Formats
Explained, University of Sheffield, 2001.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from articulata.errors import FormatError
from articulata.geometry.arrays import Array

PLACES = ("Xposition", "Yposition", "Zposition")
TURNS = ("Xrotation", "Yrotation", "Zrotation")


@dataclass(frozen=True, slots=True)
class Bone:
    """A bone below bone number ``parent`` (-1: none); ``ends`` are the places of its end sites."""

    name: str
    parent: int
    offset: tuple[float, float, float]
    channels: tuple[str, ...]
    ends: tuple[tuple[float, float, float], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """``bones`` in the order of their channels, ``values`` (n, channels), ``period`` s apart."""

    bones: tuple[Bone, ...]
    values: Array
    period: float


class _Words:
    """The words of a text and the lines they stand in."""

    def __init__(self, text: str) -> None:
        self._words = [
            (number, word)
            for number, line in enumerate(text.splitlines(), 1)
            for word in line.split()
        ]
        self._next = 0

    @property
    def line(self) -> int:
        """The line of the word to come, or of the last one."""
        at = min(self._next, len(self._words) - 1)
        return self._words[at][0] if self._words else 1

    def look(self) -> str:
        """Return the word to come, "" at the end."""
        return self._words[self._next][1] if self._next < len(self._words) else ""

    def take(self, *expected: str) -> str:
        """Return the next word, which has to be one of ``expected`` where these are given."""
        word = self.look()
        if not word or (expected and word.lower() not in [each.lower() for each in expected]):
            wanted = " or ".join(expected) or "more"
            found = repr(word) if word else "the end of the text"
            raise FormatError(f"line {self.line}: a BVH has {wanted} here, not {found}")
        self._next += 1
        return word

    def number(self) -> float:
        """Return the next word as a number."""
        line, word = self.line, self.take()
        try:
            value = float(word)
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise FormatError(f"line {line}: {word!r} is no number")
        return value

    def triple(self) -> tuple[float, float, float]:
        """Return the next three numbers."""
        return self.number(), self.number(), self.number()


def parse_bvh(text: str) -> Motion:
    """Return the motion in ``text``; raise FormatError with the line where it is none."""
    words = _Words(text)
    words.take("HIERARCHY")
    bones: list[Bone] = []
    while words.look().upper() == "ROOT":
        _bone(words, bones)
    if not bones:
        words.take("ROOT")
    words.take("MOTION")
    words.take("Frames:")
    count = round(words.number())
    words.take("Frame")
    words.take("Time:")
    period = words.number()
    width = sum(len(bone.channels) for bone in bones)
    if count < 1 or not period > 0.0:
        raise FormatError(
            f"line {words.line}: {count} frames {period:g} s apart are no motion; give one frame at"
            " least, and a time above 0"
        )
    values = np.array([[words.number() for _ in range(width)] for _ in range(count)])
    if words.look():
        raise FormatError(
            f"line {words.line}: {count} frames of {width} numbers end before this; see that"
            " 'Frames:' tells how many there are"
        )
    return Motion(tuple(bones), values.reshape(count, width), period)


def _bone(words: _Words, bones: list[Bone], parent: int = -1) -> None:
    """Take up a bone and all that hangs on it."""
    words.take("ROOT", "JOINT")
    name = words.take()
    words.take("{")
    words.take("OFFSET")
    offset = words.triple()
    channels: tuple[str, ...] = ()
    if words.look().upper() == "CHANNELS":
        words.take()
        channels = tuple(words.take(*PLACES, *TURNS) for _ in range(round(words.number())))
    number = len(bones)
    bones.append(Bone(name, parent, offset, channels))
    ends = []
    while words.look().upper() in ("JOINT", "END"):
        if words.look().upper() == "JOINT":
            _bone(words, bones, number)
            continue
        words.take()
        words.take("Site")
        words.take("{")
        words.take("OFFSET")
        ends.append(words.triple())
        words.take("}")
    words.take("}")
    bones[number] = Bone(name, parent, offset, channels, tuple(ends))


def write_bvh(motion: Motion) -> str:
    """Return a motion as text; bones come before what hangs on them, each with all that does."""
    width = sum(len(bone.channels) for bone in motion.bones)
    if motion.values.ndim != 2 or motion.values.shape[1] != width:
        raise FormatError(
            f"bones with {width} channels do not belong to values of shape {motion.values.shape}"
        )
    if list(_below(motion.bones, -1)) != list(range(len(motion.bones))):
        raise FormatError("bones stand in the order of a walk through the tree, parents first")
    lines = ["HIERARCHY"]
    for number, bone in enumerate(motion.bones):
        if bone.parent < 0:
            lines += _written(motion.bones, number, 0)
    lines += ["MOTION", f"Frames: {len(motion.values)}", f"Frame Time: {motion.period:.9g}"]
    lines += [" ".join(f"{value:.9g}" for value in row) for row in motion.values.tolist()]
    return "\n".join(lines) + "\n"


def _below(bones: tuple[Bone, ...], parent: int) -> Iterator[int]:
    for number, bone in enumerate(bones):
        if bone.parent == parent:
            yield number
            yield from _below(bones, number)


def _written(bones: tuple[Bone, ...], number: int, depth: int) -> list[str]:
    bone, inset = bones[number], "  " * depth
    lines = [
        f"{inset}{'JOINT' if depth else 'ROOT'} {'_'.join(bone.name.split())}",
        f"{inset}{{",
        f"{inset}  OFFSET {_numbers(bone.offset)}",
        f"{inset}  CHANNELS {len(bone.channels)} {' '.join(bone.channels)}".rstrip(),
    ]
    for child, each in enumerate(bones):
        if each.parent == number:
            lines += _written(bones, child, depth + 1)
    for end in bone.ends:
        lines += [
            f"{inset}  End Site",
            f"{inset}  {{",
            f"{inset}    OFFSET {_numbers(end)}",
            f"{inset}  }}",
        ]
    return [*lines, f"{inset}}}"]


def _numbers(values: tuple[float, ...]) -> str:
    return " ".join(f"{value:.9g}" for value in values)
