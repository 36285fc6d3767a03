"""Controllers of the press; only its names are read."""
