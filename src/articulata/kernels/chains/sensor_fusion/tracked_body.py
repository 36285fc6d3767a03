"""One step of tracking an upper body: samples in, joint values of arms and neck out.

Frames: T the tracker's, S a sensor's, F the figure's as it was calibrated, in which up does not
change; ``trunk`` turns the figure as a whole within F. What a sensor sits on is a *segment*.
"""

from __future__ import annotations

import math
from typing import Any

from articulata.kernels.array_types import Array, IntArray
from articulata.kernels.chains.sensor_fusion.arm_angles import ArmTables, arm_angles, three_angles
from articulata.kernels.chains.sensor_fusion.sensor_streams import (
    COLUMNS,
    read_streams,
    take_sample,
)
from articulata.kernels.compile import kernel
from articulata.kernels.rotations import Quaternion, along, between, exp, log, times, unit

ANGLES, LEFT, TOLD, OUTSIDE, SOLVED = 7, 7, 9, 10, 11
"""An arm's row: seven joint values, what is left (2), how it was solved, joints beyond limits."""

NOT_SOLVED = -1.0
"""In place of how an arm was solved: one of its sensors is not heard."""

HELD = 4
"""Bit of how an arm was solved: one of its sensors is silent, or has only just come back."""

BEYOND = 1e-9
"""A joint this far (rad) outside its limits is outside, not rounded."""

TRUNK, SKULL = 0, 1
"""Places in ``voices``: the streams of trunk and skull, -1 for none; upper arms follow."""


@kernel(counted=False)
def _quaternion(rows: Any, row: int) -> Quaternion:
    return (rows[row, 0], rows[row, 1], rows[row, 2], rows[row, 3])


@kernel(counted=False)
def _matrix(q: Quaternion, R: Any) -> None:
    w, x, y, z = q
    R[0, 0], R[0, 1], R[0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)
    R[1, 0], R[1, 1], R[1, 2] = 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)
    R[2, 0], R[2, 1], R[2, 2] = 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)


@kernel(counted=False)
def _apply(R: Any, S: Any, out: Any) -> None:
    for i in range(3):
        for j in range(3):
            out[i, j] = R[i, 0] * S[0, j] + R[i, 1] * S[1, j] + R[i, 2] * S[2, j]


@kernel(counted=False)
def _turn_about(up: Array, before: Quaternion, now: Quaternion) -> float:
    """Return by how much (rad) something turned about ``up``."""
    v = log(times(now, (before[0], -before[1], -before[2], -before[3])))
    return v[0] * up[0] + v[1] * up[1] + v[2] * up[2]


@kernel(counted=False)
def turned_trunk(
    trunk: Array, before: Array, segments: Array, voices: IntArray, up: Array, leak: float
) -> None:
    """Turn ``trunk`` (4,), which no sensor sits on, as head and upper arms agree that it has.

    When the body turns, head and arms turn with it; when the head or an arm turns alone, the others
    do not. So the trunk turns by the middle of what they turned by; of two, by the lesser where
    they turned alike, else not at all. ``leak`` is the share of the angle between head and trunk
    that is taken back, since people mostly look ahead.
    """
    # of two the third is 0; of one, or none, the middle is
    turns = (0.0, 0.0, 0.0)
    for k in range(1, min(len(voices), 4)):
        row = voices[k]
        if row < 0 or math.isnan(segments[row, 0]) or math.isnan(before[row, 0]):
            continue
        one = _turn_about(up, _quaternion(before, row), _quaternion(segments, row))
        turns = (one, turns[0], turns[1])
    low, high = min(turns[0], turns[1]), max(turns[0], turns[1])
    turn = max(low, min(high, turns[2]))
    q = (trunk[0], trunk[1], trunk[2], trunk[3])
    head = voices[SKULL]
    if head >= 0 and not math.isnan(segments[head, 0]):
        turn += leak * _turn_about(up, q, _quaternion(segments, head))
    q = unit(times(exp((turn * up[0], turn * up[1], turn * up[2])), q))
    for i in range(4):
        trunk[i] = q[i]


