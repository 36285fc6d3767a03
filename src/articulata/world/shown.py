"""Values that show themselves in a notebook: a picture and a short table in place of a line."""

from __future__ import annotations

import importlib

DRAWS = "articulata.report.notebook_views"
"""The module whose ``html`` draws them: pictures stand above all values, so it is named, and loaded
when a notebook asks."""


class Shown:
    """A value that Jupyter and other notebooks show as HTML; ``repr`` says the same in a line."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return a picture and a table as one piece of HTML, which needs no network."""
        made: str = importlib.import_module(DRAWS).html(self)
        return made
