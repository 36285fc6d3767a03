"""Packets that are damaged by chance: bytes changed, cut off, put in, said twice.

Who takes them in may allocate ``most`` bytes for each; that is measured when the next is asked for,
in the first of each ``EVERY`` blocks of packets: tracing takes five times as long.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

MOST = 1 << 20
BEGUN = 100
"""Packets after which what is compiled and imported at first is there."""

BLOCK, EVERY = 2_000, 20

COUNTS = [2_000, pytest.param(1_000_000, marks=pytest.mark.slow)]
"""How many packets a protocol survives: some in each run, a million in the slow one."""


def mutated(
    seeds: Sequence[bytes], count: int, seed: int = 36, most: int = MOST
) -> Iterator[bytes]:
    rng = np.random.default_rng(seed)
    try:
        for number in range(count):
            data = _damaged(bytearray(seeds[rng.integers(len(seeds))]), rng)
            if number // BLOCK % EVERY:
                tracemalloc.stop()
                yield data
                continue
            if not tracemalloc.is_tracing():
                tracemalloc.start()
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            yield data
            _, peak = tracemalloc.get_traced_memory()
            assert number < BEGUN or peak - before <= most, f"{peak - before} bytes for {data!r}"
    finally:
        tracemalloc.stop()


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
