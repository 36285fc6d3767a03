"""Small motions of a world about a place where it rests: ``M q'' + C q' + K q = B u``.

``q`` are small changes of independent hinge coordinates. Where hinges have too few, as those of a
ball or a free body, displacements of mass centres ("body.x", m) and small turns about the axes of
W ("body.wx", rad) stand in. A mode can be recorded: one swing, large enough to be seen.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh

from articulata.domains.assemble import build
from articulata.domains.dynamic.couplings import frictions, turning
from articulata.domains.dynamic.dynamic_domain import DynamicModel
from articulata.domains.dynamic.hinge_friction import rubs_of
from articulata.domains.dynamic.mechanism import COORDINATE, FREE
from articulata.domains.dynamic.packing import pack
from articulata.domains.dynamic.tangent import Tangent, kept_by_couplings
from articulata.domains.protocols import POSE, POSE_COLUMNS
from articulata.errors import MissingExtra, ModelError, NameNotFound, SimulationError
from articulata.geometry.arrays import Array
from articulata.kinematics.assembly.assembling import assemble
from articulata.records.events import Event
from articulata.records.header import Header
from articulata.records.recorder import Recorder
from articulata.records.recording import Recording
from articulata.records.state import Channel, Frame, State
from articulata.world.model import World
from articulata.world.paths import hint

ComplexArray: TypeAlias = npt.NDArray[np.complex128]

BALANCED = 1e-8
"""Share of the forces by which they may miss their balance where a world rests."""

ROUNDING = 1e-11
"""Displacement (rad, lengths) that counts as none."""

ZERO_SHARE = 1e-6
"""Share of the largest eigenvalue (1/s) up to which one counts as zero."""


@dataclass(frozen=True, slots=True)
class Mode:
    """One small motion by itself: ``Re(shape exp(eigenvalue t))``.

    ``frequency`` (Hz) is the undamped natural frequency ``|eigenvalue| / 2 pi``, 0 where nothing
    swings; ``damping`` its damping ratio, negative where it grows. ``shape`` (dof,) are the
    coordinates ``names``, the largest of them 1.
    """

    frequency: float
    damping: float
    eigenvalue: complex
    shape: ComplexArray
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StateSpace:
    """``x' = A x + B u``, ``y = C x + D u`` with the names of x, u and y."""

    A: Array
    B: Array
    C: Array
    D: Array
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def control(self) -> Any:
        """Return python-control's ``StateSpace``; MissingExtra where that is not installed.

        Its names have no dots: "sa.travel" is "sa_travel" there.
        """
        try:
            control = importlib.import_module("control")
        except ImportError:
            raise MissingExtra(
                "this needs the package control; install it with: pip install 'articulata[control]'"
            ) from None
        names = {"states": self.states, "inputs": self.inputs, "outputs": self.outputs}
        listed = {key: [x.replace(".", "_") for x in each] for key, each in names.items()}
        return control.StateSpace(self.A, self.B, self.C, self.D, **listed)


