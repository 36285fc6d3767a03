"""The grammar's table: reserved words, sections of each block, clauses of each request.

The parser, the checker, the printer, the documentation and completion all read it here; words
for shapes, hinges and functions are in ``vocabulary``. The clauses of each request stand with the
values they give in ``articulata.world.requests``.
"""

from __future__ import annotations

from dataclasses import dataclass

from articulata.world.model import BALANCE_HIGH, BALANCE_LOW
from articulata.world.requests.questions import REQUESTS as REQUESTS

RESERVED: frozenset[str] = frozenset(
    (
        "primitive", "composite", "world", "import", "let", "begin", "end", "components",
        "structure", "where", "join", "to", "with", "matching", "place", "by", "at", "ignore",
        "for", "in", "and", "or", "not",
    )
)  # fmt: skip
"""Words that never name anything."""

ITEM_WORDS: frozenset[str] = frozenset(("to", "with", "by", "at", "in", "for", "place", "join"))
"""Reserved words that stand for themselves among the words of a request's item."""


def is_bare(name: str) -> bool:
    """Tell whether a name can stand in a text without quotes."""
    return name.isidentifier() and name not in RESERVED


@dataclass(frozen=True, slots=True)
class Word:
    """A word that begins something: what may follow it and what it is for."""

    form: str
    meaning: str


FILE_ITEMS: dict[str, Word] = {
    "import": Word('import "file" [as name]', "use another file's definitions or controllers"),
    "units": Word("units: metre, kilogram, second, degree", "what bare numbers mean"),
    "let": Word("let name = value", "give a value a name"),
    "contact": Word(
        "contact A with B: (friction: 0.8, restitution: 0.2)",
        "what two materials, or types, do where they touch",
    ),
    "primitive": Word("primitive name(parameters) { sections }", "a type of rigid body"),
    "composite": Word("composite name(parameters) { ... }", "a type made of components"),
    "figure": Word(
        "figure name(parameters) { ... }, or figure name: whole without chain, ...",
        "a composite with chains and postures; what is left of another without some chains",
    ),
    "hinge": Word("hinge name(parameters) { rows }", "a new type of hinge"),
    "world": Word("world name(parameters) { ... }", "what is simulated"),
    "simulate": Word("simulate world(arguments) { clauses }", "how would it move by itself?"),
    "vary": Word("vary world(arguments) { clauses }", "how does that depend on its parameters?"),
    "reach": Word("reach world(arguments) { clauses }", "what can a person touch?"),
    "pose": Word("pose name { clauses }", "what posture would a human take?"),
    "track": Word("track name { clauses }", "how does a figure follow a live person?"),
    "film": Word("film name { clauses }", "how does a camera fly through it?"),
}
"""What may begin an item of a file."""

SECTIONS: dict[str, dict[str, Word]] = {
    "primitive": {
        "properties": Word(
            "properties: (name: value, ...)", "material, density, colour; fixed: it never moves"
        ),
        "geometry": Word("geometry: shape where { features }", "its form and named places"),
        "look": Word("look: shape", "what is drawn in place of its form"),
        "dynamics": Word("dynamics", "it has mass; mass and inertia are derived or given"),
        "control": Word("control: quantity = controller", "what a Python function gives"),
        "interference": Word("interference: shape, ...", "coarser levels for contact tests"),
    },
    "composite": {
        "components": Word("components { name: type(arguments) }", "what it is made of"),
        "structure": Word("structure { statements }", "how they are joined"),
    },
    "world": {
        "gravity": Word("gravity: (0, -9.81, 0)", "the acceleration of free fall"),
        "components": Word("components { name: type(arguments) }", "what is in it"),
        "structure": Word("structure { statements }", "where it is and how it is joined"),
    },
    "figure": {
        "up": Word(
            "up: z",
            "which way is up where it is shown, none: it is never turned; z where nothing is said",
        ),
        "components": Word("components { name: type(arguments) }", "what it is made of"),
        "structure": Word("structure { statements }", "how they are joined"),
        "chain": Word(
            "chain name: plain table { joint: revolute(axis: z) at point }, "
            "or chain name: from path to path",
            "a table of joints (plain, standard, modified or x_axis), or a run of joints",
        ),
        "posture": Word("posture name { joint: value }", "named joint values"),
        "motion": Word(
            "motion name { time: posture, (joint: value), landmark at point }",
            "key frames; ease: smooth, linear or flowing; repeat number; blend: time",
        ),
        "limits": Word("limits [name] { joint: (low, high) }", "how far joints go"),
        "sensors": Word("sensors { name: path at point }", "where trackers sit"),
        "landmarks": Word("landmarks { name: path at point }", "named places of the body"),
    },
}
"""Sections of each kind of block, in the order they are printed."""

