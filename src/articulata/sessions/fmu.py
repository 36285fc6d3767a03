"""Worlds written as FMUs (FMI 2.0 or 3.0, co-simulation), FMUs of others as controllers (2.0).

The controllers' FMUs are run by FMPy.
"""

from __future__ import annotations

import hashlib
import importlib
import io
import json
import os
import shutil
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

from articulata.analyses.simulate.run import Run
from articulata.analyses.simulate.run_question import ready
from articulata.analyses.simulate.stepped_run import SteppedRun, observations_of
from articulata.domains.protocols import Controller, Sensed
from articulata.errors import ControllerError, FormatError, MissingExtra
from articulata.kinematics.described_figure import identifier
from articulata.records.files import write_whole
from articulata.records.recorder import Recorder
from articulata.sessions.environments import episodes_of
from articulata.sessions.fmu_world import OUTPUTS, RUN
from articulata.world.model import World
from articulata.world.paths import hint
from articulata.world.requests.request import Request

EXTRAS = {2: "fmu", 3: "fmu3"}
"""The extra that writes each version of FMI; ``python`` before it is the name of its library."""

MODULE = '''"""The world of this FMU, which articulata moves."""

import articulata.sessions.{extra}_slave as slave
import python{extra}


class {name}(slave.WorldSlave, python{extra}.Fmi{fmi}Slave):
    """A world of Articulata."""


slave.KEPT.append(globals())
'''
"""The module in an FMU: PythonFMU3 finds the class by the word ``Fmi3Slave`` among its bases."""


def export_fmu(
    world: World | Request | str | os.PathLike[str],
    to: str | os.PathLike[str],
    *,
    observations: Sequence[str] | None = None,
    fmi: int = 2,
    **run: Any,
) -> None:
    """Write a world, a request to simulate one, or their file as an FMU for co-simulation.

    ``fmi`` is 2 (FMI 2.0) or 3 (FMI 3.0). Inputs are the numbers of controllers, outputs
    what ``observations`` name (as for ``environment``), parameters those of the world's text.
    ``run`` are ``until``, ``step`` (s), ``method``, ``domains`` and ``contact`` of ``simulate``.
    Where it is used, Python with articulata has to be found. Raises MissingExtra where the library
    that writes it is not installed, FormatError for another ``fmi``.
    """
    if fmi not in EXTRAS:
        raise FormatError(f"FMI {fmi} is not written; ask for 2 or 3")
    library, extra = _library(EXTRAS[fmi]), EXTRAS[fmi]
    slave = importlib.import_module(f"articulata.sessions.{extra}_slave")
    base = getattr(library, f"Fmi{fmi}Slave")
    question = episodes_of(world, {}, run).question
    paths = observations_of(SteppedRun(question).snapshot, observations).paths
    name = identifier(question.world.name)
    with TemporaryDirectory(prefix="articulata_fmu_") as made:
        folder = Path(made)
        header = Run(question, ready(question)[1], 0).header
        Recorder(header, folder / RUN).close()
        (folder / OUTPUTS).write_text(json.dumps(paths), encoding="utf-8")
        files = {f"resources/{each.name}": each.read_bytes() for each in folder.iterdir()}
        model: Any = type(name, (slave.WorldSlave, base), {})(instance_name=name, resources=made)
    files |= dict(_binaries(library, name))
    model.guid = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:32]
    # one process may hold several FMUs: each has a module of its own
    module = f"{name}_{model.guid}"
    files |= {
        f"resources/{module}.py": MODULE.format(name=name, extra=extra, fmi=fmi).encode(),
        "resources/slavemodule.txt": module.encode(),
    }
    xml = model.to_xml()
    ElementTree.indent(xml)
    description = ElementTree.tostring(xml, "UTF-8", xml_declaration=True)
    write_whole(Path(to), _archive({"modelDescription.xml": description, **files}))


def _library(extra: str) -> ModuleType:
    """Return PythonFMU or PythonFMU3; MissingExtra where it is not installed."""
    name = f"python{extra}"
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise MissingExtra(
            f"such an FMU needs the package {name}; install it with: "
            f"pip install 'articulata[{extra}]'"
        ) from None


def _binaries(library: ModuleType, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield a library and its binaries, as they lie in an FMU called ``name``."""
    package = Path(str(library.__file__)).parent
    for file in sorted(package.glob("*.py")):
        yield f"resources/{package.name}/{file.name}", file.read_bytes()
    binaries = package / "resources" / "binaries"
    for file in sorted(binaries.rglob("*")):
        if file.suffix in (".dll", ".so", ".dylib"):
            place = file.relative_to(binaries).parent.as_posix()
            yield f"binaries/{place}/{name}{file.suffix}", file.read_bytes()


def _archive(files: dict[str, bytes]) -> bytes:
    """Return a zip archive that is the same for the same files."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return data.getvalue()


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
