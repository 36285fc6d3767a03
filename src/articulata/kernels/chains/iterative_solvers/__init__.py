"""Iterative inverse kinematics of chains and trees: many starts, active limits."""
