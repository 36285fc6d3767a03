"""``film``: how a camera flies through a world, on a robot's flange too."""

from __future__ import annotations

import math
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
from articulata.world.requests.clauses import (
    Clause,
    Form,
    Said,
    Unfit,
    forms,
    length_between,
    positive,
    words,
)
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
class MoveChoice(DeviceChoice):
    """A file that holds a camera's move, and how it is read.

    ``camera`` and ``animation`` name what of a glTF file is meant, "" for the one that moves;
    ``eased`` lets a move of key frames start and end at rest.
    """

    camera: str = ""
    animation: str = ""
    eased: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """What the camera looks at, a path or a point (m), and what its roll does meanwhile.

    ``roll`` is "level", "relative" or "locked". The camera aims ``lead`` s ahead of what moves, and
    turns to it within ``smooth`` s.
    """

    target: Target
    roll: str = "level"
    lead: float = 0.0
    smooth: float = 0.0


@dataclass(frozen=True, slots=True)
class Proposal:
    """Limits that no source gives: ``speed`` and ``acceleration`` of every joint, rad and m.

    ``torque`` N m and ``jerk`` rad/s^3; inf is one that is not proposed. One of them is.
    """

    speed: float = math.inf
    acceleration: float = math.inf
    torque: float = math.inf
    jerk: float = math.inf

    def __post_init__(self) -> None:
        positive("speed", self.speed, "a speed", "rad/s")
        positive("acceleration", self.acceleration, "an acceleration", "rad/s^2")
        positive("torque", self.torque, "a torque", "N m")
        positive("jerk", self.jerk, "a jerk", "rad/s^3")
        if min(self.speed, self.acceleration, self.torque, self.jerk) == math.inf:
            advice = "write such as limits(acceleration: 10 rad/s^2)"
            raise Unfit("", "no limit is proposed", advice)


@dataclass(frozen=True, slots=True)
class FilmQuestion:
    """How ``camera`` moves by what ``sources`` tell.

    ``scale`` is a length in the world for a length of the robot. ``modes`` says what the six axes
    of a device move; ``limits`` are paths of what may not move further or faster than it can,
    ``proposed`` stands for limits of joints that nobody gave. ``body`` is the size of the camera
    (m): to the right, up and back from the nodal point, which lies in the middle of its front.
    ``views`` are cameras beside it, ``motion`` names a recording of the world that moves meanwhile.
    ``frames`` a second are recorded. ``reports`` are "verdict", "animation", "path" and "table".
    """

    camera: CameraChoice
    scale: float = 1.0
    sources: tuple[DeviceChoice, ...] = ()
    modes: tuple[str, ...] = ("fly",)
    look: Look | None = None
    limits: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    proposed: Proposal | None = None
    body: tuple[float, float, float] | None = None
    frames: float = 25.0
    views: tuple[CameraChoice, ...] = ()
    motion: str = ""


FOCAL_LENGTHS = (5e-4, 20.0)
"""Between what (m) focal lengths lie: a telephone's lens, and a large telescope."""

SENSORS = (5e-4, 1.0)
"""The same of sensors' widths and heights."""


def _lens(
    focal: float = 0.035,
    width: float = FULL_FRAME[0],
    height: float = FULL_FRAME[1],
    nodal: float = 0.0,
) -> Lens:
    if focal > 0.0:
        length_between("focal", focal, *FOCAL_LENGTHS, "the focal length of a lens", "mm")
    if width > 0.0 and height > 0.0:
        length_between("width", width, *SENSORS, "the width of a sensor", "mm")
        length_between("height", height, *SENSORS, "the height of a sensor", "mm")
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


PROPOSALS: dict[str, Form] = forms(
    ("limits([speed rate], [acceleration angular_acceleration], [torque torque],"
     " [jerk angular_jerk])",
     "the greatest speed, acceleration, torque and jerk of every joint that has none of its own",
     "limits(speed: 2 rad/s, acceleration: 10 rad/s^2)", Proposal),
)  # fmt: skip
"""Limits that somebody proposes."""


def _body(width: float, height: float, depth: float) -> tuple[float, float, float]:
    return (
        positive("width", width, "the width of a camera", "m"),
        positive("height", height, "the height of a camera", "m"),
        positive("depth", depth, "the depth of a camera", "m"),
    )


BODIES: dict[str, Form] = forms(
    ("box(width length, height length, depth length)",
     "the camera's body: its front is about the nodal point, it reaches back from there",
     "box(10 cm, 8 cm, 16 cm)", _body),
)  # fmt: skip
"""Bodies of cameras."""


def _frames(said: Said) -> float:
    return positive("", said.get(), "a frame rate", "")


def _camera(said: Said) -> CameraChoice:
    return CameraChoice(said.get(), said.get("on"), pose_of(said))


def _source(said: Said) -> DeviceChoice:
    found = device(said)
    if found.name != "file":
        return found
    camera, animation = said.get("camera", ""), said.get("animation", "")
    return MoveChoice("file", found.port, said.span, camera, animation, "eased" in said.words)


def _look(said: Said) -> Look:
    words = said.words
    roll = words[words.index("roll") + 1] if "roll" in words else "level"
    lead, smooth = float(said.get("lead", 0.0)), float(said.get("smooth", 0.0))
    if smooth < 0.0:
        raise Unfit("smooth", f"a time is 0 s or more, not {smooth:g} s", "write smooth 0.3 s")
    return Look(said.get("at"), roll, lead, smooth)


def _scale(said: Said) -> float:
    return positive("", said.get(), "a scale", "")


_CAMERAS = (
    "<lens> on <path> [at <point>] [turned <angle> about <direction>]...",
    "<lens> at <point> [turned <angle> about <direction>]...",
)

_SOURCES = (
    DEVICE_PATTERNS[0],
    "<text> [camera <text>] [animation <text>]",
    "<text> eased",
)
"""Devices, and files of moves: what of a glTF is meant, key frames eased."""

FILM: dict[str, Clause] = {
    "world": Clause(("<world>",), "what is filmed"),
    "camera": Clause(
        _CAMERAS, "where the camera sits", needed=True, field="camera", read=_camera,
    ),
    "motion": Clause(("<text>",), "a recording of the world: what moves meanwhile", field="motion"),
    "view": Clause(
        _CAMERAS, "another camera, whose picture can be chosen", several=True, field="views",
        read=_camera,
    ),
    "scale": Clause(("<number>",), "a length in the world for one of the robot", field="scale",
                    read=_scale),
    "from": Clause(_SOURCES, "what steers it", several=True, field="sources", read=_source),
    "mode": Clause(
        ("fly", "object", "target", "helicopter", "global", "lock horizon", "hold view",
         "rotation only", "translation only", "dominant axis"),
        "what the axes of the device move", several=True, field="modes", read=words,
    ),
    "look": Clause(
        tuple(
            f"at <target>{roll} [lead <time>] [smooth <time>]"
            for roll in ("", " roll level", " roll relative", " roll locked")
        ),
        "what it looks at", field="look", read=_look,
    ),
    "limits": Clause(("<paths>",), "whose limits are kept", several=True, field="limits"),
    "proposed": Clause(("<proposal>",), "limits of joints that have none", field="proposed"),
    "body": Clause(("<housing>",), "the size of the camera", field="body"),
    "frames": Clause(("<number>",), "frames a second: 24, 25, 29.97, 30, 60", field="frames",
                     read=_frames),
    "report": Clause(("verdict", "animation", "path", "table"), "what to write", several=True,
                     field="reports", read=words),
}  # fmt: skip
"""Clauses of ``film``."""