@kernel(counted=False)
def solve_arms(
    segments: Array,
    roots: Array,
    rows: IntArray,
    table: ArmTables,
    before: Array,
    solved: Array,
    room: Array,
) -> None:
    """Solve every arm whose three sensors are heard; the others keep what they had.

    ``segments`` (n, 4) are orientations in one frame, ``roots`` (arms, 3, 3) those of what the
    arms hang on, ``rows`` (arms, 3) the segments of upper arm, forearm and hand. The arrays that
    describe arms are stacked as for ``arm_angles``; ``before`` (arms, 8) holds where they were,
    then whether that is known. ``solved`` (arms, SOLVED) receives joint values (rad), what is left
    at elbow and wrist (rad), how the shoulder was solved, and a bit for each joint outside.
    ``room`` (6, 3, 3) is scratch.
    """
    turns, offsets, limits, cone, tolerance = table
    R, work = room[:4], room[4:]
    for arm in range(len(rows)):
        heard = True
        for k in range(3):
            row = rows[arm, k]
            heard = heard and row >= 0 and not math.isnan(segments[row, 0])
        if not heard:
            for k in range(ANGLES):
                solved[arm, k] = before[arm, k]
            solved[arm, LEFT] = solved[arm, LEFT + 1] = math.nan
            solved[arm, TOLD], solved[arm, OUTSIDE] = NOT_SOLVED, 0.0
            continue
        for i in range(3):
            for k in range(3):
                R[0, i, k] = roots[arm, i, k]
        for k in range(3):
            _matrix(_quaternion(segments, rows[arm, k]), R[k + 1])
        one = ArmTables(turns[arm], offsets[arm], limits[arm], cone, tolerance)
        was, known = before[arm, :ANGLES], before[arm, ANGLES] > 0.0
        q, left = solved[arm, :ANGLES], solved[arm, LEFT : LEFT + 2]
        solved[arm, TOLD] = arm_angles(R, one, was, known, q, left, work)
        outside = 0
        for k in range(ANGLES):
            low, high = limits[arm, k, 0], limits[arm, k, 1]
            if solved[arm, k] < low - BEYOND or solved[arm, k] > high + BEYOND:
                outside |= 1 << k
        solved[arm, OUTSIDE] = outside
        for k in range(ANGLES):
            before[arm, k] = solved[arm, k]
        before[arm, ANGLES] = 1.0


CUTOFF, ALIGNMENT, UP, PIVOT, CONE, TOLERANCE, NECK_TURNS, NECK, LEAK, DELAY, TABLES = (
    0, 4, 8, 11, 14, 15, 16, 34, 46, 47, 48,
)  # fmt: skip
"""Where in ``tables`` each begins: first of all the filter, the turn of the tracker's frame, the
directions and the point of the trunk, the shoulders' cone, the neck, the seconds in which a trunk
without a sensor comes to face where the head does, the delay (s). Mounts (4 each), then ``roots``,
``turns``, ``offsets`` and ``limits`` of the arms follow, then the posture of the other joints."""

COUNT, ARMS, WAY, DOF, VOICES, NECKED, NECK_COLUMNS, PLACES = 0, 1, 2, 3, 4, 8, 9, 12
"""Where in ``places`` each begins: how many streams and arms there are, how streams are read, how
many joints move, the streams of trunk, head and upper arms, whether there is a neck and its
columns. Rows (3 each) and columns (7 each) of the arms follow, then of each stream its station and
the stream that carries it (its own for the trunk, NOTHING for none), then all from the trunk on."""

NEWEST, INSTANT, DROPPED, ORIGIN, PLACE, NECK_ANGLES, PAST = 0, 1, 2, 3, 6, 9, 13
"""Where in ``past``, the end of a state's memory, each begins: the time of the newest sample, that
of the posture, how many samples came too late, where the trunk's sensor was when it was first heard
(m, in T; NaN before), how far the trunk has moved (m, in F), the neck's angles and whether they are
known."""

STATION, MEASURED, TURNED, PLACED, DOUBT, FIELDS = 0, 1, 3, 7, 10, 12
"""Where in a row of samples, as ``records.samples.Samples`` has them, each begins."""


