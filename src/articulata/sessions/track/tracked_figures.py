"""Who is tracked: a figure of the text, of what it imports, or of the library."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from articulata.kinematics.figure import Figure
from articulata.kinematics.world_figure import figure_of
from articulata.report.viewer.motion_sources import up_of
from articulata.world.document import Document, parse, read
from articulata.world.figures.shelf import shelf
from articulata.world.model import World
from articulata.world.requests.choices import FigureChoice
from articulata.world.requests.track import TrackQuestion


@dataclass(frozen=True, slots=True, eq=False)
class Follower:
    """A figure in its own frame, and the world in which it stands upright, alone, as ``who``.

    ``choice`` is what asks for it. ``weapon`` is what it may carry, which stands in that world as
    ``carried``.
    """

    figure: Figure
    world: World
    who: str
    choice: FigureChoice
    weapon: Figure | None = None
    carried: str = ""


APART = 1.4
"""m between people who are tracked at once: each moves about a place of his own."""

WEAPON = "rifle"
"""The figure that is carried as a weapon: of the text, else of the library."""


def armed(
    follower: Follower, document: Document | None = None, *, shares: bool = False
) -> Follower:
    """Return a figure that may carry a weapon, called after it where it ``shares`` a world."""
    source = _found(WEAPON, document)
    name = f"{follower.who}_{WEAPON}" if shares else WEAPON
    world = together((follower.world, source.standing_world(WEAPON, who=name)))
    weapon = figure_of(source.figure_world(WEAPON))
    return replace(follower, world=world, weapon=weapon, carried=name)


def together(worlds: Sequence[World]) -> World:
    """Return the first world with all that stands in the others."""
    return replace(
        worlds[0],
        bodies=MappingProxyType({k: v for each in worlds for k, v in each.bodies.items()}),
        components=MappingProxyType({k: v for each in worlds for k, v in each.components.items()}),
        figures=MappingProxyType({k: v for each in worlds for k, v in each.figures.items()}),
        placements=tuple(each for world in worlds for each in world.placements),
    )


def follower(
    choice: FigureChoice, document: Document | None = None, *, who: str = "", number: int = 0
) -> Follower:
    """Return the figure that ``choice`` means in a document, or in the library.

    It is called ``who`` in its world, and stands ``number`` times ``APART`` to the left in it.
    """
    source = _found(choice.name, document)
    figure = figure_of(source.figure_world(choice.name, *choice.positional, **choice.named))
    world = standing(source, choice, who)
    ((who, node),) = world.figures.items()
    # worlds with y up look along z, others along x
    left = (1.0, 0.0, 0.0) if abs(up_of(world)[1]) > 0.9 else (0.0, 1.0, 0.0)
    x, y, z = (number * APART * each for each in left)
    moved = replace(node, stand=replace(node.stand, position=(x, y, z)))
    world = replace(world, figures=MappingProxyType({who: moved}))
    return Follower(figure, world, who, choice)


def standing(document: Document, choice: FigureChoice, who: str = "") -> World:
    """Return a world in which a figure of a document stands upright, alone, as ``who``."""
    return document.standing_world(choice.name, *choice.positional, who=who, **choice.named)


def _found(name: str, document: Document | None) -> Document:
    """Return the text that holds a figure: the document, or a file of the library."""
    if document is not None and name in document.figures:
        return document
    found = shelf().get(name)
    return read(found[0]) if found is not None else document or parse("")


def choice_of(text: str) -> FigureChoice:
    """Return what a figure that is written as in a text means: "person(1.75 m)"."""
    request = parse(f"track given {{ figure: {text}; from: emulator }}").requests[0]
    assert isinstance(request.question, TrackQuestion)
    return request.question.figure
