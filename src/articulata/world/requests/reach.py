"""``reach``: what a person can touch, and from where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import degrees, dist, hypot, inf, pi, radians
from numbers import Integral, Real
from typing import Final, TypeAlias

from articulata.errors import WorldError
from articulata.world.requests.choices import (
    DISCOMFORTS,
    FigureChoice,
    JointLimits,
    JointWeight,
    Target,
    lean,
    limits,
    weigh,
)
from articulata.world.requests.clauses import (
    SEED,
    Clause,
    Said,
    Unfit,
    beside_text,
    positive,
    words,
)
from articulata.world.requests.ways_to_move import Means, OnFoot
from articulata.world.values import NOWHERE, Span, Vector3

FINGERTIP: Final = "fingertip"

TOUCHES: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    FINGERTIP: {
        "right": ("r_middle_distal_tip", "right fingertip", "right hand", "r_wrist"),
        "left": ("l_middle_distal_tip", "left fingertip", "left hand", "l_wrist"),
    },
    "thumb": {"right": ("r_thumb_tip",), "left": ("l_thumb_tip",)},
    "grip": {"right": ("r_grip",), "left": ("l_grip",)},
}
"""Landmarks that reach, by what of the hand touches and by hand; the first that is there counts."""

HANDS: Final = TOUCHES[FINGERTIP]
"""The same of fingertips."""

SEXES = ("people", "men", "women")
"""Who may be drawn."""

MOST_PEOPLE = 10_000
"""So many people are drawn at most."""

_DRAWN = "[from <text>] [of <length> to <length>] [on <mount>] [with <aid>]"

CODES = (
    "ada_2010", "din_18040_1_2010", "din_18040_2_2011_r", "france_housing_2015",
    "france_public_2017", "part_m_2015",
)  # fmt: skip
"""Building codes that ship."""

CONDITIONS = ("arm_amputation", "rheumatoid_arthritis", "stroke")
"""Conditions that ship."""

CLOSEST = 0.01
"""m. The points of a grid are no closer than this."""

POSTURES = 6
"""How many postures are tried where nothing is said."""


@dataclass(frozen=True, slots=True)
class Population:
    """``count`` people drawn by chance: "men", "women", or as many of both, "people".

    Their measures are those of the survey that ships, or rows of a ``file``; their statures lie
    between ``shortest`` and ``tallest``, m. Raise WorldError for a population of nobody.
    """

    count: int
    sex: str = "people"
    file: str | None = None
    shortest: float = 0.0
    tallest: float = inf

    def __post_init__(self) -> None:
        given: object = self.count
        if not (isinstance(given, Integral) and 1 <= self.count <= MOST_PEOPLE):
            told = f"a population has 1 to {MOST_PEOPLE} people, not {self.count!r}"
            raise Unfit("", told, "take for instance 200")
        if self.sex not in SEXES:
            known = ", ".join(f"'{each}'" for each in SEXES)
            raise WorldError(f"a population is one of {known}, not '{self.sex}'")
        if not 0.0 <= self.shortest < self.tallest:
            told = f"nobody's stature lies between {self.shortest:g} and {self.tallest:g} m"
            raise Unfit("of", told, "give the shorter one first")

    @property
    def who(self) -> str:
        """Whom it is drawn from, in words: "women of 1.5 to 1.6 m"."""
        if self.tallest < inf:
            low = f"{self.shortest:g} to " if self.shortest else "up to "
            return f"{self.sex} of {low}{self.tallest:g} m"
        return f"{self.sex} of {self.shortest:g} m at least" if self.shortest else self.sex


@dataclass(frozen=True, slots=True)
class Person:
    """Who reaches, and the means by which she moves."""

    figure: FigureChoice | Population
    means: Means = field(default_factory=OnFoot)
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Grid:
    """The points ``spacing`` m apart inside what ``path`` names, no closer than ``CLOSEST``."""

    spacing: float
    path: str

    def __post_init__(self) -> None:
        positive("grid", self.spacing, "the spacing of a grid", "m")
        if not CLOSEST <= self.spacing < inf:
            told = f"the points of a grid are at least 1 cm apart, not {self.spacing:g} m"
            raise Unfit("grid", told, f"write grid 5 cm in {self.path}" if self.path else "")


@dataclass(frozen=True, slots=True)
class Watched:
    """What is to be seen, from ``within`` m. Raise WorldError where nobody is so near."""

    path: str
    within: float = inf

    def __post_init__(self) -> None:
        given: object = self.within
        if not (isinstance(given, Real) and self.within > 0.0):
            told = f"'{self.path}' is watched from within more than 0 m, not {self.within!r}"
            raise Unfit("within", told, "give a number of metres, such as 2.0")


AXES = ("palm", "finger", "thumb")
"""What of a hand points along a direction: out of the palm, along the fingers, to the thumb."""

ALIGNED = radians(15.0)
"""How far (rad) a hand is off its direction where nothing is said."""

_SQUARE = 1e-3
"""Two directions whose cosine is less stand at right angles."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """What is touched with the hand held in a direction: ``path``, and where the hand points.

    ``palm``, ``finger`` and ``thumb`` are directions of the world, of any length but 0: one of
    them, or two at right angles for the whole orientation. The hand may be off by ``within`` rad.
    Raise WorldError for directions that no hand has.
    """

    path: str
    palm: Vector3 | None = None
    finger: Vector3 | None = None
    thumb: Vector3 | None = None
    within: float = ALIGNED

    def __post_init__(self) -> None:
        for name in AXES:
            object.__setattr__(self, name, _direction(self.path, name, getattr(self, name)))
        try:
            within = float(self.within)
        except (TypeError, ValueError):
            raise WorldError(
                f"'{self.path}': a hand is off by an angle, not {self.within!r}; give within=0.35"
            ) from None
        wrong = _misaligned(self.palm, self.finger, self.thumb, within)
        if wrong is not None:
            raise Unfit(wrong[0], f"'{self.path}': {wrong[1]}", wrong[2])

    @property
    def axes(self) -> dict[str, Vector3]:
        """The directions that are asked for, unit vectors by axis of the hand."""
        found: dict[str, Vector3] = {}
        for name in AXES:
            given: Vector3 | None = getattr(self, name)
            if given is not None:
                size = hypot(*given)
                found[name] = (given[0] / size, given[1] / size, given[2] / size)
        return found

    def __str__(self) -> str:
        """Say where the hand points: "palm pointing -y"."""
        return " and ".join(f"{name} pointing {_shown(way)}" for name, way in self.axes.items())


Thing: TypeAlias = str | Aligned
"""What is touched: a path, whatever way the hand is held, or what asks for a direction."""


def path_of(thing: Thing) -> str:
    """Return the path of what is touched."""
    return thing if isinstance(thing, str) else thing.path


def _direction(path: str, name: str, way: object) -> Vector3 | None:
    """Return three floats of what is given as a direction; None where nothing is."""
    if way is None:
        return None
    try:
        x, y, z = (float(each) for each in way)  # type: ignore[attr-defined] # whatever was given
    except (TypeError, ValueError):
        raise WorldError(
            f"'{path}': the {name} points along three numbers, not {way!r}; give for instance "
            f"{name}=(0, -1, 0)"
        ) from None
    return x, y, z


def _misaligned(
    palm: Vector3 | None, finger: Vector3 | None, thumb: Vector3 | None, within: float
) -> tuple[str, str, str] | None:
    """Return the word, what is wrong there and what to do; None where a hand can be held so."""
    every = zip(AXES, (palm, finger, thumb), strict=True)
    given = {name: way for name, way in every if way is not None}
    if not given:
        return "within", "it is not said where the hand points", "write palm pointing -y"
    if any(not 0.0 < hypot(*way) < inf for way in given.values()):
        return "pointing", "a direction is three numbers, not all 0", "write palm pointing -y"
    if len(given) == len(AXES):
        return "pointing", "two directions say how a hand is held", "remove one of the three"
    if len(given) == 2:
        (a, way), (b, other) = given.items()
        size = hypot(*way) * hypot(*other)
        if abs(sum(x * y for x, y in zip(way, other, strict=True))) > _SQUARE * size:
            return (
                "pointing", f"{a} and {b} of a hand are at right angles",
                "give directions that are, or remove one",
            )  # fmt: skip
    if not 0.0 < within <= pi:
        return (
            "within", f"a hand is off by more than 0 and up to 180 deg, not {degrees(within):g}",
            "write within 20 deg",
        )  # fmt: skip
    return None


def _shown(way: Vector3) -> str:
    """Return a unit vector in words: an axis by its name."""
    for number, name in enumerate("xyz"):
        for sign in (1.0, -1.0):
            axis = tuple(sign * (k == number) for k in range(3))
            if dist(way, axis) < 1e-6:
                return name if sign > 0.0 else f"-{name}"
    return f"({', '.join(f'{each:.3g}' for each in way)})"


@dataclass(frozen=True, slots=True)
class Comfort:
    """The most comfortable of so many ``postures`` is taken, by a ``form`` of discomfort."""

    postures: int = POSTURES
    form: str = "range"


@dataclass(frozen=True, slots=True)
class Effort:
    """The ``force`` (N) that it takes at a handle to operate what it is on."""

    path: str
    force: float


@dataclass(frozen=True, slots=True)
class ReachQuestion:
    """What ``people`` can touch of ``points`` (grids, paths, points in m) and ``objects``.

    ``people`` are asked about one by one; ``hands`` are those they use, ``approach`` the path of
    what they come in by. ``comfort`` says which posture is taken, ``weights`` how much joints count
    in it. ``rules`` are laid beside bodies: names of sets of rules, or files. ``reports`` are
    "map", "table" and "document".
    ``operate`` are paths of handles on what moves on a hinge, ``watch`` what is to be seen;
    ``forces`` say what it takes to operate things, for the rules. ``lean`` (rad) is how far the
    trunk leans from the hips, None for what is usual; ``limits`` lie within the figure's own.
    ``conditions`` say what is left of joints and hands: "stroke left", or files.
    ``touch`` is what of the hand comes to things, ``load`` (kg) what it carries. ``surfaces`` are
    bodies: how much of what faces up of them is reached.
    """

    people: tuple[Person, ...]
    hands: tuple[str, ...] = ("right", "left")
    points: tuple[Grid | Target, ...] = ()
    objects: tuple[Thing, ...] = ()
    approach: str | None = None
    comfort: Comfort = field(default_factory=Comfort)
    weights: tuple[JointWeight, ...] = ()
    rules: tuple[str, ...] = ()
    reports: tuple[str, ...] = ()
    seed: int = 0
    operate: tuple[str, ...] = ()
    watch: tuple[Watched, ...] = ()
    forces: tuple[Effort, ...] = ()
    lean: float | None = None
    limits: tuple[JointLimits, ...] = ()
    conditions: tuple[str, ...] = ()
    touch: str = FINGERTIP
    load: float = 0.0
    surfaces: tuple[str, ...] = ()

    @property
    def person(self) -> Person:
        """The first of the people."""
        return self.people[0]


def _person(said: Said) -> Person:
    mount, aid = said.get("on", OnFoot()), said.get("with")
    if aid is not None and not isinstance(mount, OnFoot):
        raise Unfit("with", "who sits on a wheelchair has no walker", "remove one of the two")
    return Person(_population(said) or said.get(), aid or mount, said.span)


def _population(said: Said) -> Population | None:
    sex = next((each for each in said.words if each in SEXES), None)
    if sex is None:
        return None
    file = said.get("from")
    drawn = file and beside_text(said, file)
    return Population(said.get(), sex, drawn, said.get("of", 0.0), said.get("to", inf))


def _rules(said: Said) -> str:
    name = said.get()
    return beside_text(said, name) if name else said.text


def _points(said: Said) -> Grid | Target:
    if "grid" not in said.words:
        point: Target = said.get()
        return point
    return Grid(said.get("grid"), said.get("in"))


def _touched(said: Said) -> Thing:
    path: str = said.get()
    axes = [word for word in said.words if word in AXES]
    within = said.get("within")
    if not axes and within is None:
        return path
    held = dict(zip(axes, said.all("pointing"), strict=True))
    return Aligned(path, **held, within=ALIGNED if within is None else within)


def _effort(said: Said) -> Effort:
    return Effort(said.get("at"), positive("", said.get(), "a force", "N"))


def _load(said: Said) -> float:
    return positive("", said.get(), "a load", "kg")


def _watched(said: Said) -> Watched:
    return Watched(said.get(), said.get("within", inf))


def _comfort(said: Said) -> Comfort:
    count = int(positive("of", said.get("of"), "a number of postures", ""))
    return Comfort(count, next((word for word in said.words if word in DISCOMFORTS), "range"))


REACH: dict[str, Clause] = {
    "person": Clause(
        ("<figure> [on <mount>] [with <aid>]", *(f"<count> {each} {_DRAWN}" for each in SEXES)),
        "who reaches, and how they move",
        needed=True, several=True, field="people", read=_person,
    ),
    "hands": Clause(("right", "left"), "the hands she uses", several=True, field="hands",
                    read=words),
    "touch": Clause(tuple(TOUCHES), "what of the hand comes to things", field="touch",
                    read=words),
    "load": Clause(("<mass>",), "what the hand carries there", field="load", read=_load),
    "lean": Clause(("<angle>",), "how far her trunk leans from the hips", field="lean", read=lean),
    "limits": limits("what her joints are able to"),
    "condition": Clause(
        (*(f"{name}{side}" for name in CONDITIONS for side in ("", " left", " right")), "<text>"),
        "what limits and weakens her joints", several=True, field="conditions", read=_rules,
    ),
    "points": Clause(("grid <length> in <path>", "<target>"), "which points", several=True,
                     field="points", read=_points),
    "objects": Clause(
        ("<paths> [palm pointing <direction>] [finger pointing <direction>] "
         "[thumb pointing <direction>] [within <angle>]",),
        "which things, and how the hand is held there", several=True, field="objects",
        read=_touched, key=path_of,
    ),
    "surfaces": Clause(("<paths>",), "bodies: how much of their upper surface is reached",
                       several=True, field="surfaces"),
    "operate": Clause(("<paths>",), "handles of what is moved on its hinge", several=True,
                      field="operate"),
    "forces": Clause(("<force> at <paths>",), "what it takes to operate things, for rules",
                     several=True, field="forces", read=_effort, key=lambda each: each.path),
    "watch": Clause(("<path> [within <length>]",), "what is to be seen", several=True,
                    field="watch", read=_watched),
    "approach": Clause(("from <path>",), "where she comes in", field="approach",
                       read=lambda said: said.get("from")),
    "comfort": Clause(("best of <count>", *(f"best of <count> by {each}" for each in DISCOMFORTS)),
                      "how many postures to try, and which is best", field="comfort",
                      read=_comfort),
    "weigh": weigh("how much joints count in what is comfortable"),
    "rules": Clause((*CODES, "<text>"), "rules beside bodies", several=True, field="rules",
                    read=_rules),
    "report": Clause(("map", "table", "document"), "what to write", several=True,
                     field="reports", read=words),
    "seed": SEED,
}  # fmt: skip
"""Clauses of ``reach``."""
