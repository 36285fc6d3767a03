"""Mistakes planted in correct worlds, each with the place and the advice that a person expects.

A plant takes a correct text of ``tests/data/planted``, exchanges one fragment, and marks with ``▲``
where a careful person would put the caret. The rules that were followed:

- a misspelt or undefined word: at the word (at the wrong part of a dotted path);
- a missing sign: right after what stands before it, where the sign belongs;
- a missing word: at what stands in its place;
- a sign or word too much, or of the wrong kind: at it;
- too few arguments: at the name of what takes them; too many: at the first one too many;
- a value of a wrong dimension or kind: at the value;
- a second definition: at the second name;
- a block, text or comment that is never closed: at its opening sign.

``advice`` holds fragments of which one must be in the suggestion.

The expectations were written from the documentation of the language alone, by someone who had not
seen its parser, before the texts were read for the first time.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

from articulata.world.world_files import LIBRARY

DATA = Path(__file__).parents[1] / "data" / "planted"
CARET = "▲"
RENAME = ("another name", "different name", "rename", "remove", "leave out")
REMOVE = ("remove", "leave out", "delete", "take away", "without")


def base_of(name: str) -> Path:
    """Return the file of a correct text."""
    own = DATA / f"{name}.art"
    return own if own.is_file() else LIBRARY / "gallery" / f"{name}.art"


@dataclass(frozen=True)
class Plant:
    """One mistake: in ``base``, ``right`` becomes ``wrong``."""

    base: str
    right: str
    wrong: str
    advice: tuple[str, ...]
    at: str = ""  # where the caret belongs when that is not in ``wrong``

    def planted(self) -> tuple[str, int, int]:
        """Return the text with the mistake, and the line and the column expected (from 1)."""
        text = base_of(self.base).read_text(encoding="utf-8")
        assert text.count(self.right) == 1, f"{self.right!r} stands {text.count(self.right)} times"
        text = text.replace(self.right, self.wrong.replace(CARET, ""))
        context = self.at or self.wrong
        assert context.count(CARET) == 1
        plain = context.replace(CARET, "")
        assert text.count(plain) == 1, f"{plain!r} stands {text.count(plain)} times"
        at = text.index(plain) + context.index(CARET)
        return text, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def in_base(base: str, *rows: tuple[str | tuple[str, ...], ...]) -> tuple[Plant, ...]:
    """Return the plants of ``base`` from (right, wrong, advice[, at])."""
    plants = []
    for right, wrong, advice, *at in rows:
        assert isinstance(right, str)
        assert isinstance(wrong, str)
        among = (advice,) if isinstance(advice, str) else advice
        plants.append(Plant(base, right, wrong, among, *map(str, at)))
    return tuple(plants)


ALL = (
    *in_base(
        "lamp",
        ("second, degree", "second, ▲degre", "degree"),
        ("let aluminium = material", "let aluminium▲ material", "="),
        ("material(density", "material(▲densty", "density"),
        ("2700 kg/m^3", "▲2700 kg/m^2", "kg/m^3"),
        ("45 cm", "45 ▲cmm", "cm"),
        ("let stiffness = 180 N/m", "let stiffness =▲", ("value", "number")),
        ("primitive arm", "▲primitve arm", "primitive"),
        ("span: length = 40 cm", "span: length = ▲40 deg", "length"),
        ("width: length = 2 cm", "width: ▲lenght = 2 cm", "length"),
        ("properties: (material", "▲propertys: (material", "properties"),
        ("color: silver", "color: ▲sliver", "silver"),
        ("cuboid(width, span, width)", "▲cuboid(width, span)", "x, y, z"),
        ("cuboid(width, span, width)", "cuboid(width, span, width, ▲2 cm)", ("x, y, z", *REMOVE)),
        ("-span/2, 0)", "-span/2▲ 0)", (",", "comma")),
        ("top: (0, span/2, 0)", "top▲ (0, span/2, 0)", ":"),
        ("axis spin", "▲axs spin", "axis"),
        ("    axis spin", "    ▲bottom: (0, 0, 0)\n    axis spin", RENAME),
        ("cone(10 cm, 15 cm, 4 cm)", "cone(10 cm▲ 15 cm, 4 cm)", (",", "comma")),
        ("turned 90 deg about x", "turned ▲90 cm about x", ("deg", "angle")),
        ("composite lamp", "▲composit lamp", "composite"),
        ("components {\n    stand", "▲component {\n    stand", "components"),
        ("arm(reach_out)", "▲am(reach_out)", "arm"),
        ("head: shade", "head: shade(▲3)", ("shade", *REMOVE)),
        ("arm[1..n]: arm", "arm[1..▲m]: arm", "'n'"),
        ("join arm[1] to stand", "▲joint arm[1] to stand", "join"),
        ("pin(axis: z) as", "pin(▲axes: z) as", "axis"),
        ("matching (bottom, center)", "▲matchin (bottom, center)", "matching"),
        ("matching (bottom, center)", "matching (▲botom, center)", "bottom"),
        ("matching (bottom, center)", "matching ▲(bottom)", ("(", "two")),
        ("60 deg)", "▲60 cm)", ("deg", "angle")),
        ("for i in 2..n", "for i in 2▲.n", ".."),
        ("arm[i-1]", "arm[▲k-1]", "'i'"),
        ("breaks at 80 N", "breaks at ▲80 kg", ("N", "force")),
        ("ignore head with", "ignore head ▲and", "'with'"),
        ("coil between", "coil ▲betwen", "between"),
        ("-stiffness", "-▲stiffnes", "stiffness"),
        ("* speed", "* ▲sped", "speed"),
        ("30 cm)", "▲30 kg)", "length"),
        ("gravity: (0, -9.81, 0)", "gravity: ▲(0, -9.81)", ("three", "3 ", "(x, y, z)")),
        ("tilt: angle", "tilt: ▲angel", "angle"),
        ("lamp(2)", "lamp(2▲", ")"),
        ("l.stand at (", "l.stand ▲(", "'at'"),
        ("l.shoulder.angle", "l.▲sholder.angle", "shoulder"),
        ("simulate desk", "simulate ▲dsek", "desk"),
        ("simulate desk", "▲simulat desk", "simulate"),
        ("desk(30)", "desk(30, ▲2)", ("tilt", *REMOVE)),
        ("time: (1 ms", "▲tiem: (1 ms", "time"),
        ("5 s)", "▲5 m)", ("time", "second", "5 s")),
        ("every 20 ms", "▲evry 20 ms", "every"),
        ("monitor energy", "▲monitr energy", "monitor"),
        ("forces of l.socket", "forces of l.▲soket", "socket"),
        ("on contact(", "on ▲contct(", "contact"),
        ("floor): break", "floor): ▲brake", "break"),
        ("remove floor", "remove ▲flor", "floor"),
        ("arm[1].w = (0, 0, 1)", "arm[1].w = ▲3", ("(", "three", "vector")),
        ("* speed\n  }\n}", "* speed\n}", "}", "  structure ▲{\n    join"),
        ("# A desk lamp", "▲// A desk lamp", ("--", "#")),
        ("let reach_out", "▲/* lengths\nlet reach_out", ("--", "#")),
    ),
    *in_base(
        "press",
        ('"motor.py" as', '▲"motor.py as', '"'),
        ('"motor.py"', '▲"moter.py"', "motor.py"),
        ("torque = motor", "▲torqe = motor", "torque"),
        ("= motor.turn", "= ▲moter.turn", "motor"),
        ("torque = motor.turn", "torque▲ motor.turn", "="),
        ("cylinder(radius, 3 cm)", "▲cylinder(radius)", "length"),
        ("(radius - 2 cm", "(radius - ▲2 kg", "length"),
        ("deg about x", "deg ▲abut x", "about"),
        ("difference(", "▲diference(", "difference"),
        ("block.bottom", "block.▲botom", "bottom"),
        ("(mass: 40", "(▲mas: 40", "mass"),
        ("mass: 40 kg", "mass: ▲40 N", ("kg", "mass")),
        ("interference:", "▲interferance:", "interference"),
        ("along: direction", "along: ▲directon", "direction"),
        ("z) of second", "z) of ▲secnd", "second"),
        ("on plane((0, 0, 0), y)", "on ▲plain((0, 0, 0), y)", "plane"),
        ("= x) {\n  point (0", "= x) {\n  ▲pont (0", "point"),
        ("slider(axis", "▲slidr(axis", "slider"),
        ("500 N/m", "▲500 N", "N/m"),
        ("stiffness: 500", "▲stifness: 500", "stiffness"),
        ("slot(x)", "slot(x, ▲y)", ("along", *REMOVE)),
        ("    q: press\n", "    q: press\n    ▲q: press\n", RENAME),
        ("method: RK4", "method: ▲RK5", "RK4"),
        ("control, dynamic", "▲controll, dynamic", "control"),
        ("snapshots 5", "▲snapshot 5", "snapshots"),
        ("equations at 1 s", "equations at ▲1 m", ("time", "second", "1 s")),
        ("simulate shop", "primitive ▲ram {\n  geometry: sphere(1)\n}\n\nsimulate shop", RENAME),
        ("0 deg, rate: speed", "0 deg▲ rate: speed", (",", "comma")),
        ("p.main.angle > 90", "p.main.▲angel > 90", "angle"),
        ("wheel to hammer", "wheel ▲hammer", "'to'"),
        ("hammer to bed with slider", "hammer to bed ▲slider", "'with'"),
        ("((0, rate, 0) (0, 0, 0))", "▲((0, rate, 0))", ("two", "((", "(0, 0, 0)")),
        ("  dynamics\n  control", "  dynamics\n  ▲}\n  control", REMOVE),
    ),
    *in_base(
        "worker",
        ("figure worker(", "▲figur worker(", "figure"),
        ("from trunk", "▲form trunk", "from"),
        ("to hand\n", "to ▲hnd\n", "hand"),
        ("posture neutral", "▲postur neutral", "posture"),
        ("elbow: 10 deg", "▲elbw: 10 deg", "elbow"),
        ("elbow: 10 deg", "elbow: ▲10 cm", ("deg", "angle")),
        ("(0, 145 deg)", "▲145 deg", ("(", "low")),
        ("posture raised", "posture neutral", RENAME, "posture ▲neutral { elbow: 90 deg }"),
        ("glove: hand", "glove: ▲hnad", "hand"),
        ("hand.far", "hand.▲fra", "far"),
        ("with ball", "with ▲bal", "ball"),
        ("second: y", "▲secnd: y", "second"),
        ("cell.table", "cell.▲tabel", "table"),
        ('"cell.art"', '▲"cel.art"', "cell.art"),
        ("objects: rack[1..3]", "objects: rack[1..▲5]", "3"),
        ("person: anna", "▲persn: anna", "person"),
        ("person: anna", "person: ▲ana", "anna"),
        ("reach workshop {\n  person: anna\n", "▲reach workshop {\n", "person"),
        ("in bench", "in ▲bnch", "bench"),
        ('"right arm" at', '▲"right am" at', "right arm"),
        ("discomfort", "▲discomfrt", "discomfort"),
        ("2 upper", "2 ▲uper", "upper"),
        ("to: viewer", "to: ▲viewr", "viewer"),
        ("emulator", "▲emulater", "emulator"),
        ("anna.hand at", "anna.▲hnd at", "hand"),
        ("lens(35", "▲lnes(35", "lens"),
        ("roll level", "▲rol level", "roll"),
        ("film tour", "▲flim tour", "film"),
        ("i in 1..3", "i ▲on 1..3", "'in'"),
    ),
    *in_base(
        "listing",
        ("0);\n   end;\n   dynamics", "0);\n   dynamics", ("'end'", "end;"), "where ▲begin"),
        ("bottom: (0, -1.6, 0);\n   end;", "bottom: (0, -1.6, 0);\n   ▲};", ("'end'", "end;")),
        ("report: animation;\nend", "report: animation;\nend\n▲end", REMOVE),
        ("primitive rod begin", "primitive rod ▲begn", "begin"),
        ("geometry: none", "geometry: ▲nonne", "none"),
        ("second with ball.and.socket", "second with ▲ball.and.sockt", "ball.and.socket"),
        ("dynamics: ;", "▲dynamic: ;", "dynamics"),
        ("first: pusher", "first▲ pusher", ":"),
        ("hanging(2, 1, 0)", "▲hanging(2, 1)", ("'z'", ", z")),
        ("2.0", "2▲,0", "2.0"),
        ("cuboid(1,3,1)", "cuboid(1,3,1▲", ")"),
        ("properties: (gravity)", "properties: (▲gravty)", "gravity"),
        ("third: rod", "▲second: rod", RENAME),
        ("density: 2.0", "density: ▲-2.0", ("greater", "positive", "more than")),
    ),
)  # fmt: skip

# A quarter is kept aside: it is read for the first time when the checker has been improved with
# the others.
ASIDE = frozenset(random.Random(1986).sample(range(len(ALL)), 34))
PLANTS = tuple(each for i, each in enumerate(ALL) if i not in ASIDE)
HELD_OUT = tuple(each for i, each in enumerate(ALL) if i in ASIDE)

# Planted after the checker had been improved with the others, in worlds of the gallery; fixed
# before reading as well.
AFRESH = (
    *in_base(
        "four_bar",
        ("inertia: (1/12, 1/6000, 1/12)", "inertia: ▲(1/12, 1/6000)", ("three", "3", "add 1")),
        ("bar(orange)", "bar(▲ornage)", "orange"),
        (
            "as elbow matching",
            "as knee matching",
            RENAME,
            "rocker with pin(axis: z) as ▲knee",
        ),
        ("m.knee.angle", "m.knee.▲angel", "angle"),
        ("((v, 0, 0) (0, 0, 0))", "((v, 0, 0) (0, 0, ▲v/(1 s)))", ("rad/s", "rate", "1/s")),
    ),
    *in_base(
        "slider_crank",
        ("slider(axis: x)", "slider(axis: ▲w)", ("x, y or z", "'x'")),
        ("e: engine", "e ▲= engine", ":"),
        ("driven by", "driven ▲from", "'by'"),
        ("primitive piston {", "primitive ▲{", ("name", "piston")),
    ),
    *in_base(
        "universal_shaft",
        ("turned bend about", "turned bend ▲around", "about"),
        ("universal(axis: y", "universal(axis▲ y", ":"),
        ("-sin(bend), cos(bend)) turned", "-▲sine(bend), cos(bend)) turned", "sin"),
    ),
    *in_base(
        "heavy_top",
        ("0.02 m) at", "0.02 m▲ at", ")"),
        ("((0, 0, 0), y)", "▲(0, 0, 0)", ("((0, 0, 0), z)", "direction"), "spin: ▲(0, 0, 0)"),
        ("(pivot, center)", "(pivot, center▲", ")"),
    ),
    *in_base(
        "chain",
        ("2..n { join", "2..n▲ join", "{"),
        ("capsule(2 cm, 16 cm)", "capsule(radius: 2 cm, ▲lenght: 16 cm)", "length"),
        ("(5 ms, 5 s)", "▲5 ms, 5 s", "(5 ms, 5 s)"),
        ("link[i-1] with", "link[i-1▲ with", "]"),
    ),
    *in_base(
        "spring_mass",
        ("spring(stiffness: 200 N/m, length", "▲spring(length", "stiffness"),
        ("sphere(10 cm)", "sphere(▲10 kg)", ("cm", "length", "10 m")),
        ("N*s/m * speed", "N*s/m * speed *▲", "value"),
        ("gravity: (", "gravity▲ (", ":"),
    ),
    *in_base(
        "screw",
        ("screw(lead: lead, axis", "▲screw(axis", "lead"),
        ("color: gold)", "color: gold▲", ")"),
    ),
    *in_base(
        "drilled_block",
        ("hole: cylinder", "▲block: cylinder", RENAME),
        ("monitor plate.angle", "monitor plate.▲angel", "angle"),
    ),
    *in_base(
        "linkage",
        ("place links", "▲plase links", "place"),
        ("velocity =", "▲velosity =", "velocity"),
        ("rod4: rod", "rod4: ▲rods", "rod"),
        ("simulate linkage(2, 1, 0)", "simulate linkage(2, 1, 0▲", ")"),
    ),
    *in_base(
        "pendulum",
        ("7850 kg/m^3", "7850 ▲kgm^3", ("kg/m^3", "kg")),
        ("second, degree", "second, ▲degrees", "degree"),
        ("p.rod[1].angle", "p.▲rood[1].angle", "rod"),
        ("rod(span: 0.5 m)", "rod(▲spam: 0.5 m)", "span"),
        ("cuboid(width, span, width)", "cuboid(width, span, width,▲)", ("remove", "add")),
    ),
)