BASE = 7
"""Numbers of a base: its turn and place."""


FIXED, SINCE, SILENT_FOR, HOLDS = 0, 4, 5, 6
"""A row of what silent segments are held by: the turn in what carries the segment; NaN while it is
heard, inf while it is silent, then since when (s) it is heard again; how long (s) it was silent."""

NOTHING = -1
"""In place of the stream that carries a segment: it has none, the trunk's turn stands for it."""

UNHEARD = 3.0
"""A sensor counts as silent after so many of its last intervals, one more than it is carried on."""

SHORTEST_SILENCE = 0.1
"""s: a sensor counts as silent after this at the least. Shorter, late datagrams count as well."""

FADE = 0.3
"""Seconds in which a segment comes back to what its sensor tells, fewer after a shorter silence:
an arm turns 90 deg in that time."""


def head_of(streams: int, arms: int, dof: int) -> int:
    """Return how many numbers of ``follow``'s ``out`` stand before the memory."""
    return dof + BASE + arms * SOLVED + 9 * (10 + arms) + 8 * streams


PAUSE = 1.0
"""s: after a longer silence a trunk without a sensor is not turned towards the head."""


@kernel(counted=False)
def _stream_of(station: float, stations: Any) -> int:
    """Return the stream of a station, -1 where it has none."""
    for row in range(len(stations)):
        if stations[row] == station:
            return row
    return -1


@kernel(counted=False)
def _taken(samples: Any, streams: Any, past: Any, tables: Any, stations: Any, trunk: int) -> None:
    """Take good samples of ``stations`` into their streams; note the newest and the trunk's."""
    for k in range(len(samples)):
        row = _stream_of(samples[k, STATION], stations)
        if row < 0 or samples[k, DOUBT] != 0.0:
            continue
        time = samples[k, MEASURED]
        past[NEWEST] = max(past[NEWEST], time)
        x, y, z = samples[k, PLACED], samples[k, PLACED + 1], samples[k, PLACED + 2]
        if row == trunk and not math.isnan(x):
            if math.isnan(past[ORIGIN]):
                past[ORIGIN], past[ORIGIN + 1], past[ORIGIN + 2] = x, y, z
            w, a, b, c = (
                tables[ALIGNMENT], tables[ALIGNMENT + 1], tables[ALIGNMENT + 2],
                tables[ALIGNMENT + 3],
            )  # fmt: skip
            moved = (0.0, x - past[ORIGIN], y - past[ORIGIN + 1], z - past[ORIGIN + 2])
            moved = times(times((w, a, b, c), moved), (w, -a, -b, -c))
            past[PLACE], past[PLACE + 1], past[PLACE + 2] = moved[1], moved[2], moved[3]
        at = TURNED
        turned = samples[k, at], samples[k, at + 1], samples[k, at + 2], samples[k, at + 3]
        if not take_sample(streams, row, time, turned, tables):
            past[DROPPED] += 1.0


@kernel(counted=False)
def _listened(streams: Array, now: float, time: float, holds: Any) -> None:
    """Note in ``holds`` (n, HOLDS) which streams are silent at ``now``, and which have come back.

    ``time`` (s) is that of the posture, by which they fade in.
    """
    for row in range(len(streams)):
        age, interval = now - streams[row, 0], streams[row, 0] - streams[row, 1]
        if math.isnan(age):
            continue
        since = holds[row, SINCE]
        if math.isfinite(interval) or since == math.inf:
            patience = SHORTEST_SILENCE
            if math.isfinite(interval):
                patience = max(patience, UNHEARD * interval)
            if age > patience:
                holds[row, SINCE], holds[row, SILENT_FOR] = math.inf, age
            elif since == math.inf:
                holds[row, SINCE] = time
        if holds[row, SINCE] <= time - min(FADE, holds[row, SILENT_FOR]):
            holds[row, SINCE] = math.nan


