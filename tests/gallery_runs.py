"""Runs of the gallery's worlds as a user has them: the text's request with the file beside it."""

from __future__ import annotations

from typing import Any

import articulata as art
from articulata.sessions.controllers import bound, functions
from articulata.world.document import read
from articulata.world.requests.request import Request
from articulata.world.world_files import LIBRARY


def run(name: str, **options: Any) -> art.Recording:
    """Return the recording of a gallery world's first request; ``options`` are those of a run."""
    request, controllers = asked(name)
    return art.simulate(request, controllers=controllers, **options)


def asked(name: str) -> tuple[Request, dict[str, Any]]:
    """Return a gallery world's first request, and its controllers executed afresh."""
    path = LIBRARY / "gallery" / f"{name}.art"
    document = read(path)
    request = document.requests[0]
    drives = document.world(request).drives.values()
    executed = {alias: functions(path.with_name(file)) for file, alias in document.module.python}
    return request, dict(bound([drive.controller for drive in drives], executed))
