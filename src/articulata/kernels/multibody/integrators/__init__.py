"""Integrators: runs of steps of every method, and their common passage of time."""
