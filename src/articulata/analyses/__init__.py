"""Questions put to the domains: simulate, reach, pose, track, film."""
