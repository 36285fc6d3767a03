"""Closed forms of six joints: all postures that meet a pose."""
