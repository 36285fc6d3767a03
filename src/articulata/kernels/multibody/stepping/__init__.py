"""Steps of many contacts at once: velocities jump by impulses (Moreau and Jean)."""
