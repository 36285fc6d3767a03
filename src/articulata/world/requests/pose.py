"""``pose``: of all postures that put the hand where it must be, the one a human would take."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from articulata.world.requests.choices import (
    DISCOMFORTS,
    FigureChoice,
    JointLimits,
    JointWeight,
    Target,
    Tolerance,
    lean,
    limits,
    orientation_of,
    weigh,
)
from articulata.world.requests.clauses import SEED, Clause, Said, Unfit, positive, words
from articulata.world.values import Quaternion, Vector3

EYES = "eyes"
"""What looks where no part is named."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a ``part`` of the body has to be: at a path of the world or a point (m).

    With ``orientation`` (a quaternion, w first) its whole pose is given, with ``pointing`` the
    direction of its z, in the world; without either its place alone.
    """

    part: str
    target: Target
    orientation: Quaternion | None = None
    pointing: Vector3 | None = None
    within: Tolerance = field(default_factory=Tolerance)


@dataclass(frozen=True, slots=True)
class Regard:
    """What a ``part`` of the body looks at: its z goes through a path of the world or a point (m).

    ``within`` rad is how far off it may be, None where nothing is said.
    """

    target: Target
    part: str = EYES
    within: float | None = None


@dataclass(frozen=True, slots=True)
class Carried:
    """A load of ``mass`` kg in a part of the body."""

    mass: float
    part: str


@dataclass(frozen=True, slots=True)
class Pushed:
    """A ``force`` N, in the world, with which something pushes at a part of the body."""

    part: str
    force: Vector3


@dataclass(frozen=True, slots=True)
class Aim:
    """What a good posture keeps low, or high where ``highest``; ``toward``: along a direction.

    ``sort`` is the form of a discomfort, the side of a scale or of an arm, "" for the usual one.
    """

    name: str
    weight: float = 1.0
    highest: bool = False
    toward: Vector3 | None = None
    sort: str = ""


@dataclass(frozen=True, slots=True)
class MotionChoice:
    """How the figure comes to the posture: by which law, in ``duration`` s."""

    law: str
    duration: float


@dataclass(frozen=True, slots=True)
class PoseQuestion:
    """Which posture ``figure`` takes so that its parts are where ``places`` say.

    ``work`` are words of how the work is, as sheets of ergonomists ask. ``moving`` names joints
    and chains that may move, () those that carry a place. ``limits`` lie within the figure's own;
    ``lean`` (rad) is the most that the trunk leans, ``clear`` (m) how far it stays off everything,
    None where nothing is said. ``supports`` are parts that rest on the floor, the centre of mass
    over them. ``choose`` says which of the best compromises is taken: "knee", "weights" or "order".
    ``reports`` are "picture", "table" and "front".
    """

    figure: FigureChoice
    places: tuple[Placement, ...] = ()
    looks: tuple[Regard, ...] = ()
    loads: tuple[Carried, ...] = ()
    pushes: tuple[Pushed, ...] = ()
    weights: tuple[JointWeight, ...] = ()
    minimise: tuple[Aim, ...] = ()
    maximise: tuple[Aim, ...] = ()
    work: tuple[str, ...] = ()
    moving: tuple[str, ...] = ()
    limits: tuple[JointLimits, ...] = ()
    lean: float | None = None
    clear: float | None = None
    supports: tuple[str, ...] = ()
    choose: str = "knee"
    motion: MotionChoice | None = None
    reports: tuple[str, ...] = ()
    seed: int = 0

    @property
    def aims(self) -> tuple[Aim, ...]:
        """What is kept low, then what is kept high, in the order of the text."""
        return (*self.minimise, *self.maximise)


GRIPS = ("good", "fair", "poor", "unacceptable")
"""How well hands hold, from 0 on."""

WORK = (
    "seated", "back_rest", "static", "repeated", "shock", "unstable", "arm_support", "uneven_feet",
    *(f"grip {word}" for word in GRIPS),
)  # fmt: skip
"""What can be said of the work."""

SORTS = (*DISCOMFORTS, "left")
"""Words after the name of what is kept low."""


def _placement(said: Said) -> Placement:
    orientation, pointing = orientation_of(said), said.get("pointing")
    if orientation is not None and pointing is not None:
        raise Unfit(
            "pointing", "a whole pose is given: it points somewhere already",
            "remove 'pointing' or 'turned'",
        )  # fmt: skip
    within = said.get("within", Tolerance())
    return Placement(said.get(), said.get("at"), orientation, pointing, within)


def _regard(said: Said) -> Regard:
    within = said.get("within")
    if within is not None:
        positive("within", within, "a tolerance", "rad")
    return Regard(said.get("at"), said.get("", EYES), within)


def _carried(said: Said) -> Carried:
    return Carried(positive("", said.get(), "a load", "kg"), said.get("in"))


def _pushed(said: Said) -> Pushed:
    size = positive("", said.get(), "a push", "N")
    x, y, z = said.get("toward")
    return Pushed(said.get("at"), (size * x, size * y, size * z))


def _aim(said: Said, highest: bool) -> Aim:
    weight = positive("", said.get("", 1.0), "a weight", "")
    sort = next((word for word in said.words if word in SORTS), "")
    return Aim(said.words[0], weight, highest, said.get("toward"), sort)


CLEAREST: Final = 2.0
"""How far (m) somebody may be asked to stay off everything; more is a slip of units."""


def _clear(said: Said) -> float:
    found: float = said.get()
    if found < 0.0:
        raise Unfit("", f"a distance is 0 or more, not {found:g} m", "write clear: 2 cm")
    if found > CLEAREST:
        told = f"a distance to stay off is at most {CLEAREST:g} m, not {found:g} m"
        raise Unfit("", told, f"write {found:g} mm, or another length up to {CLEAREST:g} m")
    return found


def _motion(said: Said) -> MotionChoice:
    duration = positive("in", said.get("in"), "the time of a motion", "s")
    return MotionChoice(said.words[0], duration)


POSE: dict[str, Clause] = {
    "figure": Clause(("<figure>",), "who takes the posture", needed=True, field="figure"),
    "world": Clause(("<world>",), "what stands around"),
    "place": Clause(
        ("<part> at <target> [turned <angle> about <direction>]... [pointing <direction>] "
         "[within <tolerance>]",),
        "where parts of the body are; pointing is the direction of their z",
        several=True, field="places", read=_placement, key=lambda place: place.part,
    ),
    "look": Clause(
        ("at <target> [within <angle>]", "<part> at <target> [within <angle>]"),
        "what the eyes look at, or another part along its z", several=True, field="looks",
        read=_regard, key=lambda look: look.part,
    ),
    "load": Clause(("<mass> in <part>",), "what the body carries", several=True, field="loads",
                   read=_carried),
    "push": Clause(("<force> at <part> toward <direction>",), "what pushes at the body",
                   several=True, field="pushes", read=_pushed),
    "weigh": weigh("how much joints count in discomfort and torque; 1 where nothing is said"),
    "minimise": Clause(
        tuple(f"[<number>] {word}" for word in
              ("discomfort", *(f"discomfort {form}" for form in DISCOMFORTS),
               "torque", "torque_change", "strength", "lumbar_load", "energy", "energy_change",
               "displacement",
               *(f"{each}{side}" for each in ("arm_relation", "rula", "reba")
                 for side in ("", " left")))),
        "what a good posture keeps low, with weights", several=True, field="minimise",
        read=lambda said: _aim(said, False), key=lambda aim: (aim.name, aim.sort == "left"),
    ),
    "maximise": Clause(
        ("[<number>] dexterity [toward <direction>]", "[<number>] force toward <direction>",
         *(f"[<number>] {word}" for word in ("isotropy", "singularity", "endurance", "clearance",
                                         "balance"))),
        "what it keeps high", several=True, field="maximise",
        read=lambda said: _aim(said, True), key=lambda aim: (aim.name, aim.toward),
    ),
    "work": Clause(
        WORK, "what the objectives rula and reba ask of the work", several=True, field="work",
        read=words, key=lambda word: "grip" if word.startswith("grip") else word,
    ),
    "move": Clause(("<part>",), "joints and chains that may move", several=True, field="moving"),
    "limits": limits("what joints are able to"),
    "lean": Clause(("<angle>",), "how far the trunk leans from upright", field="lean", read=lean),
    "clear": Clause(("<length>",), "how far to stay off the room, and off itself",
                    field="clear", read=_clear),
    "supports": Clause(("<part>",), "what rests on the floor, the centre of mass over it",
                       several=True, field="supports"),
    "choose": Clause(("knee", "weights", "order"), "which of the best compromises",
                     field="choose", read=words),
    "motion": Clause(
        ("minimum_jerk in <time>", "minimum_torque_change in <time>", "straight in <time>"),
        "how it gets there", field="motion", read=_motion,
    ),
    "report": Clause(("picture", "table", "front"), "what to write", several=True,
                     field="reports", read=words),
    "seed": SEED,
}  # fmt: skip
"""Clauses of ``pose``."""
