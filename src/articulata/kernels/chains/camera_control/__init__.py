"""One tick of an arm that carries a camera: from the wished twist to joint values."""
