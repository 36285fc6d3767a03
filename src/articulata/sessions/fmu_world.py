"""What runs inside an FMU: a world that another simulator steps (FMI for co-simulation).

An FMU holds a recording without frames, ``world.artrun``, which says everything about the run, and
``outputs.json`` with the paths that are observed. The slaves of FMI 2.0 and 3.0 are such a world
and the class of a library that the library's binary calls.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from articulata.analyses.simulate.replaying import question_of
from articulata.analyses.simulate.run_question import Question
from articulata.analyses.simulate.stepped_run import (
    NUMBERS,
    Observations,
    SteppedRun,
    observations_of,
)
from articulata.errors import FormatError
from articulata.records.recording import load
from articulata.sessions.environments import with_parameters
from articulata.world.document import Document, parse

RUN, OUTPUTS = "world.artrun", "outputs.json"
"""The files of an FMU that say what it runs and what it gives."""

KEPT: list[Any] = []
"""Names of the modules of FMUs, once for each run of a module: the binary of PythonFMU 0.7 gives a
reference to them back that it only borrowed, each time that it makes an instance."""

UNITS: dict[str, dict[str, str]] = {
    "m": {"m": "1"},
    "rad": {"rad": "1"},
    "m/s": {"m": "1", "s": "-1"},
    "rad/s": {"rad": "1", "s": "-1"},
    "m/s^2": {"m": "1", "s": "-2"},
    "rad/s^2": {"rad": "1", "s": "-2"},
    "N": {"kg": "1", "m": "1", "s": "-2"},
    "N m": {"kg": "1", "m": "2", "s": "-2"},
    "J": {"kg": "1", "m": "2", "s": "-2"},
    "W": {"kg": "1", "m": "2", "s": "-3"},
    "kg": {"kg": "1"},
    "s": {"s": "1"},
}
"""Units by the exponents of their base units."""


@dataclass(frozen=True, slots=True)
class Contents:
    """What an FMU holds: its run, the text that has parameters, and the paths observed."""

    question: Question
    document: Document | None
    paths: tuple[str, ...]

    @property
    def parameters(self) -> dict[str, float | None]:
        """The parameters of the world with the values of the run, SI units."""
        if self.document is None:
            return {}
        world = self.question.world
        known = self.document.parameters(world.name)
        return known | dict(zip(known, world.arguments, strict=False))


def contents_of(folder: Path) -> Contents:
    """Return what the resources of an FMU hold; FormatError or RecordingError for others."""
    recording = load(folder / RUN)
    try:
        paths = json.loads((folder / OUTPUTS).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FormatError(f"{folder / OUTPUTS} cannot be read ({error})") from None
    if not (isinstance(paths, list) and all(isinstance(each, str) for each in paths)):
        raise FormatError(f"{folder / OUTPUTS} holds no list of paths")
    question = question_of(recording)
    text = question.world.text
    return Contents(question, parse(text) if text else None, tuple(paths))


class SteppedWorld:
    """A world as the slaves of either version have it; their other base is the class of a library.

    Inputs are the numbers of the world's controllers, zero at first; parameters are those of its
    text and hold from the start; outputs are what ``outputs.json`` names. One step is one cycle.
    """

    library: str
    prefix: str
    real: str
    """The library, what its names begin with, and what it calls a variable of real numbers."""

    resources: str
    vars: dict[int, Any]
    register_variable: Callable[..., None]

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._contents = contents_of(Path(self.resources))
        question = self._contents.question
        self._parameters = dict(self._contents.parameters)
        self._begin, self._seen = 0.0, np.zeros(0)
        self._inputs: dict[str, list[float]] = {}
        self._run: SteppedRun | None = None
        self._observed: Observations
        run = self.started()
        self.author, self.description = "Articulata", f"the world {question.world.name}"
        self.default_experiment = self.of("DefaultExperiment")(0.0, question.until, question.step)
        for name, parts in run.inputs.items():
            self._inputs[name] = [0.0] * max(1, len(parts))
            for number, part in enumerate(parts or ("",)):
                label = f"{name}.{part}" if part else name
                self._register(label, "input", *_slot(self._inputs[name], number))
        for name, value in self._parameters.items():
            if value is not None:
                self._register(name, "parameter", *self._parameter(name))
        for number, name in enumerate(self._observed.names):
            self._register(name, "output", self._output(number))
        self._run = None

    def of(self, name: str) -> Any:
        """Return what the library calls ``name``."""
        return getattr(importlib.import_module(self.library), name)

    @property
    def now(self) -> float:
        """The time (s) that the run has come to, as the other simulator counts it."""
        return self._begin + self.started().moment.time

    def started(self) -> SteppedRun:
        """Return the run, begun with the parameters and inputs of now where none is under way."""
        if self._run is None:
            question, document = self._contents.question, self._contents.document
            given, known = self._contents.parameters, self._parameters
            changed = {n: v for n, v in known.items() if v is not None and v != given[n]}
            if changed and document is not None:
                world = with_parameters(document, question.world.name, given, changed)
                question = replace(question, world=world)
            self._run = SteppedRun(question, holding=self._inputs)
            self._observed = observations_of(self._run.snapshot, self._contents.paths)
            self._seen = self._observed.vector(self._run.moment)
        return self._run

    def exit_initialization_mode(self) -> None:
        """Begin the run with what is set."""
        self._run = None
        self.started()

    def do_step(self, current_time: float, step_size: float) -> Any:
        """Go on by ``step_size`` (s) with the inputs as they are; False where a clause ended it."""
        run = self.started()
        if run.stopped:
            return False
        if run.moment.time == 0.0:  # time is counted from the first step: only FMI 2.0 tells before
            self._begin = current_time
        run.hold(self._inputs)
        self._seen = self._observed.vector(run.advance(current_time - self._begin + step_size))
        return not run.stopped

    def to_xml(self, model_options: dict[str, str] | None = None) -> ElementTree.Element:
        """Return the model description, with units."""
        root: ElementTree.Element = super().to_xml(model_options or {})  # type: ignore[misc] # by the library
        del root.attrib["generationDateAndTime"]  # the same world gives the same file
        root.set("variableNamingConvention", "flat")
        root.set("generationTool", f"Articulata, {root.get('generationTool')}")
        used = {name: unit for name, unit in self._unit.items() if unit in UNITS}
        units = ElementTree.Element("UnitDefinitions")
        for unit in sorted(set(used.values())):
            element = ElementTree.SubElement(units, "Unit", {"name": unit})
            ElementTree.SubElement(element, "BaseUnit", UNITS[unit])
        if used:
            place = next(k for k, each in enumerate(root) if each.tag == "CoSimulation")
            root.insert(place + 1, units)
        for variable in root.iterfind("ModelVariables/*"):
            if (name := variable.get("name", "")) in used:
                next(iter(variable), variable).set("unit", used[name])  # FMI 2.0 has a Real in it
        return root

    @property
    def _unit(self) -> dict[str, str]:
        found = dict(zip(self._observed.names, self._observed.units, strict=True))
        for drive in self._contents.question.world.drives.values():
            hinge = self._contents.question.world.hinges.get(drive.target)
            slides = hinge is not None and hinge.kind.coordinates[:1] == ("travel",)
            slides |= drive.target.endswith(".travel")
            for number, part in enumerate(NUMBERS[drive.kind] or ("",)):
                label = f"{drive.controller}.{part}" if part else drive.controller
                turns = "rad/s^2" if number >= 3 else "m/s^2"
                units = {"acceleration": turns, "force": "N", "hinge": "N" if slides else "N m"}
                found[label] = units.get(drive.kind, "N m")
        return found

    def _register(
        self,
        name: str,
        causality: str,
        getter: Callable[[], float],
        setter: Callable[[float], None] | None = None,
    ) -> None:
        if any(each.name == name for each in self.vars.values()):
            raise FormatError(f"two variables of the FMU are called '{name}'; leave one out")
        variability = "fixed" if causality == "parameter" else "continuous"
        variable = self.of(self.real)(
            name,
            causality=self.of(f"{self.prefix}Causality")[causality],
            variability=self.of(f"{self.prefix}Variability")[variability],
            getter=getter,
            setter=setter,
        )
        self.register_variable(variable, nested=False)

    def _output(self, number: int) -> Callable[[], float]:
        def get() -> float:
            self.started()
            return float(self._seen[number])

        return get

    def _parameter(self, name: str) -> tuple[Callable[[], float], Callable[[float], None]]:
        def get() -> float:
            return float(self._parameters[name] or 0.0)

        def put(value: float) -> None:
            self._parameters[name], self._run = value, None

        return get, put


def _slot(values: list[float], number: int) -> tuple[Callable[[], float], Callable[[float], None]]:
    """Return what reads and what writes one number of a list."""

    def put(value: float) -> None:
        values[number] = value

    return (lambda: values[number]), put
