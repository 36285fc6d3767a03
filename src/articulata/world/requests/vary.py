"""``vary``: how what a world does depends on its parameters, and which of them are best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from articulata.world.requests.clauses import SEED, Clause, Said, Unfit, positive

MOST_RUNS = 1_000_000
"""Runs beyond which nobody could wait for the last."""

INSTANTS = ("impact", "contact", "separation", "stick", "slip", "settled", "break", "limit")
"""Kinds of event at whose first instant something can be measured."""

STATISTICS = ("final", "min", "max", "mean", "rms")
"""What is made of a quantity over a run: means are those of time, rms a root of a mean square."""


class Amount(NamedTuple):
    """A number in SI and its unit there, "" where it has none or none is said."""

    value: float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Varied:
    """A ``parameter`` and what it is to be, in SI and ``unit``.

    ``values`` are tried one by one; without any, samples lie between ``low`` and ``high``, as
    often anywhere ("even") or as parts of a series are made ("normal": three standard deviations
    from the middle to either bound, none beyond).
    """

    parameter: str
    low: float
    high: float
    values: tuple[float, ...] = ()
    unit: str = ""
    spread: str = "even"


@dataclass(frozen=True, slots=True)
class Measure:
    """One number of a run: a statistic of the quantity at ``path``, or its value at an instant.

    ``statistic`` is one of ``STATISTICS`` or "at", ``at`` then a time (s) or a kind of event, whose
    first instant is meant. Of a vector its length is measured. "difference" is the root of the mean
    square of what it differs from a curve that was measured: the ``column`` of a ``file``, beside
    the text; "" for the one of the path's name, or the only one.
    """

    path: str
    statistic: str
    at: float | str | None = None
    file: str = ""
    column: str = ""

    def __str__(self) -> str:
        if self.file:
            column = f'column "{self.column}" of ' if self.column else ""
            return f'difference of {self.path} to {column}"{self.file}"'
        if self.at is None:
            return f"{self.statistic} {self.path}"
        return f"{self.path} at {self.at if isinstance(self.at, str) else f'{self.at:g} s'}"


@dataclass(frozen=True, slots=True)
class Kept:
    """A ``measure`` that is to stay ``above`` a ``bound`` (SI), or below it."""

    measure: Measure
    above: bool
    bound: Amount

    def __str__(self) -> str:
        side = "above" if self.above else "below"
        return f"{self.measure} {side} {self.bound.value:g} {self.bound.unit}".rstrip()


@dataclass(frozen=True, slots=True)
class VaryQuestion:
    """Which parameters of a world are varied and what is measured of each run.

    ``samples`` counts those of a Latin hypercube, None where every parameter has its values.
    ``keep`` says what the best design has to keep. ``plots`` are paths drawn over time. ``times``
    are step and end (s), None those of the request to simulate the same world. ``given`` is the
    text of the arguments that stay.
    """

    parameters: tuple[Varied, ...]
    measures: tuple[Measure, ...] = ()
    plots: tuple[str, ...] = ()
    samples: int | None = None
    seed: int = 0
    times: tuple[float, float] | None = None
    given: str = ""
    keep: tuple[Kept, ...] = ()

    def __post_init__(self) -> None:
        sampled = [each.parameter for each in self.parameters if not each.values]
        compared = any(each.file for each in self.measures)
        if sampled and self.samples is None and not compared:
            raise Unfit(
                "parameters", f"'samples' are lacking: '{sampled[0]}' has bounds and no values",
                "write samples: 100, or with 5 values after the bounds",
            )  # fmt: skip
        if self.samples is not None and not sampled:
            raise Unfit(
                "samples", "'samples' are of parameters between bounds, and all have their values",
                "remove 'samples', or 'with ... values'",
            )  # fmt: skip
        runs = self.samples or 1
        for each in self.parameters:
            runs *= len(each.values) or 1
        if runs > MOST_RUNS:
            raise Unfit("parameters", f"these are {runs:,} runs, more than {MOST_RUNS:,}",
                        "give fewer values, or samples in place of them")  # fmt: skip


def _varied(said: Said) -> Varied:
    name, listed = said.get(), said.get("in")
    if listed is not None:
        values = tuple(each.value for each in listed)
        if len({*values}) < len(values):
            raise Unfit("in", f"a value of '{name}' stands here twice", "remove one of them")
        return Varied(name, min(values), max(values), values, listed[0].unit)
    if (middle := said.get("at")) is not None:
        off = positive("within", said.get("within").value, "a tolerance", middle.unit)
        spread = "normal" if "normal" in said.words else "even"
        return Varied(name, middle.value - off, middle.value + off, (), middle.unit, spread)
    low, high = said.get("from"), said.get("to")
    if not low.value < high.value:
        told = f"'{name}' goes from {low.value:g} to {high.value:g} {low.unit}".rstrip()
        raise Unfit("to", told, "write the lesser value first")
    count = said.get("with")
    if count is None:
        return Varied(name, low.value, high.value, (), low.unit)
    if not 2 <= count <= MOST_RUNS:
        raise Unfit("with", f"both bounds are values, so there are 2 or more, not {count}",
                    "write with 5 values")  # fmt: skip
    part = (high.value - low.value) / (count - 1)
    values = (*(low.value + k * part for k in range(count - 1)), high.value)
    return Varied(name, low.value, high.value, values, low.unit)


def _measure(said: Said) -> Measure:
    path = next(value for _, value in said.values if isinstance(value, str))
    if said.words[0] in STATISTICS:
        return Measure(path, said.words[0])
    if said.words[0] == "difference":
        *_, file = (value for _, value in said.values)
        return Measure(path, "difference", file=file, column=said.get("column", ""))
    time = said.get("at")
    if time is None:
        return Measure(path, "at", said.words[1])
    if time < 0.0:
        raise Unfit("at", f"a run begins at 0 s, not at {time:g} s", "remove '-'")
    return Measure(path, "at", time)


def _kept(said: Said) -> Kept:
    above = "above" in said.words
    bound = said.get("above" if above else "below")
    words = tuple(each for each in said.words if each not in ("above", "below"))
    return Kept(_measure(Said(words, said.values, said.span)), above, bound)


def _samples(said: Said) -> int:
    count: int = said.get()
    if not 1 <= count <= MOST_RUNS:
        raise Unfit("", f"samples are from 1 to {MOST_RUNS:,}, not {count}", "write samples: 100")
    return count


_MEASURES = (
    *(f"{each} <path>" for each in STATISTICS),
    *(f"<path> at {each}" for each in INSTANTS),
    "<path> at <time>",
)
_COMPARED = "difference of <path> to [column <text> of] <text>"
_KEPT = tuple(f"{each} {side} <bound>" for each in _MEASURES for side in ("below", "above"))

VARY: dict[str, Clause] = {
    "parameters": Clause(
        (
            "<parameter> from <value> to <value> [with <count> values]",
            "<parameter> in <values>",
            "<parameter> at <value> within <value> [normal]",
        ),
        "what is varied: angle from 10 deg to 60 deg with 6 values, mass in (1 kg, 2 kg)",
        several=True, needed=True, field="parameters", read=_varied,
        key=lambda each: each.parameter,
    ),
    "samples": Clause(("<count>",), "how many samples of parameters between bounds",
                      field="samples", read=_samples),
    "measure": Clause((*_MEASURES, _COMPARED),
                      "numbers of each run: max hinge.rate, body.center.x at impact",
                      several=True, field="measures", read=_measure),
    "keep": Clause(_KEPT, "what the best design has to keep: max hinge.force below 2 kN",
                   several=True, field="keep", read=_kept),
    "plot": Clause(("<path>",), "what is drawn over time, a line a run", several=True,
                   field="plots"),
    "time": Clause(("<times>",), "the step and the end; those of simulate", field="times"),
    "seed": SEED,
}  # fmt: skip
"""Clauses of ``vary``."""
