"""Sixty more mistakes in requests, planted when the messages were written, by somebody else.

The expectations were written from the text ``tests/data/planted/home.art`` and the documentation
alone, by the rules of ``planted_errors``, and not changed after the first reading but where a rule
had been broken.
"""

from __future__ import annotations

from reference.planted_errors import REMOVE, in_base

REQUESTS_AFRESH = in_base(
    "home",
    # ---- reach
    ("reach flat(4.5 m) {", "▲raech flat(4.5 m) {", "reach"),
    ("reach flat(4.5 m)", "reach flat(▲4.5 kg)", (" m", "length")),
    ("reach flat(4.5 m)", "reach flat(4.5 m, ▲2 m)", ("flat(", "remove")),
    ("  person: maria on wheelchair", "  ▲persons: maria on wheelchair", "person"),
    ("person: maria on", "person▲ maria on", ":"),
    ("maria on wheelchair", "▲crane on wheelchair", ("hand", "maria")),
    ("on wheelchair(width", "on wheelchair▲ width", ("(",)),
    ("seat: 48 cm)", "seat: ▲48 s)", (" cm", " m", "length")),
    ("seat: 48 cm)", "▲sit: 48 cm)", "seat"),
    ("hands: right", "hands: ▲middle", ("right", "left")),
    ("hands: right", "hands: right, ▲right", REMOVE),
    ("hands: right\n", "hands:▲\n", ("right", "left"), "  hands:▲"),
    ("grid 10 cm in", "grid ▲in", ("cm", "5 cm", "grid")),
    ("hall.inside, high", "▲hal.inside, high", "hall"),
    ("hall.inside, high", "hall.inside, ▲hihg", "high"),
    ("tap, oven.handle", "tap, ▲ofen.handle", "oven"),
    ("tap, oven.handle", "tap▲ oven.handle", ","),
    ("shelf[1..3].rim", "shelf[▲0..3].rim", "1"),
    ("shelf[1..3].rim", "shelf[1..3].▲rimm", "rim"),
    ("comfort: best of 4", "▲comfrot: best of 4", "comfort"),
    ("best of 4", "▲bset of 4", "best"),
    ("best of 4", "best of ▲4 m", ("4", "number", "remove")),
    ("best of 4", "best of ▲2.5", ("2", "3", "whole")),
    ("report: map, document", "report: ▲mpa, document", "map"),
    ("report: map, document", "▲reprot: map, document", "report"),
    ("seed: 12", "seed: ▲twelve", ("seed", "number", "12")),
    ("  seed: 12\n", "  seed: 12\n  ▲seed: 13\n", REMOVE),
    # ---- pose
    ("pose stretch {", "▲poes stretch {", "pose"),
    ("lean: 12 deg)", "lean: 12 deg, ▲13)", ("person_of_two(", "remove")),
    ("arm: 58 cm, lean", "arm: ▲58 deg, lean", (" cm", " m", "length")),
    ("tap.rim pointing -x", "tap.▲rmi pointing -x", "rim"),
    ("tap.rim pointing -x", "▲tab.rim pointing -x", "tap"),
    ("(2 mm, 3 deg)", "(▲2 deg, 3 deg)", ("mm", " m")),
    ("(2 mm, 3 deg)", "(▲-2 mm, 3 deg)", ("greater", "positive", "0")),
    ('"left hand" at', '▲"left foot" at', "left hand"),
    ('1.5 kg in "right hand"', '1.5 kg ▲at "right hand"', "in"),
    ('1.5 kg in "right hand"', '1.5 kg in ▲"rigth hand"', "right hand"),
    ("2 discomfort, torque", "2 discomfort, ▲troque", "torque"),
    ("2 discomfort, torque", "▲-2 discomfort, torque", ("greater", "positive", "0")),
    ("maximise: dexterity", "▲maximize: dexterity", "maximise"),
    ("dexterity toward z", "dexterity toward ▲q", ("x, y", "x, -x", "three numbers")),
    ("choose: knee", "choose: knee, ▲knee", REMOVE),
    ("minimum_jerk in", "▲minimum_jerck in", "minimum_jerk"),
    ("in 1.5 s", "in ▲-1.5 s", ("greater", "positive", "0")),
    ("picture, front", "picture, ▲frnot", "front"),
    # ---- track
    ("  from: fastrak", "  ▲form: fastrak", "from"),
    ('fastrak "/dev/ttyS0"', 'fastrak ▲/dev/ttyS0', '"'),
    ("1 skull, 2", "1 skull▲ 2", ","),
    ("3 right_elbow", "▲-3 right_elbow", ("1", "greater", "positive", "number")),
    ("filter: one_euro", "▲fliter: one_euro", "filter"),
    ("one_euro(0.4 Hz", "one_euro(▲-0.4 Hz", ("greater", "positive", "0")),
    ("calibrate: t_pose", "▲calibrat: t_pose", "calibrate"),
    ("viewer, file", "▲veiwer, file", "viewer"),
    ("vmc 39540", "vmc ▲395400", ("65535", "port")),
    # ---- film
    ("film tour {", "▲flim tour {", "film"),
    ("on crane.flange at", "on ▲crnae.flange at", "crane"),
    ("turned 30 deg about y", "turned ▲30 cm about y", "deg"),
    ("turned 30 deg about y", "turned 30 deg about ▲w", ("x, y", "x, -x", "three numbers")),
    ("scale: 150", "scale: ▲0", ("greater", "positive")),
    ("oven.center roll", "oven.▲centre roll", "center"),
    ("verdict, path", "▲verdit, path", "verdict"),
    ("limits: crane", "▲limit: crane", "limits"),
)  # fmt: skip
