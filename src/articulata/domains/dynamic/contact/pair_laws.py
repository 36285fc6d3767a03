"""What two bodies in touch do to each other: friction, restitution and stiffness of a pair.

``between`` is the one place that decides: what the world says of the pair of materials or types
comes first, then the mix of what the bodies say, then what the run's ``Contact`` says.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np

from articulata.domains.dynamic.contact.laws import Contact
from articulata.domains.dynamic.operations import OPERATIONS
from articulata.errors import ModelError
from articulata.geometry.arrays import IntArray
from articulata.kernels.multibody.programs import CONSTANT
from articulata.world.contact_pairs import MaterialPair, SpeedLaw, pair_between
from articulata.world.model import Body, World
from articulata.world.program_stack import value_of
from articulata.world.values import NOWHERE, Material, Span

PROBED = (0.0, 1e-6, 1e-3, 0.01, 0.1, 1.0, 10.0, 100.0)
"""Speeds (m/s) at which a law must give a number before a run starts."""

STIFFNESS = 1e6
"""Stiffness (N/m) of a contact point where the pair of materials gives none, normal and across."""

CREEP = 1e-9
"""Speed (m/s) below which two surfaces rest on each other."""


@dataclass(frozen=True, slots=True)
class Surface:
    """Two surfaces in touch: laws of speed, and the stiffness of a contact point (N/m).

    ``friction`` holds while sliding, ``static`` at rest; ``stiffness`` and ``shear`` share loads
    that equilibrium leaves open. ``what`` names the pair in messages.
    """

    friction: SpeedLaw = 0.0
    static: float = 0.0
    restitution: SpeedLaw = 0.0
    stiffness: float = STIFFNESS
    shear: float = STIFFNESS
    what: str = field(default="a contact", compare=False)
    span: Span = field(default=NOWHERE, compare=False)

    @property
    def rough(self) -> bool:
        """Whether there is any friction."""
        return self.static > 0.0 or isinstance(self.friction, tuple) or self.friction > 0.0

    @property
    def operations(self) -> tuple[tuple[int, float], ...]:
        """The law of friction while sliding as the kernels run it; () where it is a number."""
        law = self.friction
        if not isinstance(law, tuple):
            return ()
        return tuple((OPERATIONS.get(name, CONSTANT), value) for name, value in law)

    def sliding(self, speed: float) -> float:
        """Return Coulomb's coefficient at a sliding speed (m/s)."""
        return max(0.0, self._value("friction", self.friction, speed))

    def resistance(self, speed: float) -> float:
        """Return the coefficient at rest, or while sliding where ``speed`` is more than creep."""
        return self.static if speed <= CREEP else self.sliding(speed)

    def bounce(self, speed: float) -> float:
        """Return the coefficient of restitution at a speed of approach (m/s), from 0 to 1."""
        return min(1.0, max(0.0, self._value("restitution", self.restitution, speed)))

    def _value(self, name: str, law: SpeedLaw, speed: float) -> float:
        if not isinstance(law, tuple):
            return law
        try:
            found = value_of(law, f"{self.span}: {name} of {self.what}", speed=speed)
        except (ValueError, OverflowError):
            found = math.nan
        if not math.isfinite(found):
            raise ModelError(
                f"{self.span}: {name} of {self.what} is {found} at {speed:g} m/s; give an "
                "expression that is a number at every speed"
            )
        return found


def between(world: World, one: Body, other: Body, contact: Contact) -> Surface:
    """Return what two bodies of ``world`` do to each other where they touch."""
    said = pair_between(world.pairs, called(one), called(other))
    friction = _mixed(one, other, "friction", contact.friction)
    restitution = min(1.0, _mixed(one, other, "restitution", contact.restitution))
    if said is None:
        return Surface(friction, friction, restitution, what=f"{one.id} with {other.id}")
    return _checked(
        said,
        friction if said.friction is None else said.friction,
        restitution if said.restitution is None else said.restitution,
    )


