"""An electrical domain from its own package: a generator at every hinge of a body.

A body with the properties ``resistance`` (ohm), ``inductance`` (H) and ``flux`` (V s/rad) carries
a generator, turned by the hinge on which the body moves. Its current obeys
``L di/dt = k w - R i``. Heat in the resistor is summed up. SI units.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from articulata.domains.protocols import Model
from articulata.geometry.arrays import Array
from articulata.records.state import Channel, State
from articulata.world.edits.transaction import Edit
from articulata.world.model import World

CURRENT = "electrical.current"
HEAT = "electrical.heat"


@dataclass(frozen=True, slots=True)
class Circuit:
    """One generator: resistance R (ohm), inductance L (H), flux k (V s/rad)."""

    body: str
    R: float
    L: float
    k: float


@dataclass(frozen=True, slots=True)
class ElectricalModel:
    """The circuits of a world."""

    circuits: tuple[Circuit, ...]
    bodies: tuple[str, ...]

    @property
    def channels(self) -> tuple[Channel, ...]:
        """Current and heat of every circuit."""
        labels = tuple(circuit.body for circuit in self.circuits)
        return (Channel(CURRENT, "A", labels), Channel(HEAT, "J", labels))

    def start(self) -> Mapping[str, Array]:
        """Return zero currents."""
        return {CURRENT: np.zeros(len(self.circuits)), HEAT: np.zeros(len(self.circuits))}

    def transfer(
        self, edit: Edit, state: State, world: World, reads: Mapping[str, Model]
    ) -> tuple[ElectricalModel, Mapping[str, Array]]:
        """Return the circuits of the world after ``edit``, currents and heat as they were."""
        return circuits_of(world), {name: state.arrays[name] for name in (CURRENT, HEAT)}

    def evolve(self, before: State, after: State) -> Mapping[str, Array]:
        """Return currents and heat at the end of a cycle: the linear circuit solved exactly."""
        dt = after.time - before.time
        current, heat = before.arrays[CURRENT].copy(), before.arrays[HEAT].copy()
        for n, circuit in enumerate(self.circuits):
            body = self.bodies.index(circuit.body)
            w = 0.5 * (
                before.arrays["dynamic.rate"][body, 2] + after.arrays["dynamic.rate"][body, 2]
            )
            steady = circuit.k * w / circuit.R
            fade = np.exp(-circuit.R / circuit.L * dt)
            then = current[n]
            current[n] = steady + (then - steady) * fade
            heat[n] += circuit.R * 0.5 * (then**2 + current[n] ** 2) * dt
        return {CURRENT: current, HEAT: heat}


def circuits_of(world: World) -> ElectricalModel:
    """Return the circuits that a world's bodies carry."""
    found = []
    for body in world.bodies.values():
        if "resistance" in body.properties:
            R, L, k = (
                float(body.properties[name])  # type: ignore[arg-type] # a number by agreement
                for name in ("resistance", "inductance", "flux")
            )
            found.append(Circuit(body.id, R, L, k))
    return ElectricalModel(tuple(found), tuple(world.bodies))


@dataclass(frozen=True, slots=True)
class ElectricalDomain:
    """Builds electrical models; reads how bodies move from the dynamic domain's state."""

    name: str = "electrical"
    requires: tuple[str, ...] = ("dynamic",)

    def build(self, world: World, reads: Mapping[str, Model]) -> ElectricalModel:
        """Return the electrical model of ``world``; it is handed what it requires, no more."""
        assert set(reads) == set(self.requires)
        return circuits_of(world)
