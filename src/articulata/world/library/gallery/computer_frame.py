"""Hands that pull the boards out of the computer frame, one after the other.

Each hand moves 30 cm forward in 0.9 s and pulls with at most 20 N.
"""

from collections.abc import Callable

import articulata as art

WAY, TIME = 0.3, 0.9
"""How far (m) a hand goes, and how long that takes (s)."""


def course(start: float) -> Callable[[float], float]:
    """Return the place (m) of a hand that sets off at ``start`` (s)."""

    def place(t: float) -> float:
        share = min(max((t - start) / TIME, 0.0), 1.0)
        return WAY * share * share * (3.0 - 2.0 * share)

    return place


def hand(guide: str, start: float) -> art.Servo:
    """Return the hand that pulls the board in ``guide`` from ``start`` (s) on."""
    return art.Servo(f"{guide}.travel", course(start), stiffness=200.0, damping=6.0, limit=20.0)


pull_first = hand("guide1", 0.2)
pull_second = hand("guide2", 1.3)
pull_third = hand("guide3", 2.4)
pull_fourth = hand("guide4", 3.5)
