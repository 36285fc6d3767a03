"""Fronts: the postures that answer a question of pose, what each costs, and which is taken.

Values are as a person reads them, each with its unit; whether low or high is good stands with the
aim. Saved as a file of its own, ``.artpose``, with the number of its format. ``Evolution`` is what
an evolutionary search did, generation by generation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import msgspec
import numpy as np

from articulata.errors import NameNotFound, RecordingError
from articulata.geometry.arrays import Array, Bool, BoolArray, Float64, Int64, IntArray
from articulata.records.data_frames import Labelled, Tabular, Variable
from articulata.records.files import write_whole

FORMAT: Final = 1
SUFFIX: Final = ".artpose"

FELT: Final = 0.1
"""Share of its best value by which an aim has to differ until it counts fully where weights choose.

People tell forces apart from 7 % on (Pang, Tan and Durlach 1991), torques from 13 % (Jandura and
Srinivasan 1994). Where all postures of a front lie closer, as 256 to 266 N m to lift a box, the
whole weight of torque would be given for 1 % of it, and arms be turned by 54 deg.
"""


@dataclass(frozen=True, slots=True)
class AimLabel:
    """What a column of values is: its name, unit, source, weight, and whether high is good."""

    name: str
    unit: str
    source: str
    weight: float
    high: bool

    def __str__(self) -> str:
        return f"{self.name} ({self.unit})" if self.unit not in ("", "1") else self.name


_TOLD = ("of its strength", " tires ", "L5/S1", "a bound of the search")
"""Of what binds a posture, what is told of the chosen one: by words in it."""


@dataclass(frozen=True, slots=True, eq=False)
class Details:
    """What is worked out of a front when it is asked for: who takes a posture needs none of it.

    ``error`` m and ``angle`` rad (n,) are what targets are off, ``binds`` what holds a posture
    where it is: joints at limits, conditions at their bounds. ``redundancy`` counts the directions
    in which joints can move with the targets met, ``settled`` how many of these the aims decide at
    the knee. ``targets`` are what was asked, in words.
    """

    error: Float64[Array, "n"]
    angle: Float64[Array, "n"]
    binds: tuple[str, ...]
    redundancy: int
    settled: int
    targets: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Front(Tabular):
    """Postures ``q`` (n, dof) that meet their targets, and ``values`` (n, k) of the ``aims``.

    ``names`` are the joints and ``units`` theirs, rad or m. ``chosen`` is the posture that is
    taken, for the reason ``choice`` says; ``knee`` that which gives up least of each aim.
    ``utopia`` (k,) is the best of each aim alone. ``dominated`` (n,) marks isolated answers that
    another is better than in every aim; a front proper has none. ``labels`` are the branches of a
    closed form, ``image`` (s, k) values of other postures that meet the targets: what is
    attainable. ``detail`` returns the ``Details``, which the front tells as its own.

    Where ``found`` is False there is no such posture: ``reason`` says why, and ``q`` is the one
    that comes nearest. ``world`` and ``component`` are the text of the room and whose posture it
    is, "" where there is none.
    """

    figure: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    q: Float64[Array, "n dof"]
    aims: tuple[AimLabel, ...]
    values: Float64[Array, "n k"]
    chosen: int
    choice: str
    knee: int
    utopia: Float64[Array, "k"]
    dominated: Bool[BoolArray, "n"]
    labels: tuple[str, ...]
    found: bool
    reason: str
    method: str
    image: Float64[Array, "s k"]
    start: Float64[Array, "dof"]
    detail: Callable[[], Details]
    world: str = ""
    component: str = ""
    seed: int = 0
    exact: bool = field(default=True)

    def __len__(self) -> int:
        return len(self.q)

    def __repr__(self) -> str:
        return f"Front: {self.summary()}"

    def __reduce__(self) -> tuple[Callable[[bytes], Front], tuple[bytes]]:
        return Front.from_bytes, (self.to_bytes(),)

    @property
    def error(self) -> Float64[Array, "n"]:
        """What targets are off in each posture, m."""
        return self.detail().error

    @property
    def angle(self) -> Float64[Array, "n"]:
        """What targets are turned off in each posture, rad."""
        return self.detail().angle

    @property
    def binds(self) -> tuple[str, ...]:
        """What holds each posture where it is."""
        return self.detail().binds

    @property
    def redundancy(self) -> int:
        """In how many directions joints can move with the targets met."""
        return self.detail().redundancy

    @property
    def settled(self) -> int:
        """How many of these directions the aims decide."""
        return self.detail().settled

    @property
    def targets(self) -> tuple[str, ...]:
        """What was asked, in words."""
        return self.detail().targets

    @property
    def posture(self) -> Float64[Array, "dof"]:
        """The chosen posture, rad and m."""
        return np.array(self.q[self.chosen])

    @property
    def costs(self) -> Float64[Array, "n k"]:
        """The values with the sign turned of those that are to be high: low is good."""
        return np.asarray(self.values * self._signs)

    def named(self, number: int | None = None) -> dict[str, float]:
        """Return a posture as joint values by name, the chosen one where none is numbered."""
        q = self.q[self.chosen if number is None else number]
        return dict(zip(self.names, q.tolist(), strict=True))

    def costing(self, number: int | None = None) -> dict[str, float]:
        """Return the values of a posture by the names of the aims."""
        row = self.values[self.chosen if number is None else number]
        return {aim.name: value for aim, value in zip(self.aims, row.tolist(), strict=True)}

    def ranked(self, aim: str) -> list[int]:
        """Return the numbers of the postures, the best by an aim first."""
        column = self._column(aim)
        costs = self.values[:, column] * (-1.0 if self.aims[column].high else 1.0)
        order: list[int] = costs.argsort(kind="stable").tolist()
        return order

    def by_hand(self, number: int) -> Front:
        """Return the front with another posture chosen."""
        if not -len(self) <= number < len(self):
            raise NameNotFound(f"the front has postures 0 to {len(self) - 1}, none is {number}")
        return replace(self, chosen=number % len(self), choice="by hand")

    def by_weights(self, weights: Mapping[str, float] | None = None) -> Front:
        """Return the front with the posture chosen whose weighted share of the front is least.

        ``weights`` by the names of aims, 0 for those left out; None takes those of the aims. A
        share is of how far an aim ranges on the front, of ``FELT`` of its best value at least.
        """
        w = np.array([aim.weight for aim in self.aims])
        if weights is not None:
            w = np.zeros(len(self.aims))
            for name, value in weights.items():
                w[self._column(name)] = value
        if not (np.isfinite(w).all() and (w >= 0.0).all() and w.any()):
            raise RecordingError(
                f"weights {dict(weights or {})} choose nothing; give 0 or more, and one above 0"
            )
        costs = self.costs[self._good]
        best = costs.min(axis=0)
        span = np.maximum(np.ptp(costs, axis=0), FELT * np.abs(best))
        cost = (costs - best) / np.where(span > 0.0, span, 1.0) @ w
        said = ", ".join(f"{value:g} {aim.name}" for aim, value in zip(self.aims, w, strict=True))
        return replace(self, chosen=int(self._good[cost.argmin()]), choice=f"weights: {said}")

    def by_order(self, order: Sequence[str], slack: float = 0.05) -> Front:
        """Return the front with the posture chosen by aims in their order of importance.

        Each aim leaves the postures within ``slack``, a share of its range on the front, of the
        best; the next decides among these.
        """
        if not order:
            raise RecordingError(
                "an order of importance names at least one aim; this front has "
                f"{', '.join(aim.name for aim in self.aims)}"
            )
        left = self._good
        unit = np.zeros((len(self), len(self.aims)))
        unit[self._good] = scaled(self.costs[self._good])
        for name in order:
            column = unit[left, self._column(name)]
            left = left[column <= column.min() + slack]
        last = unit[left][:, [self._column(name) for name in order]]
        best = int(left[np.lexsort(last.T[::-1])[0]])
        return replace(self, chosen=best, choice=f"order of importance: {', '.join(order)}")

    def by_knee(self) -> Front:
        """Return the front with the knee chosen."""
        return replace(self, chosen=self.knee, choice="knee")

    def summary(self) -> str:
        """Return in words how many postures there are, and which is chosen and why."""
        if not self.found:
            return self.reason
        what = "posture" if len(self) == 1 else "postures"
        if self.redundancy:
            free = f"{self.redundancy} degree{'s' if self.redundancy > 1 else ''} of redundancy"
            settle = f"{free}, {self.settled} settled by {_count(len(self.aims), 'objective')}"
        else:
            settle = "nothing is redundant"
        values = ", ".join(
            f"{aim.name} {value:.4g}{'' if aim.unit in ('', '1') else f' {aim.unit}'}"
            for aim, value in zip(self.aims, self.values[self.chosen], strict=True)
        )
        said = (
            f"{len(self)} {what}; {settle}. Chosen ({self.choice}): number {self.chosen}, {values}"
        )
        told = [
            each
            for each in self.binds[self.chosen].split("; ")
            if any(word in each for word in _TOLD)
        ]
        return f"{'; '.join([said, *told])}."

    def save(self, path: str | Path) -> Path:
        """Write the front to a file."""
        target = Path(path)
        write_whole(target, self.to_bytes())
        return target

    def to_bytes(self) -> bytes:
        """Return the file's contents; the same front gives the same bytes."""
        said: dict[str, object] = {"kind": "pose", "format": FORMAT}
        for name in _SAVED:
            value = getattr(self, name)
            if isinstance(value, np.ndarray):
                kind = "|b1" if value.dtype == np.bool_ else "<f8"
                said[name] = [kind, list(value.shape), value.astype(kind).tobytes()]
            elif name == "aims":
                said[name] = [[a.name, a.unit, a.source, a.weight, a.high] for a in value]
            else:
                said[name] = list(value) if isinstance(value, tuple) else value
        return msgspec.msgpack.encode(said)

    @staticmethod
    def from_bytes(data: bytes, name: str = "the file") -> Front:
        """Return the front of a file's contents; RecordingError where they are none."""
        try:
            said: dict[str, Any] = msgspec.msgpack.decode(data, type=dict)
            kind, number = said.pop("kind"), said.pop("format")
        except (msgspec.DecodeError, msgspec.ValidationError, LookupError) as error:
            raise RecordingError(f"{name} holds no front of postures ({error})") from error
        if kind != "pose" or number != FORMAT:
            raise RecordingError(
                f"{name} has format {number!r} of {kind!r}; this version reads format {FORMAT} of "
                "'pose'. Make it again, or update Articulata"
            )
        try:
            made: dict[str, Any] = {}
            for name in _SAVED:
                value = said[name]
                if name == "aims":
                    value = tuple(AimLabel(*row) for row in value)
                elif name in _ARRAYS:
                    dtype, shape, raw = value
                    value = np.frombuffer(raw, dtype).reshape(shape).copy()
                elif isinstance(value, list):
                    value = tuple(value)
                made[name] = value
            details = Details(*(made.pop(name) for name in _DETAILS))
            return Front(**made, detail=lambda: details)
        except (LookupError, TypeError, ValueError) as error:
            raise RecordingError(f"{name} is damaged: {error}") from error

    @staticmethod
    def load(path: str | Path) -> Front:
        """Return the front saved in a file."""
        file = Path(path)
        try:
            data = file.read_bytes()
        except OSError as error:
            raise RecordingError(f"{file} cannot be read ({error.strerror})") from error
        return Front.from_bytes(data, str(file))

    def rows(self) -> Iterator[tuple[str, ...]]:
        """Yield the table of the front as texts: names, units, then a row a posture."""
        yield ("posture", "chosen", "branch", *(a.name for a in self.aims), *self.names,
               "off", "turned off", "binds")  # fmt: skip
        yield ("", "", "", *(a.unit for a in self.aims), *self.units,
               "m", "rad", "")  # fmt: skip
        for i in range(len(self)):
            mark = "chosen" if i == self.chosen else ""
            numbers = (*self.values[i].tolist(), *self.q[i].tolist(),
                       float(self.error[i]), float(self.angle[i]))  # fmt: skip
            yield (str(i), mark, self.labels[i], *(repr(x) for x in numbers), self.binds[i])

    # ---- inside

    def _labelled(self) -> Labelled:
        names = tuple(aim.name for aim in self.aims)
        units = tuple(aim.unit for aim in self.aims)
        by = ("posture",)
        return Labelled(
            "posture",
            {"posture": np.arange(len(self)), "aim": names, "joint": self.names},
            {
                "chosen": Variable(by, np.arange(len(self)) == self.chosen),
                "branch": Variable(by, np.array(self.labels, np.str_)),
                "values": Variable(("posture", "aim"), self.values, "", names, units),
                "q": Variable(("posture", "joint"), self.q, "", self.names, self.units),
                "off": Variable(by, self.error, "m"),
                "turned off": Variable(by, self.angle, "rad"),
                "binds": Variable(by, np.array(self.binds, np.str_)),
            },
            {"figure": self.figure, "method": self.method},
        )

    @property
    def _signs(self) -> Array:
        return np.array([-1.0 if aim.high else 1.0 for aim in self.aims])

    @property
    def _good(self) -> Any:
        return np.flatnonzero(~self.dominated)

    def _column(self, aim: str) -> int:
        names = [each.name for each in self.aims]
        if aim not in names:
            near = [name for name in names if name.split()[0] == aim]
            if len(near) != 1:
                raise NameNotFound(f"the front has no aim '{aim}'; it has {', '.join(names)}")
            return names.index(near[0])
        return names.index(aim)


