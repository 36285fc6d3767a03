"""Every arm that ssik ships: are its postures among ours?

``python -m benchmarks.compare_arms`` draws poses of each arm within its limits, asks both for all
postures and says how many of the peer's that meet their pose are missing from ours. Families of
arms with seven joints are asked for the posture nearest to each of the peer's, without limits, and
for all postures at as many values of one joint as the peer samples. Both sides run on one thread.
"""

from __future__ import annotations

import argparse
import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from articulata.kinematics.chain import Chain
from articulata.kinematics.joint import Joint

POSES, FEW = 200, 60
"""Poses of an arm with six joints, and of one with seven."""

SAMPLES = 16
"""Values of one joint at which the peer solves an arm with seven."""

MET, SAME = 1e-8, 1e-4
"""A posture of the peer counts where it meets its pose to the first, m and rad; it is found where
one of ours is as near as the second, rad."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One arm: our structure, how many generating postures were missed, both sides' postures."""

    structure: str
    missed: int
    ours: int
    theirs: int
    unmet: int
    missing: int
    seconds: float


def chain_of_screws(before: Any, axes: Any, behind: Any, limits: Any) -> Chain:
    """Return the chain of turns about ``axes`` (n, 3) between fixed poses (n, 4, 4)."""
    joints = []
    for i, axis in enumerate(np.asarray(axes, float)):
        side = np.eye(3)[int(np.argmin(np.abs(axis)))]
        x = np.cross(side, axis) / np.linalg.norm(np.cross(side, axis))
        turn = np.eye(4)
        turn[:3, :3] = np.stack([x, np.cross(axis, x), axis], axis=1)
        X_PJ, X_JL = before[i] @ turn, turn.T @ behind[i]
        low, high = (float(end) for end in limits[i])
        joints.append(Joint(f"joint{i + 1}", limits=(low, high), X_PJ=X_PJ, X_JL=X_JL))
    return Chain(joints)


def compare(chain: Chain, q: Any, theirs: list[Any], clock: Callable[[], float]) -> Compared:
    """Compare with a peer's postures, a list (k, dof) for each posture ``q`` (m, dof)."""
    X = chain.tip(q)
    pose = np.repeat(np.arange(len(q)), [len(some) for some in theirs])
    peer = np.concatenate([np.reshape(some, (-1, chain.dof)) for some in theirs])
    unmet = np.abs(chain.tip(peer) - X[pose]).max(axis=(1, 2)) > MET
    structure = chain.closed_form().name
    if not structure:
        return Compared("refused", len(q), 0, len(peer), int(unmet.sum()), len(peer), 0.0)
    asked, wanted = np.concatenate([X, X[pose]]), np.concatenate([q, peer])
    if chain.dof == 6:
        chain.all_inverse(X[:8])
        began = clock()
        every = chain.all_inverse(X).q
        seconds = clock() - began
        number = np.concatenate([np.arange(len(q)), pose])
        off = np.abs(_turn(every[number] - wanted[:, None])).max(axis=2)
        off = np.nan_to_num(off, nan=np.inf).min(axis=1)
        ours = int((~np.isnan(every[:, :, 0])).sum())
    else:
        free = Chain([replace(joint, limits=(-math.inf, math.inf)) for joint in chain.joints])
        off, began = np.empty(len(wanted)), clock()
        for p in range(len(q)):
            rows = np.flatnonzero(np.concatenate([np.arange(len(q)), pose]) == p)
            near = free.inverse(asked[rows], start=wanted[rows]).q
            off[rows] = np.abs(_turn(near - wanted[rows])).max(axis=1)
        seconds, ours = clock() - began, 0
    lost = off > SAME
    missing = int((lost[len(q) :] & ~unmet).sum())
    return Compared(
        structure,
        int(lost[: len(q)].sum()),
        ours,
        len(peer),
        int(unmet.sum()),
        missing,
        seconds / len(q),
    )


