"""No text ends in anything but findings: worlds are disturbed at random and read again."""

from __future__ import annotations

import random

import pytest

from articulata.errors import WorldError
from articulata.world.document import parse
from property.torn_texts import disturbed
from shares import shares


def read_all(text: str) -> None:
    """Read, check and elaborate a text; every finding must be a finding."""
    document = parse(text)
    found = document.check(starts=False)
    for each in found:
        assert each.line >= 1
        assert each.column >= 1
    wrong = any(each.severity == "error" for each in found)
    try:
        for request in document.requests:
            request.elaborate()
    except WorldError:
        return
    assert not wrong or not document.requests or document.worlds


def run(seed: int, count: int) -> None:
    rng = random.Random(seed)
    for _ in range(count):
        text = disturbed(rng)
        try:
            read_all(text)
        except Exception as error:
            raise AssertionError(f"{error!r} from:\n{text}") from error


def test_disturbed_worlds_end_in_findings() -> None:
    run(1986, 8)


@pytest.mark.parametrize(
    "sweep", shares([(0, 600), *((seed, 4000) for seed in range(8))], slow=1), ids=str
)
def test_many_disturbed_worlds_end_in_findings(sweep: tuple[int, int]) -> None:
    run(*sweep)
