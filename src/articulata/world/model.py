"""The world: an immutable graph of bodies, hinges, forces and drives.

The text language and the Python builder make the same ``World``. Every node has a stable id,
its path in the world ("links.rod2", "p.rod[1]"), and the place in the source it came from.
Edits (``articulata.world.edits.structure_edits``) make a new world and share what did not change.

Frames: W the world, B a body's own frame (the frame its shape and features are written in),
F a feature, H a hinge. SI units and radians.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from articulata.world.contact_pairs import MaterialPair
from articulata.world.hinges import HingeKind
from articulata.world.shown import Shown
from articulata.world.values import NOWHERE, ZERO, Material, Pose, Span, Vector3

if TYPE_CHECKING:
    from articulata.geometry.shapes import Shape
    from articulata.world.edits.transaction import Edit
    from articulata.world.figures.nodes import FigureNode
    from articulata.world.paths import Index, Reference
    from articulata.world.relations import Relation

FeatureKind: TypeAlias = Literal["point", "axis", "frame", "face"]
PropertyValue: TypeAlias = float | str | bool | tuple[float, ...] | Material
Motion: TypeAlias = Literal["free", "fixed", "prescribed"]


_Item = TypeVar("_Item")


def frozen(items: Mapping[str, _Item]) -> Mapping[str, _Item]:
    """Return a read-only view of a copy of ``items``, in the same order."""
    return MappingProxyType(dict(items))


@dataclass(frozen=True, slots=True)
class Feature:
    """A named place on a body: ``pose`` is ``X_BF``. An axis or a face normal is z of F."""

    name: str
    kind: FeatureKind
    pose: Pose
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Body:
    """A rigid body, an instance of a primitive.

    ``pose`` is ``X_WB`` at the start (before assembly a guess), ``velocity`` that of the body
    frame's origin in W in m/s, ``rate`` the angular velocity ``w_WB`` in rad/s. ``shape`` is None
    for ``geometry: none``. ``motion`` is "prescribed" when a control gives the acceleration.
    ``placed`` bodies keep their pose during assembly. ``gravity`` None takes the world's.
    ``dynamic`` says whether the type has a ``dynamics`` section. ``levels`` are shapes about the
    body that are tested for interference before it, coarse to fine; None: it is never tested.
    ``look`` is drawn in place of its shape, where there is one.
    """

    id: str
    type: str
    shape: Shape | None
    features: Mapping[str, Feature]
    properties: Mapping[str, PropertyValue]
    pose: Pose = field(default_factory=Pose)
    velocity: Vector3 = ZERO
    rate: Vector3 = ZERO
    motion: Motion = "free"
    placed: bool = False
    dynamic: bool = True
    gravity: Vector3 | None = None
    material: Material | None = None
    span: Span = field(default=NOWHERE, compare=False)
    levels: tuple[Shape, ...] | None = ()
    look: Shape | None = None

    @property
    def density(self) -> float | None:
        """Its density in kg/m^3: its own, else its material's, else None."""
        value = self.properties.get("density")
        if isinstance(value, int | float):
            return float(value)
        return self.material.density if self.material is not None else None

    @property
    def color(self) -> str | tuple[float, ...] | None:
        """Its colour: its own, else its material's, else None."""
        value = self.properties.get("color")
        if isinstance(value, str | tuple):
            return value
        return self.material.color if self.material is not None else None


@dataclass(frozen=True, slots=True)
class FeatureRef:
    """A feature of a body, ``body`` being an id and ``feature`` a name in it ("center" always)."""

    body: str
    feature: str

    def __str__(self) -> str:
        return f"{self.body}.{self.feature}"


@dataclass(frozen=True, slots=True)
class Hinge:
    """A join: body A (the one joined) moves on body B (the one joined to).

    ``frame_a`` is ``X_AH`` and ``frame_b`` is ``X_BH``: the hinge's frame on each body, equal in
    W where the hinge's coordinates are zero. ``kind`` lists the point-on-surface rows, written in
    H. ``limits`` bound the hinge's coordinates (rad or m), ``strength`` the force (N) and moment
    (N m) it bears before it breaks (None: any). ``restitution`` (0 to 1) is the share of its speed
    with which a coordinate comes back from a limit.
    """

    id: str
    kind: HingeKind
    body_a: str
    body_b: str
    matching: tuple[tuple[FeatureRef, FeatureRef], ...]
    frame_a: Pose
    frame_b: Pose
    limits: tuple[tuple[float, float], ...] = ()
    strength: tuple[float | None, float | None] = (None, None)
    span: Span = field(default=NOWHERE, compare=False)
    restitution: float = 0.0


Program: TypeAlias = tuple[tuple[str, float], ...]
"""Postfix program of a scalar expression: ("push", 2.0), ("distance", 0), ("mul", 0) ...

Operands: push, distance, speed, time, angle, rate, integral, and for joints that keep a figure's
balance ``BALANCE_LOW`` and ``BALANCE_HIGH``. Of two: add, sub, mul, div, pow,
min, max, atan2. Of one: neg, sin, cos, tan, asin, acos, atan, sqrt, exp, log, abs, sign, floor,
ceil. All in SI units and radians; the number beside anything but push is 0.
"""

