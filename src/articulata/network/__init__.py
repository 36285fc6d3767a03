"""Figures sent to and received from networked worlds."""
