"""What runs inside an FMU of FMI 2.0: PythonFMU calls the class from its binary.

Reference: Functional Mock-up Interface 2.0.4, sections 2.2 and 4.3.
"""

from __future__ import annotations

from xml.etree import ElementTree

import pythonfmu

from articulata.sessions.fmu_world import KEPT, SteppedWorld

__all__ = ["KEPT", "WorldSlave"]


class WorldSlave(SteppedWorld, pythonfmu.Fmi2Slave):  # type: ignore[misc] # types not followed
    """A world as PythonFMU drives it; the module in an FMU derives its class from this one."""

    library, prefix, real = "pythonfmu", "Fmi2", "Real"

    def to_xml(self, model_options: dict[str, str] | None = None) -> ElementTree.Element:
        """Return the model description, with units and the outputs known at the start."""
        root = super().to_xml(model_options)
        structure, outputs = root.find("ModelStructure"), root.find("ModelStructure/Outputs")
        if structure is not None and outputs is not None:
            unknowns = ElementTree.SubElement(structure, "InitialUnknowns")
            unknowns.extend(ElementTree.Element("Unknown", each.attrib) for each in outputs)
        return root
