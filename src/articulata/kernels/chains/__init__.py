"""Kernels of chains and trees of joints: poses, Jacobians, inverse kinematics by many methods."""
