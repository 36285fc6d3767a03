"""The dynamic model: what a world means by forces, its equations of motion and their state.

Bodies' mass centres are in ``dynamic.position``, orientations (w first) in ``dynamic.orientation``,
their velocities beside them, in W and SI. A prescribed body is held by its origin instead. Motions
carry it through time: ``integrated_motion`` by our own methods, ``mujoco`` by MuJoCo.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from articulata.domains.dynamic.channels import STEP, books_of, empty_books, motion_channels
from articulata.domains.dynamic.contact.laws import Contact
from articulata.domains.dynamic.contact.stops import in_limits
from articulata.domains.dynamic.contact.touches import interference_of
from articulata.domains.dynamic.contradiction import jams, redundancies
from articulata.domains.dynamic.elements import Element, elements_kept, elements_of
from articulata.domains.dynamic.engine import Engine
from articulata.domains.dynamic.equations import Equations, equations_of
from articulata.domains.dynamic.guided import Guide, check_guided, figures_of, guide_of
from articulata.domains.dynamic.hinge_friction import check_integrals
from articulata.domains.dynamic.mechanism import (
    COORDINATE,
    Mechanism,
    mechanism,
    motion_of,
    start_arrays,
)
from articulata.domains.dynamic.methods import AnyMethod, MuJoCo
from articulata.domains.dynamic.observer import Observer
from articulata.domains.dynamic.packing import pack, unpack
from articulata.domains.dynamic.start_notes import (
    rates_left,
    velocities_changed,
    with_asked_rates,
    without_line,
)
from articulata.domains.dynamic.state_transfer import carried, turned_on
from articulata.domains.protocols import (
    FigureModel,
    GeometricModel,
    Inputs,
    InterferenceModel,
    Model,
    Motion,
)
from articulata.geometry.arrays import Array
from articulata.kinematics.coordinates import values_at_start
from articulata.records.events import Event
from articulata.records.state import Channel, State
from articulata.world.edits.transaction import Edit
from articulata.world.model import World

if TYPE_CHECKING:
    from articulata.domains.dynamic.stepping.body_pieces import PieceMaker


@dataclass(frozen=True, slots=True, eq=False)
class Edited:
    """What a model made by an edit takes from the one before, where it is as it was.

    ``parts`` are those of now, ``mechanism``, ``engine`` and ``elements`` those of before; bodies
    were ``standing`` (n, 13) right after the edit.
    """

    parts: Mechanism
    mechanism: Mechanism
    engine: Engine
    elements: tuple[Element, ...]
    standing: Array


@dataclass(frozen=True)
class DynamicModel:
    """The equations of motion of ``world``."""

    world: World
    geometry: GeometricModel
    interference: InterferenceModel | None = None
    figures: FigureModel | None = None
    edited: Edited | None = field(default=None, repr=False, compare=False)

    @cached_property
    def parts(self) -> Mechanism:
        """Bodies, hinges and rows as arrays."""
        if self.edited is not None:
            return self.edited.parts
        return mechanism(self.world, self.geometry)

    @cached_property
    def guide(self) -> Guide:
        """What moves the links of figures that follow their motions."""
        return guide_of(self.world, self.figures)

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """Springs, dampers and other forces."""
        edited = self.edited
        then = None if edited is None else (edited.mechanism, edited.elements)
        kept = elements_kept(then, self.parts)
        return elements_of(self.parts) if kept is None else kept

    @cached_property
    def engine(self) -> Engine:
        """The equations in arrays of the kernels; one per thread."""
        # A model made by an edit plans its elimination where the bodies are then.
        edited = self.edited
        if edited is None:
            return Engine(self.parts, self.elements, pack(start_arrays(self.parts)))
        return Engine(self.parts, self.elements, edited.standing, edited.engine)

    @cached_property
    def observer(self) -> Observer:
        """What reads quantities off states."""
        return Observer(self.parts, self.elements, self.engine.arrays)

    def moving(
        self, method: AnyMethod, contact: Contact | None = None, pieces: PieceMaker | None = None
    ) -> Motion:
        """Return what moves the world by ``method``; with ``contact`` bodies may touch.

        ``pieces`` makes the convex pieces of bodies that ``Stepping`` needs.
        """
        check_integrals(self.world, method)
        if isinstance(method, MuJoCo):
            from articulata.domains.dynamic.mujoco.backend import MujocoModel

            return MujocoModel(self, method, contact)
        from articulata.domains.dynamic.integrated_motion import IntegratedMotion

        return IntegratedMotion(self, method, contact, pieces)

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """The state's arrays and what equations without contact derive from them."""
        return motion_channels(self.parts)

    def start(self) -> Mapping[str, Array]:
        """Return the state at the start, velocities made consistent with the hinges."""
        return {name: array.copy() for name, array in self._start.items()}

    @cached_property
    def _start(self) -> Mapping[str, Array]:
        begun = start_arrays(self.parts)
        self.guide.set_places(begun, 0.0)
        met = self.engine.consistent(pack(begun))
        arrays = unpack(with_asked_rates(self.engine, met))
        motion = motion_of(arrays)
        turned = values_at_start(self.parts.coordinates, motion.positions, motion.R, self.world)
        arrays[COORDINATE] = in_limits(self.parts, turned)
        return {**arrays, STEP: np.zeros(1), **empty_books()}

    def start_events(self) -> tuple[Event, ...]:
        """Return what was changed at the start so that the hinges are met, and what cannot act."""
        motion = motion_of(after := self.start())
        return (
            *velocities_changed(self.parts, after),
            *rates_left(self.parts, pack(after)),
            *self.guide.events(),
            # where the elimination leaves nothing over no row depends on others
            *(redundancies(self.parts, motion, 0.0) if len(self.engine.arrays.closure_row) else ()),
            *jams(self.parts, motion),
            *without_line(self.elements, motion),
        )

    def equations(self, state: State, inputs: Inputs) -> Equations:
        """Return ``A x = b`` at ``state``."""
        return equations_of(self.parts, self.elements, motion_of(state.arrays), inputs, state.time)

    def transfer(
        self, edit: Edit, state: State, world: World, reads: Mapping[str, Model]
    ) -> tuple[DynamicModel, Mapping[str, Array]]:
        """Return the model of ``world``, and arrays: bodies that stay keep place and velocity."""
        geometry = cast("GeometricModel", reads["geometric"])
        touch, figures = interference_of(reads), figures_of(reads)
        check_guided(self.world, world)
        parts, guide = mechanism(world, geometry, self.parts), guide_of(world, figures)
        fresh = carried(self.parts, parts, state, edit)
        jumped = guide.set_places(fresh, state.time)
        edited = Edited(parts, self.parts, self.engine, self.elements, pack(fresh))
        after = DynamicModel(world, geometry, touch, figures, edited)
        if jumped:  # what is joined to a link has to follow its jump
            fresh |= unpack(after.engine.consistent(pack(fresh)))
        fresh |= {STEP: np.zeros(1), **books_of(state.arrays)}
        fresh[COORDINATE] = turned_on(self.parts, parts, fresh, state)
        return after, fresh


@dataclass(frozen=True, slots=True)
class DynamicDomain:
    """Builds dynamic models from a world and its geometric model."""

    name: str = "dynamic"
    requires: tuple[str, ...] = ("geometric",)
    wants: tuple[str, ...] = ("interference", "kinematic")

    def build(self, world: World, reads: Mapping[str, Model]) -> DynamicModel:
        """Return the dynamic model of ``world``; ModelError where it cannot be made."""
        geometry = reads["geometric"]
        assert isinstance(geometry, GeometricModel)
        touch, figures = interference_of(reads), figures_of(reads)
        model = DynamicModel(world, geometry, touch, figures)
        assert model.parts.bodies[: len(world.bodies)] == tuple(world.bodies)
        return model
