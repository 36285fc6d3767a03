"""Panels of questions: controls beside the scene, and the layers that they draw."""
