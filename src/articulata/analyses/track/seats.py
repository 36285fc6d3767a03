"""Where on the body sensors sit, from the places that they tell while postures are held.

A place is p_F = R_FT p_T + o, o the tracker's origin in F; it is also p_FB + R_FB r, r being where
the sensor sits on its link B. Postures that are known give o and every r together, as least
squares: what they leave open is taken from where sensors usually sit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from articulata.analyses.track.fewer import limbs_of
from articulata.analyses.track.tracked_person import ARM_PARTS, TrackedBody
from articulata.errors import KinematicsError
from articulata.geometry.arrays import Array
from articulata.geometry.rotation import Rotation

FIRM = 0.1
"""How much a metre beside the usual seat weighs against one beside a place that was told. Larger,
seats are believed rather than the tracker; smaller, what N and T leave open, along the wearer's
line of sight, takes up the places' noise."""

ON_FOREARM = 0.8
"""Where on the forearm a sensor usually sits, from elbow (0) to wrist (1)."""


@dataclass(frozen=True, slots=True, eq=False)
class Seats:
    """``origin`` (3,) m is the tracker's in F, ``offsets`` (3,) m where sensors sit, by station.

    An offset is told in the link of forearm or hand; of what sits on head or trunk in F, for a
    wearer who stands in N.
    """

    origin: Array
    offsets: Mapping[int, Array]

    def turned(self, back: Rotation, pivot: Array) -> Seats:
        """Return the seats where F turns by ``back`` about ``pivot`` (3,)."""
        offsets = dict(self.offsets)
        return Seats(back.apply(self.origin - pivot) + pivot, MappingProxyType(offsets))


def seated(
    body: TrackedBody,
    stations: Mapping[int, str],
    postures: Sequence[tuple[Array, Mapping[int, Array]]],
    R_FT: Rotation,
) -> Seats | None:
    """Return where sensors sit; None where no arm's sensor told a place in every posture.

    ``postures`` are joint values (dof,) rad and the places (3,) m in T by station.
    """
    told = [s for s in stations if all(s in places for _, places in postures)]
    usual = _usual(body)
    arms = [s for s in told if stations[s] in usual]
    if not arms:
        return None
    unknowns = 3 + 3 * len(arms)
    rows, values = [], []
    for q, places in postures:
        X = body.figure.poses(q)
        for k, station in enumerate(arms):
            link, _ = usual[stations[station]]
            A = np.zeros((3, unknowns))
            A[:, :3] = np.eye(3)
            A[:, 3 + 3 * k : 6 + 3 * k] = -X[link, :3, :3]
            rows.append(A)
            values.append(X[link, :3, 3] - R_FT.apply(places[station]))
    for k, station in enumerate(arms):
        A = np.zeros((3, unknowns))
        A[:, 3 + 3 * k : 6 + 3 * k] = FIRM * np.eye(3)
        rows.append(A)
        values.append(FIRM * usual[stations[station]][1])
    found = np.linalg.lstsq(np.concatenate(rows), np.concatenate(values), rcond=None)[0]
    origin = found[:3]
    offsets = {s: found[3 + 3 * k : 6 + 3 * k] for k, s in enumerate(arms)}
    for station in told:
        if station not in offsets:
            seen = [R_FT.apply(places[station]) + origin for _, places in postures]
            offsets[station] = np.mean(seen, axis=0)
    return Seats(origin, MappingProxyType(offsets))


def _usual(body: TrackedBody) -> dict[str, tuple[int, Array]]:
    """Return the link of each forearm and hand, and where on it a sensor usually sits."""
    found = {}
    for side, arm in zip(body.sides, body.arms.each, strict=True):
        try:
            limbs = limbs_of(body.figure, arm)
        except KinematicsError:
            continue
        elbow, wrist = limbs.elbow[1], limbs.wrist[0]
        found[f"{side}_{ARM_PARTS[1]}"] = arm.forearm, elbow + ON_FOREARM * (wrist - elbow)
        found[f"{side}_{ARM_PARTS[2]}"] = arm.hand, limbs.wrist[1]
    return found
