"""Sensors that sit where others should: seen by how they turn and move from N to T.

From N to T every part of an arm turns by a right angle, left and right the opposite ways, head and
trunk not at all; and hands go farther than forearms, these farther than upper arms. Arms that are
exchanged as a whole look like a wearer seen from behind: movement tells (``plausibility``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from articulata.analyses.track.body import ARM_PARTS, TrackedBody
from articulata.analyses.track.calibration import Held, level
from articulata.geometry.arrays import Array
from articulata.geometry.rotation import Rotation

TURNED = np.radians(45.0)
"""Half of a right angle: a sensor that turned by more has turned, one by less has not."""

NEARER = 0.08
"""m: a hand's sensor that goes less far than its forearm's by this much sits on the forearm."""


def mixed_up(body: TrackedBody, stations: Mapping[int, str], postures: Sequence[Held]) -> str:
    """Return what seems to be wrong with two stations, a sentence; "" where nothing is.

    The first two postures are compared; there is nothing to say unless one turns arms from the
    other as T does from N.
    """
    if len(postures) < 2:
        return ""
    first, second = postures[0], postures[1]
    at_first, at_second = body.orientations(first.q), body.orientations(second.q)
    wanted, seen = {}, {}
    for station, role in stations.items():
        if station in first.turned and station in second.turned:
            after = Rotation.from_matrix(at_second[role], nearest=True)
            before = Rotation.from_matrix(at_first[role], nearest=True)
            wanted[station] = level(body).inverse().apply((after @ before.inverse()).log())
            seen[station] = (second.turned[station] @ first.turned[station].inverse()).log()
    sizes = {s: (np.linalg.norm(wanted[s]), np.linalg.norm(seen[s])) for s in wanted}
    idle = [s for s, (should, did) in sizes.items() if should > TURNED > did]
    busy = [s for s, (should, did) in sizes.items() if should < TURNED < did]
    if len(idle) == 1 and len(busy) == 1:
        return _said(stations, idle[0], busy[0], "one turned and should not, the other not")
    turning = [s for s, (should, did) in sizes.items() if min(should, did) > TURNED]
    headings = {s: _heading(wanted[s], seen[s]) for s in turning}
    middle = float(np.angle(sum(np.exp(1j * each) for each in headings.values())))
    backward = [
        s
        for s, each in headings.items()
        if abs(np.angle(np.exp(1j * (each - middle)))) > 0.5 * np.pi
    ]
    if len(backward) == 2 and stations[backward[0]][:1] != stations[backward[1]][:1]:
        return _said(stations, backward[0], backward[1], "they turned against the others")
    return _in_one_arm(stations, first, second)


def _in_one_arm(stations: Mapping[int, str], first: Held, second: Held) -> str:
    """Return which two of an arm's stations are exchanged, by how far they went."""
    station_of = {role: station for station, role in stations.items()}
    for side in ("r", "l"):
        own = [station_of.get(f"{side}_{part}") for part in ARM_PARTS]
        ways = [
            float(np.linalg.norm(second.places[s] - first.places[s]))
            if s is not None and s in first.places and s in second.places
            else np.nan
            for s in own
        ]
        for k in (0, 1):
            nearer, farther = own[k], own[k + 1]
            if nearer is not None and farther is not None and ways[k] > ways[k + 1] + NEARER:
                return _said(
                    stations, nearer, farther, "the outer one went less far than the inner one"
                )
    return ""


def _heading(wanted: Array, seen: Array) -> float:
    along = wanted[0] * seen[0] + wanted[1] * seen[1]
    across = wanted[0] * seen[1] - wanted[1] * seen[0]
    return float(np.arctan2(across, along))


def _said(stations: Mapping[int, str], one: int, other: int, why: str) -> str:
    return (
        f"stations {one} ({stations[one]}) and {other} ({stations[other]}) seem to be exchanged:"
        f" {why}. Exchange the sensors, or their numbers with --stations, and calibrate again"
    )
