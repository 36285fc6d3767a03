"""Packets that are damaged by chance: bytes changed, cut off, put in, said twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np


def mutated(seeds: Sequence[bytes], count: int, seed: int = 36) -> Iterator[bytes]:
    rng = np.random.default_rng(seed)
    for _ in range(count):
        data = bytearray(seeds[rng.integers(len(seeds))])
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
        yield bytes(data[:65507])
