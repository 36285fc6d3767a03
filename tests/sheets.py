"""The sheets of RULA and REBA filled in from points of a body, as somebody with a goniometer would.

Nothing here reads an angle of the product: only where points of the body are. Steps and bounds
are those of McAtamney and Corlett (1993) and of Hignett and McAtamney (2000). Where these say
"twisted", "abducted" or "in extension" and give no angle, it is 10 degrees, and 5 for what is
straight, as docs/comfort.md tells.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import acos, asin, atan2, degrees

import numpy as np

import articulata as art

Point = np.ndarray


def mark(figure: art.Figure, q: Point, joint: str, *at: float) -> Point:
    """Return where a mark that is fixed to the link of a joint is."""
    X = figure.link_pose(q, joint)
    return X[:3, :3] @ np.array(at) + X[:3, 3]


@dataclass
class Points:
    """Marks on a body, m: ``r`` and ``l`` for its sides, the rest of the side that works."""

    hips: tuple[Point, Point]
    waist: Point
    chest: tuple[Point, Point, Point]  # low, high, and one to the left of low
    head: tuple[Point, Point, Point]  # neck, crown, and one to the left of the neck
    collar: Point
    shoulder: Point
    epicondyles: tuple[Point, Point]  # right, left
    elbow: Point
    styloids: tuple[Point, Point]
    wrist: Point
    palm: Point
    finger: Point
    legs: list[tuple[Point, Point, Point]]
    outward: float  # 1 for the left arm, -1 for the right
    rest_of_collar: float  # deg above level of collar to shoulder at rest


def points_of(figure: art.Figure, q: Point, side: str) -> Points:
    s = side[0]
    arm, fore, hand = (
        f"{s}_{name}" for name in ("shoulder_rotation", "elbow_pronation", "radiocarpal_deviation")
    )
    place = lambda name: figure.landmark(q, name)[:3, 3]  # noqa: E731
    elbow, wrist = (mark(figure, q, name, 0, 0, 0) for name in (fore, hand))
    down = np.linalg.norm(elbow - mark(figure, q, arm, 0, 0, 0))
    long = np.linalg.norm(wrist - elbow)
    chest = "vt6_rotation"
    still = figure.neutral
    collar, shoulder = f"{s}_sternoclavicular_elevation", arm
    line = mark(figure, still, shoulder, 0, 0, 0) - mark(figure, still, collar, 0, 0, 0)
    line = np.linalg.inv(figure.link_pose(still, chest)[:3, :3]) @ line
    return Points(
        hips=(place("r_hip"), place("l_hip")),
        waist=mark(figure, q, "vl3_flexion", 0, 0, 0),
        chest=tuple(mark(figure, q, chest, *at) for at in ((0, 0, 0), (0, 0.3, 0), (0.1, 0, 0))),
        head=tuple(
            mark(figure, q, "vc7_rotation", *at) for at in ((0, 0, 0), (0, 0.2, 0), (0.1, 0, 0))
        ),
        collar=mark(figure, q, collar, 0, 0, 0),
        shoulder=mark(figure, q, arm, 0, 0, 0),
        epicondyles=(mark(figure, q, arm, -0.03, -down, 0), mark(figure, q, arm, 0.03, -down, 0)),
        elbow=elbow,
        styloids=(mark(figure, q, fore, -0.03, -long, 0), mark(figure, q, fore, 0.03, -long, 0)),
        wrist=wrist,
        palm=place(f"{side} hand"),
        finger=mark(figure, q, hand, 0, -0.1, 0),
        legs=[(place(f"{e}_hip"), place(f"{e}_knee"), place(f"{e}_ankle")) for e in "lr"],
        outward=1.0 if s == "l" else -1.0,
        rest_of_collar=degrees(atan2(line[1], abs(line[0]))),
    )


def unit(v: Point) -> Point:
    return v / np.sqrt(v @ v)


def between(a: Point, b: Point) -> float:
    """Return the angle between two directions, deg."""
    return degrees(acos(np.clip(unit(a) @ unit(b), -1.0, 1.0)))


def off_plane(v: Point, normal: Point) -> float:
    """Return how far a direction leaves the plane across ``normal``, deg, positive along it."""
    return degrees(asin(np.clip(unit(v) @ unit(normal), -1.0, 1.0)))


def carried(a: Point, b: Point, v: Point) -> Point:
    """Return v turned by the shortest way that brings direction a to b."""
    a, b = unit(a), unit(b)
    return (
        v
        + np.cross(np.cross(a, b), v)
        + np.cross(np.cross(a, b), np.cross(np.cross(a, b), v)) / (1.0 + a @ b)
    )


def turn(a: Point, b: Point, about: Point) -> float:
    """Return the angle from a to b as seen along ``about``, deg."""
    about = unit(about)
    a, b = (v - (v @ about) * about for v in (a, b))
    return degrees(atan2(np.cross(a, b) @ about, a @ b))


@dataclass
class Read:
    """What is read off the points, deg."""

    trunk: float
    trunk_turned: bool
    trunk_aside: bool
    neck: float
    neck_turned: bool
    neck_aside: bool
    arm: float
    abducted: bool
    rotated: bool
    raised: bool
    elbow: float
    hand_off: bool
    wrist: float
    deviated: bool
    palm_turned: bool
    knee: float


def read(p: Points, up: Point) -> Read:
    hip_line = p.hips[1] - p.hips[0]
    level = unit(hip_line - (hip_line @ up) * up)
    spine, chest_left = p.chest[1] - p.chest[0], unit(p.chest[2] - p.chest[0])
    ahead = np.cross(level, up)
    pelvis_up = p.waist - 0.5 * (p.hips[0] + p.hips[1])
    leaning = degrees(atan2(spine @ ahead, spine @ up))
    straight = carried(pelvis_up, spine, hip_line)
    # the head as the trunk sees it
    front = np.cross(chest_left, unit(spine))
    crown = p.head[1] - p.head[0]
    head_line = p.head[2] - p.head[0]
    # the arm: how high, and towards which side
    upper = p.elbow - p.shoulder
    raised_by = between(upper, -spine)
    out, forward = upper @ chest_left * p.outward, upper @ front
    behind = forward < -max(out, 0.0) and raised_by <= 90.0
    bent = turn(carried(-spine, upper, chest_left), p.epicondyles[1] - p.epicondyles[0], upper)
    collar = p.shoulder - p.collar
    lift = degrees(atan2(collar @ unit(spine), abs(collar @ chest_left))) - p.rest_of_collar
    # the hand against the middle of the body and its shoulder
    beyond = (p.palm - p.chest[0]) @ chest_left * p.outward < 0.0
    aside = off_plane(p.palm - p.shoulder, chest_left * p.outward) > 10.0
    fore = unit(p.wrist - p.elbow)
    palmar = unit(p.styloids[1] - p.styloids[0])
    finger = p.finger - p.wrist
    side_of_wrist = off_plane(finger, np.cross(palmar, fore))
    turned = turn(p.epicondyles[1] - p.epicondyles[0], palmar, fore)
    return Read(
        trunk=leaning,
        trunk_turned=abs(turn(straight, chest_left, spine)) > 10.0,
        trunk_aside=abs(off_plane(spine, level)) > 10.0,
        neck=degrees(atan2(crown @ front, crown @ unit(spine))),
        neck_turned=abs(turn(carried_in_order(spine, front, chest_left, crown), head_line, crown))
        > 10.0,
        neck_aside=abs(off_plane(crown, chest_left)) > 10.0,
        arm=-raised_by if behind else raised_by,
        abducted=out / np.sqrt(upper @ upper) > np.sin(np.radians(10.0)),
        rotated=raised_by <= 150.0 and abs(bent) > 10.0,
        raised=lift > 10.0,
        elbow=between(upper, fore),
        hand_off=bool(beyond or aside),
        wrist=degrees(atan2(finger @ palmar, finger @ fore)),
        deviated=abs(side_of_wrist) > 10.0,
        palm_turned=abs(turned) > 40.0,
        knee=max(between(knee - hip, ankle - knee) for hip, knee, ankle in p.legs),
    )


def carried_in_order(up: Point, front: Point, left: Point, crown: Point) -> Point:
    """Return where the left of a head points that nods first and then leans aside to ``crown``."""
    nod = np.cross(left, crown - (crown @ left) * left)  # ahead of the nodding head, seen from left
    return np.cross(unit(crown), unit(nod))


def step(value: float, *table: tuple[float, int], last: int) -> int:
    """Return the score of the first bound that ``value`` does not pass."""
    return next((score for bound, score in table if value <= bound), last)


def rula_parts(r: Read, work: art.WorkConditions) -> dict[str, int]:
    arm = 2 if r.arm < -20 else step(r.arm, (20, 1), (45, 2), (90, 3), last=4)
    arm = max(arm + r.raised + r.abducted - work.supported, 1)
    lower = (1 if 60 <= r.elbow <= 100 else 2) + r.hand_off
    wrist = step(abs(r.wrist), (5, 1), (15, 2), last=3) + r.deviated
    neck = 4 if r.neck < -5 else step(r.neck, (10, 1), (20, 2), last=3)
    neck += r.neck_turned + r.neck_aside
    trunk = step(abs(r.trunk), (5, 1), (20, 2), (60, 3), last=4)
    if r.trunk < -5:
        trunk = 2
    if work.seated:
        trunk = 1 if work.back_rest and r.trunk <= 5 else max(trunk, 2)
    trunk += r.trunk_turned + r.trunk_aside
    return {
        "upper arm": arm, "lower arm": lower, "wrist": wrist, "wrist twist": 1 + r.palm_turned,
        "neck": neck, "trunk": trunk, "legs": 1 if work.balanced else 2,
    }  # fmt: skip


def reba_parts(r: Read, work: art.WorkConditions) -> dict[str, int]:
    arm = 2 if r.arm < -20 else step(r.arm, (20, 1), (45, 2), (90, 3), last=4)
    arm = max(arm + r.raised + (r.abducted or r.rotated) - work.supported, 1)
    wrist = (1 if abs(r.wrist) <= 15 else 2) + (r.deviated or r.palm_turned)
    neck = (1 if -5 <= r.neck <= 20 else 2) + (r.neck_turned or r.neck_aside)
    if r.trunk < -5:
        trunk = 2 if r.trunk >= -20 else 3
    else:
        trunk = step(r.trunk, (5, 1), (20, 2), (60, 3), last=4)
    trunk += r.trunk_turned or r.trunk_aside
    legs = 1 if work.seated or work.balanced else 2
    if not work.seated:
        legs += step(r.knee, (30, 0), (60, 1), last=2)
    return {
        "upper arm": arm, "lower arm": 1 if 60 <= r.elbow <= 100 else 2, "wrist": wrist,
        "neck": neck, "trunk": trunk, "legs": legs,
        "activity": work.static + work.repeated + work.unstable,
    }  # fmt: skip


def digits(text: str, shape: tuple[int, ...]) -> np.ndarray:
    return np.array([int(each) for each in text if each.isdigit()]).reshape(shape)


# tables row by row as the sheets print them, read from the sheets and not from the product's
RULA_A = digits(
    """
    12222333 22223333 23333344
    23333444 33333444 34444455
    33444455 34444455 44444555
    44444555 44444555 44455566
    55555667 56666777 66677778
    77777889 88888999 99999999
    """,
    (6, 3, 4, 2),
)
# printed with the trunk's scores side by side, legs within each
RULA_B = digits(
    """
    132334556677
    232345556777
    333445566777
    555667777788
    777778888888
    888888899999
    """,
    (6, 6, 2),
)
RULA_C = digits("1233455 2234455 3334456 3334566 4445677 4456677 5566777 5567777", (8, 7))
# REBA's table A is printed trunk by trunk, with the neck's scores side by side
REBA_A = digits(
    "1234 1234 3356  2345 3456 4567  2456 4567 5678  3567 5678 6789  4678 6789 7899", (5, 3, 4)
)
REBA_B = digits("122123 123234 345455 455567 678788 788899", (6, 2, 3))
_REBA_C = """
    1 1 1 2 3 3 4 5 6 7 7 7   1 2 2 3 4 4 5 6 6 7 7 8   2 3 3 3 4 5 6 7 7 8 8 8
    3 4 4 4 5 6 7 8 8 9 9 9   4 4 4 5 6 7 8 8 9 9 9 9   6 6 6 7 8 8 9 9 10 10 10 10
    7 7 7 8 9 9 9 10 10 11 11 11   8 8 8 9 10 10 10 10 10 11 11 11
    9 9 9 10 10 10 11 11 11 12 12 12   10 10 10 11 11 11 11 12 12 12 12 12
    11 11 11 11 12 12 12 12 12 12 12 12   12 12 12 12 12 12 12 12 12 12 12 12
