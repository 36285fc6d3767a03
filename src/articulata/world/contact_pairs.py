"""What two materials do to each other where they touch: values of a pair.

A pair is named by what its bodies are called: by their material or by their type. What a pair
says overrules the mix of the two bodies' own friction and restitution.
Reference: Hoffmann & Hopcroft 1986, sections 4.3 to 4.5: restitution, stiffness and friction
belong to two surfaces, and restitution depends on the speed of approach.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from articulata.errors import WorldError
from articulata.geometry.scalars import finite
from articulata.world.values import NOWHERE, Span

SpeedLaw: TypeAlias = float | tuple[tuple[str, float], ...]
"""A number, or a postfix program of ``speed`` (m/s) as in ``world.model.Program``."""


@dataclass(frozen=True, slots=True)
class MaterialPair:
    """What holds between ``first`` and ``second``, names of materials or of types of bodies.

    ``friction`` is Coulomb's coefficient while sliding, a number or a function of the sliding
    speed; ``static_friction`` holds at rest and is not smaller (None: as at speed zero).
    ``restitution`` lies from 0 to 1, a number or a function of the speed of approach.
    ``stiffness`` and ``shear_stiffness`` (N/m) are those of a contact point along its normal and
    across it: loads that equilibrium leaves open are shared in their proportion. What is None is
    left to the bodies.
    """

    first: str
    second: str
    friction: SpeedLaw | None = None
    static_friction: float | None = None
    restitution: SpeedLaw | None = None
    stiffness: float | None = None
    shear_stiffness: float | None = None
    span: Span = field(default=NOWHERE, compare=False)

    def __post_init__(self) -> None:
        for name in ("friction", "static_friction", "restitution", "stiffness", "shear_stiffness"):
            value = getattr(self, name)
            if value is None or (isinstance(value, tuple) and value):
                continue
            if not _is_number(value) or value < 0.0:
                raise WorldError(
                    f"{self.span}: {name} of {self.first} with {self.second} cannot be {value!r}; "
                    "give a finite number, 0 or greater"
                )
            object.__setattr__(self, name, finite(value))
        if _is_number(self.restitution) and self.restitution > 1.0:  # type: ignore[operator] # a number, as tested
            raise WorldError(
                f"{self.span}: restitution of {self.first} with {self.second} lies from 0 to 1, "
                f"not at {self.restitution:g}"
            )
        for name in ("stiffness", "shear_stiffness"):
            if getattr(self, name) == 0.0:
                raise WorldError(
                    f"{self.span}: {name} of {self.first} with {self.second} must be greater than 0"
                )
        resting, sliding = self.static_friction, self.friction
        if resting is not None and _is_number(sliding) and resting < sliding:  # type: ignore[operator] # a number, as tested
            raise WorldError(
                f"{self.span}: {self.first} with {self.second} would hold less at rest "
                f"({resting:g}) than it does while sliding ({sliding:g}); give a static_friction "
                "that is not smaller than friction"
            )

    @property
    def key(self) -> frozenset[str]:
        """The two names, whichever comes first."""
        return frozenset((self.first, self.second))


def _is_number(value: object) -> bool:
    return finite(value) is not None


def pair_between(
    pairs: tuple[MaterialPair, ...], one: tuple[str, str], other: tuple[str, str]
) -> MaterialPair | None:
    """Return what is said of two bodies, None where nothing is.

    ``one`` and ``other`` are (type, material) of each body, the material "" where it has no name.
    Types come before materials, and of several pairs with the same names the last one counts.
    """
    if not pairs:
        return None
    known = {pair.key: pair for pair in pairs}
    for a, b in ((0, 0), (0, 1), (1, 0), (1, 1)):
        found = known.get(frozenset((one[a], other[b]))) if one[a] and other[b] else None
        if found is not None:
            return found
    return None