@dataclass(frozen=True)
class LinearModel:
    """``M``, ``C``, ``K`` (dof, dof) in the coordinates ``names``: SI units, rad.

    ``error`` tells how far entries of C and K may be wrong, as differences at several steps tell.
    ``coordinates`` are all hinge coordinates with their change by each of ``names``
    (``changes``, (coordinates, dof)). ``left_out`` says in words what is not part of the model,
    ``holding`` are the moments (N m) and forces (N) at hinges that hold it there.
    """

    M: Array
    C: Array
    K: Array
    names: tuple[str, ...]
    coordinates: tuple[str, ...]
    changes: Array
    error: float
    left_out: tuple[str, ...] = ()
    holding: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def A(self) -> Array:
        """The system's matrix (2 dof, 2 dof) of coordinates and then their rates."""
        n = len(self.names)
        solved = np.linalg.solve(self.M, np.hstack([-self.K, -self.C]))
        return np.vstack([np.hstack([np.zeros((n, n)), np.eye(n)]), solved])

    def modes(self) -> tuple[Mode, ...]:
        """Return all modes, the slowest first; pairs of conjugate eigenvalues count once.

        What is small beside the fastest counts as zero.
        """
        n, K = len(self.names), 0.5 * (self.K + self.K.T)
        size = max(self.error, 1e-9 * float(np.max(np.abs(self.K), initial=0.0)))
        found: list[tuple[complex, npt.NDArray[Any]]]
        if not self.C.any() and np.max(np.abs(self.K - K), initial=0.0) <= 10 * size:
            squares, shapes = eigh(K, self.M) if n else (np.zeros(0), np.zeros((0, 0)))
            found = [
                (complex((-s) ** 0.5) if s < 0 else 1j * float(s) ** 0.5, shapes[:, k])
                for k, s in enumerate(squares)
            ]
        else:
            values, vectors = np.linalg.eig(self.A)
            found = [(complex(s), vectors[:n, k]) for k, s in enumerate(values) if s.imag >= 0]
        small = ZERO_SHARE * max((abs(value) for value, _ in found), default=0.0)
        modes = []
        for value, shape in found:
            # an error of every entry of K may feign a stiffness, however light what it moves
            m, c = (abs(shape.conj() @ each @ shape) for each in (self.M, self.C))
            feigned = 10 * self.error * float(np.sum(np.abs(shape))) ** 2
            zero = abs(value) <= small or abs(value) * (c + abs(value) * m) <= feigned
            modes.append(_mode(0j if zero else value, shape, self.names))
        return tuple(sorted(modes, key=lambda each: abs(each.eigenvalue)))

    @property
    def stability(self) -> str:
        """Whether it stays near: "stable", "unstable", or "neutral" where forces do not decide."""
        values = [mode.eigenvalue for mode in self.modes()]
        size = max(map(abs, values), default=0.0)
        if any(value.real > ZERO_SHARE * size for value in values):
            return "unstable"
        return "stable" if all(values) else "neutral"

    def _rows(self, labels: Sequence[str]) -> Array:
        unknown = [label for label in labels if label not in self.coordinates]
        if unknown:
            raise NameNotFound(
                f"'{unknown[0]}' is no coordinate of a hinge; give some of "
                f"{', '.join(self.coordinates) or 'none, the world has no hinge with one'}"
            )
        return self.changes[[self.coordinates.index(label) for label in labels]]

    def state_space(
        self, inputs: Sequence[str] | None = None, outputs: Sequence[str] | None = None
    ) -> StateSpace:
        """Return the model as first-order equations.

        ``inputs`` are hinge coordinates at which a moment (N m) or force (N) acts from body B on
        A, ``outputs`` ones that are read, "h.angle", or their rates, "h.rate" and "h.speed"; all
        coordinates where none are given. NameNotFound for others.
        """
        put = self.coordinates if inputs is None else tuple(inputs)
        read = self.coordinates if outputs is None else tuple(outputs)
        plain = [
            each.removesuffix(".rate") + ".angle"
            if each.endswith(".rate")
            else each.removesuffix(".speed") + ".travel"
            if each.endswith(".speed")
            else each
            for each in read
        ]
        n, pushed, seen = len(self.names), self._rows(put), self._rows(plain)
        rate = np.array([a != b for a, b in zip(read, plain, strict=True)], bool)[:, None]
        B = np.vstack([np.zeros((n, len(put))), np.linalg.solve(self.M, pushed.T)])
        C = np.hstack([np.where(rate, 0.0, seen), np.where(rate, seen, 0.0)])
        states = (*self.names, *(f"{name}'" for name in self.names))
        return StateSpace(self.A, B, C, np.zeros((len(read), len(put))), states, put, read)

    def frequency_response(
        self,
        frequencies: npt.ArrayLike,
        inputs: Sequence[str] | None = None,
        outputs: Sequence[str] | None = None,
    ) -> ComplexArray:
        """Return outputs for inputs of amplitude 1 at ``frequencies`` (f,) in Hz.

        (f, outputs, inputs), complex: size and phase; infinite at a frequency without damping.
        """
        space = self.state_space(inputs, outputs)
        s = 2j * np.pi * np.atleast_1d(np.asarray(frequencies, float))
        inner = s[:, None, None] * np.eye(len(space.A)) - space.A
        return np.asarray(space.C @ np.linalg.solve(inner, space.B[None].astype(complex)))


def _mode(value: complex, shape: npt.NDArray[Any], names: tuple[str, ...]) -> Mode:
    largest = shape[int(np.argmax(np.abs(shape)))]
    size = abs(value)
    swings = abs(value.imag) > 1e-12 * size
    ratio = -value.real / size if size else 0.0
    return Mode(
        size / (2 * np.pi) if swings else 0.0,
        ratio + 0.0,
        value,
        np.asarray(shape / largest, complex),
        names,
    )


def dynamic_model(world: World) -> DynamicModel:
    """Return the dynamic model of ``world``; ModelError where it can never rest."""
    model = cast("DynamicModel", build(assemble(world), None)["dynamic"])
    for motor in (*turning(world), *(each for each in frictions(world) if each.rate)):
        raise ModelError(
            f"{motor.span}: '{motor.id}' keeps a hinge turning, so that the world never rests; "
            "give the motor a torque, or leave it out"
        )
    for force in world.forces.values():
        if force.integral:
            raise ModelError(
                f"{force.span}: what '{force.id}' integrates goes on at rest, until it meets its "
                "target; give it no integral here"
            )
    return model


