"""Edits of figures: one enters a world as a whole, with its links and joints, and leaves it so."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import ClassVar, TypeVar

from articulata.errors import NameNotFound, WorldError
from articulata.world.edits.force_edits import (
    Heed,
    RemoveDrive,
    RemoveForce,
    SetCouplings,
    SetPlacements,
    couplings_without,
    placements_without,
)
from articulata.world.edits.structure_edits import BreakHinge
from articulata.world.edits.transaction import (
    Edit,
    changed,
    child_place,
    edited,
    inserted,
    inverse_of,
    position_of,
    require_new,
    with_child,
    without,
    without_child,
)
from articulata.world.figures.derivation import derive
from articulata.world.figures.nodes import FigureNode
from articulata.world.model import Body, Component, Hinge, World
from articulata.world.paths import hint

_Item = TypeVar("_Item", Body, Hinge)


@dataclass(frozen=True, slots=True)
class AddFigure:
    """Let ``node`` enter, standing at ``node.stand`` with the joint values ``node.values``.

    Its bodies and hinges are derived; ``bodies`` and ``hinges`` give them where they differ from
    that. ``places`` are the numbers among all bodies, then among all hinges, that they get, and
    ``index`` those of the component and of the figure (None: last).
    """

    WORDS: ClassVar = "figure {0.node.id} enters"
    node: FigureNode
    bodies: tuple[Body, ...] = ()
    hinges: tuple[Hinge, ...] = ()
    places: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    index: tuple[int | None, int | None, int | None] = (None, None, None)

    def apply(self, world: World) -> World:
        """Return the world with the figure."""
        id = self.node.id
        require_new(world, id)
        derived = derive(self.node)
        if not derived.bodies:
            raise WorldError(
                f"figure '{self.node.type}' is made of bodies; add it as a component with its parts"
            )
        bodies = self.bodies or tuple(derived.bodies.values())
        hinges = self.hinges or tuple(derived.hinges.values())
        for own in (*derived.bodies, *derived.hinges):
            require_new(world, own)
        component = Component(id, self.node.type, tuple(derived.bodies), self.node.span)
        components = with_child(world, id, self.index[2], "figure")
        return changed(
            world,
            bodies=_placed(world.bodies, bodies, self.places[0]),
            hinges=_placed(world.hinges, hinges, self.places[1]),
            components=inserted(components, id, component, self.index[0]),
            figures=inserted(world.figures, id, derived.node, self.index[1]),
        )

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edit that takes it away again."""
        return (RemoveFigure(self.node.id),)

    def subject(self, world: World) -> str:
        """Return the figure's id."""
        return self.node.id


@dataclass(frozen=True, slots=True)
class RemoveFigure:
    """Take a figure away, with what is joined to it and what is said of it."""

    WORDS: ClassVar = "figure {0.path} leaves"
    path: str

    def apply(self, world: World) -> World:
        """Return the world without the figure."""
        node = self._node(world)
        world = edited(world, _cut(world, node))
        return self._bare(world, node)

    def inverse(self, world: World) -> tuple[Edit, ...]:
        """Return the edits that bring it back with everything that went with it."""
        node = self._node(world)
        cut = _cut(world, node)
        inner = edited(world, cut)
        back = AddFigure(
            node,
            tuple(each for id, each in inner.bodies.items() if id in node.carriers),
            tuple(each for id, each in inner.hinges.items() if id in node.joined),
            (_numbers(inner.bodies, node.carriers), _numbers(inner.hinges, node.joined)),
            (
                position_of(inner.components, node.id),
                position_of(inner.figures, node.id),
                child_place(inner, node.id),
            ),
        )
        again: list[Edit] = [back, *inverse_of(world, cut)]
        bare = self._bare(inner, node)
        if bare.placements != inner.placements:
            again.append(SetPlacements(inner.placements))
        return tuple(again)

    def subject(self, world: World) -> str:
        """Return the figure's id."""
        return self._node(world).id

    def _node(self, world: World) -> FigureNode:
        node = world.figures.get(self.path)
        if node is None or not node.carriers:
            raise NameNotFound(
                f"there is no figure '{self.path}' to take away{hint(self.path, world.figures)}"
            )
        return node

    def _bare(self, world: World, node: FigureNode) -> World:
        return changed(
            world,
            bodies=without(world.bodies, node.carriers),
            hinges=without(world.hinges, node.joined),
            components=without(without_child(world, node.id), [node.id]),
            figures=without(world.figures, [node.id]),
            placements=placements_without(world.placements, tuple(node.carriers), ()),
        )


def _placed(
    items: Mapping[str, _Item], new: tuple[_Item, ...], places: tuple[int, ...]
) -> Mapping[str, _Item]:
    """Return ``items`` with new ones at their places, in rising order, else at the end."""
    if not places:
        return inserted({**items, **{each.id: each for each in new}})
    pairs = list(items.items())
    for place, each in zip(places, new, strict=True):
        pairs.insert(place, (each.id, each))
    return inserted(dict(pairs))


def _numbers(items: Mapping[str, object], ids: Collection[str]) -> tuple[int, ...]:
    wanted = set(ids)
    return tuple(number for number, id in enumerate(items) if id in wanted)


def _cut(world: World, node: FigureNode) -> tuple[Edit, ...]:
    """Return the edits that free a figure of all that is not its own."""
    own, joints = set(node.carriers), set(node.joined)
    edits: list[Edit] = []
    broken = [
        hinge.id
        for hinge in world.hinges.values()
        if hinge.id not in joints and own & {hinge.body_a, hinge.body_b}
    ]
    edits += map(BreakHinge, broken)
    coupled = couplings_without(world, joints)
    if len(coupled) < len(world.couplings):
        kept = couplings_without(world, {*joints, *broken})
        edits.append(SetCouplings(tuple(kept.values())))
    for force in world.forces.values():
        ends = {ref.body for ref in force.features or ()}
        if force.hinge in joints or (force.hinge not in broken and own & ends):
            edits.append(RemoveForce(force.id))
    for drive in world.drives.values():
        target = drive.target
        if target in own | joints or target.rpartition(".")[0] in own | joints:
            edits.append(RemoveDrive(drive.id))
    pairs = sorted(tuple(sorted(pair)) for pair in world.ignored if own & pair)
    edits += [Heed(first, second) for first, second in pairs]
    return tuple(edits)