@kernel(counted=False)
def _hold(
    segments: Array, told: Any, trunk: Array, time: float, carriers: Any, order: Any, holds: Any
) -> None:
    """Put segments that are silent where they were in what carries them, let others fade in.

    ``told`` (n, 4) are the orientations as sensors tell them. ``order`` (n,) lists the streams from
    the trunk outwards, ``carriers`` (n,) the stream that carries each.
    """
    for k in range(len(order)):
        row = order[k]
        if math.isnan(told[row, 0]):
            continue
        carrier = carriers[row]
        q = (trunk[0], trunk[1], trunk[2], trunk[3])
        if carrier == row:
            q = (1.0, 0.0, 0.0, 0.0)
        elif carrier != NOTHING and not math.isnan(segments[carrier, 0]):
            q = _quaternion(segments, carrier)
        new, since = _quaternion(told, row), holds[row, SINCE]
        if math.isnan(since):
            fixed = between(q, new)
            for i in range(4):
                holds[row, FIXED + i] = fixed[i]
        else:
            was = times(q, _quaternion(holds, row))
            share = 0.0
            if since < math.inf:
                share = (time - since) / min(FADE, holds[row, SILENT_FOR])
                share = max(0.0, min(1.0, share))
                share *= share * (3.0 - 2.0 * share)
            new = unit(along(was, new, share))
        for i in range(4):
            segments[row, i] = new[i]


