"""Worlds written as FMUs, for simulators that know the Functional Mock-up Interface."""

from __future__ import annotations

import hashlib
import importlib
import io
import json
import os
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

from articulata.analyses.simulate.run import Run
from articulata.analyses.simulate.run_question import ready
from articulata.analyses.simulate.stepped_run import SteppedRun, observations_of
from articulata.kinematics.described_figure import identifier
from articulata.records.files import write_whole
from articulata.records.recorder import Recorder
from articulata.sessions.environments import episodes_of
from articulata.world.model import World
from articulata.world.requests.request import Request

MODULE = '''"""The world of this FMU, which articulata moves."""

import articulata.sessions.fmu_slave as fmu_slave


class {name}(fmu_slave.WorldSlave):
    """A world of Articulata."""


fmu_slave.KEPT.append(globals())
'''


def export_fmu(
    world: World | Request | str | os.PathLike[str],
    to: str | os.PathLike[str],
    *,
    observations: Sequence[str] | None = None,
    **run: Any,
) -> None:
    """Write a world, a request to simulate one, or their file as an FMU (FMI 2.0, co-simulation).

    Inputs are the numbers of the world's controllers, outputs what ``observations`` name (as for
    ``environment``), parameters those of the world's text. ``run`` are ``until``, ``step`` (s),
    ``method``, ``domains`` and ``contact`` of ``simulate``. Where it is used, Python with
    articulata has to be found.
    """
    slave = importlib.import_module("articulata.sessions.fmu_slave")
    question = episodes_of(world, {}, run).question
    paths = observations_of(SteppedRun(question).snapshot, observations).paths
    name = identifier(question.world.name)
    with TemporaryDirectory(prefix="articulata_fmu_") as made:
        folder = Path(made)
        header = Run(question, ready(question)[1], 0).header
        Recorder(header, folder / slave.RUN).close()
        (folder / slave.OUTPUTS).write_text(json.dumps(paths), encoding="utf-8")
        files = {f"resources/{each.name}": each.read_bytes() for each in folder.iterdir()}
        model: Any = type(name, (slave.WorldSlave,), {})(instance_name=name, resources=made)
    files |= dict(_binaries(name))
    model.guid = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:32]
    # one process may hold several FMUs: each has a module of its own
    module = f"{name}_{model.guid}"
    files |= {
        f"resources/{module}.py": MODULE.format(name=name).encode(),
        "resources/slavemodule.txt": module.encode(),
    }
    xml = model.to_xml()
    ElementTree.indent(xml)
    description = ElementTree.tostring(xml, "UTF-8", xml_declaration=True)
    write_whole(Path(to), _archive({"modelDescription.xml": description, **files}))


def _binaries(name: str) -> Iterator[tuple[str, bytes]]:
    """Yield PythonFMU and its binaries, as they lie in an FMU called ``name``."""
    package = Path(str(importlib.import_module("pythonfmu").__file__)).parent
    for file in sorted(package.glob("*.py")):
        yield f"resources/pythonfmu/{file.name}", file.read_bytes()
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
