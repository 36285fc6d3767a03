"""``film``: how a camera flies through a world, on a robot's flange too."""

from __future__ import annotations

from dataclasses import dataclass, field

from articulata.errors import GeometryError
from articulata.geometry.camera import FULL_FRAME, Lens
from articulata.world.requests.choices import (
    DEVICE_PATTERNS,
    DeviceChoice,
    Target,
    device,
    pose_of,
)
from articulata.world.requests.clauses import Clause, Form, Said, Unfit, forms, positive, words
from articulata.world.values import Pose


@dataclass(frozen=True, slots=True)
class CameraChoice:
    """A camera: its ``lens``, and the pose ``X_LM`` of its mount on ``on``, a path.

    ``on`` None means that it flies, and starts at that pose of the world.
    """

    lens: Lens = field(default_factory=Lens)
    on: str | None = None
    X_LM: Pose = field(default_factory=Pose)


@dataclass(frozen=True, slots=True)
class Look:
    """What the camera looks at, a path or a point (m), and what its roll does meanwhile.

    ``roll`` is "level", "relative" or "locked".
    """

    target: Target
    roll: str = "level"


@dataclass(frozen=True, slots=True)
class FilmQuestion:
    """How ``camera`` moves by what ``sources`` tell.

    ``scale`` is a length in the world for a length of the robot. ``modes`` says what the six axes
    of a device move; ``limits`` are paths of what may not move further or faster than it can.
    ``reports`` are "verdict", "animation", "path" and "table".
    """

    camera: CameraChoice
    scale: float = 1.0
    sources: tuple[DeviceChoice, ...] = ()
    modes: tuple[str, ...] = ("fly",)
    look: Look | None = None
    limits: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()


def _lens(
    focal: float = 0.035,
    width: float = FULL_FRAME[0],
    height: float = FULL_FRAME[1],
    nodal: float = 0.0,
) -> Lens:
    try:
        return Lens(focal, (width, height), nodal)
    except GeometryError as error:
        word = "focal" if focal <= 0.0 else "width" if width <= 0.0 else "height"
        raise Unfit(word, str(error), "write lens(35 mm)") from error


LENSES: dict[str, Form] = forms(
    ("lens([focal length], [width length], [height length], [nodal length])",
     "focal length, the sensor's width and height, how far the nodal point lies before the mount",
     "lens(35 mm)", _lens),
)  # fmt: skip
"""Lenses of cameras."""


def _camera(said: Said) -> CameraChoice:
    return CameraChoice(said.get(), said.get("on"), pose_of(said))


def _look(said: Said) -> Look:
    roll = said.words[-1] if "roll" in said.words else "level"
    return Look(said.get("at"), roll)


def _scale(said: Said) -> float:
    return positive("", said.get(), "a scale", "")


FILM: dict[str, Clause] = {
    "world": Clause(("<world>",), "what is filmed"),
    "camera": Clause(
        ("<lens> on <path> [at <point>] [turned <angle> about <direction>]...",
         "<lens> at <point> [turned <angle> about <direction>]..."),
        "where the camera sits", needed=True, field="camera", read=_camera,
    ),
    "scale": Clause(("<number>",), "a length in the world for one of the robot", field="scale",
                    read=_scale),
    "from": Clause(DEVICE_PATTERNS, "what steers it", several=True, field="sources", read=device),
    "mode": Clause(
        ("fly", "object", "target", "helicopter", "lock horizon", "rotation only",
         "translation only", "dominant axis"),
        "what the axes of the device move", several=True, field="modes", read=words,
    ),
    "look": Clause(
        ("at <target>", "at <target> roll level", "at <target> roll relative",
         "at <target> roll locked"),
        "what it looks at", field="look", read=_look,
    ),
    "limits": Clause(("<paths>",), "whose limits are kept", several=True, field="limits"),
    "report": Clause(("verdict", "animation", "path", "table"), "what to write", several=True,
                     field="reports", read=words),
}  # fmt: skip
"""Clauses of ``film``."""
