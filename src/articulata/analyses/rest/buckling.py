"""Critical loads: how often a load may act until a balance buckles, snaps through or flutters.

The balance is followed as one load of a world grows in proportion. At a critical load an eigenvalue
of the tangent stiffness passes zero (divergence, Euler's buckling), two frequencies meet and a
motion grows (flutter, of loads that follow their bodies), or the balance comes to an end (a limit
point, from which it snaps through). H. Ziegler, *Principles of Structural Stability*, 1968.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import brentq

from articulata.analyses.rest.linear_model import (
    LinearModel,
    Mode,
    dynamic_model,
    left_out,
    linear_model,
    rests,
    standing,
)
from articulata.analyses.rest.rest_positions import apart, balance, searched
from articulata.domains.dynamic.dynamic_domain import DynamicModel
from articulata.domains.dynamic.elements import Element, cross, feature_point
from articulata.domains.dynamic.mechanism import Mechanism, Motion
from articulata.domains.dynamic.tangent import Tangent
from articulata.errors import NameNotFound, SimulationError
from articulata.geometry.arrays import Array
from articulata.records.state import State
from articulata.world.model import FeatureRef, Force, World
from articulata.world.paths import hint

FIRST = 1e-3
"""Share of the load that would bend the world by about one radian: the first step."""

GROWTH = 1.5
"""By so much each step is longer than the one before."""

LONGEST = 0.1
"""Longest way (rad, lengths of the mechanism) that a step of the load may move the balance."""

FARTHEST = 100.0
"""Loads are looked at up to so many times that which would bend the world by a radian."""

CLOSE = 1e-10
"""Share of a critical factor within which it is found."""


@dataclass(frozen=True, slots=True)
class Buckling:
    """The least factor of a load at which a balance is lost, and how.

    ``kind`` is "divergence", where the shape of ``mode`` grows without swinging (buckling),
    "flutter", where it swings with ``mode.frequency`` (Hz), or "limit point", where the balance
    ends and the world snaps through. ``state`` is the balance there, ``linear`` its small motions.
    ``left_out`` says in words what is not part of the model.
    """

    factor: float
    kind: str
    mode: Mode
    state: State
    linear: LinearModel
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Load:
    """What grows: ``part`` of a world, ``factor`` times; its wrenches enter as an element's."""

    force: Force
    parts: Mechanism
    part: Element | None
    pushes: tuple[tuple[int, Array, Array], ...]
    follower: bool
    factor: float
    given: bool = True

    def stretch(self, motion: Motion) -> tuple[float, float]:
        """Return nothing: it has no length."""
        return 0.0, 0.0

    def value(self, motion: Motion, time: float) -> float:
        """Return nothing: its size is that of what it adds."""
        return 0.0

    def energy(self, motion: Motion) -> float:
        """Return nothing: a load that follows its body has no energy."""
        return 0.0

    def add(self, motion: Motion, time: float, total: Array) -> None:
        """Add the wrenches to ``total`` (bodies, 6)."""
        if self.part is not None:
            share = np.zeros_like(total)
            self.part.add(motion, time, share)
            total += self.factor * share
        elif not self.pushes:
            total[:, :3] += self.factor * self.parts.mass[:, None] * self.parts.gravity
        for body, point, push in self.pushes:
            force = self.factor * (motion.R[body] @ push if self.follower else push)
            total[body] += [*force, *cross(motion.R[body] @ point, force)]


@dataclass(frozen=True, slots=True)
class _Place:
    """A balance at a ``factor`` of the load, and its small motions."""

    factor: float
    at: Tangent
    linear: LinearModel

    @property
    def steady(self) -> bool:
        return self.linear.stability != "unstable"


def buckling(
    world: World,
    load: str | Mapping[str, Sequence[float]],
    *,
    follower: bool = False,
    until: float | None = None,
) -> Buckling | None:
    """Return the least factor of ``load`` at which the balance near the start is lost, or None.

    ``load`` is "gravity" (all weights), the name of a force of the text, or forces (N, world axes
    at the start) at features by their paths, as ``{"mast.tip": (0, -1, 0)}``. Forces at features
    keep their direction, or turn with their bodies where they are a ``follower``. The load grows
    from nothing up to ``until`` times; all others act whole. None where no balance is lost up to
    there. NameNotFound for a load that the world has not, SimulationError where it does not stand
    without the load.
    """
    model = dynamic_model(world)
    start = standing(model)
    bare, growing = _parted(start, load, follower)
    begin = balance(_loaded(bare, growing, 0.0))
    first = None if begin is None else _Place(0.0, begin, linear_model(model, begin))
    if first is None or not first.steady:
        raise SimulationError(
            "without the load the world does not stay where it starts; give it stiffness, or place "
            "it where it rests without the load"
        )
    path = _Path(model, bare, growing)
    ends = path.lost(first, until)
    return None if ends is None else _told(model, *ends)


