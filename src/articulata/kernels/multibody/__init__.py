"""Kernels of mechanisms in maximal coordinates: forces, constraint solves, steps, projection."""
