"""Iterative methods as published, for comparison with the solvers."""
