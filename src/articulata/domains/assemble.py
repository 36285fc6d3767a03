"""Finding domains, putting them in order, building their models from one world.

Domains announce themselves in the entry point group ``articulata.domains``; each is built after
the domains it ``requires`` and is handed their models and no others. A stranger's package adds a
domain by declaring an entry point, and a world can leave any out.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType

from articulata.domains.protocols import Domain, Model
from articulata.errors import ModelError
from articulata.geometry.arrays import Array
from articulata.records.state import Channel, State
from articulata.world.edits.transaction import Edit
from articulata.world.model import World

GROUP = "articulata.domains"

OWN = {
    "abstract": "articulata.domains.abstract:AbstractDomain",
    "geometric": "articulata.domains.geometric:GeometricDomain",
    "control": "articulata.domains.control:ControlDomain",
    "interference": "articulata.domains.interference.interference_domain:InterferenceDomain",
    "kinematic": "articulata.domains.kinematic.kinematic_domain:KinematicDomain",
    "dynamic": "articulata.domains.dynamic.dynamic_domain:DynamicDomain",
}
"""The domains that ship with the product, also where its metadata are not installed."""

USUAL = ("geometric", "interference", "control", "dynamic")
"""Domains of a simulation that names none."""


def usual(world: World) -> tuple[str, ...]:
    """Return the domains of a simulation that names none: figures have joint values as well."""
    return (*USUAL, "kinematic") if world.figures else USUAL


@dataclass(frozen=True)
class Models(Mapping[str, Model]):
    """The models of one world by the names of their domains, in the order they were built."""

    world: World
    domains: tuple[Domain, ...]
    models: Mapping[str, Model]

    def __getitem__(self, name: str) -> Model:
        return self.models[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The channels of all models."""
        return tuple(channel for model in self.models.values() for channel in model.channels)

    def start(self) -> dict[str, Array]:
        """Return the arrays of all domains at the start."""
        arrays: dict[str, Array] = {}
        for model in self.models.values():
            arrays.update(model.start())
        return arrays

    def having(self, **models: Model) -> Models:
        """Return these models with some replaced by name."""
        return Models(self.world, self.domains, MappingProxyType({**self.models, **models}))

    def transfer(self, edit: Edit, state: State) -> tuple[Models, State]:
        """Return the models of the world after ``edit``, and ``state`` right after it."""
        world = edit.apply(self.world)
        made: dict[str, Model] = {}
        arrays: dict[str, Array] = {}
        for domain in self.domains:
            reads = {name: made[name] for name in read_by(domain, made)}
            model, own = self.models[domain.name].transfer(edit, state, world, reads)
            made[domain.name] = model
            arrays.update(own)
        models = Models(world, self.domains, MappingProxyType(made))
        return models, State(state.time, MappingProxyType(arrays), world.version)


def read_by(domain: Domain, there: Iterable[str]) -> tuple[str, ...]:
    """Return the domains whose models a domain reads: those it requires, and wants if ``there``."""
    known = set(there)
    wanted: tuple[str, ...] = getattr(domain, "wants", ())
    return (*domain.requires, *(name for name in wanted if name in known))


def available() -> dict[str, EntryPoint | str]:
    """Return where every installed domain is to be found, by name; ours keep their names."""
    found: dict[str, EntryPoint | str] = {entry.name: entry for entry in entry_points(group=GROUP)}
    return {**found, **OWN}


def load(name: str, source: EntryPoint | str) -> Domain:
    """Import a domain; an entry point may name the domain or a class that makes it."""
    # by what it is not: a package that imports importlib_metadata brings entry points of its own
    if isinstance(source, str):
        module, _, attribute = source.partition(":")
        made = getattr(importlib.import_module(module), attribute)
    else:
        try:
            made = source.load()
        except Exception as error:
            raise ModelError(
                f"domain '{name}' cannot be imported from {source.value}: {error}; "
                "repair or uninstall the package that offers it"
            ) from error
    domain = made() if isinstance(made, type) else made
    if not isinstance(domain, Domain) or domain.name != name:
        raise ModelError(
            f"the entry point '{name}' of group {GROUP} gives {domain!r}, which is not a domain of "
            "that name; it needs name, requires and build (articulata.domains.protocols.Domain)"
        )
    return domain


def ordered(names: Sequence[str]) -> tuple[Domain, ...]:
    """Return the domains ``names``, each after those it requires; ModelError says what lacks."""
    # To look through all installed packages takes longer than to build a small world.
    sources: Mapping[str, EntryPoint | str] = (
        OWN if all(name in OWN for name in names) else available()
    )
    domains: dict[str, Domain] = {}
    for name in names:
        if name not in sources:
            near = get_close_matches(name, sources, 1)
            meant = f"; did you mean '{near[0]}'?" if near else ""
            raise ModelError(
                f"there is no domain '{name}'; installed: {', '.join(sorted(sources))}{meant}"
            )
        domains[name] = load(name, sources[name])
    placed: dict[str, Domain] = {}
    while len(placed) < len(domains):
        ready = [
            domain
            for name, domain in domains.items()
            if name not in placed and all(need in placed for need in read_by(domain, domains))
        ]
        if not ready:
            raise _unordered(domains, placed)
        placed.update({domain.name: domain for domain in ready})
    return tuple(placed.values())


def _unordered(domains: Mapping[str, Domain], placed: Mapping[str, Domain]) -> ModelError:
    waiting = [domain for name, domain in domains.items() if name not in placed]
    for domain in waiting:
        missing = [need for need in domain.requires if need not in domains]
        if missing:
            return ModelError(
                f"domain '{domain.name}' needs the domain '{missing[0]}', which this world leaves "
                f"out; write domains: ({', '.join([*missing, *domains])})"
            )
    names = ", ".join(domain.name for domain in waiting)
    return ModelError(f"the domains {names} require each other in a circle; none can be built")


def build(world: World, names: Sequence[str] | None = None) -> Models:
    """Return the models of ``world`` in the domains ``names`` (the usual ones when None)."""
    domains = ordered(usual(world) if names is None else tuple(dict.fromkeys(names)))
    models: dict[str, Model] = {}
    for domain in domains:
        reads = MappingProxyType({name: models[name] for name in read_by(domain, models)})
        models[domain.name] = domain.build(world, reads)
    return Models(world, domains, MappingProxyType(models))
