"""Work that is shared with other processes: this one takes part, and what kills is not met here."""

from __future__ import annotations

import os
import time

import pytest

from articulata.errors import ArticulataError
from articulata.sessions.worker_processes import beside


def slow(item: int) -> tuple[int, int]:
    time.sleep(0.1)
    return item * item, os.getpid()


def deadly(item: tuple[int, int]) -> int:
    number, home = item
    if number == 0:
        assert os.getpid() != home
        os._exit(1)
    return number


def test_this_process_works_while_another_begins_and_beside_it() -> None:
    found = dict(beside(2, slow, range(60), "died"))
    assert [found[n][0] for n in range(60)] == [n * n for n in range(60)]
    makers = [who for _, who in found.values()]
    assert len(set(makers)) == 2
    assert 5 < makers.count(os.getpid()) < 60


def test_one_worker_is_this_process() -> None:
    assert {who for _, (_, who) in beside(1, slow, range(3), "died")} == {os.getpid()}


def test_what_kills_workers_is_told_after_the_rest_is_made() -> None:
    home = os.getpid()
    items = [(number, home) for number in range(8)]
    found: list[int] = []
    with pytest.raises(ArticulataError, match="died again"):
        found.extend(made for _, made in beside(2, deadly, items, "died again"))
    assert found
    assert set(found) <= set(range(1, 8))