def locked(theirs: list[Any]) -> int | None:
    """Return the joint that has few values in the peer's postures of each pose, None where none."""
    some = [np.mod(each, math.tau) for each in theirs if len(each)]
    values = [[len(np.unique(np.round(q[:, i], 7))) for i in range(7)] for q in some]
    most = np.max(values, axis=0)
    joint = int(np.argmin(most))
    return joint if len(some[0]) > most[joint] <= SAMPLES and np.min(most) > 2 else None


def sampled(
    chain: Chain, q: Any, theirs: list[Any], clock: Callable[[], float]
) -> tuple[str, float, float]:
    """Return a joint whose values are given, seconds for each pose of ``q``, and postures of each.

    The values are the peer's where one joint has few in its postures; else ``SAMPLES`` values of
    the joint for which a posture costs the least.
    """
    joint, X, rates = locked(theirs), chain.tip(q), {}
    ends = np.clip(np.array([chain.lower, chain.upper]).T, -math.pi, math.pi)
    for i, (low, high) in enumerate(ends):
        if joint not in (i, None):
            continue
        row = np.linspace(low, high, SAMPLES + 2)[1:-1]
        each = [row if joint is None else np.unique(np.round(p[:, i], 9)) for p in theirs]
        poses = np.repeat(X, [len(some) for some in each], axis=0)
        values, name = np.concatenate(each), chain.names[i]
        chain.all_inverse(poses[:SAMPLES], given={name: values[:SAMPLES]})
        began = clock()
        found = chain.all_inverse(poses, given={name: values})
        seconds = clock() - began
        rates[name] = seconds / len(q), int(np.isfinite(found.q[:, :, 0]).sum()) / len(q)
    best = min(rates, key=lambda name: rates[name][0] / max(rates[name][1], 1e-9))
    return best, *rates[best]


def _turn(angle: Any) -> Any:
    return angle - math.tau * np.round(angle / math.tau)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="arms as ssik.list_arms() names them; else all")
    given = parser.parse_args()
    os.environ["ARTICULATA_THREADS"] = "1"  # the peer has one as well
    import ssik

    rng = np.random.default_rng(0)
    for entry in ssik.list_arms():
        if given.names and entry.name not in given.names:
            continue
        peer = ssik.Manipulator.from_prebuilt(entry.name)
        joints = peer.kinbody.joints
        limits = np.array([each or (-math.inf, math.inf) for each in peer.joint_limits], float)
        chain = chain_of_screws(
            [joint.T_left for joint in joints],
            [joint.axis for joint in joints],
            [joint.T_right for joint in joints],
            limits,
        )
        ends = np.clip(limits, -math.pi, math.pi)
        q = rng.uniform(ends[:, 0], ends[:, 1], (POSES if peer.dof == 6 else FEW, peer.dof))
        X = [peer.fk(each) for each in q]
        peer.solve(X[0], respect_limits=False, enumerate_windings=False)
        began = time.process_time()
        theirs = [np.array([found.q for found in peer.solve(x, respect_limits=False)]) for x in X]
        seconds = (time.process_time() - began) / len(q)
        row = compare(chain, q, theirs, time.process_time)
        print(
            f"{entry.name}: {row.structure}, {row.missed} of {len(q)} postures missed, "
            f"{row.missing} of the peer's {row.theirs - row.unmet} missing "
            f"({row.unmet} more meet no pose), {row.seconds * 1e6:.1f} us, "
            f"peer {seconds * 1e6:.1f} us",
            flush=True,
        )
        if peer.dof == 7:
            name, ours, count = sampled(chain, q, theirs, time.process_time)
            theirs_each = len(q) * seconds / max(row.theirs - row.unmet, 1)
            print(
                f"  values of {name}: {count:.1f} postures in {ours * 1e6:.1f} us, "
                f"peer {(row.theirs - row.unmet) / len(q):.1f}: "
                f"{theirs_each * count / ours:.1f} times for each posture"
            )


if __name__ == "__main__":
    main()
