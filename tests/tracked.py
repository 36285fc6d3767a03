"""Library figures made ready to be tracked, each once: they are values, and take half a second."""

from __future__ import annotations

from functools import cache

from articulata.analyses.track.tracked_person import TrackedBody, tracked_body
from articulata.kinematics.library import figure


@cache
def body_of(name: str = "person") -> TrackedBody:
    """Return the tracked body of a figure of the library."""
    return tracked_body(figure(name))
