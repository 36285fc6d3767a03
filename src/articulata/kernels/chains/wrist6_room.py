"""Where things begin in the numbers that ``solve_pose`` of ``wrist6_kernels`` fills for one pose.

Apart, because what reads them must not import what compiles.
"""

from __future__ import annotations

FLAGS, SLOTS, POSE, ROOM = 48, 57, 65, 81
"""Postures begin at 0; flags of the branches, their numbers, the pose; how many numbers in all."""
