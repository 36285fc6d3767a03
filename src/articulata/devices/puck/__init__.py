"""Devices with six axes: 3D mice and gamepads, as six numbers in the axes of a camera."""
