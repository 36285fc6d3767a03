"""Ways through time: each a value that says which integrator runs and how closely.

``step`` of a method is the integrator's own, in s; a simulation's ``step`` is the control cycle
and output interval, which the integrator divides evenly.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, TypeAlias, get_args

from articulata.errors import ModelError
from articulata.geometry.scalars import finite, whole
from articulata.world.requests.request import MOST_ITERATIONS, OptionValue


def _check(method: object, *names: str) -> None:
    """Turn the named fields into floats and refuse what is not finite and > 0."""
    for name in names:
        given = getattr(method, name)
        value = finite(given)
        if value is None or value <= 0:
            raise ModelError(
                f"{type(method).__name__}({name}={given!r}): give a finite number greater than 0"
            )
        object.__setattr__(method, name, value)


@dataclass(frozen=True, slots=True)
class DOP853:
    """Dormand and Prince's explicit method of order 8 with step control and projection.

    ``relative`` and ``absolute`` bound the error of a step in every state variable.
    """

    relative: float = 1e-10
    absolute: float = 1e-12

    def __post_init__(self) -> None:
        _check(self, "relative", "absolute")


@dataclass(frozen=True, slots=True)
class RK4:
    """The classical method of order 4 with fixed ``step`` (s) and projection."""

    step: float = 1e-3

    def __post_init__(self) -> None:
        _check(self, "step")


@dataclass(frozen=True, slots=True)
class Symplectic:
    """A variational method with fixed ``step`` (s): energy errors stay bounded over long runs."""

    step: float = 1e-3

    def __post_init__(self) -> None:
        _check(self, "step")


@dataclass(frozen=True, slots=True)
class RealTime:
    """A method of known cost a ``step`` (s); gaps are pulled shut as springs would (Baumgarte)."""

    step: float = 1e-3

    def __post_init__(self) -> None:
        _check(self, "step")


@dataclass(frozen=True, slots=True)
class Euler1986:
    """The explicit Euler method of the 1986 program, gaps and all; ``step`` (s) is the cycle."""


Integrator: TypeAlias = Literal["Euler", "RK4", "implicit", "implicitfast"]


@dataclass(frozen=True, slots=True)
class MuJoCo:
    """The same world moved by MuJoCo (extra ``mujoco``), as a check and for many contacts.

    ``step`` (s) is MuJoCo's; ``integrator`` one of its own. Loops and contacts are soft there;
    ``contacts=False`` lets bodies pass through each other.
    """

    step: float = 1e-3
    integrator: Integrator = "RK4"
    contacts: bool = True

    def __post_init__(self) -> None:
        _check(self, "step")
        if not isinstance(self.contacts, bool):
            raise ModelError(f"MuJoCo(contacts={self.contacts!r}): give True or False")
        if self.integrator not in get_args(Integrator):
            known = ", ".join(get_args(Integrator))
            raise ModelError(f"MuJoCo has no integrator {self.integrator!r}; known: {known}")


@dataclass(frozen=True, slots=True)
class Stepping:
    """Steps of fixed length with many contacts at once, after Moreau and Jean.

    Impacts and changes of contacts are resolved to one ``step`` (s). The forces of a step are found
    by up to ``iterations`` rounds over the contacts, until they change by less than ``tolerance``
    of the largest.
    """

    step: float = 1e-3
    iterations: int = 200
    tolerance: float = 1e-10

    def __post_init__(self) -> None:
        _check(self, "step", "tolerance")
        rounds = whole(self.iterations)
        if rounds is None or not 0 < rounds <= MOST_ITERATIONS:
            raise ModelError(
                f"Stepping(iterations={self.iterations!r}): give a whole number from 1 to "
                f"{MOST_ITERATIONS:,}"
            )
        object.__setattr__(self, "iterations", rounds)


Method: TypeAlias = DOP853 | RK4 | Symplectic | RealTime | Euler1986 | Stepping
"""What our own equations are integrated by."""

AnyMethod: TypeAlias = Method | MuJoCo
"""What may carry a world through time."""

METHODS: dict[str, type[AnyMethod]] = {
    "dop853": DOP853,
    "rk4": RK4,
    "symplectic": Symplectic,
    "real.time": RealTime,
    "realtime": RealTime,
    "euler1986": Euler1986,
    "stepping": Stepping,
    "mujoco": MuJoCo,
}
"""Methods by the names a text uses."""


INTEGRATORS: dict[str, Integrator] = {name.lower(): name for name in get_args(Integrator)}
"""MuJoCo's integrators by the names a text uses."""


def method_named(name: str) -> AnyMethod:
    """Return the method a text names, with its usual settings."""
    return _kind_named(name)()


def method_chosen(name: str, choices: OptionValue | None) -> AnyMethod:
    """Return the method ``name`` with the options of a request's ``method:``.

    ``choices`` are the name and the options of ``method:``; those of another method do not count.
    """
    made = _kind_named(name)
    if not (isinstance(choices, tuple) and choices and _kind_named(str(choices[0])) is made):
        return made()
    given: dict[str, Any] = {}
    for each in choices[1:]:
        if not (isinstance(each, tuple) and len(each) == 2):
            raise ModelError(f"method: {each!r} is no option; give its name and its value")
        given[str(each[0])] = each[1]
    known = [each.name for each in fields(made)]
    for option, value in given.items():
        if option not in known:
            raise ModelError(f"method: {made.__name__} takes no '{option}'; it takes {known}")
        if option == "iterations" and isinstance(value, float) and value.is_integer():
            given[option] = int(value)
        if option == "integrator":
            given[option] = INTEGRATORS.get(str(value).lower(), value)
    return made(**given)


def _kind_named(name: str) -> type[AnyMethod]:
    made = METHODS.get(name.lower().replace(" ", "").replace("_", ""))
    if made is None:
        known = ", ".join(METHODS)
        raise ModelError(f"there is no method '{name}'; known: {known}")
    return made
