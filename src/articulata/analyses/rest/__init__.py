"""Rest: where the forces of a world balance, and how it moves close to there."""
