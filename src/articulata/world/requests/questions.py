"""The one table of all requests: their clauses, the words with arguments, and their values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from articulata.world.requests.clauses import Clause, Form
from articulata.world.requests.film import BODIES, FILM, LENSES, PROPOSALS, FilmQuestion
from articulata.world.requests.pose import POSE, PoseQuestion
from articulata.world.requests.reach import REACH, ReachQuestion
from articulata.world.requests.simulate import SIMULATE
from articulata.world.requests.track import FILTERS, TRACK, TrackQuestion
from articulata.world.requests.vary import VARY, VaryQuestion
from articulata.world.requests.ways_to_move import AIDS, MOUNTS

Question: TypeAlias = ReachQuestion | PoseQuestion | TrackQuestion | FilmQuestion | VaryQuestion

REQUESTS: dict[str, dict[str, Clause]] = {
    "simulate": SIMULATE,
    "reach": REACH,
    "pose": POSE,
    "track": TRACK,
    "film": FILM,
    "vary": VARY,
}
"""Clauses of each request."""

FORMS: dict[str, dict[str, Form]] = {
    "mount": MOUNTS,
    "aid": AIDS,
    "filter": FILTERS,
    "lens": LENSES,
    "proposal": PROPOSALS,
    "housing": BODIES,
}
"""Words with arguments, by the kind of value they give."""

QUESTIONS: dict[str, Callable[..., Question]] = {
    "reach": ReachQuestion,
    "pose": PoseQuestion,
    "track": TrackQuestion,
    "film": FilmQuestion,
    "vary": VaryQuestion,
}
"""What makes the value of a request of the fields that its clauses give."""
