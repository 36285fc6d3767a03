"""How a sender writes orientations: the order of a quaternion's numbers, its sense, what is up.

T is level, its z down; E is the sender's frame as it is meant to be, z up, T turned half round
about x. A sender of another convention tells ``q``; what it means is ``M q`` in T.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

import numpy as np

from articulata.errors import ArticulataError
from articulata.geometry.arrays import Array
from articulata.geometry.quaternion import q_multiply, q_to_matrix
from articulata.records.samples import NO_PLACE, Sample

_HALF = np.array((0.0, 1.0, 0.0, 0.0))
_C = np.sqrt(0.5)

_XYZW = np.roll(np.eye(4), 1, axis=0)
_CONJUGATE = np.diag((1.0, -1.0, -1.0, -1.0))

QUATERNIONS: Mapping[str, Array] = MappingProxyType(
    {
        "wxyz": np.eye(4),
        "xyzw": _XYZW,
        "conjugate": _CONJUGATE,
        "xyzw-conjugate": _CONJUGATE @ _XYZW,
    }
)
"""What is made of the four numbers of a quaternion, (4, 4). A conjugate turns earth to sensor."""

UPS: Mapping[str, Array] = MappingProxyType(
    {
        "z": np.array((1.0, 0.0, 0.0, 0.0)),
        "y": np.array((_C, _C, 0.0, 0.0)),
        "x": np.array((_C, 0.0, -_C, 0.0)),
        "-z": _HALF,
        "-y": np.array((_C, -_C, 0.0, 0.0)),
        "-x": np.array((_C, 0.0, _C, 0.0)),
    }
)
"""The turn, a quaternion, that brings the axis which is up onto z. A mirrored frame is one upside
down: mirrored, a rotation turns the other way about what the mirror leaves."""


@dataclass(frozen=True)
class Convention:
    """A sender's: ``quaternion`` is a word of QUATERNIONS, ``up`` one of UPS."""

    quaternion: str = "wxyz"
    up: str = "z"

    def __post_init__(self) -> None:
        for option, word, known in (
            ("--quaternion", self.quaternion, QUATERNIONS),
            ("--up", self.up, UPS),
        ):
            if word not in known:
                raise ArticulataError(f"{option} is one of {', '.join(known)}, not {word!r}")

    def __bool__(self) -> bool:
        return self != Convention()

    @property
    def options(self) -> str:
        """The options of the command that say so, "" for what is usual."""
        said = (
            ("--quaternion", self.quaternion, "wxyz"),
            ("--up", self.up, "z"),
        )
        return " ".join(f"{option} {word}" for option, word, usual in said if word != usual)

    @cached_property
    def matrix(self) -> Array:
        """``M`` (4, 4)."""
        turn = q_multiply(_HALF, UPS[self.up])
        told = q_multiply(_CONJUGATE @ _HALF, np.eye(4)).T  # columns: from T to E
        return np.asarray(q_multiply(turn, (QUATERNIONS[self.quaternion] @ told).T).T)

    @cached_property
    def places(self) -> Array:
        """What turns places that are told, (3, 3)."""
        H = q_to_matrix(_HALF)
        return np.asarray(H @ q_to_matrix(UPS[self.up]) @ H)

    def meant(self, samples: Iterable[Sample]) -> list[Sample]:
        """Return what samples of such a sender mean."""
        found = []
        for each in samples:
            w, x, y, z = (self.matrix @ each.q).tolist()
            place = NO_PLACE
            if each.p[0] == each.p[0]:
                i, j, k = (self.places @ each.p).tolist()
                place = (i, j, k)
            found.append(each._replace(q=(w, x, y, z), p=place))
        return found
