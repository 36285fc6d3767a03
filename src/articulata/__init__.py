"""Articulata: figures, robots and rooms described in text; simulate, reach, pose, track, film.

``import articulata as art`` gives every public name and loads none of them: a name's module is
imported when the name is first used. Rooms never import from here, they name the full module.
"""

from __future__ import annotations

import importlib
import re
from enum import Enum
from pathlib import Path
from types import FunctionType
from typing import Any

__version__ = "0.5.0"

# The stub beside this file is the only list of the public names: a line per name says which module
# holds it. Type checkers read it as it is.
_HOMES = {
    name: (module, known_there)
    for module, known_there, name in re.findall(
        r"^from ([\w.]+) import (\w+) as (\w+)$",
        Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Import the module that holds a public name, on the name's first use.

    Functions say what they take where they stumble over an argument of a wrong kind, and classes
    where somebody outside makes one of it.
    """
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'articulata' has no attribute {name!r}")
    module, known_there = home
    value = getattr(importlib.import_module(module), known_there)
    if isinstance(value, FunctionType):
        value = importlib.import_module("articulata.world.unfit_arguments").explained(name, value)
    elif isinstance(value, type) and not issubclass(value, (BaseException, Enum)):
        importlib.import_module("articulata.world.unfit_arguments").guarded(name, value)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names, loaded or not."""
    return sorted({*globals(), *_HOMES})
