"""The one exception tree of Articulata, and the diagnostics that a world's text can raise.

::

    ArticulataError
    |-- WorldError            a world that cannot be used; carries diagnostics
    |-- NameNotFound          a path or name that does not resolve, or resolves twice
    |-- GeometryError         a shape, rotation or solid that cannot exist
    |-- KinematicsError       a chain, figure or posture that cannot be used
    |   `-- AssemblyError     joins that cannot all be met
    |-- ModelError            a domain cannot be built from a world
    |-- ControllerError       a controller is missing, raised, or returned something unusable
    |-- SimulationError       a run cannot go on
    |   `-- InconsistentSystem    A x = b has no solution
    |-- RecordingError        a recording cannot be read or written
    |-- FormatError           a foreign file cannot be read or written
    `-- MissingExtra          an optional package is needed and not installed

Every message says what was given, what is allowed and what to do about it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about a world's text, placed where a reader would look for it.

    ``line`` and ``column`` count from 1; ``end_line`` and ``end_column`` close the marked
    range (exclusive). ``code`` is stable across versions and documented; ``suggestion`` says
    what to write instead, or is empty.
    """

    file: str
    line: int
    column: int
    severity: Literal["error", "warning"]
    code: str
    message: str
    suggestion: str = ""
    end_line: int = 0
    end_column: int = 0


class ArticulataError(Exception):
    """Root of every error that Articulata raises on purpose."""


class WorldError(ArticulataError):
    """A world that cannot be used; ``diagnostics`` holds every finding, ``str()`` shows them."""

    def __init__(self, message: str, diagnostics: tuple[Diagnostic, ...] = ()) -> None:
        super().__init__(message)
        self.diagnostics = diagnostics


class NameNotFound(ArticulataError):
    """A path or name that does not resolve, or resolves to more than one thing."""


class GeometryError(ArticulataError):
    """A shape, rotation or solid that cannot exist."""


class KinematicsError(ArticulataError):
    """A chain, figure or posture that cannot be used."""


class AssemblyError(KinematicsError):
    """Joins that cannot all be met. ``joins`` names the ones in conflict."""

    def __init__(self, message: str, joins: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.joins = joins


class ModelError(ArticulataError):
    """A domain cannot be built from a world: a mass of zero, a domain that is missing."""


class ControllerError(ArticulataError):
    """A controller is missing, raised an exception, or returned something unusable."""


class SimulationError(ArticulataError):
    """A run cannot go on. What was recorded until then stays readable."""


class InconsistentSystem(SimulationError):
    """``A x = b`` has no solution at ``time`` (s).

    ``constraints`` names the hinges, contacts and controls in conflict.
    """

    def __init__(
        self, message: str, constraints: tuple[str, ...] = (), time: float = math.nan
    ) -> None:
        super().__init__(message)
        self.constraints = constraints
        self.time = time


class RecordingError(ArticulataError):
    """A recording cannot be read or written."""


class FormatError(ArticulataError):
    """A foreign file cannot be read or written. The message names the file and the place."""


class FormatWarning(UserWarning):
    """A foreign file was read, but something in it was passed over or taken otherwise."""


class MissingExtra(ArticulataError):
    """An optional package is needed and not installed; the message gives the command."""