def standing(model: DynamicModel, state: State | None = None) -> Tangent:
    """Return the mechanism at ``state``, or at its start; SimulationError for another world's."""
    arrays = dict(model.start() if state is None else state.arrays)
    if len(arrays["dynamic.position"]) != len(model.world.bodies):
        raise SimulationError(
            f"the state has {len(arrays['dynamic.position'])} bodies and the world "
            f"{len(model.world.bodies)}; give the world that the state belongs to"
        )
    arms = [model.parts.rows.point, model.parts.rows.origin, model.parts.coordinates.p_A]
    reach = max((float(np.abs(each).max(initial=0.0)) for each in arms), default=0.0)
    tied = kept_by_couplings(model.parts, arrays)[:, 0]
    return Tangent(model.parts, model.elements, arrays, reach or 1.0, tied)


def rests(at: Tangent) -> bool:
    """Tell whether forces balance, as nearly as numbers can."""
    left = float(np.linalg.norm(at.unbalanced))
    size = float(np.linalg.norm(at.wrench)) + sum(
        abs(each.value(at.motion, 0.0)) * at.length for each in at.elements
    )
    if left <= BALANCED * size:
        return True
    # springs without tension: what a displacement within rounding would give
    return left <= ROUNDING * float(np.linalg.norm(at.stiffness(at.basis, rough=True)[0]))


def left_out(model: DynamicModel) -> tuple[str, ...]:
    """Return in words what of a world small motions do not know."""
    parts, touch = model.parts, model.interference
    said = [
        f"the motor '{rub.coupling.id}'" if rub.drives else f"dry friction of hinge '{rub.name}'"
        for rub in rubs_of(parts)
    ]
    said += [f"limits of hinge '{hinge.id}'" for hinge in parts.joints if hinge.limits]
    if touch is not None and touch.pairs:
        said.append("contact: bodies pass through each other")
    if parts.drives:
        said.append("controllers, which give nothing")
    if any(op == "time" for each in model.elements for op, _ in each.force.program):
        said.append("changes of forces with time: they act as at 0 s")
    return tuple(said)


def linear_model(model: DynamicModel, at: Tangent) -> LinearModel:
    """Return the small motions about a rest position ``at``."""
    names, T, rows = independent(at)
    A = at.basis.T @ T
    # along ways of one size, since steps along those of coordinates may be too long
    (K, error_K), (C, error_C) = at.stiffness(at.basis), at.damping(at.basis)
    spread = np.max(np.sum(np.abs(A), 0), initial=0.0) * np.max(np.sum(np.abs(T), 0), initial=0.0)
    M = T.T @ at.mass() @ T
    K, C = T.T @ K @ A, T.T @ C @ A
    C[np.abs(C) <= 10 * error_C * spread] = 0.0
    error = max(error_K, error_C) * float(spread)
    labels = at.parts.coordinates.labels
    return LinearModel(0.5 * (M + M.T), C, K, names, labels, rows @ T, error, left_out(model))


def independent(at: Tangent) -> tuple[tuple[str, ...], Array, Array]:
    """Return independent coordinates, displacements (6 n, dof) by a unit of each, hinges' rows."""
    rows = at.coordinate_rows()
    bodies = [b for b, kind in zip(at.parts.bodies, at.parts.kind, strict=True) if kind == FREE]
    places = np.flatnonzero(at.scales)
    labels = (
        *at.parts.coordinates.labels,
        *(f"{body}.{axis}" for body in bodies for axis in ("x", "y", "z", "wx", "wy", "wz")),
    )
    offered = np.vstack([rows, np.diag(at.scales)[places]]) @ at.basis
    sizes = np.maximum(np.linalg.norm(offered, axis=1), 1e-300)
    chosen: list[int] = []
    # Coordinates in the order of the world, unless they hardly differ from those before; hinges'
    # first, then of bodies those that differ well.
    for least, end in ((1e-2, len(rows)), (0.3, len(offered)), (1e-6, len(offered))):
        for k in range(end):
            if len(chosen) == at.basis.shape[1]:
                break
            before = offered[chosen] / sizes[chosen, None]
            unit = offered[k] / sizes[k]
            rest = unit - np.linalg.lstsq(before.T, unit, rcond=None)[0] @ before
            if sizes[k] > 1e-9 and k not in chosen and np.linalg.norm(rest) > least:
                chosen.append(k)
    T = at.basis @ np.linalg.inv(offered[chosen])
    return tuple(labels[k] for k in chosen), T, rows


