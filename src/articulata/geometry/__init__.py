"""Rotations, poses, shapes and solids with named features."""
