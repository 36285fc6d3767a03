"""Mistakes that users make: wrong units, words of other programs, lost braces, swapped clauses.

Planted in ``tests/data/planted/workshop.art`` by what the documentation says. The rules are those
of ``planted_errors``.
"""

from __future__ import annotations

from reference.planted_errors import REMOVE, in_base

USERS = in_base(
    "workshop",
    # ---- the person and the world
    ("olga: person(1.71 m, 64 kg", "olga: person(▲171 m, 64 kg", ("m", "between", "2")),
    ("olga: person(1.71 m, 64 kg", "olga: person(▲64 kg, 1.71 m", (" m", "length", "height")),
    ("64 kg, sex: 1)", "64 kg, ▲gender: 1)", "sex"),
    ("64 kg, sex: 1)", "64 kg, sex: ▲female)", "woman"),
    ("olga.r_sole at", "olga.▲right_sole at", "r_sole"),
    ("r_elbow_flexion = 30 deg", "▲r_elbow = 30 deg", "r_elbow_flexion"),
    ("r_elbow_flexion = 30 deg", "r_elbow_flexion = ▲-30 deg", ("0", "between", "limit")),
    ("r_elbow_flexion = 30 deg", "r_elbow_flexion = ▲30 cm", ("deg", "angle")),
    ("posture = folded", "posture = ▲seated", "folded"),
    ("join mug to olga.r_hand", "join mug to olga.▲r_hnad", "r_hand"),
    ("olga follows walk from 2 s", "olga follows ▲wolk from 2 s", "walk"),
    ("olga follows walk from 2 s", "olga ▲follow walk from 2 s", "follows"),
    ("lamp follows lift from 0.5 s", "lamp follows lift from ▲0.5 m", (" s", "time")),
    ("ignore olga with ground", "ignore olga ▲and ground", "with"),
    ("start lamp.lift", "start lamp.▲raise", "lift"),
    # ---- the motion
    ("    1.5 s: out", "    1.5 s: ▲outt", "out"),
    ("    3 s: (boom: 10)", "    ▲1.2 s: (boom: 10)", ("1.5", "later", "order", "rising")),
    ("    3 s: (boom: 10)", "    3 s: (▲bom: 10)", "boom"),
    ("    3 s: (boom: 10)", "    3 s: (boom: ▲110)", ("60", "limit")),
    ("    ease: smooth", "    ease: ▲smoth", "smooth"),
    ("    repeat 2", "    repeat ▲2.5", ("2", "3", "whole")),
    ("posture out { swing: 30", "posture out { ▲swnig: 30", "swing"),
    # ---- reach
    ("wheelchair(width: 66 cm", "wheelchair(▲wide: 66 cm", "width"),
    ("seat: 49 cm), person", "seat: 49 cm▲ person", (")",)),
    ("with walker", "▲on walker", "with walker"),
    ("hands: right, left", "▲hand: right, left", "hands"),
    ("grid 8 cm in", "grid ▲8 kg in", ("cm", " m", "length")),
    ("bench.edge, grip[1..4]", "bench.edge▲ grip[1..4]", ","),
    ("grip[1..4], mug", "grip[1..▲5], mug", "4"),
    ("gate\n  watch", "gate, ▲door\n  watch", ("gate", "door")),
    ("within 2 m", "within ▲2 deg", (" m", "length")),
    ("rules: ada_2010", "rules: ▲ada2010", "ada_2010"),
    ("report: map, table\n  seed", "report: map, ▲pdf\n  seed", ("map", "document", "table")),
    # ---- pose
    ("  world: workshop\n  place: r_grip", "  world: ▲workshp\n  place: r_grip", "workshop"),
    ("  figure: olga", "  figure: ▲olag", "olga"),
    ("r_grip at bench.edge pointing", "▲right_grip at bench.edge pointing", "r_grip"),
    ("pointing -z within", "▲point -z within", "pointing"),
    ("(2 mm, 4 deg)", "(2 mm, ▲4 mm)", ("deg", "angle")),
    ("2 kg in r_grip", "▲20 N in r_grip", ("kg", "mass")),
    ("supports: l_heel", "▲support: l_heel", "supports"),
    ("2 discomfort, torque", "2 discomfort, ▲comfort", "discomfort"),
    ("maximise: balance", "maximise: ▲discomfort", ("minimise", "dexterity", "balance")),
    ('move: "trunk and right arm"', 'move: ▲"right arm and trunk"', "trunk and right arm"),
    ("clear: 15 mm", "clear: ▲-15 mm", ("0", "greater", "least")),
    ("choose: knee", "choose: ▲best", ("knee", "weights")),
    ("straight in 2 s", "straight ▲within 2 s", "in"),
    # ---- track
    ('fastrak "/dev/ttyUSB0"', '▲fasttrack "/dev/ttyUSB0"', "fastrak"),
    ("1 skull, 2 r_upper_arm", "1 skull, ▲1 r_upper_arm", ("2", "station", "number", *REMOVE)),
    ("3 r_forearm, 4", "3 ▲r_lower_arm, 4", "r_forearm"),
    ("calibrate: n_pose", "calibrate: ▲npose", "n_pose"),
    ("one_euro(0.8 Hz", "one_euro(▲0.8 s", "Hz"),
    ("body: standing", "body: ▲stand", "standing"),
    ('file "shift.artrun"', "file ▲shift.artrun", '"'),
    ("vmc 39539", "vmc ▲395390", ("65535", "port")),
    # ---- film
    ("lens(35 mm) on", "lens(▲35) on", ("mm", "angle")),
    ("lens(35 mm) on", "lens(▲35 s) on", ("mm", "deg")),
    ("on lamp.hook at", "on lamp.▲hok at", "hook"),
    ("scale: 1\n", "scale: ▲0\n", ("greater", "0")),
    ("mode: helicopter", "mode: ▲helicopte", "helicopter"),
    ("roll level", "roll ▲horizontal", "level"),
    ("speed: 1 rad/s", "speed: ▲1 rad", "rad/s"),
    ("body: box(9 cm, 9 cm, 14 cm)", "body: ▲box(9 cm, 9 cm)", ("box(", "length", "depth")),
    ("frames: 25", "frames: ▲25 s", ("number", "frames", "25")),
    ("report: verdict, path\n}", "report: verdict, path\n", "}", "film round ▲{"),
)
