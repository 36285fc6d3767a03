"""Ourselves and the peers, measured in one run and reported as ratios.

Everything runs in one thread: the variables below are set before any library is loaded.
"""

import os

for _name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB", "NUMBA"):
    os.environ.setdefault(f"{_name}_NUM_THREADS", "1")