BALANCE_LOW, BALANCE_HIGH = "balance_low", "balance_high"
"""The least and the greatest moment (N m) about a joint by which its figure keeps its balance."""


@dataclass(frozen=True, slots=True)
class Force:
    """A force between two features, along their line or, for ``torsion``, about a hinge's axis.

    ``program`` gives the tension in N (positive pulls the features together) from ``distance``
    (m), ``speed`` (m/s, positive when they part) and ``time`` (s); for ``torsion`` a moment in
    N m from ``angle`` and ``rate`` of hinge ``hinge``. A spring and a damper are such programs.
    Through more than two features it is a rope, whose ``distance`` is its whole length.
    The program of a ``bushing`` is twelve numbers: stiffness along and about the second feature's
    axes (N/m, N m), and damping (N s/m, N m s).
    Where there is an ``integral`` program it gives the rate (N/s, N m/s) of what both read as
    ``integral`` (N, N m), zero at the start: a controller's integral action.
    """

    id: str
    kind: Literal["between", "torsion", "bushing"]
    features: tuple[FeatureRef, ...] | None
    hinge: str | None
    program: Program
    span: Span = field(default=NOWHERE, compare=False)
    integral: Program = ()

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The least and the greatest value its program can have; None where it has no limit."""
        if len(self.program) < 5:
            return None
        high, least, low, greatest = self.program[-4:]
        if (high[0], least[0], low[0], greatest[0]) != ("push", "min", "push", "max"):
            return None
        return low[1], high[1]


@dataclass(frozen=True, slots=True)
class Drive:
    """A control: what a named controller gives to a body, a feature or a hinge.

    ``kind`` "acceleration" prescribes a body's motion; "force" acts at ``target`` (a feature) and
    "torque" on a body, both in W; "hinge" is a scalar torque or force along a hinge's coordinate.
    """

    id: str
    kind: Literal["acceleration", "force", "torque", "hinge"]
    target: str
    controller: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Friction:
    """Dry and viscous friction of a hinge's coordinate, N m and rad/s, or N and m/s.

    While it moves the friction is ``dry + (static - dry) exp(-(rate/speed)^2) + viscous |rate|``
    against the rate (Stribeck's law as B. Armstrong-Helouvry, P. Dupont and C. Canudas de Wit have
    it: Automatica 30 (1994) 1083, section 3.1); ``dry`` at once where ``speed`` is 0. At rest it
    holds up to ``static``. Both are greater by ``coefficient radius N``, N the part of the hinge's
    reaction across its axis: ``radius`` (m) is that of a journal, 1 where the hinge slides.
    """

    dry: float
    static: float
    speed: float = 0.0
    viscous: float = 0.0
    coefficient: float = 0.0
    radius: float = 1.0

    @property
    def by_load(self) -> float:
        """How much friction each newton of load brings, m, or 1 where the hinge slides."""
        return self.coefficient * self.radius

    @property
    def dries(self) -> bool:
        """Whether it is more than viscous."""
        return self.static > 0.0 or self.by_load > 0.0

    def sliding(self, rate: float) -> float:
        """Return how strong dry friction is at a rate, in N m or N."""
        if not self.speed:
            return self.dry
        return self.dry + (self.static - self.dry) * math.exp(-((rate / self.speed) ** 2))


@dataclass(frozen=True, slots=True)
class Coupling:
    """A motor or the friction of a hinge, or a gear between hinges.

    ``terms`` are coordinates ("<hinge>.angle", "<hinge>.travel") with factors. The sum of factors
    times rates is ``rate`` (rad/s or m/s), whatever force that takes; or, where there is an
    ``effort`` (N m or N), a motor gives that at rest and less the faster it is, none at ``rate``;
    without a ``rate`` it always gives it. A motor gives no more than its ``limit`` (N m or N).
    With a ``curve`` of points (rate, effort) in order it gives what lies on the lines through them,
    the first and the last of which go on beyond; ``effort`` is then what it gives at rest.
    One with ``friction`` has none of these. With a ``law`` of the first's ``angle`` it is
    a cam: the last moves as the law changes (m or rad).
    """

    id: str
    terms: tuple[tuple[str, float], ...]
    rate: float | None = 0.0
    effort: float | None = None
    span: Span = field(default=NOWHERE, compare=False)
    friction: Friction | None = None
    limit: float | None = None
    law: Program | None = None
    curve: tuple[tuple[float, float], ...] = ()

    @property
    def hinges(self) -> tuple[str, ...]:
        """Ids of the hinges that it acts on."""
        return tuple(label.rpartition(".")[0] for label, _ in self.terms)


@dataclass(frozen=True, slots=True)
class Component:
    """An instance in the tree of composites; ``children`` are ids of components or bodies."""

    id: str
    type: str
    children: tuple[str, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Placement:
    """What a ``place`` statement asks: known until assembly has met it.

    ``points`` fix features at positions in W (m), ``frames`` fix features at poses ``X_WF``,
    ``coordinates`` fix hinge coordinates (rad or m) by hinge id; ``rates`` (rad/s, m/s) are asked
    for by "hinge.coordinate", and stay known for the start of a run.
    """

    component: str
    points: tuple[tuple[FeatureRef, Vector3], ...] = ()
    frames: tuple[tuple[FeatureRef, Pose], ...] = ()
    coordinates: tuple[tuple[str, float], ...] = ()
    span: Span = field(default=NOWHERE, compare=False)
    rates: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class World(Shown):
    """An immutable world. Mappings are read-only and ordered as in the text.

    ``gravity`` is in m/s^2 in W. ``ignored`` holds pairs of body ids that are never tested for
    interference, ``pairs`` what two materials do in touch. ``text`` is a self-contained ``.art``
    text that elaborates with ``arguments`` (SI) to this world; for a world built or edited it is
    empty and ``articulata.world.writing`` makes one. ``units`` are the names of its ``units:``
    line, in which people are shown it.
    ``version`` counts edits. ``imports_python`` names controller files in the text; nothing here
    executes them.

    Two worlds are equal when they hold the same nodes in the same order under the same name;
    spans, text, units, arguments and version do not count.
    """

    name: str
    bodies: Mapping[str, Body]
    hinges: Mapping[str, Hinge]
    forces: Mapping[str, Force]
    drives: Mapping[str, Drive]
    components: Mapping[str, Component]
    placements: tuple[Placement, ...] = ()
    gravity: Vector3 = ZERO
    ignored: frozenset[frozenset[str]] = frozenset()
    arguments: tuple[float, ...] = ()
    text: str = ""
    imports_python: tuple[str, ...] = ()
    version: int = 0
    span: Span = NOWHERE
    figures: Mapping[str, FigureNode] = field(default_factory=lambda: MappingProxyType({}))
    pairs: tuple[MaterialPair, ...] = ()
    couplings: Mapping[str, Coupling] = field(default_factory=lambda: MappingProxyType({}))
    units: tuple[str, ...] = ()

    def __repr__(self) -> str:
        """Say in a line what it holds and how much; ``art.art_text`` tells it whole."""
        held = {
            "bodies": self.bodies,
            "hinges": self.hinges,
            "forces": self.forces,
            "drives": self.drives,
            "couplings": self.couplings,
            "figures": self.figures,
        }
        told = ", ".join(f"{name} {len(items)}" for name, items in held.items() if items)
        return f"World '{self.name}': {told or 'empty'}"

    def _content(self) -> tuple[object, ...]:
        mappings = (
            self.bodies,
            self.hinges,
            self.forces,
            self.drives,
            self.components,
            self.figures,
            self.couplings,
        )
        return (
            self.name,
            self.gravity,
            self.ignored,
            self.placements,
            self.imports_python,
            self.pairs,
            *(tuple(mapping.items()) for mapping in mappings),
        )

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, World):
            return NotImplemented
        return self._content() == other._content()

    def __hash__(self) -> int:
        return hash((self.name, tuple(self.bodies), tuple(self.hinges)))

    @property
    def index(self) -> Index:
        """What paths are looked up in; made when first asked for."""
        from articulata.world.paths import index_of

        return index_of(self)

    def find(self, path: str) -> Reference:
        """Return what ``path`` names; raise NameNotFound with suggestions otherwise."""
        from articulata.world.paths import resolve

        return resolve(self, path)

    def body(self, path: str) -> Body:
        """Return the body that ``path`` names."""
        from articulata.world.paths import resolve_body

        return self.bodies[resolve_body(self, path)]

    def hinge(self, path: str) -> Hinge:
        """Return the hinge that ``path`` names, by its id or by a feature it matches."""
        from articulata.world.paths import resolve_hinge

        return self.hinges[resolve_hinge(self, path)]

    def edit(self, edits: Iterable[Edit]) -> World:
        """Return the world after all ``edits``, or raise WorldError and change nothing."""
        from articulata.world.edits.transaction import edited

        return edited(self, edits)

    def relations(self, first: str, second: str) -> tuple[Relation, ...]:
        """Return how two bodies are related: hinges, forces, rigid connection, ignored pairs."""
        from articulata.world.relations import relations

        return relations(self, first, second)

    def describe(self) -> str:
        """Return a few lines for a reader: what is in this world and what holds it together."""
        from articulata.world.relations import describe

        return describe(self)


class OneWorld:
    """A world that equals itself alone, for caches: to compare two takes longer than to ask."""

    __slots__ = ("world",)

    def __init__(self, world: World) -> None:
        self.world = world

    def __hash__(self) -> int:
        return id(self.world)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OneWorld) and other.world is self.world
