"""Film: a camera that is flown, and an arm that carries it."""