def _checked(said: MaterialPair, friction: SpeedLaw, restitution: SpeedLaw) -> Surface:
    stiffness = STIFFNESS if said.stiffness is None else said.stiffness
    shear = stiffness if said.shear_stiffness is None else said.shear_stiffness
    what = f"{said.first} with {said.second}"
    made = Surface(friction, 0.0, restitution, stiffness, shear, what, said.span)
    for speed in PROBED:
        made.sliding(speed)
        made.bounce(speed)
    at_rest = made.sliding(0.0)
    static = at_rest if said.static_friction is None else said.static_friction
    if static < at_rest:
        raise ModelError(
            f"{said.span}: {what} would hold less at rest ({static:g}) than just after it began "
            f"to slide ({at_rest:g}); give a static_friction that is not smaller"
        )
    return Surface(friction, static, restitution, stiffness, shear, what, said.span)


def called(body: Body) -> tuple[str, str]:
    """Return by which names pairs know a body: its type, and its material or ""."""
    return body.type, body.material.name if body.material is not None else ""


def material_of(body: Body) -> tuple[object, ...]:
    """Return all of a body that says what it does to others where it touches them."""
    return (*called(body), _own(body, "friction"), _own(body, "restitution"))


def _mixed(one: Body, other: Body, name: str, otherwise: float) -> float:
    """Return a property of two materials in touch: the geometric mean of what the bodies say.

    A body that says nothing leaves it to the other; equal materials keep their own value.
    """
    values = [value for body in (one, other) if (value := _own(body, name)) is not None]
    if not values:
        return otherwise
    return values[0] if len(values) == 1 else math.sqrt(values[0] * values[1])


def _own(body: Body, name: str) -> float | None:
    own = body.properties.get(name)
    if isinstance(own, int | float) and not isinstance(own, bool):
        return float(own)
    material: Material | None = body.material
    found = getattr(material, name) if material is not None else None
    return None if found is None else float(found)


class Surfaces(Sequence[Surface]):
    """What the materials of each pair of pieces do to each other, looked up when it is asked."""

    def __init__(self, world: World, contact: Contact, pairs: IntArray, owner: IntArray) -> None:
        self._world, self._contact = world, contact
        self._pairs, self._owner = pairs, owner
        self._bodies = tuple(world.bodies.values())
        self._known: dict[tuple[int, int], Surface] = {}
        self._of_pair: dict[int, Surface] = {}
        if world.pairs:
            self._check()

    def serve(self, world: World, contact: Contact) -> bool:
        """Tell whether they are the same in ``world``, which has as many bodies in their order."""
        then = self._world
        return (
            contact == self._contact
            and (world.pairs is then.pairs or world.pairs == then.pairs)
            and all(
                one is other or (one.id == other.id and material_of(one) == material_of(other))
                for one, other in zip(self._bodies, world.bodies.values(), strict=True)
            )
        )

    def _check(self) -> None:
        """Look up each two kinds of bodies once: what is said of them may be impossible."""
        kinds: dict[object, int] = {}
        kind = np.array([kinds.setdefault(material_of(b), len(kinds)) for b in self._bodies])
        codes = kind[self._owner[self._pairs]] @ np.array([len(kinds), 1])
        for place in np.sort(np.unique(codes, return_index=True)[1]).tolist():
            self[place]

    def __len__(self) -> int:
        return len(self._pairs)

    @overload
    def __getitem__(self, pair: int) -> Surface: ...

    @overload
    def __getitem__(self, pair: slice) -> Sequence[Surface]: ...

    def __getitem__(self, pair: int | slice) -> Surface | Sequence[Surface]:
        if isinstance(pair, slice):
            return [self[k] for k in range(*pair.indices(len(self)))]
        known = self._of_pair.get(pair)
        if known is not None:
            return known
        i, j = self._pairs[pair].tolist()
        key = int(self._owner[i]), int(self._owner[j])
        found = self._known.get(key)
        if found is None:
            one, other = self._bodies[key[0]], self._bodies[key[1]]
            found = self._known[key] = between(self._world, one, other, self._contact)
        self._of_pair[pair] = found
        return found
