"""What runs inside an FMU of FMI 3.0: PythonFMU3 calls the class from its binary.

Reference: Functional Mock-up Interface 3.0.2, sections 2.4 and 4.
"""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree

from articulata.sessions.fmu_world import KEPT, SteppedWorld

__all__ = ["KEPT", "WorldSlave"]


class WorldSlave(SteppedWorld):
    """A world as PythonFMU3 drives it; ``Fmi3Slave`` is the other base of the class in an FMU."""

    library, prefix, real = "pythonfmu3", "Fmi3", "Float64"

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._register("time", "independent", lambda: self.now)

    def do_step(self, current_time: float, step_size: float) -> Any:
        """Go on by ``step_size`` (s); a clause that ends the run terminates the simulation."""
        goes = super().do_step(current_time, step_size)
        return self.of("Fmi3StepResult")(terminateSimulation=not goes)

    def to_xml(self, model_options: dict[str, str] | None = None) -> ElementTree.Element:
        """Return the model description, with units; PythonFMU3 0.3.4 says that no step varies."""
        root = super().to_xml(model_options)
        for each in root.iter("CoSimulation"):
            each.set("canHandleVariableCommunicationStepSize", "true")
        return root
