"""Sensors that tell their orientation over a network or in a file, whoever made them."""