def linearise(
    world: World, at: State | None = None, *, holding: bool | Sequence[str] = False
) -> LinearModel:
    """Return the small motions of ``world`` about ``at``, a state where it rests, or its start.

    Hinges, gears, springs, dampers, weights and motors of a given torque take part; what does not
    is told by ``left_out``. ``holding`` adds constant moments or forces that hold the world where
    it would not rest, as the motors of an arm do: at all hinge coordinates, the least of them, or
    at those that are named ("elbow.angle"). Stiffness is the derivative of forces with those of the
    hinges held (A. A. Shabana, *Dynamics of Multibody Systems*, 2005, chapter 3 has the equations),
    by central differences with two extrapolations. SimulationError where forces do not balance
    there, ModelError where a motor keeps turning, NameNotFound for a hinge coordinate that is none.
    """
    model = dynamic_model(world)
    place = standing(model, at)
    labels = place.parts.coordinates.labels
    chosen = () if holding is False else labels if holding is True else tuple(holding)
    if chosen:
        place = _held(place, chosen)
    if not rests(place):
        unheld = (
            f"nothing at {', '.join(chosen)} holds it, hinge coordinates are {', '.join(labels)}"
        )
        raise SimulationError(
            "the forces do not balance there, so that small motions have no fixed middle; "
            f"{unheld if chosen else 'for motors that hold it give holding=True'}, or give a state "
            "where the world rests: at=art.rest(world).positions[0].state"
        )
    found = linear_model(model, place)
    if place.held is None:
        return found
    held = dict(zip(found.coordinates, place.held.tolist(), strict=True))
    return replace(found, holding={name: value for name, value in held.items() if value})


def _held(at: Tangent, names: Sequence[str]) -> Tangent:
    """Return the mechanism held at hinge coordinates ``names`` by the least constant forces."""
    labels = at.parts.coordinates.labels
    for name in names:
        if name not in labels:
            raise NameNotFound(f"the world has no hinge coordinate '{name}'{hint(name, labels)}")
    chosen = [labels.index(name) for name in names]
    turned = (at.coordinate_rows()[chosen] @ at.basis).T
    held = np.zeros(len(labels))
    held[chosen] = np.linalg.lstsq(turned, -at.unbalanced, rcond=1e-9)[0]
    return replace(at, held=held)


FRAMES = 48
"""Frames of one swing."""

LASTS = 2.0
"""How long one swing is shown (s), whatever its frequency."""

SHRINKS = 8
"""Times that a swing is halved until hinges close all along it."""


def record_mode(world: World, at: State, mode: Mode, largest: float = 0.2) -> Recording:
    """Return one swing of ``mode`` about ``at``, a rest position's ``state``, as a recording.

    The swing is ``Re(shape exp(i phase))``, shown in 2 s and without decay or growth, its hinges
    closed in each frame. ``largest`` is how far the body turns that turns most (rad), or goes by
    lengths of the mechanism; less where hinges would not close. SimulationError where ``largest``
    is not above 0 or the state is another world's.
    """
    if not largest > 0.0:
        raise SimulationError(f"largest is {largest!r}; give a number greater than 0")
    model = dynamic_model(world)
    rest = standing(model, at)
    ways = independent(rest)[1] @ mode.shape
    ways = ways / max(float(np.max(np.abs(ways), initial=0.0)), 1e-300)
    phases = 2.0 * np.pi * np.arange(FRAMES + 1) / FRAMES
    for shrink in range(SHRINKS):
        size = largest * 0.5**shrink
        swing = [rest.moved((ways * size * np.exp(1j * x)).imag).closed() for x in phases.tolist()]
        if None not in swing:
            break
    else:
        raise SimulationError("the hinges do not close along this mode, however little it swings")
    told = next(each for each in model.channels if each.name == COORDINATE)
    with Recorder(Header(world, LASTS / FRAMES, LASTS, "mode")) as recorder:
        recorder.layout([Channel(POSE, "m, 1", tuple(world.bodies), POSE_COLUMNS), told])
        recorder.event(_told(mode))
        for time, there in zip((LASTS * phases / phases[-1]).tolist(), swing, strict=True):
            assert isinstance(there, Tangent)
            pose = model.observer.stand(pack(there.arrays))[0]
            recorder.frame(Frame(time, {POSE: pose, COORDINATE: there.arrays[COORDINATE]}))
    return recorder.recording()


def _told(mode: Mode) -> Event:
    what = f"{mode.frequency:.6g} Hz" if mode.frequency else f"{mode.eigenvalue.real:.6g} 1/s"
    story = f"A mode of {what}, shown in {LASTS:g} s, without decay or growth."
    values = {"frequency": mode.frequency, "damping": mode.damping}
    return Event(0.0, "mark", values=values, story=story)