STATEMENTS: dict[str, Word] = {
    "join": Word(
        "join A to B with hinge(options) [as name] matching (a, b) [limits (low, high) "
        "[restitution number]] [friction torque] [breaks at force] [driven by controller], or "
        "driven by motor(speed: value, torque: value, no_load: value, limit: value, gear: number, "
        "voltage: value, resistance: value, constant: value, curve: ((value, value), ...)); "
        "friction(dry: value, static: value, speed: value, viscous: value, "
        "coefficient: number, radius: value)",
        "a hinge between two bodies",
    ),
    "place": Word("place A by path at point [turned angle about axis], ...", "where it is"),
    "ignore": Word("ignore A with B", "never test this pair for contact"),
    "force": Word(
        "force name between a and b [and c]... = value [integrating rate], or force name about "
        "hinge = value [integrating rate]",
        "a tension between two features, or of a rope through several; a moment about the axis of "
        "a hinge; integral is what its rate has added up to",
    ),
    "gear": Word(
        "gear name between hinge and hinge = ratio",
        "the second hinge moves ratio times as fast as the first: 3, -1/2, 20 mm/rad",
    ),
    "cam": Word(
        "cam name between hinge and hinge = law",
        "the second hinge moves as the law of the first one's angle says: 4 mm * (1 - cos(angle))",
    ),
    "for": Word("for i in 1..n { statements }", "the same for each number"),
    "follows": Word(
        "A follows motion [from time] [at point] [turned angle about axis] [by servo(stiffness, "
        "damping, ...)[, balance(ankle, hip)]]",
        "what a figure does; by servo its joints are driven there by moments, with balance those "
        "of ankles and hips within what keeps it upright",
    ),
    "driven": Word(
        "hinge driven by motor(...), or by a controller",
        "a joint of a figure, or a hinge that was joined elsewhere, is driven as in a join",
    ),
}
"""Statements of a structure."""

LAW_VARIABLES: dict[str, dict[str, str]] = {
    "force": {"distance": "length", "speed": "speed", "time": "time"},
    "torque": {
        "angle": "angle",
        "rate": "rate",
        "time": "time",
        BALANCE_LOW: "torque",
        BALANCE_HIGH: "torque",
    },
    "number": {"speed": "speed"},
    "length": {"angle": "angle"},
    "angle": {"angle": "angle"},
}
"""What a tension, a moment about a hinge and a pair's law may depend on, and the kind of each;
and what the law of a cam for a slide (a length) or a hinge (an angle) may."""

FEATURE_KINDS: dict[str, str] = {
    "point": "a point: three lengths",
    "axis": "a point and a direction, ((0, 0, 0), z)",
    "frame": "a point, turned: (0, 0, 1) turned 90 deg about x",
    "face": "a face of the shape by its name",
}
"""Kinds of feature; a feature without one is a point."""

ACTIONS: dict[str, Word] = {
    "break": Word("break hinge", "a hinge or a force ends"),
    "remove": Word("remove component", "a component leaves the world"),
    "set": Word("set path = value", "a quantity gets a new value"),
    "add": Word("add name: type(arguments) by path at point", "a component enters the world"),
    "join": Word(
        "join A to B with hinge(options) [as name] [matching (a, b)] [closing] "
        "[limits (low, high) [restitution number]] [friction torque] [breaks at force] "
        "[driven by controller]",
        "a hinge begins: its features meet, or closing moves the bodies; a weld without matching "
        "holds the bodies as they stand",
    ),
    "place": Word("place A by path at point", "A is moved, as it stands, and keeps its velocity"),
    "ignore": STATEMENTS["ignore"],
    "heed": Word("heed A with B", "test this pair for contact again"),
    "contact": Word("contact A with B: (friction: 0.1)", "what two materials do from now on"),
    "start": Word("start figure.motion", "a figure begins a motion"),
    "stop": Word("stop", "the run ends"),
}
"""Actions of an ``on`` clause."""

EVENTS: dict[str, Word] = {
    "contact": Word("contact(a, b)", "a touches b, whether it strikes it or stays on it"),
    "impact": Word("impact(a, b) [with impulse > 3 N*s]", "a strikes b; impulse and speed are its"),
    "separation": Word("separation(a, b)", "a and b part"),
    "stick": Word("stick(a, b)", "a begins to stick to b"),
    "slip": Word("slip(a, b)", "a begins to slide on b"),
    "settled": Word("settled(a)", "a has stopped bouncing"),
    "break": Word("break hinge", "a hinge broke, of itself or by an edit"),
    "limit": Word("limit hinge", "a hinge reaches one of its limits"),
    "saturation": Word("saturation hinge", "the motor of a hinge gives all that its limit allows"),
    "regulation": Word("regulation hinge", "it keeps its speed again, or gives less"),
    "time": Word("time 2 s", "an instant"),
    "condition": Word(
        "p.rod[1].angle > 90 deg and time > 1 s",
        "comparisons, joined by and, or, not, become true together",
    ),
}
"""What ``on`` may wait for."""


DOMAINS: tuple[str, ...] = (
    "abstract",
    "geometric",
    "kinematic",
    "interference",
    "dynamic",
    "control",
    "comfort",
)
"""Domains that come with the product; others may be added by packages."""

DEEPEST = 60
"""How deep parentheses and blocks may nest; a person cannot read half of it."""

LONGEST_CHAIN = 200
"""How many operators one expression may chain; a longer one is a table, not a formula."""

ENTRIES = frozenset().union(*REQUESTS.values(), *SECTIONS.values())
"""The clauses of all requests and the sections of all definitions."""

COMMANDS = {
    "dis": "it is a command: articulata join --from SOURCE takes a person into an exercise of DIS",
    **{word: f"remove it: it is a command, articulata {word} FILE"
       for word in ("rest", "draw", "view", "identify", "export", "check")},
}  # fmt: skip
"""What a command does in place of a word in a request, or of a request."""
