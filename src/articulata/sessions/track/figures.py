"""Who is tracked: a figure of the text, of what it imports, or of the library."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType

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
    """A figure in its own frame, and the world in which it stands upright, alone, as ``who``.

    ``weapon`` is what it may carry, which stands in that world as ``WEAPON``.
    """

    figure: Figure
    world: World
    who: str
    weapon: Figure | None = None


WEAPON = "rifle"
"""The figure that is carried as a weapon: of the text, else of the library."""


def armed(follower: Follower, document: Document | None = None) -> Follower:
    """Return a figure that may carry a weapon."""
    source = _found(WEAPON, document)
    mine, other = follower.world, source.standing_world(WEAPON)
    world = replace(
        mine,
        bodies=MappingProxyType({**mine.bodies, **other.bodies}),
        components=MappingProxyType({**mine.components, **other.components}),
        figures=MappingProxyType({**mine.figures, **other.figures}),
        placements=mine.placements + other.placements,
    )
    return replace(follower, world=world, weapon=figure_of(source.figure_world(WEAPON)))


def follower(choice: FigureChoice, document: Document | None = None) -> Follower:
    """Return the figure that ``choice`` means in a document, or in the library."""
    source = _found(choice.name, document)
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


def _found(name: str, document: Document | None) -> Document:
    """Return the text that holds a figure: the document, or a file of the library."""
    if document is not None and name in document.module.figures:
        return document
    found = shelf().get(name)
    return read(found[0]) if found is not None else document or parse("")


def choice_of(text: str) -> FigureChoice:
    """Return what a figure that is written as in a text means: "person(1.75 m)"."""
    request = parse(f"track given {{ figure: {text}; from: emulator }}").requests[0]
    assert isinstance(request.question, TrackQuestion)
    return request.question.figure
