"""Controllers from Python files that lie beside a world.

The one place where a file of a world is executed, and only on request: the file is named by the
text's ``import "controllers.py"`` or by the user, and lies in the world's own folder.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from articulata.errors import ControllerError


def beside(world_file: Path, name: str) -> Path:
    """Return the controllers file ``name`` of a world; refuse one that lies elsewhere."""
    folder = world_file.resolve().parent
    path = (folder / name).resolve()
    if path.parent != folder:
        raise ControllerError(
            f"controllers are taken from files beside {world_file.name} only, not from {name};"
            " move the file there"
        )
    if not path.is_file():
        raise ControllerError(
            f"{name} is not beside {world_file.name}; write it there, with one function"
            " f(t, sensed) for each controller the world names"
        )
    return path


def functions(path: Path) -> Mapping[str, Callable[..., Any]]:
    """Execute the file at ``path`` and return its public functions by name."""
    # A file of its own, without a cache beside the user's work.
    names: dict[str, Any] = {"__name__": path.stem, "__file__": str(path)}
    try:
        exec(compile(path.read_bytes(), str(path), "exec"), names)
    except (Exception, SystemExit) as error:
        raise ControllerError(
            f"{path.name}{_line(error, path)}: {type(error).__name__}: {error}"
        ) from error
    return {
        name: value
        for name, value in names.items()
        if callable(value) and not name.startswith("_") and not isinstance(value, type)
    }


def _line(error: BaseException, path: Path) -> str:
    """Return where in the file an error came from, as words for a message."""
    if isinstance(error, SyntaxError):
        return f", line {error.lineno}"
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == str(path)
    ]
    return f", line {lines[-1]}" if lines else ""


def check_found(
    wanted: Iterable[str],
    found: Mapping[str, object],
    files: Mapping[str, Mapping[str, object]],
    paths: Mapping[str, Path],
) -> None:
    """Raise ControllerError where the executed ``files`` lack a function that is ``wanted``."""
    for name in wanted:
        if name in found or not files:
            continue
        own = name.rpartition(".")[2]
        known = [each for file in files.values() for each in file]
        near = get_close_matches(own, known, 1)
        meant = f"; did you mean '{near[0]}'?" if near else ""
        has = "; ".join(
            f"{paths[file].name} has {', '.join(names) or 'no functions'}"
            for file, names in files.items()
        )
        raise ControllerError(
            f"the world names the controller '{name}', and no file has it: {has}{meant}"
        )


def bound(
    wanted: Iterable[str], files: Mapping[str, Mapping[str, Callable[..., Any]]]
) -> Mapping[str, Callable[..., Any]]:
    """Return functions for the names ``wanted``, from ``files`` by the names they go by.

    A text may say ``swing`` or, after ``import "linkage.py" as motion``, ``motion.swing``. Names
    that no file has are left out; the simulation says which they are.
    """
    found: dict[str, Callable[..., Any]] = {}
    for name in wanted:
        alias, _, own = name.rpartition(".")
        for file, known in files.items():
            if own in known and alias in ("", file):
                found.setdefault(name, known[own])
    return found
