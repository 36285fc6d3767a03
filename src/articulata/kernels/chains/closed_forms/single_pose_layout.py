"""Where things begin in the numbers of one pose, see ``single_pose``.

Apart, because what reads them must not import what compiles.
"""

from __future__ import annotations

FLAGS, SLOTS, POSE, ROOM = 48, 57, 65, 81
"""Postures begin at 0; flags of the branches, their numbers, the pose; how many numbers in all."""
