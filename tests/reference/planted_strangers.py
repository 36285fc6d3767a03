"""Mistakes of strangers to the parser in figures, mechanisms, rooms, poses, films and tracks.

Sixty, written from the pages alone. At the first reading every line was right, 0.35 findings a
mistake followed from others, and 56 pieces of advice held one of the words fixed before, in message
or suggestion. These words were then narrowed to what is to be written, in the suggestion alone,
partly with the mended messages at hand: by them 49 were right at the first reading.
"""

from __future__ import annotations

from reference.planted_errors import in_base

STRANGERS = (
    *in_base(
        "stranger_arm",
        ("revolute(axis: y, limits: (-90, 90)", "▲hinge(axis: y, limits: (-90, 90)", "revolute"),
        (
            "revolute(axis: y, limits: (-90, 90)",
            "revolute(axis: ▲0 1 0, limits: (-90, 90)",
            "(0, 1, 0)",
        ),
        ("limits: (0, 140)", "▲range: (0, 140)", "limits"),
        ("limits: (0, 140)", "limits: (▲140, 0)", "smaller"),
        ("limits: (0, 140)", "limits: ▲[0, 140]", "( )"),
        (
            "posture rest { shoulder: 0; elbow: 20 }",
            "▲pose rest { shoulder: 0; elbow: 20 }",
            "posture",
        ),
        ("elbow: 20 }", "▲elbw: 20 }", "elbow"),
        (
            "posture rest { shoulder: 0; elbow: 20 }",
            "posture rest ▲= {'shoulder': 0, 'elbow': 20}",
            "remove",
        ),
        (
            "landmarks { tip: elbow at (0, 0, 0.3) }",
            "▲sites { tip: elbow at (0, 0, 0.3) }",
            "landmarks",
        ),
        (
            "    0.8 s: (shoulder: -40, elbow: 90)",
            "    ▲frame 24: (shoulder: -40, elbow: 90)",
            "time",
        ),
        ("ease: smooth", "ease: ▲bezier", "smooth"),
        ("repeat 2", "▲loop: true", "repeat"),
    ),
    *in_base(
        "stranger_crank",
        ("7850 kg/m^3", "7850 kg/▲m³", "kg/m^3"),
        ("driven by motor(speed: 60 rpm)", "driven by motor(▲rpm: 60)", "speed"),
        ("motor(speed: 60 rpm)", "motor(speed: 60 ▲Hz)", "rad"),
        (
            "gear drive between main and spin = -2",
            "gear drive between main and spin ▲ratio -2",
            "=",
        ),
        (
            "gear drive between main and spin = -2",
            "gear drive between main and spin = -▲20:40",
            "/",
        ),
        ("* angle - 0.02 N*m*s/rad * rate", "* ▲theta - 0.02 N*m*s/rad * rate", "angle"),
        ("force closer about big_end = -0.5", "▲spring closer about big_end = -0.5", "force"),
        ("limits (-170, 170)", "▲limits: (-170, 170)", "remove"),
        (
            "join rod to crank with pin(axis: z) as big_end matching (near, far)",
            "join rod to crank with ▲hinge(axis: z) as big_end matching (near, far)",
            "pin",
        ),
        ("join rod to crank with pin", "▲joint rod to crank with pin", "join"),
        ("  dynamics\n}\nprimitive wheel", "  ▲dynamics: true\n}\nprimitive wheel", "mass"),
        ("time: (1 ms, 5 s)", "time: ▲0:0.001:5", "(0.001, 5)"),
    ),
    *in_base(
        "stranger_room",
        ("  gravity: (0, -9.81, 0)", "  gravity: ▲-9.81", "(0, "),
        ("counter: block(2 m, 90 cm, 60 cm)", "▲counter = block(2 m, 90 cm, 60 cm)", ":"),
        ("counter: block(2 m, 90 cm, 60 cm)", "counter: ▲new block(2 m, 90 cm, 60 cm)", "remove"),
        ("counter: block(2 m, 90 cm, 60 cm)", "counter: block(▲w=2 m, h=90 cm, d=60 cm)", ":"),
        ("counter: block(2 m, 90 cm, 60 cm)", "counter: block(▲2m, 90cm, 60 centimeters)", "cm"),
        (
            "place counter by counter.center at (0, 45 cm, -1.2 m)",
            "place counter ▲at (0, 45 cm, -1.2 m)",
            "by",
        ),
        (
            "place shelf[2] by shelf[2].center at (0, 1.8 m, -1.35 m)",
            "place shelf[▲0] by shelf[0].center at (0, 1.8 m, -1.35 m)",
            "shelf[1]",
        ),
        ("wheelchair(seat: 48 cm)", "wheelchair(▲seat_height: 48 cm)", "seat"),
        ("person(1.62 m, woman) on foot", "person(1.62 m, ▲female) on foot", "woman"),
        ("hands: right, left", "hands: ▲both", "right"),
        ("points: grid 50 cm in floor", "points: grid 50 cm ▲on floor", "in"),
        ("rules: ada_2010", "rules: ▲ADA 2010", "ada_2010"),
    ),
    *in_base(
        "stranger_pose",
        ("figure: anna", "figure: ▲Anna", "anna"),
        ("place: r_grip at block.face", "place: ▲right_hand at block.face", "right hand"),
        ("place: r_grip at block.face", "place: r_grip ▲to block.face", "at"),
        ("pointing z", "pointing ▲up", "x, y or z"),
        ("within (1 mm, 5 deg)", "within ▲1 mm and 5 deg", "(1 mm, 5"),
        ("load: 1.5 kg in r_grip", "load: ▲15 N in r_grip", "mass"),
        ("load: 1.5 kg in r_grip", "load: ▲r_grip 1.5 kg", "kg in"),
        ("minimise: 2 discomfort, torque", "▲minimize: 2 discomfort, torque", "minimise"),
        (
            "minimise: 2 discomfort, torque",
            "minimise: ▲2*discomfort + torque",
            "2 discomfort, torque",
        ),
        ("maximise: balance", "maximise: ▲discomfort", "balance"),
        ("lean: 20 deg", "lean: ▲forward 20 deg", "remove"),
        ("motion: minimum_jerk in 1 s", "motion: ▲min_jerk in 1 s", "minimum_jerk"),
    ),
    *in_base(
        "stranger_film",
        ("camera: lens(28 mm) on robot.flange", "camera: ▲28 mm on robot.flange", "lens("),
        ("camera: lens(28 mm)", "camera: lens(▲fov: 60 deg)", "focal"),
        ("turned 90 deg about y", "▲rotated 90 deg about y", "turned"),
        ("mode: fly", "mode: ▲orbit", "fly"),
        ("look: at statue.face", "▲look at: statue.face", "look: at"),
        ("roll level smooth 0.3 s", "▲roll: level smooth 0.3 s", "roll level smooth 0.3 s"),
        ("acceleration: 8 rad/s^2", "▲accel: 8 rad/s^2", "acceleration"),
        ("frames: 25\n", "▲fps: 25\n", "frames"),
        ("frames: 25\n", "frames: ▲25 fps\n", "write 25"),
        ("filter: one_euro(cutoff: 1 Hz)", "filter: ▲kalman", "one_euro"),
        ("calibrate: n_pose", "calibrate: ▲T-pose", "t_pose"),
        ('to: viewer, file "anna.bvh"', 'to: viewer, ▲"anna.bvh"', "file"),
    ),
)
