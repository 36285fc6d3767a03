"""Inverse kinematics: methods as values, closed forms by structure, following of paths."""
