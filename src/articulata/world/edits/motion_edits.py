"""Edits of what figures do: a motion begins during a run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final

from articulata.errors import NameNotFound
from articulata.world.edits.transaction import Edit, changed, replaced, show
from articulata.world.figures.nodes import FigureNode, Performance
from articulata.world.language.meant_words import did_you_mean
from articulata.world.model import World
from articulata.world.paths import hint
from articulata.world.values import Pose

_HERE: Final = Pose()


@dataclass(frozen=True, slots=True)
class StartMotion:
    """Let the figure of ``path`` ("anna.wave") begin its motion at ``time`` (s).

    Points of the motion are those of ``frame`` in W.
    """

    WORDS: ClassVar = "{0.path} begins"
    path: str
    time: float
    frame: Pose = _HERE

    def apply(self, world: World) -> World:
        """Return the world in which the figure follows the motion."""
        node, motion = motion_of(world, self.path)
        begun = Performance(motion, self.time, self.frame)
        kept = [each for each in node.follows if each.start <= self.time]
        later = [each for each in node.follows if each.start > self.time]
        made = replace(node, follows=(*kept, begun, *later))
        return changed(world, figures=replaced(world.figures, node.id, made))

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edit that says again what the figure followed before."""
        node, _ = motion_of(world, self.path)
        return (SetFollowed(node.id, node.follows),)

    def subject(self, world: World) -> str:
        """Return the figure's id."""
        return motion_of(world, self.path)[0].id


@dataclass(frozen=True, slots=True)
class SetFollowed:
    """Say anew what the figure of ``path`` follows, from when on."""

    path: str
    follows: tuple[Performance, ...]

    def apply(self, world: World) -> World:
        """Return the world in which the figure follows them."""
        node = self._node(world)
        made = replace(node, follows=self.follows)
        return changed(world, figures=replaced(world.figures, node.id, made))

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edit that says again what it followed before."""
        return (SetFollowed(self.path, self._node(world).follows),)

    def subject(self, world: World) -> str:
        """Return the figure's id."""
        return self._node(world).id

    def _node(self, world: World) -> FigureNode:
        node = world.figures.get(self.path)
        if node is None:
            raise NameNotFound(f"there is no figure '{self.path}'{hint(self.path, world.figures)}")
        return node


def motion_of(world: World, path: str) -> tuple[FigureNode, str]:
    """Return the figure and the name of its motion that ``path`` ("anna.wave") means."""
    for node in world.figures.values():
        for name in node.motions:
            if path in (f"{node.id}.{name}", f'{node.id}."{name}"'):
                return node, name
    figure, _, name = path.rpartition(".")
    known = world.figures.get(figure)
    if known is None:
        told = "write figure.motion, such as anna.wave"
        raise NameNotFound(f"there is no figure '{figure}' in '{path}'; {told}")
    told = did_you_mean(name, tuple(known.motions))
    raise NameNotFound(f"figure '{figure}' has no motion '{name}'; {told}")


@show.register
def _show_followed(edit: SetFollowed) -> str:
    return f"{edit.path} follows {', '.join(each.motion for each in edit.follows) or 'nothing'}"
