"""Distributed Interactive Simulation (IEEE 1278.1): figures as entities, in packets over UDP."""
