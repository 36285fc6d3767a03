"""Controllers that other programs have written as FMUs (FMI 2.0 for co-simulation), by FMPy."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from articulata.domains.protocols import Controller, Sensed
from articulata.errors import ControllerError, FormatError, MissingExtra
from articulata.world.paths import hint


@contextmanager
def fmu_controllers(
    file: str | os.PathLike[str],
    inputs: Mapping[str, str],
    outputs: Mapping[str, str | Sequence[str]],
    parameters: Mapping[str, float] | None = None,
) -> Iterator[Mapping[str, Controller]]:
    """Give controllers for one run of ``simulate`` that an FMU answers for.

    ``inputs`` say which path (one number, SI units) each input of the FMU senses, ``outputs`` which
    output, or outputs in order, each controller gives; ``parameters`` are set before it starts.
    The FMU goes each cycle with what was sensed at its end, and what it gives holds for the next.
    An FMU is a program and is executed. Raises FormatError for a file that is no such FMU,
    ControllerError for a variable that it has not.
    """
    try:
        import fmpy
        from fmpy.fmi2 import FMU2Slave
    except ModuleNotFoundError as error:
        if error.name != "fmpy":
            raise
        raise MissingExtra(
            "an FMU as a controller needs the package fmpy; install it with: "
            "pip install 'articulata[fmi]'"
        ) from None
    try:
        told: Any = fmpy.read_model_description(os.fspath(file))
    except Exception as error:  # whatever its readers of XML and archives raise
        raise FormatError(f"{file} cannot be read as an FMU: {error}") from error
    if told.fmiVersion != "2.0" or told.coSimulation is None:
        raise FormatError(f"{file} is no FMU of FMI 2.0 for co-simulation; export it as one")
    known = {each.name: each for each in told.modelVariables}
    folder = Path(fmpy.extract(os.fspath(file)))
    slave: Any = None
    try:
        slave = FMU2Slave(
            guid=told.guid,
            unzipDirectory=str(folder),
            modelIdentifier=told.coSimulation.modelIdentifier,
            instanceName=Path(file).stem,
        )
        slave.instantiate()
        going = _Going(slave, known, dict(inputs), parameters or {})
        yield {name: going.controller(name, each) for name, each in outputs.items()}
    finally:
        if slave is not None:
            with suppress(Exception):  # one that has failed need not end well
                slave.terminate()
                slave.freeInstance()
        shutil.rmtree(folder, ignore_errors=True)


class _Going:
    """An FMU at work: it is asked for the first time at the start of a run."""

    def __init__(
        self,
        slave: Any,
        known: Mapping[str, Any],
        inputs: Mapping[str, str],
        parameters: Mapping[str, float],
    ) -> None:
        self._slave, self._known = slave, known
        self._inputs = {self._reference(name, "input"): path for name, path in inputs.items()}
        self._time: float | None = None
        self._given: dict[tuple[int, ...], list[float]] = {}
        slave.setupExperiment(startTime=0.0)
        for name, value in parameters.items():
            slave.setReal([self._reference(name, "parameter")], [float(value)])
        slave.enterInitializationMode()

    def controller(self, name: str, outputs: str | Sequence[str]) -> Controller:
        """Return the function of a controller that gives ``outputs``."""
        listed = [outputs] if isinstance(outputs, str) else list(outputs)
        references = tuple(self._reference(each, "output") for each in listed)

        def give(time: float, sensed: Sensed) -> Any:
            self._come_to(sensed)
            if references not in self._given:
                self._given[references] = list(self._slave.getReal(list(references)))
            found = self._given[references]
            return found[0] if isinstance(outputs, str) else found

        return give

    def _come_to(self, sensed: Sensed) -> None:
        """Go to the end of the cycle that was completed last."""
        if sensed.time == self._time:
            return
        if self._time is not None and sensed.time < self._time:
            raise ControllerError("an FMU answers one run alone; open it anew for the next")
        values = [float(sensed.value(path)) for path in self._inputs.values()]
        self._slave.setReal(list(self._inputs), values)
        if self._time is None:
            self._slave.exitInitializationMode()
            if sensed.time > 0.0:
                self._slave.doStep(0.0, sensed.time)
        else:
            self._slave.doStep(self._time, sensed.time - self._time)
        self._time = sensed.time
        self._given = {}

    def _reference(self, name: str, causality: str) -> int:
        fitting = [
            each.name
            for each in self._known.values()
            if each.causality == causality and each.type == "Real"
        ]
        if name not in fitting:
            raise ControllerError(
                f"the FMU has no {causality} '{name}' that is a real number{hint(name, fitting)}"
            )
        return int(self._known[name].valueReference)
