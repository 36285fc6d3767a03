"""Laws of impact and friction, as values: a run names the ones it wants.

Newton's law ties the speed of separation to that of approach, at all contacts at once; Poisson's
ties the impulse of restitution to that of compression, with Coulomb's law at the end of each of the
two phases; the sequential law lets pairs of bodies collide one after the other, the fastest
approach first, until none approaches any more.
Reference: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts (1996), of Poisson's law.

What a request's text chooses of contact, as the laws of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, get_args

import numpy as np

from articulata.domains.dynamic.contact.coulomb import coulomb
from articulata.domains.dynamic.contact.friction_rules import (
    ROUNDS,
    STEP,
    Coulomb,
    FrictionRule,
    Iterated,
    Lagged,
    rule_of_settings,
    rule_settings,
)
from articulata.errors import ModelError
from articulata.geometry.arrays import Array, IntArray
from articulata.geometry.scalars import finite
from articulata.world.requests.request import OptionValue

PRESSURE = "pressure only"
"""The law of contacts without friction, by name: they press, and never pull."""

APPROACH = 1e-10
"""Contacts that approach slower than this (m/s) do not collide."""

COLLISIONS = 100000
"""Collisions of pairs in one instant after which a sequential impact is taken as it is."""


@dataclass(frozen=True, slots=True)
class Newton:
    """Separation at ``e`` times the speed of approach, all contacts at once."""

    name: str = "Newton"


@dataclass(frozen=True, slots=True)
class Poisson:
    """Impulse of restitution ``e`` times that of compression, all contacts at once."""

    name: str = "Poisson"


@dataclass(frozen=True, slots=True)
class Sequential:
    """Pairs of bodies collide one after the other by Newton's law, the fastest first."""

    name: str = "sequential"


ImpactLaw: TypeAlias = Newton | Poisson | Sequential

IMPACT_LAWS: dict[str, type[ImpactLaw]] = {
    "newton": Newton,
    "poisson": Poisson,
    "sequential": Sequential,
}
"""Laws by the names a text uses."""


