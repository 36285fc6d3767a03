"""Shapes as unions of convex pieces, made ready for the kernels of contact."""
