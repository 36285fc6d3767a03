"""Plans of elimination as values: what a state was reached by, and what a recording holds of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from articulata.domains.dynamic.hinge_friction import UNKNOWN
from articulata.domains.dynamic.translation import PLAN
from articulata.geometry.arrays import IntArray
from articulata.kernels.multibody.system import FREE, TREE_POINT, WORLD, System
from articulata.records.state import array


@dataclass(frozen=True, slots=True, eq=False)
class Elimination:
    """A plan of elimination: its arrays of the system by name, and its loops' ranks once found.

    ``rubs`` (k,) are the modes of dry frictions of hinges: those that hold have rows in the plan.
    """

    arrays: Mapping[str, IntArray]
    ranks: IntArray | None = None
    rubs: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))

    def plain(self) -> dict[str, Any]:
        """Return what a recording holds of it."""
        made = {name: each.astype(np.int32) for name, each in self.arrays.items()}
        if len(self.rubs):
            made["rubs"] = self.rubs.astype(np.int32)
        return {**made, "ranks": None if self.ranks is None else self.ranks.astype(np.int32)}


def recalled(made: System, rubs: int, plain: Mapping[str, Any]) -> Elimination:
    """Return the plan for ``made`` that ``Elimination.plain`` has written, else ValueError.

    ``rubs`` is the number of dry frictions.
    """
    tree = array(plain["tree"], "i", -1, TREE_POINT + 1)
    flat = {name: array(plain[name], "i", -1) for name in PLAN if name != "tree"}
    n, rows, starts = len(made.body), len(made.row), len(flat["tree_row"])
    least = (0, WORLD, -1, 0, 0, 0, 0)
    above = (n, n, len(made.hinge_body), 2, starts + 1, starts + 1, 2)
    good = bool(np.all((tree >= least) & (tree < above)))
    for name, most in (("tree_row", rows), ("closure_row", rows), ("path", len(tree))):
        good &= bool(np.all((flat[name] >= 0) & (flat[name] < most)))
    for name, of in (("closure_start", "closure_row"), ("path_start", "path")):
        ends = flat[name]
        good &= len(ends) > 0 and ends[0] == 0 and ends[-1] == len(flat[of])
        good &= bool(np.all(np.diff(ends) >= 0)) and len(ends) == len(flat["path_start"])
    if not good or len(tree) != int(np.sum(made.body_kind == FREE)):
        raise ValueError("a plan of elimination is that of no such world")
    ranks = plain["ranks"]
    known = None if ranks is None else array(ranks, "i", len(flat["path_start"]) - 1)
    if known is not None and np.any((known < -1) | (known > np.diff(flat["closure_start"]))):
        raise ValueError("a loop has more independent rows than rows")
    modes = array(plain["rubs"], "i", rubs) if rubs else np.zeros(0, np.int64)
    if np.any((modes < -1) | (modes > UNKNOWN)):
        raise ValueError("a friction neither holds nor slides")
    return Elimination({"tree": tree, **flat}, known, modes.astype(np.int64))
