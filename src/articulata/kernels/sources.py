"""The sources that a kernel's compiled code depends on.

Compiled code holds everything that a kernel calls: its own module, the modules which that one
imports from this package, and so on. Of these a hash is taken, so that a changed module has the
kernels compiled anew that can see it, and no others. What is written for people (docstrings,
comments, blank lines) does not count.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

HOME = Path(__file__).parent
PACKAGE = "articulata.kernels"
ALWAYS = ("compile", "overloads", "sources")
"""Modules that decide about the compiled code of every kernel."""

IMPORT = re.compile(
    rf"^[ \t]*from {re.escape(PACKAGE)}((?:\.\w+)*) import (\([^)]*\)|[^\n]*)", re.MULTILINE
)
"""The one form in which modules here import each other; ``test_sources`` holds them to it."""

FOR_PEOPLE = re.compile(r'^ *(?:r?"""[^"]*(?:"(?!"")[^"]*)*"""|#.*)?\n|  [#].*', re.MULTILINE)
"""What has no part in compiled code: docstrings, comments, blank lines."""


@functools.cache
def module_hash(module: str) -> str:
    """Return a short hash over Numba's version and all that a module's kernels are made of.

    ``module`` is a full name; of a module outside this package every source here counts, because
    it may import any of them.
    """
    name = module.removeprefix(f"{PACKAGE}.")
    return _hash(seen_from(name) if name in _names() else _names())


@functools.cache
def room_hash(room: str) -> str:
    """Return a short hash over Numba's version and all that the kernels of a room are made of.

    ``room`` is a folder beside this module.
    """
    inside = [name for name in _names() if name.split(".")[0] == room]
    return _hash({seen for name in inside for seen in seen_from(name)})


def seen_from(name: str) -> set[str]:
    """Return the modules whose sources the kernels of one depend on, itself among them.

    Names stand without ``articulata.kernels``.
    """
    seen: set[str] = set()
    waiting = [name, *ALWAYS]
    while waiting:
        each = waiting.pop()
        if each not in seen:
            seen.add(each)
            waiting.extend(_imported(each))
    return seen


@functools.cache
def _names() -> dict[str, Path]:
    """Return the sources here by the names of their modules, those of packages without a dot."""
    found = {}
    for path in sorted(HOME.rglob("*.py")):
        parts = path.relative_to(HOME).with_suffix("").parts
        found[".".join(part for part in parts if part != "__init__")] = path
    return found


@functools.cache
def _imported(name: str) -> tuple[str, ...]:
    """Return the modules here that one imports, or imports from."""
    found = []
    for base, listed in IMPORT.findall(logic(_names()[name])):
        within = base.removeprefix(".")
        found += [within, *(f"{within}.{each}".lstrip(".") for each in re.findall(r"\w+", listed))]
    return tuple(each for each in found if each in _names())


def _hash(names: Iterable[str]) -> str:
    digest = hashlib.sha256(version("numba").encode())
    for name in sorted(names):
        digest.update(name.encode())
        digest.update(logic(_names()[name]).encode())
    return digest.hexdigest()[:16]


@functools.cache
def logic(path: Path) -> str:
    """Return a source without ``FOR_PEOPLE``."""
    return FOR_PEOPLE.sub("", path.read_text("utf-8"))