"""
REBA_C = np.array(list(map(int, _REBA_C.split()))).reshape(12, 12)


def rula_sheet(r: Read, work: art.WorkConditions) -> dict[str, int]:
    """Return the score of every step of RULA's sheet, and the grand score."""
    found = rula_parts(r, work)
    often = work.static or work.repeated
    force = 0 if work.load < 2 else 2 if often else 1
    if work.shock or work.load > 10:
        force = 3
    use = int(often) + force
    arm = RULA_A[tuple(found[k] - 1 for k in ("upper arm", "lower arm", "wrist", "wrist twist"))]
    rest = RULA_B[tuple(found[k] - 1 for k in ("neck", "trunk", "legs"))]
    found |= {"wrist and arm": int(arm) + use, "neck, trunk and legs": int(rest) + use}
    found["score"] = int(RULA_C[min(arm + use, 8) - 1, min(rest + use, 7) - 1])
    return found


def reba_sheet(r: Read, work: art.WorkConditions) -> dict[str, int]:
    """Return the score of every step of REBA's sheet, and the final score."""
    found = reba_parts(r, work)
    load = (0 if work.load < 5 else 1 if work.load <= 10 else 2) + work.shock
    rest = int(REBA_A[tuple(found[k] - 1 for k in ("trunk", "neck", "legs"))]) + load
    arm = int(REBA_B[tuple(found[k] - 1 for k in ("upper arm", "lower arm", "wrist"))]) + work.grip
    found |= {"neck, trunk and legs": rest, "arm and wrist": arm}
    found["score"] = int(REBA_C[min(rest, 12) - 1, min(arm, 12) - 1]) + found["activity"]
    return found
