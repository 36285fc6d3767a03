"""Controllers from a Python file that lies beside a world.

The one place where a file of a world is executed, and only on request: the file is named by the
text's ``import "controllers.py"`` or by the user, and lies in the world's own folder.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
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
            f"{world_file.name} imports {name}, which is not beside it; write the file, with one"
            " function f(t, sensed) for each controller"
        )
    return path


def functions(path: Path) -> Mapping[str, Callable[..., Any]]:
    """Execute the file at ``path`` and return its public functions by name."""
    try:
        code = compile(path.read_bytes(), str(path), "exec")
    except (OSError, SyntaxError, ValueError) as error:
        where = f", line {error.lineno}" if isinstance(error, SyntaxError) else ""
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise ControllerError(f"{path.name}{where}: {reason}") from error
    # A module of its own, without a cache file beside the user's work.
    names: dict[str, Any] = {"__name__": path.stem, "__file__": str(path)}
    try:
        exec(code, names)
    except Exception as error:
        line = next(
            (
                frame.lineno
                for frame in reversed(traceback.extract_tb(error.__traceback__))
                if frame.filename == str(path)
            ),
            0,
        )
        raise ControllerError(
            f"{path.name}, line {line}: {type(error).__name__}: {error}"
        ) from error
    return {
        name: value
        for name, value in names.items()
        if callable(value) and not name.startswith("_") and not isinstance(value, type)
    }
