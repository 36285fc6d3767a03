"""Pose: which of all postures that bring a hand to a place a human would take."""