@kernel(counted=False)
def follow(
    samples: Array, before: Array, now: float, tables: Array, places: IntArray, out: Array
) -> None:
    """Take ``samples`` (k, FIELDS), read all streams at ``now`` and solve arms and neck.

    ``now`` (s) is NaN for the time of the newest sample; the delay is taken from it. ``out``
    receives, in one array, since each costs as much to make and to hand over as an arm to solve:
    joint values (dof,), the turn and place (m) of the base (7,), the arms (arms, SOLVED), scratch,
    and the memory with which the next step goes on from there: the streams, where the arms were (8
    each), the trunk's turn (4), the segments' orientations (4 each), what silent ones are held by
    (HOLDS each), then ``past``, as its constants above say. ``before`` is what the last step gave.
    The constants tell of ``tables`` and ``places`` too, which hold what does not change. ``roots``
    among them are orientations in an upright figure that is not turned: of what the arms hang on,
    of what the neck stands on, of the head.
    """
    count, arms, dof = places[COUNT], places[ARMS], places[DOF]
    a = len(out) - count * (COLUMNS + 4 + HOLDS) - arms * (ANGLES + 1) - 4 - PAST
    for k in range(a, len(out)):
        out[k] = before[k]
    streams = out[a : a + count * COLUMNS].reshape(count, COLUMNS)
    a += count * COLUMNS
    were = out[a : a + arms * (ANGLES + 1)].reshape(arms, ANGLES + 1)
    a += arms * (ANGLES + 1)
    trunk = out[a : a + 4]
    seen = out[a + 4 : a + 4 + 4 * count].reshape(count, 4)
    a += 4 + 4 * count
    holds = out[a : a + HOLDS * count].reshape(count, HOLDS)
    past = out[a + HOLDS * count :]
    body = past[NECK_ANGLES:]
    q, base = out[:dof], out[dof : dof + BASE]
    a = dof + BASE
    solved = out[a : a + arms * SOLVED].reshape(arms, SOLVED)
    a += arms * SOLVED
    frames = out[a : a + 9 * (10 + arms)].reshape(10 + arms, 3, 3)
    R, turned = frames[0], frames[10:]
    a += 9 * (10 + arms)
    segments = out[a : a + 4 * count].reshape(count, 4)
    a += 4 * count
    told = out[a : a + 4 * count].reshape(count, 4)
    a = TABLES
    mounts = tables[a : a + 4 * count].reshape(count, 4)
    a += 4 * count
    roots = tables[a : a + 9 * (arms + 2)].reshape(arms + 2, 3, 3)
    a += 9 * (arms + 2)
    turns = tables[a : a + 54 * arms].reshape(arms, 6, 3, 3)
    a += 54 * arms
    offsets = tables[a : a + 9 * arms].reshape(arms, 9)
    a += 9 * arms
    limits = tables[a : a + 21 * arms].reshape(arms, 7, 3)
    a += 21 * arms
    for k in range(dof):
        q[k] = tables[a + k]
    up, pivot = tables[UP : UP + 3], tables[PIVOT : PIVOT + 3]
    alignment = tables[ALIGNMENT : ALIGNMENT + 4]
    voices = places[VOICES : VOICES + 4]
    rows = places[PLACES : PLACES + 3 * arms].reshape(arms, 3)
    columns = places[PLACES + 3 * arms : PLACES + 10 * arms]
    a = PLACES + 10 * arms
    stations, carriers = places[a : a + count], places[a + count : a + 2 * count]
    order = places[a + 2 * count : a + 3 * count]
    row = voices[TRUNK]
    until = past[NEWEST]
    _taken(samples, streams, past, tables, stations, row)
    since = past[NEWEST] - until
    leak = since / tables[LEAK] if since < PAUSE else 0.0
    now = past[NEWEST] if math.isnan(now) else now
    time = now - tables[DELAY]
    past[INSTANT] = time
    read_streams(streams, time, places[WAY], alignment, mounts, told)
    _listened(streams, now, time, holds)
    for k in range(count):
        for i in range(4):
            # what is held tells nothing of a trunk that it turns with
            segments[k, i] = told[k, i] if math.isnan(holds[k, SINCE]) else math.nan
    if row < 0:
        turned_trunk(trunk, seen, segments, voices, up, leak)
    else:
        if not math.isnan(holds[row, SINCE]):
            turned_trunk(holds[row, FIXED : FIXED + 4], seen, segments, voices, up, leak)
        _hold(segments, told, trunk, time, carriers, order[:1], holds)
        if not math.isnan(segments[row, 0]):
            for i in range(4):
                trunk[i] = segments[row, i]
    _hold(segments, told, trunk, time, carriers, order, holds)
    for k in range(count):
        for i in range(4):
            seen[k, i] = segments[k, i]
    _matrix((trunk[0], trunk[1], trunk[2], trunk[3]), R)
    for arm in range(arms):
        _apply(R, roots[arm], turned[arm])
    each = ArmTables(turns, offsets, limits, tables[CONE], tables[TOLERANCE])
    solve_arms(segments, turned, rows, each, were, solved, frames[1:7])
    for arm in range(arms):
        held = False
        for k in range(3):
            held = held or (rows[arm, k] >= 0 and not math.isnan(holds[rows[arm, k], SINCE]))
        if held and solved[arm, TOLD] >= 0.0:
            solved[arm, TOLD] += HELD
        for k in range(ANGLES):
            q[columns[ANGLES * arm + k]] = solved[arm, k]
    head = voices[SKULL]
    if head >= 0 and places[NECKED] == 1 and not math.isnan(segments[head, 0]):
        stand, link, N, was = frames[7], frames[8], frames[9], frames[1, 0]
        _apply(R, roots[arms], stand)
        _matrix(_quaternion(segments, head), R)
        _apply(R, roots[arms + 1], link)
        known = body[3] > 0.0
        for k in range(3):
            was[k] = body[k]
        neck, limits_of_neck = tables[NECK : NECK + 3], tables[NECK + 3 : NECK + 12].reshape(3, 3)
        neck_turns = tables[NECK_TURNS : NECK_TURNS + 18].reshape(2, 3, 3)
        table = ArmTables(neck_turns, neck, limits_of_neck, 0.0, 0.0)
        three_angles(stand, link, table, was, known, body[:3], N)
        body[3] = 1.0
    if body[3] > 0.0:
        for k in range(3):
            q[places[NECK_COLUMNS + k]] = body[k]
    for i in range(4):
        base[i] = trunk[i]
    _matrix((trunk[0], trunk[1], trunk[2], trunk[3]), R)
    for i in range(3):
        turned_by = R[i, 0] * pivot[0] + R[i, 1] * pivot[1] + R[i, 2] * pivot[2]
        base[4 + i] = past[PLACE + i] + pivot[i] - turned_by
