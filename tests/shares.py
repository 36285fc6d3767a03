"""Parts of a long sweep: the first run in `make test-slow`, the rest in `make sweeps`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def shares(parts: Iterable[object], slow: int) -> list[Any]:
    """Return ``parts`` as parameters of a test: ``slow`` marked slow, those after them sweep."""
    marks = [pytest.mark.slow, pytest.mark.sweep]
    return [pytest.param(part, marks=marks[n >= slow]) for n, part in enumerate(parts)]
