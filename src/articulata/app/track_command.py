"""``articulata track``: a figure that follows a live person."""

from __future__ import annotations

from articulata.app import console
from articulata.app.options import explained
from articulata.errors import ArticulataError
from articulata.sessions.track.track_options import Asked


def track(asked: Asked) -> None:
    """Track a person, live or recorded, with a figure."""
    with explained():
        from articulata.sessions.track.track_request import track_asked

        answered = track_asked(asked, console.Terminal())
        for path in answered.files:
            console.result(str(path))
        if answered.doubts:
            raise ArticulataError(f"the take is not to be trusted: {'; '.join(answered.doubts)}")