def _parted(
    start: Tangent, load: str | Mapping[str, Sequence[float]], follower: bool
) -> tuple[Tangent, _Load]:
    """Return the world without a load, and the load."""
    parts, none = start.parts, Force("load", "between", None, None, ())
    if not isinstance(load, str):
        pushes = []
        for path, force in load.items():
            body, _, feature = path.rpartition(".")
            known = parts.world.bodies.get(body)
            if known is None or feature not in known.features:
                paths = [f"{b.id}.{f}" for b in parts.world.bodies.values() for f in b.features]
                raise NameNotFound(f"the world has no feature '{path}'{hint(path, paths)}")
            number, point = feature_point(parts, FeatureRef(body, feature))
            push = np.array(force, float)
            pushes.append((number, point, start.motion.R[number].T @ push if follower else push))
        return start, _Load(none, parts, None, tuple(pushes), follower, 0.0)
    if load == "gravity":
        weightless = replace(parts, gravity=np.zeros_like(parts.gravity))
        return replace(start, parts=weightless), _Load(none, parts, None, (), False, 0.0)
    named = {each.force.id: each for each in start.elements}
    if load not in named:
        raise NameNotFound(
            f"the world has no load '{load}'{hint(load, ['gravity', *named])}; name a force of it, "
            "or gravity"
        )
    others = tuple(each for each in start.elements if each is not named[load])
    return replace(start, elements=others), _Load(none, parts, named[load], (), False, 0.0)


def _loaded(at: Tangent, load: _Load, factor: float) -> Tangent:
    others = tuple(each for each in at.elements if not isinstance(each, _Load))
    return replace(at, elements=(*others, replace(load, factor=factor)))


@dataclass(frozen=True, slots=True)
class _Path:
    """The balances of a world as its load grows."""

    model: DynamicModel
    bare: Tangent
    load: _Load

    def lost(self, place: _Place, until: float | None) -> tuple[_Place, _Place | None] | None:
        """Return the last place that is held and the first that is not, close to each other.

        The second is None where there is no balance, the whole None where none is lost.
        """
        size = self._bends(place.at)
        if not size:
            return None
        end = FARTHEST / size if until is None else until
        step = FIRST / size
        while place.factor < end:
            moves = self._moves(place.at)
            step = min(GROWTH * step, end - place.factor, LONGEST / max(moves, 1e-300))
            then = self.on(place, place.factor + step)
            if then is None or not then.steady:
                return self._narrowed(place, then, place.factor + step)
            place = then
        return None

    def on(self, place: _Place, factor: float) -> _Place | None:
        """Return the balance that a place goes over to at another factor; None where it ends."""
        there = searched(_loaded(place.at, self.load, factor))
        if not rests(there):
            return None
        expected = self._moves(place.at) * abs(factor - place.factor)
        if apart(there, place.at) > 4.0 * expected + 1e-6:
            return None  # a balance elsewhere
        return _Place(factor, there, linear_model(self.model, there))

    def _narrowed(
        self, held: _Place, lost: _Place | None, factor: float
    ) -> tuple[_Place, _Place | None]:
        """Halve what lies between a balance that holds and where it does not."""
        if lost is not None and _hold(held) > 0.0 > _hold(lost):
            known = {held.factor: held, lost.factor: lost}

            def hold(at: float) -> float:
                found = known.get(at) or self.on(held, at)
                if found is None:
                    return -1.0
                known[at] = found
                return _hold(found)

            root = brentq(hold, held.factor, lost.factor, xtol=1e-300, rtol=CLOSE)
            if root in known:
                return known[root], known[root]
        while factor - held.factor > CLOSE * factor:
            middle = 0.5 * (held.factor + factor)
            then = self.on(held, middle)
            if then is not None and then.steady:
                held = then
            else:
                lost, factor = then, middle
        return held, lost

    def _bends(self, at: Tangent) -> float:
        """Return about how far (rad, lengths) or in what share of its stiffness a load bends."""
        whole, stiff = _loaded(at, self.load, 1.0), _tangent_stiffness(at)
        weight = np.linalg.norm(_tangent_stiffness(whole) - stiff)
        return float(weight / max(float(np.linalg.norm(stiff)), 1e-300) + self._moves(at))

    def _moves(self, at: Tangent) -> float:
        """Return how far (rad, lengths) the balance moves for a factor of 1 more."""
        more = _loaded(at, self.load, _factor(at) + 1.0).unbalanced - at.unbalanced
        K = _tangent_stiffness(at)
        way = np.linalg.lstsq(K, more, rcond=1e-12)[0]
        return float(np.max(np.abs(at.basis @ way), initial=0.0))


def _factor(at: Tangent) -> float:
    return next(each.factor for each in at.elements if isinstance(each, _Load))


def _tangent_stiffness(at: Tangent) -> Array:
    return np.asarray(at.basis.T @ at.stiffness(at.basis, rough=True)[0])


def _conserves(linear: LinearModel) -> bool:
    """Tell whether stiffness is symmetric, as it is where forces have an energy."""
    size = max(linear.error, 1e-9 * float(np.max(np.abs(linear.K), initial=0.0)))
    return bool(np.max(np.abs(linear.K - linear.K.T), initial=0.0) <= 20 * size)


def _hold(place: _Place) -> float:
    """Return what passes zero where a balance is lost; NaN where only a jump tells.

    It is the least eigenvalue of stiffness (1/s^2), or how fast the slowest motion decays (1/s).
    """
    linear = place.linear
    if _conserves(linear):
        return float(eigh(0.5 * (linear.K + linear.K.T), linear.M, eigvals_only=True)[0])
    return -float(np.linalg.eigvals(linear.A).real.max()) if linear.C.any() else float("nan")


def _told(model: DynamicModel, held: _Place, lost: _Place | None) -> Buckling:
    there = lost or held
    modes, kind = there.linear.modes(), "divergence"
    mode = modes[0]
    if not _conserves(there.linear):
        mode = max(modes, key=lambda each: each.eigenvalue.real)
        kind = "flutter" if mode.frequency else kind
    if lost is None:
        kind = "limit point"
    state = State(0.0, {**model.start(), **held.at.arrays}, model.world.version)
    return Buckling(held.factor, kind, mode, state, held.linear, left_out(model))
