"""Packets that are damaged by chance: bytes changed, cut off, put in, said twice.

Who takes them in may allocate ``most`` bytes for each; that is measured when the next is asked for,
in the first of each ``EVERY`` blocks of packets: tracing takes five times as long. Of each the
seconds are measured, and on Linux by how much the process grows.
"""

from __future__ import annotations

import os
import resource
import sys
import time
import tracemalloc
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

MOST = 1 << 20
BEGUN = 100
"""Packets after which what is compiled and imported at first is there."""

BLOCK, EVERY = 2_000, 20

LONGEST = 20.0
"""s of computing for a packet."""
GROWN = 64 << 20
"""Bytes by which a process may grow beside: what is freed stays with it for a while."""

COUNTS = [2_000, pytest.param(1_000_000, marks=pytest.mark.slow)]
"""How many packets a protocol survives: some in each run, a million in the slow one."""


def mutated(
    seeds: Sequence[bytes], count: int, seed: int = 36, most: int = MOST, block: int = BLOCK
) -> Iterator[bytes]:
    rng, size = np.random.default_rng(seed), _peak_of_process
    try:
        for number in range(count):
            data = _damaged(bytearray(seeds[rng.integers(len(seeds))]), rng)
            traced = number // block % EVERY == 0
            if not traced:
                tracemalloc.stop()
            elif not tracemalloc.is_tracing():
                tracemalloc.start()
            tracemalloc.reset_peak()
            before, held = tracemalloc.get_traced_memory()[0], size()
            begin = time.process_time()
            yield data
            took, grown = time.process_time() - begin, size() - held
            peak = tracemalloc.get_traced_memory()[1] - before if traced else 0
            assert took < LONGEST, f"{took:.1f} s for {data!r}"
            if number >= BEGUN:
                assert peak <= most, f"{peak} bytes for {data!r}"
                assert grown <= most + GROWN, f"{grown} bytes more for {data!r}"
    finally:
        tracemalloc.stop()


def _peak_of_process() -> int:
    """Return how many bytes this process had at most since this was asked before; 0 elsewhere."""
    if sys.platform != "linux":
        return 0
    found = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    reset = os.open("/proc/self/clear_refs", os.O_WRONLY)
    os.write(reset, b"5")
    os.close(reset)
    return found


def _damaged(data: bytearray, rng: np.random.Generator) -> bytes:
    for _ in range(rng.integers(1, 5)):
        what = rng.integers(4)
        at = int(rng.integers(max(len(data), 1)))
        if what == 0 and data:
            data[at] = int(rng.integers(256))
        elif what == 1:
            del data[at:]
        elif what == 2:
            data[at:at] = rng.bytes(int(rng.integers(1, 9)))
        else:
            data += data[:at]
    return bytes(data[:65507])
