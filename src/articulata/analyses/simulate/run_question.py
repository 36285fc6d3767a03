"""What was asked for: the world, the times and the method of a run, checked before it starts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import get_args

import numpy as np

from articulata.domains.assemble import Models, build
from articulata.domains.dynamic.contact.laws import Contact, contact_chosen
from articulata.domains.dynamic.methods import DOP853, AnyMethod, method_chosen
from articulata.errors import SimulationError
from articulata.geometry.arrays import Array
from articulata.geometry.scalars import finite, whole
from articulata.kinematics.assembly.assembling import assemble
from articulata.records.state import State
from articulata.world.model import OneWorld, World
from articulata.world.requests.request import MOST_STEPS, Request, Rule
from articulata.world.unfit_arguments import not_taken

STEP = 0.01
"""Control cycle and output interval (s) where neither call nor text gives one."""

INSTANT = 1e-9
"""What lies closer to each other than this (s) is one instant."""


@dataclass(frozen=True, slots=True)
class Question:
    """One run: ``step`` (s) is the control cycle and output interval, ``until`` (s) the end.

    ``instants`` (s) are more times at which a frame is due.
    """

    world: World
    until: float
    step: float
    method: AnyMethod
    domains: tuple[str, ...] | None
    contact: Contact | None = None
    start: State | None = None
    rules: tuple[Rule, ...] = ()
    instants: tuple[float, ...] = ()

    @property
    def begin(self) -> float:
        """The time of the first frame (s)."""
        return 0.0 if self.start is None else self.start.time

    @property
    def laws(self) -> tuple[str, dict[str, float | str | bool | None]]:
        """The method's name, and its parameters with those of contact."""
        contact = {} if self.contact is None else self.contact.settings()
        return type(self.method).__name__, {**asdict(self.method), **contact}

    @property
    def times(self) -> Array:
        """The times of all frames (s): the start, multiples of ``step``, instants, and the end."""
        whole = math.floor(self.until / self.step * (1 + 1e-12) + 1e-9)
        times = self.step * np.arange(whole + 1)
        if self.until - times[-1] > 1e-9 * self.step:
            times = np.append(times, self.until)
        if self.instants:
            both = np.concatenate([times, self.instants])
            order = np.argsort(both, kind="stable")
            apart = np.diff(both[order], prepend=-np.inf) > INSTANT
            times = both[order][apart]
        if self.start is not None:
            later = times[times > self.begin + 1e-9 * self.step]
            times = np.concatenate([[self.begin], later])
        return np.asarray(times, dtype=np.float64)


def asked(
    world: World | Request,
    *,
    until: float | None,
    step: float | None,
    method: AnyMethod | None,
    domains: tuple[str, ...] | None,
    contact: Contact | None = None,
    start: State | None = None,
    rules: tuple[Rule, ...] | None = None,
    instants: Sequence[float] = (),
) -> Question:
    """Return the run that a call asks for; what it leaves open is taken from the request."""
    if not isinstance(world, World | Request):
        raise not_taken("simulate", "a world or a request", world)
    request = world if isinstance(world, Request) else None
    if request is not None:
        if request.kind != "simulate":
            raise SimulationError(
                f"{request.span}: this request asks to {request.kind}; give one that says simulate"
            )
        until = request.until if until is None else until
        step = request.step if step is None else step
        domains = request.domains if domains is None else domains
        if method is None and request.method is not None:
            method = method_chosen(request.method, (request.options or {}).get("method"))
        rules = request.rules if rules is None else rules
    if until is None:
        raise SimulationError("say until when to simulate: until=10.0 (s), or time: in the text")
    until = _time("until", until, least=0.0)
    step = _time("step", STEP if step is None else step, least=None)
    model = world.elaborate() if isinstance(world, Request) else world
    if contact is None and (domains is None or "interference" in domains):
        options = (request.options if request is not None else None) or {}
        contact = contact_chosen(options.get("contact"))
    made = DOP853() if method is None else method
    rule = None if contact is None else contact.friction_rule
    for each in (step, getattr(made, "step", None), getattr(rule, "step", None)):
        _check_count("until", until, each)
    _check_count("step", step, None if contact is None else contact.steps)
    for each in (min(instants, default=0.0), max(instants, default=0.0)):
        if not 0.0 <= each <= until:
            raise SimulationError(f"instants lie from 0 to {until:g} s, not at {each:g} s")
    if start is not None and until < start.time:
        raise SimulationError(
            f"until = {until:g} s lies before the state to start from, {start.time:.9g} s; "
            "both count from the same zero"
        )
    return Question(model, until, step, made, domains, contact, start, rules or (), tuple(instants))


def check_kinds(
    *, method: object, contact: object, domains: object, start: object, rules: object, seed: object
) -> None:
    """Raise SimulationError for an argument that is of another kind than what it stands for."""
    if method is not None and not isinstance(method, get_args(AnyMethod)):
        known = ", ".join(f"{kind.__name__}()" for kind in get_args(AnyMethod))
        raise SimulationError(f"method = {method!r} is no way through time; give one of {known}")
    if contact is not None and not isinstance(contact, Contact):
        raise SimulationError(
            f"contact = {contact!r} holds no laws; give Contact(...), as Contact(Poisson())"
        )
    if domains is not None and not _all(domains, str):
        raise SimulationError(
            f"domains = {domains!r} are no names; give several, as ('geometric', 'dynamic')"
        )
    if start is not None and not isinstance(start, State):
        raise SimulationError(
            f"start = {start!r} is no state; give one of a recording, as recording.state(2.0)"
        )
    if rules is not None and not _all(rules, Rule):
        raise SimulationError(
            f"rules = {rules!r} are no clauses; give those of a request: request.rules"
        )
    number = whole(seed)
    if number is None or not -(2**63) <= number < 2**63:
        raise SimulationError(f"seed = {seed!r} cannot be; give a whole number of up to 63 bits")


def _all(values: object, kind: type) -> bool:
    """Return whether ``values`` is a list or tuple of one kind; a text is no list of texts."""
    return isinstance(values, list | tuple) and all(isinstance(each, kind) for each in values)


def _check_count(name: str, span: float, step: float | None) -> None:
    """Raise SimulationError where a time ``span`` takes more steps (s) than could be waited for."""
    if step is not None and span > MOST_STEPS * step:
        raise SimulationError(
            f"{name} = {span:g} s in steps of {step:g} s are more than {MOST_STEPS:,} steps; "
            "make the step longer or the end earlier"
        )


def _time(name: str, value: float, *, least: float | None) -> float:
    number = finite(value)
    if number is None or (number <= 0 if least is None else number < least):
        bound = "greater than 0" if least is None else "0 or greater"
        raise SimulationError(f"{name} = {value!r} s cannot be; give a finite number {bound}")
    return number


def ready(question: Question) -> tuple[World, Models]:
    """Return the world of a question with its hinges closed, and what moves in it."""
    known = question.start is not None
    whole = question.world if known else _assembled(OneWorld(question.world))
    return whole, build(whole, question.domains)


@lru_cache(maxsize=1)
def _assembled(one: OneWorld) -> World:
    """Return a world with its hinges closed, once where it runs again and again."""
    return assemble(one.world)