_DETAILS: Final = ("error", "angle", "binds", "redundancy", "settled", "targets")

_ARRAYS: Final = ("q", "values", "utopia", "dominated", "error", "angle", "image", "start")

_SAVED: Final = (
    "figure", "names", "units", "q", "aims", "values", "chosen", "choice", "knee", "utopia",
    "dominated", "error", "angle", "labels", "binds", "redundancy", "settled", "found", "reason",
    "targets", "method", "image", "start", "world", "component", "seed", "exact",
)  # fmt: skip
"""What a file holds, in its order."""


def scaled(costs: Float64[Array, "n k"]) -> Float64[Array, "n k"]:
    """Return costs from 0, the best of each on the front, to 1, the worst."""
    low, high = costs.min(axis=0), costs.max(axis=0)
    return np.asarray((costs - low) / np.where(high > low, high - low, 1.0))


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


@dataclass(frozen=True, slots=True, eq=False)
class Evolution:
    """Generations g of a population of n individuals on islands.

    ``miss`` (g,) is what targets are off in the best individual of a generation, in m and rad taken
    together, ``spread`` (g, 2) the least and largest of all; ``best`` (g, moving) its joints;
    ``percentile`` (g,) the 85th percentile of all. ``variables`` (n, moving), ``objectives`` (n,)
    and ``islands`` (n,) are those of the last generation, ``order`` (g, islands) the rank of each
    island by its best. ``front`` (m, dof) and ``values`` (m, k), to be kept low, are the
    individuals that nothing dominates, ``misses`` (m,) what they are off. ``fronts`` are the values
    (m, k) of each generation's individuals that come within the goal and that nothing dominates.
    """

    method: str
    names: tuple[str, ...]
    aims: tuple[AimLabel, ...]
    miss: Float64[Array, "g"]
    spread: Float64[Array, "g 2"]
    best: Float64[Array, "g moving"]
    percentile: Float64[Array, "g"]
    variables: Float64[Array, "n moving"]
    objectives: Float64[Array, "n"]
    islands: Int64[IntArray, "n"]
    order: Int64[IntArray, "g islands"]
    front: Float64[Array, "m dof"]
    values: Float64[Array, "m k"]
    misses: Float64[Array, "m"]
    seed: int
    fronts: tuple[Array, ...] = ()

    @property
    def posture(self) -> Float64[Array, "dof"]:
        """The individual that is least off its targets."""
        return np.array(self.front[int(self.misses.argmin())])
