"""Articulata: figures, robots and rooms described in text; simulate, reach, pose, track, film.

``import articulata as art`` gives every public name and loads none of them: a name's module is
imported when the name is first used. Rooms never import from here, they name the full module.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from articulata.errors import ArticulataError as ArticulataError
    from articulata.errors import Diagnostic as Diagnostic

__version__ = "0.1.0"

# One row per public name: the module that holds it. A type checker reads the imports above,
# a test holds the two lists together.
_HOMES = {
    "ArticulataError": "articulata.errors",
    "Diagnostic": "articulata.errors",
}

__all__ = sorted(_HOMES)


def __getattr__(name: str) -> Any:
    """Import the module that holds a public name, on the name's first use."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'articulata' has no attribute {name!r}")
    value = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names, loaded or not."""
    return sorted({*globals(), *_HOMES})
