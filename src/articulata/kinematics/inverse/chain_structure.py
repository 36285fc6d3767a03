"""Of what structure a chain is, and what it lacks for a quicker one, in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from articulata.kinematics.joint import PRISMATIC

if TYPE_CHECKING:
    from articulata.geometry.arrays import Array
    from articulata.kinematics.inverse.closed_form import ClosedForm
    from articulata.kinematics.serial import Serial

_REGULAR = 1e-9

KNOWN = (
    "All postures are known of six joints of which at most three slide, of seven turning joints, "
    "of two and three turning joints with parallel axes, "
    "and of a slide followed by six with axes 2 and 3 through one point and 4 to 6 through another"
)


_SINGULAR = "This chain is singular in every posture: its hand has fewer than six freedoms"

_BRANCHES = {
    "spherical wrist": "8 branches, named",
    "three parallel axes": "8 branches, named",
    "three meeting axes": "at most 8 branches, numbered",
    "six turning joints": "at most 16 branches, numbered",
    "five turning joints and a slide": "at most 16 branches, numbered",
    "three meeting axes and a slide": "at most 8 branches, numbered",
    "four turning joints and two slides": "at most 8 branches, numbered",
    "three turning joints and three slides": "at most 2 branches, numbered",
    "two parallel axes": "2 branches of a place, named",
    "three parallel axes in a plane": "2 branches, named",
}


@dataclass(frozen=True, slots=True)
class Structure:
    """What the joint axes of a chain make of the question for all its postures.

    ``name`` of the structure, as ``all_inverse`` gives it, "" where the chain has none;
    ``branches`` in words, such as "8 branches, named" or "families over joint7"; ``reason``: what
    keeps it from a quicker structure, or from any, "" where there is no quicker one.
    """

    name: str
    branches: str
    reason: str

    def __str__(self) -> str:
        if not self.name:
            return self.reason
        return f"{self.name}: {self.branches}" + (f". {self.reason}" if self.reason else "")


def structure_of(chain: Serial, form: ClosedForm | None) -> Structure:
    """Return the structure of a chain with a closed form, None where it has none."""
    if form is None:
        return Structure("", "", missing_structure(chain))
    branches = _BRANCHES.get(form.structure, f"families over {form.parameter}")
    reason = ""
    if form.structure == "six turning joints":
        reason = _no_three(chain)
    elif form.structure == "seven turning joints":
        reason = f"{_lack(chain)}."
    return Structure(form.structure, branches, reason)


def _no_three(chain: Serial) -> str:
    """Say how near three neighbouring axes of six come to meeting in one point."""
    from articulata.kernels.chains.dh_table import reduce_chain

    ready, names = chain.prepared, chain.names
    table = reduce_chain(ready.fixed, ready.kinds, ready.tip, ready.lower, ready.upper)
    rows, unit = table.rows, table.unit
    if len(rows) != chain.dof:
        return "Two neighbouring axes are almost, but not quite, parallel."
    parallel = [k for k in range(4) if rows[k, 2] == 0.0 and rows[k + 1, 2] == 0.0]
    if parallel:
        three = _three(names, parallel[0])
        return (
            f"The axes of {three} are parallel; a quicker form needs those of joints 2 to 4 to be, "
            "and those of 5 and 6 to meet."
        )
    gaps = [_gap(rows, first) if _turning(rows, first) else math.inf for first in range(4)]
    first = int(np.argmin(gaps))
    if not math.isfinite(gaps[first]):
        return "No three neighbouring axes are parallel or meet in one point."
    return (
        f"No three neighbouring axes are parallel or meet in one point; those of "
        f"{_three(names, first)} come nearest and miss it by {gaps[first] * unit * 1e3:.4g} mm."
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
    if chain.dof not in (6, 7):
        return f"This chain has {chain.dof} joints that move"
    slides = [j.name for j in chain.joints if j.kind == PRISMATIC]
    if chain.dof == 6 and slides and not regular(chain):
        return _SINGULAR
    if slides:
        return f"This chain has joints that slide ({', '.join(slides)})"
    from articulata.kernels.chains.dh_table import reduce_chain

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
    return _SINGULAR


def regular(chain: Serial) -> bool:
    """Return whether a chain of six or seven joints moves its tip in six ways in some posture."""
    q = np.random.default_rng(0).uniform(-math.pi, math.pi, (8, chain.dof))
    J = chain.jacobian(q)
    J[:, :3] /= chain.prepared.reach
    return bool(np.linalg.svd(J, compute_uv=False)[:, -1].max() > _REGULAR)


def _apart(rows: Array, unit: float, first: int, names: tuple[str, ...]) -> str:
    """Say by how much three axes miss one point, "" where they meet in one."""
    gap = _gap(rows, first) * unit
    three = _three(names, first)
    if gap > 1e-10 * unit:
        return f"The axes of {three} do not meet in one point (they miss it by {gap * 1e3:.4g} mm)"
    if not _turning(rows, first):
        return f"Two of the axes of {three} are one and the same"
    return ""


def _gap(rows: Array, first: int) -> float:
    """Return by how much three axes miss one point, in the table's unit."""
    return float(np.max(np.abs([rows[first, 0], rows[first + 1, 0], rows[first + 1, 3]])))


def _turning(rows: Array, first: int) -> bool:
    """Return whether of three axes no neighbours are parallel."""
    return bool(min(abs(rows[first, 2]), abs(rows[first + 1, 2])) >= 1e-7)


def _three(names: tuple[str, ...], first: int) -> str:
    return ", ".join(f"'{name}'" for name in names[first : first + 3])
