"""What a chain lacks to have a closed form, in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from articulata.kinematics.joint import PRISMATIC

if TYPE_CHECKING:
    from articulata.geometry.arrays import Array
    from articulata.kinematics.serial import Serial

_REGULAR = 1e-9

KNOWN = (
    "All postures are known of six and of seven turning joints, of five and a slide unless three "
    "axes meet, and of a slide followed by six with axes 2 and 3 through one point and 4 to 6 "
    "through another"
)


def missing_structure(chain: Serial) -> str:
    """Say what keeps a chain from having a closed form, and what to use instead."""
    return f"{_lack(chain)}. {KNOWN}. Use inverse(), which searches any chain."


def other_structure(chain: Serial, structure: str) -> str:
    """Say of what structure a chain is, where another was asked for."""
    reason = f" {_lack(chain)}." if chain.dof == 7 and structure == "seven turning joints" else ""
    return f"This chain's structure is '{structure}'.{reason}"


def _lack(chain: Serial) -> str:
    followers = [joint.name for joint in chain.joints if joint.mimic is not None]
    if followers:
        return f"This chain has joints that follow others ({', '.join(followers)})"
    slides = [j.name for j in chain.joints if j.kind == PRISMATIC]
    if slides:
        return f"This chain has joints that slide ({', '.join(slides)})"
    if chain.dof not in (6, 7):
        return f"This chain has {chain.dof} joints that move"
    from articulata.kernels.chains.table import reduce_chain

    ready = chain.prepared
    table = reduce_chain(ready.fixed, ready.kinds, ready.tip, ready.lower, ready.upper)
    rows, unit = table.rows, table.unit
    names = chain.names
    if len(rows) != chain.dof:
        return "Two neighbouring axes of this chain are almost, but not quite, parallel"
    if chain.dof == 7 and regular(chain):
        return (
            _apart(rows, unit, 0, names) or _apart(rows, unit, 4, names) or "Its elbow has no arm"
        )
    return "This chain is singular in every posture: its hand has fewer than six freedoms"


def regular(chain: Serial) -> bool:
    """Return whether a chain of six or seven joints moves its tip in six ways in some posture."""
    q = np.random.default_rng(0).uniform(-math.pi, math.pi, (8, chain.dof))
    J = chain.jacobian(q)
    J[:, :3] /= chain.prepared.reach
    return bool(np.linalg.svd(J, compute_uv=False)[:, -1].max() > _REGULAR)


def _apart(rows: Array, unit: float, first: int, names: tuple[str, ...]) -> str:
    """Say by how much three axes miss one point, "" where they meet in one."""
    lengths = [rows[first, 0], rows[first + 1, 0], rows[first + 1, 3]]
    gap = float(np.max(np.abs(lengths))) * unit
    three = ", ".join(f"'{name}'" for name in names[first : first + 3])
    if gap > 1e-10 * unit:
        return f"The axes of {three} do not meet in one point (they miss it by {gap * 1e3:.4g} mm)"
    if min(abs(rows[first, 2]), abs(rows[first + 1, 2])) < 1e-7:
        return f"Two of the axes of {three} are one and the same"
    return ""
