"""Points of a room: reached with a posture as proof, excluded by a bound, or not found."""