@dataclass(frozen=True, slots=True)
class Contact:
    """How bodies that touch are treated: the law of ``impact``, and values where bodies say none.

    ``restitution`` (0 to 1) and ``friction`` (Coulomb's coefficient) stand for bodies whose
    properties and material say nothing. A series of bounces that would go on for less than
    ``settle`` (s) is summed. ``within``: bodies of one mechanism may touch each other as well.
    ``friction_rule`` says how friction enters the equations. Where something happens at more than
    ``crowd`` instants a second, each counted as often as there are contacts closed at it, steps of
    length ``steps`` (s) take over until nothing has happened for ``quiet`` (s); ``crowd`` 0: never.
    """

    impact: ImpactLaw = field(default_factory=Newton)
    restitution: float = 0.0
    friction: float = 0.0
    settle: float = 1e-3
    within: bool = False
    friction_rule: FrictionRule = field(default_factory=Coulomb)
    crowd: float = 3000.0
    quiet: float = 0.05
    steps: float = 1e-3

    def __post_init__(self) -> None:
        for name in ("restitution", "friction", "settle", "crowd", "quiet", "steps"):
            given = getattr(self, name)
            value, positive = finite(given), name in ("quiet", "steps")
            if value is None or value < 0.0 or (positive and value == 0.0):
                bound = "greater than 0" if positive else "of 0 or greater"
                raise ModelError(f"Contact({name}={given!r}): give a finite number {bound}")
            object.__setattr__(self, name, value)
        if not isinstance(self.within, bool):
            raise ModelError(f"Contact(within={self.within!r}): give True or False")
        for name, kinds in (("impact", ImpactLaw), ("friction_rule", FrictionRule)):
            value = getattr(self, name)
            if not isinstance(value, kinds):
                known = ", ".join(f"{kind.__name__}()" for kind in get_args(kinds))
                raise ModelError(f"Contact({name}={value!r}): give one of {known}")
        if self.restitution > 1.0:
            raise ModelError(
                f"Contact(restitution={self.restitution!r}): a body cannot leave faster than it "
                "came; give a number from 0 to 1"
            )

    def settings(self) -> dict[str, float | str | bool]:
        """Return the laws as a recording's header holds them."""
        return {
            "contact.impact": self.impact.name.lower(),
            "contact.restitution": self.restitution,
            "contact.friction": self.friction,
            "contact.settle": self.settle,
            "contact.within": self.within,
            "contact.crowd": self.crowd,
            "contact.quiet": self.quiet,
            "contact.steps": self.steps,
            **rule_settings(self.friction_rule),
        }

    @staticmethod
    def of_settings(settings: Mapping[str, Any]) -> Contact | None:
        """Return the laws that a header's settings hold, None for a run without contact."""
        law = IMPACT_LAWS.get(str(settings.get("contact.impact", "")))
        if law is None:
            return None
        values = {
            name: float(settings[f"contact.{name}"])
            for name in ("restitution", "friction", "settle")
        }
        return Contact(
            law(),
            within=bool(settings.get("contact.within", False)),
            friction_rule=rule_of_settings(settings),
            crowd=float(settings.get("contact.crowd", 0.0)),
            quiet=float(settings.get("contact.quiet", 0.05)),
            steps=float(settings.get("contact.steps", 1e-3)),
            **values,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Collision:
    """Contacts in one instant: ``W`` (3k, 3k) velocities per impulse, ``u`` (k, 3) velocities.

    Columns and components are normal, tangent 1, tangent 2; ``bounce`` gives each contact's
    restitution for a speed of approach (m/s), ``mu`` (k,) is friction, ``pair`` (k,) says which
    pair of bodies a contact belongs to.
    """

    W: Array
    u: Array
    bounce: tuple[Callable[[float], float], ...]
    mu: Array
    pair: IntArray

    @property
    def e(self) -> Array:
        """Restitution (k,) at the speeds with which the contacts approach."""
        speeds = np.maximum(0.0, -self.u[:, 0]).tolist()
        return np.array([law(v) for law, v in zip(self.bounce, speeds, strict=True)])


def impulses(law: ImpactLaw, hit: Collision) -> Array:
    """Return the impulses (k, 3) of one impact (N s)."""
    match law:
        case Newton():
            bounce = np.where(hit.u[:, 0] < 0.0, hit.e * hit.u[:, 0], 0.0)
            wanted = hit.u.copy()
            wanted[:, 0] += bounce
            return coulomb(hit.W, wanted, hit.mu)
        case Poisson():
            compression = coulomb(hit.W, hit.u, hit.mu)
            return compression + _restored(hit, compression)
        case Sequential():
            return _in_sequence(hit)


def _restored(hit: Collision, compression: Array) -> Array:
    """Return the impulses (k, 3) of restitution: along each normal at least what is given back.

    What is given has friction as well. It is that of a second contact with the same tangents whose
    pressure is known: its row along the normal is one of its own, and moves nothing.
    """
    k, given = len(hit.mu), compression[:, 0] * hit.e
    back = np.zeros_like(compression)
    back[:, 0] = given
    after = hit.u + (hit.W @ (compression + back).ravel()).reshape(-1, 3)
    rubs = np.flatnonzero((given > 0.0) & (hit.mu > 0.0))
    n = k + len(rubs)
    mine = np.r_[np.arange(k), rubs]
    rows = (3 * mine[:, None] + np.arange(3)).ravel()
    W, u = hit.W[np.ix_(rows, rows)], after[mine]
    normals = np.arange(3 * k, 3 * n, 3)
    own = W[normals, normals]
    W[normals, :] = W[:, normals] = 0.0
    W[normals, normals] = own
    u[k:, 0] = -own * given[rubs]
    p = coulomb(W, u, hit.mu[mine])
    back += p[:k]
    back[rubs, 1:] += p[k:, 1:]
    return back


def _in_sequence(hit: Collision) -> Array:
    total, u = np.zeros_like(hit.u), hit.u.copy()
    for _ in range(COLLISIONS):
        first = int(np.argmin(u[:, 0]))
        if u[first, 0] >= -APPROACH:
            break
        mine = np.flatnonzero(hit.pair == hit.pair[first])
        rows = (3 * mine[:, None] + np.arange(3)).ravel()
        laws = tuple(hit.bounce[k] for k in mine.tolist())
        part = Collision(hit.W[np.ix_(rows, rows)], u[mine], laws, hit.mu[mine], mine)
        p = np.zeros_like(u)
        p[mine] = impulses(Newton(), part)
        total += p
        u = u + (hit.W @ p.ravel()).reshape(-1, 3)
    return total


def contact_chosen(choices: OptionValue | None) -> Contact:
    """Return the laws that the choices of ``contact:`` make; the usual ones where there are none.

    A choice is a ``ContactChoice`` of ``world.requests.simulate``.
    """
    made = Contact()
    for choice in choices if isinstance(choices, tuple) else ():
        if not isinstance(choice, tuple) or not choice:
            raise ModelError(f"contact: {choice!r} is no choice; write newton, lagged ...")
        word = str(choice[0])
        pairs: tuple[Any, ...] = choice[1:]
        made = replace(made, **_field(word, dict(pairs)))
    return made


def _field(word: str, values: dict[Any, Any]) -> dict[str, Any]:
    step = float(values.get("every", STEP))
    match word:
        case "coulomb":
            return {"friction_rule": Coulomb()}
        case "lagged":
            return {"friction_rule": Lagged(step)}
        case "iterated":
            return {"friction_rule": Iterated(int(values.get("iterated", ROUNDS)), step)}
        case "settle" | "quiet" | "steps" | "friction" | "restitution" | "crowd":
            return {word: float(values[word])}
        case "within":
            return {"within": True}
        case _ if word in IMPACT_LAWS:
            return {"impact": IMPACT_LAWS[word]()}
        case _:
            raise ModelError(f"contact: '{word}' says nothing of contact")
