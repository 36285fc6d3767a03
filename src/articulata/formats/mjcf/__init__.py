"""MJCF, the models of MuJoCo, read by MuJoCo and written as its XML."""
