"""Film: flying a camera, judging its move, letting a robot carry it."""
