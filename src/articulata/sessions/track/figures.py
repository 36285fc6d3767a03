"""Who is tracked: a figure of the text, of what it imports, or of the library."""

from __future__ import annotations

from dataclasses import dataclass

from articulata.errors import ArticulataError
from articulata.kinematics.figure import Figure
from articulata.kinematics.world_figure import figure_of
from articulata.world.document import Document, parse, read
from articulata.world.figures.shelf import shelf
from articulata.world.model import World
from articulata.world.requests.choices import FigureChoice
from articulata.world.requests.track import TrackQuestion


@dataclass(frozen=True, slots=True, eq=False)
class Follower:
    """A figure in its own frame, and the world in which it stands upright, alone, as ``who``."""

    figure: Figure
    world: World
    who: str


def follower(choice: FigureChoice, document: Document | None = None) -> Follower:
    """Return the figure that ``choice`` means in a document, or in the library."""
    source = document
    if source is None or choice.name not in source.module.figures:
        found = shelf().get(choice.name)
        if found is not None:
            source = read(found[0])
    if source is None:
        source = parse("")
    words = [value for _, value in choice.arguments if isinstance(value, str)]
    if words:
        raise ArticulataError(
            f"figure '{choice.name}' takes numbers, not {words[0]!r}; give them in order or by name"
        )
    positional = [float(value) for value in choice.positional]
    named = {name: float(value) for name, value in choice.named.items()}
    figure = figure_of(source.figure_world(choice.name, *positional, **named))
    world = source.standing_world(choice.name, *positional, **named)
    (who,) = world.figures
    return Follower(figure, world, who)


def choice_of(text: str) -> FigureChoice:
    """Return what a figure that is written as in a text means: "person(1.75 m)"."""
    request = parse(f"track given {{ figure: {text}; from: emulator }}").requests[0]
    assert isinstance(request.question, TrackQuestion)
    return request.question.figure
