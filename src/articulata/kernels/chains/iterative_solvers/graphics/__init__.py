"""The scalar twins on a CUDA device, one thread for each target: the extra ``cuda``."""
