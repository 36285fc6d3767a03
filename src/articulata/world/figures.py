"""Figures as a world holds them: named chains, postures, limits, sensors and landmarks.

A chain is a table of Denavit-Hartenberg parameters or a route along hinges of the world. What
these mean for motion is ``articulata.kinematics``' business. SI units and radians.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, TypeAlias

from articulata.world.model import FeatureRef
from articulata.world.values import NOWHERE, Span

EntryValue: TypeAlias = float | str | bool | tuple["EntryValue", ...]
JointKind: TypeAlias = Literal["revolute", "prismatic", "fixed"]


@dataclass(frozen=True, slots=True)
class JointRow:
    """One row of a Denavit-Hartenberg table: ``theta`` and ``alpha`` in rad, ``d``, ``a`` in m.

    The joint's coordinate is added to ``theta`` (revolute) or ``d`` (prismatic). ``extra`` holds
    what else the row says: a motor's sign, a mass, the source of its numbers.
    """

    name: str
    kind: JointKind
    theta: float = 0.0
    d: float = 0.0
    a: float = 0.0
    alpha: float = 0.0
    limits: tuple[float, float] | None = None
    extra: Mapping[str, EntryValue] = field(default_factory=lambda: MappingProxyType({}))
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class TableNode:
    """A chain by its table. ``convention`` is "standard", "modified" or "x-axis".

    ``base`` is the body it stands on, None for the figure's own frame.
    """

    name: str
    convention: str
    rows: tuple[JointRow, ...]
    base: str | None = None
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class RouteNode:
    """A chain along the hinges of the world between two features of bodies."""

    name: str
    start: FeatureRef
    end: FeatureRef
    span: Span = field(default=NOWHERE, compare=False)


ChainNode: TypeAlias = TableNode | RouteNode


@dataclass(frozen=True, slots=True)
class FigureNode:
    """A figure of a world. Joint names are those of its tables' rows and of its hinges.

    ``postures`` map a posture's name to joint values, ``limits`` a joint's name to (low, high),
    ``sensors`` and ``landmarks`` a name to what the text says of it; ``hinges`` map the name a
    joint has within the figure to the id of the hinge.
    """

    id: str
    type: str
    chains: Mapping[str, ChainNode]
    postures: Mapping[str, Mapping[str, EntryValue]]
    limits: Mapping[str, EntryValue]
    sensors: Mapping[str, EntryValue]
    landmarks: Mapping[str, EntryValue]
    hinges: Mapping[str, str]
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def joints(self) -> tuple[str, ...]:
        """The names of all joints: table rows in order, then hinges."""
        rows = [
            row.name
            for chain in self.chains.values()
            if isinstance(chain, TableNode)
            for row in chain.rows
        ]
        return tuple(dict.fromkeys([*rows, *self.hinges]))
